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
            found |= {f"{name}.{key}": row[key] for key in ("old", "new_over_old", "differs") if key in row}
        return found

    def rows(self) -> list[dict[str, Any]]:
        """A row for each figure; of a comparison, for those that both have."""
        old = None if self.old is None else self.old.figures
        return [
            {"name": name, "figure": figure.median, "spread": figure.spread}
            | ({} if old is None else _compared(figure, old[name]))
            for name, figure in self.figures.items()
            if old is None or name in old
        ]

    def as_text(self) -> str:
        """The table that people read."""
        lines = ["; ".join(f"{key.removeprefix('version.')} {value}" for key, value in self.about.items())]
        wide = max((len(name) for name in self.figures), default=0) + 1
        if self.old is None:
            lines.append(f"{'':<{wide}}{'median':>12}{'spread':>12}")
            lines += [f"{row['name']:<{wide}}{row['figure']:>12.4g}{row['spread']:>12.2g}" for row in self.rows()]
            return "\n".join(lines)
        rows = self.rows()
        lines.append(f"{'':<{wide}}{'old':>12}{'new':>12}{'new/old':>10}")
        lines += [
            f"{row['name']:<{wide}}{row['old']:>12.4g}{row['figure']:>12.4g}{_ratio(row['new_over_old']):>10}"
            f"{'  differs' if row['differs'] else ''}"
            for row in rows
        ]
        differing = sum(row["differs"] for row in rows)
        lines.append(f"{differing} of {len(rows)} figures differ by more than their spreads together")
        alone = len(self.figures.keys() ^ self.old.figures.keys())
        if alone:
            lines.append(f"{alone} figures are on one side only")
        changed = [key for key in self.about if self.old.about.get(key) != self.about[key]]
        if changed:
            lines.append(f"not the same: {', '.join(changed)}")
        return "\n".join(lines)


def _compared(new: Figure, old: Figure) -> dict[str, Any]:
    ratio = new.median / old.median if old.median else None
    return {"old": old.median, "new_over_old": ratio, "differs": new.differs(old)}


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.3f}"


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
            raise MeshSimError(f"{wanted}: {key} must be a number that is not negative, not {found.get(key)!r}")
    figures = {name: Figure(found[name], found[name + SPREAD]) for name in names}
    others = {key.removeprefix(OTHERS): found[key] for key in found if key.startswith(OTHERS)}
    return BenchReport(figures, {key: value for key, value in found.items() if isinstance(value, str)}, others)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


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
        lines += [
            "",
            "Others used the computer meanwhile, so that these figures are doubtful:",
            f"{', '.join(doubtful)}.",
        ]
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
    return f"{figure.median:.4g}" + (f" ± {figure.spread:.2g}" if figure.spread else "")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)
