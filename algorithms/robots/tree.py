"""Mechanisms from links and joints, as files describe them.

Links joined by fixed joints become one body, joints with several freedoms become several bodies. Bodies are labelled
depth first: a branch is completed before the next is begun (Wong sec. 2.1.3), in the order in which the joints were
given. Each body's frame is turned so that its z is the joint axis; joint positions stay those of the file.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from meshsim.algorithms.robots.body import KINDS, Body, Tie, rotation_x
from meshsim.algorithms.robots.compound import COMPOUND, freedoms_of
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.splitmix import LONGEST
from meshsim.algorithms.types.vectors import Matrix, Vector, to_matrix, to_vector
from meshsim.errors import MeshSimError

JOINTS = (*KINDS, *COMPOUND, "fixed")


@dataclass(frozen=True, eq=False)
class Pose:
    """A frame seen from another: its axes are the columns of `rotation`, its origin is at `position`."""

    rotation: Array
    position: Array

    def __matmul__(self, inner: "Pose") -> "Pose":
        return Pose(self.rotation @ inner.rotation, self.position + self.rotation @ inner.position)


ORIGIN = Pose(np.eye(3), np.zeros(3))
Z_AXIS = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass and its distribution: `pose` holds the centre of mass and the axes of `inertia`, in the link's frame."""

    mass: float
    pose: Pose
    inertia: Array


@dataclass(frozen=True)
class Mimic:
    """That a joint's position is `multiplier` times that of another `joint`, plus `offset`."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint of one of the kinds in `JOINTS`; the child's frame is the joint's frame, moved.

    Parameters
    ----------
    name, kind : str
        The joint's name and its kind.
    parent, child : str
        Names of the links that it joins.
    origin : Pose
        The joint's frame in the parent's.
    axis : ndarray
        Unit vector in the joint's frame that plays the role of z (`COMPOUND`).
    twist : float or None
        The angle about x when `origin` turns by no other; a body in twist form needs it, and no turned frame.
    mimic : Mimic or None
        For a revolute or prismatic joint, the joint that it follows; that may follow another, but not in a circle.
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose = ORIGIN
    axis: Array = field(default_factory=Z_AXIS.copy)
    twist: float | None = None
    mimic: Mimic | None = None


@dataclass(frozen=True, eq=False)
class Mount:
    """Where a link went: the body that carries it (from 0; -1 is the ground), and the link's frame in the body's."""

    body: int
    pose: Pose


@dataclass(frozen=True, eq=False)
class _Carrier:
    """A body to be: its joint, its frame in its parent's, and the inertials that ride on it."""

    name: str
    joint: str
    kind: str
    parent: int
    frame: Pose
    twist: float | None
    parts: list[Inertial]


def build(
    name: str,
    links: Mapping[str, Inertial | None],
    joints: Sequence[Joint],
    gravity: Vector = (0.0, 0.0, -9.81),
) -> Mechanism:
    """Mechanism of links and the joints between them.

    Parameters
    ----------
    name : str
        What to call it.
    links : mapping of str to Inertial or None
        What each link weighs; None is nothing. The link that no joint carries is the ground.
    joints : sequence of Joint
        At each link, branches are taken in this order. Names are unique, and so are children.
    gravity : Vector
        Acceleration of free fall in the ground's frame.

    Returns
    -------
    Mechanism
        Its bodies labelled depth first.
    """
    return build_with_mounts(name, links, joints, gravity)[0]


def build_with_mounts(
    name: str,
    links: Mapping[str, Inertial | None],
    joints: Sequence[Joint],
    gravity: Vector = (0.0, 0.0, -9.81),
    kind: type[Mechanism] = Mechanism,
) -> tuple[Mechanism, dict[str, Mount]]:
    """What `build` returns, as `kind`, and where each link went, for those who place more on the links."""
    _check_joints(links, joints)
    root = _root_link(links, joints)
    for joint in joints:
        if joint.mimic is not None and joint.kind not in KINDS:
            raise MeshSimError(f"joint {joint.name!r} must be {' or '.join(KINDS)} to mimic another, not {joint.kind}")
    joints = _without_still(joints)
    freedoms = sum(len(freedoms_of(joint.name, joint.kind)) for joint in joints)
    if freedoms == 0:
        raise MeshSimError("robot must have at least one moving joint, not 0")
    if freedoms > LONGEST:
        raise MeshSimError(f"robot must have at most {LONGEST} freedoms, not {freedoms}")
    # Absurd but finite numbers may overflow here; the mechanism then refuses the infinities.
    with np.errstate(over="ignore", invalid="ignore"):
        carriers, mounts = _walk(links, joints, root)
        ties = _ties(joints, [carrier.joint for carrier in carriers])
        bodies = tuple(_body(carrier, ties.get(carrier.joint)) for carrier in carriers)
    fixed = tuple(joint.name for joint in joints if joint.kind == "fixed")
    return kind(name, bodies, gravity, fixed=fixed), mounts


def _check_joints(links: Mapping[str, Inertial | None], joints: Sequence[Joint]) -> None:
    """Refuse what a reader of files would have refused: joints of no kind, between links that are not there."""
    carried_by: dict[str, str] = {}
    for joint in joints:
        owner = f"joint {joint.name!r}"
        if joint.kind not in JOINTS:
            raise MeshSimError(f"kind of {owner} must be {', '.join(JOINTS)}, not {joint.kind!r}")
        for end in (joint.parent, joint.child):
            if end not in links:
                raise MeshSimError(f"{owner} must join two links of the robot, not {end!r}")
        if joint.child in carried_by:
            rival = carried_by[joint.child]
            raise MeshSimError(
                f"link {joint.child!r} must be the child of one joint, not of {rival!r} and {joint.name!r}"
            )
        carried_by[joint.child] = joint.name
        if not abs(math.hypot(*joint.axis) - 1.0) < 1e-9:
            raise MeshSimError(f"axis of {owner} must be a unit vector, not {tuple(map(float, joint.axis))}")


def check_name(what: str, name: str) -> None:
    """Refuse a name that cannot be printed as it is, or could be taken for markup."""
    if not name.isprintable() or any(character in name for character in "<>&"):
        raise MeshSimError(f"name of {what} must be printable text without <, > or &, not {name!r}")


def rotation_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Turn about the fixed axes x, y and z in that order."""
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rotation_about(axis: Array, angle: float) -> Array:
    """Turn by `angle` about the unit vector `axis`, after Rodrigues."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation: Array = np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K
    return rotation


def unit_vector(what: str, values: Sequence[float], text: object) -> Array:
    """The direction of three finite numbers, reported as `text` if it has none."""
    largest = max(map(abs, values))
    if largest == 0.0:
        raise MeshSimError(f"{what} must be a nonzero vector, not {text!r}")
    scale = 1.0 if 1e-100 < largest < 1e100 else largest  # squares would vanish or overflow
    scaled = [value / scale for value in values]
    length = math.hypot(*scaled)
    return np.array([value / length for value in scaled])


def _root_link(links: Mapping[str, Inertial | None], joints: Sequence[Joint]) -> str:
    """Link that no joint carries, once the links are known to form a tree."""
    above = {joint.child: joint.parent for joint in joints}
    good: set[str] = set()
    for link in links:
        path: dict[str, None] = {}  # an ordered set
        while link in above and link not in good:
            if link in path:
                inward = list(path)
                cycle = [link, *reversed(inward[inward.index(link) :])]
                raise MeshSimError(f"links must form a tree, not the cycle {' -> '.join(cycle)}")
            path[link] = None
            link = above[link]
        good.update(path)
    roots = [link for link in links if link not in above]
    if len(roots) != 1:
        found = f"{len(roots)}: {', '.join(map(repr, roots))}" if roots else "0"
        raise MeshSimError(f"robot must have one root link, not {found}")
    return roots[0]


def _without_still(joints: Sequence[Joint]) -> list[Joint]:
    """The joints, with those fixed that mimic another with the multiplier 0, or one that is itself fixed so."""
    still: dict[str, float] = {}  # the position of each
    followers: dict[str, list[tuple[str, Mimic]]] = {}
    for joint in joints:
        if joint.mimic is not None and joint.mimic.multiplier == 0.0:
            still[joint.name] = joint.mimic.offset
        elif joint.mimic is not None:
            followers.setdefault(joint.mimic.joint, []).append((joint.name, joint.mimic))
    waiting = list(still)
    while waiting:
        master = waiting.pop()
        for name, mimic in followers.pop(master, []):
            still[name] = mimic.multiplier * still[master] + mimic.offset
            waiting.append(name)
    return [fixed_at(joint, still[joint.name]) if joint.name in still else joint for joint in joints]


def fixed_at(joint: Joint, position: float) -> Joint:
    """A revolute or prismatic joint that stays where it is."""
    if not math.isfinite(position):
        raise MeshSimError(f"position of joint {joint.name!r} must be a finite number, not {position}")
    if joint.kind == "prismatic":
        moved = Pose(np.eye(3), position * joint.axis)
    else:
        moved = Pose(rotation_about(joint.axis, position), np.zeros(3))
    return Joint(joint.name, "fixed", joint.parent, joint.child, joint.origin @ moved)


def _ties(joints: Sequence[Joint], order: Sequence[str]) -> dict[str, Tie]:
    """The tie of every joint that mimics; its master may be found through others that mimic in turn."""
    masters = {joint.name: joint for joint in joints if joint.kind in KINDS}
    index = {name: i for i, name in enumerate(order)}
    ties: dict[str, Tie] = {}
    for joint in joints:
        multiplier, offset, master = 1.0, 0.0, joint
        passed: set[str] = set()
        while master.mimic is not None:
            passed.add(master.name)
            if master.mimic.joint in passed or master.mimic.joint not in masters:
                wanted = f"another {' or '.join(KINDS)} joint, and at last one that moves by itself"
                raise MeshSimError(f"joint {master.name!r} must mimic {wanted}, not {master.mimic.joint!r}")
            offset += multiplier * master.mimic.offset
            multiplier *= master.mimic.multiplier
            master = masters[master.mimic.joint]
        if joint.mimic is not None:
            ties[joint.name] = Tie(index[master.name], multiplier, offset)
    return ties


def _walk(
    links: Mapping[str, Inertial | None], joints: Sequence[Joint], root: str
) -> tuple[list[_Carrier], dict[str, Mount]]:
    """Walk outward from the root, depth first, and gather whatever is fixed together."""
    below: dict[str, list[Joint]] = {link: [] for link in links}
    for joint in reversed(joints):
        below[joint.parent].append(joint)  # the first comes last, and is taken first
    carriers: list[_Carrier] = []
    mounts = {root: Mount(-1, ORIGIN)}
    # Each entry: a joint, the body that carries it, and the frame of the joint's parent link in that body's.
    waiting = [(joint, -1, ORIGIN) for joint in below[root]]
    while waiting:
        joint, carrier, pose = waiting.pop()
        frame = pose @ joint.origin
        if joint.kind != "fixed":
            frame = _carry(carriers, joint, carrier, frame)
            carrier = len(carriers) - 1
        mounts[joint.child] = Mount(carrier, frame)
        inertial = links[joint.child]
        if carrier >= 0 and inertial is not None:
            carriers[carrier].parts.append(Inertial(inertial.mass, frame @ inertial.pose, inertial.inertia))
        waiting.extend((outer, carrier, frame) for outer in below[joint.child])
    return carriers, mounts


def _carry(carriers: list[_Carrier], joint: Joint, parent: int, frame: Pose) -> Pose:
    """Add the bodies of a moving joint, and return the frame of the joint's child link in the last of them."""
    turn = frame_along(joint.axis)
    freedoms = freedoms_of(joint.name, joint.kind)
    before = frame.rotation @ turn, frame.position
    for i, freedom in enumerate(freedoms):
        rotation, position = before
        name = joint.child if i == len(freedoms) - 1 else freedom.coordinate
        pose = Pose(rotation @ freedom.frame, position)
        twist = joint.twist if i == 0 else 0.0
        if twist is not None and not np.array_equal(pose.rotation, rotation_x(twist)):
            twist = None  # a frame turned onto an axis is no longer in twist form
        carriers.append(_Carrier(name, freedom.coordinate, freedom.kind, parent, pose, twist, []))
        parent = len(carriers) - 1
        before = freedom.frame.T, np.zeros(3)
    return Pose(before[0] @ turn.T, np.zeros(3))


def frame_along(axis: Array) -> Array:
    """Rotation whose third column is the unit vector `axis`: the identity if that is z already."""
    if np.array_equal(axis, Z_AXIS):
        return np.eye(3)
    helper = np.eye(3)[np.abs(axis).argmin()]
    x = np.cross(helper, axis)
    x /= math.hypot(*x)
    return np.column_stack((x, np.cross(axis, x), axis))


def merged(parts: Sequence[Inertial]) -> tuple[float, Vector, Matrix]:
    """Mass, centre of mass and moments about it of parts that move as one."""
    mass = sum(part.mass for part in parts)
    com = np.zeros(3)
    if mass > 0:
        com = sum((part.mass * part.pose.position for part in parts), com) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        R, d = part.pose.rotation, part.pose.position - com
        inertia += R @ part.inertia @ R.T + part.mass * ((d @ d) * np.eye(3) - np.outer(d, d))
    return float(mass), to_vector(com), to_matrix((inertia + inertia.T) / 2)


def _body(carrier: _Carrier, tie: Tie | None) -> Body:
    mass, com, inertia = merged(carrier.parts)
    return Body(
        name=carrier.name,
        joint=carrier.joint,
        kind=carrier.kind,
        parent=carrier.parent,
        rotation=to_matrix(carrier.frame.rotation),
        position=to_vector(carrier.frame.position),
        mass=mass,
        com=com,
        inertia=inertia,
        twist=carrier.twist,
        tie=tie,
    )
