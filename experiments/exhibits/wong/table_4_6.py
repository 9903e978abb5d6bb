"""Revised schedule of row 0 for n = 4, without J w and J w'."""

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.wong import table_4_3 as before

LATER = "row 1 hands J w over once it has J w' as well, one cycle later: without buffers the table's order deadlocks"
LINES = [
    *before.COMMON,
    Line("w x J w, m p''", [8, 9, 3, 10, 9, 3, 12, 14], LATER),
    Line("L'", [9, 0, 3, 11, 0, 3, 13, 15], LATER),
]


def compute() -> Computed:
    """From the trace of a step on `ideal`."""
    numbers = [before.scheduled(line.label, 0, line.label) for line in LINES]
    return {label: entries for each in numbers for label, entries in each.items()}


EXHIBIT = Exhibit(
    "wong-table-4.6",
    f"Revised schedule of L' and m p'' in row 0, n = {before.N}: J w and J w' come from row 1",
    before.COLUMNS,
    LINES,
    compute,
    "A line is an operation; print has it by cycles. Computed: what a cell of row 0 runs, in order, and the cycle this "
    "falls in if each operation takes one and each vector one more to come (section 4.3).",
)
