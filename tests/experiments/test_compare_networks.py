"""`meshsim compare` on networks: a matrix, more and more processors, what is refused and what is kept."""

import csv
import json
import re

import networkx as nx
import pytest
from tools.command import call, run_json

import meshsim as ms
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.deadlock import DeadlockError
from meshsim.errors import MeshSimError
from meshsim.experiments.studies import matrix, scaling
from meshsim.experiments.studies.baseline import subject
from meshsim.experiments.studies.compare import Comparison, evaluate
from meshsim.experiments.studies.elsewhere import wheres_of
from meshsim.experiments.studies.where import Where
from meshsim.network import Network
from meshsim.plan import Plan
from meshsim.presets import PRESETS
from meshsim.simulation import NOWHERE

SMALL = ("--n", "2", "--machine", "t800", "--jobs", "1")
TWO = (*SMALL, "--schemes", "wong-mesh,hwang")
NETWORKS = (*TWO, "--networks", "ring:2,square-mesh:2x2", "--try", "default")
T800 = PRESETS["t800"]
ROBOT = "chain:2:1"


def rows_of(folder):
    with (folder / "compare.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def ticks(scheme, where, **options):
    """What a scheme takes somewhere, found without a comparison."""
    plan = load_scheme(scheme).plan(*subject(ROBOT), **options)
    return where.placed(plan, T800).run(T800, trace=False).ticks


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """The folder of a matrix, and what it printed."""
    folder = tmp_path_factory.mktemp("networks")
    report = ms.compare(
        schemes=["wong-mesh", "hwang"],
        machine="t800",
        n=[2],
        networks=["ring:2", "square-mesh:2x2"],
        tries="default",
        out=folder,
        jobs=1,
    )
    return folder, report


def test_a_matrix_and_its_files(compared):
    folder, report = compared
    names = ["compare.csv", "networks-chain-2-1.png", "rows.jsonl", "settings.json"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert (folder / names[1]).read_bytes().startswith(b"\x89PNG")
    assert report.figures == [folder / names[1]]
    rows = {(row["scheme"], row["network"]): row for row in rows_of(folder)}
    assert list(rows) == [(s, n) for s in ("wong-mesh", "hwang") for n in ("own", "ring:2", "square-mesh:2x2")]
    for (scheme, network), row in rows.items():
        where = Where() if network == "own" else Where(network)
        assert int(row["ticks"]) == ticks(scheme, where)
        assert float(row["own_us"]) == float(rows[scheme, "own"]["time_us"])
        assert float(row["factor"]) == pytest.approx(float(row["time_us"]) / float(row["own_us"]))
        assert float(row["efficiency"]) == pytest.approx(float(row["speedup"]) / int(row["processors"]))
        assert float(row["error"]) < 1e-12
    mesh = rows["wong-mesh", "square-mesh:2x2"]
    assert (mesh["shape"], mesh["placement"], mesh["processors"]) == ("square-mesh(2, 2)", "auto", "4")
    own = rows["wong-mesh", "own"]
    assert (own["shape"], own["placement"], own["used"], own["switches"]) == ("cone(2)", "", "6", "0")
    assert (own["word_hops"], own["mean_distance"], own["factor"]) == (own["words"], "1.0", "1.0")


def test_what_sharing_costs_is_told(tmp_path):
    """On one processor every message is a copy; on two, what crosses the link is the words between the two."""
    settings = {"schemes": ["hwang"], "machine": "t800", "n": [2], "tries": "default", "jobs": 1}
    report = ms.compare(**settings, networks="ring:2", processors=1, out=tmp_path / "one")
    _, row = report.rows()
    assert (row["used"], row["processors"], row["copies"], row["word_hops"]) == (1, 1, row["messages"], 0)
    assert row["switches"] > 0
    assert row["efficiency"] == row["speedup"]
    report = ms.compare(**settings, networks="ring:2", placement="round-robin", out=tmp_path / "two")
    _, row = report.rows()
    plan = load_scheme("hwang").plan(*subject(ROBOT))
    number = {node: place for place, node in enumerate(plan.programs)}
    apart = [each for each in plan.run(T800).traffic if number[each.sender] % 2 != number[each.receiver] % 2]
    assert row["word_hops"] == sum(each.words for each in apart)
    assert row["copies"] == row["messages"] - sum(each.messages for each in apart)
    assert (row["placement"], row["used"], row["conflicts"] > 0) == ("round-robin", 2, True)


def test_the_printed_matrix_and_its_marks():
    """The own network first; the best of each column and of each row."""
    times = {"a": (20, 30, 10), "b": (10, 10, 40)}
    rows = [
        {
            "robot": "r",
            "machine": "m",
            "label": label,
            "network": network,
            "asked": None,
            "ticks": time,
            "time_us": float(time),
            "factor": time / line[0],
            "baseline": "one",
            "baseline_us": 25.0,
            "options": "",
            "given": "",
        }
        for label, line in times.items()
        for network, time in zip(("own", "x:2", "y:3"), line, strict=True)
        if (label, network) != ("b", "y:3")
    ]
    lines = matrix.as_text(rows)
    assert lines[0] == "r on m, us (one on one: 25.0)"
    assert [line.split() for line in lines[1:4]] == [
        ["scheme", "own", "x:2", "y:3"],
        ["a", "20.0", "30.0", "x1.50", "10.0", "x0.50*<"],
        ["b", "10.0*<", "10.0", "x1.00*", "-"],
    ]
    many = [{**row, "network": f"network-{place}:4"} for place in range(8) for row in rows[:1]]
    assert max(map(len, matrix.as_text(many))) <= matrix.WIDE
    assert sum(line.startswith("scheme") for line in matrix.as_text(many)) == 2


def test_a_matrix_goes_on_where_it_was(compared, capsys):
    """Nothing is computed again, and all is the same."""
    folder, report = compared
    table, journal = (folder / "compare.csv").read_bytes(), (folder / "rows.jsonl").read_text()
    lines = journal.splitlines(keepends=True)
    (folder / "rows.jsonl").write_text("".join(lines[:3]) + lines[3][:20])  # as a kill leaves it
    status, out, err = call(capsys, "compare", *NETWORKS, "--out", folder)
    assert (status, out) == (0, report.as_text() + "\n"), err
    assert "compare: 3 of 6 were finished before" in err
    assert (folder / "compare.csv").read_bytes() == table
    assert (folder / "rows.jsonl").read_text() == journal
    status, _, err = call(capsys, "compare", *NETWORKS, "--placement", "blocks", "--out", folder)
    assert status == 2
    assert "holds other work" in err


def test_workers_give_the_same_table(compared, capsys, tmp_path):
    words = [*NETWORKS, "--jobs", "2"]
    assert call(capsys, "compare", *words, "--out", tmp_path)[0] == 0
    assert (tmp_path / "compare.csv").read_bytes() == (compared[0] / "compare.csv").read_bytes()


def test_a_changed_file_of_a_network_is_another_comparison(capsys, tmp_path):
    """Its name alone would not tell."""
    path = tmp_path / "boards.json"
    words = (*SMALL, "--schemes", "hwang", "--try", "default", "--network", path, "--out", tmp_path / "out")
    for startup, status in ((51, 0), (51, 0), (500, 2)):
        graph = nx.path_graph(3)
        graph.edges[0, 1]["startup"] = startup
        path.write_text(json.dumps(nx.node_link_data(graph, edges="links")))
        assert call(capsys, "compare", *words)[0] == status


def test_what_is_tried_on_a_network():
    """The best is the quickest of all on that network, each placed by itself."""
    where = Where("ring:3", placement="blocks")
    names = {"best": 1, "default": 1, "all": 8}
    found = {}
    for tries, count in names.items():
        comparison = Comparison(("wong-mesh",), (T800,), (2,), tries=tries, wheres=(where,))
        found[tries] = [evaluate(point) for point in comparison.points() if point.where]
        assert len(found[tries]) == count
    (best,), (default,) = found["best"], found["default"]
    assert best["ticks"] == min(row["ticks"] for row in found["all"]) < default["ticks"]
    chosen = dict(part.split("=") for part in best["options"].split())
    assert best["ticks"] == ticks("wong-mesh", where, **chosen)
    assert default["ticks"] == ticks("wong-mesh", where)


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """Two families on more and more processors."""
    folder = tmp_path_factory.mktemp("grown")
    networks, schemes = ["square-mesh", "binary-tree"], ["wong-mesh", "hwang"]
    settings = {"machine": "t800", "n": [2], "tries": "default", "placement": "blocks", "out": folder, "jobs": 1}
    return folder, ms.compare(schemes, networks=networks, processors=range(1, 4), **settings)


@pytest.mark.usefixtures("in_full")
def test_more_and_more_processors(grown):
    folder, report = grown
    names = ["scaling-chain-2-1-binary-tree.png", "scaling-chain-2-1-square-mesh.png"]
    assert sorted(path.name for path in folder.glob("*.png")) == names
    assert all((folder / name).read_bytes().startswith(b"\x89PNG") for name in names)
    rows = {(row["scheme"], row["network"], row["asked"]): row for row in report.rows()}
    counts = [("own", None), *(("square-mesh", count) for count in (1, 2, 3)), ("binary-tree", 1), ("binary-tree", 3)]
    assert list(rows) == [(scheme, *where) for scheme in ("wong-mesh", "hwang") for where in counts]
    for (scheme, network, count), row in rows.items():
        if network != "own":
            assert (row["processors"], row["ticks"]) == (count, ticks(scheme, Where(network, count, "blocks")))
            assert row["efficiency"] == pytest.approx(row["baseline_us"] / row["time_us"] / count)
    alone = rows["hwang", "square-mesh", 1]
    kernels = sum(load_scheme("hwang").plan(*subject(ROBOT)).run(T800).busy.values())
    beside = alone["switches"] * T800.switch + round(alone["copying_us"] / T800.microseconds(1))
    assert alone["ticks"] == kernels + beside
    text = report.as_text()
    assert (
        "binary-tree of 2 left out: processors of binary-tree must be 1 (binary-tree:1) or 3 (binary-tree:2), not 2\n"
        in text
    )
    assert "\nthe quickest: wong-mesh on 2 processors" in text
    assert max(map(len, text.splitlines()[:-2])) <= matrix.WIDE


def test_the_fewest_processors_that_are_nearly_as_quick():
    base = {"robot": "r", "machine": "m", "baseline": "one", "baseline_us": 10.0, "options": "", "given": ""}
    places = [("own", None, 30), ("ring", 1, 100), ("ring", 2, 52), ("ring", 3, 50), ("ring", 4, 60)]
    rows = [
        {
            **base,
            "label": "a",
            "network": network,
            "asked": count,
            "shape": f"ring({count})",
            "used": count,
            "ticks": time,
            "time_us": float(time),
            "speedup": 10 / time,
            "efficiency": 10 / time / (count or 1),
        }
        for network, count, time in places
    ]
    lines = scaling.as_text(rows)
    assert [line.split() for line in lines[1:7]] == [
        ["cpus", "a"],
        ["1", "100.0*", "0.10", "10"],
        ["2", "52.0*", "0.19", "10"],
        ["3", "50.0*", "0.20", "7"],
        ["4", "60.0*", "0.17", "4"],
        ["own", "30.0", "0.33", "33"],
    ]
    verdict = " ".join(" ".join(lines[7:-1]).split())
    assert verdict == (
        "the quickest: a on 3 processors, 50.0 us, 0.20 times as fast as one on one; within 5% of it: a on 2 "
        "processors, 52.0 us"
    )


def test_idle_processors(tmp_path):
    """A scheme with one program leaves the others idle, wherever."""
    settings = {"schemes": ["one-wong"], "machine": "t800", "n": [2], "jobs": 1}
    rows = ms.compare(**settings, networks=["ring:3", "bus:2"], out=tmp_path).rows()
    assert [(row["ticks"] == rows[0]["ticks"], row["used"]) for row in rows] == [(True, 1)] * 3
    assert [row["processors"] for row in rows] == [1, 3, 2]


def test_a_stream_on_a_network(capsys, tmp_path):
    """One processor cannot give results faster than its kernels take, however evaluations are mixed there."""
    words = (*TWO, "--try", "default", "--processors", "1,2", "--placement", "blocks", "--stream", "3")
    found = run_json(capsys, "compare", *words, "--out", tmp_path, "--quiet")
    assert {row["network"] for row in found["rows"]} == {"own", "square-mesh"}
    for row in found["rows"]:
        assert row["interval_us"] > 0
        if row["asked"] == 1:
            assert row["utilisation"] * row["time_us"] <= row["interval_us"] <= row["time_us"]
    titles = [line for line in found["remarks"] if line.startswith("chain:2:1 on t800, square-mesh: ")]
    assert ["a stream" in title for title in titles] == [False, True]


def test_what_cannot_run_is_named_and_the_rest_goes_on(capsys, tmp_path):
    """Two halves that no link joins, a placement that is for one scheme, a robot that a scheme does not take."""
    words = (*SMALL, "--schemes", "hwang,one-wong", "--networks", "ring:4", "--placement", "round-robin")
    status, out, _ = call(capsys, "compare", *words, "--dead", "1-2", "--dead", "3-4", "--out", tmp_path / "halves")
    assert status == 0
    assert re.search(
        r"chain:2:1: hwang on ring:4, t800: .* ring\(4\) must have a route from 1 to 2, and has none; ", out
    )
    rows = [(row["scheme"], row["network"]) for row in rows_of(tmp_path / "halves")]
    assert rows == [("hwang", "own"), ("one-wong", "own"), ("one-wong", "ring:4")]
    told = tmp_path / "told.json"
    told.write_text('{"1": "2"}')
    words = (*SMALL, "--schemes", "one-wong,hwang", "--networks", "ring:4", "--placement", told)
    status, out, _ = call(capsys, "compare", *words, "--out", tmp_path / "told")
    assert status == 0
    assert "chain:2:1: hwang on ring:4, t800: " in out
    assert len(rows_of(tmp_path / "told")) == 3
    words = ("--robots", "torso", "--schemes", "hwang,branch-parallel", "--networks", "ring:4", "--machine", "t800")
    status, out, _ = call(capsys, "compare", *words, "--jobs", "1", "--out", tmp_path / "torso")
    assert status == 0
    assert out.count("torso: hwang ") == 1
    assert [row["network"] for row in rows_of(tmp_path / "torso")] == ["own", "ring:4"]


def test_a_deadlock_gets_a_line(monkeypatch, tmp_path):
    """The rest goes on; where nothing is left, the reasons are an error."""
    run = Plan.run

    def stuck(plan, machine, trace=True):
        if plan.placement is None and len(plan.programs) > 1 and machine is not NOWHERE:
            raise DeadlockError("deadlock: 2 of 6 programs wait for ever\n  1 at tick 3: send to port 'east' (2)")
        return run(plan, machine, trace)

    monkeypatch.setattr(Plan, "run", stuck)
    settings = {"schemes": ["hwang"], "machine": "t800", "n": [2], "jobs": 1}
    report = ms.compare(**settings, networks="ring:2", out=tmp_path / "networks")
    assert "chain:2:1: hwang, t800: deadlock: 2 of 6 programs wait for ever" in report.lines
    assert [(row["network"], row["own_us"], row["factor"]) for row in report.rows()] == [("ring:2", None, None)]
    assert report.to_dict()["refused"] == [
        {
            "robot": "chain:2:1",
            "scheme": "hwang",
            "case": "hwang, t800",
            "why": "deadlock: 2 of 6 programs wait for ever",
        }
    ]
    with pytest.raises(MeshSimError, match=r"^no scheme is left: chain:2:1: hwang, t800: deadlock: 2 of 6 "):
        ms.compare(**settings, out=tmp_path / "own")


REFUSED = [
    (("--networks", "ring"), "the size of ring must be "),
    (("--networks", "wheel:4"), "network must be one of "),
    (("--networks", "wheel", "--processors", "1..3"), "network must be one of "),
    (("--networks", "nowhere.json"), "nowhere.json: "),
    (("--networks", "ring:4", "--processors", "5"), "processors must be a whole number from 1 to 4"),
    (("--networks", "binary-tree", "--processors", "4"), "processors of binary-tree must be 3 "),
    (("--networks", "ring:4", "--placement", "nowhere.json"), "nowhere.json: "),
    (("--networks", "ring:4", "--dead", "7"), "'7' must be a node of ring(4)"),
    (("--placement", "rows"), "a placement, or what is dead, must be told with a network or a number of processors"),
    (("--networks", "ring:4", "--orders"), "the best order must be looked for on each scheme's own network"),
    (("--networks", "ring:4,ring:4"), "argument --networks: must be different names"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_refusals(capsys, tmp_path, words, message):
    status, out, err = call(capsys, "compare", *SMALL, *words, "--out", tmp_path / "out")
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_networks_of_python():
    """Graphs of a user's own are told apart by what they are."""
    two, three = (Network(nx.path_graph(count, create_using=nx.Graph)) for count in (2, 3))
    (where,), left_out = wheres_of([two], [], "auto", [])
    assert left_out == []
    assert where.identity != Where(three).identity
    assert where.identity == Where(Network(nx.path_graph(2))).identity
    with pytest.raises(MeshSimError, match=r"^networks of a comparison must be different, not network twice$"):
        wheres_of([two, three], [], "auto", [])
