"""Complexity of complete forward dynamics on one processor, as curves."""

from functools import partial

from meshsim.experiments.exhibits.base.curves import draw_curves
from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.polynomials import SUMS, TOTAL, TOTAL_LIST, values
from meshsim.experiments.exhibits.wong.table_3_1 import LISTED
from meshsim.experiments.exhibits.wong.table_3_5 import PRINTED, REASONS_OF, SIZES
from meshsim.experiments.exhibits.wong.table_3_5 import compute as compute_table

NAMES = {"Proposed": "P, proposed", "Angeles": "A, Angeles", "Walker": "W, Walker", "Brandl": "B, Brandl"}
FORMULAS = {**TOTAL, "Proposed": TOTAL_LIST}


def compute() -> Computed:
    """The counts of Table 3.5, a multiply 1 us and an add 0.5 us."""
    counts = compute_table()
    return {
        label: [
            (mul or 0) + (add or 0) / 2 for mul, add in zip(counts[f"{name}, mul"], counts[f"{name}, add"], strict=True)
        ]
        for name, label in NAMES.items()
    }


EXHIBIT = Exhibit(
    "wong-fig-3.11",
    "Cost of complete forward dynamics on one processor against joints, in us",
    [f"n = {n}" for n in SIZES],
    [
        Line(
            label,
            [mul + add / 2 for mul, add in PRINTED[name]],
            REASONS_OF[name],
            [mul + add / 2 for mul, add in zip(*(values(each, SIZES) for each in FORMULAS[name]), strict=True)],
            LISTED if name == "Proposed" else "Table 3.1's polynomial",
            counted=[add / 2 for add in values(SUMS, SIZES)] if name == "Proposed" else None,
        )
        for name, label in NAMES.items()
    ],
    compute,
    "The figure draws the numbers of Table 3.5, Walker's misprints included.",
    partial(draw_curves, sizes=SIZES, schemes=("one-wong", "one-angeles", "one-walker-orin", "one-featherstone")),
)
