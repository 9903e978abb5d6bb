"""Pictures of compared robots: times of an evaluation, and with loops how they grow with a message's start-up."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.experiments.figures.axes import log_ticks
from meshsim.experiments.figures.lettering import head, legend_below
from meshsim.experiments.figures.matrix import file_names
from meshsim.experiments.figures.motion import WIDTH
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.styles import series, spaced, styles_of
from meshsim.experiments.store.journal import Row
from meshsim.experiments.studies.compare import Comparison, Point
from meshsim.experiments.studies.layouts import label_of, recorded
from meshsim.machine import Machine
from meshsim.recording import Recording
from meshsim.retiming import retime
from meshsim.sensitivity import with_parameters

FAR = 40
"""Times of which one is so many times another are drawn on a logarithmic axis."""
STARTUPS_US = 200.0
"""As far as start-ups are drawn."""


def draw_robots(rows: Sequence[Row], comparison: Comparison, folder: Path) -> list[Path]:
    """For each robot its evaluations; with loops, over start-ups for each machine whose words take time."""
    files = []
    for robot, name in file_names(rows).items():
        files.append(folder / f"{name}-evaluation.png")
        draw_evaluations([row for row in rows if row["robot"] == robot], comparison.machines, robot, files[-1])
        cases = recorded(comparison, robot) if load_robot(robot).cuts else {}
        for machine in comparison.machines if cases else ():
            if machine.links.discipline != "free":
                files.append(folder / f"{name}-startup-{machine.name}.png")
                draw_startups(cases, robot, machine, files[-1])
    return files


def draw_evaluations(rows: Sequence[Row], machines: Sequence[Machine], robot: str, path: Path) -> None:
    """Bars: a group for each scheme with its options, a bar for each machine."""
    labels = list(dict.fromkeys(label_of(row) for row in rows))
    figure = Figure(figsize=(WIDTH, 1.6 + max(0.32, 0.16 * len(machines)) * len(labels)), layout="constrained")
    axes = figure.subplots()
    height = 0.8 / len(machines)
    shown: dict[str, Any] = {}
    for number, machine in enumerate(machines):
        found = {label_of(row): row for row in rows if row["machine"] == machine.name}
        places = [place + (number - (len(machines) - 1) / 2) * height for place in range(len(labels))]
        style = series(number + 1)
        bars = axes.barh(
            places,
            [found[label]["time_us"] if label in found else np.nan for label in labels],
            height,
            color=style.tint if number else style.colour,
            hatch=style.hatch if number else "",
            edgecolor=style.colour,
            linewidth=0.6,
        )
        shown[machine.name] = bars
        counts = [str(found[label]["processors"]) if label in found else "" for label in labels]
        axes.bar_label(bars, counts, padding=3, fontsize=6.5)
    axes.set_yticks(np.arange(len(labels)), labels, fontsize=8)
    axes.margins(x=0.07)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_xlabel("one evaluation (us)")
    axes.set_ylabel("scheme and options")
    head(figure, f"{Path(robot).name}: one evaluation, by scheme and options; beside bars: processors", 10.0)
    axes.grid(axis="x", color="#dddddd", linewidth=0.5)
    axes.set_axisbelow(True)
    times = [row["time_us"] for row in rows if row["time_us"]]
    if times and max(times) > FAR * min(times):  # else the shortest bars are not to be seen
        axes.set_xscale("log")
        log_ticks(axes.xaxis)
        axes.set_xlim(min(times) / 2, 1.5 * max(times))
    legend_below(figure, shown, handlelength=3.0)
    save_figure(figure, path)


def draw_startups(
    families: Mapping[str, Mapping[str, tuple[Point, Recording]]], robot: str, machine: Machine, path: Path
) -> None:
    """An evaluation over the start-up of a message: one processor is level, several rise."""
    ticks = np.unique(np.linspace(0, STARTUPS_US / machine.microseconds(1), 81).astype(int))
    table = [with_parameters(machine, startup=int(each)) for each in ticks]
    us = ticks * machine.microseconds(1)
    figure = Figure(figsize=(WIDTH, 5.2), layout="constrained")
    axes = figure.subplots()
    drawn = [  # what is complete is close to the star's, and would crowd the picture
        (family, label, dict(point.options), recording)
        for family, cases in families.items()
        for label, (point, recording) in cases.items()
        if dict(point.options)["layout"] != "complete"
    ]
    styles = styles_of([family for family, *_ in drawn])
    for number, (family, label, options, recording) in enumerate(drawn):
        times = retime(recording, table).ticks * machine.microseconds(1)
        dash = {"one": "-"}.get(options["layout"], "--" if options.get("distribution") != "full" else ":")
        look = {**styles[family].line(), "linestyle": dash, "markevery": spaced(number, len(drawn), len(us), 4)}
        axes.plot(us, times, **look, linewidth=1.2, markersize=6.0, label=label)
    axes.axvline(machine.microseconds(machine.links.startup), color="#999999", linewidth=0.8)
    axes.set_xlabel(f"start-up of a message (us); grey: {machine.name}'s own")
    axes.set_ylabel("one evaluation (us)")
    axes.set_ylim(bottom=0)
    axes.set_xlim(0, STARTUPS_US)
    head(figure, f"{Path(robot).name} on {machine.name}: one processor (solid) against a star", 10.0)
    axes.grid(color="#dddddd", linewidth=0.5)
    legend_below(figure, axes.lines[: len(drawn)], room=3)
    save_figure(figure, path)
