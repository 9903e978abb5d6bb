"""Loop closure in a plane, number by number: what `loops` gives, at a tenth of its price in 3 by 3 arrays."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from meshsim.algorithms.robots.cuts import Anchor, Plane
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array

Pair = tuple[float, float]


@dataclass(frozen=True)
class _Joint:
    """A body's joint, all joints at 0: from the hinge before it; where it slides, or which way it turns."""

    parent: int
    slides: bool
    offset: Pair
    axis: Pair
    sign: float


@dataclass(frozen=True)
class _Ends:
    """The two anchors of a cut joint: bodies, arms from their hinges, and the angle that a fixed joint asks for."""

    bodies: tuple[int, int]
    arms: tuple[Pair, Pair]
    angle: float | None


class _Moving(NamedTuple):
    """A body in motion: angle, its sine and cosine, hinge, turning, and the hinge's bias acceleration."""

    phi: float
    sine: float
    cosine: float
    x: float
    y: float
    w: float
    ax: float
    ay: float


_GROUND = _Moving(0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Flat:
    """A closed mechanism in its plane's axes; `angles` are those that its fixed cut joints ask for, None for others."""

    def __init__(self, mechanism: Mechanism, angles: Sequence[float | None]) -> None:
        plane = mechanism.plane
        assert plane is not None
        rotations, hinges = mechanism.rest
        self.n = mechanism.n
        self.joints = []
        for i, body in enumerate(mechanism.bodies):
            z = rotations[i][:, 2]
            before = hinges[body.parent] if body.parent >= 0 else np.zeros(3)
            sign = 1.0 if float(z @ plane.normal) > 0 else -1.0
            self.joints.append(
                _Joint(body.parent, body.kind == "prismatic", _pair(plane, hinges[i] - before), _pair(plane, z), sign)
            )
        self.cuts = [
            _Ends(
                (cut.first.body, cut.second.body),
                (_arm(mechanism, plane, cut.first), _arm(mechanism, plane, cut.second)),
                a,
            )
            for cut, a in zip(mechanism.cuts, angles, strict=True)
        ]
        self.cut = tuple(k for k, ends in enumerate(self.cuts) for _ in range(2 if ends.angle is None else 3))

    def loops(self, q: Sequence[float], qd: Sequence[float]) -> tuple[list[float], list[list[float]], list[float]]:
        """The constraints, their Jacobian's rows, and A' q'."""
        bodies = self._move(q, qd)
        c: list[float] = []
        A: list[list[float]] = []
        bias: list[float] = []
        for ends in self.cuts:
            rows = [[0.0] * self.n for _ in range(2 if ends.angle is None else 3)]
            gap = [0.0, 0.0]
            drift = [0.0, 0.0]
            turned = 0.0
            for side, body, (u, v) in zip((-1.0, 1.0), ends.bodies, ends.arms, strict=True):
                at = bodies[body]
                rx, ry = at.cosine * u - at.sine * v, at.sine * u + at.cosine * v
                gap[0] += side * (at.x + rx)
                gap[1] += side * (at.y + ry)
                drift[0] += side * (at.ax - at.w * at.w * rx)
                drift[1] += side * (at.ay - at.w * at.w * ry)
                turned += side * at.phi
                self._fill(rows, bodies, body, side, (at.x + rx, at.y + ry))
            if ends.angle is not None:
                gap.append(turned - ends.angle)
                drift.append(0.0)
            c += gap
            A += rows
            bias += drift
        return c, A, bias

    def _move(self, q: Sequence[float], qd: Sequence[float]) -> list[_Moving]:
        """All bodies, and last of all the ground, so that an index of -1 finds it."""
        bodies: list[_Moving] = []
        for joint, value, rate in zip(self.joints, q, qd, strict=True):
            base = bodies[joint.parent] if joint.parent >= 0 else _GROUND
            u, v = joint.offset
            if joint.slides:
                u, v = u + value * joint.axis[0], v + value * joint.axis[1]
            rx, ry = base.cosine * u - base.sine * v, base.sine * u + base.cosine * v
            x, y, square = base.x + rx, base.y + ry, base.w * base.w
            ax, ay = base.ax - square * rx, base.ay - square * ry
            if joint.slides:
                u, v = joint.axis
                dx, dy = base.cosine * u - base.sine * v, base.sine * u + base.cosine * v
                twice = 2.0 * base.w * rate
                moving = _Moving(base.phi, base.sine, base.cosine, x, y, base.w, ax - twice * dy, ay + twice * dx)
            else:
                phi = base.phi + joint.sign * value
                moving = _Moving(phi, math.sin(phi), math.cos(phi), x, y, base.w + joint.sign * rate, ax, ay)
            bodies.append(moving)
        return [*bodies, _GROUND]

    def _fill(self, rows: list[list[float]], bodies: list[_Moving], body: int, side: float, point: Pair) -> None:
        """Add what a point of a body gains by each joint that carries it."""
        while body >= 0:
            joint, at = self.joints[body], bodies[body]
            if joint.slides:
                u, v = joint.axis
                rows[0][body] += side * (at.cosine * u - at.sine * v)
                rows[1][body] += side * (at.sine * u + at.cosine * v)
            else:
                signed = side * joint.sign
                rows[0][body] -= signed * (point[1] - at.y)
                rows[1][body] += signed * (point[0] - at.x)
                if len(rows) > 2:
                    rows[2][body] += signed
            body = joint.parent


def _pair(plane: Plane, v: Array) -> Pair:
    return float(plane.x @ v), float(plane.y @ v)


def _arm(mechanism: Mechanism, plane: Plane, anchor: Anchor) -> Pair:
    R = mechanism.rest[0][anchor.body] if anchor.body >= 0 else np.eye(3)
    return _pair(plane, R @ np.array(anchor.position))
