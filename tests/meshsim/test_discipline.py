"""The lives of messages, as data, against the channels of the engine, which do not know the data."""

import pytest
from hypothesis import given, settings
from tools.engine import network, plan
from tools.strategies import cases, machines

from meshsim import channel
from meshsim.discipline import BUFFERS, COSTS, LINK_COSTS, LIVES, After, Life, Term, contract
from meshsim.machine import Links

POINTS = {"ready", "depart", "arrive", "left", "taken"}


def run_all(case, machine):
    """A run, and for every channel the lives of its messages in order."""
    run = plan(case.programs, network(case.programs, case.links)).run(machine)
    return run, [[run.trace.message(c, number) for number in range(c.messages)] for c in run.channels]


def causes_of(message, messages, point):
    """The ticks that a point of a message comes after, by the data."""
    links = message.channel.links
    prices = {"": 0, "setup": links.setup, "wire": links.startup + message.words * links.per_word}
    for after in LIVES[links.discipline].points[point]:
        back = links.buffers if after.back == BUFFERS else after.back
        if message.number >= back:
            yield getattr(messages[message.number - back], after.point) + prices[after.cost]


# The data against the channels


@pytest.mark.parametrize("discipline", LIVES)
def test_every_point_is_the_latest_of_what_it_comes_after(discipline):
    @settings(deadline=None, max_examples=100)
    @given(cases(shuffled=False), machines([discipline]))
    def holds(case, machine):
        run, lives = run_all(case, machine)
        check_lives(lives, POINTS)
        check_processors(run)

    holds()


@pytest.mark.parametrize("discipline", LIVES)
def test_a_shared_wire_decides_only_when_messages_depart(discipline):
    @settings(deadline=None, max_examples=50)
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
    """Messages are sent and asked for when a step starts; it ends when all have left, or have been taken."""
    for cpu in run.cpus:
        for span, (start, end, what) in enumerate(cpu.spans):
            if isinstance(what, tuple):
                messages = [(each.verb, run.trace.message_in(each, span)) for each in what]
                assert {m.sent if verb == "send" else m.asked for verb, m in messages} <= {start}
                assert end == max((m.left if verb == "send" else m.taken for verb, m in messages), default=start)


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
    assert life.costs | {life.sending, life.receiving} <= set(COSTS)


def test_costs_are_those_of_links():
    assert LINK_COSTS == ("startup", "per_word", "setup")
    links = Links("overlap", 7, 3, 2)
    assert [links.ticks(cost, 4) for cost in COSTS] == [19, 2]
    assert links.ticks("wire", 5, messages=2) == 29
    assert [Links("rendezvous", 7, 3, 2).ticks(cost, 4) for cost in COSTS] == [19, 0]
    assert [Links("free", 7, 3, 2).ticks(cost, 4) for cost in COSTS] == [0, 0]


# Fewer times


def test_one_time_a_step_or_a_message_or_two():
    """What is said in docs/architecture.md: without this, re-timing would have five times a message."""
    assert contract(LIVES["free"], 1) == ({}, {"left": (Term("sent"),), "taken": (Term("asked"), Term("sent"))})
    kept, let_go = contract(LIVES["rendezvous"], 1)
    assert kept == {"arrive": (Term("sent", 0, ("wire",)), Term("asked", 0, ("wire",)))}
    assert let_go == {"left": (Term("arrive"),), "taken": (Term("arrive"),)}
    kept, let_go = contract(LIVES["overlap"], 1)
    assert kept == {
        "ready": (Term("sent", 0, ("setup",)), Term("taken", 1)),
        "taken": (Term("asked"), Term("ready", 0, ("wire",))),
    }
    assert let_go == {"left": (Term("ready"),), "taken": (Term("taken"),)}
    kept, _ = contract(LIVES["overlap"], 2)
    assert list(kept) == ["ready", "arrive", "taken"]
    assert kept["arrive"] == (Term("ready", 0, ("wire",)), Term("arrive", 1, ("wire",)))


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
