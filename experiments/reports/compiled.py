"""What `meshsim compile` shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meshsim.experiments.reports.result import Result


@dataclass(frozen=True, repr=False, eq=False)
class CompileReport(Result):
    """Modules of the engine that are compiled, and the folder that keeps them; no seconds if they were before."""

    modules: Sequence[str]
    folder: str
    seconds: float | None

    @property
    def title(self) -> str:
        """The modules."""
        return f"compiled: {', '.join(self.modules)}"

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        return {"modules": list(self.modules), "folder": self.folder, "seconds": self.seconds}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each module."""
        return [{"module": name, "folder": self.folder} for name in self.modules]

    def as_text(self) -> str:
        """What was done, and what follows."""
        took = "were compiled before" if self.seconds is None else f"are compiled, in {self.seconds:.0f} s"
        return f"{', '.join(self.modules)} {took}; commands use them from now on (MESHSIM_PURE=1: not)"
