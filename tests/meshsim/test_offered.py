"""Evaluations that are offered at set ticks, timed by hand: two programs, each with its processor or both on one."""

from dataclasses import replace

import networkx as nx
import pytest
from tools.engine import do, machine, plan, recv, send

from meshsim.dataflow import dataflow
from meshsim.errors import MeshSimError
from meshsim.machine import LocalCosts
from meshsim.network import Network
from meshsim.recording import record

PIPELINE = {"a": [do(10), send("b")], "b": [recv("a"), do(20)]}
"""With 5 ticks on the wire, an evaluation takes 35; b takes one every 25."""
RENDEZVOUS = machine("rendezvous", startup=3, per_word=2)
SHARED = replace(RENDEZVOUS, switch=1, local=LocalCosts(startup=2))


def pipeline():
    return plan(PIPELINE)


def ends(run):
    """When the last mark of each evaluation was set, in order."""
    return [run.phases[f"evaluation {k}"] for k in range(1, 1 + len(run.phases))]


def on_one(scripts):
    """Scripts on one processor."""
    one = nx.Graph(name="one")
    one.add_node("p")
    return plan(scripts).placed(Network(one), dict.fromkeys(scripts, "p"))


def test_seldom_offers_take_as_long_as_one_evaluation():
    run = pipeline().repeated(3, every=40).run(RENDEZVOUS)
    assert ends(run) == [35, 75, 115]
    assert run.marks["a"] == {"evaluation 1": 15, "evaluation 2": 55, "evaluation 3": 95}
    assert run.value == pipeline().repeated(3).run(RENDEZVOUS).value


def test_more_than_it_can_do_makes_it_fall_behind():
    """b is ready for the next message 20 ticks after the last: a meets it at 35, 60 and 85."""
    run = pipeline().repeated(4, every=20).run(RENDEZVOUS)
    assert ends(run) == [35, 60, 85, 110]
    assert [end - 20 * k for k, end in enumerate(ends(run))] == [35, 40, 45, 50]
    assert ends(pipeline().repeated(4).run(RENDEZVOUS)) == [35, 60, 85, 110]


def test_just_what_it_can_do_is_kept_up_with():
    assert ends(pipeline().repeated(4, every=25).run(RENDEZVOUS)) == [35, 60, 85, 110]


def test_the_wait_for_an_offer_is_waiting():
    run = pipeline().repeated(2, every=40).run(RENDEZVOUS)
    accounts = run.trace.accounts()
    assert (accounts["a"].busy, accounts["a"].sending, accounts["a"].waiting, accounts["a"].finish) == (20, 10, 25, 55)
    assert (accounts["b"].busy, accounts["b"].receiving, accounts["b"].waiting) == (40, 10, 25)
    rows = [row[:4] for row in run.trace.rows() if row.processor == "a"]
    assert rows == [
        ("a", "compute", 0, 10),
        ("a", "send", 10, 15),
        ("a", "wait", 15, 40),
        ("a", "compute", 40, 50),
        ("a", "send", 50, 55),
    ]


def test_the_critical_path_waits_for_the_last_offer():
    path = pipeline().repeated(2, every=40).run(RENDEZVOUS).critical_path
    assert (path.compute, path.wire, path.wait) == (40, 10, 25)
    assert [(step.kind, step.start, step.end) for step in path.steps] == [
        ("compute", 0, 10),
        ("wire", 10, 15),
        ("wait", 15, 40),
        ("compute", 40, 50),
        ("wire", 50, 55),
        ("compute", 55, 75),
    ]


def test_a_program_that_waits_for_its_offer_leaves_the_processor_to_others():
    """p to 5, a switch, q to 11; then nobody until 50, when both are ready: p, who comes first, q after a switch."""
    made = on_one({"p": [do(5)], "q": [do(5)]})
    run = made.repeated(2, every=50).run(SHARED)
    assert run.marks == {"p": {"evaluation 1": 5, "evaluation 2": 56}, "q": {"evaluation 1": 11, "evaluation 2": 62}}
    account = run.trace.accounts()["p"]
    assert (account.busy, account.waiting, account.switching, account.finish) == (20, 39, 3, 62)
    path = run.critical_path
    assert (path.compute, path.wait, path.switch) == (20, 39, 3)


def test_two_programs_of_one_processor_under_seldom_offers():
    """a to 10, a switch, b copies from 11 to 13 and computes to 33; a goes on after a switch, and marks at 34."""
    made = on_one(PIPELINE)
    run = made.repeated(2, every=100).run(SHARED)
    assert run.marks["b"] == {"evaluation 1": 33, "evaluation 2": 133}
    assert run.marks["a"] == {"evaluation 1": 34, "evaluation 2": 134}


def test_two_programs_of_one_processor_under_frequent_offers():
    """b's second part is offered before it ends its first: it waits for a at once, as without offers."""
    made = on_one(PIPELINE)
    run = made.repeated(2, every=20).run(SHARED)
    assert run.marks["b"] == {"evaluation 1": 33, "evaluation 2": 67}
    assert run.marks["a"] == {"evaluation 1": 34, "evaluation 2": 46}


@pytest.mark.parametrize("discipline", ["free", "overlap", "posted", "rendezvous"])
def test_all_there_from_the_beginning_is_no_offer(discipline):
    costs = machine(discipline, startup=3, per_word=2, setup=1, buffers=1)
    assert ends(pipeline().repeated(5).run(costs)) == ends(pipeline().repeated(5, every=1).run(costs))


@pytest.mark.parametrize("every", [-1, 2.5, True])
def test_an_interval_is_whole_ticks(every):
    with pytest.raises(MeshSimError, match="evaluations must be offered every so many whole ticks, not "):
        pipeline().repeated(2, every=every)


@pytest.mark.parametrize("write", [record, dataflow])
def test_what_has_a_clock_cannot_be_recorded(write):
    with pytest.raises(MeshSimError, match="offered at set ticks must be simulated: it cannot be recorded"):
        write(pipeline().repeated(2, every=40))
