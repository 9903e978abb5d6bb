"""Joints with several freedoms, as sequences of one-freedom joints with massless bodies between them.

A freedom slides along an axis of the joint's frame (x, y, z) or turns about one (rx, ry, rz); each acts in the frame
that the ones before it have moved. The coordinates of joint `hip` are `hip.rz`, `hip.ry` and so on (docs/notation.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from meshsim.algorithms.types.arrays import Array

COMPOUND = {
    "planar": ("x", "y", "rz"),
    "cylindrical": ("z", "rz"),  # Wong Table 6.1, the translation along z
    "universal": ("rz", "ry"),  # Wong Table 6.1
    "spherical": ("rz", "ry", "rx"),  # Wong Table 6.1; singular where ry is a quarter turn
    "floating": ("x", "y", "z", "rz", "ry", "rx"),  # singular likewise
}
"""The freedoms of each kind of joint, from the parent outward."""

BASE = "base"
"""The joint between the ground and a base that floats."""
_AXES = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True, eq=False)
class Freedom:
    """One of a joint's freedoms.

    Parameters
    ----------
    coordinate : str
        Its name: the joint's own if the joint has no other freedom.
    kind : str
        Revolute or prismatic.
    frame : ndarray
        Columns are the axes of its body's frame, all coordinates 0, in the frame of the whole joint: z along the axis.
    """

    coordinate: str
    kind: str
    frame: Array


def freedoms_of(joint: str, kind: str) -> tuple[Freedom, ...]:
    """The freedoms of a joint of any kind, in order; a fixed joint has none."""
    if kind == "fixed":
        return ()
    if kind not in COMPOUND:
        return (Freedom(joint, kind, np.eye(3)),)
    return tuple(
        Freedom(f"{joint}.{name}", "revolute" if name[0] == "r" else "prismatic", _frame(name[-1]))
        for name in COMPOUND[kind]
    )


def coordinates_of(joint: str, names: Sequence[str]) -> list[str]:
    """Which of the names of coordinates are those of a joint: its own, or those of its freedoms."""
    if joint in names:
        return [joint]
    return [name for name in names if name.rpartition(".")[0] == joint and name.rpartition(".")[2] in _AXES]


def whole_joint(coordinate: str, names: Sequence[str]) -> tuple[str, str]:
    """The joint with several freedoms that a coordinate belongs to, and its kind; both empty if it belongs to none."""
    joint = coordinate.rpartition(".")[0]
    found = tuple(name.removeprefix(f"{joint}.") for name in coordinates_of(joint, names)) if joint else ()
    kind = next((kind for kind, freedoms in COMPOUND.items() if freedoms == found), "")
    return (joint, kind) if kind else ("", "")


def in_words(coordinate: str, names: Sequence[str]) -> str:
    """What to call a coordinate in a sentence: by the joint that it belongs to."""
    joint, kind = whole_joint(coordinate, names)
    if not joint:
        return f"joint {coordinate!r}"
    return "the floating base" if (joint, kind) == (BASE, "floating") else f"the {kind} joint {joint!r}"


def _frame(axis: str) -> Array:
    """The axes x, y, z, renamed in turn until `axis` is the third."""
    return np.roll(np.eye(3), "zxy".index(axis), axis=0)
