"""Schedule of row 0 for n = 4, before J w and J w' moved to row 1."""

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.schedules import ROW_ZERO, counted, row_one

N = 4
COLUMNS = [*(f"cpu0{i} {head}" for i in (1, 2) for head in ("cycle", "mul", "add")), "cpu03 cycle", "cpu04 cycle"]
COMMON = [
    Line("A", [1, 4, 0, 1, 4, 0, 1, 1]),
    Line("w", [2, 0, 0, 4, 8, 6, 6, 8]),
    Line("w'", [3, 0, 0, 5, 10, 7, 7, 9]),
    Line("W", [4, 1, 0, 6, 6, 9, 8, 10]),
    Line("-W k", [5, 9, 6, 7, 9, 6, 9, 11]),
    Line("W l", [6, 9, 6, 8, 9, 6, 10, 12]),
    Line("p''", [7, 8, 11, 9, 8, 11, 11, 13]),
]
"""What Tables 4.3 and 4.6 share."""
MOVED = "it runs in row 1, as in the revised Tables 4.4 to 4.6, where it need not wait for p''"
LINES = [
    *COMMON,
    Line("a = J w", [8, 9, 6, 10, 9, 6, 12, 14], MOVED),
    Line("b = J w'", [9, 9, 6, 11, 9, 6, 13, 15], MOVED),
    Line("L', m p''", [10, 9, 6, 12, 9, 6, 14, 16]),
]


def scheduled(label: str, row: int, *operations: str) -> dict[str, list[float | None]]:
    """A line of the table: the cycles of four cells of row 0 or row 1, and the cost to the first two."""
    schedule = counted("wong-mesh", N)
    found = []
    for i in range(1, N + 1):
        places = row_one(i) if row else {name: place for place, name in enumerate(ROW_ZERO)}
        found.append(schedule.entry((row, i), *(places[name] for name in operations)))
    return {label: [*found[0], *found[1], found[2][0], found[3][0]]}


def compute() -> Computed:
    """From the trace of a step on `ideal`; L' and m p'' are two operations there."""
    numbers = [scheduled(line.label, 0, line.label) for line in COMMON]
    numbers += [scheduled("a = J w", 1, "J w"), scheduled("b = J w'", 1, "J w'")]
    numbers += [scheduled("L', m p''", 0, *ROW_ZERO[-2:])]
    return {label: entries for each in numbers for label, entries in each.items()}


EXHIBIT = Exhibit(
    "wong-table-4.3",
    f"Schedule of L' and m p'' in row 0, n = {N}",
    COLUMNS,
    LINES,
    compute,
    "A line is an operation; print has it by cycles. Computed: what a cell of row 0 runs, in order, and the cycle this "
    "falls in if each operation takes one and each vector one more to come (section 4.3). J w and J w' are taken from "
    "row 1, where they run.",
)
