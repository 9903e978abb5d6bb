"""Matrices of three rows and columns, counted: tuples of rows."""

from collections.abc import Callable, Sequence

from meshsim.algorithms.kernels.core import add, multiply, subtract
from meshsim.algorithms.kernels.dense import full, opposite, product, times
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu


def squared(cpu: Cpu, over: Vector, p: Vector) -> Matrix:
    """P p^T over a number, which is symmetric."""
    return symmetric(lambda i, j: cpu.do(multiply, over[i], p[j]))


def apply(cpu: Cpu, A: Matrix, x: Vector) -> Vector:
    """A x."""
    a, b, c = times(cpu, A, x)
    return a, b, c


def multiplied(cpu: Cpu, A: Matrix, B: Matrix) -> Matrix:
    """A B."""
    return _matrix(product(cpu, A, B))


def outer(cpu: Cpu, x: Vector, y: Vector) -> Matrix:
    """X y^T."""
    return _matrix([[cpu.do(multiply, a, b) for b in y] for a in x])


def from_one(cpu: Cpu, A: Matrix) -> Matrix:
    """1 - A."""
    return _matrix(
        [[cpu.do(subtract, 1.0, v) if i == j else opposite(v) for j, v in enumerate(row)] for i, row in enumerate(A)]
    )


def lower(A: Matrix) -> tuple[tuple[float, ...], ...]:
    """What is sent of a symmetric matrix."""
    return A[0][:1], A[1][:2], A[2]


def whole(half: Sequence[Sequence[float]]) -> Matrix:
    """A symmetric matrix of which this was sent."""
    return _matrix(full(half))


def symmetric(entry: Callable[[int, int], float]) -> Matrix:
    """The matrix of which a function has the entries on and below the diagonal."""
    return whole([[entry(i, j) for j in range(i + 1)] for i in range(3)])


def add_symmetric(cpu: Cpu, A: Matrix, B: Matrix) -> Matrix:
    """A + B, both symmetric."""
    return symmetric(lambda i, j: cpu.do(add, A[i][j], B[i][j]))


def subtract_symmetric(cpu: Cpu, A: Matrix, B: Matrix) -> Matrix:
    """A - B, both symmetric."""
    return symmetric(lambda i, j: cpu.do(subtract, A[i][j], B[i][j]))


def negative(x: Vector) -> Vector:
    """Minus x; changing a sign is free."""
    return opposite(x[0]), opposite(x[1]), opposite(x[2])


def _matrix(rows: Sequence[Sequence[float]]) -> Matrix:
    (a, b, c), (d, e, f), (g, h, i) = rows
    return (a, b, c), (d, e, f), (g, h, i)
