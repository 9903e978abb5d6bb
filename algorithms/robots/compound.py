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


def _frame(axis: str) -> Array:
    """The axes x, y, z, renamed in turn until `axis` is the third."""
    return np.roll(np.eye(3), "zxy".index(axis), axis=0)
