"""Revised schedule of row 1 for n = 4, with J w and J w'."""

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.wong import table_4_2 as before

LINES = [*before.LINES, Line("J w", [6, 8, 10, 12, 9, 6]), Line("J w'", [7, 9, 11, 13, 9, 6])]


def compute() -> Computed:
    """From the trace of a step on `ideal`."""
    return before.scheduled(LINES, "yes")


EXHIBIT = Exhibit(
    "wong-table-4.5",
    f"Revised schedule of H in row 1, n = {before.N}: J w and J w' come from row 0",
    before.COLUMNS,
    LINES,
    compute,
    before.NOTE,
)
