"""What `meshsim bench` measures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from meshsim.experiments.reports.result import Result


@dataclass(frozen=True, repr=False, eq=False)
class BenchReport(Result):
    """Figures by name."""

    figures: Mapping[str, float]

    @property
    def title(self) -> str:
        """How many figures."""
        return f"{len(self.figures)} figures"

    def to_dict(self) -> Mapping[str, float]:
        """The object that `--json` prints."""
        return dict(self.figures)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each figure."""
        return [{"name": name, "figure": figure} for name, figure in self.figures.items()]

    def as_text(self) -> str:
        """The table that people read."""
        return "\n".join(f"{name:<36}{figure:>14.4g}" for name, figure in self.figures.items())
