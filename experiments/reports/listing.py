"""What `meshsim list` shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill, shorten
from typing import Any

from meshsim.experiments.reports.result import Result

WIDTH = 110
BRIEF = 2 * 76
"""Characters of the names of a kind, where all kinds are shown."""


@dataclass(frozen=True, repr=False, eq=False)
class ListReport(Result):
    """Names and what they stand for, by kind."""

    sections: Mapping[str, Mapping[str, str]]

    @property
    def title(self) -> str:
        """How many of each."""
        return ", ".join(f"{len(entries)} {kind}" for kind, entries in self.sections.items())

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        return {kind: dict(entries) for kind, entries in self.sections.items()}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each name."""
        return [
            {"kind": kind, "name": name, "summary": summary}
            for kind, entries in self.sections.items()
            for name, summary in entries.items()
        ]

    def as_text(self) -> str:
        """The names of all kinds, or of one with what they stand for."""
        if len(self.sections) > 1:
            lines = [self._brief(kind, list(entries)) for kind, entries in self.sections.items()]
            return "\n".join([*lines, "meshsim list KIND says more of each."])
        ((_, entries),) = self.sections.items()
        return "\n".join(
            fill(f"{name:<21} {summary}", WIDTH, subsequent_indent=" " * 22, break_on_hyphens=False).rstrip()
            for name, summary in entries.items()
        )

    def _brief(self, kind: str, names: list[str]) -> str:
        text = shorten(", ".join(names), BRIEF, placeholder=" ...", break_on_hyphens=False)
        head = f"{kind} ({len(names)}): "
        return fill(head + text, 80, subsequent_indent="  ", break_on_hyphens=False)
