"""Specs of sweeps that are refused, in one line that says what would be right; and schemes that are, in a sweep."""

from itertools import product
from pathlib import Path

import pytest
from tools.command import call, run_json
from tools.sweeps import SMALL, spec, table

from meshsim.deadlock import DeadlockError
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main
from meshsim.experiments.studies import sweep as sweeping
from meshsim.experiments.studies.sweep import run_sweep
from meshsim.experiments.studies.sweep_spec import read_sweep
from meshsim.machine import LARGEST


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('schemes = ["wong-mesh", "hwang"]', "", r"the sweep must have the keys schemes, not lack 'schemes'"),
        ('"hwang"', '"nobody"', r"unknown scheme 'nobody'; known: "),
        ('"hwang"', '"wong-mesh"', r"schemes must be different"),
        ("n = [2, 3]", "n = [0]", r"chain length must be a positive integer, not 0"),
        ("n = [2, 3]", "n = 3", r"n must be a list of lengths, not 3"),
        ("n = [2, 3]", "n = [2, 2]", r"robots of a sweep must be different, not \['chain:2:1', 'chain:2:1'\]"),
        ("discipline =", "buffers = [1, 0]\ndiscipline =", r"links.buffers must be a whole number, at least 1, not 0"),
        ("n = [2, 3]", "", r"a sweep must have robots, or lengths n of random chains"),
        ("n = [2, 3]", 'robots = ["none.urdf"]', r"none.urdf"),
        ('"t800"', '"t900"', r"machine must be a .toml file or one of "),
        ('machine = "t800"', "machine = 3", r"machine must be a preset or a TOML file, not 3"),
        ("[grid]", "colour = 1\n[grid]", r"key of the sweep must be schemes, .*, not 'colour'"),
        ("[grid]", 'fallback = "guess"\n[grid]', r'fallback must be "simulate" or left out, not \'guess\''),
        ("[grid]", "[latin]\npoints = 3\nmul = [1, 2]\n[grid]", r"a sweep must have one table \[grid\] or \[latin\]"),
        ("startup = [0, 20, 50]", "speed = [1]", r"key of \[grid\] must be mul, add, .*, not 'speed'"),
        (
            "startup = [0, 20, 50]",
            "startup = []",
            r"startup must be a list of values, or { from, to, count }, not \[\]",
        ),
        ("startup = [0, 20, 50]", "startup = [1, 1]", r"values of startup must be different"),
        ("startup = [0, 20, 50]", "startup = [1.5]", r"startup must be a whole number of ticks, at least 0, not 1.5"),
        ("startup = [0, 20, 50]", f"startup = [{LARGEST + 1}]", r"startup must be at most"),
        ("startup = [0, 20, 50]", "startup = { from = 3, to = 1, count = 2 }", r"startup must go up from a lower end"),
        (
            "startup = [0, 20, 50]",
            "startup = { from = 3 }",
            r"startup must have the keys from, to, count, not lack 'to'",
        ),
        ('["overlap", "rendezvous"]', '["magic"]', r"discipline must be .*overlap, posted or rendezvous, not 'magic'"),
        ("startup = [0, 20, 50]", 'setups = ["apart"]', r"setups must be together or in-turn, not 'apart'"),
        ("to = 40, count = 3 }", "to = 40, count = 3 }\nreceive = [0.5]", r"receive must be .*: choose a finer tick"),
        ("[grid]", "[options.hwang]\nsolver = 3\n[grid]", r"solver of \[options.hwang\] must be a text, not 3"),
        ("[grid]", '[options.hwang]\nsolver = "gauss"\n[grid]', r"option solver of hwang must be "),
        ("[grid]", '[options.mesh]\nrho = "pass"\n[grid]', r"key of options must be wong-mesh, hwang, not 'mesh'"),
        ("to = 40, count = 3", "to = 900000, count = 900000", r"a sweep must have at most 1000000 points"),
        ("count = 3", "count = 1000001", r"count of per_word must be at most 1000000, not more"),
    ],
)
def test_refusals(old, new, message, tmp_path):
    assert old in SMALL
    path = spec(tmp_path, SMALL.replace(old, new))
    with pytest.raises(MeshSimError, match=message) as error:
        run_sweep(read_sweep(path), tmp_path / "out")
    assert str(error.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("points = 0\nmul = [1, 2]", r"points of \[latin\] must be a whole number, at least 1, not 0"),
        ("points = 3", r"\[latin\] must give two ends of a parameter at least"),
        ("points = 3\nmul = [1]", r"mul must be 2 ends, \[from, to\], not \[1\]"),
        ("points = 3\nmul = [2, 1]", r"mul must go from a lower end to a higher one"),
        ('points = 3\ndiscipline = ["free", "overlap"]', r"key of \[latin\] must be .*, not 'discipline'"),
        ("points = 3\nseed = -1\nmul = [1, 2]", r"latin seed must be an integer from 0"),
    ],
)
def test_latin_refusals(table, message, tmp_path):
    path = spec(tmp_path, f'schemes = ["one-wong"]\nn = [2]\n[latin]\n{table}\n')
    with pytest.raises(MeshSimError, match=message):
        read_sweep(path)


def test_files_that_are_none(tmp_path, capsys):
    assert main(["sweep", str(tmp_path / "absent.toml")]) == 2
    assert "sweep must be a readable file, not " in capsys.readouterr().err
    assert main(["sweep", str(spec(tmp_path, "= 3"))]) == 2
    assert "sweep must be TOML, not " in capsys.readouterr().err
    assert main(["sweep", str(spec(tmp_path)), "--jobs", "0"]) == 2
    assert "--jobs must be a positive integer, not 0" in capsys.readouterr().err


MIXED = """
schemes = ["lee-chang", "denoc", "one-saha"]
robots = ["torso", "four-bar", "chain:2:1"]

[grid]
startup = [0, 51]
per_word = [5, 23]
discipline = ["overlap", "rendezvous"]
"""


def test_schemes_that_do_not_take_a_robot(tmp_path, capsys):
    """Each has a line, and the maps are drawn of the others."""
    words = ("sweep", spec(tmp_path, MIXED), "--out", tmp_path / "out", "--jobs", "1", "--quiet")
    found = run_json(capsys, *words)
    assert {(row["scheme"], row["robot"]) for row in found["rows"]} == {
        ("lee-chang", "chain:2:1"),
        ("denoc", "four-bar"),
        ("one-saha", "torso"),
        ("one-saha", "chain:2:1"),
    }
    assert len(found["refused"]) == 5
    assert (
        "four-bar: lee-chang, one-saha each takes no loops, and joint 'pin' of four-bar closes one" in found["remarks"]
    )
    assert {Path(path).name for path in found["figures"]} == {
        f"{kind}-{name}.png" for kind in ("winners", "time", "pareto") for name in ("overlap", "rendezvous")
    }
    assert len(table(tmp_path / "out")) == len(found["rows"]) == 4 * 8
    assert run_json(capsys, *words) == found


def test_a_scheme_that_fails_on_some_machines(tmp_path, monkeypatch, capsys):
    """Those alone are missing: all of a kind, since a deadlock does not depend on what links cost."""
    right = sweeping.retime

    def stuck(recording, machines, processors):
        if recording.identity["scheme"] == "hwang" and any(each.links.discipline == "overlap" for each in machines):
            raise DeadlockError("deadlock: nobody moves\n  here")
        return right(recording, machines, processors)

    monkeypatch.setattr(sweeping, "retime", stuck)
    words = ("sweep", spec(tmp_path), "--out", tmp_path / "out", "--jobs", "1", "--quiet")
    found = run_json(capsys, *words)
    there = {(row["scheme"], row["discipline"]) for row in found["rows"]}
    assert there == {*product(("wong-mesh",), ("overlap", "rendezvous")), ("hwang", "rendezvous")}
    assert len(found["refused"]) == 2 * 3 * 3
    status, out, _ = call(capsys, *words)
    assert status == 0
    assert "chain:2:1: hwang, startup 0, per_word 0, discipline overlap; " in out
    assert "; and 6 more: deadlock: nobody moves\n" in out


def test_no_scheme_is_left(tmp_path, capsys):
    path = spec(tmp_path, MIXED.replace('"denoc", "one-saha"', '"hwang"').replace(', "chain:2:1"', ""))
    status, out, err = call(capsys, "sweep", path, "--out", tmp_path / "out", "--jobs", "1", "--quiet")
    assert (status, out) == (2, "")
    assert err.startswith("meshsim: error: no scheme is left: torso: lee-chang, hwang each takes no branching joints, ")
