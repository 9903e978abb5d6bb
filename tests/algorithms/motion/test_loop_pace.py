"""How long steps of mechanisms with loops take, on every layout, and that times and numbers are told as for trees."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tools.loop_mechanisms import PLANE
from tools.loops import MACHINES, evaluated, parallelogram, ways

from meshsim.algorithms.motion import pace as pace_module
from meshsim.algorithms.motion.motion import DivergedError, Motion, SingularError
from meshsim.algorithms.motion.pace import moving, pace_of, simulate, steady_pace
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.motion.stepping import laps_of
from meshsim.algorithms.motion.written import computed
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.loops.method import Settings, SiteEvaluation
from meshsim.algorithms.schemes.loops.methods import METHODS
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS

ROUNDING = 1e-11
"""Sums are formed in another order where work is distributed."""
WAYS = [(name, *way) for name, method in METHODS.items() for way in ways(method)]


def chosen(name, layout, distribution):
    several = "distribution" in SCHEMES[name].options
    return {"layout": layout, **({"distribution": distribution} if several else {})}


def swing(robot, h=0.002, steps=12):
    """From rest, by torques that differ by joint and time."""
    mechanism = load_robot(robot)
    start = load_profile("free", mechanism).start
    return Motion(mechanism, start, h, steps, torque=lambda joint, t, _q, _qd: 2.0 + joint - 30.0 * t)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("name", "layout", "distribution"), WAYS)
def test_a_steady_step_tells_all_times(name, layout, distribution, machine):
    motion = swing("four-bar")
    evaluation = SCHEMES[name].evaluation(motion.mechanism, **chosen(name, layout, distribution))
    steady, pace = simulate(evaluation, motion, PRESETS[machine], "steady")
    every, whole = simulate(evaluation, motion, PRESETS[machine], "every")
    assert pace.period is not None
    assert (len(pace.laps), len(whole.laps)) == (8, 12)
    assert pace.ends(12) == whole.laps
    assert pace.step == whole.step
    run = moving(evaluation, motion).run(PRESETS[machine], trace=False)
    assert pace_of(laps_of(run)) == whole
    for what in ("t", "q", "qd", "tau", "gap"):
        assert np.array_equal(getattr(steady, what), getattr(every, what))
        assert getattr(steady, what) == pytest.approx(getattr(run.value, what), abs=ROUNDING)
    assert steady.evaluations == every.evaluations == run.value.evaluations == 4 * 12
    if layout == "one":  # the same kernels on the same numbers
        assert np.array_equal(steady.q, run.value.q)
        assert np.array_equal(steady.qd, run.value.qd)
        assert len(set(np.diff(whole.laps))) == 1


@pytest.mark.parametrize(("name", "layout"), [(name, method.layouts[-1]) for name, method in METHODS.items()])
def test_a_steady_step_of_the_3rrr(name, layout):
    motion = swing("3rrr", steps=9)
    evaluation = SCHEMES[name].evaluation(motion.mechanism, layout=layout)
    (_, pace), (_, whole) = (simulate(evaluation, motion, PRESETS["t800"], timing) for timing in ("steady", "every"))
    assert pace.ends(9) == whole.laps


def test_one_processor_takes_four_evaluations_and_the_integration_of_six_numbers():
    motion, machine = swing("four-bar", steps=3), PRESETS["t800"]
    state = np.array(motion.state.q), np.array(motion.state.qd), np.zeros(3)
    one = evaluated(METHODS["penalty"], motion.mechanism, Settings(), "one", state, "t800")[1].ticks
    pace = simulate(SCHEMES["penalty"].evaluation(motion.mechanism), motion, machine)[1]
    integration = 6 * ((3 + 2) * 10 + (3 + 1 + 3) * 5)  # multiplies and adds of positions and rates of three joints
    assert pace.laps == [k * (4 * one + integration) for k in (1, 2, 3)]


@pytest.mark.parametrize("order", [1, 2, 4])
def test_other_orders(order):
    """Of one evaluation a step, or two; halving the step divides errors by so many powers of two."""
    motion = replace(swing("four-bar", h=0.01, steps=20), order=order)
    evaluation = SCHEMES["multipliers"].evaluation(motion.mechanism)
    exact = computed(evaluation, replace(motion, h=None, lasting=0.2, rtol=1e-12, atol=1e-14)).q[-1]
    errors = []
    for halves in (1, 2):
        finer = replace(motion, h=0.01 / halves, steps=20 * halves)
        moved, pace = simulate(evaluation, finer, PRESETS["ideal"])
        assert moved.evaluations == order * 20 * halves
        assert np.array_equal(moved.q, moving(evaluation, finer).run(PRESETS["ideal"], trace=False).value.q)
        errors.append(np.abs(moved.q[-1] - exact).max())
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.3)
    assert pace.period is not None


def test_short_motions_are_simulated_to_the_end():
    motion = swing("four-bar", steps=5)
    evaluation = SCHEMES["penalty"].evaluation(motion.mechanism, layout="star")
    (_, pace), (_, whole) = (simulate(evaluation, motion, PRESETS["t800"], timing) for timing in ("steady", "every"))
    assert pace == whole
    assert len(pace.laps) == 5


def test_steps_that_never_repeat_are_all_simulated(monkeypatch):
    monkeypatch.setattr(pace_module, "ALIKE", 100)
    motion = swing("four-bar")
    evaluation = SCHEMES["projection"].evaluation(motion.mechanism, layout="complete")
    moved, pace = simulate(evaluation, motion, PRESETS["t800"])
    assert (pace.period, len(pace.laps)) == (None, 12)
    assert np.array_equal(moved.q, computed(evaluation, motion).q)


def test_the_first_steps_alone():
    motion = swing("four-bar", steps=1000)
    evaluation = SCHEMES["denoc"].evaluation(motion.mechanism, layout="star")
    pace, first = steady_pace(evaluation, motion, PRESETS["t800-overlap"])
    run = moving(evaluation, replace(motion, steps=8)).run(PRESETS["t800-overlap"], trace=False)
    assert pace == pace_of(laps_of(run))
    assert len(first.t) == 9
    assert len(pace.ends(1000)) == 1000


# Adaptive steps


@pytest.mark.parametrize("timing", ["steady", "every"])
def test_adaptive_steps_are_not_timed_one_by_one(timing):
    motion = replace(swing("four-bar"), h=None, lasting=0.05)
    evaluation = SCHEMES["projection"].evaluation(motion.mechanism, layout="star", distribution="partly")
    moved, pace = simulate(evaluation, motion, PRESETS["t800"], timing)
    assert pace is None
    assert np.array_equal(moved.q, computed(evaluation, motion).q)
    whole = moving(evaluation, motion).run(PRESETS["t800"], trace=False)
    assert whole.value.evaluations == moved.evaluations
    assert whole.value.q[-1] == pytest.approx(moved.q[-1], abs=1e-9)


@pytest.mark.parametrize("layout", ["star", "complete"])
def test_steps_that_no_site_can_judge_are_refused_before_anything_is_computed(layout):
    motion = replace(swing("3rrr"), h=None, lasting=0.05)
    evaluation = SCHEMES["projection"].evaluation(motion.mechanism, layout=layout, distribution="full")
    seen = []
    with pytest.raises(MeshSimError) as caught:
        simulate(evaluation, motion, PRESETS["ideal"], watch=lambda *each: seen.append(each))
    assert str(caught.value) == (
        "projection, fully distributed, must have fixed steps: no site knows the error of what all add up to"
    )
    assert seen == []


def test_one_chain_is_alone_wherever_it_lives():
    """Fully connected with nobody: it knows its own error, and may step adaptively."""
    mechanism = PLANE["to the ground"]
    assert len(mechanism.subsystems) == 1
    start = State(mechanism.guess, (0.0,) * 4, (0.0,) * 4)
    motion = Motion(mechanism, start, None, 0, lasting=0.05)
    evaluation = SiteEvaluation(mechanism, METHODS["projection"], Settings(sigma=0.0), "complete")
    moved, _ = simulate(evaluation, motion, PRESETS["ideal"])
    whole = moving(evaluation, motion).run(PRESETS["ideal"], trace=False).value
    assert whole.evaluations == moved.evaluations
    assert whole.q[-1] == pytest.approx(moved.q[-1], abs=1e-9)


# What ends them


@pytest.mark.parametrize("timing", ["steady", "every"])
@pytest.mark.parametrize("layout", ["one", "star"])
def test_springs_that_are_too_stiff_for_the_step_diverge(timing, layout):
    """However they are timed: no numbers are told that are none."""
    motion, seen = swing("four-bar", h=0.02, steps=20), []
    evaluation = SCHEMES["penalty"].evaluation(motion.mechanism, layout=layout, k="1e6")
    with pytest.raises(
        DivergedError, match=r"^penalty diverged at t = 0\.\d+ s; smaller steps, or softer springs, may"
    ):
        simulate(evaluation, motion, PRESETS["ideal"], timing, lambda _step, _joint, sample: seen.append(sample))
    assert seen
    assert all(math.isfinite(sample.q) and sample.gap < 1e6 for sample in seen)


@pytest.mark.parametrize("timing", ["steady", "every"])
@pytest.mark.parametrize(("name", "layout"), [("denoc", "star"), ("projection", "star"), ("multipliers", "one")])
def test_no_motion_leaps_over_a_singular_position(timing, name, layout):
    mechanism = parallelogram()
    motion = Motion(mechanism, load_profile("free", mechanism).start, 0.01, 50)
    evaluation = SCHEMES[name].evaluation(mechanism, layout=layout)
    with pytest.raises(
        SingularError, match=r"^parallelogram came to a singular position at t = 0\.30\d+ s: "
    ) as caught:
        simulate(evaluation, motion, PRESETS["ideal"], timing)
    assert 0.3 < caught.value.t < 0.31


# Those who watch


@pytest.mark.parametrize("timing", ["steady", "every"])
@pytest.mark.parametrize("layout", ["one", "star"])
def test_a_watcher_sees_every_sample(timing, layout):
    motion, seen = swing("four-bar"), {}
    evaluation = SCHEMES["projection"].evaluation(motion.mechanism, layout=layout)
    watch = lambda step, joint, sample: seen.update({(step, joint): sample})  # noqa: E731
    moved, _ = simulate(evaluation, motion, PRESETS["t800"], timing, watch)
    assert sorted(seen) == [(step, joint) for step in range(13) for joint in range(3)]
    for (step, joint), sample in seen.items():
        found = [getattr(moved, what)[step, joint] for what in ("q", "qd", "tau")]
        assert [sample.q, sample.qd, sample.tau] == found
        assert (sample.t, sample.gap, sample.qdd) == (moved.t[step], moved.gap[step], None)
    assert moved.tau.tolist() == [motion.torques(t) for t in moved.t.tolist()]
    assert np.isnan(moved.qdd).all()
