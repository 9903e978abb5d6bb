"""What `meshsim solvers` finds: the parallel solvers side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meshsim.experiments.reports.result import Result
from meshsim.experiments.studies.solvers import EXPONENTS


@dataclass(frozen=True, repr=False, eq=False)
class SolversReport(Result):
    """A line for each solver; `errors` are by power of ten of the condition number."""

    found: Sequence[dict[str, Any]]

    @property
    def title(self) -> str:
        """How many solvers, for how many unknowns."""
        return f"{len(self.found) - 1} solvers and a dense one, n = {self.found[0]['n']}"

    def to_dict(self) -> Sequence[dict[str, Any]]:
        """The list that `--json` prints."""
        return list(self.found)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each solver and condition number."""
        keys = ("method", "n", "processors", "first_cycle", "last_cycle", "messages")
        return [
            {**{key: line.get(key) for key in keys}, "condition": 10.0**exponent, "error": error}
            for line in self.found
            for exponent, error in zip(EXPONENTS, line["errors"], strict=True)
        ]

    def as_text(self) -> str:
        """The table that people read."""
        header = (
            f"{'method':<16}{'processors':>11}{'first':>7}{'last':>7}{'messages':>10}   error at condition 1e2 .. 1e14"
        )
        n = self.found[0]["n"]
        lines = [f"n = {n}; cycles to the first and the last unknown, one a cell step, divisions not counted", header]
        for line in self.found:
            first, last, messages = (line.get(key, "") for key in ("first_cycle", "last_cycle", "messages"))
            errors = "  ".join(f"{line['errors'][EXPONENTS.index(exponent)]:.0e}" for exponent in (2, 6, 10, 14))
            lines.append(f"{line['method']:<16}{line['processors']:>11}{first:>7}{last:>7}{messages:>10}   {errors}")
        return "\n".join(lines)

    def save_figure(self, path: str | Path) -> None:
        """Draw error against condition number."""
        from meshsim.experiments.figures.conditioning import draw_conditioning

        draw_conditioning(self.found, path)
