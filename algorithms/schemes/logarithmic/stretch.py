"""Several bodies in a row as one piece, by articulated bodies on one processor.

From the last body inwards the recursion is that of a branch (`branch_recursion.py`), down to the first body, whose
joint is the piece's handle 0 and is not passed. A piece needs two things more: the inverse of the first body's
articulated inertia I, and how wrenches at the outlet are felt further in. Unit wrenches there, six *columns*, go
inwards as bias wrenches do, and by reciprocity the outlet accelerates by the same numbers. With P the columns at the
first body, w those at a body inside its joint, k what of them is along the joint, and D the inertia there:

    Phi_01 = I^-1 P,   Phi_11 = P^T I^-1 P + sum k k^T / D,   b_1 = P^T b_0 + sum (k u / D + w . drift) + (at the end).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from meshsim.algorithms.kernels.articulated import Whole, Wrench, centripetal, pass_joint
from meshsim.algorithms.kernels.core import ZERO, add, axpy, cross, dot, multiply
from meshsim.algorithms.kernels.handles import (
    Rows,
    Six,
    add_square,
    dot_six,
    inverse_of_factors,
    lower_times,
    lower_times_rows,
    sized,
    subtract_along,
)
from meshsim.algorithms.kernels.inertial import symmetric_times
from meshsim.algorithms.kernels.matrices import transposed
from meshsim.algorithms.schemes.base.bodies import LocalBody, torque_of
from meshsim.algorithms.schemes.base.joints import body_inertia, facing, hinge_on
from meshsim.algorithms.schemes.branch.branch_recursion import (
    Articulated,
    Drift,
    Member,
    accelerations,
    articulate,
    biases,
    carried_inwards,
    drifts,
    loaded,
    settle,
    velocities,
)
from meshsim.algorithms.schemes.branch.branch_recursion import Joint as Link
from meshsim.algorithms.schemes.logarithmic.dividing import Accelerations, Packed, Source, Work, pack, single
from meshsim.algorithms.schemes.logarithmic.leaves import Joint, Turning, pose
from meshsim.algorithms.schemes.logarithmic.pieces import ROOT, Effort, Handle, Piece, factored
from meshsim.algorithms.schemes.logarithmic.robot_units import Outlet, Reach
from meshsim.algorithms.schemes.logarithmic.trees import Leaf
from meshsim.algorithms.schemes.one.articulated import add_wrenches
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu

SIX = sized(6)


@dataclass(frozen=True)
class Inside:
    """The articulated bodies of a stretch but the first: their inertias, drifts, and u of their joints."""

    bodies: Mapping[int, Articulated]
    drifting: Mapping[int, Drift]
    u: Sequence[float]


@dataclass(frozen=True)
class Columns:
    """Unit wrenches at the outlet: as the first body feels them, k of each joint, and what does not come through it."""

    P: Rows  # moment and force in rows, a column for each coordinate
    k: Sequence[Six]
    own: Rows
    bias: Six


@dataclass
class Stretch:
    """Bodies in a row: those of the joint at handle 0, the last of which has mass, then `links`; one outlet or none."""

    joint: Joint
    carriers: Sequence[LocalBody]
    links: Sequence[Link]
    outlet: tuple[Outlet, Reach] | None

    def turnings(self, cpu: Cpu) -> tuple[Turning, ...]:
        """From handle 0 to the outlet."""
        if self.outlet is None:
            return ()
        reach = self.outlet[1]
        axes, w = transposed(self.joint.axes), self.joint.rate(cpu, None)
        for link in self.links:
            axes = (
                link.turn.outwards(cpu, axes[0]),
                link.turn.outwards(cpu, axes[1]),
                link.turn.outwards(cpu, axes[2]),
            )
            (w,) = velocities(cpu, (link,), w)
        x, y, z = (cpu.do(reach.turn, reach.E, axis) for axis in axes)
        return ((transposed((x, y, z)), cpu.do(reach.turn, reach.E, w)),)

    def piece(self, cpu: Cpu, w: Vector | None) -> Packed:
        """The piece, whose carrier turns at w."""
        local = self.carriers[-1]
        rate = self.joint.rate(cpu, w)
        rates = velocities(cpu, self.links, rate)
        drifting = drifts(cpu, self.links, rate, rates)
        bodies, _ = articulate(cpu, self.links, ())
        torques = [torque_of(cpu, link.local) for link in self.links]
        u, wrench = biases(cpu, self.links, bodies, drifting, torques, ())
        self.inside = Inside(bodies, drifting, u)
        self.inverse = cpu.do(inverse_of_factors, *factored(cpu, SIX, lower_of(loaded(cpu, local, [bodies[0].whole]))))
        self.taken = _taken(cpu, local, rate, wrench)
        b = tuple([-x for x in cpu.do(lower_times, self.inverse, self.taken)])
        handles: tuple[Handle, ...] = (ROOT,)
        own = {ROOT: self.joint.lower(cpu, self.inverse)}
        bias = {ROOT: self.joint.bias(cpu, w, b)}
        between = {}
        if self.outlet is not None:
            key, reach = self.outlet
            handles = ROOT, key
            self.columns = columns = _columns(cpu, self.links, self.inside, reach, rates[-1])
            across = cpu.do(lower_times_rows, self.inverse, columns.P)
            minus = tuple([tuple([-x for x in row]) for row in columns.P])
            own[key] = cpu.do(SIX.reduce, columns.own, minus, across)
            bias[key] = cpu.do(SIX.drop, columns.bias, minus, b)
            between[ROOT, key] = self.joint.rows(cpu, across)
        efforts = tuple(torque_of(cpu, each) for each in self.carriers)
        effort = Effort(efforts, self.joint.motions if len(efforts) > 1 else ())
        return pack(Piece(handles, own, between, bias), effort)

    def accelerations(self, cpu: Cpu, wrenches: tuple[Six, ...], first: Accelerations) -> Accelerations:
        """Of all joints, given the wrenches on both handles."""
        f = self.joint.wrench(cpu, wrenches[0])
        u = self.inside.u
        if self.outlet is not None:
            f = cpu.do(SIX.respond, f, self.columns.P, wrenches[1])
            u = [cpu.do(add, each, cpu.do(dot_six, k, wrenches[1])) for each, k in zip(u, self.columns.k, strict=True)]
        x, y, z, *rest = cpu.do(lower_times, self.inverse, cpu.do(subtract_along, f, 1.0, self.taken))
        motion = (x, y, z), (rest[0], rest[1], rest[2])
        qdd, _ = accelerations(cpu, self.links, self.inside.bodies, None, self.inside.drifting, u, motion)
        return *first, *qdd


def lower_of(whole: Whole) -> Rows:
    """The lower triangle of an articulated inertia."""
    (xx, yy, zz, xy, xz, yz), H, (uu, vv, ww, uv, uw, vw) = whole
    a, b, c = zip(*H, strict=True)
    return (xx,), (xy, yy), (xz, yz, zz), (*a, uu), (*b, uv, vv), (*c, uw, vw, ww)


def _taken(cpu: Cpu, local: LocalBody, rate: Vector, wrench: Wrench) -> Six:
    """The wrench that the first body takes if its hinge does not accelerate: its own, and that of what it carries."""
    _, first, J = body_inertia(local)
    moment = cpu.do(cross, rate, cpu.do(symmetric_times, J, rate))
    force = cpu.do(centripetal, cpu.do(dot, rate, rate), rate, first)
    x, y = add_wrenches(cpu, (moment, force), wrench)
    return *x, *y


def _columns(cpu: Cpu, links: Sequence[Link], inside: Inside, reach: Reach, rate: Vector) -> Columns:
    """Unit wrenches at the outlet, inwards; the last body turns at `rate`."""
    own: Rows = tuple((0.0,) * (i + 1) for i in range(6))
    at_end = cpu.do(centripetal, cpu.do(dot, rate, rate), rate, reach.r)
    bias: Six = (0.0, 0.0, 0.0, *cpu.do(reach.turn, reach.E, at_end))
    wrenches, parts = _unit_wrenches(reach), list[Six]()
    for i in reversed(range(len(links))):
        link, body, drift = links[i], inside.bodies[i], inside.drifting[i]
        faced = [facing(link.local, wrench) for wrench in wrenches]
        k = tuple([wrench[0][2] for wrench in faced])
        parts.insert(0, k)
        inverse = body.gain[0][2]
        own = cpu.do(add_square, own, inverse, k)
        bias = cpu.do(subtract_along, bias, -cpu.do(multiply, inverse, inside.u[i]), k)
        passed = [cpu.do(pass_joint, body.gain, -along, 0.0, each) for along, each in zip(k, faced, strict=True)]
        wrenches = [carried_inwards(cpu, link, facing(link.local, each)) for each in passed]
        bias = tuple(
            _with_drift(cpu, b, inner[0], drift, outer[1])
            for b, inner, outer in zip(bias, passed, wrenches, strict=True)
        )
    return Columns(tuple(zip(*((*moment, *force) for moment, force in wrenches), strict=True)), parts, own, bias)


def _with_drift(cpu: Cpu, b: float, swayed: Vector, drift: Drift, force: Vector) -> float:
    """What a wrench does of the acceleration that comes from a joint's rate, and from its hinge's."""
    b = cpu.do(axpy, swayed[0], drift.sway[0], b)
    b = cpu.do(axpy, swayed[1], drift.sway[1], b)
    return cpu.do(add, b, cpu.do(dot, force, drift.hinge))


def _unit_wrenches(reach: Reach) -> list[Wrench]:
    """Of the outlet's coordinates, at the hinge of the last body and in its axes: formed off line."""
    return [(axis, ZERO) for axis in reach.E] + [(cross(reach.r, axis), axis) for axis in reach.E]


def stretched(cpu: Cpu, leaf: Leaf, work: Work, local_bodies: Sequence[LocalBody]) -> Source:
    """The bodies of a leaf where their joints have taken them."""
    if len(leaf.units) == 1:
        return single(cpu, leaf, work, local_bodies)
    units = [work.units[i] for i in leaf.units]
    indices = [i for unit in units for i in unit.joints]
    count = len(units[0].joints)
    joint = pose(cpu, units[0], local_bodies[:count])
    links = [
        settle(cpu, Member(indices[i], local_bodies[i], hinge_on(local_bodies[i], local_bodies[i - 1])), ZERO)
        for i in range(count, len(indices))
    ]
    return Stretch(joint, local_bodies[:count], links, next(iter(units[-1].reaches.items()), None))
