"""Mechanisms from URDF files: any tree of the joints that URDF has.

What a file means is told by `tree.py`. The rotations are general ones, so no body has a `twist`. A joint that mimics
another is tied to it; one with the multiplier 0 never moves, and is fixed, and so is what follows it.
"""

import xml.etree.ElementTree as ET
from os import PathLike

import numpy as np

from meshsim.algorithms.robots.compound import BASE
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.tree import (
    ORIGIN,
    Z_AXIS,
    Inertial,
    Joint,
    Mimic,
    Mount,
    Pose,
    build_with_mounts,
    check_name,
    rotation_rpy,
    unit_vector,
)
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.reading import naming, number, numbers_in, read_text

_KINDS = {  # what URDF calls a joint, and what it is here
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "floating",
    "fixed": "fixed",
}
_WITH_AXIS = ("revolute", "continuous", "prismatic", "planar")
MOST_BYTES = 20_000_000
FLOATING = "floating:"
"""Before the path of a URDF file: its root link floats."""
MOST_LINKS = 4096
"""And as many joints: a robot of as many freedoms as are taken seldom has eight links to each."""
MOST_ELEMENTS = 200_000


def read_urdf(path: str | PathLike[str], floating: bool = False, kind: type[Mechanism] = Mechanism) -> Mechanism:
    """Read a robot from a URDF file.

    Parameters
    ----------
    path : str or path-like
        The file.
    floating : bool
        Whether the root link floats, carried by a floating joint named `BASE`; else it is the ground.
    kind : type of Mechanism
        `Unweighed` for one whose joints may move no mass.

    Returns
    -------
    Mechanism
        The robot, in general form: ``twist`` is None for every body. Limits, geometry and whatever belongs to
        the fixed base are left out.
    """
    return read_urdf_with_mounts(path, floating, kind)[0]


def read_urdf_with_mounts(
    path: str | PathLike[str], floating: bool = False, kind: type[Mechanism] = Mechanism
) -> tuple[Mechanism, dict[str, Mount]]:
    """What `read_urdf` returns, and where each link of the file went."""
    with naming(path):
        robot = _load_xml(path)
        links = _read_links(robot)
        joints = _read_joints(robot, links)
        if floating:
            links, joints = _set_afloat(links, joints)
        return build_with_mounts(_name(robot), links, joints, kind=kind)


def _set_afloat(
    links: dict[str, Inertial | None], joints: list[Joint]
) -> tuple[dict[str, Inertial | None], list[Joint]]:
    """Carry the root link by a floating joint, if there is but one; `build` refuses any other robot."""
    carried = {joint.child for joint in joints}
    roots = [link for link in links if link not in carried]
    if len(roots) != 1:
        return links, joints
    ground = ""  # no link of a file has this name
    return {ground: None, **links}, [Joint(BASE, "floating", ground, roots[0]), *joints]


def _load_xml(path: str | PathLike[str]) -> ET.Element:
    text = read_text(path, "URDF", MOST_BYTES)
    for declaration in ("<!DOCTYPE", "<!ENTITY"):  # a few lines of entities can expand to gigabytes
        if declaration in text:
            raise MeshSimError(f"URDF must be plain XML, not XML with a {declaration}> declaration")
    elements = text.count("<")
    if elements > MOST_ELEMENTS:
        raise MeshSimError(f"URDF must have at most {MOST_ELEMENTS} elements, not about {elements}")
    try:
        robot = ET.fromstring(text)
    except (ET.ParseError, ValueError) as error:  # ValueError: text that UTF-8 cannot hold
        raise MeshSimError(f"URDF must be well-formed XML, not text that fails with: {error}") from None
    if robot.tag != "robot":
        raise MeshSimError(f"root element must be <robot> (URDF) or <mujoco> (MJCF), not <{robot.tag}>")
    if any("/xacro}" in child.tag for child in robot):
        raise MeshSimError("URDF must be plain, not xacro, which has to be expanded first: xacro FILE > FILE.urdf")
    for tag in ("link", "joint"):  # before time goes into reading them
        count = len(robot.findall(tag))
        if count > MOST_LINKS:
            raise MeshSimError(f"robot must have at most {MOST_LINKS} {tag}s, not {count}")
    return robot


def _name(element: ET.Element) -> str:
    name = element.get("name")
    if not name:
        raise MeshSimError(f"every <{element.tag}> must have a name, not none")
    check_name(f"a <{element.tag}>", name)
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
    values = [] if text is None else numbers_in(text.split())
    if len(values) != count:
        raise MeshSimError(f"{what} must be {wanted}, not {'missing' if text is None else repr(text)}")
    return values


def _read_origin(element: ET.Element, owner: str) -> Pose:
    origin = _child(element, "origin", owner)
    if origin is None:
        return ORIGIN
    xyz = _numbers(f"origin xyz of {owner}", origin.get("xyz", "0 0 0"), 3)
    roll, pitch, yaw = _numbers(f"origin rpy of {owner}", origin.get("rpy", "0 0 0"), 3)
    return Pose(rotation_rpy(roll, pitch, yaw), np.array(xyz))


def _read_links(robot: ET.Element) -> dict[str, Inertial | None]:
    links: dict[str, Inertial | None] = {}
    if robot.find("link") is None:
        raise MeshSimError("robot must have links, not none")
    for element in robot.findall("link"):
        name = _name(element)
        if name in links:
            raise MeshSimError(f"link names must be unique, not {name!r} twice")
        inertial = _child(element, "inertial", f"link {name!r}")
        links[name] = None if inertial is None else _read_inertial(inertial, f"inertial of link {name!r}")
    return links


def _read_inertial(element: ET.Element, owner: str) -> Inertial:
    (mass,) = _numbers(f"mass in {owner}", _required_child(element, "mass", owner).get("value"), 1)
    number(f"mass in {owner}", mass, least=0)
    inertia = _required_child(element, "inertia", owner)
    entries: dict[str, float] = {}
    for key in ("xx", "xy", "xz", "yy", "yz", "zz"):
        (entries[key],) = _numbers(f"i{key} in {owner}", inertia.get(f"i{key}"), 1)
    rows = [[entries[min(a, b) + max(a, b)] for b in "xyz"] for a in "xyz"]
    return Inertial(mass, _read_origin(element, owner), np.array(rows))


def _read_joints(robot: ET.Element, links: dict[str, Inertial | None]) -> list[Joint]:
    joints: list[Joint] = []
    names: set[str] = set()
    for element in robot.findall("joint"):
        joint = _read_joint(element, links)
        if joint.name in names:
            raise MeshSimError(f"joint names must be unique, not {joint.name!r} twice")
        names.add(joint.name)
        joints.append(joint)
    return joints


def _read_joint(element: ET.Element, links: dict[str, Inertial | None]) -> Joint:
    name = _name(element)
    owner = f"joint {name!r}"
    kind = element.get("type", "")
    if kind not in _KINDS:
        found = "missing" if not kind else repr(kind)
        raise MeshSimError(f"type of {owner} must be {', '.join(_KINDS)}, not {found}")
    parent, child = (_read_end(element, tag, owner, links) for tag in ("parent", "child"))
    origin = _read_origin(element, owner)
    axis = _read_axis(element, owner) if kind in _WITH_AXIS else Z_AXIS
    mimic = None if kind == "fixed" else _read_mimic(element, owner)
    return Joint(name, _KINDS[kind], parent, child, origin, axis, mimic=mimic)


def _read_end(element: ET.Element, tag: str, owner: str, links: dict[str, Inertial | None]) -> str:
    link = _required_child(element, tag, owner).get("link")
    if link is None or link not in links:
        found = "missing" if link is None else repr(link)
        raise MeshSimError(f"{tag} of {owner} must be a link of the robot, not {found}")
    return link


def _read_mimic(element: ET.Element, owner: str) -> Mimic | None:
    mimic = _child(element, "mimic", owner)
    if mimic is None:
        return None
    joint = mimic.get("joint")
    if not joint:
        raise MeshSimError(f"<mimic> of {owner} must name a joint, not none")
    (multiplier,) = _numbers(f"mimic multiplier of {owner}", mimic.get("multiplier", "1"), 1)
    (offset,) = _numbers(f"mimic offset of {owner}", mimic.get("offset", "0"), 1)
    return Mimic(joint, multiplier, offset)


def _read_axis(element: ET.Element, owner: str) -> Array:
    axis = _child(element, "axis", owner)
    text = "1 0 0" if axis is None else axis.get("xyz")  # the URDF default
    return unit_vector(f"axis of {owner}", _numbers(f"axis of {owner}", text, 3), text)
