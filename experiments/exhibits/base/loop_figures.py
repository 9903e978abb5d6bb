"""Figures of closed mechanisms: panels of curves over time or over a parameter."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.figures.styles import interleaved, series, spaced

MOST = 1500
"""Points of a curve that are drawn; of more, the largest of each group."""
FLOOR = 1e-17
"""What a logarithmic axis shows in place of nothing."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve; `style` picks its colour and dash, `marked` shows its points."""

    label: str
    x: Array
    y: Array
    style: int
    marked: bool = False


@dataclass(frozen=True, eq=False)
class Panel:
    """Axes with curves; `logarithmic` names the axes that are, `marks` have what print gives, at an x or a y."""

    title: str
    xlabel: str
    ylabel: str
    curves: Sequence[Curve]
    logarithmic: str = ""
    limits: tuple[float, float] | None = None
    marks: Sequence[tuple[str, float]] = ()


def curve(
    label: str, x: Sequence[float] | Array, y: Sequence[float] | Array, style: int, marked: bool = False
) -> Curve:
    """A curve from numbers."""
    return Curve(label, np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64), style, marked)


def draw_panels(title: str, panels: Sequence[Panel], path: Path, columns: int = 1, height: float = 2.1) -> None:
    """Draw panels, with one legend below for all labels."""
    from matplotlib.figure import Figure

    from meshsim.experiments.figures.lettering import head, legend_below, panel_title
    from meshsim.experiments.figures.motion import WIDTH
    from meshsim.experiments.figures.saving import save_figure

    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(WIDTH, 1.0 + height * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    handles: dict[str, Any] = {}
    for axes, panel in zip(grid.flat, panels, strict=False):
        handles |= {label: line for label, line in _plot(axes, panel).items() if label not in handles}
        for axis, value in panel.marks:
            draw = axes.axvline if axis == "x" else axes.axhline
            line = draw(value, color="#000000", linewidth=1.4, linestyle=(0, (1, 1.5)), label="in print")
            handles.setdefault("in print", line)
        if "x" in panel.logarithmic:
            axes.set_xscale("log")
            if all(each.marked for each in panel.curves):
                points = sorted({float(x) for each in panel.curves for x in each.x})
                axes.set_xticks(points, [_power(x) for x in points])
        if "y" in panel.logarithmic:
            axes.set_yscale("log")
        axes.minorticks_off()  # of logarithmic axes, which take longest to draw
        if panel.limits is not None:
            axes.set_ylim(*panel.limits)
        panel_title(axes, panel.title)
        if not panel.xlabel:
            axes.set_xticks([])
        else:
            axes.set_xlabel(panel.xlabel, fontsize=8)
        axes.set_ylabel(panel.ylabel, fontsize=8)
        axes.tick_params(labelsize=8)
        axes.grid(color="#dddddd", linewidth=0.5)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    head(figure, title, 10.0)
    if any(len(panel.curves) + len(panel.marks) > 1 for panel in panels):
        legend_below(figure, handles, room=2)
    save_figure(figure, path)


def _power(x: float) -> str:
    """A number of an axis that spans powers of ten, as titles have it: 1e5."""
    return f"{x:.0e}".replace("e+0", "e") if x >= 1e4 else f"{x:g}"


def _plot(axes: Any, panel: Panel) -> dict[str, Any]:
    """Draw curves, told apart by colour, dash and marker; returns a line for each label, as a legend shows it."""
    from matplotlib.lines import Line2D

    logarithmic = "y" in panel.logarithmic
    shown = [np.maximum(each.y, FLOOR) if logarithmic else each.y for each in panel.curves]
    alike = all(np.array_equal(each.x, panel.curves[0].x) for each in panel.curves)
    dashes = interleaved([np.log10(each) for each in shown] if logarithmic else shown) if alike else {}
    handles: dict[str, Any] = {}
    for number, (each, whole) in enumerate(zip(panel.curves, shown, strict=True)):
        x, y = (each.x, whole) if each.marked else _thinned(each.x, whole)
        look = {**series(each.style).line(), "linewidth": 1.1, "markersize": 4}
        if len(panel.curves) == 1 and not each.marked:
            look["marker"] = ""
        handles.setdefault(each.label, Line2D([], [], label=each.label, **look))
        every = None if each.marked else spaced(number, len(panel.curves), len(x))
        axes.plot(x, y, **{**look, "linestyle": dashes.get(number, look["linestyle"])}, markevery=every)
    return handles


def _thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """Fewer points, with the peaks."""
    group = -(-len(x) // MOST)
    if group == 1:
        return x, y
    whole = len(x) // group * group
    shaped = y[:whole].reshape(-1, group)
    peaks = np.abs(shaped).argmax(axis=1) + np.arange(len(shaped)) * group
    return x[peaks], y[peaks]
