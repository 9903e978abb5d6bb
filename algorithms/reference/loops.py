"""Dynamics of mechanisms with loops in plain numpy: what every scheme for them is checked against."""

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.newton_euler import bias_force, joint_wrenches
from meshsim.algorithms.robots.closure import loops, placed
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
    found = np.linalg.solve(K, np.concatenate([np.asarray(tau) - h, sigma * sigma * now.c - now.bias]))
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


def reactions(mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike) -> Array:
    """In a plane: what every joint, and then every cut joint, exerts, two forces and a moment each in the plane's axes.

    On the body that it carries, about its hinge; a cut joint on its second body. No more joints must be actuated than
    there are freedoms, or the forces of the loops are not determined.
    """
    plane = mechanism.plane
    assert plane is not None
    axes = np.array([plane.x, plane.y])
    wanted = inertia_matrix(mechanism, q) @ np.asarray(qdd) + bias_force(mechanism, q, qd)
    now = loops(mechanism, q, qd)
    passive = [j for j in range(mechanism.n) if j not in mechanism.actuated]
    forces = np.linalg.lstsq(now.A[:, passive].T, -wanted[passive], rcond=None)[0]
    bodies = placed(mechanism, q, qd)
    outside, found = [], []
    for k, cut in enumerate(mechanism.cuts):
        rows = forces[[row for row, of in enumerate(now.cut) if of == k]]
        found.append([*-rows[:2], *(-rows[2:] if len(rows) > 2 else [0.0])])
        for sign, anchor in ((1.0, cut.first), (-1.0, cut.second)):
            inward = bodies[anchor.body].R.T
            force = sign * inward @ (rows[:2] @ axes)
            moment = sign * inward @ plane.normal * rows[2:].sum() + np.cross(anchor.position, force)
            outside += [(anchor.body, force, moment)] if anchor.body >= 0 else []
    wrenches = zip(*joint_wrenches(mechanism, q, qd, qdd, outside), bodies, strict=False)
    joints = [[*(axes @ body.R @ force), plane.normal @ body.R @ moment] for force, moment, body in wrenches]
    return np.array([*joints, *found])
