"""Closed mechanisms that move on several processors: the numbers of one, the steps of scipy, and what it takes."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.integrate import RK45
from tools.loops import MACHINES, Stepping, Task, evaluated, integrate, moving, ring

from meshsim.algorithms.motion.adaptive import ERRORS, NODES, STAGES, WEIGHTS
from meshsim.algorithms.motion.motion import DivergedError
from meshsim.algorithms.motion.stepping import laps_of
from meshsim.algorithms.robots.closure import assemble
from meshsim.algorithms.robots.linkages import four_bar, three_rrr
from meshsim.algorithms.schemes.loops.denoc import DENOC
from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.algorithms.schemes.loops.multipliers import MULTIPLIERS
from meshsim.algorithms.schemes.loops.penalty import PENALTY
from meshsim.algorithms.schemes.loops.projection import PROJECTION
from meshsim.errors import MeshSimError
from meshsim.presets import load_machine

ROBOTS = {"four-bar": four_bar(), "3rrr": three_rrr()}
WAYS = {
    "penalty": (PENALTY, Settings(k=1e3, d=5.0)),
    "gauss": (PROJECTION, Settings()),
    "qr": (PROJECTION, Settings(technique="qr")),
    "denoc": (DENOC, Settings(distribution="partly")),
    "multipliers": (MULTIPLIERS, Settings()),
}
STEPPINGS = {"fixed": Stepping(h=0.02), "adaptive": Stepping(rtol=1e-6, atol=1e-9)}
ROUNDING = 1e-11
"""Sums are formed in another order where work is distributed; over a hundred evaluations that adds up."""


@cache
def task_of(robot):
    mechanism = ROBOTS[robot]
    torques = [6.0 + k for k in range(len(mechanism.actuated))]
    return Task(mechanism, assemble(mechanism), np.zeros(mechanism.n), lambda _t: torques, 0.1)


@cache
def alone(robot, way, stepping):
    """The motion on one processor, where scipy steps."""
    return integrate(*WAYS[way], task_of(robot), STEPPINGS[stepping])


def run(robot, way, network, distribution, stepping, machine):
    method, settings = WAYS[way]
    task = task_of(robot)
    places = method.places(task.mechanism, network, replace(settings, distribution=distribution), task.q)
    return moving(method, places, task, STEPPINGS[stepping]).run(load_machine(machine), trace=False)


def offered():
    """Every method, network, distribution and way to step but those that are refused, or hold states (test_held.py)."""
    for way, (method, _) in WAYS.items():
        for network in method.layouts:
            for distribution in method.distributions:
                for stepping in STEPPINGS:
                    shared = method.keeps_all_rates and distribution == "full" and stepping == "adaptive"
                    if network == "one" or not (shared or distribution == "held"):
                        yield way, network, distribution, stepping


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("robot", "way", "network", "distribution", "stepping"),
    [(robot, *chosen) for chosen in offered() for robot in ROBOTS if (robot, chosen[-1]) != ("3rrr", "adaptive")],
)
def test_numbers_and_evaluations_are_those_of_one_processor(robot, way, network, distribution, stepping):
    wanted = alone(robot, way, stepping)
    t, q, qd, _ = wanted.arrays()
    ticks = []
    for machine in MACHINES:
        found = run(robot, way, network, distribution, stepping, machine)
        moved = found.value
        assert moved.evaluations == wanted.evaluations
        # Of adaptive steps the ends between are as far apart as rounding makes estimates of errors of 1e-6.
        between = ROUNDING if stepping == "fixed" else 1e-7
        assert moved.t == pytest.approx(t, abs=between)
        assert np.abs(moved.q - q).max() < between
        assert np.abs(moved.q[-1] - q[-1]).max() < ROUNDING
        assert np.abs(moved.qd[-1] - qd[-1]).max() < ROUNDING * max(1.0, np.abs(qd).max())
        ticks.append(found.ticks * load_machine(machine).microseconds(1))
    assert ticks[0] < ticks[2] <= ticks[1]  # messages take time, and less of it where processors need not wait


def test_a_mechanism_without_a_hub():
    """Its star has an empty centre, which keeps the time with the others."""
    mechanism = ring(4)
    task = Task(mechanism, np.array(mechanism.guess), np.zeros(mechanism.n), lambda _t: [], 0.06)
    for stepping in STEPPINGS.values():
        wanted = integrate(PENALTY, Settings(k=50.0), task, stepping)
        for network in ("star", "complete"):
            places = PENALTY.places(mechanism, network, Settings(k=50.0, distribution="partly"), task.q)
            moved = moving(PENALTY, places, task, stepping).run(load_machine("t800"), trace=False).value
            assert moved.evaluations == wanted.evaluations
            assert np.abs(moved.q[-1] - wanted.q[-1]).max() < ROUNDING


def test_the_pair_is_that_of_scipy():
    assert np.array(NODES) == pytest.approx(RK45.C, abs=1e-15)
    assert np.array(WEIGHTS) == pytest.approx(RK45.B, abs=1e-15)
    assert np.array(ERRORS) == pytest.approx(RK45.E, abs=1e-15)
    for row, theirs in zip(STAGES, RK45.A, strict=True):
        assert row == pytest.approx(theirs[: len(row)], abs=1e-15)


def test_rejected_steps_count():
    """Torques that set in at once: steps are tried that do not hold, on one processor and on several alike."""
    late = replace(task_of("four-bar"), drive=lambda t: [0.0 if t < 0.04 else 500.0])
    stepping = STEPPINGS["adaptive"]
    wanted = integrate(MULTIPLIERS, Settings(), late, stepping)
    assert wanted.evaluations > 2 + 6 * (len(wanted.t) - 1)
    for way in ("gauss", "denoc"):
        method, settings = WAYS[way]
        history = integrate(method, settings, late, stepping)
        places = method.places(late.mechanism, "star", replace(settings, distribution="partly"), late.q)
        moved = moving(method, places, late, stepping).run(load_machine("t800"), trace=False).value
        assert history.evaluations > 2 + 6 * (len(history.t) - 1)
        assert moved.evaluations == history.evaluations
        assert len(moved.t) == len(history.t)
        # Rounding moves the ends of steps a little. Where forces are smooth that hardly matters; but the error of the
        # one step in which the torque sets in depends on where in the step that is. The step was accepted, so that its
        # error is at most the tolerance, in q at once and in qd for the rest of the motion.
        _, q, qd, _ = history.arrays()
        in_q, in_qd = (stepping.rtol * np.abs(size).max() + stepping.atol for size in (q, qd))
        assert np.abs(moved.q[-1] - history.q[-1]).max() < in_q + in_qd * (late.duration - 0.04)


def test_messages_of_fixed_steps_are_those_of_their_evaluations():
    task = task_of("3rrr")
    places = PENALTY.places(task.mechanism, "star", Settings(distribution="partly"), task.q)
    found = moving(PENALTY, places, task, Stepping(h=0.02)).run(load_machine("t800"), trace=False)
    assert found.value.evaluations == 4 * 5
    assert (found.messages, found.words) == (6 * 20, 18 * 20)
    laps = np.array(list(laps_of(found).values()))
    assert laps.shape == (4, 5)
    assert (np.diff(laps, axis=1) > 0).all()
    assert laps.max() == found.ticks


def test_adaptive_steps_take_one_more_exchange_each():
    """For each leg a sum there, and a verdict of 2 words back; before the first step two more, of 2 + 2 and 1 + 1."""
    task, legs = task_of("3rrr"), 3
    places = PENALTY.places(task.mechanism, "star", replace(WAYS["penalty"][1], distribution="partly"), task.q)
    found = moving(PENALTY, places, task, STEPPINGS["adaptive"]).run(load_machine("t800"), trace=False)
    evaluations = found.value.evaluations
    tried = (evaluations - 2) // 6
    assert found.messages == 6 * evaluations + 2 * legs * (tried + 2)
    assert found.words == 18 * evaluations + legs * (3 * tried + 4 + 2)


def test_a_step_takes_as_long_as_its_evaluations_and_its_own_arithmetic():
    """On one processor nothing waits: four evaluations, and an integration of 18 numbers."""
    task, machine = task_of("3rrr"), load_machine("ideal")
    state = task.q, task.qd, np.zeros(9)
    one = evaluated(PENALTY, task.mechanism, Settings(), "one", state)[1].ticks
    places = PENALTY.places(task.mechanism, "one", Settings(), task.q)
    laps = laps_of(moving(PENALTY, places, task, Stepping(h=0.02)).run(machine, trace=False))
    steps = np.diff(next(iter(laps.values())))
    assert len(set(steps.tolist())) == 1
    assert 4 * one < steps[0] < 4.5 * one


# Refusals


@pytest.mark.parametrize("network", ["star", "complete"])
def test_the_projection_fully_distributed_must_have_fixed_steps(network):
    """Its independent rates are sums of shares that no site adds up."""
    with pytest.raises(MeshSimError) as caught:
        run("3rrr", "gauss", network, "full", "adaptive", "ideal")
    assert str(caught.value) == (
        "projection, fully distributed, must have fixed steps: no site knows the error of what all add up to"
    )


def test_steps_that_do_not_fit_are_refused():
    task = task_of("3rrr")
    places = PENALTY.places(task.mechanism, "star", Settings(), task.q)
    with pytest.raises(MeshSimError, match=r"^duration must be a whole number of steps of 0\.03 s, not 0\.1 s$"):
        moving(PENALTY, places, task, Stepping(h=0.03)).run(load_machine("ideal"))


def test_steps_that_become_too_small_are_told():
    """Torques that are no numbers from a moment on."""
    task = replace(task_of("four-bar"), drive=lambda t: [6.0 if t < 0.05 else float("nan")])
    places = PENALTY.places(task.mechanism, "star", Settings(), task.q)
    with pytest.raises(DivergedError, match=r"^steps became too small at t = 0\.05 s$"):
        moving(PENALTY, places, task, Stepping()).run(load_machine("ideal"), trace=False)
