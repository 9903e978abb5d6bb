"""A picture of how errors grow with joints: a panel for each system and number format, a line for each scheme."""

import math
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from meshsim.experiments.figures.lettering import legend_below, panel_title
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.styles import THIN, styles_of
from meshsim.experiments.store.journal import Row
from meshsim.experiments.studies.error_growth import curves

MOST_TICKS = 8
"""Numbers of joints that are written below a panel."""


def draw_growth(rows: Sequence[Row], folder: Path) -> list[Path]:
    """A row of panels for each format; errors that are exactly 0 are not drawn."""
    found = list(curves(rows))
    systems, forms = (list(dict.fromkeys(each[part] for each in found)) for part in (0, 1))
    styles = styles_of([label for _, _, errors in found for label in errors])
    size = max(5.0, 1.0 + 2.6 * len(systems)), 1.2 + 2.6 * len(forms)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(forms), len(systems), squeeze=False, sharex=True, sharey="row")
    for system, form, errors in found:
        axes = panels[forms.index(form)][systems.index(system)]
        for label, by_size in errors.items():
            known = [(n, error) for n, error in sorted(by_size.items()) if error]
            axes.plot(*zip(*known, strict=True), **styles[label].line(), **THIN) if known else None
        panel_title(axes, f"{system}, {form}", loc="left")
    ticks = sorted({row["n"] for row in rows})
    ticks = ticks[:: -(-len(ticks) // MOST_TICKS)]
    for line in panels:
        line[0].set_ylabel("largest error / largest\nexact acceleration", fontsize=9)
        for axes in line:
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.set_xticks(ticks, [str(n) for n in ticks])
            axes.minorticks_off()
            low, high = axes.get_ylim()
            axes.set_ylim(10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high)))
            axes.grid(color="#dddddd", linewidth=0.6)
            axes.tick_params(labelsize=8)
    for axes in panels[-1]:
        axes.set_xlabel("joints", fontsize=9)
    handles = [Line2D([], [], label=label, **style.line()) for label, style in styles.items()]
    legend_below(figure, handles, room=2)
    save_figure(figure, folder / "accuracy.png")
    return [folder / "accuracy.png"]
