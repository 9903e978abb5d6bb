"""Jainandunsing's feedforward LU solver: A x = b on a triangular array, without back-substitution.

Column i of the array carries row i of [A^T I], one number a step; its last column carries [-b 0]. Cell (k, i)
adds that multiple of row k to the numbers passing through it which makes the k-th of them zero. So what leaves
the last cell of the last column is 0 .. 0 and then x.                                    # Wong sec. 4.5.1
"""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np

from meshsim.algorithms.kernels.core import axpy, negative_ratio, pass_on
from meshsim.algorithms.solvers.base import SingularError, Solver, SolverArray
from meshsim.algorithms.types.arrays import Array
from meshsim.program import Cpu, Steps
from meshsim.topologies.triangle import solver_array

NAME = "feedforward-lu"

Ports = Sequence[str]
"""What a cell calls its north, west, south and east; "" for one it lacks. A diagonal cell has north and east alone."""

Augment = Callable[[Sequence[float], int, int], list[float]]
"""Makes the numbers that pass through column i from row i of A^T, or from b for column n + 1."""


def pivot(
    cpu: Cpu,
    i: int,
    n: int,
    row: Sequence[float] | None = None,
    augment: Augment | None = None,
    extra: int = 0,
    in_turn: bool = False,
    ports: Ports = ("north", "east"),
) -> Steps[None]:
    """The diagonal cell of row i: what comes from the north goes east, as the row that eliminates.

    north -> y (or what `augment` makes of `row`, where that is at hand);  east <- y; 2n + `extra` numbers.
    """
    north, east = ports
    stream = (augment or augmented)(row, i, n) if row else None
    outgoing: list[float] = []
    for step in range(2 * n + extra):
        arriving = [] if stream else [cpu.recv(north)]
        got = yield cpu.par(*arriving, *(cpu.send(east, y) for y in outgoing))
        outgoing = [cpu.do(pass_on, stream[step] if stream else got[0])]
        if in_turn:
            yield cpu.send(east, outgoing.pop())
    yield cpu.par(*(cpu.send(east, y) for y in outgoing))
    cpu.phase("solve")


def eliminate(
    cpu: Cpu, k: int, i: int, n: int, ports: Ports, row: Sequence[float] | None = None, in_turn: bool = False
) -> Steps[list[float]]:
    """Cell (k, i): adds `alpha` times the row from the west to the row from the north.

    north -> y (or `row`), west -> x;  south <- y + alpha x, east <- x.                   # Wong eq. 4.30

    As in any systolic cell, the numbers of one step leave while those of the next come in; `in_turn` they leave first,
    as the thesis's code has it. Where nothing lies to the south, the unknowns end here and are returned.
    """
    north, west, south, east = ports
    stream = augmented(row, i, n) if row else None
    alpha = 0.0
    unknowns: list[float] = []
    outgoing: list[tuple[str, float]] = []
    for step in range(1, 2 * n + 1):
        arriving = [cpu.recv(west)] if stream else [cpu.recv(west), cpu.recv(north)]
        got = yield cpu.par(*arriving, *(cpu.send(port, value) for port, value in outgoing))
        x, y = got[0], stream[step - 1] if stream else got[1]
        if step == k:
            alpha = cpu.do(negative_ratio, y, nonzero(x, k))
        y = cpu.do(axpy, alpha, x, y) if step >= k else cpu.do(pass_on, y)
        outgoing = [(port, value) for port, value in ((south, y), (east, x)) if port]
        if not south and step > n:
            unknowns.append(y)
            if step == n + 1:
                cpu.phase("first_unknown")
        if in_turn:
            yield cpu.par(*(cpu.send(port, value) for port, value in outgoing))
            outgoing = []
    yield cpu.par(*(cpu.send(port, value) for port, value in outgoing))
    cpu.phase("solve" if south else "last_unknown")
    return unknowns


def augmented(row: Sequence[float], i: int, n: int) -> list[float]:
    """Row i of [A^T I]; row n + 1 is [-b 0], made from b by changing signs."""
    if i > n:
        return [*(-value for value in row), *[0.0] * n]
    return [*row, *(1.0 if j == i else 0.0 for j in range(1, n + 1))]


def nonzero(x: float, k: int, solver: str = NAME, how: str = "") -> float:
    """The pivot of row k, refused if it is zero."""
    if x == 0.0:
        raise SingularError(f"the leading minor of order {k} must not be zero{how}: {solver} exchanges no rows")
    return x


def array(n: int) -> SolverArray:
    """The triangle of n(n+1)/2 + n cells; column n + 1 takes b."""
    return feedforward_array(n, pivot, eliminate)


def feedforward_array(n: int, diagonal: Callable[..., Any], cell: Callable[..., Any]) -> SolverArray:
    """The triangle with given programs: `diagonal` takes i and n, `cell` takes k, i, n and ports."""
    topology = solver_array(n)
    cells: dict[Hashable, Any] = {}
    for k, i in topology:
        ports = ("north", "west", "south" if k < min(i, n) else "", "east" if i <= n else "")
        cells[k, i] = partial(diagonal, i=i, n=n) if k == i else partial(cell, k=k, i=i, n=n, ports=ports)
    return SolverArray(topology, cells, tuple((1, i) for i in range(1, n + 2)), (n, n + 1))


def check_leading_minors(A: Array, solver: str = NAME) -> None:
    """Refuse a matrix whose elimination without row exchanges meets a pivot that is zero to rounding.

    What a pivot may be in rounding is measured by the sizes of all that was added up to it.
    """
    work = np.array(A, dtype=float)
    sizes = np.abs(work)
    n = len(work)
    with np.errstate(all="ignore"):  # what overflows will show in x
        for k in range(n):
            if abs(work[k, k]) <= n * np.finfo(float).eps * sizes[k, k]:
                nonzero(0.0, k + 1, solver, " (to rounding)")
            factors = work[k + 1 :, k] / work[k, k]
            sizes[k + 1 :, k:] += np.outer(np.abs(factors), np.abs(work[k, k:]))
            work[k + 1 :, k:] -= np.outer(factors, work[k, k:])


FEEDFORWARD_LU = Solver(
    NAME,
    "Jainandunsing's LU without back-substitution on n(n+1)/2 + n processors; no row exchanges",
    array,
    check_leading_minors,
)
