"""Divide and conquer with mixed handles: numbers, counts, digits, and what is refused."""

from collections import Counter

import numpy as np
import pytest
from tools.example_robots import FILES
from tools.loop_mechanisms import SPACE
from tools.pinocchio_model import reference_dynamics
from tools.random_robot import random_state
from tools.stored_robots import stored_cases

from meshsim.algorithms.reference.exact import exact_accelerations
from meshsim.algorithms.robots.body import Body
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.formats import load_format
from meshsim.presets import PRESETS

DCA = SCHEMES["dca"]
NETWORKS = ("tree", "hypercube", "mesh", "pipeline")


def found(robot, state, network="tree", form="mixed", precision=None):
    plan = DCA.plan(robot, state, form=form, network=network)
    plan = plan if precision is None else plan.in_format(load_format(precision))
    return plan.run(PRESETS["ideal"], trace=False).value.qdd


@pytest.mark.sampled(2)
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 9, 16, 31, 64])
def test_chains(network, n):
    robot, state = chain(n, n), random_state(n, n)
    _, _, qdd = reference_dynamics(robot, state)
    assert relative_error(found(robot, state, network), qdd) < 1e-12


@pytest.mark.sampled(3)
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13, 32])
@pytest.mark.parametrize("every", [1, 2, 3])
def test_chains_with_joints_that_slide(network, n, every):
    """All joints, every second, every third; the first among them or not."""
    for start in {0, every - 1}:
        bodies = [
            Body(**{**vars(body), "kind": "prismatic" if i % every == start else body.kind})
            for i, body in enumerate(chain(n, 5).bodies)
        ]
        if every == 1 and n > 3:
            return  # more than three slides in a row are not independent
        robot, state = Mechanism("sliding", tuple(bodies)), random_state(n, n)
        _, _, qdd = reference_dynamics(robot, state)
        assert relative_error(found(robot, state, network), qdd) < 1e-9


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("robot", "stored"), list(stored_cases()))
def test_stored_numbers(robot, stored):
    if robot.is_chain:
        state = State(tuple(stored["q"]), tuple(stored["qd"]), tuple(stored["tau"]))
        assert relative_error(found(robot, state), np.array(stored["qdd"])) < max(1e-10, 1e-13 * stored["condM"])


LEVEL, START = (1514, 1303, 11), (-1564, -1366, -9)
"""Multiplies, adds and divisions a doubling of the chain adds to the longest path, and what there is besides."""


@pytest.mark.parametrize("n", [4, 8, 16, 64])
@pytest.mark.parametrize("network", NETWORKS)
def test_a_doubling_adds_the_same(network, n):
    robot = chain(n, 1)
    plan = DCA.plan(robot, default_state(robot), form="mixed", network=network)
    counts = Counter()
    for step in plan.run(PRESETS["ideal"]).critical_path.walked:
        if step.kind == "compute":
            counts.update(step.what.cost)
    levels = n.bit_length() - 1
    wanted = [start + level * levels for start, level in zip(START, LEVEL, strict=True)]
    assert [counts[operation] for operation in ("mul", "add", "div")] == wanted


def test_digits_of_a_thin_coil_in_single():
    """At least ten times closer to the exact accelerations than with five constraints."""
    robot = load_robot("coil:64:thin")
    state = default_state(robot)
    exact = np.array([float(each) for each in exact_accelerations(robot, state)])
    mixed, five = (
        relative_error(found(robot, state, form=form, precision="single"), exact) for form in ("mixed", "five")
    )
    assert mixed < 1e-3
    assert 10 * mixed < five


@pytest.mark.parametrize(
    ("robot", "what"),
    [
        (load_robot("torso"), "branching joints"),
        (next(iter(SPACE.values())), "loops"),
    ],
)
def test_what_is_refused(robot, what):
    with pytest.raises(MeshSimError, match=rf"^dca takes no {what} with form=mixed, and .* has '.*'; form=five or "):
        DCA.evaluation(robot, form="mixed")


def test_joints_of_several_freedoms_are_refused():
    robot = load_robot(f"floating:{FILES['ur_description/urdf/ur5_robot.urdf']}")
    told = (
        r"^dca takes no joints of several freedoms with form=mixed, and ur5 has 'base.x'; form=five or form=six could"
    )
    with pytest.raises(MeshSimError, match=told):
        DCA.evaluation(robot, form="mixed")
