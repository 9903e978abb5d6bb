"""Pictures of mechanisms with loops: how well these stay closed, how they stand, and their subsystems."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from meshsim.algorithms.motion.motion import Moved
from meshsim.algorithms.robots.closure import placed
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.loops.subsystems import Group, OrderedLayout
from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.figures.lettering import head, legend_below, panel_title
from meshsim.experiments.figures.motion import WIDTH, frame
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.skeletons import segments

NOTHING = 1e-18
"""Where an error of nothing is drawn."""
RESTART: dict[str, Any] = {"color": "#d55e00", "linewidth": 0.8, "linestyle": ":"}


def draw_gap(moved: Moved, title: str, path: str | Path) -> None:
    """How far loops are from closed, on a logarithmic scale; dotted: where independent rates were chosen anew."""
    assert moved.gap is not None
    figure = Figure(figsize=(WIDTH, 2.8), layout="constrained")
    axes = figure.subplots()
    axes.semilogy(moved.t, np.maximum(moved.gap, NOTHING), color="#000000", linewidth=1.0)
    axes.set_ylabel("constraint error (m, rad)" + ("" if np.all(moved.gap) else f",\n0 at {NOTHING:g}"))
    axes.set_xlabel("time (s)")
    for time in moved.restarts:
        axes.axvline(time, **RESTART)
    axes.grid(color="#dddddd", linewidth=0.5)
    head(figure, title, 12.0)
    if moved.restarts:
        legend_below(figure, [Line2D([], [], label="independent rates are chosen anew", **RESTART)])
    save_figure(figure, path)


def draw_loops(mechanism: Mechanism, moved: Moved, times: Sequence[float], title: str, path: str | Path) -> None:
    """The mechanism at some times, with its loops."""
    t, q = moved.t, moved.q
    rows = [int(np.abs(t - time).argmin()) for time in times]
    across, up, names = _view(mechanism, q[rows])
    poses = [_segments(mechanism, q[row], across, up) for row in rows]
    points = np.vstack([_pivots(mechanism, across, up), *(segment for pose in poses for segment in pose)])
    low, high = points.min(axis=0), points.max(axis=0)
    shape = min(max((high[1] - low[1]) / max(high[0] - low[0], 1e-3), 0.4), 2.5)
    width = max(WIDTH, 1.9 * len(rows))
    figure = Figure(figsize=(width, 1.2 + width / len(rows) * shape), layout="constrained")
    panels = figure.subplots(1, len(rows), sharex=True, sharey=True, squeeze=False)[0]
    for axes, row, pose in zip(panels, rows, poses, strict=True):
        for segment in pose:
            axes.plot(*segment.T, color="#1f4e79", linewidth=1.8, solid_capstyle="round")
        axes.plot(*_pins(mechanism, q[row], across, up).T, linestyle="", marker="o", markersize=4, color="#d55e00")
        axes.plot(*_pivots(mechanism, across, up).T, linestyle="", marker="^", markersize=5, color="#777777")
        axes.set_title(f"t = {t[row]:.3g} s", fontsize=9)
        frame(axes, low, high)
        axes.set_xlabel(f"{names[0]} (m)", fontsize=8)
        axes.tick_params(labelsize=7)
        axes.grid(color="#eeeeee", linewidth=0.5)
    panels[0].set_ylabel(f"{names[1]} (m)", fontsize=8)
    head(figure, f"{title}: dots are the joints that were cut", 10.0)
    save_figure(figure, path)


def _view(mechanism: Mechanism, q: Array) -> tuple[Array, Array, tuple[str, str]]:
    """Two directions that span the view of a mechanism: its plane, or the upright one in which it is widest."""
    if mechanism.plane is not None:
        names = [_axis_name(axis) for axis in (mechanism.plane.x, mechanism.plane.y)]
        return mechanism.plane.x, mechanism.plane.y, (names[0], names[1])
    hinges = np.vstack([[body.x for body in placed(mechanism, row, np.zeros(mechanism.n))[:-1]] for row in q])
    widest = int(np.ptp(hinges[:, :2], axis=0).argmax())
    return np.eye(3)[widest], np.eye(3)[2], ("xy"[widest], "z")


def _axis_name(axis: Array) -> str:
    found = int(np.abs(axis).argmax())
    return "xyz"[found] if abs(abs(axis[found]) - 1.0) < 1e-9 else "along the plane"


def _flat(across: Array, up: Array, point: Array) -> Sequence[float]:
    return float(across @ point), float(up @ point)


def _segments(mechanism: Mechanism, q: Array, across: Array, up: Array) -> list[Array]:
    """The mechanism in the view's plane."""
    return [np.array([_flat(across, up, point) for point in pair]) for pair in segments(mechanism, q)]


def _pins(mechanism: Mechanism, q: Array, across: Array, up: Array) -> Array:
    bodies = placed(mechanism, q, np.zeros(mechanism.n))
    anchors = [cut.first if cut.first.body >= 0 else cut.second for cut in mechanism.cuts]
    points = [bodies[each.body].x + bodies[each.body].R @ np.array(each.position) for each in anchors]
    return np.array([_flat(across, up, point) for point in points])


def _pivots(mechanism: Mechanism, across: Array, up: Array) -> Array:
    """Where bodies turn on the ground."""
    bodies = enumerate(mechanism.bodies)
    hinges = [mechanism.rest[1][i] for i, body in bodies if body.parent < 0 and body.kind == "revolute"]
    return np.array([_flat(across, up, hinge) for hinge in hinges]).reshape(-1, 2)


def draw_subsystems(layout: OrderedLayout, title: str, path: str | Path) -> None:
    """A picture of the order in which subsystems are solved."""
    levels = [group.level for group in layout.groups]
    size = max(WIDTH, 2.6 * (max(levels) + 1)), 0.9 + 1.3 * max(map(levels.count, levels))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    subsystems_on(axes, layout)
    panel_title(axes, f"{title}: subsystems as they become determinate", 10.0)
    save_figure(figure, path)


def subsystems_on(axes: Any, layout: OrderedLayout) -> None:
    """Subsystems from left to right as they become determinate; arrows are forces of cut joints that are handed on."""
    mechanism, groups = layout.mechanism, layout.groups
    levels: dict[int, list[Group]] = {}
    for group in groups:
        levels.setdefault(group.level, []).append(group)
    tallest = max(map(len, levels.values()))
    places: dict[Group, tuple[float, float]] = {}
    for level, some in levels.items():
        for row, group in enumerate(some):
            places[group] = level, (len(some) - 1) / 2 - row
            bodies = [mechanism.bodies[i].name for k in group.chains for i in mechanism.subsystems[k]]
            driven = [mechanism.joints[j] for j in mechanism.actuated if mechanism.subsystem_of(j) in group.chains]
            finds = [f"forces of {mechanism.cuts[cut].name}" for cut in group.cuts]
            finds += [f"torque of {joint}" for joint in driven]
            text = "\n".join([*_lines(bodies), "finds", *finds])
            box = {"boxstyle": "round,pad=0.5", "facecolor": "#e8f0f8", "edgecolor": "#1f4e79"}
            axes.text(*places[group], text, ha="center", va="center", fontsize=8, bbox=box, parse_math=False)
    for group in groups:
        for source in (other for other in groups if set(other.cuts) & set(group.told)):
            (x0, y0), (x1, y1) = places[source], places[group]
            names = ", ".join(mechanism.cuts[cut].name for cut in group.told if cut in source.cuts)
            arrow = {"arrowstyle": "-|>", "color": "#d55e00", "shrinkA": 50, "shrinkB": 50}
            axes.annotate("", (x1, y1), (x0, y0), arrowprops=arrow)
            axes.text((x0 + x1) / 2, (y0 + y1) / 2 + 0.08, names, ha="center", fontsize=8, color="#d55e00")
    axes.set_xlim(-0.6, len(levels) - 0.4)
    axes.set_ylim(-tallest / 2, tallest / 2)
    axes.set_axis_off()


def _lines(names: Sequence[str]) -> list[str]:
    """Names, three to a line."""
    return [", ".join(names[i : i + 3]) for i in range(0, len(names), 3)]
