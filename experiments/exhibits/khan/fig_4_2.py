"""Torques of the 3-RRR along its prescribed motion."""

from pathlib import Path

import numpy as np

from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Judgement, Line, number
from meshsim.experiments.exhibits.base.khan import JOINTS
from meshsim.experiments.exhibits.base.loop_figures import Panel, curve, draw_panels
from meshsim.experiments.exhibits.base.loops import driven, largest_error, manipulator, stabilised

TITLE = "Prescribed motion of the 3-RRR, and the torques it takes"
REALISED = "our projection against our inverse dynamics; print has the torques as curves alone"
TIMES = np.linspace(0.0, 3.0, 301)


def compute() -> Computed:
    """Whether the torques make the manipulator move as prescribed."""
    run = driven("projection", stabilised(10.0), None, 0.01)
    return {"the torques realise the motion": [float(largest_error(run) < 1e-3)]}


def draw(_: Judgement, path: Path) -> None:
    """Angles and torques."""
    robot = manipulator()
    wanted, torques = np.array([robot.profile(t)[0] for t in TIMES]), robot.torques(TIMES)
    moved = np.degrees(wanted - wanted[0])
    panels = [
        Panel(
            "actuated joints",
            "time (s)",
            "moved by (deg)",
            [curve(n, TIMES, moved[:, i], i) for i, n in enumerate(JOINTS)],
        ),
        Panel("torques", "time (s)", "torque (N m)", [curve(n, TIMES, torques[:, i], i) for i, n in enumerate(JOINTS)]),
    ]
    draw_panels(TITLE, panels, path, height=2.5)


def appendix() -> Appendix:
    """Extremes of the torques."""
    torques = manipulator().torques(TIMES)
    rows = []
    for i, name in enumerate(JOINTS):
        low, high = torques[:, i].argmin(), torques[:, i].argmax()
        told = (torques[0, i], torques[low, i], TIMES[low], torques[high, i], TIMES[high])
        rows.append((name, *(number(float(each)) for each in told)))
    return Appendix("Torques (N m)", ("joint", "at first", "least", "at (s)", "largest", "at (s)"), rows)


EXHIBIT = Exhibit(
    "khan-fig-4.2",
    TITLE,
    ("answer",),
    [Line("the torques realise the motion", (1,), not_comparable=REALISED, yes_no=True)],
    compute,
    "By projection with steps of 0.01 s the actuated joints stay within 1e-3 rad of the "
    "motion. The torques agree with independent numbers to 1e-8; those in print are in the figure alone. The side "
    "of the base, not in print, is 1 m, which the printed posture implies.",
    draw,
    appendix,
)
