"""What no order can beat: by hand, and against all orders of small programs."""

import pytest
from hypothesis import given, settings
from tools.engine import machine
from tools.orders import drawn_events, every_order, plan_of
from tools.strategies import machines

from meshsim.bounds import bound, served
from meshsim.dataflow import dataflow
from meshsim.machine import DISCIPLINES


def bounds(events, discipline, **links):
    found = bound(dataflow(plan_of(events)), machine(discipline, **links))
    return found.path, found.processor, found.wire


CHAIN = [("call", "A", 4, [0]), ("send", "A", "B", [0, 1]), ("call", "B", 6, [1, 2])]


def test_a_path_of_a_call_a_message_and_a_call():
    """4 ticks, a message of 3 + 2 x 1, 6 ticks; nobody has more to do than the path says."""
    assert bounds(CHAIN, "free", startup=3, per_word=1) == (10, 10, 0)
    assert bounds(CHAIN, "rendezvous", startup=3, per_word=1) == (15, 15, 15)
    assert bounds(CHAIN, "overlap", startup=3, per_word=1) == (15, 15, 15)
    assert bounds(CHAIN, "overlap", startup=3, per_word=1, setup=2) == (17, 17, 17)


def test_what_does_not_need_one_another_is_done_at_once():
    events = [("call", "A", 4, [0]), ("send", "A", "B", [0]), ("call", "B", 6, [0])]
    assert bounds(events, "free") == (6, 6, 0)
    # A and B meet for 5 ticks, and neither computes meanwhile.
    assert bounds(events, "rendezvous", startup=5) == (6, 11, 5)
    assert bounds(events, "overlap", startup=5) == (6, 6, 5)
    # A sets up for 2 ticks; B has nothing to do for its message.
    assert bounds(events, "overlap", startup=5, setup=2) == (7, 7, 7)
    assert bounds([*events, ("call", "A", 4, [0])], "overlap", startup=5, setup=2) == (7, 10, 7)


def test_a_wire_carries_one_message_at_a_time():
    there = [("send", "A", "B", [0])] * 3
    back = [("send", "B", "A", [0])] * 2
    for discipline in ("overlap", "rendezvous"):
        assert bounds(there, discipline, startup=4, per_word=1)[2] == 15
        assert bounds(there + back, discipline, startup=4, per_word=1)[2] == 15
        assert bounds(there + back, discipline, startup=4, per_word=1, duplex="half")[2] == 25
    assert bounds(there + back, "overlap", startup=4, per_word=1, setup=3)[2] == 18
    assert bounds(there + back, "free", startup=4, per_word=1, duplex="half") == (0, 0, 0)


def test_several_wires_are_used_at_once():
    """A sends 3 messages to B and 2 to C, 5 ticks each, and computes for 7."""
    events = [("send", "A", "B", [0])] * 3 + [("send", "A", "C", [0])] * 2 + [("call", "A", 7, [])]
    assert bounds(events, "rendezvous", startup=4, per_word=1) == (7, 22, 15)
    assert bounds(events, "overlap", startup=4, per_word=1, setup=3) == (8, 16, 18)


def test_a_bus_carries_for_all():
    events = [("send", "A", "B", [0]), ("send", "C", "A", [0]), ("send", "B", "C", [0])]
    made = plan_of(events)
    for _, _, data in made.topology.edges(data=True):
        data["bus"] = "one"
    assert bound(dataflow(made), machine("overlap", startup=4)).wire == 12
    assert bound(dataflow(made), machine("free", startup=4)).ticks == 0


def test_who_decides():
    found = bound(
        dataflow(plan_of([("call", "B", 3, []), ("call", "B", 4, []), ("call", "A", 5, [])])), machine("free")
    )
    assert (found.ticks, found.decides, found.busiest) == (7, "processor", "B")


@pytest.mark.parametrize(
    ("jobs", "ticks"),
    [
        ([], 0),
        ([(3, 0, 9)], 0),  # which takes no time
        ([(3, 4, 2)], 9),
        ([(0, 4, 0), (0, 3, 5)], 8),  # the second first
        ([(0, 4, 0), (2, 3, 5)], 10),  # it interrupts the first
        ([(0, 4, 1), (9, 1, 1)], 11),  # idle between
    ],
)
def test_a_server(jobs, ticks):
    assert served(jobs) == ticks


@settings(max_examples=40, deadline=None)
@given(drawn_events(most=5), machines(DISCIPLINES))
def test_no_order_beats_the_bound(events, machine):
    flow = dataflow(plan_of(events))
    least = bound(flow, machine).ticks
    for each in every_order(flow):
        assert each.run(machine, trace=False).ticks >= least


@settings(max_examples=15, deadline=None)
@given(drawn_events(most=5), machines(DISCIPLINES, duplex="half"))
def test_no_order_beats_the_bound_on_wires_for_both_ways(events, machine):
    flow = dataflow(plan_of(events))
    least = bound(flow, machine).ticks
    for each in every_order(flow):
        assert each.run(machine, trace=False).ticks >= least
