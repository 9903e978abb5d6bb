"""Where a mechanism's bodies are."""

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.robots.body import joint_position, joint_rotation
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError


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


def skew(v: Array) -> Array:
    """Matrix of the cross product with `v`."""
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def joint_vector(mechanism: Mechanism, name: str, values: npt.ArrayLike) -> Array:
    """Return `values` as an array, one number for each joint of `mechanism`."""
    vector = np.asarray(values, dtype=np.float64)
    if vector.shape != (mechanism.n,):
        raise MeshSimError(f"{name} must have shape ({mechanism.n},), one for each joint, not {vector.shape}")
    return vector


def gearing(mechanism: Mechanism) -> tuple[Array, Array]:
    """G and o, by which the joints that move by themselves move all: positions G q + o, rates G qd."""
    column = {i: k for k, i in enumerate(mechanism.freedoms)}
    G, offset = np.zeros((mechanism.n, len(column))), np.zeros(mechanism.n)
    for i, body in enumerate(mechanism.bodies):
        if body.tie is None:
            G[i, column[i]] = 1.0
        else:
            G[i, column[body.tie.master]], offset[i] = body.tie.multiplier, body.tie.offset
    return G, offset
