"""The articulated-body recursion along one branch of a tree, for joints that turn and joints that slide.

What *faces* a joint has what concerns its own freedom first (`joints.py`).

Formed off line: as in `articulated.py`, but for joint 1, which has no kernels of its own here. Of a body on the ground
it is known that it turns about its own axis, if at all, and that its inertia is needed about that axis only.
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
    pass_joint,
    project,
    shift_inertia,
    turn_out,
)
from meshsim.algorithms.kernels.branch import coriolis_z, slide_along
from meshsim.algorithms.kernels.composite import cross_z
from meshsim.algorithms.kernels.core import (
    ZERO,
    add_along_z,
    add_vectors,
    cross,
    dot,
    matvec,
    ratio,
    sine_cosine,
    subtract,
)
from meshsim.algorithms.kernels.inertial import symmetric_times
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.base.joints import (
    Slide,
    Turn,
    body_inertia,
    check_freedom,
    facing,
    inertia_facing,
    lifted,
    rigid,
    slide_of,
    turn_of,
)
from meshsim.algorithms.schemes.one.articulated import add_wrenches, together
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu

# Joints


@dataclass(frozen=True)
class Member:
    """A body of a branch: its index, its constants, and the origin of its joint in its carrier's frame."""

    index: int
    local: LocalBody
    position: Vector


@dataclass(frozen=True)
class Joint:
    """A member where its joint has taken it.

    Parameters
    ----------
    index, link : int, Link
        As of the member.
    turn : Turn
        From the frame of its carrier to its own.
    reach : Vector
        From its carrier's hinge to its own, in its carrier's axes.
    raised : Vector
        The lift in its own axes, if it stands on the ground.
    """

    index: int
    local: LocalBody
    turn: Turn | Slide
    reach: Vector
    raised: Vector = ZERO

    @property
    def grounded(self) -> bool:
        """Whether the ground carries it."""
        return not self.local.ancestors


def settle(cpu: Cpu, member: Member, lift: Vector) -> Joint:
    """Where a joint has taken its body."""
    local, position = member.local, member.position
    if local.slides:
        slide = slide_of(local)
        if not local.ancestors:
            return Joint(member.index, local, slide, position, lifted(local, lift))
        return Joint(member.index, local, slide, cpu.do(slide_along, position, local.q, local.E[2]))
    sine, cosine = cpu.do(sine_cosine, local.q)
    turn = turn_of(local, sine, cosine)
    if local.ancestors:
        return Joint(member.index, local, turn, position)
    return Joint(member.index, local, turn, position, cpu.do(turn_out, sine, cosine, lifted(local, lift)))


# Inertias


@dataclass(frozen=True)
class Articulated:
    """An articulated body and its joint.

    Parameters
    ----------
    free, gain : Free, Gain
        Its inertia with its joint free, and U / D; both face the joint.
    whole : Whole
        The same inertia about its carrier's hinge, in its carrier's axes.
    """

    free: Free
    gain: Gain
    whole: Whole


@dataclass(frozen=True)
class Grounded:
    """An articulated body on the ground: D of its joint, and the force that goes with a unit acceleration of it."""

    pivot: float
    pull: Vector


def loaded(cpu: Cpu, local: LocalBody, carried: Sequence[Whole]) -> Whole:
    """The inertia of a body and all that it carries, about its hinge."""
    return cpu.do(add_body, *together(cpu, carried), body_inertia(local)) if carried else rigid(local)


def articulate(
    cpu: Cpu, joints: Sequence[Joint], carried: Sequence[Whole]
) -> tuple[dict[int, Articulated], Grounded | None]:
    """The articulated bodies of a branch, by their place in it, from the last inwards, which carries what is given.

    A body on the ground is returned separately: it is never referred to another.
    """
    bodies: dict[int, Articulated] = {}
    for i in reversed(range(len(joints))):
        joint, local = joints[i], joints[i].local
        inertia = inertia_facing(local, loaded(cpu, local, carried))
        check_freedom(local, inertia[0][2], joint.index)
        if joint.grounded:
            (_, _, D, _, x, y), H, _ = inertia
            return bodies, Grounded(D, (x, y, D) if local.slides else H[2])
        if carried:
            free, gain = cpu.do(project, *inertia)  # Wong eq. 2.14
        else:
            free, gain = project(*inertia)  # of constants: formed off line
        turned = inertia_facing(local, joint.turn.inertia(cpu, free))
        bodies[i] = Articulated(free, gain, cpu.do(shift_inertia, joint.reach, *turned))
        carried = (bodies[i].whole,)
    return bodies, None


# Velocities


@dataclass(frozen=True)
class Drift:
    """What velocities do to a body that another carries.

    Parameters
    ----------
    own : Wrench
        The wrench that its own rotation takes.
    sway : tuple of float
        x and y of w x z qd, the part of its angular acceleration that comes from its joint's rate; of twice that, the
        part of its linear acceleration, if its joint slides.
    hinge : Vector
        The centripetal acceleration of its hinge, in its carrier's axes.
    """

    own: Wrench
    sway: tuple[float, float]
    hinge: Vector


def velocities(cpu: Cpu, joints: Sequence[Joint], carrier: Vector) -> list[Vector]:
    """w of every body, given that of the branch's carrier."""
    w: list[Vector] = []
    for joint in joints:
        local = joint.local
        if joint.grounded:
            carrier = (0.0, 0.0, 0.0 if local.slides else local.qd)
        else:
            carrier = joint.turn.outwards(cpu, carrier)
            if not local.slides:
                carrier = cpu.do(add_along_z, carrier, local.qd)  # Wong eq. 3.27
        w.append(carrier)
    return w


def drifts(cpu: Cpu, joints: Sequence[Joint], carrier: Vector, w: Sequence[Vector]) -> dict[int, Drift]:
    """What velocities do to all bodies but one on the ground, by their place in the branch."""
    found: dict[int, Drift] = {}
    square = None  # of the carrier's w, as soon as it is needed
    for i, joint in enumerate(joints):
        local = joint.local
        if not joint.grounded:
            if square is None:
                square = cpu.do(dot, carrier, carrier)
            hinge = cpu.do(centripetal, square, carrier, joint.reach)
            _, first_moment, J = body_inertia(local)
            square = cpu.do(dot, w[i], w[i])
            moment = cpu.do(cross, w[i], cpu.do(symmetric_times, J, w[i]))
            own = moment, cpu.do(centripetal, square, w[i], first_moment)
            x, y, _ = cpu.do(coriolis_z if local.slides else cross_z, w[i], local.qd)
            found[i] = Drift(own, (x, y), hinge)
        carrier = w[i]
    return found


# Sweeps


def refer(cpu: Cpu, joint: Joint, body: Articulated, drift: Drift, wrench: Wrench) -> Wrench:
    """The wrench inside a joint, referred to its carrier, with what the acceleration of its hinge adds."""
    _, H, M = body.whole
    moved = cpu.do(matvec, H, drift.hinge), cpu.do(symmetric_times, M, drift.hinge)
    return add_wrenches(cpu, carried_inwards(cpu, joint, wrench), moved)


def carried_inwards(cpu: Cpu, joint: Joint, wrench: Wrench) -> Wrench:
    """A wrench at a joint's hinge in its body's axes, at its carrier's hinge in the carrier's axes."""
    force = joint.turn.inwards(cpu, wrench[1])
    return cpu.do(displace, joint.turn.inwards(cpu, wrench[0]), joint.reach, force), force


def biases(
    cpu: Cpu,
    joints: Sequence[Joint],
    bodies: Mapping[int, Articulated],
    drifting: Mapping[int, Drift],
    torques: Sequence[float],
    carried: Sequence[Wrench],
) -> tuple[list[float], Wrench]:
    """u of every joint, its torque less the bias, and the wrench on the branch's carrier; from the last inwards.

    A body on the ground takes nothing to keep its rate, and its weight comes with its acceleration.
    """
    u = list(torques)
    wrench: Wrench = ZERO, ZERO
    for i in reversed(range(len(joints))):
        joint, local = joints[i], joints[i].local
        acting = [*carried] if joint.grounded else [*carried, drifting[i].own]
        if not acting:
            continue
        wrench, *others = acting
        for other in others:
            wrench = add_wrenches(cpu, wrench, other)
        wrench = facing(local, wrench)
        u[i] = cpu.do(subtract, torques[i], wrench[0][2])
        if not joint.grounded:
            J, H, _ = bodies[i].free
            wrench = cpu.do(pass_joint, bodies[i].gain, u[i], torques[i], wrench)  # Wong eq. 2.16
            wrench = facing(local, cpu.do(add_turning, J, H, *drifting[i].sway, wrench))
            wrench = refer(cpu, joint, bodies[i], drifting[i], wrench)
            carried = (wrench,)
    return u, wrench


def accelerations(
    cpu: Cpu,
    joints: Sequence[Joint],
    bodies: Mapping[int, Articulated],
    ground: Grounded | None,
    drifting: Mapping[int, Drift],
    u: Sequence[float],
    motion: Motion,
) -> tuple[list[float], Motion]:
    """The accelerations of all joints, and the last body's, given that of the branch's carrier; outwards."""
    qdd: list[float] = []
    for i, joint in enumerate(joints):
        local = joint.local
        if ground is not None and joint.grounded:
            found, motion = start(cpu, joint, ground, u[i])
        else:
            alpha, a = motion
            a = cpu.do(add_vectors, cpu.do(displace, a, alpha, joint.reach), drifting[i].hinge)
            first, second = facing(local, (joint.turn.outwards(cpu, alpha), joint.turn.outwards(cpu, a)))
            given = cpu.do(add_in_plane, first, *drifting[i].sway), second
            found, motion = cpu.do(accelerate, bodies[i].gain, u[i], given)  # Wong eqs 2.17, 2.18
            motion = facing(local, motion)
        qdd.append(found)
    return qdd, motion


def start(cpu: Cpu, joint: Joint, ground: Grounded, u: float) -> tuple[float, Motion]:
    """The acceleration of a joint on the ground, and of its body; the ground accelerates by the lift."""
    qdd = cpu.do(ratio, cpu.do(subtract, u, cpu.do(dot, ground.pull, joint.raised)), ground.pivot)
    if joint.local.slides:
        return qdd, (ZERO, cpu.do(add_along_z, joint.raised, qdd))
    return qdd, ((0.0, 0.0, qdd), joint.raised)
