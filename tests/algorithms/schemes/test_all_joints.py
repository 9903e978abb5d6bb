"""Joints that slide, branches and floating bases, in every scheme that takes them; and what a sliding joint costs."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tools.motion import dense_motion, simulated
from tools.pinocchio_model import reference_dynamics
from tools.random_robot import random_parts, random_state, relabelled
from tools.schemes import CHAINS
from tools.stored_robots import stored_cases

from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.body import MASSLESS, Tie
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.tree import Inertial, Joint, Pose, build
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.solvers.catalogue import SOLVERS
from meshsim.algorithms.types.arrays import relative_error
from meshsim.presets import PRESETS

IDEAL = PRESETS["ideal"]
ALONE = [
    *((name, {}) for name in ("one-wong", "one-angeles", "one-walker-orin")),
    *(("one-bae", {"frame": frame}) for frame in ("inertial", "body")),
]
"""Those on one processor that form M."""
RIVALS = [
    *((name, {}) for name in ("lee-chang", "fijany-bejczy")),
    *(("hwang", {"network": network}) for network in ("hypercube", "bus")),
    *(("amin-javaheri", {"network": network}) for network in ("hypercube", "pipeline", "mesh")),
]
STORED = [case for case in stored_cases() if case.values[0].needs]
"""Chains with joints that slide, and trees."""


def mixed(kinds, seed=3, twist=True):
    """A chain of joints of the given kinds, R or P, in twist form or in general form; gravity is aslant."""
    named = {"R": "revolute", "P": "prismatic"}
    bodies = [
        replace(body, kind=named[kind], **({} if twist else {"twist": None}))
        for body, kind in zip(chain(len(kinds), seed).bodies, kinds, strict=True)
    ]
    return Mechanism(kinds, tuple(bodies), (1.0, 2.0, -9.0))


def every_mixture(*sizes):
    """All chains of so many joints, in both forms."""
    for n in sizes:
        for kinds, twist in product(product("RP", repeat=n), (True, False)):
            yield mixed("".join(kinds), n, twist)


def check(name, options, robot, state, M, h, qdd):
    """All to 1e-10; accelerations lose as many digits as M is ill-conditioned."""
    value = SCHEMES[name].plan(robot, state, **options).run(IDEAL, trace=False).value
    assert relative_error(value.M, M) < 1e-10
    assert relative_error(value.h, h) < 1e-10
    assert relative_error(value.qdd, qdd) < max(1e-10, 1e-13 * np.linalg.cond(M))


def check_torques(name, options, robot, state):
    inversion = SCHEMES[name].inversion(robot, **options)
    motion = np.array([state.q, state.qd, state.tau])
    found = inversion.plan(*motion).run(IDEAL, trace=False).value
    assert relative_error(found, inversion.reference(*motion)) < 1e-10


# Numbers


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("robot", "stored"), STORED)
def test_stored_numbers(robot, stored):
    state = State(tuple(stored["q"]), tuple(stored["qd"]), tuple(stored["tau"]))
    taking = [(name, options) for name, options in ALONE + RIVALS if SCHEMES[name].takes.issuperset(robot.needs)]
    assert len(taking) == len(ALONE) + (len(RIVALS) if robot.is_chain else 0)
    for name, options in taking:
        check(name, options, robot, state, *(np.array(stored[key]) for key in ("M", "h", "qdd")))


@pytest.mark.parametrize(("name", "options"), ALONE + RIVALS)
def test_every_mixture_of_joints_in_a_chain(name, options):
    for robot in every_mixture(1, 2, 3):
        state = random_state(robot.n, 7)
        check(name, options, robot, state, *reference_dynamics(robot, state))
        check_torques(name, options, robot, state)


@pytest.mark.parametrize(("name", "options"), RIVALS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_network_and_solver_on_a_mixed_chain(name, options, solver):
    robot = mixed("PRPPR")
    state = random_state(5, 1)
    check(name, options | {"solver": solver}, robot, state, *reference_dynamics(robot, state))


@pytest.mark.parametrize(("name", "options"), ALONE)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 8, 12, 17])
def test_random_trees_with_joints_of_all_kinds(name, options, n):
    """Floating bases and other joints of several freedoms among them, and bodies in any order."""
    for seed in (7000 + n, 40 + n):
        robot = relabelled(build("tree", *random_parts(n, seed), gravity=(1.0, 2.0, -9.0)), seed)
        state = random_state(n, seed)
        check(name, options, robot, state, *reference_dynamics(robot, state))
        check_torques(name, options, robot, state)


@pytest.mark.parametrize(("name", "options"), ALONE + RIVALS)
def test_a_floating_base_is_a_chain_for_all(name, options):
    """Five of its bodies have no mass."""
    body = Inertial(2.0, Pose(np.eye(3), np.array([0.1, -0.2, 0.3])), np.diag([1.0, 2.0, 2.5]))
    joints = [Joint("base", "floating", "ground", "body"), Joint("arm", "revolute", "body", "hand")]
    robot = build("floating", {"ground": None, "body": body, "hand": body}, joints)
    assert [each.mass for each in robot.bodies] == [0.0] * 5 + [2.0, 2.0]
    state = random_state(robot.n, 2)
    check(name, options, robot, state, *reference_dynamics(robot, state))
    check_torques(name, options, robot, state)


@pytest.mark.parametrize(("name", "options"), ALONE)
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("parent", [0, 2, 3])
def test_a_joint_without_a_load_at_an_end(name, options, kind, parent):
    """It mimics another; composite bodies divide by masses."""
    *others, last = chain(5, 3).bodies
    mass, com, inertia = MASSLESS
    tied = replace(last, kind=kind, parent=parent, mass=mass, com=com, inertia=inertia, tie=Tie(1, 2.0))
    robot = Mechanism("tied", (*others, tied))
    state = random_state(4, 3)
    reference = forward_dynamics(robot, state)
    check(name, options, robot, state, reference.M, reference.h, reference.qdd)


SLIDING = [name for name, scheme in CHAINS.items() if "prismatic joints" in scheme.takes]


@pytest.mark.parametrize("name", [name for name in SLIDING if name not in ("wong-mesh", "branch-parallel")])
def test_a_mixed_chain_moves_alike(name):
    """Rates are told to the network of the force vector, positions to both."""
    robot = mixed("RPRP")
    motion = Motion(robot, default_state(robot), 0.005, 3, friction=(0.5, 0.3, 0.2, 0.1))
    q, qd = dense_motion(motion)
    came = simulated(name, motion).value
    size = max(1.0, np.abs(qd).max())  # rounding, as in test_stepping
    assert came.q == pytest.approx(q, abs=1e-11 * size)
    assert came.qd == pytest.approx(qd, abs=1e-9 * size)


# Costs


def run(name, options, robot):
    return SCHEMES[name].plan(robot, default_state(robot), **options).run(IDEAL, trace=False)


def saved(part, name, **options):
    """Multiplies and adds that processor 3 of four saves if its joint slides, in twist form; and sines."""
    done = [run(name, options, mixed(kinds)).operations_of[part, 3] for kinds in ("RRRR", "RRPR")]
    return tuple(done[0][each] - done[1][each] for each in ("mul", "add", "sincos"))


POSE = 4, -2
"""No rotation to form, but two sums along z."""


def summed(*savings):
    """Of multiplies and adds; and one sine."""
    return (*np.sum(savings, axis=0).tolist(), 1)


def test_what_a_sliding_joint_saves_a_row_of_hwangs_matrix():
    motion = 6, 3  # B is (z, 0), and not (x x z, z)
    wrench = 36 - 3 - 6, 30 - 3  # K B is then m z and P x z
    entries = 2 * 3, 2 * 3  # its own and joint 4's need forces alone
    assert saved("M", "hwang") == summed(POSE, motion, wrench, entries)


def test_what_a_sliding_joint_saves_composite_bodies():
    wrench = 9 + 6, 6 + 3 + 3  # no J z, no z x arm, and no sum of moments
    entry = 6, 3 + 3 + 3  # joint 4's on it: no lever, no moment of it, no sum; its own costs the same
    assert saved("M", "amin-javaheri") == summed(POSE, wrench, entry)


def test_what_a_sliding_joint_saves_the_force_network():
    turning = 3 + 6 + 6, 3 + 3 + 3  # z qd and w x (z qd); the moment about the hinge
    sliding = -3 - 6, -1 - 3 - 3 - 3  # 2 w x (z qd), added to the acceleration of the next hinge, and of its own
    assert saved("h", "hwang") == saved("h", "amin-javaheri") == summed(POSE, turning, sliding)


@pytest.mark.parametrize(("name", "options"), RIVALS)
def test_a_joint_that_slides_sends_as_much_as_one_that_turns(name, options):
    once, other = (run(name, options, mixed(kinds)) for kinds in ("RRRR", "PRPR"))
    assert [each.words for each in once.traffic] == [each.words for each in other.traffic]


@pytest.mark.parametrize(("name", "options"), ALONE + RIVALS)
@pytest.mark.parametrize("twist", [True, False])
@pytest.mark.parametrize("place", range(4))
def test_a_joint_that_slides_costs_less(name, options, twist, place):
    turning, sliding = (mixed("R" * place + kind + "R" * (3 - place), 4, twist) for kind in "RP")
    more, less = (run(name, options, robot).operations for robot in (turning, sliding))
    assert less["sincos"] == 3 * more["sincos"] // 4
    prices = PRESETS["t800"].operations
    assert sum(prices[each] * count for each, count in less.items()) < sum(prices[each] * more[each] for each in more)


def beside(robot):
    """The robot twice on the ground."""
    twins = [
        replace(body, name=f"{body.name}'", joint=f"{body.joint}'", parent=body.parent + robot.n * (body.parent >= 0))
        for body in robot.bodies
    ]
    return Mechanism("twice", (*robot.bodies, *twins), robot.gravity)


@pytest.mark.parametrize(("name", "options"), ALONE)
@pytest.mark.parametrize("robot", [chain(4, 4), load_robot("torso"), mixed("PRPR")], ids=lambda robot: robot.name)
def test_two_robots_form_as_much_as_one_twice(name, options, robot):
    """M and h; solving is another matter."""
    once, twice = (run(name, options, each).operations_by_phase for each in (robot, beside(robot)))
    for phase in ("inertia", "force"):
        assert Counter(twice[phase]) == Counter({key: 2 * count for key, count in once[phase].items()})
