"""What a study tells by itself, as a result, with the files that it wrote."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from meshsim.experiments.reports.result import Result, TracedResult
from meshsim.outcome import Run


class Telling(Protocol):
    """A study's own report."""

    def as_json(self) -> Mapping[str, Any]:
        """For programs."""

    def as_text(self) -> str:
        """For people."""


@dataclass(frozen=True, repr=False, eq=False)
class ToldResult(Result):
    """A motion, or torques along one."""

    report: Telling
    files: Sequence[Path] = ()

    @property
    def title(self) -> str:
        """Its first line."""
        return self.report.as_text().partition("\n")[0]

    @property
    def ticks(self) -> int:
        """How many ticks it took, if it says so."""
        return int(self.to_dict()["ticks"])

    @property
    def time_us(self) -> float:
        """The same in microseconds."""
        return float(self.to_dict()["time_us"])

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        return self.report.as_json()

    def rows(self) -> list[dict[str, Any]]:
        """One row: all that is a single number or word."""
        return [{key: value for key, value in self.to_dict().items() if isinstance(value, int | float | str)}]

    def as_text(self) -> str:
        """The page that people read."""
        files = [f"files: {', '.join(map(str, self.files))}"] if self.files else []
        return "\n".join([self.report.as_text(), *files])


@dataclass(frozen=True, repr=False, eq=False)
class RunToldResult(ToldResult, TracedResult):
    """The same, with a run that can be drawn: its first steps, or the first of its torques."""

    traced: Callable[[], Run[Any]] = field(kw_only=True)

    @cached_property
    def runs(self) -> Sequence[tuple[str, Run[Any]]]:
        """The run, made when it is asked for."""
        return [(self.title, self.traced())]
