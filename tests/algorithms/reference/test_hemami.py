"""Hemami's connectivity matrices, an independent reference: what they are said to do, and M, h and qdd from them."""

from dataclasses import replace

import numpy as np
import pytest
from tools.hemami import hemami
from tools.random_robot import random_state

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.types.arrays import relative_error
from meshsim.presets import PRESETS

FIVE = [-1, 0, 1, 0, 3]
"""The tree of Fig. 3.1."""


def tree(parents, seed):
    bodies = chain(len(parents), seed).bodies
    hung = tuple(replace(body, parent=parent) for body, parent in zip(bodies, parents, strict=True))
    return Mechanism(f"tree {parents}", hung, gravity=(1.0, -2.0, -9.0))


ROBOTS = [
    *(load_robot(name) for name in ("puma600", "excavator", "torso")),
    chain(1, 1),
    chain(5, 5),
    tree(FIVE, 3),
    tree([-1, 0, 0, 0, -1, 4, 4, 6], 4),
]
EVERY = pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)


def of(robot, seed=2):
    state = random_state(robot.n, seed)
    return state, hemami(robot, state.q, state.qd)


@EVERY
def test_connectivity(robot):
    """Wong sec. 2.2.4, Appendices A and B: H_2 = U^T, and U^-1 has an I for each body on the way from home."""
    _, found = of(robot)
    assert np.array_equal(found.H2, found.U.T)
    paths = np.zeros((robot.n, robot.n))
    for i, body in enumerate(robot.bodies):
        paths[i] = paths[body.parent] if body.parent >= 0 else 0.0
        paths[i, i] = 1.0
    assert np.array_equal(np.linalg.inv(found.U), np.kron(paths, np.eye(3)))


def test_connectivity_as_printed():
    """Appendix B's U^-1 of Fig. 3.1, and eq. 3.48's of the torso."""
    five = [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 0, 0, 1, 0], [1, 0, 0, 1, 1]]
    torso = [
        [1, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [1, 0, 1, 0, 0, 0],
        [1, 0, 1, 1, 0, 0],
        [1, 0, 0, 0, 1, 0],
        [1, 0, 0, 0, 1, 1],
    ]
    for robot, printed in ((tree(FIVE, 3), five), (load_robot("torso"), torso)):
        assert np.array_equal(np.linalg.inv(of(robot)[1].U), np.kron(printed, np.eye(3)))


@EVERY
def test_constraint_forces_are_eliminated(robot):
    """H_1 = -Q^T; [I, (U^-1 Q)^T] eliminates the hinge forces, C^T the hinge moments; torques stay as they are."""
    _, found = of(robot)
    assert pytest.approx(-found.Q.T, abs=1e-15) == found.H1
    tangent = np.hstack([np.eye(3 * robot.n), np.linalg.solve(found.U, found.Q).T])
    assert tangent @ np.vstack([found.H1, found.H2]) == pytest.approx(np.zeros_like(found.U), abs=1e-14)
    assert pytest.approx(np.zeros((robot.n, 2 * robot.n)), abs=1e-14) == found.C.T @ found.N1
    assert pytest.approx(np.eye(robot.n), abs=1e-14) == found.C.T @ found.E


@EVERY
def test_numbers(robot):
    """M, h and qdd, by eq. 2.37 and by the free bodies with nothing eliminated, against ours."""
    state, found = of(robot)
    ours = forward_dynamics(robot, state)
    M, h = found.inertia_matrix(), found.bias()
    assert relative_error(M, ours.M) < 1e-12
    assert relative_error(h, ours.h) < 1e-12
    tolerance = 1e-13 * max(100.0, np.linalg.cond(M))
    assert relative_error(np.linalg.solve(M, state.tau - h), ours.qdd) < tolerance
    assert relative_error(found.free_bodies(np.array(state.tau)), ours.qdd) < 10 * tolerance
    for scheme in ("one-wong", "one-saha", "one-featherstone"):
        value = load_scheme(scheme).plan(robot, state).run(PRESETS["ideal"], trace=False).value
        assert relative_error(value.qdd, ours.qdd) < 10 * tolerance


@pytest.mark.parametrize("robot", ROBOTS[:3], ids=lambda robot: robot.name)
def test_the_printed_sign_of_the_gyroscopic_torque_is_wrong(robot):
    """Appendices A and B print f = w x J w; eq. 2.25's list has the minus."""
    state, found = of(robot)
    assert relative_error(found.bias(gyroscopic=-found.f), forward_dynamics(robot, state).h) > 1e-3
