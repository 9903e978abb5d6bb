"""Closed mechanisms as frozen data: a spanning tree, and the joints that were cut to make it one."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from meshsim.algorithms.robots.kinematics import joint_position, joint_rotation
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.errors import MeshSimError

CUTS = ("revolute", "spherical", "fixed")
"""Kinds of joints that may be cut. A loop of others is cut through one of its bodies: a fixed joint."""
GROUND = -1
_PARALLEL = 1e-9
"""How far the cosine of an angle may be from that of 0 or 90 degrees in a plane mechanism."""
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


@dataclass(frozen=True)
class ClosedMechanism:
    """A tree and the joints that close its loops.

    Attributes
    ----------
    tree : Mechanism
        All bodies; no joint may mimic another.
    cuts : tuple of Cut
        At least one.
    actuated : tuple of int
        Joints that are driven, by their place in `tree.joints`; they determine the motion of all.
    guess : tuple of float
        Joint positions near those in which the loops close.
    """

    tree: Mechanism
    cuts: tuple[Cut, ...]
    actuated: tuple[int, ...]
    guess: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse what is no closed mechanism."""
        name, n = self.tree.name, self.tree.n
        if not self.cuts:
            raise MeshSimError(f"closed mechanism {name!r} must have at least one cut joint, not 0")
        seen: set[str] = set()
        for body in self.tree.bodies:
            if body.tie is not None:
                raise MeshSimError(f"no joint of a closed mechanism may mimic another, and {body.joint!r} does")
        for cut in self.cuts:
            if cut.name in seen:
                raise MeshSimError(f"cut joints of {name!r} must have names of their own, not twice {cut.name!r}")
            seen.add(cut.name)
            for anchor in (cut.first, cut.second):
                if not GROUND <= anchor.body < n:
                    raise MeshSimError(f"body of cut joint {cut.name!r} must be from -1 to {n - 1}, not {anchor.body}")
            if cut.first.body == cut.second.body:
                raise MeshSimError(f"cut joint {cut.name!r} must join two bodies, not one to itself")
        if len(self.guess) != n or not np.isfinite(self.guess).all():
            raise MeshSimError(f"guess for {name!r} must be {n} finite numbers, one for each joint")
        if len(set(self.actuated)) != len(self.actuated) or not all(0 <= j < n for j in self.actuated):
            raise MeshSimError(f"actuated joints of {name!r} must be different joints, not {self.actuated}")

    @property
    def name(self) -> str:
        """What to call it in print."""
        return self.tree.name

    @property
    def n(self) -> int:
        """Joints of the tree."""
        return self.tree.n

    @cached_property
    def subsystems(self) -> tuple[tuple[int, ...], ...]:
        """The bodies that hang together once all loops are cut, in the order of their first bodies."""
        root: list[int] = []
        for i, body in enumerate(self.tree.bodies):
            root.append(i if body.parent < 0 else root[body.parent])
        return tuple(tuple(i for i in range(self.n) if root[i] == r) for r in dict.fromkeys(root))

    def subsystem_of(self, body: int) -> int:
        """Which subsystem a body belongs to; -1 for the ground."""
        for k, bodies in enumerate(self.subsystems):
            if body in bodies:
                return k
        return GROUND

    @cached_property
    def hub(self) -> int | None:
        """The one subsystem to which every other is joined, and that alone; None if there is none."""
        others = set(range(len(self.subsystems)))
        for k in range(len(self.subsystems)):
            joined = set[int]()
            for cut in self.cuts:
                ends = {self.subsystem_of(cut.first.body), self.subsystem_of(cut.second.body)} - {GROUND}
                if k not in ends and len(ends) > 1:
                    break
                if k in ends:
                    joined |= ends
            else:
                if joined == others and len(others) > 1:
                    return k
        return None

    @cached_property
    def rest(self) -> tuple[list[Array], list[Array]]:
        """Rotations and hinges of all bodies in the ground's frame, all joints at 0."""
        rotations: list[Array] = []
        hinges: list[Array] = []
        for body in self.tree.bodies:
            R, x = (rotations[body.parent], hinges[body.parent]) if body.parent >= 0 else (np.eye(3), np.zeros(3))
            hinges.append(x + R @ joint_position(body, 0.0))
            rotations.append(R @ joint_rotation(body, 0.0))
        return rotations, hinges

    @cached_property
    def plane(self) -> Plane | None:
        """The plane in which all bodies move, or None if they do not keep to one."""
        rotations, _ = self.rest
        turning = [i for i, body in enumerate(self.tree.bodies) if body.kind == "revolute"]
        if not turning:
            return None
        first = rotations[turning[0]]
        normal = first[:, 2]
        for i, body in enumerate(self.tree.bodies):
            along = abs(float(rotations[i][:, 2] @ normal))
            if abs(along - (1.0 if body.kind == "revolute" else 0.0)) > _PARALLEL:
                return None
        for cut in self.cuts:
            for anchor in (cut.first, cut.second):
                R = rotations[anchor.body] if anchor.body >= 0 else np.eye(3)
                axis = R @ np.array(anchor.rotation)[:, 2]
                if cut.kind == "revolute" and abs(abs(float(axis @ normal)) - 1.0) > _PARALLEL:
                    return None
        return Plane(_axis_in(normal), np.cross(normal, _axis_in(normal)), normal)


def _axis_in(normal: Array) -> Array:
    """The ground's x axis, or its y axis, as far as it lies in the plane."""
    axis = np.eye(3)[0 if abs(normal[0]) < 0.9 else 1]
    inside = axis - (axis @ normal) * normal
    direction: Array = inside / np.linalg.norm(inside)
    return direction
