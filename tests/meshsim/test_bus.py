"""A bus: one transfer at a time among many processors, first come, first served."""

import networkx as nx
import pytest
from tools.engine import do, lives, machine, plan, recv, send

from meshsim.errors import MeshSimError
from meshsim.recording import load_recording, record
from meshsim.replay import replay
from meshsim.retiming import NotKahnError, retime
from meshsim.topology import check_ports


def bus_network(nodes, links):
    graph = nx.MultiGraph()
    graph.add_nodes_from(nodes)
    for u, v in links:
        graph.add_edge(u, v, ports={u: v, v: u}, bus="bus")
    return graph


NODES = ["a", "b", "c", "d"]
TWO = {"a": [send("c", 4)], "b": [send("d", 4)], "c": [recv("a")], "d": [recv("b")]}


@pytest.mark.parametrize("discipline", ["overlap", "posted", "rendezvous"])
def test_two_transfers_follow_one_another(discipline):
    made = plan(TWO, bus_network(NODES, [("a", "c"), ("b", "d")]))
    run = made.run(machine(discipline, startup=2, per_word=1))
    assert [life[3:5] for life in (lives(run)["a", "c"][0], lives(run)["b", "d"][0])] == [(0, 6), (6, 12)]
    bus = run.buses["bus"]
    assert (bus.links, bus.messages, bus.words, bus.ticks, bus.share) == (2, 2, 8, 12, 1.0)
    assert run.ticks == 12


def test_first_come_first_served_then_node_order():
    programs = {"a": [do(3), send("c")], "b": [do(1), send("d")], "c": [recv("a")], "d": [recv("b")]}
    made = plan(programs, bus_network(NODES, [("a", "c"), ("b", "d")]))
    run = made.run(machine("rendezvous", startup=5))
    assert lives(run)["b", "d"][0][3] == 1
    assert lives(run)["a", "c"][0][3] == 6
    tied = plan({**programs, "b": [do(3), send("d")]}, bus_network(NODES, [("b", "d"), ("a", "c")]))
    run = tied.run(machine("rendezvous", startup=5))
    assert lives(run)["a", "c"][0][3] == 3  # a comes first in node order, whatever the order of the links
    assert run.critical_path.wait == 5


def test_the_bus_is_one_for_both_ways_and_many_pairs():
    programs = {"a": [send("b"), recv("c")], "b": [recv("a"), send("c")], "c": [recv("b"), send("a")], "d": []}
    made = plan(programs, bus_network(NODES, [("a", "b"), ("b", "c"), ("c", "a")]))
    run = made.run(machine("rendezvous", startup=4))
    assert run.ticks == 12
    assert run.buses["bus"].ticks == 12


def test_a_link_beside_the_bus_is_its_own():
    graph = bus_network(NODES, [("a", "c")])
    graph.add_edge("b", "d", ports={"b": "d", "d": "b"})
    run = plan(TWO, graph).run(machine("rendezvous", startup=2, per_word=1))
    assert run.ticks == 6
    assert run.buses["bus"].messages == 1


def test_words_that_cost_nothing():
    run = plan(TWO, bus_network(NODES, [("a", "c"), ("b", "d")])).run(machine("free"))
    assert run.ticks == 0
    assert (run.buses["bus"].messages, run.buses["bus"].ticks, run.buses["bus"].share) == (2, 0, 0.0)


def test_a_plan_with_a_bus_cannot_be_retimed(tmp_path):
    made = plan(TWO, bus_network(NODES, [("a", "c"), ("b", "d")]))
    recording, value = record(made)
    recording.save(tmp_path / "bus.npz")
    for each in (recording, load_recording(tmp_path / "bus.npz")):
        with pytest.raises(NotKahnError, match=r"^a plan with a bus \(bus\) cannot be re-timed on test: who gets it "):
            retime(each, [machine("overlap", startup=1)])
        with pytest.raises(NotKahnError, match="simulate it instead"):
            replay(each, machine("rendezvous"), value)
        assert retime(each, [machine("free")]).ticks.tolist() == [0]


def test_a_bus_has_a_name():
    graph = bus_network(["a", "b"], [("a", "b")])
    graph.edges["a", "b", 0]["bus"] = ""
    with pytest.raises(MeshSimError, match=r"^bus of link 'a' - 'b' must be a non-empty string, not ''$"):
        check_ports(graph)
