"""The pictures of a comparison. Lines are published counts, markers are simulated; every scheme has both its own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from algorithms.schemes import SCHEMES
from experiments.compare import PATH, Row
from experiments.crossover import TARGETS
from experiments.figure import save_figure
from meshsim.presets import load_machine

# Colours that colour-blind readers tell apart; marker and dash tell them apart without colour.
STYLES: dict[str, dict[str, Any]] = {
    "wong-mesh": {"color": "#000000", "marker": "o", "linestyle": "-"},
    "lee-chang": {"color": "#0072b2", "marker": "s", "linestyle": (0, (6, 2))},
    "amin-javaheri": {"color": "#009e73", "marker": "^", "linestyle": (0, (1, 1.5))},
    "fijany-bejczy": {"color": "#d55e00", "marker": "D", "linestyle": (0, (5, 1.5, 1, 1.5))},
    "hwang": {"color": "#cc79a7", "marker": "v", "linestyle": (0, (3, 1, 1, 1, 1, 1))},
    "one-wong": {"color": "#777777", "marker": "x", "linestyle": (0, (1, 4))},
}
KINDS = dict(
    zip(PATH, (("arithmetic", "#1f4e79", ""), ("wire", "#8fc1e3", "///"), ("wait", "#ffffff", "...")), strict=True)
)


def draw_comparison(rows: Sequence[Row], machines: Sequence[str], folder: Path) -> list[Path]:
    """Draw all figures; `machines` are the texts that name them. Returns the files."""
    names = {load_machine(text).name: text for text in machines}
    parallel = [row for row in rows if not row["scheme"].startswith("one-")]
    files = [folder / name for name in ("inertia-matrix.png", "with-solver.png", "speedup.png", "where.png")]
    for path, (target, (phase, column)) in zip(files, TARGETS.items(), strict=False):
        _draw_times(parallel, names, target, phase, column, path)
    _draw_speedup(rows, list(names), files[2])
    _draw_where(parallel, list(names), files[3])
    return files


def _schemes(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["scheme"] for row in rows))


def _style(scheme: str) -> dict[str, Any]:
    return STYLES.get(scheme, {"color": "#444444", "marker": "+", "linestyle": "-"})


def _panels(count: int, rows: int = 1, height: float = 4.6) -> tuple[Figure, Any]:
    figure = Figure(figsize=(1.2 + 4.0 * count, height), layout="constrained")
    return figure, figure.subplots(rows, count, squeeze=False)


def _draw_times(
    rows: Sequence[Row], machines: Mapping[str, str], target: str, phase: str, column: str, path: Path
) -> None:
    figure, panels = _panels(len(machines))
    for axes, (name, text) in zip(panels[0], machines.items(), strict=True):
        machine = load_machine(text)
        here = [row for row in rows if row["machine"] == name and row[column] != ""]
        for scheme in _schemes(here):
            mine = [row for row in here if row["scheme"] == scheme]
            style = _style(scheme)
            line = _published_line(scheme, phase, [row["n"] for row in mine], machine)
            axes.plot(*line, color=style["color"], linestyle=style["linestyle"], linewidth=1.2)
            axes.plot(
                [row["n"] for row in mine],
                [row[column] for row in mine],
                color=style["color"],
                marker=style["marker"],
                markersize=4.5,
                fillstyle="none",
                linestyle="none",
            )
        charged = (
            "no communication" if machine.links.discipline == "free" else f"communication: {machine.links.discipline}"
        )
        axes.set_title(f"{name} ({charged})", fontsize=10)
        axes.set_xlabel("joints n")
        axes.set_ylim(bottom=0)
        axes.grid(color="#dddddd", linewidth=0.6)
    panels[0][0].set_ylabel("time from start (us)")
    figure.suptitle(f"Forward dynamics, {target}: simulated against published")
    _legend(figure, _schemes(rows), "line: published count, communication free; marker: simulated")
    save_figure(figure, path)


def _published_line(scheme: str, phase: str, sizes: Sequence[int], machine: Any) -> tuple[list[int], list[float]]:
    ticks: list[float] = []
    found: list[int] = []
    for n in sizes:
        known = SCHEMES[scheme]
        count = known.published(n, known.choose({})).get(phase)
        if count is not None:
            found.append(n)
            price = count.mul * machine.operations["mul"] + count.add * machine.operations["add"]
            ticks.append(machine.microseconds(price))
    return found, ticks


def _draw_speedup(rows: Sequence[Row], machines: Sequence[str], path: Path) -> None:
    figure, panels = _panels(len(machines), rows=2, height=7.6)
    for measure, line in zip(("speedup", "efficiency"), panels, strict=True):
        for axes, name in zip(line, machines, strict=True):
            here = [row for row in rows if row["machine"] == name]
            for scheme in _schemes(here):
                mine = [row for row in here if row["scheme"] == scheme]
                style = {**_style(scheme), "markersize": 4.5, "fillstyle": "none", "linewidth": 1.0}
                axes.plot([row["n"] for row in mine], [row[measure] for row in mine], **style)
            axes.set_yscale("log")
            axes.grid(color="#dddddd", linewidth=0.6, which="major")
            axes.set_xlabel("joints n")
            if measure == "speedup":
                axes.set_title(name, fontsize=10)
    panels[0][0].set_ylabel("speed-up over one processor")
    panels[1][0].set_ylabel("efficiency: speed-up / processors")
    figure.suptitle("Whole step, accelerations back at the joints, against the thesis's algorithm on one processor")
    _legend(figure, _schemes(rows), "line and marker: simulated")
    save_figure(figure, path)


def _draw_where(rows: Sequence[Row], machines: Sequence[str], path: Path) -> None:
    sizes = sorted({row["n"] for row in rows})
    chosen = sorted({min(sizes, key=lambda n: (abs(n - wanted), n)) for wanted in (6, 12, 24)})
    schemes = _schemes(rows)
    figure, panels = _panels(len(machines), height=5.2)
    for axes, name in zip(panels[0], machines, strict=True):
        found = {(row["scheme"], row["n"]): row for row in rows if row["machine"] == name}
        places, labels = [], []
        for group, n in enumerate(chosen):
            for order, scheme in enumerate(schemes):
                place = group * (len(schemes) + 1.2) + order
                places.append(place)
                labels.append(f"{scheme}, n = {n}")
                left = 0.0
                for column, (_, colour, hatch) in KINDS.items():
                    width = found[scheme, n][column]
                    axes.barh(place, width, left=left, color=colour, hatch=hatch, edgecolor="black", linewidth=0.6)
                    left += width
        axes.set_yticks(places, labels if axes is panels[0][0] else [""] * len(places), fontsize=8)
        axes.invert_yaxis()
        axes.margins(x=0.04)
        axes.set_xlabel("time on the critical path (us)")
        axes.set_title(name, fontsize=10)
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
    figure.suptitle("Where the time of a whole step goes")
    handles = [Patch(facecolor=c, hatch=h, edgecolor="black", label=label) for label, c, h in KINDS.values()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    save_figure(figure, path)


def _legend(figure: Figure, schemes: Sequence[str], note: str) -> None:
    handles = [Line2D([], [], label=scheme, fillstyle="none", **_style(scheme)) for scheme in schemes]
    figure.legend(
        handles=handles, loc="outside lower center", ncols=min(6, len(handles)), frameon=False, title=note, fontsize=9
    )
