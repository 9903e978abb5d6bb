"""Watching a run event by event: what happens when, what a screen of text shows, and what keys do."""

import os
import pty
import select
import sys
import time

import networkx as nx
import numpy as np
import pytest
from tools.command import call, run_json
from tools.engine import machine

import meshsim as ms
from meshsim.algorithms.kernels.core import axpy
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.terminal import Session, tick_of
from meshsim.experiments.reports.screen import Screen, View
from meshsim.experiments.studies.watching import Watch

SOLVE = ("solve", "feedforward-lu", "--system", "random:4:1", "--machine", "t800")


def left(cpu):
    """Computes for 2 ticks, and sends what comes out."""
    x = cpu.do(axpy, 2.0, 3.0, 1.0)
    yield cpu.send("east", x)


def right(cpu):
    """Receives it, and computes."""
    x = yield cpu.recv("west")
    return cpu.do(axpy, 1.0, x, 1.0)


@pytest.fixture(scope="module")
def watch():
    graph = nx.MultiGraph()
    graph.add_edge("a", "b", ports={"a": "east", "b": "west"})
    plan = ms.Plan(graph, {"a": left, "b": right}, read=lambda results: results["b"])
    return Watch(plan.run(machine("rendezvous", startup=3, per_word=2), values=True))


@pytest.fixture(scope="module")
def solved():
    return Watch(ms.solve("random:4:1", "feedforward-lu", "t800").run)


def test_events_worked_out_by_hand(watch):
    told = [(event.tick, event.kind, "ab"[event.processor]) for event in watch.events]
    assert told == [
        (0, "begins", "a"),
        (2, "computes", "a"),
        (2, "sends", "a"),
        (7, "ends", "a"),  # neither causes the other: node order
        (7, "receives", "b"),
        (7, "begins", "b"),
        (9, "computes", "b"),
        (9, "ends", "b"),
    ]
    assert [watch.count(tick) for tick in (0, 1, 2, 7, 9)] == [1, 1, 3, 6, 8]
    assert [watch.value(watch.events[number]) for number in (1, 2, 4, 6)] == [7.0, 7.0, 7.0, 8.0]


def test_what_is_seen_between_events(watch):
    assert [watch.states(tick) for tick in (0, 2, 7, 9)] == [
        ["compute", "wait"],
        ["send", "receive"],
        ["ended", "compute"],
        ["ended", "ended"],
    ]
    (message,) = watch.under_way(3)
    assert watch.spot(message, 2).share == 0.0
    assert watch.spot(message, 6).share == pytest.approx(4 / 5)
    assert not watch.arrived(message, 6)
    assert watch.under_way(5) == []
    hands = watch.hands(1, 8)
    assert (watch.value(hands.received), watch.value(hands.computed), hands.sent) == (7.0, 8.0, None)


def test_every_event_of_a_run_is_told_once_and_causes_come_first(solved):
    parts, messages = solved.columns.parts, solved.columns.messages
    kinds = [event.kind for event in solved.events]
    assert kinds.count("computes") == (parts.kernel >= 0).sum()
    assert kinds.count("sends") == kinds.count("receives") == len(messages.words)
    assert kinds.count("ends") == solved.run.processors
    ticks = [event.tick for event in solved.events]
    assert ticks == sorted(ticks)
    place = {(event.kind, event.subject): number for number, event in enumerate(solved.events)}
    assert all(place["sends", m] < place["receives", m] for m in range(len(messages.words)))


def test_states_are_those_of_the_trace(solved):
    parts = solved.columns.parts
    for tick in np.linspace(0, solved.run.ticks - 1, 9).astype(int):
        now = (parts.start <= tick) & (tick < parts.end)
        expected = dict(zip(parts.processor[now].tolist(), parts.kind[now].tolist(), strict=True))
        kinds = ("compute", "send", "receive", "wait", "switch", "copy", "forward")
        wanted = [kinds[expected[p]] if p in expected else "ended" for p in range(solved.run.processors)]
        assert solved.states(tick) == wanted


# The screen


def test_a_screen_shows_the_moment(solved):
    screen = Screen(solved, "a title")
    tick = 300
    lines = screen.draw(View(solved.count(tick), tick, 1), 100, 36).lines()
    page = "\n".join(lines)
    assert lines[0].startswith("a title")
    assert lines[0].endswith(f"event {solved.count(tick)} of {len(solved.events)}")
    assert "tick 300 of 1316, 30.0 us" in lines[1]
    assert "[(1,2)" in page
    assert all(f"({row},{column})" in page for row in range(1, 5) for column in range(row, 6))
    assert "received" in page
    assert "feedforward_lu.py" in page


@pytest.mark.parametrize("size", [(60, 24), (80, 24), (200, 60)])
def test_a_screen_fits(solved, size):
    for count in (0, 40, len(solved.events)):
        tick = solved.events[count - 1].tick if count else 0
        lines = Screen(solved, "title").draw(View(count, tick, 3), *size).lines()
        assert len(lines) == size[1]
        assert max(map(len, lines)) <= size[0]


def test_a_small_terminal_is_told_what_to_do(solved):
    (first, second, *_) = Screen(solved, "title").draw(View(0, 0, 0), 30, 8).lines()
    assert first.startswith("The terminal is 30x8")
    assert "or larger" in second


def test_keys(solved):
    session = Session(solved, 0, 0)
    session.press("back")
    assert session.view == View(0, 0, 0)
    session.press("next")
    assert session.view.passed == 1
    session.press("end")
    assert session.view == View(len(solved.events), solved.run.ticks, 0)
    session.press("next")
    assert session.view.passed == len(solved.events)
    session.press("home")
    session.press("up")
    assert session.view.chosen == solved.run.processors - 1
    session.press("down")
    session.press("down")
    assert session.view.chosen == 1
    session.press("own next")
    assert solved.events[session.view.passed - 1].processor == 1
    first = session.view.passed
    session.press("own next")
    session.press("own last")
    assert session.view.passed == first
    session.go_to(99)
    assert session.view.passed == solved.count(99)
    session.press("follow")
    assert session.view.chosen == solved.events[session.view.passed - 1].processor
    before = session.view
    session.press("no such key")
    assert session.view == before


def test_moments(solved):
    assert [tick_of(text, solved) for text in ("120", "12us", "99999999", "1s")] == [120, 120, 1316, 1316]
    for text in ("soon", "-5", "1.5", "", "-3us", "infs", "nanus", "9" * 5000):
        with pytest.raises(MeshSimError, match="a moment must be a tick such as 120 or a time"):
            tick_of(text, solved)


# The command


def test_events_as_lines(capsys):
    status, out, _ = call(capsys, "watch", *SOLVE, "--until", "10us", "--show", "1,2", "--quiet")
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == "feedforward-lu: 4 unknowns on t800, 14 processors"
    assert lines[2].split(maxsplit=3) == ["0", "0.0", "us", "(1,1) computed 4.133 by pass_on"]
    assert "(1,2) received 4.133 from (1,1) through west" in out
    assert "(1,2) is " in out
    assert "feedforward_lu.py" in out


def test_events_for_programs(capsys, solved):
    found = run_json(capsys, "watch", *SOLVE, "--events", "6")
    assert found["of"] == len(solved.events)
    assert [event["tick"] for event in found["events"]] == [event.tick for event in solved.events[:6]]
    assert found["events"][0]["value"] == solved.value(solved.events[0])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--show", "9,9"), "a processor must be one of (1,1), (1,2)"),
        (("--until", "soon"), "a moment must be a tick such as 120"),
        (("--events", "0"), "--events must be at least 1, not 0"),
    ],
)
def test_refusals(capsys, words, message):
    status, out, err = call(capsys, "watch", *SOLVE, *words)
    assert (status, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_keys_at_a_real_terminal():
    """Typed at a terminal of 80 x 24: next, help, back to the run, go to a tick, quit."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", LINES="24", COLUMNS="80")
        os.execv(sys.executable, [sys.executable, "-m", "meshsim", "watch", *SOLVE])
    try:
        typed(terminal, "", "event 0 of")
        typed(terminal, "n", "(1,1) computed 4.133 by pass_on")  # of a line only what is new is written
        typed(terminal, "?", "any key goes back")
        typed(terminal, "x", "feedforward_lu.py")
        typed(terminal, "g", "go to tick or time")
        typed(terminal, "soon\n", "a tick such as 120")
        typed(terminal, "300\n", "30.0 us")
        os.write(terminal, b"q")
        _, status = os.waitpid(pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0
    finally:
        os.close(terminal)


def typed(terminal, keys, wanted):
    """Type keys, and wait until a text is there."""
    os.write(terminal, keys.encode())
    seen, until = "", time.monotonic() + 60
    while wanted not in seen:
        assert time.monotonic() < until, seen
        if select.select([terminal], [], [], 0.2)[0]:
            seen += os.read(terminal, 65536).decode(errors="replace")
