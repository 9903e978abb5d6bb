"""What the pictures of a sweep have in common: a panel for each robot, and a legend below."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from matplotlib.figure import Figure
from numpy.typing import NDArray

from meshsim.algorithms.robots.catalogue import is_random_chain
from meshsim.algorithms.robots.reduced import split_text

Columns: TypeAlias = Mapping[str, NDArray[Any]]
"""The rows of a sweep, by column."""


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


def only(columns: Columns, chosen: Any) -> Columns:
    """Some rows."""
    return {name: column[chosen] for name, column in columns.items()}


def robots_of(columns: Columns) -> list[str]:
    return list(dict.fromkeys(columns["robot"].tolist()))


def robot_title(columns: Columns, robot: str) -> str:
    n = columns["n"][columns["robot"] == robot][0]
    whole, changes = split_text(robot)
    return f"n = {n}" if is_random_chain(robot) else f"{Path(whole).stem}{changes}, n = {n}"
