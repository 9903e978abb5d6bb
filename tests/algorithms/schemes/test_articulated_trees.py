"""Saha's and Featherstone's recursions on any tree: joints that slide, branches, floating bases, joints that mimic."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tools.pinocchio_model import reference_dynamics
from tools.random_robot import random_parts, random_state, relabelled
from tools.stored_robots import stored_cases

from meshsim.algorithms.kernels.articulated import project, resistance_sliding
from meshsim.algorithms.robots.body import Tie
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.tree import build
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.takers import rescue
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS

VARIANTS = {
    "inside": ("one-featherstone", {"bias": "inside"}),
    "inverse": ("one-featherstone", {"bias": "inverse"}),
    "saha": ("one-saha", {}),
}
EVERY = pytest.mark.parametrize("variant", VARIANTS)


def run(variant, robot, state):
    name, options = VARIANTS[variant]
    return SCHEMES[name].plan(robot, state, **options).run(PRESETS["ideal"], trace=False)


def check(variant, robot, state, h, qdd, tolerance=1e-10):
    value = run(variant, robot, state).value
    assert relative_error(value.qdd, qdd) < tolerance
    assert value.h is None or relative_error(value.h, h) < 1e-10


# Numbers


@pytest.mark.parametrize(("robot", "stored"), list(stored_cases()))
def test_stored_numbers(robot, stored):
    """Chains with joints that slide, trees, and the robots of the documents."""
    state = State(tuple(stored["q"]), tuple(stored["qd"]), tuple(stored["tau"]))
    for variant in VARIANTS:
        check(variant, robot, state, stored["h"], stored["qdd"], max(1e-10, 1e-13 * stored["condM"]))


@EVERY
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 8, 12, 17, 31])
def test_random_trees_with_joints_of_all_kinds(variant, n):
    """Floating bases and other joints of several freedoms among them, and bodies in any order."""
    for seed in (7000 + n, 40 + n):
        robot = relabelled(build("tree", *random_parts(n, seed), gravity=(1.0, 2.0, -9.0)), seed)
        state = random_state(n, seed)
        _, h, qdd = reference_dynamics(robot, state)
        check(variant, robot, state, h, qdd)


# What is refused


@EVERY
def test_a_joint_that_slides_with_nothing_on_it(variant):
    *others, last = chain(2, 2).bodies
    slim = replace(last, kind="prismatic", mass=0.0, com=(0.0,) * 3, inertia=((0.0,) * 3,) * 3)
    robot = Mechanism("tied", (*others, replace(slim, tie=Tie(0, 1.0))))
    name, _ = VARIANTS[variant]
    with pytest.raises(MeshSimError) as error:
        run(variant, robot, default_state(robot))
    assert str(error.value) == f"{name} takes no joints without a load, and joint 'joint2' of tied is one"
    assert rescue(robot) == "one-wong or one-angeles or one-walker-orin or one-bae could take it"


@EVERY
def test_parallel_slides_are_singular(variant):
    first, second, *_ = chain(2, 2).bodies
    straight = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    nothing = {"mass": 0.0, "com": (0.0,) * 3, "inertia": ((0.0,) * 3,) * 3}
    first = replace(first, kind="prismatic", **nothing)
    robot = Mechanism("twice", (first, replace(second, kind="prismatic", rotation=straight, twist=0.0)))
    with pytest.raises(MeshSimError, match=r"^the articulated inertia along joint 1 must be positive, not 0.0$"):
        run(variant, robot, default_state(robot))


# Counts


def counts(variant, robot):
    return Counter(run(variant, robot, default_state(robot)).operations)


def beside(robot):
    """The robot twice on the ground."""
    twins = [
        replace(
            body,
            name=f"{body.name}'",
            joint=f"{body.joint}'",
            parent=body.parent + robot.n if body.parent >= 0 else -1,
        )
        for body in robot.bodies
    ]
    return Mechanism("twice", (*robot.bodies, *twins))


@EVERY
@pytest.mark.parametrize("robot", [chain(4, 4), load_robot("torso"), load_robot("stanford")], ids=lambda r: r.name)
def test_two_robots_take_twice_the_work_of_one(variant, robot):
    once = counts(variant, robot)
    assert counts(variant, beside(robot)) == once + once


@EVERY
def test_a_fork_costs_sums_alone(variant):
    """Bodies 3 and 4 on body 2, against body 3 on body 2, and 4 on 3: one leaf more, one carrier less, and sums."""
    bodies = chain(5, 5).bodies
    fork = Mechanism("fork", (*bodies[:4], replace(bodies[4], parent=2)))
    arm = Mechanism("arm", bodies[:4])
    longer = counts(variant, Mechanism("chain", bodies))
    forked, short = counts(variant, fork), counts(variant, arm)
    assert forked["div"] == longer["div"] - 1  # of two ends the gain is known
    assert short["mul"] < forked["mul"] < longer["mul"]
    assert short["add"] < forked["add"] < longer["add"] + 21 + 12


@EVERY
def test_a_joint_that_slides_needs_no_sine(variant):
    bodies = chain(4, 4).bodies
    mixed = Mechanism("mixed", (*bodies[:2], replace(bodies[2], kind="prismatic"), bodies[3]))
    assert counts(variant, mixed)["sincos"] == 3
    assert counts(variant, mixed)["mul"] < counts(variant, Mechanism("turning", bodies))["mul"]


# The kernel of a body that slides on one that turns


@pytest.mark.parametrize("seed", range(5))
def test_what_a_sliding_body_resists(seed):
    random = np.random.default_rng(seed)
    B = random.uniform(-1, 1, (6, 6))
    dense = B @ B.T + 0.1 * np.eye(6)  # facing the joint: forces first
    picks = (0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)
    M, J = (tuple(float(part[pick]) for pick in picks) for part in (dense[:3, :3], dense[3:, 3:]))
    H = tuple(tuple(float(entry) for entry in row) for row in dense[:3, 3:])
    free, _ = project(M, H, J)
    dense -= np.outer(dense[:, 2], dense[:, 2]) / dense[2, 2]
    angular, linear = random.uniform(-1, 1, (2, 3))
    unit = np.concatenate((linear, angular))
    about_axis, force = resistance_sliding(*free, (tuple(angular), tuple(linear)))
    assert about_axis == pytest.approx(unit @ dense @ unit, rel=1e-12)
    assert relative_error(force, (dense @ unit)[:3]) < 1e-13
