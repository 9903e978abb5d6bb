"""What drives a motion: profiles and their torques, tables of torques, and what is refused."""

import math

import numpy as np
import pytest
from tools.motion import numbers, oracle

from meshsim.algorithms.motion.motion import no_torque
from meshsim.algorithms.motion.own import OWN_MOTIONS
from meshsim.algorithms.motion.profiles import (
    FORMS,
    MOTIONS,
    cycloid,
    driven_joints,
    inverse_torque,
    load_motion,
    load_profile,
    profile_torques,
    read_torques,
)
from meshsim.algorithms.reference.loops import actuated_torques
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.closure import assemble
from meshsim.algorithms.robots.linkages import five_bar
from meshsim.algorithms.robots.state import State, assembled
from meshsim.errors import MeshSimError

ROBOTS = {
    "puma600": ("openloop", "puma600", math.pi),
    "torso": ("openloop", "torso_literal", math.pi),
    "torso:l6": ("openloop", "torso_l6", math.pi),
    "torso:axes": ("openloop", "torso_axes_fixed", math.pi),
    "excavator": ("saha_trajectories", "wong_excavator_freefall", None),
    "saha-puma": ("saha_trajectories", "saha_puma_corrected", None),
    "saha-puma:printed": ("saha_trajectories", "saha_puma_as_printed", None),
    "stanford": ("saha_trajectories", "saha_stanford", None),
}


@pytest.mark.parametrize("robot", ROBOTS)
def test_torques_are_the_oracles(robot):
    table, name, angle = ROBOTS[robot]
    known = oracle(table)[name]
    mechanism = load_robot(robot)
    if angle is None:
        profile = cycloid(known["profile"]["q0"], known["profile"]["qT"], known["profile"]["T"])
    else:
        profile = cycloid([0.0] * 6, [angle] * 6, known["T"])
    torques = np.array([profile_torques(mechanism, profile, t) for t in known["t"]])
    assert torques == pytest.approx(np.array(known["tau"]), abs=1e-8, rel=1e-12)


def test_extremes_of_the_pumas_torques():
    known = oracle("openloop")["puma600"]["torque_extrema_min_t_max_t"]
    driving = load_profile("cycloid:10", load_robot("puma600"))
    for joint, (least, when, largest, later) in enumerate(known):
        assert driving.torque(joint, when, 0.0, 0.0) == pytest.approx(least, abs=1e-8)
        assert driving.torque(joint, later, 0.0, 0.0) == pytest.approx(largest, abs=1e-8)


def test_a_cycloid_goes_from_rest_to_rest():
    profile = cycloid([0.5, -1.0], [2.0, 1.0], 4.0)
    assert profile.q(0.0).tolist() == [0.5, -1.0]
    assert profile.q(4.0) == pytest.approx([2.0, 1.0])
    assert profile.q(2.0) == pytest.approx([1.25, 0.0])
    assert profile.qd(2.0) == pytest.approx([2 * 1.5 / 4, 2 * 2.0 / 4])  # twice the mean
    for t in (0.0, 4.0):
        assert profile.qd(t) == pytest.approx([0.0, 0.0], abs=1e-15)
        assert profile.qdd(t) == pytest.approx([0.0, 0.0], abs=1e-14)
    e = 1e-5
    for t in (0.3, 1.7, 3.1):
        assert (profile.q(t + e) - profile.q(t - e)) / (2 * e) == pytest.approx(profile.qd(t), rel=1e-8)
        assert (profile.qd(t + e) - profile.qd(t - e)) / (2 * e) == pytest.approx(profile.qdd(t), rel=1e-8)


def test_open_loop_torques_do_not_look_at_the_joints():
    mechanism = chain(3, 2)
    profile = cycloid([0.0] * 3, [1.0] * 3, 2.0)
    torque = inverse_torque(mechanism, profile)
    assert [torque(i, 0.7, 9.0, 9.0) for i in range(3)] == profile_torques(mechanism, profile, 0.7).tolist()


def test_profiles_by_name():
    mechanism = load_robot("stanford")
    free = load_profile("free", mechanism)
    assert (free.start, free.torque, free.duration, free.wanted) == (
        State((0.0,) * 6, (0.0,) * 6, (0.0,) * 6), no_torque, 1.0, None,
    )  # fmt: skip
    turned = [math.pi] * 6
    for spec, slid, angle in (
        ("cycloid:8", 0.1, 180.0),
        ("cycloid:8:90", 0.1, 90.0),
        ("cycloid:8:-45:0.3", 0.3, -45.0),
    ):
        driving = load_profile(spec, mechanism)
        turned = [math.radians(angle)] * 6
        turned[2] = slid
        assert driving.duration == 8.0
        assert driving.wanted.q(8.0) == pytest.approx(turned)


@pytest.mark.parametrize(
    "spec", ["", "falling", "cycloid", "free:1", "cycloid:1:2:3:4", "torques.txt", "excavator", "excavator:both"]
)
def test_names_that_mean_nothing(spec):
    with pytest.raises(MeshSimError) as error:
        load_profile(spec, chain(2, 1))
    assert str(error.value) == f"profile must be {FORMS}, not {spec!r}"


CYCLOIDS = "cycloid:SECONDS[:DEGREES[:METRES]], finite numbers of which the first is positive"


@pytest.mark.parametrize("spec", ["cycloid:", "cycloid:0", "cycloid:-1", "cycloid:nan", "cycloid:inf", "cycloid:1:x"])
def test_numbers_of_a_profile(spec):
    with pytest.raises(MeshSimError) as error:
        load_profile(spec, chain(2, 1))
    assert str(error.value) == f"profile must be {CYCLOIDS}, not {spec!r}"


def test_torques_beyond_reason_are_refused_by_name():
    mechanism = load_robot("excavator")
    driving = load_profile("cycloid:1:1e308", mechanism)
    with pytest.raises(MeshSimError, match=r"^tau of 'excavator' along this profile must be finite"):
        driving.torque(0, 0.3 * driving.duration, 0.0, 0.0)


def test_the_excavators_control_drives_nothing_else():
    with pytest.raises(MeshSimError) as error:
        load_profile("excavator:joint", chain(4, 1))
    assert str(error.value) == "profile 'excavator:joint' must drive the robot excavator, not chain:4:1"


@pytest.mark.parametrize(
    ("h", "changes", "message"),
    [
        (0.0, {}, "step must be a positive number of seconds, not 0.0"),
        (math.inf, {}, "step must be a positive number of seconds, not inf"),
        (0.01, {"duration": 0.0}, "duration must be a positive number of seconds, not 0.0"),
        (0.01, {"duration": math.nan}, "duration must be a positive number of seconds, not nan"),
        (0.3, {}, "duration must be a whole number of steps of 0.3 s, not 1 s"),
        (2.0, {}, "duration must be a whole number of steps of 2 s, not 1 s"),
        (1e-7, {}, "duration must be at most 1000000 steps of 1e-07 s, not 1 s"),
        (1e-308, {"duration": 1e308}, "duration must be at most 1000000 steps of 1e-308 s, not 1e+308 s"),
        (0.01, {"friction": -1.0}, "friction must be a finite number, at least 0, not -1.0"),
        (0.01, {"friction": math.nan}, "friction must be a finite number, at least 0, not nan"),
    ],
)
def test_steps_and_durations(h, changes, message):
    mechanism = chain(2, 1)
    with pytest.raises(MeshSimError) as error:
        load_profile("free", mechanism).motion(mechanism, h, **changes)
    assert str(error.value) == message


def test_a_motion_of_a_profile():
    mechanism = chain(2, 1)
    driving = load_profile("cycloid:3", mechanism)
    motion = driving.motion(mechanism, 0.1)  # 0.1 is no binary number, and 3 s are 30 steps all the same
    assert (motion.steps, motion.order, motion.friction) == (30, 4, ())
    start = State((1.0, 2.0), (0.0, 0.0), (0.0, 0.0))
    other = driving.motion(mechanism, 0.1, 0.7, 2, 0.5, start)
    assert (other.steps, other.order, other.friction, other.state) == (7, 2, (0.5, 0.5), start)


# Tables


def table(tmp_path, text):
    path = tmp_path / "torques.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_table_of_torques_is_straight_between_its_rows(tmp_path):
    mechanism = chain(2, 1)
    path = table(tmp_path, "\ufeffjoint2,t,joint1\n10,1,-1\n30,2,-3\n\n40,4,1\n")  # any order, any editor
    torque, duration = read_torques(path, mechanism)
    assert duration == 4.0
    assert [torque(0, t, 0.0, 0.0) for t in (0.0, 1.0, 1.5, 3.0, 9.0)] == [-1.0, -1.0, -2.0, -1.0, 1.0]
    assert [torque(1, t, 0.0, 0.0) for t in (0.0, 1.0, 1.5, 3.0, 9.0)] == [10.0, 10.0, 20.0, 35.0, 40.0]
    assert load_profile(path, mechanism).duration == 4.0


def test_a_table_of_the_profiles_torques_moves_as_the_profile_does(tmp_path):
    mechanism = chain(3, 4)
    driving = load_profile("cycloid:1", mechanism)
    rows = [f"{t},{','.join(str(driving.torque(i, t, 0, 0)) for i in range(3))}" for t in np.arange(0, 21) / 20]
    path = table(tmp_path, "\n".join(["t,joint1,joint2,joint3", *rows]))
    listed = load_profile(path, mechanism)
    by_table = numbers(listed.motion(mechanism, 0.1))  # whose evaluations fall on the rows
    assert by_table.q == pytest.approx(numbers(driving.motion(mechanism, 0.1)).q, abs=1e-11)


THREE = "row 1 must have 3 numbers, as the header has columns, not "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the columns must be t, joint1, joint2, not nothing"),
        ("t,joint1\n0,1\n", "the columns must be t, joint1, joint2, not t, joint1"),
        ("t,joint1,joint1\n0,1,1\n", "the columns must be t, joint1, joint2, not t, joint1, joint1"),
        ("t,joint1,joint2\n", "there must be rows below the header, not none"),
        ("t,joint1,joint2\n0,1,1\n1,1,nan\n", "joint2 of row 2 must be a finite number, not 'nan'"),
        ("t,joint1,joint2\n0,1,1\n0,2,2\n", "t must increase, and row 2 has 0 after 0"),
        ("t,joint1,joint2\n0,1,x\n", "joint2 of row 1 must be a finite number, not 'x'"),
        ("t,joint1,joint2\n0,1\n", f"{THREE}2"),
        ("t,joint1,joint2\n0,1,2,1,1,2\n", f"{THREE}6"),
    ],
)
def test_tables_that_are_none(tmp_path, text, message):
    path = table(tmp_path, text)
    with pytest.raises(MeshSimError) as error:
        read_torques(path, chain(2, 1))
    assert str(error.value) == f"{path}: {message}"


def test_tables_that_cannot_be_read(tmp_path):
    mechanism = chain(2, 1)
    missing, folder, binary, endless = (str(tmp_path / f"{name}.csv") for name in ("none", "folder", "bin", "long"))
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "bin.csv").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "long.csv").write_text("t,joint1,joint2\n0,1," + "4" * 200_000)
    unreadable = "a readable file, not one that fails with:"
    for path, message in (
        (missing, f"{unreadable} No such file or directory"),
        (folder, f"{unreadable} Is a directory"),
        (binary, "UTF-8 text, not other bytes"),
        (endless, "CSV, not text that fails with: field larger than field limit (131072)"),
    ):
        with pytest.raises(MeshSimError) as error:
            load_profile(path, mechanism)
        assert str(error.value) == f"{path}: profile must be {message}"


# Torques by number


def test_a_torque_for_each_driven_joint():
    mechanism = chain(3, 1)
    driving = load_profile("1,0,-2.5", mechanism)
    assert [driving.torque(joint, 0.7, 9.0, 9.0) for joint in range(3)] == [1.0, 0.0, -2.5]
    assert driving.start == State((0.0,) * 3, (0.0,) * 3, (1.0, 0.0, -2.5))
    assert (driving.duration, driving.wanted) == (1.0, None)
    four = load_profile("6", load_robot("four-bar"))
    assert four.torque(0, 0.0, math.nan, math.nan) == 6.0
    assert four.start.tau == (6.0, 0.0, 0.0)


@pytest.mark.parametrize(("robot", "count"), [("puma600", 6), ("four-bar", 1), ("3rrr", 3), ("scraper", 1)])
def test_torques_that_are_too_few_or_too_many(robot, count):
    mechanism = load_robot(robot)
    assert len(driven_joints(mechanism)) == count
    for given in (count - 1 or count + 2, count + 1):
        spec = ",".join(["1"] * given)
        with pytest.raises(MeshSimError) as error:
            load_profile(spec, mechanism)
        assert str(error.value) == f"profile must be {FORMS}, and {robot} has {count} driven joints, not {spec!r}"


# With loops


@pytest.mark.parametrize("name", ["four-bar", "3prr", "scraper"])
def test_mechanisms_with_loops_start_where_they_close(name):
    mechanism = load_robot(name)
    closed = tuple(assemble(mechanism).tolist())
    for spec in ("free", ",".join(["2"] * len(mechanism.actuated)), "cycloid:1:5:0.01", "own"):
        driving = load_profile(spec, mechanism)
        assert driving.start.q == closed
        prescribed = driving.wanted is not None
        assert prescribed == (spec.startswith("cycloid") or (spec == "own" and name != "four-bar"))
        if prescribed:
            wanted = actuated_torques(mechanism, *driving.wanted(0.0))
            assert np.array(driving.start.tau)[list(mechanism.actuated)] == pytest.approx(wanted, abs=1e-9)
            assert driving.start.qd == pytest.approx(driving.wanted(0.0)[1], abs=1e-12)
        else:
            assert driving.start.qd == (0.0,) * mechanism.n


DURATIONS = {"3rrr": 3.0, "five-bar": 20.0, "3prr": 1.0, "scraper": 4.0 / 3.0, "stewart": 2.0}
"""The last is ours."""
LONG = ("3rrr", "five-bar", "stewart")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in DURATIONS]
)
def test_what_documents_drive_their_mechanisms_by(name):
    assert load_profile("own", load_robot(name)).duration == DURATIONS[name]


def test_what_drives_the_four_bar():
    assert set(DURATIONS) == set(OWN_MOTIONS)
    four = load_profile("own", load_robot("four-bar"))
    assert (four.duration, four.torque(0, 5.0, 0.0, 0.0), four.wanted) == (10.0, 6.0, None)


def test_only_mechanisms_with_loops_have_motions_of_their_own():
    with pytest.raises(MeshSimError) as error:
        load_profile("own", load_robot("puma600"))
    assert str(error.value) == "puma600 has no motion of its own; cycloid:SECONDS[:DEGREES[:METRES]] gives it one"


def test_torques_along_a_motion_with_loops_are_a_spline_through_those_of_inverse_dynamics():
    mechanism = load_robot("3prr")
    driving = load_profile("own", mechanism)
    motion, duration = load_motion("own", mechanism)
    assert duration == driving.duration
    for t in np.linspace(0.0, duration, 301)[::50].tolist():
        found = [driving.torque(joint, t, math.nan, math.nan) for joint in mechanism.actuated]
        assert found == pytest.approx(actuated_torques(mechanism, *motion(t)), abs=1e-9)
    for t in (0.1234, 0.777):  # between samples, to the fourth power of a 300th
        found = [driving.torque(joint, t, math.nan, math.nan) for joint in mechanism.actuated]
        assert found == pytest.approx(actuated_torques(mechanism, *motion(t)), abs=1e-5)


def test_a_motion_may_start_elsewhere():
    """In the other way to be put together: positions, torques and what is wanted are those of that way."""
    mechanism, other = five_bar(), five_bar(up=False)
    start = assembled(mechanism, other.guess, [0.0, 0.0], [0.0] * 4)
    here, there = load_profile("cycloid:1:5", mechanism, start), load_profile("cycloid:1:5", other)
    assert here.start.q == start.q
    times = [0.0, 0.4, 0.9]
    assert here.wanted.positions(times) == pytest.approx(there.wanted.positions(times), abs=1e-9)
    for t in times:
        found, wanted = ([each.torque(joint, t, 0.0, 0.0) for joint in (0, 2)] for each in (here, there))
        assert found == pytest.approx(wanted, abs=1e-8)
    elsewhere = load_profile("cycloid:1:5", mechanism)
    assert abs(elsewhere.torque(0, 0.4, 0.0, 0.0) - here.torque(0, 0.4, 0.0, 0.0)) > 1.0


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("own", "four-bar has no motion of its own; cycloid:SECONDS[:DEGREES[:METRES]] gives it one"),
        ("spiral", f"profile must be {MOTIONS}, not 'spiral'"),
        ("cycloid:0", f"profile must be {CYCLOIDS}, not 'cycloid:0'"),
        ("cycloid:1:x", f"profile must be {CYCLOIDS}, not 'cycloid:1:x'"),
    ],
)
def test_motions_that_are_none(spec, message):
    with pytest.raises(MeshSimError) as error:
        load_motion(spec, load_robot("four-bar"))
    assert str(error.value) == message


def test_a_table_with_loops_has_columns_of_the_driven_joints(tmp_path):
    mechanism = load_robot("five-bar")
    path = table(tmp_path, "t,crank2,crank1\n0,10,-1\n2,30,-3\n")
    driving = load_profile(path, mechanism)
    assert driving.duration == 2.0
    assert [driving.torque(joint, 1.0, math.nan, math.nan) for joint in mechanism.actuated] == [-2.0, 20.0]
    motion = driving.motion(mechanism, 0.5)
    assert motion.torques(1.0) == [-2.0, 0.0, 20.0, 0.0]
    whole = table(tmp_path, "t,crank1,arm1,crank2,arm2\n0,1,1,1,1\n")
    with pytest.raises(MeshSimError, match=r"the columns must be t, crank1, crank2, not t, crank1, arm1, crank2, arm2"):
        load_profile(whole, mechanism)


def test_adaptive_motions_of_a_profile():
    mechanism = load_robot("four-bar")
    motion = load_profile("own", mechanism).motion(mechanism, None, 2.0, rtol=1e-8)
    assert (motion.h, motion.steps, motion.lasting, motion.rtol) == (None, 0, 2.0, 1e-8)
    assert motion.atol == pytest.approx(1e-11)
    excavator = load_robot("excavator")
    with pytest.raises(MeshSimError) as error:
        load_profile("excavator:joint", excavator).motion(excavator, None)
    assert str(error.value) == "a control must be stepped at fixed times, not adaptively: give a step"
