"""The articulated-body recursion in body coordinates, on one processor: accelerations without M.

Inertias inwards, then bias wrenches inwards, then accelerations outwards. The bias is either a known h, taken from the
torques beforehand, or a `Drift`: what the velocities and gravity do to every body, inside the recursion.

A body on the ground can only move along its own joint, so that nothing is carried to its frame: what it carries sees
its unit motion (`axis`), and answers with one moment and one force. A rotation is a constant one, cheap if it is a
twist, and a plane one, unless the joint slides. What *faces* a joint has what concerns its own freedom first
(`joints.py`). In a tree, a body sums over those that it carries; a body without mass adds nothing of its own, and
where it carries another at its own hinge, as within a joint of several freedoms, nothing is displaced.

Formed off line: what `joints.py` lists; the unit motion of a joint on the ground and the lift, turned by constant
rotations; of a body that carries nothing, the inertia with its joint free, and its gain U / D. # Wong eqs 2.13 to 2.18
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
    pass_joint,
    project,
    resistance,
    resistance_sliding,
    shift_inertia,
    turn_out,
)
from meshsim.algorithms.kernels.branch import add_articulated, coriolis_z, slide_along
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
    multiply,
    ratio,
    rotate,
    scale,
    sine_cosine,
    subtract,
)
from meshsim.algorithms.kernels.inertial import spatial_dot, symmetric_times
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.base.joints import (
    Slide,
    Turn,
    body_inertia,
    check_freedom,
    facing,
    hinge_on,
    inertia_facing,
    lifted,
    reach_of,
    rigid,
    slide_of,
    turn_of,
)
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu


@dataclass(frozen=True)
class Tree:
    """A robot where its joints have taken it, by index of the body.

    Parameters
    ----------
    bodies : sequence of LocalBody
        Constants and joint values.
    turns : sequence of Turn or Slide
        From the frame of a body's carrier, or the ground's, to its own.
    reach : by body, all but those on the ground
        From its carrier's hinge to its own, in its carrier's axes; None if a carrier without mass has it at its own.
    carries : sequence of sequence of int
        What each body carries.
    """

    bodies: Sequence[LocalBody]
    turns: Sequence[Turn | Slide]
    reach: Mapping[int, Vector | None]
    carries: Sequence[Sequence[int]]

    def ground_carries(self, i: int) -> bool:
        """Whether body i is on the ground."""
        return not self.bodies[i].ancestors

    def turned(self, cpu: Cpu, i: int, v: Vector) -> Vector:
        """A constant vector in the axes of joint i where it stands at 0, in the body's."""
        turn = self.turns[i]
        return cpu.do(turn_out, turn.sine, turn.cosine, v) if isinstance(turn, Turn) else v


def place(cpu: Cpu, local_bodies: Sequence[LocalBody]) -> Tree:
    """Where the joints have taken all bodies; of a joint that turns only sine and cosine are computed."""
    turns: list[Turn | Slide] = []
    reach: dict[int, Vector | None] = {}
    carries: list[list[int]] = [[] for _ in local_bodies]
    for i, local in enumerate(local_bodies):
        turns.append(slide_of(local) if local.slides else turn_of(local, *cpu.do(sine_cosine, local.q)))
        if local.ancestors:
            reach[i] = reach_of(cpu, local, local_bodies[local.parent])
            carries[local.parent].append(i)
    return Tree(local_bodies, turns, reach, carries)


# Inertias


@dataclass(frozen=True)
class Articulated:
    """A tree of articulated bodies, by index of the body.

    Parameters
    ----------
    axis : by body that one on the ground carries
        The unit motion of its carrier's joint, in its own axes.
    free, gain : by body, all but those on the ground
        Its inertia with its joint free, and U / D; both face the joint.
    carried : by body, but not those that `axis` has
        The same inertia about its carrier's hinge, in its carrier's axes.
    pivot : by body on the ground
        D of its joint.
    pull : by body that one on the ground carries
        The force at its hinge that goes with a unit acceleration of its carrier's joint, in its own axes.
    """

    axis: Mapping[int, Motion]
    free: Mapping[int, Free]
    gain: Mapping[int, Gain]
    carried: Mapping[int, Whole]
    pivot: Mapping[int, float]
    pull: Mapping[int, Vector]


def unit_motions(cpu: Cpu, tree: Tree) -> dict[int, Motion]:
    """What bodies see of a unit rate of the joint on the ground that carries them."""
    axis: dict[int, Motion] = {}
    for i, local in enumerate(tree.bodies):
        if len(local.ancestors) != 1:
            continue
        carrier = tree.bodies[local.parent]
        if carrier.slides:
            axis[i] = ZERO, tree.turned(cpu, i, rotate(local.E, Z_AXIS))
            continue
        linear = rotate(local.E, cross(Z_AXIS, hinge_on(local, carrier)))
        if local.slides:
            linear = cpu.do(slide_along, linear, local.q, rotate(local.E, cross(Z_AXIS, local.E[2])))
        axis[i] = tree.turned(cpu, i, rotate(local.E, Z_AXIS)), tree.turned(cpu, i, linear)
    return axis


def articulate(cpu: Cpu, tree: Tree, axis: Mapping[int, Motion]) -> Articulated:
    """The articulated inertias, from the ends inwards."""
    free: dict[int, Free] = {}
    gain: dict[int, Gain] = {}
    carried: dict[int, Whole] = {}
    pivot: dict[int, float] = {}
    pull: dict[int, Vector] = {}
    for i in reversed(range(len(tree.bodies))):
        local = tree.bodies[i]
        if tree.ground_carries(i):
            pivot[i] = local.m if local.slides else local.own_inertia
            for k in tree.carries[i]:
                resist = resistance_sliding if tree.bodies[k].slides else resistance
                beyond, pull[k] = cpu.do(resist, *free[k], axis[k])
                pivot[i] = cpu.do(add, pivot[i], beyond)
            check_freedom(local, pivot[i], i)
            continue
        inertia = inertia_facing(local, loaded(cpu, local, [carried[k] for k in tree.carries[i]]))
        check_freedom(local, inertia[0][2], i)
        if tree.carries[i]:
            free[i], gain[i] = cpu.do(project, *inertia)  # Wong eq. 2.14
        else:
            free[i], gain[i] = project(*inertia)  # of constants: formed off line
        if i not in axis:
            whole = inertia_facing(local, tree.turns[i].inertia(cpu, free[i]))
            reach = tree.reach[i]
            carried[i] = whole if reach is None else cpu.do(shift_inertia, reach, *whole)
    return Articulated(axis, free, gain, carried, pivot, pull)


def loaded(cpu: Cpu, local: LocalBody, carried: Sequence[Whole]) -> Whole:
    """The inertia of a body and all that it carries, about its hinge."""
    if not carried:
        return rigid(local)
    whole = together(cpu, carried)
    return cpu.do(add_body, *whole, body_inertia(local)) if local.m else whole


def together(cpu: Cpu, carried: Sequence[Whole]) -> Whole:
    """The inertia of several articulated bodies about one hinge."""
    whole, *others = carried
    for other in others:
        whole = cpu.do(add_articulated, *whole, *other)
    return whole


# Velocities and gravity


@dataclass(frozen=True)
class Drift:
    """What velocities and gravity do to a tree, by index of the body; a body that is not there feels nothing.

    Parameters
    ----------
    own : by body, not those on the ground
        The wrench that its own rotation takes.
    sway : by body, not those on the ground
        x and y of w x z qd, the part of its angular acceleration that comes from its own joint; of twice that, the part
        of its linear acceleration, if its joint slides.
    hinge : by body, not those on the ground, nor what they carry
        The centripetal acceleration of its hinge, in its carrier's axes.
    start : by body that one on the ground carries
        The acceleration of its hinge, in its own axes, when its carrier's joint does not accelerate.
    weight : by body on the ground
        What its weight does to its joint.
    """

    own: Mapping[int, Wrench] = field(default_factory=dict)
    sway: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    hinge: Mapping[int, Vector] = field(default_factory=dict)
    start: Mapping[int, Vector] = field(default_factory=dict)
    weight: Mapping[int, float] = field(default_factory=dict)


NO_DRIFT = Drift()
"""Where h is taken from the torques beforehand."""


def rates(cpu: Cpu, tree: Tree, axis: Mapping[int, Motion]) -> tuple[dict[int, Vector], dict[int, tuple[float, float]]]:
    """w and the sway of all bodies but those on the ground and those that do not turn."""
    w: dict[int, Vector] = {}
    sway: dict[int, tuple[float, float]] = {}
    for i, local in enumerate(tree.bodies):
        if tree.ground_carries(i):
            continue
        if i in axis and not tree.bodies[local.parent].slides:
            inboard = cpu.do(scale, tree.bodies[local.parent].qd, axis[i][0])
        elif local.parent in w:
            inboard = tree.turns[i].outwards(cpu, w[local.parent])
        else:  # nothing before it turns
            if not local.slides:
                w[i] = 0.0, 0.0, local.qd
            continue
        w[i] = inboard if local.slides else cpu.do(add_along_z, inboard, local.qd)  # Wong eq. 3.27
        x, y, _ = cpu.do(coriolis_z if local.slides else cross_z, w[i], local.qd)
        sway[i] = x, y
    return w, sway


def base(cpu: Cpu, tree: Tree, lift: Vector) -> tuple[dict[int, float], dict[int, Vector]]:
    """What its weight does to a joint on the ground, and the acceleration of the hinges that its body carries."""
    weight: dict[int, float] = {}
    start: dict[int, Vector] = {}
    for i, local in enumerate(tree.bodies):
        if not tree.ground_carries(i):
            continue
        raised = tree.turned(cpu, i, lifted(local, lift))  # Wong eq. 3.36
        m, first_moment, _ = body_inertia(local)
        if m:
            weight[i] = multiply(m, raised[2]) if local.slides else cpu.do(moment_z, first_moment, raised)
        for k in tree.carries[i]:
            reach = tree.reach[k]
            if local.slides:  # of constants but for joint k
                start[k] = tree.turned(cpu, k, rotate(tree.bodies[k].E, raised))
            else:
                outboard = raised if reach is None else cpu.do(add_centripetal_z, raised, local.qd, reach)
                start[k] = tree.turns[k].outwards(cpu, outboard)
    return weight, start


def drift(cpu: Cpu, tree: Tree, axis: Mapping[int, Motion], lift: Vector) -> Drift:
    """What velocities and gravity do to every body."""
    w, sway = rates(cpu, tree, axis)
    own: dict[int, Wrench] = {}
    hinge: dict[int, Vector] = {}
    for i in w:
        m, first_moment, J = body_inertia(tree.bodies[i])
        reaches = {k: reach for k in tree.carries[i] if (reach := tree.reach[k]) is not None}
        if not m and not reaches:
            continue
        square = cpu.do(dot, w[i], w[i])
        if m:
            moment = cpu.do(cross, w[i], cpu.do(symmetric_times, J, w[i]))
            own[i] = moment, cpu.do(centripetal, square, w[i], first_moment)
        for k, reach in reaches.items():
            hinge[k] = cpu.do(centripetal, square, w[i], reach)
    weight, start = base(cpu, tree, lift)
    return Drift(own, sway, hinge, start, weight)


# Sweeps


def carry(cpu: Cpu, tree: Tree, i: int, wrench: Wrench) -> Wrench:
    """A wrench at the hinge of body i, referred to its carrier's hinge and axes."""
    force, reach = tree.turns[i].inwards(cpu, wrench[1]), tree.reach[i]
    moment = tree.turns[i].inwards(cpu, wrench[0])
    return moment if reach is None else cpu.do(displace, moment, reach, force), force


def add_wrenches(cpu: Cpu, a: Wrench, b: Wrench) -> Wrench:
    """The sum of two wrenches."""
    return cpu.do(add_vectors, a[0], b[0]), cpu.do(add_vectors, a[1], b[1])


def total(cpu: Cpu, wrenches: Sequence[Wrench]) -> Wrench:
    """The sum of one or more wrenches."""
    whole, *others = wrenches
    for other in others:
        whole = add_wrenches(cpu, whole, other)
    return whole


def refer(cpu: Cpu, tree: Tree, bodies: Articulated, drifting: Drift, i: int, wrench: Wrench) -> Wrench:
    """The wrench inside joint i on its carrier, with what the acceleration of its hinge adds."""
    wrench = carry(cpu, tree, i, wrench)
    if i not in drifting.hinge:
        return wrench
    _, H, M = bodies.carried[i]
    hinge = drifting.hinge[i]
    return add_wrenches(cpu, wrench, (cpu.do(matvec, H, hinge), cpu.do(symmetric_times, M, hinge)))


def biases(
    cpu: Cpu, tree: Tree, bodies: Articulated, torques: Sequence[float], drifting: Drift = NO_DRIFT
) -> list[float]:
    """u of every joint, its torque less the bias about its axis, from the ends inwards."""
    u = list(torques)
    inside: dict[int, Wrench] = {}  # the wrench inside each joint
    for i in reversed(range(len(u))):
        local = tree.bodies[i]
        if tree.ground_carries(i):
            for k in tree.carries[i]:
                u[i] = cpu.do(subtract, u[i], cpu.do(spatial_dot, bodies.axis[k], inside[k]))
            if i in drifting.weight:
                u[i] = cpu.do(subtract, u[i], drifting.weight[i])
            for k in tree.carries[i]:
                if k in drifting.start:
                    u[i] = cpu.do(subtract, u[i], cpu.do(dot, bodies.pull[k], drifting.start[k]))
            continue
        acting = [refer(cpu, tree, bodies, drifting, k, inside[k]) for k in tree.carries[i]]
        acting += [drifting.own[i]] if i in drifting.own else []
        if acting:
            wrench = facing(local, total(cpu, acting))
            u[i] = cpu.do(subtract, torques[i], wrench[0][2])
            wrench = cpu.do(pass_joint, bodies.gain[i], u[i], torques[i], wrench)  # Wong eq. 2.16
        else:
            wrench = cpu.do(gain_times, bodies.gain[i], u[i])
        if i in drifting.sway:
            J, H, _ = bodies.free[i]
            wrench = cpu.do(add_turning, J, H, *drifting.sway[i], wrench)
        inside[i] = facing(local, wrench)
    return u


def accelerations(
    cpu: Cpu, tree: Tree, bodies: Articulated, u: Sequence[float], drifting: Drift = NO_DRIFT
) -> list[float]:
    """The accelerations of all joints, from the ground outwards."""
    qdd: list[float] = []
    motion: dict[int, Motion] = {}
    for i, local in enumerate(tree.bodies):
        if tree.ground_carries(i):
            qdd.append(cpu.do(ratio, u[i], bodies.pivot[i]))
            continue
        given = facing(local, outwards(cpu, tree, bodies, drifting, i, qdd, motion))
        if i in drifting.sway:
            given = cpu.do(add_in_plane, given[0], *drifting.sway[i]), given[1]
        joint, found = cpu.do(accelerate, bodies.gain[i], u[i], given)  # Wong eqs 2.17, 2.18
        motion[i] = facing(local, found)
        qdd.append(joint)
    return qdd


def outwards(
    cpu: Cpu,
    tree: Tree,
    bodies: Articulated,
    drifting: Drift,
    i: int,
    qdd: Sequence[float],
    motion: Mapping[int, Motion],
) -> Motion:
    """What body i accelerates by while its own joint does not, given the joints and bodies before it."""
    carrier = tree.bodies[i].parent
    if i in bodies.axis:
        angular, linear = bodies.axis[i]
        alpha = ZERO if tree.bodies[carrier].slides else cpu.do(scale, qdd[carrier], angular)
        a = cpu.do(scale, qdd[carrier], linear)
        return alpha, cpu.do(add_vectors, a, drifting.start[i]) if i in drifting.start else a
    (alpha, a), reach = motion[carrier], tree.reach[i]
    if reach is not None:
        a = cpu.do(displace, a, alpha, reach)
    if i in drifting.hinge:
        a = cpu.do(add_vectors, a, drifting.hinge[i])
    return tree.turns[i].outwards(cpu, alpha), tree.turns[i].outwards(cpu, a)
