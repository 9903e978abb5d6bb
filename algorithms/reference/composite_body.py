"""Inertia matrix of any tree by the composite rigid body method.

After Featherstone (2008), table 6.2; motion vectors are (angular, linear), in the frame of each body.
"""

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.robots.body import Body, joint_position, joint_rotation
from meshsim.algorithms.robots.kinematics import joint_vector, skew
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array


def inertia_matrix(mechanism: Mechanism, q: npt.ArrayLike) -> Array:
    """Inertia matrix M(q), exactly symmetric.

    Parameters
    ----------
    mechanism : Mechanism
        Any tree.
    q : array_like of n floats
        Joint angles or displacements.

    Returns
    -------
    ndarray, n by n
        The inertia matrix.
    """
    q = joint_vector(mechanism, "q", q)
    bodies = mechanism.bodies
    transforms = [_motion_transform(body, value) for body, value in zip(bodies, q, strict=True)]
    composites = [_spatial_inertia(body) for body in bodies]
    axes = [5 if body.kind == "prismatic" else 2 for body in bodies]  # along z, or a turn about z
    M = np.zeros((mechanism.n, mechanism.n))
    for i in reversed(range(mechanism.n)):
        force = composites[i][:, axes[i]]
        M[i, i] = force[axes[i]]
        j = i
        while bodies[j].parent >= 0:
            force = transforms[j].T @ force
            j = bodies[j].parent
            M[i, j] = M[j, i] = force[axes[j]]
        if bodies[i].parent >= 0:
            composites[bodies[i].parent] += transforms[i].T @ composites[i] @ transforms[i]
    return M


def _motion_transform(body: Body, value: float) -> Array:
    """Matrix that takes motion vectors of the parent's frame to the body's frame."""
    inward = joint_rotation(body, value).T
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = inward
    X[3:, :3] = -inward @ skew(joint_position(body, value))
    return X


def _spatial_inertia(body: Body) -> Array:
    """Inertia of a body about its hinge, as a 6 by 6 matrix."""
    C = skew(np.array(body.com))
    inertia = np.empty((6, 6))
    inertia[:3, :3] = np.array(body.inertia) + body.mass * C @ C.T
    inertia[:3, 3:] = body.mass * C
    inertia[3:, :3] = body.mass * C.T
    inertia[3:, 3:] = body.mass * np.eye(3)
    return inertia
