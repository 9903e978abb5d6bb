"""The picture of the solvers: their errors as systems become ill-conditioned."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.studies.solvers import EXPONENTS

MARKERS = {"feedforward-lu": "o", "feedforward-qr": "s", "liu-young": "^", "faddeev": "D", "dense": "x"}


def draw_conditioning(rows: Sequence[dict[str, Any]], path: str | Path) -> None:
    """Error against condition number."""
    figure = Figure(figsize=(6.4, 4.6), layout="constrained")
    axes = figure.add_subplot()
    conditions = [10.0**exponent for exponent in EXPONENTS]
    bound = [np.finfo(float).eps * condition for condition in conditions]
    axes.loglog(conditions, bound, color="#999999", linestyle="--", label="eps x condition")
    for row in rows:
        label = "dense solver (numpy)" if row["method"] == "dense" else row["method"]
        axes.loglog(
            conditions,
            row["errors"],
            marker=MARKERS.get(row["method"], "+"),
            fillstyle="none",
            linewidth=0.8,
            label=label,
        )
    axes.set_xlabel("condition number of A")
    axes.set_ylabel("error of x, relative to its largest entry")
    axes.set_title(f"Systolic solvers, symmetric positive definite A, n = {rows[0]['n']}")
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.legend()
    save_figure(figure, path)
