"""One unit of a chain as a piece with mixed handles (`mixed.py`): its inertia and outlet seen from its joint's axes.

As `leaves.py` has it, the acceleration of handle 0 is that of the body less what the joint's own rate makes of it. So
p and b have what that part of the body's acceleration does besides the other velocity products.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from meshsim.algorithms.kernels.articulated import centripetal, displace
from meshsim.algorithms.kernels.core import ZERO, add_vectors, cross, dot, multiply, rotate, scale, scale_cross_z
from meshsim.algorithms.kernels.handles import Rows, Six, times_six, turn_six
from meshsim.algorithms.kernels.inertial import Inertia, symmetric_times
from meshsim.algorithms.kernels.matrices import transposed
from meshsim.algorithms.kernels.mixed import slide_body, slide_matrix, slide_point, turn_body, turn_matrix
from meshsim.algorithms.kernels.space import axpy_vector
from meshsim.algorithms.schemes.base.bodies import LocalBody, torque_of
from meshsim.algorithms.schemes.base.joints import body_inertia, coriolis
from meshsim.algorithms.schemes.logarithmic.dividing import Accelerations, Packed, Source, Work
from meshsim.algorithms.schemes.logarithmic.leaves import REST, Slid, Turned, Turning, pose
from meshsim.algorithms.schemes.logarithmic.mixed import Mixed
from meshsim.algorithms.schemes.logarithmic.robot_units import Reach
from meshsim.algorithms.schemes.logarithmic.trees import Leaf
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu

Z = (0.0, 0.0, 1.0)


@dataclass
class MixedSingle:
    """One unit, with one outlet or none."""

    joint: Turned | Slid
    local: LocalBody
    reach: Reach | None
    axes: Matrix | None = None
    """From the axes of the outlet to those of handle 0."""

    def turnings(self, cpu: Cpu) -> tuple[Turning, ...]:
        """From handle 0 to the outlet."""
        if self.reach is None:
            return ()
        turning = self.joint.towards(cpu, self.reach)
        self.axes = transposed(turning[0])
        return (turning,)

    def piece(self, cpu: Cpu, w: Vector | None) -> Packed:
        """The piece, whose carrier turns at w."""
        torque = torque_of(cpu, self.local)
        made = _turned if isinstance(self.joint, Turned) else _slid
        body, p, b = made(cpu, self, w)
        if self.reach is None or self.axes is None:
            return Mixed(lower_of(body), p, torque).sent()
        return Mixed(lower_of(body), p, torque, self.transform(cpu, self.reach, self.axes), (), b).sent()

    def transform(self, cpu: Cpu, reach: Reach, axes: Matrix) -> Rows:
        """How a wrench at the outlet is felt at handle 0."""
        still = arms(reach)
        if isinstance(self.joint, Turned):
            moments = cpu.do(turn_matrix, self.joint.sine, self.joint.cosine, still)
        else:
            moments = cpu.do(slide_matrix, self.local.q, still, axes)
        upper = [(*a, *b) for a, b in zip(axes, moments, strict=True)]
        return *upper, *((*ZERO, *a) for a in axes)

    def accelerations(self, _cpu: Cpu, _told: tuple[Six, ...], first: Accelerations) -> Accelerations:
        """That of its joint."""
        return first


def arms(reach: Reach) -> Matrix:
    """The moments of unit forces at an outlet, in the body's axes, about its hinge: formed off line."""
    x, y, z = (cross(reach.r, axis) for axis in reach.E)
    return transposed((x, y, z))


def lower_of(body: Inertia) -> Rows:
    """The lower triangle of a body's inertia."""
    m, (x, y, z), (xx, yy, zz, xy, xz, yz) = body
    return (xx,), (xy, yy), (xz, yz, zz), (0.0, z, -y, m), (-z, 0.0, x, 0.0, m), (y, -x, 0.0, 0.0, 0.0, m)


Leaved = tuple[Inertia, Six, Six]
"""The inertia of a body as handle 0 has it, p, and b."""


def _turned(cpu: Cpu, of: MixedSingle, w: Vector | None) -> Leaved:
    """A body whose joint turns."""
    joint, local, reach = of.joint, of.local, of.reach
    assert isinstance(joint, Turned)
    constants = body_inertia(local)
    _, first, J = constants
    body = cpu.do(turn_body, joint.sine, joint.cosine, constants)
    if w is None:
        square = cpu.do(multiply, local.qd, local.qd)
        taken = (-J[5], J[4], 0.0, *centripetal(1.0, Z, first))
        p = cpu.do(turn_six, joint.sine, joint.cosine, cpu.do(times_six, square, taken))
        if reach is None:
            return body, p, ()
        out = rotate(reach.E, centripetal(1.0, Z, reach.r))
        return body, p, (*ZERO, *cpu.do(scale, square, out))
    rate = joint.rate(cpu, w)
    square, sway = cpu.do(dot, rate, rate), cpu.do(scale_cross_z, local.qd, rate)
    moment = cpu.do(cross, rate, cpu.do(symmetric_times, J, rate))
    moment = cpu.do(add_vectors, moment, cpu.do(symmetric_times, J, sway))
    force = cpu.do(displace, cpu.do(centripetal, square, rate, first), sway, first)
    p = cpu.do(turn_six, joint.sine, joint.cosine, (*moment, *force))
    if reach is None:
        return body, p, ()
    at = cpu.do(displace, cpu.do(centripetal, square, rate, reach.r), sway, reach.r)
    return body, p, (*cpu.do(reach.turn, reach.E, sway), *cpu.do(reach.turn, reach.E, at))


def _slid(cpu: Cpu, of: MixedSingle, w: Vector | None) -> Leaved:
    """A body whose joint slides."""
    local, reach = of.local, of.reach
    body = cpu.do(slide_body, local.q, body_inertia(local))
    if w is None:
        return body, REST, REST
    m, first, J = body
    square, sway = cpu.do(dot, w, w), coriolis(cpu, local.qd, Z, w)
    moment = cpu.do(displace, cpu.do(cross, w, cpu.do(symmetric_times, J, w)), first, sway)
    force = cpu.do(axpy_vector, m, sway, cpu.do(centripetal, square, w, first))
    p = (*moment, *force)
    if reach is None:
        return body, p, ()
    r = cpu.do(slide_point, local.q, reach.r)
    at = cpu.do(add_vectors, cpu.do(centripetal, square, w, r), sway)
    return body, p, (*ZERO, *cpu.do(reach.turn, reach.E, at))


def mixed_single(cpu: Cpu, leaf: Leaf, work: Work, local_bodies: Sequence[LocalBody]) -> Source:
    """A unit where its joint has taken it."""
    unit = work.units[leaf.units[0]]
    joint = pose(cpu, unit, local_bodies)
    assert isinstance(joint, Turned | Slid)
    return MixedSingle(joint, local_bodies[-1], next(iter(unit.reaches.values()), None))
