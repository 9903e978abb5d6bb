"""Closed mechanisms with loops of all kinds, in space and in a plane, from a seed."""

import math
from dataclasses import replace

import numpy as np
from scipy.linalg import qr

from meshsim.algorithms.robots.body import Body, rotation_x
from meshsim.algorithms.robots.closure import assemble, consistent_rates, leading, loops, placed
from meshsim.algorithms.robots.cuts import Anchor, Cut
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.tree import rotation_rpy
from meshsim.algorithms.types.splitmix import SplitMix64

NO_INERTIA = ((0.0,) * 3,) * 3


class Maker:
    """Draws the parts of mechanisms."""

    def __init__(self, seed):
        self.random = SplitMix64(seed)

    def number(self, bound):
        return self.random.uniform(-bound, bound)

    def vector(self, bound):
        return tuple(self.number(bound) for _ in range(3))

    def rotation(self):
        return rotation_rpy(*self.vector(math.pi))

    def body(self, i, letter, parent, rotation, position, twist=None):
        """R turns and P slides; r and p do so without mass."""
        kind = "revolute" if letter in "Rr" else "prismatic"
        parts = f"body{i}", f"joint{i}", kind, parent, matrix(rotation), position
        if letter.islower():
            return Body(*parts, 0.0, (0.0, 0.0, 0.0), NO_INERTIA, twist)
        B = np.array([self.vector(0.3) for _ in range(3)])
        S = B @ B.T + 0.02 * np.eye(3)
        mass = self.random.uniform(0.5, 3.0)
        return Body(*parts, mass, self.vector(0.4), matrix(mass * (np.trace(S) * np.eye(3) - S)), twist)


def matrix(A):
    return tuple(map(tuple, np.asarray(A).tolist()))


def in_space(seed, joints, parents, cuts, gravity=(0.3, -0.2, -9.81)):
    """Bodies in any position; every other joint that turns has a twist only. A cut joint is its kind and two bodies."""
    make = Maker(seed)
    bodies = []
    for i, (letter, parent) in enumerate(zip(joints, parents, strict=True)):
        twist = make.number(math.pi) if i % 2 and letter in "Rr" else None
        rotation = make.rotation() if twist is None else rotation_x(twist)
        bodies.append(make.body(i, letter, parent, rotation, make.vector(0.7), twist))
    made = [
        Cut(f"cut{k}", kind, *(Anchor(body, make.vector(0.5), matrix(make.rotation())) for body in ends))
        for k, (kind, *ends) in enumerate(cuts)
    ]
    tree = Mechanism(f"space{seed}", tuple(bodies), gravity)
    return tree.closed_by(tuple(made), (), (0.0,) * len(bodies))


def in_plane(seed, joints, parents, cuts, gravity=(0.3, -0.2, -9.81)):
    """The same in a tilted plane; every third joint turns against it."""
    make = Maker(seed)
    tilt = make.rotation()
    frames, bodies = [], []
    for i, (letter, parent) in enumerate(zip(joints, parents, strict=True)):
        turn = tilt @ rotation_rpy(0.0, 0.0, make.number(math.pi))
        slides = letter in "Pp"
        frame = turn @ rotation_rpy(0.0, math.pi / 2 if slides else math.pi * (i % 3 == 2), 0.0)
        before = frames[parent] if parent >= 0 else np.eye(3)
        position = before.T @ tilt @ np.array((make.number(0.7), make.number(0.7), 0.0))
        frames.append(frame)
        bodies.append(make.body(i, letter, parent, before.T @ frame, tuple(position.tolist())))
    made = []
    for k, (kind, *ends) in enumerate(cuts):
        anchors = []
        for body in ends:
            before = frames[body] if body >= 0 else np.eye(3)
            turn = tilt @ rotation_rpy(0.0, 0.0, make.number(math.pi))
            position = before.T @ tilt @ np.array((make.number(0.5), make.number(0.5), 0.0))
            anchors.append(Anchor(body, tuple(position.tolist()), matrix(before.T @ turn)))
        made.append(Cut(f"cut{k}", kind, *anchors))
    tree = Mechanism(f"plane{seed}", tuple(bodies), gravity)
    return tree.closed_by(tuple(made), (), (0.0,) * len(bodies))


SPACE = {
    "RSSR": in_space(1, "RrrRR", (-1, 0, 1, 2, -1), [("spherical", 3, 4)]),
    "RSCR": in_space(2, "RrrRpRR", (-1, 0, 1, 2, -1, 4, 5), [("revolute", 3, 6)]),
    "two arms, one body": in_space(
        3, "RRRRPRpppRrR", (-1, 0, 1, -1, 3, 4, -1, 6, 7, 8, 9, 10), [("spherical", 2, 11), ("revolute", 5, 11)]
    ),
    "to the ground": in_space(4, "RRRRRP", (-1, 0, 1, 2, 3, 4), [("spherical", -1, 5)]),
    "hinged to the ground": in_space(5, "PRRRRRR", (-1, 0, 1, 2, 3, 4, 5), [("revolute", 6, -1)]),
    "within one tree": in_space(
        6, "RRPRRRRRPR", (-1, 0, 1, 2, 0, 4, 5, -1, 7, 8), [("revolute", 3, 6), ("spherical", 6, 9)]
    ),
    "welded": in_space(7, "RRRRPRRR", (-1, 0, 1, 2, -1, 4, 5, 6), [("fixed", 3, 7)]),
    "welded to the ground": in_space(8, "pPRRRRRR", (-1, 0, 1, 2, 3, 4, 5, 6), [("fixed", -1, 7)]),
    "slides": in_space(9, "PpPR", (-1, 0, 1, -1), [("spherical", 2, 3)]),
    "three arms": in_space(
        10,
        "RRRRRRRRR",
        (-1, 0, 1, -1, 3, 4, -1, 6, 7),
        [("spherical", 2, 5), ("spherical", 8, 5)],
    ),
}

PLANE = {
    "slider": in_plane(11, "RRP", (-1, 0, -1), [("revolute", 1, 2)]),
    "to the ground": in_plane(12, "RRRR", (-1, 0, 1, 2), [("revolute", 3, -1)]),
    "welded": in_plane(13, "RRpRR", (-1, 0, -1, 2, 3), [("fixed", 1, 4)]),
    "within one tree": in_plane(14, "PRRRRR", (-1, 0, 1, 0, 3, -1), [("revolute", 2, 4), ("revolute", 4, 5)]),
    "slides on what turns": in_plane(15, "RPrRPR", (-1, 0, 1, 2, -1, 4), [("fixed", 3, 5)]),
    "platform": in_plane(16, "RRRRppR", (-1, 0, -1, 2, -1, 4, 5), [("revolute", 1, 6), ("revolute", 3, 6)]),
}


def random_state(mechanism, seed):
    """Positions and rates of all joints."""
    make = Maker(seed)
    draw = lambda bound: np.array([make.number(bound) for _ in range(mechanism.n)])  # noqa: E731
    return draw(1.5), draw(2.0)


def closing(mechanism, seed):
    """A mechanism with cut joints that meet in a random position, and as many actuated joints as there are freedoms."""
    q = random_state(mechanism, seed)[0]
    bodies, cuts = placed(mechanism, q, np.zeros(mechanism.n)), []
    for cut in mechanism.cuts:
        one, other = bodies[cut.first.body], bodies[cut.second.body]
        p, R = one.x + one.R @ np.array(cut.first.position), one.R @ np.array(cut.first.rotation)
        position = tuple((other.R.T @ (p - other.x)).tolist())
        cuts.append(replace(cut, second=Anchor(cut.second.body, position, matrix(other.R.T @ R))))
    made = replace(mechanism, cuts=tuple(cuts), guess=tuple(q.tolist()))
    A = loops(made, q, np.zeros(made.n)).A
    columns = qr(A, pivoting=True)[2]
    return replace(made, actuated=tuple(sorted(int(j) for j in columns[len(A) :])))


def moving(mechanism, seed):
    """A motion near the guess that the loops allow: positions, rates and accelerations of all joints."""
    random = np.random.default_rng(seed)
    driven, count = list(leading(mechanism)), len(leading(mechanism))
    guess = np.array(mechanism.guess)
    guess[driven] += random.uniform(0.0, 0.1, count)  # the 3-PRR's legs are almost stretched
    q = assemble(mechanism, guess)
    qd = consistent_rates(mechanism, q, random.normal(size=len(mechanism.actuated)))
    now = loops(mechanism, q, qd)
    passive = [j for j in range(mechanism.n) if j not in driven]
    qdd = np.zeros(mechanism.n)
    qdd[driven] = random.normal(size=count)
    qdd[passive] = np.linalg.solve(now.A[:, passive], -now.A @ qdd - now.bias)
    return q, qd, qdd
