"""What is said of one exchange a step: errors by step, times of a step, and the gains with which it is stable."""

import math

import pytest

from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.experiments.studies import held
from meshsim.experiments.studies.held import CLOSE, Case, error, growth, largest, largest_stiffness, step_us
from meshsim.presets import PRESETS

PROJECTION = Case("four-bar", "projection", Settings())
STEP = 1e-3


def springs(k, d=0.0):
    return Case("four-bar", "penalty", Settings(k=k, d=d))


def test_errors_fall_with_the_first_power_of_the_step_where_states_are_held(monkeypatch):
    """With the fourth where they are not."""
    monkeypatch.setattr(held, "FINE", STEP)  # which is exact enough here, and quicker
    case = Case("four-bar", "projection", Settings(sigma=9.0))
    coarse, fine = (error(case, h, "held") for h in (1e-2, 5e-3))
    assert coarse / fine == pytest.approx(2.0, abs=0.05)
    coarse, fine = (error(case, h) for h in (1e-2, 5e-3))
    assert coarse / fine == pytest.approx(16.0, abs=0.5)
    coarse, fine = (error(case, h, None, 1) for h in (1e-2, 5e-3))
    assert coarse / fine == pytest.approx(2.0, abs=0.1)


def test_a_motion_that_fails_is_infinitely_wrong():
    assert error(springs(1e6, 2e3), STEP) == math.inf


def test_one_exchange_saves_time_and_one_evaluation_more():
    machine = PRESETS["t800"]
    one, full, once = (step_us(PROJECTION, machine, how) for how in (None, "full", "held"))
    assert once < one < full
    assert step_us(PROJECTION, machine, "full", 1) < once / 3


def test_vibrations_of_springs_without_dampers_grow_with_stiffness_and_step():
    """By half of k h, in 1/s; on one processor nothing grows but what falls over, at 2.4/s."""
    rates = {(k, h): growth(springs(k), h, "held") for k in (2e4, 4e4) for h in (STEP, STEP / 2)}
    assert rates[2e4, STEP] == pytest.approx(0.5 * 2e4 * STEP, rel=0.05)
    assert rates[4e4, STEP] / rates[2e4, STEP] == pytest.approx(2.0, rel=0.05)
    assert rates[4e4, STEP] / rates[4e4, STEP / 2] == pytest.approx(2.0, rel=0.05)
    assert growth(springs(4e4), STEP) == pytest.approx(2.4, abs=0.1)


def test_which_springs_are_stable():
    """Without dampers those of a hundredth; with d = 2 sqrt(k), what limits the rule is milder where ends are held."""
    bare, bare_held = (largest_stiffness("four-bar", STEP, 0.0, how) for how in (None, "held"))
    assert bare_held < bare / 50
    damped, damped_held = (largest_stiffness("four-bar", STEP, 2.0, how) for how in (None, "held"))
    assert damped_held > 2 * damped


def test_a_limit_is_found_from_below():
    assert 1e3 / CLOSE < largest(lambda gain: gain < 1e3 or gain > 5e4, 64.0) < 1e3
