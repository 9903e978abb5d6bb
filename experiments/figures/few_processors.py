"""Few processors for many bodies: the time of `hybrid` against the number of its pieces."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from meshsim.experiments.figures.axes import log_ticks
from meshsim.experiments.figures.lettering import head, panel_title
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.styles import series
from meshsim.experiments.store.journal import Row
from meshsim.machine import Machine

SCHEME = "hybrid"


def times_by_pieces(rows: Sequence[Row], machine: str) -> dict[int, dict[int, float]]:
    """For each number of joints, the microseconds of every number of pieces that was told."""
    found: dict[int, dict[int, float]] = {}
    for row in rows:
        if row["scheme"] == SCHEME and row["machine"] == machine:
            pieces = dict(word.split("=") for word in row["options"].split()).get("pieces", "auto")
            if pieces != "auto":
                found.setdefault(row["n"], {})[int(pieces)] = row["time_us"]
    return {n: dict(sorted(times.items())) for n, times in sorted(found.items()) if len(times) > 1}


def draw_pieces(rows: Sequence[Row], machines: Sequence[Machine], path: Path) -> None:
    """A panel a machine, a line a number of joints; the quickest number of pieces is filled."""
    figure = Figure(figsize=(7.0, 1.0 + 3.2 * len(machines)), layout="constrained")
    panels = figure.subplots(len(machines), 1, squeeze=False)[:, 0]
    for axes, machine in zip(panels, machines, strict=True):
        found = times_by_pieces(rows, machine.name)
        for place, (n, times) in enumerate(found.items()):
            style = series(place)
            best = min(times, key=lambda pieces: times[pieces])
            axes.plot(list(times), list(times.values()), **style.line(), markersize=5, linewidth=1.2)
            axes.plot([best], [times[best]], **{**style.marks(), "fillstyle": "full"}, markersize=7)
            end = max(times), times[max(times)]
            axes.annotate(f"n = {n}", end, xytext=(6, 0), textcoords="offset points", va="center", fontsize=8)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.margins(x=0.12)
        axes.xaxis.set_major_formatter("{x:.0f}")
        log_ticks(axes.yaxis)
        panel_title(axes, machine.name, loc="left")
        axes.set_xlabel("pieces, a processor each", fontsize=9)
        axes.set_ylabel("whole step (us)", fontsize=9)
        axes.tick_params(labelsize=8)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
    head(figure, "hybrid: few processors for the many bodies of random chains; filled: the quickest")
    save_figure(figure, path)
