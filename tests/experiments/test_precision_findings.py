"""What docs/findings.md says of number formats, over random states and chains."""

from statistics import median

import numpy as np
import pytest

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.errors import MeshSimError
from meshsim.formats import load_format
from meshsim.simulation import NOWHERE


def vectors(n, number, seed, *sizes):
    draw = np.random.default_rng([seed, number])
    return [tuple(draw.uniform(-size, size, n).tolist()) for size in sizes]


def anywhere(robot, count, seed=1):
    """The default state, then random positions and rates up to 2, and torques up to 20."""
    yield default_state(robot)
    for number in range(count - 1):
        yield State(*vectors(len(robot.joints), number, seed, 2, 2, 20))


def tracked(robot, count, seed=1):
    """Random positions and rates, and the torques for accelerations up to 5."""
    for number in range(count):
        q, qd, qdd = vectors(len(robot.joints), number, seed, 2, 2, 5)
        found = forward_dynamics(robot, State(q, qd, (0.0,) * len(q)))
        yield State(q, qd, tuple((found.M @ np.array(qdd) + found.h).tolist()))


def digits(scheme, robot, state, name, **options):
    """Of the accelerations; None where the format does not do."""
    evaluation = load_scheme(scheme).evaluation(robot, **options)
    try:
        value = evaluation.plan(state).in_format(load_format(name)).run(NOWHERE, trace=False).value
    except MeshSimError:
        return None
    return value.digits(evaluation.reference(state))["qdd"]


def over_chains(scheme, n, name, **options):
    """The median over five chains with two states each."""
    robots = [(load_robot(f"chain:{n}:{seed}"), seed) for seed in range(1, 6)]
    found = [
        digits(scheme, robot, state, name, **options) for robot, seed in robots for state in anywhere(robot, 2, seed)
    ]
    return median(each for each in found if each is not None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "least", "middle"), [("wong-mesh", 6.7, 7.3), ("lee-chang", 6.1, 7.0), ("hwang", 5.9, 6.4)]
)
def test_the_puma_in_single(scheme, least, middle):
    robot = load_robot("puma600")
    found = [digits(scheme, robot, state, "single") for state in anywhere(robot, 20)]
    assert (round(min(found), 1), round(median(found), 1)) == (least, middle)


@pytest.mark.slow
def test_what_forms_no_inertia_matrix_keeps_its_digits():
    single = {n: over_chains("one-featherstone", n, "single") for n in (4, 24)}
    assert single[4] - single[24] < 0.5
    for scheme in ("wong-mesh", "hwang", "one-wong"):
        assert over_chains(scheme, 4, "single") - over_chains(scheme, 24, "single") > 1.5
        assert over_chains(scheme, 24, "single") < single[24] - 1.5


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["feedforward-lu", "feedforward-qr", "liu-young", "faddeev"])
def test_it_is_not_the_solver(solver):
    assert round(over_chains("wong-mesh", 24, "single", solver=solver), 1) in (4.7, 4.8)


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "whole", "fraction"), [("wong-mesh", 9, 21), ("one-featherstone", 8, 19)])
def test_the_fixed_point_that_a_puma_needs(scheme, whole, fraction):
    robot = load_robot("puma600")
    states = list(tracked(robot, 10))

    def fits(whole, fraction, least):
        found = [digits(scheme, robot, state, f"fixed:{whole}.{fraction}") for state in states]
        return all(each is not None and each >= least for each in found)

    assert fits(whole, 53 - whole, 4.0)
    assert not fits(whole - 1, 54 - whole, -1.0)
    assert fits(whole, fraction, 4.0)
    assert not fits(whole, fraction - 1, 4.0)
