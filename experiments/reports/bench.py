"""What `meshsim bench` measures: figures as text, as JSON that can be read again, and on a page."""

import json
import math
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from meshsim.errors import MeshSimError
from meshsim.experiments.reports.result import Result
from meshsim.experiments.store.files import check_writable, whole_file
from meshsim.experiments.studies.bench.measuring import DOUBTFUL, Figure

SPREAD, OTHERS = ".spread", "others."
"""Ends the name of a figure's spread; begins that of what others did while something was measured."""
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
"""The marks on a page."""


@dataclass(frozen=True, repr=False, eq=False)
class BenchReport(Result):
    """Figures by name.

    Attributes
    ----------
    figures : mapping of str to Figure
        Each with its median and its spread over repeats.
    about : mapping of str to str
        The computer's processor, and versions.
    others : mapping of str to float
        How many processors others kept busy while something was measured, where that can be seen.
    missing : tuple of str
        Measurements that were not measured, because of an interrupt.
    old : BenchReport, optional
        What it is compared with.
    """

    figures: Mapping[str, Figure]
    about: Mapping[str, str]
    others: Mapping[str, float]
    missing: tuple[str, ...] = ()
    old: Optional["BenchReport"] = None

    @property
    def title(self) -> str:
        """How many figures."""
        return f"{len(self.figures)} figures"

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints: flat."""
        found: dict[str, Any] = dict(self.about)
        found |= {OTHERS + label: share for label, share in self.others.items()}
        for row in self.rows():
            name = row["name"]
            found |= {name: row["figure"], name + SPREAD: row["spread"]}
            beside = {key: row.get(key) for key in ("old", "new_over_old", "differs")}
            found |= {f"{name}.{key}": value for key, value in beside.items() if value is not None}
        return found

    def rows(self) -> list[dict[str, Any]]:
        """A row for each figure; of a comparison, with the older one, if there is one."""
        found: list[dict[str, Any]] = []
        for name, figure in self.figures.items():
            found.append({"name": name, "figure": figure.median, "spread": figure.spread})
            if self.old is not None:
                found[-1] |= _compared(figure, self.old.figures.get(name))
        return found

    def as_text(self) -> str:
        """The table that people read."""
        about = "; ".join(f"{key.removeprefix('version.')} {value}" for key, value in self.about.items())
        return "\n".join([about, *(self._table() if self.old is None else self._comparison(self.old))])

    def _table(self) -> list[str]:
        lines = [_line("", "median", "spread")]
        return lines + [_line(name, _median(each), _shown(each.spread, 2)) for name, each in self.figures.items()]

    def _comparison(self, old: "BenchReport") -> list[str]:
        rows = [row for row in self.rows() if row["old"] is not None]
        lines = [_line("", "old", "new", "new/old")]
        for row in rows:
            ratio = "" if row["new_over_old"] is None else f"{row['new_over_old']:.3f}"
            numbers = (_shown(row["old"]), _shown(row["figure"]), ratio)
            lines.append(_line(row["name"], *numbers) + ("  differs" if row["differs"] else ""))
        differing = sum(row["differs"] for row in rows)
        lines.append(f"{differing} of {len(rows)} figures differ by more than their spreads together")
        alone = len(self.figures.keys() ^ old.figures.keys())
        if alone:
            lines.append(f"on one side only: {alone} figures")
        changed = [key for key in self.about if old.about.get(key) != self.about[key]]
        if changed:
            lines.append(f"not the same: {', '.join(changed)}")
        return lines


def _line(name: str, *cells: str) -> str:
    return f"{name:<44}" + "".join(f"{cell:>12}" for cell in cells)


def _shown(value: float, digits: int = 4) -> str:
    """A number as people read it, of a few digits."""
    if abs(value) < min(1000, 10 ** (digits - 1)):
        return f"{value:.{digits}g}"
    return f"{float(f'{value:.{digits}g}'):,.0f}"


def _median(figure: Figure) -> str:
    """What every repeat gave alike has more digits."""
    return _shown(figure.median, 4 if figure.spread else 7)


def _compared(new: Figure, old: Figure | None) -> dict[str, Any]:
    if old is None:
        return dict.fromkeys(("old", "new_over_old", "differs"))
    ratio = new.median / old.median if old.median else None
    return {"old": old.median, "new_over_old": ratio, "differs": new.differs(old)}


def read_figures(path: Path) -> BenchReport:
    """What `--json` printed."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MeshSimError(f"cannot read {str(path)!r}: {error.strerror}") from None
    except ValueError:
        found = None
    wanted = f"{str(path)!r} must be what meshsim bench --json prints"
    if not isinstance(found, dict):
        raise MeshSimError(f"{wanted}: a JSON object, and not something else")
    names = [name.removesuffix(SPREAD) for name in found if name.endswith(SPREAD)]
    if not names:
        raise MeshSimError(f"{wanted}: figures with their spreads, not an object without any")
    numbers = [key for name in names for key in (name, name + SPREAD)] + [
        key for key in found if key.startswith(OTHERS)
    ]
    for key in numbers:
        if not _is_number(found.get(key)):
            raise MeshSimError(f"{wanted}: {key} must be a finite number, not {repr(found.get(key))[:40]}")
        if key.endswith(SPREAD) and found[key] < 0:
            raise MeshSimError(f"{wanted}: {key} must be 0 or more, not {found[key]}")
    figures = {name: Figure(found[name], found[name + SPREAD]) for name in names}
    others = {key.removeprefix(OTHERS): found[key] for key in found if key.startswith(OTHERS)}
    return BenchReport(figures, {key: value for key, value in found.items() if isinstance(value, str)}, others)


def _is_number(value: object) -> bool:
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


# On a page


def check_page(path: Path) -> None:
    """Refuse, before any work, a page that cannot take figures."""
    check_writable(path)
    _split(path)


def _split(path: Path) -> tuple[str, str]:
    """What a page has before its figures, and after them."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it must be text"
        raise MeshSimError(f"cannot read {str(path)!r}: {reason}") from None
    before, begin, rest = text.partition(BEGIN + "\n")
    _, end, after = rest.partition(END + "\n")
    if not (begin and end):
        raise MeshSimError(f"{str(path)!r} must have the lines {BEGIN} and {END}, between which figures go")
    return before, after


def write_page(path: Path, report: BenchReport, says: Mapping[str, str]) -> None:
    """Put figures between the marks of a page; `says` tells of each bench what its figures are."""
    before, after = _split(path)
    with whole_file(path) as temporary:
        middle = "\n".join([BEGIN, *_lines(report, says), END, ""])
        temporary.write_text(before + middle + after, encoding="utf-8")


def _lines(report: BenchReport, says: Mapping[str, str]) -> list[str]:
    """A table of what was measured on, and one for each bench."""
    lines = ["", "| measured on | |", "|---|---|"]
    lines += [f"| {key.removeprefix('version.')} | {value} |" for key, value in report.about.items()]
    doubtful = [label for label, share in report.others.items() if share > DOUBTFUL]
    if doubtful:
        text = f"Others used the computer meanwhile, so that these figures are doubtful: {', '.join(doubtful)}."
        lines += ["", *_wrapped(text)]
    for bench, text in says.items():
        figures = {name: figure for name, figure in report.figures.items() if name.partition(".")[0] == bench}
        if figures:
            lines += ["", f"## {bench}", "", *_wrapped(text), "", *_table(figures)]
    return [*lines, ""]


def _table(figures: Mapping[str, Figure]) -> list[str]:
    """The last word of a name is the column, what stands between it and the bench's the row."""
    cells: dict[str, dict[str, Figure]] = {}
    for name, figure in figures.items():
        row, _, column = name.partition(".")[2].rpartition(".")
        cells.setdefault(row, {})[column] = figure
    columns = list(dict.fromkeys(column for row in cells.values() for column in row))
    lines = [f"| | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for row, found in cells.items():
        shown = [_cell(found[column]) if column in found else "" for column in columns]
        lines.append(f"| {row} | {' | '.join(shown)} |")
    return lines


def _cell(figure: Figure) -> str:
    return _median(figure) + (f" ± {_shown(figure.spread, 2)}" if figure.spread else "")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)
