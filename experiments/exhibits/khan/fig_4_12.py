"""DeNOC with adaptive steps."""

from pathlib import Path

from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.khan import HEADS, TORQUES, error_panels, told
from meshsim.experiments.exhibits.base.loop_figures import draw_panels
from meshsim.experiments.exhibits.base.loops import Run, denoc_with_longest_step, driven

TITLE = "The 3-RRR by DeNOC, adaptive steps"
TOLERANCES = (1e-3, 1e-6)
LONGEST = 0.01


def runs() -> dict[float, Run]:
    """By tolerance."""
    return {rtol: driven("denoc", Settings(), rtol) for rtol in TOLERANCES}


def compute() -> Computed:
    """Steps, free and bounded."""
    return {
        "time steps": [None if run.failure else float(run.steps) for run in runs().values()],
        "time steps, none longer than 0.01 s": [float(denoc_with_longest_step(rtol, LONGEST)) for rtol in TOLERANCES],
    }


def draw(_: Judgement, path: Path) -> None:
    """Errors."""
    panels = error_panels({f"tolerance {rtol:g}": run for rtol, run in runs().items()}, (1e-12, 10.0))
    draw_panels(TITLE, panels, path, height=2.5)


def appendix() -> Appendix:
    """In numbers."""
    return Appendix("In numbers", ("tolerance", *HEADS), [told(f"{rtol:g}", run) for rtol, run in runs().items()])


EXHIBIT = Exhibit(
    "khan-fig-4.12",
    TITLE,
    tuple(f"tolerance {rtol:g}" for rtol in TOLERANCES),
    [
        Line(
            "time steps",
            (301, 319),
            "the thesis's count is that of a sample every 0.01 s in 3 s, and hardly depends on the tolerance: its "
            "steps must have been bounded by the samples of the torques. Free steps to 1e-3 let the motion drift by "
            "0.4 rad until, at 2.85 s, it comes to a position in which the actuated joints no longer tell what the "
            "others do",
        ),
        Line(
            "time steps, none longer than 0.01 s",
            (301, 319),
            "the first steps are shorter, and each pair of formulas has its own way to begin",
        ),
    ],
    compute,
    TORQUES + "Dormand and Prince's pair, absolute tolerance 1e-6.",
    draw,
    appendix,
)
