"""Motions from a file of positions, rates and accelerations: what is between its rows, and what is refused."""

import math

import numpy as np
import pytest

from meshsim.algorithms.motion.cycloid import cycloid
from meshsim.algorithms.motion.profiles import load_motion, load_profile, profile_torques
from meshsim.algorithms.motion.tables import PARTS
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.errors import MeshSimError

ARM = chain(2, 1)
HEADER = "t,q_joint1,qd_joint1,qdd_joint1,q_joint2,qd_joint2,qdd_joint2"


def write(path, joints, times, motion):
    """A table of a motion; `motion` gives positions, rates and accelerations of the joints."""
    names = ["t", *(f"{part}_{joint}" for joint in joints for part in PARTS)]
    rows = []
    for t in times:
        columns = np.array(motion(t)).T.ravel()
        rows.append(",".join(repr(float(value)) for value in (t, *columns)))
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    return str(path)


def table(tmp_path, text):
    path = tmp_path / "motion.csv"
    path.write_text(text)
    return str(path)


def test_rows_are_kept_and_a_quintic_is_between_them(tmp_path):
    """A polynomial of degree five, sampled anywhere, comes back everywhere; so it does with one joint at rest."""
    a = np.array([0.3, -0.2, 0.1, 0.4, -0.3, 0.05])
    d = np.polynomial.polynomial

    def motion(t):
        return [[d.polyval(t, d.polyder(a, k)), 0.5 * (k == 0)] for k in range(3)]

    times = [0.0, 0.3, 1.1, 2.0]
    found, duration = load_motion(write(tmp_path / "a.csv", ARM.joints, times, motion), ARM)
    assert (duration, found.times.tolist()) == (2.0, times)
    for t in times:
        assert np.array(found(t)).tolist() == motion(t)
    for t in (0.01, 0.29, 0.8, 1.9):
        assert np.array(found(t)) == pytest.approx(np.array(motion(t)), abs=1e-12)
    assert np.array(found(5.0)).tolist() == motion(2.0)


def test_rates_and_accelerations_are_derivatives(tmp_path):
    """Also where the rows are no motion at all."""
    rows = np.random.default_rng(1).normal(size=(4, 3, 2))
    path = write(tmp_path / "a.csv", ARM.joints, range(4), lambda t: rows[int(t)])
    found, _ = load_motion(path, ARM)
    e = 1e-5
    for t in (0.2, 0.77, 1.5, 2.9):
        before, now, after = found(t - e), found(t), found(t + e)
        for k in (0, 1):  # central differences are off by e^2 times a third derivative of some hundred
            assert (after[k] - before[k]) / (2 * e) == pytest.approx(now[k + 1], abs=1e-6)


def test_a_robot_is_driven_along_a_table(tmp_path):
    """As along the cycloid from which the table was made, at its rows to the bit."""
    robot = load_robot("stanford")
    wanted = cycloid([0.1] * 6, [1.0] * 6, 2.0)
    path = write(tmp_path / "a.csv", robot.joints, np.linspace(0.0, 2.0, 21), wanted)
    driving = load_profile(path, robot)
    assert driving.duration == 2.0
    assert driving.start.q == (0.1,) * 6
    torques = profile_torques(robot, wanted, 0.7000000000000001)
    assert [driving.torque(i, 0.7000000000000001, 0.0, 0.0) for i in range(6)] == torques.tolist()
    between = [driving.torque(i, 0.75, 0.0, 0.0) for i in range(6)]
    assert between == pytest.approx(profile_torques(robot, wanted, 0.75), abs=1e-4)


def along(robot, times):
    """The robot's own motion, of all joints."""
    motion, _ = load_motion("own", robot)
    return {float(t): motion(float(t)) for t in times}


@pytest.mark.parametrize("name", ["3rrr", "five-bar"])
def test_loops_are_driven_by_their_actuated_joints_or_by_all(name, tmp_path):
    robot = load_robot(name)
    rows = along(robot, np.linspace(0.0, 1.0, 6))
    driven = list(robot.actuated)
    some = write(
        tmp_path / "some.csv", [robot.joints[j] for j in driven], rows, lambda t: [part[driven] for part in rows[t]]
    )
    whole = write(tmp_path / "all.csv", robot.joints, rows, lambda t: rows[t])
    for path in (some, whole):
        motion, duration = load_motion(path, robot)
        assert duration == 1.0
        for t, known in rows.items():
            assert np.array(motion(t)) == pytest.approx(np.array(known), abs=1e-9)


def test_loops_move_along_a_table(tmp_path):
    robot = load_robot("five-bar")
    rows, driven = along(robot, np.linspace(0.0, 1.0, 6)), robot.actuated
    driving = load_profile(write(tmp_path / "all.csv", robot.joints, rows, lambda t: rows[t]), robot)
    own = load_profile("own", robot)
    assert driving.start.q == pytest.approx(own.start.q, abs=1e-12)
    assert [driving.torque(j, 0.4, 0.0, 0.0) for j in driven] == pytest.approx(
        [own.torque(j, 0.4, 0.0, 0.0) for j in driven],
        abs=1e-4,  # a spline goes through the torques of both, at other times
    )


def test_a_motion_in_which_loops_open_is_refused(tmp_path):
    robot = load_robot("3rrr")
    rows = along(robot, (0.0, 0.5))
    for part, what in enumerate(("positions", "rates", "accelerations")):
        spoiled = {t: [values.copy() for values in parts] for t, parts in rows.items()}
        spoiled[0.5][part][4] += 1e-4
        path = write(tmp_path / "open.csv", robot.joints, rows, lambda t, spoiled=spoiled: spoiled[t])
        closed = rf"^{path}: the loops of 3rrr must be closed all the time; at t = 0.5 s the {what} open that through "
        with pytest.raises(MeshSimError, match=closed):
            load_motion(path, robot)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "t,q_joint1,qd_joint1,qdd_joint1\n0,1,1,1\n",
            "there must be columns t, and q_, qd_ and qdd_ of all joints; 'q_joint2' is missing",
        ),
        (
            f"{HEADER[2:]}\n1,1,1,1,1,1\n",
            "there must be columns t, and q_, qd_ and qdd_ of all joints; 't' is missing",
        ),
        (
            f"{HEADER},q_elbow\n0,1,1,1,1,1,1,1\n",
            "a column must be t, or q_, qd_ or qdd_ and a joint (joint1, joint2), not 'q_elbow'",
        ),
        (
            f"{HEADER},t\n0,1,1,1,1,1,1,0\n",
            f"columns must have names of their own, not {[*HEADER.split(','), 't']!r}",
        ),
        (f"{HEADER}\n", "there must be rows below the header, not none"),
        (f"{HEADER}\n0,1,1,1,1,1,1\n-1,1,1,1,1,1,1\n", "t must increase, and row 2 has -1 after 0"),
        (f"{HEADER}\n1,1,1,1,1,1,1\n", "t must begin at 0, not at 1"),
        (f"{HEADER}\n0,1,1,1,1,1,nan\n", "qdd_joint2 of row 1 must be a finite number, not 'nan'"),
        (f"{HEADER}\n0,1,x,1,1,1,1\n", "qd_joint1 of row 1 must be a finite number, not 'x'"),
        (f"{HEADER}\n0,1,1,1,1,1\n", "row 1 must have 7 numbers, as the header has columns, not 6"),
    ],
)
@pytest.mark.parametrize("load", [load_motion, load_profile])
def test_tables_that_are_no_motion(load, text, message, tmp_path):
    path = table(tmp_path, text)
    with pytest.raises(MeshSimError) as error:
        load(path, ARM)
    assert str(error.value) == f"{path}: {message}"


def test_torques_are_no_motion(tmp_path):
    path = table(tmp_path, "t,joint1,joint2\n0,1,2\n")
    with pytest.raises(MeshSimError, match=r"a column must be t, or q_, qd_ or qdd_ and a joint .*, not 'joint1'$"):
        load_motion(path, ARM)
    assert math.isclose(load_profile(path, ARM).torque(1, 0.0, 0.0, 0.0), 2.0)


def test_loops_ask_for_the_actuated_joints_or_all(tmp_path):
    path = table(tmp_path, "t,q_crank1,qd_crank1,qdd_crank1\n0,1,1,1\n")
    message = (
        "there must be columns t, and q_, qd_ and qdd_ of all joints, or of the actuated joints alone "
        r"\(crank1, crank2\); 'q_crank2' is missing$"
    )
    with pytest.raises(MeshSimError, match=message):
        load_motion(path, load_robot("five-bar"))
