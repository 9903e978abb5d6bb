"""`meshsim closed` and `meshsim compare --closed`: what they print and write, what they refuse, and what they keep."""

import csv
import json
import math
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from meshsim.experiments.studies.compare_loops import COLUMNS, Point, link_costs, study
from tools.command import call, run_json
from tools.loops import linkage
from tools.paths import EXAMPLES, ROOT

from meshsim.algorithms.reference.loops import constrained_dynamics
from meshsim.algorithms.robots import closed_catalogue as robots
from meshsim.algorithms.robots.closure import assemble
from meshsim.algorithms.robots.linkages import four_bar, three_rrr
from meshsim.errors import MeshSimError
from meshsim.experiments.studies import compare_loops as closed_compare

FOUR_BAR = ("--robot", "four-bar", "--machine", "ideal")
EVALUATION_KEYS = [
    "method", "robot", "machine", "network", "distribution", "settings", "processors", "ticks", "time_us",
    "one_processor_us", "exchanges", "messages", "words", "operations", "joints", "actuated", "q", "qd", "qdd", "error",
]  # fmt: skip
MOTION_KEYS = [
    *EVALUATION_KEYS, "steps", "step_s", "rtol", "evaluations", "restarts", "largest_constraint_error", "us_per_step",
    "final", "largest_error",
]  # fmt: skip


def rows_of(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def is_png(path):
    return path.read_bytes().startswith(b"\x89PNG")


# One evaluation


def test_an_evaluation_as_an_object(capsys):
    words = ("closed", "projection", "--robot", "3rrr", "--machine", "t800", "--network", "star")
    answer = run_json(capsys, *words, "--distribution", "partly", "--option", "sigma=5")
    assert list(answer) == EVALUATION_KEYS
    assert (answer["method"], answer["robot"], answer["machine"]) == ("projection", "3rrr", "t800")
    assert (answer["network"], answer["distribution"], answer["processors"]) == ("star", "partly", 4)
    assert answer["settings"]["sigma"] == 5.0
    assert (answer["time_us"], answer["one_processor_us"]) == (773.6, 1120.5)
    assert (answer["exchanges"], answer["messages"], answer["words"]) == (2, 12, 102)
    assert answer["actuated"] == ["proximal1", "proximal2", "proximal3"]
    assert answer["q"] == assemble(three_rrr()).tolist()
    assert answer["error"] < 1e-10


@pytest.mark.parametrize("method", ["penalty", "projection", "denoc", "multipliers"])
def test_torques_reach_the_evaluation(capsys, method):
    answer = run_json(capsys, "closed", method, *FOUR_BAR, "--drive", "-3.5")
    wanted = constrained_dynamics(four_bar(), assemble(four_bar()), np.zeros(3), (-3.5, 0.0, 0.0))[0]
    assert (answer["network"], answer["distribution"], answer["exchanges"]) == ("one", None, 0)
    assert answer["error"] < 1e-10
    if method != "penalty":  # at first its springs pull at nothing
        assert answer["qdd"] == pytest.approx(wanted.tolist(), rel=1e-10)


def test_an_evaluation_tells_people(capsys):
    words = ("--robot", "3rrr", "--machine", "t800", "--network", "star")
    status, out, err = call(capsys, "closed", "denoc", *words)
    assert (status, err) == (0, "")
    assert out.startswith("denoc, star, partly: 3rrr on t800, 4 processors\n")
    assert "\nproximal1*" in out
    assert "an evaluation takes 679.0 us; on one processor 1413.0 us" in out
    assert "2.08 times as fast; 3 exchanges, 18 messages, 114 words" in out
    assert "largest difference from a dense solver: " in out
    status, out, _ = call(capsys, "closed", "multipliers", *FOUR_BAR)
    assert status == 0
    assert "an evaluation takes 165.5 us\n" in out
    assert "exchanges" not in out


# A motion


def test_a_motion_and_its_files(capsys, tmp_path):
    words = ("--network", "star", "--step", "0.01", "--duration", "0.1", "--out", tmp_path / "moved")
    status, out, _ = call(capsys, "closed", "projection", *FOUR_BAR, *words)
    assert status == 0
    assert out.startswith("projection, gauss, star, full: four-bar on ideal\n")
    assert "10 steps of 0.01 s, 40 evaluations\n" in out
    assert re.search(r"^a step takes [\d.]+ us, its integration and messages included: in real time$", out, re.M)
    names = ["motion.csv", "motion.json", "motion.png", "skeleton.png"]
    assert out.endswith(f"files: {', '.join(str(tmp_path / 'moved' / name) for name in names)}\n")
    assert sorted(path.name for path in (tmp_path / "moved").iterdir()) == sorted([*names, "settings.json"])
    rows = rows_of(tmp_path / "moved" / "motion.csv")
    assert list(rows[0]) == ["t", "joint", "q", "qd", "constraint_error"]
    assert [row["joint"] for row in rows] == ["crank", "coupler", "rocker"] * 11
    assert [float(row["t"]) for row in rows[::3]] == pytest.approx([0.01 * k for k in range(11)])
    summary = json.loads((tmp_path / "moved" / "motion.json").read_text())
    assert list(summary) == MOTION_KEYS
    assert summary["final"]["q"] == [float(row["q"]) for row in rows[-3:]]
    assert (summary["steps"], summary["step_s"], summary["rtol"], summary["evaluations"]) == (10, 0.01, None, 40)
    assert summary["largest_constraint_error"] == max(float(row["constraint_error"]) for row in rows)
    assert all(is_png(tmp_path / "moved" / name) for name in names[2:])


def test_a_motion_that_is_wanted_is_compared(capsys, tmp_path):
    words = ("--robot", "3rrr", "--machine", "t800", "--drive", "cycloid:0.5:20", "--rtol", "1e-8")
    words = (*words, "--duration", "0.5", "--out", tmp_path, "--json")
    status, out, _ = call(capsys, "closed", "denoc", *words)
    assert status == 0
    answer = json.loads(out)
    assert list(answer) == MOTION_KEYS
    assert (answer["step_s"], answer["rtol"], answer["us_per_step"]) == (None, 1e-8, None)
    assert max(answer["largest_error"]) < 1e-5
    turned = np.array(answer["final"]["q"])[[0, 2, 4]] - np.array(answer["q"])[[0, 2, 4]]
    assert turned == pytest.approx([math.radians(20.0)] * 3, abs=1e-5)
    assert answer == json.loads((tmp_path / "motion.json").read_text())


def test_steps_that_are_too_slow_for_real_time_are_told(capsys, tmp_path):
    words = ("--robot", "3rrr", "--machine", "t800", "--step", "0.001", "--duration", "0.002", "--out", tmp_path)
    status, out, _ = call(capsys, "closed", "projection", *words)
    assert status == 0
    assert "too slow for real time" in out


PARALLELOGRAM = """
name = "parallelogram"
actuated = ["left"]
guess = { left = 0.5, coupler = -0.5, right = 0.5 }

[[body]]
name = "left"
twist = 1.5707963267948966
mass = 1
com = [0.5, 0, 0]
inertia = [0.05, 0.05, 0.09]

[[body]]
name = "coupler"
parent = "left"
position = [1, 0, 0]
mass = 1
com = [1, 0, 0]
inertia = [0.2, 0.2, 0.35]

[[body]]
name = "right"
position = [2, 0, 0]
twist = 1.5707963267948966
mass = 1
com = [0.5, 0, 0]
inertia = [0.05, 0.05, 0.09]

[[loop]]
name = "pin"
first = "coupler"
first_position = [2, 0, 0]
second = "right"
second_position = [1, 0, 0]
"""


def test_a_singular_position_is_told_and_what_was_computed_is_kept(capsys, tmp_path):
    robot, folder = tmp_path / "parallelogram.toml", tmp_path / "out"
    robot.write_text(PARALLELOGRAM)
    words = ("--robot", robot, "--machine", "ideal", "--step", "0.001", "--duration", "1", "--out", folder)
    status, out, err = call(capsys, "closed", "denoc", *words)
    assert (status, out) == (2, "")
    form = (
        r"meshsim: error: parallelogram came to a singular position at t = (0\.\d+) s: the loop through 'pin' has a "
        r"condition number of at least [\d.e+]+, and the actuated joints no longer tell what the others do; "
        rf"what was computed, up to t = (0\.\d+) s, is in {re.escape(str(folder / 'motion.csv'))}"
    )
    match = re.fullmatch(form, err.splitlines()[-1])
    assert match is not None
    rows = rows_of(folder / "motion.csv")
    assert rows[-1]["t"] == match[2]
    assert 0.0 <= float(match[1]) - float(match[2]) <= 0.001
    assert len(rows) == 3 * (round(float(match[2]) / 0.001) + 1)
    assert sorted(path.name for path in folder.iterdir()) == ["motion.csv", "settings.json"]


def test_springs_that_fly_apart_are_told(capsys, tmp_path):
    words = ("--option", "k=1e6", "--step", "0.02", "--duration", "1", "--out", tmp_path)
    status, out, err = call(capsys, "closed", "penalty", *FOUR_BAR, *words)
    assert (status, out) == (2, "")
    form = r"meshsim: error: penalty diverged at t = [\d.]+ s; smaller steps, or softer springs, may help; what was .*"
    assert re.fullmatch(form, err.splitlines()[-1])
    assert len(rows_of(tmp_path / "motion.csv")) >= 3


# Refusals


def missing_folder(tmp_path):
    (tmp_path / "file").write_text("")
    return tmp_path / "file" / "folder"


REFUSED = [
    (
        ("springs", *FOUR_BAR),
        "unknown method 'springs' of closed dynamics; known: penalty, projection, denoc, multipliers, mesh",
    ),
    (("penalty", *FOUR_BAR, "--network", "ring"), "penalty runs on one or star or complete, not on 'ring'"),
    (("multipliers", *FOUR_BAR, "--network", "star"), "multipliers runs on one, not on 'star'"),
    (("denoc", *FOUR_BAR, "--network", "star", "--distribution", "full"), "denoc is distributed partly, not 'full'"),
    (("denoc", *FOUR_BAR, "--distribution", "hardly"), "distribution must be full or partly, not 'hardly'"),
    (("penalty", *FOUR_BAR, "--option", "sigma=1"), "unknown option 'sigma' of penalty; known: k, d"),
    (("penalty", *FOUR_BAR, "--option", "k=nan"), "k must be a finite number, at least 0, not 'nan'"),
    (("projection", *FOUR_BAR, "--option", "sigma=-1"), "sigma must be a finite number, at least 0, not '-1'"),
    (("projection", *FOUR_BAR, "--option", "technique=guess"), "technique must be gauss or qr, not 'guess'"),
    (("penalty", *FOUR_BAR, "--duration", "0"), "--duration must be a positive number of seconds, not 0.0"),
    (("penalty", *FOUR_BAR, "--duration", "nan"), "--duration must be a positive number of seconds, not nan"),
    (("penalty", *FOUR_BAR, "--step", "0"), "step must be a positive number, not 0.0"),
    (("penalty", *FOUR_BAR, "--step", "-0.1"), "step must be a positive number, not -0.1"),
    (
        ("penalty", *FOUR_BAR, "--duration", "1", "--step", "0.3"),
        "duration must be a whole number of steps of 0.3 s, not 1 s",
    ),
    (("penalty", *FOUR_BAR, "--duration", "1", "--rtol", "0"), "rtol must be a positive number, not 0.0"),
    (
        ("penalty", *FOUR_BAR, "--duration", "1", "--rtol", "1e-20"),
        "rtol must be at least 1e-13, not 1e-20: rounding leaves no more",
    ),
    (("penalty", *FOUR_BAR, "--duration", "1", "--out", ""), "--out must name a folder, not nothing"),
    (
        ("penalty", *FOUR_BAR, "--drive", "1,2"),
        "drive must be own, a torque for each actuated joint (6 or 1,0,-2), or cycloid:SECONDS[:DEGREES[:METRES]], and "
        "four-bar has 1 actuated joints, not '1,2'",
    ),
    (
        ("penalty", *FOUR_BAR, "--drive", "inf"),
        "drive must be own, a torque for each actuated joint (6 or 1,0,-2), or cycloid:SECONDS[:DEGREES[:METRES]], and "
        "four-bar has 1 actuated joints, not 'inf'",
    ),
]


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=[" ".join(words[:1] + words[5:]) for words, _ in REFUSED])
def test_refusals(capsys, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    assert call(capsys, "closed", *words) == (2, "", f"meshsim: error: {message}\n")
    assert list(tmp_path.iterdir()) == []


def refused(capsys, *words):
    """The one line of a refusal."""
    status, out, err = call(capsys, *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err


def test_a_folder_that_cannot_be_written(capsys, tmp_path):
    folder = missing_folder(tmp_path)
    line = refused(capsys, "closed", "penalty", *FOUR_BAR, "--duration", "0.1", "--out", folder)
    assert line.startswith(f"meshsim: error: cannot write '{folder / 'motion.csv'}': ")


def test_a_drive_that_breaks_the_loop(capsys):
    """A turn so large that no angle is left of it."""
    line = refused(capsys, "closed", "penalty", *FOUR_BAR, "--drive", "cycloid:1:1e308")
    assert line.startswith("meshsim: error: four-bar cannot be assembled near the guess: the loop through 'pin' stays ")


def test_robots_without_loops(capsys, tmp_path):
    known = ", ".join(robots.LINKAGES)
    form = f"robot with loops must be one of {known} or the path of a TOML file with [[loop]] tables, not "
    for robot in ("puma600", "chain:3", "excavator", "docs/examples/arm.urdf"):
        line = refused(capsys, "closed", "penalty", "--robot", robot, "--machine", "ideal")
        assert line == f"meshsim: error: {form}{robot!r}\n"
        assert (
            refused(capsys, "compare", "--closed", "--robots", robot, "--machines", "ideal", "--out", tmp_path) == line
        )
    line = refused(capsys, "closed", "penalty", "--robot", EXAMPLES / "crane.toml", "--machine", "ideal")
    assert "loop" in line


@pytest.mark.parametrize("robot", ["four-bar", "3rrr"])
def test_robots_with_loops_are_sent_on(capsys, robot):
    simulate = ("simulate", "one-wong", "--profile", "cycloid:1", "--step", "0.01")
    for words in (("run", "one-wong"), simulate):
        line = refused(capsys, *words, "--robot", robot, "--machine", "ideal")
        assert line == (
            f"meshsim: error: robot must be a tree, not '{robot}', which has loops: `meshsim closed` takes it\n"
        )


# Comparison

SMALL = ("--robots", "four-bar", "--machines", "ideal,t800", "--duration", "0.1", "--goal", "0.01", "--jobs", "1")


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """The folder of a comparison, and what it printed."""
    folder = tmp_path_factory.mktemp("compared")
    words = ["-m", "meshsim.experiments.cli.entry", "compare", "--closed", *SMALL, "--out", str(folder)]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return folder, done.stdout


def test_a_comparison_and_its_files(compared):
    folder, out = compared
    names = ["closed.csv", "four-bar-evaluation.png", "four-bar-startup-t800.png", "rows.jsonl", "settings.json"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert all(is_png(folder / name) for name in names if name.endswith(".png"))
    rows = rows_of(folder / "closed.csv")
    assert list(rows[0]) == list(COLUMNS)
    assert len(rows) == 2 * (5 + 5 + 5 + 3 + 1)  # penalty, gauss, qr, denoc, multipliers
    assert {row["goal_reached"] for row in rows} == {"True"}
    found = {
        (row["method"], row["technique"], row["network"], row["distribution"], row["machine"]): row for row in rows
    }
    star = found["penalty", "", "star", "partly", "t800"]
    assert (star["processors"], star["exchanges"], star["messages"], star["words"]) == ("2", "1", "2", "6")
    assert float(star["time_us"]) == 146.5
    assert float(star["speedup"]) == pytest.approx(164.5 / 146.5)
    assert float(star["time_to_goal_ms"]) == pytest.approx(146.5e-3 * int(star["evaluations"]))
    assert found["projection", "gauss", "one", "", "ideal"]["k"] == ""
    assert float(found["penalty", "", "one", "", "ideal"]["k"]) in closed_compare.STIFFNESSES
    assert all(float(row["joint_error"]) <= 0.01 for row in rows)
    assert out.startswith("four-bar: joints within 0.01 after 0.1 s\n")
    assert f"table: {folder / 'closed.csv'}\n" in out
    assert out.count("four-bar on t800: ") == 4
    assert "four-bar on t800: penalty, star, partly: one processor is faster once a start-up costs more than " in out


def test_a_comparison_goes_on_where_it_was(compared, capsys):
    """Nothing is computed again, and all is the same."""
    folder, out = compared
    table, journal = (folder / "closed.csv").read_bytes(), (folder / "rows.jsonl").read_text()
    status, again, err = call(capsys, "compare", "--closed", *SMALL, "--out", folder)
    assert (status, again) == (0, out)
    assert "compare: 5 of 5 were finished before" in err
    assert (folder / "closed.csv").read_bytes() == table
    lines = journal.splitlines(keepends=True)
    (folder / "rows.jsonl").write_text("".join(lines[:-2]) + lines[-2][:20])  # as a kill leaves it
    status, again, err = call(capsys, "compare", "--closed", *SMALL, "--out", folder)
    assert (status, again) == (0, out)
    assert "compare: 3 of 5 were finished before" in err
    assert (folder / "closed.csv").read_bytes() == table


def test_another_comparison_in_the_same_folder_is_refused(compared, capsys):
    folder, _ = compared
    words = ("compare", "--closed", *SMALL[:-4], "--goal", "0.02", "--out", folder)
    assert "another" in refused(capsys, *words)


def test_refused_comparisons(capsys, tmp_path):
    base = ("compare", "--closed", "--robots", "four-bar", "--machines", "ideal", "--out", tmp_path / "out")
    for words, message in (
        (("--goal", "0"), "goal must be a positive number, not 0.0"),
        (("--goal", "nan"), "goal must be a positive number, not nan"),
        (("--duration", "-1"), "duration must be a positive number, not -1.0"),
        (("--jobs", "0"), "--jobs must be a positive integer, not 0"),
    ):
        assert refused(capsys, *base, *words) == f"meshsim: error: {message}\n"
    assert not (tmp_path / "out").exists()
    twice = refused(capsys, "compare", "--closed", "--robots", "four-bar,four-bar", "--machines", "ideal")
    assert "must be different names" in twice


def test_a_method_that_never_gets_to_the_end_is_told_of(monkeypatch):
    """It was left out without a word."""

    def stuck(method, *_):
        raise MeshSimError(f"{method.name} is stuck")

    monkeypatch.setattr(closed_compare, "integrate", stuck)
    found = study(Point("four-bar", "penalty", "", 0.01, 0.1))
    assert found == {"refused": "penalty did not get to the end whatever was set: penalty is stuck"}


def test_a_goal_that_is_not_reached(capsys, monkeypatch, tmp_path):
    """Springs as soft as the softest, and a goal that they cannot reach."""
    monkeypatch.setattr(closed_compare, "STIFFNESSES", (1e3,))
    monkeypatch.setattr(closed_compare, "METHODS", {"penalty": closed_compare.METHODS["penalty"]})
    words = ("--robots", "four-bar", "--machines", "ideal", "--duration", "0.1", "--goal", "1e-9", "--jobs", "1")
    status, out, _ = call(capsys, "compare", "--closed", *words, "--out", tmp_path)
    assert status == 0
    rows = rows_of(tmp_path / "closed.csv")
    assert {(row["goal_reached"], row["time_to_goal_ms"]) for row in rows} == {("False", "")}
    assert out.splitlines()[2].endswith(" not")


def test_from_which_link_cost_on_one_processor_is_faster():
    """The verdict holds: at its start-up several processors are no slower, a tick beyond they are."""
    from meshsim.experiments.studies.machines import known_machine
    from meshsim.sensitivity import with_parameters

    machine = known_machine("t800")
    comparison = closed_compare.ClosedComparison(("3rrr",), (machine,))
    lines = link_costs(comparison)
    assert len(lines) == 4
    form = r"3rrr on t800: denoc, star, partly: one processor is faster once a start-up costs more than ([\d.]+) us .*"
    (match,) = filter(None, (re.fullmatch(form, line) for line in lines))
    limit = round(float(match[1]) / machine.microseconds(1))
    point = Point("3rrr", "denoc", "", 1e-3, 1.0)
    one, star, _ = closed_compare.cases(point)
    for startup, slower in ((limit, False), (limit + 1, True)):
        dear = with_parameters(machine, startup=startup)
        ticks = [case.plan().run(dear, trace=False).ticks for case in (one, star)]
        assert (ticks[1] > ticks[0]) is slower


# Interrupts


def begin(folder, *words):
    code = f"import sys; sys.argv = ['meshsim', *{list(words)!r}, '--out', {str(folder)!r}]; "
    code += "from meshsim.experiments.cli.entry import main; sys.exit(main())"
    group = {"cwd": ROOT, "stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", code], **group, start_new_session=True)


def stop_after(process, path, lines, how):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (path.exists() and path.read_text().count("\n") > lines):
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, how)
    return process.communicate(timeout=60)


MOVING = ("closed", "penalty", *FOUR_BAR, "--option", "k=1e6", "--duration", "10", "--rtol", "1e-10")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_was_computed(tmp_path, how):
    process = begin(tmp_path, *MOVING)
    out, err = stop_after(process, tmp_path / "motion.csv", 60, how)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    rows = rows_of(tmp_path / "motion.csv")
    assert len(rows) >= 60
    assert len(rows) % 3 == 0
    match = re.fullmatch(
        r"meshsim: interrupted; what was computed, up to t = (\S+) s, is in (.*)", err.splitlines()[-1]
    )
    assert match is not None
    told = [float(rows[i]["t"]) for i in (-1, -4)]  # an interrupt may fall between a step's rows and the note of it
    assert any(float(match[1]) == pytest.approx(t, rel=1e-5) for t in told)
    assert match[2] == str(tmp_path / "motion.csv")


def test_a_kill_keeps_whole_steps(tmp_path):
    process = begin(tmp_path, *MOVING)
    stop_after(process, tmp_path / "motion.csv", 60, signal.SIGKILL)
    text = (tmp_path / "motion.csv").read_text()
    assert text.endswith("\n")
    assert len(rows_of(tmp_path / "motion.csv")) % 3 == 0


def test_an_interrupted_comparison_keeps_what_is_finished(tmp_path):
    """The four-bar is quick, the 3-PRR's springs are not."""
    words = ("compare", "--closed", "--robots", "four-bar,3prr", "--machines", "ideal", "--jobs", "1")
    process = begin(tmp_path, *words, "--duration", "0.5", "--goal", "0.01")
    _, err = stop_after(process, tmp_path / "rows.jsonl", 0, signal.SIGINT)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert err.endswith("the same command goes on from there\n")
    assert (tmp_path / "rows.jsonl").read_text().count("\n") >= 1
    assert not (tmp_path / "closed.csv").exists()


def test_helpers_are_mechanisms():
    """The linkage that tests build is the one that is built in, if it is as long."""
    same = linkage("four-bar", (3.0, 1.0, 4.0, 2.5), four_bar().guess)
    assert same == four_bar()


def test_a_motion_starts_where_it_is_wanted(capsys, tmp_path):
    """Saha's fall of the five-bar, which stops after about 1.4 s with pivots 1.16 m apart."""
    words = ("closed", "denoc", "--robot", "five-bar:1.16:down", "--machine", "t800", "--drive", "0,0")
    words += ("--start", "1.3963,1.2217", "--duration", "3", "--out", str(tmp_path / "fall"))
    status, out, err = call(capsys, *words)
    assert (status, out) == (2, "")
    assert "came to a singular position at t = 1.40" in err
    assert (tmp_path / "fall" / "motion.csv").read_text().count("\n") > 50


@pytest.mark.parametrize("start", ["1", "1,2,3", "a,b", "nan,1", ""])
def test_a_start_must_have_a_number_for_each_actuated_joint(capsys, start):
    words = ("closed", "denoc", "--robot", "five-bar", "--machine", "t800", "--start", start)
    status, out, err = call(capsys, *words)
    assert (status, out) == (2, "")
    assert err == (f"meshsim: error: --start must be 2 finite numbers, one for each actuated joint, not {start!r}\n")


def test_what_cannot_be_run_is_told_where_it_is_shown(capsys):
    words = ("closed", "projection", "--robot", "3rrr", "--machine", "t800")
    err = call(capsys, *words, "--option", "technique=svd")[2]
    assert err == (
        "meshsim: error: technique must be gauss or qr, not 'svd'; the recipe by singular values is shown in "
        "meshsim reproduce khan-fig-4.8\n"
    )
    err = call(capsys, *words, "--network", "star", "--distribution", "full", "--duration", "1")[2]
    assert err.startswith("meshsim: error: projection, fully distributed, must have fixed steps: ")


@pytest.mark.parametrize(
    ("words", "form"),
    [
        (("inverse", "noc", *FOUR_BAR, "--motion", "cycloid:1e-160"), "must be finite"),
        (("closed", "multipliers", *FOUR_BAR, "--drive", "cycloid:1e-110"), "must be finite|neither so short"),
        (("closed", "multipliers", *FOUR_BAR, "--drive", "cycloid:1e300"), "must be finite|nor so long"),
        (("closed", "multipliers", *FOUR_BAR, "--drive", "1e308"), "must be finite"),
        (("closed", "multipliers", *FOUR_BAR, "--step", "1e-300"), "duration must be at most 1000000 steps"),
    ],
)
def test_numbers_that_cannot_be_computed_with(capsys, tmp_path, words, form):
    status, out, err = call(capsys, *words, "--out", str(tmp_path / "out"))
    assert (status, out) == (2, "")
    last = err.splitlines()[-1]
    assert last.startswith("meshsim: error: ")
    assert re.search(form, last)
    assert "Traceback" not in err
    assert "Warning" not in err


def test_a_list_that_begins_with_a_minus(capsys):
    words = ("closed", "multipliers", "--robot", "3rrr", "--machine", "t800")
    status, _, err = call(capsys, *words, "--drive", "-1,0,2")
    assert status == 2
    assert "one that begins with a minus is written with =" in err
    assert call(capsys, *words, "--drive=-1,0,2")[0] == 0


def test_a_folder_holds_one_motion_only(capsys, tmp_path):
    words = ("closed", "denoc", "--robot", "five-bar:1.16:down", "--machine", "t800", "--drive", "0,0")
    words += ("--start", "1.3963,1.2217", "--out", str(tmp_path))
    assert call(capsys, *words, "--duration", "0.1")[0] == 0
    assert (tmp_path / "motion.png").exists()
    assert "holds other work" in call(capsys, *words, "--duration", "3")[2]
    assert call(capsys, *words, "--duration", "3", "--force")[0] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["motion.csv", "settings.json"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--closed", "--schemes", "wong-mesh"), "--schemes must not be given with --closed"),
        (("--closed", "--n", "2"), "--n must not be given with --closed"),
        (("--robots", "four-bar"), "--robots must be given with --closed"),
        (("--goal", "1"), "--goal must be given with --closed"),
    ],
)
def test_options_of_the_other_comparison_are_refused(capsys, words, message):
    status, out, err = call(capsys, "compare", *words)
    assert (status, out, err) == (2, "", f"meshsim: error: {message}\n")
