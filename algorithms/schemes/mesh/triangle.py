"""The mesh of 2026: Wong's triangle and force row with another way through them.

Cell (k, i) belongs to joint k and body i, as in `wong_mesh.py`; there is no processor of the host's, and no wrap. Four
things are done otherwise:

- Row k carries joint k's axis c and reach (from hinge k to hinge i + 1) from body to body itself, so that they are
  formed where they are wanted, one pair a cell. Row 1 forms none for the others.
- What is known is not computed: c of a body's own joint is z, its arm and its inertia are constants.
- Elimination starts with the last joint, whose row of M is the first that exists, and each entry is eliminated where it
  stands. M is symmetric, so that the triangle has all of it. Nothing is shifted to an edge.
- One stream a link does it all: a cell passes west what eliminates, then the sums that other cells still lack, and
  north the multipliers, then c and arm. It is the same number of steps in all cells of a row.

The accelerations come out at the diagonal, first joint first, and go home to row 0 by a link each.
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial

from meshsim.algorithms.collectives.row_zero import gather, take_first
from meshsim.algorithms.kernels.core import (
    ZERO,
    acceleration_matrix,
    add_along_z,
    add_vectors,
    cross,
    matvec,
    multiply,
    ratio,
    scale,
    scale_cross_z,
    sine_cosine,
    subtract,
    subtract_product,
)
from meshsim.algorithms.kernels.inertial import Spatial
from meshsim.algorithms.kernels.triangle import add_flat, add_flat_vector, minus_square, rate_on_first, spatial_dot_own
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.bodies import LocalBody, bodies_of, lift_of, torque_of
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation, Feed, Gathering
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.mesh.triangle_streams import (
    Outgoing,
    Place,
    Shares,
    flow,
    last_sum,
    nonzero,
    pivots_beyond,
    substitute,
    sums,
    take_arms,
    with_beyond,
)
from meshsim.algorithms.schemes.mesh.wong_mesh import read
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu, Steps
from meshsim.topologies.triangle import homed_triangle

HOME = "home"
"""The port between (0, i) and (i, i)."""


# Rows 1..n: c, arm, and what they are multiplied with


def orientation(cpu: Cpu, local: LocalBody, at: Place) -> Steps[Matrix]:
    """A of body i. South -> sine and cosine, unless in row 1, which finds them itself;  north <- the same."""
    turned = cpu.do(sine_cosine, local.q) if at.k == 1 else (yield cpu.recv("south"))
    if at.k > 2:
        yield cpu.send("north", turned)
    return cpu.do(local.form, *turned, local.E)  # Wong eq. 3.18


def axis_and_arm(cpu: Cpu, local: LocalBody, at: Place, inboard: Vector) -> Steps[Spatial]:
    """c and c x (from hinge k to the centre of mass), of joint k in the axes of body i.

    west -> c, reach, unless the body before is joint k's own, whose reach is `inboard`;  east <- c, reach.
    """
    first, last = at.i == at.k + 1, at.i == at.n
    A = yield from orientation(cpu, local, at)
    c = (A[0][2], A[1][2], A[2][2]) if first else cpu.do(local.rotate, A, (yield cpu.recv("west")))  # Wong eq. 3.15
    got = yield cpu.par(*([] if first else [cpu.recv("west")]), *([] if last else [cpu.send("east", c)]))
    turned = cpu.do(local.rotate, A, inboard if first else got[0])
    if not last:
        yield cpu.send("east", cpu.do(add_vectors, turned, local.span))
    return c, cpu.do(cross, c, cpu.do(add_vectors, turned, local.com))


def inertia_cell(cpu: Cpu, local: LocalBody, at: Place, inboard: Vector) -> Steps[float]:
    """Everything that processor (k, i), k < i, does; returns M_ik."""
    own = yield from axis_and_arm(cpu, local, at, inboard)
    half = cpu.do(matvec, local.J, own[0]), cpu.do(scale, local.m, own[1])  # Wong eqs 3.21, 3.22
    share = cpu.do(spatial_dot_own, local.own_arm, half)
    shares = Shares(half, own, at.i - 1)
    yield from take_arms(cpu, at, shares)
    taken = yield from pivots_beyond(cpu, at, shares.outgoing)
    beyond, pivot = yield from last_sum(cpu, local, at, shares.outgoing)
    entry = with_beyond(cpu, share, beyond)
    cpu.phase("inertia")
    left = entry if taken is None else cpu.do(subtract, entry, taken)
    factor = cpu.do(multiply, left, pivot)
    shares.outgoing.append(("west", (left, factor)))
    yield from sums(cpu, at, shares)
    yield from substitute(cpu, at, factor)
    return entry


# The diagonal


def joint_cell(cpu: Cpu, local: LocalBody, at: Place) -> Steps[float]:
    """Everything that processor (i, i) does; returns M_ii.

    east -> M_ji with u_ji, then the sum of the bodies beyond;  north <- u_ji, then 1 / M_ii;  north -> x_i;  east,
    home <- x_i.
    """
    if at.i > 2:
        yield cpu.send("north", cpu.do(sine_cosine, local.q))
    left = local.own_inertia
    outgoing: Outgoing = []
    for _ in range(at.n - at.i):
        [(row, u)] = yield from flow(cpu, at.east, outgoing)
        left = cpu.do(subtract_product, left, u, row)
        outgoing.append(("north", u))
    beyond = yield from flow(cpu, at.east, outgoing)
    entry = with_beyond(cpu, local.own_inertia, beyond)
    cpu.phase("inertia")
    left = with_beyond(cpu, left, beyond)
    if at.east:
        yield cpu.send("north", cpu.do(ratio, 1.0, nonzero(left, at.i)))
    elif at.i > 1:
        yield from angular_momentum(cpu, local)
    x = yield cpu.recv("north")
    cpu.phase("solve")
    yield from flow(cpu, [], [*((port, x) for port in at.east), (HOME if at.i > 1 else "north", x)])
    return entry


def angular_momentum(cpu: Cpu, local: LocalBody) -> Steps[None]:
    """L' for row 0, while the diagonal has nothing else to do. home -> w, w';  home <- L'.  # Wong eq. 3.31"""
    w = yield cpu.recv(HOME)
    gyroscopic = cpu.do(cross, w, cpu.do(matvec, local.J, w))
    Jwd = cpu.do(matvec, local.J, (yield cpu.recv(HOME)))
    yield cpu.send(HOME, cpu.do(add_vectors, gyroscopic, Jwd))


# Row 0


def rates(cpu: Cpu, local: LocalBody, at: Place, A: Matrix) -> Steps[tuple[Vector, Vector]]:
    """Angular velocity and acceleration of body i > 1. west -> w, w';  east <- w, w';  home <- both.

    Body 1 turns about its own axis at a steady rate: of its w there is one number, of its w' none.
    """
    onward = "east" if at.east else HOME
    inboard = yield cpu.recv("west")
    if at.i == 2:
        w = cpu.do(rate_on_first, A, inboard, local.qd)
    else:
        w = cpu.do(add_along_z, cpu.do(local.rotate, A, inboard), local.qd)  # Wong eq. 3.27
    yield cpu.send(onward, w)
    wd = cpu.do(scale_cross_z, local.qd, w)
    if at.i > 2:
        wd = cpu.do(add_flat_vector, cpu.do(local.rotate, A, (yield cpu.recv("west"))), wd)  # Wong eq. 3.28
    yield cpu.send(onward, wd)
    return w, wd


def first_momentum(cpu: Cpu, local: LocalBody, at: Place, lift: Vector) -> Steps[Spatial]:
    """L' and m p'' of body 1, as far as joint 1 feels them: L' has nothing along its axis. east <- q', e."""
    yield from flow(cpu, [], [(port, local.qd) for port in at.east])
    A = cpu.do(local.form, *cpu.do(sine_cosine, local.q), local.E)
    hinge = cpu.do(local.rotate, A, lift)
    inward = cpu.do(minus_square, local.qd)
    yield from flow(cpu, [], [(port, cpu.do(add_flat, hinge, inward, local.span)) for port in at.east])
    return ZERO, cpu.do(scale, local.m, cpu.do(add_flat, hinge, inward, local.com))


def momentum(cpu: Cpu, local: LocalBody, at: Place) -> Steps[Spatial]:
    """L' and m p'' of body i > 1; e is the acceleration of its outer hinge, as p'' is of its centre of mass.

    west -> w, w', e;  east <- w, w', e;  home <- w, w';  home -> L'.
    """
    A = cpu.do(local.form, *cpu.do(sine_cosine, local.q), local.E)
    w, wd = yield from rates(cpu, local, at, A)
    W = cpu.do(acceleration_matrix, w, wd)  # Wong eq. 3.29
    if at.east:
        outer = cpu.do(matvec, W, local.span)
        hinge = cpu.do(local.rotate, A, (yield cpu.recv("west")))
        yield cpu.send("east", cpu.do(add_vectors, hinge, outer))
        centre = cpu.do(matvec, W, local.com)
    else:
        centre = cpu.do(matvec, W, local.com)
        hinge = cpu.do(local.rotate, A, (yield cpu.recv("west")))
    mpdd = cpu.do(scale, local.m, cpu.do(add_vectors, hinge, centre))  # Wong eq. 3.30
    if not at.east:
        return (yield cpu.recv(HOME)), mpdd
    gyroscopic = cpu.do(cross, w, cpu.do(matvec, local.J, w))
    return cpu.do(add_vectors, gyroscopic, cpu.do(matvec, local.J, wd)), mpdd  # Wong eq. 3.31


def force_cell(cpu: Cpu, local: LocalBody, at: Place, lift: Vector) -> Steps[tuple[float, float]]:
    """Everything that processor (0, i) does; returns h_i and the acceleration of joint i.

    south <- b_i / M_ii;  home -> x_i.
    """
    torque = torque_of(cpu, local)
    half = yield from (first_momentum(cpu, local, at, lift) if at.i == 1 else momentum(cpu, local, at))
    cpu.phase("momentum")
    share = cpu.do(spatial_dot_own, local.own_arm, half)
    shares = Shares(half, None, at.i - 1)
    yield from take_arms(cpu, at, shares)
    taken = yield from pivots_beyond(cpu, at, shares.outgoing)
    given = torque if taken is None else cpu.do(subtract, torque, taken)
    beyond, pivot = yield from last_sum(cpu, local, at, shares.outgoing)
    h = with_beyond(cpu, share, beyond)
    cpu.phase("force")
    b = cpu.do(subtract, given, h)
    shares.outgoing.extend((port, (b,)) for port in at.west)
    yield from sums(cpu, at, shares)
    yield cpu.send("south", cpu.do(multiply, b, pivot))
    x: float = yield cpu.recv(HOME if at.i > 1 else "south")
    cpu.phase("distribute")
    return h, x


# The plan


def make(mechanism: Mechanism, _options: Mapping[str, str]) -> CellEvaluation:
    """Lay the triangle out for a robot."""
    n = mechanism.n
    local_bodies = bodies_of(mechanism)
    cells: dict[Hashable, Cell] = {}
    for i in range(1, n + 1):
        cells[0, i] = Cell(partial(force_cell, at=Place(0, i, n), lift=lift_of(mechanism)), (i - 1,))
        cells[i, i] = Cell(partial(joint_cell, at=Place(i, i, n)), (i - 1,))
        for k in range(1, i):
            cell = partial(inertia_cell, at=Place(k, i, n), inboard=local_bodies[i - 2].span)
            cells[k, i] = Cell(cell, (i - 1,))
    homes = tuple((0, i) for i in range(1, n + 1))
    feeds = (
        *(Feed((0, i), "south", (1, i), "north") for i in range(2, n + 1)),
        *(Feed((0, i), HOME, (i, i), HOME) for i in range(3, n + 1)),
    )
    gathering = Gathering((0, 1), partial(collect, n=n), partial(spread, n=n))
    return CellEvaluation(mechanism, homed_triangle(n), cells, partial(read, n), homes, _acceleration, feeds, gathering)


def collect(cpu: Cpu, node: tuple[int, int], values: tuple[float, ...], n: int) -> Steps[tuple[float, ...]]:
    """Row 0 passes its numbers to (0, 1). west <- its own, then those from the east."""
    if node[1] > 1:
        return (yield from gather(cpu, node, values, n))
    others = []
    for _ in range(n - 1):
        others.append((yield cpu.recv("east")))
    return *values, *others


def spread(cpu: Cpu, node: tuple[int, int], values: tuple[float, ...], n: int) -> Steps[tuple[float, ...]]:
    """(0, 1) sends one number to each other processor of row 0. west -> east <-."""
    if node[1] > 1:
        return ((yield from take_first(cpu, node[1], n)),)
    for value in values[1:]:
        yield cpu.send("east", value)
    return values


def _acceleration(result: tuple[float, float]) -> Sequence[float]:
    return result[1:]


TRIANGLE = Scheme(
    name="triangle",
    summary="Wong's mesh as one would make it today: n(n+1)/2 + n processors, M eliminated where it is formed",
    make=make,
)
