"""Liu and Young's solver: systolic Cholesky on a triangular mesh, then a pipeline that substitutes back.

For symmetric positive definite A; only the lower triangle of A is read. n(n+1)/2 cells factorise, n substitute.

Cholesky's factors without square roots, A = L D L^T with unit diagonal in L: one multiply and one add a cycle, as in
the published counts, and a division where L D^(1/2) would need a division as well. Cell (k, i) of the triangle makes
l_ik: the numbers a_ik .. a_ii of row i, reduced by rows 1 .. k-1, come from the north; d_k and the l_jk of the columns
between k and i come from the west. b is one more row of the matrix, column n + 1 of the array, so that L^-1 b
costs one cycle beyond the factorisation and no pass of its own; its n cells are the pipeline, which is idle till then.

Back-substitution: cell k of the pipeline holds y_k = (L^-1 b)_k / d_k and subtracts l_jk x_j for j = n .. k+1 as the
unknowns climb, last unknown first. Row k of the triangle sends its l_jk east a second time for it, the nearest
first, which is the order needed. x_n, the first unknown, needs d_n, the last number of the factorisation: that is
why the two cannot overlap (Wong sec. 4.5), and nothing else makes them wait.

Cycles (a cell step each, divisions free):

                     published    here
    factorisation    3n - 2       3n - 2, at cell (n, n); 3n - 1 with b
    substitution     4n - 3       2n - 2 after the factorisation
    all              7n - 5       5n - 4 (2 for n = 1); the first unknown reaches the end of the pipeline after 4n - 2

The thesis says of the 4n - 3 only that they are for loading, computing and unloading. Kung and Leiserson's pipeline
accounts for them: n - 1 for the first number to reach the cell where unknowns are made, 2n - 1 for an unknown every
second cycle, n - 1 for the last one to get out. Here loading and unloading take no time of their own: all of L has
come to the edge of the triangle by cycle 3n - 2, before x_n exists, y_k stays where it was made, and every unknown
passes the top of the pipeline on its way. (And x_n takes no step of its own: 2n - 2.) A stream of systems
follows at 4n - 4 cycles each (n > 1): a row must hand its l_jk over before it can take the next.
"""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np

from meshsim.algorithms.kernels.core import pass_on, ratio, subtract_product
from meshsim.algorithms.solvers.base import SingularError, Solver, SolverArray, hand_on
from meshsim.algorithms.types.arrays import Array
from meshsim.program import Cpu, Steps
from meshsim.topologies.triangle import solver_array

NAME = "liu-young"


def diagonal(cpu: Cpu, k: int, row: Sequence[float] | None = None) -> Steps[None]:
    """Cell (k, k): what is left of a_kk is d_k. north -> d_k (or the first number of `row`);  east <- d_k."""
    d = row[0] if row else (yield cpu.recv("north"))
    yield cpu.send("east", cpu.do(pass_on, _positive(d, k)))
    cpu.phase("solve")


def factorise(cpu: Cpu, k: int, i: int, row: Sequence[float] | None = None) -> Steps[None]:
    """Cell (k, i): makes l_ik = a_ik / d_k and takes row k's part out of the rest of row i.

    north -> a_ik .. a_ii (or `row`), west -> d_k, then l_jk for j = k+1 .. i-1;
    south <- a_ij - a_ik l_jk for j = k+1 .. i, east <- d_k, then l_jk for j = k+1 .. i; then these again, backwards.
    """
    a_ik = own = 0.0
    outgoing: list[tuple[str, float]] = []
    for j in range(k, i + 1):
        arriving = [*([] if row else ["north"]), *(["west"] if j < i else [])]
        got = yield cpu.par(*map(cpu.recv, arriving), *(cpu.send(port, value) for port, value in outgoing))
        a = row[j - 1] if row else got[0]
        passing = got[0 if row else 1] if j < i else own
        if j == k:
            a_ik, own = a, cpu.do(ratio, a, passing)
            outgoing = [("east", cpu.do(pass_on, passing))]
        else:
            outgoing = [("south", cpu.do(subtract_product, a, a_ik, passing)), ("east", passing)]
    yield cpu.par(*(cpu.send(port, value) for port, value in outgoing))
    yield from hand_on(cpu, "west", "east", own, i - k - 1)
    cpu.phase("solve")


def substitute(cpu: Cpu, k: int, n: int, row: Sequence[float] | None = None) -> Steps[list[float]]:
    """Cell k of the pipeline, column n + 1 of the array; the first returns the unknowns."""
    y = yield from forward(cpu, k, n, row)
    if k > 1:
        yield from backward(cpu, k, n, y)
        cpu.phase("solve")
        return []
    unknowns = yield from gather(cpu, n, y)
    cpu.phase("last_unknown")
    return unknowns


def forward(cpu: Cpu, k: int, n: int, row: Sequence[float] | None) -> Steps[float]:
    """y_k. north -> b_k .. b_n (or `row`), west -> d_k, then l_jk for j = k+1 .. n;  south <- b_j - b_k l_jk."""
    b_k = y = 0.0
    outgoing: list[float] = []
    for j in range(k, n + 1):
        arriving = [cpu.recv("west")] if row else [cpu.recv("west"), cpu.recv("north")]
        got = yield cpu.par(*arriving, *(cpu.send("south", b) for b in outgoing))
        b = row[j - 1] if row else got[1]
        if j == k:
            b_k, y = cpu.do(pass_on, b), cpu.do(ratio, b, got[0])
        else:
            outgoing = [cpu.do(subtract_product, b, b_k, got[0])]
    yield cpu.par(*(cpu.send("south", b) for b in outgoing))
    return y


def backward(cpu: Cpu, k: int, n: int, y: float) -> Steps[None]:
    """x_k = y_k - l_nk x_n - ... - l_k+1,k x_k+1. south -> x_n .. x_k+1, west -> l_nk .. ;  north <- x_n .. x_k."""
    outgoing: list[float] = []
    for _ in range(n - k):
        got = yield cpu.par(cpu.recv("south"), cpu.recv("west"), *(cpu.send("north", x) for x in outgoing))
        y = cpu.do(subtract_product, y, got[1], got[0])
        outgoing = [got[0]]
    for x in (*outgoing, y):
        yield cpu.send("north", x)


def gather(cpu: Cpu, n: int, y: float) -> Steps[list[float]]:
    """The same in the first cell, where the unknowns end: south -> x_n .. x_2, west -> l_n1 .. l_21."""
    unknowns: list[float] = []
    for _ in range(n - 1):
        x, l_j1 = yield cpu.par(cpu.recv("south"), cpu.recv("west"))
        y = cpu.do(subtract_product, y, l_j1, x)
        if not unknowns:
            cpu.phase("first_unknown")
        unknowns.append(x)
    if not unknowns:
        cpu.phase("first_unknown")
    return [y, *reversed(unknowns)]


def _positive(d: float, k: int, how: str = "") -> float:
    if not d > 0.0:
        raise SingularError(f"the leading minor of order {k} must be positive{how}: {NAME} needs a positive definite A")
    return d


def array(n: int) -> SolverArray:
    """The triangle of n(n+1)/2 cells and the pipeline of n beside it, its column n + 1; the pipeline takes b."""
    topology = solver_array(n)
    cells: dict[Hashable, Any] = {}
    for k, i in topology:
        if i > n:
            cells[k, i] = partial(substitute, k=k, n=n)
        else:
            cells[k, i] = partial(diagonal, k=k) if k == i else partial(factorise, k=k, i=i)
    return SolverArray(topology, cells, tuple((1, i) for i in range(1, n + 2)), (1, n + 1))


def check_positive_definite(A: Array) -> None:
    """Refuse a matrix that is not symmetric, or not positive definite to rounding."""
    n = len(A)
    difference = np.abs(A - A.T)
    if difference.max() > 1e-12 * np.abs(A).max():
        i, j = divmod(int(difference.argmax()), n)
        here, there = (f"{float(A[r, c])!r} at ({r + 1}, {c + 1})" for r, c in ((i, j), (j, i)))
        raise SingularError(f"A must be symmetric for {NAME}, not have {here} and {there}")
    work = np.array(A, dtype=float)
    for k in range(n):
        # All that is ever subtracted from a diagonal entry adds up to less than the entry.
        rounding = n * np.finfo(float).eps * A[k, k]
        _positive(work[k, k] - rounding, k + 1, " (to rounding)")
        work[k + 1 :, k:] -= np.outer(work[k + 1 :, k] / work[k, k], work[k, k:])


LIU_YOUNG = Solver(
    NAME,
    "Liu and Young's Cholesky on n(n+1)/2 processors and back-substitution on n; A symmetric positive definite",
    array,
    check_positive_definite,
)
