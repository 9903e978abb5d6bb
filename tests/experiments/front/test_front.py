"""The front in Python: the same results as the command line's, from names or from things, for people and programs."""

import json
import math
from html.parser import HTMLParser

import matplotlib as mpl
import numpy as np
import pytest
from tools.command import call, run_json

import meshsim as ms
from meshsim.experiments.reports.result import MOST_ROWS, Result
from meshsim.experiments.studies.bench import measuring
from meshsim.experiments.studies.bench.catalogue import BENCHES
from meshsim.experiments.studies.bench.measuring import Bench

CHAIN = "chain:2:1"
LINES = {
    "run": (
        lambda _: ms.run(CHAIN, "wong-mesh", "t800", rho="recompute"),
        ["run", "wong-mesh", "--robot", CHAIN, "--machine", "t800", "--option", "rho=recompute"],
    ),
    "run loops": (
        lambda _: ms.run("four-bar", "denoc", "t800", profile="own"),
        ["run", "denoc", "--robot", "four-bar", "--machine", "t800", "--profile", "own"],
    ),
    "solve": (
        lambda _: ms.solve("symmetric:3:1", "liu-young", "t800"),
        ["solve", "liu-young", "--system", "symmetric:3:1", "--machine", "t800"],
    ),
    "solvers": (lambda _: ms.solvers(3), ["solvers", "--n", "3"]),
    "explain": (
        lambda _: ms.explain("wong-mesh", "hwang", CHAIN, "t800"),
        ["explain", "wong-mesh", "hwang", "--robot", CHAIN, "--machine", "t800"],
    ),
    "realtime": (
        lambda _: ms.realtime(CHAIN, "one-wong", "t800", 0.01),
        ["realtime", "one-wong", "--robot", CHAIN, "--machine", "t800", "--step", "0.01"],
    ),
    "place": (
        lambda _: ms.place(CHAIN, "wong-mesh", "t800", "ring:2", placement="blocks"),
        ["place", "wong-mesh", "--robot", CHAIN, "--machine", "t800", "--network", "ring:2", "--placement", "blocks"],
    ),
    "stream": (
        lambda out: ms.stream(CHAIN, "wong-mesh", "t800", ["own", "ring:2"], evaluations=8, out=out, jobs=1),
        [
            *("stream", "wong-mesh", "--robot", CHAIN, "--machine", "t800", "--network", "own,ring:2", "--jobs", "1"),
            *("--evaluations", "8"),
        ],
    ),
    "list": (lambda _: ms.listing("machines"), ["list", "machines"]),
    "simulate": (
        lambda out: ms.simulate(CHAIN, "one-wong", "t800", 0.01, duration=0.03, out=out),
        ["simulate", "one-wong", "--robot", CHAIN, "--machine", "t800", "--step", "0.01", "--duration", "0.03"],
    ),
    "inverse": (
        lambda out: ms.inverse("3prr", "noc", "t800", samples=3, out=out),
        ["inverse", "noc", "--robot", "3prr", "--machine", "t800", "--samples", "3"],
    ),
    "compare": (
        lambda out: ms.compare(["wong-mesh", "one-wong"], "ideal", n=[2, 3], out=out, jobs=1),
        ["compare", "--schemes", "wong-mesh,one-wong", "--machine", "ideal", "--n", "2,3", "--jobs", "1"],
    ),
    "examples": (lambda _: ms.example(), ["example"]),
    "example": (lambda out: ms.example("arm", out), ["example", "arm"]),
    "reproduce": (lambda out: ms.reproduce("wong-table-4.2", out=out), ["reproduce", "wong-table-4.2"]),
}
WRITING = ("simulate", "inverse", "compare", "stream", "example", "reproduce")


class Tags(HTMLParser):
    """Checks that every tag is closed, and counts rows."""

    def __init__(self):
        super().__init__()
        self.open, self.rows = [], 0

    def handle_starttag(self, tag, _):
        self.open.append(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check_result(result):
    """What every result can do."""
    assert isinstance(result, Result)
    assert repr(result).startswith(f"<{type(result).__name__}: ")
    assert "\n" not in repr(result)
    assert len(repr(result)) < 200
    assert json.loads(json.dumps(result.to_dict())) == result.to_dict()
    rows = result.rows()
    assert rows
    assert len({tuple(row) for row in rows}) == 1
    for row in rows:
        assert all(value is None or isinstance(value, str | int | float) for value in row.values()), row
    tags = Tags()
    tags.feed(result._repr_html_())
    assert tags.open == []
    assert tags.rows == (len(rows[0]) if len(rows) == 1 else 1 + min(len(rows), MOST_ROWS))


@pytest.mark.parametrize("name", LINES)
def test_a_line_of_python_does_what_a_command_does(name, tmp_path, capsys):
    function, words = LINES[name]
    result = function(tmp_path / "out")
    check_result(result)
    capsys.readouterr()
    where = ["--out", tmp_path / "out"] if name in WRITING else []
    status, out, _ = call(capsys, *words, *where, "--json")
    assert status == 0
    assert json.loads(out) == json.loads(json.dumps(result.to_dict()))
    _, text, _ = call(capsys, *words, *where)
    assert text == result.as_text() + "\n"


def test_a_sweep_in_python(tmp_path):
    spec = {"schemes": ["wong-mesh", "hwang"], "n": [2], "machine": "t800", "grid": {"startup": [0, 20], "mul": [5]}}
    result = ms.sweep(spec, out=tmp_path / "out", jobs=1)
    check_result(result)
    assert [(row["scheme"], row["startup"]) for row in result.rows()] == [
        ("wong-mesh", 0), ("wong-mesh", 20), ("hwang", 0), ("hwang", 20),
    ]  # fmt: skip
    assert all(path.exists() for path in [result.table, *result.figures])


def test_benches_in_python(monkeypatch):
    figures = {"mesh.2.seconds": 0.25, "mesh.2.messages": 8}
    monkeypatch.setitem(BENCHES, "mesh", Bench("A step.", {"mesh 2": lambda: (figures for _ in range(3))}))
    monkeypatch.setattr(measuring, "DOUBTFUL", math.inf)
    check_result(ms.bench("mesh"))
    assert ms.bench("mesh").as_text().splitlines()[2].split() == ["mesh.2.seconds", "0.25", "0"]


# Names or things


def test_things_are_taken_as_names_are(tmp_path, capsys):
    robot, scheme, machine = ms.load_robot("puma600"), ms.load_scheme("wong-mesh"), ms.load_machine("t800")
    assert ms.run(robot, scheme, machine).to_dict() == ms.run("puma600", "wong-mesh", "t800").to_dict()
    state = {"q": np.arange(6) / 7, "qd": [0.1] * 6, "tau": (0.0,) * 6}
    given = {key: np.asarray(value).tolist() for key, value in state.items()}
    (tmp_path / "state.json").write_text(json.dumps(given))
    words = ("run", "wong-mesh", "--robot", "puma600", "--machine", "t800", "--state", tmp_path / "state.json")
    assert ms.run(robot, scheme, machine, state).to_dict() == run_json(capsys, *words)
    assert ms.run(robot, scheme, machine, ms.State(*(tuple(given[key]) for key in given))).value.qdd == pytest.approx(
        ms.run(robot, scheme, machine, tmp_path / "state.json").value.qdd, rel=0, abs=0
    )
    A = np.array([[2.0, 1.0], [1.0, 3.0]])
    assert ms.solve((A, [1, 2]), "feedforward-lu", machine).value == pytest.approx(np.linalg.solve(A, [1, 2]))
    one, other = (ms.compare([each], machine, n=[2], out=tmp_path / "c", jobs=1) for each in (scheme, "wong-mesh"))
    assert one.rows() == other.rows()


MISTAKES = [
    (lambda: ms.run(3, "wong-mesh", "t800"), "robot must be a name, a path or a Mechanism, not int"),
    (lambda: ms.run(CHAIN, None, "t800"), "scheme must be a name, a path or a Scheme, not NoneType"),
    (lambda: ms.run(CHAIN, "wong-mesh", "cray"), "machine must be a .toml file or one of ideal, t800, "),
    (lambda: ms.run(CHAIN, "wong-mesh", "t800", row="pass"), "unknown option 'row' of wong-mesh; known: order"),
    (
        lambda: ms.run(CHAIN, "wong-mesh", "t800", {"q": [0, 0]}),
        "state must have the keys q, qd, tau, not lack 'qd'",
    ),
    (
        lambda: ms.solve(([[1, 2]], [1, 2]), "faddeev", "t800"),
        "A must be 2 rows, as many as b has numbers, not [[1, 2]]",
    ),
    (
        lambda: ms.solve(([[1, np.nan], [0, 1]], [1, 2]), "faddeev", "t800"),
        "every entry of row 1 of A must be a finite number, not nan",
    ),
    (lambda: ms.listing("rabbits"), "what to list must be schemes, solvers, "),
    (lambda: ms.compare(out=""), "--out must name a folder, not nothing"),
    (lambda: ms.sweep({"schemes": ["hwang"]}, jobs=0), "--jobs must be a positive integer, not 0"),
    (lambda: ms.bench("speed"), "unknown bench 'speed'; known: systolic, mesh"),
]


@pytest.mark.parametrize(("call", "message"), MISTAKES)
def test_mistakes(call, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ms.MeshSimError) as error:
        call()
    assert str(error.value).startswith(message)
    assert list(tmp_path.iterdir()) == []


# Results


def test_a_result_has_what_a_run_has():
    result = ms.run("puma600", "wong-mesh", "ideal")
    assert (result.time_us, result.ticks) == (268.5, 537)
    assert list(result.phases.items()) == [
        ("inertia", 449), ("force", 473), ("shift", 474), ("solve", 537), ("distribute", 537),
    ]  # fmt: skip
    assert repr(result).endswith("solver=feedforward-lu: puma600 on ideal, 28 processors, 268.5 us>")
    (row,) = result.rows()
    assert (row["inertia_us"], row["messages"], row["rho"]) == (224.5, 880, "pass")
    solved = ms.solve("random:3:1", "feedforward-lu", "ideal")
    assert {"first_unknown", "last_unknown"} <= set(solved.phases)
    assert solved.time_us * 2 == solved.ticks


def test_a_run_without_a_trace_is_told_without_its_path():
    traced, plain = (ms.run(CHAIN, "wong-mesh", "t800", trace=trace) for trace in (True, False))
    given, found = traced.to_dict(), plain.to_dict()
    assert (found["critical_path"], found["sensitivity"]) == (None, {})
    left = {"critical_path", "sensitivity"}
    assert {key: found[key] for key in set(found) - left} == {key: given[key] for key in set(given) - left}
    text, more = ([line for line in each.as_text().splitlines() if line] for each in (plain, traced))
    assert "critical path" not in plain.as_text()
    assert text[0] == f"wong-mesh computes {CHAIN} in {plain.time_us:.1f} us on 6 t800 processors, 16 % busy."
    own = [line for line in text if line not in more]
    assert own == [text[0], "phases: full height where all 6 programs are in them"]
    assert [line for line in more if line in text] == [line for line in text if line not in own]
    with pytest.raises(ms.MeshSimError, match=r"^a run must be traced"):
        plain.save_gantt("never.png")


@pytest.mark.usefixtures("in_full")
def test_pictures_go_where_they_should(tmp_path):
    from matplotlib.figure import Figure

    result = ms.run(CHAIN, "wong-mesh", "t800")
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert result.plot_gantt(right) is right
    assert (left.get_title(), right.get_title().replace("\n", " ")) == ("", result.title)
    assert right.get_legend().get_texts()[0].get_text() == "compute"
    figure.savefig(tmp_path / "both.png")
    both = ms.explain("wong-mesh", "one-wong", CHAIN, "t800")
    assert both.plot_gantt([left, right]) == [left, right]
    assert left.get_title() == f"wong-mesh: {CHAIN} on t800"
    for name in ("run.png", "run.svg", "run.pdf"):
        result.save_gantt(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 5000
    with pytest.raises(ms.MeshSimError, match=r"^a picture must end with .png, .svg, .pdf, not 'run.doc'$"):
        result.save_gantt("run.doc")
    with pytest.raises(
        ms.MeshSimError, match=r"^a trace must end with .csv, .parquet, .json, .pftrace, not 'run.txt'$"
    ):
        result.save_trace("run.txt")


def test_a_picture_of_its_own():
    mpl.use("agg")
    from matplotlib import pyplot

    axes = ms.solve("random:2:1", "feedforward-lu", "t800").plot_gantt()
    assert pyplot.fignum_exists(axes.figure.number)
    pyplot.close(axes.figure)


def test_what_a_notebook_shows_is_escaped_and_short(tmp_path):
    from dataclasses import replace

    robot = replace(ms.load_robot(CHAIN), name="<b>arm & leg</b>")
    page = ms.run(robot, "one-wong", "t800")._repr_html_()
    assert "&lt;b&gt;arm &amp; leg&lt;/b&gt;" in page
    assert "<b>" not in page
    moved = ms.simulate(CHAIN, "one-wong", "t800", 0.01, duration=0.2, out=tmp_path / "out")
    assert len(moved.rows()) == 42
    assert "</table><p>and 22 more</p><img " in moved._repr_html_()


def test_runs_of_ones_own_programs_are_looked_at(tmp_path):
    import networkx as nx

    def teller(cpu):
        yield cpu.send("east", 3.0)

    def listener(cpu):
        return (yield cpu.recv("west"))

    pair = nx.MultiGraph()
    pair.add_edge("a", "b", ports={"a": "east", "b": "west"})
    plan = ms.Plan(pair, {"a": teller, "b": listener}, read=lambda results: results["b"])
    look = ms.look(plan.run(ms.load_machine("t800"), values=True), "<pair>")
    check_result(look)
    assert look.as_text().startswith("<pair> ends in 7.4 us on 2 t800 processors, 0 % busy")
    look.report(tmp_path / "pair.html")
    look.save_trace(tmp_path / "pair.csv")
    assert "\\u003cpair>" in (tmp_path / "pair.html").read_text()
    with pytest.raises(ms.MeshSimError, match=r"run must be what Plan\.run gives, not a Plan"):
        ms.look(plan)
    with pytest.raises(ms.MeshSimError, match="run must be traced"):
        ms.look(plan.run(ms.load_machine("t800"), trace=False))
