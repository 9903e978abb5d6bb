"""The thesis's figures 4.8 and 4.9: one curve for each parallel scheme, and how far the mesh is the cheapest."""

from functools import partial

from meshsim.experiments.exhibits.base.curves import draw_curves
from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.rivals import CAUSES, LETTERS, cheapest_up_to, phase_us, published_us
from meshsim.experiments.exhibits.wong.table_4_8 import LU, SUM_CAUSES, more

SIZES = tuple(range(2, 25))
SHOWN = (*range(2, 18), 20, 24)
"""Columns of the table, and markers of the figure."""
NAMES = {"W": "W, Wong", "L": "L, Lee and Chang", "F": "F, Fijany and Bejczy", "H": "H, Hwang"}
EARLIER = "simulated, Fijany and Bejczy's, which needs less arithmetic than published, is cheaper from n = 10 on"


def rivals_figure(identifier: str, title: str, column: str, phase: str, claimed: int) -> Exhibit:
    """Curves from the polynomials of Table 4.8, which adds Liu and Young's solver where a scheme has none."""

    curves = {letter: published_us(letter, column, SIZES) for letter in NAMES}
    causes = CAUSES if column == "inertia" else {**CAUSES, **SUM_CAUSES}
    lines = []
    for letter, name in NAMES.items():
        last = [claimed] if letter == "W" else [None]
        shown = published_us(letter, column, SHOWN)
        corrected = [*shown, cheapest_up_to(curves, SIZES)] if letter == "W" else None
        cause = f"{causes.get(letter, '')}; {EARLIER}".removeprefix("; ") if letter == "W" else causes[letter]
        counted = [*more(LU, SHOWN), 0] if letter == "W" and column == "inertia+solver" else None
        source = "the polynomials of Table 4.8"
        lines.append(Line(name, [*shown, *last], cause, corrected, source, counted=counted))

    def compute() -> Computed:
        times = {letter: phase_us(letter, phase, SIZES) for letter in NAMES}
        return {
            name: [*phase_us(letter, phase, SHOWN), cheapest_up_to(times, SIZES) if letter == "W" else None]
            for letter, name in NAMES.items()
        }

    return Exhibit(
        identifier,
        title,
        [*(f"n = {n}" for n in SHOWN), "cheapest up to"],
        lines,
        compute,
        "The curves are the polynomials of Table 4.8; the last column is what section 4.7.5 says of W. Times in us on "
        "`ideal`.",
        partial(draw_curves, sizes=SHOWN, schemes=[LETTERS[letter] for letter in NAMES]),
    )
