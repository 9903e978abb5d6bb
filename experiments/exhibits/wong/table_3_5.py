"""Complete forward dynamics on one processor, printed numbers."""

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit
from meshsim.experiments.exhibits.base.one_processor import CAUSES, total
from meshsim.experiments.exhibits.base.polynomials import SUMS, TOTAL, TOTAL_LIST, values
from meshsim.experiments.exhibits.base.printed import by_line, printed_lines
from meshsim.experiments.exhibits.wong.table_3_1 import LISTED, REASONS

SIZES = tuple(range(3, 13))
PRINTED = {
    "Proposed": [
        (367, 277), (630, 484), (969, 752), (1391, 1087), (1903, 1495),
        (2512, 1982), (3225, 2554), (4049, 3217), (4991, 3977), (6058, 4840),
    ],
    "Angeles": [
        (399, 306), (679, 530), (1029, 810), (1456, 1152), (1967, 1562),
        (2569, 2046), (3269, 2610), (4074, 3260), (4991, 4002), (6027, 4842),
    ],
    "Walker": [
        (631, 513), (907, 742), (1208, 991), (1537, 1261), (1893, 1553),
        (2279, 1868), (2694, 2207), (3141, 2571), (3619, 2961), (4131, 3378),
    ],
    "Brandl": [
        (528, 462), (778, 682), (1028, 902), (1278, 1122), (1528, 1342),
        (1778, 1562), (2028, 1782), (2278, 2002), (2528, 2222), (2778, 2442),
    ],
}  # fmt: skip
REASONS_OF = {
    "Proposed": REASONS["Proposed, sum"],
    "Angeles": REASONS["Angeles, sum"],
    "Walker": f"{REASONS['Walker, inertia matrix']}; {REASONS['Walker, force vector']}",
    "Brandl": CAUSES["Brandl"],
}


def compute() -> Computed:
    """Counts of runs on random chains."""
    return by_line(
        {
            "Proposed": total("one-wong", SIZES),
            "Angeles": total("one-angeles", SIZES),
            "Walker": total("one-walker-orin", SIZES),
            "Brandl": total("one-featherstone", SIZES, bias="inside"),
        }
    )


EXHIBIT = Exhibit(
    "wong-table-3.5",
    "Operations of complete forward dynamics on one processor",
    [f"n = {n}" for n in SIZES],
    printed_lines(
        PRINTED,
        {**TOTAL, "Proposed": TOTAL_LIST},
        SIZES,
        REASONS_OF,
        {"Proposed": LISTED},
        {"Proposed": values(SUMS, SIZES)},
    ),
    compute,
    "The formulas are those of Table 3.1. All that ran is counted but the n subtractions tau - h.",
)
