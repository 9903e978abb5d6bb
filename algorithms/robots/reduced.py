"""Reduced robots: joints locked in a position, so that their bodies ride along, or dropped with all that they carry.

After the text of a robot: ``ROBOT@lock:elbow=0.5;wrist=30deg@drop:finger``. A joint without a position is locked at 0.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase

import numpy as np

from meshsim.algorithms.robots.body import Body, joint_position, joint_rotation, rotation_x
from meshsim.algorithms.robots.closure import OpenError, assemble, leading
from meshsim.algorithms.robots.compound import coordinates_of
from meshsim.algorithms.robots.cuts import Anchor
from meshsim.algorithms.robots.loop_file import check_loops
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.tree import ORIGIN, Inertial, Pose, merged
from meshsim.algorithms.types.vectors import to_matrix, to_vector
from meshsim.errors import MeshSimError
from meshsim.reading import number, numbers_in

_CHANGE = re.compile("@(lock|drop):")
_DEGREES = "deg"
_SHOWN = 12
"""Joints that a message lists."""


def split_text(text: str) -> tuple[str, str]:
    """The robot that a text names, and what of it is locked and dropped: empty if nothing is."""
    found = _CHANGE.search(text)
    return (text, "") if found is None else (text[: found.start()], text[found.start() :])


def reduced_by(mechanism: Mechanism, changes: str) -> Mechanism:
    """A robot with joints locked and dropped as the end of its text says."""
    lock: dict[str, str] = {}
    drop: list[str] = []
    _, *words = _CHANGE.split(changes)
    for change, listed in zip(words[::2], words[1::2], strict=True):
        for item in listed.split(";"):
            joint, _, position = item.rpartition("=") if change == "lock" and "=" in item else (item, "", "0")
            if not joint or not position:
                form = "joint=position;joint=position" if change == "lock" else "joint;joint"
                raise MeshSimError(f"@{change}: must be followed by {form}, not {listed!r}")
            if joint in lock or joint in drop:
                raise MeshSimError(f"joint {joint!r} must be locked or dropped once, not twice")
            if change == "lock":
                lock[joint] = position
            else:
                drop.append(joint)
    return reduced(mechanism, lock, drop)


def reduced(mechanism: Mechanism, lock: Mapping[str, float | str], drop: Sequence[str] = ()) -> Mechanism:
    """A robot with some joints locked and others dropped.

    Parameters
    ----------
    mechanism : Mechanism
        Any robot.
    lock : mapping of str to float or str
        Positions in rad or m by joint, or texts such as ``"30deg"``. A locked joint's body becomes a part of the body
        that carries it, or of the ground. The name of a joint with several freedoms stands for all of them, at 0. Who
        locks a joint that mimics another, or is mimicked, locks them all. A name such as ``hand_*`` stands for all
        joints that move by themselves and are called so.
    drop : sequence of str
        Joints that go, with all that they carry.

    Returns
    -------
    Mechanism
        Its name tells what was locked and dropped. With loops, its guess is where they close.
    """
    positions = _locked(mechanism, lock)
    gone = _dropped(mechanism, drop, positions)
    if all(i in positions or i in gone for i in mechanism.freedoms):
        raise MeshSimError(f"a joint of {mechanism.name} at least must be left to move, not none")
    for i, body in enumerate(mechanism.bodies):
        if body.tie is not None and body.tie.master in gone and i not in gone and i not in positions:
            master = mechanism.bodies[body.tie.master].joint
            raise MeshSimError(f"joint {master!r} must not be dropped alone, since {body.joint!r} mimics it")
    guess = _guess(mechanism, positions)
    with np.errstate(over="ignore", invalid="ignore"):  # absurd positions overflow, and are refused by the body's name
        found = _Merging(mechanism, positions, gone).mechanism(_named(mechanism, lock, drop), guess)
    if found.cuts:
        check_loops(found)
    return found


# What is meant


def _named(mechanism: Mechanism, lock: Mapping[str, float | str], drop: Sequence[str]) -> str:
    """The robot's name, with what was done to it as its text says it."""
    locked = ";".join(f"{joint}={_position(joint, value):.9g}" for joint, value in lock.items())
    return mechanism.name + (f"@lock:{locked}" if locked else "") + (f"@drop:{';'.join(drop)}" if drop else "")


def _bodies(mechanism: Mechanism, joint: str, what: str) -> list[int]:
    """The bodies that a joint moves, one for each of its freedoms; or those of all joints of a pattern."""
    names = [body.joint for body in mechanism.bodies]
    found = [names.index(each) for each in coordinates_of(joint, names) or _fitting(joint, mechanism.joints)]
    if found:
        return found
    if joint in mechanism.fixed:
        raise MeshSimError(f"joint {joint!r} of {mechanism.name} must move to be {what}, and is fixed")
    if joint in (cut.name for cut in mechanism.cuts):
        raise MeshSimError(f"joint {joint!r} of {mechanism.name} closes a loop, and cannot be {what}")
    near = get_close_matches(joint, names, 5, 0.5) or names[:_SHOWN]
    more = ", ..." if len(near) == _SHOWN < len(names) else ""
    raise MeshSimError(
        f"a joint to be {what} must be one of {mechanism.name}, such as {', '.join(near)}{more}, not {joint!r}"
    )


def _fitting(pattern: str, joints: Sequence[str]) -> list[str]:
    return [joint for joint in joints if "*" in pattern and fnmatchcase(joint, pattern)]


def _position(joint: str, value: float | str, slides: bool = False) -> float:
    """A position in rad or m."""
    if not isinstance(value, str):
        return number(f"position of joint {joint!r}", value)
    found = numbers_in([value.removesuffix(_DEGREES)])
    if not found or (slides and value.endswith(_DEGREES)):
        unit = "m" if slides else f"rad, or with {_DEGREES} after it"
        raise MeshSimError(f"position of joint {joint!r} must be a finite number in {unit}, not {value!r}")
    return math.radians(found[0]) if value.endswith(_DEGREES) else found[0]


def _locked(mechanism: Mechanism, lock: Mapping[str, float | str]) -> dict[int, float]:
    """Where each body's joint is locked, followers of locked masters included."""
    by_master: dict[int, tuple[float, str]] = {}
    for joint, value in lock.items():
        bodies = _bodies(mechanism, joint, "locked")
        if len(bodies) > 1 and "*" not in joint and _position(joint, value) != 0.0:
            each = ", ".join(mechanism.bodies[i].joint for i in bodies)
            raise MeshSimError(f"joint {joint!r} has several positions: lock each of {each}, or all at 0")
        for i in bodies:
            body = mechanism.bodies[i]
            position = _position(joint, value, body.kind == "prismatic")
            tie = body.tie
            master = i if tie is None else tie.master
            if tie is not None:
                position = (position - tie.offset) / tie.multiplier
            if master in by_master:
                raise MeshSimError(
                    f"joints {by_master[master][1]!r} and {body.joint!r} of {mechanism.name} move together, and must "
                    "be locked once"
                )
            by_master[master] = position, body.joint
    positions = {i: position for i, (position, _) in by_master.items()}
    for i, body in enumerate(mechanism.bodies):
        if body.tie is not None and body.tie.master in by_master:
            positions[i] = body.tie.multiplier * positions[body.tie.master] + body.tie.offset
    return positions


def _dropped(mechanism: Mechanism, drop: Sequence[str], positions: Mapping[int, float]) -> set[int]:
    """The bodies that go."""
    gone: set[int] = set()
    for joint in drop:
        bodies = _bodies(mechanism, joint, "dropped")
        for i in bodies:
            if i in positions:
                raise MeshSimError(f"joint {mechanism.bodies[i].joint!r} must be locked or dropped, not both")
        gone.update(bodies)
    for i, body in enumerate(mechanism.bodies):
        if body.parent in gone:
            gone.add(i)
    for cut in mechanism.cuts:
        if gone & {cut.first.body, cut.second.body}:
            raise MeshSimError(
                f"what is dropped of {mechanism.name} must be outside its loops, and {cut.name!r} closes one with it"
            )
    return gone


def _guess(mechanism: Mechanism, positions: Mapping[int, float]) -> tuple[float, ...]:
    """Where loops close with joints locked so; nothing without loops."""
    if not mechanism.cuts or not positions:
        return mechanism.guess
    start = np.array(mechanism.guess)
    start[list(positions)] = list(positions.values())
    try:
        found = assemble(mechanism, start, sorted({*positions, *leading(mechanism)}))
    except OpenError:  # the driven joints must give way
        found = assemble(mechanism, start, sorted(positions))
    return tuple(found.tolist())


# Bodies that become one


@dataclass(frozen=True, eq=False)
class _Place:
    """Where a body went: the new body that it is a part of (-1: the ground), its frame there, the twist if it is one.

    A body that is still itself has the frame `ORIGIN`.
    """

    body: int
    frame: Pose = ORIGIN
    twist: float | None = 0.0


@dataclass(eq=False)
class _Merging:
    """Bodies as they are joined; those that are dropped have no place."""

    old: Mechanism
    positions: Mapping[int, float]
    gone: set[int]
    bodies: list[Body] = field(default_factory=list)
    parts: list[list[Inertial]] = field(default_factory=list)
    places: dict[int, _Place] = field(default_factory=lambda: {-1: _Place(-1)})

    def mechanism(self, name: str, guess: tuple[float, ...]) -> Mechanism:
        """What is left, with its ties, loops and wrenches."""
        for i, body in enumerate(self.old.bodies):
            if i in self.positions and i not in self.gone:
                self._join(i, body)
            elif i not in self.gone:
                self._keep(i, body)
        self._check()
        left = {i: k for k, i in enumerate(self.kept)}
        bodies = [
            replace(body, tie=replace(body.tie, master=left[body.tie.master])) if body.tie is not None else body
            for body in self.bodies
        ]
        old = self.old
        return Mechanism(
            name,
            tuple(map(_with_parts, bodies, self.parts)),
            old.gravity,
            tuple(replace(cut, first=self._anchor(cut.first), second=self._anchor(cut.second)) for cut in old.cuts),
            tuple(left[i] for i in old.actuated if i in left),
            tuple(q for i, q in enumerate(guess) if i in left),
            tuple(replace(each, body=left[each.body]) for each in old.wrenches if each.body not in self.gone),
            (*old.fixed, *(old.bodies[i].joint for i in self.positions)),
            tuple(q for i, q in zip(old.freedoms, old.posture, strict=False) if i in left),
        )

    @property
    def kept(self) -> list[int]:
        """The old numbers of the new bodies."""
        return [i for i in range(self.old.n) if i not in self.gone and i not in self.positions]

    def _check(self) -> None:
        """Refuse a loop in which nothing moves, and a wrench at a centre of mass that is no more."""
        name = self.old.name
        for cut in self.old.cuts:
            if self.places[cut.first.body].body == self.places[cut.second.body].body:
                raise MeshSimError(f"a joint of the loop through {cut.name!r} of {name} must be left to move, not none")
        for wrench in self.old.wrenches:
            if wrench.body in self.positions or (wrench.body not in self.gone and self._parts_of(wrench.body)):
                body = self.old.bodies[wrench.body].name
                raise MeshSimError(f"body {body!r} of {name} bears a wrench, and must not become one with another")

    def _parts_of(self, i: int) -> list[Inertial]:
        return self.parts[self.places[i].body]

    def _join(self, i: int, body: Body) -> None:
        """Make a locked body a part of what carries it."""
        base, q = self.places[body.parent], self.positions[i]
        frame = base.frame @ Pose(joint_rotation(body, q), joint_position(body, q))
        turned = body.kind == "revolute" and q != 0.0
        twist = None if base.twist is None or body.twist is None or turned else base.twist + body.twist
        self.places[i] = _Place(base.body, frame, twist)
        if base.body >= 0:
            pose = frame @ Pose(np.eye(3), np.array(body.com))
            carrier = self.bodies[base.body]
            if not carrier.mass and not self.parts[base.body]:  # between the freedoms of one joint
                self.bodies[base.body] = replace(carrier, name=body.name)
            self.parts[base.body].append(Inertial(body.mass, pose, np.array(body.inertia)))

    def _keep(self, i: int, body: Body) -> None:
        base = self.places[body.parent]
        moved = replace(body, parent=base.body)
        if base.frame is not ORIGIN:
            pose = base.frame @ Pose(np.array(body.rotation), np.array(body.position))
            twist = None if base.twist is None or body.twist is None else base.twist + body.twist
            rotation = to_matrix(pose.rotation) if twist is None else rotation_x(twist)
            moved = replace(moved, rotation=rotation, position=to_vector(pose.position), twist=twist)
        self.places[i] = _Place(len(self.bodies))
        self.bodies.append(moved)
        self.parts.append([])

    def _anchor(self, anchor: Anchor) -> Anchor:
        place = self.places[anchor.body]
        if place.frame is ORIGIN:
            return replace(anchor, body=place.body)
        pose = place.frame @ Pose(np.array(anchor.rotation), np.array(anchor.position))
        return Anchor(place.body, to_vector(pose.position), to_matrix(pose.rotation))


def _with_parts(body: Body, parts: Sequence[Inertial]) -> Body:
    """A body with the parts that ride on it."""
    if not any(part.mass for part in parts):
        return body
    own = Inertial(body.mass, Pose(np.eye(3), np.array(body.com)), np.array(body.inertia))
    mass, com, inertia = merged([own, *parts])
    return replace(body, mass=mass, com=com, inertia=inertia)
