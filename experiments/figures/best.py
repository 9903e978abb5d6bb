"""The picture of `meshsim best`: time against processors, and against energy, with what nothing else beats."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from meshsim.experiments.figures.axes import count_ticks, log_ticks
from meshsim.experiments.figures.lettering import head, legend_below
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.styles import Style, styles_of
from meshsim.experiments.studies.best import Entry, Search, front_of

FAR = 20
"""A deadline that is so many times the best is not drawn."""
GROUND = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5}
LEFT = 0.4
"""The share of the Pareto set's width from which on names stand left of their marks."""
NAMED = 6
"""So many of the Pareto set are named in the picture."""


def draw_best(search: Search, folder: Path) -> list[Path]:
    """A picture for each machine."""
    files = []
    schemes = list(dict.fromkeys(entry.candidate.scheme for entry in search.entries()))
    looks = {scheme: _mark(scheme, style) for scheme, style in styles_of(schemes).items()}
    for machine in search.question.machines:
        entries = [entry for entry in search.entries(machine) if entry.ticks]
        if not entries:
            continue
        energies = any(entry.energy_nj for entry in entries)
        figure = Figure(figsize=(10.5 if energies else 6.8, 4.8), layout="constrained")
        panels = figure.subplots(1, 2 if energies else 1, squeeze=False)[0]
        _draw(panels[0], entries, search, looks, "processors")
        if energies:
            _draw(panels[1], entries, search, looks, "energy_nj")
        what = f"an integration step of order {search.question.order}" if search.question.order else "one evaluation"
        title = f"{search.question.mechanism.name} on {machine.name}: {what}, every candidate"
        head(figure, title)
        drawn = list(dict.fromkeys(entry.candidate.scheme for entry in entries))
        handles = [Line2D([], [], **looks[each], label=each) for each in drawn]
        handles.append(
            Line2D([], [], color="black", linewidth=1.0, marker="o", markersize=9, fillstyle="none", label="Pareto set")
        )
        legend_below(figure, handles, room=5, handlelength=2.0)
        files.append(folder / f"best-{machine.name}.png")
        save_figure(figure, files[-1])
    return files


def _mark(scheme: str, style: Style) -> dict[str, Any]:
    """As in other pictures, but whole; hollow on one processor."""
    return style.marks() | ({} if scheme.startswith("one-") else {"fillstyle": "full"})


def _draw(axes: Any, entries: Sequence[Entry], search: Search, looks: dict[str, dict[str, Any]], across: str) -> None:
    unit, size = _unit(min(entry.time_us for entry in entries))
    for entry in reversed(entries):
        look = looks[entry.candidate.scheme]
        axes.plot([entry.amount(across)], [entry.time_us / size], **look, markersize=5.0, alpha=0.65)
    front = front_of(entries, across)
    ring: dict[str, Any] = {"marker": "o", "markersize": 11, "fillstyle": "none", "color": "black", "linestyle": "none"}
    for entry in front:
        axes.plot([entry.amount(across)], [entry.time_us / size], **ring)
    axes.plot([each.amount(across) for each in front], [each.time_us / size for each in front],
              color="black", linewidth=1.0, drawstyle="steps-post", zorder=1)  # fmt: skip
    name_front(axes, [(each.candidate.scheme, each.amount(across), each.time_us / size) for each in front[:NAMED]])
    if search.question.deadline is not None:
        _draw_deadline(axes, float(search.question.deadline * 10**6) / size, unit, entries[0].time_us / size)
    axes.set(xscale="log", yscale="log")
    log_ticks(axes.yaxis)
    log_ticks(axes.xaxis)
    if across == "processors":
        count_ticks(axes.xaxis, [entry.processors for entry in entries])
    axes.set_xlabel("processors" if across == "processors" else "energy (nJ)", fontsize=9)
    axes.set_ylabel(f"time ({unit})", fontsize=9)
    axes.tick_params(labelsize=8)
    axes.margins(0.07, 0.1)
    axes.grid(color="#dddddd", linewidth=0.6, which="both")
    axes.set_axisbelow(True)


def name_front(axes: Any, front: Sequence[tuple[str, float, float]]) -> None:
    """Write names beside marks: left of them, but for those near the left edge."""
    amounts = [amount for _, amount, _ in front]
    for number, (name, amount, time) in enumerate(front):
        share = math.log(amount / amounts[0]) / (math.log(amounts[-1] / amounts[0]) or 1.0)
        left, first = share > LEFT, not number
        beside = {"xytext": (-9, -8) if left else (9, -12 if first else 5), "ha": "right" if left else "left"}
        axes.annotate(name, (amount, time), textcoords="offset points", fontsize=8, bbox=GROUND, **beside)


def _draw_deadline(axes: Any, allowed: float, unit: str, best: float) -> None:
    """A line; a word where it would be far from all there is."""
    told, look = f"deadline {allowed:g} {unit}", {"va": "bottom", "fontsize": 8, "color": "#b00020"}
    if allowed > FAR * best:
        axes.annotate(f"{told}, far above", (0.03, 0.94), xycoords="axes fraction", **look)
        return
    axes.axhline(allowed, color="#b00020", linewidth=1.0, linestyle="--")
    axes.annotate(told, (0.03, allowed), xycoords=("axes fraction", "data"), **look)


def _unit(us: float) -> tuple[str, float]:
    """The unit that suits a time, and its microseconds."""
    return ("ms", 1e3) if us >= 1e3 else ("us", 1.0) if us >= 1.0 else ("ns", 1e-3)
