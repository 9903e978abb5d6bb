"""Accumulated spatial inertias on one processor: M_ij = B_i^T K_j B_j, where K_j is of body j and all that it carries.

Joint i is joint j, or on the way from the ground to it; other entries are zero. B of a joint that slides is (z, 0).

In the inertial frame this is Bae, Hwang and Haug's algorithm: K is summed about the origin, the hinge of the body on
the ground, and h comes by recursions in the same frame. In body frames it is Lilly and Orin's third: K_j is mass, first
and second moment of mass about hinge j, ten numbers, and its last column (the third, if joint j slides) is carried
inwards; h comes from Luh, Walker and Paul.

A body on the ground turns about a fixed axis through the origin: of its inertia only the moment about that axis is
needed, of its force and moment only what its weight does about that axis. Formed off line: the masses that each joint
carries; first moment of a body on the ground, and its moment of inertia about its joint, or its weight along one that
slides; in body frames also the moments of each body with what it carries as points at their hinges, joints at 0, twice
the way to such a hinge, and what `one_walker_orin.py` lists for bodies that carry nothing and for the twists.
                                                                                         # Wong eqs 2.21 to 2.23
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from meshsim.algorithms.kernels.composite import (
    dot_xy,
    hinge_push,
    hinge_wrench,
    inertia_times,
    quadratic_form,
    rotate_symmetric,
    slide_moments,
    transfer_terms,
)
from meshsim.algorithms.kernels.core import ZERO, acceleration_matrix, add, add_vectors, cross, dot, matvec, scale
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
from meshsim.algorithms.schemes.base.joints import coriolis, hinge_on, projected, pushed
from meshsim.algorithms.schemes.one.luh_walker_paul import (
    back_kernel,
    first_moment,
    inverse_dynamics_force,
    lift_on,
    reaches,
    sum_of,
    weight_share,
)
from meshsim.algorithms.schemes.one.one_processor import Formed, forming_scheme
from meshsim.algorithms.schemes.one.one_walker_orin import (
    children_of,
    lower_triangle,
    masses_of,
    spans_of,
    turn_inward,
)
from meshsim.algorithms.schemes.one.one_wong import rotations
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu

# In the inertial frame


@dataclass(frozen=True)
class Placed:
    """A body that is not on the ground, in the inertial frame."""

    local: LocalBody
    R: Matrix
    J: Symmetric
    hinge: Vector
    offset: Vector  # from the hinge to the centre of mass
    centre: Vector
    reach: Vector  # from the hinge before this body to its own
    B: Spatial


def place(
    cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], spans: Mapping[int, Vector]
) -> dict[int, Placed]:
    """Refer all bodies but those on the ground to the inertial frame."""
    bodies: dict[int, Placed] = {}
    for i, local in enumerate(local_bodies):
        if not local.ancestors:
            continue
        carrier = bodies.get(local.parent)
        R = transposed(A[local.parent]) if carrier is None else carrier.R
        reach = cpu.do(matvec, R, spans[i])
        hinge = reach if carrier is None else cpu.do(add_vectors, carrier.hinge, reach)
        R = cpu.do(local.rotate, A[i], R[0]), cpu.do(local.rotate, A[i], R[1]), cpu.do(local.rotate, A[i], R[2])
        J = cpu.do(rotate_symmetric, R, symmetric_of(local.J))
        offset = cpu.do(matvec, R, local.com)
        z = third_column(R)
        B = (z, ZERO) if local.slides else (cpu.do(cross, hinge, z), z)  # Wong eq. 2.23
        bodies[i] = Placed(local, R, J, hinge, offset, cpu.do(add_vectors, hinge, offset), reach, B)
    return bodies


def accumulated(
    cpu: Cpu, bodies: dict[int, Placed], masses: Sequence[float], carries: Sequence[Sequence[int]]
) -> dict[int, Inertia]:
    """K of every body that is not on the ground."""
    K: dict[int, Inertia] = {}
    for i, body in reversed(bodies.items()):
        first = cpu.do(scale, body.local.m, body.centre)
        second = cpu.do(inertia_about_origin, body.J, body.centre, first)  # Wong eq. 2.22
        for k in carries[i]:
            first, second = cpu.do(add_vectors, first, K[k][1]), cpu.do(add_symmetric, second, K[k][2])
        K[i] = masses[i], first, second  # Wong eq. 2.21
    return K


def on_axis(cpu: Cpu, local: LocalBody, z: Vector, wrench: Spatial) -> float:
    """A wrench on the axis of a joint on the ground, whose hinge is the origin: B is (z, 0) or (0, z)."""
    return cpu.do(dot, z, wrench[0] if local.slides else wrench[1])


def ground_entry(cpu: Cpu, local: LocalBody, z: Vector, mass: float, beyond: Sequence[Inertia]) -> float:
    """The entry of a joint on the ground itself."""
    if local.slides:
        return mass
    if not beyond:
        return local.own_inertia
    second = sum_of(cpu, add_symmetric, [each[2] for each in beyond])
    return cpu.do(add, local.own_inertia, cpu.do(quadratic_form, second, z))


def projections(
    cpu: Cpu, local_bodies: Sequence[LocalBody], axes: Mapping[int, Vector], bodies: dict[int, Placed]
) -> list[list[float]]:
    """The lower triangle of M."""
    masses, carries = masses_of(local_bodies), children_of(local_bodies)
    K = accumulated(cpu, bodies, masses, carries)
    M = []
    for j, local in enumerate(local_bodies):
        row = [0.0] * (j + 1)
        if not local.ancestors:
            row[j] = ground_entry(cpu, local, axes[j], masses[j], [K[k] for k in carries[j]])
            M.append(row)
            continue
        B = bodies[j].B
        KB = pushed(cpu, K[j], B[0]) if local.slides else cpu.do(inertia_times, K[j], B)
        for i in local.ancestors:
            inner = local_bodies[i]
            row[i] = projected(cpu, bodies[i].B, KB, inner.slides) if i in bodies else on_axis(cpu, inner, axes[i], KB)
        row[j] = masses[j] if local.slides else cpu.do(spatial_dot, B, KB)
        M.append(row)
    return M


@dataclass(frozen=True)
class Moved:
    """A body's motion for qdd = 0: the acceleration of its hinge, less gravity; how it turns, if it does.

    A body that turns about a fixed axis, at a constant rate, has neither wd nor W.
    """

    a: Vector
    w: Vector | None = None
    wd: Vector | None = None
    W: Matrix | None = None

    def point(self, cpu: Cpu, r: Vector) -> Vector:
        """The acceleration of a point at r from the hinge."""
        if self.W is not None:
            return cpu.do(add_vectors, self.a, cpu.do(matvec, self.W, r))
        if self.w is not None:
            return cpu.do(add_vectors, self.a, cpu.do(cross, self.w, cpu.do(cross, self.w, r)))
        return self.a


def carried_on(cpu: Cpu, body: Placed, carrier: Moved) -> Moved:
    """The motion of a body, from its carrier's."""
    local, a = body.local, carrier.point(cpu, body.reach)
    if local.slides:
        swerve = None if carrier.w is None else coriolis(cpu, local.qd, body.B[0], carrier.w)
        return replace(carrier, a=a if swerve is None else cpu.do(add_vectors, a, swerve))
    turn = cpu.do(scale, local.qd, body.B[1])
    if carrier.w is None:
        return Moved(a, turn)
    swing = cpu.do(cross, carrier.w, turn)
    wd = swing if carrier.wd is None else cpu.do(add_vectors, carrier.wd, swing)  # Wong eq. 2.20
    w = cpu.do(add_vectors, carrier.w, turn)
    return Moved(a, w, wd, cpu.do(acceleration_matrix, w, wd))


def momentum_rate(cpu: Cpu, body: Placed, moved: Moved) -> Spatial:
    """Force, and moment about the origin, that the motion of a body takes."""
    force = cpu.do(scale, body.local.m, moved.point(cpu, body.offset))
    swing = None
    if moved.w is not None:
        swing = cpu.do(cross, moved.w, cpu.do(symmetric_times, body.J, moved.w))
    if swing is not None and moved.wd is not None:
        swing = cpu.do(add_vectors, cpu.do(symmetric_times, body.J, moved.wd), swing)  # Wong eq. 3.31
    about_origin = cpu.do(cross, body.centre, force)
    return force, about_origin if swing is None else cpu.do(add_vectors, swing, about_origin)


def bias_force(
    cpu: Cpu,
    local_bodies: Sequence[LocalBody],
    A: Sequence[Matrix],
    axes: Mapping[int, Vector],
    bodies: Mapping[int, Placed],
    lift: Vector,
) -> list[float]:
    """h: the wrenches summed inwards, and projected by B like the inertia."""
    moved: dict[int, Moved] = {}
    own: dict[int, Spatial] = {}
    for i, local in enumerate(local_bodies):
        if i in bodies:
            moved[i] = carried_on(cpu, bodies[i], moved[local.parent])
            own[i] = momentum_rate(cpu, bodies[i], moved[i])
        else:
            moved[i] = Moved(lift, None if local.slides else cpu.do(scale, local.qd, axes[i]))
    carries = children_of(local_bodies)
    total: dict[int, Spatial] = {}
    h = [0.0] * len(local_bodies)
    for i, local in reversed(list(enumerate(local_bodies))):
        parts = [*([own[i]] if i in own else []), *(total[k] for k in carries[i])]
        if parts:
            total[i] = summed(cpu, parts)
        if i in bodies:
            h[i] = projected(cpu, bodies[i].B, total[i], local.slides)
            continue
        h[i] = weight_share(cpu, local, lift_on(cpu, local, A[i], lift))
        if parts:
            h[i] = cpu.do(add, h[i], on_axis(cpu, local, axes[i], total[i]))
    return h


def summed(cpu: Cpu, wrenches: Sequence[Spatial]) -> Spatial:
    """The sum of one or more wrenches."""
    forces, moments = zip(*wrenches, strict=True)
    return sum_of(cpu, add_vectors, forces), sum_of(cpu, add_vectors, moments)


def form_inertial(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], lift: Vector) -> Formed:
    """M and h."""
    # The last row of A is the axis of a joint on the ground, seen from there.
    axes = {i: A[i][2] for i, local in enumerate(local_bodies) if not local.ancestors}
    bodies = place(cpu, local_bodies, A, spans_of(reaches(cpu, local_bodies)))
    M = projections(cpu, local_bodies, axes, bodies)
    cpu.phase("inertia")
    return M, bias_force(cpu, local_bodies, A, axes, bodies, lift)


# In body frames


def augmented(local_bodies: Sequence[LocalBody]) -> list[Inertia]:
    """Each body about its hinge, with what it carries as points at their hinges, joints at 0: formed off line."""
    masses, bodies = masses_of(local_bodies), []
    for i, carries in enumerate(children_of(local_bodies)):
        local = local_bodies[i]
        first, points = first_moment(local), point_inertia(local.m, local.com)
        for k in carries:
            span = hinge_on(local_bodies[k], local)
            first = add_vectors(first, scale(masses[k], span))
            points = add_symmetric(points, point_inertia(masses[k], span))
        bodies.append((masses[i], first, add_symmetric(symmetric_of(local.J), points)))
    return bodies


def double(span: Vector) -> Vector:
    """Twice the vector from hinge to hinge: formed off line."""
    return scale(2.0, span)


def slid(cpu: Cpu, local: LocalBody, K: Inertia) -> Inertia:
    """A body's moments about where its hinge is with its joint at 0, or in whatever position if it turns."""
    return cpu.do(slide_moments, K, local.q) if local.slides else K


def moments_within(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix]) -> dict[int, Inertia]:
    """Mass, first and second moment about its hinge of every body but those on the ground, with all it carries."""
    found: dict[int, Inertia] = {}
    constants, carries = augmented(local_bodies), children_of(local_bodies)
    for i in reversed(range(len(local_bodies))):
        if not local_bodies[i].ancestors:
            continue
        mass, first, second = constants[i]
        for k in carries[i]:
            child, span = local_bodies[k], hinge_on(local_bodies[k], local_bodies[i])
            _, P, S = slid(cpu, child, found[k])
            P = cpu.do(back_kernel(child), A[k], P)
            S = cpu.do(add_symmetric, turn_inward(cpu, child, A[k], S), second)
            second = cpu.do(add_symmetric, S, cpu.do(transfer_terms, span, double(span), P))
            first = cpu.do(add_vectors, P, first)
        found[i] = mass, first, second
    return found


def hinge_column(cpu: Cpu, local: LocalBody, K: Inertia, alone: bool) -> Spatial:
    """What gives a body and all it carries a unit acceleration about its joint, or along it; alone it is constant."""
    mass, first, second = K
    if local.slides:
        return hinge_push(mass, first) if alone else cpu.do(hinge_push, mass, first)
    return hinge_wrench(first, second) if alone else cpu.do(hinge_wrench, first, second)


def about_ground(cpu: Cpu, base: LocalBody, child: LocalBody, A: Matrix, K: Inertia) -> float:
    """What a body adds to the moment of inertia about the joint of its carrier on the ground, besides its mass."""
    _, P, S = slid(cpu, child, K)
    turned = cpu.do(quadratic_form, S, third_column(A))
    P = cpu.do(back_kernel(child), A, P)
    return cpu.do(add, turned, cpu.do(dot_xy, double(hinge_on(child, base)), P))


def inertia_matrix(
    cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], spans: Mapping[int, Vector]
) -> list[list[float]]:
    """The lower triangle of M."""
    whole, carries = moments_within(cpu, local_bodies, A), children_of(local_bodies)
    wrenches = {i: hinge_column(cpu, local_bodies[i], K, not carries[i]) for i, K in whole.items()}
    first: dict[int, float] = {}
    for i, (mass, _, second) in enumerate(augmented(local_bodies)):
        local = local_bodies[i]
        if not local.ancestors:
            first[i] = mass if local.slides else second[2]
            for k in () if local.slides else carries[i]:
                beyond = about_ground(cpu, local, local_bodies[k], A[k], whole[k])
                first[i] = cpu.do(add, first[i], beyond)
    return lower_triangle(cpu, local_bodies, A, spans, first, wrenches)


def form_in_bodies(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], lift: Vector) -> Formed:
    """M and h."""
    reach = reaches(cpu, local_bodies)
    M = inertia_matrix(cpu, local_bodies, A, spans_of(reach))
    cpu.phase("inertia")
    return M, inverse_dynamics_force(cpu, local_bodies, A, lift, reach)


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
