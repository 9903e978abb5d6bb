"""Kinetic and potential energy, which nothing but drives, friction and the moments of wrenches change."""

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.robots.body import joint_position, joint_rotation
from meshsim.algorithms.robots.kinematics import joint_vector, skew
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array


def energy(mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike) -> tuple[float, float]:
    """Kinetic and potential energy in joules; the potential is zero at the ground frame's origin.

    Constant forces on bodies have a potential, as weight has. Constant moments have none in space: what they do is
    work, as that of drives is.

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
        pulled = body.mass * gravity + np.array(mechanism.wrench_on(i).force)
        potential -= float(pulled @ (x + arm))  # Wong eq. 1.8, whose sign wants g upward
    return kinetic, potential
