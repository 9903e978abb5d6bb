"""Constraint forces: the dense answer on both networks, times derived operation by operation, no deadlocks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.random_urdf import random_urdf

from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.motion.pace import moving
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import chain, excavator, load_robot, puma600
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.tree import Inertial, Joint, Pose, build
from meshsim.algorithms.robots.urdf import read_urdf
from meshsim.algorithms.schemes.base.scheme import RefusedError
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.machine import DISCIPLINES, OPERATIONS, LinkCosts, Machine
from meshsim.presets import PRESETS
from meshsim.recording import record
from meshsim.retiming import retime

CFA = SCHEMES["cfa"]
NETWORKS = CFA.options["network"]
IDEAL = PRESETS["ideal"]
OFTEN = {1, 2, 3, 5, 8, 13, 64}


def sliding(n, seed):
    """Every second joint of a chain slides, the first or not."""
    bodies = [
        replace(body, kind=("prismatic", "revolute")[(i + seed) % 2]) for i, body in enumerate(chain(n, seed).bodies)
    ]
    return Mechanism("mixed", tuple(bodies))


def check(robot, state, machine=IDEAL, trace=False, **options):
    """Within 1e-10 of the dense answer, times what the dense answer may itself be off by.

    The factor is a thousandth of the condition of M where that is above 1: both answers lose digits in proportion to
    it. Without it the largest error of 240 chains of up to 64 joints was 2e-11, with it 2e-12. Wrenches add up along
    a chain, and accelerations are small differences of what they do: that costs these few digits.
    """
    run = CFA.plan(robot, state, **options).run(machine, trace=trace)
    reference = forward_dynamics(robot, state)
    allowed = 1e-10 * max(1.0, 1e-3 * np.linalg.cond(reference.M))
    assert run.value.errors(reference)["qdd"] < allowed
    return run


# Numbers


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("n", [n if n in OFTEN else pytest.param(n, marks=pytest.mark.slow) for n in range(1, 65)])
def test_random_chains(n, network):
    for robot in (chain(n, 300 + n), sliding(n, 500 + n), sliding(n, 501 + n)):
        run = check(robot, default_state(robot), network=network)
        assert run.processors == n
        assert (run.value.M, run.value.h) == (None, None)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("robot", [puma600(), excavator(), load_robot("stanford")], ids=lambda robot: robot.name)
def test_known_robots(robot, network):
    state = State((0.3, -0.7, 1.1, 0.2, -0.4, 0.9)[: robot.n], (0.5,) * robot.n, (1.0,) * robot.n)
    check(robot, state, PRESETS["t800"], network=network)


def test_axes_in_any_direction(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(random_urdf(6, 17))
    robot = read_urdf(path)
    assert not robot.is_twist
    check(robot, default_state(robot))


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("n", [1, 3, 5, 8])
def test_a_motion_is_that_of_another_scheme(n, network):
    robot = sliding(n, 2)
    motion = Motion(robot, default_state(robot), 0.001, 3)
    ours, theirs = (
        moving(scheme.evaluation(robot, **options), motion).run(PRESETS["t800"], trace=False).value
        for scheme, options in ((CFA, {"network": network}), (SCHEMES["one-featherstone"], {}))
    )
    assert np.allclose(ours.q, theirs.q, rtol=1e-10, atol=1e-10)
    assert np.allclose(ours.qd, theirs.qd, rtol=1e-9, atol=1e-9)


# Times


INERTIA = (30 + 48, 30 + 24 + 21)
"""Phi_00 and Phi_01 turned by the joint, and Phi_11 of the unit before added."""
KINEMATICS = (4 + 4, 3)
"""The joint's own rotation; after the prefix, back to how the carrier turns."""
BIASES = (108, 79)
RIGHT = (18, 24)
"""What a torque does at the next joint; the difference of two handles, less what two torques do."""
BOTH = (520, 430, 5)
"""A stage with two neighbours."""
ONE = (220, 180, 5)
"""The last stage, where every row has one."""
SOLUTION = (55, 40, 5)
FREEDOM = (15, 15)
"""The sixth row."""
PRODUCT = (36, 27)
"""Of two turnings."""


def total(*counts):
    return tuple(sum(each) for each in zip(*((*count, 0)[:3] for count in counts), strict=True))


def test_the_parts_make_the_formula():
    """From the list in docs/findings.md: a + b log2 n."""
    outside = total(INERTIA, KINEMATICS, BIASES, RIGHT, ONE, SOLUTION, FREEDOM)
    assert outside == (502, 416, 10)
    a = tuple(x - y for x, y in zip(outside, BOTH, strict=True))
    assert a == (-18, -14, 5)
    assert total(BOTH, PRODUCT) == (556, 457, 5)


@pytest.mark.parametrize("stages", [2, 3, 4, 5, 6])
def test_the_finish_is_linear_in_the_logarithm(stages):
    n = 2**stages
    mul, add, div = 556 * stages - 18, 457 * stages - 14, 5 * stages + 5
    robot = chain(n, n)
    run = CFA.plan(robot, default_state(robot)).run(IDEAL, trace=False)
    assert run.ticks == 2 * mul + add + 2 * div == 1579 * stages - 40


def test_one_and_two_joints_take_less():
    """Of two units neither is between two joints; the second one's torque comes to the first after its biases."""
    found = {n: CFA.plan(chain(n, n), default_state(chain(n, n))).run(IDEAL, trace=False).ticks for n in (1, 2)}
    second = total((30, 51), KINEMATICS, PRODUCT, (77, 55))
    first = total((12, 18), ONE, SOLUTION, (15, 14))
    mul, add, div = total(second, first)
    assert (mul, add, div) == (453, 388, 10)
    assert found[2] == 2 * mul + add + 2 * div
    mul, add, div = total((30, 30), (4, 0), (15, 4), (6, 12), SOLUTION, (5, 5))
    assert found[1] == 2 * mul + add + 2 * div


@pytest.mark.parametrize("stages", [2, 3, 4, 5])
def test_between_powers_of_two_the_logarithm_is_rounded_up(stages):
    """From 3/4 of a power of two on a row has two neighbours in all stages but the last."""
    for n in range(2**stages // 2 + 1, 2**stages):
        robot = chain(n, n)
        ticks = CFA.plan(robot, default_state(robot)).run(IDEAL, trace=False).ticks
        assert 1579 * (stages - 1) - 40 < ticks <= 1579 * stages - 40


def test_counts_are_below_those_of_rows_that_are_exchanged():
    """About 750, 680 and 80 a row and stage, with the factors of both neighbours, and 45 words to each."""
    assert all(ours <= theirs for ours, theirs in zip(BOTH, (750, 680, 80), strict=True))


@pytest.mark.parametrize("n", [2, 4, 8, 16])
def test_words(n):
    """Per stage 45 from rows with two neighbours, 20 from others; over two hops from the second stage on."""
    robot = chain(n, n)
    run = CFA.plan(robot, default_state(robot)).run(IDEAL, trace=False)
    words = (n - 1) * (31 + 1 + 1 + 5)
    distance = 1
    while distance < n:
        hops = min(distance, 2)
        ends = 2 * min(distance, n - distance)
        words += hops * (12 * (n - distance) + 20 * ends + 2 * 45 * (n - ends))
        distance *= 2
    assert run.words == words


# Machines


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 8, 11])
def test_every_preset(n, network):
    robot = sliding(n, n)
    state = default_state(robot)
    found = [
        CFA.plan(robot, state, network=network).run(machine, trace=False).value.qdd for machine in PRESETS.values()
    ]
    assert all(np.array_equal(each, found[0]) for each in found)


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(1, 9),
    network=st.sampled_from(NETWORKS),
    discipline=st.sampled_from(DISCIPLINES),
    duplex=st.sampled_from(["full", "half"]),
    buffers=st.integers(1, 3),
    costs=st.lists(st.integers(0, 30), min_size=8, max_size=8),
)
def test_any_machine(n, network, discipline, duplex, buffers, costs):
    operations = dict(zip(OPERATIONS, costs, strict=False))
    machine = Machine("drawn", 1, operations, LinkCosts(discipline, *costs[5:8], buffers, duplex=duplex))
    robot = chain(n, 3)
    run = check(robot, default_state(robot), machine, trace=True, network=network)
    path = run.critical_path
    assert path.compute + path.wire + path.wait == run.ticks


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("n", [1, 2, 3, 6, 8, 13])
def test_recorded_once_it_is_retimed_to_the_tick(n, network):
    robot = chain(n, 7)
    plan = CFA.plan(robot, default_state(robot), network=network)
    recording, value = record(plan)
    machines = [Machine(name, 1, dict.fromkeys(OPERATIONS, 3), LinkCosts(name, 7, 2, 5, 1)) for name in DISCIPLINES]
    timing = retime(recording, machines)
    for k, machine in enumerate(machines):
        run = plan.run(machine, trace=False)
        assert timing.finish[:, k].tolist() == list(run.finish.values())
        assert np.array_equal(run.value.qdd, value.qdd)


@pytest.mark.parametrize("network", NETWORKS)
def test_a_stream_of_evaluations(network):
    robot = chain(5, 5)
    plan = CFA.plan(robot, default_state(robot), network=network)
    once, thrice = plan.run(PRESETS["t800"], trace=False), plan.repeated(3).run(PRESETS["t800"], trace=False)
    assert np.array_equal(once.value.qdd, thrice.value.qdd)
    assert once.ticks <= thrice.ticks <= 3 * once.ticks


# Refusals


def test_bodies_without_mass_are_refused():
    body = Inertial(2.0, Pose(np.eye(3), np.array([0.1, -0.2, 0.3])), np.diag([1.0, 2.0, 2.5]))
    joints = [Joint("base", "floating", "ground", "body"), Joint("arm", "revolute", "body", "hand")]
    robot = build("floating", {"ground": None, "body": body, "hand": body}, joints)
    with pytest.raises(
        RefusedError, match=r"^cfa inverts the inertia of every body, and '.*' of floating has no mass; dca takes .*$"
    ):
        CFA.plan(robot, default_state(robot))


def test_branches_and_loops_are_refused():
    for name, need in (("torso", "branching joints"), ("3rrr", "loops")):
        with pytest.raises(RefusedError, match=rf"^cfa takes no {need}, and joint "):
            CFA.evaluation(load_robot(name))


def test_a_point_mass_is_refused():
    *others, last = chain(3, 1).bodies
    robot = Mechanism("point", (*others, replace(last, inertia=((0.0,) * 3,) * 3)))
    with pytest.raises(
        RefusedError, match=r"^cfa inverts the inertia of bodies, and that of '.*' of point is singular"
    ):
        CFA.plan(robot, default_state(robot))
