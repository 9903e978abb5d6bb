"""Cost of the operations of the parallel H algorithm."""

from collections.abc import Mapping

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.schedules import (
    FORM,
    KNOWN,
    MASS_ARM,
    MATVEC,
    PRODUCT,
    RHO,
    SUM,
    TURN,
    Atom,
    cost,
    counted,
)

SIZES = (6, 12)
Counts = tuple[int, int]
"""Multiplies and adds."""
PRODUCT_PARTS: dict[int, Counts] = {6: (3, 2), 8: (3, 2), 9: (0, 1)}
"""A product of two six-vectors, by operation: of the angular halves, of the linear ones, and their sum."""
FEWER = "a cell's own vector need not come, n - 1 do"
ROW_ONE = f"{FEWER}; by section 4.2 row 1 alone forms them, n cpus, and the rows below pass them on"
REASONS = {
    "2: c_ij": ROW_ONE,
    "3: rho_ij": ROW_ONE,
    "7: rho x c": "a cell has its own product from operation 5, so that it forms n - 1, and those of the diagonal none",
    "8: (rho x c) . m (rho x c)": FEWER,
    "9: sum": "the last of n sums stays where it is, n - 1 go west",
}


def _published(n: int) -> Mapping[str, list[float]]:
    """As printed: multiplies, adds, floats and cpus."""
    cells = n * (n + 1) // 2
    return {
        "1: A_i": [4, 0, 0, n],
        "2: c_ij": [8 * (n - 1), 5 * (n - 1), 3 * n, cells],
        "3: rho_ij": [8 * (n - 1), 11 * (n - 1), 3 * n, cells],
        "4: J c": [9, 6, 0, cells],
        "5: m (rho x c)": [9, 3, 0, cells],
        "6: c . J c": [3 * n, 2 * n, 0, cells],
        "7: rho x c": [6 * n, 3 * n, 0, cells],
        "8: (rho x c) . m (rho x c)": [3 * n, 2 * n, 3 * n, cells],
        "9: sum": [0, 2 * n, n, cells],
    }


def _fewer(n: int) -> Mapping[str, list[float]]:
    """What our cells do, receive and are more than that."""
    below = n - n * (n + 1) // 2
    return {
        "2: c_ij": [0, 0, -3, below],
        "3: rho_ij": [0, 0, -3, below],
        "7: rho x c": [-6, -3, 0, -n],
        "8: (rho x c) . m (rho x c)": [0, 0, -3, 0],
        "9: sum": [0, 0, -1, 0],
    }


def _share(operation: int, atoms: list[Atom]) -> list[tuple[Counts, int]]:
    """What a cell does for an operation, and the floats that come for it; a product serves operations 6, 8 and 9."""
    whole = {1: (FORM,), 2: (TURN, KNOWN), 3: (RHO, KNOWN), 4: (MATVEC,), 5: (MASS_ARM,), 7: (("cross",),), 9: (SUM,)}
    if operation in PRODUCT_PARTS:
        part = PRODUCT_PARTS[operation]
        products = [(part, atom.words if operation == 8 else 0) for atom in atoms if atom.names == PRODUCT]
    else:
        products = []
    found = [(cost(atom.kernels), atom.words) for atom in atoms if atom.names in whole.get(operation, ())]
    return products + (found[:1] if operation == 4 else found)  # row 1 goes on with J w and J w'


def _row(operation: int, n: int) -> list[float]:
    """The most that a cell computes and that one of row 1 receives, and how many cells have a share."""
    schedule = counted("wong-mesh", n, rho="recompute" if operation == 7 else "pass")
    cells = [(k, i) for i in range(1, n + 1) for k in range(1, i + 1)]
    shares = {node: _share(operation, schedule.atoms[node]) for node in cells}
    mul, add = max((sum(mul for (mul, _), _ in share), sum(add for (_, add), _ in share)) for share in shares.values())
    words = max(sum(words for _, words in shares[1, i]) for i in range(1, n + 1))
    return [mul, add, words, sum(1 for share in shares.values() if share)]


def compute() -> Computed:
    """From the trace of a step on `ideal`."""
    return {label: [each for n in SIZES for each in _row(int(label[0]), n)] for label in _published(SIZES[0])}


EXHIBIT = Exhibit(
    "wong-table-4.1",
    f"Cost of the operations of the parallel H algorithm, for n = {SIZES[0]} and n = {SIZES[1]}",
    [f"{head}, n = {n}" for n in SIZES for head in ("mul", "add", "floats", "cpus")],
    [
        Line(
            label,
            [each for n in SIZES for each in _published(n)[label]],
            REASONS.get(label, ""),
            counted=[each for n in SIZES for each in _fewer(n)[label]] if label in REASONS else None,
        )
        for label in _published(SIZES[0])
    ],
    compute,
    "Computed: the arithmetic of the busiest cell of rows 1 to n, the floats that the busiest cell of row 1 receives, "
    "and the cells that do the operation. Operation 7 is from a run that forms rho x c again, the others from one "
    "that passes it on.",
)
