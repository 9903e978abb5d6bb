"""Accumulated spatial inertias on one processor: M_ij = B_i^T K_j B_j for i <= j, where K_j is of bodies j..n.

In the inertial frame this is Bae, Hwang and Haug's algorithm: K is summed about the origin, hinge 1, and h comes by
recursions in the same frame. In body frames it is Lilly and Orin's third: K_j is mass, first and second moment of mass
about hinge j, ten numbers, and its last column is carried inwards; h comes from Luh, Walker and Paul.

Body 1 turns about a fixed axis through the origin: of its inertia only the moment about that axis is needed, of its
force and moment only what its weight does about that axis. Formed off line: the masses that each joint carries; first
moment of body 1, and its moment of inertia about its joint; in body frames also the moments of each body with the mass
beyond it as a point at its outer hinge, 2 `span`, and what `one_walker_orin.py` lists for the last body and the twists.
                                                                                         # Wong eqs 2.21 to 2.23
"""

from collections.abc import Sequence
from dataclasses import dataclass

from meshsim.algorithms.kernels.composite import (
    dot_xy,
    hinge_wrench,
    inertia_times,
    moment_z,
    quadratic_form,
    rotate_symmetric,
    transfer_terms,
)
from meshsim.algorithms.kernels.core import acceleration_matrix, add, add_vectors, cross, dot, matvec, scale
from meshsim.algorithms.kernels.inertial import (
    Inertia,
    Spatial,
    Symmetric,
    add_symmetric,
    inertia_about_origin,
    point_inertia,
    spatial_dot,
    symmetric_times,
)
from meshsim.algorithms.kernels.matrices import symmetric_of, third_column, transposed
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.one.luh_walker_paul import back_kernel, first_moment, inverse_dynamics_force, lift_at
from meshsim.algorithms.schemes.one.one_processor import Formed, forming_scheme
from meshsim.algorithms.schemes.one.one_walker_orin import lower_triangle, turn_inward
from meshsim.algorithms.schemes.one.one_wong import rotations
from meshsim.algorithms.schemes.rivals.composite import loads_of
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu

# In the inertial frame


@dataclass(frozen=True)
class Placed:
    """A body beyond the first, in the inertial frame."""

    local: LocalBody
    mass: float  # of this body and those beyond it
    J: Symmetric
    offset: Vector  # from the hinge to the centre of mass
    centre: Vector
    reach: Vector  # from the hinge before this body to its own
    B: Spatial


def place(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix]) -> list[Placed]:
    """Refer all bodies beyond the first to the inertial frame."""
    loads = loads_of(list(local_bodies))
    R, hinge = transposed(A[0]), None
    bodies = []
    for i, local in enumerate(local_bodies[1:], start=1):
        reach = cpu.do(matvec, R, local_bodies[i - 1].span)
        hinge = reach if hinge is None else cpu.do(add_vectors, hinge, reach)
        R = cpu.do(local.rotate, A[i], R[0]), cpu.do(local.rotate, A[i], R[1]), cpu.do(local.rotate, A[i], R[2])
        J = cpu.do(rotate_symmetric, R, symmetric_of(local.J))
        offset = cpu.do(matvec, R, local.com)
        z = third_column(R)
        B = cpu.do(cross, hinge, z), z  # Wong eq. 2.23
        bodies.append(Placed(local, loads[i].mass, J, offset, cpu.do(add_vectors, hinge, offset), reach, B))
    return bodies


def accumulated(cpu: Cpu, bodies: Sequence[Placed]) -> list[Inertia]:
    """K of every body beyond the first."""
    K: list[Inertia] = []
    for body in reversed(bodies):
        first = cpu.do(scale, body.local.m, body.centre)
        second = cpu.do(inertia_about_origin, body.J, body.centre, first)  # Wong eq. 2.22
        if K:
            first, second = cpu.do(add_vectors, first, K[-1][1]), cpu.do(add_symmetric, second, K[-1][2])
        K.append((body.mass, first, second))  # Wong eq. 2.21
    return K[::-1]


def projected(cpu: Cpu, base: LocalBody, z: Vector, bodies: Sequence[Placed]) -> list[list[float]]:
    """The lower triangle of M; hinge 1 is the origin, so that B_1 is (0, z)."""
    K = accumulated(cpu, bodies)
    M = [[cpu.do(add, base.own_inertia, cpu.do(quadratic_form, K[0][2], z)) if K else base.own_inertia]]
    for j, body in enumerate(bodies):
        KB = cpu.do(inertia_times, K[j], body.B)
        M.append([cpu.do(dot, z, KB[1]), *(cpu.do(spatial_dot, inner.B, KB) for inner in bodies[: j + 1])])
    return M


def momentum_rates(cpu: Cpu, base: LocalBody, z: Vector, bodies: Sequence[Placed], lift: Vector) -> list[Spatial]:
    """Of every body beyond the first, force and moment about the origin for qdd = 0."""
    w = cpu.do(scale, base.qd, z)
    wd, pdd, W = None, lift, None
    wrenches = []
    for body in bodies:
        carried = cpu.do(matvec, W, body.reach) if W else cpu.do(cross, w, cpu.do(cross, w, body.reach))
        pdd = cpu.do(add_vectors, pdd, carried)
        turn = cpu.do(scale, body.local.qd, body.B[1])
        swing = cpu.do(cross, w, turn)
        wd = cpu.do(add_vectors, wd, swing) if wd else swing  # Wong eq. 2.20
        w = cpu.do(add_vectors, w, turn)
        W = cpu.do(acceleration_matrix, w, wd)
        force = cpu.do(scale, body.local.m, cpu.do(add_vectors, pdd, cpu.do(matvec, W, body.offset)))
        gyroscopic = cpu.do(cross, w, cpu.do(symmetric_times, body.J, w))
        rate = cpu.do(add_vectors, cpu.do(symmetric_times, body.J, wd), gyroscopic)  # Wong eq. 3.31
        wrenches.append((force, cpu.do(add_vectors, rate, cpu.do(cross, body.centre, force))))
    return wrenches


def bias_force(cpu: Cpu, base: LocalBody, A: Matrix, z: Vector, bodies: Sequence[Placed], lift: Vector) -> list[float]:
    """h: the wrenches summed inwards, and projected by B like the inertia."""
    totals: list[Spatial] = []
    for force, moment in reversed(momentum_rates(cpu, base, z, bodies, lift)):
        if totals:
            force, moment = cpu.do(add_vectors, force, totals[-1][0]), cpu.do(add_vectors, moment, totals[-1][1])
        totals.append((force, moment))
    weight = cpu.do(moment_z, first_moment(base), lift_at(cpu, base, A, lift))
    first = cpu.do(add, weight, cpu.do(dot, z, totals[-1][1])) if totals else weight
    return [first, *(cpu.do(spatial_dot, body.B, total) for body, total in zip(bodies, reversed(totals), strict=True))]


def form_inertial(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], lift: Vector) -> Formed:
    """M and h."""
    base, z = local_bodies[0], A[0][2]  # the last row of A_1: the joint's axis seen from the ground
    bodies = place(cpu, local_bodies, A)
    M = projected(cpu, base, z, bodies)
    cpu.phase("inertia")
    return M, bias_force(cpu, base, A[0], z, bodies, lift)


# In body frames


def augmented(local_bodies: Sequence[LocalBody]) -> list[Inertia]:
    """Each body about its hinge, with the mass beyond as a point at its outer hinge: formed off line."""
    bodies: list[Inertia] = []
    for local, load in zip(local_bodies, loads_of(list(local_bodies)), strict=True):
        first = add_vectors(first_moment(local), scale(load.beyond, local.span))
        points = add_symmetric(point_inertia(local.m, local.com), point_inertia(load.beyond, local.span))
        bodies.append((load.mass, first, add_symmetric(symmetric_of(local.J), points)))
    return bodies


def double_span(local: LocalBody) -> Vector:
    """Twice the vector from hinge to hinge: formed off line."""
    return scale(2.0, local.span)


def inertia_matrix(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix]) -> list[list[float]]:
    """The lower triangle of M."""
    n = len(local_bodies)
    if n == 1:
        return [[local_bodies[0].own_inertia]]
    constants = augmented(local_bodies)
    _, P, S = constants[n - 1]
    wrenches = [hinge_wrench(P, S)]
    for j in reversed(range(1, n - 1)):
        _, first, second = constants[j]
        P = cpu.do(back_kernel(local_bodies[j + 1]), A[j + 1], P)
        S = cpu.do(add_symmetric, turn_inward(cpu, local_bodies[j + 1], A[j + 1], S), second)
        S = cpu.do(add_symmetric, S, cpu.do(transfer_terms, local_bodies[j].span, double_span(local_bodies[j]), P))
        P = cpu.do(add_vectors, P, first)
        wrenches.append(cpu.do(hinge_wrench, P, S))
    turned = cpu.do(quadratic_form, S, third_column(A[1]))
    P = cpu.do(back_kernel(local_bodies[1]), A[1], P)
    beyond = cpu.do(add, turned, cpu.do(dot_xy, double_span(local_bodies[0]), P))
    return lower_triangle(cpu, local_bodies, A, cpu.do(add, constants[0][2][2], beyond), wrenches[::-1])


def form_in_bodies(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], lift: Vector) -> Formed:
    """M and h."""
    M = inertia_matrix(cpu, local_bodies, A)
    cpu.phase("inertia")
    return M, inverse_dynamics_force(cpu, local_bodies, A, lift)


# Both


def form(cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector, frame: str) -> Formed:
    """M and h in the chosen frame."""
    A = rotations(cpu, local_bodies)
    cpu.phase("rotations")
    M, h = (form_in_bodies if frame == "body" else form_inertial)(cpu, local_bodies, A, lift)
    cpu.phase("force")
    return M, h


ONE_BAE = forming_scheme(
    name="one-bae",
    summary="accumulated spatial inertias on one processor (Bae, Hwang and Haug; Lilly and Orin III), LDL^T included",
    form=form,
    solver="ldl",
    options={"frame": ("inertial", "body")},
)
