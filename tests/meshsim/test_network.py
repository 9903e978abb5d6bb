"""Networks: routes over living links, tables, own costs, and what is refused."""

import pickle
import re
from itertools import pairwise, product

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meshsim.errors import MeshSimError
from meshsim.network import Link, Network
from meshsim.topologies import NETWORKS, bus, crossbar, pipeline, ring, square_mesh, torus

SIZES = {"square-mesh": [(1, 1), (1, 4), (3, 4)], "torus": [(2, 2), (2, 4), (3, 4)]}
POWERS = [(2,), (4,), (8,)]
EVERY = [
    (name, size)
    for name in NETWORKS
    for size in SIZES.get(name, POWERS if name in ("omega", "multistage-cube") else [(2,), (3,), (4,)])
]


def refuses(message, function, *args, **named):
    with pytest.raises(MeshSimError, match=f"^{re.escape(message)}$"):
        function(*args, **named)


def nodes_of(route):
    return [*(link.source for link in route[:1]), *(link.target for link in route)]


def check_route(network, source, target):
    """A path from source to target over links that live."""
    route = network.route(source, target)
    assert all(a.target == b.source for a, b in pairwise(route))
    assert set(route) <= set(network.links)
    nodes = nodes_of(route)
    assert (nodes == []) == (source == target)
    if nodes:
        assert (nodes[0], nodes[-1]) == (source, target)
        assert len(set(nodes)) == len(nodes)
    assert network.distance(source, target) == len(route)
    assert network.route(source, target) is route
    return route


@pytest.mark.parametrize(("name", "size"), EVERY)
def test_every_pair_of_every_family_has_a_route(name, size):
    network = Network(NETWORKS[name][0](*size))
    assert network.name.startswith(f"{name}(")
    assert network.dead == ()
    for source, target in product(network.processors, repeat=2):
        route = check_route(network, source, target)
        if name not in ("omega", "multistage-cube"):  # whose links have one direction
            assert len(route) == nx.shortest_path_length(network.graph, source, target)


@pytest.mark.parametrize("name", ["square-mesh", "torus", "hypercube", "binary-tree", "ring", "cone", "omega", "star"])
@settings(max_examples=30)
@given(st.data())
def test_routes_go_around_what_is_dead(name, data):
    graph = NETWORKS[name][0](*{"square-mesh": (3, 4), "torus": (3, 3), "omega": (8,), "ring": (6,)}.get(name, (3,)))
    dead = data.draw(st.lists(st.sampled_from([*graph, *graph.edges()]), max_size=4))
    if all(node in dead for node, switch in graph.nodes(data="switch") if not switch):
        return
    whole, network = Network(graph), Network(graph, dead=dead)
    ways = nx.DiGraph([link[:2] for link in network.links])
    ways.add_nodes_from(network.processors)
    for source, target in product(network.processors, repeat=2):
        if not nx.has_path(ways, source, target):
            with pytest.raises(
                MeshSimError, match=re.escape(f"a route from {source!r} to {target!r}, and has none; dead")
            ):
                network.route(source, target)
            continue
        route = check_route(network, source, target)
        for node in nodes_of(route):
            assert node not in dead
        for link in route:
            assert link[:2] not in dead
            assert link[1::-1] not in dead
        if set(whole.route(source, target)) <= set(network.links):
            assert route == whole.route(source, target)


def test_detours_by_hand():
    mesh = Network(square_mesh(3, 3), dead=[(1, 2)])
    assert nodes_of(mesh.route((1, 1), (1, 3))) == [(1, 1), (2, 1), (2, 2), (2, 3), (1, 3)]
    assert nodes_of(mesh.route((2, 1), (1, 3))) == [(2, 1), (2, 2), (2, 3), (1, 3)]  # as ever
    mesh = Network(square_mesh(3, 3), dead=[((1, 1), (1, 2))])
    assert nodes_of(mesh.route((1, 1), (1, 2))) == [(1, 1), (2, 1), (2, 2), (1, 2)]
    assert mesh.processors == tuple(square_mesh(3, 3))


def test_of_several_links_the_lowest_key_that_lives():
    two = ring(2)
    network = Network(two)
    assert network.parallel(1, 2) == network.parallel(2, 1) == (0, 1)
    assert network.route(1, 2) == (Link(1, 2, 0),)
    assert network.link(2, 1) == Link(2, 1, 0)
    assert network.links == (Link(1, 2, 0), Link(1, 2, 1), Link(2, 1, 0), Link(2, 1, 1))
    half = Network(two, dead=[Link(2, 1, 0)])
    assert half.route(1, 2) == (Link(1, 2, 1),)
    assert half.parallel(2, 1) == (1,)
    none = Network(two, dead=[(1, 2)])
    assert none.parallel(1, 2) == ()
    refuses("ring(2) must have a living link from 1 to 2, and has none", none.link, 1, 2)
    lost = "a route from 1 to 2, and has none; dead: link 1 - 2, link 1 - 2"
    refuses(f"ring(2) must have {lost}", none.route, 1, 2)


def test_a_link_of_one_direction():
    graph = nx.MultiGraph(name="circle")
    for u, v in ("ab", "bc", "ca"):
        graph.add_edge(u, v, oneway=u)
    network = Network(graph)
    assert network.links == (Link("a", "b", 0), Link("b", "c", 0), Link("c", "a", 0))
    assert nodes_of(network.route("b", "a")) == [*"bca"]
    assert network.parallel("b", "a") == ()


def test_attributes_say_what_is_dead_and_what_it_costs():
    graph = nx.Graph(name="boards")
    graph.add_node("a")
    graph.add_node("x", dead=True)
    graph.add_edge("a", "x")
    graph.add_edge("x", "b")
    graph.add_edge("a", "b", dead=True)
    graph.add_edge("a", "c", startup=500, hop=3.0, bus="front")
    graph.add_edge("c", "b", per_word=0)
    network = Network(graph)
    assert network.processors == ("a", "b", "c")
    assert network.dead == ("x", Link("a", "b", 0))
    route = network.route("a", "b")
    assert nodes_of(route) == [*"acb"]
    assert [network.costs(link) for link in route] == [{"startup": 500, "hop": 3}, {"per_word": 0}]
    assert type(network.costs(route[0])["hop"]) is int
    assert [network.bus(link) for link in route] == ["front", None]
    assert network.costs(Link("c", "a", 0)) == network.costs(route[0])
    network = Network(graph, dead=["c"])
    dead = "'x', link 'a' - 'b', 'c'"
    refuses(f"boards must have a route from 'a' to 'b', and has none; dead: {dead}", network.route, "a", "b")


def test_a_bus_and_a_switch():
    network = Network(bus(3))
    assert network.route(1, 3) == (Link(1, 3, 0),)
    assert {network.bus(link) for link in network.links} == {"bus"}
    network = Network(crossbar(3))
    assert network.is_switch("crossbar")
    assert not network.is_switch(1)
    wrong = "a route must join two living processors of crossbar(3), and 'crossbar' is none"
    refuses(wrong, network.route, 1, "crossbar")
    refuses("a route must join two living processors of crossbar(3), and 9 is none", network.route, 9, 1)
    refuses(
        "a route must join two living processors of crossbar(3), and 2 is none",
        Network(crossbar(3), dead=[2]).route,
        1,
        2,
    )


def test_a_table_of_routes_comes_before_the_rule():
    way = [(1, 1), (2, 1), (2, 2), (1, 2)]
    network = Network(square_mesh(2, 2), table={((1, 1), (1, 2)): way})
    assert nodes_of(network.route((1, 1), (1, 2))) == way
    assert nodes_of(network.route((1, 2), (1, 1))) == [(1, 2), (1, 1)]
    assert nodes_of(Network(network.graph, table=network.table, dead=[(2, 1)]).route((1, 1), (1, 2))) == [
        way[0],
        way[3],
    ]
    graph = square_mesh(2, 2)
    graph.graph["routes"] = [[[1, 1], [2, 1], [2, 2]], way]
    assert nodes_of(Network(graph).route((1, 1), (2, 2))) == [(1, 1), (2, 1), (2, 2)]
    assert dict(Network(graph).table) == {((1, 1), (2, 2)): tuple(way[:3]), ((1, 1), (1, 2)): tuple(way)}
    shorter = Network(graph, table={((1, 1), (1, 2)): [way[0], way[3]]})
    assert shorter.distance((1, 1), (1, 2)) == 1


def test_another_rule_than_that_of_the_graph():
    network = Network(square_mesh(2, 2), routing="shortest")
    assert nodes_of(network.route((2, 1), (1, 2))) == [(2, 1), (1, 1), (1, 2)]
    assert nodes_of(Network(square_mesh(2, 2)).route((2, 1), (1, 2))) == [(2, 1), (2, 2), (1, 2)]
    assert Network(ring(4)).routing == "shortest"
    assert Network(torus(2, 2)).routing == "dimension-order"


def test_a_network_does_not_change_and_can_be_pickled():
    graph = pipeline(3)
    network = Network(graph, table={(1, 3): (1, 2, 3)}, dead=[(2, 3)])
    graph.add_edge(1, 3)
    assert not network.graph.has_edge(1, 3)
    with pytest.raises(nx.NetworkXError):
        network.graph.add_edge(1, 3)
    with pytest.raises(TypeError):
        network.table[1, 3] = (1, 3)
    again = pickle.loads(pickle.dumps(network))
    assert again.route(1, 2) == network.route(1, 2)
    assert (again.name, again.routing, again.table, again.dead) == (
        *("pipeline(3)", "shortest"),
        *({(1, 3): (1, 2, 3)}, (Link(2, 3, 0),)),
    )


def with_node(**attributes):
    graph = nx.Graph(name="net")
    graph.add_node("a", **attributes)
    return graph


def with_edge(**attributes):
    graph = nx.MultiGraph(name="net")
    graph.add_edge("a", "b", **attributes)
    return graph


def with_named(name):
    return nx.Graph(["ab"], name=name)


def with_graph(**attributes):
    return nx.Graph(["ab", "bc"], name="net", **attributes)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ({}, "network must be an undirected networkx graph, not a dict"),
        (nx.DiGraph(["ab"]), "network must be an undirected networkx graph, not a DiGraph"),
        (nx.Graph(name="net"), "net must have at least one living processor, not 0"),
        (with_node(switch=True), "net must have at least one living processor, not 0"),
        (with_node(dead=True), "net must have at least one living processor, not 0"),
        (with_node(switch=1), "switch of node 'a' must be true or false, not 1"),
        (with_node(dead="no"), "dead of node 'a' must be true or false, not \"no\""),
        (nx.Graph(["aa"]), "link 'a' - 'a' must join two nodes, not one to itself"),
        (with_edge(dead=1), "dead of link 'a' - 'b' must be true or false, not 1"),
        (with_edge(ports=3), "ports of link 'a' - 'b' must be a dict with its two ends as keys, not 3"),
        (nx.Graph([(float("nan"), 1)]), "a node must be a number, a text or a list of these, not nan"),
        (nx.Graph([("a\n", 1)]), "a node must have a name that can be printed, not 'a\\n'"),
        (with_named(3), "name of the network must be a text, not 3"),
        (
            with_named("\ud800"),
            "name of the network must be a text that can be printed, not '\\ud800'",
        ),
        (with_edge(bus="\x00"), "bus of link 'a' - 'b' must be a text that can be printed, not '\\x00'"),
        (with_edge(bus=""), "bus of link 'a' - 'b' must be a text, not \"\""),
        (with_edge(startup=-1), "startup of link 'a' - 'b' must be a whole number of ticks, at least 0, not -1"),
        (with_edge(hop="3"), "hop of link 'a' - 'b' must be a whole number of ticks, at least 0, not \"3\""),
        (with_edge(per_word=1.5), "per_word of link 'a' - 'b' must be a whole number of ticks, at least 0, not 1.5"),
        (with_edge(oneway="c"), "oneway of link 'a' - 'b' must be one of its ends, not 'c'"),
        (with_edge(key="x"), "key of link 'a' - 'b' must be an integer, not 'x'"),
        (
            with_graph(routing="xy"),
            "routing must be one of dimension-order, e-cube, up-down, destination-tag, shortest, not 'xy'",
        ),
        (
            with_graph(routing=3),
            "routing must be one of dimension-order, e-cube, up-down, destination-tag, shortest, not 3",
        ),
        (
            with_graph(routing="e-cube"),
            "routing e-cube must be used on a complete hypercube, with nodes 0 .. 2^d - 1 or 1 .. 2^d, "
            "not on 3 nodes 'a', 'b', 'c'",
        ),
        (with_graph(routes="abc"), 'routes must be a list of lists of nodes, not "abc"'),
        (with_graph(routes=[[]]), "routes must be a list of lists of nodes, not [[]]"),
        (with_graph(routes=[[*"ab"], [*"ab"]]), "routes must have one from 'a' to 'b', not several"),
        (with_graph(routes=[[*"ac"]]), "the route from 'a' to 'c' must follow links, and none goes from 'a' to 'c'"),
        (with_graph(routes=[[*"axc"]]), "the route from 'a' to 'c' must follow links, and none goes from 'a' to 'x'"),
        (with_graph(routes=[[*"a"]]), "the route from 'a' to 'a' must begin and end there, not be ('a',)"),
        (
            with_graph(routes=[[*"ababc"]]),
            "the route from 'a' to 'c' must pass a node once, not be ('a', 'b', 'a', 'b', 'c')",
        ),
    ],
)
def test_what_is_no_network_is_refused(graph, message):
    refuses(message, Network, graph)


@pytest.mark.parametrize("dead", ["x", ("a", "c"), ("a", "b", 1), ("a",), 3])
def test_what_is_dead_must_be_there(dead):
    refuses(
        f"what is dead must be a node or a link (two neighbours) of net, not {dead!r}",
        Network,
        with_graph(),
        dead=[dead],
    )


def test_what_is_dead_is_a_list():
    refuses("what is dead must be a text or a list of nodes and links, not 3", Network, with_graph(), dead=3)


def test_lists_name_nodes_that_are_tuples():
    assert Network(square_mesh(2, 2), dead=[[1, 1]]).dead == ((1, 1),)
    assert Network(square_mesh(2, 2), dead=[[[1, 1], [1, 2]]]).dead == (Link((1, 1), (1, 2), 0),)
    refuses("a node must be a number, a text or a list of these, not {}", Network, with_graph(), dead=[{}])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([], "the table of routes must be a mapping from (source, target) to nodes, not []"),
        ({"a": ["a"]}, "the table of routes must map (source, target) to a list of nodes, not 'a' to ['a']"),
        (
            {("a", "b"): "ab"},
            "the table of routes must map (source, target) to a list of nodes, not ('a', 'b') to 'ab'",
        ),
        ({("a", "c"): ("a", "b")}, "the route from 'a' to 'c' must begin and end there, not be ('a', 'b')"),
    ],
)
def test_tables_name_real_paths(table, message):
    refuses(message, Network, with_graph(), table=table)
