"""The comparison: its table, its figures, its crossovers, and that a killed run goes on."""

import csv
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tools.paths import EXAMPLES, ROOT

from meshsim.algorithms.schemes.catalogue import ONE_PROCESSOR, load_scheme
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main
from meshsim.experiments.studies.baseline import quickest_on_one, subject, ticks_on_one, work_on_one
from meshsim.experiments.studies.compare import Comparison, Point, evaluate, run_comparison
from meshsim.experiments.studies.crossover import (
    faster_than_one,
    fastest_by_polynomial,
    fastest_by_simulation,
    ranges,
)
from meshsim.machine import LinkCosts, Machine
from meshsim.presets import PRESETS

COLUMNS = (
    "scheme,n,machine,solver,processors,ticks,time_us,inertia_us,force_us,shift_us,solve_us,distribute_us,messages,words,"
    "utilisation,speedup,efficiency,error,options,baseline,baseline_us,speedup_one_wong,energy_nj"
)
SMALL = ["--n", "2..4", "--machines", "t800", "--jobs", "1"]
FEW = ["--schemes", "wong-mesh,fijany-bejczy,hwang,triangle,dca,one-wong"]
TWO = ["--machines", "ideal,t800"]


def compare(folder, *words):
    return main(["compare", "--out", str(folder), *SMALL, *FEW, *words])


@pytest.mark.usefixtures("in_full")
def test_table_and_figures(tmp_path, capsys):
    assert compare(tmp_path / "new", "--stream", "3", *TWO) == 0
    out, err = capsys.readouterr()
    figures = [line for line in err.splitlines() if line.startswith("figure: ")]
    assert figures[0] == f"figure: {tmp_path / 'new' / 'inertia-matrix.png'} (ideal)"
    assert [line.rsplit(" (")[1] for line in figures] == ["ideal)"] * 5 + ["ideal, t800)"] * 5
    assert "published polynomials     wong-mesh 2..4\n" in out
    assert "simulated on t800" in out
    text = (tmp_path / "new" / "compare.csv").read_text()
    assert text.splitlines()[0] == COLUMNS + ",interval_us"
    rows = list(csv.DictReader(text.splitlines()))
    assert len(rows) == 6 * 3 * 2
    assert [row["scheme"] for row in rows[:6]] == ["wong-mesh"] * 6
    for row in rows:
        assert float(row["error"]) < 1e-10
        assert float(row["efficiency"]) == pytest.approx(float(row["speedup"]) / int(row["processors"]))
        assert 0 < float(row["interval_us"]) <= float(row["time_us"])
    alone = [row for row in rows if row["scheme"] == "one-wong"]
    assert {row["speedup_one_wong"] for row in alone} == {"1.0"}
    assert all(float(row["speedup"]) <= 1.0 for row in alone)  # others are quicker on one processor
    for row in rows:
        assert float(row["speedup"]) == pytest.approx(float(row["baseline_us"]) / float(row["time_us"]))
        assert row["baseline"].startswith("one-")
    for row in alone:
        assert row["distribute_us"] == row["solve_us"] == row["time_us"]
    for name in ("inertia-matrix.png", "with-solver.png", "speedup.png", "where.png"):
        assert (tmp_path / "new" / name).read_bytes().startswith(b"\x89PNG")


def test_what_is_complete_is_shown_machine_by_machine(tmp_path):
    machines = tuple(PRESETS[name] for name in ("t800", "ideal", "t800-overlap"))
    comparison = Comparison(("hwang", "one-wong"), machines, (2, 3))
    shown = []
    rows = run_comparison(comparison, tmp_path, 1, lambda *part: shown.append(part)).rows
    for count, (some, part) in enumerate(shown, start=1):
        assert part.machines == machines[:count]
        assert some == [row for row in rows if row["machine"] in [machine.name for machine in part.machines]]
    assert len(shown) == 2  # the whole is shown by whoever asked for it
    assert run_comparison(comparison, tmp_path, 1, lambda *part: shown.append(part)).rows == rows
    assert len(shown) == 2


def test_workers_give_the_same_table(tmp_path, capsys):
    compare(tmp_path / "one")
    main(["compare", "--out", str(tmp_path / "two"), *SMALL[:-1], "2", *FEW])
    assert (tmp_path / "one" / "compare.csv").read_bytes() == (tmp_path / "two" / "compare.csv").read_bytes()
    assert "18/18" in capsys.readouterr().err


def children(pid):
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in found.read_text().split()] if found.exists() else []


def alive(pid):
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_a_killed_run_goes_on_and_ends_with_the_same_table(tmp_path, capsys):
    compare(tmp_path / "whole", "--n", "2..5", *TWO)
    words = ["compare", "--out", str(tmp_path / "killed"), *SMALL, *FEW, *TWO, "--n", "2..5", "--jobs", "2"]
    command = [sys.executable, "-m", "meshsim.experiments.cli.entry", *words]
    journal = tmp_path / "killed" / "rows.jsonl"
    lines = 0
    for _ in range(2):
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            if journal.exists() and journal.read_text().count("\n") > lines + 5:
                break
            time.sleep(0.02)
        workers = children(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        deadline = time.monotonic() + 10
        while any(alive(worker) for worker in workers) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not any(alive(worker) for worker in workers)  # they do not outlive their parent
        lines = journal.read_text().count("\n")
    with journal.open("a") as stream:
        stream.write('["wong-mesh 6 ideal", {"schem')  # as a kill in the middle of a write leaves it
    assert main(words) == 0
    assert "were finished before" in capsys.readouterr().err
    for name in ("compare.csv", "settings.json"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "killed" / name).read_bytes()


def test_a_folder_in_use_is_refused(tmp_path, capsys):
    compare(tmp_path / "busy")
    code = (
        f"import fcntl, time; f = open({str(tmp_path / 'busy' / 'rows.jsonl')!r}, 'a'); fcntl.lockf(f, fcntl.LOCK_EX)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code + "; print('held', flush=True); time.sleep(60)"], stdout=-1)
    holder.stdout.readline()
    assert compare(tmp_path / "busy") == 2
    holder.kill()
    holder.communicate()
    assert "is in use by another run" in capsys.readouterr().err
    assert compare(tmp_path / "busy") == 0


def test_an_interrupt_is_quiet_and_keeps_what_is_finished(tmp_path):
    words = ["compare", "--out", str(tmp_path / "cut"), "--n", "2..12", "--jobs", "2"]
    command = [sys.executable, "-m", "meshsim.experiments.cli.entry", *words]
    group = {"cwd": ROOT, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    process = subprocess.Popen(command, **group)
    journal = tmp_path / "cut" / "rows.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (journal.exists() and journal.read_text().count("\n") > 3):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    rows = journal.read_text().count("\n")
    assert rows > 3
    kept = f"rows finished: {rows}, kept in {tmp_path / 'cut'}; the same command goes on from there"
    assert err.endswith(f"meshsim: interrupted; {kept}\n")


def test_a_folder_with_another_comparison_is_refused(tmp_path, capsys):
    assert compare(tmp_path / "a") == 0
    before = (tmp_path / "a" / "compare.csv").read_bytes()
    assert compare(tmp_path / "a", "--seed", "2") == 2
    assert (
        "holds other work, or results of another version; choose another folder with --out" in capsys.readouterr().err
    )
    assert (tmp_path / "a" / "compare.csv").read_bytes() == before
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "thesis.tex").write_text("mine")
    assert compare(tmp_path / "b") == 2
    assert "must be empty or hold this work" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["thesis.tex"]


MISTAKES = [
    (["--schemes", "wong-mesh,walker"], "unknown scheme 'walker'"),
    (["--machines", "cray"], "machine must be a .toml file or one of "),
    (["--n", "0..3"], "must be a range such as 2..24, a list such as 2,4,8, or both as in 2..32,64, not '0..3'"),
    (["--n", "many"], "must be a range such as 2..24, a list such as 2,4,8, or both as in 2..32,64, not 'many'"),
    (["--solver", "gauss"], "option solver of wong-mesh must be "),
    (["--seed", "-1"], "chain seed must be an integer from 0 to 2**64 - 1, not -1"),
    (["--jobs", "0"], "--jobs must be a positive integer, not 0"),
    (["--stream", "1"], "a stream must have at least 2 evaluations, not 1"),
    (["--schemes", "hwang,hwang"], "must be different names with commas between them"),
]


@pytest.mark.parametrize(("words", "message"), MISTAKES)
def test_mistakes(words, message, tmp_path, capsys):
    try:
        status = compare(tmp_path / "out", *words)
    except SystemExit as stop:
        status = stop.code
    err = capsys.readouterr().err
    assert status == 2
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_crossovers_of_the_published_polynomials():
    sizes = range(2, 25)
    assert fastest_by_polynomial("inertia", sizes) == list(range(2, 13))  # the thesis says up to 13
    assert fastest_by_polynomial("inertia+solver", sizes) == list(range(2, 15))  # the thesis says up to 15
    assert ranges([2, 3, 4, 7, 9, 10]) == "2..4, 7, 9..10"
    assert ranges([]) == "none"


def test_crossovers_of_a_simulation():
    rows = [
        {"scheme": scheme, "n": n, "machine": "m", "inertia_us": time, "processors": 2}
        for scheme, times in {"wong-mesh": (1, 4), "hwang": (2, 3), "one-wong": (0, 0)}.items()
        for n, time in enumerate(times, start=2)
    ]
    assert fastest_by_simulation(rows, "m", "inertia_us") == {"wong-mesh": [2], "hwang": [3]}


def test_crossovers_with_one_processor():
    rows = [
        {"scheme": "hwang", "n": n, "machine": "m", "time_us": time, "baseline_us": 3.0}
        for n, time in enumerate((4, 3, 2, 1), start=2)
    ]
    assert faster_than_one(rows, "m") == {"hwang": [4, 5]}


def tried(tries):
    comparison = Comparison(("wong-mesh",), (PRESETS["t800"],), (4,), tries=tries)
    return [evaluate(point) for point in comparison.points()]


def test_what_is_tried():
    """The best is the quickest of all; the defaults are the first of all."""
    every, (best,), (default,) = tried("all"), tried("best"), tried("default")
    assert len(every) == 8
    assert best["ticks"] == min(row["ticks"] for row in every) < default["ticks"]
    assert best["options"] == "order=published redistribute=no rho=recompute"
    assert every[0]["options"] == "order=early redistribute=yes rho=pass"
    assert (default["options"], default["ticks"]) == ("", every[0]["ticks"])
    with pytest.raises(MeshSimError, match=r"^what is tried must be one of best, default, all, not 'some'$"):
        tried("some")


def test_the_quickest_on_one_processor():
    """Counted calls take what a run takes."""
    robot, state = subject("chain:4:1")
    for name, calls in work_on_one("chain:4:1").items():
        ticks = load_scheme(name).plan(robot, state).run(PRESETS["t800-measured"], trace=False).ticks
        assert ticks_on_one(calls, PRESETS["t800-measured"]) == ticks
    best, ticks = quickest_on_one("chain:4:1", PRESETS["t800"])
    assert ticks == min(ticks_on_one(calls, PRESETS["t800"]) for calls in work_on_one("chain:4:1").values())
    assert best in ONE_PROCESSOR
    assert "penalty" not in work_on_one("four-bar")
    assert "projection, qr" in work_on_one("four-bar")


def test_a_tree_has_recursions_to_be_measured_by():
    """With their defaults, Walker and Orin's way and articulated bodies are the quickest, and not the thesis's way."""
    others = {"one-angeles", "one-bae", "one-saha", "one-wong"}
    assert set(work_on_one("torso")) == {"one-featherstone", "one-walker-orin", *others}
    assert quickest_on_one("torso", PRESETS["t800"]) == ("one-walker-orin", 12205)
    assert ticks_on_one(work_on_one("torso")["one-featherstone"], PRESETS["t800"]) == 12205
    assert ticks_on_one(work_on_one("torso")["one-wong"], PRESETS["t800"]) == 13055


def test_a_point_is_plain_data():
    row = evaluate(Point("hwang", (), "chain:3:1", 3, PRESETS["ideal"], 0))
    assert json.loads(json.dumps(row)) == row
    with pytest.raises(MeshSimError, match=r"^unknown scheme"):
        Comparison(("nobody",), (PRESETS["ideal"],), (2,))
    assert pickle.loads(pickle.dumps(PRESETS["t800-measured"])) == PRESETS["t800-measured"]


@pytest.mark.parametrize("words", [["--schemes", "one-wong"], ["--schemes", "hwang"], ["--solver", "faddeev"]])
def test_any_choice_of_schemes(words, tmp_path, capsys):
    assert compare(tmp_path / "out", "--n", "2,3", *words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(lines)
    assert lines[-2].startswith("table: ")


def test_a_changed_machine_is_another_comparison(tmp_path, capsys):
    text = (EXAMPLES / "machine.toml").read_text()
    machine = tmp_path / "machine.toml"
    machine.write_text(text)
    words = ["--machines", str(machine), "--schemes", "hwang", "--n", "2"]
    assert compare(tmp_path / "out", *words) == 0
    machine.write_text(text.replace("mul = 10", "mul = 11"))
    assert compare(tmp_path / "out", *words) == 2
    assert "holds other work" in capsys.readouterr().err
    machine.write_text(text.replace("my-machine", "ideal"))
    assert compare(tmp_path / "two", "--machines", f"ideal,{machine}") == 2
    assert "machines of a comparison must have different names, not 'ideal' twice" in capsys.readouterr().err
    machine.write_text(text + "\n[kernels]\nnothing = 1\n")
    assert compare(tmp_path / "three", *words) == 2
    assert "unknown kernel 'nothing'" in capsys.readouterr().err


def test_a_machine_where_nothing_takes_time():
    nothing = Machine("nothing", 1, dict.fromkeys(PRESETS["ideal"].operations, 0), LinkCosts("free"))
    assert evaluate(Point("hwang", (), "chain:3:1", 3, nothing, 2))["speedup"] == 1.0
