"""Random programs on random networks: a placement changes neither what they compute nor whether they end."""

from dataclasses import replace
from random import Random

import networkx as nx
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from tools.engine import do, lives, machine, network, plan, recv, send
from tools.placed_checks import check_all, check_path
from tools.placed_samples import a_network
from tools.strategies import cases, machines

from meshsim.deadlock import DeadlockError
from meshsim.machine import DISCIPLINES, LocalCosts
from meshsim.network import Link, Network
from meshsim.program import ProgramError


def verdict(made, machine):
    """How a run ends, and the run if it ends in an answer. Any other error is a failure."""
    try:
        return "answer", made.run(machine)
    except DeadlockError as error:
        return "of links" if "cycle of links" in str(error) else "deadlock", None
    except ProgramError as error:
        if " unread on port " not in str(error):
            raise
        return "unread", None


def with_costs(machine, random):
    switching, routing = random.choice(
        [("store-and-forward", "router"), ("cut-through", "router"), ("store-and-forward", "processor")]
    )
    hop, duplex = random.choice([0, 0, 1, 7]), random.choice(["full", "full", "half"])
    links = replace(machine.links, switching=switching, routing=routing, hop=hop, duplex=duplex)
    local = LocalCosts(random.choice([0, 0, 3]), random.choice([0, 0, 2]))
    return replace(machine, links=links, switch=random.choice([0, 0, 4]), local=local)


def agrees(case, machine, seed):
    random = Random(seed)
    machine = with_costs(machine, random)
    made = plan(case.programs, network(case.programs, case.links))
    told, where = a_network(random)
    able = random.sample(where.processors, random.randint(1, len(where.processors)))
    placed = made.placed(where, {node: random.choice(able) for node in made.topology})
    (ended, plain), (as_well, run) = verdict(made, machine), verdict(placed, machine)
    event(ended)
    assert as_well == ended, told
    if run is not None:
        assert run.value == plain.value
        check_all(run, where)


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_a_placement_changes_only_times(discipline):
    settings(deadline=None, max_examples=60, derandomize=True)(
        given(cases(), machines([discipline]), st.integers(0, 2**32))(agrees)
    )()


@pytest.mark.slow
@pytest.mark.parametrize("matched", [True, False])
@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_a_placement_changes_only_times_of_many_more(discipline, matched):
    settings(deadline=None, max_examples=500, derandomize=True)(
        given(cases(matched), machines([discipline]), st.integers(0, 2**32))(agrees)
    )()


# What they have found, by hand


def test_requests_of_one_tick_come_in_node_order_though_their_programs_run_one_after_the_other():
    """At tick 10 b has computed and sends; then a, which comes first in node order, takes its message and sends."""
    programs = {
        "a": [recv("c"), send("c")],
        "b": [do(10), send("d")],
        "c": [send("a", 10), recv("a")],
        "d": [recv("b")],
    }
    two = Network(nx.Graph([("A", "C")]))
    run = plan(programs).placed(two, {"a": "A", "b": "A", "c": "C", "d": "C"}).run(machine("overlap", per_word=1))
    assert lives(run)["a", "c"][0][3:5] == (10, 11)
    assert lives(run)["b", "d"][0][3:5] == (11, 12)


def test_levels_are_of_each_router_where_two_share_a_wire():
    """Four messages one way and one the other; each link is one wire, and both its ends hold messages for it."""
    programs = {"a": [send("x")] * 4, "b": [send("y")], "x": [recv("a")] * 4, "y": [recv("b")]}
    row = Network(nx.path_graph(4))
    half = machine("overlap", per_word=5, duplex="half", buffers=4)
    run = plan(programs).placed(row, {"a": 0, "b": 3, "x": 3, "y": 0}).run(half)
    assert run.levels == {Link(1, 2, 0): 3, Link(2, 3, 0): 2, Link(2, 1, 0): 1, Link(1, 0, 0): 1}


def test_words_that_cost_nothing_cross_every_link_of_their_route():
    run = plan({"a": [send("b", 3)], "b": [recv("a")]}).placed(Network(nx.path_graph(3)), {"a": 0, "b": 2})
    loads = run.run(machine("free")).loads
    assert [(load.link, load.messages, load.words) for load in loads] == [(Link(0, 1, 0), 1, 3), (Link(1, 2, 0), 1, 3)]


def test_a_critical_path_where_a_shared_processor_frees_a_buffer_after_it_has_received():
    programs = {"a": [send("b")] * 3, "b": [do(20), *[recv("a")] * 3], "c": [do(1)]}
    two = Network(nx.path_graph(2))
    run = plan(programs).placed(two, {"a": 0, "b": 1, "c": 1}).run(machine("overlap", per_word=1, receive=3))
    check_path(run)
