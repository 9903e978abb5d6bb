"""Loops on the mesh of the freedoms alone: P = H-bar G replaces H-bar, and n(n+1)/2 + n cells and the host do.

The cone has a column for each actuated joint. Its host's processor (0, 0) finds the loops and sends the columns of G
out. Diagonal cell k finds how all bodies move for a unit rate of its joint: column k of P. Motions go north and momenta
east, so that cell (k, i) has M_c(k, i), the sum over the bodies; row 0 has H_c, from the bodies' momentum derivatives,
which (0, 1) makes. Then the same cells solve, as they do for a chain.  # Wong eq. 6.15
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from meshsim.algorithms.collectives.triangle_shift import shift_matrix
from meshsim.algorithms.kernels.core import (
    ZERO,
    acceleration_matrix,
    add,
    add_along_z,
    add_coriolis_z,
    add_cross_z,
    add_vectors,
    cross,
    matvec,
    scale,
    subtract,
    subtract_vectors,
)
from meshsim.algorithms.kernels.dense import Row, columns, inner, sum_of, times
from meshsim.algorithms.robots.closure import leading
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.base.bodies import LocalBody, bodies_of, lift_of
from meshsim.algorithms.schemes.base.evaluation import Cell, start
from meshsim.algorithms.schemes.loops.mesh_host import LoopHost
from meshsim.algorithms.schemes.mesh.parts import product
from meshsim.algorithms.schemes.mesh.wong_mesh import shift_force
from meshsim.algorithms.schemes.one.one_wong import hinges, momentum_rate, rotations
from meshsim.algorithms.solvers.feedforward_lu import eliminate, pivot
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps
from meshsim.topologies.triangle import cone

Motion = tuple[Vector, Vector]
"""How a body turns and how its centre of mass moves; or its momenta, or how those change."""


# The host


def host_cell(cpu: Cpu, host: LoopHost) -> Steps[list[float]]:
    """Processor (0, 0): the loops, and finally all accelerations.

    east <- columns of G, the last first, then q'_r (if it is sent) with G' q';  east -> n zeros, then q''.
    """
    known, G = host.complement(cpu)
    across = columns(G)
    for column in reversed(across):
        yield cpu.send("east", tuple(column))
    qd = host.rates(cpu, G)
    drift = host.drift(cpu, known, qd)
    yield cpu.send("east", (qd if host.sent else (), tuple(drift)))
    for _ in across:
        yield cpu.recv("east")
    qdd = []
    for _ in across:
        qdd.append((yield cpu.recv("east")))
    cpu.phase("solve")
    found = sum_of(cpu, times(cpu, G, qdd), drift)  # Wong eq. 6.10
    cpu.phase("accelerations")
    return found


# The triangle: M_c


def column_cell(cpu: Cpu, *local_bodies: LocalBody, k: int, n: int) -> Steps[None]:
    """Diagonal cell k: the motion of every body for a unit rate of actuated joint k, and M_c(k, k).

    north -> column k of G;  north <- motions, east <- momenta, of bodies that have mass.
    """
    A, hinge = rotations(cpu, local_bodies), hinges(cpu, local_bodies)
    column = yield cpu.recv("north")
    motions: list[Motion] = []
    total = 0.0
    for body, local in enumerate(local_bodies):
        motions.append(moved(cpu, local, A[body], hinge[body], motions, column[body]))
        if local.m:
            momentum = momenta(cpu, local, motions[body])
            yield cpu.par(cpu.send("north", motions[body]), *([cpu.send("east", momentum)] if k < n else []))
            total = cpu.do(add, total, product(cpu, False, motions[body], momentum))
    cpu.phase("inertia")
    yield from solve(cpu, k, k, n, total)


def moved(cpu: Cpu, local: LocalBody, A: Matrix, hinge: Vector, motions: Sequence[Motion], rate: float) -> Motion:
    """How a body turns and its centre of mass moves, from its parent's motion and its own joint's rate."""
    w, v = motions[local.parent] if local.ancestors else (ZERO, ZERO)
    if w is not ZERO:
        v = cpu.do(add_vectors, v, cpu.do(cross, w, local.l_inboard))
        w = cpu.do(local.rotate, A, w)
    if v is not ZERO:
        v = cpu.do(local.rotate, A, v)
    if not local.slides:
        w = (0.0, 0.0, rate) if w is ZERO else cpu.do(add_along_z, w, rate)  # Wong eq. 3.27
    if w is not ZERO:
        arm = cpu.do(cross, hinge, w)
        v = arm if v is ZERO else cpu.do(add_vectors, v, arm)
    if local.slides:
        v = (0.0, 0.0, rate) if v is ZERO else cpu.do(add_along_z, v, rate)
    return w, v


def momenta(cpu: Cpu, local: LocalBody, motion: Motion) -> Motion:
    """Momenta of a body that moves so; nothing is done for one that does not turn."""
    w, v = motion
    return ZERO if w is ZERO else cpu.do(matvec, local.J, w), cpu.do(scale, local.m, v)  # Wong eqs. 3.21, 3.22


def product_cell(cpu: Cpu, k: int, i: int, n: int, size: int) -> Steps[None]:
    """Cell (k, i) above the diagonal: M_c(k, i), a sum over as many bodies as have mass.

    north -> column i of G, south <- the same;  west -> momenta, south -> motions;  east, north <- the same.
    """
    yield cpu.send("south", (yield cpu.recv("north")))
    total = 0.0
    for _ in range(size):
        momentum, moving = yield cpu.par(cpu.recv("west"), cpu.recv("south"))
        yield cpu.par(cpu.send("north", moving), *([cpu.send("east", momentum)] if i < n else []))
        total = cpu.do(add, total, product(cpu, False, moving, momentum))  # Wong eq. 6.15
    cpu.phase("inertia")
    yield from solve(cpu, k, i, n, total)


def solve(cpu: Cpu, k: int, i: int, n: int, entry: float) -> Steps[None]:
    """What the mesh does with its matrix: it moves to row 1, and the feedforward solver runs."""
    row = yield from shift_matrix(cpu, k, i, n, entry)
    feed = row if k == 1 else None
    if k == i:
        yield from pivot(cpu, i, n, feed)
    else:
        yield from eliminate(cpu, k, i, n, ("north", "west", "south", "east"), feed)


# Row 0: H_c


def force_cell(cpu: Cpu, i: int, n: int, size: int, tau: Sequence[float]) -> Steps[None]:
    """Processor (0, i > 1): entry i of H_c, then the last column of the solver.

    west -> columns of G, those beyond i first, then momentum derivatives of as many bodies as have mass;  east <- those
    columns, and the derivatives;  south <- column i;  south -> motions.
    """
    torque = yield from pass_columns(cpu, i, n, tau)
    force = 0.0
    for _ in range(size):
        force = yield from add_force(cpu, force, (yield cpu.recv("west")), i < n)
    yield from solve_force(cpu, i, n, torque, force)


def first_force_cell(cpu: Cpu, *local_bodies: LocalBody, n: int, tau: Sequence[float], lift: Vector) -> Steps[None]:
    """Processor (0, 1): the same, but it makes the momentum derivatives itself, by Newton's and Euler's laws.

    west -> columns of G, the last first, then q'_r (if it is sent, else nothing) with G' q';  the rest as above.
    """
    A, hinge = rotations(cpu, local_bodies), hinges(cpu, local_bodies)
    torque = yield from pass_columns(cpu, 1, n, tau)
    sent, drift = yield cpu.recv("west")
    qd = sent or [local.qd for local in local_bodies]
    bodies: list[Moving] = []
    force = 0.0
    for body, local in enumerate(local_bodies):
        before = bodies[local.parent] if local.ancestors else Moving(ZERO, ZERO, None, lift)
        now = accelerated(cpu, local, A[body], hinge[body], before, (qd[body], drift[body]))
        bodies.append(now)
        if local.m:
            spin = ZERO if now.W is None else momentum_rate(cpu, local, now.w, now.wd)
            force = yield from add_force(cpu, force, (spin, cpu.do(scale, local.m, now.pdd)), n > 1)
    yield from solve_force(cpu, 1, n, torque, force)


@dataclass(frozen=True)
class Moving:
    """How a body moves, its weight taken as an acceleration: w, w', p'', and W if it turns at all."""

    w: Vector
    wd: Vector
    W: Matrix | None
    pdd: Vector


def accelerated(cpu: Cpu, local: LocalBody, A: Matrix, hinge: Vector, before: Moving, joint: Row) -> Moving:
    """The motion of a body, from its parent's and from rate and acceleration of its joint."""
    qd, qdd = joint
    w, wd, pdd = before.w, before.wd, before.pdd
    turned = before.W is not None
    if before.W is not None:
        w, wd = cpu.do(local.rotate, A, w), cpu.do(local.rotate, A, wd)
        pdd = cpu.do(add_vectors, pdd, cpu.do(matvec, before.W, local.l_inboard))
    pdd = cpu.do(local.rotate, A, pdd)
    if not local.slides:
        w = cpu.do(add_along_z, w, qd) if turned else (0.0, 0.0, qd)  # Wong eq. 3.27
        wd = cpu.do(add_along_z, cpu.do(add_cross_z, wd, w, qd), qdd) if turned else (0.0, 0.0, qdd)  # Wong eq. 3.28
    W = None
    if turned or not local.slides:
        W = cpu.do(acceleration_matrix, w, wd)  # Wong eq. 3.29
        pdd = cpu.do(subtract_vectors, pdd, cpu.do(matvec, W, hinge))  # Wong eq. 3.30
    if local.slides:
        pdd = cpu.do(add_along_z, cpu.do(add_coriolis_z, pdd, w, qd) if turned else pdd, qdd)
    return Moving(w, wd, W, pdd)


def pass_columns(cpu: Cpu, i: int, n: int, tau: Sequence[float]) -> Steps[float]:
    """Columns of G on their way; entry i of G^T tau_r. west -> columns;  east <- those beyond i, south <- column i."""
    for _ in range(n - i):
        yield cpu.send("east", (yield cpu.recv("west")))
    column = yield cpu.recv("west")
    yield cpu.send("south", column)
    return inner(cpu, column, tau)  # Wong eq. 6.8


def add_force(cpu: Cpu, force: float, changing: Motion, onward: bool) -> Steps[float]:
    """Add a body's share. south -> its motion;  east <- its momentum derivatives, if those go on."""
    if onward:
        yield cpu.send("east", changing)
    return cpu.do(add, force, product(cpu, False, (yield cpu.recv("south")), changing))


def solve_force(cpu: Cpu, i: int, n: int, torque: float, force: float) -> Steps[None]:
    """What row 0 does with its vector: it moves to (0, n), and the feedforward solver runs."""
    cpu.phase("force")
    b = yield from shift_force(cpu, i, n, cpu.do(subtract, torque, force))
    yield from eliminate(cpu, n + 1 - i, n + 1, n, ("east", "north", "west", ""), b if i == n else None)


# The plan


def small_plan(host: LoopHost, tau: Sequence[float]) -> Plan[Array]:
    """Lay it out for a state."""
    tree, n = host.mechanism, len(leading(host.mechanism))
    local_bodies = bodies_of(tree, State(host.q, host.qd, tuple(tau)))
    joints, size = tuple(range(tree.n)), sum(1 for local in local_bodies if local.m)
    cells: dict[Hashable, Cell] = {(0, 0): Cell(partial(host_cell, host=host))}
    first = partial(first_force_cell, n=n, tau=tuple(tau), lift=lift_of(tree))
    for i in range(1, n + 1):
        cells[0, i] = Cell(first, joints) if i == 1 else Cell(partial(force_cell, i=i, n=n, size=size, tau=tuple(tau)))
        cells[i, i] = Cell(partial(column_cell, k=i, n=n), joints)
        for k in range(1, i):
            cells[k, i] = Cell(partial(product_cell, k=k, i=i, n=n, size=size))
    programs = {
        node: partial(start, cell=cell, local_bodies=[local_bodies[joint] for joint in cell.joints])
        for node, cell in cells.items()
    }

    def read(results: Mapping[Any, Any]) -> Array:
        return np.array(results[0, 0])

    return Plan(cone(n), programs, read)
