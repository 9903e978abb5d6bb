"""Motions of mechanisms with loops that come to a singular position."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from tools.loop_motions import FOUR_BAR, WAYS, task
from tools.loops import Stepping, integrate, parallelogram

from meshsim.algorithms.motion import written
from meshsim.algorithms.motion.motion import DivergedError, SingularError, count_steps
from meshsim.algorithms.reference.energy import energy
from meshsim.algorithms.robots.linkages import four_bar
from meshsim.algorithms.schemes.loops.denoc import DENOC
from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.algorithms.schemes.loops.multipliers import MULTIPLIERS
from meshsim.algorithms.schemes.loops.penalty import PENALTY
from meshsim.errors import MeshSimError


def stopped(method, settings, mechanism, stepping, torque=0.0):
    """The rows that were told before it stopped, and the error."""
    seen = []
    with pytest.raises(SingularError) as caught:
        integrate(method, settings, task(mechanism, torque, 2.0), stepping, lambda *step: seen.append(step))
    return seen, caught.value


FLAT = 0.305637
"""Seconds until the parallelogram, from half a radian, has fallen flat: by steps of a millisecond, of all methods."""


@pytest.mark.parametrize("stepping", [Stepping(h=1e-3), Stepping(rtol=1e-8, atol=1e-11)], ids=["fixed", "adaptive"])
def test_denoc_stops_where_the_driven_joint_tells_nothing(stepping):
    """Between two steps, which it finds out by their signs."""
    seen, error = stopped(DENOC, Settings(distribution="partly"), parallelogram(), stepping)
    form = (
        r"parallelogram came to a singular position at t = ([\d.]+) s: the loop through 'pin' has a condition number "
        r"of at least [\d.e+]+, and the actuated joints no longer determine the others"
    )
    match = re.fullmatch(form, str(error))
    assert match is not None
    assert float(match[1]) == pytest.approx(FLAT, abs=1e-4)
    assert error.t == pytest.approx(FLAT, abs=1e-4)
    assert seen[0][0] == 0.0
    assert FLAT - 0.05 < seen[-1][0] < FLAT
    assert all(np.isfinite(q).all() and c < 1e-8 for _, q, _, c in seen)


@pytest.mark.parametrize("name", ["gauss", "qr", "multipliers"])
def test_a_condition_number_that_is_too_large_stops_all_methods(monkeypatch, name):
    """A limit that steps of a millisecond cannot leap over."""
    monkeypatch.setattr(written, "SINGULAR", 1e3)
    seen, error = stopped(*WAYS[name], parallelogram(), Stepping(h=1e-3))
    form = (
        r"parallelogram came to a singular position at t = 0\.30\d s: the loop through 'pin' has a condition number "
        r"of ([\d.e+]+)"
    )
    match = re.fullmatch(form, str(error))
    assert match is not None
    assert float(match[1]) > 1e3
    assert len(seen) in (305, 306)  # the beginning, and each millisecond before
    first, last = (sum(energy(parallelogram(), *seen[i][1:3])) for i in (0, -1))
    assert last == pytest.approx(first, abs=1e-6)


@pytest.mark.parametrize(
    "stepping", [Stepping(h=1e-3), Stepping(h=0.02), Stepping(rtol=1e-3), Stepping(rtol=1e-8, atol=1e-11)], ids=str
)
@pytest.mark.parametrize("name", ["gauss", "qr", "multipliers"])
def test_a_step_does_not_leap_over_a_singular_position(name, stepping):
    seen, error = stopped(*WAYS[name], parallelogram(), stepping)
    assert re.search(r"has a condition number of (at least )?[\d.e+]+", str(error))
    assert error.t == pytest.approx(FLAT, abs=0.1 if stepping.rtol == 1e-3 and stepping.h is None else 0.02)
    assert seen[-1][0] < error.t < FLAT + 0.02  # told to be within the step that leaps


def test_steps_that_are_too_long_are_not_called_singular():
    """The four-bar has no singular position that its crank could come to, but may turn far in one long step."""
    mechanism = four_bar()
    with pytest.raises(SingularError) as caught:
        integrate(MULTIPLIERS, Settings(), task(mechanism, 6.0, 10.0), Stepping(h=0.01))
    assert re.fullmatch(
        r"four-bar came past a singular position between t = [\d.]+ and [\d.]+ s, or its steps are too long to tell "
        r"\(the loop through 'pin' has a condition number of [\d.]+ before and [\d.]+ after\); "
        r"shorter steps would tell",
        str(caught.value),
    )


def test_motions_have_a_bounded_number_of_steps():
    with pytest.raises(MeshSimError, match=r"^duration must be at most 1000000 steps of 1e-300 s, not 1 s$"):
        count_steps(1.0, 1e-300)


def test_springs_pass_a_singular_position():
    """They need no loops that can be solved for."""
    history = integrate(PENALTY, Settings(k=1e4, d=20.0), task(parallelogram(), 0.0, 0.5), Stepping(rtol=1e-6))
    assert history.t[-1] == 0.5


def test_a_motion_that_begins_in_a_singular_position():
    mechanism = parallelogram(0.0)
    with pytest.raises(MeshSimError) as caught:
        integrate(MULTIPLIERS, Settings(), task(mechanism, 1.0, 1.0), Stepping())
    assert str(caught.value) == (
        "the constraints of parallelogram are redundant: a row of the loop through 'pin' follows from the others"
    )


def test_steps_that_become_too_small_are_told():
    """Torques that are no numbers from a moment on."""
    start = replace(task(FOUR_BAR, 0.0, 1.0), drive=lambda t: [6.0 if t < 0.5 else math.nan])
    with pytest.raises(DivergedError, match=r"^multipliers: steps became too small at t = 0\.5 s: Required step size"):
        integrate(MULTIPLIERS, Settings(), start, Stepping())
