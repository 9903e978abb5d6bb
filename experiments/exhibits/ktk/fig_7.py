"""Projection of the four-bar with adaptive steps: how far the loop opens."""

from pathlib import Path

from meshsim.experiments.exhibits.base.exhibit import OURS, Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.loop_figures import Panel, curve, draw_panels
from meshsim.experiments.exhibits.base.loops import SIGMAS, turned

TITLE = "Constraint error of the four-bar by projection, adaptive steps"
TOLERANCES = (1e-3, 1e-6)


def largest(rtol: float) -> list[float]:
    """The largest constraint error with each sigma."""
    return [float(turned("projection", sigma, rtol).c.max()) for sigma in SIGMAS]


def compute() -> Computed:
    """What the text says of the figure."""
    found = {rtol: largest(rtol) for rtol in TOLERANCES}
    return {
        "the same with every sigma (within a factor of 10)": [
            float(max(each) < 10 * min(each)) for each in found.values()
        ],
        "like the tolerance (within a factor of 10)": [
            float(all(rtol / 10 < value < rtol * 10 for value in each)) for rtol, each in found.items()
        ],
    }


def draw(_: Judgement, path: Path) -> None:
    """A panel for each tolerance, a curve for each sigma."""
    panels = []
    for rtol in TOLERANCES:
        runs = [turned("projection", sigma, rtol) for sigma in SIGMAS]
        curves = [
            curve(f"sigma = {sigma:g}/s", run.t[1:], run.c[1:], style)
            for style, (sigma, run) in enumerate(zip(SIGMAS, runs, strict=True))
        ]
        panels.append(
            Panel(
                f"tolerance {rtol:g}", "time (s)", "constraint error (m)", curves, "y", (rtol / 1e8, 1), [("y", rtol)]
            )
        )
    draw_panels(TITLE, panels, path, height=2.6)


def appendix() -> Appendix:
    """The largest errors."""
    rows = [(f"{rtol:g}", *(f"{each:.2e}" for each in largest(rtol))) for rtol in TOLERANCES]
    return Appendix("Largest constraint error (m)", ("tolerance", *(f"sigma = {sigma:g}/s" for sigma in SIGMAS)), rows)


EXHIBIT = Exhibit(
    "ktk-fig-7",
    TITLE,
    tuple(f"tolerance {rtol:g}" for rtol in TOLERANCES),
    [
        Line("the same with every sigma (within a factor of 10)", (1, 1), not_comparable=OURS, yes_no=True),
        Line(
            "like the tolerance (within a factor of 10)",
            (1, 1),
            not_comparable=f"{OURS}. A relative tolerance allows the crank an error in proportion to its angle",
            yes_no=True,
        ),
    ],
    compute,
    "Dormand and Prince's pair with an absolute tolerance of 1e-6.",
    draw,
    appendix,
)
