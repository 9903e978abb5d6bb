"""The torso's motion becomes unstable after some seconds."""

from pathlib import Path

import numpy as np

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.loop_figures import Panel, curve, draw_panels
from meshsim.experiments.exhibits.base.motions import Followed, first_loss, followed

TITLE = "Errors of the torso beyond its profile of 5 s, steps of 0.001 s"
ABOUT = 5.0
LIMITS = (0.001, 0.01, 0.1, 1.0)
"""Errors that may be noticed, in rad."""


def run() -> Followed:
    """The torso along its profile, and on where that ends."""
    return followed("torso", "cycloid:5", 0.001, 6.5)


def compute() -> Computed:
    """When some joint is so far from its profile."""
    return {"unstable after (s)": [first_loss(run(), limit) for limit in LIMITS]}


def draw(_: Judgement, path: Path) -> None:
    """The errors of all joints, and when print has them grow."""
    moved = run()
    errors = np.radians(np.abs(moved.errors("q")))
    curves = [curve(name, moved.moved.t[1:], errors[1:, i], i) for i, name in enumerate(moved.mechanism.joints)]
    panel = Panel("", "time (s)", "error (rad)", curves, "y", (1e-14, 10.0), marks=(("x", ABOUT),))
    draw_panels(TITLE, [panel], path, height=3.4)


EXHIBIT = Exhibit(
    "wong-sec-3.5.2",
    TITLE,
    [f"error above {limit:g} rad" for limit in LIMITS],
    [
        Line(
            "unstable after (s)",
            (ABOUT,) * len(LIMITS),
            "print says approximately 5 seconds, a whole second; after how many an instability is noticed hangs on the "
            "error that is, so that several are shown: it grows tenfold in 0.4 s",
            tolerance=0.5 / ABOUT,
        )
    ],
    compute,
    "The text: the torso was simulated correctly, although instability occurred when simulating long periods of time "
    "(approximately 5 seconds). Open-loop torques of inverse dynamics; after 5 s the profile stands still. Steps half "
    "as long put it off by half a second.",
    draw,
)
