"""Where the platform of the 3-PRR goes."""

from pathlib import Path

import numpy as np

from meshsim.experiments.exhibits.base.courses import POSTURE, Course, extremes, prr
from meshsim.experiments.exhibits.base.exhibit import Appendix, Exhibit, Judgement
from meshsim.experiments.exhibits.base.loop_figures import Panel, curve, draw_panels
from meshsim.experiments.exhibits.base.motions import drawn_only

TITLE = "Path of the 3-PRR's point P, and orientation of its platform"
LINE = drawn_only("path and orientation")
X, Y, TURN = 6, 7, 8


def postures() -> list[tuple[str, Course]]:
    """The one that is taken, and the other."""
    return [("knees as taken", prr(horizontal=False)), ("knees on the other side", prr(horizontal=False, other=True))]


def draw(_: Judgement, path: Path) -> None:
    """P in the plane, and the angle over time."""
    runs = postures()
    paths = [curve(label, 1e3 * run.q[:, X], 1e3 * run.q[:, Y], i) for i, (label, run) in enumerate(runs)]
    turns = [curve(label, run.t, np.degrees(run.q[:, TURN]), i) for i, (label, run) in enumerate(runs)]
    panels = [
        Panel("point P", "x (mm)", "y (mm)", paths),
        Panel("orientation", "time (s)", "angle of G to P (deg)", turns),
    ]
    draw_panels(TITLE, panels, path, columns=2, height=2.8)


def appendix() -> Appendix:
    """Ends and extremes in both postures."""
    rows = []
    for label, run in postures():
        rows.append((f"x, {label} (mm)", run.t, 1e3 * run.q[:, X]))
        rows.append((f"y, {label} (mm)", run.t, 1e3 * run.q[:, Y]))
        rows.append((f"angle, {label} (deg)", run.t, np.degrees(run.q[:, TURN])))
    return extremes("Path and orientation", rows)


EXHIBIT = Exhibit(
    "kordjazi-fig-6",
    TITLE,
    ("value",),
    [LINE],
    lambda: {LINE.label: [None]},
    POSTURE + "Both agree with independent numbers to 1e-8.",
    draw,
    appendix,
)
