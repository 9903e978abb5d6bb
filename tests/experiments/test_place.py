"""A placement looked at: numbers by hand, the file that is written, and pictures in which everything can be seen."""

import json
import math
from itertools import pairwise

import networkx as nx
import pytest
from tools.command import call, run_json
from tools.engine import do, machine, network, plan, recv, send

import meshsim as ms
from meshsim.experiments.figures.link_curves import link_curve
from meshsim.experiments.figures.network_layout import hub, lay_out
from meshsim.experiments.figures.placement import draw_placement, edge_words
from meshsim.experiments.studies.placing import look_at
from meshsim.experiments.studies.where import Where, where_of
from meshsim.network import Network
from meshsim.topologies.named import load_network

CHAIN = ("--robot", "chain:3:1", "--machine", "t800")
STEPS = {
    "a": [do(5), send("b", 4)],
    "b": [recv("a"), do(3), send("c", 2), send("c", 1)],
    "c": [recv("b"), recv("b"), do(1)],
}
COSTS = machine("overlap", startup=10, per_word=2)
NETWORKS = (
    "square-mesh:4x4", "torus:4x4", "ring:8", "hypercube:4", "binary-tree:4", "star:5", "complete:9", "bus:8",
    "crossbar:16", "omega:16", "cone:6", "pipeline:40", "pipeline:1", "torus:2x3", "ring:70", "bus:30", "ring:2",
    "faddeev-array:3", "incomplete-hypercube:6", "generalised-cube:4",
)  # fmt: skip


def three(places, on="pipeline:3", **settings):
    """Three programs placed by hand."""
    return look_at(plan(STEPS, network(STEPS)), where_of(on, placement=places), COSTS, **settings)


# What is told


def test_work_and_words_by_hand():
    """a on 1, b and c on 3: the 4 words of a cross both links, the others none."""
    look = three({"a": 1, "b": 3, "c": 3})
    assert look.report.loads == {1: 5, 2: 0, 3: 4}
    assert [(wire.name, wire.words, wire.messages, wire.ticks) for wire in look.wires()] == [
        ("1 -> 2", 4, 1, 18),
        ("2 -> 3", 4, 1, 18),
    ]
    assert (look.distances, look.copies, look.report.word_hops) == ({0: 1, 2: 1}, 2, 8)
    assert (look.run.ticks, look.alone) == (5 + 18 + 18 + 3 + 1, 5 + 18 + 3 + 14 + 12 + 1)


def test_without_a_run_there_are_no_times():
    look = three({"a": 1, "b": 3, "c": 3}, simulate=False)
    assert (look.run, look.alone) == (None, None)
    assert [(wire.words, wire.ticks, wire.conflicts) for wire in look.wires()] == [(4, None, None)] * 2


def test_a_bus_is_one_wire():
    look = three({"a": 1, "b": 2, "c": 3}, "bus:3")
    assert [(wire.name, wire.words, wire.messages, len(wire.links)) for wire in look.wires()] == [("bus", 7, 3, 2)]
    assert set(edge_words(look).values()) == {7}


def test_no_network_is_the_schemes_own():
    look = look_at(plan(STEPS, network(STEPS)), Where(), COSTS)
    assert (look.how, look.run.ticks) == ("own", look.alone)
    assert dict(look.places) == {"a": "a", "b": "b", "c": "c"}


def test_words_on_links_are_those_that_the_run_carried():
    look = ms.place("chain:4:1", "wong-mesh", "t800", "torus:2x3", placement="round-robin").look
    carried = {load.link: load.words for load in look.run.loads}
    assert {wire.links[0]: wire.words for wire in look.wires()} == carried
    assert sum(carried.values()) == look.report.word_hops


def test_auto_shows_its_candidates(capsys):
    told = run_json(capsys, "place", "wong-mesh", *CHAIN, "--network", "ring:3")
    (kept,) = [each for each in told["candidates"] if each["kept"]]
    assert kept["ticks"] == told["run"]["ticks"] == min(each["ticks"] for each in told["candidates"] if each["ticks"])
    _, out, _ = call(capsys, "place", "wong-mesh", *CHAIN, "--network", "ring:3")
    assert f"auto placement looked at {len(told['candidates'])} candidates:" in out
    assert out.count("  kept") == 1


def test_the_page_of_a_placement_that_was_not_run(capsys):
    words = ("place", "wong-mesh", *CHAIN, "--network", "pipeline:1", "--placement", "blocks", "--no-run")
    _, out, _ = call(capsys, *words)
    assert "no word crosses a link" in out
    assert out.endswith("; it was not run\n")
    assert run_json(capsys, *words)["run"] is None


def test_long_tables_are_cut(capsys):
    _, out, _ = call(capsys, "place", "wong-mesh", *CHAIN, "--network", "square-mesh:5x5", "--placement", "snake")
    assert "and 5 more processors, with less to do: see --json" in out


# The file


def test_a_placement_that_was_saved_is_the_same_again(capsys, tmp_path):
    path = tmp_path / "placed.json"
    where = ("--network", "square-mesh:2x2", "--dead", "1,2")
    first = run_json(capsys, "place", "wong-mesh", *CHAIN, *where, "--save", path)
    assert json.loads(path.read_text()) == first["placed"]
    again = run_json(capsys, "place", "wong-mesh", *CHAIN, *where, "--placement", path)
    assert again["placed"] == first["placed"]
    assert again["run"] == first["run"]
    assert again["candidates"] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--save", "a.txt"), "a placement file must end with .json, not 'a.txt'"),
        (("--picture", "a.txt"), "a picture must end with .png, .svg, .pdf, not 'a.txt'"),
        (("--save", "mine.json", "--placement", "mine.json"), "must be a file of its own, and is an input as well"),
        (("--placement", "nowhere"), "placement must be identity, rows"),
    ],
)
def test_what_cannot_be_is_refused_before_any_work(words, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = call(capsys, "place", "wong-mesh", *CHAIN, "--network", "ring:3", *words)
    assert (status, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []


# The picture


@pytest.mark.parametrize("name", NETWORKS)
def test_nodes_stand_apart_and_links_pass_none(name):
    look = look_at(plan({"a": [do(1)]}), Where(name, placement="blocks"), COSTS, simulate=False)
    layout = lay_out(look.network)
    assert set(look.network.graph) <= set(layout.points)
    assert layout.nearest > 0.3
    for u, v in nx.Graph(look.network.graph).edges:
        if look.network.graph.get_edge_data(u, v)[0].get("bus") is None:
            curve = link_curve(layout, look.network, u, v, 0)
            for node, point in layout.points.items():
                off = min(math.dist(point, each) for each in curve)
                assert node in (u, v) or off > 0.1 * layout.nearest, (u, v, node)


def test_shapes():
    mesh = lay_out(load_network("square-mesh:2x3")).points
    assert (mesh[1, 1], mesh[1, 3], mesh[2, 1]) == ((0.0, -1.0), (2.0, -1.0), (0.0, -2.0))
    star = lay_out(load_network("star:5")).points
    assert star[0] == (0.0, 0.0)
    assert len({round(math.hypot(*point), 9) for node, point in star.items() if node}) == 1
    tree = lay_out(load_network("binary-tree:3")).points
    assert [tree[node][1] for node in (1, 2, 3, 4, 7)] == [0.0, -1.0, -1.0, -2.0, -2.0]
    line = lay_out(load_network("pipeline:4")).points
    assert list(line.values()) == [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]
    cube = lay_out(load_network("hypercube:4")).points
    assert len(set(cube.values())) == 16
    small = lay_out(load_network("hypercube:3")).points
    lengths = {round(math.dist(small[u], small[v]), 9) for u, v, _ in load_network("hypercube:3").graph.edges}
    assert lengths == {1.0, round(math.hypot(0.45, 0.4), 9)}
    omega = lay_out(load_network("omega:8"))
    assert len({point[0] for point in omega.points.values()}) == 4
    assert set(omega.again) == set(range(8))
    bus = lay_out(load_network("bus:8"))
    assert (bus.bar, bus.points[hub("bus")][1]) == (True, 0.0)
    assert lay_out(load_network("torus:4x4")).points.keys() == lay_out(load_network("square-mesh:4x4")).points.keys()


def test_parts_of_a_network_stand_side_by_side_each_as_it_would_alone():
    """Hwang's: a hypercube for M, another for h, and a triangle of rows and columns that solves."""
    points = lay_out(Network(ms.run("chain:8:1", "hwang", "ideal").run.topology)).points
    parts = {part: [point for node, point in points.items() if node[0] == part] for part in ("M", "h", "solver")}
    ends = [(min(x for x, _ in part), max(x for x, _ in part)) for part in parts.values()]
    assert [round(right - left, 9) for left, right in ends] == [1.45, 1.45, 8.0]
    assert all(following[0] - before[1] == 2.0 for before, following in pairwise(ends))
    solver = points["solver", (1, 1)]
    assert points["solver", (2, 5)] == (solver[0] + 4.0, solver[1] - 1.0)


def test_other_graphs_are_laid_out_the_same_every_time():
    graph = Network(nx.random_regular_graph(3, 12, seed=1))
    assert dict(lay_out(graph).points) == dict(lay_out(graph).points)


def test_a_wrap_around_link_is_bent_and_others_are_straight():
    look = look_at(plan({"a": [do(1)]}), Where("torus:4x4", placement="blocks"), COSTS, simulate=False)
    layout = lay_out(look.network)
    assert len(link_curve(layout, look.network, (1, 1), (1, 2), 0)) == 3
    wrap = link_curve(layout, look.network, (1, 1), (1, 4), 0)
    assert max(y for _, y in wrap) == pytest.approx(-1.0 + 0.45)  # upwards, out of the picture


@pytest.mark.usefixtures("in_full")
def test_a_picture_with_all_there_is(tmp_path):
    """Dead processors and links, switches, a bus, numbers; the text of an SVG file can be read."""
    path = tmp_path / "placed.svg"
    page = ms.place("chain:3:1", "wong-mesh", "t800", "square-mesh:3x3", placement="blocks", dead=["2,2", "1,1-1,2"])
    page.save_picture(path)
    text = path.read_text()
    for word in ("traffic per link", "load per processor", "words over a link", "(us)", "square-mesh(3, 3)"):
        assert word in text, word
    assert text.count("#c1121f") == 2 * (1 + 1 + 4)  # crosses: a processor, a link, and those of the processor


@pytest.mark.parametrize("name", ["bus:6", "bus:40", "omega:4", "pipeline:1", "square-mesh:6x6"])
def test_pictures_of_all_kinds_are_drawn(name, tmp_path):
    look = look_at(plan(STEPS, network(STEPS)), Where(name, placement="round-robin"), COSTS)
    draw_placement(look, "a title that is rather long, so that it does not fit on one line, " * 2, tmp_path / "a.png")
    assert (tmp_path / "a.png").exists()
