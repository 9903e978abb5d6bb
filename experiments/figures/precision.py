"""A picture of number formats: how many digits schemes compute in each, over joints or for robots."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from meshsim.algorithms.robots.catalogue import is_random_chain
from meshsim.experiments.figures.axes import aside, size_ticks
from meshsim.experiments.figures.lettering import legend_below, panel_title
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.styles import THIN, styles_of
from meshsim.experiments.store.journal import Row
from meshsim.experiments.studies.precision import tables


def draw_precision(rows: Sequence[Row], folder: Path) -> list[Path]:
    """A panel for each format, a row of them for each machine."""
    if not rows:
        return []
    found = list(tables(rows))
    machines, forms = (list(dict.fromkeys(each[part] for each in found)) for part in (0, 1))
    styles = styles_of(found[0][3])
    size = max(7.0, 2.6 * len(forms)), 1.4 + 2.6 * len(machines)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(machines), len(forms), squeeze=False, sharey=True)
    numbers = {row["robot"]: row["n"] for row in rows}
    for machine, form, subjects, labels, cells in found:
        axes = panels[machines.index(machine)][forms.index(form)]
        chains = all(map(is_random_chain, subjects))
        places = [numbers[each] if chains else place for place, each in enumerate(subjects)]
        for order, label in enumerate(labels):
            known = [
                (place + aside(order, len(labels), places), cells[each, label])
                for place, each in zip(places, subjects, strict=True)
                if (each, label) in cells
            ]
            look = styles[label].line() if chains else styles[label].marks()
            axes.plot(*zip(*known, strict=True), **look, **THIN) if known else None
        panel_title(axes, f"{form}, {machine}", loc="left")
        axes.axhline(0.0, color="#999999", linewidth=0.8)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.tick_params(labelsize=8)
        if chains:
            size_ticks(axes, places)
            axes.set_xlabel("joints", fontsize=9)
        else:
            axes.set_xticks(places, [Path(each).stem for each in subjects], fontsize=8, rotation=30, ha="right")
            axes.set_xlabel("robot", fontsize=9)
    for line in panels:
        line[0].set_ylabel("digits of the accelerations", fontsize=9)
    handles = [Line2D([], [], label=label, **style.line()) for label, style in styles.items()]
    legend_below(figure, handles, room=2)
    save_figure(figure, folder / "precision.png")
    return [folder / "precision.png"]
