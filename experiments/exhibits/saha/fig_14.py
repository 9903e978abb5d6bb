"""The five-bar's free fall, up to where it is singular."""

from pathlib import Path

import numpy as np

from meshsim.algorithms.robots.linkages import FIVE_BAR_BASE
from meshsim.experiments.exhibits.base.exhibit import GIVEN, Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.five_bar import LONGEST, NO_BASE, WAYS, fall
from meshsim.experiments.exhibits.base.loop_figures import Panel, curve, draw_panels

TITLE = "Free fall of the five-bar"
BASES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.16, 1.2, 1.25, 1.3, 1.35, 1.4, 1.5)
ABOUT = 0.1
"""Seconds: what "about 1.4" is taken to leave open."""
STOPS = 1.4


def compute() -> Computed:
    """Where it starts, when it stops, and why."""
    falls = [fall(FIVE_BAR_BASE, up) for up in WAYS.values()]
    starts = [np.degrees(each.q[0]).round(9) for each in falls]
    return {
        "crank of leg 1 at first (deg)": [float(start[0]) for start in starts],
        "crank of leg 2 at first (deg)": [float(start[2]) for start in starts],
        "stops at a singular position": [float("singular position" in each.why) for each in falls],
        "stops at (s)": [None if each.stopped is None else round(each.stopped, 4) for each in falls],
    }


def draw(_: Judgement, path: Path) -> None:
    """Angles of the cranks, a panel for each way; and where DeNOC stops, what the mechanism goes on to do."""
    panels = []
    for way, up in WAYS.items():
        found, on = fall(FIVE_BAR_BASE, up), fall(FIVE_BAR_BASE, up, "multipliers")
        assert found.stopped is not None
        later = (on.t >= found.stopped) & (on.t <= 2.0)
        curves = []
        for leg in (0, 1):
            before, after = np.degrees(found.q[:, 2 * leg]), np.degrees(on.q[later, 2 * leg])
            curves.append(curve(f"leg {leg + 1}, DeNOC", found.t, before, leg))
            curves.append(curve(f"leg {leg + 1}, on by multipliers", on.t[later], after, leg + 4))
        panels.append(
            Panel(
                f"{way}: stops at {found.stopped:.3f} s",
                "time (s)",
                "angle of the crank (deg)",
                curves,
                marks=[("x", STOPS)],
            )
        )
    draw_panels(f"{TITLE}, a_0 = {FIVE_BAR_BASE:g} m", panels, path, columns=2, height=3.0)


def appendix() -> Appendix:
    """When it stops, by base and way."""
    rows = []
    for base in BASES:
        times = [fall(base, up).stopped for up in WAYS.values()]
        told = ["-" if t is None else f"{t:.3f}{' *' if abs(t - STOPS) <= ABOUT else ''}" for t in times]
        rows.append((f"{base:g}", *told))
    title = f"When free fall comes to a singular position (s); *: about {STOPS:g} s, -: not within {LONGEST:g} s"
    return Appendix(title, ("a_0 (m)", *WAYS), rows)


EXHIBIT = Exhibit(
    "saha-fig-14",
    TITLE,
    tuple(f"a_0 = {FIVE_BAR_BASE:g} m, {way}" for way in WAYS),
    [
        Line("crank of leg 1 at first (deg)", (80, 80), not_comparable=GIVEN),
        Line("crank of leg 2 at first (deg)", (70, 70), not_comparable=GIVEN),
        Line("stops at a singular position", (1, 1), yes_no=True),
        Line(
            "stops at (s)",
            (STOPS, STOPS),
            not_comparable="the time depends on a_0 and on the assembly mode of the arms, which are not published; the "
            "table has several of both that stop after about 1.4 s, so that the time does not determine them",
        ),
    ],
    compute,
    NO_BASE + "By DeNOC with adaptive steps, which rests on the cranks' rates: it stops where both arms are in one "
    "line, and the cranks no longer tell what the arms do. The mechanism itself goes on: by multipliers, which rest on "
    "no choice of joints, it passes.",
    draw,
    appendix,
)
