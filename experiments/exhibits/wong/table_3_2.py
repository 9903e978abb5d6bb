"""Inertia matrix on one processor, printed numbers."""

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit
from meshsim.experiments.exhibits.base.one_processor import CAUSES, counted, listed
from meshsim.experiments.exhibits.base.polynomials import INERTIA
from meshsim.experiments.exhibits.base.printed import by_line, printed_lines

SIZES = (4, 5, 6, 7)
PRINTED = {
    "Proposed": [(286, 209), (498, 370), (779, 585), (1135, 851)],
    "Walker": [(389, 327), (555, 457), (741, 601), (953, 759)],
    "Angeles": [(318, 229), (538, 395), (827, 615), (1191, 894)],
    "Fijany": [(353, 279), (509, 403), (664, 535), (848, 675)],
    "Lilly I": [(288, 210), (512, 380), (810, 610), (1188, 906)],
    "Lilly III": [(261, 240), (398, 352), (560, 480), (747, 624)],
}
REASONS = {"Walker": CAUSES["Walker, inertia"], "Lilly III": CAUSES["Lilly III"]}
REASONS |= dict.fromkeys(("Fijany", "Lilly I"), CAUSES["not listed"])


def compute() -> Computed:
    """Counts of runs on random chains."""
    nothing = [None] * len(SIZES)
    return by_line(
        {
            "Proposed": listed("one-wong", SIZES),
            "Walker": counted("one-walker-orin", SIZES, "inertia"),
            "Angeles": listed("one-angeles", SIZES),
            "Fijany": (nothing, nothing),
            "Lilly I": (nothing, nothing),
            "Lilly III": counted("one-bae", SIZES, "inertia", frame="body"),
        }
    )


EXHIBIT = Exhibit(
    "wong-table-3.2",
    "Operations of the inertia matrix on one processor",
    [f"n = {n}" for n in SIZES],
    printed_lines(PRINTED, INERTIA, SIZES, REASONS),
    compute,
    "Proposed and Angeles are counted by section 3.2's list, which leaves out the n(n^2 - 1)/6 additions that sum the "
    "terms of M over the bodies.",
)
