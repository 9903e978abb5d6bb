"""The reference in decimals: against itself with more digits, the dense one in double, and the equations of motion."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.reference.exact import DIGITS, exact_accelerations, sine_cosine
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.state import State, default_state
from meshsim.errors import MeshSimError


@pytest.mark.parametrize("text", ["puma600", "stanford", "torso", "chain:12:3", "straight:8", "coil:8", "dill:16"])
def test_it_agrees_with_the_dense_one(text):
    robot = load_robot(text)
    n = robot.n
    state = State(
        tuple(0.3 * i - 1 for i in range(n)), tuple(0.1 * i for i in range(n)), tuple(math.sin(i) for i in range(n))
    )
    found = np.array(exact_accelerations(robot, state), dtype=float)
    dense = forward_dynamics(robot, state).qdd
    assert np.abs(found - dense).max() <= 1e-10 * np.abs(dense).max()


@pytest.mark.parametrize("text", ["coil:64:thin", "straight:64", "dill:64", "chain:64:1"])
def test_more_digits_change_nothing_that_a_double_sees(text):
    robot = load_robot(text)
    found = exact_accelerations(robot, default_state(robot))
    more = exact_accelerations(robot, default_state(robot), digits=2 * DIGITS)
    largest = max(map(abs, more))
    assert max(abs(a - b) for a, b in zip(found, more, strict=True)) < largest * Decimal("1e-40")


def test_a_pendulum():
    robot = load_robot("straight:1")
    state = State((0.0,), (0.0,), (0.0,))
    (body,) = robot.bodies
    gravity, mass, arm = map(Decimal, (robot.gravity[2], body.mass, body.com[0]))
    (found,) = exact_accelerations(robot, state)
    with localcontext() as context:
        context.prec = 60
        expected = gravity * mass * arm / (Decimal(body.inertia[2][2]) + mass * arm**2)
        assert abs(found - expected) < Decimal("1e-30")  # pi / 2 in double is off by 6e-17


@pytest.mark.parametrize("angle", [0.0, 1e-20, 0.1, -2.0, 25.6, 1e6])
def test_sine_and_cosine(angle):
    sine, cosine = sine_cosine(Decimal(angle))
    assert (float(sine), float(cosine)) == (math.sin(angle), math.cos(angle))
    with localcontext() as context:
        context.prec = 50
        sine, cosine = sine_cosine(Decimal(angle))
        assert abs(sine * sine + cosine * cosine - 1) < Decimal("1e-48")


def test_what_it_does_not_take():
    robot = load_robot("four-bar")
    with pytest.raises(MeshSimError, match="the exact reference must have no loops, as four-bar has"):
        exact_accelerations(robot, default_state(robot))
