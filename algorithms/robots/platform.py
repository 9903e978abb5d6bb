"""Parallel mechanisms: legs that meet in one body, the platform, which is cut in as many parts as there are legs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from meshsim.algorithms.robots.body import Body
from meshsim.algorithms.robots.closure import leading, loops
from meshsim.algorithms.robots.cuts import Anchor, Cut
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Matrix
from meshsim.errors import MeshSimError

NAME = "denoc"
Leg = tuple[list[int], tuple[Cut, Anchor, Anchor] | None]
"""Bodies from the ground on, and the cut joint by which they hold the platform: there, and where on the platform."""


@dataclass(frozen=True, eq=False)
class Legs:
    """A parallel mechanism whose platform was cut in parts.

    Attributes
    ----------
    whole : Mechanism
        As it was.
    parts : Mechanism
        Legs with a part of the platform each; the parts are held together by fixed joints.
    source : tuple of int
        For each joint of the legs, the joint that it was; -1 for one that was cut.
    turning : array
        The angles of the legs' joints from those of the whole: one row for each.
    """

    whole: Mechanism
    parts: Mechanism
    source: tuple[int, ...]
    turning: Array

    def to_legs(self, q: Array) -> Array:
        """Positions or rates of the legs' joints from those of the whole mechanism's."""
        legs: Array = self.turning @ q
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


def legs_of(mechanism: Mechanism) -> Legs:
    """Cut the platform of a parallel mechanism."""
    if mechanism.plane is None:
        raise MeshSimError(
            f"{NAME} takes mechanisms in a plane, and {mechanism.name} is not in one; multipliers could take it"
        )
    if mechanism.wrenches:
        raise MeshSimError(f"{NAME} takes no wrenches on bodies; projection (or noc for torques) could take them")
    platform = _platform(mechanism)
    own = _chain_to(mechanism, platform)
    floats = all(mechanism.bodies[i].mass == 0.0 for i in own[:-1]) and not set(own) & set(leading(mechanism))
    chains: list[Leg] = [] if floats and len(own) == 3 else [(own, None)]
    for cut in mechanism.cuts:
        tip, at = (cut.second, cut.first) if cut.first.body == platform else (cut.first, cut.second)
        if cut.kind == "fixed":
            raise MeshSimError(f"{NAME} takes legs that end in a revolute joint, and {cut.name!r} is fixed")
        chains.append((_chain_to(mechanism, tip.body), (cut, tip, at)))
    return _cut_up(mechanism, platform, chains)


def _platform(mechanism: Mechanism) -> int:
    """The body that all cut joints hold; of two, that of the hub."""
    held = [{cut.first.body, cut.second.body} for cut in mechanism.cuts]
    common = sorted(set.intersection(*held) - {-1})
    if mechanism.hub is not None:
        common = [body for body in common if body in mechanism.subsystems[mechanism.hub]] or common
    if not common:
        raise MeshSimError(
            f"{NAME} takes mechanisms whose cut joints all hold one body, the platform, and those of {mechanism.name} "
            "do not; projection or multipliers could take it"
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
            raise MeshSimError(
                f"{NAME} takes legs without branches, and joint {name!r} branches off; "
                "projection (or noc for torques) could take it"
            )
    return chain


class _Parts:
    """Legs under construction."""

    def __init__(self, mechanism: Mechanism, platform: int, share: float) -> None:
        self.mechanism, self.platform, self.share = mechanism, platform, share
        self.bodies: list[Body] = []
        self.source: list[int] = []
        self.turning: list[Array] = []
        self.ends: list[Anchor] = []

    def add(self, chain: Sequence[int], pinned: tuple[Cut, Anchor, Anchor] | None) -> None:
        """A leg: its bodies, and its part of the platform."""
        parent = -1
        for i in chain:
            body = replace(self.mechanism.bodies[i], parent=parent)
            parent = len(self.bodies)
            self.bodies.append(_lightened(body, self.share) if i == self.platform else body)
            self.source.append(i)
            self.turning.append(np.eye(self.mechanism.n)[i])
        if pinned is None:
            self.ends.append(Anchor(parent, (0.0, 0.0, 0.0)))
        else:
            self._pin(parent, *pinned)

    def _pin(self, parent: int, cut: Cut, tip: Anchor, at: Anchor) -> None:
        """The part of the platform that a leg holds by a cut joint: there, and where on the platform."""
        mechanism, plate = self.mechanism, self.mechanism.bodies[self.platform]
        rest, plane = mechanism.rest[0], mechanism.plane
        assert plane is not None
        base = rest[tip.body] if tip.body >= 0 else np.eye(3)
        (a, b, c), (d, e, f), (g, h, i) = (base.T @ rest[self.platform]).tolist()
        rotation: Matrix = ((a, b, c), (d, e, f), (g, h, i))
        x, y, z = at.position
        com = plate.com[0] - x, plate.com[1] - y, plate.com[2] - z
        name = f"{plate.name} of {cut.name}"
        body = Body(name, cut.name, "revolute", parent, rotation, tip.position, plate.mass, com, plate.inertia)
        turn = _turn(mechanism, self.platform) - _turn(mechanism, tip.body)
        self.turning.append(-turn if float(rest[self.platform][:, 2] @ plane.normal) < 0 else turn)
        self.source.append(-1)
        self.ends.append(Anchor(len(self.bodies), (-x, -y, -z)))
        self.bodies.append(_lightened(body, self.share))


def _cut_up(mechanism: Mechanism, platform: int, chains: Sequence[Leg]) -> Legs:
    parts = _Parts(mechanism, platform, 1.0 / len(chains))
    for chain, pinned in chains:
        parts.add(chain, pinned)
    name = mechanism.bodies[platform].name
    first, *others = parts.ends
    cuts = tuple(Cut(f"{name} {k}", "fixed", first, end) for k, end in enumerate(others, start=1))
    actuated = tuple(parts.source.index(j) for j in leading(mechanism))
    turning = np.array(parts.turning)
    guess = tuple((turning @ np.array(mechanism.guess)).tolist())
    tree = Mechanism(mechanism.name, tuple(parts.bodies), mechanism.gravity)
    return Legs(mechanism, tree.closed_by(cuts, actuated, guess), tuple(parts.source), turning)


def _lightened(body: Body, share: float) -> Body:
    (a, b, c), (d, e, f), (g, h, i) = body.inertia
    inertia: Matrix = (
        (share * a, share * b, share * c),
        (share * d, share * e, share * f),
        (share * g, share * h, share * i),
    )
    return replace(body, mass=share * body.mass, inertia=inertia)


def _turn(mechanism: Mechanism, body: int) -> Array:
    """How a body's angle in the plane changes with each joint."""
    turn = np.zeros(mechanism.n)
    plane = mechanism.plane
    assert plane is not None
    while body >= 0:
        if mechanism.bodies[body].kind == "revolute":
            turn[body] = 1.0 if float(mechanism.rest[0][body][:, 2] @ plane.normal) > 0 else -1.0
        body = mechanism.bodies[body].parent
    return turn
