"""Parallel mechanisms: legs that meet in one body, the platform, which is cut in as many parts as there are legs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from meshsim.algorithms.robots.body import MASSLESS, Body, Wrench
from meshsim.algorithms.robots.closure import leading, loops, placed
from meshsim.algorithms.robots.compound import Freedom, freedoms_of
from meshsim.algorithms.robots.cuts import Anchor, Cut
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Vector, to_matrix, to_vector
from meshsim.errors import MeshSimError

NAME = "denoc"
_ORIGIN: Vector = (0.0, 0.0, 0.0)
Leg = tuple[list[int], tuple[Cut, Anchor, Anchor] | None]
"""Bodies from the ground on, and the cut joint by which they hold the platform: there, and where on the platform."""


@dataclass(frozen=True, eq=False)
class Pin:
    """A cut joint that a leg has instead: turns about z, or about z, y and x in this order.

    Attributes
    ----------
    tip : int
        The body of the whole that carries it.
    first, last : array
        Its frame in that of the body that carries it, and in the platform's, where it is not turned.
    freedoms : tuple of Freedom
        Its turns.
    """

    tip: int
    first: Array
    last: Array
    freedoms: tuple[Freedom, ...]

    def angles(self, tip: Array, platform: Array) -> list[float]:
        """How far it is turned in space, from the frames of both bodies."""
        R = self.first.T @ tip.T @ platform @ self.last
        turns = math.atan2(R[1, 0], R[0, 0]), math.asin(max(-1.0, min(1.0, -R[2, 0]))), math.atan2(R[2, 1], R[2, 2])
        return list(turns[: len(self.freedoms)])


@dataclass(frozen=True, eq=False)
class Legs:
    """A parallel mechanism whose platform was cut in parts.

    Attributes
    ----------
    whole : Mechanism
        As it was.
    platform : int
        Its platform.
    parts : Mechanism
        Legs with a part of the platform each; the parts are held together by fixed joints.
    source : tuple of int
        For each joint of the legs, the joint that it was; -1 for one that was cut.
    pins : mapping of int to Pin
        The joints that were cut, by their first joint of the legs.
    """

    whole: Mechanism
    platform: int
    parts: Mechanism
    source: tuple[int, ...]
    pins: Mapping[int, Pin]

    def to_legs(self, q: Array) -> Array:
        """Positions of the legs' joints from those of the whole mechanism's."""
        legs = self.kept_in_legs(q)
        if self.whole.plane is not None:
            for first, pin in self.pins.items():
                legs[first] = _angle(self.whole, self.platform, q) - _angle(self.whole, pin.tip, q)
            return legs
        bodies = placed(self.whole, q, np.zeros(self.whole.n))
        for first, pin in self.pins.items():
            angles = pin.angles(bodies[pin.tip].R, bodies[self.platform].R)
            legs[first : first + len(angles)] = angles
        return legs

    def kept_in_legs(self, values: Array) -> Array:
        """Numbers of the joints that the legs still have, in the legs' order; 0 for those that were cut."""
        legs = np.zeros(len(self.source))
        joints, places = self.kept()
        legs[places] = values[joints]
        return legs

    def kept(self) -> tuple[list[int], list[int]]:
        """Joints of the whole that the legs still have, and where they have them."""
        pairs = [(joint, i) for i, joint in enumerate(self.source) if joint >= 0]
        return [joint for joint, _ in pairs], [i for _, i in pairs]

    def to_whole(self, legs: Array, near: Array) -> Array:
        """Positions of the whole mechanism's joints; those that the legs lack are found from the others."""
        joints, places = self.kept()
        q = near.copy()
        q[joints] = legs[places]
        lost = [j for j in range(self.whole.n) if j not in joints]
        for _ in range(20 if lost else 0):
            now = loops(self.whole, q, np.zeros(self.whole.n))
            step = np.linalg.lstsq(now.A[:, lost], -now.c, rcond=None)[0]
            q[lost] += step
            if np.abs(step).max() < 1e-14:
                break
        return q

    def rates_to_whole(self, q: Array, legs: Array) -> Array:
        """The same for rates."""
        joints, places = self.kept()
        qd = np.zeros(self.whole.n)
        qd[joints] = legs[places]
        lost = [j for j in range(self.whole.n) if j not in joints]
        if lost:
            A = loops(self.whole, q, qd).A
            qd[lost] = np.linalg.lstsq(A[:, lost], -A @ qd, rcond=None)[0]
        return qd


def legs_of(mechanism: Mechanism, others: str = "projection or multipliers") -> Legs:
    """Cut the platform of a parallel mechanism; `others` could take what this refuses."""
    try:
        return _legs_of(mechanism)
    except _UnfitError as unfit:
        raise MeshSimError(f"{NAME} takes {unfit}; {others} could take it") from None


class _UnfitError(Exception):
    """What is taken, and what is not so."""


def _legs_of(mechanism: Mechanism) -> Legs:
    platform = _platform(mechanism)
    own = _chain_to(mechanism, platform)
    free = 6 if mechanism.plane is None else 3
    floats = all(mechanism.bodies[i].mass == 0.0 for i in own[:-1]) and not set(own) & set(leading(mechanism))
    chains: list[Leg] = [] if floats and len(own) == free else [(own, None)]
    for cut in mechanism.cuts:
        tip, at = (cut.second, cut.first) if cut.first.body == platform else (cut.first, cut.second)
        if cut.kind == "fixed":
            raise _UnfitError(f"legs that end in a revolute or spherical joint, and {cut.name!r} is fixed")
        chains.append((_chain_to(mechanism, tip.body), (cut, tip, at)))
    return _cut_up(mechanism, platform, chains)


def _platform(mechanism: Mechanism) -> int:
    """The body that all cut joints hold; of two, that of the hub."""
    held = [{cut.first.body, cut.second.body} for cut in mechanism.cuts]
    common = sorted(set.intersection(*held) - {-1})
    if mechanism.hub is not None:
        common = [body for body in common if body in mechanism.subsystems[mechanism.hub]] or common
    if not common:
        raise _UnfitError(
            f"mechanisms whose cut joints all hold one body, the platform, and those of {mechanism.name} do not"
        )
    return common[0]


def _chain_to(mechanism: Mechanism, body: int) -> list[int]:
    """The bodies from the ground to a body; refused if they carry others."""
    chain: list[int] = []
    while body >= 0:
        chain.insert(0, body)
        body = mechanism.bodies[body].parent
    if chain:
        members = mechanism.subsystems[mechanism.subsystem_of(chain[0])]
        if len(members) != len(chain):
            extra = next(i for i in members if i not in chain)
            name = mechanism.bodies[extra].joint
            raise _UnfitError(f"legs without branches, and joint {name!r} branches off")
    return chain


class _Parts:
    """Legs under construction."""

    def __init__(self, mechanism: Mechanism, platform: int, share: float) -> None:
        self.mechanism, self.platform, self.share = mechanism, platform, share
        self.bodies: list[Body] = []
        self.source: list[int] = []
        self.pins: dict[int, Pin] = {}
        self.ends: list[Anchor] = []

    def add(self, chain: Sequence[int], pinned: tuple[Cut, Anchor, Anchor] | None) -> None:
        """A leg: its bodies, and its part of the platform."""
        parent = -1
        for i in chain:
            body = replace(self.mechanism.bodies[i], parent=parent)
            parent = len(self.bodies)
            self.bodies.append(_lightened(body, self.share) if i == self.platform else body)
            self.source.append(i)
        if pinned is None:
            self.ends.append(Anchor(parent, (0.0, 0.0, 0.0)))
        else:
            self._pin(parent, *pinned)

    def _pin(self, parent: int, cut: Cut, tip: Anchor, at: Anchor) -> None:
        """The part of the platform that a leg holds by a cut joint: there, and where on the platform."""
        plate = self.mechanism.bodies[self.platform]
        pin = _pin_of(self.mechanism, self.platform, cut, tip, at)
        self.pins[len(self.bodies)] = pin
        before, position = pin.first, tip.position
        for freedom in pin.freedoms[:-1]:
            rotation, name = to_matrix(before @ freedom.frame), freedom.coordinate
            self.bodies.append(Body(name, name, "revolute", parent, rotation, position, *MASSLESS))
            before, position, parent = freedom.frame.T, _ORIGIN, len(self.bodies) - 1
        frame = pin.freedoms[-1].frame
        turn = (pin.last @ frame).T  # from the platform's frame to that of its part
        com, end = turn @ (np.array(plate.com) - at.position), turn @ -np.array(at.position)
        inertia = turn @ np.array(plate.inertia) @ turn.T
        body = Body(
            f"{plate.name} of {cut.name}",
            pin.freedoms[-1].coordinate,
            "revolute",
            parent,
            to_matrix(before @ frame),
            position,
            plate.mass,
            to_vector(com),
            to_matrix((inertia + inertia.T) / 2),
        )
        self.source.extend([-1] * len(pin.freedoms))
        self.ends.append(Anchor(len(self.bodies), to_vector(end), to_matrix(turn)))
        self.bodies.append(_lightened(body, self.share))

    def wrenches(self) -> tuple[Wrench, ...]:
        """What acts on bodies from outside; the parts of the platform share what acts on it."""  # Khan sec. 3.2
        found = []
        for wrench in self.mechanism.wrenches:
            if wrench.body == self.platform:
                force, moment = (to_vector(self.share * np.array(each)) for each in (wrench.force, wrench.moment))
                found += [Wrench(end.body, force, moment) for end in self.ends]
            else:
                found.append(replace(wrench, body=self.source.index(wrench.body)))
        return tuple(found)


def _pin_of(mechanism: Mechanism, platform: int, cut: Cut, tip: Anchor, at: Anchor) -> Pin:
    """How a leg turns against the platform. In the guess a ball is not turned: its turns are singular far from it."""
    plane, kind = mechanism.plane, "revolute"
    if plane is not None:
        rest = [*mechanism.rest[0], np.eye(3)]
        axes = np.column_stack((plane.x, plane.y, plane.normal))
        first, last = rest[tip.body].T @ axes, rest[platform].T @ axes
    else:
        bodies = placed(mechanism, mechanism.guess, np.zeros(mechanism.n))
        between = bodies[tip.body].R.T @ bodies[platform].R
        first, last = np.array(tip.rotation), np.array(at.rotation)
        if cut.kind == "spherical":
            first, last, kind = between, np.eye(3), "spherical"
        elif first[:, 2] @ between @ last[:, 2] < 0:
            last = last @ np.diag((1.0, -1.0, -1.0))  # closed with the axes against one another
    return Pin(tip.body, first, last, freedoms_of(cut.name, kind))


def _angle(mechanism: Mechanism, body: int, q: Array) -> float:
    """How far a body has turned in the plane, full turns included."""
    angle, plane = 0.0, mechanism.plane
    assert plane is not None
    while body >= 0:
        if mechanism.bodies[body].kind == "revolute":
            angle += float(np.sign(mechanism.rest[0][body][:, 2] @ plane.normal)) * float(q[body])
        body = mechanism.bodies[body].parent
    return angle


def _cut_up(mechanism: Mechanism, platform: int, chains: Sequence[Leg]) -> Legs:
    parts = _Parts(mechanism, platform, 1.0 / len(chains))
    for chain, pinned in chains:
        parts.add(chain, pinned)
    name = mechanism.bodies[platform].name
    first, *others = parts.ends
    cuts = tuple(Cut(f"{name} {k}", "fixed", first, end) for k, end in enumerate(others, start=1))
    actuated = tuple(parts.source.index(j) for j in leading(mechanism))
    tree = Mechanism(mechanism.name, tuple(parts.bodies), mechanism.gravity, wrenches=parts.wrenches())
    legs = Legs(mechanism, platform, tree, tuple(parts.source), parts.pins)
    guess = tuple(legs.to_legs(np.array(mechanism.guess)).tolist())
    return replace(legs, parts=tree.closed_by(cuts, actuated, guess))


def _lightened(body: Body, share: float) -> Body:
    return replace(body, mass=share * body.mass, inertia=to_matrix(share * np.array(body.inertia)))
