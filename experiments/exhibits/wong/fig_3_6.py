"""How far the PUMA 600 was from its profile."""

from functools import partial

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.followed import DEGREES, draw_error_curves, extreme
from meshsim.experiments.exhibits.base.motions import followed

TITLE = "Errors of joint 6, puma600, steps of 0.01 s"
RUN = ("puma600", "cycloid:10", 0.01)


def compute() -> Computed:
    """The largest errors of joint 6."""
    run = followed(*RUN)
    return {"joint 6": [extreme(run.errors(what)[:, 5]) for what in ("q", "qd", "qdd")]}


EXHIBIT = Exhibit(
    "wong-fig-3.6",
    TITLE,
    DEGREES,
    [
        Line(
            "joint 6",
            (-1e-4, -5e-5, 6e-5),
            "print has one digit, half of which may be rounded away",
            tolerance=(1 / 2, 1 / 10, 1 / 12),
        )
    ],
    compute,
    "Wanted less actual, the largest with its sign. No error of another joint is in print.",
    lambda _, path: partial(draw_error_curves, *RUN)(TITLE, path),
)
