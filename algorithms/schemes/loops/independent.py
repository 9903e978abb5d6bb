"""Independent rates of a closed mechanism: how they are chosen, and what all joints do for each of them."""

from dataclasses import dataclass

import numpy as np

from meshsim.algorithms.kernels.dense import Factors, Row, Rows, factor, opposite, substitute
from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.algorithms.types.arrays import Array
from meshsim.program import Cpu


@dataclass
class Selected:
    """The factors of A with the rows that choose v: [A; B] q' = [a; v]."""

    n: int
    factors: Factors
    dependent: tuple[int, ...]
    independent: tuple[int, ...]
    A: Rows

    @classmethod
    def of(cls, cpu: Cpu, settings: Settings, A: Rows) -> "Selected":
        n = len(A[0])
        if settings.independent:
            dependent = tuple(j for j in range(n) if j not in settings.independent)
            part = [[row[j] for j in dependent] for row in A]
            return cls(n, factor(cpu, part), dependent, settings.independent, A)
        return cls(n, factor(cpu, [*A, *settings.basis]), (), (), A)

    def complement(self, cpu: Cpu) -> list[list[float]]:
        """S: the rates of all joints for each independent rate alone."""
        n, m = self.n, len(self.A)
        if not self.independent:
            units = [[float(i == j) for i in range(n)] for j in range(m, n)]
            return [list(row) for row in zip(*(substitute(cpu, self.factors, unit) for unit in units), strict=True)]
        S = [[0.0] * len(self.independent) for _ in range(n)]
        for column, j in enumerate(self.independent):
            S[j][column] = 1.0
            moved = substitute(cpu, self.factors, [opposite(row[j]) for row in self.A])
            for i, each in zip(self.dependent, moved, strict=True):
                S[i][column] = each
        return S

    def particular(self, cpu: Cpu, a: Row) -> list[float]:
        """The rates that make A q' = a with no independent rate."""
        if not self.independent:
            return substitute(cpu, self.factors, [*a, *(0.0 for _ in range(len(a), self.n))])
        found = [0.0] * self.n
        for i, each in zip(self.dependent, substitute(cpu, self.factors, a), strict=True):
            found[i] = each
        return found


def independent_joints(A: Array) -> tuple[int, ...]:
    """The columns that elimination with full pivoting leaves for last."""  # Khan sec. A.3
    left = A.copy()
    m, n = A.shape
    rows, free = list(range(m)), list(range(n))
    for _ in range(m):
        part = np.abs(left[np.ix_(rows, free)])
        i, j = np.unravel_index(part.argmax(), part.shape)
        row, column = rows.pop(int(i)), free.pop(int(j))
        for other in rows:
            left[other] -= left[other, column] / left[row, column] * left[row]
    return tuple(free)


def null_basis(A: Array) -> tuple[tuple[float, ...], ...]:
    """Orthonormal rows that span the null space of A."""  # Khan sec. A.2
    m, n = A.shape
    Q, _ = np.linalg.qr(A.T, mode="complete")
    return tuple(map(tuple, Q[:, m:n].T.tolist()))


def selection(settings: Settings, n: int) -> Array:
    """B, the rows that make independent rates from all."""
    if settings.independent:
        return np.eye(n)[list(settings.independent)]
    return np.array(settings.basis)
