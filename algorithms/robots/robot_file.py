"""The bodies and joints of a robot file (docs/robots.md), which can say what a URDF cannot."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from meshsim.algorithms.robots.body import rotation_x
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.tree import (
    JOINTS,
    Inertial,
    Joint,
    Mimic,
    Mount,
    Pose,
    build_with_mounts,
    check_name,
    rotation_about,
    rotation_rpy,
    unit_vector,
)
from meshsim.algorithms.robots.urdf import MOST_LINKS
from meshsim.algorithms.types.vectors import Vector
from meshsim.errors import MeshSimError
from meshsim.reading import number, numbers, one_of, parse_toml, read_text, table, tables, text

WHAT = "robot file"
LARGEST = 2_000_000
"""Bytes of a robot file."""
GROUND = "ground"
"""The name by which a body says that it is carried by the ground."""
KEYS = ("name", "gravity", "angles", "body")
ROTATIONS = ("rpy", "axis_angle", "twist")
_BODY_KEYS = ("name", "parent", "joint", "kind", "axis", "position", *ROTATIONS, "mass", "com", "inertia", "mimic")
_MIMIC_KEYS = ("joint", "multiplier", "offset")
_ANGLES = {"radians": 1.0, "degrees": np.pi / 180.0}
_WITHOUT_AXIS = ("spherical", "floating", "fixed")


def load_robot_file(path: str | PathLike[str]) -> Mapping[str, Any]:
    """What a file says, or in one line why it cannot be read."""
    written = read_text(path, WHAT, LARGEST)
    if written.count("[[body]]") > MOST_LINKS:  # before time goes into reading them
        raise _too_large()
    return parse_toml(written, WHAT)


def _too_large() -> MeshSimError:
    return MeshSimError(f"{WHAT} must have at most {LARGEST} characters and {MOST_LINKS} bodies")


def robot_with_mounts(
    data: Mapping[str, Any], stem: str, kind: type[Mechanism] = Mechanism
) -> tuple[Mechanism, dict[str, Mount]]:
    """The robot that a file's keys describe, as `kind`, and where each of its bodies went."""
    name = read_name("name of the robot", data.get("name", stem))
    gravity = read_vector("gravity", data.get("gravity", [0.0, 0.0, -9.81]))
    radians = unit_of_angles(data)
    bodies = tables(WHAT, "body", data.get("body"))
    if len(bodies) > MOST_LINKS:  # body = [...] says so, too
        raise _too_large()
    links: dict[str, Inertial | None] = {GROUND: None}
    joints: dict[str, Joint] = {}
    for body in bodies:
        joint = _read_joint(body, radians)
        if joint.child in links:
            raise MeshSimError(f"body names must be unique and not {GROUND!r}, not {joint.child!r} twice")
        if joint.name in joints:
            raise MeshSimError(f"joint names must be unique, not {joint.name!r} twice")
        links[joint.child] = _read_inertial(body, f"body {joint.child!r}")
        joints[joint.name] = joint
    for joint in joints.values():
        if joint.parent not in links:
            raise MeshSimError(
                f"parent of body {joint.child!r} must be {GROUND!r} or the name of a body, not {joint.parent!r}"
            )
    return build_with_mounts(name, links, list(joints.values()), gravity, kind)


def unit_of_angles(data: Mapping[str, Any]) -> float:
    """How many radians the angle 1 of a file has."""
    return _ANGLES[one_of("angles", data.get("angles", "radians"), _ANGLES)]


def _read_joint(body: Mapping[str, Any], radians: float) -> Joint:
    name, owner = named_table("body", body, _BODY_KEYS)
    kind = one_of(f"kind of {owner}", body.get("kind", "revolute"), JOINTS)
    if "axis" in body and kind in _WITHOUT_AXIS:
        raise MeshSimError(f"{owner} must have no axis, since its joint is {kind}, not {body['axis']!r}")
    axis = read_vector(f"axis of {owner}", body.get("axis", [0.0, 0.0, 1.0]))
    rotation, twist = read_rotation(body, owner, radians)
    return Joint(
        name=read_name(f"joint of {owner}", body.get("joint", name)),
        kind=kind,
        parent=read_name(f"parent of {owner}", body.get("parent", GROUND)),
        child=name,
        origin=Pose(rotation, np.array(read_vector(f"position of {owner}", body.get("position", [0.0] * 3)))),
        axis=unit_vector(f"axis of {owner}", axis, body.get("axis")),
        twist=twist,
        mimic=_read_mimic(body["mimic"], f"mimic of {owner}", 1.0 if kind == "prismatic" else radians)
        if "mimic" in body
        else None,
    )


def _read_mimic(value: object, owner: str, unit: float) -> Mimic:
    found = table(owner, value, _MIMIC_KEYS, ("joint",), 'a table such as { joint = "left", multiplier = -1.0 }')
    multiplier = number(f"multiplier in {owner}", found.get("multiplier", 1.0))
    offset = number(f"offset in {owner}", found.get("offset", 0.0))
    return Mimic(read_name(f"joint in {owner}", found["joint"]), multiplier, unit * offset)


def read_rotation(body: Mapping[str, Any], owner: str, radians: float) -> tuple[Any, float | None]:
    """How the joint's frame is turned, and the twist if that is one."""
    given = [key for key in ROTATIONS if key in body]
    if len(given) > 1:
        raise MeshSimError(f"{owner} must be turned by one of {', '.join(ROTATIONS)}, not {' and '.join(given)}")
    if "rpy" in body:
        roll, pitch, yaw = (radians * angle for angle in read_vector(f"rpy of {owner}", body["rpy"]))
        return rotation_rpy(roll, pitch, yaw), None
    if "axis_angle" in body:
        what = f"axis_angle of {owner}"
        *axis, angle = numbers(what, body["axis_angle"], 4)
        return rotation_about(unit_vector(what, axis, body["axis_angle"]), radians * angle), None
    twist = radians * number(f"twist of {owner}", body.get("twist", 0.0))
    return np.array(rotation_x(twist)), twist


def _read_inertial(body: Mapping[str, Any], owner: str) -> Inertial:
    mass = number(f"mass of {owner}", body.get("mass", 0.0), least=0)
    com = read_vector(f"com of {owner}", body.get("com", [0.0] * 3))
    value = body.get("inertia", [0.0] * 3)
    what = f"inertia of {owner}"
    if isinstance(value, list) and len(value) == 3 and all(isinstance(row, list) for row in value):
        inertia = np.array([read_vector(what, row) for row in value])
    else:
        inertia = np.diag(read_vector(what, value))
    if not np.array_equal(inertia, inertia.T):
        raise MeshSimError(f"{what} must be symmetric, not {value!r}")
    return Inertial(mass, Pose(np.eye(3), np.array(com)), inertia)


def named_table(key: str, found: Mapping[str, Any], keys: Sequence[str]) -> tuple[str, str]:
    """The name of a `[[key]]` table, whose keys are known, and how messages call it."""
    if "name" not in found:
        raise MeshSimError(f"every [[{key}]] must have a name, not none")
    name = read_name(f"name of a [[{key}]]", found["name"])
    owner = f"{key} {name!r}"
    table(owner, found, keys)
    return name, owner


def read_name(what: str, value: object) -> str:
    """A name as a text that can be printed."""
    name = text(what, value)
    check_name(what.removeprefix("name of "), name)
    return name


def read_vector(what: str, value: object) -> Vector:
    """Three finite numbers."""
    x, y, z = numbers(what, value, 3)
    return x, y, z
