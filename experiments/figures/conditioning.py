"""The picture of the solvers: their errors as systems become ill-conditioned."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from meshsim.experiments.figures.lettering import legend_below
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.styles import ALONE, interleaved, series
from meshsim.experiments.studies.solvers import EXPONENTS

TINIEST = 1e-18
"""Where an error of nothing is drawn."""
APART = 0.62
"""Powers of ten over which the marks of one condition number are spread."""


def draw_conditioning(rows: Sequence[dict[str, Any]], path: str | Path) -> None:
    """Error against condition number; methods stand beside one another, since their errors are nearly the same."""
    figure = Figure(figsize=(7.0, 4.8), layout="constrained")
    axes = figure.add_subplot()
    conditions = [10.0**exponent for exponent in EXPONENTS]
    bound = [np.finfo(float).eps * condition for condition in conditions]
    axes.loglog(conditions, bound, color=ALONE, linestyle="--", label="eps x condition")
    drawn = [np.maximum(row["errors"], TINIEST) for row in rows]
    dashes = interleaved([np.log10(errors) for errors in drawn])
    handles = list(axes.lines)
    for number, row in enumerate(rows):
        label = "dense solver (numpy)" if row["method"] == "dense" else row["method"]
        look = {**series(number).line(), "linewidth": 0.8}
        handles.append(Line2D([], [], label=label, **look))
        look["linestyle"] = dashes.get(number, look["linestyle"])
        shift = 10.0 ** (APART * ((number + 0.5) / len(rows) - 0.5))
        axes.loglog([each * shift for each in conditions], drawn[number], **look)
    axes.set_xlabel("condition number of A, the same power of ten for all marks that stand together")
    exact = f" (0 at {TINIEST:g})" if not np.all([row["errors"] for row in rows]) else ""
    axes.set_ylabel(f"error of x, relative to its largest entry{exact}")
    axes.set_title(f"Systolic solvers, symmetric positive definite A, n = {rows[0]['n']}")
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_xticks(conditions[1::2])
    axes.minorticks_off()
    legend_below(figure, handles, most=3)
    save_figure(figure, path)
