"""The articulated-body recursion in body coordinates, on one processor: accelerations without M.

Inertias inwards, then bias wrenches inwards, then accelerations outwards. The bias is either a known h, taken from the
torques beforehand, or a `Drift`: what the velocities and gravity do to every body, inside the recursion.

Body 1 can only turn about its own axis, so that nothing is carried to its frame: body 2 sees its unit motion (`axis`),
and answers with one moment and one force. A rotation is a constant one, cheap if it is a twist, and a plane one.

Formed off line: sine and cosine of a twist, its squared sine and their product; mass, first and second moment of every
body about its hinge; the unit motion of joint 1 and the lift, turned by the constant rotation; of the last body, which
carries nothing, the inertia with its joint free, and its gain U / D.                      # Wong eqs 2.13 to 2.18
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from meshsim.algorithms.kernels.articulated import (
    Free,
    Gain,
    Motion,
    Whole,
    Wrench,
    accelerate,
    add_body,
    add_in_plane,
    add_turning,
    centripetal,
    displace,
    gain_times,
    inwards_general,
    inwards_twist,
    outwards_general,
    outwards_twist,
    pass_joint,
    project,
    resistance,
    shift_inertia,
    tilt_inertia,
    turn_inertia,
    turn_out,
    twist_inertia,
)
from meshsim.algorithms.kernels.composite import add_centripetal_z, cross_z, moment_z
from meshsim.algorithms.kernels.core import (
    Z_AXIS,
    ZERO,
    add,
    add_along_z,
    add_vectors,
    cross,
    dot,
    matvec,
    ratio,
    rotate,
    rotate_twist,
    scale,
    sine_cosine,
    subtract,
)
from meshsim.algorithms.kernels.inertial import (
    Inertia,
    Symmetric,
    add_symmetric,
    point_inertia,
    spatial_dot,
    symmetric_times,
)
from meshsim.algorithms.kernels.matrices import symmetric_of, twist_products
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.errors import MeshSimError
from meshsim.program import Cpu

# Rotations


@dataclass(frozen=True)
class TwistTurn:
    """From the parent's frame to the body's: a constant twist about x, then the joint's angle about z.

    `squares` are the twist's squared sine, and its sine times its cosine.
    """

    sine: float
    cosine: float
    twist: tuple[float, float]
    squares: tuple[float, float]

    def outwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the parent's frame in the body's."""
        return cpu.do(outwards_twist, self.sine, self.cosine, *self.twist, v)

    def inwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the body's frame in the parent's."""
        return cpu.do(inwards_twist, self.sine, self.cosine, *self.twist, v)

    def inertia(self, cpu: Cpu, free: Free) -> Whole:
        """A free body's inertia in its parent's axes."""
        J, H, M = cpu.do(turn_inertia, self.sine, self.cosine, *free)
        return cpu.do(twist_inertia, *self.twist, *self.squares, J, H, M)


@dataclass(frozen=True)
class GeneralTurn:
    """As TwistTurn, with any constant rotation E."""

    sine: float
    cosine: float
    E: Matrix

    def outwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the parent's frame in the body's."""
        return cpu.do(outwards_general, self.sine, self.cosine, self.E, v)

    def inwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the body's frame in the parent's."""
        return cpu.do(inwards_general, self.sine, self.cosine, self.E, v)

    def inertia(self, cpu: Cpu, free: Free) -> Whole:
        """A free body's inertia in its parent's axes."""
        J, H, M = cpu.do(turn_inertia, self.sine, self.cosine, *free)
        return cpu.do(tilt_inertia, self.E, J, H, M)


Turn = TwistTurn | GeneralTurn


def twist_turn(sine: float, cosine: float, E: Matrix) -> TwistTurn:
    """The turn of a joint angle after a twist."""
    twist_sine, twist_cosine, *squares = twist_products(E)
    return TwistTurn(sine, cosine, (twist_sine, twist_cosine), (squares[0], squares[1]))


def turns(cpu: Cpu, local_bodies: Sequence[LocalBody]) -> list[Turn]:
    """The rotation of every joint, of which only sine and cosine are computed."""
    return [turn_of(local, *cpu.do(sine_cosine, local.q)) for local in local_bodies]


def turn_of(local: LocalBody, sine: float, cosine: float) -> Turn:
    """The rotation of a joint, cheap if its robot has twist form."""
    return twist_turn(sine, cosine, local.E) if local.rotate is rotate_twist else GeneralTurn(sine, cosine, local.E)


# Constants


def body_inertia(local: LocalBody) -> Inertia:
    """Mass, first and second moment of a body about its hinge."""
    about_hinge = add_symmetric(symmetric_of(local.J), point_inertia(local.m, local.com))
    return local.m, scale(local.m, local.com), about_hinge


def first_unit(first: LocalBody, second: LocalBody) -> Motion:
    """What hinge 2 does when joint 1 turns at a unit rate, in the axes of joint 2."""
    return rotate(second.E, Z_AXIS), rotate(second.E, cross(Z_AXIS, first.span))


def free_body(local: LocalBody, i: int) -> tuple[Free, Gain]:
    """The last body, of index i, with its joint free."""
    m, (x, y, z), J = body_inertia(local)
    check_pivot(J[2], i)
    return project(J, ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)), (m, m, m, 0.0, 0.0, 0.0))


def check_pivot(D: float, i: int) -> None:
    """Refuse an articulated body, of index i, whose inertia about its own joint is not positive."""
    if D <= 0.0:
        raise MeshSimError(f"the articulated inertia about joint {i + 1} must be positive, not {D!r}")


# Inertias


@dataclass(frozen=True)
class Articulated:
    """A chain of articulated bodies, by index of the body.

    Parameters
    ----------
    free, gain : by body, all but the first
        The inertia of a body with its joint free, and U / D.
    carried : by body, all but the first and the last
        H and M of what a body carries, about its own hinge.
    axis : Motion
        The unit motion of joint 1 seen from body 2; zero for a single body.
    pivot : float
        D of body 1.
    pull : Vector
        The force at hinge 2 that goes with a unit acceleration of joint 1, in the axes of body 2.
    """

    free: Mapping[int, Free]
    gain: Mapping[int, Gain]
    carried: Mapping[int, tuple[Matrix, Symmetric]]
    axis: Motion
    pivot: float
    pull: Vector


def first_axis(cpu: Cpu, local_bodies: Sequence[LocalBody], turned: Sequence[Turn]) -> Motion:
    """The unit motion of joint 1 seen from body 2."""
    if len(local_bodies) == 1:
        return ZERO, ZERO
    turn = turned[1]
    angular, linear = first_unit(local_bodies[0], local_bodies[1])
    return cpu.do(turn_out, turn.sine, turn.cosine, angular), cpu.do(turn_out, turn.sine, turn.cosine, linear)


def articulate(cpu: Cpu, local_bodies: Sequence[LocalBody], turned: Sequence[Turn], axis: Motion) -> Articulated:
    """The articulated inertias, from the last body inwards."""
    n = len(local_bodies)
    frees: dict[int, Free] = {}
    gains: dict[int, Gain] = {}
    carried: dict[int, tuple[Matrix, Symmetric]] = {}
    pivot, pull = local_bodies[0].own_inertia, ZERO
    for i in reversed(range(1, n)):
        if i == n - 1:
            frees[i], gains[i] = free_body(local_bodies[i], i)
        else:
            J, H, M = cpu.do(shift_inertia, local_bodies[i].span, *turned[i + 1].inertia(cpu, frees[i + 1]))
            carried[i] = H, M
            J, H, M = cpu.do(add_body, J, H, M, body_inertia(local_bodies[i]))
            check_pivot(J[2], i)
            frees[i], gains[i] = cpu.do(project, J, H, M)  # Wong eq. 2.14
    if n > 1:
        beyond, pull = cpu.do(resistance, *frees[1], axis)
        pivot = cpu.do(add, pivot, beyond)
    check_pivot(pivot, 0)
    return Articulated(frees, gains, carried, axis, pivot, pull)


# Velocities and gravity


@dataclass(frozen=True)
class Drift:
    """What velocities and gravity do to a chain, by index of the body.

    Parameters
    ----------
    own : by body, all but the first
        The wrench that a body's own rotation takes.
    turning : by body, all but the first
        x and y of w x z qd, the part of its angular acceleration that comes from its own joint.
    hinge : by body, all but the first and the last
        The centripetal acceleration of its outboard hinge.
    start : Vector
        The acceleration of hinge 2, in the axes of body 2, when joint 1 does not accelerate.
    weight : float
        The moment of body 1's weight about its joint.
    """

    own: Mapping[int, Wrench]
    turning: Mapping[int, tuple[float, float]]
    hinge: Mapping[int, Vector]
    start: Vector
    weight: float


def rates(
    cpu: Cpu, local_bodies: Sequence[LocalBody], turned: Sequence[Turn], axis: Motion
) -> tuple[dict[int, Vector], dict[int, tuple[float, float]]]:
    """w and the x and y of w x z qd, of all bodies but the first."""
    w: dict[int, Vector] = {}
    turning: dict[int, tuple[float, float]] = {}
    for i, local in enumerate(local_bodies[1:], start=1):
        inboard = cpu.do(scale, local_bodies[0].qd, axis[0]) if i == 1 else turned[i].outwards(cpu, w[i - 1])
        w[i] = cpu.do(add_along_z, inboard, local.qd)  # Wong eq. 3.27
        x, y, _ = cpu.do(cross_z, w[i], local.qd)
        turning[i] = x, y
    return w, turning


def base(cpu: Cpu, local_bodies: Sequence[LocalBody], turned: Sequence[Turn], lift: Vector) -> tuple[float, Vector]:
    """The moment of body 1's weight about its joint, and the acceleration of hinge 2 in the axes of body 2."""
    first = local_bodies[0]
    raised = cpu.do(turn_out, turned[0].sine, turned[0].cosine, lifted(first, lift))  # Wong eq. 3.36
    _, first_moment, _ = body_inertia(first)
    weight = cpu.do(moment_z, first_moment, raised)
    if len(local_bodies) == 1:
        return weight, ZERO
    return weight, turned[1].outwards(cpu, cpu.do(add_centripetal_z, raised, first.qd, first.span))


def lifted(first: LocalBody, lift: Vector) -> Vector:
    """The lift in the axes of joint 1."""
    return rotate(first.E, lift)


def drift(cpu: Cpu, local_bodies: Sequence[LocalBody], turned: Sequence[Turn], axis: Motion, lift: Vector) -> Drift:
    """What velocities and gravity do to every body."""
    n = len(local_bodies)
    w, turning = rates(cpu, local_bodies, turned, axis)
    own: dict[int, Wrench] = {}
    hinge: dict[int, Vector] = {}
    for i in range(1, n):
        _, first_moment, J = body_inertia(local_bodies[i])
        square = cpu.do(dot, w[i], w[i])
        moment = cpu.do(cross, w[i], cpu.do(symmetric_times, J, w[i]))
        own[i] = moment, cpu.do(centripetal, square, w[i], first_moment)
        if i < n - 1:
            hinge[i] = cpu.do(centripetal, square, w[i], local_bodies[i].span)
    weight, start = base(cpu, local_bodies, turned, lift)
    return Drift(own, turning, hinge, start, weight)


# Sweeps

Load = Wrench | None
"""None is no wrench at all, which costs nothing to add."""


def carry(cpu: Cpu, turn: Turn, span: Vector, wrench: Wrench) -> Wrench:
    """A wrench at a hinge, referred to the hinge `span` before it, in the parent's axes."""
    force = turn.inwards(cpu, wrench[1])
    return cpu.do(displace, turn.inwards(cpu, wrench[0]), span, force), force


def add_wrenches(cpu: Cpu, a: Wrench, b: Wrench) -> Wrench:
    """The sum of two wrenches."""
    return cpu.do(add_vectors, a[0], b[0]), cpu.do(add_vectors, a[1], b[1])


def load(cpu: Cpu, bodies: Articulated, drifting: Drift, i: int, wrench: Load) -> Wrench:
    """The wrench on body i, given that at its hinge from the next: drift adds its own and that of what it carries."""
    if wrench is None:
        return drifting.own[i]
    H, M = bodies.carried[i]
    hinge = drifting.hinge[i]
    wrench = add_wrenches(cpu, wrench, (cpu.do(matvec, H, hinge), cpu.do(symmetric_times, M, hinge)))
    return add_wrenches(cpu, wrench, drifting.own[i])


def biases(
    cpu: Cpu,
    local_bodies: Sequence[LocalBody],
    turned: Sequence[Turn],
    bodies: Articulated,
    torques: Sequence[float],
    drifting: Drift | None = None,
) -> list[float]:
    """u of every joint, its torque less the bias about its axis, from the last inwards."""
    n = len(local_bodies)
    u = list(torques)
    wrench: Load = None
    for i in reversed(range(1, n)):
        if wrench is not None:
            wrench = carry(cpu, turned[i + 1], local_bodies[i].span, wrench)
        if drifting is not None:
            wrench = load(cpu, bodies, drifting, i, wrench)
        if wrench is None:
            wrench = cpu.do(gain_times, bodies.gain[i], u[i])
        else:
            u[i] = cpu.do(subtract, torques[i], wrench[0][2])
            wrench = cpu.do(pass_joint, bodies.gain[i], u[i], torques[i], wrench)  # Wong eq. 2.16
        if drifting is not None:
            J, H, _ = bodies.free[i]
            wrench = cpu.do(add_turning, J, H, *drifting.turning[i], wrench)
    if wrench is not None:
        u[0] = cpu.do(subtract, u[0], cpu.do(spatial_dot, bodies.axis, wrench))
    if drifting is not None:
        u[0] = cpu.do(subtract, u[0], drifting.weight)
        if n > 1:
            u[0] = cpu.do(subtract, u[0], cpu.do(dot, bodies.pull, drifting.start))
    return u


def accelerations(
    cpu: Cpu,
    local_bodies: Sequence[LocalBody],
    turned: Sequence[Turn],
    bodies: Articulated,
    u: Sequence[float],
    drifting: Drift | None = None,
) -> list[float]:
    """The accelerations of all joints, from the first outwards."""
    qdd = [cpu.do(ratio, u[0], bodies.pivot)]
    alpha = a = ZERO
    for i in range(1, len(local_bodies)):
        if i == 1:
            alpha, a = cpu.do(scale, qdd[0], bodies.axis[0]), cpu.do(scale, qdd[0], bodies.axis[1])
            if drifting is not None:
                a = cpu.do(add_vectors, a, drifting.start)
        else:
            a = cpu.do(displace, a, alpha, local_bodies[i - 1].span)
            if drifting is not None:
                a = cpu.do(add_vectors, a, drifting.hinge[i - 1])
            alpha, a = turned[i].outwards(cpu, alpha), turned[i].outwards(cpu, a)
        if drifting is not None:
            alpha = cpu.do(add_in_plane, alpha, *drifting.turning[i])
        joint, (alpha, a) = cpu.do(accelerate, bodies.gain[i], u[i], (alpha, a))  # Wong eqs 2.17, 2.18
        qdd.append(joint)
    return qdd
