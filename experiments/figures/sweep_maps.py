"""Pictures of a finished sweep: who wins where, how the time grows with one cost, and what more processors gain."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median_low
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from meshsim.algorithms.robots.catalogue import is_random_chain
from meshsim.algorithms.robots.reduced import split_text
from meshsim.experiments.figures.compare import STYLES
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.store.journal import Row
from meshsim.experiments.studies.parameters import PARAMETER_NAMES
from meshsim.experiments.studies.sweep_spec import CHOICES, Sweep

FILLS = (
    ("#f6f1dc", ""),
    ("#cfe3f3", "///"),
    ("#f6d9c3", "..."),
    ("#d8ead5", "\\\\\\"),
    ("#ead7ea", "xxx"),
    ("#eeeeee", "---"),
)
"""Colours light enough to write on, and hatches that distinguish regions without them."""


def axis_label(name: str) -> str:
    """A parameter in print, with its unit."""
    return PARAMETER_NAMES[name] if name == "buffers" else f"{PARAMETER_NAMES[name]}, us"


def in_us(sweep: Sweep, name: str, value: Any) -> float:
    """A parameter's value in us; a number of buffers as it is."""
    return float(value) if name == "buffers" else sweep.machine.microseconds(value)


def numeric(sweep: Sweep) -> list[str]:
    """The parameters of a grid that have several values along which a picture can be drawn."""
    return [name for name, values in sweep.grid.items() if name not in CHOICES and len(values) > 1]


def draw_maps(rows: Sequence[Row], sweep: Sweep, folder: Path) -> list[Path]:
    """Draw all pictures for which the sweep has what they need; returns the files."""
    along = numeric(sweep)
    files: list[Path] = []
    for title, chosen in _slices(rows, sweep, keep=along[:2] if len(along) >= 2 else along[:1]):
        suffix = f"-{title}" if title else ""
        if not chosen:  # all were refused there
            continue
        if len(along) >= 2 and len(sweep.schemes) > 1:
            files.append(folder / f"winners{suffix}.png")
            _draw_winners(chosen, sweep, along[0], along[1], title, files[-1])
        if along:
            files.append(folder / f"time{suffix}.png")
            _draw_times(chosen, sweep, along[0], title, files[-1])
        files.append(folder / f"pareto{suffix}.png")
        _draw_pareto(chosen, sweep, title, files[-1])
        chains = [row for row in chosen if is_random_chain(row["robot"])]
        if along and len(sweep.schemes) > 1 and len({row["n"] for row in chains}) > 2:
            files.append(folder / f"crossover{suffix}.png")
            _draw_crossover(chains, sweep, along[0], title, files[-1])
    return files


def _slices(rows: Sequence[Row], sweep: Sweep, keep: Sequence[str]) -> list[tuple[str, list[Row]]]:
    """The rows by what takes names, such as disciplines; of other parameters that are not drawn along, those nearest
    to the machine's value.
    """
    chosen = list(rows)
    for name in sweep.grid:
        if name not in keep and name not in CHOICES:
            own = getattr(sweep.machine.links, name, None)
            own = own if own is not None else sweep.machine.operations.get(name, sweep.machine.kernel_overhead)
            nearest = min({row[name] for row in chosen}, key=lambda value: (abs(value - own), value))
            chosen = [row for row in chosen if row[name] == nearest]
    if not sweep.grid:  # a Latin hypercube: nothing to draw along
        return [("", chosen)]
    slices = [("", chosen)]
    for name in CHOICES:
        if len(sweep.grid.get(name, ())) > 1:
            slices = [
                (f"{title}-{each}".lstrip("-"), [row for row in some if row[name] == each])
                for title, some in slices
                for each in sweep.grid[name]
            ]
    return slices


def _by(rows: Sequence[Row], *names: str) -> dict[Any, dict[str, float]]:
    """Times by scheme for every value of some columns."""
    table: dict[Any, dict[str, float]] = {}
    for row in rows:
        key = tuple(row[name] for name in names)
        table.setdefault(key, {})[row["scheme"]] = row["time_us"]
    return table


def _panels(count: int, width: float, height: float) -> tuple[Figure, list[Any]]:
    """So many panels, four to a row."""
    columns, rows = min(count, 4), -(-count // 4)
    figure = Figure(figsize=(max(width, 2.7 * columns), height * rows), layout="constrained")
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for spare in panels[count:]:
        spare.set_visible(False)
    return figure, panels[:count]


def _along(panel: Any, sweep: Sweep, name: str) -> None:
    """The axis of a parameter: logarithmic where its values are."""
    values = [in_us(sweep, name, each) for each in sweep.grid[name]]
    if min(values) > 0 and max(values) / min(values) >= 50:
        panel.set_xscale("log")
        panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panel.set_xlabel(axis_label(name))


def _first_of_rows(panels: Sequence[Any]) -> Sequence[Any]:
    return panels[::4]


def _legend(figure: Figure, panels: Sequence[Any], **settings: Any) -> None:
    """Every scheme that any panel has."""
    found = {
        label: handle for panel in panels for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    place: dict[str, Any] = {"loc": "outside lower center", "ncols": min(len(found), 4), "fontsize": 8}
    figure.legend(list(found.values()), list(found), **place, **settings)


def _robots(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["robot"] for row in rows))


def _robot_title(rows: Sequence[Row], robot: str) -> str:
    n = next(row["n"] for row in rows if row["robot"] == robot)
    whole, changes = split_text(robot)
    return f"n = {n}" if is_random_chain(robot) else f"{Path(whole).stem}{changes}, n = {n}"


def _draw_winners(rows: Sequence[Row], sweep: Sweep, x: str, y: str, title: str, path: Path) -> None:
    """Which scheme is the fastest over the plane of two costs."""
    robots = _robots(rows)
    figure, panels = _panels(len(robots), 5.0, 3.6)
    shown: dict[str, Patch] = {}
    for panel, robot in zip(panels, robots, strict=True):
        xs = sorted({row[x] for row in rows})
        ys = sorted({row[y] for row in rows})
        table = _by([row for row in rows if row["robot"] == robot], x, y)
        times = np.array(
            [[[table.get((a, b), {}).get(scheme, np.nan) for a in xs] for b in ys] for scheme in sweep.schemes]
        )
        us_x, fine_x = _refined([in_us(sweep, x, each) for each in xs])
        us_y, fine_y = _refined([in_us(sweep, y, each) for each in ys])
        fine = np.array([[np.interp(fine_x, us_x, row) for row in each] for each in times])
        fine = np.array([[np.interp(fine_y, us_y, column) for column in each.T] for each in fine]).transpose(0, 2, 1)
        fine = np.nan_to_num(fine, nan=np.inf)  # refused there
        winner = np.where(np.isfinite(fine).any(axis=0), fine.argmin(axis=0), -1)
        for place, scheme in enumerate(sweep.schemes):
            won = (winner == place).astype(float)
            if not won.any():
                continue
            colour, hatch = FILLS[place % len(FILLS)]
            panel.contourf(fine_x, fine_y, won, levels=[0.5, 1.5], colors=[colour], hatches=[hatch])
            if not won.all():
                panel.contour(fine_x, fine_y, won, levels=[0.5], colors="black", linewidths=1.0)
            shown[scheme] = Patch(facecolor=colour, hatch=hatch, edgecolor="black", label=scheme)
            _label_region(panel, fine_x, fine_y, won > 0.5, scheme)
        panel.set_title(_robot_title(rows, robot), fontsize=9)
        _along(panel, sweep, x)
    for panel in _first_of_rows(panels):
        panel.set_ylabel(axis_label(y))
    figure.suptitle(f"fastest scheme{', ' + title if title else ''}; other costs of {sweep.machine.name}", fontsize=10)
    figure.legend(
        handles=list(shown.values()), loc="outside lower center", ncols=len(shown), fontsize=8, handleheight=1.4
    )
    save_figure(figure, path)


def _refined(values: Sequence[float]) -> tuple[Any, Any]:
    """Values, and more between them: times are interpolated there, so that regions meet where times are equal."""
    given = np.array(values)
    steps = np.arange(8 * (len(given) - 1) + 1) / 8
    return given, np.interp(steps, np.arange(len(given)), given)


def _label_region(panel: Any, xs: Sequence[float], ys: Sequence[float], inside: Any, name: str) -> None:
    """Write a name where its region is deepest inside, seen from its edges."""
    depth = np.zeros(inside.shape)
    grown = np.pad(inside, 1)
    while grown.any():
        depth += grown[1:-1, 1:-1]
        core = grown.copy()
        for axis, way in ((0, 1), (0, -1), (1, 1), (1, -1)):
            core &= np.roll(grown, way, axis)
        grown = core
    if depth.max() < 9:  # too thin to write in; the legend names it
        return
    rows, columns = np.nonzero(depth == depth.max())
    middle = len(rows) // 2
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85}
    x, y = xs[columns[middle]], ys[rows[middle]]
    share = (x - xs[0]) / (xs[-1] - xs[0])
    side = "left" if share < 0.2 else "right" if share > 0.8 else "center"
    panel.text(x, y, name, ha=side, va="center", fontsize=7, bbox=box, clip_on=True)


def _draw_times(rows: Sequence[Row], sweep: Sweep, x: str, title: str, path: Path) -> None:
    """Time against one cost; where a line bends, another path has become critical."""
    robots = _robots(rows)
    figure, panels = _panels(len(robots), 6.0, 3.8)
    for name in sweep.grid:
        if name not in (x, *CHOICES):
            own = sorted({row[name] for row in rows})
            rows = [row for row in rows if row[name] == own[len(own) // 2]]
    for panel, robot in zip(panels, robots, strict=True):
        for scheme in sweep.schemes:
            line = sorted((row[x], row["time_us"]) for row in rows if (row["robot"], row["scheme"]) == (robot, scheme))
            if not line:
                continue
            xs = [in_us(sweep, x, each) for each, _ in line]
            times = [time for _, time in line]
            style = STYLES.get(scheme, {"color": "#444444", "linestyle": "-"})
            panel.plot(xs, times, color=style["color"], linestyle=style["linestyle"], linewidth=1.3, label=scheme)
            bends = bends_of([each for each, _ in line], times)
            marker = style.get("marker", "o")
            panel.plot(
                [xs[i] for i in bends], [times[i] for i in bends], color=style["color"], marker=marker, linestyle="",
                markersize=4.5, mfc="none",
            )  # fmt: skip
        panel.set_title(_robot_title(rows, robot), fontsize=9)
        _along(panel, sweep, x)
        panel.set_ylim(bottom=0)
        panel.grid(True, linewidth=0.3)
    for panel in _first_of_rows(panels):
        panel.set_ylabel("time of a step, us")
    fixed = "".join(
        f"; {axis_label(name)} {in_us(sweep, name, rows[0][name]):g}" for name in numeric(sweep) if name != x
    )
    figure.suptitle("markers: another path becomes critical" + (f"; {title}" if title else "") + fixed, fontsize=10)
    _legend(figure, panels, handlelength=3.5)
    save_figure(figure, path)


def bends_of(xs: Sequence[float], ys: Sequence[float]) -> list[int]:
    """The places where a line through points changes its slope."""
    slopes = [(ys[i + 1] - ys[i]) / (xs[i + 1] - xs[i]) for i in range(len(xs) - 1)]
    bent = [i + 1 for i in range(len(slopes) - 1) if abs(slopes[i + 1] - slopes[i]) > 1e-9 * max(1.0, abs(slopes[i]))]
    return [place for place in bent if place - 1 not in bent]  # a switch between two points bends the line at both


def _draw_pareto(rows: Sequence[Row], sweep: Sweep, title: str, path: Path) -> None:
    """Time against processors: the line joins the schemes that no other beats in both."""
    robots = _robots(rows)
    figure, panels = _panels(len(robots), 5.0, 3.6)
    for panel, robot in zip(panels, robots, strict=True):
        mine = [row for row in rows if row["robot"] == robot]
        points = {
            scheme: (
                median_low([row["processors"] for row in mine_of]),
                float(np.median([row["time_us"] for row in mine_of])),
                min(row["time_us"] for row in mine_of),
                max(row["time_us"] for row in mine_of),
            )
            for scheme in sweep.schemes
            if (mine_of := [row for row in mine if row["scheme"] == scheme])
        }
        front = pareto_front({scheme: point[:2] for scheme, point in points.items()})
        panel.step(
            [points[s][0] for s in front], [points[s][1] for s in front], where="post", color="#888888", linewidth=1.0
        )
        for scheme, (processors, median, low, high) in points.items():
            style = STYLES.get(scheme, {"color": "#444444", "marker": "+"})
            panel.errorbar(
                processors, median, [[median - low], [high - median]], color=style["color"], marker=style["marker"],
                linewidth=0.8, capsize=2, linestyle="", mfc="none", label=scheme,
            )  # fmt: skip
        panel.set_title(_robot_title(rows, robot), fontsize=9)
        panel.set_xlabel("processors")
        panel.loglog()
        panel.set_xlim(min(p[0] for p in points.values()) / 1.5, max(p[0] for p in points.values()) * 1.5)
        panel.set_xticks(_apart(sorted({p[0] for p in points.values()})))
        panel.set_yticks(_apart([m * 10**e for e in range(7) for m in (1, 2, 5)]))
        panel.set_ylim(min(p[2] for p in points.values()) / 1.2, max(p[3] for p in points.values()) * 1.2)
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_locator(NullLocator())
        panel.grid(True, linewidth=0.3)
    for panel in _first_of_rows(panels):
        panel.set_ylabel("time of a step, us: median and range")
    figure.suptitle("no scheme on the line is beaten in both" + (f"; {title}" if title else ""), fontsize=10)
    _legend(figure, panels)
    save_figure(figure, path)


def _apart(values: Sequence[float]) -> list[float]:
    """Of ascending values, those that are far enough from the one before for both to be labelled on a log axis."""
    kept: list[float] = []
    for value in values:
        if not kept or value >= 1.4 * kept[-1]:
            kept.append(value)
    return kept


def pareto_front(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """The names of those that none beats in both numbers, by the first."""
    order = sorted(points, key=lambda name: points[name])
    front: list[str] = []
    for name in order:
        if not front or points[name][1] < points[front[-1]][1]:
            front.append(name)
    return front


def _draw_crossover(rows: Sequence[Row], sweep: Sweep, x: str, title: str, path: Path) -> None:
    """For which n the first scheme is the fastest, as one cost grows."""
    for name in sweep.grid:
        if name not in (x, *CHOICES):
            own = sorted({row[name] for row in rows})
            rows = [row for row in rows if row[name] == own[len(own) // 2]]
    first = sweep.schemes[0]
    table = _by(rows, x, "n")
    values, sizes = sorted({value for value, _ in table}), sorted({n for _, n in table})
    last = [fastest_up_to(first, {n: table.get((value, n), {}) for n in sizes}) for value in values]
    figure, (panel,) = _panels(1, 6.0, 3.6)
    us = [in_us(sweep, x, value) for value in values]
    panel.plot(us, last, color="black", marker="s", markersize=4.5, linewidth=1.0)
    panel.axhline(sizes[-1], color="#888888", linewidth=0.8, linestyle="--")
    panel.text(us[0], 1.04 * sizes[-1], f"no longer chain was tried than n = {sizes[-1]}; 0: for none", fontsize=7)
    _along(panel, sweep, x)
    panel.set_ylim(0, 1.12 * sizes[-1])
    panel.set_ylabel("joints n")
    panel.yaxis.set_major_locator(MaxNLocator(integer=True))
    panel.grid(True, linewidth=0.3)
    panel.set_title(f"up to which n {first} is the fastest" + (f"; {title}" if title else ""), fontsize=10)
    save_figure(figure, path)


def fastest_up_to(scheme: str, times: Mapping[int, Mapping[str, float]]) -> int:
    """The last n of an unbroken row, from the smallest on, for which a scheme is no slower than any; 0 for none."""
    last = 0
    for n in sorted(times):
        if scheme not in times[n] or times[n][scheme] > min(times[n].values()):
            break
        last = n
    return last
