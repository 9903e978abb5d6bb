"""What `meshsim reproduce` finds: published claims, recomputed and judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meshsim.experiments.exhibits.base.exhibit import Judgement
from meshsim.experiments.reports.result import Result
from meshsim.experiments.reports.scorecard import NUMBERS, as_text, number_rows, tally


@dataclass(frozen=True, repr=False, eq=False)
class ReproduceReport(Result):
    """The judgements, and the folder with their page."""

    judgements: Sequence[Judgement]
    folder: Path

    @property
    def title(self) -> str:
        """How many cells are of which class."""
        return tally(self.judgements)

    def to_dict(self) -> Sequence[Any]:
        """The list that `--json` prints, as in scorecard.json."""
        return [judgement.to_dict() for judgement in self.judgements]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each number, as in numbers.csv."""
        return [dict(zip(NUMBERS, row, strict=True)) for each in self.judgements for row in number_rows(each)]

    def as_text(self) -> str:
        """The table that people read."""
        folder = self.folder
        page = f"page: {folder / 'scorecard.html'}, and the same as scorecard.md; numbers: {folder / 'numbers.csv'}"
        return f"{as_text(self.judgements)}\n{page}"
