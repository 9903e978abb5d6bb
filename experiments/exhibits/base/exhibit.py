"""An exhibit: a published table or figure, what we compute for it, and the comparison of both.

Published numbers are data, computed ones come from a function. Into which class a cell falls follows from the two and
from the facts that its line declares; it is written down nowhere. An exhibit is a file in `experiments/exhibits/PAPER/`
that defines `EXHIBIT`, and the file's name is its identifier: `wong/table_4_8.py` is `wong-table-4.8`.
What an exhibit needs to compute and to draw, matplotlib and scipy, is imported then, so that all can be listed quickly.
"""

import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from meshsim.catalogue import Lazily
from meshsim.errors import MeshSimError
from meshsim.experiments import exhibits

EQUAL, WITHIN, WRONG, COUNTED = "equal", "within", "print is wrong", "counted differently"
UNEXPLAINED, NOT_COMPARABLE = "unexplained", "not comparable"
CLASSES = {
    EQUAL: "the computed number is the published one",
    WITHIN: "it is within a tolerance, which the line states and gives a reason for",
    WRONG: "the computed number is the one meant, and the line says what shows that the printed one is not",
    COUNTED: "the line says in numbers what our rule counts more or less than the published one, and that is all",
    UNEXPLAINED: "the numbers differ, and nothing accounts for it; there may be a remark",
    NOT_COMPARABLE: "nothing published to compare with: an input, an answer to a question with a threshold of ours, a "
    "curve without numbers, or a method that is not described",
}
"""The classes of cells, and what they mean."""

Numbers = Sequence[float | None]
Computed = Mapping[str, Numbers]
"""What was computed for each line, by its label; None where nothing can be."""


@dataclass(frozen=True)
class Line:
    """Published numbers, one for each column; None is an empty cell.

    Attributes
    ----------
    label : str
        What it is the line of.
    published : sequence of float or None
        As printed. A line with nothing but None is of curves that are drawn and not told: it must be not comparable.
    reason : str
        What is to be said of cells that are not equal: where the tolerance comes from, what the numbers `counted` are
        the numbers of, or a remark on a difference that nothing accounts for.
    corrected : sequence of float, optional
        What should have been printed, where that can be shown: the number meant, with which the computed one is
        compared. None where print is right.
    source : str
        What shows it.
    tolerance : float or sequence of float
        How far a computed number may be from the one meant, as a share of it, to be `within`; of the line or of each
        cell.
    counted : sequence of float, optional
        How much more than the publication our rule counts, less if negative; None or 0 where it counts alike.
    not_comparable : str or sequence of str
        Why there is nothing to compare with, of the line or of each cell; empty where there is.
    yes_no : bool
        Whether numbers are answers: 1 for yes, 0 for no.
    """

    label: str
    published: Numbers
    reason: str = ""
    corrected: Numbers | None = None
    source: str = ""
    tolerance: float | Sequence[float] = 0.0
    counted: Numbers | None = None
    not_comparable: str | Sequence[str] = ""
    yes_no: bool = False

    def __post_init__(self) -> None:
        for fact, why, name in (
            (self.tolerance, self.reason, "reason for its tolerance"),
            (self.counted and any(self.counted), self.reason, "reason for what it counts differently"),
            (self.corrected, self.source, "source of its corrected numbers"),
            (
                all(each is None for each in self.published),
                self.not_comparable,
                "not_comparable, as nothing is printed",
            ),
        ):
            if fact and not why:
                raise MeshSimError(f"line {self.label!r} must have a {name}, not none")


@dataclass(frozen=True)
class Cell:
    """One number of a line, published and computed."""

    line: Line
    place: int
    computed: float | None

    @property
    def published(self) -> float | None:
        """As printed."""
        return self.line.published[self.place]

    @property
    def corrected(self) -> float | None:
        """What should have been printed, where that is something else."""
        return self._of(self.line.corrected) if self._of(self.line.corrected) != self.published else None

    @property
    def counted(self) -> float:
        """How much more our rule counts."""
        return self._of(self.line.counted) or 0.0

    @property
    def not_comparable(self) -> str:
        """Why there is nothing to compare with; empty if there is."""
        told = self.line.not_comparable
        return told if isinstance(told, str) else told[self.place]

    @property
    def tolerance(self) -> float:
        """How far it may be from the number meant, as a share of it."""
        told = self.line.tolerance
        return told if isinstance(told, (int, float)) else told[self.place]

    def _of(self, numbers: Numbers | None) -> float | None:
        return None if numbers is None else numbers[self.place]

    @property
    def meant(self) -> float | None:
        """The published number, corrected if print is wrong."""
        return self.published if self.corrected is None else self.corrected

    @property
    def deviation(self) -> float | None:
        """By how much the computed number exceeds the one meant, as a share of it; None where that is no share."""
        if self.line.yes_no or self.verdict in (None, NOT_COMPARABLE) or self.meant is None or self.computed is None:
            return None
        if self.computed == self.meant:
            return 0.0
        return (self.computed - self.meant) / abs(self.meant) if self.meant else None

    @property
    def verdict(self) -> str | None:
        """Its class; None for an empty cell."""
        if self.published is None and any(each is not None for each in self.line.published):
            return None
        if self.not_comparable:
            return NOT_COMPARABLE
        if self.computed is None or self.meant is None:
            return UNEXPLAINED
        if self.computed == self.meant + self.counted:
            known = COUNTED if self.counted else EQUAL
        elif not self.counted and abs(self.computed - self.meant) <= self.tolerance * abs(self.meant):
            known = WITHIN
        else:
            return UNEXPLAINED
        return known if self.corrected is None else WRONG


@dataclass(frozen=True)
class JudgedLine:
    """A line with its cells."""

    line: Line
    cells: tuple[Cell, ...]

    @property
    def mix(self) -> Mapping[str, int]:
        """How many of its cells are of each class that there is."""
        return mixed([cell.verdict for cell in self.cells])

    @property
    def reason(self) -> str:
        """Class by class, why not all is equal; empty if all is."""
        mix, reason = self.mix, self.line.reason
        parts = []
        if WRONG in mix:
            slips = [self.told(cell) for cell in self.cells if cell.verdict == WRONG]
            parts.append(f"{WRONG}, by {self.line.source}: {', '.join(slips[:3])}{' and so on' if slips[3:] else ''}")
        if any(cell.counted and cell.verdict in (WRONG, COUNTED) for cell in self.cells):
            parts.append(f"{COUNTED}: {reason}")
        if WITHIN in mix:
            widest = max(cell.tolerance for cell in self.cells if cell.verdict == WITHIN)
            parts.append(f"within {100 * widest:.2g} %: {reason}")
        if UNEXPLAINED in mix:
            parts.append(f"{UNEXPLAINED}: {reason}" if reason else UNEXPLAINED)
        whys = dict.fromkeys(cell.not_comparable for cell in self.cells if cell.verdict == NOT_COMPARABLE)
        return "; ".join([*parts, *(f"{NOT_COMPARABLE}: {why}" for why in whys)])

    def told(self, cell: Cell) -> str:
        """A slip in print."""
        return f"{value_of(cell, cell.published)} for {value_of(cell, cell.corrected)}"


@dataclass(frozen=True)
class Judgement:
    """An exhibit with the numbers computed for it, and the tables that follow."""

    exhibit: "Exhibit"
    lines: tuple[JudgedLine, ...]
    appendices: Sequence["Appendix"] = ()

    @property
    def cells(self) -> list[Cell]:
        """Of all lines, without the empty ones."""
        return [cell for line in self.lines for cell in line.cells if cell.verdict is not None]

    @property
    def mix(self) -> Mapping[str, int]:
        """How many of its cells are of each class that there is."""
        return mixed([cell.verdict for cell in self.cells])

    @property
    def deviation(self) -> float | None:
        """The largest that nothing but a tolerance accounts for, with its sign; 0 if none does, None if no share."""
        left = [cell for cell in self.cells if cell.verdict in (WITHIN, UNEXPLAINED) and not cell.line.yes_no]
        if not left and any(cell.deviation is not None for cell in self.cells):
            return 0.0
        return max((cell.deviation for cell in left if cell.deviation is not None), key=abs, default=None)

    @property
    def reason(self) -> str:
        """Line by line, why not all is equal."""
        return " ".join(f"{', '.join(labels)}: {reason}." for reason, labels in self.reasons.items())

    @property
    def reasons(self) -> Mapping[str, list[str]]:
        """Why lines are not equal: each reason once, with the lines it holds for."""
        found: dict[str, list[str]] = {}
        for line in self.lines:
            if line.reason:
                found.setdefault(line.reason, []).append(line.line.label)
        return found

    def to_dict(self) -> Mapping[str, object]:
        """The exhibit's object of scorecard.json."""
        return {
            "id": self.exhibit.id,
            "paper": self.exhibit.paper,
            "title": self.exhibit.title,
            "cells": dict(self.mix),
            "deviation": self.deviation,
            "reason": self.reason,
        }


def mixed(verdicts: Sequence[str | None]) -> Mapping[str, int]:
    """How many there are of each class that there is, in the order of the classes."""
    counts = Counter(verdicts)
    return {name: counts[name] for name in CLASSES if counts[name]}


GIVEN = "an input, read back"
OURS = "a question with a threshold of ours; the text gives none"
"""Why numbers are not comparable."""


@dataclass(frozen=True)
class Appendix:
    """A table that belongs to an exhibit and is not judged."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Exhibit:
    """A published table or figure.

    Attributes
    ----------
    id : str
        Document, kind and number: ``wong-table-4.8``.
    title : str
        What it shows.
    columns : sequence of str
        The heads of its columns.
    lines : sequence of Line
        The published numbers.
    compute : callable
        Gives the numbers of every line, by its label.
    note : str
        How the numbers are computed, and what else is to be said.
    draw : callable, optional
        Draws what was judged into a file.
    appendix : callable, optional
        Makes a table that follows.
    readings : callable, optional
        Makes a table of what the text leaves open, which stands before the appendix.
    """

    id: str
    title: str
    columns: Sequence[str]
    lines: Sequence[Line]
    compute: Callable[[], Computed]
    note: str = ""
    draw: Callable[[Judgement, Path], None] | None = None
    appendix: Callable[[], Appendix] | None = None
    readings: Callable[[], Appendix] | None = None

    @property
    def paper(self) -> str:
        """The key of its document."""
        return self.id.partition("-")[0]

    @property
    def appendices(self) -> list[Appendix]:
        """The tables that follow, made."""
        return [make() for make in (self.readings, self.appendix) if make]

    def judge(self, computed: Computed, appendices: Sequence[Appendix] = ()) -> Judgement:
        """Hold computed numbers against the published ones."""
        if set(computed) != {line.label for line in self.lines}:
            raise MeshSimError(f"{self.id} must be computed line by line, not {sorted(computed)}")
        lines = []
        for line in self.lines:
            by_cell = [
                each for each in (line.not_comparable, line.tolerance) if not isinstance(each, (str, int, float))
            ]
            rows = [line.published, computed[line.label], line.corrected, line.counted, *by_cell]
            if {len(row) for row in rows if row is not None} != {len(self.columns)}:
                raise MeshSimError(
                    f"{self.id} must have {len(self.columns)} numbers in every line, not so in {line.label!r}"
                )
            lines.append(JudgedLine(line, tuple(Cell(line, i, each) for i, each in enumerate(computed[line.label]))))
        return Judgement(self, tuple(lines), appendices)


def number(value: float | None) -> str:
    """A number in print, short."""
    if value is None:
        return "-"
    return str(int(value)) if value == int(value) else f"{value:.5g}"


def value_of(cell: Cell, value: float | None) -> str:
    """A number of a cell in print: answers are words."""
    return (
        {0.0: "no", 1.0: "yes"}.get(value, number(value)) if cell.line.yes_no and value is not None else number(value)
    )


def load_exhibits() -> Lazily[Exhibit]:
    """Every exhibit there is a file for, by identifier, in the order of documents and numbers.

    A file is imported when its exhibit is first asked for.
    """
    found: dict[str, str] = {}
    for module in pkgutil.walk_packages(exhibits.__path__, f"{exhibits.__name__}."):
        name = module.name.removeprefix(f"{exhibits.__name__}.")
        if not module.ispkg and not name.startswith("base."):
            found[re.sub(r"(?<=\d)-(?=\d)", ".", re.sub(r"[._]", "-", name))] = module.name
    return Lazily({each: partial(_exhibit, each, found[each]) for each in sorted(found, key=_order)})


def _exhibit(identifier: str, module: str) -> Exhibit:
    """The exhibit of a file."""
    exhibit = getattr(importlib.import_module(module), "EXHIBIT", None)
    file = module.removeprefix(f"{exhibits.__name__}.").replace(".", "/") + ".py"
    if not isinstance(exhibit, Exhibit):
        raise MeshSimError(f"exhibit file {file} must define EXHIBIT, an Exhibit, not {exhibit!r}")
    if exhibit.id != identifier:
        raise MeshSimError(f"exhibit file {file} must define the exhibit {identifier!r}, not {exhibit.id!r}")
    return exhibit


def _order(identifier: str) -> list[tuple[int, str | int]]:
    parts = re.findall(r"\d+|[a-z]+", identifier)
    return [(0, int(part)) if part.isdigit() else (1, part) for part in parts]
