"""A picture of a run: what every processor did when, and the critical path through it."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from experiments.files import whole_file
from meshsim.run import Run

# From dark to light in this order, so that a print without colour still tells them apart.
KINDS = {"compute": "#1f4e79", "send": "#d9822b", "receive": "#8fc1e3", "wait": "#e9e9e9"}
COLUMNS = 2400
"""Time is drawn in this many steps; each shows what took most of it."""


def label(node: Hashable) -> str:
    """A node's name in print: (0,1) rather than (0, 1)."""
    return str(node).replace(", ", ",")


def draw_gantt(run: Run[Any], title: str, path: str | Path) -> None:
    """Draw a traced run to a file whose ending names the format."""
    machine = run.machine
    figure = Figure(figsize=(11, min(24.0, 2.2 + 0.2 * run.processors)), layout="constrained")
    axes = figure.add_subplot()
    end = machine.microseconds(run.ticks) or 1.0
    colours = ["#ffffff", *KINDS.values()]
    axes.imshow(
        _raster(run),
        aspect="auto",
        interpolation="nearest",
        cmap=mpl.colors.ListedColormap(colours),
        vmin=0,
        vmax=len(KINDS),
        extent=(0.0, end, run.processors - 0.5, -0.5),
    )
    _draw_path(axes, run)
    _draw_phases(axes, run)
    step = max(1, run.processors // 60)
    rows = range(0, run.processors, step)
    axes.set_yticks(rows, [label(run.cpus[row].node) for row in rows], fontsize=7)
    if step == 1:
        axes.hlines([row + 0.5 for row in rows], 0.0, end, color="white", linewidth=0.8)
    axes.set_xlabel("time (us)")
    axes.set_ylabel("processor")
    axes.set_title(title, pad=34)
    handles: list[Any] = [Patch(facecolor=colour, edgecolor="#888888", label=kind) for kind, colour in KINDS.items()]
    handles.append(Patch(facecolor="white", edgecolor="#888888", label="ended"))
    handles.append(Line2D([], [], color="black", linewidth=1.2, label="critical path"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=150)


def _raster(run: Run[Any]) -> np.ndarray[Any, Any]:
    """For each processor and step of time, which kind (1..) took most of it; 0 after the processor's end."""
    codes = {kind: code for code, kind in enumerate(KINDS, start=1)}
    trace = run.trace
    picture = np.zeros((run.processors, COLUMNS), dtype=np.uint8)
    scale = COLUMNS / max(run.ticks, 1)
    for row, cpu in enumerate(trace.processors):
        share = np.zeros((len(KINDS) + 1, COLUMNS))
        for span in range(len(cpu.spans)):
            for kind, start, end in trace.parts(cpu, span):
                _spread(share[codes[kind]], start * scale, end * scale)
        share[0] = 1.0 - share.sum(axis=0)
        picture[row] = share.argmax(axis=0)
    return picture


def _spread(share: np.ndarray[Any, Any], start: float, end: float) -> None:
    """Add an interval, in units of columns, to the columns it covers."""
    first, last = int(start), min(int(end), COLUMNS - 1)
    if first == last:
        share[first] += end - start
        return
    share[first] += first + 1 - start
    share[first + 1 : last] += 1.0
    share[last] += end - last


def _draw_path(axes: Any, run: Run[Any]) -> None:
    """A line along the processors that compute; between them it follows the messages."""
    machine = run.machine
    row_of = {cpu.node: row for row, cpu in enumerate(run.cpus)}
    computes = [step for step in run.critical_path.steps if step.kind == "compute"]
    points = [(tick, row_of[step.node]) for step in computes for tick in (step.start, step.end)]
    last = max(run.cpus, key=lambda cpu: (cpu.clock, -cpu.rank))
    points.append((last.clock, row_of[last.node]))
    times = [machine.microseconds(tick) for tick, _ in points]
    rows = [row for _, row in points]
    axes.plot(times, rows, color="white", linewidth=3.2)  # so that the line shows on dark ground too
    axes.plot(times, rows, color="black", linewidth=1.2)


def _draw_phases(axes: Any, run: Run[Any]) -> None:
    """A dashed line where the last processor ends each phase, named at the top."""
    machine = run.machine
    for row, (name, tick) in enumerate(run.phases.items()):
        x = machine.microseconds(tick)
        axes.axvline(x, color="black", linestyle=(0, (4, 3)), linewidth=0.8)
        axes.annotate(
            name,
            (x, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2 + 9 * (row % 3)),
            textcoords="offset points",
            ha="right",
            fontsize=8,
        )
