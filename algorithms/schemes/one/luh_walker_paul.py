"""Luh, Walker and Paul: the Newton-Euler inverse dynamics in body coordinates, on one processor, for qdd = 0.

Accelerations outwards, forces and moments inwards, with the cross products written out. A body on the ground turns
about its own axis at a constant rate: its centre of mass then accelerates towards the axis, which its own joint does
not feel, and its force and the other parts of its moment reach nobody. In a tree, a body sums over those that it
carries; one without mass adds nothing. Formed off line: m times the centre of mass of a body on the ground.
                                                                                            # Wong eqs 2.1 to 2.3
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from meshsim.algorithms.kernels.composite import (
    add_centripetal_z,
    cross_z,
    moment_z,
    rotate_back,
    rotate_back_twist,
    torque_inboard,
    torque_inboard_twist,
)
from meshsim.algorithms.kernels.core import (
    ZERO,
    add,
    add_along_z,
    add_coriolis_z,
    add_cross_z,
    add_vectors,
    cross,
    dot,
    matvec,
    multiply,
    rotate,
    rotate_twist,
    scale,
)
from meshsim.algorithms.kernels.inertial import Spatial
from meshsim.algorithms.kernels.matrices import third_column
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.base.joints import reach_of
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.counted import Kernel
from meshsim.program import Cpu

T = TypeVar("T")


def back_kernel(local: LocalBody) -> Kernel[Matrix, Vector, Vector]:
    """The kernel that takes vectors of the body's frame to its parent's, given A."""
    return rotate_back_twist if local.rotate is rotate_twist else rotate_back


def torque_kernel(local: LocalBody) -> Kernel[Matrix, Vector, Spatial, float]:
    """The kernel that projects a wrench at the body's hinge on the axis of its parent's joint, given A."""
    return torque_inboard_twist if local.rotate is rotate_twist else torque_inboard


def first_moment(local: LocalBody) -> Vector:
    """Mass times the vector from the hinge to the centre of mass: formed off line."""
    return scale(local.m, local.com)


def spins(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix]) -> tuple[list[Vector], list[Vector]]:
    """Angular velocity and acceleration of every body; near the ground a part is known to be zero."""
    w: list[Vector] = []
    wd: list[Vector] = []
    for i, local in enumerate(local_bodies):
        carrier = local_bodies[local.parent] if local.ancestors else None
        if carrier is None or (not carrier.ancestors and carrier.slides):
            w.append((0.0, 0.0, 0.0 if local.slides else local.qd))
            wd.append(ZERO)
        elif not carrier.ancestors:
            inboard = cpu.do(scale, carrier.qd, third_column(A[i]))
            w.append(inboard if local.slides else cpu.do(add_along_z, inboard, local.qd))
            wd.append(ZERO if local.slides else cpu.do(cross_z, w[i], local.qd))
        else:
            inboard, spin = cpu.do(local.rotate, A[i], w[local.parent]), cpu.do(local.rotate, A[i], wd[local.parent])
            w.append(inboard if local.slides else cpu.do(add_along_z, inboard, local.qd))  # Wong eq. 1.5
            wd.append(spin if local.slides else cpu.do(add_cross_z, spin, w[i], local.qd))
    return w, wd


def lift_on(cpu: Cpu, local: LocalBody, A: Matrix, lift: Vector) -> Vector:
    """What stands in for weight, in the frame of a body on the ground; usually along z. If it slides, a constant."""
    x, y, z = lift  # Wong eq. 3.36
    if local.slides:
        return rotate(A, lift)
    return cpu.do(local.rotate, A, lift) if x or y else cpu.do(scale, z, third_column(A))


def acceleration_at(cpu: Cpu, at_hinge: Vector, w: Vector, wd: Vector, r: Vector) -> Vector:
    """Acceleration of a point of a body, at r from its hinge."""
    inner = cpu.do(cross, w, cpu.do(cross, w, r))
    return cpu.do(add_vectors, cpu.do(add_vectors, at_hinge, cpu.do(cross, wd, r)), inner)  # Wong eq. 2.1


def hinge_accelerations(
    cpu: Cpu,
    local_bodies: Sequence[LocalBody],
    A: Sequence[Matrix],
    reach: Mapping[int, Vector | None],
    w: Sequence[Vector],
    wd: Sequence[Vector],
    lift: Vector,
) -> list[Vector]:
    """Acceleration of every hinge, less gravity, in the frame of the body it carries."""
    pdd: list[Vector] = []
    for i, local in enumerate(local_bodies):
        if not local.ancestors:
            pdd.append(lift_on(cpu, local, A[i], lift))
            continue
        carrier, outboard, r = local_bodies[local.parent], pdd[local.parent], reach[i]
        if r is not None and carrier.ancestors:
            outboard = acceleration_at(cpu, outboard, w[local.parent], wd[local.parent], r)
        elif r is not None and not carrier.slides:
            outboard = cpu.do(add_centripetal_z, outboard, carrier.qd, r)
        pdd.append(cpu.do(local.rotate, A[i], outboard))
        if local.slides and (carrier.ancestors or not carrier.slides):
            pdd[i] = cpu.do(add_coriolis_z, pdd[i], w[i], local.qd)
    return pdd


def own_wrench(cpu: Cpu, local: LocalBody, w: Vector, wd: Vector, pdd: Vector) -> Spatial:
    """Force and moment about its hinge that a body's own motion takes."""
    force = cpu.do(scale, local.m, acceleration_at(cpu, pdd, w, wd, local.com))  # Wong eq. 1.11
    gyroscopic = cpu.do(cross, w, cpu.do(matvec, local.J, w))
    about_centre = cpu.do(add_vectors, cpu.do(matvec, local.J, wd), gyroscopic)  # Wong eq. 1.12
    return force, cpu.do(add_vectors, about_centre, cpu.do(cross, local.com, force))


def carry_inward(cpu: Cpu, local: LocalBody, A: Matrix, span: Vector | None, wrench: Spatial) -> Spatial:
    """A wrench at the hinge of a body, referred to its carrier's hinge, `span` before it, and to its axes."""
    back = back_kernel(local)
    force, moment = cpu.do(back, A, wrench[0]), cpu.do(back, A, wrench[1])
    return force, moment if span is None else cpu.do(add_vectors, moment, cpu.do(cross, span, force))


def reaches(cpu: Cpu, local_bodies: Sequence[LocalBody]) -> dict[int, Vector | None]:
    """Where the hinge of each body is on its carrier."""
    places = {i: local for i, local in enumerate(local_bodies) if local.ancestors}
    return {i: reach_of(cpu, local, local_bodies[local.parent]) for i, local in places.items()}


def inverse_dynamics_force(
    cpu: Cpu,
    local_bodies: Sequence[LocalBody],
    A: Sequence[Matrix],
    lift: Vector,
    reach: Mapping[int, Vector | None],
) -> list[float]:
    """h, from the rotations A of all bodies, and where their hinges are on their carriers."""
    w, wd = spins(cpu, local_bodies, A)
    pdd = hinge_accelerations(cpu, local_bodies, A, reach, w, wd, lift)
    h = [0.0] * len(local_bodies)
    total: dict[int, Spatial] = {}  # on each body, from all that it carries as well
    for i in reversed(range(len(local_bodies))):
        local = local_bodies[i]
        carried = [k for k in total if local_bodies[k].parent == i]
        if not local.ancestors:
            shares = [weight_share(cpu, local, pdd[i])] if local.m else []
            shares += [base_share(cpu, local, local_bodies[k], A[k], reach[k], total[k]) for k in carried]
            h[i] = sum_of(cpu, add, shares)
            continue
        wrenches = [own_wrench(cpu, local, w[i], wd[i], pdd[i])] if local.m else []
        wrenches += [carry_inward(cpu, local_bodies[k], A[k], reach[k], total[k]) for k in carried]
        if wrenches:
            forces, moments = zip(*wrenches, strict=True)
            total[i] = sum_of(cpu, add_vectors, forces), sum_of(cpu, add_vectors, moments)  # Wong eq. 2.2
            h[i] = total[i][0][2] if local.slides else total[i][1][2]  # Wong eq. 2.3
    return h


def weight_share(cpu: Cpu, local: LocalBody, pdd: Vector) -> float:
    """What a body on the ground itself does to its joint; along one that slides that is constant."""
    return multiply(local.m, pdd[2]) if local.slides else cpu.do(moment_z, first_moment(local), pdd)


def base_share(cpu: Cpu, base: LocalBody, local: LocalBody, A: Matrix, reach: Vector | None, wrench: Spatial) -> float:
    """What a body on the ground's joint feels of a wrench on a body that it carries."""
    if base.slides:
        return cpu.do(dot, third_column(A), wrench[0])
    if reach is None:
        return cpu.do(dot, third_column(A), wrench[1])
    return cpu.do(torque_kernel(local), A, reach, wrench)


def sum_of(cpu: Cpu, adding: Kernel[T, T, T], parts: Sequence[T]) -> T:
    """The sum of one or more numbers, or vectors."""
    whole, *others = parts
    for other in others:
        whole = cpu.do(adding, whole, other)
    return whole
