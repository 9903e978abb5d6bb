"""Figures of published curves: lines are published, markers computed."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from meshsim.experiments.exhibits.base.exhibit import Judgement
from meshsim.experiments.figures.saving import save_figure

# Colours that colour-blind readers can distinguish; marker and dash distinguish them without colour.
STYLES = (
    ("#000000", "o", "-"),
    ("#0072b2", "s", (0, (6, 2))),
    ("#d55e00", "D", (0, (5, 1.5, 1, 1.5))),
    ("#cc79a7", "v", (0, (3, 1, 1, 1, 1, 1))),
    ("#009e73", "^", (0, (1, 1.5))),
)


def draw_curves(judgement: Judgement, path: Path, sizes: tuple[int, ...]) -> None:
    """Draw time against the number of joints; columns beyond the sizes are left out."""
    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    axes = figure.subplots()
    handles = []
    for judged, (colour, marker, dash) in zip(judgement.lines, STYLES, strict=False):
        cells = judged.cells[: len(sizes)]
        published, computed = ([getattr(cell, which) for cell in cells] for which in ("published", "computed"))
        axes.plot(sizes, published, color=colour, linestyle=dash, linewidth=1.3)
        axes.plot(sizes, computed, color=colour, marker=marker, linestyle="", markersize=4.5, mfc="none")
        style: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": dash, "markersize": 4.5, "mfc": "none"}
        handles.append(Line2D([], [], label=judged.line.label, **style))
    axes.set_xlabel("joints n")
    axes.set_ylabel("time, us (multiply 1, add 0.5)")
    axes.set_title(f"{judgement.exhibit.id}: lines published, markers computed", fontsize=10)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(bottom=0)
    axes.grid(True, linewidth=0.3)
    axes.legend(handles=handles, fontsize=8, handlelength=4)
    save_figure(figure, path)
