"""Dynamics of mechanisms with loops in plain numpy: what every scheme for them is checked against."""

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.newton_euler import bias_force
from meshsim.algorithms.robots.closure import loops
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array


def constrained_dynamics(
    mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike, tau: npt.ArrayLike, sigma: float = 0.0
) -> tuple[Array, Array]:
    """Accelerations and multipliers: [M A^T; A 0] [q''; lambda] = [tau - h; -A' q' + sigma^2 c].  # KTK eq. 6

    With `sigma`, what is left of the constraints vanishes as in the projection, whose rates have A q' = - sigma c.
    """
    M, h, now = inertia_matrix(mechanism, q), bias_force(mechanism, q, qd), loops(mechanism, q, qd)
    m, n = now.A.shape
    K = np.block([[M, now.A.T], [now.A, np.zeros((m, m))]])
    found = np.linalg.solve(K, np.concatenate([np.asarray(tau) - h, sigma**2 * now.c - now.bias]))
    return found[:n], found[n:]


def actuated_torques(mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike) -> Array:
    """Torques of the actuated joints that make the joints accelerate so, which their loops must allow.

    Of redundant joints, those whose squares sum up to least.
    """
    wanted = inertia_matrix(mechanism, q) @ np.asarray(qdd) + bias_force(mechanism, q, qd)
    A = loops(mechanism, q, qd).A
    motions = np.linalg.svd(A)[2][len(A) :]  # that the loops allow, in which their forces do no work
    torques: Array = np.linalg.lstsq(motions[:, list(mechanism.actuated)], motions @ wanted, rcond=None)[0]
    return torques
