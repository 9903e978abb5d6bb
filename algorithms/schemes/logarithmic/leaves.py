"""One unit of a robot in a state: its inverse inertia seen from its joint's axes, its kinematics and its biases.

What is told of a unit and of a piece of several units alike: how vectors turn from the axes of handle 0 to those of
another handle, and how fast that turns if handle 0 does not (`Turning`); how handles accelerate if no wrench acts on
them (a bias). The bias of handle 0 is that of its body less what the joint's own motion makes of it, so that two
handles that meet at a joint differ by the joint's acceleration alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from meshsim.algorithms.kernels.articulated import centripetal, displace, turn_out
from meshsim.algorithms.kernels.composite import rotate_back
from meshsim.algorithms.kernels.core import (
    ZERO,
    add_along_z,
    add_cross_z,
    add_vectors,
    cross,
    dot,
    form_rotation,
    form_rotation_twist,
    matvec,
    multiply,
    rotate_twist,
    scale,
    sine_cosine,
    subtract_vectors,
)
from meshsim.algorithms.kernels.handles import (
    Rows,
    Six,
    displace_lower,
    displace_rows,
    lower_times,
    rotate_lower,
    rotate_rows,
    slide_lower,
    slide_rows,
    times_six,
    turn_lower,
    turn_rows,
    turn_six,
)
from meshsim.algorithms.kernels.inertial import matmul, symmetric_times
from meshsim.algorithms.kernels.matrices import transposed
from meshsim.algorithms.kernels.space import axpy_vector
from meshsim.algorithms.robots.cuts import EYE
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.base.joints import body_inertia, coriolis, hinge_on
from meshsim.algorithms.schemes.logarithmic.robot_units import Outlet, Reach, Unit
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu

Turning = tuple[Matrix, Vector]
"""From the axes of handle 0 to those of another handle, and the other's angular velocity if handle 0 does not turn."""
REST: Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
UNIT = ((0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
"""The unit motions of a joint that turns about z, and of one that slides along it."""


def minus(v: Vector) -> Vector:
    """The opposite vector: changing signs is free."""
    return -v[0], -v[1], -v[2]


@dataclass(frozen=True)
class Turned:
    """A joint that turns: sine and cosine of its angle."""

    sine: float
    cosine: float
    local: LocalBody

    @property
    def motions(self) -> tuple[Six, ...]:
        """The joint's unit motions, in the axes of handle 0."""
        return UNIT[:1]

    @property
    def axes(self) -> Matrix:
        """From the axes of handle 0 to the body's."""
        s, c = self.sine, self.cosine
        return (c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)

    def lower(self, cpu: Cpu, P: Rows) -> Rows:
        """The body's inverse inertia as handle 0 has it."""
        return cpu.do(turn_lower, self.sine, self.cosine, P)

    def rows(self, cpu: Cpu, B: Rows) -> Rows:
        """What handle 0 accelerates by, of what the hinge does."""
        return cpu.do(turn_rows, self.sine, self.cosine, B)

    def towards(self, cpu: Cpu, reach: Reach) -> Turning:
        """How vectors turn from handle 0 to another handle, and how fast."""
        form = form_rotation_twist if reach.turn is rotate_twist else form_rotation
        R = transposed(cpu.do(form, -self.sine, self.cosine, transposed(reach.E)))
        return R, cpu.do(scale, self.local.qd, (R[0][2], R[1][2], R[2][2]))

    def rate(self, cpu: Cpu, w: Vector | None) -> Vector:
        """The body's angular velocity in its own axes, from that of its carrier in those of handle 0."""
        if w is None:
            return 0.0, 0.0, self.local.qd
        return cpu.do(turn_out, self.sine, self.cosine, cpu.do(add_along_z, w, self.local.qd))

    def bias(self, cpu: Cpu, w: Vector | None, bias: Six) -> Six:
        """The bias of handle 0 from that of the hinge."""
        x, y, z, *linear = cpu.do(turn_six, self.sine, self.cosine, bias)
        angular = (x, y, z) if w is None else cpu.do(add_cross_z, (x, y, z), w, -self.local.qd)
        return *angular, *linear

    def wrench(self, cpu: Cpu, f: Six) -> Six:
        """A wrench on handle 0, at the hinge and in the body's axes."""
        return cpu.do(turn_six, -self.sine, self.cosine, f)


@dataclass(frozen=True)
class Slid:
    """A joint that slides."""

    local: LocalBody

    @property
    def motions(self) -> tuple[Six, ...]:
        """The joint's unit motions, in the axes of handle 0."""
        return UNIT[1:]

    @property
    def axes(self) -> Matrix:
        """From the axes of handle 0 to the body's."""
        return EYE

    def lower(self, cpu: Cpu, P: Rows) -> Rows:
        """The body's inverse inertia as handle 0 has it."""
        return cpu.do(slide_lower, self.local.q, P)

    def rows(self, cpu: Cpu, B: Rows) -> Rows:
        """What handle 0 accelerates by, of what the hinge does."""
        return cpu.do(slide_rows, self.local.q, B)

    def towards(self, _cpu: Cpu, reach: Reach) -> Turning:
        """How vectors turn from handle 0 to another handle, and how fast."""
        return reach.E, ZERO

    def rate(self, _cpu: Cpu, w: Vector | None) -> Vector:
        """The body's angular velocity in its own axes, from that of its carrier in those of handle 0."""
        return ZERO if w is None else w

    def bias(self, cpu: Cpu, w: Vector | None, bias: Six) -> Six:
        """The bias of handle 0 from that of the hinge."""
        back = 0.0, 0.0, self.local.withdrawn
        x, y, z, *linear = bias
        at = cpu.do(displace, (linear[0], linear[1], linear[2]), (x, y, z), back)
        if w is not None:
            at = cpu.do(add_vectors, at, cpu.do(centripetal, cpu.do(dot, w, w), w, back))
            at = cpu.do(subtract_vectors, at, coriolis(cpu, self.local.qd, (0.0, 0.0, 1.0), w))
        return x, y, z, *at

    def wrench(self, cpu: Cpu, f: Six) -> Six:
        """A wrench on handle 0, at the hinge and in the body's axes."""
        force = f[3], f[4], f[5]
        return *cpu.do(displace, (f[0], f[1], f[2]), (0.0, 0.0, self.local.withdrawn), force), *force


@dataclass(frozen=True)
class Freedom:
    """One of several freedoms of a joint, in the axes of handle 0: its axis, and how far it moves its hinge."""

    local: LocalBody
    z: Vector
    step: Vector | None


@dataclass(frozen=True)
class Several:
    """A joint of several freedoms: the body's rotation and its hinge in the axes of handle 0, and each freedom."""

    R: Matrix
    hinge: Vector
    freedoms: tuple[Freedom, ...]
    motions: tuple[Six, ...]

    @property
    def axes(self) -> Matrix:
        """From the axes of handle 0 to the body's."""
        return transposed(self.R)

    def lower(self, cpu: Cpu, P: Rows) -> Rows:
        """The body's inverse inertia as handle 0 has it."""
        return cpu.do(displace_lower, minus(self.hinge), cpu.do(rotate_lower, self.R, P))

    def rows(self, cpu: Cpu, B: Rows) -> Rows:
        """What handle 0 accelerates by, of what the hinge does."""
        return cpu.do(displace_rows, minus(self.hinge), cpu.do(rotate_rows, self.R, B))

    def towards(self, cpu: Cpu, reach: Reach) -> Turning:
        """How vectors turn from handle 0 to another handle, and how fast."""
        R = transposed(cpu.do(matmul, self.R, transposed(reach.E)))
        return R, cpu.do(matvec, R, self.spin(cpu, ZERO))

    def spin(self, cpu: Cpu, w: Vector) -> Vector:
        """The body's angular velocity in the axes of handle 0, from that of its carrier."""
        for each in self.freedoms:
            w = w if each.local.slides else cpu.do(axpy_vector, each.local.qd, each.z, w)
        return w

    def rate(self, cpu: Cpu, w: Vector | None) -> Vector:
        """The body's angular velocity in its own axes, from that of its carrier in those of handle 0."""
        return cpu.do(rotate_back, self.R, self.spin(cpu, w or ZERO))

    def bias(self, cpu: Cpu, w: Vector | None, bias: Six) -> Six:
        """The bias of handle 0 from that of the hinge, less what the joint's rates make of it."""
        x, y, z, *rest = bias
        angular, linear = cpu.do(matvec, self.R, (x, y, z)), cpu.do(matvec, self.R, (rest[0], rest[1], rest[2]))
        w, wd, a = w or ZERO, ZERO, ZERO
        for each in self.freedoms:
            if each.step is not None:
                a = cpu.do(add_vectors, a, swept(cpu, w, wd, each.step))
            if each.local.slides:
                a = cpu.do(add_vectors, a, coriolis(cpu, each.local.qd, each.z, w))
            else:
                turn = cpu.do(scale, each.local.qd, each.z)
                wd, w = cpu.do(add_vectors, wd, cpu.do(cross, w, turn)), cpu.do(add_vectors, w, turn)
        # at the hinge; back at the handle the centripetal part is that of the body, and cancels
        linear = cpu.do(subtract_vectors, linear, a)
        angular = cpu.do(subtract_vectors, angular, wd)
        return *angular, *cpu.do(displace, linear, angular, minus(self.hinge))

    def wrench(self, cpu: Cpu, f: Six) -> Six:
        """A wrench on handle 0, at the hinge and in the body's axes."""
        force = f[3], f[4], f[5]
        moment = cpu.do(displace, (f[0], f[1], f[2]), minus(self.hinge), force)
        return *cpu.do(rotate_back, self.R, moment), *cpu.do(rotate_back, self.R, force)


Joint = Turned | Slid | Several


def swept(cpu: Cpu, w: Vector, wd: Vector, r: Vector) -> Vector:
    """w' x r + w x (w x r)."""
    return cpu.do(displace, cpu.do(cross, w, cpu.do(cross, w, r)), wd, r)


def pose(cpu: Cpu, unit: Unit, local_bodies: Sequence[LocalBody]) -> Joint:
    """Where a unit's joint has taken it; of one that turns only sine and cosine are computed."""
    local = local_bodies[-1]
    if len(unit.joints) > 1:
        return _several(cpu, local_bodies)
    return Slid(local) if local.slides else Turned(*cpu.do(sine_cosine, local.q), local)


def _several(cpu: Cpu, local_bodies: Sequence[LocalBody]) -> Several:
    R: Matrix = EYE
    hinge: Vector | None = None
    freedoms: list[Freedom] = []
    motions: list[Six] = []
    for k, local in enumerate(local_bodies):
        offset = hinge_on(local, local_bodies[k - 1]) if k else ZERO
        step = cpu.do(matvec, R, offset) if any(offset) else None
        R = _turned_on(cpu, R, local, k)
        z = (R[0][2], R[1][2], R[2][2])
        if local.slides:
            along = cpu.do(scale, local.q, z)
            step = along if step is None else cpu.do(add_vectors, step, along)
        if step is not None:
            hinge = step if hinge is None else cpu.do(add_vectors, hinge, step)
        freedoms.append(Freedom(local, z, step))
        swing = ZERO if hinge is None or local.slides else cpu.do(cross, hinge, z)
        motions.append((0.0, 0.0, 0.0, *z) if local.slides else (*z, *swing))
    return Several(R, hinge or ZERO, tuple(freedoms), tuple(motions))


def _turned_on(cpu: Cpu, R: Matrix, local: LocalBody, k: int) -> Matrix:
    """The axes of the k-th freedom's body; the first freedom has those of handle 0 where it stands at 0."""
    if k == 0 and local.slides:
        return R
    if k == 0:
        s, c = cpu.do(sine_cosine, local.q)
        return (c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)
    A = local.E if local.slides else cpu.do(form_rotation, *cpu.do(sine_cosine, local.q), local.E)
    return cpu.do(matmul, R, transposed(A))


def biases(cpu: Cpu, unit: Unit, joint: Joint, local: LocalBody, w: Vector | None) -> tuple[Six, dict[Outlet, Six]]:
    """How handle 0 and the others accelerate if no wrench acts; w is how the carrier turns, in the axes of handle 0."""
    if w is None and isinstance(joint, Slid):
        return REST, dict.fromkeys(unit.reaches, REST)
    if w is None and isinstance(joint, Turned):
        square = cpu.do(multiply, local.qd, local.qd)
        whirled = {key: cpu.do(times_six, square, unit.whirl[key]) for key in (None, *unit.reaches)}
        return joint.bias(cpu, w, whirled[None]), {key: whirled[key] for key in unit.reaches}
    rate = joint.rate(cpu, w)
    _, first, J = body_inertia(local)
    square = cpu.do(dot, rate, rate)
    moment = cpu.do(cross, rate, cpu.do(symmetric_times, J, rate))
    taken = (*moment, *cpu.do(centripetal, square, rate, first))
    own = tuple([-each for each in cpu.do(lower_times, unit.inverse, taken)])
    angular, linear = (own[0], own[1], own[2]), (own[3], own[4], own[5])
    others: dict[Outlet, Six] = {}
    for key, reach in unit.reaches.items():
        at = cpu.do(add_vectors, cpu.do(displace, linear, angular, reach.r), cpu.do(centripetal, square, rate, reach.r))
        others[key] = (*cpu.do(reach.turn, reach.E, angular), *cpu.do(reach.turn, reach.E, at))
    return joint.bias(cpu, w, own), others
