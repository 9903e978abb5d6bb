"""How far the PUMA 600 was from its profile."""

from functools import partial

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.followed import DEGREES, draw_error_curves, extreme
from meshsim.experiments.exhibits.base.motions import followed

TITLE = "Errors of joint 6, puma600, steps of 0.01 s"
RUN = ("puma600", "cycloid:10", 0.01)


def compute() -> Computed:
    """The largest errors of joint 6, and the largest of any joint."""
    run = followed(*RUN)
    errors = [run.errors(what) for what in ("q", "qd", "qdd")]
    return {
        "joint 6": [extreme(each[:, 5]) for each in errors],
        "all joints": [extreme(each) for each in errors],
    }


EXHIBIT = Exhibit(
    "wong-fig-3.6",
    TITLE,
    DEGREES,
    [
        Line("joint 6", (-1e-4, -5e-5, 6e-5), "the thesis prints one digit, read off a plot", tolerance=0.2),
        Line(
            "all joints",
            (-1e-4, -5e-5, 6e-5),
            "joints 3 and 5 are 270 times as far off, which is not similar",
        ),
    ],
    compute,
    "Wanted less actual, the largest with its sign. The text says that all joints behave as joint 6 does.",
    lambda _, path: partial(draw_error_curves, *RUN)(TITLE, path),
)
