"""The picture of a sweep that sets time against processors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.ticker import NullLocator
from matplotlib.transforms import offset_copy

from meshsim.experiments.figures.axes import log_ticks
from meshsim.experiments.figures.lettering import head, legend_below, panel_title
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.styles import Style, styles_of
from meshsim.experiments.figures.sweep_panels import Columns, first_of_rows, only, panels_of, robot_title, robots_of
from meshsim.experiments.studies.sweep_spec import Sweep

NEAR = 1.08
"""Numbers of processors whose ratio is smaller stand side by side."""
WIDER = 1.5
"""So many times as far as its numbers of processors goes a picture to either side."""
MARGIN = 0.7
"""Inches beside the axes of a panel."""


@dataclass(frozen=True)
class _Mark:
    """A scheme in a picture of time against processors: its median time, and from the least to the most."""

    processors: int
    median: float
    low: float
    high: float


def _marks(columns: Columns, schemes: Sequence[str]) -> dict[str, _Mark]:
    found: dict[str, _Mark] = {}
    for scheme in schemes:
        mine = only(columns, columns["scheme"] == scheme)
        times, processors = mine["time_us"], np.sort(mine["processors"])
        if len(times):
            low_median = int(processors[(len(processors) - 1) // 2])
            found[scheme] = _Mark(low_median, float(np.median(times)), float(times.min()), float(times.max()))
    return found


def draw_pareto(columns: Columns, sweep: Sweep, title: str, path: Path) -> None:
    """Time against processors; ringed are the schemes that no other beats in both, and a line joins several."""
    robots, styles = robots_of(columns), styles_of(sweep.schemes)
    figure, panels = panels_of(len(robots), 5.0, 3.9)
    shown: dict[str, Any] = {}
    for panel, robot in zip(panels, robots, strict=True):
        shown |= _pareto_on(panel, _marks(only(columns, columns["robot"] == robot), sweep.schemes), styles)
        panel_title(panel, robot_title(columns, robot))
        panel.set_xlabel("processors")
    for panel in first_of_rows(panels):
        panel.set_ylabel("time of a step, us: median and range")
    told = "ringed: no scheme beats it in both" + (f"; {title}" if title else "")
    head(figure, f"{sweep.machine.name}, {told}\nschemes on about as many processors stand side by side", 9.0)
    figure.align_xlabels(panels)
    legend_below(figure, shown, handlelength=2.0)
    save_figure(figure, path)


def _pareto_on(panel: Any, marks: Mapping[str, _Mark], styles: Mapping[str, Style]) -> dict[str, Any]:
    """Draw marks; returns what a legend shows."""
    shown: dict[str, Any] = {}
    front = pareto_front({scheme: (mark.processors, mark.median) for scheme, mark in marks.items()})
    panel.loglog()
    counts = sorted({mark.processors for mark in marks.values()})
    panel.set_xlim(counts[0] / WIDER, counts[-1] * WIDER)
    panel.set_ylim(min(m.low for m in marks.values()) / 1.2, max(m.high for m in marks.values()) * 1.2)
    log_ticks(panel.yaxis)
    columns = panel.get_subplotspec().get_gridspec().ncols
    ticks = _stacked(counts, panel.get_figure().get_figwidth() / columns - MARGIN)
    panel.set_xticks(list(ticks), list(ticks.values()), fontsize=8)
    panel.xaxis.set_minor_locator(NullLocator())
    panel.grid(True, linewidth=0.3)
    if len(front) > 1:
        steps = [marks[s].processors for s in front], [marks[s].median for s in front]
        (shown["beaten in neither"],) = panel.step(*steps, where="post", color="#888888", linewidth=1.0)
    for scheme, aside in _side_by_side(marks).items():
        mark, style = marks[scheme], styles[scheme]
        moved = offset_copy(panel.transData, panel.figure, x=aside, units="points")
        reach = [[mark.median - mark.low], [mark.high - mark.median]]
        bar = panel.errorbar(mark.processors, mark.median, reach, capsize=2, linewidth=0.8, **style.marks(),
                             markersize=4.5, transform=moved)  # fmt: skip
        shown[scheme] = bar
        for part in (*bar[1], *bar[2]):
            part.set_transform(moved)
        if scheme in front:
            ring: dict[str, Any] = {"marker": "o", "markersize": 11, "fillstyle": "none", "color": "black"}
            panel.plot(mark.processors, mark.median, **ring, linewidth=0.0, transform=moved)
    return shown


def _side_by_side(marks: Mapping[str, _Mark]) -> dict[str, float]:
    """How many points to the side each scheme is drawn, so that bars of about as many processors do not hide others."""
    groups: list[list[str]] = []
    for scheme in sorted(marks, key=lambda name: marks[name].processors):
        if groups and marks[scheme].processors < NEAR * marks[groups[-1][-1]].processors:
            groups[-1].append(scheme)
        else:
            groups.append([scheme])
    return {name: 5.0 * (place - (len(group) - 1) / 2) for group in groups for place, name in enumerate(group)}


def _stacked(counts: Sequence[int], inches: float) -> dict[int, str]:
    """Labels for all counts of a logarithmic axis: one that would touch the one before stands a line lower."""
    apart = (WIDER**2 * counts[-1] / counts[0]) ** (0.28 / inches)  # what three digits take
    ends: list[int] = []  # the last count on each line
    labels: dict[int, str] = {}
    for count in counts:
        line = next((place for place, last in enumerate(ends) if count >= apart * last), len(ends))
        ends[line : line + 1] = [count]
        labels[count] = "\n" * line + str(count)
    return labels


def pareto_front(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """The names of those that none beats in both numbers, by the first."""
    order = sorted(points, key=lambda name: points[name])
    front: list[str] = []
    for name in order:
        if not front or points[name][1] < points[front[-1]][1]:
            front.append(name)
    return front
