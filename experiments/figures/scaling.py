"""Pictures of strong scaling: time, speed-up and efficiency over the number of processors."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from meshsim.experiments.figures.compare import ONE, charged
from meshsim.experiments.figures.lettering import head, legend_below, panel_title
from meshsim.experiments.figures.matrix import file_names
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.styles import ALONE, THIN, Style, styles_of
from meshsim.experiments.store.journal import Row
from meshsim.experiments.studies.scaling import Curves, curves_of
from meshsim.experiments.studies.where import OWN_NETWORK
from meshsim.machine import Machine

WIDTH = 10.0
"""Inches: three panels side by side."""


def draw_scaling(rows: Sequence[Row], machines: Sequence[Machine], folder: Path) -> list[Path]:
    """A picture for each robot and family, with a row of panels for each machine."""
    found, names = list(curves_of(rows)), file_names(rows)
    files = []
    for robot, network in dict.fromkeys((each.robot, each.network) for each in found):
        mine = [each for each in found if (each.robot, each.network) == (robot, network)]
        figure = Figure(figsize=(WIDTH, 1.5 + 2.7 * len(mine)), layout="constrained")
        panels = figure.subplots(len(mine), 3, squeeze=False)
        styles = styles_of([label for each in mine for label in each.by_scheme])
        for line, curves in zip(panels, mine, strict=True):
            machine = next(each for each in machines if each.name == curves.machine)
            _draw_row(line, curves, machine, styles)
        shown = Path(network).name
        head(figure, f"{names[robot]} on more and more processors, {shown}")
        handles = [Line2D([], [], label=label, **style.line()) for label, style in styles.items()]
        handles += [Line2D([], [], **ONE), Line2D([], [], color=ALONE, linestyle="--", label="ideal speed-up")]
        note = "filled, at own: on the scheme's own network, with as many processors as it has"
        legend_below(figure, handles, note, room=4)
        files.append(folder / f"scaling-{names[robot]}-{shown.replace(':', '-')}.png")
        save_figure(figure, files[-1])
    return files


def _draw_row(line: Any, curves: Curves, machine: Machine, styles: Mapping[str, Style]) -> None:
    """Time, speed-up and efficiency on one machine."""
    counts = curves.counts
    apart = counts[-1] + max(1.0, 0.09 * (counts[-1] - counts[0]))  # where marks of own networks stand
    for axes, column in zip(line, ("time_us", "speedup", "efficiency"), strict=True):
        for label, rows in curves.by_scheme.items():
            style, ordered = styles[label], sorted(rows)
            axes.plot(ordered, [rows[each][column] for each in ordered], **style.line(), **THIN)
            if label in curves.own:
                axes.plot([apart], [curves.own[label][column]], **{**style.marks(), "fillstyle": "full"}, **THIN)
        axes.axvline((apart + counts[-1]) / 2, color="#999999", linewidth=0.6)
        _finish(axes, counts, apart)
    time, speedup, efficiency = line
    one = next(iter(next(iter(curves.by_scheme.values())).values()))
    time.axhline(one["baseline_us"], color=ALONE, linewidth=1.4, zorder=1)
    speedup.axhline(1.0, color=ALONE, linewidth=1.4, zorder=1)
    top = 1.08 * max(speedup.get_ylim()[1], 1.0)
    speedup.plot([counts[0], counts[-1]], [counts[0], counts[-1]], color=ALONE, linestyle="--", zorder=1)
    speedup.set_ylim(0.0, top)  # the ideal leaves the picture soon
    panel_title(time, f"{machine.name}: {charged(machine)}", loc="left")
    time.set_ylabel("one evaluation (us)", fontsize=9)
    speedup.set_ylabel(f"speed-up over {one['baseline']} on one", fontsize=8)
    efficiency.set_ylabel("speed-up / processors", fontsize=9)


def _finish(axes: Any, counts: Sequence[int], apart: float) -> None:
    wanted = MaxNLocator(6, integer=True).tick_values(counts[0], counts[-1])
    ticks = [tick for tick in wanted if counts[0] <= tick <= counts[-1]]
    axes.set_xticks([*ticks, apart], [*(f"{tick:g}" for tick in ticks), OWN_NETWORK])
    axes.set_xlabel("processors", fontsize=9)
    axes.set_ylim(bottom=0.0)
    axes.tick_params(labelsize=8)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
