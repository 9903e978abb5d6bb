"""Faddeev's augmented elimination: A x = b without back-substitution, the rows of -I on processors of their own.

Eliminating A in

    [  A  b ]
    [ -I  0 ]

by its own rows adds A^-1 times the upper rows to the lower ones and leaves x where 0 stood.     # Wong sec. 4.5

Columns of the array are columns of this matrix: column i takes column i of A, column n + 1 takes b, one row a step. In
the upper triangle, n(n+1)/2 + n cells, cell (k, i) divides the k-th number u_ki by the pivot and subtracts that
times the numbers of column k, which come from the west, from those that follow. So what leaves column i downwards
is u_1i, u_2i ... : the pivot rows, each divided by its pivot. The lower triangle applies them to -I. Row j of -I has
nothing to eliminate before column j, and the -1 there takes no arithmetic: n - j + 1 cells do, n(n+1)/2 in all. Cell
(n+j, i) holds entry i of row j, v_ji; row k adds -v_jk u_ki to it. What it ends with is sent east, as the factor
for the columns that follow, or is x_j in column n + 1.

n(n+2) processors against n(n+3)/2 of the feedforward solvers: nearly twice. (With the rows of -I fed after those of A
into the upper triangle itself, this is feedforward LU.) No row exchanges: leading minors must not vanish.

Cycles (a cell step each, divisions free): x_j is made after 3n - 1 + j, the first after the published 3n. The
unknowns are made in n different cells; to bring them to one, as `SolverArray` asks, takes a step a cell: at cell (n+1,
n+1) the j-th arrives after 3n + 2(j - 1), the last after 5n - 2. Wong's 3n counts no such collection, and one
unknown. The upper triangle is free after n steps, not 2n, so that systems could follow one another twice as fast as
with feedforward LU; but the cell that gathers them is busy for 3n - 2.
"""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

from meshsim.algorithms.kernels.core import pass_on, ratio, subtract_product
from meshsim.algorithms.solvers.base import Solver, SolverArray, hand_on
from meshsim.algorithms.solvers.feedforward_lu import check_leading_minors, nonzero
from meshsim.program import Cpu, Steps
from meshsim.topologies.faddeev import faddeev_array

NAME = "faddeev"


def pivot(cpu: Cpu, i: int, n: int, row: Sequence[float] | None = None) -> Steps[None]:
    """Cell (i, i): pivot rows go on to the lower triangle, what is left of column i eliminates the others.

    north -> u_1i .. u_i-1,i, then a_ii .. a_ni (or `row`);  south <- u_1i .. u_i-1,i, east <- a_ii .. a_ni.
    """
    outgoing: list[tuple[str, float]] = []
    for step in range(1, n + 1):
        arriving = [] if row else [cpu.recv("north")]
        got = yield cpu.par(*arriving, *(cpu.send(port, value) for port, value in outgoing))
        outgoing = [("south" if step < i else "east", cpu.do(pass_on, row[step - 1] if row else got[0]))]
    yield cpu.par(*(cpu.send(port, value) for port, value in outgoing))
    cpu.phase("solve")


def eliminate(cpu: Cpu, k: int, i: int, n: int, row: Sequence[float] | None = None) -> Steps[None]:
    """Cell (k, i) of the upper triangle: makes u_ki and subtracts column k times it.

    north -> u_1i .. u_k-1,i, then a_ki .. a_ni (or `row`), west -> a_kk .. a_nk;
    south <- u_1i .. u_ki, then a_ji - a_jk u_ki, east <- a_kk .. a_nk.
    """
    u = 0.0
    outgoing: list[tuple[str, float]] = []
    for step in range(1, n + 1):
        arriving = [*([] if row else ["north"]), *(["west"] if step >= k else [])]
        got = yield cpu.par(*map(cpu.recv, arriving), *(cpu.send(port, value) for port, value in outgoing))
        y = row[step - 1] if row else got[0]
        x = got[0 if row else 1] if step >= k else 0.0
        if step == k:
            y = u = cpu.do(ratio, y, nonzero(x, k, NAME))
        y = cpu.do(subtract_product, y, u, x) if step > k else cpu.do(pass_on, y)
        outgoing = [("south", y), *([("east", x)] if k <= step and i <= n else [])]
    yield cpu.par(*(cpu.send(port, value) for port, value in outgoing))
    cpu.phase("solve")


def augment(cpu: Cpu, j: int, i: int, n: int) -> Steps[list[float]]:
    """Cell (n+j, i): entry i of row j of -I; in column n + 1 this becomes x_j.

    north -> u_ji .. u_i-1,i, west -> v_j,j+1 .. v_j,i-1;  south <- u_j+1,i .. u_i-1,i, east <- v_j,j+1 .. v_ji.
    """
    v = 0.0
    outgoing: list[tuple[str, float]] = []
    for k in range(j, i):
        arriving = [cpu.recv("north")] if k == j else [cpu.recv("north"), cpu.recv("west")]
        got = yield cpu.par(*arriving, *(cpu.send(port, value) for port, value in outgoing))
        if k == j:
            v = cpu.do(pass_on, got[0])  # v_jj = -1
        else:
            v = cpu.do(subtract_product, v, got[1], got[0])
            outgoing = [("south", got[0]), *([("east", got[1])] if i <= n else [])]
    yield cpu.par(*(cpu.send(port, value) for port, value in outgoing))
    return (yield from finish(cpu, j, i, n, v))


def finish(cpu: Cpu, j: int, i: int, n: int, v: float) -> Steps[list[float]]:
    """What a cell of the lower triangle does with its v: east <- v; or, in column n + 1, the unknowns go north."""
    unknowns: list[float] = []
    if i <= n:
        yield cpu.send("east", v)
    elif j > 1:
        yield from hand_on(cpu, "south", "north", v, n - j)
    else:
        unknowns.append(v)
        cpu.phase("first_unknown")
        for _ in range(n - 1):
            unknowns.append(cpu.do(pass_on, (yield cpu.recv("south"))))
    cpu.phase("last_unknown" if unknowns else "solve")
    return unknowns


def array(n: int) -> SolverArray:
    """n(n+2) cells: a triangle for A and b, one below it for -I, whose first cell of column n + 1 collects x."""
    topology = faddeev_array(n)
    cells: dict[Hashable, Any] = {}
    for k, i in topology:
        if k > n:
            cells[k, i] = partial(augment, j=k - n, i=i, n=n)
        else:
            cells[k, i] = partial(pivot, i=i, n=n) if k == i else partial(eliminate, k=k, i=i, n=n)
    return SolverArray(topology, cells, tuple((1, i) for i in range(1, n + 2)), (n + 1, n + 1))


FADDEEV = Solver(
    NAME,
    "Faddeev's augmented elimination on n(n+2) processors, without back-substitution; no row exchanges",
    array,
    partial(check_leading_minors, solver=NAME),
)
