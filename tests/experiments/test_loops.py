"""Robots with loops through the verbs: what `run` and `simulate` print and write, what they refuse, what they keep."""

import csv
import json
import math
import re
import signal

import numpy as np
import pytest
from tools.command import begin, call, run_json, stop_after

from meshsim.algorithms.reference.loops import constrained_dynamics
from meshsim.algorithms.robots.closure import assemble
from meshsim.algorithms.robots.linkages import four_bar, three_rrr

FOUR_BAR = ("--robot", "four-bar", "--machine", "ideal")
STAR = ("--option", "layout=star")
OWN = ("--profile", "own")


def rows_of(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def is_png(path):
    return path.read_bytes().startswith(b"\x89PNG")


# One evaluation


def test_an_evaluation_as_an_object(capsys):
    words = ("run", "projection", "--robot", "3rrr", "--machine", "t800", *STAR, *OWN)
    answer = run_json(capsys, *words, "--option", "distribution=partly", "--option", "sigma=5")
    assert (answer["scheme"], answer["robot"], answer["machine"]) == ("projection", "3rrr", "t800")
    assert answer["options"] == {"layout": "star", "distribution": "partly", "sigma": "5", "technique": "gauss"}
    assert (answer["processors"], answer["time_us"], answer["one_processor_us"]) == (4, 773.6, 1120.5)
    assert (answer["exchanges"], answer["messages"], answer["words"]) == (2, 12, 102)
    assert answer["phases"] == {"exchange 1": 4054, "exchange 2": 7736, "solve": 7736}
    assert answer["actuated"] == ["proximal1", "proximal2", "proximal3"]
    assert answer["q"] == assemble(three_rrr()).tolist()
    assert answer["error"]["qdd"] < 1e-10
    assert answer["sensitivity"]["startup"]["up"] > 0


@pytest.mark.parametrize("scheme", ["penalty", "projection", "denoc", "multipliers", "wong-mesh-loops"])
def test_torques_reach_the_evaluation(capsys, scheme):
    answer = run_json(capsys, "run", scheme, *FOUR_BAR, "--profile=-3.5")
    wanted = constrained_dynamics(four_bar(), assemble(four_bar()), np.zeros(3), (-3.5, 0.0, 0.0))[0]
    assert answer["error"]["qdd"] < 1e-10
    if scheme != "penalty":  # at first its springs pull at nothing
        assert answer["qdd"] == pytest.approx(wanted.tolist(), rel=1e-10)


def test_an_evaluation_for_people(capsys):
    words = ("--robot", "3rrr", "--machine", "t800", *STAR, *OWN)
    status, out, err = call(capsys, "run", "denoc", *words)
    assert (status, err) == (0, "")
    assert out.startswith(
        "denoc computes 3rrr in 632.0 us on 4 t800 processors, 52 % busy; "
        "critical path: 81 % arithmetic, 19 % messages.\n"
        "options: layout=star, recursion=composite\n"
    )
    assert "\nexchange 3            6320       632.0\n" in out
    assert "\nproximal1*" in out
    assert "accelerations of all joints follow from the independent ones, which the processors computed." in out
    assert "on one processor 1326.0 us: this is 2.10 times as fast, with 3 exchanges\n" in out
    status, out, _ = call(capsys, "run", "multipliers", *FOUR_BAR, *OWN)
    assert status == 0
    assert "= 165.5 us;" in out
    assert "every number above was computed by the simulated processor." in out
    assert "exchanges" not in out


@pytest.mark.usefixtures("in_full")
def test_a_trace_and_a_picture(capsys, tmp_path):
    files = tmp_path / "run.png", tmp_path / "run.csv"
    words = ("--robot", "3rrr", "--machine", "t800", *STAR, "--gantt", files[0], "--trace", files[1])
    assert call(capsys, "run", "denoc", *words)[0] == 0
    assert is_png(files[0])
    assert {row["kind"] for row in rows_of(files[1])} >= {"compute", "send", "receive"}


# A motion


@pytest.mark.usefixtures("in_full")
def test_a_motion_and_its_files(capsys, tmp_path):
    folder = tmp_path / "moved"
    words = (*STAR, *OWN, "--step", "0.01", "--duration", "0.1", "--out", folder)
    status, out, _ = call(capsys, "simulate", "projection", *FOUR_BAR, *words)
    assert status == 0
    assert out.startswith("projection, star: four-bar on ideal, h = 0.01 s\n")
    assert re.search(r"^10 steps of 0.01 s, 4 evaluations each, on 2 processors$", out, re.M)
    assert re.search(r"^loops stay closed to \d\.\d\de-\d\d \(m or rad\)$", out, re.M)
    assert re.search(r"^a step takes [\d.]+ us .*: in real time, by a factor of [\d.]+$", out, re.M)
    tables, pictures = ["motion.csv", "steps.csv", "motion.json"], ["positions", "skeleton", "torques", "loops"]
    names = [*tables, *(f"{name}.png" for name in pictures)]
    assert out.endswith(f"files: {', '.join(str(folder / name) for name in names)}\n")
    assert sorted(path.name for path in folder.iterdir()) == sorted([*names, "settings.json"])
    rows = rows_of(folder / "motion.csv")
    assert list(rows[0]) == ["t", "joint", "q", "qd", "qdd", "tau", "constraint_error"]
    assert [row["joint"] for row in rows] == ["crank", "coupler", "rocker"] * 11
    assert [float(row["t"]) for row in rows[::3]] == pytest.approx([0.01 * k for k in range(11)])
    assert {(row["joint"], row["tau"]) for row in rows} == {("crank", "6.0"), ("coupler", "0.0"), ("rocker", "0.0")}
    summary = json.loads((folder / "motion.json").read_text())
    assert summary["final"]["q"] == [float(row["q"]) for row in rows[-3:]]
    assert (summary["steps"], summary["step_s"], summary["rtol"], summary["evaluations"]) == (10, 0.01, None, 40)
    assert summary["largest_constraint_error"] == max(float(row["constraint_error"]) for row in rows)
    assert all(is_png(folder / f"{name}.png") for name in pictures)


def test_a_motion_that_is_wanted_is_compared(capsys, tmp_path):
    words = ("--robot", "3rrr", "--machine", "t800", "--profile", "cycloid:0.2:8", "--rtol", "1e-8")
    status, out, _ = call(capsys, "simulate", "denoc", *words, "--duration", "0.2", "--out", tmp_path, "--json")
    assert status == 0
    answer = json.loads(out)
    assert (answer["step_s"], answer["rtol"], answer["us_per_step"]) == (None, 1e-8, None)
    assert answer["time_us"] == pytest.approx(answer["us_per_evaluation"] * answer["evaluations"])
    assert max(answer["largest_error"]) < 1e-5
    turned = np.array(answer["final"]["q"])[[0, 2, 4]] - assemble(three_rrr())[[0, 2, 4]]
    assert turned == pytest.approx([math.radians(8.0)] * 3, abs=1e-5)
    assert answer == json.loads((tmp_path / "motion.json").read_text())
    assert (tmp_path / "errors.png").exists()


def test_steps_that_are_too_slow(capsys, tmp_path):
    words = ("--robot", "3rrr", "--machine", "t800", "--step", "0.001", "--duration", "0.002", "--out", tmp_path)
    status, out, _ = call(capsys, "simulate", "projection", *words)
    assert status == 0
    assert "real time allows 1000 us: too slow, by a factor of" in out


@pytest.mark.parametrize("timing", ["steady", "every"])
def test_a_step_takes_as_long_however_it_is_timed(capsys, tmp_path, timing):
    words = ("--robot", "four-bar", "--machine", "t800", *STAR, *OWN, "--step", "0.01", "--duration", "0.2")
    status, out, _ = call(capsys, "simulate", "denoc", *words, "--timing", timing, "--out", tmp_path / timing, "--json")
    assert status == 0
    answer = json.loads(out)
    assert (answer["ticks_per_step"], answer["steps_simulated"]) == (13834, 8 if timing == "steady" else 20)


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


def test_a_singular_position_ends_a_motion_and_what_was_computed_is_kept(capsys, tmp_path):
    robot, folder = tmp_path / "parallelogram.toml", tmp_path / "out"
    robot.write_text(PARALLELOGRAM)
    words = ("--robot", robot, "--machine", "ideal", "--step", "0.001", "--duration", "1", "--out", folder)
    status, out, err = call(capsys, "simulate", "denoc", *words)
    assert (status, out) == (2, "")
    form = (
        r"meshsim: error: parallelogram came to a singular position at t = (0\.\d+) s: the loop through 'pin' has a "
        r"condition number of at least [\d.e+]+, and the actuated joints no longer determine the others; "
        rf"what was computed, up to t = (0\.\d+) s, is in {re.escape(str(folder / 'motion.csv'))}"
    )
    match = re.fullmatch(form, err.splitlines()[-1])
    assert match is not None
    rows = rows_of(folder / "motion.csv")
    assert rows[-1]["t"] == match[2]
    assert 0.0 <= float(match[1]) - float(match[2]) <= 0.001
    assert len(rows) == 3 * (round(float(match[2]) / 0.001) + 1)
    assert sorted(path.name for path in folder.iterdir()) == ["motion.csv", "settings.json"]


def test_springs_that_fly_apart(capsys, tmp_path):
    words = ("--option", "k=1e6", *OWN, "--step", "0.02", "--duration", "1", "--out", tmp_path)
    status, out, err = call(capsys, "simulate", "penalty", *FOUR_BAR, *words)
    assert (status, out) == (2, "")
    form = r"meshsim: error: penalty diverged at t = [\d.]+ s; smaller steps, or softer springs, may help; what was .*"
    assert re.fullmatch(form, err.splitlines()[-1])
    assert len(rows_of(tmp_path / "motion.csv")) >= 3


# Refusals

REFUSED = [
    (("run", "springs"), "unknown scheme 'springs'; known: wong-mesh, "),
    (("run", "penalty", "--option", "layout=ring"), "option layout of penalty must be one or star or complete, not "),
    (("run", "multipliers", *STAR), "option layout of multipliers must be one, not 'star'"),
    (("run", "denoc", "--option", "distribution=full"), "unknown option 'distribution' of denoc; known: layout"),
    (
        ("run", "penalty", "--option", "sigma=1"),
        "unknown option 'sigma' of penalty; known: layout, distribution, k, d",
    ),
    (
        ("run", "penalty", "--option", "k=nan"),
        "option k of penalty must be a finite number, at least 0 (N/m), not 'nan'",
    ),
    (
        ("run", "projection", "--option", "technique=svd"),
        "option technique of projection must be gauss or qr, not 'svd'",
    ),
    (("run", "noc"), "noc computes inverse dynamics alone, for `meshsim inverse`, not accelerations"),
    (
        ("run", "one-wong"),
        "one-wong takes no loops, and joint 'pin' of four-bar closes one; dca or penalty or projection ",
    ),
    (
        ("simulate", "wong-mesh-loops", "--step", "0.1"),
        "wong-mesh-loops evaluates four-bar once and integrates no states: it cannot move it; penalty or projection",
    ),
    (("simulate", "penalty", "--duration", "0"), "duration must be a positive number of seconds, not 0.0"),
    (("simulate", "penalty", "--step", "-0.1"), "step must be a positive number of seconds, not -0.1"),
    (("simulate", "penalty", "--duration", "1", "--step", "0.3"), "duration must be a whole number of steps of 0.3 s"),
    (("simulate", "penalty", "--rtol", "0"), "rtol must be a positive number, not 0.0"),
    (("simulate", "penalty", "--rtol", "1e-20"), "rtol must be at least 1e-13, not 1e-20: rounding leaves no more"),
    (("simulate", "penalty", "--friction", "1", "--step", "0.1"), "friction must be left out of mechanisms with loops"),
    (
        ("simulate", "projection", *STAR, "--duration", "1"),
        "projection, fully distributed, must have fixed steps: no site knows the error of what all add up to",
    ),
    (
        ("simulate", "penalty", *STAR, "--option", "distribution=held", "--duration", "1"),
        "penalty, with states of others held, must have fixed steps: a site's estimate of its error leaves out what ",
    ),
    (("simulate", "penalty", "--out", ""), "--out must name a folder, not nothing"),
    (("run", "penalty", "--profile", "1,2"), "profile must be free, own"),
    (("run", "penalty", "--profile", "inf"), "profile must be free, own"),
    (("run", "penalty", "--profile", "cycloid:1:1e308"), "four-bar leaves its workspace at t = "),
    (
        ("inverse", "penalty"),
        "penalty computes accelerations alone, not torques of four-bar; denoc or noc or subsystems could take it",
    ),
]


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_refusals(capsys, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    status, out, err = call(capsys, *words, *FOUR_BAR)
    assert (status, out) == (2, "")
    assert err.startswith(f"meshsim: error: {message}")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_robot_without_loops(capsys):
    _, _, err = call(capsys, "run", "denoc", "--robot", "puma600", "--machine", "ideal")
    assert err.startswith("meshsim: error: denoc is for mechanisms with loops, and puma600 has none; wong-mesh or ")


@pytest.mark.parametrize(
    ("words", "form"),
    [
        (("inverse", "noc", *FOUR_BAR, "--profile", "cycloid:1e-160"), "must be finite"),
        (("run", "multipliers", *FOUR_BAR, "--profile", "cycloid:1e-110"), "must be finite|neither tiny"),
        (("run", "multipliers", *FOUR_BAR, "--profile", "cycloid:1e300"), "must be finite|nor huge"),
        (("run", "multipliers", *FOUR_BAR, "--profile", "1e308"), "must be finite"),
        (("simulate", "multipliers", *FOUR_BAR, "--step", "1e-300"), "duration must be at most 1000000 steps"),
    ],
)
def test_numbers_that_cannot_be_computed_with(capsys, tmp_path, monkeypatch, words, form):
    monkeypatch.chdir(tmp_path)
    status, out, err = call(capsys, *words)
    assert (status, out) == (2, "")
    last = err.splitlines()[-1]
    assert last.startswith("meshsim: error: ")
    assert re.search(form, last)
    assert "Traceback" not in err
    assert "Warning" not in err


# The old name


def test_the_old_name_says_what_to_type(capsys):
    status, out, _ = call(capsys, "closed", "--help")
    assert status == 0
    assert "`meshsim run SCHEME --profile own`" in " ".join(out.split())


def test_the_old_name_gives_the_old_keys(capsys, tmp_path):
    words = ("closed", "projection", "--robot", "3rrr", "--machine", "t800", "--network", "star")
    answer = run_json(capsys, *words, "--distribution", "partly", "--option", "sigma=5")
    assert (answer["method"], answer["network"], answer["distribution"]) == ("projection", "star", "partly")
    assert answer["settings"] == {"k": 1e5, "d": 0.0, "sigma": 5.0}
    assert (answer["time_us"], answer["one_processor_us"], answer["exchanges"]) == (773.6, 1120.5, 2)
    assert answer["error"] < 1e-10
    words = ("closed", "denoc", *FOUR_BAR, "--step", "0.01", "--duration", "0.05", "--out", tmp_path, "--json")
    moved = json.loads(call(capsys, *words)[1])
    assert (moved["steps"], moved["evaluations"], moved["time_us"]) == (5, 20, 392.0)
    denoc = ("closed", "denoc", *FOUR_BAR, "--network", "star", "--distribution", "partly")
    assert run_json(capsys, *denoc)["network"] == "star"
    mesh = run_json(capsys, "closed", "mesh", *FOUR_BAR, "--option", "variant=small")
    assert mesh["method"] == "wong-mesh-loops"


def test_the_old_name_starts_where_it_is_wanted(capsys, tmp_path):
    """Saha's fall of the five-bar, which stops after about 1.4 s with pivots 1.16 m apart."""
    words = ("closed", "denoc", "--robot", "five-bar:1.16:down", "--machine", "t800", "--drive", "0,0")
    words += ("--start", "1.3963,1.2217", "--duration", "3", "--out", str(tmp_path / "fall"))
    status, out, err = call(capsys, *words)
    assert (status, out) == (2, "")
    assert "came to a singular position at t = 1.40" in err
    assert (tmp_path / "fall" / "motion.csv").read_text().count("\n") > 50
    for start in ("1", "1,2,3", "a,b", "nan,1", ""):
        err = call(capsys, *words[:6], "--start", start)[2]
        assert err == f"meshsim: error: --start must be 2 finite numbers, one for each actuated joint, not {start!r}\n"


def test_a_folder_holds_one_motion_only(capsys, tmp_path):
    words = ("simulate", "denoc", "--robot", "four-bar", "--machine", "t800", *OWN, "--out", str(tmp_path))
    assert call(capsys, *words, "--duration", "0.1")[0] == 0
    assert (tmp_path / "positions.png").exists()
    assert "holds other work" in call(capsys, *words, "--duration", "0.05")[2]
    assert call(capsys, *words, "--duration", "0.05", "--force")[0] == 0


# Interrupts


MOVING = ("simulate", "penalty", *FOUR_BAR, *OWN, "--option", "k=1e6", "--duration", "10", "--rtol", "1e-10")


@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_an_interrupt_keeps_what_was_computed(tmp_path, how):
    process = begin(tmp_path, *MOVING)
    out, err = stop_after(process, tmp_path / "motion.csv", 60, how)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    rows = rows_of(tmp_path / "motion.csv")
    assert len(rows) >= 60
    assert len(rows) % 3 == 0
    match = re.fullmatch(
        r"meshsim: interrupted; what was computed, up to t = (\S+) s, is in (.*); the same command begins anew",
        err.splitlines()[-1],
    )
    assert match is not None
    told = [float(rows[i]["t"]) for i in (-1, -4)]  # an interrupt may fall between a step's rows and the note of it
    assert any(float(match[1]) == pytest.approx(t, rel=1e-5) for t in told)
    assert match[2] == str(tmp_path / "motion.csv")


@pytest.mark.slow
def test_a_kill_keeps_whole_steps(tmp_path):
    process = begin(tmp_path, *MOVING)
    stop_after(process, tmp_path / "motion.csv", 60, signal.SIGKILL)
    text = (tmp_path / "motion.csv").read_text()
    assert text.endswith("\n")
    assert len(rows_of(tmp_path / "motion.csv")) % 3 == 0
