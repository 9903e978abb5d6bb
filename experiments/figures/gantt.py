"""A picture of a run: what every processor did when, and the critical path through it."""

from collections.abc import Hashable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from meshsim.algorithms.schemes.base.scheme import main_phases
from meshsim.columns import KINDS as SPENT
from meshsim.experiments.figures.lettering import legend_below, panel_title
from meshsim.experiments.figures.saving import save_figure
from meshsim.outcome import Run
from meshsim.trace import label

# All as far apart in grey as there is room: compute, switch, forward, send, copy, receive, wait, from dark to light.
KINDS = {
    "compute": "#0b2f52",
    "send": "#d0711a",
    "receive": "#9ccbea",
    "wait": "#e9e9e9",
    "switch": "#a11a8c",
    "copy": "#d9a62a",
    "forward": "#1f8478",
}
COLUMNS = 2400
"""Time is drawn in this many columns; each shows what took most of it."""


def save_gantt(runs: Sequence[tuple[str, Run[Any]]], path: str | Path) -> None:
    """Draw traced runs, each with a title, to a file whose ending names the format; several one above the other."""
    heights = [min(24.0, 2.2 + 0.2 * run.processors) for _, run in runs]
    figure = Figure(figsize=(11, min(48.0, sum(heights))), layout="constrained")
    panels = figure.subplots(len(runs), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    shown = set[str]()
    for axes, (title, run) in zip(panels, runs, strict=True):
        shown |= plot_gantt(axes, run, title)
        axes.tick_params(labelbottom=True)
    handles = _legend(shown)
    legend_below(figure, handles, most=len(handles), handlelength=2.0)
    save_figure(figure, path)


def show_gantt(run: Run[Any], title: str, axes: Any = None) -> Any:
    """Draw a traced run on axes, with a legend below; without any, on a new figure that pyplot shows. Returns axes."""
    if axes is None:
        from matplotlib import pyplot  # here, since it looks for a screen

        axes = pyplot.figure(figsize=(11, min(24.0, 2.2 + 0.2 * run.processors)), layout="constrained").add_subplot()
    handles = _legend(plot_gantt(axes, run, title))
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.12), "ncols": len(handles), "frameon": False}
    axes.legend(handles=handles, **place)
    return axes


def plot_gantt(axes: Any, run: Run[Any], title: str) -> set[str]:
    """Draw a traced run on axes; returns the kinds of what is to be seen."""
    machine = run.machine
    end = machine.microseconds(run.ticks) or 1.0
    colours = ["#ffffff", *KINDS.values()]
    picture = raster(run)
    axes.imshow(
        picture,
        aspect="auto",
        interpolation="nearest",
        cmap=mpl.colors.ListedColormap(colours),
        vmin=0,
        vmax=len(KINDS),
        extent=(0.0, end, run.processors - 0.5, -0.5),
    )
    _draw_path(axes, run)
    _draw_phases(axes, run)
    rows = _labelled_rows(run)
    axes.set_yticks(rows, [label(run.cores[row].node) for row in rows], fontsize=7, parse_math=False)
    if run.processors <= 60:
        axes.hlines([row + 0.5 for row in rows], 0.0, end, color="white", linewidth=0.8)
    axes.set_xlabel("time (us)")
    axes.set_ylabel("processor")
    panel_title(axes, title, 11.0, pad=42)
    return {kind for code, kind in enumerate(KINDS, start=1) if (picture == code).any()}


def _legend(shown: set[str]) -> list[Any]:
    handles: list[Any] = [
        Patch(facecolor=colour, edgecolor="#888888", label=kind) for kind, colour in KINDS.items() if kind in shown
    ]
    handles.append(Patch(facecolor="white", edgecolor="#888888", label="ended"))
    handles.append(Line2D([], [], color="black", linewidth=1.2, label="critical path"))
    return handles


def raster(run: Run[Any]) -> np.ndarray[Any, Any]:
    """For each processor and step of time, which kind (1..) took most of it; 0 after the processor's end."""
    codes = np.array([1 + list(KINDS).index(kind) for kind in SPENT])
    parts = run.trace.columns.parts
    scale = COLUMNS / max(run.ticks, 1)
    picture = np.zeros((run.processors, COLUMNS), dtype=np.uint8)
    bounds = np.searchsorted(parts.processor, np.arange(run.processors + 1))
    for row, (low, high) in enumerate(pairwise(bounds.tolist())):
        share = np.zeros((len(KINDS) + 1, COLUMNS))
        for kind in range(len(SPENT)):
            mine = low + np.flatnonzero(parts.kind[low:high] == kind)
            _spread(share[codes[kind]], parts.start[mine] * scale, parts.end[mine] * scale)
        share[0] = 1.0 - share.sum(axis=0)
        picture[row] = share.argmax(axis=0)
    return picture


def _spread(share: np.ndarray[Any, Any], start: np.ndarray[Any, Any], end: np.ndarray[Any, Any]) -> None:
    """Add intervals, in units of columns, to the columns that they cover."""
    ends = np.stack([start, end])
    at = np.minimum(ends.astype(np.int64), COLUMNS - 1)
    whole = np.zeros(COLUMNS + 1)  # first as if an interval covered all of its last column and nothing of its first
    np.add.at(whole, at[0] + 1, 1.0)
    np.add.at(whole, at[1] + 1, -1.0)
    share += np.cumsum(whole)[:COLUMNS]
    np.add.at(share, at[0], at[0] + 1 - start)
    np.add.at(share, at[1], end - at[1] - 1.0)


def _draw_path(axes: Any, run: Run[Any]) -> None:
    """A line along the processors that compute, and with the messages between them."""
    machine = run.machine
    row_of = {core.node: row for row, core in enumerate(run.cores)}
    times: list[float] = []
    rows: list[int] = []
    for step in run.critical_path.steps:
        for tick, node in ((step.start, step.node), (step.end, step.to)):
            if node in row_of:  # which switch elements have not
                times.append(machine.microseconds(tick))
                rows.append(row_of[node])
    axes.plot(times, rows, color="white", linewidth=3.2)  # so that the line shows on dark ground too
    axes.plot(times, rows, color="black", linewidth=1.2)


def _draw_phases(axes: Any, run: Run[Any]) -> None:
    """A dashed line where the last processor ends each phase, named at the top; names that would meet are stacked."""
    machine = run.machine
    end, last, level = machine.microseconds(run.ticks) or 1.0, float("-inf"), 0
    for name, tick in main_phases(run.phases).items():
        x = machine.microseconds(tick)
        level = level + 1 if x - last < 0.09 * end else 0
        last = x
        axes.axvline(x, color="white", linewidth=2.0)
        axes.axvline(x, color="black", linestyle=(0, (4, 3)), linewidth=0.9, clip_on=False)
        place = {"xytext": (0, 3 + 9 * level), "textcoords": "offset points", "ha": "right", "fontsize": 8}
        axes.annotate(name, (x, 1.0), xycoords=("data", "axes fraction"), **place)


def _group(node: Hashable) -> Hashable:
    """What a processor's neighbours in a list have in common: the row of a mesh, the part of an assembly."""
    if not isinstance(node, tuple):
        return None
    inner = node[1]
    return (node[0], inner[0]) if isinstance(inner, tuple) else node[0]


def _labelled_rows(run: Run[Any]) -> list[int]:
    """Every processor where there is room, else the first of each group, as far apart as letters are high."""
    if run.processors <= 60:
        return list(range(run.processors))
    rows: list[int] = []
    groups = [_group(core.node) for core in run.cores]
    for row, group in enumerate(groups):
        first = row == 0 or group is None or group != groups[row - 1]
        if first and (not rows or row - rows[-1] >= run.processors / 80):
            rows.append(row)
    return rows
