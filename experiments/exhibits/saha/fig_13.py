"""What drives the five-bar."""

from pathlib import Path

from meshsim.algorithms.robots.linkages import FIVE_BAR_BASE
from meshsim.experiments.exhibits.base.courses import extremes
from meshsim.experiments.exhibits.base.exhibit import Appendix, Exhibit, Judgement
from meshsim.experiments.exhibits.base.five_bar import NO_BASE, WAYS, driven
from meshsim.experiments.exhibits.base.loop_figures import Panel, curve, draw_panels
from meshsim.experiments.exhibits.base.motions import drawn_only

TITLE = "Torques of the five-bar along eqs 22a and 35"
BASES = (0.4, 0.8, FIVE_BAR_BASE)
LINE = drawn_only("torque curves", "they depend on a_0, which is not published")


def draw(_: Judgement, path: Path) -> None:
    """A panel for each torque and each way; a curve for each base."""
    panels = []
    for way, up in WAYS.items():
        for leg in (0, 1):
            curves = [
                curve(f"a_0 = {base:g} m", driven(base, up).t, driven(base, up).torques[:, leg], i)
                for i, base in enumerate(reversed(BASES))
            ]
            panels.append(Panel(f"leg {leg + 1}, {way}", "time (s)", "torque (N m)", curves))
    draw_panels(TITLE, panels, path, columns=2)


def appendix() -> Appendix:
    """Ends and extremes."""
    rows = [
        (f"leg {leg + 1}, a_0 = {base:g} m, {way}", driven(base, up).t, driven(base, up).torques[:, leg])
        for way, up in WAYS.items()
        for base in BASES
        for leg in (0, 1)
    ]
    return extremes("Torques (N m)", rows)


EXHIBIT = Exhibit(
    "saha-fig-13",
    TITLE,
    ("value",),
    [LINE],
    lambda: {LINE.label: [None]},
    NO_BASE + "By DeNOC, legs and the platform's twist; for each a_0 they agree with independent numbers to 1e-8.",
    draw,
    appendix,
)
