"""A rigid body and the joint that carries it, as frozen data in plain floats.

The body's frame sits at its inboard hinge with z along the joint axis (Wong Fig. 2.1), so a joint needs no axis of its
own. The body frame is the joint frame turned about z by the joint angle, or moved along z by the joint's displacement.
"""

import math
from dataclasses import dataclass

import numpy as np

from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.errors import MeshSimError

KINDS = ("revolute", "prismatic")
MASSLESS: tuple[float, Vector, Matrix] = (0.0, (0.0, 0.0, 0.0), ((0.0,) * 3,) * 3)
"""Mass, centre of mass and moments of a body that has none, as within a joint of several freedoms."""

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
class Wrench:
    """A constant force on a body (from 0), at its centre of mass, and a constant moment: N and N m, ground's axes."""

    body: int
    force: Vector
    moment: Vector = (0.0, 0.0, 0.0)


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
        check_vector(f"position of joint {self.joint!r}", self.position)
        check_vector(f"centre of mass of body {self.name!r}", self.com)
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


def joint_rotation(body: Body, angle: float) -> Array:
    """Rotation whose columns are the body's axes in its parent's frame, the joint turned by `angle`."""
    if body.kind == "prismatic":
        return np.array(body.rotation)
    c, s = math.cos(angle), math.sin(angle)
    rotation: Array = np.array(body.rotation) @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return rotation


def joint_position(body: Body, displacement: float) -> Array:
    """Origin of the body's frame in its parent's, the joint moved by `displacement`."""
    position = np.array(body.position)
    if body.kind == "prismatic":
        position = position + displacement * np.array(body.rotation)[:, 2]
    return position


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_vector(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 3 and all(_is_finite(entry) for entry in value)


def check_vector(what: str, value: object) -> None:
    """Refuse what is not three finite numbers."""
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
