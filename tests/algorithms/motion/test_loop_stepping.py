"""Closed mechanisms in motion: against other tools; energy, springs and their steps, restarts, singular positions."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicHermiteSpline
from tools.loop_motions import FOUR_BAR, PARAMETERS, RRR, WAYS, task
from tools.loops import Stepping, Task, drive_of, integrate, linkage, oracle

from meshsim.algorithms.motion.motion import DivergedError, Feedback, Motion, count_steps
from meshsim.algorithms.motion.prescribed import Prescribed
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.reference.energy import energy
from meshsim.algorithms.reference.loops import actuated_torques, constrained_dynamics
from meshsim.algorithms.robots.closure import assemble, loops
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.loops import projection
from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.algorithms.schemes.loops.multipliers import MULTIPLIERS
from meshsim.algorithms.schemes.loops.penalty import PENALTY
from meshsim.algorithms.schemes.loops.projection import PROJECTION
from meshsim.errors import MeshSimError

# The four-bar against its oracle


def off_the_oracle(history):
    """Largest difference of crank, coupler and rocker at each tenth of a second.

    Between steps a cubic of positions and rates is good to 3e-8 with the tolerances used here. The oracle has the angle
    of the coupler to the horizon.
    """
    wanted = oracle("fourbar")
    t, q, qd, _ = history.arrays()
    times = wanted["t"][wanted["t"] <= t[-1] + 1e-9]
    found = CubicHermiteSpline(t, q, qd)(times)
    found[:, 1] += found[:, 0]
    angles = np.column_stack([wanted["theta"], wanted["alpha"], wanted["phi"]])
    return float(np.abs(found - angles[: len(times)]).max())


def work_left(mechanism, history, torque):
    """The energy that was gained less the work that the crank's torque did."""
    first, last = (sum(energy(mechanism, history.q[i], history.qd[i])) for i in (0, -1))
    return last - first - torque * (history.q[-1][0] - history.q[0][0])


@PARAMETERS
def test_the_four_bar_for_two_seconds(method, settings):
    """At the end, where nothing is between steps, it is better than on the way; energy is some hundred joules."""
    history = integrate(method, settings, task(FOUR_BAR, 6.0, 2.0), Stepping(rtol=1e-10, atol=1e-12))
    assert history.q[-1][0] - history.q[0][0] > 6.0
    assert off_the_oracle(history) < 1e-7
    assert history.q[-1][0] == pytest.approx(oracle("fourbar")["theta"][20], abs=2e-9)
    assert abs(work_left(FOUR_BAR, history, 6.0)) < 1e-7
    assert max(history.c) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rtol"), [("gauss", 1e-10), ("qr", 1e-10), ("denoc", 1e-10), ("multipliers", 1e-12)])
def test_the_four_bar_for_ten_seconds(name, rtol):
    """Some 34 turns, at the end seven a second: 1e-6 of 216 rad. Multipliers drift: they need tighter tolerances."""
    method, settings = WAYS[name]
    history = integrate(method, settings, task(FOUR_BAR, 6.0, 10.0), Stepping(rtol=rtol, atol=rtol * 1e-2))
    assert history.q[-1][0] > 200.0
    assert off_the_oracle(history) < 1e-6
    assert abs(work_left(FOUR_BAR, history, 6.0)) < 3e-6  # J, of 1300


def test_multipliers_of_the_four_bar():
    """The forces of its pin at once: the oracle's, whose sign is that of + A^T lambda on the left."""
    wanted = oracle("fourbar")
    for i in (0, 10, 20, 50):
        q = np.array([wanted["theta"][i], wanted["alpha"][i] - wanted["theta"][i], wanted["phi"][i]])
        qd = np.array([wanted["thetadot"][i], wanted["alphadot"][i] - wanted["thetadot"][i], wanted["phidot"][i]])
        forces = constrained_dynamics(FOUR_BAR, q, qd, (6.0, 0.0, 0.0))[1]
        # The trajectory is good to 1e-9, and forces are of accelerations up to 1e4 times as large.
        assert forces == pytest.approx([wanted["lambda1"][i], wanted["lambda2"][i]], rel=1e-7)


@PARAMETERS
def test_energy_is_kept_without_torques(method, settings):
    history = integrate(method, settings, task(FOUR_BAR, 0.0, 1.0), Stepping(rtol=1e-11, atol=1e-13))
    assert np.abs(history.qd[-1]).max() > 0.5
    assert abs(work_left(FOUR_BAR, history, 0.0)) < 1e-8


def test_without_stabilisation_loops_drift_and_with_it_they_close():
    """The projection's sigma; multipliers have none. From loops that are open by a millimetre."""
    start = task(FOUR_BAR, 0.0, 1.0)
    opened = replace(start, q=start.q + np.array([0.0, 0.0, 1e-3 / 2.5]))
    ends = {}
    for sigma in (0.0, 5.0, 10.0):
        c = integrate(PROJECTION, Settings(sigma=sigma), opened, Stepping(rtol=1e-8, atol=1e-11)).c
        ends[sigma] = c[-1] / c[0]
    assert ends[0.0] == pytest.approx(1.0, rel=0.5)  # the gap stays, its direction turns
    for sigma in (5.0, 10.0):
        assert ends[sigma] == pytest.approx(ends[0.0] * math.exp(-sigma), rel=0.1)


# Springs


def test_springs_are_as_good_as_they_are_stiff():
    """Gaps are forces over stiffness: a tenth for ten times k. Evaluations grow as the square root of k."""
    found = []
    for k in (1e4, 1e5, 1e6):
        history = integrate(PENALTY, Settings(k=k), task(FOUR_BAR, 6.0, 1.0), Stepping(rtol=1e-6, atol=1e-9))
        found.append((max(history.c), history.evaluations))
    for (gap, evaluations), (smaller, more) in ((found[0], found[1]), (found[1], found[2])):
        assert gap / smaller == pytest.approx(10.0, rel=0.05)
        assert more / evaluations == pytest.approx(math.sqrt(10.0), rel=0.2)


@pytest.mark.slow
def test_springs_come_to_the_trajectory_as_they_stiffen():
    """At two seconds the crank of soft springs is behind by 2 rad, of stiff ones by 2e-3."""
    errors = []
    for k in (1e4, 1e5, 1e6):
        history = integrate(PENALTY, Settings(k=k), task(FOUR_BAR, 6.0, 2.0), Stepping(rtol=1e-6, atol=1e-9))
        errors.append(abs(history.q[-1][0] - oracle("fourbar")["theta"][20]))
    assert errors[0] > 1.0
    assert errors[1] < errors[0] / 10
    assert errors[2] < errors[1] / 10


@pytest.mark.parametrize(("k", "largest"), [(1e4, 1e-2), (1e5, 2.5e-3), (1e6, 1.25e-3)])
def test_steps_must_shrink_as_springs_stiffen(k, largest):
    """Twice the largest of these steps is too large: RK4 is stable to 2.8 over the frequency of the springs."""
    springs = Settings(k=k)
    history = integrate(PENALTY, springs, task(FOUR_BAR, 6.0, 1.0), Stepping(h=largest))
    assert history.evaluations == 4 * round(1.0 / largest)
    assert max(history.c) < 20.0 / k
    with pytest.raises(DivergedError) as caught:
        integrate(PENALTY, springs, task(FOUR_BAR, 6.0, 1.0), Stepping(h=2 * largest))
    form = r"penalty diverged at t = [\d.]+ s; smaller steps, or softer springs, may help"
    assert re.fullmatch(form, str(caught.value))


def test_damping_takes_energy():
    steps = Stepping(rtol=1e-8, atol=1e-11)
    kept, taken = (integrate(PENALTY, Settings(k=1e4, d=d), task(FOUR_BAR, 6.0, 1.0), steps) for d in (0.0, 200.0))

    def springs(history):
        return 0.5e4 * float(np.square(loops(FOUR_BAR, history.q[-1], history.qd[-1]).c).sum())

    assert abs(work_left(FOUR_BAR, kept, 6.0) + springs(kept)) < 1e-4
    assert work_left(FOUR_BAR, taken, 6.0) + springs(taken) < -1e-3


# The 3-RRR


@pytest.fixture(scope="module")
def driving():
    """The thesis's motion, and a spline of the torques for it."""
    return load_profile("own", RRR)


def test_torques_of_the_3rrr(driving):
    """The oracle's, at every tenth sample of three seconds, along the motion that the thesis prescribes."""
    wanted, given = oracle("rrr3"), Prescribed(RRR, driving.wanted.profile)
    for i, t in enumerate(wanted["t"]):
        q, qd, qdd = given(t)
        for values, ending in ((q, ""), (qd, "d"), (qdd, "dd")):
            driven = [wanted[f"th{k}{ending}"][i] for k in (1, 2, 3)]
            platform = [wanted[f"{name}{ending}"][i] for name in ("x7", "y7", "th7")]
            assert values[[0, 2, 4]] == pytest.approx(driven, abs=1e-12)
            assert values[6:] == pytest.approx(platform, abs=1e-10)
        assert q[[1, 3, 5]] == pytest.approx([wanted[f"th{k}rel"][i] for k in (4, 5, 6)], abs=1e-10)
        torques = actuated_torques(RRR, q, qd, qdd)
        assert torques == pytest.approx([wanted[f"tau{k}"][i] for k in (1, 2, 3)], abs=1e-8)


def off_what_is_wanted(driving, history, until=math.inf):
    """The largest error of any joint, at any step's end up to a time."""
    wanted = Prescribed(RRR, driving.wanted.profile)
    rows = zip(history.t, history.q, strict=True)
    return max(float(np.abs(wanted(t)[0] - q).max()) for t, q in rows if t <= until)


@PARAMETERS
@pytest.mark.parametrize(
    ("stepping", "accuracy"),
    [
        pytest.param(Stepping(h=0.01), 1e-3, id="fixed"),
        pytest.param(Stepping(rtol=1e-9, atol=1e-12), 1e-5, id="adaptive", marks=pytest.mark.slow),
    ],
)
def test_the_3rrr_follows_the_prescribed_motion(driving, method, settings, stepping, accuracy):
    """Torques alone do not hold it to the motion, which is unstable: errors grow a thousandfold in the last second."""
    start = Task(RRR, assemble(RRR), driving.start.qd, drive_of(RRR, driving), 3.0)
    history = integrate(method, settings, start, stepping)
    assert off_what_is_wanted(driving, history) < accuracy
    assert off_what_is_wanted(driving, history, until=1.5) < accuracy / 100
    assert max(history.c) < 1e-8


@pytest.mark.slow
def test_springs_of_the_3rrr(driving):
    """Over one second; they sag by as much as they are soft."""
    errors = []
    for k in (1e5, 1e6):
        start = Task(RRR, assemble(RRR), np.zeros(9), drive_of(RRR, driving), 1.0)
        history = integrate(PENALTY, Settings(k=k, d=2 * math.sqrt(k)), start, Stepping(rtol=1e-6, atol=1e-9))
        errors.append(off_what_is_wanted(driving, history))
    assert errors[0] < 5e-2
    assert errors[1] == pytest.approx(errors[0] / 10, rel=0.2)


@pytest.mark.slow
def test_the_order_of_methods(driving):
    """Evaluations: denoc, projection, springs. Springs err most by far; elimination and denoc close loops best."""
    found = {}
    springs = {"penalty": (PENALTY, Settings(k=1e5, d=2 * math.sqrt(1e5)))}
    for name, (method, settings) in (WAYS | springs).items():
        start = Task(RRR, assemble(RRR), np.zeros(9), drive_of(RRR, driving), 1.0)
        history = integrate(method, settings, start, Stepping(rtol=1e-6, atol=1e-9))
        found[name] = history.evaluations, off_what_is_wanted(driving, history), max(history.c)
    evaluations, errors, gaps = ({name: row[i] for name, row in found.items()} for i in range(3))
    assert evaluations["denoc"] <= evaluations["gauss"] < evaluations["penalty"] / 10
    assert max(errors[name] for name in WAYS) < 1e-4 * errors["penalty"]
    assert sorted(gaps, key=gaps.get)[:2] == ["elimination", "denoc"]  # positions in closed form close to rounding
    assert gaps["elimination"] < 1e-14
    assert gaps["penalty"] == max(gaps.values())


def test_feedback_holds_the_3rrr_to_its_motion(driving):
    """It corrects an error of the start."""
    wanted = Prescribed(RRR, driving.wanted.profile)
    correction = Feedback(400.0, 40.0, lambda t: driving.wanted.profile(t)[:2])
    guess = np.array(RRR.guess)
    guess[0] += 0.02
    off = Task(RRR, assemble(RRR, guess), np.zeros(9), drive_of(RRR, driving), 0.5)
    steps = Stepping(h=0.01)
    ends = [integrate(PROJECTION, Settings(), each, steps) for each in (off, replace(off, feedback=correction))]
    left = [abs(wanted(0.5)[0][0] - history.q[-1][0]) for history in ends]
    assert left[1] < left[0] / 5


# Steps


@PARAMETERS
def test_adaptive_steps_are_those_of_scipy_on_the_dense_reference(method, settings):
    """The same rule on numpy's accelerations; of methods that integrate positions and rates the very same steps."""
    start = task(FOUR_BAR, 6.0, 1.0)

    def rates(_t, y):
        return np.concatenate([y[3:], constrained_dynamics(FOUR_BAR, y[:3], y[3:], (6.0, 0.0, 0.0))[0]])

    begin = np.concatenate([start.q, start.qd])
    wanted = solve_ivp(rates, (0.0, 1.0), begin, method="RK45", rtol=1e-8, atol=1e-11)
    history = integrate(method, settings, start, Stepping(rtol=1e-8, atol=1e-11))
    assert history.q[-1] == pytest.approx(wanted.y[:3, -1], abs=1e-6)
    assert history.qd[-1] == pytest.approx(wanted.y[3:, -1], abs=1e-6)
    if method is MULTIPLIERS:
        assert history.evaluations == wanted.nfev
        # Errors of 1e-9 are differences of rates that agree to 1e-15: so do steps to 1e-7.
        assert np.array(history.t) == pytest.approx(wanted.t, abs=1e-7)
        assert np.abs(np.array(history.q).T - wanted.y[:3]).max() < 1e-6


@PARAMETERS
def test_fixed_steps_are_of_fourth_order(method, settings):
    exact = integrate(method, settings, task(FOUR_BAR, 6.0, 0.8), Stepping(rtol=1e-12, atol=1e-14)).q[-1]
    errors = [
        np.abs(integrate(method, settings, task(FOUR_BAR, 6.0, 0.8), Stepping(h=h)).q[-1] - exact).max()
        for h in (0.04, 0.02)
    ]
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.35)


def test_what_is_watched_is_what_is_kept():
    seen = []
    history = integrate(
        PROJECTION, Settings(), task(FOUR_BAR, 6.0, 0.1), Stepping(h=0.02), lambda *step: seen.append(step)
    )
    assert [step[0] for step in seen] == history.t == pytest.approx([0.0, 0.02, 0.04, 0.06, 0.08, 0.1])
    assert [step[1].tolist() for step in seen] == [q.tolist() for q in history.q]
    assert [step[3] for step in seen] == history.c
    assert history.evaluations == 20


def test_refused_steps():
    def motion(h=None, steps=1, lasting=1.0, **others):
        return Motion(FOUR_BAR, default_state(FOUR_BAR), h, steps, lasting=lasting, **others)

    for message, make in (
        ("step must be a positive number of seconds, not 0.0", lambda: motion(h=0.0)),
        ("step must be a positive number of seconds, not nan", lambda: motion(h=math.nan)),
        ("a motion must have at least one step, not 0", lambda: motion(h=0.1, steps=0)),
        ("duration must be a positive number of seconds, not 0.0", lambda: motion(lasting=0.0)),
        ("rtol must be a positive number, not -1.0", lambda: motion(rtol=-1.0)),
        ("atol must be a positive number, not inf", lambda: motion(atol=math.inf)),
        ("rtol must be at least 1e-13, not 1e-14: rounding leaves no more", lambda: motion(rtol=1e-14)),
        (
            "friction must be left out of mechanisms with loops, as four-bar is one",
            lambda: motion(h=0.1, friction=(1.0,) * 3),
        ),
        ("duration must be a whole number of steps of 0.3 s, not 1 s", lambda: count_steps(1.0, 0.3)),
        ("duration must be a whole number of steps of 0.3 s, not 0.1 s", lambda: count_steps(0.1, 0.3)),
    ):
        with pytest.raises(MeshSimError) as caught:
            make()
        assert str(caught.value) == message
    assert count_steps(0.3, 0.1) == 3


# Restarts


DOUBLE_ROCKER = linkage("double rocker", (3.4, 1.9, 1.5, 1.5), (-0.6, 0.3, 0.1))
"""No link of it turns fully, so that the rate of each vanishes at times."""


@pytest.mark.parametrize("technique", ["gauss", "qr"])
def test_independent_rates_are_chosen_anew_before_they_fail(technique):
    """It falls and swings for three seconds; multipliers, which choose nothing, go the same way."""
    start = task(DOUBLE_ROCKER, 0.0, 3.0)
    history = integrate(PROJECTION, Settings(technique=technique), start, Stepping(rtol=1e-9, atol=1e-12))
    assert len(history.restarts) == 3
    assert 0.0 < history.restarts[0] < history.restarts[-1] < 3.0
    assert set(history.restarts) <= set(history.t)
    exact = integrate(MULTIPLIERS, Settings(), start, Stepping(rtol=1e-11, atol=1e-13))
    assert exact.restarts == []
    assert history.q[-1] == pytest.approx(exact.q[-1], abs=1e-7)
    assert history.qd[-1] == pytest.approx(exact.qd[-1], abs=1e-6)
    assert max(history.c) < 1e-8
    assert abs(work_left(DOUBLE_ROCKER, history, 0.0)) < 1e-6


def test_fixed_steps_restart_too():
    start = task(DOUBLE_ROCKER, 0.0, 3.0)
    history = integrate(PROJECTION, Settings(), start, Stepping(h=2e-3))
    assert len(history.restarts) == 3
    assert history.evaluations == 4 * 1500
    exact = integrate(MULTIPLIERS, Settings(), start, Stepping(rtol=1e-11, atol=1e-13))
    assert history.q[-1] == pytest.approx(exact.q[-1], abs=1e-6)


def test_without_restarts_the_projection_loses_its_way(monkeypatch):
    monkeypatch.setattr(projection, "ILL", math.inf)
    start = task(DOUBLE_ROCKER, 0.0, 1.0)
    exact = integrate(MULTIPLIERS, Settings(), start, Stepping(rtol=1e-10, atol=1e-12))
    try:
        history = integrate(PROJECTION, Settings(), start, Stepping(h=5e-3))
    except MeshSimError:
        return
    assert history.restarts == []
    assert np.abs(history.q[-1] - exact.q[-1]).max() > 1e-3


@pytest.mark.slow
def test_restarts_change_nothing_but_what_is_integrated(monkeypatch):
    """The four-bar needs none; made to restart often, it goes the same way."""
    steps = Stepping(rtol=1e-9, atol=1e-12)
    plain = integrate(PROJECTION, Settings(), task(FOUR_BAR, 6.0, 1.0), steps)
    monkeypatch.setattr(projection, "ILL", 1.3)
    often = integrate(PROJECTION, Settings(), task(FOUR_BAR, 6.0, 1.0), steps)
    assert plain.restarts == []
    assert len(often.restarts) >= 2
    assert often.q[-1] == pytest.approx(plain.q[-1], abs=1e-7)
