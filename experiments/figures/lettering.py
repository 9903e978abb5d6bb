"""Titles and legends: as wide as there is room, in as many lines as that takes, and names as they were given."""

import re
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.ticker import LogFormatter

MARGIN = 0.3
"""Inches of a figure's width that no title takes."""
BESIDE = 0.75
"""Inches beside a panel, for its ticks and labels."""
POINTS = 8.0
"""The size of a legend's letters."""
HANDLE, PAD, BETWEEN = 3.5, 0.8, 2.0
"""The width of a legend's lines, and what is left free beside them and between columns, in heights of its letters."""
LINE = 0.19
"""Inches of a line of a legend."""


@cache
def width_of(text: str, points: float) -> float:
    """Inches that a text is wide in a size of letters."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")
        found = text_to_path.get_text_width_height_descent(text, FontProperties(size=points), ismath=False)
    return float(found[0]) / 72


def wrapped(text: str, inches: float, points: float) -> str:
    """A text in lines that are no wider than so many inches; a word that is wider is broken at its signs."""
    lines: list[str] = []
    for given in text.split("\n"):
        lines.append("")
        for word in given.split(" "):
            longer = f"{lines[-1]} {word}" if lines[-1] else word
            if width_of(longer, points) <= inches:
                lines[-1] = longer
                continue
            if lines[-1]:
                lines.append("")
            for part in _parts(word, inches, points):
                if lines[-1] and width_of(lines[-1] + part, points) > inches:
                    lines.append("")
                lines[-1] += part
    return "\n".join(lines)


def _parts(word: str, inches: float, points: float) -> list[str]:
    """A word in parts, each of which fits on a line: up to its signs, or letter by letter."""
    found: list[str] = []
    for part in re.findall(r"[^_/.:-]*[_/.:-]|[^_/.:-]+", word):
        found += [part] if width_of(part, points) <= inches else list(part)
    return found


def head(figure: Figure, text: str, points: float = 11.0) -> None:
    """The title of a figure, which grows for what is more than a line."""
    title = wrapped(text, figure.get_figwidth() - MARGIN, points)
    figure.set_figheight(figure.get_figheight() + 1.2 * points / 72 * title.count("\n"))
    figure.suptitle(title, fontsize=points, parse_math=False)


def panel_title(axes: Any, text: str, points: float = 9.0, beside: float = BESIDE, **look: Any) -> None:
    """The title of a panel, no wider than its part of the figure less so many inches."""
    spec, figure = axes.get_subplotspec(), axes.get_figure()
    share = 1.0 if spec is None else len(spec.colspan) / spec.get_gridspec().ncols
    room = max(figure.get_figwidth() * share - beside, 1.0)
    axes.set_title(wrapped(text, room, points), fontsize=points, parse_math=False, **look)


def legend_below(
    figure: Figure,
    handles: Sequence[Any] | Mapping[str, Any],
    note: str = "",
    most: int = 4,
    room: int = 1,
    **look: Any,
) -> None:
    """A legend below all panels, in as many columns as there is room for.

    Parameters
    ----------
    figure : Figure
        It grows for the lines that it has no room for.
    handles : sequence of artists, or a mapping of names to them
        What is named: by its label, unless it has another name.
    note : str
        What stands above.
    most : int
        Columns, at most.
    room : int
        Lines for which the figure is high enough.
    """
    width = figure.get_figwidth() - 0.1
    handle = look.setdefault("handlelength", HANDLE) + PAD
    named = handles if isinstance(handles, Mapping) else {str(each.get_label()): each for each in handles}
    labels = [wrapped(name, width - handle * POINTS / 72 - 0.2, POINTS) for name in named]
    columns = columns_of([width_of_lines(label) + handle * POINTS / 72 for label in labels], width, most)
    told = wrapped(note, width - 0.2, POINTS)
    legend = figure.legend(
        list(named.values()), ["."] * len(named), title="." if note else None, ncols=columns, frameon=False,
        loc="outside lower center", fontsize=POINTS, title_fontsize=POINTS, **look
    )  # fmt: skip
    for text, label in zip(legend.get_texts(), labels, strict=True):  # one that begins with _ would be left out
        text.set(text=label, parse_math=False)
    legend.get_title().set(text=told, parse_math=False)
    rows = -(-len(named) // columns) + sum(label.count("\n") for label in labels)
    lines = rows + (told.count("\n") + 1 if note else 0)
    figure.set_figheight(figure.get_figheight() + LINE * max(0, lines - room))


def width_of_lines(text: str) -> float:
    """Inches of the longest line of a legend's label."""
    return max(width_of(line, POINTS) for line in text.split("\n"))


def columns_of(widths: Sequence[float], inches: float, most: int) -> int:
    """How many columns so wide entries may stand in, which go down the columns, one after another."""
    for columns in range(min(most, len(widths)), 1, -1):
        rows, longer = divmod(len(widths), columns)
        ends = [place * rows + min(place, longer) for place in range(columns + 1)]
        wide = sum(max(widths[low:high]) for low, high in pairwise(ends))
        if wide + (columns - 1) * BETWEEN * POINTS / 72 + 0.1 <= inches:
            return columns
    return 1


def as_given(figure: Figure) -> None:
    """Take no text for a formula but powers of ten at an axis: names of users may have any signs."""
    powers = {
        text
        for axis in figure.findobj(Axis)
        if isinstance(axis.get_major_formatter(), LogFormatter)
        for text in axis.findobj(Text)
        if text is not axis.label
    }
    for text in figure.findobj(Text):
        if text not in powers:
            text.set_parse_math(False)
