"""Recursive inverse dynamics of any tree on one processor: motions outwards, wrenches inwards, in body axes.

The recursion is written once. How a point of a turning body accelerates, and what a body's own motion takes, is a
`Way`: Saha's (`one_saha.py`), or Luh, Walker and Paul's (`one_luh_walker_paul.py`). Whatever no turning joint carries
does not turn, which costs nothing; bodies without mass take nothing. Of a body on the ground that turns, only what its
joint feels is computed. Formed off line: from hinge to hinge and from hinge to centre of mass, moments of inertia about
the hinge, and the lift in the axes of a joint on the ground that slides.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from meshsim.algorithms.kernels.articulated import Wrench, displace
from meshsim.algorithms.kernels.composite import moment_z
from meshsim.algorithms.kernels.core import (
    add,
    add_along_z,
    add_coriolis_z,
    add_cross_z,
    add_vectors,
    axpy,
    cross,
    rotate,
    scale,
)
from meshsim.algorithms.schemes.base.bodies import LocalBody
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
    """A body's motion: none but the acceleration of its hinge, less gravity, if it does not turn."""

    a: Vector
    spin: Spin | None


def torques(cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector, way: Way) -> list[float]:
    """The torques of all joints (forces of those that slide) for their positions, rates and accelerations."""
    turns = [way.turn(cpu, local) for local in local_bodies]
    cpu.phase("rotations")
    moved = outwards(cpu, local_bodies, turns, lift, way)
    cpu.phase("motions")
    tau = inwards(cpu, local_bodies, turns, moved, way)
    cpu.phase("wrenches")
    return tau


def outwards(cpu: Cpu, local_bodies: Sequence[LocalBody], turns: Sequence[Turn], lift: Vector, way: Way) -> list[Moved]:
    """The motion of every body, from its parent's."""
    moved: list[Moved] = []
    for i, local in enumerate(local_bodies):
        qdd = acceleration_of(local)
        if local.parent < 0:
            a, w, wd = on_ground(cpu, local, turns[i], lift), None, None
        else:
            parent = moved[local.parent]
            span = span_to(local_bodies, local)
            a = turns[i].outwards(cpu, parent.a if parent.spin is None else way.point(cpu, parent.a, parent.spin, span))
            w = wd = None
            if parent.spin is not None:
                w, wd = turns[i].outwards(cpu, parent.spin.w), turns[i].outwards(cpu, parent.spin.wd)
        if local.slides:
            spin = None if w is None or wd is None else way.spin(cpu, w, wd)
            if spin is not None:  # the hinge is `q` further on, and goes on
                a = way.point(cpu, a, spin, (0.0, 0.0, local.q))
                a = cpu.do(add_coriolis_z, a, spin.w, local.qd)
            a = cpu.do(add_along_z, a, qdd)
        elif w is None or wd is None:
            spin = way.spin(cpu, (0.0, 0.0, local.qd), (0.0, 0.0, qdd))
        else:
            w = cpu.do(add_along_z, w, local.qd)  # Wong eq. 1.5, Saha eq. 11a
            spin = way.spin(cpu, w, cpu.do(add_along_z, cpu.do(add_cross_z, wd, w, local.qd), qdd))
        moved.append(Moved(a, spin))
    return moved


def inwards(
    cpu: Cpu, local_bodies: Sequence[LocalBody], turns: Sequence[Turn], moved: Sequence[Moved], way: Way
) -> list[float]:
    """The torque of every joint: wrenches from the ends to the ground, and what each joint feels of them."""
    tau = [0.0] * len(local_bodies)
    carried: dict[int, Wrench] = {}
    for i in reversed(range(len(local_bodies))):
        local = local_bodies[i]
        if local.parent < 0 and not local.slides:
            tau[i] = at_ground(cpu, local, moved[i].a, carried.get(i))
            continue
        wrench = summed(cpu, own_wrench(cpu, local, moved[i], way) if local.m else None, carried.get(i))
        tau[i] = wrench[1 if local.slides else 0][2]  # Wong eq. 2.3; Saha eq. 12b for joints that slide
        if local.parent >= 0:
            within = carry(cpu, local, turns[i], span_to(local_bodies, local), wrench)
            carried[local.parent] = summed(cpu, within, carried.get(local.parent))
    return tau


def acceleration_of(local: LocalBody) -> float:
    """The acceleration that is given for a joint."""
    assert local.qdd is not None
    return local.qdd


def span_to(local_bodies: Sequence[LocalBody], local: LocalBody) -> Vector:
    """From a body's hinge to that of one that it carries, when this has not slid: formed off line."""
    x, y, z = local_bodies[local.parent].com
    return local.l_inboard[0] + x, local.l_inboard[1] + y, local.l_inboard[2] + z


def on_ground(cpu: Cpu, local: LocalBody, turn: Turn, lift: Vector) -> Vector:
    """The lift in the axes of a body on the ground; of one that slides it is constant."""  # Wong eq. 3.36, Saha eq. 17
    return rotate(local.E, lift) if local.slides else turn.outwards(cpu, lift)


def own_wrench(cpu: Cpu, local: LocalBody, moved: Moved, way: Way) -> Wrench:
    """What a body's own motion takes, about its hinge."""
    if moved.spin is not None:
        return way.own(cpu, local, moved.spin, moved.a)
    return cpu.do(cross, first_moment(local), moved.a), cpu.do(scale, local.m, moved.a)


def at_ground(cpu: Cpu, local: LocalBody, a: Vector, carried: Wrench | None) -> float:
    """The torque of a joint on the ground that turns its body about its own axis."""
    beyond = None if carried is None else carried[0][2]
    if not local.m:
        assert beyond is not None
        return beyond
    own = cpu.do(axpy, local.own_inertia, acceleration_of(local), cpu.do(moment_z, first_moment(local), a))
    return own if beyond is None else cpu.do(add, own, beyond)


def carry(cpu: Cpu, local: LocalBody, turn: Turn, span: Vector, wrench: Wrench) -> Wrench:
    """A wrench at the hinge of a body, referred to its parent's, and to its parent's axes."""
    moment, force = wrench
    if local.slides:
        moment = cpu.do(add_cross_z, moment, force, local.withdrawn)
    force = turn.inwards(cpu, force)
    return cpu.do(displace, turn.inwards(cpu, moment), span, force), force


def summed(cpu: Cpu, a: Wrench | None, b: Wrench | None) -> Wrench:
    """The sum of two wrenches, of which one may be none."""
    if a is None or b is None:
        found = a or b
        assert found is not None  # every joint moves some mass
        return found
    return cpu.do(add_vectors, a[0], b[0]), cpu.do(add_vectors, a[1], b[1])
