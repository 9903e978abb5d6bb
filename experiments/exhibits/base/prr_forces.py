"""Forces of the 3-PRR's motors, upright and lying."""

from pathlib import Path

import numpy as np

from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.exhibits.base.courses import INERTIAS, POSTURE, PRINTED_SCALE, extremes, prr
from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.loop_figures import Panel, curve, draw_panels
from meshsim.experiments.exhibits.base.motions import drawn_only
from meshsim.experiments.exhibits.kordjazi.fig_5 import MOTORS

CLOSE = 1e-3
"""Of the largest force: what cannot be distinguished in a figure."""
FOLLOWS, CURVES = "NOC follows another program", "forces (N)"


def changed(horizontal: bool) -> Array:
    """By how much forces change if moments of inertia are as printed."""
    found: Array = prr(horizontal, scale=PRINTED_SCALE).torques - prr(horizontal).torques
    return found


def forces_figure(identifier: str, how: str, horizontal: bool) -> Exhibit:
    """The exhibit of one plane of motion."""
    title = f"Forces of the 3-PRR's motors, {how}"
    share = ", more than half of what motor 3 takes at that time" if horizontal else ""

    def compute() -> Computed:
        run = prr(horizontal)
        close = run.difference < CLOSE * np.abs(run.dense).max(axis=0)
        return {FOLLOWS: close.astype(float).tolist(), CURVES: [None] * len(MOTORS)}

    def draw(_: Judgement, path: Path) -> None:
        run, changes = prr(horizontal), changed(horizontal)
        forces = [curve(name, run.t, run.torques[:, i], i) for i, name in enumerate(MOTORS)]
        less = [curve(name, run.t, changes[:, i], i) for i, name in enumerate(MOTORS)]
        panels = [
            Panel("forces", "time (s)", "force (N)", forces),
            Panel("change if moments of inertia were as printed", "time (s)", "change (N)", less),
        ]
        draw_panels(title, panels, path, height=2.4)

    def appendix() -> Appendix:
        run, other, changes = prr(horizontal), prr(horizontal, other=True), changed(horizontal)
        rows = [(name, run.t, run.torques[:, i]) for i, name in enumerate(MOTORS)]
        rows += [(f"{name}, change with inertias as printed", run.t, changes[:, i]) for i, name in enumerate(MOTORS)]
        rows += [(f"{name}, knees on the other side", run.t, other.torques[:, i]) for i, name in enumerate(MOTORS)]
        return extremes("Computed forces (N)", rows)

    return Exhibit(
        identifier,
        title,
        MOTORS,
        [
            Line(FOLLOWS, (1, 1, 1), not_comparable="our NOC against our dense solver", yes_no=True),
            drawn_only(CURVES, columns=len(MOTORS)),
        ],
        compute,
        "Yes: no further from a dense solver's force than a thousandth of the largest. (The paper has two "
        'programs for simulation in its place: "all results closely follow each other".) The difference is below '
        "1e-12 N, and both agree with independent numbers to 1e-8. "
        + INERTIAS
        + f"That changes forces by no more than 0.13 N{share}. "
        + POSTURE.strip(),
        draw,
        appendix,
    )
