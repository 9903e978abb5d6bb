"""How the joints of the five-bar's legs move."""

from pathlib import Path

import numpy as np

from meshsim.algorithms.robots.linkages import FIVE_BAR_BASE
from meshsim.experiments.exhibits.base.courses import extremes
from meshsim.experiments.exhibits.base.exhibit import GIVEN, Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.five_bar import NO_BASE, WAYS, driven
from meshsim.experiments.exhibits.base.loop_figures import Panel, curve, draw_panels
from meshsim.experiments.exhibits.base.motions import drawn_only

TITLE = "Joint angles of the five-bar's legs along eqs 22a and 35"
JOINTS = ("leg 1, crank", "leg 1, arm", "leg 2, crank", "leg 2, arm")


def compute() -> Computed:
    """Where the cranks begin and end, and how long it takes."""
    run = driven(FIVE_BAR_BASE, up=True)
    first, last = np.degrees(run.q[0]).round(9), np.degrees(run.q[-1]).round(9)
    return {
        "at first (deg)": [float(first[0]), None, float(first[2]), None],
        "at last (deg)": [float(last[0]), None, float(last[2]), None],
        "seconds": [float(run.t[-1]), None, float(run.t[-1]), None],
        "angles of the arms": [None] * 4,
    }


def draw(_: Judgement, path: Path) -> None:
    """A panel for each leg."""
    panels = []
    for leg in (0, 1):
        curves = []
        for way, up in WAYS.items():
            run = driven(FIVE_BAR_BASE, up)
            if up:
                curves.append(curve("crank", run.t, np.degrees(run.q[:, 2 * leg]), 0))
            label = f"arm to crank, {way}"
            curves.append(curve(label, run.t, np.degrees(run.q[:, 2 * leg + 1]), 1 if up else 2))
        panels.append(Panel(f"leg {leg + 1}", "time (s)", "angle (deg)", curves))
    draw_panels(f"{TITLE}, a_0 = {FIVE_BAR_BASE:g} m", panels, path, columns=2, height=3.0)


def appendix() -> Appendix:
    """Ends and extremes of all angles, both ways."""
    rows = [
        (f"{name}, {way}", driven(FIVE_BAR_BASE, up).t, np.degrees(driven(FIVE_BAR_BASE, up).q[:, j]))
        for way, up in WAYS.items()
        for j, name in enumerate(JOINTS)
        if up or j in (1, 3)
    ]
    return extremes("Angles (deg): cranks to the x axis, arms to their cranks", rows)


EXHIBIT = Exhibit(
    "saha-fig-12",
    TITLE,
    JOINTS,
    [
        Line("at first (deg)", (30, None, 30, None), not_comparable=GIVEN),
        Line("at last (deg)", (90, None, 70.3, None), not_comparable=GIVEN),
        Line("seconds", (20, None, 20, None), not_comparable=GIVEN),
        drawn_only("angles of the arms", "they depend on a_0, which is not published", columns=len(JOINTS)),
    ],
    compute,
    NO_BASE.strip(),
    draw,
    appendix,
)
