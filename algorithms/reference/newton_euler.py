"""Inverse dynamics of any tree by the recursive Newton-Euler method.

After Luh, Walker and Paul (1980): velocities and accelerations pass outward, forces inward, every vector in
the frame of its own body.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.robots.body import joint_position, joint_rotation
from meshsim.algorithms.robots.kinematics import gearing, joint_vector, skew
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array


def inverse_dynamics(mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike) -> Array:
    """Joint torques (forces of prismatic joints) that produce the accelerations `qdd`: tau = M(q) qdd + h(q, qd).

    What acts on bodies from outside is part of h.

    Parameters
    ----------
    mechanism : Mechanism
        Any tree.
    q, qd, qdd : array_like of n floats
        Joint angles or displacements, their rates and accelerations.

    Returns
    -------
    ndarray of n floats
        The torques and forces.
    """
    forces, moments = joint_wrenches(mechanism, q, qd, qdd)
    slides = [body.kind == "prismatic" for body in mechanism.bodies]
    return np.array([(f if slide else n)[2] for f, n, slide in zip(forces, moments, slides, strict=True)])


def joint_wrenches(
    mechanism: Mechanism,
    q: npt.ArrayLike,
    qd: npt.ArrayLike,
    qdd: npt.ArrayLike,
    outside: Sequence[tuple[int, Array, Array]] = (),
) -> tuple[list[Array], list[Array]]:
    """What each joint exerts on the body that it carries: forces, and moments about its hinge, in the body's axes.

    `outside` are a body, a force on it and a moment about its hinge, likewise.
    """
    q, qd, qdd = (joint_vector(mechanism, name, values) for name, values in (("q", q), ("qd", qd), ("qdd", qdd)))
    rotations = [joint_rotation(body, value) for body, value in zip(mechanism.bodies, q, strict=True)]
    positions = [joint_position(body, value) for body, value in zip(mechanism.bodies, q, strict=True)]
    forces, moments = _body_wrenches(mechanism, rotations, positions, qd, qdd)
    _take_off(mechanism, rotations, forces, moments)
    for i, pull, turn in outside:
        forces[i] = forces[i] - pull
        moments[i] = moments[i] - turn
    for i in reversed(range(mechanism.n)):
        body = mechanism.bodies[i]
        if body.parent >= 0:
            force = rotations[i] @ forces[i]
            forces[body.parent] += force
            moments[body.parent] += rotations[i] @ moments[i] + skew(positions[i]) @ force
    return forces, moments


def free_torques(mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike) -> Array:
    """The torques of the joints that move by themselves, which carry those that mimic them."""
    tau: Array = gearing(mechanism)[0].T @ inverse_dynamics(mechanism, *geared(mechanism, q, qd, qdd))
    return tau


def geared(mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike) -> tuple[Array, Array, Array]:
    """The motion of all joints, from that of those that move by themselves."""
    G, offset = gearing(mechanism)
    return G @ np.asarray(q) + offset, G @ np.asarray(qd), G @ np.asarray(qdd)


def bias_force(mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike) -> Array:
    """Torques h(q, qd) of gravity, velocity and wrenches: those that hold the joints at zero acceleration."""
    return inverse_dynamics(mechanism, q, qd, np.zeros(mechanism.n))


def _body_wrenches(
    mechanism: Mechanism, rotations: list[Array], positions: list[Array], qd: Array, qdd: Array
) -> tuple[list[Array], list[Array]]:
    """Force and moment about its hinge that each body's own motion takes."""
    omega: list[Array] = []
    omega_d: list[Array] = []
    hinge_dd: list[Array] = []
    forces: list[Array] = []
    moments: list[Array] = []
    # A ground that accelerates upward stands for gravity.
    ground = np.zeros(3), np.zeros(3), -np.array(mechanism.gravity)
    for i, body in enumerate(mechanism.bodies):
        parent = body.parent
        w, wd, a = (omega[parent], omega_d[parent], hinge_dd[parent]) if parent >= 0 else ground
        inward = rotations[i].T
        a = inward @ (a + _turning(w, wd) @ positions[i])
        rate, rate_d = np.array([0.0, 0.0, qd[i]]), np.array([0.0, 0.0, qdd[i]])
        w, wd = inward @ w, inward @ wd
        if body.kind == "prismatic":
            a = a + 2 * skew(w) @ rate + rate_d  # the Coriolis term that Wong sec. 6.4.1 leaves out
        else:
            wd = wd + skew(w) @ rate + rate_d
            w = w + rate
        com, inertia = np.array(body.com), np.array(body.inertia)
        force = body.mass * (a + _turning(w, wd) @ com)
        omega.append(w)
        omega_d.append(wd)
        hinge_dd.append(a)
        forces.append(force)
        moments.append(inertia @ wd + skew(w) @ inertia @ w + skew(com) @ force)
    return forces, moments


def _take_off(mechanism: Mechanism, rotations: list[Array], forces: list[Array], moments: list[Array]) -> None:
    """Less what acts on bodies from outside, which the joints need not bring about."""
    for wrench in mechanism.wrenches:
        outward, k = np.eye(3), wrench.body
        while k >= 0:
            outward, k = rotations[k] @ outward, mechanism.bodies[k].parent
        force = outward.T @ np.array(wrench.force)
        forces[wrench.body] -= force
        moments[wrench.body] -= outward.T @ np.array(wrench.moment)
        moments[wrench.body] -= skew(np.array(mechanism.bodies[wrench.body].com)) @ force


def _turning(w: Array, wd: Array) -> Array:
    """Matrix that gives the acceleration of a point of a turning body from the vector to it."""
    W = skew(w)
    matrix: Array = skew(wd) + W @ W
    return matrix
