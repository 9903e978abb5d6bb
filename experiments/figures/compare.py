"""The pictures of a comparison. Lines are published counts, markers are simulated; every scheme has both its own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.experiments.figures.axes import aside, log_ticks, size_ticks
from meshsim.experiments.figures.few_processors import draw_pieces, times_by_pieces
from meshsim.experiments.figures.lettering import BESIDE, head, legend_below, panel_title, width_of
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.styles import ALONE, THIN, Style, styles_of
from meshsim.experiments.store.journal import Row
from meshsim.experiments.store.progress import say
from meshsim.experiments.studies.beyond import FAMILY, curves
from meshsim.experiments.studies.beyond import ONE as NOT_PARALLEL
from meshsim.experiments.studies.compare import PATH, Comparison
from meshsim.experiments.studies.crossover import TARGETS
from meshsim.machine import Machine

ONE: dict[str, Any] = {"color": ALONE, "label": "one processor, the quickest"}
KINDS = dict(
    zip(PATH, (("arithmetic", "#1f4e79", ""), ("wire", "#8fc1e3", "///"), ("wait", "#ffffff", "...")), strict=True)
)


BEYOND = 8
"""So many times the largest simulated number of joints is drawn."""
WIDTH = 7.0
"""Inches: a printed page's, so that letters keep their size."""
ROOM = 5
"""Lines of a legend for which pictures are high enough."""


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


def _panels(rows: int, columns: int, height: float) -> tuple[Figure, Any]:
    figure = Figure(figsize=(WIDTH, 1.3 + height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _finish(axes: Any, title: str, x: str = "joints n", beside: float = BESIDE) -> None:
    panel_title(axes, title, beside=beside, loc="left")
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
    published = phase == "inertia" or comparison.solver is None
    figure, panels = _panels(len(comparison.machines), 1, 2.9)
    for axes, machine in zip(panels[:, 0], comparison.machines, strict=True):
        here = [row for row in shown if row["machine"] == machine.name]
        _times_on(axes, here, column, phase if published else None, machine)
        if phase != "inertia":
            _draw_alone(axes, {row["n"]: row["baseline_us"] for row in here})
        logarithmic = any(row["scheme"] in FAMILY for row in here)  # which take ten times as long for small n
        if phase != "inertia":  # one processor leaves the picture soon
            axes.set_ylim(top=(1.2 if logarithmic else 1.06) * max((row[column] for row in here), default=1.0))
        low = 0.8 * min(float(y) for line in axes.lines for y in line.get_ydata()) if logarithmic else 0.0
        if low:
            axes.set_yscale("log")
            log_ticks(axes.yaxis)
        _finish(axes, f"{machine.name}: {charged(machine)}")
        axes.set_ylabel("time from start (us)", fontsize=9)
        axes.set_ylim(bottom=low)
        size_ticks(axes, [row["n"] for row in here])
    solver = "" if phase == "inertia" else f" ({comparison.solver or 'each scheme with its own solver'})"
    head(figure, f"Forward dynamics of random chains, {target}{solver}")
    several = len({row["n"] for row in shown}) > 1
    note = f"{'line' if several else 'dash'}: published count, without communication; marker: simulated"
    if not published:
        note = "marker: simulated (the published counts are for other solvers)"
    elif not all(published_line(name, phase, [2], comparison.machines[0])[0] for name in _schemes(shown)):
        note += f"; no {'line' if several else 'dash'}: no published count"
    _legend(figure, styles_of(_schemes(shown)), note, one=phase != "inertia")
    save_figure(figure, path)


def _times_on(axes: Any, rows: Sequence[Row], column: str, phase: str | None, machine: Machine) -> None:
    """A marker for each time, and with a phase a line of what is published; for one size, beside one another."""
    sizes, styles = [row["n"] for row in rows], styles_of(_schemes(rows))
    for place, (scheme, style) in enumerate(styles.items()):
        mine = [row for row in rows if row["scheme"] == scheme]
        shift = aside(place, len(styles), sizes)
        if phase is not None:
            counts, times = published_line(scheme, phase, [row["n"] for row in mine], machine)
            look = style.stroke() if len(set(sizes)) > 1 else {"color": style.colour, "marker": "_", "markersize": 12}
            axes.plot([n + shift for n in counts], times, linewidth=1.2, **look)
        axes.plot([row["n"] + shift for row in mine], [row[column] for row in mine], **style.marks(), markersize=5.0)


def _draw_alone(axes: Any, times: Mapping[int, float]) -> None:
    """What one processor takes: a line over the sizes, level where there is one."""
    if len(times) == 1:
        axes.axhline(*times.values(), color=ALONE, linewidth=1.4, zorder=1)
    else:
        axes.plot(list(times), list(times.values()), color=ALONE, linewidth=1.4, zorder=1)


def published_line(scheme: str, phase: str, sizes: Sequence[int], machine: Machine) -> tuple[list[int], list[float]]:
    """Published counts of a phase in microseconds, of a scheme's default options, and the sizes that have one."""
    counts = {n: SCHEMES[scheme].published(n, SCHEMES[scheme].choose({})).get(phase) for n in sizes}
    found = {n: count for n, count in counts.items() if count is not None}
    mul, add = machine.operations["mul"], machine.operations["add"]
    return list(found), [machine.microseconds(count.mul * mul + count.add * add) for count in found.values()]


def _draw_speedup(rows: Sequence[Row], machines: Sequence[Machine], path: Path) -> None:
    figure, panels = _panels(len(machines), 2, 2.6)
    styles, sizes = styles_of(_schemes(rows)), [row["n"] for row in rows]
    for line, machine in zip(panels, machines, strict=True):
        here = [row for row in rows if row["machine"] == machine.name]
        for axes, measure in zip(line, ("speed-up", "efficiency"), strict=True):
            for place, (scheme, style) in enumerate(styles.items()):
                mine = [row for row in here if row["scheme"] == scheme]
                shift = aside(place, len(styles), sizes)
                values = [row[measure.replace("-", "")] for row in mine]
                axes.plot([row["n"] + shift for row in mine], values, **style.line(), **THIN)
            axes.set_yscale("log")
            log_ticks(axes.yaxis)
            _finish(axes, f"{machine.name}: {measure}")
            size_ticks(axes, sizes)
        line[0].axhline(1.0, color=ALONE, linewidth=1.0)
        line[0].set_ylabel("over one processor", fontsize=9)
        line[1].set_ylabel("speed-up / processors", fontsize=9)
    head(figure, "The whole step of random chains against the quickest algorithm on one processor")
    joined = "; lines join the markers" if len(set(sizes)) > 1 else ""
    _legend(figure, styles, f"simulated{joined}; grey: one processor, the quickest")
    save_figure(figure, path)


def _draw_beyond(rows: Sequence[Row], machines: Sequence[Machine], path: Path) -> None:
    """Whole steps against joints, both by their logarithms; dotted, what follows from the counts."""
    figure, panels = _panels(len(machines), 1, 3.1)
    styles = styles_of([name for name in _schemes(rows) if not name.startswith("one-")])
    for axes, machine in zip(panels[:, 0], machines, strict=True):
        found = curves(rows, machine.name)
        farthest = BEYOND * max(n for times, _ in found.values() for n in times)
        for name, (times, law) in found.items():
            look = {"color": ALONE} if name == NOT_PARALLEL else {**styles[name].line(), "linestyle": "-"}
            sizes = sorted(times)
            axes.plot(sizes, [machine.microseconds(times[n]) for n in sizes], **look, markersize=4.5, linewidth=1.0)
            if law is not None:
                ends = [2**k for k in range(farthest.bit_length()) if 2**k >= sizes[-1]]
                evaluated = [machine.tick_ns / 1000 * float(law(n)) for n in ends]
                axes.plot(ends, evaluated, color=look["color"], linestyle=":", linewidth=1.1)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter("{x:.0f}")
        log_ticks(axes.yaxis)
        _finish(axes, f"{machine.name}: {charged(machine)}")
        axes.set_ylabel("whole step (us)", fontsize=9)
    figure.suptitle("Where the O(log n) family overtakes", fontsize=11)
    note = "joined markers: simulated; dots: evaluated from the counts"
    _legend(figure, styles, note, one=True, solid=True)
    save_figure(figure, path)


def _draw_orders(rows: Sequence[Row], machines: Sequence[Machine], path: Path) -> None:
    """As written, in the best order found, and what no order beats: a line from the first to the last."""
    figure, panels = _panels(len(machines), 1, 2.9)
    styles, sizes = styles_of(_schemes(rows)), sorted({row["n"] for row in rows})
    nearest = min((after - before for before, after in pairwise(sizes)), default=1)
    for axes, machine in zip(panels[:, 0], machines, strict=True):
        here = [row for row in rows if row["machine"] == machine.name]
        for place, (scheme, style) in enumerate(styles.items()):
            mine = [row for row in here if row["scheme"] == scheme]
            shift = 0.75 * nearest * ((place + 0.5) / len(styles) - 0.5)
            places, marks = [row["n"] + shift for row in mine], {**style.marks(), "markersize": 5.0}
            bounds, written = ([row[column] for row in mine] for column in ("bound_us", "time_us"))
            axes.vlines(places, bounds, written, color=style.colour, linewidth=0.8)
            axes.plot(places, written, **marks)
            axes.plot(places, [row["best_order_us"] for row in mine], **{**marks, "fillstyle": "full"})
            axes.plot(places, bounds, **{**marks, "marker": "_", "markersize": 7.0})
        _finish(axes, f"{machine.name}: {charged(machine)}")
        axes.set_ylabel("whole step (us)", fontsize=9)
        axes.set_ylim(0.0, 1.06 * max((row["time_us"] for row in here), default=1.0))
        size_ticks(axes, sizes)
    head(figure, "The same work of random chains in any order")
    _legend(figure, styles, "open: as written; filled: best order found; dash: no order is quicker")
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
        widest = max(width_of(f"{scheme}, n = {n}", 7.0) for scheme, n in wanted)
        told = f"{machine.name}: {charged(machine)}"
        _finish(axes, told, "time on the critical path of a whole step (us)", BESIDE + widest)
        axes.tick_params(axis="y", labelsize=7)
        axes.set_ylabel("scheme", fontsize=9)
    shown = {column: kind for column, kind in KINDS.items() if any(row[column] for row in rows)}
    handles = [Patch(facecolor=c, hatch=h, edgecolor="black", label=label) for label, c, h in shown.values()]
    head(figure, "Where the time of random chains goes")
    legend_below(figure, handles, handlelength=2.0)
    save_figure(figure, path)


def _legend(figure: Figure, styles: Mapping[str, Style], note: str, one: bool = False, solid: bool = False) -> None:
    line = {"linestyle": "-"} if solid else {}
    handles = [Line2D([], [], label=scheme, **{**style.line(), **line}) for scheme, style in styles.items()]
    handles += [Line2D([], [], **ONE)] if one else []
    legend_below(figure, handles, note, most=3, room=ROOM)
