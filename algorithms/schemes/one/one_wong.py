"""The thesis's own formulation on one processor: H-bar and H, M = H-bar^T H, h = H-bar^T [L' m p''], then solve.

A function per item of the lists by which the thesis counts, each followed by its mark. What is constant is formed off
line: J z and m (k x z) of each body, and the sum of their products on the diagonal of M. # Wong secs. 3.2, 3.3.1, 3.4
"""

from collections.abc import Mapping, Sequence

from meshsim.algorithms.kernels.core import (
    Z_AXIS,
    ZERO,
    acceleration_matrix,
    acceleration_matrix_z,
    add,
    add_along_z,
    add_coriolis_z,
    add_cross_z,
    add_vectors,
    cross,
    dot,
    matvec,
    multiply,
    scale,
    sine_cosine,
    subtract_vectors,
)
from meshsim.algorithms.kernels.inertial import Spatial, spatial_dot, spatial_dot_flat
from meshsim.algorithms.kernels.matrices import third_column
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.base.scheme import WRENCHES
from meshsim.algorithms.schemes.one.one_processor import Formed, forming_scheme
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu

Rows = list[dict[int, Vector]]
"""Vectors by body i and joint j, for every joint on the way from the ground to the body."""

INERTIA_ITEMS = ("rotations", "c", "rho", "J c", "m rho x c", "terms")
"""What section 3.2 lists. The sums of the terms over the bodies, marked "inertia", are not in its list."""

FORCE_ITEMS = ("w", "w'", "W", "p''", "m p''", "L'", "force")
"""What section 3.3.1 lists."""


# The inertia matrix


def rotations(cpu: Cpu, local_bodies: Sequence[LocalBody]) -> list[Matrix]:
    """A of every body, from its parent's frame to its own; a joint that slides does not turn it."""
    return [
        local.E if local.slides else cpu.do(local.form, *cpu.do(sine_cosine, local.q), local.E)  # Wong eq. 3.18
        for local in local_bodies
    ]


def axes(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix]) -> Rows:
    """c_ij, the axis of joint j seen from body i. The body's own is constant, its parent's the last column of A."""
    c: Rows = []
    for i, local in enumerate(local_bodies):
        seen = {j: cpu.do(local.rotate, A[i], c[local.parent][j]) for j in local.ancestors[:-1]}  # Wong eq. 3.15
        if local.ancestors:
            seen[local.parent] = third_column(A[i])
        c.append({**seen, i: Z_AXIS})
    return c


def hinges(cpu: Cpu, local_bodies: Sequence[LocalBody]) -> list[Vector]:
    """k of every body: from its centre of mass to its joint on its parent, which moves where the joint slides."""
    return [cpu.do(add_along_z, local.k, local.withdrawn) if local.slides else local.k for local in local_bodies]


def arms(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], k: Sequence[Vector]) -> Rows:
    """rho_ij, from the centre of mass of body i to hinge j, for joints that turn."""
    rho: Rows = []
    for i, local in enumerate(local_bodies):
        turning = [j for j in local.ancestors if not local_bodies[j].slides]
        reach = {j: cpu.do(subtract_vectors, rho[local.parent][j], local.l_inboard) for j in turning}
        rho.append({j: cpu.do(add_vectors, cpu.do(local.rotate, A[i], reach[j]), k[i]) for j in turning})
        rho[i][i] = local.k  # Wong eq. 3.15
    return rho


def velocities(cpu: Cpu, local_bodies: Sequence[LocalBody], c: Rows, rho: Rows) -> Rows:
    """What the centre of mass of body i moves by when joint j moves: rho_ij x c_ij, or c_ij if it slides."""
    moves: Rows = []
    for i, local in enumerate(local_bodies):
        moves.append(
            {j: c[i][j] if local_bodies[j].slides else cpu.do(cross, rho[i][j], c[i][j]) for j in local.ancestors}
        )
        moves[i][i] = Z_AXIS if local.slides else local.own_arm
    return moves


def products(
    cpu: Cpu,
    local_bodies: Sequence[LocalBody],
    left: Sequence[Mapping[int, Spatial]],
    right: Sequence[Mapping[int, Spatial]],
    own: Sequence[float],
) -> list[dict[tuple[int, int], float]]:
    """Body by body, its terms of M_ik for i >= k: left_i . right_k, and what it has `own` for its own joint alone."""
    terms = []
    for body, local in enumerate(local_bodies):
        found = {}
        for i in (*local.ancestors, body):
            for k in (j for j in local.ancestors if j <= i):
                a, b = left[body][i], right[body][k]
                if local_bodies[i].slides and i == body:
                    found[i, k] = b[1][2] if a[1] is Z_AXIS else cpu.do(multiply, a[1][2], b[1][2])
                elif local_bodies[i].slides or local_bodies[k].slides:
                    found[i, k] = cpu.do(dot, a[1], b[1])
                else:
                    found[i, k] = cpu.do(spatial_dot_flat if i == body else spatial_dot, a, b)  # Wong eq. 3.23
        found[body, body] = own[body]
        terms.append(found)
    return terms


def paired(angular: Rows, linear: Rows) -> list[dict[int, Spatial]]:
    """Six-vectors from their halves; a joint that slides has no angular one."""
    return [{j: (turn.get(j, ZERO), move[j]) for j in move} for turn, move in zip(angular, linear, strict=True)]


def sums(cpu: Cpu, n: int, terms: Sequence[Mapping[tuple[int, int], float]]) -> list[list[float]]:
    """M_ik, the sum of its terms over the bodies; zero for joints of which neither carries the other."""
    M = [[0.0] * (i + 1) for i in range(n)]
    for body, found in enumerate(terms):
        for (i, k), term in found.items():
            M[i][k] = term if i == body else cpu.do(add, M[i][k], term)
    return M


# The force vector


def rates(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix]) -> tuple[list[Vector], list[Vector]]:
    """Angular velocity and, for joints that do not accelerate, angular acceleration of every body."""
    w: list[Vector] = []
    for i, local in enumerate(local_bodies):
        if not local.ancestors:
            w.append((0.0, 0.0, 0.0 if local.slides else local.qd))
            continue
        turned = cpu.do(local.rotate, A[i], w[local.parent])
        w.append(turned if local.slides else cpu.do(add_along_z, turned, local.qd))  # Wong eq. 3.27
    cpu.phase("w")
    wd: list[Vector] = []
    for i, local in enumerate(local_bodies):
        if not local.ancestors:
            wd.append(ZERO)
            continue
        turned = cpu.do(local.rotate, A[i], wd[local.parent])
        wd.append(turned if local.slides else cpu.do(add_cross_z, turned, w[i], local.qd))  # Wong eq. 3.28
    cpu.phase("w'")
    return w, wd


def turnings(cpu: Cpu, local_bodies: Sequence[LocalBody], w: Sequence[Vector], wd: Sequence[Vector]) -> list[Matrix]:
    """W of every body; one on the ground turns about its own axis, if it turns at all."""
    return [
        cpu.do(acceleration_matrix, w[i], wd[i])  # Wong eq. 3.29
        if local.ancestors
        else (ZERO, ZERO, ZERO)
        if local.slides
        else cpu.do(acceleration_matrix_z, local.qd)
        for i, local in enumerate(local_bodies)
    ]


def accelerations(
    cpu: Cpu,
    local_bodies: Sequence[LocalBody],
    A: Sequence[Matrix],
    k: Sequence[Vector],
    w: Sequence[Vector],
    W: Sequence[Matrix],
    lift: Vector,
) -> list[Vector]:
    """p'' of every body: the acceleration of its centre of mass, less gravity."""
    pdd: list[Vector] = []
    x, y, z = lift
    for i, local in enumerate(local_bodies):
        if local.ancestors:
            outboard = cpu.do(add_vectors, pdd[local.parent], cpu.do(matvec, W[local.parent], local.l_inboard))
            at_hinge = cpu.do(local.rotate, A[i], outboard)
        else:  # Wong eq. 3.36
            at_hinge = cpu.do(local.rotate, A[i], lift) if x or y else cpu.do(scale, z, third_column(A[i]))
        if local.ancestors or not local.slides:
            at_hinge = cpu.do(subtract_vectors, at_hinge, cpu.do(matvec, W[i], k[i]))  # Wong eq. 3.30
        pdd.append(cpu.do(add_coriolis_z, at_hinge, w[i], local.qd) if local.slides and local.ancestors else at_hinge)
    return pdd


def momentum_rate(cpu: Cpu, local: LocalBody, w: Vector, wd: Vector) -> Vector:
    """L' of a body."""
    gyroscopic = cpu.do(cross, w, cpu.do(matvec, local.J, w))
    return cpu.do(add_vectors, cpu.do(matvec, local.J, wd), gyroscopic)  # Wong eq. 3.31


def first_momentum_rate(cpu: Cpu, local: LocalBody, w: Vector) -> Vector:
    """L' of a body on the ground.

    The list counts ten additions, though w' is zero: six for J w, three for w x J w, and one, it seems, for
    the only part of J w' that its joint would feel.
    """
    return cpu.do(add_along_z, cpu.do(cross, w, cpu.do(matvec, local.J, w)), 0.0)


def force_vector(
    cpu: Cpu, local_bodies: Sequence[LocalBody], c: Rows, moves: Rows, Ld: Sequence[Vector], mpdd: Sequence[Vector]
) -> list[float]:
    """h, which is H-bar^T times the momentum derivatives."""
    h: list[float] = []
    for body, local in enumerate(local_bodies):
        for i in local.ancestors:
            if local_bodies[i].slides:
                share = cpu.do(dot, moves[body][i], mpdd[body])
            else:
                share = cpu.do(spatial_dot, (c[body][i], moves[body][i]), (Ld[body], mpdd[body]))  # Wong eq. 3.34
            h[i] = cpu.do(add, h[i], share)
        if local.slides:
            h.append(mpdd[body][2])
        else:
            h.append(cpu.do(add, Ld[body][2], cpu.do(dot, moves[body][body], mpdd[body])))
    return h


def take_off(
    cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], Ld: list[Vector], mpdd: list[Vector]
) -> None:
    """L' and m p'' less the moments and forces that act on bodies, which are turned into their axes."""
    for i, local in enumerate(local_bodies):
        if local.wrench is None:
            continue
        for taken, vector in ((Ld, local.wrench.moment), (mpdd, local.wrench.force)):
            if not any(vector):
                continue
            for k in (*local.ancestors, i):
                vector = cpu.do(local_bodies[k].rotate, A[k], vector)
            taken[i] = cpu.do(subtract_vectors, taken[i], vector)


# The whole


def form(cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector) -> Formed:
    """M and h, item by item."""
    A = rotations(cpu, local_bodies)
    cpu.phase("rotations")
    c = axes(cpu, local_bodies, A)
    cpu.phase("c")
    k = hinges(cpu, local_bodies)
    rho = arms(cpu, local_bodies, A, k)
    cpu.phase("rho")
    Jc = [
        {j: cpu.do(matvec, local.J, c[i][j]) for j in local.ancestors if not local_bodies[j].slides}
        for i, local in enumerate(local_bodies)
    ]
    cpu.phase("J c")  # Wong eq. 3.21
    moves = velocities(cpu, local_bodies, c, rho)
    mass_moves = [
        {j: cpu.do(scale, local.m, moves[i][j]) for j in local.ancestors} for i, local in enumerate(local_bodies)
    ]
    cpu.phase("m rho x c")  # Wong eq. 3.22
    own = [local.m if local.slides else local.own_inertia for local in local_bodies]
    terms = products(cpu, local_bodies, paired(c, moves), paired(Jc, mass_moves), own)
    cpu.phase("terms")
    M = sums(cpu, len(local_bodies), terms)
    cpu.phase("inertia")
    w, wd = rates(cpu, local_bodies, A)
    W = turnings(cpu, local_bodies, w, wd)
    cpu.phase("W")
    pdd = accelerations(cpu, local_bodies, A, k, w, W, lift)
    cpu.phase("p''")
    mpdd = [cpu.do(scale, local.m, each) for local, each in zip(local_bodies, pdd, strict=True)]
    cpu.phase("m p''")
    Ld = [
        momentum_rate(cpu, local, w[i], wd[i]) if local.ancestors else first_momentum_rate(cpu, local, w[i])
        for i, local in enumerate(local_bodies)
    ]
    cpu.phase("L'")
    take_off(cpu, local_bodies, A, Ld, mpdd)
    h = force_vector(cpu, local_bodies, c, moves, Ld, mpdd)
    cpu.phase("force")
    return M, h


ONE_WONG = forming_scheme(
    name="one-wong",
    summary="the thesis's formulation on one processor, LDL^T included; or with a solver's array beside it",
    form=form,
    solver="ldl",
    takes=(WRENCHES,),
)
