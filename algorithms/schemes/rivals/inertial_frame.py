"""What the cube schemes share: bodies referred to the inertial frame by recursive doubling, and h from there.

The origin is hinge 1; the axes are the ground's. All positions are measured from there. The hinge of a joint that
slides is where it stands at 0: a point of the body before, from which its own body has moved along z.
"""

from dataclasses import dataclass

from meshsim.algorithms.collectives.recursive_doubling import Doubling
from meshsim.algorithms.kernels.core import (
    ZERO,
    acceleration_matrix,
    add_along_z,
    add_vectors,
    cross,
    dot,
    matvec,
    scale,
    sine_cosine,
    subtract,
    subtract_vectors,
)
from meshsim.algorithms.kernels.inertial import matmul
from meshsim.algorithms.kernels.matrices import transposed
from meshsim.algorithms.kernels.space import axpy_vector
from meshsim.algorithms.schemes.base.bodies import LocalBody, torque_of
from meshsim.algorithms.schemes.base.joints import coriolis
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu, Steps


@dataclass(frozen=True)
class Pose:
    """A body in the inertial frame: its rotation, joint axis, hinge, and the position of its centre of mass."""

    R: Matrix
    z: Vector
    hinge: Vector
    centre: Vector
    offset: Vector
    reach: Vector


def chain_vectors(cpu: Cpu, a: Vector, b: Vector) -> Vector:
    """Sums, to be scanned."""
    return cpu.do(add_vectors, a, b)


def chain_rotations(cpu: Cpu, a: Matrix, b: Matrix) -> Matrix:
    """Products of rotations, to be scanned; order matters."""
    return cpu.do(matmul, a, b)


def pose(cpu: Cpu, way: Doubling, local: LocalBody, i: int, n: int) -> Steps[Pose]:
    """Refer body i to the inertial frame: a prefix of rotations, then one of vectors from hinge to hinge."""
    A, span, com = local.E, local.span, local.com
    if local.slides:
        span, com = cpu.do(add_along_z, span, local.q), cpu.do(add_along_z, com, local.q)
    else:
        A = cpu.do(local.form, *cpu.do(sine_cosine, local.q), local.E)
    R: Matrix = yield from way.prefix(cpu, i, n, transposed(A), chain_rotations)
    reach = cpu.do(matvec, R, span)
    offset = cpu.do(matvec, R, com)
    beyond = yield from way.prefix(cpu, i, n, reach, chain_vectors)
    hinge = cpu.do(subtract_vectors, beyond, reach)
    z = (R[0][2], R[1][2], R[2][2])
    return Pose(R, z, hinge, cpu.do(add_vectors, hinge, offset), offset, reach)


def spin(cpu: Cpu, way: Doubling, local: LocalBody, body: Pose, i: int, n: int) -> Steps[tuple[Vector, Vector]]:
    """Angular velocity and acceleration; joints accelerate where that is given, and those that slide add nothing."""
    turn = ZERO if local.slides else cpu.do(scale, local.qd, body.z)
    w = yield from way.prefix(cpu, i, n, turn, chain_vectors)  # Wong eq. 1.5
    swing = ZERO if local.slides else cpu.do(cross, w, turn)
    if local.qdd is not None and not local.slides:
        swing = cpu.do(add_vectors, swing, cpu.do(scale, local.qdd, body.z))
    wd = yield from way.prefix(cpu, i, n, swing, chain_vectors)
    return w, wd


def sliding(cpu: Cpu, local: LocalBody, z: Vector, w: Vector) -> Vector:
    """2 w x (z qd) + z qdd: what a joint that slides adds to the acceleration of its body, and of all beyond."""
    turning = coriolis(cpu, local.qd, z, w)
    return turning if local.qdd is None else cpu.do(axpy_vector, local.qdd, z, turning)


def momentum_rate(cpu: Cpu, local: LocalBody, R: Matrix, w: Vector, wd: Vector) -> Vector:
    """L' = J w' + w x J w, formed in body axes and turned back."""  # Wong eq. 3.31
    inward: Matrix = (R[0][0], R[1][0], R[2][0]), (R[0][1], R[1][1], R[2][1]), (R[0][2], R[1][2], R[2][2])
    w_body, wd_body = cpu.do(matvec, inward, w), cpu.do(matvec, inward, wd)
    gyroscopic = cpu.do(cross, w_body, cpu.do(matvec, local.J, w_body))
    return cpu.do(matvec, R, cpu.do(add_vectors, cpu.do(matvec, local.J, wd_body), gyroscopic))


def bias_force(cpu: Cpu, way: Doubling, local: LocalBody, lift: Vector, i: int, n: int) -> Steps[float]:
    """h_i: accelerations outwards and wrenches inwards, every recursion by doubling; tau_i where qdd is given.

    # Wong eqs 2.1 to 2.3
    """
    body = yield from pose(cpu, way, local, i, n)
    w, wd = yield from spin(cpu, way, local, body, i, n)
    W = cpu.do(acceleration_matrix, w, wd)
    across = cpu.do(matvec, W, body.reach)
    slide = sliding(cpu, local, body.z, w) if local.slides else None
    if slide is not None:
        across = cpu.do(add_vectors, across, slide)
    carried = yield from way.prefix(cpu, i, n, across, chain_vectors)
    at_hinge = cpu.do(add_vectors, cpu.do(subtract_vectors, carried, across), lift)
    if slide is not None:
        at_hinge = cpu.do(add_vectors, at_hinge, slide)
    force = cpu.do(scale, local.m, cpu.do(add_vectors, at_hinge, cpu.do(matvec, W, body.offset)))
    rate = momentum_rate(cpu, local, body.R, w, wd)
    moment = cpu.do(add_vectors, rate, cpu.do(cross, body.centre, force))  # about the origin
    total_force = yield from way.suffix(cpu, i, n, force, chain_vectors)
    total_moment = yield from way.suffix(cpu, i, n, moment, chain_vectors)
    if local.slides:
        return cpu.do(dot, body.z, total_force)
    about_hinge = cpu.do(subtract_vectors, total_moment, cpu.do(cross, body.hinge, total_force))
    return cpu.do(dot, body.z, about_hinge)


def right_hand_side(cpu: Cpu, local: LocalBody, h: float) -> float:
    """b = tau - h."""
    return cpu.do(subtract, torque_of(cpu, local), h)
