"""`meshsim compare --robots`: tables, figures, goals, verdicts on start-ups, what is refused and what is kept."""

import csv
import re
import signal
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from tools.command import begin, call, run_json, stop_after
from tools.paths import EXAMPLES

from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.motion.pace import moving
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.deadlock import DeadlockError
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main
from meshsim.experiments.studies import accuracy
from meshsim.experiments.studies.accuracy import STIFFNESSES, Goal, study
from meshsim.experiments.studies.baseline import subject
from meshsim.experiments.studies.compare import Comparison
from meshsim.experiments.studies.layouts import link_costs
from meshsim.experiments.studies.machines import known_machine
from meshsim.experiments.studies.realtime import SHORT, STILL
from meshsim.plan import Plan
from meshsim.sensitivity import with_parameters

ROBOTS = ("--robots", "four-bar,torso", "--machine", "ideal,t800")
EXACT = ("denoc", "multipliers", "elimination", "projection, gauss", "projection, qr")
SMALL = (*ROBOTS, "--goal", "0.01", "--duration", "0.1", "--jobs", "1")


def rows_of(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """The folder of a comparison, and what it printed."""
    folder = tmp_path_factory.mktemp("compared")
    with redirect_stdout(StringIO()) as out:
        assert main(["compare", *SMALL, "--out", str(folder)]) == 0
    return folder, out.getvalue()


def test_a_comparison_and_its_files(compared):
    folder, out = compared
    pictures = ["four-bar-evaluation.png", "four-bar-startup-t800.png", "torso-evaluation.png"]
    names = ["compare.csv", *pictures, "rows.jsonl", "settings.json"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    assert all((folder / name).read_bytes().startswith(b"\x89PNG") for name in pictures)
    rows = rows_of(folder / "compare.csv")
    loops = [row for row in rows if row["robot"] == "four-bar"]
    assert len(loops) == 2 * (
        1 + 5 + 5 + 5 + 3 + 1 + 1 + 2
    )  # dca, penalty, gauss, qr, denoc, multipliers, elimination, mesh
    assert len(rows) - len(loops) == 2 * 10  # wong-mesh, dca, hybrid, branch-parallel, and six on one processor
    assert {row["goal_reached"] for row in loops if row["scheme"] not in ("dca", "wong-mesh-loops")} == {"True"}
    found = {(row["scheme"], row["options"], row["machine"]): row for row in loops}
    star = found["penalty", "layout=star distribution=partly", "t800"]
    assert (star["processors"], star["exchanges"], star["messages"], star["words"]) == ("2", "1", "2", "6")
    assert float(star["time_us"]) == 146.5
    assert float(star["speedup"]) == pytest.approx(float(star["baseline_us"]) / 146.5)
    assert star["baseline"] in EXACT  # springs approximate
    assert float(star["time_to_goal_ms"]) == pytest.approx(146.5e-3 * int(star["evaluations"]))
    assert found["projection", "technique=gauss layout=one", "ideal"]["k"] == ""
    assert float(found["penalty", "layout=one", "ideal"]["k"]) in STIFFNESSES
    assert all(float(row["joint_error"]) <= 0.01 for row in loops if row["joint_error"])
    assert all(float(row["error"]) < 1e-9 for row in rows)
    assert out.startswith("four-bar: joints within 0.01 after 0.1 s\n")
    assert f"table: {folder / 'compare.csv'}\n" in out
    assert out.count("four-bar on t800: ") == 4
    assert "four-bar on t800: penalty, star, partly: one processor is faster once a start-up costs more than " in out
    assert re.search(r"^wong-mesh +28 ", out, re.M)


@pytest.mark.usefixtures("in_full")
def test_a_comparison_goes_on_where_it_was(compared, capsys):
    """Nothing is computed again, and all is the same."""
    folder, out = compared
    table, journal = (folder / "compare.csv").read_bytes(), (folder / "rows.jsonl").read_text()
    lines = journal.splitlines(keepends=True)
    (folder / "rows.jsonl").write_text("".join(lines[:-2]) + lines[-2][:20])  # as a kill leaves it
    status, again, err = call(capsys, "compare", *SMALL, "--out", folder)
    assert (status, again) == (0, out), err
    assert f"compare: {len(lines) - 2} of {len(lines)} were finished before" in err
    assert (folder / "compare.csv").read_bytes() == table


def test_another_comparison_in_the_same_folder_is_refused(compared, capsys):
    folder, _ = compared
    status, _, err = call(capsys, "compare", *ROBOTS, "--goal", "0.02", "--out", folder)
    assert status == 2
    assert "other work" in err


REFUSED = [
    (("--robots", "four-bar", "--goal", "0"), "goal must be a positive number, not 0.0"),
    (("--robots", "four-bar", "--goal", "nan"), "goal must be a positive number, not nan"),
    (("--robots", "four-bar", "--goal", "1", "--duration", "-1"), "duration must be a positive number, not -1.0"),
    (("--robots", "four-bar", "--jobs", "0"), "--jobs must be a positive integer, not 0"),
    (("--robots", "five-bar:0"), "a five-bar must be five-bar:METRES"),
    (("--robots", "four-bar", "--n", "2"), "sizes and robots must not both be given"),
    (("--goal", "1"), "a goal must be given with robots by name, not with random chains"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_refusals(capsys, tmp_path, words, message):
    status, out, err = call(capsys, "compare", *words, "--machine", "ideal", "--out", tmp_path / "out")
    assert (status, out) == (2, "")
    assert err.startswith(f"meshsim: error: {message}")
    assert not (tmp_path / "out").exists()


def test_a_scheme_that_takes_no_loops_is_named(capsys, tmp_path):
    words = ("--robots", "four-bar", "--schemes", "denoc,one-wong", "--machine", "ideal", "--jobs", "1")
    status, out, _ = call(capsys, "compare", *words, "--out", tmp_path)
    assert status == 0
    assert "four-bar: one-wong takes no loops, and joint 'pin' of four-bar closes one\n" in out
    assert {row["scheme"] for row in rows_of(tmp_path / "compare.csv")} == {"denoc"}


def test_any_robots_with_every_choice(capsys, tmp_path):
    """An arm from a file, a chain and a loop: who takes none of them is told, once a reason, and the rest goes on."""
    robots = f"{EXAMPLES / 'arm.urdf'},chain:2:1,four-bar"
    words = (
        "--robots",
        robots,
        "--try",
        "all",
        "--machine",
        "t800",
        "--schemes",
        "hwang,denoc,wong-mesh-loops,one-wong",
    )
    found = run_json(capsys, "compare", *words, "--jobs", "1", "--out", tmp_path, "--quiet")
    kinds = {(row["robot"], row["label"]) for row in found["rows"]}
    assert {label for robot, label in kinds if robot == "chain:2:1"} == {"hwang, hypercube", "hwang, bus", "one-wong"}
    loops = {label for robot, label in kinds if robot == "four-bar"}
    assert {"denoc, one", "denoc, star", "denoc, complete", "wong-mesh-loops, tree, published, no, recompute"} <= loops
    assert {(row["robot"], row["scheme"]) for row in found["refused"] if row["robot"] == "chain:2:1"} == {
        ("chain:2:1", "denoc"),
        ("chain:2:1", "wong-mesh-loops"),
    }
    lines = "\n".join(found["remarks"])
    assert "chain:2:1: denoc, wong-mesh-loops each is for mechanisms with loops, and chain:2:1 has none" in lines
    assert "four-bar: hwang, one-wong each takes no loops, and joint 'pin' of four-bar closes one" in lines
    assert {"arm-evaluation.png", "chain-2-1-evaluation.png"} <= {path.name for path in tmp_path.iterdir()}


def test_a_scheme_that_fails_on_one_machine(monkeypatch, capsys, tmp_path):
    """It has a dash there, its other times, and a line; with chains it is left out of the pictures."""
    run = Plan.run

    def stuck(plan, machine, trace=True):
        if machine.name == "ideal" and len(plan.programs) > 1:
            raise DeadlockError("deadlock: nobody moves\n  here")
        return run(plan, machine, trace)

    monkeypatch.setattr(Plan, "run", stuck)
    words = ("--schemes", "hwang,one-wong", "--machine", "ideal,t800", "--jobs", "1", "--quiet")
    status, out, err = call(capsys, "compare", "--robots", "chain:2:1", *words, "--out", tmp_path / "robots")
    assert (status, err) == (0, "")
    assert re.search(r"^hwang +\d+ +\d+ +- +\d+\.\d$", out, re.M)
    assert "chain:2:1: hwang, ideal: deadlock: nobody moves\n" in out
    found = run_json(capsys, "compare", "--n", "2,3", *words[:-1], "--out", tmp_path / "chains", "--quiet")
    assert [(row["robot"], row["case"]) for row in found["refused"]] == [
        ("chain:2:1", "hwang, ideal"),
        ("chain:3:1", "hwang, ideal"),
    ]
    assert {Path(path).name for path in found["figures"]} >= {"where.png", "speedup.png", "with-solver.png"}


def test_nothing_is_left(capsys, tmp_path):
    """An end only where no scheme takes any robot."""
    words = ("--robots", "four-bar", "--schemes", "hwang,noc", "--machine", "ideal", "--out", tmp_path / "out")
    status, out, err = call(capsys, "compare", *words)
    assert (status, out) == (2, "")
    assert (
        "no scheme is left: four-bar: hwang takes no loops, and joint 'pin' of four-bar closes one; four-bar: noc "
        in err
    )
    assert not (tmp_path / "out").exists()


def test_robots_on_networks(capsys, tmp_path):
    words = ("--robots", "torso,four-bar", "--schemes", "branch-parallel,denoc", "--machine", "t800", "--networks")
    found = run_json(capsys, "compare", *words, "ring:3", "--jobs", "1", "--out", tmp_path, "--quiet")
    assert {(row["robot"], row["scheme"]) for row in found["rows"]} == {
        ("torso", "branch-parallel"),
        ("four-bar", "denoc"),
    }
    assert {row["network"] for row in found["rows"]} == {"own", "ring:3"}
    assert {(row["robot"], row["scheme"]) for row in found["refused"]} == {
        ("torso", "denoc"),
        ("four-bar", "branch-parallel"),
    }


def test_the_old_option_compares_robots_with_loops(capsys, tmp_path):
    words = ("--closed", "--robots", "four-bar", "--machines", "ideal", "--schemes", "denoc", "--duration", "0.05")
    status, out, _ = call(capsys, "compare", *words, "--jobs", "1", "--out", tmp_path)
    assert status == 0
    assert out.startswith("four-bar: joints within 0.001 after 0.05 s\n")


def test_a_scheme_that_never_gets_to_the_end_is_named(monkeypatch):
    def stuck(*_):
        raise MeshSimError("it is stuck")

    monkeypatch.setattr(accuracy, "computed", stuck)
    found = study(Goal("four-bar", "penalty", (), 0.01, 0.1))
    assert found == {"refused": "penalty did not get to the end whatever was set: it is stuck"}


def test_a_goal_that_is_not_reached(capsys, monkeypatch, tmp_path):
    """Springs as soft as the softest, and a goal that they cannot reach."""
    monkeypatch.setattr(accuracy, "STIFFNESSES", (1e3,))
    words = ("--robots", "four-bar", "--schemes", "penalty", "--machine", "ideal", "--duration", "0.1")
    status, out, _ = call(capsys, "compare", *words, "--goal", "1e-9", "--jobs", "1", "--out", tmp_path)
    assert status == 0
    rows = rows_of(tmp_path / "compare.csv")
    assert {(row["goal_reached"], row["time_to_goal_ms"]) for row in rows} == {("False", "")}
    assert out.splitlines()[2].endswith(" not")


def test_from_which_start_up_on_one_processor_is_faster():
    """The verdict holds: at its start-up several processors are no slower, a tick beyond they are."""
    machine = known_machine("t800")
    lines = link_costs(Comparison(("denoc",), (machine,), robots=("3rrr",)))
    form = r"3rrr on t800: denoc, star: one processor is faster once a start-up costs more than ([\d.]+) us .*"
    (match,) = (re.fullmatch(form, line) for line in lines)
    limit = round(float(match[1]) / machine.microseconds(1))
    one, star = (load_scheme("denoc").plan(*subject("3rrr"), layout=layout) for layout in ("one", "star"))
    for startup, slower in ((limit, False), (limit + 1, True)):
        dear = with_parameters(machine, startup=startup)
        assert (star.run(dear, trace=False).ticks > one.run(dear, trace=False).ticks) is slower


def test_up_to_which_start_up_steps_with_one_exchange_are_faster():
    """The limits hold to the tick; messages of a step are a quarter, so that the limit is some times as far."""
    machine = known_machine("t800")
    lines = link_costs(Comparison(("penalty",), (machine,), robots=("four-bar",)))
    start = (
        "four-bar on t800, penalty in steps on the star: several processors are no slower than one up to a start-up "
    )
    (line,) = (line for line in lines if line.startswith(start))
    form = r"of ([\d.]+) us \(full\), ([\d.]+) us \(partly\), ([\d.]+) us \(held\); "
    full, partly, held = map(float, re.match(form, line.removeprefix(start)).groups())
    assert full < partly < held
    assert line.endswith(
        "; held is faster than full whatever a start-up costs; held is faster than partly whatever a start-up costs"
    )
    mechanism, state = subject("four-bar")
    motion = Motion(mechanism, state, STILL, SHORT)
    several = {"layout": "star", "distribution": "held"}
    one, star = (moving(load_scheme("penalty").evaluation(mechanism, **how), motion) for how in ({}, several))
    limit = round(held / machine.microseconds(1))
    for startup, slower in ((limit, False), (limit + 1, True)):
        dear = with_parameters(machine, startup=startup)
        assert (star.run(dear, trace=False).ticks > one.run(dear, trace=False).ticks) is slower


@pytest.mark.slow
def test_an_interrupted_comparison_keeps_what_is_finished(tmp_path):
    """The four-bar is quick, the 3-PRR's springs are not."""
    words = ("compare", "--robots", "four-bar,3prr", "--machine", "ideal", "--jobs", "1")
    process = begin(tmp_path, *words, "--duration", "0.5", "--goal", "0.01")
    _, err = stop_after(process, tmp_path / "rows.jsonl", 0, signal.SIGINT)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert err.endswith("the same command goes on from there\n")
    assert (tmp_path / "rows.jsonl").read_text().count("\n") >= 1
    assert not (tmp_path / "compare.csv").exists()
