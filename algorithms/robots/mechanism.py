"""Mechanisms: rigid bodies joined by joints, as frozen data in plain floats.

A mechanism is a tree of bodies (`body.py`), each carried by a joint of one freedom; joints with several freedoms are
several bodies, all but the last without mass (`compound.py`). One with loops is the tree that is left when a joint of
each loop is cut, together with those joints (`cuts.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from meshsim.algorithms.robots.body import Body, Wrench, check_vector, joint_position, joint_rotation
from meshsim.algorithms.robots.cuts import GROUND, Cut, Plane
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Vector
from meshsim.errors import MeshSimError

PARALLEL = 1e-9
"""How far the cosine of an angle may be from that of 0 or 90 degrees in a plane mechanism."""


@dataclass(frozen=True)
class Mechanism:
    """A tree of bodies, each numbered after its parent, and the joints that close its loops, if it has any.

    Every joint moves some mass.

    Parameters
    ----------
    name : str
        What to call it in print.
    bodies : tuple of Body
        At least one; joint names are unique.
    gravity : Vector
        Acceleration of free fall in the ground frame.
    cuts : tuple of Cut
        Joints that were cut to make it a tree. With any, no joint may mimic another.
    actuated : tuple of int
        With loops: the joints that are driven, by their place in `joints`; they determine the motion of all. Without
        loops every joint is driven.
    guess : tuple of float
        With loops: joint positions near those in which the loops close.
    wrenches : tuple of Wrench
        What acts on bodies from outside; at most one on each, and none on a body without mass.
    fixed : tuple of str
        Names of joints that never move, whose links are one body; they tell users so, and mean nothing else.
    posture : tuple of float
        Without loops: where its joints are unless told, in the order of `joints`, or nothing.
    """

    name: str
    bodies: tuple[Body, ...]
    gravity: Vector = (0.0, 0.0, -9.81)
    cuts: tuple[Cut, ...] = ()
    actuated: tuple[int, ...] = ()
    guess: tuple[float, ...] = ()
    wrenches: tuple[Wrench, ...] = ()
    fixed: tuple[str, ...] = field(default=(), compare=False)
    posture: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse an empty mechanism, a parent that comes later, joints that share a name, and ends without mass."""
        if not self.bodies:
            raise MeshSimError(f"mechanism {self.name!r} must have at least one body, not 0")
        check_vector(f"gravity of mechanism {self.name!r}", self.gravity)
        seen: set[str] = set()
        for i, body in enumerate(self.bodies):
            if not -1 <= body.parent < i:
                raise MeshSimError(f"parent of body {body.name!r} must be from -1 to {i - 1}, not {body.parent}")
            if body.joint in seen:
                raise MeshSimError(f"joint names of mechanism {self.name!r} must be unique, not {body.joint!r} twice")
            seen.add(body.joint)
        self._check_ties()
        self._check_masses()
        self._check_wrenches()
        if self.posture and (self.cuts or len(self.posture) != len(self.joints) or not np.isfinite(self.posture).all()):
            raise MeshSimError(f"posture of {self.name!r} must be a finite number for each joint, and none with loops")
        if self.cuts:
            self._check_loops()
        elif self.actuated or self.guess:
            raise MeshSimError(
                f"mechanism {self.name!r} with actuated joints or a guess must have at least one cut joint, not 0"
            )

    def _check_ties(self) -> None:
        for body in self.bodies:
            if body.tie is not None:
                inside = 0 <= body.tie.master < self.n
                if not inside or self.bodies[body.tie.master].tie is not None:
                    raise MeshSimError(f"joint {body.joint!r} must mimic a joint that moves by itself, not another")

    def _check_masses(self) -> None:
        """Refuse a joint that moves no mass, neither outboard nor by those that mimic it."""
        moved = self.loads
        for i, body in enumerate(self.bodies):
            if body.tie is not None:
                moved[body.tie.master] += moved[i]
        for i in self.freedoms:
            if moved[i] == 0:
                body = self.bodies[i]
                raise MeshSimError(
                    f"body {body.name!r}, moved by joint {body.joint!r}, must have mass or carry mass, not neither; "
                    "else lock or drop the joint"
                )

    def _check_wrenches(self) -> None:
        for k, wrench in enumerate(self.wrenches):
            if not 0 <= wrench.body < self.n:
                raise MeshSimError(f"body of a wrench must be from 0 to {self.n - 1}, not {wrench.body}")
            body = self.bodies[wrench.body]
            if body.mass == 0.0:
                raise MeshSimError(f"body {body.name!r} must have mass to bear a wrench at its centre, and has none")
            if wrench.body in (other.body for other in self.wrenches[:k]):
                raise MeshSimError(f"body {body.name!r} must bear one wrench, not two")
            check_vector(f"force on body {body.name!r}", wrench.force)
            check_vector(f"moment on body {body.name!r}", wrench.moment)

    @cached_property
    def loads(self) -> list[float]:
        """The mass that each joint carries: that of its body, and of all that this carries."""
        loads = [body.mass for body in self.bodies]
        for i in reversed(range(self.n)):
            if self.bodies[i].parent >= 0:
                loads[self.bodies[i].parent] += loads[i]
        return loads

    def _check_loops(self) -> None:
        """Refuse cut joints that close no loop, and driven joints or a guess that are not of these joints."""
        name, n = self.name, self.n
        seen: set[str] = set()
        for body in self.bodies:
            if body.tie is not None:
                raise MeshSimError(f"no joint of a mechanism with loops may mimic another, and {body.joint!r} does")
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

    def closed_by(self, cuts: tuple[Cut, ...], actuated: tuple[int, ...], guess: tuple[float, ...]) -> "Mechanism":
        """The same tree with loops: cut joints, which joints are driven, and where the loops nearly close."""
        return replace(self, cuts=cuts, actuated=actuated, guess=guess)

    def wrench_on(self, body: int) -> Wrench:
        """What acts on a body from outside; zero on most."""
        return next((wrench for wrench in self.wrenches if wrench.body == body), Wrench(body, (0.0, 0.0, 0.0)))

    @property
    def n(self) -> int:
        """Number of bodies, which is the number of joints, those that mimic others included."""
        return len(self.bodies)

    @property
    def freedoms(self) -> tuple[int, ...]:
        """The bodies whose joints move by themselves: all that mimic none."""
        return tuple(i for i, body in enumerate(self.bodies) if body.tie is None)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that move by themselves, in the order of the bodies: the order of a state."""
        return tuple(self.bodies[i].joint for i in self.freedoms)

    @property
    def is_chain(self) -> bool:
        """Whether each body is carried by the one before it."""
        return all(body.parent == i - 1 for i, body in enumerate(self.bodies))

    @property
    def needs(self) -> Mapping[str, str]:
        """What it takes beyond a chain of revolute joints, each with the first joint (or body) that needs it."""
        needs: dict[str, str] = {"loops": self.cuts[0].name} if self.cuts else {}
        if self.wrenches:
            needs["wrenches"] = self.bodies[self.wrenches[0].body].name
        for i, (body, load) in enumerate(zip(self.bodies, self.loads, strict=True)):
            if body.parent != i - 1:
                needs.setdefault("branching joints", body.joint)
            if body.kind == "prismatic":
                needs.setdefault("prismatic joints", body.joint)
            if body.tie is not None:
                needs.setdefault("mimic joints", body.joint)
            if not load:  # it mimics another, or is mimicked by one that carries mass
                needs.setdefault("joints without a load", body.joint)
        return needs

    @property
    def is_twist(self) -> bool:
        """Whether every fixed rotation is a twist about x, the form the thesis prices."""
        return all(body.twist is not None for body in self.bodies)

    def k(self, i: int) -> Vector:
        """Vector from the centre of mass of body `i` (from 0) to its inboard hinge, in its own frame."""
        x, y, z = self.bodies[i].com
        return (0.0 - x, 0.0 - y, 0.0 - z)

    def l(self, i: int) -> Vector:  # noqa: E743 -- the thesis's name
        """Vector from the centre of mass of body `i` (from 0) to its outboard hinge, in its own frame.

        The last body of a chain has no outboard hinge; its `l` is zero because the cells of the mesh are
        identical and each holds one.
        """
        if not self.is_chain:
            raise MeshSimError(f"mechanism {self.name!r} must be a serial chain to have one l per body, not a tree")
        if i == self.n - 1:
            return (0.0, 0.0, 0.0)
        hinge, com = self.bodies[i + 1].position, self.bodies[i].com
        return (hinge[0] - com[0], hinge[1] - com[1], hinge[2] - com[2])

    @cached_property
    def subsystems(self) -> tuple[tuple[int, ...], ...]:
        """The bodies that are still connected once all loops are cut, in the order of their first bodies."""
        root: list[int] = []
        for i, body in enumerate(self.bodies):
            root.append(i if body.parent < 0 else root[body.parent])
        return tuple(tuple(i for i in range(self.n) if root[i] == r) for r in dict.fromkeys(root))

    @cached_property
    def by_subsystem(self) -> list[int]:
        """All joints, those of one subsystem after those of another."""
        return [joint for bodies in self.subsystems for joint in bodies]

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
        for body in self.bodies:
            R, x = (rotations[body.parent], hinges[body.parent]) if body.parent >= 0 else (np.eye(3), np.zeros(3))
            hinges.append(x + R @ joint_position(body, 0.0))
            rotations.append(R @ joint_rotation(body, 0.0))
        return rotations, hinges

    @cached_property
    def plane(self) -> Plane | None:
        """The plane in which all bodies move, or None if they do not keep to one."""
        rotations, _ = self.rest
        turning = [i for i, body in enumerate(self.bodies) if body.kind == "revolute"]
        if not turning:
            return None
        first = rotations[turning[0]]
        normal = first[:, 2]
        for i, body in enumerate(self.bodies):
            along = abs(float(rotations[i][:, 2] @ normal))
            if abs(along - (1.0 if body.kind == "revolute" else 0.0)) > PARALLEL:
                return None
        for cut in self.cuts:
            for anchor in (cut.first, cut.second):
                R = rotations[anchor.body] if anchor.body >= 0 else np.eye(3)
                axis = R @ np.array(anchor.rotation)[:, 2]
                if cut.kind == "revolute" and abs(abs(float(axis @ normal)) - 1.0) > PARALLEL:
                    return None
        return Plane(_axis_in(normal), np.cross(normal, _axis_in(normal)), normal)


class Unweighed(Mechanism):
    """A tree that may have joints which move no mass, until those are locked or dropped."""

    def _check_masses(self) -> None:
        return


def _axis_in(normal: Array) -> Array:
    """The ground's x axis, or its y axis, as far as it lies in the plane."""
    axis = np.eye(3)[0 if abs(normal[0]) < 0.9 else 1]
    inside = axis - (axis @ normal) * normal
    direction: Array = inside / np.linalg.norm(inside)
    return direction
