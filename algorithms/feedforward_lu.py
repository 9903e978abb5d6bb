"""Jainandunsing's feedforward LU solver: A x = b on a triangular array, without back-substitution.

Column i of the array carries row i of [A^T I], one number a step; its last column carries [-b 0]. Cell (k, i)
adds that multiple of row k to the numbers passing through it which makes the k-th of them zero. So what leaves
the last cell of the last column is 0 .. 0 and then x.                                    # Wong sec. 4.5.1
"""

from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from algorithms.kernels import axpy, negative_ratio, pass_on
from meshsim.errors import MeshSimError
from meshsim.plan import Plan, Program
from meshsim.processor import Processor, Steps
from topologies.triangle import solver_array


class SingularError(MeshSimError):
    """The solver does not exchange rows, so no leading minor may be zero."""


def pivot(cpu: Processor, n: int, row: Sequence[float] | None = None) -> Steps[None]:
    """The diagonal cell of a row: what comes from the north goes east, as the row that eliminates.

    north -> y (or `row`, where it is at hand);  east <- y.
    """
    outgoing: list[float] = []
    for step in range(2 * n):
        arriving = [] if row else [cpu.recv("north")]
        got = yield cpu.par(*arriving, *(cpu.send("east", y) for y in outgoing))
        outgoing = [cpu.do(pass_on, row[step] if row else got[0])]
    yield cpu.send("east", outgoing[0])
    cpu.phase("solve")


def eliminate(
    cpu: Processor, k: int, n: int, ports: Sequence[str], row: Sequence[float] | None = None
) -> Steps[list[float]]:
    """A cell of row k: adds `alpha` times the row from the west to the row from the north.

    north -> y (or `row`), west -> x;  south <- y + alpha x, east <- x.                   # Wong eq. 4.30

    As in any systolic cell, the numbers of one step leave while those of the next come in. `ports` names the four
    as this processor knows them. One it lacks is "": nothing leaves there, and what would have gone south is
    returned.
    """
    north, west, south, east = ports
    alpha = 0.0
    kept: list[float] = []
    outgoing: list[tuple[str, float]] = []
    for step in range(1, 2 * n + 1):
        arriving = [cpu.recv(west)] if row else [cpu.recv(west), cpu.recv(north)]
        got = yield cpu.par(*arriving, *(cpu.send(port, value) for port, value in outgoing))
        x, y = got[0], row[step - 1] if row else got[1]
        if step == k:
            alpha = cpu.do(negative_ratio, y, _nonzero(x, k))
        y = cpu.do(axpy, alpha, x, y) if step >= k else cpu.do(pass_on, y)
        outgoing = [(port, value) for port, value in ((south, y), (east, x)) if port]
        if not south:
            kept.append(y)
            if step == n + 1:
                cpu.phase("first_unknown")
    yield cpu.par(*(cpu.send(port, value) for port, value in outgoing))
    cpu.phase("solve" if south else "last_unknown")
    return kept


def _nonzero(x: float, k: int) -> float:
    if x == 0.0:
        raise SingularError(f"the leading minor of order {k} must not be zero: feedforward-lu exchanges no rows")
    return x


def feedforward_lu(A: NDArray[np.float64], b: NDArray[np.float64]) -> Plan[NDArray[np.float64]]:
    """A plan that solves A x = b on n(n+1)/2 + n processors; it needs leading minors that are not zero."""
    n = len(b)
    check_leading_minors(A)
    topology = solver_array(n)
    programs: dict[Hashable, Program] = {}
    for k, i in topology:
        feed = [*(A[:, i - 1] if i <= n else -b), *(1.0 if j == i else 0.0 for j in range(1, n + 1))]
        row = [float(value) for value in feed] if k == 1 else None
        if k == i:
            programs[k, i] = partial(pivot, n=n, row=row)
        else:
            ports = ("north", "west", "south" if k < min(i, n) else "", "east" if i <= n else "")
            programs[k, i] = partial(eliminate, k=k, n=n, ports=ports, row=row)
    return Plan(topology, programs, lambda results: np.array(results[n, n + 1][n:]))


def check_leading_minors(A: NDArray[np.float64]) -> None:
    """Refuse a matrix whose elimination without row exchanges meets a pivot that is zero to rounding."""
    work = np.array(A, dtype=float)
    n = len(work)
    threshold = n * np.finfo(float).eps * np.abs(work).max(initial=0.0)
    for k in range(n):
        if abs(work[k, k]) <= threshold:
            raise SingularError(
                f"the leading minor of order {k + 1} must not be zero (to rounding): feedforward-lu exchanges no rows"
            )
        work[k + 1 :, k:] -= np.outer(work[k + 1 :, k] / work[k, k], work[k, k:])
