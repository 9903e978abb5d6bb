"""What the terminal shows: how wide it is, lines and tables that fit it, and bars of characters."""

import re
import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import TextWrapper

NARROWEST, USUAL = 60, 120
"""Columns of a page at least, and where there is no terminal."""
TOGETHER = re.compile(r"(?<=\d) (?=(?:%|us|ns)(?!\w))|(?<=\d,) (?=\d)")
"""Spaces at which no line ends: before units, and between numbers."""
BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII = " .:-=+*#@"
"""Heights of a bar, from nothing to all, where blocks can be shown and where they cannot."""


def page_width() -> int:
    """How many columns a page has: those of the terminal."""
    return max(get_terminal_size((USUAL, 24)).columns, NARROWEST)


def heights() -> str:
    """Characters for heights that the output can show."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        BLOCKS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


def bars(shares: Sequence[float]) -> str:
    """A line of bars, each from 0 to 1 high; what is more than nothing is seen, and only nothing is blank."""
    letters = heights()
    top = len(letters) - 1
    return "".join(letters[min(max(round(share * top), 1), top) if share > 0 else 0] for share in shares)


def wrapped(lines: Sequence[str], indent: str = "  ") -> list[str]:
    """Lines of prose that fit the page; what goes on below is indented, and the names of files stay whole."""
    filler = TextWrapper(page_width(), subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
    parts = [part for line in lines for part in filler.wrap(TOGETHER.sub("\0", line))]
    return [part.replace("\0", " ") for part in parts]


def percent(share: float) -> str:
    """A share in print, without decimals; only nothing is 0 %, and only all is 100 %."""
    if 0 < share < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of a table: the first column to the left, and shortened where the page is narrow; others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    gap = 2 if sum(widths) + 2 * (len(widths) - 1) <= page_width() else 1
    widths[0] = min(widths[0], max(page_width() - sum(widths[1:]) - gap * (len(widths) - 1), 8))
    lines = []
    for first, *rest in rows:
        cells = [shortened(first, widths[0]).ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        lines.append((" " * gap).join(cells).rstrip())
    return lines


def shortened(text: str, room: int) -> str:
    """A name that fits, by its begin and its end."""
    if len(text) <= room:
        return text
    end = (room - 2) // 2
    return f"{text[: room - 2 - end]}..{text[len(text) - end :]}"
