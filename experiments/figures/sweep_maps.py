"""Pictures of a finished sweep: who wins where, how the time grows with one cost, and what more processors gain."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from meshsim.algorithms.robots.catalogue import is_random_chain
from meshsim.experiments.figures.lettering import head, legend_below, panel_title
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.styles import spaced, styles_of
from meshsim.experiments.figures.sweep_panels import (
    Columns,
    first_of_rows,
    only,
    panels_of,
    robot_title,
    robots_of,
)
from meshsim.experiments.figures.sweep_pareto import draw_pareto
from meshsim.experiments.studies.parameters import PARAMETER_NAMES
from meshsim.experiments.studies.sweep_spec import CHOICES, Sweep

FINE = 400
"""A map has about so many points along each axis, unless there are more values: a picture shows no more."""
MOST_SIZES = 8
"""Numbers of joints that are all labelled."""


def axis_label(name: str) -> str:
    """A parameter in print, with its unit."""
    return PARAMETER_NAMES[name] if name == "buffers" else f"{PARAMETER_NAMES[name]}, us"


def in_us(sweep: Sweep, name: str, value: Any) -> float:
    """A parameter's value in us; a number of buffers as it is."""
    return float(value) if name == "buffers" else sweep.machine.microseconds(value)


def _held(columns: Columns, sweep: Sweep, *drawn: str) -> str:
    """The costs that vary in the sweep and not in a picture, with their values, for a title."""
    told = (
        f"; {PARAMETER_NAMES[name]} held at {in_us(sweep, name, columns[name][0].item()):g}"
        f"{'' if name == 'buffers' else ' us'}"
        for name in numeric(sweep)
        if name not in drawn
    )
    return "".join(told)


def _middle(columns: Columns, sweep: Sweep, x: str) -> Columns:
    """The rows along one cost, the others at the middle of their values."""
    for name in sweep.grid:
        if name not in (x, *CHOICES):
            own = np.unique(columns[name])
            columns = only(columns, columns[name] == own[len(own) // 2])
    return columns


def numeric(sweep: Sweep) -> list[str]:
    """The parameters of a grid that have several values along which a picture can be drawn."""
    return [name for name, values in sweep.grid.items() if name not in CHOICES and len(values) > 1]


def drawn_of(sweep: Sweep) -> tuple[str, ...]:
    """The columns that pictures are drawn of."""
    return "scheme", "robot", "n", *sweep.parameters, "processors", "time_us"


def draw_maps(columns: Columns, sweep: Sweep, folder: Path) -> list[Path]:
    """Draw all pictures for which the sweep has what they need; returns the files."""
    along = numeric(sweep)
    files: list[Path] = []
    for title, chosen in _slices(columns, sweep, keep=along[:2] if len(along) >= 2 else along[:1]):
        suffix = f"-{title}" if title else ""
        robots = robots_of(chosen)
        if not robots:  # all were refused there
            continue
        if len(along) >= 2 and len(sweep.schemes) > 1:
            files.append(folder / f"winners{suffix}.png")
            _draw_winners(chosen, sweep, along[0], along[1], title, files[-1])
        if along:
            files.append(folder / f"time{suffix}.png")
            _draw_times(chosen, sweep, along[0], title, files[-1])
        files.append(folder / f"pareto{suffix}.png")
        draw_pareto(chosen, sweep, title, files[-1])
        chains = only(chosen, np.isin(chosen["robot"], [robot for robot in robots if is_random_chain(robot)]))
        if along and len(sweep.schemes) > 1 and len(np.unique(chains["n"])) > 2:
            files.append(folder / f"crossover{suffix}.png")
            _draw_crossover(chains, sweep, along[0], title, files[-1])
    return files


def _slices(columns: Columns, sweep: Sweep, keep: Sequence[str]) -> list[tuple[str, Columns]]:
    """The rows by what takes names, such as disciplines; of other parameters that are not drawn along, those nearest
    to the machine's value.
    """
    for name in sweep.grid:
        if name not in keep and name not in CHOICES:
            own = getattr(sweep.machine.links, name, None)
            own = own if own is not None else sweep.machine.operations.get(name, sweep.machine.kernel_overhead)
            nearest = min(np.unique(columns[name]).tolist(), key=lambda value: (abs(value - own), value))
            columns = only(columns, columns[name] == nearest)
    slices = [("", columns)]  # all of a Latin hypercube: there is nothing to draw along
    for name in CHOICES:
        if len(sweep.grid.get(name, ())) > 1:
            slices = [
                (f"{title}-{each}".lstrip("-"), only(some, some[name] == each))
                for title, some in slices
                for each in sweep.grid[name]
            ]
    return slices


def _along(panel: Any, sweep: Sweep, name: str) -> None:
    """The axis of a parameter: logarithmic where its values are."""
    values = [in_us(sweep, name, each) for each in sweep.grid[name]]
    if min(values) > 0 and max(values) / min(values) >= 50:
        panel.set_xscale("log")
        panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panel.set_xlabel(axis_label(name))


def _draw_winners(columns: Columns, sweep: Sweep, x: str, y: str, title: str, path: Path) -> None:
    """Which scheme is the fastest over the plane of two costs."""
    robots = robots_of(columns)
    figure, panels = panels_of(len(robots), 5.0, 3.6)
    shown: dict[str, Patch] = {}
    styles = styles_of(sweep.schemes)
    xs, ys = np.unique(columns[x]), np.unique(columns[y])
    for panel, robot in zip(panels, robots, strict=True):
        times = np.full((len(sweep.schemes), len(ys), len(xs)), np.nan)
        for place, scheme in enumerate(sweep.schemes):
            mine = only(columns, (columns["robot"] == robot) & (columns["scheme"] == scheme))
            times[place, np.searchsorted(ys, mine[y]), np.searchsorted(xs, mine[x])] = mine["time_us"]
        us_x, fine_x = _refined([in_us(sweep, x, each) for each in xs.tolist()])
        us_y, fine_y = _refined([in_us(sweep, y, each) for each in ys.tolist()])
        fine = np.array([[np.interp(fine_x, us_x, row) for row in each] for each in times])
        fine = np.array([[np.interp(fine_y, us_y, column) for column in each.T] for each in fine]).transpose(0, 2, 1)
        fine = np.nan_to_num(fine, nan=np.inf)  # refused there
        winner = np.where(np.isfinite(fine).any(axis=0), fine.argmin(axis=0), -1)
        for place, scheme in enumerate(sweep.schemes):
            won = (winner == place).astype(float)
            if not won.any():
                continue
            style = styles[scheme]
            area = panel.contourf(fine_x, fine_y, won, levels=[0.5, 1.5], colors=[style.tint], hatches=[style.hatch])
            area.set(edgecolor=style.colour, linewidth=0.0)  # the colour of its hatch
            if not won.all():
                panel.contour(fine_x, fine_y, won, levels=[0.5], colors="black", linewidths=1.0)
            shown[scheme] = Patch(facecolor=style.tint, hatch=style.hatch, edgecolor=style.colour, label=scheme)
            _label_region(panel, fine_x, fine_y, won > 0.5, scheme)
        panel_title(panel, robot_title(columns, robot))
        _along(panel, sweep, x)
    for panel in first_of_rows(panels):
        panel.set_ylabel(axis_label(y))
    told = f"fastest scheme{', ' + title if title else ''}{_held(columns, sweep, x, y)}"
    head(figure, f"{told}; other costs of {sweep.machine.name}", 10.0)
    legend_below(figure, shown, handleheight=1.8, handlelength=3.0)
    save_figure(figure, path)


def _refined(values: Sequence[float]) -> tuple[Any, Any]:
    """Values, and more between them: times are interpolated there, so that regions meet where times are equal."""
    given = np.array(values)
    parts = max(1, min(8, FINE // len(given)))
    steps = np.arange(parts * (len(given) - 1) + 1) / parts
    return given, np.interp(steps, np.arange(len(given)), given)


def _label_region(panel: Any, xs: Sequence[float], ys: Sequence[float], inside: Any, name: str) -> None:
    """Write a name where its region is deepest inside, seen from its edges."""
    depth = _depth(inside)
    if depth.max() < max(9, min(inside.shape) // 44):  # too thin to write in; the legend names it
        return
    rows, columns = np.nonzero(depth == depth.max())
    middle = len(rows) // 2
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85}
    x, y = xs[columns[middle]], ys[rows[middle]]
    share = (x - xs[0]) / (xs[-1] - xs[0])
    side = "left" if share < 0.2 else "right" if share > 0.8 else "center"
    panel.text(x, y, name, ha=side, va="center", fontsize=7, bbox=box, clip_on=True)


def _depth(inside: Any) -> Any:
    """How many steps, along rows and columns, each point is from the nearest that is not inside."""
    depth = np.where(np.pad(inside, 1), sum(inside.shape), 0)
    for _ in range(2):  # along columns, then, turned over, along rows
        place = np.arange(len(depth))[:, None]
        down = np.minimum.accumulate(depth - place, axis=0) + place
        up = (np.minimum.accumulate((depth + place)[::-1], axis=0))[::-1] - place
        depth = np.minimum(down, up).T
    return depth[1:-1, 1:-1]


def _draw_times(columns: Columns, sweep: Sweep, x: str, title: str, path: Path) -> None:
    """Time against one cost; where a line bends, another path has become critical."""
    columns, robots = _middle(columns, sweep, x), robots_of(columns)
    figure, panels = panels_of(len(robots), 6.0, 3.8)
    styles = styles_of(sweep.schemes)
    shown: dict[str, Any] = {}
    for panel, robot in zip(panels, robots, strict=True):
        for number, (scheme, style) in enumerate(styles.items()):
            mine = only(columns, (columns["robot"] == robot) & (columns["scheme"] == scheme))
            if not len(mine[x]):
                continue
            order = np.lexsort((mine["time_us"], mine[x]))
            values, times = mine[x][order].tolist(), mine["time_us"][order].tolist()
            xs = [in_us(sweep, x, each) for each in values]
            every = spaced(number, len(styles), len(xs), 3)
            (shown[scheme],) = panel.plot(xs, times, **style.line(), linewidth=1.2, markersize=4.5, markevery=every)
            bends = bends_of(values, times)
            filled = {**style.marks(), "fillstyle": "full", "markersize": 5.5}
            panel.plot([xs[i] for i in bends], [times[i] for i in bends], **filled)
        panel_title(panel, robot_title(columns, robot))
        _along(panel, sweep, x)
        panel.set_ylim(bottom=0)
        panel.grid(True, linewidth=0.3)
    for panel in first_of_rows(panels):
        panel.set_ylabel("time of a step, us")
    told = f"{'; ' + title if title else ''}{_held(columns, sweep, x)}"
    head(figure, f"filled markers: another path becomes critical{told}; other costs of {sweep.machine.name}", 10.0)
    legend_below(figure, shown)
    save_figure(figure, path)


def bends_of(xs: Sequence[float], ys: Sequence[float]) -> list[int]:
    """The places where a line through points changes its slope."""
    slopes = np.diff(ys) / np.diff(xs)
    bent = np.abs(np.diff(slopes)) > 1e-9 * np.maximum(1.0, np.abs(slopes[:-1]))
    bent[1:] &= ~bent[:-1]
    return list((np.flatnonzero(bent) + 1).tolist())


def _draw_crossover(columns: Columns, sweep: Sweep, x: str, title: str, path: Path) -> None:
    """For which n the first scheme is the fastest, as one cost grows."""
    columns, first = _middle(columns, sweep, x), sweep.schemes[0]
    table: dict[Any, dict[str, float]] = {}
    for *key, scheme, time in zip(*(columns[name].tolist() for name in (x, "n", "scheme", "time_us")), strict=True):
        table.setdefault(tuple(key), {})[scheme] = time
    values, sizes = sorted({value for value, _ in table}), sorted({n for _, n in table})
    last = [fastest_up_to(first, {n: table.get((value, n), {}) for n in sizes}) for value in values]
    figure, (panel,) = panels_of(1, 6.0, 3.6)
    us = [in_us(sweep, x, value) for value in values]
    panel.plot(us, last, color="black", marker="s", markersize=4.5, linewidth=1.0, clip_on=False, zorder=3)
    panel.axhline(sizes[-1], color="#888888", linewidth=0.8, linestyle="--")
    panel.text(us[0], 1.04 * sizes[-1], f"no longer chain was tried than n = {sizes[-1]}; 0: for none", fontsize=7)
    if not any(last):
        winners = {min(times, key=lambda name: times[name]) for (_, n), times in table.items() if n == sizes[0]}
        told = f"{first} is nowhere the fastest;\nof n = {sizes[0]} it is {' or '.join(sorted(winners))}"
        panel.text(0.5, 0.5, told, ha="center", va="center", fontsize=9, transform=panel.transAxes)
    _along(panel, sweep, x)
    panel.set_ylim(0, 1.12 * sizes[-1])
    panel.set_ylabel("joints n")
    panel.yaxis.set_major_locator(FixedLocator([0, *sizes]) if len(sizes) <= MOST_SIZES else MaxNLocator(integer=True))
    panel.grid(True, linewidth=0.3)
    told = f"{'; ' + title if title else ''}{_held(columns, sweep, x)}"
    told = f"up to which n {first} is the fastest{told}; other costs of {sweep.machine.name}"
    panel_title(panel, told, 10.0)
    save_figure(figure, path)


def fastest_up_to(scheme: str, times: Mapping[int, Mapping[str, float]]) -> int:
    """The last n of an unbroken row, from the smallest on, for which a scheme is no slower than any; 0 for none."""
    last = 0
    for n in sorted(times):
        if scheme not in times[n] or times[n][scheme] > min(times[n].values()):
            break
        last = n
    return last
