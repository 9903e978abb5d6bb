"""Small dense matrices, counted: lists of rows of floats."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from meshsim.algorithms.kernels.core import add, axpy, multiply, ratio, subtract, subtract_product
from meshsim.errors import MeshSimError
from meshsim.program import Cpu

Row = Sequence[float]
Rows = Sequence[Row]


def inner(cpu: Cpu, x: Row, y: Row) -> float:
    """x . y; 0 if they have no entries."""
    if not x:
        return 0.0
    total = cpu.do(multiply, x[0], y[0])
    for a, b in zip(x[1:], y[1:], strict=True):
        total = cpu.do(axpy, a, b, total)
    return total


def times(cpu: Cpu, A: Rows, x: Row) -> list[float]:
    """A x."""
    return [inner(cpu, row, x) for row in A]


def columns(A: Rows) -> list[Row]:
    """A^T: only moves numbers."""
    return list(zip(*A, strict=True))


def product(cpu: Cpu, A: Rows, B: Rows) -> list[list[float]]:
    """A B."""
    across = columns(B)
    return [[inner(cpu, row, column) for column in across] for row in A]


def sum_of(cpu: Cpu, x: Row, y: Row) -> list[float]:
    """x + y."""
    return [cpu.do(add, a, b) for a, b in zip(x, y, strict=True)]


def difference(cpu: Cpu, x: Row, y: Row) -> list[float]:
    """x - y."""
    return [cpu.do(subtract, a, b) for a, b in zip(x, y, strict=True)]


def congruence(cpu: Cpu, M: Rows, S: Rows) -> tuple[list[list[float]], list[list[float]]]:
    """The lower triangle of S^T M S, and M S; of M the lower triangle is read."""
    MS = product(cpu, full(M), S)
    left, right = columns(S), columns(MS)
    return [[inner(cpu, left[i], right[j]) for j in range(i + 1)] for i in range(len(left))], MS


def full(lower: Rows) -> list[list[float]]:
    """A symmetric matrix from its lower triangle."""
    n = len(lower)
    return [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]


@dataclass(frozen=True)
class Factors:
    """A matrix taken apart by Gauss's elimination: rows of factors below the diagonal, and the order of the rows."""

    rows: Rows
    order: Sequence[int]


Choice = Callable[[Rows, Sequence[int], int], int]
"""Given the rows so far, which they were at first, and a column: the row, from the column's on, with its pivot."""


def largest(rows: Rows, _order: Sequence[int], i: int) -> int:
    """The row with the largest entry in column i; comparisons are free."""
    best = i
    for k in range(i + 1, len(rows)):
        if size(rows[k][i]) > size(rows[best][i]):
            best = k
    return best


def factor(cpu: Cpu, A: Rows, choose: Choice = largest) -> Factors:
    """Gauss's elimination; in each column the largest pivot is taken, or as told."""
    n = len(A)
    rows = [list(row) for row in A]
    order = list(range(n))
    for i in range(n):
        best = choose(rows, order, i)
        rows[i], rows[best] = rows[best], rows[i]
        order[i], order[best] = order[best], order[i]
        if rows[i][i] == 0.0:
            raise MeshSimError(f"the matrix must be regular, and its column {i + 1} follows from those before it")
        for k in range(i + 1, n):
            rows[k][i] = cpu.do(ratio, rows[k][i], rows[i][i])
            for j in range(i + 1, n):
                rows[k][j] = cpu.do(subtract_product, rows[k][j], rows[k][i], rows[i][j])
    return Factors(rows, order)


def substitute(cpu: Cpu, factors: Factors, b: Row) -> list[float]:
    """Solve A x = b, given the factors of A."""
    n = len(b)
    rows = factors.rows
    x = [b[i] for i in factors.order]
    for i in range(n):
        for k in range(i):
            x[i] = cpu.do(subtract_product, x[i], rows[i][k], x[k])
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] = cpu.do(subtract_product, x[i], rows[i][k], x[k])
        x[i] = cpu.do(ratio, x[i], rows[i][i])
    return x


def opposite(x: float) -> float:
    """Minus x; changing a sign is free."""
    return -x


def size(x: float) -> float:
    """The absolute value; changing a sign is free."""
    return -x if x < 0.0 else x
