"""The one-processor reference that every scheme is checked against: form M and h, solve."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.newton_euler import bias_force
from meshsim.algorithms.robots.body import joint_position, joint_rotation
from meshsim.algorithms.robots.kinematics import gearing, joint_vector, skew
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError


@dataclass(frozen=True, eq=False)
class Dynamics:
    """Inertia matrix `M`, bias force `h` and accelerations `qdd` of M qdd + h = tau; None is what was never formed."""

    M: Array | None
    h: Array | None
    qdd: Array

    @property
    def formed(self) -> Mapping[str, Array]:
        """What was formed, by name."""
        every = {"M": self.M, "h": self.h, "qdd": self.qdd}
        return {name: value for name, value in every.items() if value is not None}

    def errors(self, reference: "Dynamics") -> Mapping[str, float]:
        """Of all that was formed, the largest difference from a reference that has it too."""
        known = reference.formed
        return {name: relative_error(value, known[name]) for name, value in self.formed.items()}


def forward_dynamics(mechanism: Mechanism, state: State) -> Dynamics:
    """Joint accelerations in a given state, by a dense solution.

    Parameters
    ----------
    mechanism : Mechanism
        Any tree.
    state : State
        Positions, rates and torques of its joints.

    Returns
    -------
    Dynamics
        M, h and qdd = M^-1 (tau - h).
    """
    G, offset = gearing(mechanism)
    q, qd, tau = (_free_vector(mechanism, name, getattr(state, name)) for name in ("q", "qd", "tau"))
    with np.errstate(all="ignore"):  # what overflows is refused by name below
        M = G.T @ inertia_matrix(mechanism, G @ q + offset) @ G
        h = G.T @ bias_force(mechanism, G @ q + offset, G @ qd)
        check_finite(f"of {mechanism.name!r} in this state", M=M, h=h)
        _check_regular(mechanism, M)
        qdd = np.asarray(np.linalg.solve(M, tau - h), dtype=np.float64)
    check_finite(f"of {mechanism.name!r} in this state", qdd=qdd)
    return Dynamics(M, h, qdd)


def _check_regular(mechanism: Mechanism, M: Array) -> None:
    """Refuse a singular M, as at the singular position of a spherical joint: it has joints that move nothing."""
    size = np.sqrt(np.abs(np.diag(M)))
    size[size == 0.0] = 1.0
    _, values, motions = np.linalg.svd(M / size / size[:, None])
    if values[-1] <= np.finfo(float).eps * values[0]:
        moving = np.flatnonzero(np.abs(motions[-1]) > 0.1)
        names = " and ".join(repr(mechanism.joints[i]) for i in moving)
        raise MeshSimError(
            f"inertia matrix of {mechanism.name!r} must be invertible, not singular: in this state it has a motion of "
            f"joint{'s' if len(moving) > 1 else ''} {names} that moves no mass"
        )


def _free_vector(mechanism: Mechanism, name: str, values: npt.ArrayLike) -> Array:
    vector = np.asarray(values, dtype=np.float64)
    n = len(mechanism.joints)
    if vector.shape != (n,):
        raise MeshSimError(f"{name} must have shape ({n},), one for each joint, not {vector.shape}")
    return vector


def check_finite(what: str, **values: npt.ArrayLike) -> None:
    """Refuse results that overflowed."""
    for name, value in values.items():
        if not np.isfinite(value).all():
            raise MeshSimError(f"{name} {what} must be finite: its numbers are too large or too small to compute with")


def relative_error(value: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """Largest difference between two arrays, relative to the largest entry of `reference` if that exceeds 1.

    Parameters
    ----------
    value, reference : array_like
        Arrays of one shape.

    Returns
    -------
    float
        max|value - reference| / max(1, max|reference|).
    """
    value, reference = np.asarray(value, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if value.shape != reference.shape:
        raise MeshSimError(f"value must have the reference's shape {reference.shape}, not {value.shape}")
    return float(np.abs(value - reference).max() / max(1.0, np.abs(reference).max()))


def energy(mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike) -> tuple[float, float]:
    """Kinetic and potential energy in joules; the potential is zero at the ground frame's origin.

    Parameters
    ----------
    mechanism : Mechanism
        Any tree.
    q, qd : array_like of n floats
        Joint angles or displacements, and rates.

    Returns
    -------
    tuple of float
        Kinetic energy, potential energy.
    """
    q, qd = joint_vector(mechanism, "q", q), joint_vector(mechanism, "qd", qd)
    gravity = np.array(mechanism.gravity)
    kinetic = potential = 0.0
    ground = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
    frames: list[tuple[Array, Array, Array, Array]] = []
    for i, body in enumerate(mechanism.bodies):
        R, x, w, v = frames[body.parent] if body.parent >= 0 else ground
        arm = R @ joint_position(body, q[i])
        x, v = x + arm, v + skew(w) @ arm
        R = R @ joint_rotation(body, q[i])
        if body.kind == "prismatic":
            v = v + qd[i] * R[:, 2]
        else:
            w = w + qd[i] * R[:, 2]
        frames.append((R, x, w, v))
        arm = R @ np.array(body.com)
        v_com = v + skew(w) @ arm
        turn = R.T @ w
        kinetic += float(body.mass * v_com @ v_com + turn @ np.array(body.inertia) @ turn) / 2
        potential -= float(body.mass * gravity @ (x + arm))  # Wong eq. 1.8, whose sign wants g upward
    return kinetic, potential
