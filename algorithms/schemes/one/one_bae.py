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
from meshsim.algorithms.schemes.base.links import Link
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

    link: Link
    mass: float  # of this body and those beyond it
    J: Symmetric
    offset: Vector  # from the hinge to the centre of mass
    centre: Vector
    reach: Vector  # from the hinge before this body to its own
    B: Spatial


def place(cpu: Cpu, links: Sequence[Link], A: Sequence[Matrix]) -> list[Placed]:
    """Refer all bodies beyond the first to the inertial frame."""
    loads = loads_of(list(links))
    R, hinge = transposed(A[0]), None
    bodies = []
    for i, link in enumerate(links[1:], start=1):
        reach = cpu.do(matvec, R, links[i - 1].span)
        hinge = reach if hinge is None else cpu.do(add_vectors, hinge, reach)
        R = cpu.do(link.rotate, A[i], R[0]), cpu.do(link.rotate, A[i], R[1]), cpu.do(link.rotate, A[i], R[2])
        J = cpu.do(rotate_symmetric, R, symmetric_of(link.J))
        offset = cpu.do(matvec, R, link.com)
        z = third_column(R)
        B = cpu.do(cross, hinge, z), z  # Wong eq. 2.23
        bodies.append(Placed(link, loads[i].mass, J, offset, cpu.do(add_vectors, hinge, offset), reach, B))
    return bodies


def accumulated(cpu: Cpu, bodies: Sequence[Placed]) -> list[Inertia]:
    """K of every body beyond the first."""
    K: list[Inertia] = []
    for body in reversed(bodies):
        first = cpu.do(scale, body.link.m, body.centre)
        second = cpu.do(inertia_about_origin, body.J, body.centre, first)  # Wong eq. 2.22
        if K:
            first, second = cpu.do(add_vectors, first, K[-1][1]), cpu.do(add_symmetric, second, K[-1][2])
        K.append((body.mass, first, second))  # Wong eq. 2.21
    return K[::-1]


def projected(cpu: Cpu, base: Link, z: Vector, bodies: Sequence[Placed]) -> list[list[float]]:
    """The lower triangle of M; hinge 1 is the origin, so that B_1 is (0, z)."""
    K = accumulated(cpu, bodies)
    M = [[cpu.do(add, base.own_inertia, cpu.do(quadratic_form, K[0][2], z)) if K else base.own_inertia]]
    for j, body in enumerate(bodies):
        KB = cpu.do(inertia_times, K[j], body.B)
        M.append([cpu.do(dot, z, KB[1]), *(cpu.do(spatial_dot, inner.B, KB) for inner in bodies[: j + 1])])
    return M


def momentum_rates(cpu: Cpu, base: Link, z: Vector, bodies: Sequence[Placed], lift: Vector) -> list[Spatial]:
    """Of every body beyond the first, force and moment about the origin for qdd = 0."""
    w = cpu.do(scale, base.qd, z)
    wd, pdd, W = None, lift, None
    wrenches = []
    for body in bodies:
        carried = cpu.do(matvec, W, body.reach) if W else cpu.do(cross, w, cpu.do(cross, w, body.reach))
        pdd = cpu.do(add_vectors, pdd, carried)
        turn = cpu.do(scale, body.link.qd, body.B[1])
        swing = cpu.do(cross, w, turn)
        wd = cpu.do(add_vectors, wd, swing) if wd else swing  # Wong eq. 2.20
        w = cpu.do(add_vectors, w, turn)
        W = cpu.do(acceleration_matrix, w, wd)
        force = cpu.do(scale, body.link.m, cpu.do(add_vectors, pdd, cpu.do(matvec, W, body.offset)))
        gyroscopic = cpu.do(cross, w, cpu.do(symmetric_times, body.J, w))
        rate = cpu.do(add_vectors, cpu.do(symmetric_times, body.J, wd), gyroscopic)  # Wong eq. 3.31
        wrenches.append((force, cpu.do(add_vectors, rate, cpu.do(cross, body.centre, force))))
    return wrenches


def bias_force(cpu: Cpu, base: Link, A: Matrix, z: Vector, bodies: Sequence[Placed], lift: Vector) -> list[float]:
    """h: the wrenches summed inwards, and projected by B like the inertia."""
    totals: list[Spatial] = []
    for force, moment in reversed(momentum_rates(cpu, base, z, bodies, lift)):
        if totals:
            force, moment = cpu.do(add_vectors, force, totals[-1][0]), cpu.do(add_vectors, moment, totals[-1][1])
        totals.append((force, moment))
    weight = cpu.do(moment_z, first_moment(base), lift_at(cpu, base, A, lift))
    first = cpu.do(add, weight, cpu.do(dot, z, totals[-1][1])) if totals else weight
    return [first, *(cpu.do(spatial_dot, body.B, total) for body, total in zip(bodies, reversed(totals), strict=True))]


def form_inertial(cpu: Cpu, links: Sequence[Link], A: Sequence[Matrix], lift: Vector) -> Formed:
    """M and h."""
    base, z = links[0], A[0][2]  # the last row of A_1: the joint's axis seen from the ground
    bodies = place(cpu, links, A)
    M = projected(cpu, base, z, bodies)
    cpu.phase("inertia")
    return M, bias_force(cpu, base, A[0], z, bodies, lift)


# In body frames


def augmented(links: Sequence[Link]) -> list[Inertia]:
    """Each body about its hinge, with the mass beyond as a point at its outer hinge: formed off line."""
    bodies: list[Inertia] = []
    for link, load in zip(links, loads_of(list(links)), strict=True):
        first = add_vectors(first_moment(link), scale(load.beyond, link.span))
        points = add_symmetric(point_inertia(link.m, link.com), point_inertia(load.beyond, link.span))
        bodies.append((load.mass, first, add_symmetric(symmetric_of(link.J), points)))
    return bodies


def double_span(link: Link) -> Vector:
    """Twice the vector from hinge to hinge: formed off line."""
    return scale(2.0, link.span)


def inertia_matrix(cpu: Cpu, links: Sequence[Link], A: Sequence[Matrix]) -> list[list[float]]:
    """The lower triangle of M."""
    n = len(links)
    if n == 1:
        return [[links[0].own_inertia]]
    constants = augmented(links)
    _, P, S = constants[n - 1]
    wrenches = [hinge_wrench(P, S)]
    for j in reversed(range(1, n - 1)):
        _, first, second = constants[j]
        P = cpu.do(back_kernel(links[j + 1]), A[j + 1], P)
        S = cpu.do(add_symmetric, turn_inward(cpu, links[j + 1], A[j + 1], S), second)
        S = cpu.do(add_symmetric, S, cpu.do(transfer_terms, links[j].span, double_span(links[j]), P))
        P = cpu.do(add_vectors, P, first)
        wrenches.append(cpu.do(hinge_wrench, P, S))
    turned = cpu.do(quadratic_form, S, third_column(A[1]))
    P = cpu.do(back_kernel(links[1]), A[1], P)
    beyond = cpu.do(add, turned, cpu.do(dot_xy, double_span(links[0]), P))
    return lower_triangle(cpu, links, A, cpu.do(add, constants[0][2][2], beyond), wrenches[::-1])


def form_in_bodies(cpu: Cpu, links: Sequence[Link], A: Sequence[Matrix], lift: Vector) -> Formed:
    """M and h."""
    M = inertia_matrix(cpu, links, A)
    cpu.phase("inertia")
    return M, inverse_dynamics_force(cpu, links, A, lift)


# Both


def form(cpu: Cpu, links: Sequence[Link], lift: Vector, frame: str) -> Formed:
    """M and h in the chosen frame."""
    A = rotations(cpu, links)
    cpu.phase("rotations")
    M, h = (form_in_bodies if frame == "body" else form_inertial)(cpu, links, A, lift)
    cpu.phase("force")
    return M, h


ONE_BAE = forming_scheme(
    name="one-bae",
    summary="accumulated spatial inertias on one processor (Bae, Hwang and Haug; Lilly and Orin III), LDL^T included",
    form=form,
    solver="ldl",
    options={"frame": ("inertial", "body")},
)
