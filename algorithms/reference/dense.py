"""The one-processor reference that every scheme is checked against: form M and h, solve."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.loops import constrained_dynamics
from meshsim.algorithms.reference.newton_euler import bias_force
from meshsim.algorithms.robots.kinematics import gearing
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.types.arrays import Array, check_finite, digits, relative_error
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

    def digits(self, reference: "Dynamics") -> Mapping[str, float]:
        """Of all that was formed, how many digits are those of a reference that has it too."""
        known = reference.formed
        return {name: digits(value, known[name]) for name, value in self.formed.items()}


def forward_dynamics(mechanism: Mechanism, state: State) -> Dynamics:
    """Joint accelerations in a given state, by a dense solution.

    Parameters
    ----------
    mechanism : Mechanism
        Any.
    state : State
        Positions, rates and torques of its joints.

    Returns
    -------
    Dynamics
        M, h and qdd = M^-1 (tau - h). With loops, M and h are those of the tree, and qdd is what they leave.
    """
    if mechanism.cuts:
        return _with_loops(mechanism, state)
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


def _with_loops(mechanism: Mechanism, state: State) -> Dynamics:
    q, qd, tau = (_free_vector(mechanism, name, getattr(state, name)) for name in ("q", "qd", "tau"))
    with np.errstate(all="ignore"):
        M, h = inertia_matrix(mechanism, q), bias_force(mechanism, q, qd)
        qdd = constrained_dynamics(mechanism, q, qd, tau)[0]
    check_finite(f"of {mechanism.name!r} in this state", M=M, h=h, qdd=qdd)
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
