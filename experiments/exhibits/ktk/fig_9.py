"""The four-bar with adaptive steps: how many there are."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from meshsim.experiments.exhibits.base.exhibit import OURS, Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.loop_figures import Panel, curve, draw_panels
from meshsim.experiments.exhibits.base.loops import SIGMAS, STIFFNESSES, STUDIED, short, turned

TITLE = "Adaptive steps of the four-bar against k and sigma"
TOLERANCES = (1e-3, 1e-6)
TOLD = ("tolerance 1e-3", "tolerance 1e-6")
NONE = (None,) * len(STIFFNESSES)


def counts(method: str, rtol: float) -> list[int]:
    """Steps with every parameter."""
    parameters = STIFFNESSES if method == "penalty" else SIGMAS
    return [turned(method, each, rtol).steps for each in parameters]


def straightness(x: tuple[float, ...], y: list[int]) -> float:
    """How much of the variation of y is a straight line's."""
    return float(np.corrcoef(x, y)[0, 1] ** 2)


def compute() -> Computed:
    """What the text says of the figure."""

    def grows(rtol: float, least: float) -> list[float | None]:
        found = counts("penalty", rtol)
        return [None, *(float(b > least * a) for a, b in pairwise(found))]

    def rises(rtol: float) -> float:
        return float((np.diff(counts("projection", rtol)) > 0).all())

    def straight(rtol: float) -> float:
        return float(straightness(SIGMAS, counts("projection", rtol)) > 0.95)

    tighter = [float(b > 2 * a) for a, b in zip(counts("penalty", 1e-3), counts("penalty", 1e-6), strict=True)]
    return {
        "more with a larger parameter, tolerance 1e-3": [*grows(1e-3, 1.0), rises(1e-3)],
        "more with a larger parameter, tolerance 1e-6": [*grows(1e-6, 1.0), rises(1e-6)],
        "by half or more for tenfold k, tolerance 1e-3": [*grows(1e-3, 1.5), None],
        "by half or more for tenfold k, tolerance 1e-6": [*grows(1e-6, 1.5), None],
        "in a straight line (R^2 > 0.95), tolerance 1e-3": [*NONE, straight(1e-3)],
        "in a straight line (R^2 > 0.95), tolerance 1e-6": [*NONE, straight(1e-6)],
        "twice as many or more with 1e-6 as with 1e-3": [*tighter, None],
    }


def draw(_: Judgement, path: Path) -> None:
    """A panel for each method, a curve for each tolerance."""
    panels = []
    for method, parameters, label, axes in (
        ("penalty", STIFFNESSES, "k (N/m)", "xy"),
        ("projection", SIGMAS, "sigma (1/s)", ""),
    ):
        curves = []
        for style, rtol in enumerate(TOLERANCES):
            curves.append(curve(f"tolerance {rtol:g}", parameters, counts(method, rtol), style, marked=True))
        panels.append(Panel(method, label, f"steps in {STUDIED:g} s", curves, axes, None))
    draw_panels(TITLE, panels, path, columns=2, height=3.2)


def appendix() -> Appendix:
    """The steps."""
    rows = [(f"{rtol:g}", *map(str, counts("penalty", rtol) + counts("projection", rtol))) for rtol in TOLERANCES]
    heads = (*(f"k = {short(k)}" for k in STIFFNESSES), *(f"sigma = {s:g}" for s in SIGMAS))
    return Appendix(f"Steps in {STUDIED:g} s", ("tolerance", *heads), rows)


DRIFTED = "to 1e-3 there are 600 steps with sigma = 10 and 582 with 20; by then the motion is not the same any more"
EXHIBIT = Exhibit(
    "ktk-fig-9",
    TITLE,
    (*(f"k = {short(k)}" for k in STIFFNESSES), "all sigma"),
    [
        *(
            Line(f"more with a larger parameter, {each}", (None, 1, 1, 1, 1, 1, 1), DRIFTED, yes_no=True)
            for each in TOLD
        ),
        *(
            Line(
                f"by half or more for tenfold k, {each}", (None, 1, 1, 1, 1, 1, None), not_comparable=OURS, yes_no=True
            )
            for each in TOLD
        ),
        *(
            Line(f"in a straight line (R^2 > 0.95), {each}", (*NONE, 1), not_comparable=OURS, yes_no=True)
            for each in TOLD
        ),
        Line(
            "twice as many or more with 1e-6 as with 1e-3", (1, 1, 1, 1, 1, 1, None), not_comparable=OURS, yes_no=True
        ),
    ],
    compute,
    "As counted by the Dormand-Prince pair. The text calls the growth with k, and that with the tolerance, "
    "exponential: so it is against their logarithms, the axis of such plots. Against k itself it is about the square "
    "root, and against the tolerance about the fifth root, by projection no less. The stiffer the spring, the more it "
    "is stability that bounds the step, whatever the tolerance.",
    draw,
    appendix,
)
