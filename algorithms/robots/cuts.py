"""Joints that were cut to make a mechanism with loops a tree."""

from dataclasses import dataclass

from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.errors import MeshSimError

CUTS = ("revolute", "spherical", "fixed")
"""Kinds of joints that may be cut. A loop of others is cut through one of its bodies: a fixed joint."""
GROUND = -1
EYE: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True)
class Anchor:
    """Where a cut joint sits on a body of the tree (from 0; -1 is the ground), in that body's frame.

    The columns of `rotation` are the axes of the joint's frame; z is that of a revolute joint.
    """

    body: int
    position: Vector
    rotation: Matrix = EYE


@dataclass(frozen=True)
class Cut:
    """A joint that was cut; where the loop is closed, its two anchors meet."""

    name: str
    kind: str
    first: Anchor
    second: Anchor

    def __post_init__(self) -> None:
        if self.kind not in CUTS:
            raise MeshSimError(
                f"kind of cut joint {self.name!r} must be {', '.join(CUTS)}, not {self.kind!r}; "
                "cut another joint of the loop, or one of its bodies by a fixed joint"
            )


@dataclass(frozen=True, eq=False)
class Plane:
    """Two axes of the ground's frame, and the normal about which all revolute joints turn."""

    x: Array
    y: Array
    normal: Array
