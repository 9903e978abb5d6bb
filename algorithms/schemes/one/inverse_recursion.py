"""Recursive inverse dynamics of any tree on one processor: motions outwards, wrenches inwards, in body axes.

The recursion is written once. How a point of a turning body accelerates, and what a body's own motion takes, is a
`Way`: Saha's (`one_saha.py`), or Luh, Walker and Paul's (`one_luh_walker_paul.py`). Whatever no turning joint carries
does not turn, which costs nothing; bodies without mass take nothing. Of a body on the ground that turns, only what its
joint feels is computed. Formed off line: from hinge to hinge and from hinge to centre of mass, moments of inertia about
the hinge, and the lift in the axes of a joint on the ground that slides. Where a carrier without mass has a joint at
its own hinge, as within a joint of several freedoms, nothing is displaced.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from meshsim.algorithms.kernels.articulated import Wrench, displace
from meshsim.algorithms.kernels.composite import moment_z
from meshsim.algorithms.kernels.core import (
    ZERO,
    add,
    add_along_z,
    add_coriolis_z,
    add_cross_z,
    axpy,
    cross,
    rotate,
    scale,
)
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.base.joints import facing, reach_of
from meshsim.algorithms.schemes.one.articulated import total
from meshsim.algorithms.schemes.one.luh_walker_paul import back_kernel, first_moment
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu


class Turn(Protocol):
    """The rotation of a joint."""

    def outwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the parent's frame in the body's."""

    def inwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the body's frame in the parent's."""


@dataclass(frozen=True)
class MatrixTurn:
    """A rotation by its matrix A, from the parent's frame to the body's; of a joint that slides it is constant."""

    local: LocalBody
    A: Matrix

    def outwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the parent's frame in the body's."""
        return cpu.do(self.local.rotate, self.A, v)

    def inwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the body's frame in the parent's."""
        return cpu.do(back_kernel(self.local), self.A, v)


@dataclass(frozen=True)
class Spin:
    """Angular velocity and acceleration of a body; W = tilde(wd) + tilde(w)^2 where the way uses it."""

    w: Vector
    wd: Vector
    W: Matrix | None = None


@dataclass(frozen=True)
class Way:
    """How a recursion computes.

    Attributes
    ----------
    turn : callable
        The rotation of a joint.
    spin : callable
        What is kept of an angular velocity and acceleration.
    point : callable
        The acceleration of a point of a turning body, from that of its hinge and the vector to the point.
    own : callable
        The moment about its hinge and the force that the motion of a turning body takes.
    """

    turn: Callable[[Cpu, LocalBody], Turn]
    spin: Callable[[Cpu, Vector, Vector], Spin]
    point: Callable[[Cpu, Vector, Spin, Vector], Vector]
    own: Callable[[Cpu, LocalBody, Spin, Vector], Wrench]


@dataclass(frozen=True)
class Moved:
    """A body's motion: the acceleration of its hinge, less gravity, and how it turns, if it does."""

    a: Vector
    spin: Spin | None


def torques(cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector, way: Way) -> list[float]:
    """The torques of all joints (forces of those that slide) for their positions, rates and accelerations."""
    turns, reach, moved = motions(cpu, local_bodies, lift, way)
    tau = [0.0] * len(local_bodies)
    whole = [bool(local.ancestors) or local.slides for local in local_bodies]
    found, carried = inwards(cpu, local_bodies, turns, reach, moved, way, whole)
    for i, local in enumerate(local_bodies):
        if not whole[i]:
            tau[i] = at_ground(cpu, local, moved[i].a, carried.get(i))
        elif i in found:
            tau[i] = facing(local, found[i])[0][2]  # Wong eq. 2.3; Saha eq. 12b for joints that slide
    cpu.phase("wrenches")
    return tau


def reactions(cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector, way: Way) -> list[Wrench]:
    """What each joint exerts on the body that it carries: moment about its hinge and force, in the body's axes."""
    turns, reach, moved = motions(cpu, local_bodies, lift, way)
    found, _ = inwards(cpu, local_bodies, turns, reach, moved, way, [True] * len(local_bodies))
    cpu.phase("wrenches")
    return [found.get(i, (ZERO, ZERO)) for i in range(len(local_bodies))]


def motions(
    cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector, way: Way
) -> tuple[list[Turn], list[Vector | None], list[Moved]]:
    """How every joint turns, where its hinge is on the body before, and how its body moves."""
    turns = [way.turn(cpu, local) for local in local_bodies]
    cpu.phase("rotations")
    reach = [reach_of(cpu, local, local_bodies[local.parent]) if local.ancestors else None for local in local_bodies]
    moved: list[Moved] = []
    for local, turn, r in zip(local_bodies, turns, reach, strict=True):
        if local.ancestors:
            moved.append(given(cpu, local, turn, r, moved[local.parent], way))
        else:
            moved.append(driven(cpu, local, on_ground(cpu, local, turn, lift), None, way))
    cpu.phase("motions")
    return turns, reach, moved


def inwards(
    cpu: Cpu,
    local_bodies: Sequence[LocalBody],
    turns: Sequence[Turn],
    reach: Sequence[Vector | None],
    moved: Sequence[Moved],
    way: Way,
    whole: Sequence[bool],
) -> tuple[dict[int, Wrench], dict[int, Wrench]]:
    """From the ends to the ground: the wrench at each joint that is wanted whole, and what is brought to each body."""
    found: dict[int, Wrench] = {}
    carried: dict[int, Wrench] = {}
    for i in reversed(range(len(local_bodies))):
        local = local_bodies[i]
        acting = [own_wrench(cpu, local, moved[i], way)] if local.m and whole[i] else []
        acting += [carried[i]] if i in carried else []
        if acting and whole[i]:
            wrench = found[i] = total(cpu, acting)
            if local.ancestors:
                within = carry(cpu, turns[i], reach[i], wrench)
                known = carried.get(local.parent)
                carried[local.parent] = within if known is None else total(cpu, (known, within))
    return found, carried


def given(cpu: Cpu, local: LocalBody, turn: Turn, reach: Vector | None, carrier: Moved, way: Way) -> Moved:
    """A body's motion, from its carrier's."""
    if carrier.spin is None:
        return driven(cpu, local, turn.outwards(cpu, carrier.a), None, way)
    a = carrier.a if reach is None else way.point(cpu, carrier.a, carrier.spin, reach)
    spin = turn.outwards(cpu, carrier.spin.w), turn.outwards(cpu, carrier.spin.wd)
    return driven(cpu, local, turn.outwards(cpu, a), spin, way)


def driven(cpu: Cpu, local: LocalBody, a: Vector, spin: tuple[Vector, Vector] | None, way: Way) -> Moved:
    """A body's motion, from what its carrier gives it and what its joint adds."""
    assert local.qdd is not None
    if local.slides:
        if spin is not None:
            a = cpu.do(add_coriolis_z, a, spin[0], local.qd)
        return Moved(cpu.do(add_along_z, a, local.qdd), None if spin is None else way.spin(cpu, *spin))
    if spin is None:
        return Moved(a, way.spin(cpu, (0.0, 0.0, local.qd), (0.0, 0.0, local.qdd)))
    w = cpu.do(add_along_z, spin[0], local.qd)  # Wong eq. 1.5, Saha eq. 11a
    wd = cpu.do(add_along_z, cpu.do(add_cross_z, spin[1], w, local.qd), local.qdd)
    return Moved(a, way.spin(cpu, w, wd))


def on_ground(cpu: Cpu, local: LocalBody, turn: Turn, lift: Vector) -> Vector:
    """The lift in the axes of a body on the ground; of one that slides it is constant."""  # Wong eq. 3.36, Saha eq. 17
    return rotate(local.E, lift) if local.slides else turn.outwards(cpu, lift)


def own_wrench(cpu: Cpu, local: LocalBody, moved: Moved, way: Way) -> Wrench:
    """What a body's own motion takes, about its hinge."""
    if moved.spin is not None:
        return way.own(cpu, local, moved.spin, moved.a)
    return sliding_wrench(cpu, local, moved.a)


def sliding_wrench(cpu: Cpu, local: LocalBody, a: Vector) -> Wrench:
    """The same for a body that does not turn."""
    return cpu.do(cross, first_moment(local), a), cpu.do(scale, local.m, a)


def at_ground(cpu: Cpu, local: LocalBody, a: Vector, carried: Wrench | None) -> float:
    """The torque of a joint on the ground that turns its body about its own axis."""
    beyond = 0.0 if carried is None else carried[0][2]
    if not local.m:
        return beyond
    assert local.qdd is not None
    own = cpu.do(axpy, local.own_inertia, local.qdd, cpu.do(moment_z, first_moment(local), a))
    return own if carried is None else cpu.do(add, own, beyond)


def carry(cpu: Cpu, turn: Turn, reach: Vector | None, wrench: Wrench) -> Wrench:
    """A wrench at the hinge of a body, referred to its carrier's, and to its axes."""
    moment, force = turn.inwards(cpu, wrench[0]), turn.inwards(cpu, wrench[1])
    return moment if reach is None else cpu.do(displace, moment, reach, force), force
