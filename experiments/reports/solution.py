"""What `meshsim solve` finds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from meshsim.algorithms.types.arrays import Array, digits, relative_error
from meshsim.experiments.reports.costs import cost_lines, energy_parts, verdict
from meshsim.experiments.reports.network_use import use_of
from meshsim.experiments.reports.phase_bars import timeline
from meshsim.experiments.reports.result import RunResult
from meshsim.experiments.reports.terminal import wrapped
from meshsim.experiments.studies.precision import digit_line
from meshsim.experiments.studies.where import Location
from meshsim.formats import Format
from meshsim.outcome import Run

if TYPE_CHECKING:
    from meshsim.experiments.pages.page import Page


@dataclass(frozen=True, repr=False, eq=False)
class SolveReport(RunResult):
    """A system solved by a parallel method, and the dense solution it is held against.

    Attributes
    ----------
    method, n
        Which solver, and how many unknowns.
    run : Run
        What came out: operations, messages, traffic, trace, critical path.
    reference : array
        What a dense solver finds.
    location : Location or None
        On which network, if not its own.
    format : Format or None
        Of numbers, if one was chosen.
    """

    method: str
    n: int
    run: Run[Array]
    reference: Array
    location: Location | None = None
    format: Format | None = None
    summary: str = ""

    @property
    def error(self) -> float:
        """Largest difference from the dense solution, relative where that exceeds 1."""
        return relative_error(self.run.value, self.reference)

    @property
    def digits(self) -> Mapping[str, float]:
        """How many decimal digits are those of the dense solution."""
        return {"x": digits(self.run.value, self.reference)}

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        run = self.run
        return {
            "method": self.method,
            "n": self.n,
            "machine": run.machine.name,
            "processors": run.processors,
            "x": run.value.tolist(),
            "ticks": run.ticks,
            "first_unknown": run.phases["first_unknown"],
            "last_unknown": run.phases["last_unknown"],
            "operations": dict(run.operations),
            "messages": run.messages,
            "error": self.error,
            "energy_pj": energy_parts(run),
            **({"precision": self.format.name, "digits": dict(self.digits)} if self.format else {}),
            **use_of(run, self.location),
        }

    @property
    def title(self) -> str:
        """Who solved what, where."""
        solved = f"{self.method}: {self.n} unknown{'s' if self.n > 1 else ''} on {self.run.machine.name}"
        count = f"{self.run.processors} processor{'s' if self.run.processors > 1 else ''}"
        return f"{solved}, {count}" + (f" of {self.location.network}" if self.location else "")

    def rows(self) -> list[dict[str, Any]]:
        """One row: who solved, and what it took."""
        us = self.run.machine.microseconds
        return [
            {
                "method": self.method,
                "n": self.n,
                "machine": self.run.machine.name,
                "processors": self.run.processors,
                "ticks": self.ticks,
                "time_us": self.time_us,
                **{f"{phase}_us": us(tick) for phase, tick in self.phases.items()},
                "messages": self.run.messages,
                "words": self.run.words,
                "utilisation": self.run.utilisation,
                "error": self.error,
            }
        ]

    @property
    def _verdict(self) -> str:
        solved = f"{self.method} solves for {self.n} unknown{'s' if self.n > 1 else ''}"
        return verdict(solved, self.run, self.location)

    def page(self, command: str = "") -> "Page":
        """The run as a page."""
        from meshsim.experiments.reports.pages import run_page  # here: it needs matplotlib, which is slow to import

        unknowns = [[f"x{i}", f"{x:.12g}"] for i, x in enumerate(self.run.value, start=1)]
        return run_page(
            self.run,
            command,
            title=self.title,
            verdict=self._verdict,
            summary=f"{self.method}: {self.summary}." if self.summary else self.method,
            phases=self.phases,
            published={},
            error=f"{self.error:.1e}",
            tables=[{"title": "Solution", "heads": ["unknown", "value"], "rows": unknowns}],
            settings=[],
        )

    def as_text(self) -> str:
        """The text that people read."""
        run = self.run
        first, last = (run.machine.as_us(run.phases[f"{which}_unknown"]) for which in ("first", "last"))
        picture = timeline(run, run.phases)
        remarks = [
            f"first unknown after {first}, last after {last}",
            *cost_lines(run, self.location),
            f"difference from a dense solver: {self.error:.1e}",
            *([digit_line(self.format, self.digits, run)] if self.format else []),
        ]
        return "\n".join(
            [
                *wrapped([self._verdict]),
                "",
                *([*picture, ""] if picture else []),
                *(f"x{i:<6}{x:>20.12g}" for i, x in enumerate(run.value, start=1)),
                "",
                *wrapped(remarks),
            ]
        )
