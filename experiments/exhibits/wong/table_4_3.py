"""Schedule of row 0 for n = 4, before J w and J w' moved to row 1."""

from collections.abc import Sequence

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.schedules import GROUPS, Schedule, counted

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
NOTE = (
    "A line is an operation; print has it by cycles. Computed: what a cell of row 0 runs in the published order, and "
    "the cycle this falls in if each operation takes one and a vector crosses in the next (section 4.3)."
)
LINES = [
    *COMMON,
    Line("a = J w", [8, 9, 6, 10, 9, 6, 12, 14]),
    Line("b = J w'", [9, 9, 6, 11, 9, 6, 13, 15]),
    Line("L', m p''", [10, 9, 6, 12, 9, 6, 14, 16]),
]


TOGETHER = (("cross", "scale", "add_vectors"), *GROUPS)
"""L' and m p'' are one cycle of this table, and two of Table 4.6."""


def scheduled(schedule: Schedule, lines: Sequence[Line]) -> Computed:
    """Line by line: the cycles of four cells of row 0, and the cost to the first two."""
    found = {}
    for place, line in enumerate(lines):
        entries = [schedule.entry((0, i), place) for i in range(1, N + 1)]
        found[line.label] = [*entries[0], *entries[1], entries[2][0], entries[3][0]]
    return found


def compute() -> Computed:
    """From the trace of a step on `ideal`, J w and J w' in row 0."""
    return scheduled(counted("wong-mesh", N, TOGETHER, order="published", redistribute="no"), LINES)


EXHIBIT = Exhibit(
    "wong-table-4.3",
    f"Schedule of L' and m p'' in row 0, n = {N}",
    COLUMNS,
    LINES,
    compute,
    NOTE,
)
