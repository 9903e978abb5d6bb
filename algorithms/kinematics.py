"""Where a mechanism's bodies are."""

import numpy as np
import numpy.typing as npt

from algorithms.arrays import Array
from algorithms.mechanism import Mechanism
from algorithms.newton_euler import joint_position, joint_rotation
from algorithms.reference import gearing


def skeleton(mechanism: Mechanism, q: npt.ArrayLike) -> tuple[Array, Array]:
    """Hinges and centres of mass in the ground's frame.

    Parameters
    ----------
    mechanism : Mechanism
        Any tree.
    q : array_like
        Positions of the joints that move by themselves.

    Returns
    -------
    tuple of ndarray
        Two arrays of n rows and three columns.
    """
    G, offset = gearing(mechanism)
    full = G @ np.asarray(q, dtype=np.float64) + offset
    hinges, centres = np.zeros((mechanism.n, 3)), np.zeros((mechanism.n, 3))
    rotations: list[Array] = []
    for i, body in enumerate(mechanism.bodies):
        R, x = (rotations[body.parent], hinges[body.parent]) if body.parent >= 0 else (np.eye(3), np.zeros(3))
        hinges[i] = x + R @ joint_position(body, full[i])
        rotations.append(R @ joint_rotation(body, full[i]))
        centres[i] = hinges[i] + rotations[i] @ np.array(body.com)
    return hinges, centres
