"""The pictures of a comparison. Lines are published counts, markers are simulated; every scheme has both its own."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, ScalarFormatter

from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.experiments.figures.few_processors import draw_pieces, times_by_pieces
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.store.journal import Row
from meshsim.experiments.store.progress import say
from meshsim.experiments.studies.beyond import FAMILY, curves
from meshsim.experiments.studies.beyond import ONE as ALONE
from meshsim.experiments.studies.compare import PATH, Comparison
from meshsim.experiments.studies.crossover import TARGETS
from meshsim.machine import Machine

# Colours that colour-blind readers tell apart; marker and dash tell them apart without colour.
STYLES: dict[str, dict[str, Any]] = {
    "wong-mesh": {"color": "#000000", "marker": "o", "linestyle": "-"},
    "lee-chang": {"color": "#0072b2", "marker": "s", "linestyle": (0, (6, 2))},
    "amin-javaheri": {"color": "#009e73", "marker": "^", "linestyle": (0, (1, 1.5))},
    "fijany-bejczy": {"color": "#d55e00", "marker": "D", "linestyle": (0, (5, 1.5, 1, 1.5))},
    "hwang": {"color": "#cc79a7", "marker": "v", "linestyle": (0, (3, 1, 1, 1, 1, 1))},
    "triangle": {"color": "#e69f00", "marker": "<", "linestyle": "-"},
    "dca": {"color": "#56b4e9", "marker": "P", "linestyle": (0, (4, 1))},
    "scan": {"color": "#8c510a", "marker": "X", "linestyle": (0, (2, 1))},
    "cfa": {"color": "#5e3c99", "marker": "h", "linestyle": (0, (5, 1, 1, 1))},
    "hybrid": {"color": "#b2182b", "marker": "*", "linestyle": (0, (3, 1, 1, 1))},
    "one-wong": {"color": "#777777", "marker": "x", "linestyle": (0, (1, 4))},
}
ONE: dict[str, Any] = {"color": "#aaaaaa", "label": "one processor, the quickest"}
KINDS = dict(
    zip(PATH, (("arithmetic", "#1f4e79", ""), ("wire", "#8fc1e3", "///"), ("wait", "#ffffff", "...")), strict=True)
)


BEYOND = 8
"""So many times the largest simulated number of joints is drawn."""
WIDTH = 7.0
"""Inches: a printed page's, so that letters keep their size."""


def draw_comparison(rows: Sequence[Row], comparison: Comparison, folder: Path) -> list[Path]:
    """Draw all figures for which there is something to draw, and name each when it is there; returns the files."""
    every, rows = rows, quickest(rows)
    parallel = [row for row in rows if not row["scheme"].startswith("one-")]
    if not parallel:
        return []
    drawn = {row["machine"] for row in parallel}
    comparison = replace(comparison, machines=tuple(each for each in comparison.machines if each.name in drawn))
    names = {"inertia-matrix.png": "inertia matrix alone", "with-solver.png": "with the solver"}
    figures: dict[str, Callable[[Path], None]] = {
        name: partial(_draw_times, parallel, comparison, target)
        for name, target in names.items()
        if any(row[TARGETS[target][1]] is not None for row in parallel)
    }
    figures |= {
        "speedup.png": partial(_draw_speedup, rows, comparison.machines),
        "where.png": partial(_draw_where, parallel, comparison.machines),
    }
    if any(row["scheme"] in FAMILY for row in parallel) and len({row["n"] for row in parallel}) > 1:
        figures["beyond.png"] = partial(_draw_beyond, rows, comparison.machines)
    if any(times_by_pieces(every, machine.name) for machine in comparison.machines):
        figures["pieces.png"] = partial(draw_pieces, every, comparison.machines)
    if comparison.orders:
        figures["orders.png"] = partial(_draw_orders, parallel, comparison.machines)
    machines = ", ".join(machine.name for machine in comparison.machines)
    for name, draw in figures.items():
        draw(folder / name)
        say(f"figure: {folder / name} ({machines})")
    return [folder / name for name in figures]


def quickest(rows: Sequence[Row]) -> list[Row]:
    """The quickest row of each scheme for each number of joints and machine, where there is one for every choice."""
    best: dict[tuple[str, int, str], Row] = {}
    for row in rows:
        key = row["scheme"], row["n"], row["machine"]
        if key not in best or row["ticks"] < best[key]["ticks"]:
            best[key] = row
    return list(best.values())


def _schemes(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["scheme"] for row in rows))


def _style(scheme: str) -> dict[str, Any]:
    return STYLES.get(scheme, {"color": "#444444", "marker": "+", "linestyle": "-"})


def _panels(rows: int, columns: int, height: float) -> tuple[Figure, Any]:
    figure = Figure(figsize=(WIDTH, 1.3 + height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _finish(axes: Any, title: str, x: str = "joints n") -> None:
    axes.set_title(title, fontsize=9, loc="left", parse_math=False)
    axes.set_xlabel(x, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def charged(machine: Machine) -> str:
    """What a machine's messages cost, for a title."""
    discipline = machine.links.discipline
    return "communication free" if discipline == "free" else f"communication charged, {discipline}"


def _draw_times(rows: Sequence[Row], comparison: Comparison, target: str, path: Path) -> None:
    phase, column = TARGETS[target]
    shown = [row for row in rows if row[column] is not None]
    figure, panels = _panels(len(comparison.machines), 1, 2.9)
    for axes, machine in zip(panels[:, 0], comparison.machines, strict=True):
        here = [row for row in shown if row["machine"] == machine.name]
        for scheme in _schemes(here):
            mine = [row for row in here if row["scheme"] == scheme]
            sizes, style = [row["n"] for row in mine], _style(scheme)
            if phase == "inertia" or comparison.solver is None:
                line = _published_line(scheme, phase, sizes, machine)
                axes.plot(*line, color=style["color"], linestyle=style["linestyle"], linewidth=1.2)
            marks = {"color": style["color"], "marker": style["marker"], "linestyle": "none"}
            axes.plot(sizes, [row[column] for row in mine], **marks, markersize=4.5, fillstyle="none")
        if phase != "inertia":
            alone = {row["n"]: row["baseline_us"] for row in here}
            axes.plot(list(alone), list(alone.values()), color=ONE["color"], linewidth=1.4, zorder=1)
            axes.set_ylim(top=1.06 * max((row[column] for row in here), default=1.0))  # it leaves the picture soon
        logarithmic = any(row["scheme"] in FAMILY for row in here)  # which take ten times as long for small n
        low = 0.8 * min(row[column] for row in here) if logarithmic else 0.0
        axes.set_yscale("log" if low else "linear")
        _finish(axes, f"{machine.name}: {charged(machine)}")
        axes.set_ylabel("time from start (us)", fontsize=9)
        axes.set_ylim(bottom=low)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    solver = "" if phase == "inertia" else f" ({comparison.solver or 'each scheme with its own solver'})"
    figure.suptitle(f"Forward dynamics, {target}{solver}", fontsize=11)
    lines = [_published_line(name, phase, [2], comparison.machines[0])[0] for name in _schemes(shown)]
    note = "line: published count, without communication; marker: simulated"
    if comparison.solver is not None and phase != "inertia":
        note = "marker: simulated (the published counts are for other solvers)"
    elif not all(lines):
        note += "; no line: no published count"
    _legend(figure, _schemes(shown), note, one=phase != "inertia")
    save_figure(figure, path)


def _published_line(scheme: str, phase: str, sizes: Sequence[int], machine: Machine) -> tuple[list[int], list[float]]:
    counts = {n: SCHEMES[scheme].published(n, SCHEMES[scheme].choose({})).get(phase) for n in sizes}
    found = {n: count for n, count in counts.items() if count is not None}
    mul, add = machine.operations["mul"], machine.operations["add"]
    return list(found), [machine.microseconds(count.mul * mul + count.add * add) for count in found.values()]


def _draw_speedup(rows: Sequence[Row], machines: Sequence[Machine], path: Path) -> None:
    figure, panels = _panels(len(machines), 2, 2.6)
    for line, machine in zip(panels, machines, strict=True):
        here = [row for row in rows if row["machine"] == machine.name]
        for axes, measure in zip(line, ("speed-up", "efficiency"), strict=True):
            for scheme in _schemes(here):
                mine = [row for row in here if row["scheme"] == scheme]
                style = {**_style(scheme), "markersize": 4.0, "fillstyle": "none", "linewidth": 1.0}
                axes.plot([row["n"] for row in mine], [row[measure.replace("-", "")] for row in mine], **style)
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(ScalarFormatter())
            axes.yaxis.set_minor_formatter("")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            _finish(axes, f"{machine.name}: {measure}")
        line[0].axhline(1.0, color=ONE["color"], linewidth=1.0)
        line[0].set_ylabel("over one processor", fontsize=9)
        line[1].set_ylabel("speed-up / processors", fontsize=9)
    figure.suptitle("The whole step against the quickest algorithm on one processor", fontsize=11)
    _legend(figure, _schemes(rows), "simulated; lines join the markers")
    save_figure(figure, path)


def _draw_beyond(rows: Sequence[Row], machines: Sequence[Machine], path: Path) -> None:
    """Whole steps against joints, both by their logarithms; dotted, what follows from the counts."""
    figure, panels = _panels(len(machines), 1, 3.1)
    for axes, machine in zip(panels[:, 0], machines, strict=True):
        found = curves(rows, machine.name)
        farthest = BEYOND * max(n for times, _ in found.values() for n in times)
        for name, (times, law) in found.items():
            style = {"color": ONE["color"], "linestyle": "-"} if name == ALONE else _style(name)
            sizes = sorted(times)
            axes.plot(
                sizes,
                [machine.microseconds(times[n]) for n in sizes],
                **{**style, "linestyle": "-"},
                markersize=3.5,
                fillstyle="none",
                linewidth=1.0,
            )
            if law is not None:
                ends = [2**k for k in range(farthest.bit_length()) if 2**k >= sizes[-1]]
                evaluated = [machine.tick_ns / 1000 * float(law(n)) for n in ends]
                axes.plot(ends, evaluated, color=style["color"], linestyle=":", linewidth=1.1)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.yaxis.set_minor_formatter("")
        _finish(axes, f"{machine.name}: {charged(machine)}")
        axes.set_ylabel("whole step (us)", fontsize=9)
    figure.suptitle("Where the O(log n) family overtakes", fontsize=11)
    note = "joined markers: simulated; dots: evaluated from the counts"
    _legend(figure, [name for name in _schemes(rows) if not name.startswith("one-")], note, one=True, solid=True)
    save_figure(figure, path)


def _draw_orders(rows: Sequence[Row], machines: Sequence[Machine], path: Path) -> None:
    """As written, in the best order found, and what no order beats: a line from the first to the last."""
    figure, panels = _panels(len(machines), 1, 2.9)
    schemes = _schemes(rows)
    for axes, machine in zip(panels[:, 0], machines, strict=True):
        here = [row for row in rows if row["machine"] == machine.name]
        for place, scheme in enumerate(schemes):
            mine = [row for row in here if row["scheme"] == scheme]
            shift = 0.12 * (place - (len(schemes) - 1) / 2)
            sizes, style = [row["n"] + shift for row in mine], _style(scheme)
            marks = {"color": style["color"], "marker": style["marker"], "linestyle": "none", "markersize": 4.5}
            bounds, written = ([row[column] for row in mine] for column in ("bound_us", "time_us"))
            axes.vlines(sizes, bounds, written, color=style["color"], linewidth=0.8)
            axes.plot(sizes, written, fillstyle="none", **marks)
            axes.plot(sizes, [row["best_order_us"] for row in mine], fillstyle="full", **marks)
            axes.plot(sizes, bounds, **{**marks, "marker": "_", "markersize": 7.0})
        _finish(axes, f"{machine.name}: {charged(machine)}")
        axes.set_ylabel("whole step (us)", fontsize=9)
        axes.set_ylim(bottom=0.0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.suptitle("The same work in any order", fontsize=11)
    _legend(figure, schemes, "open: as written; filled: best order found; dash: no order is quicker")
    save_figure(figure, path)


def _draw_where(rows: Sequence[Row], machines: Sequence[Machine], path: Path) -> None:
    sizes = sorted({row["n"] for row in rows})
    chosen = sorted({min(sizes, key=lambda n: (abs(n - wanted), n)) for wanted in (6, 12, 24)})
    schemes = _schemes(rows)
    figure, panels = _panels(len(machines), 1, 0.5 + 0.16 * len(schemes) * len(chosen))
    for axes, machine in zip(panels[:, 0], machines, strict=True):
        found = {(row["scheme"], row["n"]): row for row in rows if row["machine"] == machine.name}
        wanted = {
            (scheme, n): group * (len(schemes) + 1.0) + order
            for group, n in enumerate(chosen)
            for order, scheme in enumerate(schemes)
        }
        places = {bar: place for bar, place in wanted.items() if bar in found}
        for bar, place in places.items():
            left = 0.0
            for column, (_, colour, hatch) in KINDS.items():
                width = found[bar][column]
                if width:
                    axes.barh(place, width, left=left, color=colour, hatch=hatch, edgecolor="black", linewidth=0.5)
                left += width
        axes.set_yticks(list(places.values()), [f"{scheme}, n = {n}" for scheme, n in places])
        axes.invert_yaxis()
        axes.set_xlim(0.0, 1.04 * max((found[bar]["time_us"] for bar in places), default=1.0))
        _finish(axes, f"{machine.name}: {charged(machine)}", "time on the critical path of a whole step (us)")
        axes.tick_params(axis="y", labelsize=7)
    shown = {column: kind for column, kind in KINDS.items() if any(row[column] for row in rows)}
    handles = [Patch(facecolor=c, hatch=h, edgecolor="black", label=label) for label, c, h in shown.values()]
    figure.suptitle("Where the time goes", fontsize=11)
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    save_figure(figure, path)


def _legend(figure: Figure, schemes: Sequence[str], note: str, one: bool = False, solid: bool = False) -> None:
    line = {"linestyle": "-"} if solid else {}
    handles = [Line2D([], [], label=scheme, fillstyle="none", **{**_style(scheme), **line}) for scheme in schemes]
    handles += [Line2D([], [], **ONE)] if one else []
    place: dict[str, Any] = {
        "loc": "outside lower center",
        "ncols": 3,
        "frameon": False,
        "fontsize": 8,
        "title_fontsize": 8,
    }
    figure.legend(handles=handles, title=note, **place)
