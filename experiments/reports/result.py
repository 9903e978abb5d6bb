"""What every command and every function of the front door gives back."""

from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from meshsim.energy import Energy
from meshsim.errors import MeshSimError
from meshsim.experiments.store.animations import FRAMES
from meshsim.experiments.traces.endings import write_trace
from meshsim.garbage import collector_at_rest

if TYPE_CHECKING:
    from meshsim.experiments.pages.display import Shown
    from meshsim.experiments.pages.page import Page
    from meshsim.outcome import Run

MOST_ROWS = 20
"""A notebook shows so many rows of a table."""


class Result(ABC):
    """A result, for programs, people, data frames and notebooks."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is, in a few words."""

    @abstractmethod
    def to_dict(self) -> Mapping[str, Any] | Sequence[Any]:
        """The object that `--json` prints."""

    @abstractmethod
    def as_text(self) -> str:
        """The text that people read."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Flat rows, all with the same keys, for a data frame."""

    def page(self, command: str = "") -> "Page":
        """What its page for a browser holds; `command` is what made it."""
        from meshsim.experiments.reports.pages import plain_page  # here: it needs matplotlib, which is slow to import

        return plain_page(self.title, self.rows(), command)

    def report(self, path: str | Path, command: str = "") -> None:
        """Write a page for a browser: one file that needs nothing else.

        Parameters
        ----------
        path : str or path
            The file, which must end with .html.
        command : str
            What made it, for the page's last lines.
        """
        from meshsim.experiments.pages.page import save_page

        with collector_at_rest():
            save_page(self.page(command), path)

    def show(self, height: int = 900) -> "Shown":
        """The same page in the cell of a notebook.

        Parameters
        ----------
        height : int
            Of the cell, in pixels.
        """
        from meshsim.experiments.pages.display import Shown
        from meshsim.experiments.pages.page import as_html

        with collector_at_rest():
            return Shown(as_html(self.page("")), height)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        rows = self.rows()
        if len(rows) == 1:
            table = "".join(f"<tr><th>{_cell(key)}</th><td>{_cell(value)}</td></tr>" for key, value in rows[0].items())
        else:
            lines = [[f"<td>{_cell(value)}</td>" for value in row.values()] for row in rows[:MOST_ROWS]]
            heads = [f"<th>{_cell(key)}</th>" for key in rows[0]] if rows else []
            table = "".join(f"<tr>{''.join(line)}</tr>" for line in [heads, *lines])
        more = f"<p>and {len(rows) - MOST_ROWS} more</p>" if len(rows) > MOST_ROWS else ""
        shown = "".join(map(_image, self._pictures()))
        return f"<table><caption>{escape(self.title)}</caption>{table}</table>{more}{shown}"

    def _pictures(self) -> Iterable[bytes]:
        """What a notebook shows below the table, as png."""
        return ()


class TracedResult(Result):
    """A result with traced runs behind it, which can be drawn and written out."""

    @property
    @abstractmethod
    def runs(self) -> Sequence[tuple[str, "Run[Any]"]]:
        """The runs, each with what to call it."""

    def page(self, command: str = "") -> "Page":
        """The runs as a page."""
        from meshsim.experiments.reports.pages import traced_page  # here: it needs matplotlib, which is slow to import

        return traced_page(self.title, self.runs, self.rows(), self.as_text(), command)

    def plot_gantt(self, ax: Any = None) -> Any:
        """Draw what every processor did when.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; as many as there are runs, if there are several. Without it, on new figures.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on; a list, if there are several runs.
        """
        from meshsim.experiments.figures.gantt import show_gantt

        if len(self.runs) == 1:
            ((title, run),) = self.runs
            return show_gantt(run, title, ax)
        places = [None] * len(self.runs) if ax is None else ax
        return [show_gantt(run, title, place) for place, (title, run) in zip(places, self.runs, strict=True)]

    def save_gantt(self, path: str | Path) -> None:
        """Draw the same to a file whose ending names the format, several runs one above the other."""
        from meshsim.experiments.figures.gantt import save_gantt

        save_gantt(self.runs, path)

    def animate(self, path: str | Path, frames: int = FRAMES) -> None:
        """Draw the network with what its processors do and messages that move.

        Parameters
        ----------
        path : str or path
            A file that ends with .gif or .mp4; the latter takes the program ffmpeg.
        frames : int
            How many pictures it has at most, each of one tick; 15 a second, or fewer if there are less than 120.
        """
        from meshsim.experiments.figures.animation import save_animation

        if len(self.runs) > 1:
            raise MeshSimError(f"an animation must be of one run, not of {len(self.runs)}")
        ((title, run),) = self.runs
        save_animation(run, title, path, frames)

    def _pictures(self) -> Iterable[bytes]:
        """What every processor did when."""
        if all(run.traced and run.ticks for _, run in self.runs):
            with TemporaryDirectory() as folder:
                self.save_gantt(f"{folder}/gantt.png")
                yield Path(folder, "gantt.png").read_bytes()

    def save_trace(self, path: str | Path) -> None:
        """Write every compute span, message and wait, as tables or for viewers of traces.

        Parameters
        ----------
        path : str or Path
            A file that ends with .csv, .parquet, .json (Chrome's trace events) or .pftrace (Perfetto's). Several runs
            go into the one file: tables have a column for them, viewers show them as processes.
        """
        write_trace(self.runs, path)


class RunResult(TracedResult):
    """A result of one run."""

    run: "Run[Any]"

    @property
    def runs(self) -> Sequence[tuple[str, "Run[Any]"]]:
        """The one run."""
        return [(self.title, self.run)]

    @property
    def value(self) -> Any:
        """What was computed: the numbers that travelled over the links."""
        return self.run.value

    @property
    def ticks(self) -> int:
        """When the last processor finished."""
        return self.run.ticks

    @property
    def time_us(self) -> float:
        """The same in microseconds."""
        return self.run.machine.microseconds(self.run.ticks)

    @property
    def energy(self) -> Energy | None:
        """What it cost in energy, by what was paid for; None where the machine does not say."""
        return self.run.energy

    @property
    def phases(self) -> Mapping[str, int]:
        """The tick at which the last processor ended each phase, in order of time."""
        return self.run.phases

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}, {self.time_us:.{self.run.machine.decimals}f} us>"


def _image(png: bytes) -> str:
    return f'<img style="max-width: 100%" src="data:image/png;base64,{b64encode(png).decode("ascii")}"/>'


def _cell(value: object) -> str:
    if isinstance(value, float):
        value = f"{value:.6g}"
    return escape(str(value))
