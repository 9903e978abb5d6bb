"""Sweeps: the engine's times, whoever does the work and however often it is killed."""

import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tools.paths import EXAMPLES, ROOT
from tools.sweeps import SMALL, spec, table

from meshsim.algorithms.types.splitmix import SplitMix64
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main
from meshsim.experiments.figures.sweep_maps import bends_of, fastest_up_to
from meshsim.experiments.figures.sweep_pareto import pareto_front
from meshsim.experiments.store.journal import open_journal
from meshsim.experiments.studies import sweep as sweeping
from meshsim.experiments.studies.sweep import Source, plan_of, run_sweep
from meshsim.experiments.studies.sweep_spec import CHOICES, read_sweep
from meshsim.machine_table import machine_with
from meshsim.retiming import NotKahnError

# What comes out


@pytest.mark.usefixtures("in_full")
@pytest.mark.parametrize(
    "name", ["latin", *(pytest.param(name, marks=pytest.mark.slow) for name in ("links", "buffers"))]
)
def test_the_examples(name, tmp_path, capsys):
    assert main(["sweep", str(EXAMPLES / f"{name}.toml"), "--out", str(tmp_path / "out"), "--jobs", "1"]) == 0
    rows = table(tmp_path / "out")
    assert f"{len(rows)} rows: " in capsys.readouterr().out
    assert len({row["key"] for row in rows}) == len(rows) > 1000
    check_rows(read_sweep(EXAMPLES / f"{name}.toml"), random.Random(1).sample(rows, 6))
    pictures = {path.name for path in (tmp_path / "out").glob("*.png")}
    assert "pareto" in " ".join(pictures)
    if name == "links":
        assert {"winners-overlap.png", "time-rendezvous.png", "crossover-overlap.png"} <= pictures


TRYING = """
schemes = ["wong-mesh", "hwang"]
n = [3]
try = "best"

[grid]
startup = [0, 51]
per_word = [5, 23]
discipline = ["overlap", "rendezvous"]
"""


def test_the_quickest_options_are_tried(tmp_path):
    path = spec(tmp_path, TRYING)
    assert main(["sweep", str(path), "--out", str(tmp_path / "out"), "--jobs", "1"]) == 0
    rows = table(tmp_path / "out")
    check_rows(read_sweep(path), rows)
    mesh = {(row["discipline"], row["options"]) for row in rows if row["scheme"] == "wong-mesh"}
    assert {options.split()[0] for discipline, options in mesh if discipline == "rendezvous"} == {"order=published"}
    assert {row["options"] for row in rows if row["scheme"] == "hwang"} == {""}
    given = spec(tmp_path, TRYING + '[options.wong-mesh]\norder = "early"\n')
    assert len(read_sweep(given).options["wong-mesh"]) == 4
    with pytest.raises(MeshSimError, match=r"try must be .best. or left out, not .all.$"):
        read_sweep(spec(tmp_path, TRYING.replace("best", "all")))


def check_rows(sweep, rows):
    """Against the engine."""
    for row in rows:
        setting = {name: row[name] if name in CHOICES else int(row[name]) for name in sweep.parameters}
        machine = machine_with(sweep.machine, setting)
        runs = [
            plan_of(Source(row["scheme"], tuple(options.items()), sweep.sources[row["robot"]])).run(
                machine, trace=False
            )
            for options in sweep.options[row["scheme"]]
        ]
        run = min(runs, key=lambda run: run.ticks)
        assert int(row["ticks"]) == run.ticks
        assert float(row["inertia_us"]) == machine.microseconds(run.phases["inertia"])
        assert (int(row["processors"]), int(row["messages"]), int(row["words"])) == (
            run.processors,
            run.messages,
            run.words,
        )


def test_the_table(tmp_path):
    sweep = read_sweep(spec(tmp_path))
    rows, failures, _ = run_sweep(sweep, tmp_path / "out")
    assert failures == []
    assert len(rows) == 2 * 2 * 3 * 3 * 2
    assert list(rows[0])[:6] == ["key", "scheme", "robot", "n", "startup", "per_word"]
    assert [(row["scheme"], row["n"]) for row in rows[:19:18]] == [("wong-mesh", 2), ("wong-mesh", 3)]
    again, *_ = run_sweep(sweep, tmp_path / "out")
    assert list(again) == list(rows)
    assert [rows[place] for place in range(-len(rows), 0)] == rows[:] == list(rows)
    import pyarrow.parquet

    parquet = pyarrow.parquet.read_table(tmp_path / "out" / "sweep.parquet").to_pylist()
    assert [row["ticks"] for row in parquet] == [row["ticks"] for row in rows]


def test_latin_hypercube(tmp_path):
    text = """schemes = ["one-wong"]\nn = [2]\n[latin]\npoints = 50\nseed = 3\nmul = [1, 50]\nadd = [0, 999]\n"""
    sweep = read_sweep(spec(tmp_path, text))
    columns = sweep.machines.columns
    assert sorted(columns["mul"]) == list(range(1, 51))  # one from every part
    assert sorted(columns["add"] // 20) == list(range(50))
    draw = SplitMix64(3)
    parts = sorted(range(50), key=lambda _: draw.next())
    assert columns["mul"].tolist() == [1 + int((part + draw.uniform(0.0, 1.0)) / 50 * 50) for part in parts]
    other = read_sweep(spec(tmp_path, text.replace("seed = 3", "seed = 4"))).machines.columns
    assert columns["add"].tolist() != other["add"].tolist()


def test_logarithmic_and_even_steps(tmp_path):
    text = SMALL.replace("startup = [0, 20, 50]", 'startup = { from = 1, to = 1000, count = 4, scale = "log" }')
    sweep = read_sweep(spec(tmp_path, text))
    assert sweep.grid["startup"] == (1, 10, 100, 1000)
    assert sweep.grid["per_word"] == (0, 20, 40)


# Who does the work


@pytest.mark.parametrize("jobs", [1, 3])
def test_local_processes(jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(sweeping, "CHUNK", 4)
    sweep = read_sweep(spec(tmp_path))
    monkeypatch.setattr(sweeping, "ENOUGH", 1)
    rows, *_ = run_sweep(sweep, tmp_path / "out", jobs)
    assert list(rows) == list(run_sweep(sweep, tmp_path / "plain")[0])


def test_any_executor(tmp_path, monkeypatch):
    monkeypatch.setattr(sweeping, "CHUNK", 4)
    sweep = read_sweep(spec(tmp_path))
    with ThreadPoolExecutor(2) as executor:
        rows, failures, _ = run_sweep(sweep, tmp_path / "out", executor=executor)
    assert list(rows) == list(run_sweep(sweep, tmp_path / "plain")[0])
    assert failures == []


def test_failures_are_tried_again_then_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sweeping, "CHUNK", 6)
    monkeypatch.setattr(sweeping, "CHUNK", 6)
    tried = {}
    right = sweeping.evaluate

    def moody(task):
        key = task.number
        tried[key] = tried.get(key, 0) + 1
        if task.scheme == "hwang" and (task.robot == "chain:3:1" or tried[key] < 3):
            raise OSError("no memory today")
        return right(task)

    monkeypatch.setattr(sweeping, "evaluate", moody)
    path = spec(tmp_path)
    assert main(["sweep", str(path), "--out", str(tmp_path / "out"), "--jobs", "1"]) == 2
    assert (
        "3 tasks failed, the rest is written: hwang, chain:3:1, 6 points: OSError: no memory today;"
        in capsys.readouterr().err
    )
    assert max(tried.values()) == 3
    assert len(table(tmp_path / "out")) == 54
    monkeypatch.setattr(sweeping, "evaluate", right)
    assert main(["sweep", str(path), "--out", str(tmp_path / "out"), "--jobs", "1"]) == 0
    assert table(tmp_path / "out") == [
        {name: "" if value is None else str(value) for name, value in row.items()}
        for row in run_sweep(read_sweep(path), tmp_path / "plain")[0]
    ]


def test_machines_that_cannot_be_retimed(tmp_path):
    machine = (EXAMPLES / "machine.toml").read_text().replace('duplex = "full"', 'duplex = "half"')
    assert 'duplex = "half"' in machine
    (tmp_path / "half.toml").write_text(machine)
    text = SMALL.replace('"t800"', '"half.toml"').replace('"overlap", ', "").replace("n = [2, 3]", "n = [2]")
    with pytest.raises(NotKahnError, match=r"cannot be re-timed: its links are half duplex"):
        run_sweep(read_sweep(spec(tmp_path, text)), tmp_path / "out")
    sweep = read_sweep(spec(tmp_path, 'fallback = "simulate"\n' + text))
    rows, failures, _ = run_sweep(sweep, tmp_path / "simulated")
    assert failures == []
    check_rows(sweep, rows)


# Killed, and two at once

LONG = """
schemes = ["wong-mesh", "lee-chang", "amin-javaheri", "fijany-bejczy", "hwang"]
n = [6, 10]
[grid]
startup = { from = 0, to = 200, count = 30 }
per_word = { from = 0, to = 100, count = 10 }
"""
BLOCKS = 5 * 2 * 15


def command(path, folder):
    """A sweep in blocks of 20 rows."""
    return [
        sys.executable,
        "-c",
        "from meshsim.experiments.studies import sweep; sweep.CHUNK = 20; sweep.ENOUGH = 1; "
        "from meshsim.experiments.cli.entry import main; main()",
        "sweep",
        str(path),
        "--out",
        str(folder),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("moments", [10])
def test_killed_at_random_moments(tmp_path, moments, monkeypatch):
    path, rows = spec(tmp_path, LONG), tmp_path / "out" / "rows.jsonl"
    draw = random.Random(5)
    killed = finished = 0
    for _ in range(moments):
        work = subprocess.Popen(
            [*command(path, tmp_path / "out"), "--jobs", "2"],
            cwd=ROOT,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        enough = finished + draw.randrange(BLOCKS // moments)
        while work.poll() is None and not (rows.exists() and rows.read_bytes().count(b"\n") >= enough):
            time.sleep(0.01)
        if work.poll() is None:
            os.killpg(work.pid, signal.SIGKILL)
            killed += 1
        work.wait()
        finished = rows.read_bytes().count(b"\n")
    assert killed
    monkeypatch.setattr(sweeping, "CHUNK", 20)
    run_sweep(read_sweep(path), tmp_path / "out")
    run_sweep(read_sweep(path), tmp_path / "plain")
    assert (tmp_path / "out" / "sweep.csv").read_bytes() == (tmp_path / "plain" / "sweep.csv").read_bytes()
    keys = [line.split(",")[0] for line in rows.read_text().splitlines()]
    assert len(keys) == len(set(keys)) == BLOCKS


@pytest.mark.slow
def test_a_worker_that_is_killed_is_told_of(tmp_path):
    """At any moment, writing included: nobody waits for it, and the folder is free again."""
    path = spec(tmp_path, LONG)
    told = 0
    for delay in (0.0, 0.3):
        work = subprocess.Popen(
            [*command(path, tmp_path / f"out{delay}"), "--jobs", "2"],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        listed = Path(f"/proc/{work.pid}/task/{work.pid}/children")
        while not (children := listed.read_text().split()):
            time.sleep(0.01)
        time.sleep(delay)
        os.kill(int(children[-1]), signal.SIGKILL)
        _, err = work.communicate(timeout=60)
        told += "a worker process died; give the same command again" in err
    assert told


def test_a_kill_while_the_folder_was_claimed(tmp_path):
    sweep = read_sweep(spec(tmp_path))
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / ".settings-x.json").write_text("{")
    (folder / "rows.jsonl").write_text("")
    rows, *_ = run_sweep(sweep, folder)
    text = (folder / "rows.jsonl").read_text()
    (folder / "rows.jsonl").write_text(text.removesuffix("\n"))  # a last line without its end is not trusted
    assert list(run_sweep(sweep, folder)[0]) == list(rows)
    assert (folder / "rows.jsonl").read_text() == text


def test_the_folder_does_not_depend_on_how_paths_are_spelt(tmp_path, monkeypatch):
    robot = (EXAMPLES / "arm.urdf").read_text()
    (tmp_path / "arm.urdf").write_text(robot)
    path = spec(tmp_path, SMALL.replace("n = [2, 3]", 'robots = ["arm.urdf"]'))
    rows, *_ = run_sweep(read_sweep(path), tmp_path / "out")
    assert {row["robot"] for row in rows} == {"arm.urdf"}
    monkeypatch.chdir(tmp_path)
    assert list(run_sweep(read_sweep(path.name), tmp_path / "out")[0]) == list(rows)
    (tmp_path / "arm.urdf").write_text(robot.replace("<robot", "<!-- another --><robot"))
    with pytest.raises(MeshSimError, match="holds other work"):
        run_sweep(read_sweep(path), tmp_path / "out")


def test_seed_and_options_matter(tmp_path):
    one, two = (read_sweep(spec(tmp_path, f"seed = {seed}\n{SMALL}")) for seed in (1, 2))
    assert one.robots == ("chain:2:1", "chain:3:1")
    assert two.robots == ("chain:2:2", "chain:3:2")
    other = read_sweep(spec(tmp_path, SMALL + '[options.wong-mesh]\nrho = "recompute"\n'))
    tables = [run_sweep(each, tmp_path / f"out{number}")[0] for number, each in enumerate((one, two, other))]
    keys = [{row["key"] for row in rows} for rows in tables]
    assert len(keys[0] & keys[1]) == 0
    assert len(keys[0] & keys[2]) == len(keys[0]) // 2  # hwang's are the same


def test_two_sweeps_in_one_folder(tmp_path, capsys):
    path = spec(tmp_path)
    sweep = read_sweep(path)
    run_sweep(sweep, tmp_path / "out")
    other = spec(tmp_path, SMALL.replace("[0, 20, 50]", "[0, 20, 51]"), "other.toml")
    assert main(["sweep", str(other), "--out", str(tmp_path / "out")]) == 2
    assert "holds other work" in capsys.readouterr().err
    held = tmp_path / "held"
    source = (
        "import sys, time; from pathlib import Path; from meshsim.experiments.store.journal import open_journal\n"
        "with open_journal(Path(sys.argv[1]), {}): print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", source, str(held)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        assert main(["sweep", str(path), "--out", str(held)]) == 2
        assert "is in use by another run" in capsys.readouterr().err
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    with open_journal(tmp_path / "free", {}):
        pass


# A cluster


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_a_dask_cluster_that_loses_a_worker(tmp_path, monkeypatch):
    from distributed import LocalCluster

    path = spec(tmp_path, LONG.replace("[6, 10]", "[5]"))
    monkeypatch.setattr(sweeping, "CHUNK", 25)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as workers:
        victim = next(iter(workers.workers.values())).pid
        with sweeping.cluster(workers.scheduler_address) as executor:
            killed = []

            class Watched:
                """Submits, and kills a worker after a while."""

                def submit(self, function, task):
                    if len(killed) == 0 and watched["tasks"] == 20:
                        killed.append(victim)
                        os.kill(victim, signal.SIGKILL)
                    watched["tasks"] += 1
                    return executor.submit(function, task)

            watched = {"tasks": 0}
            rows, failures, _ = run_sweep(read_sweep(path), tmp_path / "out", executor=Watched())
    assert killed
    assert failures == []
    assert list(rows) == list(run_sweep(read_sweep(path), tmp_path / "plain")[0])


@pytest.mark.filterwarnings("ignore")
def test_no_cluster_there(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sweeping, "PATIENCE", 1)
    assert main(["sweep", str(spec(tmp_path)), "--out", str(tmp_path / "out"), "--cluster", "tcp://127.0.0.1:1"]) == 2
    assert "cannot reach a Dask scheduler at 'tcp://127.0.0.1:1'" in capsys.readouterr().err


# What the maps are made of


def test_bends():
    assert bends_of([0, 1, 2, 4], [0, 1, 2, 4]) == []
    assert bends_of([0, 1, 2, 3], [0, 1, 3, 5]) == [1]
    assert bends_of([0, 2, 4, 6], [0, 2, 5, 9]) == [1]  # one switch between two points


def test_pareto_front():
    assert pareto_front({"a": (1, 9.0), "b": (3, 4.0), "c": (3, 5.0), "d": (7, 4.0), "e": (9, 1.0)}) == ["a", "b", "e"]


def test_fastest_up_to():
    times = {2: {"a": 1.0, "b": 2.0}, 4: {"a": 3.0, "b": 3.0}, 6: {"a": 5.0, "b": 4.0}, 8: {"a": 5.0, "b": 6.0}}
    assert fastest_up_to("a", times) == 4
    assert fastest_up_to("b", times) == 0
