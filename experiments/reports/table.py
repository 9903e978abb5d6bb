"""What long work finds that fills a folder: a table, what is to be said of it, and files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meshsim.experiments.reports.result import Result
from meshsim.machine import Machine

if TYPE_CHECKING:
    from meshsim.experiments.pages.page import Page

MOST_FIGURES = 2
"""A notebook shows so many figures."""


@dataclass(frozen=True, repr=False, eq=False)
class TableReport(Result):
    """A table in a folder.

    Attributes
    ----------
    verb : str
        What made it.
    found : sequence of mappings
        Its rows.
    lines : sequence of str
        What is to be said of it.
    table : path
        Its file.
    figures : sequence of path
        What was drawn of it.
    refused : sequence of mappings
        Who took no part, and why: robot, scheme, and what it was refused with.
    machines : sequence of Machine
        On which it was computed, where curves can be drawn of it.
    seed : int, optional
        Of what was drawn by chance.
    """

    verb: str
    found: Sequence[Mapping[str, Any]]
    lines: Sequence[str]
    table: Path
    figures: Sequence[Path]
    refused: Sequence[Mapping[str, Any]] = ()
    machines: Sequence[Machine] = ()
    seed: int | None = None

    def page(self, command: str = "") -> "Page":
        """The table as a page, with curves where it has any."""
        from meshsim.experiments.reports.pages import table_page  # here: it needs matplotlib, which is slow to import

        return table_page(self.title, self.rows(), self.as_text(), self.machines, self.seed, command)

    @property
    def title(self) -> str:
        """How many rows, and where."""
        return f"{self.verb}, {len(self.found)} rows in {self.table}"

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        return {
            "rows": self.rows(),
            "remarks": list(self.lines),
            "refused": [dict(row) for row in self.refused],
            "table": str(self.table),
            "figures": [str(path) for path in self.figures],
        }

    def rows(self) -> list[dict[str, Any]]:
        """The table; what a row has nothing of is None."""
        heads = list(dict.fromkeys(key for row in self.found for key in row))
        return [{head: row.get(head) for head in heads} for row in self.found]

    def _pictures(self) -> Iterable[bytes]:
        """The first figures."""
        drawn = [path for path in self.figures if path.suffix == ".png" and path.is_file()]
        return [path.read_bytes() for path in drawn[:MOST_FIGURES]]

    def as_text(self) -> str:
        """What is to be said of it, and where the files are."""
        figures = ", ".join(map(str, self.figures)) or "none: there is no parallel scheme to draw"
        return "\n".join([*self.lines, f"table: {self.table}", f"figures: {figures}"])


class SweepReport(TableReport):
    """A table of machines, with maps."""

    def rows(self) -> list[dict[str, Any]]:
        """The table, which has all columns in every row."""
        return list(map(dict, self.found))

    def as_text(self) -> str:
        """How much there is, and where."""
        head = f"{len(self.found)} rows: {self.table}\nmaps: {', '.join(map(str, self.figures))}"
        return "\n".join([head, *self.lines])
