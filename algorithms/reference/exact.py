"""Accelerations to far more digits than a double has: articulated bodies in decimal arithmetic.

The robot's constants and the state are what their doubles are, exactly; only fixed rotations are formed anew from
their twists where they have them, since a rotation in doubles is none to more than 16 digits. All is in the ground's
axes and about its origin, in spatial vectors: that loses digits, of which there are enough. Nothing is shared with any
scheme.
"""

from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from typing import Any

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.robots.body import Body
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.errors import MeshSimError

DIGITS = 60
"""That are computed with; of these, a chain of 512 joints loses less than half."""
HALVINGS = 10
"""Of an angle of less than a radian before its sine is summed up."""

Decimals = npt.NDArray[Any]
"""An array of Decimal."""


def exact_accelerations(mechanism: Mechanism, state: State, digits: int = DIGITS) -> list[Decimal]:
    """Joint accelerations of a tree.

    Parameters
    ----------
    mechanism : Mechanism
        A tree whose joints all move by themselves, without wrenches from outside.
    state : State
        Positions, rates and torques of its joints.
    digits : int
        Decimal digits to compute with.
    """
    others = {"loops", "mimic joints", "wrenches"} & set(mechanism.needs)
    if others:
        raise MeshSimError(f"the exact reference must have no {' or '.join(sorted(others))}, as {mechanism.name} has")
    with localcontext(Context(prec=digits)):
        return _Bodies(mechanism, state).accelerations()


def sine_cosine(angle: Decimal) -> tuple[Decimal, Decimal]:
    """By the series of a small part of the angle, and doubling."""
    halvings = HALVINGS + int(abs(angle)).bit_length()
    with localcontext() as context:
        context.prec += 10 + halvings
        part = angle / 2**halvings
        sine, cosine = _series(part, part, 1), _series(Decimal(1), part, 0)
        for _ in range(halvings):
            sine, cosine = 2 * sine * cosine, cosine * cosine - sine * sine
    return +sine, +cosine


def _series(term: Decimal, x: Decimal, power: int) -> Decimal:
    """The sum of a term, which has some power of x, and all that follow with alternating signs."""
    total, last = term, None
    while total != last:
        last = total
        term = -term * x * x / ((power + 1) * (power + 2))
        power += 2
        total += term
    return total


class _Bodies:
    """The recursion: motions outwards, then inertias and forces inwards, then accelerations outwards."""

    def __init__(self, mechanism: Mechanism, state: State) -> None:
        self.parents = [body.parent for body in mechanism.bodies]
        self.tau = [Decimal(value) for value in state.tau]
        self.lift = np.concatenate([_decimals([0.0] * 3), -_decimals(mechanism.gravity)])
        self.rotation: list[Decimals] = []
        self.hinge: list[Decimals] = []
        self.s: list[Decimals] = []
        self.v: list[Decimals] = []
        self.c: list[Decimals] = []
        self.inertia: list[Decimals] = []
        self.force: list[Decimals] = []
        for body, q, qd in zip(mechanism.bodies, state.q, state.qd, strict=True):
            self._place(body, Decimal(q))
            self._move(body, Decimal(qd))

    def _place(self, body: Body, q: Decimal) -> None:
        """Where a body is, and about or along what it moves."""
        R, x = _decimals(np.eye(3)), _decimals([0.0] * 3)
        if body.parent >= 0:
            R, x = self.rotation[body.parent], self.hinge[body.parent]
        fixed = _decimals(body.rotation) if body.twist is None else _turn(Decimal(body.twist), axis=0)
        x, R = x + R @ _decimals(body.position), R @ fixed
        axis, nothing = R[:, 2], _decimals([0.0] * 3)
        if body.kind == "prismatic":
            x = x + axis * q
            self.s.append(np.concatenate([nothing, axis]))
        else:
            R = R @ _turn(q, axis=2)
            self.s.append(np.concatenate([axis, _skew(x) @ axis]))
        self.rotation.append(R)
        self.hinge.append(x)

    def _move(self, body: Body, qd: Decimal) -> None:
        """Its velocity, inertia, and what of its acceleration and force does not depend on accelerations."""
        s, R = self.s[-1], self.rotation[-1]
        v = s * qd + (self.v[body.parent] if body.parent >= 0 else Decimal(0))
        across, m = _skew(self.hinge[-1] + R @ _decimals(body.com)), Decimal(body.mass)
        J = R @ _decimals(body.inertia) @ R.T - m * across @ across
        inertia = np.block([[J, m * across], [-m * across, m * _decimals(np.eye(3))]])
        w, linear = _skew(v[:3]), _skew(v[3:])
        momentum = inertia @ v
        self.v.append(v)
        self.c.append(np.concatenate([w @ s[:3], linear @ s[:3] + w @ s[3:]]) * qd)
        self.inertia.append(inertia)
        self.force.append(np.concatenate([w @ momentum[:3] + linear @ momentum[3:], w @ momentum[3:]]))

    def accelerations(self) -> list[Decimal]:
        """Of the joints; what bodies are and bear is added to their parents."""
        n = len(self.parents)
        held: list[tuple[Decimals, Decimal, Decimal]] = []
        for i in reversed(range(n)):
            s, inertia, parent = self.s[i], self.inertia[i], self.parents[i]
            U = inertia @ s
            d, u = s @ U, self.tau[i] - s @ self.force[i]
            held.append((U, d, u))
            if parent >= 0:
                seen = inertia - np.outer(U, U) / d
                self.inertia[parent] = self.inertia[parent] + seen
                self.force[parent] = self.force[parent] + self.force[i] + seen @ self.c[i] + U * (u / d)
        found: list[Decimal] = []
        moved: list[Decimals] = []
        for i, (U, d, u) in enumerate(reversed(held)):
            a = self.c[i] + (moved[self.parents[i]] if self.parents[i] >= 0 else self.lift)
            found.append((u - U @ a) / d)
            moved.append(a + self.s[i] * found[i])
        return found


def _decimals(values: Sequence[Any] | npt.NDArray[Any]) -> Decimals:
    """Doubles as they are."""
    array = np.asarray(values, dtype=np.float64)
    return np.array([Decimal(value) for value in array.ravel().tolist()], dtype=object).reshape(array.shape)


def _turn(angle: Decimal, axis: int) -> Decimals:
    """Rotation about a coordinate axis."""
    s, c = sine_cosine(angle)
    R = _decimals(np.eye(3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def _skew(v: Decimals) -> Decimals:
    """Matrix of the cross product with `v`."""
    x, y, z = v
    zero = Decimal(0)
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]], dtype=object)
