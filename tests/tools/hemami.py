"""Hemami's equations of a tree of revolute joints, matrix by matrix: the thesis's chapter 2 and Appendices A and B.

Rotations are in the axes of each body, translations in the ground's. Forces come from the free bodies (eqs 2.24, 2.25),
motions from the hinges (eq. 2.27): neither is derived from the other, so that what eliminates the constraint forces can
be tested. Nothing is shared with the project but the mechanism's data; signs are those of the derivation.
"""

from dataclasses import dataclass

import numpy as np

Z = np.array([0.0, 0.0, 1.0])


def tilde(v):
    """The matrix of the cross product with v."""
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotation(body, q):
    """From the body's axes to its parent's."""
    c, s = np.cos(q), np.sin(q)
    return np.array(body.rotation) @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


@dataclass(frozen=True)
class Hemami:
    """The matrices of eqs 2.26 to 2.37; vectors of a body are three rows, in the order of the bodies."""

    # forces on the free bodies
    H1: np.ndarray
    H2: np.ndarray
    N1: np.ndarray
    E: np.ndarray
    f: np.ndarray
    g: np.ndarray
    # motions of the hinges
    U: np.ndarray
    Q: np.ndarray
    Qdw: np.ndarray
    C: np.ndarray
    Cdqd: np.ndarray
    # inertias
    J: np.ndarray
    M: np.ndarray

    @property
    def P(self):
        """C and U^-1 Q C, one above the other: eq. 2.36."""
        return np.vstack([self.C, np.linalg.solve(self.U, self.Q @ self.C)])

    def inertia_matrix(self):
        """The left side of eq. 2.37."""
        J, M = self.J, self.M
        return self.P.T @ np.block([[J, np.zeros_like(M)], [np.zeros_like(J), M]]) @ self.P

    def bias(self, gyroscopic=None):
        """The right side of eq. 2.37 without the actuators, moved to the left: h."""
        f = self.f if gyroscopic is None else gyroscopic
        drift = np.linalg.solve(self.U, self.Qdw)  # of the centres of mass
        swing = np.linalg.solve(self.U, self.Q @ self.Cdqd)
        above, below = f - self.J @ self.Cdqd, self.g - self.M @ (drift + swing)
        return -self.P.T @ np.concatenate([above, below])

    def free_bodies(self, tau):
        """Accelerations and constraint forces from eq. 2.26 with eqs 2.29 and 2.35, nothing eliminated: qdd."""
        n3, n = self.C.shape
        sizes = (n3, n3, n3, 2 * n, n)  # w', x'', gamma, lambda, qdd
        w, x, gamma, constraint, qdd = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1])
        A = np.vstack(
            [
                self.J @ w - self.H1 @ gamma - self.N1 @ constraint,
                self.M @ x - self.H2 @ gamma,
                self.U @ x - self.Q @ w,
                w - self.C @ qdd,
            ]
        )
        b = np.concatenate([self.f + self.E @ tau, self.g, self.Qdw, self.Cdqd])
        return np.linalg.solve(A, b)[-n:]


def hemami(mechanism, q, qd):
    """The matrices of a mechanism in a state."""
    n = mechanism.n
    parents = [body.parent for body in mechanism.bodies]
    step = [rotation(body, q[i]) for i, body in enumerate(mechanism.bodies)]  # A_i^p
    A0, w, Cdqd, path = [], [], [], []
    for i, parent in enumerate(parents):
        turned = step[i].T @ w[parent] if parent >= 0 else np.zeros(3)
        A0.append(A0[parent] @ step[i] if parent >= 0 else step[i])
        w.append(turned + Z * qd[i])
        Cdqd.append((step[i].T @ Cdqd[parent] if parent >= 0 else np.zeros(3)) + np.cross(turned, Z * qd[i]))
        path.append({**({j: step[i].T @ c for j, c in path[parent].items()} if parent >= 0 else {}), i: Z})
    J, M, U, Q, H1, H2 = (np.zeros((n, 3, n, 3)) for _ in range(6))
    N1, E, C = np.zeros((n, 3, n, 2)), np.zeros((n, 3, n)), np.zeros((n, 3, n))
    f, g, Qdw = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    R = np.eye(3)[:, :2]
    for i, (body, parent) in enumerate(zip(mechanism.bodies, parents, strict=True)):
        k = -np.array(body.com)
        J[i, :, i], M[i, :, i] = np.array(body.inertia), body.mass * np.eye(3)
        f[i], g[i] = -np.cross(w[i], np.array(body.inertia) @ w[i]), body.mass * np.array(mechanism.gravity)
        H1[i, :, i], H2[i, :, i] = tilde(k) @ A0[i].T, np.eye(3)  # eqs 2.24, 2.25: what acts on the body,
        N1[i, :, i], E[i, :, i] = R, Z
        U[i, :, i], Q[i, :, i] = np.eye(3), A0[i] @ tilde(k)  # eq. 2.27, differentiated twice
        Qdw[i] = -A0[i] @ tilde(w[i]) @ tilde(w[i]) @ k
        for j, c in path[i].items():
            C[i, :, j] = c
        if parent >= 0:
            l = np.array(body.position) - np.array(mechanism.bodies[parent].com)  # noqa: E741 - the thesis's letter
            H1[parent, :, i], H2[parent, :, i] = -tilde(l) @ A0[parent].T, -np.eye(3)  # and on what carries it
            N1[parent, :, i], E[parent, :, i] = -step[i] @ R, -step[i] @ Z
            U[i, :, parent], Q[i, :, parent] = -np.eye(3), -A0[parent] @ tilde(l)
            Qdw[i] += A0[parent] @ tilde(w[parent]) @ tilde(w[parent]) @ l
    square = (part.reshape(3 * n, 3 * n) for part in (H1, H2))
    forces = (*square, N1.reshape(3 * n, 2 * n), E.reshape(3 * n, n), f.ravel(), g.ravel())
    motions = (*(part.reshape(3 * n, 3 * n) for part in (U, Q)), Qdw.ravel(), C.reshape(3 * n, n), np.ravel(Cdqd))
    return Hemami(*forces, *motions, J.reshape(3 * n, 3 * n), M.reshape(3 * n, 3 * n))
