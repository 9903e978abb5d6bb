"""`meshsim simulate`: its files, what it prints, what it refuses, and what is left when it is stopped."""

import csv
import json
import math
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from tools.paths import ROOT

from meshsim.algorithms.motion.motion import Sample
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.state import State
from meshsim.experiments.cli.main import main
from meshsim.experiments.figures import motion as motion_figures
from meshsim.experiments.studies.simulate import Recorder

RESULTS = ["motion.csv", "motion.json", "positions.png", "skeleton.png", "steps.csv"]


def call(capsys, *words):
    """Exit status, standard output, standard error."""
    try:
        status = main([str(word) for word in words])
    except SystemExit as stop:
        status = stop.code
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def move(capsys, folder, *words, scheme="wong-mesh", robot="chain:2:1", machine="t800"):
    given = ("simulate", scheme, "--robot", robot, "--machine", machine, "--out", folder)
    return call(capsys, *given, *words)


def move_json(capsys, folder, *words, **settings):
    status, out, _ = move(capsys, folder, *words, "--json", **settings)
    assert status == 0
    assert out.count("\n") == 1
    return json.loads(out)


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def names_in(folder):
    """What a folder holds, but for the file that says whose it is."""
    return sorted(path.name for path in folder.iterdir() if path.name != "settings.json")


KEYS = [
    "scheme", "robot", "machine", "processors", "joints", "step_s", "steps", "order", "steps_simulated", "steady",
    "ticks_per_step", "us_per_step", "us_per_evaluation", "ticks", "time_us", "real_time", "final", "largest_error",
    "options", "rtol", "evaluations", "restarts", "largest_constraint_error",
]  # fmt: skip


@pytest.mark.usefixtures("in_full")
def test_files_and_object(capsys, tmp_path):
    answer = move_json(capsys, tmp_path / "new" / "m", "--profile", "cycloid:0.5", "--step", "0.02")
    folder = tmp_path / "new" / "m"
    assert list(answer) == KEYS
    assert json.loads((folder / "motion.json").read_text()) == answer
    assert names_in(folder) == sorted([*RESULTS, "torques.png", "errors.png"])
    for name in names_in(folder):
        if name.endswith(".png"):
            assert (folder / name).read_bytes().startswith(b"\x89PNG")
    assert (answer["steps"], answer["steps_simulated"], answer["steady"]) == (25, 8, True)
    assert answer["processors"] == 6
    rows = rows_of(folder / "motion.csv")
    assert list(rows[0]) == ["t", "joint", "q", "qd", "qdd", "tau", "wanted", "error"]
    assert [(row["t"], row["joint"]) for row in rows[:4]] == [
        ("0", "joint1"), ("0", "joint2"), ("0.02", "joint1"), ("0.02", "joint2"),
    ]  # fmt: skip
    assert len(rows) == 26 * 2
    assert [float(row["q"]) for row in rows[-2:]] == answer["final"]["q"]
    assert [row["qdd"] for row in rows[-2:]] == ["", ""]
    for i in range(2):
        errors = [abs(float(row["error"])) for row in rows[i::2]]
        assert max(errors) == answer["largest_error"][i]
        assert all(float(row["wanted"]) - float(row["q"]) == float(row["error"]) for row in rows[i::2])


def test_the_table_has_what_a_dense_solver_finds(capsys, tmp_path):
    move_json(capsys, tmp_path, "--profile", "cycloid:0.4", "--step", "0.02", robot="torso")
    rows = rows_of(tmp_path / "motion.csv")
    mechanism = load_robot("torso")
    for at in (0, 30, 108):
        names = [row["joint"] for row in rows[at : at + 6]]
        state = State(*(tuple(float(row[key]) for row in rows[at : at + 6]) for key in ("q", "qd", "tau")))
        assert tuple(names) == mechanism.joints
        qdd = [float(row["qdd"]) for row in rows[at : at + 6]]
        assert qdd == pytest.approx(forward_dynamics(mechanism, state).qdd, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("machine", ["t800", "t800-overlap"])
def test_times_of_steps(capsys, tmp_path, machine):
    words = ("--step", "0.01", "--duration", "0.12")
    steady = move_json(capsys, tmp_path / "steady", *words, machine=machine)
    every = move_json(capsys, tmp_path / "every", *words, "--timing", "every", machine=machine)
    first, second = (rows_of(tmp_path / name / "steps.csv") for name in ("steady", "every"))
    assert list(first[0]) == ["step", "t", "ends_at_tick", "timing"]
    assert [row["ends_at_tick"] for row in first] == [row["ends_at_tick"] for row in second]
    assert [row["timing"] for row in first] == ["simulated"] * 8 + ["steady"] * 4
    assert [row["timing"] for row in second] == ["simulated"] * 12
    assert steady["ticks"] == every["ticks"] == int(first[-1]["ends_at_tick"])
    assert steady["ticks_per_step"] == every["ticks_per_step"]
    assert steady["us_per_evaluation"] == pytest.approx(steady["us_per_step"] / 4)
    both = [(tmp_path / name / "motion.csv").read_bytes() for name in ("steady", "every")]
    assert both[0] == both[1]


def test_what_people_read(capsys, tmp_path):
    status, out, err = move(capsys, tmp_path, "--step", "0.01", "--duration", "0.2")
    assert status == 0
    assert out.startswith("wong-mesh: chain:2:1 on t800, h = 0.01 s\n\njoint")
    assert "timing: 8 steps were simulated message by message, and took " in out
    assert "the other 12 are taken to last as long; their numbers were computed all the same" in out
    assert "20 steps of 0.01 s, 4 evaluations each, on 6 processors" in out
    assert "real time allows 10000 us: in real time, by a factor of " in out
    assert "largest error" not in out
    assert f"files: {tmp_path / 'motion.csv'}, " in out
    assert "motion, percent: 100/100, " in err
    words = ("--step", "1e-5", "--duration", "3e-5", "--timing", "every")
    _, out, _ = move(capsys, tmp_path / "other", *words, scheme="one-saha")
    assert "too slow, by a factor of " in out
    assert "timing: every message of all 3 steps was simulated" in out
    assert "on 1 processor\n" in out


@pytest.mark.usefixtures("in_full")
def test_the_excavator_under_control(capsys, tmp_path):
    words = ("--profile", "excavator:joint", "--step", "0.01", "--duration", "0.1", "--strip", "0,0.1")
    answer = move_json(capsys, tmp_path, *words, robot="excavator", machine="t800-measured")
    assert answer["processors"] == 16
    assert names_in(tmp_path) == sorted([*RESULTS, "torques.png", "hydraulics.png"])
    rows = rows_of(tmp_path / "motion.csv")
    assert list(rows[0]) == ["t", "joint", "q", "qd", "qdd", "tau", "p_in", "p_out", "spool"]
    assert max(float(row["p_in"]) for row in rows if row["joint"] == "boom") > 100.0


def test_torques_from_a_file(capsys, tmp_path):
    table = tmp_path / "torques.csv"
    table.write_text("t,joint1,joint2\n0,1,2\n0.1,3,-2\n")
    answer = move_json(capsys, tmp_path / "m", "--profile", table, "--step", "0.025")
    assert answer["steps"] == 4
    rows = rows_of(tmp_path / "m" / "motion.csv")
    assert [float(row["tau"]) for row in rows[:-2:2]] == pytest.approx([1.0, 1.5, 2.0, 2.5])
    assert [float(row["tau"]) for row in rows[1:-2:2]] == pytest.approx([2.0, 1.0, 0.0, -1.0])


def test_state_friction_and_order_reach_the_motion(capsys, tmp_path):
    state = tmp_path / "state.json"
    state.write_text(json.dumps({"q": [0.4, -0.2], "qd": [1.0, 2.0], "tau": [0, 0]}))
    words = ("--state", state, "--friction", "0.5", "--order", "1", "--step", "0.01", "--duration", "0.01")
    answer = move_json(capsys, tmp_path / "m", *words)
    damped = forward_dynamics(chain(2, 1), State((0.4, -0.2), (1.0, 2.0), (-0.5, -1.0))).qdd
    assert answer["final"]["q"] == pytest.approx([0.41, -0.18])
    assert answer["final"]["qd"] == pytest.approx([1.0, 2.0] + 0.01 * damped)
    assert answer["order"] == 1


def test_dry_friction_reaches_the_motion(capsys, tmp_path):
    words = ("--step", "0.01", "--duration", "0.05")
    slid, stuck = (move_json(capsys, tmp_path / dry, *words, "--dry-friction", dry) for dry in ("0.1:0.2", "1e4"))
    assert max(map(abs, slid["final"]["q"])) > 1e-3
    assert stuck["final"]["q"] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert stuck["ticks"] == slid["ticks"]


def test_options_reach_the_scheme(capsys, tmp_path):
    words = ("--step", "0.01", "--duration", "0.02")
    passed = move_json(capsys, tmp_path / "passed", *words)
    again = move_json(capsys, tmp_path / "again", *words, "--option", "rho=recompute")
    assert again["final"] == passed["final"]
    assert again["ticks"] != passed["ticks"]


def test_a_folder_holds_one_motion(capsys, tmp_path):
    move_json(capsys, tmp_path, "--profile", "cycloid:0.1", "--step", "0.01")
    assert "errors.png" in names_in(tmp_path)
    other = ("--step", "0.01", "--duration", "0.05")
    assert "holds other work" in move(capsys, tmp_path, *other)[2]
    move_json(capsys, tmp_path, *other, "--force")
    assert names_in(tmp_path) == RESULTS  # nothing drives it, and nothing is wanted


def test_pictures_of_a_joint_that_slides(capsys, tmp_path, monkeypatch):
    drawn = {}
    monkeypatch.setattr(motion_figures, "save_figure", lambda figure, path: drawn.update({path.name: figure}))
    words = ("--profile", "cycloid:0.2:10", "--step", "0.02", "--strip", "0.1,0.2")
    move_json(capsys, tmp_path, *words, robot="stanford", scheme="one-wong")
    labels = {name: [axes.get_ylabel() for axes in figure.axes] for name, figure in drawn.items()}
    left = ["position (deg)", "rate (deg/s)", "acceleration (deg/s²)"]
    assert labels["positions.png"] == [*left, "position (m)", "rate (m/s)", "acceleration (m/s²)"]
    assert labels["torques.png"] == [*["torque (N m)"] * 2, "force (N)", *["torque (N m)"] * 3]
    assert labels["errors.png"] == [*["error (deg)"] * 2, "error (m)", *["error (deg)"] * 3]
    assert [axes.get_title() for axes in drawn["skeleton.png"].axes] == ["t = 0.1 s", "t = 0.2 s"]
    slides = drawn["positions.png"].axes[3].lines
    assert drawn["positions.png"].legends[0].get_texts()[2].get_text() == "joint3 (right)"
    assert slides[0].get_marker() == "^"  # as in the legend
    assert slides[0].get_ydata()[-1] == pytest.approx(0.1, abs=1e-3)


def test_pictures_of_many_joints_tell_what_is_left_out(capsys, tmp_path, monkeypatch):
    drawn = {}
    monkeypatch.setattr(motion_figures, "save_figure", lambda figure, path: drawn.update({path.name: figure}))
    move_json(capsys, tmp_path, "--profile", "cycloid:0.1:1", "--step", "0.05", robot="chain:14:1", scheme="one-saha")
    assert drawn["torques.png"].get_suptitle().endswith(" (the first 12 of 14 joints)")
    assert len(drawn["torques.png"].axes) == 12
    assert len(drawn["positions.png"].axes[0].lines) == 14 * 2


# What is refused


def refused(capsys, folder, *words, **settings):
    status, out, err = move(capsys, folder, *words, **settings)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert not folder.exists()
    return err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--step", "0"), "step must be a positive number of seconds, not 0.0"),
        (("--step", "nan"), "step must be a positive number of seconds, not nan"),
        (
            ("--step", "x"),
            "argument --step: must be a time such as 0.01, 10ms or 250us (units: s, ms, us, ns, min), not 'x'",
        ),
        (("--step", "0.3"), "duration must be a whole number of steps of 0.3 s, not 1 s"),
        (("--step", "1e-9"), "duration must be at most 1000000 steps of 1e-09 s, not 1 s"),
        (("--step", "1e-308", "--duration", "1e308"), "duration must be at most 1000000 steps"),
        (("--step", "0.1", "--duration", "0"), "duration must be a positive number of seconds, not 0.0"),
        (("--step", "0.1", "--order", "3"), "order must be 1, 2 or 4, not 3"),
        (("--step", "0.1", "--friction", "-1"), "friction must be a finite number, at least 0, not -1.0"),
        (("--step", "0.1", "--dry-friction", "2:1"), "dry friction must be COULOMB or COULOMB:BREAKAWAY, numbers of "),
        (("--dry-friction", "1"), "dry friction must be integrated in fixed steps, not in adaptive ones: give a step"),
        (("--step", "0.1", "--profile", "fall"), "profile must be free, "),
        (("--step", "0.1", "--profile", "none.csv"), "none.csv: profile must be a readable file"),
        (("--step", "0.1", "--state", "none.json"), "none.json: state must be a readable file"),
        (("--step", "0.1", "--strip", "0,1.1"), "--strip must have times from 0 to 1 s, not 1.1 s"),
        (("--step", "0.1", "--strip", "-1"), "--strip must have times from 0 to 1 s, not -1 s"),
        (("--step", "0.1", "--strip", "nan"), "must be one to twelve times such as 0,2.5,5 or 0,50ms, not 'nan'"),
        (("--step", "0.1", "--timing", "never"), "argument --timing: invalid choice: 'never'"),
        (("--step", "0.1", "--option", "a=b"), "unknown option 'a' of wong-mesh"),
    ],
)
def test_bad_input_is_one_line(capsys, tmp_path, words, message):
    assert message in refused(capsys, tmp_path / "m", *words)


def test_robots_that_cannot_be_moved_so(capsys, tmp_path):
    folder = tmp_path / "m"
    words = ("--step", "0.01", "--duration", "0.02")
    assert "hwang takes no branching joints" in refused(capsys, folder, *words, scheme="hwang", robot="torso")
    err = refused(capsys, folder, *words, "--profile", "excavator:joint", robot="puma600")
    assert "must drive the robot excavator, not puma600" in err
    assert "--out must name a folder, not nothing" in move(capsys, "", *words)[2]


def test_a_singular_start_is_named(capsys, tmp_path):
    robot, state = tmp_path / "ball.toml", tmp_path / "state.json"
    robot.write_text('[[body]]\nname = "ball"\nkind = "spherical"\nmass = 2\ninertia = [1, 2, 2.5]\n')
    state.write_text(json.dumps({"q": [0.3, math.pi / 2, 0.2], "qd": [0, 0, 0], "tau": [0, 0, 0]}))
    err = refused(capsys, tmp_path / "m", "--step", "0.01", "--state", state, robot=robot)
    assert "has a motion of joints 'ball.rz' and 'ball.rx' that moves no mass" in err


def test_folders_that_cannot_be(capsys, tmp_path):
    (tmp_path / "file").write_text("x")
    words = ("--step", "0.01", "--duration", "0.02")
    for folder in (tmp_path / "file", "/proc/none"):
        status, out, err = move(capsys, folder, *words)
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        assert "cannot write " in err or "Error: " in err
    (tmp_path / "m" / "motion.csv").mkdir(parents=True)
    assert "must be a regular file" in move(capsys, tmp_path / "m", *words, "--force")[2]


def test_nothing_is_left_where_nothing_was_computed(capsys, tmp_path):
    words = ("--profile", "excavator:joint", "--step", "0.01", "--duration", "0.02")
    status, _, err = move(capsys, tmp_path, *words, scheme="branch-parallel", robot="excavator")
    assert status == 2
    assert "a scheme must have a host" in err
    assert names_in(tmp_path) == []


# Divergence, interruption


@pytest.mark.parametrize("timing", ["steady", "every"])
def test_a_motion_that_leaves_its_profile_diverged(capsys, tmp_path, timing):
    """The torso needs steps of 0.001 s, as the thesis remarks; with 0.05 s it is lost soon."""
    words = ("--profile", "cycloid:5", "--step", "0.05", "--timing", timing)
    status, out, err = move(capsys, tmp_path, *words, robot="torso", scheme="one-wong")
    assert (status, out) == (2, "")
    last = err.splitlines()[-1]
    assert last.startswith("meshsim: error: the motion diverged: joint '")
    assert "is more than 1 rad (or m) from its profile at t = " in last
    assert f"what was computed, up to t = 2.05 s, is in {tmp_path / 'motion.csv'}" in last
    assert names_in(tmp_path) == ["motion.csv"]
    numbers = [float(row[key]) for row in rows_of(tmp_path / "motion.csv") for key in ("q", "qd", "qdd", "tau")]
    assert np.isfinite(numbers).all()


@pytest.mark.slow
def test_the_torso_with_steps_of_a_hundredth(capsys, tmp_path):
    words = ("--profile", "cycloid:5", "--step", "0.01")
    status, out, err = move(capsys, tmp_path, *words, robot="torso")
    assert (status, out) == (2, "")
    assert "the motion diverged: joint 'upper_arm_1' is more than 1 rad (or m) from its profile at t = 4.42 s; " in err
    assert "inf" not in (tmp_path / "motion.csv").read_text()
    assert "nan" not in (tmp_path / "motion.csv").read_text()


def test_numbers_that_overflow_diverge(capsys, tmp_path):
    table = tmp_path / "huge.csv"
    table.write_text("t,joint1,joint2\n0,1e300,-1e300\n1,0,0\n")
    status, _, err = move(capsys, tmp_path / "m", "--profile", table, "--step", "0.01")
    assert status == 2
    assert "is nowhere by t = 0.01 s" in err


def start(folder, *words):
    words = ["simulate", "wong-mesh", "--robot", "puma600", "--machine", "t800", "--out", str(folder), *words]
    command = [sys.executable, "-m", "meshsim.experiments.cli.entry", *words]
    group = {"cwd": ROOT, "stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **group, start_new_session=True)


@pytest.mark.parametrize(
    ("how", "timing"), [(signal.SIGINT, "every"), pytest.param(signal.SIGTERM, "steady", marks=pytest.mark.slow)]
)
def test_an_interrupt_keeps_what_was_computed(tmp_path, how, timing):
    process = start(tmp_path, "--profile", "cycloid:10", "--step", "0.0001", "--timing", timing)
    table = tmp_path / "motion.csv"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (table.exists() and table.read_text().count("\n") > 60):
        time.sleep(0.05)
    os.killpg(process.pid, how)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    rows = rows_of(table)
    last = err.splitlines()[-1]
    told = [rows[i]["t"] for i in (-1, -7)]  # an interrupt may fall between a step's rows and the note of it
    assert any(last.startswith(f"meshsim: interrupted; what was computed, up to t = {t} s, is in ") for t in told)
    assert len(rows) >= 60
    assert len(rows) % 6 == 0
    assert all(float(row["qdd"]) is not None for row in rows)


def test_a_kill_keeps_whole_rows(tmp_path):
    process = start(tmp_path, "--profile", "cycloid:10", "--step", "0.0001")
    table = tmp_path / "motion.csv"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (table.exists() and table.read_text().count("\n") > 60):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert table.read_text().endswith("\n")
    assert len(rows_of(table)) % 6 == 0


def test_rows_are_on_disk_as_soon_as_a_step_is_known(tmp_path):
    mechanism = chain(2, 1)
    motion = load_profile("free", mechanism).motion(mechanism, 0.1)
    path = tmp_path / "motion.csv"
    with Recorder(path, motion, load_profile("free", mechanism)) as recorder:
        recorder.watch(0, 1, Sample(0.0, 0.1, 0.2, 0.3, 0.4))
        assert recorder.last is None
        recorder.watch(0, 0, Sample(0.0, 0.5, 0.6, 0.7, 0.8))
        assert recorder.last == 0.0
        assert [list(row.values()) for row in rows_of(path)] == [
            ["0", "joint1", "0.5", "0.6", "0.7", "0.8"],
            ["0", "joint2", "0.1", "0.2", "0.3", "0.4"],
        ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "steps", "seconds"),
    [(("--step", "0.01", "--timing", "every"), 1000, 120), (("--step", "0.002"), 5000, 60)],
)
def test_long_motions_take_a_minute_or_two(capsys, tmp_path, words, steps, seconds):
    began = time.monotonic()
    answer = move_json(capsys, tmp_path, "--profile", "cycloid:10", *words, robot="puma600")
    assert time.monotonic() - began < seconds
    assert answer["steps"] == steps
    assert answer["steady"] is (steps == 5000)
