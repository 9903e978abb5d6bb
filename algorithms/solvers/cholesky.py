"""Solution of a symmetric positive definite system on one processor by Cholesky's factorisation, M = L L^T.

With its square roots, as Angeles and Ma count it; `ldl.py` is the variant without.
"""

from collections.abc import Sequence

from meshsim.algorithms.kernels.core import ratio, square_root, subtract_product
from meshsim.algorithms.solvers.ldl import check_pivot
from meshsim.program import Cpu


def solve_cholesky(cpu: Cpu, M: Sequence[Sequence[float]], b: Sequence[float]) -> list[float]:
    """Solve M x = b; of M only the lower triangle is read."""
    n = len(b)
    L: list[list[float]] = []
    for i, given in enumerate(M):
        row = list(given[: i + 1])
        for j in range(i):
            for k in range(j):
                row[j] = cpu.do(subtract_product, row[j], row[k], L[j][k])
            row[j] = cpu.do(ratio, row[j], L[j][j])
        for k in range(i):
            row[i] = cpu.do(subtract_product, row[i], row[k], row[k])
        check_pivot(row[i], i)
        row[i] = cpu.do(square_root, row[i])
        L.append(row)
    x = list(b)
    for i in range(n):
        for j in range(i):
            x[i] = cpu.do(subtract_product, x[i], L[i][j], x[j])
        x[i] = cpu.do(ratio, x[i], L[i][i])
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            x[i] = cpu.do(subtract_product, x[i], L[j][i], x[j])
        x[i] = cpu.do(ratio, x[i], L[i][i])
    return x
