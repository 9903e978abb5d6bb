"""States exchanged once a time step: the network against plain numpy, what it differs by, and what it sends."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tools.held import Projection, Springs, held_motion
from tools.loop_mechanisms import PLANE
from tools.loops import MACHINES, Stepping, Task, ring

from meshsim.algorithms.motion.motion import Feedback, Motion
from meshsim.algorithms.motion.pace import moving, simulate
from meshsim.algorithms.motion.sites import check_stepping
from meshsim.algorithms.motion.written import computed
from meshsim.algorithms.robots.closure import assemble
from meshsim.algorithms.robots.linkages import four_bar, three_rrr
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.loops.independent import selection
from meshsim.algorithms.schemes.loops.method import Settings, SiteEvaluation
from meshsim.algorithms.schemes.loops.methods import METHODS
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS

ROBOTS = {"four-bar": four_bar(), "3rrr": three_rrr(), "ring": ring(4)}
WAYS = {"penalty": Settings(k=1e3, d=5.0), "projection": Settings()}
SEVERAL = ("star", "complete")
ROUNDING = 1e-12
"""Of some steps of numbers of about 1, where sums are formed in another order."""


def drive(robot, t):
    return [6.0 + k - 30.0 * t for k in range(len(ROBOTS[robot].actuated))]


@cache
def task(robot, duration=0.01):
    mechanism = ROBOTS[robot]
    q = np.array(mechanism.guess) if robot == "ring" else assemble(mechanism)
    return Task(mechanism, q, np.zeros(mechanism.n), lambda t: drive(robot, t), duration)


def evaluation(robot, method, layout, distribution="held"):
    settings = replace(WAYS[method], distribution=distribution)
    return SiteEvaluation(ROBOTS[robot], METHODS[method], settings, layout)


def on_network(robot, method, layout, motion, machine="ideal", distribution="held"):
    return moving(evaluation(robot, method, layout, distribution), motion).run(PRESETS[machine], trace=False)


def plain(robot, method, layout, motion):
    """Positions and rates by plain numpy, with the network's sites and choice of independent rates."""
    mechanism = ROBOTS[robot]
    places = evaluation(robot, method, layout).places(task(robot).q)
    joints = [[joint for k in place.chains for joint in mechanism.subsystems[k]] for place in places]
    sites = [own for own in joints if own]
    if method == "penalty":
        model = Springs(mechanism, sites, WAYS[method].k, WAYS[method].d)
    else:
        order = [joint for bodies in mechanism.subsystems for joint in bodies]
        B = np.zeros((mechanism.n - places[0].layout.m, mechanism.n))
        B[:, order] = selection(places[0].settings, mechanism.n)
        model = Projection(mechanism, sites, WAYS[method].sigma, B)

    def torque(t, q, qd):
        tau, driven = np.zeros(mechanism.n), list(mechanism.actuated)
        tau[driven] = drive(robot, t)
        if motion.feedback is not None:
            wanted, rates = motion.feedback.wanted(t)
            tau[driven] += motion.feedback.kp * (wanted - q[driven]) + motion.feedback.kd * (rates - qd[driven])
        return tau

    return held_motion(model, task(robot).q, task(robot).qd, torque, motion.h, motion.steps, motion.order)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("layout", SEVERAL)
@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("robot", ROBOTS)
def test_the_network_computes_what_plain_numpy_does(robot, method, layout, order):
    motion = replace(task(robot).motion(Stepping(h=0.005)), order=order)
    q, qd = plain(robot, method, layout, motion)
    for machine in MACHINES if order == 4 else MACHINES[:1]:
        moved = on_network(robot, method, layout, motion, machine).value
        assert np.abs(moved.q - q).max() < ROUNDING
        assert np.abs(moved.qd - qd).max() < ROUNDING * max(1.0, np.abs(qd).max())
    alone = computed(evaluation(robot, method, layout), motion)
    assert np.array_equal(alone.q, moved.q)
    assert np.array_equal(alone.qd, moved.qd)
    assert alone.evaluations == moved.evaluations == order * motion.steps


@pytest.mark.parametrize("stepping", [Stepping(h=0.005), Stepping(rtol=1e-6, atol=1e-9)], ids=["fixed", "adaptive"])
@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("robot", ROBOTS)
def test_one_site_moves_as_if_nothing_were_distributed(robot, method, stepping):
    motion = task(robot).motion(stepping)
    held, full = (computed(evaluation(robot, method, "one", how), motion) for how in ("held", "full"))
    assert np.array_equal(held.q, full.q)
    assert np.array_equal(held.qd, full.qd)
    both = [on_network(robot, method, "one", motion, "t800", how) for how in ("held", "full")]
    assert np.array_equal(both[0].value.q, both[1].value.q)
    assert both[0].ticks == both[1].ticks


@pytest.mark.sampled(2)
@pytest.mark.parametrize("layout", SEVERAL)
@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("robot", ["four-bar", "3rrr"])
def test_half_the_step_halves_what_holding_changes(robot, method, layout):
    """The difference is C h + D h^2 + ..: by what it falls tends to 2, and is extrapolated from two such ratios."""
    found, by_numpy = [], []
    for h in (0.005, 0.0025, 0.00125):
        motion = task(robot).motion(Stepping(h=h))
        whole = computed(evaluation(robot, method, "one"), motion)
        found.append(np.abs(on_network(robot, method, layout, motion).value.q[-1] - whole.q[-1]).max())
        by_numpy.append(np.abs(plain(robot, method, layout, motion)[0][-1] - whole.q[-1]).max())
    assert found == pytest.approx(by_numpy, rel=1e-6)
    coarse, middle, fine = found
    assert fine > 1e-7
    # Ratios differ from 2 by D h / 2 C, which is below 0.2, and from what is extrapolated by its square.
    assert 2 * middle / fine - coarse / middle == pytest.approx(2.0, abs=0.04)


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize("robot", ROBOTS)
def test_with_one_stage_there_is_nothing_to_hold(robot, method):
    """Euler's rule evaluates once, with what was just exchanged."""
    motion = replace(task(robot).motion(Stepping(h=0.005)), order=1)
    held = computed(evaluation(robot, method, "star"), motion)
    assert np.abs(held.q - computed(evaluation(robot, method, "one"), motion).q).max() < ROUNDING


@pytest.mark.parametrize("layout", SEVERAL)
@pytest.mark.parametrize("method", WAYS)
def test_messages_are_those_of_one_evaluation_a_step(method, layout):
    motion = task("3rrr").motion(Stepping(h=0.005))
    held, full = (on_network("3rrr", method, layout, motion, "t800", how) for how in ("held", "full"))
    assert (4 * held.messages, 4 * held.words) == (full.messages, full.words)
    assert held.ticks < full.ticks


@pytest.mark.parametrize("method", WAYS)
def test_on_free_links_what_is_saved_is_the_work_on_others(method):
    """Where chains of others are is found once a step."""
    motion = task("3rrr").motion(Stepping(h=0.005))
    held, full = (on_network("3rrr", method, "star", motion, "ideal", how) for how in ("held", "full"))
    assert held.ticks < full.ticks
    assert all(held.operations[name] <= count for name, count in full.operations.items())
    assert held.operations["sincos"] < full.operations["sincos"]


@pytest.mark.parametrize("layout", ["one", *SEVERAL])
@pytest.mark.parametrize("method", WAYS)
def test_one_evaluation_is_that_of_the_full_distribution(method, layout):
    mechanism = ROBOTS["3rrr"]
    state = State(tuple(task("3rrr").q.tolist()), (0.0,) * mechanism.n, (0.5,) * mechanism.n)
    held, full = (evaluation("3rrr", method, layout, how).plan(state).run(PRESETS["t800"]) for how in ("held", "full"))
    assert np.array_equal(held.value.qdd, full.value.qdd)
    assert (held.ticks, held.messages, held.words) == (full.ticks, full.messages, full.words)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_states_are_held_where_a_method_can_meet_apart(method):
    assert ("held" in method.distributions) == (method.meet is not None)


# Feedback


@pytest.mark.parametrize("layout", SEVERAL)
@pytest.mark.parametrize("method", WAYS)
def test_each_site_feeds_back_what_it_knows(method, layout):
    """Its own joints as they are in each stage, at rates that follow from others' as they were: by plain numpy."""
    feedback = Feedback(50.0, 5.0, lambda t: (np.array([1.0, 2.0, 3.0]) + t, np.ones(3)))
    motion = replace(task("3rrr").motion(Stepping(h=0.005)), feedback=feedback)
    q, qd = plain("3rrr", method, layout, motion)
    moved = on_network("3rrr", method, layout, motion).value
    size = max(1.0, np.abs(qd).max())
    assert np.abs(moved.q - q).max() < 10 * ROUNDING * size
    assert np.abs(moved.qd - qd).max() < 100 * ROUNDING * size  # the gains
    assert np.array_equal(computed(evaluation("3rrr", method, layout), motion).q, moved.q)
    assert np.abs(moved.q - plain("3rrr", method, layout, replace(motion, feedback=None))[0]).max() > 1e-4


# Steps


@pytest.mark.parametrize("layout", SEVERAL)
@pytest.mark.parametrize("method", WAYS)
def test_adaptive_steps_are_refused_before_anything_is_computed(method, layout):
    motion = task("3rrr").motion(Stepping())
    seen = []
    wanted = (
        f"{method}, with states of others held, must have fixed steps: a site's estimate of its error leaves out what "
        "holding them costs"
    )
    for attempt in (simulate, lambda found, motion, *_, **_watch: computed(found, motion)):
        with pytest.raises(MeshSimError) as caught:
            attempt(evaluation("3rrr", method, layout), motion, PRESETS["t800"], watch=lambda *each: seen.append(each))
        assert str(caught.value) == wanted
    assert seen == []


def test_a_chain_alone_holds_nothing():
    mechanism = PLANE["to the ground"]
    start = State(mechanism.guess, (0.0,) * 4, (0.0,) * 4)
    motion = Motion(mechanism, start, None, 0, lasting=0.05)
    found = SiteEvaluation(mechanism, METHODS["penalty"], Settings(distribution="held"), "complete")
    assert not found.holds
    check_stepping(found, motion)
    assert np.array_equal(computed(found, motion).q, computed(found.alone(), motion).q)


@pytest.mark.parametrize("timing", ["steady", "every"])
def test_what_is_told_is_what_the_network_computes(timing):
    """Not the numbers of one processor, which are others."""
    motion = task("3rrr", 0.06).motion(Stepping(h=0.005))
    moved, pace = simulate(evaluation("3rrr", "projection", "star"), motion, PRESETS["t800"], timing)
    run = on_network("3rrr", "projection", "star", motion, "t800")
    assert np.array_equal(moved.q, run.value.q)
    assert pace.ends(12)[-1] == run.ticks
