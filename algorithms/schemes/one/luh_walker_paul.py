"""Luh, Walker and Paul: the Newton-Euler inverse dynamics in body coordinates, on one processor, for qdd = 0.

Accelerations outwards, forces and moments inwards, with the cross products written out. Body 1 turns about its own axis
at a constant rate: its centre of mass then accelerates towards the axis, which its own joint does not feel, and its
force and the other parts of its moment reach nobody. Formed off line: m times the centre of mass of body 1.
                                                                                            # Wong eqs 2.1 to 2.3
"""

from collections.abc import Sequence

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
    add_cross_z,
    add_vectors,
    cross,
    matvec,
    rotate_twist,
    scale,
)
from meshsim.algorithms.kernels.inertial import Spatial
from meshsim.algorithms.kernels.matrices import third_column
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.counted import Kernel
from meshsim.program import Cpu


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
    """Angular velocity and acceleration of every body; of the first two a part is known to be zero."""
    w: list[Vector] = [(0.0, 0.0, local_bodies[0].qd)]
    wd: list[Vector] = [ZERO]
    for i, local in enumerate(local_bodies[1:], start=1):
        if i == 1:
            w.append(cpu.do(add_along_z, cpu.do(scale, local_bodies[0].qd, third_column(A[1])), local.qd))
            wd.append(cpu.do(cross_z, w[1], local.qd))
        else:
            w.append(cpu.do(add_along_z, cpu.do(local.rotate, A[i], w[i - 1]), local.qd))  # Wong eq. 1.5
            wd.append(cpu.do(add_cross_z, cpu.do(local.rotate, A[i], wd[i - 1]), w[i], local.qd))
    return w, wd


def lift_at(cpu: Cpu, local: LocalBody, A: Matrix, lift: Vector) -> Vector:
    """What stands in for weight, in the frame of body 1; usually along z."""  # Wong eq. 3.36
    x, y, z = lift
    return cpu.do(local.rotate, A, lift) if x or y else cpu.do(scale, z, third_column(A))


def acceleration_at(cpu: Cpu, at_hinge: Vector, w: Vector, wd: Vector, r: Vector) -> Vector:
    """Acceleration of a point of a body, at r from its hinge."""
    inner = cpu.do(cross, w, cpu.do(cross, w, r))
    return cpu.do(add_vectors, cpu.do(add_vectors, at_hinge, cpu.do(cross, wd, r)), inner)  # Wong eq. 2.1


def hinge_accelerations(
    cpu: Cpu,
    local_bodies: Sequence[LocalBody],
    A: Sequence[Matrix],
    w: Sequence[Vector],
    wd: Sequence[Vector],
    lift: Vector,
) -> list[Vector]:
    """Acceleration of every hinge, less gravity, in the frame of the body it carries."""
    pdd = [lift_at(cpu, local_bodies[0], A[0], lift)]
    for i, local in enumerate(local_bodies[1:], start=1):
        inboard = local_bodies[i - 1]
        if i == 1:
            outboard = cpu.do(add_centripetal_z, pdd[0], inboard.qd, inboard.span)
        else:
            outboard = acceleration_at(cpu, pdd[i - 1], w[i - 1], wd[i - 1], inboard.span)
        pdd.append(cpu.do(local.rotate, A[i], outboard))
    return pdd


def own_wrench(cpu: Cpu, local: LocalBody, w: Vector, wd: Vector, pdd: Vector) -> Spatial:
    """Force and moment about its hinge that a body's own motion takes."""
    force = cpu.do(scale, local.m, acceleration_at(cpu, pdd, w, wd, local.com))  # Wong eq. 1.11
    gyroscopic = cpu.do(cross, w, cpu.do(matvec, local.J, w))
    about_centre = cpu.do(add_vectors, cpu.do(matvec, local.J, wd), gyroscopic)  # Wong eq. 1.12
    return force, cpu.do(add_vectors, about_centre, cpu.do(cross, local.com, force))


def carry_inward(cpu: Cpu, local: LocalBody, A: Matrix, span: Vector, wrench: Spatial) -> Spatial:
    """A wrench at the hinge of `link`, referred to its parent's hinge, `span` before it, and to its parent's axes."""
    back = back_kernel(local)
    force = cpu.do(back, A, wrench[0])
    moment = cpu.do(add_vectors, cpu.do(back, A, wrench[1]), cpu.do(cross, span, force))
    return force, moment


def inverse_dynamics_force(
    cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], lift: Vector
) -> list[float]:
    """h, from the rotations A of all bodies."""
    n = len(local_bodies)
    w, wd = spins(cpu, local_bodies, A)
    pdd = hinge_accelerations(cpu, local_bodies, A, w, wd, lift)
    at_base = cpu.do(moment_z, first_moment(local_bodies[0]), pdd[0])
    if n == 1:
        return [at_base]
    force, moment = own_wrench(cpu, local_bodies[n - 1], w[n - 1], wd[n - 1], pdd[n - 1])
    h = [moment[2]]  # Wong eq. 2.3
    for i in reversed(range(1, n - 1)):
        beyond = carry_inward(cpu, local_bodies[i + 1], A[i + 1], local_bodies[i].span, (force, moment))
        own = own_wrench(cpu, local_bodies[i], w[i], wd[i], pdd[i])
        force, moment = cpu.do(add_vectors, own[0], beyond[0]), cpu.do(add_vectors, own[1], beyond[1])  # Wong eq. 2.2
        h.append(moment[2])
    beyond_base = cpu.do(torque_kernel(local_bodies[1]), A[1], local_bodies[0].span, (force, moment))
    return [cpu.do(add, at_base, beyond_base), *reversed(h)]
