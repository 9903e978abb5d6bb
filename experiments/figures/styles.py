"""How things are told apart in every picture: one table of styles for schemes, and one row of them for what has none.

Plain data, for pages as well as for matplotlib. Every scheme has a colour, a marker, a dash and a hatch that no other
has in its group, so that any two are told apart by colour-blind eyes and in a print without colour.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np

from meshsim.algorithms.types.arrays import Array


@dataclass(frozen=True)
class Style:
    """How one thing is drawn.

    Attributes
    ----------
    colour : str
        As `#rrggbb`.
    marker : str
        As matplotlib names it; `$A$` is the letter A.
    dash : tuple of float
        Lengths on and off, in widths of the line; empty for an unbroken line.
    hatch : str
        Of areas, as matplotlib names it.
    """

    colour: str
    marker: str
    dash: tuple[float, ...]
    hatch: str

    @property
    def tint(self) -> str:
        """The colour of its areas, light enough to write on."""
        red, green, blue = (int(self.colour[place : place + 2], 16) for place in (1, 3, 5))
        return "#" + "".join(f"{round(255 - 0.22 * (255 - part)):02x}" for part in (red, green, blue))

    def line(self) -> dict[str, Any]:
        """What `Axes.plot` takes for a line with hollow markers; letters are whole."""
        look = {"color": self.colour, "linestyle": (0, self.dash) if self.dash else "-"}
        if self.marker.startswith("$"):
            return {**look, "marker": rf"$\mathbf{{{self.marker.strip('$')}}}$"}
        return {**look, "marker": self.marker, "fillstyle": "none"}

    def marks(self) -> dict[str, Any]:
        """The same without a line."""
        return {**self.line(), "linestyle": "none"}

    def stroke(self) -> dict[str, Any]:
        """The same without markers."""
        return {"color": self.colour, "linestyle": self.line()["linestyle"]}


UNBROKEN: tuple[float, ...] = ()
STYLES = {
    "wong-mesh": Style("#000000", "o", UNBROKEN, ""),
    "lee-chang": Style("#0072b2", "s", (6, 2), "///"),
    "amin-javaheri": Style("#009e73", "^", (1, 1.5), "..."),
    "fijany-bejczy": Style("#d55e00", "D", (5, 1.5, 1, 1.5), "\\\\\\"),
    "hwang": Style("#cc79a7", "v", (3, 1, 1, 1, 1, 1), "xxx"),
    "triangle": Style("#e69f00", "<", (12, 1.5), "---"),
    "dca": Style("#56b4e9", "P", (4, 1), "|||"),
    "scan": Style("#8c510a", "X", (2, 1), "+++"),
    "hybrid": Style("#b2182b", "*", (3, 1, 1, 1), "ooo"),
    "cfa": Style("#5e3c99", "h", (7, 1, 1, 1), "***"),
    "branch-parallel": Style("#aa4499", ">", (8, 1, 2, 1), "OO"),
    "one-wong": Style("#666666", "x", (1, 2.5), "//.."),
    "one-angeles": Style("#117733", "+", (2, 4), "\\\\.."),
    "one-walker-orin": Style("#882255", "1", (4, 4), "--.."),
    "one-featherstone": Style("#332288", "d", (6, 4), "||.."),
    "one-saha": Style("#999933", "2", (4, 3, 1, 3), "xx.."),
    "one-bae": Style("#cc6677", "p", (8, 3, 2, 3), "++.."),
    "one-luh-walker-paul": Style("#44aa99", "|", (1, 2, 1, 4), "//oo"),
    "penalty": Style("#004488", "$P$", UNBROKEN, "\\\\oo"),
    "projection": Style("#bb5566", "$J$", (6, 1.5), "--oo"),
    "denoc": Style("#228833", "$N$", (2, 1.2), "||oo"),
    "multipliers": Style("#bf812d", "$L$", (5, 1, 1, 1), "xxoo"),
    "elimination": Style("#6f4e00", "$E$", (3, 2), "++oo"),
    "wong-mesh-loops": Style("#555555", "$W$", (9, 2, 1, 2), "//**"),
    "noc": Style("#7b3294", "$Q$", (4, 4), "--OO"),
    "subsystems": Style("#35978f", "$S$", (1, 1, 4, 1), "||OO"),
}
"""The schemes of the catalogue. A test demands a row for each, unlike all others."""
SPARE = (
    Style("#1b7837", "$A$", (10, 2), "\\\\**"),
    Style("#762a83", "$B$", (3, 3), "--**"),
    Style("#c51b7d", "$C$", (6, 1, 1, 1, 1, 1), "||**"),
    Style("#2166ac", "$D$", (1, 1), "xx**"),
    Style("#b35806", "$F$", (5, 3, 2, 3), "++**"),
    Style("#01665e", "$G$", (2, 2), "//OO"),
    Style("#4d4d4d", "$H$", (8, 2, 2, 2, 2, 2), "\\\\OO"),
    Style("#a50026", "$K$", (4, 2, 1, 2, 1, 2), "xxOO"),
)
"""For schemes of users, and for further variants of a scheme."""

LETTERS = "ABCDFGHKMRTUVYZ23456789"
"""The markers of spare styles, and of more than there are: of these no two of a picture are alike."""
COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777")
MARKERS = "os^DvPX*<>hd"
DASHES: tuple[tuple[float, ...], ...] = (UNBROKEN, (5, 2), (1, 1.5), (5, 1.5, 1, 1.5), (9, 2))
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "|||", "ooo")
THIN: dict[str, Any] = {"markersize": 5.0, "linewidth": 1.0}
"""Of lines in pictures with many."""
ALONE = "#999999"
"""The colour of one processor, with which others are compared."""


def style_of(scheme: str) -> Style:
    """The style of a scheme by its name; one of a user has a spare one, the same every time.

    Parameters
    ----------
    scheme : str
        A name of the catalogue, with options behind a comma or an @, or any other name.

    Returns
    -------
    Style
    """
    name = _scheme_in(scheme)
    return STYLES[name] if name in STYLES else SPARE[crc32(name.encode()) % len(SPARE)]


def styles_of(labels: Sequence[str]) -> dict[str, Style]:
    """Styles for the labels of one picture, no two alike as long as spare ones last.

    A scheme of the catalogue has its own. A second variant of it has its colour and a spare marker, dash and hatch; a
    scheme of a user has a spare style.

    Parameters
    ----------
    labels : sequence of str
        Names of schemes, with options behind a comma or an @.

    Returns
    -------
    dict
        A style for each label.
    """
    found: dict[str, Style] = {}
    taken = set[str]()
    spare = 0
    for label in dict.fromkeys(labels):
        name = _scheme_in(label)
        if name in STYLES and name not in taken:
            found[label] = STYLES[name]
        else:
            other = replace(SPARE[spare % len(SPARE)], marker=f"${LETTERS[spare % len(LETTERS)]}$")
            found[label] = replace(other, colour=STYLES[name].colour) if name in STYLES else other
            spare += 1
        taken.add(name)
    return found


def _scheme_in(label: str) -> str:
    return re.split("[,@]", label, maxsplit=1)[0].strip()


def series(number: int) -> Style:
    """The style of the i-th of things that have no style of their own: joints, networks, machines, curves."""
    return Style(
        COLOURS[number % len(COLOURS)],
        MARKERS[number % len(MARKERS)],
        DASHES[number % len(DASHES)],
        HATCHES[number % len(HATCHES)],
    )


# Curves that lie on one another

NEAR = 0.006
"""Curves that are nowhere farther apart than this share of what an axis shows look like one."""
LENGTH = 4.0
"""Of a dash of curves that lie on one another, in widths of the line."""


def coinciding(curves: Sequence[Array]) -> list[list[int]]:
    """Which curves look like one, each a group of two or more."""
    whole = np.concatenate([np.ravel(each) for each in curves]) if curves else np.zeros(1)
    seen = whole[np.isfinite(whole)]
    apart = NEAR * float(np.ptp(seen)) if len(seen) else 0.0
    groups: list[list[int]] = []
    for number, curve in enumerate(curves):
        for group in groups:
            away = np.abs(np.asarray(curve) - np.asarray(curves[group[0]]))
            if np.isfinite(away).any() and float(np.nanmax(away)) <= apart:
                group.append(number)
                break
        else:
            groups.append([number])
    return [group for group in groups if len(group) > 1]


def interleaved(curves: Sequence[Array]) -> dict[int, Any]:
    """The line styles of curves that look like one: dashes of each stand in the gaps of the others."""
    return {
        number: (place * LENGTH, (LENGTH, LENGTH * (len(group) - 1)))
        for group in coinciding(curves)
        for place, number in enumerate(group)
    }


def spaced(number: int, count: int, samples: int, marks: int = 7) -> tuple[int, int]:
    """Where the i-th of so many curves has its markers: about so many, none where another curve has one."""
    every = max(min(count, samples), samples // marks, 1)
    return number * every // max(count, 1), every
