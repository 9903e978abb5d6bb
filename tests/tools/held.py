"""Motion with the states of others held through each step, on one processor and without programs: plain numpy.

The equations are the documents' (KTK eqs 22, 24 to 27), dense, for all joints at once: a site solves them for a state
in which its own part is as it is and the rest as it was at the step's beginning, and keeps what concerns itself.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.newton_euler import bias_force
from meshsim.algorithms.robots.closure import loops

RULES = {
    1: ([[]], [1.0], [0.0]),
    2: ([[], [0.5]], [0.0, 1.0], [0.0, 0.5]),
    4: ([[], [0.5], [0.0, 0.5], [0.0, 0.0, 1.0]], [1 / 6, 1 / 3, 1 / 3, 1 / 6], [0.0, 0.5, 0.5, 1.0]),
}
"""By order: where stages are, from the slopes before; the weights of all; and when."""


@dataclass
class Springs:
    """The state of a site is q and q' of its joints."""

    mechanism: object
    sites: list
    k: float
    d: float

    def begin(self, q, qd):
        return [np.concatenate([q[own], qd[own]]) for own in self.sites]

    def joined(self, states):
        """Positions and rates of all joints."""
        q, qd = np.zeros(self.mechanism.n), np.zeros(self.mechanism.n)
        for own, state in zip(self.sites, states, strict=True):
            q[own], qd[own] = np.split(state, 2)
        return q, qd

    def rates(self, states, site, tau):
        """KTK eq. 22."""
        q, qd = self.joined(states)
        now = loops(self.mechanism, q, qd)
        force = self.k * now.c + self.d * now.A @ qd
        M, h = inertia_matrix(self.mechanism, q), bias_force(self.mechanism, q, qd)
        qdd = np.linalg.solve(M, tau - h - now.A.T @ force)
        return np.concatenate([qd[self.sites[site]], qdd[self.sites[site]]])


@dataclass
class Projection:
    """The state of a site is q of its joints and a share of v = B q', whose sum counts."""

    mechanism: object
    sites: list
    sigma: float
    B: object

    def begin(self, q, qd):
        share = self.B @ qd / len(self.sites)
        return [np.concatenate([q[own], share]) for own in self.sites]

    def joined(self, states):
        """Positions and rates of all joints."""
        q, qd, _ = self._all(states)
        return q, qd

    def _all(self, states):
        q, v = np.zeros(self.mechanism.n), np.zeros(len(self.B))
        for own, state in zip(self.sites, states, strict=True):
            q[own] = state[: len(own)]
            v = v + state[len(own) :]
        now = loops(self.mechanism, q, np.zeros(self.mechanism.n))
        whole = np.vstack([now.A, self.B])
        return q, np.linalg.solve(whole, np.concatenate([-self.sigma * now.c, v])), whole

    def rates(self, states, site, tau):
        """KTK eq. 27, with v' of one site alone."""
        q, qd, whole = self._all(states)
        now, own = loops(self.mechanism, q, qd), self.sites[site]
        S = null_space(now.A)
        S = S @ np.linalg.inv(self.B @ S)
        gamma = np.linalg.solve(whole, np.concatenate([self.sigma**2 * now.c - now.bias, np.zeros(len(self.B))]))
        M, h = inertia_matrix(self.mechanism, q), bias_force(self.mechanism, q, qd)
        share = np.linalg.solve(S.T @ M @ S, S[own].T @ (tau - h - M @ gamma)[own])
        return np.concatenate([qd[own], share])


def held_motion(model, q, qd, torque, h, steps, order=4):
    """Positions and rates of all joints after each step, states being exchanged at its beginning."""
    stages, weights, nodes = RULES[order]
    states = model.begin(q, qd)
    found = [model.joined(states)]
    for step in range(steps):
        after = []
        for site, y in enumerate(states):
            slopes = []
            for row, node in zip(stages, nodes, strict=True):
                trial = y + h * sum((a * slope for a, slope in zip(row, slopes, strict=True)), np.zeros_like(y))
                seen = [*states[:site], trial, *states[site + 1 :]]
                slopes.append(model.rates(seen, site, torque((step + node) * h)))
            after.append(y + h * np.array(weights) @ np.array(slopes))
        states = after
        found.append(model.joined(states))
    return [np.array(each) for each in zip(*found, strict=True)]
