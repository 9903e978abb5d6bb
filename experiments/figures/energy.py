"""The picture of time against energy."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from meshsim.experiments.figures.axes import log_ticks
from meshsim.experiments.figures.lettering import head, legend_below, panel_title
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.styles import styles_of
from meshsim.experiments.store.journal import Row
from meshsim.experiments.store.progress import say
from meshsim.machine import Machine

WIDTH = 7.0
"""Inches: a printed page's."""
MOST_ROBOTS = 4
"""Robots that are all named."""


def draw_energy(rows: Sequence[Row], machines: Sequence[Machine], folder: Path) -> list[Path]:
    """A panel for each machine whose energy is known, with a mark for each row; nothing if there is none."""
    shown = [row for row in rows if row["energy_nj"] is not None and row["time_us"]]
    priced = [machine for machine in machines if any(row["machine"] == machine.name for row in shown)]
    if not priced:
        return []
    figure = Figure(figsize=(WIDTH, 1.3 + 3.2 * len(priced)), layout="constrained")
    styles = styles_of([row["label"] for row in shown])
    for axes, machine in zip(figure.subplots(len(priced), 1, squeeze=False)[:, 0], priced, strict=True):
        for label, style in styles.items():
            mine = [row for row in shown if (row["machine"], row["label"]) == (machine.name, label)]
            points = [row["time_us"] for row in mine], [row["energy_nj"] for row in mine]
            axes.plot(*points, **style.marks(), markersize=5.0)
        panel_title(axes, machine.name, loc="left")
        axes.set(xscale="log", yscale="log")
        log_ticks(axes.xaxis)
        log_ticks(axes.yaxis)
        axes.set_xlabel("time of an evaluation (us)", fontsize=9)
        axes.set_ylabel("energy (nJ)", fontsize=9)
        axes.tick_params(labelsize=8)
        axes.grid(color="#dddddd", linewidth=0.6)
    head(figure, "Time against energy: quick is left, frugal is below")
    handles = [Line2D([], [], **style.marks(), label=label) for label, style in styles.items()]
    robots = list(dict.fromkeys(row["robot"] for row in shown))
    note = f"{', '.join(robots)}: " if len(robots) <= MOST_ROBOTS else ""
    note += "a mark for each robot, number of joints, network and choice of options"
    legend_below(figure, handles, note, most=3, room=3, handlelength=2.0)
    save_figure(figure, folder / "energy.png")
    say(f"figure: {folder / 'energy.png'} ({', '.join(machine.name for machine in priced)})")
    return [folder / "energy.png"]
