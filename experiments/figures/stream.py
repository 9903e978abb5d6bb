"""The picture of a stream: latency against load, with saturation."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from meshsim.experiments.figures.axes import log_ticks
from meshsim.experiments.figures.lettering import legend_below, panel_title
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.figures.styles import series
from meshsim.experiments.store.journal import Row


def draw_stream(rows: Sequence[Row], title: str, path: Path) -> None:
    """Draw all networks of a stream in one picture: mean and largest latency, and where each network is saturated."""
    figure = Figure(figsize=(8.5, 5.6), layout="constrained")
    axes = figure.add_subplot()
    handles: list[Any] = []
    for place, network in enumerate(dict.fromkeys(row["network"] for row in rows)):
        mine = sorted((row for row in rows if row["network"] == network), key=lambda row: row["per_second"])
        style = series(place)
        loads, colour = [row["per_second"] for row in mine], style.colour
        axes.plot(loads, [row["mean_us"] for row in mine], color=colour, linewidth=1.3)
        axes.plot(loads, [row["largest_us"] for row in mine], color=colour, linewidth=0.8, linestyle=":")
        for row in mine:
            fill = "none" if row["growing"] else "full"
            axes.plot(row["per_second"], row["mean_us"], **{**style.marks(), "fillstyle": fill}, markersize=5)
        saturated = mine[0]["saturated_per_second"]
        axes.axvline(saturated, color=colour, linewidth=0.9, linestyle="--")
        top = {**style.marks(), "fillstyle": "none", "markersize": 6}
        axes.plot([saturated], [0.97 - 0.04 * place], transform=axes.get_xaxis_transform(), **top)
        handles.append(Line2D([], [], **{**style.line(), "linestyle": "-", "fillstyle": "full"}, label=network))
    axes.set_yscale("log")
    log_ticks(axes.yaxis)
    axes.tick_params(labelsize=8)
    axes.set_xlim(left=0.0)
    axes.set_xlabel("load: evaluations offered per second", fontsize=9)
    axes.set_ylabel("latency of an evaluation (us)", fontsize=9)
    axes.grid(color="#dddddd", linewidth=0.6)
    panel_title(axes, title, 10.0, loc="left")
    handles += [
        Line2D([], [], color="#666666", label="mean"),
        Line2D([], [], color="#666666", linestyle=":", label="largest"),
        Line2D([], [], color="#666666", linestyle="--", label="saturation (its mark at the top)"),
        Line2D([], [], color="#666666", linestyle="none", marker="o", markerfacecolor="white", label="still growing"),
    ]
    legend_below(figure, handles, room=2)
    save_figure(figure, path)
