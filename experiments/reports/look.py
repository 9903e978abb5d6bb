"""What there is to see of a run of one's own programs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from meshsim.algorithms.schemes.base.scheme import main_phases
from meshsim.experiments.reports.costs import cost_lines, energy_parts, path_ticks, verdict
from meshsim.experiments.reports.phase_bars import timeline
from meshsim.experiments.reports.result import RunResult
from meshsim.experiments.reports.terminal import wrapped
from meshsim.outcome import Run

if TYPE_CHECKING:
    from meshsim.experiments.pages.page import Page


@dataclass(frozen=True, repr=False, eq=False)
class LookReport(RunResult):
    """A run under a name: its times and costs, pictures, traces and page.

    Attributes
    ----------
    name : str
        What it is called in print.
    run : Run
        What came out.
    """

    name: str
    run: Run[Any]

    @property
    def title(self) -> str:
        """Its name, and on what it ran."""
        return f"{self.name} on {self.run.machine.name}, {self.run.processors} processors"

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        run = self.run
        return {
            **self.rows()[0],
            "phases": dict(run.phases),
            "operations": dict(run.operations),
            "critical_path": path_ticks(run),
            "energy_pj": energy_parts(run),
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        run = self.run
        return [
            {
                "name": self.name,
                "machine": run.machine.name,
                "processors": run.processors,
                "ticks": self.ticks,
                "time_us": self.time_us,
                "messages": run.messages,
                "words": run.words,
                "utilisation": run.utilisation,
            }
        ]

    def page(self, command: str = "") -> "Page":
        """The run as a page."""
        from meshsim.experiments.reports.pages import run_page  # here: it needs matplotlib, which is slow to import

        return run_page(self.run, command, self.title, self._verdict, phases=main_phases(self.run.phases))

    def as_text(self) -> str:
        """The text that people read."""
        picture = timeline(self.run, self.run.phases)
        return "\n".join([*wrapped([self._verdict]), "", *picture, *wrapped(cost_lines(self.run))])

    @property
    def _verdict(self) -> str:
        return verdict(f"{self.name} ends", self.run)
