"""Serial chains of revolute joints from URDF files.

Links joined by fixed joints become one body. Each body's frame is turned so that its z is the joint axis; the
joint angles stay those of the file. The rotations are general ones, so no body has a `twist`.
"""

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from algorithms.arrays import Array
from algorithms.mechanism import Body, Matrix, Mechanism, Vector
from meshsim.errors import MeshSimError

_MOVING = ("revolute", "continuous")


@dataclass(frozen=True, eq=False)
class _Pose:
    """A frame seen from another: its axes are the columns of `rotation`, its origin is at `position`."""

    rotation: Array
    position: Array

    def __matmul__(self, inner: "_Pose") -> "_Pose":
        return _Pose(self.rotation @ inner.rotation, self.position + self.rotation @ inner.position)


@dataclass(frozen=True, eq=False)
class _Inertial:
    """Mass and its distribution: `pose` holds the centre of mass and the axes of `inertia`."""

    mass: float
    pose: _Pose
    inertia: Array


@dataclass(frozen=True, eq=False)
class _Joint:
    name: str
    kind: str
    parent: str
    child: str
    origin: _Pose
    axis: Array


@dataclass(frozen=True, eq=False)
class _Carrier:
    """A moving joint, the frame of its body in the body before, and the inertials that ride on it."""

    joint: _Joint
    frame: _Pose
    parts: list[_Inertial]


def read_urdf(path: str | PathLike[str]) -> Mechanism:
    """Read a serial chain of revolute or continuous joints from a URDF file.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    Mechanism
        The chain, in general form: ``twist`` is None for every body. Limits, geometry and whatever belongs to
        the fixed base are left out.
    """
    try:
        robot = _load_xml(path)
        # Absurd but finite numbers may overflow here; the mechanism then refuses the infinities.
        with np.errstate(over="ignore", invalid="ignore"):
            links = _read_links(robot)
            joints = _read_joints(robot, links)
            carriers = _merge(links, joints, _root_link(links, joints))
            bodies = tuple(_body(carrier, i - 1) for i, carrier in enumerate(carriers))
        return Mechanism(_name(robot), bodies)
    except MeshSimError as error:
        raise MeshSimError(f"{path}: {error}") from None


def _load_xml(path: str | PathLike[str]) -> ET.Element:
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MeshSimError("URDF must be UTF-8 text, not other bytes") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a null byte
        reason = error.strerror if isinstance(error, OSError) else error
        raise MeshSimError(f"URDF must be a readable file, not one that fails with: {reason}") from None
    for declaration in ("<!DOCTYPE", "<!ENTITY"):  # a few lines of entities can expand to gigabytes
        if declaration in text:
            raise MeshSimError(f"URDF must be plain XML, not XML with a {declaration}> declaration")
    try:
        robot = ET.fromstring(text)
    except (ET.ParseError, ValueError) as error:  # ValueError: text that UTF-8 cannot hold
        raise MeshSimError(f"URDF must be well-formed XML, not text that fails with: {error}") from None
    if robot.tag != "robot":
        raise MeshSimError(f"root element must be <robot>, not <{robot.tag}>")
    return robot


def _name(element: ET.Element) -> str:
    name = element.get("name")
    if not name:
        raise MeshSimError(f"every <{element.tag}> must have a name, not none")
    return name


def _child(element: ET.Element, tag: str, owner: str) -> ET.Element | None:
    """Child of `element` with this tag, or None; two of them would leave the meaning open."""
    found = element.findall(tag)
    if len(found) > 1:
        raise MeshSimError(f"{owner} must have one <{tag}>, not {len(found)}")
    return found[0] if found else None


def _required_child(element: ET.Element, tag: str, owner: str) -> ET.Element:
    child = _child(element, tag, owner)
    if child is None:
        raise MeshSimError(f"{owner} must have one <{tag}>, not none")
    return child


def _numbers(what: str, text: str | None, count: int) -> list[float]:
    wanted = "a finite number" if count == 1 else f"{count} finite numbers"
    try:
        values = [float(word) for word in text.split()] if text is not None else []
    except ValueError:
        values = []
    if len(values) != count or not all(map(math.isfinite, values)):
        raise MeshSimError(f"{what} must be {wanted}, not {'missing' if text is None else repr(text)}")
    return values


def _read_origin(element: ET.Element, owner: str) -> _Pose:
    origin = _child(element, "origin", owner)
    if origin is None:
        return _Pose(np.eye(3), np.zeros(3))
    xyz = _numbers(f"origin xyz of {owner}", origin.get("xyz", "0 0 0"), 3)
    roll, pitch, yaw = _numbers(f"origin rpy of {owner}", origin.get("rpy", "0 0 0"), 3)
    return _Pose(_rotation_rpy(roll, pitch, yaw), np.array(xyz))


def _rotation_rpy(roll: float, pitch: float, yaw: float) -> Array:
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


def _read_links(robot: ET.Element) -> dict[str, _Inertial | None]:
    links: dict[str, _Inertial | None] = {}
    for element in robot.findall("link"):
        name = _name(element)
        if name in links:
            raise MeshSimError(f"link names must be unique, not twice {name!r}")
        inertial = _child(element, "inertial", f"link {name!r}")
        links[name] = None if inertial is None else _read_inertial(inertial, f"inertial of link {name!r}")
    return links


def _read_inertial(element: ET.Element, owner: str) -> _Inertial:
    (mass,) = _numbers(f"mass in {owner}", _required_child(element, "mass", owner).get("value"), 1)
    if mass < 0:
        raise MeshSimError(f"mass in {owner} must be at least 0, not {mass}")
    inertia = _required_child(element, "inertia", owner)
    entries: dict[str, float] = {}
    for key in ("xx", "xy", "xz", "yy", "yz", "zz"):
        (entries[key],) = _numbers(f"i{key} in {owner}", inertia.get(f"i{key}"), 1)
    rows = [[entries[min(a, b) + max(a, b)] for b in "xyz"] for a in "xyz"]
    return _Inertial(mass, _read_origin(element, owner), np.array(rows))


def _read_joints(robot: ET.Element, links: dict[str, _Inertial | None]) -> list[_Joint]:
    joints: list[_Joint] = []
    names: set[str] = set()
    carried_by: dict[str, str] = {}
    for element in robot.findall("joint"):
        joint = _read_joint(element, links)
        if joint.name in names:
            raise MeshSimError(f"joint names must be unique, not twice {joint.name!r}")
        if joint.child in carried_by:
            rival = carried_by[joint.child]
            raise MeshSimError(
                f"link {joint.child!r} must be the child of one joint, not of {rival!r} and {joint.name!r}"
            )
        names.add(joint.name)
        carried_by[joint.child] = joint.name
        joints.append(joint)
    return joints


def _read_joint(element: ET.Element, links: dict[str, _Inertial | None]) -> _Joint:
    name = _name(element)
    owner = f"joint {name!r}"
    kind = element.get("type")
    if kind not in (*_MOVING, "fixed"):
        found = "missing" if kind is None else repr(kind)
        raise MeshSimError(f"type of {owner} must be revolute, continuous or fixed, not {found}")
    if element.find("mimic") is not None:
        raise MeshSimError(f"{owner} must move by itself, not <mimic> another joint")
    ends = []
    for tag in ("parent", "child"):
        link = _required_child(element, tag, owner).get("link")
        if link not in links:
            found = "missing" if link is None else repr(link)
            raise MeshSimError(f"{tag} of {owner} must be a link of the robot, not {found}")
        ends.append(link)
    axis = _read_axis(element, owner) if kind in _MOVING else np.array([0.0, 0.0, 1.0])
    return _Joint(name, kind, ends[0], ends[1], _read_origin(element, owner), axis)


def _read_axis(element: ET.Element, owner: str) -> Array:
    axis = _child(element, "axis", owner)
    text = "1 0 0" if axis is None else axis.get("xyz")  # the URDF default
    values = _numbers(f"axis of {owner}", text, 3)
    length = math.hypot(*values)
    if length == 0.0:
        raise MeshSimError(f"axis of {owner} must be a nonzero vector, not {text!r}")
    return np.array([value / length for value in values])


def _root_link(links: dict[str, _Inertial | None], joints: list[_Joint]) -> str:
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


def _merge(links: dict[str, _Inertial | None], joints: list[_Joint], root: str) -> list[_Carrier]:
    """Walk outward from the root and gather whatever is fixed together."""
    below: dict[str, list[_Joint]] = {link: [] for link in links}
    for joint in joints:
        below[joint.parent].append(joint)
    carriers: list[_Carrier] = []
    # Each entry: a link, how many moving joints carry it, and its frame in the frame of the last one's body.
    waiting = [(root, 0, _Pose(np.eye(3), np.zeros(3)))]
    while waiting:
        link, level, pose = waiting.pop()
        inertial = links[link]
        if level > 0 and inertial is not None:
            carriers[level - 1].parts.append(_Inertial(inertial.mass, pose @ inertial.pose, inertial.inertia))
        for joint in below[link]:
            frame = pose @ joint.origin
            if joint.kind == "fixed":
                waiting.append((joint.child, level, frame))
                continue
            if len(carriers) > level:
                raise MeshSimError(
                    f"joint {joint.name!r} must be the only moving joint on its body, "
                    f"not one of two with {carriers[level].joint.name!r}"
                )
            turn = _Pose(_frame_along(joint.axis), np.zeros(3))
            carriers.append(_Carrier(joint, frame @ turn, []))
            waiting.append((joint.child, level + 1, _Pose(turn.rotation.T, np.zeros(3))))
    if not carriers:
        raise MeshSimError("robot must have at least one revolute or continuous joint, not 0")
    return carriers


def _frame_along(axis: Array) -> Array:
    """Rotation whose third column is the unit vector `axis`: the identity if that is z already."""
    if np.array_equal(axis, [0.0, 0.0, 1.0]):
        return np.eye(3)
    helper = np.eye(3)[np.abs(axis).argmin()]
    x = np.cross(helper, axis)
    x /= math.hypot(*x)
    return np.column_stack((x, np.cross(axis, x), axis))


def _body(carrier: _Carrier, parent: int) -> Body:
    joint, parts = carrier.joint, carrier.parts
    mass = sum(part.mass for part in parts)
    if mass <= 0:
        raise MeshSimError(f"link {joint.child!r}, moved by joint {joint.name!r}, must have mass, not 0")
    com = sum((part.mass * part.pose.position for part in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        R, d = part.pose.rotation, part.pose.position - com
        inertia += R @ part.inertia @ R.T + part.mass * ((d @ d) * np.eye(3) - np.outer(d, d))
    return Body(
        name=joint.child,
        joint=joint.name,
        kind="revolute",
        parent=parent,
        rotation=_matrix(carrier.frame.rotation),
        position=_vector(carrier.frame.position),
        mass=mass,
        com=_vector(com),
        inertia=_matrix((inertia + inertia.T) / 2),
    )


def _vector(values: Array) -> Vector:
    x, y, z = values
    return (float(x), float(y), float(z))


def _matrix(values: Array) -> Matrix:
    a, b, c = values
    return (_vector(a), _vector(b), _vector(c))
