"""How many numbers a kernel takes, where its types leave that open: tests draw arguments of just that shape."""

from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple

Ts = TypeVarTuple("Ts")
R = TypeVar("R")


def vector(m: int) -> Any:
    """A tuple of m numbers."""
    return tuple[(float,) * m]  # type: ignore[misc]


def matrix(m: int, columns: int = 6) -> Any:
    """A tuple of m rows."""
    return tuple[(vector(columns),) * m]  # type: ignore[misc]


def lower(m: int, diagonal: int = 1) -> Any:
    """The m rows of a lower triangle, with or without its diagonal."""
    return tuple[tuple(vector(i + diagonal) for i in range(m))]  # type: ignore[misc]


SIX, BLOCK, LOWER = vector(6), matrix(6), lower(6)
"""Six numbers, a 6 x 6 matrix, and the lower triangle of one."""


def shaped(**shapes: Any) -> Callable[[Callable[[*Ts], R]], Callable[[*Ts], R]]:
    """Say of some arguments of a kernel what their shapes are."""

    def shape(function: Callable[[*Ts], R]) -> Callable[[*Ts], R]:
        function.__annotations__.update(shapes)
        return function

    return shape
