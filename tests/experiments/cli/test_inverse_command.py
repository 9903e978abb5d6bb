"""`meshsim inverse` of robots without loops: motions, files, pictures, and what is refused."""

import csv
import json

import numpy as np
import pytest
from tools.paths import EXAMPLES

import meshsim as ms
from meshsim.algorithms.motion.cycloid import cycloid
from meshsim.algorithms.reference.newton_euler import free_torques
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.schemes.takers import inverters
from meshsim.experiments.cli.main import main
from meshsim.presets import load_machine


def motion_file(path, robot, times):
    """A cycloid of all joints."""
    wanted = cycloid([0.0] * len(robot.joints), [1.0] * len(robot.joints), times[-1])
    names = [f"{part}_{joint}" for part in ("q", "qd", "qdd") for joint in robot.joints]
    rows = [",".join(map(repr, [float(t), *np.concatenate(wanted(t)).tolist()])) for t in times]
    path.write_text("\n".join([",".join(["t", *names]), *rows]))
    return wanted


@pytest.mark.parametrize("scheme", ["one-saha", "wong-mesh"])
def test_a_floating_robot_along_a_file(scheme, tmp_path, capsys):
    """All freedoms of the base among them; torques at the file's own times."""
    name = f"floating:{EXAMPLES / 'arm.urdf'}"
    robot, times = load_robot(name), [0.0, 0.1, 0.4, 1.0]
    wanted = motion_file(tmp_path / "motion.csv", robot, times)
    command = ["inverse", scheme, "--robot", name, "--machine", "t800", "--profile", str(tmp_path / "motion.csv")]
    pictures = ["--gantt", str(tmp_path / "g.png"), "--trace", str(tmp_path / "t.csv")]
    assert main([*command, "--out", str(tmp_path / "out"), "--json", *pictures]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["t"], found["joints"]) == (times, list(robot.joints))
    assert len(robot.joints) >= 8
    known = [free_torques(robot, *wanted(t)) for t in times]
    assert np.array(found["torques"]) == pytest.approx(np.array(known), abs=1e-10 * np.abs(known).max())
    with (tmp_path / "out" / "torques.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(times) * len(robot.joints)
    assert [float(row["tau"]) for row in rows] == np.array(found["torques"]).ravel().tolist()
    with (tmp_path / "t.csv").open() as stream:
        spans = list(csv.DictReader(stream))
    assert len({row["processor"] for row in spans}) == found["processors"]
    assert max(int(row["end"]) for row in spans) == found["ticks"]
    assert (tmp_path / "g.png").exists()


def test_what_is_told(tmp_path, capsys):
    command = ["inverse", "wong-mesh", "--robot", "stanford", "--machine", "t800", "--samples", "3"]
    assert main([*command, "--out", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert out.startswith("wong-mesh: stanford on t800, 27 processors\n")
    assert " us (one-" in out
    assert ", the quickest there)\n" in out
    assert "largest difference from a dense solver: " in out


def test_from_python(tmp_path):
    found = ms.inverse("puma600", "hwang", "ideal", profile="cycloid:10", samples=5, out=tmp_path / "out")
    told = found.to_dict()
    robot, ideal = load_robot("puma600"), load_machine("ideal")
    still = np.zeros((3, 6))
    alone = {
        scheme.name: scheme.inversion(robot).plan(*still).run(ideal, trace=False).ticks
        for scheme in inverters(robot)
        if scheme.name.startswith("one-")
    }
    quickest = min(alone, key=alone.get)
    assert (told["processors"], told["one_processor"], told["options"]) == (6, quickest, {"network": "hypercube"})
    assert told["one_processor_us"] == ideal.microseconds(alone[quickest])
    assert told["error"] < 1e-12
    assert {row["joint"] for row in found.rows()} == set(told["joints"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["one-featherstone", "--robot", "stanford"],
            "one-featherstone computes accelerations alone, not torques of stanford; wong-mesh or lee-chang or "
            "amin-javaheri or fijany-bejczy or hwang or one-wong or one-angeles or one-walker-orin or one-saha or "
            "one-bae or one-luh-walker-paul could take it",
        ),
        (
            ["hwang", "--robot", "torso"],
            "hwang takes no branching joints, and joint 'upper_arm_1' of torso is one; wong-mesh or one-wong or "
            "one-angeles or one-walker-orin or one-saha or one-bae or one-luh-walker-paul could take it",
        ),
        (
            ["one-saha", "--robot", "scraper"],
            "one-saha takes no loops, and joint 'A' of scraper closes one; noc or subsystems could take it",
        ),
        (["one-saha", "--robot", "puma600"], "puma600 has no motion of its own; cycloid:SECONDS[:DEGREES[:METRES]] "),
        (["one-saha", "--robot", "puma600", "--profile", "free"], "profile must be own, cycloid:SECONDS[:DEGREES"),
        (
            ["one-saha", "--robot", "stanford", "--option", "solver=udu"],
            "option solver of one-saha is for accelerations, not for inverse dynamics",
        ),
        (["one-saha", "--robot", "stanford", "--samples", "1"], "--samples must be from 2 to 10000, not 1"),
    ],
)
def test_refusals(words, message, tmp_path, capsys):
    assert main(["inverse", *words, "--machine", "ideal", "--out", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(f"meshsim: error: {message}")
    assert not (tmp_path / "out").exists()


def test_too_many_rows_ask_for_samples(tmp_path, capsys):
    robot = load_robot("chain:1:1")
    rows = "\n".join(f"{t},0,0,0" for t in range(10_001))
    (tmp_path / "long.csv").write_text(f"t,q_joint1,qd_joint1,qdd_joint1\n{rows}\n")
    command = ["inverse", "one-saha", "--robot", robot.name, "--machine", "ideal", "--out", str(tmp_path / "out")]
    command += ["--profile", str(tmp_path / "long.csv")]
    assert main(command) == 2
    assert "not 10001: a motion of so many rows needs --samples" in capsys.readouterr().err
    assert main([*command, "--samples", "2"]) == 0
