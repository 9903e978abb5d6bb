"""Force vector on one processor, printed numbers."""

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit
from meshsim.experiments.exhibits.base.one_processor import CAUSES, counted
from meshsim.experiments.exhibits.base.polynomials import FORCE, FORCE_LIST
from meshsim.experiments.exhibits.base.printed import by_line, printed_lines

SIZES = tuple(range(4, 11))
PRINTED = {
    "Proposed": [(312, 253), (416, 342), (526, 437), (642, 538), (764, 645), (892, 758), (1026, 877)],
    "Angeles": [(321, 265), (426, 355), (536, 445), (636, 535), (741, 625), (846, 715), (951, 805)],
    "Walker": [(526, 393), (663, 494), (800, 595), (937, 696), (1074, 797), (1211, 898), (1348, 999)],
    "He": [(267, 248), (358, 334), (449, 420), (540, 506), (631, 592), (722, 678), (813, 764)],
}
REASONS = {"Angeles": CAUSES["Angeles, force"], "Walker": CAUSES["Walker, force"], "He": CAUSES["not listed"]}


def compute() -> Computed:
    """Counts of runs on random chains."""
    nothing = [None] * len(SIZES)
    return by_line(
        {
            "Proposed": counted("one-wong", SIZES, "force"),
            "Angeles": counted("one-angeles", SIZES, "force"),
            "Walker": counted("one-walker-orin", SIZES, "force"),
            "He": (nothing, nothing),
        }
    )


EXHIBIT = Exhibit(
    "wong-table-3.3",
    "Operations of the force vector on one processor",
    [f"n = {n}" for n in SIZES],
    printed_lines(
        PRINTED, {**FORCE, "Proposed": FORCE_LIST}, SIZES, REASONS, {"Proposed": "the items of section 3.3.1"}
    ),
    compute,
    "The items of section 3.3.1 sum to 2 multiplies less and n - 1 adds more than Table 3.1 and this table have.",
)
