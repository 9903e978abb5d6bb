"""The first four computations of the products with H-bar transposed, n = 4."""

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.schedules import PRODUCT, SUM, Schedule, counted

N = 4
CELLS: dict[tuple[int, int], list[int | None]] = {
    (0, 1): [3, None, None, None],
    (0, 2): [3, None, None, None],
    (0, 3): [3, None, 4, None],
    (0, 4): [3, None, None, None],
    (1, 1): [1, None, None, None],
    (1, 2): [1, 3, 4, None],
    (1, 3): [1, 3, 2, 4],
    (1, 4): [1, 3, None, None],
    (2, 2): [1, None, 4, None],
    (2, 3): [1, 3, 2, 4],
    (2, 4): [1, 3, None, None],
    (3, 3): [1, None, 2, None],
    (3, 4): [1, 3, None, None],
    (4, 4): [1, None, None, None],
}
"""In which computation, as printed, a cell (row, column) forms its products and adds sums from the east to them."""


def _computation(schedule: Schedule, node: tuple[int, int], place: int) -> int:
    """Products in odd computations, sums in even ones, each after what it needs; what went before takes none."""
    atom = schedule.atoms[node][place] if place >= 0 else None
    if atom is None or atom.names not in (PRODUCT, SUM):
        return 0
    before = _computation(schedule, node, place - 1)
    if atom.names == SUM and not atom.received:
        return before  # column n, which starts the sum
    senders = [schedule.sender(message) for message in atom.received]
    needed = [_computation(schedule, *sender) for sender in senders if sender]
    earliest = max(before, *needed, 0) + 1
    parity = 1 if atom.names == PRODUCT else 0
    return earliest if earliest % 2 == parity else earliest + 1


def _firsts(schedule: Schedule, node: tuple[int, int]) -> list[float | None]:
    found: list[float | None] = []
    for names in (PRODUCT, SUM):
        places = [place for place, atom in enumerate(schedule.atoms[node]) if atom.names == names][:2]
        found += [*(_computation(schedule, node, place) for place in places), None, None][:2]
    return found


def compute() -> Computed:
    """From the trace of a step on `ideal`."""
    schedule = counted("wong-mesh", N, order="published")
    return {f"cpu{row}{column}": _firsts(schedule, (row, column)) for row, column in CELLS}


EXHIBIT = Exhibit(
    "wong-table-4.7",
    f"The first four computations of the products with H-bar transposed, n = {N}: which cell does what in which",
    ["product 1", "product 2", "sum 1", "sum 2"],
    [Line(f"cpu{row}{column}", published) for (row, column), published in CELLS.items()],
    compute,
    "A number says in which of computations 1 to 4 a cell forms its first and second product (odd) and adds its first "
    "and second sum from the east (even); empty: not in these four. Computed, in the published order: from the order "
    "in a cell and the messages between cells, each computation after what it needs, H and L' being there; the sum "
    "that column 4 starts takes none. A product is c . J c, in row 0 c . L', and here that of rho x c with it. One "
    "symbol is a slip in print: Sigma_33 of computation 2 has c_44 for c_43.",
)
