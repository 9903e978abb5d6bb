"""Solution of a system on one processor as a library's subroutine has it: LU with pivots, every comparison paid for.

A library does not know that a matrix is symmetric and positive definite. `solve_lu` looks for the largest pivot of each
column; `solve_lu_scaled` for the largest as a share of its row's largest entry, which is found first.
"""

from collections.abc import Sequence

from meshsim.algorithms.kernels.core import excess, ratio
from meshsim.algorithms.kernels.dense import Rows, factor, full, substitute
from meshsim.program import Cpu


def place_of_largest(cpu: Cpu, values: Sequence[float]) -> int:
    """Which value is the largest, signs apart."""
    best = 0
    for k in range(1, len(values)):
        if cpu.do(excess, values[k], values[best]) > 0.0:
            best = k
    return best


def solve_lu(cpu: Cpu, M: Rows, b: Sequence[float]) -> list[float]:
    """Solve M x = b, M given by its lower triangle."""

    def choose(rows: Rows, _order: Sequence[int], i: int) -> int:
        return i + place_of_largest(cpu, [row[i] for row in rows[i:]])

    return substitute(cpu, factor(cpu, full(M), choose), b)


def solve_lu_scaled(cpu: Cpu, M: Rows, b: Sequence[float]) -> list[float]:
    """The same, each pivot measured by its row."""
    A = full(M)
    sizes = [row[place_of_largest(cpu, row)] for row in A]

    def choose(rows: Rows, order: Sequence[int], i: int) -> int:
        return i + place_of_largest(cpu, [cpu.do(ratio, rows[k][i], sizes[order[k]]) for k in range(i, len(rows))])

    return substitute(cpu, factor(cpu, A, choose), b)
