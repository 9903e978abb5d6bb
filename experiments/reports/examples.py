"""What `meshsim example` shows: files to begin with, and where they were copied."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from meshsim.experiments.reports.result import Result


class Example(NamedTuple):
    """Files of `docs/examples` that belong together, the first by name, and a command that takes them."""

    summary: str
    files: tuple[str, ...]
    command: str


@dataclass(frozen=True, repr=False, eq=False)
class ExamplesReport(Result):
    """All examples by name."""

    examples: Mapping[str, Example]

    @property
    def title(self) -> str:
        """How many."""
        return f"{len(self.examples)} examples"

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        return {name: {**each._asdict(), "files": list(each.files)} for name, each in self.examples.items()}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each."""
        return [{"name": name, **each._asdict(), "files": " ".join(each.files)} for name, each in self.examples.items()]

    def as_text(self) -> str:
        """A line for each."""
        return "\n".join(f"{name:<9} {each.summary} ({', '.join(each.files)})" for name, each in self.examples.items())


@dataclass(frozen=True, repr=False, eq=False)
class CopyReport(Result):
    """Where an example was copied, and a command to try there."""

    folder: str
    files: Sequence[str]
    command: str

    @property
    def title(self) -> str:
        """The files."""
        return ", ".join(self.files)

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        return {"files": list(self.files), "command": self.command}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each file."""
        return [{"file": file, "command": self.command} for file in self.files]

    def as_text(self) -> str:
        """What to do next."""
        where = "" if self.folder == "." else f", in {self.folder}"
        return f"files: {', '.join(self.files)}\ntry{where}: {self.command}"
