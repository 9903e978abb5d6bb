"""What a user of closed chains asks of the command: states, wrenches, feedback, pictures and real time."""

import csv
import json

import numpy as np
import pytest
from tools.command import call, run_json

from meshsim.algorithms.reference.loops import constrained_dynamics
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import loops
from meshsim.algorithms.robots.wrenches import bearing

RRR = ("--robot", "3rrr", "--machine", "t800")
FOUR_BAR = ("--robot", "four-bar", "--machine", "t800")
STAR = ("--option", "layout=star")
PUSHED = ("--wrench", "platform=10,-5,0.3", "--wrench", "distal1=0,0,1,0,0,0")


def written(tmp_path, **state):
    path = tmp_path / "state.json"
    path.write_text(json.dumps(state))
    return path


# Wrenches


def test_run_with_wrenches_computes_what_a_dense_solver_does(capsys):
    answer = run_json(capsys, "run", "projection", *RRR, *STAR, *PUSHED)
    mechanism = bearing(load_robot("3rrr"), {"platform": (10, -5, 0.3), "distal1": (0, 0, 1, 0, 0, 0)})
    wanted = constrained_dynamics(mechanism, answer["q"], answer["qd"], np.zeros(9))[0]
    assert answer["qdd"] == pytest.approx(wanted.tolist(), rel=1e-10)
    assert answer["wrenches"]["platform"] == pytest.approx([10, 0, -5, 0, -0.3, 0], abs=1e-12)
    plain = run_json(capsys, "run", "projection", *RRR, *STAR)
    assert np.abs(np.array(plain["qdd"]) - answer["qdd"]).max() > 0.1
    assert "wrenches" not in plain
    out = call(capsys, "run", "projection", *RRR, *PUSHED)[1]
    assert "\non platform: force 10, 0, -5 N, moment 0, -0.3, 0 N m, in the ground's axes\n" in out


def test_wrenches_are_taken_wherever_a_robot_is(capsys, tmp_path):
    out = ("--out", tmp_path / "out", "--force")
    moved = run_json(
        capsys, "simulate", "projection", *RRR, *PUSHED, "--step", "0.01", "--duration", "0.02", *out, "--quiet"
    )
    torques = run_json(capsys, "inverse", "noc", *RRR, *PUSHED, "--samples", "2", "--quiet", *out)
    still = run_json(capsys, "inverse", "noc", *RRR, "--samples", "2", "--quiet", *out)
    asked = run_json(capsys, "realtime", "penalty", *FOUR_BAR, "--wrench", "rocker=1,2", "--step", "0.01", "--quiet")
    assert {*moved["wrenches"]} == {*torques["wrenches"]} == {"distal1", "platform"}
    assert torques["error"] < 1e-10
    assert np.abs(np.array(torques["torques"]) - still["torques"]).max() > 0.1
    assert asked["wrenches"]["rocker"][:3] == pytest.approx([1, 0, 2], abs=1e-12)
    assert run_json(capsys, "explain", "penalty", "multipliers", *FOUR_BAR, "--wrench", "rocker=1,2", "--quiet")


@pytest.mark.parametrize(
    ("wrenches", "message"),
    [
        (["table=1,2"], "a wrench must act on a body of four-bar (crank, coupler, rocker), not on 'table'"),
        (["crank"], "--wrench must be BODY=FX,FY,.. with finite numbers, not 'crank'"),
        (["crank=1,x"], "--wrench must be BODY=FX,FY,.. with finite numbers, not 'crank=1,x'"),
        (["crank=1,2", "crank=3,4"], "--wrench on 'crank' must be given once, not twice"),
        (["crank=1"], "wrench on 'crank' must be fx,fy or fx,fy,mz or fx,fy,fz,mx,my,mz (N and N m), not 1 numbers"),
    ],
)
def test_wrenches_that_are_none(wrenches, message, capsys):
    words = [word for wrench in wrenches for word in ("--wrench", wrench)]
    assert call(capsys, "run", "penalty", *FOUR_BAR, *words) == (2, "", f"meshsim: error: {message}\n")


def test_a_scheme_that_takes_no_wrenches_names_those_that_do(capsys):
    _, _, err = call(capsys, "run", "wong-mesh-loops", *FOUR_BAR, "--wrench", "crank=1,2")
    assert err.startswith("meshsim: error: wong-mesh-loops takes no wrenches, and body 'crank' of four-bar bears one; ")
    assert "projection" in err


# States


def test_a_state_of_the_actuated_joints_is_enough(capsys, tmp_path):
    state = written(tmp_path, q={"crank": 0.6}, qd=[0.1], tau=[1.0])
    answers = [run_json(capsys, "run", name, *FOUR_BAR, "--state", state) for name in ("multipliers", "denoc")]
    mechanism = load_robot("four-bar")
    for answer in answers:
        assert answer["q"][0] == 0.6
        assert np.abs(loops(mechanism, answer["q"], answer["qd"]).c).max() < 1e-12
        assert answer["qdd"] == pytest.approx(
            constrained_dynamics(mechanism, answer["q"], answer["qd"], [1.0, 0.0, 0.0])[0].tolist(), rel=1e-9
        )


def test_a_motion_may_begin_with_open_loops(capsys, tmp_path):
    state = written(tmp_path, q=[0.6, -0.24, 0.88], qd=[0.1], tau=[0.0])
    words = ("simulate", "projection", *FOUR_BAR, *STAR, "--state", state, "--step", "0.01", "--duration", "0.1")
    status, out, _ = call(capsys, *words, "--out", tmp_path / "out")
    assert status == 0
    rows = list(csv.DictReader((tmp_path / "out" / "motion.csv").read_text().splitlines()))
    gaps = [float(row["constraint_error"]) for row in rows if row["joint"] == "crank"]
    assert f"loops are open by {gaps[0]:.2e} at the start and by {gaps[-1]:.2e} (m or rad) at the end" in out
    assert gaps == pytest.approx([gaps[0] * np.exp(-10.0 * 0.01 * k) for k in range(11)], rel=1e-3)
    for scheme in (("denoc",), ("projection", "--option", "sigma=0"), ("multipliers",)):
        status, _, err = call(capsys, "simulate", *scheme, *words[2:], "--out", tmp_path / "other")
        assert status == 2
        if scheme[0] != "multipliers":  # which has no star
            assert f"{state}: \"q\" must close the loops of four-bar, and leaves that through 'pin' open by " in err
    assert not (tmp_path / "other").exists()


# Feedback


PD = 2 * 10 + 4 * 5
"""Ticks of two products and four sums on a T800."""


def test_feedback_is_told_and_timed(capsys, tmp_path):
    words = ("simulate", "denoc", *FOUR_BAR, "--profile", "cycloid:1:20", "--step", "0.01", "--duration", "0.03")
    plain = run_json(capsys, *words, "--out", tmp_path / "plain", "--quiet")
    status, out, _ = call(capsys, *words, "--out", tmp_path / "fed", "--feedback", "100,10")
    assert (status, "feedback of 100 and 10 (N m/rad" in out) == (0, True)
    fed = json.loads((tmp_path / "fed" / "motion.json").read_text())
    assert fed["feedback"] == [100.0, 10.0]
    assert fed["ticks_per_step"] - plain["ticks_per_step"] == 4 * PD


def test_feedback_is_part_of_real_time(capsys):
    words = ("realtime", "one-wong", "--robot", "chain:2:1", "--machine", "t800", "--profile", "cycloid:1")
    plain, fed = (
        run_json(capsys, *words, "--step", "0.01", "--quiet", *more) for more in ((), ("--feedback", "100,10"))
    )
    assert fed["us_per_step"] - plain["us_per_step"] == pytest.approx(2 * 4 * PD / 10)


# Pictures, and real time


TRACED = [
    ("run", "projection", *FOUR_BAR, *STAR),
    ("run", "wong-mesh-loops", *FOUR_BAR),
    ("simulate", "denoc", *FOUR_BAR, *STAR, "--step", "0.01", "--duration", "0.03", "--out", "{out}"),
    ("simulate", "denoc", *FOUR_BAR, *STAR, "--duration", "0.01", "--out", "{out}"),
    ("inverse", "noc", "--robot", "five-bar", "--machine", "t800", *STAR, "--samples", "2", "--out", "{out}"),
    ("realtime", "projection", *FOUR_BAR, *STAR, "--step", "0.01"),
    ("closed", "projection", *FOUR_BAR, "--network", "star"),
]


@pytest.mark.parametrize("words", TRACED, ids=lambda words: " ".join(words[:2]))
def test_pictures_and_traces_of_what_has_loops(words, capsys, tmp_path):
    """Every message of the traced part is in the table, sent and received."""
    files = tmp_path / "a.png", tmp_path / "a.csv"
    words = [word.format(out=tmp_path / "out") for word in words]
    status, out, _ = call(capsys, *words, "--quiet", "--gantt", files[0], "--trace", files[1])
    assert (status, out.count(f"picture: {files[0]}"), out.count(f"trace: {files[1]}")) == (0, 1, 1)
    assert files[0].exists()
    rows = list(csv.DictReader(files[1].read_text().splitlines()))
    passed = {(row["kind"], row["processor"], row["peer"], row["depart"]) for row in rows if row["kind"] != "compute"}
    sends = {(peer, node, depart) for kind, node, peer, depart in passed if kind == "send"}
    assert sends == {(node, peer, depart) for kind, node, peer, depart in passed if kind == "receive"}
    assert sends
    assert any(row["kind"] == "compute" for row in rows)


def test_realtime_of_a_mechanism_with_loops(capsys):
    """A step as simulate times it; the longest chain is not asked of a scheme that takes none."""
    found = run_json(capsys, "realtime", "projection", *FOUR_BAR, *STAR, "--step", "0.01", "--quiet")
    assert found["real_time"]
    assert found["largest_n"] is None
    assert found["us_per_step"] == pytest.approx(4 * found["us_per_evaluation"])
    slow = run_json(capsys, "realtime", "projection", *FOUR_BAR, *STAR, "--step", "0.0005", "--quiet")
    assert not slow["real_time"]
    assert slow["us_per_step"] == found["us_per_step"]
