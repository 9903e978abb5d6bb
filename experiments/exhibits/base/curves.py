"""Figures of published curves: lines are published, markers computed."""

from collections.abc import Sequence
from pathlib import Path

from meshsim.experiments.exhibits.base.exhibit import Judgement
from meshsim.experiments.figures.styles import style_of


def draw_curves(judgement: Judgement, path: Path, sizes: tuple[int, ...], schemes: Sequence[str]) -> None:
    """Draw time against the number of joints, lines as their schemes are; columns beyond the sizes are left out."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from meshsim.experiments.figures.axes import size_ticks
    from meshsim.experiments.figures.saving import save_figure

    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    axes = figure.subplots()
    handles = []
    for judged, scheme in zip(judgement.lines, schemes, strict=True):
        style = style_of(scheme)
        cells = judged.cells[: len(sizes)]
        published, computed = ([getattr(cell, which) for cell in cells] for which in ("published", "computed"))
        axes.plot(sizes, published, **style.stroke(), linewidth=1.3)
        axes.plot(sizes, computed, **style.marks(), markersize=6)
        handles.append(Line2D([], [], label=judged.line.label, **style.line(), markersize=6))
    axes.set_xlabel("joints n")
    axes.set_ylabel("time, us (multiply 1, add 0.5)")
    axes.set_title(f"{judgement.exhibit.id}: lines published, markers computed", fontsize=10)
    size_ticks(axes, sizes)
    axes.set_ylim(bottom=0)
    axes.grid(True, linewidth=0.3)
    axes.legend(handles=handles, fontsize=8, handlelength=4)
    save_figure(figure, path)
