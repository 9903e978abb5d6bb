"""An exhibit: a published table or figure, what we compute for it, and the comparison of both.

Published numbers are data, computed ones come from a function, and the verdict follows from the two: it is written
down nowhere. An exhibit is a file in `experiments/exhibits/PAPER/` that defines `EXHIBIT`.
"""

import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from meshsim.errors import MeshSimError
from meshsim.experiments import exhibits

EQUAL, WITHIN, DIFFERS, NOT_REPRODUCIBLE = "equal", "within", "differs", "not-reproducible"
VERDICTS = (EQUAL, WITHIN, DIFFERS, NOT_REPRODUCIBLE)
UNEXPLAINED = "not explained yet"

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
        As printed.
    reason : str
        Why computed numbers differ, or why there are none. Shown only if they do, or there are none.
    corrected : sequence of float, optional
        What should have been printed, where the publication itself says so elsewhere: a printed number that is another
        is a slip, and computed numbers are compared with the corrected one.
    source : str
        Where the corrected numbers come from.
    tolerance : float
        How far a computed number may be from the printed one, as a share of it, to be `within`.
    """

    label: str
    published: Numbers
    reason: str = ""
    corrected: Numbers | None = None
    source: str = "its own formula"
    tolerance: float = 0.0


@dataclass(frozen=True)
class Cell:
    """One number, published and computed."""

    published: float | None
    computed: float | None
    corrected: float | None
    tolerance: float

    @property
    def meant(self) -> float | None:
        """The published number, corrected if it is a slip."""
        return self.published if self.corrected is None else self.corrected

    @property
    def deviation(self) -> float | None:
        """By how much the computed number exceeds the one meant, as a share of it; None where that is no share."""
        if self.meant is None or self.computed is None:
            return None
        if self.computed == self.meant:
            return 0.0
        return (self.computed - self.meant) / abs(self.meant) if self.meant else None

    @property
    def verdict(self) -> str | None:
        """None for an empty cell."""
        if self.published is None:
            return None
        if self.computed is None:
            return NOT_REPRODUCIBLE
        if self.computed == self.meant:
            return EQUAL
        return WITHIN if self.deviation is not None and abs(self.deviation) <= self.tolerance else DIFFERS

    @property
    def slip(self) -> bool:
        """Whether the printed number is not the one meant."""
        return None not in (self.corrected, self.published) and self.corrected != self.published


@dataclass(frozen=True)
class JudgedLine:
    """A line with its cells."""

    line: Line
    cells: tuple[Cell, ...]

    @property
    def verdict(self) -> str:
        """The worst of its cells."""
        return overall([cell.verdict for cell in self.cells])

    @property
    def reason(self) -> str:
        """What was misprinted, and why not all is equal; empty if all is as printed."""
        slips = [f"{number(cell.published)} for {number(cell.corrected)}" for cell in self.cells if cell.slip]
        more = " and so on" if len(slips) > 3 else ""
        parts = [f"misprinted, by {self.line.source}: {', '.join(slips[:3])}{more}"] if slips else []
        verdicts = {cell.verdict for cell in self.cells}
        if DIFFERS in verdicts or self.verdict == NOT_REPRODUCIBLE or NOT_REPRODUCIBLE in verdicts:
            parts.append(self.line.reason or UNEXPLAINED)
        elif WITHIN in verdicts:
            parts.append(
                f"within {100 * self.line.tolerance:g} %" + (f": {self.line.reason}" if self.line.reason else "")
            )
        return "; ".join(parts)


@dataclass(frozen=True)
class Judgement:
    """An exhibit with the numbers computed for it."""

    exhibit: "Exhibit"
    lines: tuple[JudgedLine, ...]

    @property
    def verdict(self) -> str:
        """The worst of its lines; not reproducible only if none is."""
        return overall([cell.verdict for line in self.lines for cell in line.cells])

    @property
    def deviation(self) -> float | None:
        """The largest of its cells, with its sign."""
        cells = [cell for line in self.lines for cell in line.cells]
        largest = max((cell.deviation for cell in cells if cell.deviation is not None), key=abs, default=None)
        if not largest and any(cell.verdict == DIFFERS for cell in cells):  # from nothing, of which there is no share
            return None
        return largest

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

    @property
    def tally(self) -> str:
        """How many of its numbers got which verdict."""
        verdicts = [cell.verdict for line in self.lines for cell in line.cells]
        counts = [f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in verdicts]
        return ", ".join(counts) or "none in print"

    def to_dict(self) -> Mapping[str, object]:
        """The exhibit's object of scorecard.json."""
        return {
            "id": self.exhibit.id,
            "title": self.exhibit.title,
            "verdict": self.verdict,
            "deviation": self.deviation,
            "reason": self.reason,
        }


def overall(verdicts: Sequence[str | None]) -> str:
    """The worst verdict; not reproducible only if nothing is."""
    known = {verdict for verdict in verdicts if verdict is not None}
    return next((verdict for verdict in (DIFFERS, WITHIN, EQUAL) if verdict in known), NOT_REPRODUCIBLE)


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
    def appendices(self) -> list[Appendix]:
        """The tables that follow, made."""
        return [make() for make in (self.readings, self.appendix) if make]

    def judge(self, computed: Computed) -> Judgement:
        """Hold computed numbers against the published ones."""
        if set(computed) != {line.label for line in self.lines}:
            raise MeshSimError(f"{self.id} must be computed line by line, not {sorted(computed)}")
        lines = []
        for line in self.lines:
            corrected = line.corrected or [None] * len(self.columns)
            rows = line.published, computed[line.label], corrected
            if {len(row) for row in rows} != {len(self.columns)}:
                raise MeshSimError(
                    f"{self.id} must have {len(self.columns)} numbers in every line, not so in {line.label!r}"
                )
            lines.append(JudgedLine(line, tuple(Cell(*each, line.tolerance) for each in zip(*rows, strict=True))))
        return Judgement(self, tuple(lines))


def number(value: float | None) -> str:
    """A number in print, short."""
    if value is None:
        return "-"
    return str(int(value)) if value == int(value) else f"{value:.5g}"


def load_exhibits() -> Mapping[str, Exhibit]:
    """Every exhibit there is a file for, by identifier, in the order of documents and numbers."""
    found: dict[str, Exhibit] = {}
    for module in pkgutil.walk_packages(exhibits.__path__, f"{exhibits.__name__}."):
        name = module.name.removeprefix(f"{exhibits.__name__}.").replace(".", "/")
        if module.ispkg or name.startswith("base/"):
            continue
        exhibit = getattr(importlib.import_module(module.name), "EXHIBIT", None)
        if not isinstance(exhibit, Exhibit):
            raise MeshSimError(f"exhibit file {name}.py must define EXHIBIT, an Exhibit, not {exhibit!r}")
        if exhibit.id in found:
            raise MeshSimError(f"exhibit file {name}.py must have an identifier of its own, not {exhibit.id!r} again")
        found[exhibit.id] = exhibit
    return dict(sorted(found.items(), key=lambda item: _order(item[0])))


def _order(identifier: str) -> list[tuple[int, str | int]]:
    parts = re.findall(r"\d+|[a-z]+", identifier)
    return [(0, int(part)) if part.isdigit() else (1, part) for part in parts]
