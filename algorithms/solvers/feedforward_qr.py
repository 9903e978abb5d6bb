"""Jainandunsing's feedforward solver with plane rotations: any nonsingular A x = b, without back-substitution.

The array is that of `feedforward_lu`, n(n+1)/2 + n cells, and so is the flow, but cell (k, i) turns row k and row i in
their plane, so that the pivot row changes as it passes east. Let Q be the product of all turns. What is fed is

    column i of the array, i <= n:   row i of [ A^T   0   I ]
    column n + 1:                             [ -b^T  1   0 ]

and what leaves the last cell is the last row q^T of Q times this. Q is orthogonal and makes [A^T; -b^T] upper
triangular, so the first n numbers of that row are zero: with q = (p, f), A p = f b. The next number is f itself, and
the last n are p. Hence x = p / f. With LU the factor f (the thesis's k) is 1; here it is 1/sqrt(1 + x.x) but for its
sign, never zero unless A is singular. It is fed as one more column, before the identity, so that it is there
when the first unknown comes and each is divided as it arrives.                            # Wong eqs. 4.24 to 4.29

Cycles (a cell step each; divisions and roots free): first unknown after 3n + 1, last after 4n, one more than with LU
for the factor. A cycle is 4 multiplies and 2 adds instead of one each. The last column turns whole pairs too, though
no cell receives the pivot rows that leave it: cells are alike.

Scaling b or an equation does no harm: rows of A^T are turned with one another before b meets them, and each
column of A^T has its own rounding errors. Small unknowns beside large ones have the error of the large ones.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from meshsim.algorithms.kernels.core import pass_on, ratio, rotate_pair, rotation_of
from meshsim.algorithms.solvers.base import SingularError, Solver, SolverArray
from meshsim.algorithms.solvers.feedforward_lu import Ports, feedforward_array, pivot
from meshsim.algorithms.types.arrays import Array
from meshsim.program import Cpu, Steps

NAME = "feedforward-qr"


def rotate_rows(
    cpu: Cpu, k: int, i: int, n: int, ports: Ports, row: Sequence[float] | None = None
) -> Steps[list[float]]:
    """Cell (k, i): turns the rows from the west and the north so that the k-th number from the north becomes zero.

    north -> y (or `row`), west -> x;  south <- c y - s x, east <- c x + s y.

    Where nothing lies to the south, the factor and the unknowns end here; the unknowns are returned.
    """
    north, west, south, east = ports
    stream = augmented(row, i, n) if row else None
    c, s = 1.0, 0.0
    last_row: list[float] = []
    outgoing: list[tuple[str, float]] = []
    for step in range(1, 2 * n + 2):
        arriving = [cpu.recv(west)] if stream else [cpu.recv(west), cpu.recv(north)]
        got = yield cpu.par(*arriving, *(cpu.send(port, value) for port, value in outgoing))
        x, y = got[0], stream[step - 1] if stream else got[1]
        if step == k:
            c, s = cpu.do(rotation_of, x, y)
        x, y = cpu.do(rotate_pair, c, s, x, y) if step >= k else (x, cpu.do(pass_on, y))
        outgoing = [(port, value) for port, value in ((south, y), (east, x)) if port]
        if not south and step > n:
            divide_by_factor(cpu, y, last_row)
    yield cpu.par(*(cpu.send(port, value) for port, value in outgoing))
    cpu.phase("solve" if south else "last_unknown")
    return last_row[1:]


def divide_by_factor(cpu: Cpu, y: float, last_row: list[float]) -> None:
    """Keep the first number of the last row, the factor; divide those that follow by it."""
    if not last_row:
        last_row.append(_nonzero(y))
        return
    last_row.append(cpu.do(ratio, y, last_row[0]))
    if len(last_row) == 2:
        cpu.phase("first_unknown")


def augmented(row: Sequence[float], i: int, n: int) -> list[float]:
    """Row i of [A^T 0 I]; row n + 1 is [-b^T 1 0], made from b by changing signs."""
    if i > n:
        return [*(-value for value in row), 1.0, *[0.0] * n]
    return [*row, 0.0, *(1.0 if j == i else 0.0 for j in range(1, n + 1))]


def _nonzero(factor: float) -> float:
    if factor == 0.0:
        raise SingularError(f"A must be invertible for {NAME}, not singular")
    return factor


def array(n: int) -> SolverArray:
    """The triangle of n(n+1)/2 + n cells; column n + 1 takes b. One number more than with LU passes, the factor."""
    return feedforward_array(n, partial(pivot, augment=augmented, extra=1), rotate_rows)


def check_invertible(A: Array) -> None:
    """Refuse a matrix that is singular to rounding, once each equation is scaled to its largest coefficient.

    Scaling an equation changes neither the unknowns nor their errors, so it must not decide.
    """
    largest = np.abs(A).max(axis=1)
    if largest.all():
        sizes = np.linalg.svd(A / largest[:, None], compute_uv=False)
        if sizes[-1] > len(A) * np.finfo(float).eps * sizes[0]:
            return
    raise SingularError(f"A must be invertible for {NAME}, not singular (to rounding)")


FEEDFORWARD_QR = Solver(
    NAME,
    "Jainandunsing's plane rotations without back-substitution on n(n+1)/2 + n processors; any invertible A",
    array,
    check_invertible,
)
