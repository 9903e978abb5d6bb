"""What axes of pictures have in common: ticks at what was computed, and round numbers on logarithmic axes."""

from collections.abc import Sequence
from typing import Any

from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

MOST_TICKS = 12
"""Sizes that are all written below an axis; of more, round ones."""
MOST_COUNTS = 8
"""Counts up to this one are all written below a logarithmic axis."""
CLOSEST = 26
"""So many labels stand side by side at most: sizes that are nearer to the one before are left out."""


FEWEST_TICKS = 3
"""So many labels a logarithmic axis has at least."""


class RoundLocator(LogLocator):
    """1, 2 and 5 of each power of ten; where an axis shows few of these, more."""

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """The ticks between two values."""
        low, high = sorted((vmin, vmax))
        found: Any = ()
        for parts in ((1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)):
            self.set_params(subs=parts)
            found = super().tick_values(vmin, vmax)
            if sum(low <= tick <= high for tick in found) >= FEWEST_TICKS:
                return found
        return MaxNLocator(5).tick_values(vmin, vmax)


def log_ticks(axis: Any) -> None:
    """Label a logarithmic axis at round values, in plain numbers."""
    axis.set_major_locator(RoundLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.10g}"))
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


def count_ticks(axis: Any, counts: Sequence[int]) -> None:
    """Label a logarithmic axis of counts: at each if there are few, else at round values."""
    known = sorted(set(counts))
    log_ticks(axis)
    if known[-1] <= MOST_COUNTS:
        axis.set_ticks(known, [str(count) for count in known])


def label_columns(panels: Any, shown: int, text: str, fontsize: float = 9) -> None:
    """Label the lowest panel of each column, where the last row is not full; panels share their x axis."""
    columns = len(panels[0])
    for place in range(max(0, shown - columns), shown):
        axes = panels[place // columns][place % columns]
        axes.set_xlabel(text, fontsize=fontsize)
        axes.tick_params(labelbottom=True)
