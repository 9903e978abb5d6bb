"""Cost of the operations of the parallel H algorithm."""

from collections.abc import Callable, Mapping

from experiments.exhibit import Computed, Exhibit, Line
from experiments.exhibits._schedules import FORM, KNOWN, MASS_ARM, MATVEC, PRODUCT, RHO, SUM, TURN, Atom, cost, counted

SIZES = (6, 12)
Part = tuple[int, int, int]
"""Multiplies, adds, and words that came in."""

FEWER = "a cell's own vector need not come, n - 1 do"
ROW_ONE = f"{FEWER}; by section 4.2 row 1 alone forms them, n cpus, and the rows below pass them on"
LINES: Mapping[str, tuple[Callable[[int, int], list[float]], str]] = {
    "1: A_i": (lambda n, cells: [4, 0, 0, n], ""),
    "2: c_ij": (lambda n, cells: [8 * (n - 1), 5 * (n - 1), 3 * n, cells], ROW_ONE),
    "3: rho_ij": (lambda n, cells: [8 * (n - 1), 11 * (n - 1), 3 * n, cells], ROW_ONE),
    "4: J c": (lambda n, cells: [9, 6, 0, cells], ""),
    "5: m (rho x c)": (lambda n, cells: [9, 3, 0, cells], ""),
    "6: c . J c": (lambda n, cells: [3 * n, 2 * n, 0, cells], ""),
    "7: rho x c": (
        lambda n, cells: [6 * n, 3 * n, 0, cells],
        "a cell has its own product from operation 5, so that it forms n - 1, and the n cells of the diagonal none",
    ),
    "8: (rho x c) . m (rho x c)": (lambda n, cells: [3 * n, 2 * n, 3 * n, cells], FEWER),
    "9: sum": (lambda n, cells: [0, 2 * n, n, cells], "the last of n sums stays where it is, n - 1 go west"),
}
"""As printed: multiplies, adds, floats and cpus, for n and n(n+1)/2."""


def _parts(operation: str, atoms: list[Atom]) -> list[Part]:
    """A cell's share in an operation, atom by atom."""
    products = [atom for atom in atoms if atom.names == PRODUCT]
    whole: Mapping[str, list[Atom]] = {
        "1": [atom for atom in atoms if atom.names == FORM],
        "2": [atom for atom in atoms if atom.names in (TURN, KNOWN)],
        "3": [atom for atom in atoms if atom.names in (RHO, KNOWN)],
        "4": [atom for atom in atoms if atom.names == MATVEC][:1],  # row 1 goes on with J w and J w'
        "5": [atom for atom in atoms if atom.names == MASS_ARM],
        "7": [atom for atom in atoms if atom.names == ("cross",)],
    }
    if operation in whole:
        return [(*atom.cost, atom.words) for atom in whole[operation]]
    if operation == "9":
        sums = [(*atom.cost, atom.words) for atom in atoms if atom.names == SUM]
        return [(*cost(atom.kernels[2:]), 0) for atom in products] + sums
    dot = 0 if operation == "6" else 1
    return [
        (*cost(atom.kernels[dot : dot + 1]), sum(each.words for each in atom.received[: 1 if dot else 0]))
        for atom in products
    ]


def _row(operation: str, n: int) -> list[float]:
    """The most that a cell computes and that a cell of row 1 receives, and how many cells have a share."""
    schedule = counted("wong-mesh", n, rho="recompute" if operation == "7" else "pass")
    cells = [(k, i) for i in range(1, n + 1) for k in range(1, i + 1)]
    parts = {node: _parts(operation, schedule.atoms[node]) for node in cells}
    mul, add = (max(sum(part[which] for part in parts[node]) for node in cells) for which in (0, 1))
    words = max(sum(part[2] for part in parts[1, i]) for i in range(1, n + 1))
    return [mul, add, words, sum(1 for node in cells if parts[node])]


def compute() -> Computed:
    """From the trace of a step on `ideal`."""
    return {label: [each for n in SIZES for each in _row(label[0], n)] for label in LINES}


EXHIBIT = Exhibit(
    "wong-table-4.1",
    f"Cost of the operations of the parallel H algorithm, for n = {SIZES[0]} and n = {SIZES[1]}",
    [f"{head}, n = {n}" for n in SIZES for head in ("mul", "add", "floats", "cpus")],
    [
        Line(label, [each for n in SIZES for each in published(n, n * (n + 1) // 2)], reason)
        for label, (published, reason) in LINES.items()
    ],
    compute,
    "Computed: the arithmetic of the busiest cell of rows 1 to n, the floats that the busiest cell of row 1 receives, and "
    "the cells that do the operation. Operation 7 is from a run that forms rho x c again, the others from one "
    "that passes it on.",
)
