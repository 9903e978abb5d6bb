"""Networks: counts by closed formula, ports that face one another, refusals word for word."""

import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meshsim.errors import MeshSimError
from meshsim.topologies import (
    NETWORKS,
    binary_tree,
    complete,
    cone,
    faddeev_array,
    hypercube,
    open_cone,
    pipeline,
    ring,
    solver_array,
    square_mesh,
    star,
    torus,
)
from meshsim.topologies.ports import add_link, link_count
from meshsim.topology import check_ports

OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
SIZES = st.integers(1, 12)


def check(graph, name, nodes, links):
    """What every network must be: named, of the size its formula gives, connected, with sound ports."""
    check_ports(graph)
    assert type(graph) is nx.MultiGraph
    assert graph.graph["name"] == name
    assert list(graph) == nodes
    assert graph.number_of_edges() == links
    assert nx.is_connected(graph)
    assert all(set(data) == {"ports"} for _, _, data in graph.edges(data=True))


def ports_at(graph, node):
    """{port: (node, port) at the other end}."""
    far = {}
    for u, v, ports in graph.edges(node, data="ports"):
        far[ports[u]] = (v, ports[v])
    return far


def faces_opposite(graph, skip=()):
    """Every link leaves by one side and arrives by the other; links in `skip` are not looked at."""
    for _, _, ports in graph.edges(data="ports"):
        a, b = ports.values()
        assert (a, b) in skip or (b, a) in skip or OPPOSITE[a] == b


def refuses(message, function, *args):
    with pytest.raises(MeshSimError, match=f"^{re.escape(message)}$"):
        function(*args)


@given(SIZES)
def test_pipeline(n):
    graph = pipeline(n)
    check(graph, f"pipeline({n})", list(range(1, n + 1)), n - 1)
    faces_opposite(graph)
    for i in range(1, n + 1):
        far = {"west": (i - 1, "east")} if i > 1 else {}
        assert ports_at(graph, i) == far | ({"east": (i + 1, "west")} if i < n else {})


@given(st.integers(2, 12))
def test_ring(n):
    graph = ring(n)
    check(graph, f"ring({n})", list(range(1, n + 1)), n)
    faces_opposite(graph)
    assert all(set(ports_at(graph, i)) == {"west", "east"} for i in graph)
    assert ports_at(graph, n)["east"] == (1, "west")


def test_two_in_a_ring_share_two_links():
    assert ring(2).number_of_edges(1, 2) == 2


@given(SIZES)
def test_star(n):
    graph = star(n)
    check(graph, f"star({n})", list(range(n + 1)), n)
    assert ports_at(graph, 0) == {str(i): (i, "centre") for i in range(1, n + 1)}
    assert all(link_count(graph, i) == 1 for i in range(1, n + 1))


@given(SIZES, SIZES)
def test_square_mesh(rows, columns):
    graph = square_mesh(rows, columns)
    nodes = [(r, c) for r in range(1, rows + 1) for c in range(1, columns + 1)]
    check(graph, f"square-mesh({rows}, {columns})", nodes, rows * (columns - 1) + columns * (rows - 1))
    faces_opposite(graph)
    for r, c in nodes:
        assert link_count(graph, (r, c)) == (r > 1) + (r < rows) + (c > 1) + (c < columns)
        for port, (node, _) in ports_at(graph, (r, c)).items():
            step = {"north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1)}[port]
            assert node == (r + step[0], c + step[1])


@given(st.integers(2, 9), st.integers(2, 9))
def test_torus(rows, columns):
    graph = torus(rows, columns)
    nodes = [(r, c) for r in range(1, rows + 1) for c in range(1, columns + 1)]
    check(graph, f"torus({rows}, {columns})", nodes, 2 * rows * columns)
    faces_opposite(graph)
    for r, c in nodes:
        assert ports_at(graph, (r, c)) == {
            "east": ((r, c % columns + 1), "west"),
            "west": ((r, (c - 2) % columns + 1), "east"),
            "south": ((r % rows + 1, c), "north"),
            "north": (((r - 2) % rows + 1, c), "south"),
        }


@given(st.integers(1, 7))
def test_binary_tree(levels):
    graph = binary_tree(levels)
    check(graph, f"binary-tree({levels})", list(range(1, 2**levels)), 2**levels - 2)
    for i in graph:
        far = {"parent": (i // 2, "right" if i % 2 else "left")} if i > 1 else {}
        children = {"left": (2 * i, "parent"), "right": (2 * i + 1, "parent")}
        assert ports_at(graph, i) == far | (children if 2 * i in graph else {})


@given(st.integers(0, 6))
def test_hypercube(dimension):
    graph = hypercube(dimension)
    links = dimension * 2**dimension // 2
    check(graph, f"hypercube({dimension})", list(range(2**dimension)), links)
    for node in graph:
        assert ports_at(graph, node) == {str(b): (node ^ (1 << b), str(b)) for b in range(dimension)}


@given(SIZES)
def test_complete(n):
    graph = complete(n)
    check(graph, f"complete({n})", list(range(1, n + 1)), n * (n - 1) // 2)
    for i in graph:
        assert ports_at(graph, i) == {str(j): (j, str(i)) for j in graph if j != i}


@given(SIZES)
def test_solver_array(n):
    graph = solver_array(n)
    nodes = [(k, i) for k in range(1, n + 1) for i in range(k, n + 2)]
    assert len(nodes) == n * (n + 1) // 2 + n
    # Row k has n+1-k links east, and as many south except from the last row, which would have one.
    check(graph, f"solver-array({n})", nodes, n * (n + 1) - 1)
    faces_opposite(graph)


@given(SIZES)
def test_faddeev_array(n):
    graph = faddeev_array(n)
    nodes = [(k, i) for k in range(1, n + 1) for i in range(k, n + 2)]
    nodes += [(n + j, i) for j in range(1, n + 1) for i in range(j + 1, n + 2)]
    assert len(nodes) == n * (n + 2)
    # The solver array; a triangle of n(n+1)/2, with n(n-1)/2 links each way; a link between them in each column but 1.
    check(graph, f"faddeev-array({n})", nodes, (n * (n + 1) - 1) + n * (n - 1) + n)
    faces_opposite(graph)
    assert max(link_count(graph, node) for node in graph) <= 4
    for i in range(2, n + 2):
        assert ports_at(graph, (n + 1, i))["north"] == ((min(i, n), i), "south")


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 16, 33])
def test_cone_of_every_size(n):
    graph = cone(n)
    nodes = [(0, i) for i in range(n + 1)]
    nodes += [(k, i) for k in range(1, n + 1) for i in range(k, n + 1)]
    assert len(nodes) == n * (n + 1) // 2 + n + 1
    # Row 0 with (0, 0) closes to a ring of n+1; the triangle has n(n-1)/2 links east and as many south; n
    # links go from row 0 to row 1, and n wrap.
    check(graph, f"cone({n})", nodes, (n + 1) + n * (n - 1) + n + n)
    faces_opposite(graph, skip={("east", "north")})
    assert max(link_count(graph, node) for node in graph) == 4
    assert graph.nodes[0, 0]["external"] == ("host", "control")
    assert set(ports_at(graph, (0, 0))) == {"east", "west"}
    assert graph.number_of_edges((0, n), (1, n)) == 2
    for i in range(1, n + 1):
        assert set(ports_at(graph, (0, i))) == set(OPPOSITE)
        assert ports_at(graph, (0, i))["north"] == ((n + 1 - i, n), "east")


@given(SIZES)
def test_a_cone_that_is_not_wrapped_has_the_links_of_a_mesh_alone(n):
    graph = open_cone(n)
    check(graph, f"open-cone({n})", list(cone(n)), cone(n).number_of_edges() - n - 1)
    faces_opposite(graph)
    assert all(abs(r - s) + abs(c - d) == 1 for (r, c), (s, d) in graph.edges())


def test_cone_of_four_is_the_one_in_print():
    """Wong sec. 4.5.1: 01 to 04 are joined to 11, 12, 13, 14 and to 44, 34, 24, 14; 00 west to 04 east."""
    graph = cone(4)
    south = [ports_at(graph, (0, i))["south"][0] for i in range(1, 5)]
    north = [ports_at(graph, (0, i))["north"][0] for i in range(1, 5)]
    assert south == [(1, 1), (1, 2), (1, 3), (1, 4)]
    assert north == [(4, 4), (3, 4), (2, 4), (1, 4)]
    assert ports_at(graph, (0, 0)) == {"east": ((0, 1), "west"), "west": ((0, 4), "east")}


def test_networks_are_listed_and_built_the_same_each_time():
    sizes = {"square-mesh": (3, 4), "torus": (3, 4)}
    assert list(NETWORKS) == [
        *("pipeline", "ring", "star", "square-mesh", "torus", "binary-tree", "hypercube", "incomplete-hypercube"),
        *("generalised-cube", "complete", "bus", "crossbar", "omega", "multistage-cube"),
        *("triangular-mesh", "solver-array", "faddeev-array", "open-cone", "cone"),
    ]
    for name, (function, description) in NETWORKS.items():
        first, second = (function(*sizes.get(name, (4,))) for _ in range(2))
        assert first.graph["name"].startswith(name + "(")
        assert list(first.nodes(data=True)) == list(second.nodes(data=True))
        assert list(first.edges(data=True)) == list(second.edges(data=True))
        assert description


def test_numpy_sizes_give_plain_names():
    assert all(type(node) is int for node in pipeline(np.int64(3)))


@pytest.mark.parametrize("value", [0, -1, True, 2.0, "3", None])
@pytest.mark.parametrize(
    ("what", "function"),
    [
        ("pipeline length", pipeline),
        ("number of star leaves", star),
        ("number of tree levels", binary_tree),
        ("number of processors", complete),
        ("number of unknowns", solver_array),
        ("number of unknowns", faddeev_array),
        ("number of joints", cone),
        ("mesh rows", lambda n: square_mesh(n, 2)),
        ("mesh columns", lambda n: square_mesh(2, n)),
    ],
)
def test_sizes_are_positive_integers(what, function, value):
    refuses(f"{what} must be a positive integer, not {value!r}", function, value)


def test_other_least_sizes():
    refuses("ring size must be an integer >= 2, not 1", ring, 1)
    refuses("torus rows must be an integer >= 2, not 1", torus, 1, 2)
    refuses("torus columns must be an integer >= 2, not 1", torus, 2, 1)
    refuses("hypercube dimension must be a non-negative integer, not -1", hypercube, -1)
    refuses("hypercube dimension must be a non-negative integer, not False", hypercube, False)


def test_add_link_refuses_taken_ports_and_loops():
    graph = pipeline(2)
    graph.nodes[1]["external"] = ("host",)
    taken = "port 'east' of 1 must be used once, not again by link 1 - 3"
    refuses(taken, add_link, graph, 1, "east", 3, "west")
    taken = "port 'host' of 1 must be used once, not again by link 3 - 1"
    refuses(taken, add_link, graph, 3, "east", 1, "host")
    refuses("link 1 - 1 must join two processors, not one to itself", add_link, graph, 1, "a", 1, "b")
    assert list(graph) == [1, 2]
    assert link_count(graph, 1) == 2


def graph_with(ports, kind=nx.MultiGraph):
    graph = kind()
    graph.add_edge("a", "b", ports=ports)
    return graph


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
def test_check_ports_accepts_users_graphs(kind):
    check_ports(graph_with({"b": "x", "a": "x"}, kind))
    alone = kind()
    alone.add_node("a", external=("host",))
    check_ports(alone)


@pytest.mark.parametrize("ports", [None, ["x", "y"], {"a": "x"}, {"a": "x", "c": "y"}, {"a": 1, "b": 2, "c": 3}])
def test_check_ports_refuses_wrong_ends(ports):
    message = f"ports of link 'a' - 'b' must be a dict with its two ends as keys, not {ports!r}"
    refuses(message, check_ports, graph_with(ports))


@pytest.mark.parametrize("port", ["", 1, None])
def test_check_ports_refuses_wrong_names(port):
    message = f"port of link 'a' - 'b' at 'b' must be a non-empty string, not {port!r}"
    refuses(message, check_ports, graph_with({"a": "x", "b": port}))


def test_check_ports_refuses_a_port_used_twice():
    graph = graph_with({"a": "x", "b": "x"})
    graph.add_edge("b", "c", ports={"b": "x", "c": "x"})
    refuses("port 'x' of 'b' must be used once, not again by link 'b' - 'c'", check_ports, graph)
    graph = graph_with({"a": "x", "b": "x"})
    graph.nodes["a"]["external"] = ("x",)
    refuses("port 'x' of 'a' must be used once, not again by link 'a' - 'b'", check_ports, graph)


def test_check_ports_refuses_what_is_no_network():
    refuses("topology must have at least one processor, not 0", check_ports, nx.Graph())
    refuses("topology must be an undirected networkx graph, not a dict", check_ports, {})
    directed = graph_with({"a": "x", "b": "x"}, nx.MultiDiGraph)
    refuses("topology must be an undirected networkx graph, not a MultiDiGraph", check_ports, directed)
    loop = nx.Graph([("a", "a", {"ports": {"a": "x"}})])
    refuses("link 'a' - 'a' must join two processors, not one to itself", check_ports, loop)


@pytest.mark.parametrize(
    ("external", "message"),
    [
        ("host", "external of 'a' must be a tuple of names, not 'host'"),
        (("",), "external link of 'a' must be a non-empty string, not ''"),
        (("x", "x"), "external of 'a' must be distinct names, not ('x', 'x')"),
    ],
)
def test_check_ports_refuses_wrong_external(external, message):
    graph = nx.Graph()
    graph.add_node("a", external=external)
    refuses(message, check_ports, graph)
