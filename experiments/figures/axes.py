"""What axes of pictures have in common: ticks at what was computed, and round numbers on logarithmic axes."""

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

MOST_TICKS = 12
"""Sizes that are all written below an axis; of more, round ones."""
CLOSEST = 26
"""So many labels stand side by side at most: sizes that are nearer to the one before are left out."""


def log_ticks(axis: Any) -> None:
    """Label a logarithmic axis at 1, 2 and 5 of each power of ten, in plain numbers."""
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def size_ticks(axes: Any, sizes: Sequence[int]) -> None:
    """Label a linear axis at the numbers of joints that there are."""
    known = sorted(set(sizes))
    if len(known) > MOST_TICKS:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        return
    shown: list[int] = []
    for size in known:
        if not shown or size - shown[-1] >= (known[-1] - known[0]) / CLOSEST:
            shown.append(size)
    axes.set_xticks(shown, [str(size) for size in shown])
    if len(known) == 1:
        axes.set_xlim(known[0] - 0.6, known[0] + 0.6)


def aside(place: int, count: int, sizes: Sequence[int]) -> float:
    """How far the i-th of so many stands beside its number of joints, where there is one only and no line to follow."""
    return 0.8 * ((place + 0.5) / count - 0.5) if len(set(sizes)) == 1 else 0.0


def legend_columns(figure: Figure, labels: Sequence[str], most: int = 4) -> int:
    """How many columns of a legend the width of a figure has room for."""
    widest = 0.75 + 0.065 * max(map(len, labels), default=1)  # inches, in letters of 8 points
    return max(1, min(most, len(labels), int(figure.get_figwidth() / widest)))


def label_columns(panels: Any, shown: int, text: str, fontsize: float = 9) -> None:
    """Label the lowest panel of each column, where the last row is not full; panels share their x axis."""
    columns = len(panels[0])
    for place in range(max(0, shown - columns), shown):
        axes = panels[place // columns][place % columns]
        axes.set_xlabel(text, fontsize=fontsize)
        axes.tick_params(labelbottom=True)
