"""DeNOC with fixed steps."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Judgement, Line, number
from meshsim.experiments.exhibits.base.khan import TORQUES, error_panels
from meshsim.experiments.exhibits.base.loop_figures import draw_panels
from meshsim.experiments.exhibits.base.loops import Run, driven, growth_rates, manipulator

TITLE = "The 3-RRR by DeNOC, fixed steps"
STEPS = (0.01, 0.001)
MOMENTS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)


def runs() -> dict[float, Run]:
    """By step."""
    return {h: driven("denoc", Settings(), None, h) for h in STEPS}


def error_at(run: Run, time: float) -> float:
    """The largest of the actuated joints then."""
    i = int(np.abs(run.t - time).argmin())
    return float(np.abs(manipulator().errors(run.t[i : i + 1], run.q[i : i + 1])).max())


def compute() -> Computed:
    """Whether errors grow, and how fast they would."""
    grow = [
        float(all(error_at(run, later) > error_at(run, sooner) for sooner, later in pairwise(MOMENTS)))
        for run in runs().values()
    ]
    return {
        "errors grow in every half second": grow,
        "rate of growth (1/s)": [round(growth_rates()[0.0], 3)] * len(STEPS),
    }


def draw(_: Judgement, path: Path) -> None:
    """Errors."""
    panels = error_panels({f"steps of {h:g} s": run for h, run in runs().items()}, (1e-14, 1e-2))
    draw_panels(TITLE, panels, path, height=2.5)


def appendix() -> Appendix:
    """Errors, and the largest real part of the eigenvalues of the motion's linearisation."""
    rows = [
        (number(time), *(f"{error_at(run, time):.1e}" for run in runs().values()), f"{growth_rates()[time]:.2f}")
        for time in MOMENTS
    ]
    heads = ("time (s)", *(f"error (rad), steps of {h:g} s" for h in STEPS), "rate of growth (1/s)")
    return Appendix("In numbers", heads, rows)


EXHIBIT = Exhibit(
    "khan-fig-4.13",
    TITLE,
    tuple(f"steps of {h:g} s" for h in STEPS),
    [
        Line("errors grow in every half second", (1, 1), yes_no=True),
        Line(
            "rate of growth (1/s)",
            (0, 0),
            "the thesis lays it to an eigenvalue of zero, from constraints on velocities alone; but the loops stay "
            "closed to 1e-10 m, and the manipulator is an inverted pendulum: under given torques its motion has an "
            "eigenvalue of about +5/s, so that errors grow at this rate even if the equations are solved exactly",
        ),
    ],
    compute,
    TORQUES + "The rate of growth is the largest real part of the eigenvalues at the start.",
    draw,
    appendix,
)
