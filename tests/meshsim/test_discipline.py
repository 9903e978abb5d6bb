"""The lives of messages, as data, against the channels of the engine, which do not know the data."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from tools.engine import network, plan
from tools.strategies import cases, machines

from meshsim import channel
from meshsim.discipline import BUFFERS, COSTS, LINK_COSTS, LIVES, After, Life, Term, contract, turns
from meshsim.machine import LinkCosts

POINTS = {"ready", "depart", "arrive", "left", "taken"}


def run_all(case, machine):
    """A run, and for every channel the lives of its messages in order."""
    run = plan(case.programs, network(case.programs, case.links)).run(machine)
    return run, [[run.trace.message(c, number) for number in range(c.messages)] for c in run.channels]


def causes_of(message, messages, point):
    """The ticks that a point of a message comes after, by the data."""
    links = message.channel.links
    wire = links.startup + message.words * links.per_word
    prices = {"": 0, "setup": links.setup, "wire": wire, "receive": links.receive}
    for after in LIVES[links.discipline].points[point]:
        back = links.buffers if after.back == BUFFERS else after.back
        if message.number >= back:
            yield getattr(messages[message.number - back], after.point) + prices[after.cost]


# The data against the channels


@pytest.mark.parametrize("discipline", LIVES)
def test_every_point_is_the_latest_of_what_it_comes_after(discipline):
    @settings(deadline=None, max_examples=75)
    @given(cases(shuffled=False), machines([discipline]))
    def holds(case, machine):
        run, lives = run_all(case, machine)
        check_lives(lives, POINTS)
        check_processors(run)

    holds()


@pytest.mark.parametrize("discipline", LIVES)
def test_a_shared_wire_decides_only_when_messages_depart(discipline):
    @settings(deadline=None, max_examples=40)
    @given(cases(shuffled=False), machines([discipline], duplex="half"))
    def holds(case, machine):
        run, lives = run_all(case, machine)
        assert all(message.depart >= message.ready for messages in lives for message in messages)
        check_lives(lives, POINTS - {"depart"})
        check_processors(run)

    holds()


def check_lives(lives, points):
    """Each point is the latest of what it comes after."""
    for messages in lives:
        for message in messages:
            for point in points:
                assert getattr(message, point) == max(causes_of(message, messages, point)), point


def check_processors(run):
    """Messages are sent and asked for when a step starts; it ends when all have left, or have been taken.

    In turn, a send begins a set-up after the one before it, and a receive ends a receive after it.
    """
    links = run.machine.links
    in_turn = links.setups == "in-turn" and links.discipline != "free"
    setup, receive = (in_turn * links.setup, in_turn * links.receive)
    if links.discipline == "rendezvous":
        setup = 0
    for cpu in run.cpus:
        for span, (start, end, what) in enumerate(cpu.core.spans):
            if isinstance(what, tuple):
                sent = [run.trace.message_in(each, span) for each in what if each.verb == "send"]
                taken = [run.trace.message_in(each, span) for each in what if each.verb == "recv"]
                assert [message.sent for message in sent] == [start + k * setup for k in range(len(sent))]
                assert {message.asked for message in taken} <= {start}
                done = [message.taken + k * receive for k, message in enumerate(reversed(taken))]
                assert end == max([start, *(message.left for message in sent), *done])


# The data themselves


def test_every_discipline_has_a_life_and_a_channel():
    assert list(LIVES) == list(channel.DISCIPLINES)


@pytest.mark.parametrize("life", LIVES.values(), ids=LIVES)
def test_lives_are_told_in_order(life):
    """A point comes after something of its own message, and that stands before it; costs are known ones."""
    told = {"sent", "asked"}
    for point, causes in life.points.items():
        assert any(not after.back for after in causes)
        assert {after.point for after in causes if not after.back} <= told
        told.add(point)
    assert told == {"sent", "asked"} | POINTS
    assert life.costs | {*life.sending, *life.receiving} <= set(COSTS)


def test_costs_are_those_of_links():
    assert LINK_COSTS == ("startup", "per_word", "setup", "receive", "hop")
    links = LinkCosts("overlap", 7, 3, 2, receive=5)
    assert [links.ticks(cost, 4) for cost in COSTS] == [19, 2, 5]
    assert links.ticks("wire", 5, messages=2) == 29
    assert [LinkCosts("posted", 7, 3, 2, receive=5).ticks(cost, 4) for cost in COSTS] == [19, 2, 5]
    assert [LinkCosts("rendezvous", 7, 3, 2, receive=5).ticks(cost, 4) for cost in COSTS] == [19, 0, 5]
    assert [LinkCosts("free", 7, 3, 2, receive=5).ticks(cost, 4) for cost in COSTS] == [0, 0, 0]


def test_turns():
    """How many of its kind stand before a send and after a receive."""
    assert turns(["send", "recv", "send", "recv", "recv", "send"]) == [0, 2, 1, 1, 0, 2]
    assert turns([]) == []
    in_turn = LinkCosts("overlap", setup=3, receive=4, setups="in-turn")
    assert in_turn.turns == (3, 4)
    assert replace(in_turn, discipline="rendezvous").turns == (0, 4)
    assert replace(in_turn, discipline="free").turns is None
    assert replace(in_turn, setup=0, receive=0).turns is None
    assert replace(in_turn, setups="together").turns is None


# Fewer times


def test_one_time_a_step_or_a_message_or_two():
    """What is said in docs/architecture.md: without this, re-timing would have five times a message."""
    lives = {name: life.without("receive") for name, life in LIVES.items()}
    assert contract(lives["free"], 1) == ({}, {"left": (Term("sent"),), "taken": (Term("asked"), Term("sent"))})
    kept, let_go = contract(lives["rendezvous"], 1)
    assert kept == {"arrive": (Term("sent", 0, ("wire",)), Term("asked", 0, ("wire",)))}
    assert let_go == {"left": (Term("arrive"),), "taken": (Term("arrive"),)}
    kept, let_go = contract(lives["overlap"], 1)
    assert kept == {
        "ready": (Term("sent", 0, ("setup",)), Term("taken", 1)),
        "taken": (Term("asked"), Term("ready", 0, ("wire",))),
    }
    assert let_go == {"left": (Term("ready"),), "taken": (Term("taken"),)}
    kept, _ = contract(lives["overlap"], 2)
    assert list(kept) == ["ready", "arrive", "taken"]
    assert kept["arrive"] == (Term("ready", 0, ("wire",)), Term("arrive", 1, ("wire",)))
    for buffers in (1, 2):
        kept, let_go = contract(lives["posted"], buffers)
        assert kept == {
            "left": (Term("sent", 0, ("setup",)), Term("arrive", buffers)),
            "arrive": (Term("left", 0, ("wire",)), Term("asked", 0, ("wire",))),
        }
        assert let_go == {"left": (Term("left"),), "taken": (Term("arrive"),)}


def test_a_receiver_that_spends_ticks_goes_on_later_than_what_arrived():
    kept, let_go = contract(LIVES["rendezvous"], 1)
    assert list(kept) == ["arrive"]
    assert let_go == {"left": (Term("arrive"),), "taken": (Term("arrive", 0, ("receive",)),)}


def test_a_cause_that_nothing_implies_is_kept():
    """Here the sender goes on at once: nothing else keeps the second message off the wire."""
    hasty = Life(
        {
            "ready": (After("sent"),),
            "depart": (After("ready"), After("arrive", back=1)),
            "arrive": (After("depart", "wire"),),
            "left": (After("sent"),),
            "taken": (After("asked"), After("arrive")),
        }
    )
    kept, _ = contract(hasty, 1)
    assert kept == {"arrive": (Term("sent", 0, ("wire",)), Term("arrive", 1, ("wire",)))}
