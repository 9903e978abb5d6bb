"""Projection by elimination, fixed steps."""

from pathlib import Path

import numpy as np

from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.khan import CONVERGENCE, TORQUES, error_panels
from meshsim.experiments.exhibits.base.loop_figures import draw_panels
from meshsim.experiments.exhibits.base.loops import Run, driven, manipulator, stabilised
from meshsim.experiments.exhibits.khan.fig_4_9 import BROKE, COLUMNS, chosen, singular_sets

TITLE = "The 3-RRR by projection with elimination, fixed steps of 0.01 s"


def runs() -> dict[float, Run]:
    """By sigma."""
    return {sigma: driven("projection", stabilised(sigma), None, 0.01) for sigma in CONVERGENCE}


def compute() -> Computed:
    """What the text says of the figure."""
    return {"the model broke": [float(bool(run.failure)) for run in runs().values()]}


def draw(_: Judgement, path: Path) -> None:
    """Errors."""
    panels = error_panels({f"sigma = {sigma:g}/s": run for sigma, run in runs().items()}, (1e-12, 1e-2))
    draw_panels(TITLE, panels, path, columns=2)


def appendix() -> Appendix:
    """Which sets of independent joints last."""
    found, joints = singular_sets(), manipulator().mechanism.joints
    lasting = {free: worst for free, worst in found.items() if np.isfinite(worst)}
    best = min(lasting, key=lambda free: lasting[free])
    actuated = manipulator().mechanism.actuated

    def row(label: str, free: tuple[int, ...]) -> tuple[str, str, str]:
        return label, ", ".join(joints[j] for j in free), f"{found[free]:.1f}"

    rows = [
        ("sets of three that pass a singular position", str(len(found) - len(lasting)), "-"),
        ("sets that do not", str(len(lasting)), "-"),
        row("the best of them", best),
        row("by elimination with full pivoting", chosen()),
        row("actuated", actuated),
    ]
    return Appendix("Independent joints on the prescribed path", ("", "which", "largest condition number"), rows)


EXHIBIT = Exhibit(
    "khan-fig-4.10",
    TITLE,
    COLUMNS,
    [Line("the model broke", (1, 1, 1, 1), BROKE, yes_no=True)],
    compute,
    TORQUES + "Classical fourth-order steps.",
    draw,
    appendix,
)
