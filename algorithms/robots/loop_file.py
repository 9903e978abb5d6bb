"""The loops of a robot file, beside its bodies or beside a URDF (docs/robots.md)."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from meshsim.algorithms.robots.closure import assemble, check_actuation, check_mobile, check_rank, loops
from meshsim.algorithms.robots.cuts import CUTS, Anchor, Cut
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.robot_file import (
    GROUND,
    KEYS,
    ROTATIONS,
    named_table,
    read_name,
    read_rotation,
    read_vector,
    robot_with_mounts,
    unit_of_angles,
)
from meshsim.algorithms.robots.tree import ORIGIN, Mount, Pose, frame_along, unit_vector
from meshsim.algorithms.robots.urdf import FLOATING, read_urdf_with_mounts
from meshsim.algorithms.types.vectors import to_matrix, to_vector
from meshsim.errors import MeshSimError
from meshsim.reading import number, table, tables

LOOPS = ("loop", "actuated", "guess")
"""What a file has of loops."""
_SIDES = ("first", "second")
_END_KEYS: Mapping[str, tuple[str, ...]] = {
    "revolute": ("position", "axis"),
    "spherical": ("position",),
    "fixed": ("position", *ROTATIONS),
}
"""What a loop of each kind says of either of its ends, after `first_` and `second_`."""
_OF_ENDS = ("", "_position", "_axis", *(f"_{rotation}" for rotation in ROTATIONS))
_LOOP_KEYS = ("name", "kind", *(f"{side}{key}" for side in _SIDES for key in _OF_ENDS))
MOST_JOINTS = 128
"""Loops that do not close are tried a hundred times, each time by all joints between their ends."""


def robot_with_loops(data: Mapping[str, Any], path: Path) -> Mechanism:
    """The robot that a file with `[[loop]]` tables tells, beside `[[body]]` tables or the path of a URDF.

    It can be assembled and driven. Its guess is that of the file, not the positions in which the loops close.
    """
    if not data.get("loop"):
        raise MeshSimError("robot must have at least one [[loop]], not none; without loops it is a tree")
    tree, mounts = _tree(data, path)
    check_size(tree)
    radians = unit_of_angles(data)
    cuts = _read_cuts(data["loop"], tree, mounts, radians)
    actuated = _read_actuated(data["actuated"], tree) if "actuated" in data else None
    mechanism = tree.closed_by(cuts, actuated or (), _read_guess(data.get("guess", {}), tree, radians))
    check_loops(mechanism, is_driven=actuated is not None)
    return mechanism


def check_size(tree: Mechanism) -> None:
    """Refuse more joints than loops are tried with."""
    if tree.n > MOST_JOINTS:
        raise MeshSimError(f"robot with loops must have at most {MOST_JOINTS} joints, not {tree.n}")


def _tree(data: Mapping[str, Any], path: Path) -> tuple[Mechanism, dict[str, Mount]]:
    """The robot without its loops, and where each link of the files went."""
    if ("robot" in data) == ("body" in data):
        found = "both" if "body" in data else "neither"
        raise MeshSimError(f"robot must have [[body]] tables or robot = the path of a URDF file, not {found}")
    if "body" in data:
        table("the robot", data, (*KEYS, *LOOPS))
        return robot_with_mounts(data, path.stem)
    table("the robot", data, ("name", "robot", "angles", *LOOPS))
    name = read_name("name of the robot", data.get("name", path.stem))
    text = data["robot"]
    urdf = text.removeprefix(FLOATING) if isinstance(text, str) else ""
    if not urdf or not urdf.isprintable() or urdf.endswith(".toml"):
        raise MeshSimError(f"robot must be the path of a URDF file, after {FLOATING} if it floats, not {text!r}")
    tree, mounts = read_urdf_with_mounts(path.parent / urdf, floating=text != urdf)
    ground = mounts.get(GROUND)
    if ground is not None and (ground.body >= 0 or not _is_origin(ground.pose)):
        raise MeshSimError(f"link {GROUND!r} of {urdf} must be the ground, since that is what loops call so")
    return replace(tree, name=name), {**mounts, GROUND: Mount(-1, ORIGIN)}


def _is_origin(pose: Pose) -> bool:
    return np.array_equal(pose.rotation, ORIGIN.rotation) and np.array_equal(pose.position, ORIGIN.position)


# Loops


def _read_cuts(value: object, tree: Mechanism, mounts: Mapping[str, Mount], radians: float) -> tuple[Cut, ...]:
    found = tables("robot", "loop", value)
    most = tree.n // 2
    if len(found) > most:
        raise MeshSimError(
            f"robot must have at most {most} loops, since each takes two freedoms or more from its {tree.n} joints, "
            f"not {len(found)}"
        )
    cuts: dict[str, Cut] = {}
    for loop in found:
        cut = _read_cut(loop, mounts, radians)
        if cut.name in cuts:
            raise MeshSimError(f"loop names must be unique, not {cut.name!r} twice")
        cuts[cut.name] = cut
    return tuple(cuts.values())


def _read_cut(loop: Mapping[str, Any], mounts: Mapping[str, Mount], radians: float) -> Cut:
    name, owner = named_table("loop", loop, _LOOP_KEYS)
    kind = loop.get("kind", "revolute")
    if kind not in CUTS:
        raise MeshSimError(
            f"kind of {owner} must be {', '.join(CUTS)}, not {kind!r}; "
            "cut another joint of the loop, or one of its bodies by a fixed joint"
        )
    first, second = (_read_anchor(loop, side, owner, kind, mounts, radians) for side in _SIDES)
    if first.body == second.body:
        raise MeshSimError(
            f"{owner} must join two bodies, not {loop['first']!r} and {loop['second']!r}, "
            f"which {'are the ground' if first.body < 0 else 'move as one'}"
        )
    return Cut(name, kind, first, second)


def _read_anchor(
    loop: Mapping[str, Any], side: str, owner: str, kind: str, mounts: Mapping[str, Mount], radians: float
) -> Anchor:
    """One end of a loop, in the frame of the body that carries the link which the file names."""
    if side not in loop:
        raise MeshSimError(f"{owner} must have a {side} body, not none")
    link = read_name(f"{side} of {owner}", loop[side])
    if link not in mounts:
        raise MeshSimError(f"{side} of {owner} must be {GROUND!r} or the name of a body, not {link!r}")
    end = {key.removeprefix(f"{side}_"): value for key, value in loop.items() if key.startswith(f"{side}_")}
    for key, value in end.items():
        if key not in _END_KEYS[kind]:
            raise MeshSimError(f"{owner} must have no {side}_{key}, since it is {kind}, not {value!r}")
    position = np.array(read_vector(f"{side}_position of {owner}", end.get("position", [0.0] * 3)))
    rotation = read_rotation(end, f"the {side} end of {owner}", radians)[0]
    if "axis" in end:
        what = f"{side}_axis of {owner}"
        rotation = frame_along(unit_vector(what, read_vector(what, end["axis"]), end["axis"]))
    mount = mounts[link]
    with np.errstate(over="ignore", invalid="ignore"):  # absurd lengths are refused when the loops are closed
        pose = mount.pose @ Pose(rotation, position)
    return Anchor(mount.body, to_vector(pose.position), to_matrix(pose.rotation))


# What is driven, and where to begin


def _read_actuated(value: object, tree: Mechanism) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise MeshSimError(f"actuated must be a list of joints, not {value!r}")
    for k, joint in enumerate(value):
        if joint not in tree.joints:
            raise MeshSimError(f"every entry of actuated must be a joint ({', '.join(tree.joints)}), not {joint!r}")
        if joint in value[:k]:
            raise MeshSimError(f"actuated must name a joint once, not {joint!r} twice")
    return tuple(map(tree.joints.index, value))


def _read_guess(value: object, tree: Mechanism, radians: float) -> tuple[float, ...]:
    """Positions of all joints, 0 where the file gives none; `base.x = 1` is a table in a table to TOML."""
    found = table("guess", value, kind=f"a table such as {{ {tree.joints[0]} = 0.5 }}")
    given: list[tuple[str, object]] = []
    for key, entry in found.items():
        given += (
            [(f"{key}.{name}", inner) for name, inner in entry.items()] if isinstance(entry, dict) else [(key, entry)]
        )
    positions = dict.fromkeys(tree.joints, 0.0)
    seen: set[str] = set()
    for joint, entry in given:
        if joint not in positions:
            raise MeshSimError(f"guess must be for joints ({', '.join(tree.joints)}), not for {joint!r}")
        if joint in seen:
            raise MeshSimError(f"guess must give each joint once, not {joint!r} twice")
        seen.add(joint)
        positions[joint] = number(f"guess for {joint!r}", entry)
    slides = {body.joint for body in tree.bodies if body.kind == "prismatic"}
    return tuple(q if joint in slides else radians * q for joint, q in positions.items())


def check_loops(mechanism: Mechanism, is_driven: bool = True) -> None:
    """Refuse loops that cannot be closed, that are redundant, or whose motion the driven joints do not determine."""
    try:
        with np.errstate(all="ignore"):
            _check_closed(mechanism, is_driven)
    except (ValueError, ArithmeticError):  # of numbers that are not finite
        raise MeshSimError(f"{mechanism.name} cannot be assembled: its lengths are too large to compute with") from None


def _check_closed(mechanism: Mechanism, is_driven: bool) -> None:
    failure = None
    freedoms = mechanism.n - len(loops(mechanism, mechanism.guess, np.zeros(mechanism.n)).c)
    if freedoms < 0:
        check_rank(mechanism, mechanism.guess)  # which fails, before time goes into closing the loops
    try:
        q = assemble(mechanism)
    except MeshSimError as error:
        if not mechanism.actuated:
            raise
        failure = error  # it may be the fault of the driven joints, which stay where they are
        q = assemble(mechanism, held=())
    check_rank(mechanism, q)
    check_mobile(mechanism.name, freedoms)
    if not is_driven:
        raise MeshSimError(
            f"actuated must list at least {freedoms} of the joints {', '.join(mechanism.joints)}, as many as "
            f"{mechanism.name} has freedoms, not be missing"
        )
    check_actuation(mechanism, q)
    if failure is not None:
        raise failure
