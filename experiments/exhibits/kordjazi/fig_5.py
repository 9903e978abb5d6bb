"""The accelerations that the motors of the 3-PRR are given."""

from pathlib import Path

import numpy as np

from meshsim.experiments.exhibits.base.courses import extremes, prr
from meshsim.experiments.exhibits.base.exhibit import GIVEN, Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.loop_figures import Panel, curve, draw_panels

TITLE = "Accelerations of the 3-PRR's motors"
EARLY = 25
"""The sample after a quarter of a second, before any sine reaches its maximum."""
MOTORS = ("motor 1", "motor 2", "motor 3")


def compute() -> Computed:
    """What the motion is, read off its samples."""
    run = prr(horizontal=False)
    driven = list(run.mechanism.actuated)
    once, twice = run.qdd[EARLY, driven], run.qdd[2 * EARLY, driven]
    phase = np.arccos(twice / (2.0 * once))  # sin 2x = 2 sin x cos x
    return {
        "amplitude (m/s^2)": (once / np.sin(phase)).round(9).tolist(),
        "angular frequency (rad/s)": (phase / run.t[EARLY]).round(9).tolist(),
        "position at the start (m)": run.q[0, driven].round(9).tolist(),
        "rate at the start (m/s)": run.qd[0, driven].tolist(),
    }


def draw(_: Judgement, path: Path) -> None:
    """One panel."""
    run = prr(horizontal=False)
    curves = [
        curve(name, run.t, run.qdd[:, j], i)
        for i, (name, j) in enumerate(zip(MOTORS, run.mechanism.actuated, strict=True))
    ]
    draw_panels(TITLE, [Panel("", "time (s)", "acceleration (m/s²)", curves)], path, height=2.8)


def appendix() -> Appendix:
    """How far the motors go."""
    run = prr(horizontal=False)
    curves = [(name, run.t, run.q[:, j]) for name, j in zip(MOTORS, run.mechanism.actuated, strict=True)]
    return extremes("Positions of the motors (m)", curves)


EXHIBIT = Exhibit(
    "kordjazi-fig-5",
    TITLE,
    MOTORS,
    [
        Line("amplitude (m/s^2)", (1, 1, 0.5), not_comparable=GIVEN),
        Line("angular frequency (rad/s)", (3, 2, 3), not_comparable=GIVEN),
        Line("position at the start (m)", (0.1595, 0.1595, 0.1595), not_comparable=GIVEN),
        Line("rate at the start (m/s)", (0, 0, 0), not_comparable=GIVEN),
    ],
    compute,
    "Eqs 37 and 38, which are given: amplitude and frequency are read off the computed motion at a quarter and at half "
    "of its second.",
    draw,
    appendix,
)
