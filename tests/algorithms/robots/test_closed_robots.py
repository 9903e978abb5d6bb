"""3-PRR, five-bar and carpet scraper against numbers made with other tools, and how they are named and put together."""

import json
import math

import numpy as np
import pytest
from tools.loops import DATA, Stepping, Task, integrate

from meshsim.algorithms.motion.motion import SingularError
from meshsim.algorithms.motion.prescribed import Prescribed
from meshsim.algorithms.motion.profiles import load_motion
from meshsim.algorithms.reference.energy import energy
from meshsim.algorithms.reference.loops import actuated_torques
from meshsim.algorithms.robots.catalogue import ROBOTS, load_robot
from meshsim.algorithms.robots.closure import assemble, check_actuation, consistent_rates, loops
from meshsim.algorithms.robots.linkages import (
    FIVE_BAR_BASE,
    LINKAGES,
    five_bar,
    scraper,
    three_prr,
)
from meshsim.algorithms.schemes.loops.inverse import INVERSES
from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.algorithms.schemes.loops.methods import METHODS
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main
from meshsim.experiments.exhibits.base.courses import prr
from meshsim.simulation import NOWHERE

AGREES = 1e-8
"""N or N m, m or rad: what is asked of agreement with other tools, of numbers up to 100."""


def cases(name):
    """Columns of trajectories made with other tools, by case and column."""
    found = json.loads((DATA / f"{name}.json").read_text())
    return {case: dict(zip(found["columns"], np.array(rows).T, strict=True)) for case, rows in found["cases"].items()}


PRR, FIVE_BARS, SCRAPERS = cases("prr3"), cases("fivebar"), cases("scraper")


def torques(mechanism, motion, times, method):
    """Along a motion, by a method on one processor."""
    plans = [INVERSES[method].plan(mechanism, "one", motion(t)) for t in times]
    return np.array([plan.run(NOWHERE, trace=False).value for plan in plans])


# The 3-PRR


@pytest.mark.parametrize("method", INVERSES)
@pytest.mark.parametrize("plane", ["horizontal", "vertical"])
def test_forces_of_the_3prr(plane, method):
    mechanism, known = three_prr(plane == "horizontal"), PRR[f"left taken {plane}"]
    motion, duration = load_motion("own", mechanism)
    found = torques(mechanism, motion, known["t"], method)
    assert known["t"][-1] == duration
    assert found == pytest.approx(np.stack([known[f"F{i}"] for i in (1, 2, 3)], axis=1), abs=AGREES)


def test_path_of_the_3prr():
    mechanism, known = three_prr(), PRR["left taken vertical"]
    motion, _ = load_motion("own", mechanism)
    q = np.array([motion(t)[0] for t in known["t"]])
    wanted = np.stack([known[name] for name in ("x1", "q4", "x2", "q5", "x3", "q6", "Px", "Py", "psi")], axis=1)
    assert q == pytest.approx(wanted, abs=AGREES)


@pytest.mark.parametrize("plane", ["horizontal", "vertical"])
@pytest.mark.parametrize(("other", "printed"), [(False, True), (True, False), (True, True)])
@pytest.mark.slow
def test_the_3prr_as_printed_and_with_knees_on_the_other_side(plane, other, printed):
    known = PRR[f"{'right' if other else 'left'} {'printed' if printed else 'taken'} {plane}"]
    run = prr(plane == "horizontal", other, 1e-6 if printed else 1.0)
    rows = [int(np.abs(run.t - t).argmin()) for t in known["t"]]
    assert run.torques[rows] == pytest.approx(np.stack([known[f"F{i}"] for i in (1, 2, 3)], axis=1), abs=AGREES)


@pytest.mark.slow
def test_the_printed_inertias_change_forces_little():
    """ERRATA 004 item 2."""
    for horizontal in (False, True):
        change = np.abs(prr(horizontal, scale=1e-6).torques - prr(horizontal).torques).max()
        assert 0.12 < change < 0.13


# The five-bar


@pytest.mark.parametrize("method", INVERSES)
@pytest.mark.parametrize("case", FIVE_BARS)
def test_torques_of_the_five_bar(case, method):
    base, way = (part.split("=")[1] for part in case.split(","))
    mechanism, known = load_robot(f"five-bar:{base}:{'up' if way == '+1' else 'down'}"), FIVE_BARS[case]
    motion, duration = load_motion("own", mechanism)
    found = torques(mechanism, motion, known["t"], method)
    assert known["t"][-1] == duration
    assert found == pytest.approx(np.stack([known["tau1"], known["tau2"]], axis=1), abs=AGREES)


def test_the_five_bar_has_a_default():
    assert FIVE_BAR_BASE == 1.2
    assert load_robot("five-bar").name == load_robot("five-bar:1.2").name == load_robot("five-bar:1.2:up").name
    down = load_robot("five-bar:1.2:down")
    assert down.name == "five-bar:1.2:down"
    assert load_robot("five-bar:0.8").bodies[2].position == (0.8, 0.0, 0.0)


@pytest.mark.parametrize("base", [0.4, 1.2])
def test_assembly_modes_of_the_five_bar(base):
    """The pin is on either side of the line between the knees, as far from it."""
    heights = []
    for up in (True, False):
        mechanism = five_bar(base, up)
        q = assemble(mechanism)
        assert q == pytest.approx(mechanism.guess, abs=1e-12)
        knees = [np.array((x + r * math.cos(q[j]), r * math.sin(q[j]))) for x, r, j in ((0, 0.6, 0), (base, 0.7, 2))]
        along = knees[1] - knees[0]
        pin = knees[0] + 1.1 * np.array((math.cos(q[0] + q[1]), math.sin(q[0] + q[1])))
        heights.append((along[0] * (pin - knees[0])[1] - along[1] * (pin - knees[0])[0]) / np.hypot(*along))
    assert heights[0] > 0.5
    assert heights[1] == pytest.approx(-heights[0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *(
            (
                f"five-bar:{what}",
                f"a five-bar must be five-bar:METRES, five-bar:METRES:up or ...:down, not 'five-bar:{what}'",
            )
            for what in ("-1", "0", "nan", "inf", "x", "", "1.2:left", "1:up:up")
        ),
        ("five-bar:9", "base of the five-bar must let its arms meet, not 9 m"),
        ("five-bar:1e300", "base of the five-bar must let its arms meet, not 1e+300 m"),
        (
            "six-bar",
            f"robot must be one of {', '.join(ROBOTS)}, chain:N:SEED, straight:N, coil:N, dill:N or "
            "the path of a URDF, MJCF or TOML file, not 'six-bar'",
        ),
    ],
)
def test_bad_names(text, message):
    with pytest.raises(MeshSimError) as raised:
        load_robot(text)
    assert str(raised.value) == message


def test_a_bad_name_on_the_command_line(capsys):
    text, message = "five-bar:9", "base of the five-bar must let its arms meet, not 9 m"
    assert main(["closed", "multipliers", "--robot", text, "--machine", "ideal"]) == 2
    assert capsys.readouterr().err == f"meshsim: error: {message}\n"


# Free fall


def falling(base=1.2, up=True, method="denoc", stepping=None, duration=3.0):
    """Times of a free fall from Saha's eq. 36, and positions; an error in the end."""
    mechanism = five_bar(base, up, (math.radians(80.0), math.radians(70.0)))
    task = Task(mechanism, assemble(mechanism), np.zeros(4), lambda _t: (0.0, 0.0), duration)
    rows = []
    keep = lambda t, q, qd, _c: rows.append((t, q, qd))  # noqa: E731
    error = None
    try:
        integrate(METHODS[method], Settings(), task, stepping or Stepping(rtol=1e-8, atol=1e-10), keep)
    except SingularError as caught:
        error = caught
    return mechanism, rows, error


@pytest.mark.parametrize(("up", "t"), [(True, 1.050313), (False, 1.366724)])
def test_free_fall_stops_where_it_is_singular(up, t):
    mechanism, rows, error = falling(up=up)
    where = f"{mechanism.name} came to a singular position at t = {t:.6g} s: "
    assert str(error).startswith(f"{where}the loop through 'pin' has a condition number of at least ")
    assert str(error).endswith(", and the actuated joints no longer determine the others")
    assert error.t == pytest.approx(t, abs=1e-5)
    times, q, _ = zip(*rows, strict=True)
    assert times[-1] <= error.t
    assert math.sin(q[-1][0] + q[-1][1] - q[-1][2] - q[-1][3]) == pytest.approx(0.0, abs=1e-3)  # arms in one line


@pytest.mark.parametrize(
    "stepping", [Stepping(rtol=1e-3), Stepping(rtol=1e-6), Stepping(rtol=1e-11), Stepping(h=0.002)]
)
def test_however_it_steps_it_does_not_leap_over_the_singular_position(stepping):
    error = falling(stepping=stepping, duration=1.2)[2]
    assert error.t == pytest.approx(1.0503, abs=1e-3 if stepping.rtol == 1e-3 else 1e-4)


def test_where_denoc_stops_multipliers_go_on():
    """The position is singular for the choice of the cranks' rates alone; energy stays."""
    mechanism, rows, error = falling(method="multipliers", duration=2.0)
    assert error is None
    energies = [sum(energy(mechanism, q, qd)) for _, q, qd in rows]
    assert rows[-1][0] == 2.0
    assert np.ptp(energies) < 1e-4


def test_a_fall_that_meets_no_singular_position():
    assert falling(base=0.8, up=False)[2] is None


def test_motions_that_keep_away_from_singular_positions_are_not_stopped():
    mechanism = load_robot("3rrr")
    task = Task(mechanism, assemble(mechanism), np.zeros(9), lambda _t: (0.0, 0.0, 0.0), 0.1)
    assert integrate(METHODS["denoc"], Settings(), task, Stepping(rtol=1e-4)).t[-1] == 0.1


def test_errors_of_those_who_watch_are_left_alone():
    mechanism = load_robot("five-bar")
    task = Task(mechanism, assemble(mechanism), np.zeros(4), lambda _t: (0.0, 0.0), 1.0)

    def stop(*_):
        raise MeshSimError("enough")

    with pytest.raises(MeshSimError, match=r"^enough$"):
        integrate(METHODS["denoc"], Settings(), task, Stepping(rtol=1e-4), stop)


# The scraper


@pytest.mark.parametrize(("name", "case"), [("scraper", "branch+1"), ("scraper:other", "branch-1")])
@pytest.mark.parametrize("method", ["noc", "subsystems"])
def test_torque_of_the_scraper(name, case, method):
    mechanism, known = load_robot(name), SCRAPERS[case]
    motion, duration = load_motion("own", mechanism)
    found = torques(mechanism, motion, known["t"], method)[:, 0]
    assert known["t"][-1] == duration
    assert found == pytest.approx(known["tauD_gravity-Y"], abs=AGREES)


@pytest.mark.parametrize("name", ["scraper", "scraper:other"])
def test_the_scraper_takes_what_its_energy_does(name):
    """By differences of sixth order, loops closed to rounding: good to about 1e-10 N m of 100."""
    mechanism = load_robot(name)
    motion, duration = load_motion("own", mechanism)
    w, h = 1.5 * math.pi, 5e-4
    passive = [j for j in range(mechanism.n) if j not in mechanism.actuated]

    def total(t):
        q = motion(t)[0].copy()
        now = loops(mechanism, q, np.zeros(mechanism.n))
        q[passive] -= np.linalg.solve(now.A[:, passive], now.c)
        return sum(energy(mechanism, q, consistent_rates(mechanism, q, [w])))

    for t in np.linspace(0.0, duration, 13):
        rate = sum(a * (total(t + k * h) - total(t - k * h)) for k, a in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))) / h
        assert torques(mechanism, motion, [t], "subsystems")[0, 0] == pytest.approx(rate / w, abs=AGREES)


def test_the_two_scrapers_differ_in_their_pantograph_alone():
    one, other = assemble(scraper()), assemble(scraper(other=True))
    assert one[:3] == pytest.approx(other[:3], abs=1e-12)
    assert abs(one[3] - other[3]) > 1.0
    for q in (one, other):  # a parallelogram
        assert math.sin(q[4] - q[6]) == pytest.approx(0.0, abs=1e-12)


# All of them


@pytest.mark.parametrize("name", [*LINKAGES, "stewart"])
def test_they_can_be_put_together_and_driven(name):
    mechanism = load_robot(name)
    q = assemble(mechanism)
    check_actuation(mechanism, q)
    assert mechanism.name == name
    assert np.abs(q - mechanism.guess).max() < 2e-3


@pytest.mark.parametrize("name", ["3prr", "five-bar", "scraper"])
def test_their_own_motions_are_motions(name):
    """Rates and accelerations are what positions do: by differences, good to about the square of the step."""
    mechanism = load_robot(name)
    motion, duration = load_motion("own", mechanism)
    assert isinstance(motion, Prescribed)
    h = 1e-4
    for t in (0.3 * duration, 0.8 * duration):
        before, now, after = (motion(t + k * h) for k in (-1, 0, 1))
        assert (after[0] - before[0]) / (2 * h) == pytest.approx(now[1], abs=1e-5)
        assert (after[1] - before[1]) / (2 * h) == pytest.approx(now[2], abs=1e-4)
        assert np.isfinite(actuated_torques(mechanism, *now)).all()
