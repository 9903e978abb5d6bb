"""Schedule of row 1 for n = 4, before J w and J w' moved there."""

from collections.abc import Sequence

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.schedules import counted, row_one

N = 4
BODIES = range(1, N + 1)
COLUMNS = [*(f"cpu1{i} cycle" for i in BODIES), f"cpu1{N} mul", f"cpu1{N} add"]
LINES = [
    Line("A", [1, 1, 1, 1, 4, 0]),
    Line("c_i,i", [2, 2, 2, 2, 0, 0]),
    Line("rho_i,i", [3, 3, 3, 3, 0, 0]),
    Line("c_i,i-1", [None, 4, 4, 4, 8, 5]),
    Line("rho_i,i-1", [None, 5, 5, 5, 8, 11]),
    Line("c_i,i-2", [None, None, 6, 6, 8, 5]),
    Line("rho_i,i-2", [None, None, 7, 7, 8, 11]),
    Line("c_i,i-3", [None, None, None, 8, 8, 5]),
    Line("rho_i,i-3", [None, None, None, 9, 8, 11]),
    Line("J c_i,1", [4, 6, 8, 10, 9, 6]),
    Line("m (rho x c)_i,1", [5, 7, 9, 11, 9, 6], corrected=[5, 7, 9, 11, 9, 3], source="eq. 4.4 and Table 4.1"),
]
NOTE = (
    "A line is an operation; print has it by cycles. Computed: what a cell of row 1 runs in the published order, and "
    "the cycle this falls in if each operation takes one and a vector crosses in the next (section 4.3). The slip in "
    "m (rho x c) is operation 5 of Table 4.1, as in equations 4.4 and 4.6."
)


def scheduled(lines: Sequence[Line], redistribute: str) -> Computed:
    """The cycles of each cell of row 1, and the cost to the last."""
    schedule = counted("wong-mesh", N, order="published", redistribute=redistribute)
    found = {}
    for line in lines:
        places = [row_one(i).get(line.label) for i in BODIES]
        entries = [
            schedule.entry((1, i), place) if place is not None else (None, None, None)
            for i, place in zip(BODIES, places, strict=True)
        ]
        found[line.label] = [*(cycle for cycle, _, _ in entries), *entries[-1][1:]]
    return found


def compute() -> Computed:
    """From the trace of a step on `ideal`."""
    return scheduled(LINES, "no")


EXHIBIT = Exhibit("wong-table-4.2", f"Schedule of H in row 1, n = {N}", COLUMNS, LINES, compute, NOTE)
