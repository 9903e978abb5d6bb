"""The mesh without the links that wrap it to a cone: the same bits, and how long its shift takes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.motion import simulated
from tools.random_robot import random_parts

from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.robots.tree import build
from meshsim.algorithms.schemes.mesh.wong_mesh import WONG_MESH
from meshsim.errors import MeshSimError
from meshsim.experiments.studies.shift_alone import entry, run_shift
from meshsim.machine import LinkCosts, Machine
from meshsim.presets import PRESETS

TREE = build("tree", *random_parts(5, 3))
ROBOTS = [*(chain(n, 1) for n in (1, 2, 3, 6)), TREE]
BITS = ("M", "h", "qdd")
OTHERS = [{}, {"exchange": "in-turn"}, {"order": "published"}, {"order": "published-in-turn"}, {"rho": "recompute"}]


def evaluate(robot, machine="ideal", **options):
    return WONG_MESH.plan(robot, default_state(robot), **options).run(PRESETS[machine], trace=False)


# Numbers


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: f"{robot.name} of {robot.n}")
@pytest.mark.parametrize("machine", ["ideal", "t800", "t800-overlap", "t800-posted"])
def test_moved_rows_give_the_bits_of_the_cone(robot, machine):
    for options in OTHERS:
        with_wrap, without = (evaluate(robot, machine, wrap=wrap, **options) for wrap in ("yes", "no"))
        for name in BITS:
            assert np.array_equal(getattr(with_wrap.value, name), getattr(without.value, name))


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: f"{robot.name} of {robot.n}")
@pytest.mark.parametrize("machine", ["ideal", "t800", "t800-overlap"])
def test_joints_in_reverse_order_give_the_dense_answer_and_send_as_much(robot, machine):
    reference = forward_dynamics(robot, default_state(robot))
    for options in OTHERS:
        wrapped, run = (evaluate(robot, machine, wrap=wrap, **options) for wrap in ("yes", "reversed"))
        assert run.value.errors(reference)["qdd"] < 1e-13 * np.linalg.cond(reference.M)
        assert (run.words, run.messages) == (wrapped.words, wrapped.messages)


@settings(max_examples=15, deadline=None)
@given(
    n=st.integers(1, 6),
    wrap=st.sampled_from(["no", "reversed"]),
    discipline=st.sampled_from(["overlap", "posted", "rendezvous"]),
    duplex=st.sampled_from(["full", "half"]),
    costs=st.lists(st.integers(0, 30), min_size=8, max_size=8),
)
def test_any_machine(n, wrap, discipline, duplex, costs):
    operations = dict(zip(("mul", "add", "div", "sqrt", "sincos"), costs, strict=False))
    machine = Machine("drawn", 1, operations, LinkCosts(discipline, *costs[5:8], duplex=duplex))
    robot = chain(n, 3)
    run = WONG_MESH.plan(robot, default_state(robot), wrap=wrap).run(machine)
    assert run.value.errors(forward_dynamics(robot, default_state(robot)))["qdd"] < 1e-11
    path = run.critical_path
    assert path.compute + path.wire + path.wait == run.ticks


def test_motions_and_controls():
    motion = Motion(chain(4, 1), default_state(chain(4, 1)), 0.001, 2)
    excavator = load_robot("excavator")
    digging = load_profile("excavator:joint", excavator).motion(excavator, 0.01, 0.03)
    for each in (motion, digging):
        first = simulated("wong-mesh", each, "t800").value
        assert np.array_equal(simulated("wong-mesh", each, "t800", wrap="no").value.q, first.q)
        assert simulated("wong-mesh", each, "t800", wrap="reversed").value.q == pytest.approx(first.q, abs=1e-12)


def test_no_link_wraps():
    for wrap in ("no", "reversed"):
        network = WONG_MESH.plan(chain(5, 1), default_state(chain(5, 1)), wrap=wrap).topology
        assert all(abs(r - s) + abs(c - d) == 1 for (r, c), (s, d) in network.edges())


def test_another_solver_needs_the_wrap():
    with pytest.raises(MeshSimError) as error:
        evaluate(chain(2, 1), wrap="no", solver="faddeev")
    assert str(error.value) == "wrap=no must have solver=feedforward-lu, not faddeev"


# The shift alone


def shifted(n, wrap, startup, per_word):
    run = run_shift(n, wrap, startup, per_word)
    for row in range(1, n + 1):
        at = (1, row) if wrap == "yes" else (n + 1 - row, n)
        assert run.value[at] == [entry(row, j) for j in range(1, n + 1)]
    return run.ticks


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 12])
def test_twice_as_many_shifts_but_of_whole_rows(n):
    assert shifted(n, wrap="yes", startup=1, per_word=0) == n - 1
    assert shifted(n, wrap="no", startup=1, per_word=0) == 2 * (n - 1)
    assert shifted(n, wrap="yes", startup=0, per_word=1) == n - 1
    assert shifted(n, wrap="no", startup=0, per_word=1) == (n - 1) * (n + 1)
