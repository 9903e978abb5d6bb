"""What the pictures of a sweep have in common: a panel for each robot, and a legend below."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from meshsim.algorithms.robots.catalogue import is_random_chain
from meshsim.algorithms.robots.reduced import split_text
from meshsim.experiments.store.journal import Row


def panels_of(count: int, width: float, height: float) -> tuple[Figure, list[Any]]:
    """So many panels, four to a row."""
    columns, rows = min(count, 4), -(-count // 4)
    figure = Figure(figsize=(max(width, 2.7 * columns), height * rows), layout="constrained")
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for spare in panels[count:]:
        spare.set_visible(False)
    return figure, panels[:count]


def first_of_rows(panels: Sequence[Any]) -> Sequence[Any]:
    return panels[::4]


def robots_of(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["robot"] for row in rows))


def robot_title(rows: Sequence[Row], robot: str) -> str:
    n = next(row["n"] for row in rows if row["robot"] == robot)
    whole, changes = split_text(robot)
    return f"n = {n}" if is_random_chain(robot) else f"{Path(whole).stem}{changes}, n = {n}"
