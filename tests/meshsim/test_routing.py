"""Rules of routing: hand-worked routes, lengths by formula, ties, and graphs that a rule does not fit."""

import os
import re
import subprocess
import sys
from itertools import pairwise, permutations, product

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.paths import ROOT

from meshsim.errors import MeshSimError
from meshsim.routing import ROUTINGS, dimension_order, e_cube, find_routing, shortest, up_down
from meshsim.topologies import binary_tree, hypercube, incomplete_hypercube, omega, pipeline, ring, square_mesh, torus

SIDE = st.integers(1, 6)


def refuses(message, function, *args):
    with pytest.raises(MeshSimError, match=f"^{re.escape(message)}$"):
        function(*args)


def check_path(graph, route, source, target):
    assert (route[0], route[-1]) == (source, target)
    assert len(set(route)) == len(route)
    assert all(graph.has_edge(*step) for step in pairwise(route))


@given(SIDE, SIDE)
def test_dimension_order_on_a_mesh_goes_along_the_row_and_then_along_the_column(rows, columns):
    graph = square_mesh(rows, columns)
    router = dimension_order(graph)
    for (r, c), (s, d) in product(graph, repeat=2):
        route = router((r, c), (s, d))
        check_path(graph, route, (r, c), (s, d))
        assert len(route) - 1 == abs(r - s) + abs(c - d)
        assert (r, d) in route


@given(st.integers(2, 6), st.integers(2, 6))
def test_dimension_order_on_a_torus_takes_the_shorter_way_round(rows, columns):
    graph = torus(rows, columns)
    router = dimension_order(graph)
    for (r, c), (s, d) in product(graph, repeat=2):
        route = router((r, c), (s, d))
        check_path(graph, route, (r, c), (s, d))
        east, south = (d - c) % columns, (s - r) % rows
        assert len(route) - 1 == min(east, columns - east) + min(south, rows - south)
        assert (r, d) in route


def test_dimension_order_by_hand():
    mesh, wrapped = dimension_order(square_mesh(4, 4)), dimension_order(torus(4, 5))
    assert mesh((3, 1), (1, 3)) == ((3, 1), (3, 2), (3, 3), (2, 3), (1, 3))
    assert mesh((1, 3), (1, 3)) == ((1, 3),)
    assert wrapped((1, 1), (1, 4)) == ((1, 1), (1, 5), (1, 4))
    assert wrapped((1, 4), (1, 1)) == ((1, 4), (1, 5), (1, 1))
    assert wrapped((4, 1), (2, 1)) == ((4, 1), (1, 1), (2, 1))  # two rows either way: south
    assert wrapped((2, 1), (4, 1)) == ((2, 1), (3, 1), (4, 1))
    assert dimension_order(torus(2, 4))((1, 3), (1, 1)) == ((1, 3), (1, 4), (1, 1))  # likewise east


@given(st.integers(0, 6))
def test_e_cube_changes_the_lowest_bit_first(dimension):
    for graph, first in ((hypercube(dimension), 0), (incomplete_hypercube(2**dimension), 1)):
        assert graph.graph["routing"] == "e-cube"
        router = e_cube(graph)
        for source, target in product(graph, repeat=2):
            route = router(source, target)
            check_path(graph, route, source, target)
            assert len(route) - 1 == ((source - first) ^ (target - first)).bit_count()
            changed = [(a - first) ^ (b - first) for a, b in pairwise(route)]
            assert changed == sorted(changed)


@given(st.integers(1, 20))
def test_an_incomplete_cube_has_routes_as_long_as_bits_differ(n):
    graph = incomplete_hypercube(n)
    router = ROUTINGS[graph.graph["routing"]](graph)
    assert all(len(router(a, b)) - 1 == ((a - 1) ^ (b - 1)).bit_count() for a, b in product(graph, repeat=2))


@given(st.integers(0, 2**32), st.integers(1, 30))
def test_routes_in_a_tree_go_up_and_down(seed, size):
    """Of random trees with names that say nothing; the first node is the root."""
    graph = nx.Graph()
    graph.add_node("n0")
    for i in range(1, size):
        graph.add_edge(f"n{(seed * 31 + i * i * 7) % i}", f"n{i}")
    router = up_down(graph)
    depths = nx.single_source_shortest_path_length(graph, "n0")
    for source, target in product(graph, repeat=2):
        route = router(source, target)
        check_path(graph, route, source, target)
        assert len(route) - 1 == nx.shortest_path_length(graph, source, target)
        turns = [depths[b] - depths[a] for a, b in pairwise(route)]
        assert turns == sorted(turns)  # all steps up, -1, then all steps down, +1


def test_up_down_by_hand():
    router = up_down(binary_tree(4))
    assert router(8, 11) == (8, 4, 2, 5, 11)
    assert router(2, 9) == (2, 4, 9)
    assert router(15, 1) == (15, 7, 3, 1)
    assert router(8, 15) == (8, 4, 2, 1, 3, 7, 15)
    assert router(6, 6) == (6,)


@st.composite
def graphs(draw):
    """Small graphs in any node order, perhaps in parts."""
    nodes = draw(st.permutations([*"abcdef"]))
    graph = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(draw(st.lists(st.sampled_from([*permutations(nodes, 2)]), max_size=10)))
    return graph


@given(graphs())
def test_shortest_is_the_first_in_node_order_of_all_shortest(graph):
    router, order = shortest(graph), {node: place for place, node in enumerate(graph)}
    for source, target in product(graph, repeat=2):
        if nx.has_path(graph, source, target):
            every = nx.all_shortest_paths(graph, source, target)
            assert router(source, target) == tuple(min(every, key=lambda route: [order[node] for node in route]))
        else:
            assert router(source, target) == ()


def test_shortest_on_a_ring_of_eight():
    router = shortest(ring(8))
    assert router(7, 2) == (7, 8, 1, 2)
    assert router(1, 5) == (1, 2, 3, 4, 5)  # four links either way: 2 comes before 8
    assert router(5, 1) == (5, 4, 3, 2, 1)


def test_shortest_follows_one_way_links():
    graph = nx.Graph()
    for u, v in ("ab", "bc", "cd", "da"):
        graph.add_edge(u, v, oneway=u)
    assert shortest(graph)("a", "d") == (*"abcd",)
    assert shortest(graph)("d", "a") == (*"da",)


def test_routes_do_not_depend_on_the_hash_seed():
    program = (
        "import networkx as nx; from meshsim.routing import shortest, up_down\n"
        "graph = nx.Graph(nx.grid_graph((3, 3)))\n"
        "graph = nx.relabel_nodes(graph, {node: f'node{node}' for node in graph})\n"
        "print([shortest(graph)(a, b) for a in graph for b in graph])\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_rules_by_name():
    assert list(ROUTINGS) == ["dimension-order", "e-cube", "up-down", "destination-tag", "shortest"]
    assert find_routing("shortest") is shortest
    for wrong in ("xy", None, 3):
        refuses(f"routing must be one of {', '.join(ROUTINGS)}, not {wrong!r}", find_routing, wrong)


def mesh_without(*edges):
    graph = square_mesh(2, 3)
    graph.remove_edges_from(edges)
    return graph


def oneway(graph):
    nx.set_edge_attributes(graph, {edge: edge[0] for edge in graph.edges}, "oneway")
    return graph


def without(graph, *nodes):
    graph.remove_nodes_from(nodes)
    return graph


MULTISTAGE = "processors 0 .. 2^d - 1 joined by stages of switch elements, with outputs 0 and 1, not on "


@pytest.mark.parametrize(
    ("name", "graph", "message"),
    [
        ("dimension-order", pipeline(3), "on nodes (row, column), not on 1"),
        ("dimension-order", nx.Graph([((1, 1.5), (1, 2.5))]), "on nodes (row, column), not on (1, 1.5)"),
        ("dimension-order", without(square_mesh(3, 3), (2, 2)), "on a full rectangle, not on one that lacks (2, 2)"),
        ("dimension-order", nx.Graph([((1, 1), (1, 10**30))]), "on a full rectangle, not on one that lacks (1, 2)"),
        ("dimension-order", mesh_without(((1, 2), (1, 3))), "where neighbours are joined, and (1, 2) - (1, 3) are not"),
        ("dimension-order", mesh_without(((1, 2), (2, 2))), "where neighbours are joined, and (1, 2) - (2, 2) are not"),
        ("dimension-order", oneway(square_mesh(1, 2)), "on links of both directions, not on (1, 1) - (1, 2)"),
        ("e-cube", pipeline(4), "where neighbours are joined, and 1 - 3 are not"),
        (
            "e-cube",
            incomplete_hypercube(6),
            "on a complete hypercube, with nodes 0 .. 2^d - 1 or 1 .. 2^d, not on 6 nodes 1, 2, 3, 4 ..",
        ),
        (
            "e-cube",
            nx.Graph(["ab"]),
            "on a complete hypercube, with nodes 0 .. 2^d - 1 or 1 .. 2^d, not on 2 nodes 'a', 'b'",
        ),
        ("up-down", ring(4), "on a tree, not on a graph that has cycles or falls apart"),
        ("up-down", nx.empty_graph(2), "on a tree, not on a graph that has cycles or falls apart"),
        ("up-down", oneway(binary_tree(2)), "on links of both directions, not on 1 - 2"),
        ("destination-tag", pipeline(2), f"on {MULTISTAGE}link 1 - 2, which has no direction"),
        ("destination-tag", oneway(pipeline(2)), f"on {MULTISTAGE}2 processors 1, 2"),
        ("destination-tag", without(omega(4), (1, 0)), f"on {MULTISTAGE}node 0 with outputs []"),
    ],
)
def test_a_rule_refuses_a_graph_that_it_does_not_fit(name, graph, message):
    refuses(f"routing {name} must be used {message}", ROUTINGS[name], graph)


def test_two_links_between_neighbours_leave_a_tree_a_tree():
    graph = binary_tree(2)
    graph.add_edge(1, 2)
    assert up_down(graph)(2, 3) == (2, 1, 3)
