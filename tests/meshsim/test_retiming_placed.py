"""Placed plans that form a Kahn network are re-timed to the tick; all others are refused, with the reason."""

import pickle
import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from tools.engine import do, machine, network, par, phase, plan, recv, send
from tools.strategies import cases, machines

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.solvers.catalogue import SOLVERS, load_system
from meshsim.bounds import Timing, bound
from meshsim.dataflow import dataflow
from meshsim.deadlock import DeadlockError
from meshsim.discipline import LIVES, OwnCost, Passage, Term, contract, routed
from meshsim.errors import MeshSimError
from meshsim.machine import DISCIPLINES, SETUPS, SWITCHING, LinkCosts, Machine
from meshsim.network import OWN_COSTS, Network
from meshsim.ordering import SCHEDULED, best_order, kept_to
from meshsim.placed import ways
from meshsim.presets import PRESETS
from meshsim.recording import FORMAT, load_recording, record
from meshsim.replay import replay
from meshsim.retiming import NotKahnError, check_kahn, is_kahn, retime
from meshsim.scheduling import by_largest, problem_of, schedules
from meshsim.sensitivity import PARAMETERS, parameter_of, path_counts, slopes, with_parameters
from meshsim.topologies import complete, crossbar, pipeline

TIED = (0, 0, 1, 2, 3, 7)
"""Costs with which ties are common."""


pytestmark = pytest.mark.usefixtures("both_ways")


def check_timing(placed, table, exact_paths=False):
    """Every program's finish and busy time, every phase; of each machine of a table, re-timed and simulated."""
    recording, _ = record(placed)
    timing = retime(recording, table)
    places = placed.placement.places
    for column, each in enumerate(table):
        run = placed.run(each, trace=exact_paths)
        where = [places[node] for node in placed.topology]
        assert timing.finish[:, column].tolist() == [run.finish[node] for node in where]
        assert timing.busy[:, column].tolist() == [run.busy[node] for node in where]
        assert {name: int(ticks[column]) for name, ticks in timing.phases.items()} == dict(run.phases)
        assert timing.ticks[column] == run.ticks
        if exact_paths:
            counts = path_counts(run.critical_path, each)
            assert sum(count * parameter_of(each, name) for name, count in counts.items()) == run.ticks


def stretched(made, draw, own=False):
    """A plan on a network of its own shape, where a way of up to four links takes the place of each link.

    Nodes on the way are switches or idle processors. Several links between two processors stay as they are.
    """
    topology = made.topology
    graph = nx.MultiGraph(name="stretched")
    order = list(topology)
    draw.shuffle(order)  # node order is another one here
    graph.add_nodes_from(("cpu", node) for node in order)
    among = Counter(frozenset(way[::2]) for way in ways(topology))
    table = {}
    for u, v, ports in topology.edges(data="ports"):
        ends = ("cpu", u), ("cpu", v)
        between = draw.choice([0, 1, 1, 2, 3]) if among[frozenset((u, v))] == 2 else 0
        path = [ends[0], *(("on the way", len(graph) + k) for k in range(between)), ends[1]]
        graph.add_nodes_from(path[1:-1], switch=draw.random() < 0.4)
        for one, other in pairwise(path):
            costs = {name: draw.choice(TIED) for name in OWN_COSTS if own and draw.random() < 0.4}
            graph.add_edge(
                one, other, **costs, **({} if between else {"ports": {("cpu", n): ports[n] for n in (u, v)}})
            )
        table[ends], table[ends[::-1]] = path, path[::-1]
    return made.placed(Network(graph, table=table), {node: ("cpu", node) for node in topology})


@st.composite
def routed_machines(draw, disciplines):
    """Those that other tests draw, with routers."""
    each = draw(machines(disciplines))
    routers = {"switching": draw(st.sampled_from(SWITCHING)), "hop": draw(st.sampled_from(TIED))}
    return replace(each, links=replace(each.links, **routers))


def random_machine(draw, discipline):
    """Costs that are often small or nought."""
    ends = {"receive": draw.choice(TIED), "setups": draw.choice(SETUPS), "hop": draw.choice(TIED)}
    links = LinkCosts(discipline, *draw.choices(TIED, k=3), draw.randint(1, 4), **ends)
    links = replace(links, switching=draw.choice(SWITCHING))
    return Machine(
        "drawn", 1, {name: draw.choice(TIED) for name in PRESETS["t800"].operations}, links, draw.choice(TIED)
    )


# To the tick


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_random_programs_over_routes_of_their_own(discipline):
    @settings(deadline=None, max_examples=15)  # in both ways
    @given(cases(), routed_machines([discipline]), routed_machines([discipline]), st.randoms(use_true_random=False))
    def agrees(case, one, other, draw):
        own = draw.random() < 0.4
        placed = stretched(plan(case.programs, network(case.programs, case.links)), draw, own)
        try:
            recording, _ = record(placed)
            for each in (one, other):
                placed.run(each, trace=False)
        except DeadlockError:
            event("deadlock")
            with pytest.raises(DeadlockError):
                retime(record(placed)[0], [one, other])
            return
        event("over routers" if recording.passes_routers else "over links")
        check_timing(placed, [one, other], exact_paths=not own)

    agrees()


@pytest.mark.parametrize("name", ["wong-mesh", "hwang", "fijany-bejczy", "lee-chang", "amin-javaheri"])
def test_schemes_over_longer_ways(name):
    robot = chain(3, 7)
    draw = random.Random(name)
    made = SCHEMES[name].plan(robot, default_state(robot))
    for own in (False, True):
        placed = stretched(made, draw, own)
        check_timing(placed, [random_machine(draw, discipline) for discipline in DISCIPLINES])


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_anywhere_on_a_complete_network(name):
    """Every two processors have a link: whatever the permutation, no two channels share one."""
    draw = random.Random(name)
    made = SOLVERS[name].plan(*load_system("symmetric:3:3"))
    on = Network(complete(len(made.topology) + 2))
    places = dict(zip(made.topology, draw.sample(on.processors, len(made.topology)), strict=True))
    check_timing(made.placed(on, places), [random_machine(draw, discipline) for discipline in DISCIPLINES])


def along(count, messages=6):
    """A pipeline whose last program gets much from the first; words go back as well."""
    nodes = list(range(1, count + 1))
    programs = {}
    for i in nodes:
        steps = []
        for number in range(messages):
            steps += [recv("W")] if i > 1 else [do(number)]
            steps += [do(3), send("E", number % 4)] if i < count else [do(2), phase(f"message {number}")]
        back = ([recv("E")] if i < count else []) + ([send("W", 2)] if i > 1 else [])
        programs[i] = [*steps, *back]
    links = [(i, "E", i + 1, "W") for i in nodes[:-1]]
    return plan(programs, network(nodes, links))


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_a_pipeline_over_every_third_processor_of_a_longer_one(discipline):
    draw = random.Random(discipline)
    on = Network(pipeline(13))
    placed = along(5).placed(on, {i: 3 * i - 2 for i in range(1, 6)})
    check_timing(placed, [random_machine(draw, discipline) for _ in range(12)], exact_paths=True)


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_one_way_around_a_crossbar(discipline):
    """Each sends to the next: of every processor's link one channel has this direction, one has that."""
    draw = random.Random(discipline)
    nodes = "abcde"
    laps = {node: [par(send("next", 3), recv("last")), do(4), send("next", 1), recv("last")] * 3 for node in nodes}
    made = plan(laps, network(nodes, [(u, "next", v, "last") for u, v in zip(nodes, nodes[1:] + "a", strict=True)]))
    placed = made.placed(Network(crossbar(7)), dict(zip(nodes, draw.sample(range(1, 8), 5), strict=True)))
    table = [random_machine(draw, discipline) for _ in range(12)]
    deep = [replace(each, links=replace(each.links, buffers=3)) for each in table]
    if discipline == "rendezvous":
        with pytest.raises(DeadlockError):
            retime(record(placed)[0], deep)
    else:
        check_timing(placed, deep, exact_paths=True)


def test_store_and_forward_and_cut_through_over_three_links():
    """Two messages of 4 words: 2 + 4 x 3 = 14 ticks a link, 5 a router. By hand."""
    made = plan({1: [send("E", 4), send("E", 4)], 2: [recv("W"), recv("W")]}, network([1, 2], [(1, "E", 2, "W")]))
    placed = made.placed(Network(pipeline(4)), {1: 1, 2: 4})
    costs = {"startup": 2, "per_word": 3, "hop": 5, "buffers": 2}
    whole, cut = (machine("overlap", **costs, switching=switching) for switching in SWITCHING)
    timing = retime(record(placed)[0], [whole, cut])
    assert timing.ticks.tolist() == [3 * 14 + 2 * 5 + 14, 2 + 2 * 5 + 12 + 14]
    check_timing(placed, [whole, cut], exact_paths=True)


def test_links_with_costs_of_their_own():
    """A bridge in the middle that is slow, and a router before it that is slow as well."""
    graph = nx.Graph(["ab", "cd"], name="boards")
    graph.add_edge("b", "c", startup=100, per_word=10, hop=50)
    made = plan({1: [send("E", 4)], 2: [recv("W")]}, network([1, 2], [(1, "E", 2, "W")]))
    placed = made.placed(Network(graph), {1: "a", 2: "d"})
    table = [machine("overlap", startup=s, per_word=w, hop=h) for s, w, h in ((2, 3, 5), (0, 0, 0), (20, 3, 7))]
    assert retime(record(placed)[0], table).ticks.tolist() == [14 + 50 + 140 + 5 + 14, 190, 32 + 190 + 7 + 32]
    check_timing(placed, table)


def test_idle_nodes_may_share_a_processor_and_silent_channels_a_wire():
    """Only programs and messages count."""
    programs = {1: [send("E", 3)], 2: [recv("W"), do(2)]}
    nodes = [1, 2, 3, 4]
    made = plan(programs, network(nodes, [(1, "E", 2, "W"), (2, "E", 3, "W"), (3, "E", 4, "W"), (1, "x", 4, "y")]))
    placed = made.placed(Network(pipeline(3)), {1: 1, 2: 3, 3: 3, 4: 2})
    each = machine("rendezvous", startup=4, hop=1)
    recording, _ = record(placed)
    assert recording.places == (1, 3, None, None)
    assert retime(recording, [each]).ticks[0] == placed.run(each).ticks == 4 + 1 + 4 + 2


# Why not


def two(places, on=None, **more):
    """Two pairs of programs, of which each sends and receives."""
    programs = {"a": [send("b"), recv("b")], "b": [recv("a"), send("a")], **more.pop("programs", {})}
    return plan(programs).placed(on or Network(pipeline(4)), places)


def refuses(placed, words, each, **links):
    """What `retime` says, that it is the engine's to run, and that sweeps can bring the error from a worker."""
    each = replace(each, links=replace(each.links, **links))
    recording, _ = record(placed)
    assert not is_kahn(each, recording)
    with pytest.raises(NotKahnError) as caught:
        retime(recording, [each])
    assert words in str(caught.value)
    assert str(caught.value).endswith("; simulate it instead")
    assert caught.value.reason in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert placed.run(each).ticks >= 0


EACH = machine("overlap", startup=3, hop=1)
SHARED = {"c": [send("d")], "d": [recv("c")]}


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_programs_that_share_a_processor(discipline):
    words = "a and b share processor 2, and whose turn it is depends on times"
    refuses(two({"a": 2, "b": 2}), words, EACH, discipline=discipline)


def test_channels_that_share_a_wire():
    placed = two({"a": 1, "b": 4, "c": 2, "d": 3}, programs=SHARED)
    words = "messages from a to b and from c to d all take the link 2 - 3, and who gets it first depends on times"
    refuses(placed, words, EACH)
    recording, _ = record(placed)
    free = replace(EACH, links=LinkCosts("free", 3, 3))
    assert retime(recording, [free]).ticks[0] == placed.run(free).ticks


def test_half_duplex_matters_where_a_link_is_used_both_ways():
    placed = two({"a": 1, "b": 3})
    refuses(placed, "all take the half duplex link 3 - 2", EACH, duplex="half")
    one_way = plan({"a": [send("b", 2)] * 3, "b": [recv("a")] * 3}).placed(Network(pipeline(4)), {"a": 1, "b": 3})
    half = replace(EACH, links=replace(EACH.links, duplex="half"))
    check_timing(one_way, [EACH, half])


def test_a_bus():
    boards = nx.Graph(["ab", "cd"], name="boards")
    boards.add_edge("b", "c", bus="backplane")
    placed = two({"a": "a", "b": "d"}, Network(boards))
    refuses(placed, "a plan with a bus (backplane) cannot be re-timed on test: who gets it first depends", EACH)
    check_timing(two({"a": "a", "b": "b"}, Network(boards)), [EACH])


def test_processors_that_forward():
    placed = two({"a": 1, "b": 3})
    words = "processor 2 is on the way from a to b, and when it forwards depends on times"
    refuses(placed, words, EACH, routing="processor")
    forwards = replace(EACH, links=replace(EACH.links, routing="processor"))
    check_timing(two({"a": 1, "b": 2}), [forwards])
    check_timing(two({"a": 1, "b": 3}, Network(crossbar(3))), [forwards])  # a switch is no processor


def test_routers_that_hold_a_few_messages():
    placed = two({"a": 1, "b": 3})
    refuses(placed, "messages from a to b pass one, and only the engine knows when it has room", EACH, router_buffers=2)
    few = replace(EACH, links=replace(EACH.links, router_buffers=2))
    check_timing(two({"a": 1, "b": 2}), [few])


def test_what_went_on_in_routers_is_not_replayed():
    recording, value = record(two({"a": 1, "b": 3}))
    with pytest.raises(
        NotKahnError, match=r"^a plan that was placed on a network cannot be replayed: what went on in "
    ):
        replay(recording, EACH, value)


# What is made of it


def test_a_file_keeps_places_and_routes(tmp_path):
    draw = random.Random(3)
    placed = stretched(along(4), draw, own=True)
    recording, _ = record(placed)
    recording.save(tmp_path / "placed.npz")
    loaded = load_recording(tmp_path / "placed.npz")
    assert (loaded.places, loaded.routes) == (recording.places, recording.routes)
    assert any(each.own for route in loaded.routes for each in route)
    table = [random_machine(draw, discipline) for discipline in DISCIPLINES]
    assert np.array_equal(retime(loaded, table).finish, retime(recording, table).finish)
    assert FORMAT == 4


@pytest.mark.parametrize("switching", SWITCHING)
@pytest.mark.parametrize("discipline", DISCIPLINES[1:])
def test_sensitivities(discipline, switching):
    placed = along(3).placed(Network(pipeline(7)), {1: 1, 2: 4, 3: 7})
    each = machine(discipline, startup=3, per_word=2, hop=4, switching=switching, buffers=2)
    recording, _ = record(placed)
    found = slopes(recording, each)
    for name in PARAMETERS:
        more = with_parameters(each, **{name: parameter_of(each, name) + 1})
        change = placed.run(more).ticks - placed.run(each).ticks
        assert change == (found[name].up if name in found else 0)
    assert found["hop"].up > 0
    assert "hop" not in slopes(record(along(3))[0], each)


def test_orders_are_found_on_the_network_of_ones_own():
    robot = chain(3, 2)
    made = SCHEMES["wong-mesh"].plan(robot, default_state(robot))
    on = Network(made.topology)
    places = {node: node for node in made.topology}
    each = PRESETS["t800-overlap"]
    words = (
        r"^the best order, and its bound, must be found for a plan on its own network, not on cone\(3\): find it first"
    )
    for refused in (best_order, lambda plan, machine: bound(dataflow(plan), machine)):
        with pytest.raises(MeshSimError, match=words):
            refused(made.placed(on, places), each)
    best = best_order(made, each)
    assert best.won == SCHEDULED
    assert best.plan.placed(on, places).run(each).ticks == best.ticks


def test_a_plan_in_another_order_stays_where_it_is():
    made = SOLVERS["liu-young"].plan(*load_system("symmetric:3:3"))
    placed = made.placed(Network(pipeline(1)), dict.fromkeys(made.topology, 1))
    flow = dataflow(placed)
    problem = problem_of(Timing(flow, EACH))
    found = next(schedules(problem, [by_largest([0] * len(flow.jobs))]))
    assert kept_to(flow, found).placement is placed.placement


# The lives of messages on routes


def test_a_route_of_one_plain_link_changes_no_life():
    for life in LIVES.values():
        assert routed(life, [Passage()]) is life


def test_cut_through_without_traffic_is_one_cost():
    """A start-up, hops, and the words once: what is said of it twice is one dependence."""
    kept, let_go = contract(routed(LIVES["rendezvous"], [Passage(), Passage(True), Passage(True)]), 1)
    assert kept == {"head 0": (Term("sent", 0, ("startup",)), Term("asked", 0, ("startup",)))}
    assert let_go["left"] == (Term("head 0", 0, ("hop", "hop", "words")),)


def test_a_slow_link_before_or_behind_decides_what_cutting_through_takes():
    kept, _ = contract(routed(LIVES["rendezvous"], [Passage(per_word=9), Passage(True)]), 1)
    assert set(kept["arrive"]) == {
        Term("head 0", 0, ("hop", "words")),
        Term("head 0", 0, (OwnCost(0, 9), "hop")),
    }


def test_a_machine_that_only_simulates_is_refused_before_anything_is_recorded():
    half = machine("overlap", duplex="half")
    with pytest.raises(NotKahnError, match="test cannot be re-timed: its links are half duplex, and who gets a shared"):
        check_kahn(half)
