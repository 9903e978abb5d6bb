"""Revised schedule of row 0 for n = 4, without J w and J w'."""

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.schedules import counted
from meshsim.experiments.exhibits.wong import table_4_3 as before

LINES = [
    *before.COMMON,
    Line("w x J w, m p''", [8, 9, 3, 10, 9, 3, 12, 14]),
    Line("L'", [9, 0, 3, 11, 0, 3, 13, 15]),
]


def compute() -> Computed:
    """From the trace of a step on `ideal`."""
    return before.scheduled(counted("wong-mesh", before.N, order="published"), LINES)


EXHIBIT = Exhibit(
    "wong-table-4.6",
    f"Revised schedule of L' and m p'' in row 0, n = {before.N}: J w and J w' come from row 1",
    before.COLUMNS,
    LINES,
    compute,
    before.NOTE,
)
