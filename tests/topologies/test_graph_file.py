"""Networks from files of graphs: JSON as networkx writes it, and GraphML."""

import json
import re

import networkx as nx
import pytest

from meshsim.errors import MeshSimError
from meshsim.network import Link
from meshsim.topologies import square_mesh
from meshsim.topologies.named import load_network


def refuses(message, *args, **named):
    with pytest.raises(MeshSimError, match=f"^{re.escape(message)}$"):
        load_network(*args, **named)


BOARDS = {
    "directed": False,
    "graph": {"name": "two boards", "routes": [[[1, 1], "bridge", [2, 1]]]},
    "nodes": [
        {"id": [1, 1], "colour": "red"},
        {"id": [2, 1]},
        {"id": "bridge", "switch": True},
        {"id": "spare", "dead": True},
    ],
    "links": [
        {"source": [1, 1], "target": "bridge", "startup": 500, "hop": 2, "key": 7},
        {"source": [1, 1], "target": "bridge", "ports": {"x": "y"}},
        {"source": "bridge", "target": [2, 1], "per_word": 80, "bus": "back", "length": "2 m"},
        {"source": [1, 1], "target": [2, 1], "dead": True},
        {"source": [2, 1], "target": "spare", "oneway": [2, 1]},
    ],
}


def changed(**changes):
    return {key: value for key, value in {**BOARDS, **changes}.items() if value is not None}


def written(tmp_path, value, name="net.json"):
    path = tmp_path / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return str(path)


@pytest.mark.parametrize("key", ["links", "edges"])
def test_a_json_file(tmp_path, key):
    network = load_network(written(tmp_path, changed(**{"links": None, key: BOARDS["links"]})))
    assert network.name == "two boards"
    assert network.processors == ((1, 1), (2, 1))
    assert network.is_switch("bridge")
    assert network.parallel((1, 1), "bridge") == (0, 1)
    assert network.dead == ("spare", Link((1, 1), (2, 1), 0))
    assert dict(network.table) == {((1, 1), (2, 1)): ((1, 1), "bridge", (2, 1))}
    route = network.route((2, 1), (1, 1))
    assert route == (Link((2, 1), "bridge", 0), Link("bridge", (1, 1), 0))
    assert [network.costs(link) for link in route] == [{"per_word": 80}, {"startup": 500, "hop": 2}]
    assert network.bus(route[0]) == "back"
    assert network.graph.nodes[1, 1]["colour"] == "red"
    assert "ports" not in network.graph.edges[(1, 1), "bridge", 1]
    assert network.graph.edges[(2, 1), "spare", 0]["oneway"] == (2, 1)


@pytest.mark.parametrize("key", ["links", "edges"])
def test_what_networkx_writes_is_read(tmp_path, key):
    graph = square_mesh(3, 4)
    for _, _, data in graph.edges(data=True):
        del data["ports"]
    network = load_network(written(tmp_path, nx.node_link_data(graph, edges=key)))
    assert (network.name, network.routing) == ("square-mesh(3, 4)", "dimension-order")
    assert list(network.graph) == list(graph)
    assert sorted(network.graph.edges) == sorted(graph.edges)


def test_a_file_without_a_name_is_called_by_its_path(tmp_path):
    path = written(tmp_path, {"nodes": [{"id": 1}]})
    assert load_network(path).name == path


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{", "network file must be JSON, not text that fails with: "),
        ([], "the network must be a node-link object, not []"),
        (changed(nodes=None), "the network must have the keys nodes, not lack 'nodes'"),
        (changed(nodes=3), "nodes must be a list, not 3"),
        ({"nodes": []}, "the network must have at least one node, not 0"),
        ({"nodes": [1]}, "node 0 of nodes must be an object, not 1"),
        ({"nodes": [{"name": "a"}]}, "node 0 of nodes must have the keys id, not lack 'id'"),
        ({"nodes": [{"id": None}]}, "a node must be a number, a text or a list of these, not null"),
        ({"nodes": [{"id": True}]}, "a node must be a number, a text or a list of these, not true"),
        ({"nodes": [{"id": [{}]}]}, "a node must be a number, a text or a list of these, not {}"),
        ({"nodes": [{"id": 1}, {"id": 1.0}]}, "nodes must be distinct, and 1.0 comes twice"),
        (changed(directed=True), "the network must be undirected, not one with directed = true"),
        (changed(edges=[]), "the network must have its links under edges or under links, not under both"),
        (changed(links={}), "links must be a list, not {}"),
        (changed(links=[3]), "link 0 of links must be an object, not 3"),
        (changed(links=[{"source": 1}]), "link 0 of links must have the keys source, target, not lack 'target'"),
        (
            changed(links=[{"source": "spare", "target": 9}]),
            "link 'spare' - 9 must join two nodes of the file, and 9 is none",
        ),
        (
            changed(links=[{"source": "spare", "target": "spare"}]),
            "link 'spare' - 'spare' must join two nodes, not one to itself",
        ),
        (changed(graph=[]), "graph must be an object, not []"),
        (changed(graph={"routes": 3}), "routes must be a list of lists of nodes, not 3"),
        (
            changed(graph={"routes": [[[1, 1], "spare"]]}),
            "the route from (1, 1) to 'spare' must follow links, and none goes from (1, 1) to 'spare'",
        ),
        (
            changed(graph={"routing": "xy"}),
            "routing must be one of dimension-order, e-cube, up-down, destination-tag, shortest, not 'xy'",
        ),
        ({"nodes": [{"id": i} for i in range(20_001)]}, "a network must have at most 20000 nodes, not 20001"),
    ],
)
def test_bad_json_files(tmp_path, value, message):
    path = written(tmp_path, value)
    with pytest.raises(MeshSimError, match=f"^{re.escape(f'{path}: {message}')}") as caught:
        load_network(path)
    assert value == "{" or str(caught.value) == f"{path}: {message}"


def test_lists_in_lists_without_end(tmp_path):
    deep = "[" * 200 + "]" * 200
    path = written(tmp_path, '{"nodes": [{"id": ' + deep + "}]}")
    with pytest.raises(MeshSimError, match="a node must be a number, a text or a list of these, not "):
        load_network(path)


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    with pytest.raises(MeshSimError, match="network file must be a readable file"):
        load_network(str(tmp_path / "none.json"))
    monkeypatch.setattr("meshsim.reading.MOST_JSON", 10)
    with pytest.raises(MeshSimError, match="network file must have at most 10 bytes, not more"):
        load_network(written(tmp_path, BOARDS))
    monkeypatch.setattr("meshsim.topologies.graph_file.MOST_BYTES", 10)
    with pytest.raises(MeshSimError, match="GraphML must have at most 10 bytes, not more"):
        load_network(written(tmp_path, "<graphml></graphml>", "net.graphml"))


def test_a_graphml_file(tmp_path):
    graph = nx.MultiGraph(name="boards", routes='[["(1, 1)", "bridge", "2,1"]]')
    graph.add_node((1, 1))
    graph.add_node("2,1")
    graph.add_node("bridge", switch=True)
    graph.add_node("7", dead=True)
    graph.add_edge((1, 1), "bridge", startup=500, oneway="(1, 1)")
    graph.add_edge((1, 1), "bridge", startup=600, bus="back")
    graph.add_edge("bridge", "2,1", per_word=80)
    graph.add_edge((1, 1), "2,1", dead=True)
    path = tmp_path / "net.graphml"
    nx.write_graphml(graph, path)
    network = load_network(str(path))
    assert network.name == "boards"
    assert network.processors == ((1, 1), (2, 1))
    assert network.dead == (7, Link((1, 1), (2, 1), 0))
    assert network.parallel((1, 1), "bridge") == (0, 1)
    assert network.parallel("bridge", (1, 1)) == (1,)
    assert dict(network.table) == {((1, 1), (2, 1)): ((1, 1), "bridge", (2, 1))}
    route = network.route((2, 1), (1, 1))
    assert [network.costs(link) for link in route] == [{"per_word": 80}, {"startup": 600}]


HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the network must be GraphML, not text that fails with: "),
        ("<graphml>", "the network must be GraphML, not text that fails with: "),
        ("<robot/>", "the network must be GraphML, not text that fails with: "),
        (
            '<!DOCTYPE x [<!ENTITY a "b">]><graphml/>',
            "GraphML must be plain XML, not XML with a <!DOCTYPE> declaration",
        ),
        (
            HEAD + '<graph edgedefault="directed"><node id="1"/></graph></graphml>',
            'the network must be undirected, not one with edgedefault="directed"',
        ),
        (
            HEAD + '<graph edgedefault="undirected"></graph></graphml>',
            "the network must have at least one node, not 0",
        ),
        (
            HEAD + '<graph edgedefault="undirected"><node id="1"/><edge source="1" target="1"/></graph></graphml>',
            "link 1 - 1 must join two nodes, not one to itself",
        ),
        (
            HEAD + '<graph edgedefault="undirected"><node id="1,2"/><node id="(1, 2)"/></graph></graphml>',
            "nodes must be distinct, and (1, 2) comes twice",
        ),
        (
            HEAD + '<key id="r" for="graph" attr.name="routes" attr.type="string"/><graph edgedefault="undirected">'
            '<data key="r">[</data><node id="1"/></graph></graphml>',
            "routes must be a list of lists of nodes in JSON, not text that fails with: ",
        ),
    ],
)
def test_bad_graphml_files(tmp_path, text, message):
    path = written(tmp_path, text, "net.graphml")
    with pytest.raises(MeshSimError, match=f"^{re.escape(f'{path}: {message}')}"):
        load_network(path)
