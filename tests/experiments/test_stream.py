"""Latency against load: two programs in a pipeline timed by hand, and the study around it."""

import csv

import pytest
from tools.command import call
from tools.engine import do, machine, plan, recv, send

import meshsim as ms
from meshsim.errors import MeshSimError
from meshsim.experiments.studies import stream as study
from meshsim.experiments.studies.stream import evaluation_ends, is_growing, latencies
from meshsim.experiments.studies.where import Where

PIPELINE = plan({"a": [do(10), send("b")], "b": [recv("a"), do(20)]})
COSTS = machine("rendezvous", startup=3, per_word=2)
"""One evaluation takes 10 + 5 + 20 ticks; b is busy for 5 + 20 of them, so that one ends every 25."""
CHAIN = ("chain:2:1", "wong-mesh", "t800")


def offered(every, count=8):
    return latencies(PIPELINE.repeated(count, every).run(COSTS, trace=False), every)


def test_two_programs_by_hand():
    free = evaluation_ends(PIPELINE.repeated(8).run(COSTS, trace=False))
    assert free == [35, 60, 85, 110, 135, 160, 185, 210]
    assert offered(250) == offered(25) == [35] * 8
    assert offered(24) == [35, 36, 37, 38, 39, 40, 41, 42]
    assert offered(20) == [35, 40, 45, 50, 55, 60, 65, 70]


def test_what_grows_and_what_does_not():
    assert not is_growing(offered(25), 25)
    assert is_growing(offered(24), 24)
    assert not is_growing([35, 36, 35, 36], 25)  # it goes up and down
    assert not is_growing([3500, 3501, 3502, 3503], 2500)  # by less than a hundredth
    assert is_growing([3500, 3526, 3552, 3578], 2500)


@pytest.fixture
def small(tmp_path):
    def make(**settings):
        told = {"network": "own,ring:2", "evaluations": 8, "shares": (0.5, 1.1), "out": tmp_path / "out", "jobs": 1}
        return ms.stream(*CHAIN, **{**told, **settings})

    return make


def test_a_stream(small, tmp_path):
    found = small()
    rows = found.rows()
    assert [(row["network"], row["growing"]) for row in rows] == [
        ("own", False), ("own", True), ("ring(2)", False), ("ring(2)", True),
    ]  # fmt: skip
    own = ms.run(*CHAIN, trace=False)
    assert rows[0]["alone_us"] == rows[0]["mean_us"] == rows[0]["largest_us"] == own.time_us
    assert rows[0]["processors"] == own.run.processors
    assert [row["share"] for row in rows] == pytest.approx([0.5, 1.1] * 2, rel=0.01)  # whole ticks
    assert rows[1]["largest_us"] > rows[1]["mean_us"] > rows[0]["mean_us"]
    with (tmp_path / "out" / "stream.csv").open() as stream:
        assert [row["network"] for row in csv.DictReader(stream)] == ["own", "own", "ring(2)", "ring(2)"]
    assert [path.name for path in found.figures] == ["latency.png"]
    text = found.as_text()
    assert text.count("growing") == 2
    assert "of saturation" in text


def test_what_is_finished_is_not_computed_again(small, tmp_path, monkeypatch):
    before = small().rows()
    monkeypatch.setattr(study, "evaluate", None)
    assert small().rows() == before
    journal = tmp_path / "out" / "rows.jsonl"
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:3]))
    monkeypatch.undo()
    assert small().rows() == before


def test_a_load_is_offered_to_the_placement_that_was_found(small, monkeypatch):
    """Once for each network: what auto finds is kept with the saturated stream."""
    asked = []
    found = Where.placed
    monkeypatch.setattr(Where, "placed", lambda *args: asked.append(args) or found(*args))
    small(network="ring:2", shares=(0.2, 0.4, 0.6))
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"evaluations": 4}, "a stream must have from 8 to 10000 evaluations, not 4"),
        ({"shares": (0.0,)}, "loads must be shares of saturation above 0"),
        ({"network": "ring:2,ring:2"}, r"networks of a stream must be different, not 'ring\(2\)' twice"),
        ({"network": "nothing:2"}, "network must be one of"),
        ({"network": ""}, "network must be a text such as square-mesh:4x4, not ''"),
        ({"network": []}, "networks of a stream must be at least one, not 0"),
        ({"network": "own", "placement": "blocks"}, "must be told with a network that is not own"),
        ({"network": None, "dead": "1"}, "must be told with a network that is not own"),
        ({"network": "own", "processors": 2}, "must be told with a network that is not own"),
        ({"shares": ("x",)}, "loads must be shares of saturation above 0"),
        ({"shares": 0.5j}, "loads must be shares of saturation above 0"),
        ({"evaluations": 10**8}, "a stream must have from 8 to 10000 evaluations, not 100000000"),
    ],
)
def test_what_cannot_be_is_refused(small, tmp_path, settings, message):
    with pytest.raises(MeshSimError, match=message):
        small(**settings)
    assert not (tmp_path / "out").exists()


def test_where_nothing_takes_time_nothing_is_saturated(tmp_path):
    free = machine("free", costs=dict.fromkeys(("mul", "add", "div", "sqrt", "sincos"), 0))
    with pytest.raises(MeshSimError, match="an evaluation must take some time on test, and takes none"):
        ms.stream(*CHAIN[:2], free, evaluations=8, jobs=1, out=tmp_path)


def test_a_network_of_ones_own(small):
    import networkx as nx

    (row, _) = small(network=nx.path_graph(3), placement="round-robin").rows()
    assert row["processors"] == 3


@pytest.mark.usefixtures("in_full")
def test_the_picture(small, tmp_path):
    small(network="own")
    assert (tmp_path / "out" / "latency.png").stat().st_size > 10_000


def test_a_verb_tells_how_far_it_is(capsys, tmp_path):
    words = ("--robot", "chain:2:1", "--machine", "t800", "--evaluations", "8", "--jobs", "1", "--out", tmp_path / "a")
    status, _, err = call(capsys, "stream", "one-wong", *words)
    assert status == 0
    assert err.startswith("stream: 1/14, ")
