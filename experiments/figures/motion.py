"""Pictures of motion: positions, torques, errors, hydraulics, and the mechanism's skeleton at chosen times."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from meshsim.algorithms.motion.motion import Moved
from meshsim.algorithms.motion.profiles import driven_joints
from meshsim.algorithms.robots.kinematics import skeleton
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.figures.axes import label_columns
from meshsim.experiments.figures.lettering import head, legend_below, panel_title, wrapped
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.styles import coinciding, interleaved, series, spaced

WIDTH = 7.0
"""Inches: a printed page's, so that letters keep their size."""
MOST_PANELS = 12
"""Joints that get a panel of their own; the title says how many are left out."""


NOTHING = 1e-9
"""Degrees or metres below which a motion is rounding."""
NARROWEST = 0.4
"""A skeleton's panel is at least so wide, as a share of its height, and at least so high, as a share of its width."""
MOST_TOLD = 4
"""Lines over a legend."""
MOST_LISTED = 6
"""Names that are all told where curves lie on one another."""


def units_of(mechanism: Mechanism) -> tuple[Array, list[str], list[str]]:
    """What to multiply positions with for print, the unit they have then, and that of forces, joint by joint."""
    slides = [mechanism.bodies[i].kind == "prismatic" for i in mechanism.freedoms]
    factors = np.where(slides, 1.0, 180.0 / np.pi)
    return factors, ["m" if each else "deg" for each in slides], ["N" if each else "N m" for each in slides]


def draw_positions(
    mechanism: Mechanism, moved: Moved, title: str, path: str | Path, wanted: Array | None = None
) -> None:
    """Positions, rates and, where known, accelerations; dots are what was wanted. Joints that slide go by the right."""
    factors, units, _ = units_of(mechanism)
    kinds = list(dict.fromkeys(units))
    labels = [
        joint + (" (right)" if unit != kinds[0] else "") for joint, unit in zip(mechanism.joints, units, strict=True)
    ]
    rows = [(moved.q, "position", "{}"), (moved.qd, "rate", "{}/s"), (moved.qdd, "acceleration", "{}/s²")]
    rows = [row for row in rows if not np.isnan(row[0]).all()]
    figure = Figure(figsize=(WIDTH, 2.4 * len(rows)), layout="constrained")
    panels = figure.subplots(len(rows), 1, sharex=True)
    together: dict[tuple[int, ...], None] = {}  # an ordered set
    for row, (left, (values, what, form)) in enumerate(zip(panels, rows, strict=True)):
        sides = {kinds[0]: left} | {unit: left.twinx() for unit in kinds[1:]}
        for unit, axes in sides.items():
            axes.set_ylabel(f"{what} ({form.format(unit)})")
            mine = [i for i, each in enumerate(units) if each == unit]
            curves = [values[:, i] * factors[i] for i in mine]
            plot_curves(axes, moved.t, curves, mine, len(units))
            if np.nanmax(np.abs(curves)) < NOTHING:
                axes.set_ylim(-1.0, 1.0)  # or rounding would fill the panel
            together |= {tuple(mine[place] for place in group): None for group in coinciding(curves)}
            if wanted is not None and row == 0:
                every = max(1, len(moved.t) // 40)
                dots = {"linestyle": "", "marker": ".", "markersize": 3, "color": "#888888"}
                axes.plot(moved.t[::every], wanted[::every][:, mine] * factors[mine], **dots)
        left.grid(color="#dddddd", linewidth=0.5)
    panels[-1].set_xlabel("time (s)")
    head(figure, title, 12.0)
    told = ["joints; small dots: wanted"] if wanted is not None else []
    told += ["on one another: " + _listed([mechanism.joints[i] for i in group]) for group in together]
    lines = [Line2D([], [], label=label, markersize=4, **series(i).line()) for i, label in enumerate(labels)]
    legend_below(figure, lines, "\n".join(told[:MOST_TOLD]), most=6)
    save_figure(figure, path)


def plot_curves(axes: Any, t: Array, curves: Sequence[Array], numbers: Sequence[int], count: int) -> None:
    """Draw curves of joints, told apart by colour, dash and marker; dashes of those that look like one take turns."""
    dashes = interleaved(curves)
    for place, (number, curve) in enumerate(zip(numbers, curves, strict=True)):
        look = series(number).line()
        look["linestyle"] = dashes.get(place, look["linestyle"])
        axes.plot(t, curve, linewidth=1.2, markersize=4, markevery=spaced(number, count, len(t)), **look)


def _listed(names: Sequence[str]) -> str:
    """Names in a row; of many, the first and the last."""
    return ", ".join(names) if len(names) <= MOST_LISTED else f"{names[0]}, {names[1]}, ..., {names[-1]}"


def draw_by_joint(
    names: Sequence[str],
    t: Array,
    curves: Sequence[tuple[str, Array]],
    units: Sequence[str],
    what: str,
    title: str,
    path: str | Path,
) -> None:
    """A panel for each joint, with one or more curves in each; a curve has a column for each joint."""
    shown = range(min(len(names), MOST_PANELS))
    columns = 2 if len(shown) > 1 else 1
    rows = -(-len(shown) // columns)
    figure = Figure(figsize=(WIDTH, 1.2 + 1.75 * rows), layout="constrained")
    panels = figure.subplots(rows, columns, sharex=True, squeeze=False)
    for i in shown:
        axes = panels[i // columns, i % columns]
        if len(curves) > 1:
            plot_curves(axes, t, [values[:, i] for _, values in curves], range(len(curves)), len(curves))
        else:
            axes.plot(t, curves[0][1][:, i], color="black", linewidth=1.1)
        panel_title(axes, names[i])
        axes.set_ylabel(f"{'force' if units[i] == 'N' else what} ({units[i]})", fontsize=8)
        axes.tick_params(labelsize=8)
        axes.grid(color="#dddddd", linewidth=0.5)
        axes.ticklabel_format(axis="y", scilimits=(-3, 4))
    for axes in panels.flat[len(shown) :]:
        axes.set_visible(False)
    label_columns(panels, len(shown), "time (s)")
    more = len(names) - len(shown)
    head(figure, title + (f" (the first {len(shown)} of {len(names)} joints)" if more else ""), 12.0)
    if len(curves) > 1:
        named = enumerate(label for label, _ in curves)
        legend_below(figure, [Line2D([], [], label=label, markersize=4, **series(i).line()) for i, label in named])
    save_figure(figure, path)


def draw_torques(mechanism: Mechanism, moved: Moved, title: str, path: str | Path) -> None:
    """What drives each joint that is driven."""
    _, _, forces = units_of(mechanism)
    driven = list(driven_joints(mechanism))
    names, units = [mechanism.joints[j] for j in driven], [forces[j] for j in driven]
    draw_by_joint(names, moved.t, [("torque", moved.tau[:, driven])], units, "torque", title, path)


def draw_errors(mechanism: Mechanism, moved: Moved, wanted: Array, title: str, path: str | Path) -> None:
    """How far each joint is from where it was wanted."""
    factors, units, _ = units_of(mechanism)
    errors = (wanted - moved.q) * factors
    draw_by_joint(mechanism.joints, moved.t, [("error", errors)], units, "error", title, path)


def draw_hydraulics(mechanism: Mechanism, moved: Moved, title: str, path: str | Path) -> None:
    """Pressures and spool openings of each actuator."""
    assert moved.pressures is not None
    assert moved.commands is not None
    names = mechanism.joints
    figure = Figure(figsize=(WIDTH, 1.2 + 1.7 * len(names)), layout="constrained")
    panels = figure.subplots(len(names), 2, sharex=True, squeeze=False)
    for i, name in enumerate(names):
        left, right = panels[i]
        left.plot(moved.t, moved.pressures[:, i, 0], label="inlet", linewidth=1.1, **series(0).stroke())
        left.plot(moved.t, moved.pressures[:, i, 1], label="outlet", linewidth=1.1, **series(1).stroke())
        left.set_ylabel(wrapped(f"{name}: pressure (psi)", 1.5, 8.0), fontsize=8)
        right.plot(moved.t, moved.commands[:, i], linewidth=1.1, color="black")
        right.set_ylabel("spool (cm)", fontsize=8)
        for axes in (left, right):
            axes.grid(color="#dddddd", linewidth=0.5)
            axes.tick_params(labelsize=8)
    for axes in panels[-1]:
        axes.set_xlabel("time (s)", fontsize=9)
    head(figure, title, 12.0)
    legend_below(figure, panels[0, 0].lines)
    save_figure(figure, path)


def draw_strip(mechanism: Mechanism, moved: Moved, times: Sequence[float], title: str, path: str | Path) -> None:
    """The mechanism's skeleton at some times, seen along the horizontal axis in which it is least wide."""
    rows = [int(np.abs(moved.t - time).argmin()) for time in times]
    poses = [skeleton(mechanism, moved.q[row]) for row in rows]
    points = np.vstack([np.zeros((1, 3)), *(np.vstack(pose) for pose in poses)])
    low, high = points.min(axis=0), points.max(axis=0)
    across = int((high - low)[:2].argmax())
    width = max(WIDTH, 1.9 * len(rows))
    shape = (high[2] - low[2]) / max(high[across] - low[across], 1e-3)  # of a panel, within reason
    height = 1.2 + 0.85 * width / len(rows) * min(max(shape, 0.3), 2.5)
    figure = Figure(figsize=(width, height), layout="constrained")
    panels = figure.subplots(1, len(rows), sharex=True, sharey=True, squeeze=False)[0]
    for axes, row, (hinges, centres) in zip(panels, rows, poses, strict=True):
        _draw_pose(axes, mechanism, hinges[:, [across, 2]], centres[:, [across, 2]])
        axes.set_title(f"t = {moved.t[row]:g} s", fontsize=9)
        frame(axes, low[[across, 2]], high[[across, 2]])
        axes.set_xlabel(f"{'xy'[across]} (m)", fontsize=8)
        axes.tick_params(labelsize=7)
    panels[0].set_ylabel("z (m)", fontsize=8)
    head(figure, f"{title}: hinges (rings), centres of mass (dots)", 10.0)
    save_figure(figure, path)


def frame(axes: Any, low: Array, high: Array) -> None:
    """As far as a mechanism goes in any panel, with a margin; neither very narrow nor very flat."""
    most = max(float((high - low).max()), 1e-3)
    aside = 0.08 * most + np.maximum(NARROWEST * most - (high - low), 0.0) / 2
    axes.set_aspect("equal")
    axes.set_xlim(low[0] - aside[0], high[0] + aside[0])
    axes.set_ylim(low[1] - aside[1], high[1] + aside[1])
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4 if axis is axes.yaxis else 3))


def _draw_pose(axes: Any, mechanism: Mechanism, hinges: Array, centres: Array) -> None:
    carrying = {body.parent for body in mechanism.bodies}
    for i, body in enumerate(mechanism.bodies):
        start = hinges[body.parent] if body.parent >= 0 else np.zeros(2)
        axes.plot(*np.array([start, hinges[i]]).T, color="#1f4e79", linewidth=2.0, solid_capstyle="round")
        if i not in carrying:  # an end: its own length is not known, so draw it to its centre of mass
            axes.plot(*np.array([hinges[i], centres[i]]).T, color="#1f4e79", linewidth=2.0)
    axes.plot(*hinges.T, linestyle="", marker="o", markersize=3.5, markerfacecolor="white", color="#1f4e79")
    heavy = [i for i, body in enumerate(mechanism.bodies) if body.mass > 0]
    axes.plot(*centres[heavy].T, linestyle="", marker=".", markersize=3, color="#d55e00")
    axes.plot(0.0, 0.0, marker="^", markersize=6, color="#777777")
    axes.grid(color="#eeeeee", linewidth=0.5)
