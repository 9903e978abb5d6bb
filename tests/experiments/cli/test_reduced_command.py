"""Robots are reduced alike in every command, by flags or by their text."""

import argparse
import json

import pytest
from tools.command import call, run_json
from tools.paths import EXAMPLES

from meshsim.experiments.cli.main import build_parser

LOCKED = "chain:4:1@lock:joint2=0.5;joint4=0"
FLAGS = ("--robot", "chain:4:1", "--lock", "joint2=0.5,joint4=0")
ON = ("--machine", "t800", "--quiet")


def test_every_command_with_a_robot_has_the_flags():
    (found,) = [each for each in build_parser()._actions if isinstance(each, argparse._SubParsersAction)]
    for verb, parser in found.choices.items():
        options = parser._option_string_actions
        assert ("--robot" in options) == ("--lock" in options) == ("--drop" in options), verb


@pytest.mark.parametrize("words", [
    ("run", "wong-mesh"),
    ("explain", "one-wong", "one-saha"),
    ("realtime", "one-wong", "--step", "0.01"),
    ("place", "wong-mesh", "--network", "ring:3"),
])  # fmt: skip
def test_flags_only_build_the_text(words, capsys):
    found = run_json(capsys, *words, *FLAGS, *ON)
    assert found == run_json(capsys, *words, "--robot", LOCKED, *ON)
    assert LOCKED in json.dumps(found)


def test_flags_may_be_repeated_and_stand_before_the_robot(capsys):
    words = ("run", "one-wong", "--lock", "joint2=0.5", "--drop", "joint4", "--lock", "joint1", "--robot", "chain:4:1")
    found = run_json(capsys, *words, *ON)
    assert found["robot"] == "chain:4:1@lock:joint2=0.5;joint1=0@drop:joint4"
    assert found["joints"] == ["joint3"]


def test_a_state_is_of_the_joints_that_are_left(capsys, tmp_path):
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"q": {"joint1": 1, "joint3": 2}, "qd": [0, 0], "tau": [1, 0]}))
    assert run_json(capsys, "run", "one-wong", *FLAGS, *ON, "--state", path)["n"] == 2


def test_a_comparison_takes_texts(capsys, tmp_path):
    robots = f"torso@drop:head,{EXAMPLES / 'arm.urdf'}@lock:wrist=30deg"
    words = ("compare", "--robots", robots, "--schemes", "one-wong", "--machine", "ideal", "--jobs", "1", "--quiet")
    found = run_json(capsys, *words, "--out", tmp_path)
    assert {row["n"] for row in found["rows"]} == {5, 2}


def test_a_sweep_takes_texts_and_files_beside_it(capsys, tmp_path):
    (tmp_path / "arm.urdf").write_text((EXAMPLES / "arm.urdf").read_text())
    (tmp_path / "spec.toml").write_text(
        'schemes = ["one-wong"]\nrobots = ["arm.urdf@lock:wrist=0.5", "chain:5:1@drop:joint5"]\n[grid]\nmul = [1, 2]\n'
    )
    run_json(capsys, "sweep", tmp_path / "spec.toml", "--out", tmp_path / "out", "--jobs", "1", "--quiet")
    table = (tmp_path / "out" / "sweep.csv").read_text()
    assert "arm.urdf@lock:wrist=0.5,2," in table
    assert "chain:5:1@drop:joint5,4," in table


@pytest.mark.parametrize("before", ["", "floating:", "armature:"])
def test_a_trace_is_not_written_over_the_robot(before, capsys, tmp_path):
    path = tmp_path / "arm.csv"
    path.write_text((EXAMPLES / "arm.urdf").read_text())
    err = call(capsys, "run", "one-wong", "--robot", f"{before}{path}", "--lock", "wrist", *ON, "--trace", path)[2]
    assert err.endswith("must be a file of its own, and is an input as well\n")


@pytest.mark.parametrize("robot", ["saha-puma:printed@lock:joint1", "stanford@drop:joint6"])
def test_a_robot_that_was_reduced_has_no_motion_of_its_own(robot, capsys, tmp_path):
    words = ("inverse", "one-saha", "--robot", robot, *ON, "--profile")
    err = call(capsys, *words, "own", "--out", tmp_path / "own")[2]
    assert "has no motion of its own; cycloid:SECONDS[:DEGREES[:METRES]] gives it one" in err


def test_a_mistake_is_one_line(capsys):
    status, out, err = call(capsys, "run", "one-wong", "--robot", "puma600", "--lock", "join1", *ON)
    assert (status, out) == (2, "")
    assert err.startswith("meshsim: error: a joint to be locked must be one of puma600, such as joint1, ")
