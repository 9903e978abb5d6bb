"""Solution of a symmetric positive definite system on one processor: M = L D L^T, then two substitutions.

Cholesky's factorisation without its square roots, which is what the operation counts of the field assume.
"""

from collections.abc import Sequence

from meshsim.algorithms.kernels.core import ratio, subtract_product
from meshsim.errors import MeshSimError
from meshsim.program import Cpu

Factors = tuple[list[list[float]], list[float]]
"""The rows of L left of its diagonal, and D."""


def solve_ldl(cpu: Cpu, M: Sequence[Sequence[float]], b: Sequence[float]) -> list[float]:
    """Solve M x = b; of M only the lower triangle is read."""
    return substitute_ldl(cpu, factor_ldl(cpu, M), b)


def substitute_ldl(cpu: Cpu, factors: Factors, b: Sequence[float]) -> list[float]:
    """Solve M x = b, given the factors of M."""
    n = len(b)
    L, d = factors
    x = list(b)
    for i in range(n):
        for j in range(i):
            x[i] = cpu.do(subtract_product, x[i], L[i][j], x[j])
    x = [cpu.do(ratio, x[i], d[i]) for i in range(n)]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            x[i] = cpu.do(subtract_product, x[i], L[j][i], x[j])
    return x


def check_pivot(pivot: float, i: int) -> None:
    """Refuse a matrix whose factorisation has met a pivot that is not positive, in row i from 0."""
    if pivot <= 0.0:
        raise MeshSimError(f"the matrix must be positive definite, and its leading minor of order {i + 1} is not")


def factor_ldl(cpu: Cpu, M: Sequence[Sequence[float]]) -> Factors:
    """M = L D L^T, row by row: g_ij = l_ij d_j first, then l_ij = g_ij / d_j."""
    L: list[list[float]] = []
    d: list[float] = []
    for i, given in enumerate(M):
        g = list(given[:i])
        for j in range(i):
            for k in range(j):
                g[j] = cpu.do(subtract_product, g[j], g[k], L[j][k])
        row = [cpu.do(ratio, g[j], d[j]) for j in range(i)]
        pivot = given[i]
        for j in range(i):
            pivot = cpu.do(subtract_product, pivot, g[j], row[j])
        check_pivot(pivot, i)
        L.append(row)
        d.append(pivot)
    return L, d
