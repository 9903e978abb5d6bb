"""Traces as files: each format is read back and compared with the run."""

import csv
import json
import sys

import pyarrow
import pyarrow.parquet
import pytest
from tools.command import call
from tools.placed_cases import placed_case
from tools.placed_engine import placed_run
from tools.trace_files import expected, read_chrome, read_perfetto

import meshsim as ms
from meshsim.deadlock import DeadlockError
from meshsim.experiments.traces import perfetto
from meshsim.experiments.traces.endings import write_trace
from meshsim.trace import Row, label

CHAIN = "chain:3:1"
CASES = {
    "own": (CHAIN, "wong-mesh", "t800", {}),
    "buffered": (CHAIN, "wong-mesh", "t800-overlap", {}),
    "posted": (CHAIN, "hwang", "t800-posted", {}),
    "free": (CHAIN, "wong-mesh", "ideal", {}),
    "placed": (CHAIN, "wong-mesh", "t800", {"network": "square-mesh:2x2", "placement": "blocks"}),
    "placed, buffered": (CHAIN, "wong-mesh", "t800-overlap", {"network": "ring:3", "placement": "round-robin"}),
    "loop": ("3rrr", "denoc", "t800", {"layout": "star"}),
}
EMPTY = 2
"""A case in which nothing takes time and nothing is computed, but messages are sent."""
RENDEZVOUS = {"own", "placed", "loop"}
"""Where no word is ever buffered: a sender goes on when its message has been taken."""


@pytest.fixture(scope="module", params=CASES)
def case(request):
    robot, scheme, machine, options = CASES[request.param]
    return request.param, ms.run(robot, scheme, machine, **options)


@pytest.fixture(scope="module")
def both():
    return ms.explain("wong-mesh", "one-wong", CHAIN, "t800")


def printed(run):
    """The rows of a table."""
    for row in run.trace.rows():
        yield row._replace(processor=label(row.processor), peer=label(row.peer), program=label(row.program))


# For viewers


@pytest.mark.parametrize(("ending", "read"), [("json", read_chrome), ("pftrace", read_perfetto)])
def test_a_viewer_shows_what_the_run_did(ending, read, case, tmp_path):
    name, result = case
    path = tmp_path / f"run.{ending}"
    result.save_trace(path)
    (shown,) = read(path, int(result.run.machine.tick_ns))
    wanted = expected(result.title, result.run)
    for field in wanted._fields:
        assert getattr(shown, field) == getattr(wanted, field), field
    missing = result.run.messages - len(shown.arrows)
    assert missing == 0 or (name.startswith("placed") and missing < 4)  # `expected` says which may be
    assert bool(shown.levels) == (name not in RENDEZVOUS)
    assert all(level[-1][1] == 0 for level in shown.levels.values())
    assert shown.phases[-1][2] <= result.ticks == max(each.end for each in shown.slices)


def test_a_viewer_shows_what_random_programs_did_that_share_processors(tmp_path):
    """Among them such as send before, or take after, anything that takes time; and a run without any slice."""
    missing = slices = 0
    for seed in (*range(3, 40), EMPTY):
        try:
            run = placed_run(placed_case(seed))
        except DeadlockError:
            continue
        wanted = expected("x", run)
        missing += run.messages - len(wanted.arrows)
        slices = len(wanted.slices)
        for ending, read in (("json", read_chrome), ("pftrace", read_perfetto)):
            write_trace([("x", run)], tmp_path / f"x.{ending}")
            assert read(tmp_path / f"x.{ending}", 1) == [wanted], (seed, ending)
    assert missing > 20
    assert slices == 0  # of the last


def test_an_arrow_of_a_rendezvous_joins_what_sends_and_what_receives():
    result = ms.run(CHAIN, "wong-mesh", "t800")
    shown = expected(result.title, result.run)
    for source, target in shown.arrows:
        assert shown.slices[source].kind == "send"
        assert shown.slices[target].kind in ("receive", "send")  # who does both is sending
    times = {(each["depart"], each["arrive"], at) for at, found in shown.sent.items() for each in found}
    assert all(shown.slices[at].start <= depart and arrive <= shown.slices[at].end for depart, arrive, at in times)


@pytest.mark.parametrize(("ending", "read"), [("json", read_chrome), ("pftrace", read_perfetto)])
def test_several_runs_are_processes_of_one_file(ending, read, both, tmp_path):
    path = tmp_path / f"run.{ending}"
    both.save_trace(path)
    assert read(path, 100) == [expected(title, run) for title, run in both.runs]


@pytest.mark.parametrize(("ending", "read"), [("json", read_chrome), ("pftrace", read_perfetto)])
def test_ticks_that_are_no_whole_nanoseconds_are_never_rounded(ending, read, tmp_path):
    result = ms.run(CHAIN, "one-wong", "versal-ai-engine")
    path = tmp_path / f"run.{ending}"
    result.save_trace(path)
    assert read(path, 1) == [expected(f"{result.title} (a tick of 0.8 ns is shown as 1 ns)", result.run)]


def test_chromes_file_says_on_what_it_ran(tmp_path):
    result = ms.run(CHAIN, "one-wong", "versal-ai-engine")
    result.save_trace(tmp_path / "run.json")
    about = {"machine": "versal-ai-engine", "tick_ns": 0.8, "shown_ns": 1, "ticks": result.ticks}
    assert json.loads((tmp_path / "run.json").read_text())["otherData"] == {result.title: about}


def test_packets_are_written_a_few_at_a_time(both, tmp_path, monkeypatch):
    both.save_trace(tmp_path / "at-once.pftrace")
    monkeypatch.setattr(perfetto, "FLUSH", 7)
    both.save_trace(tmp_path / "few.pftrace")
    assert (tmp_path / "few.pftrace").read_bytes() == (tmp_path / "at-once.pftrace").read_bytes()


# Tables

TABLE = """\
processor,kind,start,end,what,peer,words,depart,arrive,program
"(1,1)",compute,0,0,pass_on,,,,,
"(1,1)",send,0,74,east,"(1,2)",1,0,74,
"(1,1)",compute,74,74,pass_on,,,,,
"(1,1)",send,74,173,east,"(1,2)",1,99,173,
"(1,1)",wait,74,99,,,,,,
"(1,2)",receive,0,74,west,"(1,1)",1,0,74,
"(1,2)",compute,74,84,negative_ratio,,,,,
"(1,2)",compute,84,99,axpy,,,,,
"(1,2)",receive,99,173,west,"(1,1)",1,99,173,
"(1,2)",compute,173,188,axpy,,,,,
"""


def test_tables_have_every_row(case, tmp_path):
    _, result = case
    result.save_trace(tmp_path / "run.csv")
    result.save_trace(tmp_path / "run.parquet")
    rows = [row._asdict() for row in printed(result.run)]
    with (tmp_path / "run.csv").open(newline="") as stream:
        assert list(csv.DictReader(stream)) == [{key: str(value) for key, value in row.items()} for row in rows]
    table = pyarrow.parquet.read_table(tmp_path / "run.parquet")
    assert table.to_pylist() == [{key: None if value == "" else value for key, value in row.items()} for row in rows]
    for field in table.schema:
        texts = field.name in ("processor", "kind", "what", "peer", "program")
        assert pyarrow.types.is_dictionary(field.type) if texts else field.type == pyarrow.int64()


def test_a_table_as_it_is_written(tmp_path):
    result = ms.solve("random:1:1", "feedforward-lu", "t800")
    result.save_trace(tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_bytes().decode() == TABLE


def test_tables_of_several_runs_name_them(both, tmp_path):
    both.save_trace(tmp_path / "run.csv")
    both.save_trace(tmp_path / "run.parquet")
    rows = [{"run": title, **row._asdict()} for title, run in both.runs for row in printed(run)]
    with (tmp_path / "run.csv").open(newline="") as stream:
        table = csv.DictReader(stream)
        assert list(table) == [{key: str(value) for key, value in row.items()} for row in rows]
        assert table.fieldnames == ["run", *Row._fields]
    table = pyarrow.parquet.read_table(tmp_path / "run.parquet").to_pylist()
    assert table == [{key: None if value == "" else value for key, value in row.items()} for row in rows]


# What is refused


@pytest.mark.parametrize(
    ("ending", "module", "package", "extra"),
    [
        ("pftrace", "perfetto.trace_builder.proto_builder", "perfetto", "perfetto"),
        ("parquet", "pyarrow.parquet", "pyarrow", "parquet"),
    ],
)
def test_a_missing_package_is_told_before_any_work(ending, module, package, extra, capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    path = tmp_path / f"run.{ending}"
    words = ("run", "wong-mesh", "--robot", "not-there.urdf", "--machine", "t800", "--trace", path)
    said = f"meshsim: error: a trace {str(path)!r} needs {package}: pip install 'meshsim[{extra}]'\n"
    assert call(capsys, *words) == (2, "", said)
    assert not path.exists()
