"""Open chains in a plane, counted: positions, rates, inertia matrix, bias force, and the ends where loops were cut.

All vectors are in the plane's own axes. At rest, all joints at 0, so are those of a body; then it turns by the sum of
the joints that carry it. A body's hinge is its reference: first and second moments of mass are about it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from meshsim.algorithms.kernels.core import add, axpy, sine_cosine, subtract
from meshsim.algorithms.kernels.dense import opposite
from meshsim.algorithms.kernels.plane import (
    Pair,
    add_coriolis,
    add_pairs,
    axpy_pair,
    body_force,
    carry_acceleration,
    carry_inertia,
    carry_moment,
    carry_velocity,
    cross_pairs,
    dot_pairs,
    scale_pair,
    subtract_pairs,
    turn_pair,
)
from meshsim.algorithms.robots.closure import rest_angle
from meshsim.algorithms.robots.cuts import Anchor, Cut, Plane
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array
from meshsim.program import Cpu

STILL: Pair = (0.0, 0.0)
UNTURNED: Pair = (0.0, 1.0)
"""The sine and cosine of no turn."""


@dataclass(frozen=True)
class PlaneBody:
    """A body as a processor knows it: constants, in the plane's axes at rest.

    `backwards` says that its joint turns against the plane; `offset` leads from the hinge before (the ground's origin)
    to its own, `axis` is where it slides; `carried` is its mass with all that it carries. `lift` is minus gravity, less
    what a force on its centre of mass does to it, and `load` a moment on it.
    """

    parent: int
    slides: bool
    backwards: bool
    offset: Pair
    axis: Pair
    mass: float
    moment: Pair
    inertia: float
    lift: Pair
    carried: float = 0.0
    load: float = 0.0


@dataclass(frozen=True)
class PlaneEnd:
    """An end of the chain: a point of a body (from 0 in the chain; -1 is the ground) at `arm` from its hinge.

    `angle`, if the joint that was cut is fixed, is added to the body's own.
    """

    body: int
    arm: Pair
    angle: float | None

    def at_rest(self) -> tuple[tuple[float, ...], ...]:
        """Value, rate and bias of an end on the ground."""
        value = (*self.arm, *(() if self.angle is None else (self.angle,)))
        return value, (0.0,) * len(value), (0.0,) * len(value)


@dataclass(frozen=True)
class Pull:
    """A force on a body of the chain at `arm` from its hinge, and perhaps a moment."""

    body: int
    arm: Pair
    force: Pair
    moment: float | None = None


@dataclass
class Placed:
    """What has been computed of a chain so far, by body; `phi` is None where only its sine and cosine are known."""

    phi: list[float | None]
    turn: list[Pair]
    axis: list[Pair]
    arm: list[Pair]
    x: list[Pair]
    moment: list[Pair]
    w: list[float] = field(default_factory=list)
    v: list[Pair] = field(default_factory=list)
    a: list[Pair] = field(default_factory=list)


@dataclass(frozen=True)
class PlaneChain:
    """A subsystem of a closed mechanism that moves in a plane; `ends` are where loops were cut."""

    bodies: tuple[PlaneBody, ...]
    ends: tuple[PlaneEnd, ...]

    @property
    def n(self) -> int:
        """How many joints it has."""
        return len(self.bodies)

    # Motion

    def place(self, cpu: Cpu, q: Sequence[float]) -> Placed:
        """Angles, hinges and first moments."""
        at = self.unplaced()
        for i, position in enumerate(q):
            self.place_body(cpu, at, i, position)
        return at

    def unplaced(self) -> Placed:
        """A chain of which nothing has been computed; its bodies may be placed one by one, each after its parent."""
        turn, axis, arm, x, moment = ([STILL] * self.n for _ in range(5))
        return Placed([None] * self.n, turn, axis, arm, x, moment)

    def place_body(self, cpu: Cpu, at: Placed, i: int, q: float) -> None:
        """One body, by the position of its joint."""
        self.hinge(cpu, at, i, q)
        self.turned(cpu, at, i, self._turn(cpu, at, i, q))

    def hinge(self, cpu: Cpu, at: Placed, i: int, q: float | None = None) -> None:
        """Where a body's hinge is; if it slides, how far."""
        body = self.bodies[i]
        grounded = body.parent < 0
        turn = self.turn_before(at, i)
        still = turn is UNTURNED
        arm = body.offset if still else cpu.do(turn_pair, turn, body.offset)
        axis = body.axis if still or not body.slides else cpu.do(turn_pair, turn, body.axis)
        if body.slides and q is not None:
            arm = cpu.do(axpy_pair, q, axis, arm)
        at.axis[i], at.arm[i] = axis, arm
        at.x[i] = arm if grounded else cpu.do(add_pairs, at.x[body.parent], arm)

    def turned(self, cpu: Cpu, at: Placed, i: int, turn: Pair) -> None:
        """How far a body has turned in all, as sine and cosine: so its first moment."""
        body = self.bodies[i]
        at.turn[i] = turn
        at.moment[i] = STILL if body.mass == 0.0 else cpu.do(turn_pair, turn, body.moment)

    def turn_before(self, at: Placed, i: int) -> Pair:
        """How far the body has turned that carries a body."""
        return UNTURNED if self.bodies[i].parent < 0 else at.turn[self.bodies[i].parent]

    def _turn(self, cpu: Cpu, at: Placed, i: int, angle: float) -> Pair:
        """How far a body has turned, by its joint's angle."""
        body, before = self.bodies[i], self.turn_before(at, i)
        phi = None if before is UNTURNED else at.phi[body.parent]
        if body.slides:
            at.phi[i] = 0.0 if before is UNTURNED else phi
            return before
        if before is UNTURNED:
            at.phi[i] = phi = opposite(angle) if body.backwards else angle
        elif phi is not None:
            at.phi[i] = phi = cpu.do(subtract if body.backwards else add, phi, angle)
        else:
            sine, cosine = cpu.do(sine_cosine, opposite(angle) if body.backwards else angle)
            cosine, sine = cpu.do(turn_pair, before, (cosine, sine))
            return sine, cosine
        return cpu.do(sine_cosine, phi)

    def move(self, cpu: Cpu, at: Placed, qd: Sequence[float]) -> None:
        """Rates of turning, and velocities of the hinges."""
        at.w, at.v = self._carried(cpu, at, qd)

    def _carried(self, cpu: Cpu, at: Placed, rates: Sequence[float]) -> tuple[list[float], list[Pair]]:
        """What rates of the joints make of every body's turning and every hinge's velocity; accelerations likewise."""
        turning: list[float] = []
        moving: list[Pair] = []
        for i, body in enumerate(self.bodies):
            grounded = body.parent < 0
            still = grounded or at.turn[body.parent] is UNTURNED
            w = 0.0 if grounded else turning[body.parent]
            v = STILL if grounded else moving[body.parent]
            if not still:
                v = cpu.do(carry_velocity, v, w, at.arm[i])
            if body.slides:
                v = cpu.do(scale_pair, rates[i], at.axis[i]) if grounded else cpu.do(axpy_pair, rates[i], at.axis[i], v)
            elif still:
                w = opposite(rates[i]) if body.backwards else rates[i]
            else:
                w = cpu.do(subtract if body.backwards else add, w, rates[i])
            moving.append(v)
            turning.append(w)
        return turning, moving

    def drift(self, cpu: Cpu, at: Placed, qd: Sequence[float]) -> None:
        """Accelerations of the hinges, were no joint to accelerate."""
        for i, body in enumerate(self.bodies):
            if body.parent < 0 or at.turn[body.parent] is UNTURNED:
                at.a.append(STILL)
                continue
            a = cpu.do(carry_acceleration, at.a[body.parent], at.w[body.parent], at.arm[i])
            if body.slides:
                a = cpu.do(add_coriolis, a, at.w[body.parent], cpu.do(scale_pair, qd[i], at.axis[i]))
            at.a.append(a)

    # Dynamics

    def inertia(self, cpu: Cpu, at: Placed) -> list[list[float]]:
        """The lower triangle of M, by composite bodies."""
        moment, inertia = list(at.moment), [body.inertia for body in self.bodies]
        for i in reversed(range(self.n)):
            body = self.bodies[i]
            if body.parent >= 0:
                p = body.parent
                carried = cpu.do(carry_inertia, inertia[i], moment[i], body.carried, at.arm[i])
                inertia[p] = cpu.do(add, inertia[p], carried)
                moment[p] = cpu.do(add_pairs, moment[p], cpu.do(axpy_pair, body.carried, at.arm[i], moment[i]))
        M = [[0.0] * (i + 1) for i in range(self.n)]
        for i, body in enumerate(self.bodies):
            if body.slides:
                f, n = cpu.do(scale_pair, body.carried, at.axis[i]), cpu.do(cross_pairs, moment[i], at.axis[i])
                M[i][i] = body.carried
            else:
                f, n = (opposite(moment[i][1]), moment[i][0]), inertia[i]
                M[i][i] = inertia[i]
            k = i
            while self.bodies[k].parent >= 0:
                n = cpu.do(carry_moment, n, at.arm[k], f)
                k = self.bodies[k].parent
                felt = self._felt(cpu, at, k, f, n)
                M[i][k] = opposite(felt) if body.backwards else felt
        return M

    def _felt(self, cpu: Cpu, at: Placed, k: int, f: Pair, n: float) -> float:
        """The generalised force on joint k of a force and a moment about its hinge."""
        if self.bodies[k].slides:
            return cpu.do(dot_pairs, at.axis[k], f)
        return opposite(n) if self.bodies[k].backwards else n

    def force(self, cpu: Cpu, at: Placed) -> list[float]:
        """h, by Newton's and Euler's laws from the ends inward."""
        f: list[Pair] = []
        n: list[float] = []
        for i, body in enumerate(self.bodies):
            a = body.lift if at.a[i] is STILL else cpu.do(add_pairs, at.a[i], body.lift)
            massless = body.mass == 0.0
            f.append(STILL if massless else cpu.do(body_force, body.mass, a, at.w[i], at.moment[i]))
            n.append(0.0 if massless else cpu.do(cross_pairs, at.moment[i], a))
            if body.load:
                n[i] = cpu.do(subtract, n[i], body.load)
        self._gather(cpu, at, f, n)
        return [self._felt(cpu, at, i, f[i], n[i]) for i in range(self.n)]

    def _gather(self, cpu: Cpu, at: Placed, f: list[Pair], n: list[float]) -> None:
        """Add to every body's force and moment, about its hinge, those of the bodies that it carries."""
        for i in reversed(range(self.n)):
            p = self.bodies[i].parent
            if p >= 0:
                carried = cpu.do(carry_moment, n[i], at.arm[i], f[i])
                empty = f[p] is STILL
                f[p] = f[i] if empty else cpu.do(add_pairs, f[p], f[i])
                n[p] = carried if empty else cpu.do(add, n[p], carried)

    def reactions(self, cpu: Cpu, at: Placed, qdd: Sequence[float], pulls: Sequence[Pull]) -> list[tuple[float, ...]]:
        """What each joint exerts on the body that it carries: a force, and a moment about its hinge.

        Newton's and Euler's laws for every body, from the ends inward, with forces that act on some of them.
        """
        turning, more = self._carried(cpu, at, qdd)
        f: list[Pair] = []
        n: list[float] = []
        for i, body in enumerate(self.bodies):
            f.append(STILL)
            n.append(0.0)
            if body.mass != 0.0:
                a = cpu.do(add_pairs, body.lift if at.a[i] is STILL else cpu.do(add_pairs, at.a[i], body.lift), more[i])
                force = cpu.do(body_force, body.mass, a, at.w[i], at.moment[i])
                f[i] = cpu.do(carry_velocity, force, turning[i], at.moment[i])
                n[i] = cpu.do(axpy, body.inertia, turning[i], cpu.do(cross_pairs, at.moment[i], a))
            if body.load:
                n[i] = cpu.do(subtract, n[i], body.load)
        for pull in pulls:
            f[pull.body] = cpu.do(subtract_pairs, f[pull.body], pull.force)
            n[pull.body] = cpu.do(
                carry_moment, n[pull.body], pull.arm, (opposite(pull.force[0]), opposite(pull.force[1]))
            )
            if pull.moment is not None:
                n[pull.body] = cpu.do(subtract, n[pull.body], pull.moment)
        self._gather(cpu, at, f, n)
        return [(*force, moment) for force, moment in zip(f, n, strict=True)]

    # Ends

    def reach(self, cpu: Cpu, at: Placed, end: PlaneEnd) -> tuple[Pair, tuple[float, ...]]:
        """The arm to an end, and where it is: its point, and its angle if that matters."""
        arm = cpu.do(turn_pair, at.turn[end.body], end.arm)
        point = cpu.do(add_pairs, at.x[end.body], arm)
        if end.angle is None:
            return arm, point
        phi = at.phi[end.body]
        assert phi is not None, "bodies are placed by their turn only where no joint that was cut asks for an angle"
        return arm, (*point, cpu.do(add, phi, end.angle))

    def rate(self, cpu: Cpu, at: Placed, end: PlaneEnd, arm: Pair) -> tuple[float, ...]:
        """How fast an end moves."""
        v = cpu.do(carry_velocity, at.v[end.body], at.w[end.body], arm)
        return (*v, *(() if end.angle is None else (at.w[end.body],)))

    def bias(self, cpu: Cpu, at: Placed, end: PlaneEnd, arm: Pair) -> tuple[float, ...]:
        """How an end would accelerate if no joint did."""
        a = cpu.do(carry_acceleration, at.a[end.body], at.w[end.body], arm)
        return (*a, *(() if end.angle is None else (0.0,)))

    def jacobian(self, cpu: Cpu, at: Placed, end: PlaneEnd, value: Sequence[float]) -> list[tuple[float, ...]]:
        """How an end moves with each joint: its rows."""
        moved: list[tuple[float, ...]] = [(0.0, 0.0, 0.0)] * self.n
        point, k = (value[0], value[1]), end.body
        while k >= 0:
            body = self.bodies[k]
            if body.slides:
                moved[k] = (*at.axis[k], 0.0)
            else:
                x, y = cpu.do(subtract_pairs, point, at.x[k])
                moved[k] = (y, opposite(x), -1.0) if body.backwards else (opposite(y), x, 1.0)
            k = body.parent
        return list(zip(*moved, strict=True))[: len(value)]


def lift_of_body(mechanism: Mechanism, i: int) -> Array:
    """Minus gravity, less the acceleration that a force at the centre of mass gives a body: it is a weight of its own.

    Formed off line: such a force costs nothing in an evaluation.
    """
    force, mass = np.array(mechanism.wrench_on(i).force), mechanism.bodies[i].mass
    lift: Array = -np.array(mechanism.gravity) - (force / mass if mass else 0.0)
    return lift


def chain_in_plane(mechanism: Mechanism, subsystem: int) -> PlaneChain:
    """A subsystem of a closed mechanism in its plane, with an end for each anchor, in the order of the cut joints."""
    plane = mechanism.plane
    assert plane is not None
    members = mechanism.subsystems[subsystem]
    local = {body: i for i, body in enumerate(members)}
    bodies = tuple(_body(mechanism, plane, i, local) for i in members)
    ends = [
        _end(mechanism, cut, anchor, local[anchor.body])
        for cut in mechanism.cuts
        for anchor in (cut.first, cut.second)
        if anchor.body in local
    ]
    return PlaneChain(bodies, tuple(ends))


def _body(mechanism: Mechanism, plane: Plane, i: int, local: Mapping[int, int]) -> PlaneBody:
    rotations, hinges = mechanism.rest
    body = mechanism.bodies[i]
    slides = body.kind == "prismatic"
    z = rotations[i][:, 2]
    before = hinges[body.parent] if body.parent >= 0 else np.zeros(3)
    d = np.array(_flat(plane, rotations[i] @ np.array(body.com)))
    across = rotations[i].T @ plane.normal
    inertia = float(across @ np.array(body.inertia) @ across + body.mass * d @ d)
    wrench = mechanism.wrench_on(i)
    return PlaneBody(
        parent=local.get(body.parent, -1),
        slides=slides,
        backwards=not slides and float(z @ plane.normal) < 0,
        offset=_flat(plane, hinges[i] - before),
        axis=_flat(plane, z) if slides else STILL,
        mass=body.mass,
        moment=(float(body.mass * d[0]), float(body.mass * d[1])),
        inertia=inertia,
        lift=_flat(plane, lift_of_body(mechanism, i)),
        carried=mechanism.loads[i],
        load=float(plane.normal @ np.array(wrench.moment)),
    )


def _flat(plane: Plane, v: Array) -> Pair:
    return float(plane.x @ v), float(plane.y @ v)


def ground_end(mechanism: Mechanism, cut: Cut, anchor: Anchor) -> PlaneEnd:
    """An end on the ground."""
    return _end(mechanism, cut, anchor, -1)


def _end(mechanism: Mechanism, cut: Cut, anchor: Anchor, body: int) -> PlaneEnd:
    plane = mechanism.plane
    assert plane is not None
    R = mechanism.rest[0][anchor.body] if anchor.body >= 0 else np.eye(3)
    arm = R @ np.array(anchor.position)
    angle = None
    if cut.kind == "fixed":
        angle = -rest_angle(mechanism, cut, plane) if anchor is cut.second else 0.0
    return PlaneEnd(body, _flat(plane, arm), angle)
