"""Every URDF of example-robot-data is computed by six schemes or more, or refused (test_example_robots.py has why)."""

import numpy as np
import pytest
from tools.example_robots import FILES, NO_ROBOT, REFUSED, STILL
from tools.random_robot import random_state

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.schemes.takers import takers
from meshsim.presets import PRESETS

ENOUGH = 6
QUICK = (
    "anymal_b_simple_description/robots/anymal.urdf",
    "panda_description/urdf/panda.urdf",
    "solo_description/robots/solo.urdf",
    "tiago_description/robots/tiago_no_hand.urdf",
    "ur_description/urdf/ur5_robot.urdf",
)
"""A quadruped, an arm with a gripper whose fingers move together, one on wheels with a joint that slides, an arm."""
LARGE = 60
"""Bodies of a robot that takes long on the mesh, which has a processor for each two of them."""
FLOATING = pytest.mark.parametrize("floating", ["", "floating:"], ids=["fixed", "floating"])


def check(text):
    """M and h to 1e-10; accelerations as far as the condition of M lets any method that rounds M know them."""
    mechanism = load_robot(text)
    schemes = takers(mechanism)
    assert len(schemes) >= ENOUGH, [scheme.name for scheme in schemes]
    state = random_state(len(mechanism.joints), 1)
    expected = forward_dynamics(mechanism, state)
    known = len(state.q) * np.finfo(float).eps * np.linalg.cond(expected.M)
    allowed = {"M": 1e-10, "h": 1e-10, "qdd": max(1e-10, known)}
    for scheme in schemes:
        if scheme.name != "wong-mesh" or mechanism.n <= LARGE:
            value = scheme.plan(mechanism, state).run(PRESETS["ideal"], trace=False).value
            errors = value.errors(expected)
            assert all(errors[each] < allowed[each] for each in errors), (scheme.name, errors)


@FLOATING
@pytest.mark.parametrize("name", QUICK)
def test_some_robots(name, floating):
    check(f"{floating}{FILES[name]}")


@pytest.mark.slow
@FLOATING
@pytest.mark.parametrize("name", sorted(set(FILES) - {NO_ROBOT, *QUICK, *REFUSED}))
def test_all_other_robots(name, floating):
    if floating or name not in STILL:
        check(f"{floating}{FILES[name]}")
