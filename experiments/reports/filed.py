"""What a study finds that fills a folder: its own report as a result, with the files and a traced run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from meshsim.experiments.reports.result import TracedResult
from meshsim.outcome import Run

if TYPE_CHECKING:
    from meshsim.experiments.pages.page import Page


class Report(Protocol):
    """A study's own report."""

    @property
    def title(self) -> str:
        """What it is."""

    def to_dict(self) -> Mapping[str, Any]:
        """For programs; has `ticks` and `time_us`."""

    def rows(self) -> list[dict[str, Any]]:
        """For data frames."""

    def as_text(self) -> str:
        """For people."""


@dataclass(frozen=True, repr=False, eq=False)
class FiledResult(TracedResult):
    """A motion, or torques along one; `trace` runs a part of it that can be drawn."""

    study: Report
    files: Sequence[Path]
    trace: Callable[[], Run[Any]]

    @property
    def title(self) -> str:
        """Who computed what, where."""
        return self.study.title

    @property
    def ticks(self) -> int:
        """How many ticks it took."""
        return int(self.to_dict()["ticks"])

    @property
    def time_us(self) -> float:
        """The same in microseconds."""
        return float(self.to_dict()["time_us"])

    @property
    def phases(self) -> Mapping[str, int]:
        """When each phase ended of the part that can be drawn, in ticks."""
        return self.runs[0][1].phases

    @cached_property
    def runs(self) -> Sequence[tuple[str, Run[Any]]]:
        """The part that can be drawn."""
        return [(self.title, self.trace())]

    def page(self, command: str = "") -> "Page":
        """What moves, where that is known, and the part that can be played."""
        from meshsim.experiments.reports.pages import filed_page  # here: it needs matplotlib, which is slow to import

        return filed_page(self.study, self.runs[0][1], command)

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        return self.study.to_dict()

    def rows(self) -> list[dict[str, Any]]:
        """A row for each time and joint."""
        return self.study.rows()

    def as_text(self) -> str:
        """The text that people read."""
        return f"{self.study.as_text()}\nfiles: {', '.join(map(str, self.files))}"
