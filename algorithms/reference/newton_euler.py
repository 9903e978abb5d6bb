"""Inverse dynamics of any tree by the recursive Newton-Euler method.

After Luh, Walker and Paul (1980): velocities and accelerations pass outward, forces inward, every vector in
the frame of its own body. Motions at many times are computed together: arrays may have any axes before their last.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.robots.body import Body, joint_rotation
from meshsim.algorithms.robots.kinematics import gearing, skew
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError


def inverse_dynamics(mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike) -> Array:
    """Joint torques (forces of prismatic joints) that produce the accelerations `qdd`: tau = M(q) qdd + h(q, qd).

    What acts on bodies from outside is part of h.

    Parameters
    ----------
    mechanism : Mechanism
        Any tree.
    q, qd, qdd : array_like of n floats
        Joint angles or displacements, their rates and accelerations; of many times, a row for each.

    Returns
    -------
    ndarray of n floats
        The torques and forces; of many times, a row for each.
    """
    forces, moments = joint_wrenches(mechanism, q, qd, qdd)
    slides = [body.kind == "prismatic" for body in mechanism.bodies]
    along = [(f if slide else n)[..., 2] for f, n, slide in zip(forces, moments, slides, strict=True)]
    return np.stack(along, axis=-1)


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
    q, qd, qdd = (_joint_rows(mechanism, name, values) for name, values in (("q", q), ("qd", qd), ("qdd", qdd)))
    joints = list(enumerate(mechanism.bodies))
    rotations = [_rotation(body, q[..., i]) for i, body in joints]
    positions = [_position(body, q[..., i]) for i, body in joints]
    forces, moments = _body_wrenches(mechanism, rotations, positions, qd, qdd)
    _take_off(mechanism, rotations, forces, moments)
    for i, pull, turn in outside:
        forces[i] = forces[i] - pull
        moments[i] = moments[i] - turn
    for i in reversed(range(mechanism.n)):
        body = mechanism.bodies[i]
        if body.parent >= 0:
            force = _times(rotations[i], forces[i])
            forces[body.parent] += force
            moments[body.parent] += _times(rotations[i], moments[i]) + _times(_skew(positions[i]), force)
    return forces, moments


def free_torques(mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike) -> Array:
    """The torques of the joints that move by themselves, which carry those that mimic them."""
    return _times(gearing(mechanism)[0].T, inverse_dynamics(mechanism, *geared(mechanism, q, qd, qdd)))


def geared(mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike) -> tuple[Array, Array, Array]:
    """The motion of all joints, from that of those that move by themselves."""
    G, offset = gearing(mechanism)
    return _times(G, np.asarray(q)) + offset, _times(G, np.asarray(qd)), _times(G, np.asarray(qdd))


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
        inward = _turned_round(rotations[i])
        a = _times(inward, a + _times(_turning(w, wd), positions[i]))
        rate, rate_d = _along_z(qd[..., i]), _along_z(qdd[..., i])
        w, wd = _times(inward, w), _times(inward, wd)
        if body.kind == "prismatic":
            a = a + _times(2 * _skew(w), rate) + rate_d  # the Coriolis term that Wong sec. 6.4.1 leaves out
        else:
            wd = wd + _times(_skew(w), rate) + rate_d
            w = w + rate
        com, inertia = np.array(body.com), np.array(body.inertia)
        force = body.mass * (a + _times(_turning(w, wd), com))
        omega.append(w)
        omega_d.append(wd)
        hinge_dd.append(a)
        forces.append(force)
        moments.append(_times(inertia, wd) + _times(_skew(w) @ inertia, w) + _times(_skew(com), force))
    return forces, moments


def _take_off(mechanism: Mechanism, rotations: list[Array], forces: list[Array], moments: list[Array]) -> None:
    """Less what acts on bodies from outside, which the joints need not bring about."""
    for wrench in mechanism.wrenches:
        outward, k = np.eye(3), wrench.body
        while k >= 0:
            outward, k = rotations[k] @ outward, mechanism.bodies[k].parent
        inward = _turned_round(outward)
        force = _times(inward, np.array(wrench.force))
        forces[wrench.body] -= force
        moments[wrench.body] -= _times(inward, np.array(wrench.moment))
        moments[wrench.body] -= _times(_skew(np.array(mechanism.bodies[wrench.body].com)), force)


def _turning(w: Array, wd: Array) -> Array:
    """Matrix that gives the acceleration of a point of a turning body from the vector to it."""
    W = _skew(w)
    matrix: Array = _skew(wd) + W @ W
    return matrix


# The same at one time and at many


def _joint_rows(mechanism: Mechanism, name: str, values: npt.ArrayLike) -> Array:
    rows = np.asarray(values, dtype=np.float64)
    if rows.shape[-1:] != (mechanism.n,):
        raise MeshSimError(f"{name} must have shape ({mechanism.n},), one for each joint, not {rows.shape}")
    return rows


def _times(M: Array, v: Array) -> Array:
    """A matrix times a vector."""
    product: Array = M @ v if v.ndim == 1 else (M @ v[..., None])[..., 0]
    return product


def _turned_round(M: Array) -> Array:
    """The transpose of a matrix."""
    turned: Array = np.swapaxes(M, -1, -2)
    return turned


def _along_z(values: Array) -> Array:
    vector = np.zeros((*values.shape, 3))
    vector[..., 2] = values
    return vector


def _skew(v: Array) -> Array:
    """Matrix of the cross product with `v`."""
    if v.ndim == 1:
        return skew(v)
    matrix = np.zeros((*v.shape, 3))
    matrix[..., 0, 1], matrix[..., 0, 2], matrix[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    matrix[..., 1, 0], matrix[..., 2, 0], matrix[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return matrix


def _rotation(body: Body, angles: Array) -> Array:
    """Rotation whose columns are the body's axes in its parent's frame, the joint turned by an angle."""
    if angles.ndim == 0:
        return joint_rotation(body, float(angles))
    turn = np.zeros((*angles.shape, 3, 3))
    if body.kind == "prismatic":
        turn[...] = np.array(body.rotation)
        return turn
    c, s = (np.array([of(angle) for angle in angles.flat]).reshape(angles.shape) for of in (math.cos, math.sin))
    turn[..., 0, 0], turn[..., 0, 1], turn[..., 1, 0], turn[..., 1, 1], turn[..., 2, 2] = c, -s, s, c, 1.0
    rotation: Array = np.array(body.rotation) @ turn
    return rotation


def _position(body: Body, displacements: Array) -> Array:
    """Origin of the body's frame in its parent's, the joint moved by a displacement."""
    if body.kind == "prismatic":
        position: Array = np.array(body.position) + displacements[..., None] * np.array(body.rotation)[:, 2]
        return position
    return np.array(body.position)
