"""Mechanisms: rigid bodies joined by joints, as frozen data in plain floats.

Body i's frame sits at its inboard hinge with z along the joint axis (Wong Fig. 2.1), so a joint needs no axis
of its own. The body frame is the joint frame turned about z by the joint angle, or moved along z by the joint's
displacement. Joints with several freedoms are several bodies, all but the last without mass (`compound.py`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.errors import MeshSimError

KINDS = ("revolute", "prismatic")

# Rounding leaves a product of rotations within about 1e-15 of orthonormal; data typed with fewer digits than
# this is not the rotation or the inertia that was meant.
_TOLERANCE = 1e-9
# Moments of a flat body, typed with six digits, may miss the triangle inequality by as much.
_TRIANGLE_TOLERANCE = 1e-6
# Moments of a mass within a micron of its centre are rounding, whatever their signs (m^2).
_POINT = 1e-12


def rotation_x(angle: float) -> Matrix:
    """Rotation matrix about x by `angle` radians."""
    c, s = math.cos(angle), math.sin(angle)
    return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))


@dataclass(frozen=True)
class Tie:
    """A joint that follows another: its position is `multiplier` times that of joint `master` plus `offset`.

    The master, by its index, moves by itself; the multiplier is not 0.
    """

    master: int
    multiplier: float
    offset: float = 0.0


@dataclass(frozen=True)
class Body:
    """One moving body and the joint that carries it.

    Parameters
    ----------
    name, joint : str
        Names of the link and of its inboard joint.
    kind : str
        Kind of the joint, one of `KINDS`.
    parent : int
        Index of the parent body, smaller than this body's own; -1 is the ground.
    rotation : Matrix
        Rows of a rotation whose columns are the joint frame's axes in parent-body coordinates.
    position : Vector
        Origin of the joint frame in the parent body's frame, in metres.
    mass : float
        Mass in kilograms; 0 for a body between the freedoms of one joint, whose inertia is 0 then too.
    com : Vector
        Centre of mass in the body frame.
    inertia : Matrix
        Inertia about the centre of mass, in body axes.
    twist : float or None
        The angle alpha when `rotation` is a turn about x by alpha (Wong eq. 3.18); None for any other.
    tie : Tie or None
        The joint that this one mimics; None if it moves by itself.
    """

    name: str
    joint: str
    kind: str
    parent: int
    rotation: Matrix
    position: Vector
    mass: float
    com: Vector
    inertia: Matrix
    twist: float | None = None
    tie: Tie | None = None

    def __post_init__(self) -> None:
        """Refuse a body that cannot exist."""
        if not self.joint:
            raise MeshSimError(f"joint of body {self.name!r} must have a name, not ''")
        if self.kind not in KINDS:
            raise MeshSimError(f"kind of joint {self.joint!r} must be {' or '.join(KINDS)}, not {self.kind!r}")
        _check_vector(f"position of joint {self.joint!r}", self.position)
        _check_vector(f"centre of mass of body {self.name!r}", self.com)
        if not (_is_finite(self.mass) and self.mass >= 0):
            raise MeshSimError(f"mass of body {self.name!r} must be a finite number, at least 0, not {self.mass!r}")
        _check_inertia(f"inertia of body {self.name!r}", self.inertia, self.mass)
        if self.mass == 0 and any(any(row) for row in self.inertia):
            raise MeshSimError(f"inertia of body {self.name!r} must be 0, as its mass is, not {self.inertia!r}")
        _check_rotation(f"rotation of joint {self.joint!r}", self.rotation)
        if self.twist is not None:
            _check_twist(f"twist of joint {self.joint!r}", self.twist, self.rotation)
        if self.tie is not None:
            _check_tie(f"tie of joint {self.joint!r}", self.tie)


@dataclass(frozen=True)
class Mechanism:
    """A tree of bodies, each numbered after its parent; every joint moves some mass.

    Parameters
    ----------
    name : str
        What to call it in print.
    bodies : tuple of Body
        At least one; joint names are unique.
    gravity : Vector
        Acceleration of free fall in the ground frame.
    """

    name: str
    bodies: tuple[Body, ...]
    gravity: Vector = (0.0, 0.0, -9.81)

    def __post_init__(self) -> None:
        """Refuse an empty mechanism, a parent that comes later, joints that share a name, and ends without mass."""
        if not self.bodies:
            raise MeshSimError(f"mechanism {self.name!r} must have at least one body, not 0")
        _check_vector(f"gravity of mechanism {self.name!r}", self.gravity)
        seen: set[str] = set()
        for i, body in enumerate(self.bodies):
            if not -1 <= body.parent < i:
                raise MeshSimError(f"parent of body {body.name!r} must be from -1 to {i - 1}, not {body.parent}")
            if body.joint in seen:
                raise MeshSimError(f"joint names of mechanism {self.name!r} must be unique, not twice {body.joint!r}")
            seen.add(body.joint)
        self._check_ties()
        self._check_masses()

    def _check_ties(self) -> None:
        for body in self.bodies:
            if body.tie is not None:
                inside = 0 <= body.tie.master < self.n
                if not inside or self.bodies[body.tie.master].tie is not None:
                    raise MeshSimError(f"joint {body.joint!r} must mimic a joint that moves by itself, not another")

    def _check_masses(self) -> None:
        """Refuse a joint that moves no mass, neither outboard nor by those that mimic it."""
        moved = [body.mass for body in self.bodies]
        for i in reversed(range(self.n)):
            if self.bodies[i].parent >= 0:
                moved[self.bodies[i].parent] += moved[i]
        for i, body in enumerate(self.bodies):
            if body.tie is not None:
                moved[body.tie.master] += moved[i]
        for i in self.freedoms:
            if moved[i] == 0:
                body = self.bodies[i]
                raise MeshSimError(
                    f"body {body.name!r}, moved by joint {body.joint!r}, must have mass or carry mass, not neither"
                )

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
        """Whether each body hangs on the one before it."""
        return all(body.parent == i - 1 for i, body in enumerate(self.bodies))

    @property
    def needs(self) -> Mapping[str, str]:
        """What it takes beyond a chain of revolute joints, each with the name of the first joint that needs it."""
        needs: dict[str, str] = {}
        for i, body in enumerate(self.bodies):
            if body.parent != i - 1:
                needs.setdefault("branching joints", body.joint)
            if body.kind == "prismatic":
                needs.setdefault("prismatic joints", body.joint)
            if body.tie is not None:
                needs.setdefault("mimic joints", body.joint)
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


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_vector(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 3 and all(_is_finite(entry) for entry in value)


def _check_vector(what: str, value: object) -> None:
    if not _is_vector(value):
        raise MeshSimError(f"{what} must be a tuple of 3 finite numbers, not {value!r}")


def _check_matrix(what: str, value: object) -> None:
    if not (isinstance(value, tuple) and len(value) == 3 and all(_is_vector(row) for row in value)):
        raise MeshSimError(f"{what} must be 3 rows of 3 finite numbers, not {value!r}")


def _check_inertia(what: str, inertia: Matrix, mass: float) -> None:
    _check_matrix(what, inertia)
    values = np.array(inertia, dtype=float)
    scale = np.abs(values).max()
    if scale == 0.0:  # a point mass
        return
    values = values / scale
    if np.abs(values - values.T).max() > _TOLERANCE:
        raise MeshSimError(f"{what} must be symmetric, not {inertia!r}")
    small, middle, large = np.linalg.eigvalsh(values)
    slack = _POINT * mass / scale
    if small < -max(_TOLERANCE, slack):
        raise MeshSimError(f"{what} must be positive semidefinite, not {inertia!r}")
    if large > small + middle + max(_TRIANGLE_TOLERANCE, slack):
        raise MeshSimError(
            f"{what} must have no principal moment greater than the sum of the other two, not {inertia!r}"
        )


def _check_rotation(what: str, rotation: Matrix) -> None:
    _check_matrix(what, rotation)
    values = np.array(rotation, dtype=float)
    with np.errstate(over="ignore", invalid="ignore"):  # absurd entries overflow, and are refused just the same
        is_orthonormal = np.abs(values.T @ values - np.eye(3)).max() <= _TOLERANCE
    if not is_orthonormal:
        raise MeshSimError(f"{what} must be orthonormal, not {rotation!r}")
    if np.linalg.det(values) < 0:
        raise MeshSimError(f"{what} must be right-handed (determinant 1), not {rotation!r}")


def _check_twist(what: str, twist: float, rotation: Matrix) -> None:
    if not _is_finite(twist):
        raise MeshSimError(f"{what} must be a finite number, not {twist!r}")
    if np.abs(np.subtract(rotation_x(twist), rotation)).max() > _TOLERANCE:
        raise MeshSimError(f"{what} must be the angle about x of {rotation!r}, not {twist!r}")


def _check_tie(what: str, tie: Tie) -> None:
    if not _is_finite(tie.multiplier) or tie.multiplier == 0:
        raise MeshSimError(f"multiplier in the {what} must be a finite number other than 0, not {tie.multiplier!r}")
    if not _is_finite(tie.offset):
        raise MeshSimError(f"offset in the {what} must be a finite number, not {tie.offset!r}")
