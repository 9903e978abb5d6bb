"""Adaptive steps of trees: scipy's on a scheme's own arithmetic, from every scheme, and what ends them."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tools.motion import dense_motion, numbers
from tools.schemes import CHAINS

from meshsim.algorithms.motion import written
from meshsim.algorithms.motion.motion import DivergedError, Motion
from meshsim.algorithms.motion.pace import moving, simulate
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.motion.written import computed
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.reference.energy import energy
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS

EXAMPLES = Path(__file__).parents[3] / "docs/examples"


def spring(joint, t, q, qd):
    """Torques that differ by joint, time and state."""
    return (joint + 1) * math.cos(3 * t) - 2.0 * q - 0.1 * qd


def swing(mechanism, lasting=0.3, **settings):
    """A motion from a state without zeros, in adaptive steps."""
    return Motion(mechanism, default_state(mechanism), None, 0, torque=spring, lasting=lasting, **settings)


def by_scipy(motion):
    """The same rule on accelerations of the dense solver, which shares no code with the programs."""
    n = len(motion.mechanism.joints)

    def rates(t, y):
        tau = tuple(motion.torque(i, t, y[i], y[n + i]) for i in range(n))
        return np.array([*y[n:], *forward_dynamics(motion.mechanism, State(tuple(y[:n]), tuple(y[n:]), tau)).qdd])

    start = [*motion.state.q, *motion.state.qd]
    return solve_ivp(rates, (0.0, motion.duration), start, method="RK45", rtol=motion.rtol, atol=motion.atol)


ROBOTS = {
    "chain:3:1": "chain:3:1",
    "torso": "torso",
    "stanford": "stanford",
    "crane": str(EXAMPLES / "crane.toml"),
}


@pytest.mark.parametrize("robot", ROBOTS)
def test_steps_are_those_of_scipy_on_the_dense_reference(robot):
    motion = swing(load_robot(ROBOTS[robot]), 0.1)
    came, wanted = numbers(motion), by_scipy(motion)
    n = len(motion.mechanism.joints)
    assert came.evaluations == wanted.nfev
    assert (came.t[0], came.t[-1]) == (0.0, 0.1)
    # Estimates of errors of 1e-6 are differences of rates that agree to 1e-10 or so: hence steps to 1e-5 of theirs.
    assert came.t == pytest.approx(wanted.t, abs=1e-6)
    size = np.abs(wanted.y).max()
    assert came.q[-1] == pytest.approx(wanted.y[:n, -1], abs=1e-9 * size)
    assert came.qd[-1] == pytest.approx(wanted.y[n:, -1], abs=1e-8 * size)


def test_they_come_to_what_many_fixed_steps_come_to():
    mechanism = chain(3, 5)
    motion = swing(mechanism, 0.2, rtol=1e-10, atol=1e-12)
    fixed = replace(motion, h=0.0005, steps=400)
    q, qd = dense_motion(fixed)
    came = numbers(motion)
    assert came.q[-1] == pytest.approx(q[-1], abs=1e-8)
    assert came.qd[-1] == pytest.approx(qd[-1], abs=1e-7)
    assert len(came.t) < 200


@pytest.mark.parametrize("name", CHAINS)
def test_every_scheme_moves_a_chain_alike(name):
    motion = swing(chain(4, 3))
    came, wanted = numbers(motion, name), by_scipy(motion)
    assert came.evaluations == wanted.nfev
    assert came.q[-1] == pytest.approx(wanted.y[:4, -1], abs=1e-8)
    assert came.qd[-1] == pytest.approx(wanted.y[4:, -1], abs=1e-7)


def test_a_smaller_tolerance_takes_more_evaluations_and_loses_less_energy():
    mechanism = load_robot("puma600")
    state = State((0.3, 0.2, -0.4, 0.5, 0.7, -0.6), (0.5, -1.0, 1.5, 1.0, -0.8, 2.0), (0.0,) * 6)
    before = sum(energy(mechanism, state.q, state.qd))
    evaluations, drifts = [], []
    for rtol in (1e-4, 1e-6, 1e-8):
        came = numbers(Motion(mechanism, state, None, 0, lasting=0.5, rtol=rtol, atol=rtol * 1e-3))
        evaluations.append(came.evaluations)
        drifts.append(abs(sum(energy(mechanism, came.q[-1], came.qd[-1])) - before))
    assert evaluations == sorted(evaluations)
    assert evaluations[0] < evaluations[2] / 2
    assert drifts[0] > 10 * drifts[1] > 100 * drifts[2]


def test_what_is_told_of_each_step():
    """Torques and accelerations at each step's end, the last included; the watcher sees the same."""
    mechanism = chain(3, 2)
    motion, seen = swing(mechanism), {}
    evaluation = SCHEMES["wong-mesh"].evaluation(mechanism)
    came = computed(evaluation, motion, lambda step, joint, sample: seen.update({(step, joint): sample}))
    assert sorted(seen) == [(step, joint) for step in range(len(came.t)) for joint in range(3)]
    for (step, joint), sample in seen.items():
        found = [getattr(came, what)[step, joint] for what in ("q", "qd", "qdd", "tau")]
        assert [sample.q, sample.qd, sample.qdd, sample.tau] == found
        assert (sample.t, sample.gap, sample.pressures) == (came.t[step], None, None)
    for t, q, qd, qdd, tau in zip(came.t, came.q, came.qd, came.qdd, came.tau, strict=True):
        assert tau.tolist() == [spring(i, t, q[i], qd[i]) for i in range(3)]
        dense = forward_dynamics(mechanism, State(tuple(q), tuple(qd), tuple(tau))).qdd
        assert qdd == pytest.approx(dense, abs=1e-9)
    assert (came.gap, came.pressures, came.restarts) == (None, None, [])


def test_a_prescribed_motion_is_followed():
    mechanism = load_robot("puma600")
    driving = load_profile("cycloid:1:20", mechanism)
    came = numbers(driving.motion(mechanism, None, rtol=1e-9))
    assert came.t[-1] == 1.0
    wanted = driving.wanted.positions(came.t.tolist())
    assert np.abs(came.q - wanted).max() < 1e-6
    assert np.abs(wanted[-1]).min() > 0.3


# Times, refusals


def test_they_are_not_timed_one_by_one():
    mechanism = chain(2, 6)
    motion = swing(mechanism)
    evaluation = SCHEMES["hwang"].evaluation(mechanism)
    for timing in ("steady", "every"):
        moved, pace = simulate(evaluation, motion, PRESETS["t800"], timing)
        assert pace is None
        assert np.array_equal(moved.q, computed(evaluation, motion).q)


def test_no_processors_share_them():
    mechanism = chain(2, 6)
    with pytest.raises(MeshSimError) as error:
        moving(SCHEMES["wong-mesh"].evaluation(mechanism), swing(mechanism))
    assert str(error.value) == (
        "adaptive steps of a tree must be left to one processor, not shared among the homes of joints"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lasting": 0.0}, "duration must be a positive number of seconds, not 0.0"),
        ({"lasting": math.inf}, "duration must be a positive number of seconds, not inf"),
        ({"rtol": 0.0}, "rtol must be a positive number, not 0.0"),
        ({"rtol": 1e-14}, "rtol must be at least 1e-13, not 1e-14: rounding leaves no more"),
        ({"atol": math.nan}, "atol must be a positive number, not nan"),
        (
            {"friction": (1.0, 1.0)},
            "friction and actuators must be integrated in fixed steps, not in adaptive ones",
        ),
        (
            {"actuators": (None, None)},
            "friction and actuators must be integrated in fixed steps, not in adaptive ones",
        ),
    ],
)
def test_motions_that_cannot_be(changes, message):
    with pytest.raises(MeshSimError) as error:
        replace(swing(chain(2, 1)), **changes)
    assert str(error.value) == message


def test_one_evaluation_alone_moves_nothing():
    mechanism = load_robot("four-bar")
    motion = load_profile("own", mechanism).motion(mechanism, None, 0.1)
    for each in (motion, replace(motion, h=0.01, steps=10)):
        for move in (computed, moving):
            with pytest.raises(MeshSimError) as error:
                move(SCHEMES["wong-mesh-loops"].evaluation(mechanism), each)
            assert str(error.value) == "this scheme evaluates four-bar once and integrates no states: it cannot move it"


# What ends them


def test_motions_that_diverge_are_told():
    """A spring that pushes: the joint's position grows exponentially, to 1e12 in a moment."""
    mechanism, seen = chain(1, 4), []
    pushed = Motion(mechanism, default_state(mechanism), None, 0, torque=lambda _i, _t, q, _qd: 1e3 * q, lasting=99.0)
    with pytest.raises(DivergedError) as error:
        computed(SCHEMES["one-wong"].evaluation(mechanism), pushed, lambda _step, _joint, each: seen.append(each))
    assert re.fullmatch(r"the motion diverged: the state is no longer finite at t = [\d.]+ s", str(error.value))
    assert 1e9 < max(abs(seen[-1].q), abs(seen[-1].qd)) < 1e12


@pytest.mark.parametrize("rate", [1e160, 1e300])
def test_numbers_that_overflow_diverge_too(rate):
    mechanism = chain(3, 1)
    wild = Motion(mechanism, State((0.0,) * 3, (rate, -rate, rate), (0.0,) * 3), None, 0, lasting=0.05)
    for scheme in CHAINS:
        with pytest.raises(DivergedError, match=r"^the motion diverged: the state is no longer finite at t = 0 s$"):
            numbers(wild, scheme)


def test_torques_that_are_no_numbers_from_a_moment_on():
    mechanism = chain(2, 1)
    torque = lambda _i, t, _q, _qd: 0.0 if t < 0.05 else math.nan  # noqa: E731
    with pytest.raises(DivergedError, match=r"^the motion: steps became too small at t = 0\.05\d* s: Required step"):
        numbers(replace(swing(mechanism), torque=torque))


def test_steps_are_bounded(monkeypatch):
    monkeypatch.setattr(written, "MOST_STEPS", 5)
    with pytest.raises(DivergedError, match=r"^the motion is at t = [\d.]+ s only after 5 steps; give up, or ask for"):
        numbers(swing(chain(3, 2)))
