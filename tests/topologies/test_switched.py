"""Networks with a bus or with switches: what they are made of, and where messages conflict in a multistage network."""

import re
from itertools import combinations, permutations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meshsim.errors import MeshSimError
from meshsim.network import Network
from meshsim.topologies import bus, complete, crossbar, multistage_cube, omega
from meshsim.topology import check_ports

MULTISTAGE = [omega, multistage_cube]
BITS = st.integers(1, 5)


def conflicts(network, permutation):
    """The pairs of sources whose messages, sent at once to where the permutation says, need the same link."""
    links = {source: set(network.route(source, target)) for source, target in enumerate(permutation)}
    return {(a, b) for a, b in combinations(links, 2) if links[a] & links[b]}


@given(st.integers(1, 12))
def test_a_bus_is_one_wire_between_all(n):
    graph, joined = bus(n), complete(n)
    check_ports(graph)
    assert graph.graph == {"name": f"bus({n})"}
    assert list(graph) == list(joined)
    assert [(u, v, ports) for u, v, ports in graph.edges(data="ports")] == list(joined.edges(data="ports"))
    assert all(name == "bus" for _, _, name in graph.edges(data="bus"))
    assert not any("bus" in data for _, _, data in joined.edges(data=True))


@given(st.integers(1, 12))
def test_a_crossbar_is_a_star_around_a_switch(n):
    network = Network(crossbar(n))
    assert network.name == f"crossbar({n})"
    assert network.processors == tuple(range(1, n + 1))
    assert network.graph.number_of_edges() == n
    assert [node for node in network.graph if network.is_switch(node)] == ["crossbar"]
    for source, target in permutations(network.processors, 2):
        assert [link[:2] for link in network.route(source, target)] == [(source, "crossbar"), ("crossbar", target)]


@pytest.mark.parametrize("family", MULTISTAGE)
@given(BITS)
def test_a_multistage_network_has_log_n_stages(family, bits):
    n = 2**bits
    network = Network(family(n))
    assert network.name == f"{family.__name__.replace('_', '-')}({n})"
    assert network.routing == "destination-tag"
    assert network.processors == tuple(range(n))
    elements = [node for node in network.graph if network.is_switch(node)]
    assert elements == [(stage, i) for stage in range(1, bits + 1) for i in range(n // 2)]
    assert network.graph.number_of_edges() == len(network.links) == n * (bits + 1)
    for element in elements:
        assert sum(link.source == element for link in network.links) == 2
        assert sum(link.target == element for link in network.links) == 2
    for line in network.processors:
        assert sum(link.source == line for link in network.links) == 1
        assert sum(link.target == line for link in network.links) == 1


@pytest.mark.parametrize("family", MULTISTAGE)
@given(BITS)
def test_every_route_goes_forward_through_all_stages_and_is_the_only_one(family, bits):
    network = Network(family(2**bits))
    by_shortest = Network(network.graph, routing="shortest")
    for source, target in permutations(network.processors, 2):
        route = network.route(source, target)
        assert route == by_shortest.route(source, target)
        assert [link.target[0] for link in route[:-1]] == list(range(1, bits + 1))


def test_the_wires_of_an_omega_network_of_eight():
    """Shuffles worked out by hand: line 0b011 is rotated left to 0b110, which is an input of element 3."""
    network = Network(omega(8))
    inputs = [network.route(p, p ^ 1)[0].target for p in range(8)]
    assert inputs == [(1, 0), (1, 1), (1, 2), (1, 3), (1, 0), (1, 1), (1, 2), (1, 3)]
    # 3 to 6: outputs 1, 1, 0. Element 3, line 7; rotated 7, element 3, line 7; rotated 7, element 3, line 6.
    assert [link.target for link in network.route(3, 6)] == [(1, 3), (2, 3), (3, 3), 6]
    # 1 to 4: outputs 1, 0, 0. Rotated 2, element 1, line 3; rotated 6, element 3, line 6; rotated 5, element 2, line 4.
    assert [link.target for link in network.route(1, 4)] == [(1, 1), (2, 3), (3, 2), 4]


def test_the_wires_of_a_multistage_cube_of_eight():
    """Element i of a stage: the lines that have the bits of i once the bit of the stage is left out."""
    network = Network(multistage_cube(8))
    assert [network.route(p, p ^ 1)[0].target for p in range(8)] == [(1, p % 4) for p in range(8)]
    # 3 to 6: lines 3 (011), 7 (111), 7 (111), 6 (110); elements 11, 11 (bit 1 left out), 11 (bit 0 left out).
    assert [link.target for link in network.route(3, 6)] == [(1, 3), (2, 3), (3, 3), 6]
    # 1 to 4: lines 1 (001), 5 (101), 5 (101), 4 (100); elements 01, 11, 10.
    assert [link.target for link in network.route(1, 4)] == [(1, 1), (2, 3), (3, 2), 4]


@pytest.mark.parametrize("family", MULTISTAGE)
@pytest.mark.parametrize("n", [2, 4, 8, 16])
def test_uniform_shifts_pass_without_conflict(family, n):
    network = Network(family(n))
    for shift in range(n):
        assert conflicts(network, [(p + shift) % n for p in range(n)]) == set()


def lines(family, bits, source, target):
    """The lines that a message is on behind each stage: of omega, a window that slides along both numbers."""
    if family is omega:
        both = source << bits | target
        return [both >> bits - stage & (1 << bits) - 1 for stage in range(1, bits + 1)]
    low = [(1 << bits - stage) - 1 for stage in range(1, bits + 1)]
    return [target & ~mask | source & mask for mask in low]


@pytest.mark.parametrize("family", MULTISTAGE)
@given(st.permutations(range(16)))
def test_routes_conflict_where_they_need_the_same_line_behind_the_same_stage(family, permutation):
    network = Network(family(16))
    on = {source: lines(family, 4, source, target) for source, target in enumerate(permutation) if source != target}
    expected = {(a, b) for a, b in combinations(on, 2) if any(x == y for x, y in zip(on[a], on[b], strict=True))}
    assert conflicts(network, permutation) == expected


def test_a_permutation_that_blocks_and_one_that_does_not():
    """Lines behind the stages of omega(8), by hand, as windows of three bits of source and target side by side.

    0 to 6: 001 011 110, 4 to 7: 001 011 111; 3 to 0: 110 100 000, 7 to 3: 110 101 011, 5 to 1: 010 100 001.
    """
    blocks = [6, 5, 2, 0, 7, 1, 4, 3]
    for family in MULTISTAGE:
        network = Network(family(8))
        assert conflicts(network, blocks) == {(0, 4), (3, 7), (3, 5)}
        assert conflicts(network, [7, 3, 0, 1, 2, 5, 4, 6]) == set()
    network = Network(omega(8))
    assert set(network.route(0, 6)) & set(network.route(4, 7)) == {((1, 0), (2, 1), 0), ((2, 1), (3, 3), 0)}
    assert set(network.route(3, 0)) & set(network.route(7, 3)) == {((1, 3), (2, 2), 0)}
    assert set(network.route(3, 0)) & set(network.route(5, 1)) == {((2, 2), (3, 0), 0)}


@pytest.mark.parametrize("family", MULTISTAGE)
def test_a_message_around_a_dead_element_passes_the_network_twice(family):
    network = Network(family(8), dead=[(2, 3)])
    assert all(len(network.route(a, b)) in (4, 8) for a, b in permutations(range(8), 2))
    route = network.route(3, 6)
    assert len(route) == 8
    assert [link.target in range(8) for link in route] == [False, False, False, True] * 2
    assert all((2, 3) not in link for a, b in permutations(range(8), 2) for link in network.route(a, b))


@pytest.mark.parametrize("family", MULTISTAGE)
@pytest.mark.parametrize("size", [0, 1, 3, 12, True, 4.0, "4"])
def test_sizes_of_multistage_networks(family, size):
    least = not isinstance(size, int) or size < 2
    message = "an integer >= 2" if least else "a power of two"
    with pytest.raises(MeshSimError, match=f"^number of processors must be {message}, not {re.escape(repr(size))}$"):
        family(size)


def test_switches_are_plain_networkx_graphs():
    for graph in (crossbar(4), omega(4), multistage_cube(4)):
        assert type(graph) is nx.MultiGraph
        assert nx.is_connected(graph)
