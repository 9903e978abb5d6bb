"""Three-vectors and three-by-three matrices of plain floats."""

from collections.abc import Iterable

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]


def to_vector(values: Iterable[float]) -> Vector:
    """Three numbers, of an array say, as plain floats."""
    x, y, z = values
    return float(x), float(y), float(z)


def to_matrix(values: Iterable[Iterable[float]]) -> Matrix:
    """Three rows of numbers likewise."""
    a, b, c = values
    return to_vector(a), to_vector(b), to_vector(c)
