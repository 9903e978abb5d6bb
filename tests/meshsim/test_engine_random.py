"""The engine against the oracle, and what must hold of every run, on random networks, programs and machines."""

import csv
import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from tools.engine import do, lives, machine, network, par, plan, recv, send
from tools.oracle import judge
from tools.strategies import Case, cases, machines

from meshsim.counted import Kernel
from meshsim.deadlock import DeadlockError
from meshsim.machine import DISCIPLINES, SETUPS
from meshsim.program import ProgramError

half_duplex = machines(["overlap", "posted", "rendezvous"], duplex="half")
any_machine = machines() | half_duplex
answerable = cases(shuffled=False)
crowded = cases(min_words=1, max_nodes=3, max_links=3)
check = settings(deadline=None)


def run(case, machine, trace=True):
    return plan(case.programs, network(case.programs, case.links)).run(machine, trace)


def verdict(case, machine):
    """How a run ends, and the run if it ends in an answer. Any other error is a failure."""
    try:
        return "answer", run(case, machine)
    except DeadlockError:
        return "deadlock", None
    except ProgramError as error:
        if " unread on port " not in str(error):
            raise
        return "unread", None


# The engine against the oracle


@pytest.mark.parametrize("discipline", DISCIPLINES)
@pytest.mark.parametrize("matched", [True, False])
def test_engine_agrees_with_the_oracle(discipline, matched):
    @settings(deadline=None, max_examples=75)
    @given(cases(matched), machines([discipline]))
    def agrees(case, machine):
        opinion = judge(case.links, case.programs, machine)
        ended, answer = verdict(case, machine)
        event(ended)
        assert ended == opinion.verdict
        if answer is not None:
            assert answer.finish == opinion.finish
            assert lives(answer) == opinion.messages

    agrees()


@check
@given(answerable, any_machine)
def test_programs_in_one_consistent_order_never_deadlock(case, machine):
    assert verdict(case, machine)[0] == "answer"
    assert judge(case.links, case.programs, machine).verdict == "answer"


def test_oracle_on_runs_worked_by_hand():
    """Two sends into one buffer (as in test_engine.py), and a deadlock: the oracle itself can be trusted."""
    links = [("a", "b", "b", "a")]
    slow = machine("overlap", startup=3, per_word=2, setup=4)
    opinion = judge(links, {"a": [send("b"), send("b")], "b": [do(20), recv("a"), recv("a")]}, slow)
    assert opinion.finish == {"a": 20, "b": 25}
    assert opinion.messages == {
        ("a", "b"): [(0, 4, 4, 4, 9, 20, 20), (4, 20, 20, 20, 25, 20, 25)],
        ("b", "a"): [],
    }
    crossed = {"a": [send("b"), recv("b")], "b": [send("a"), recv("a")]}
    assert judge(links, crossed, machine("rendezvous")).verdict == "deadlock"
    assert judge(links, crossed, slow).verdict == "answer"
    assert judge(links, {"a": [send("b")], "b": []}, slow).verdict == "unread"


# What holds of every answer


@check
@given(answerable, any_machine)
def test_words_sent_are_words_received(case, machine):
    answer = run(case, machine)
    for node, (_, received) in answer.value.items():
        assert received == sum(traffic.words for traffic in answer.traffic if traffic.receiver == node)
    sent = {node: sum(part[2] for part in _sends(steps)) for node, steps in case.programs.items()}
    assert sent == {n: sum(t.words for t in answer.traffic if t.sender == n) for n in case.programs}


def _sends(steps):
    parts = [part for step in steps for part in (step[1] if step[0] == "par" else [step])]
    return [part for part in parts if part[0] == "send"]


@check
@given(answerable, any_machine)
def test_accounts_sum_to_the_finish_and_spans_have_no_gaps(case, machine):
    answer = run(case, machine)
    for node, account in answer.trace.accounts().items():
        assert account.finish == answer.finish[node]
        assert account.busy == answer.busy[node] <= account.finish
        assert account.busy + account.sending + account.receiving + account.waiting == account.finish
    for cpu in answer.trace.processors:
        assert all(end == start for (_, end, _), (start, _, _) in pairwise(cpu.spans))
        assert all(start <= end for start, end, _ in cpu.spans)
        assert [end - start for start, end, what in cpu.spans if isinstance(what, Kernel)] == [
            machine.price(what) for _, _, what in cpu.spans if isinstance(what, Kernel)
        ]
        assert cpu.clock == (cpu.spans[-1][1] if cpu.spans else 0)


@check
@given(answerable, any_machine)
def test_critical_path_is_contiguous_and_sums_to_the_finish(case, machine):
    answer = run(case, machine)
    path = answer.critical_path
    assert path.compute + path.wire + path.wait == answer.ticks
    bounds = [0, *[tick for step in path.steps for tick in (step.start, step.end)], answer.ticks]
    assert all(end == start for end, start in zip(bounds[::2], bounds[1::2], strict=True))
    assert all(step.start < step.end for step in path.steps)
    if machine.links.duplex == "full":
        assert path.wait == 0


@check
@given(answerable, any_machine, any_machine)
def test_values_do_not_depend_on_the_machine(case, one, other):
    assert run(case, one).value == run(case, other).value


@check
@given(answerable, any_machine)
def test_tracing_changes_nothing(case, machine):
    traced, bare = run(case, machine), run(case, machine, trace=False)
    for what in ("value", "finish", "busy", "traffic", "operations_of", "phases"):
        assert getattr(traced, what) == getattr(bare, what)


# Costs


@st.composite
def slower_pairs(draw):
    """A full-duplex machine, and the same with one cost raised."""
    fast = draw(machines())
    more = draw(st.integers(1, 10))
    what = draw(st.sampled_from(["mul", "add", "kernel_overhead", "startup", "per_word", "setup", "receive"]))
    if what in fast.operations:
        return fast, replace(fast, operations={**fast.operations, what: fast.operations[what] + more})
    if what == "kernel_overhead":
        return fast, replace(fast, kernel_overhead=fast.kernel_overhead + more)
    return fast, replace(fast, links=replace(fast.links, **{what: getattr(fast.links, what) + more}))


@check
@given(cases(), slower_pairs())
def test_slower_machine_never_finishes_any_processor_earlier(case, pair):
    (ended, fast), (slow_ended, slow) = (verdict(case, machine) for machine in pair)
    assert ended == slow_ended
    if ended == "answer":
        assert all(fast.finish[node] <= slow.finish[node] for node in case.programs)


@check
@given(cases(), machines())
def test_taking_turns_never_finishes_any_processor_earlier_and_never_deadlocks(case, machine):
    one, other = (replace(machine, links=replace(machine.links, setups=setups)) for setups in SETUPS)
    (ended, together), (turned, in_turn) = verdict(case, one), verdict(case, other)
    assert ended == turned
    if ended == "answer":
        assert all(together.finish[node] <= in_turn.finish[node] for node in case.programs)


@check
@given(answerable, machines(["overlap", "posted"]))
def test_another_buffer_never_finishes_any_processor_later(case, machine):
    roomy = replace(machine, links=replace(machine.links, buffers=machine.links.buffers + 1))
    less, more = run(case, machine), run(case, roomy)
    assert all(more.finish[node] <= less.finish[node] for node in case.programs)


# The same again


@check
@given(cases(), any_machine)
def test_second_run_is_the_same(case, machine):
    (ended, first), (again, second) = verdict(case, machine), verdict(case, machine)
    assert ended == again
    if first is not None:
        assert list(first.trace.rows()) == list(second.trace.rows())


def print_ring(words):
    """Write the trace of five processors, named by words, that exchange with both neighbours over half-duplex links."""
    ring = list(zip(words, words[1:] + words[:1], strict=True))
    links = [(u, f"to {v}", v, f"to {u}") for u, v in ring]
    programs = {word: [] for word in words}
    for rounds in range(3):
        for (before, word), (_, after) in zip(ring[-1:] + ring[:-1], ring, strict=True):
            ports = [f"to {before}", f"to {after}"]
            programs[word] += [do(rounds), par(*[step(port) for port in ports for step in (send, recv)])]
    costs = machine("overlap", startup=2, per_word=1, duplex="half")
    csv.writer(sys.stdout).writerows(run(Case(links, programs), costs).trace.rows())


@pytest.mark.parametrize("words", [["elbow", "wrist", "hip", "knee", "ankle"]])
def test_hash_seed_does_not_matter(words):
    command = f"from test_engine_random import print_ring; print_ring({words!r})"
    tables = [
        subprocess.run(
            [sys.executable, "-c", command],
            cwd=Path(__file__).parent,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert tables[0] == tables[1]
    assert tables[0].count(b"\n") > 5 * 3 * 5


# Half duplex


@settings(deadline=None, max_examples=150)
@given(crowded, half_duplex)
def test_half_duplex_runs_obey_every_rule(case, machine):
    """Each message by its own rule; each wire by first come, first served. Together these fix every time.

    No message is empty here: among transfers of no ticks at one tick, who came first is a matter of taste.
    """
    ended, answer = verdict(case, machine)
    event(f"{machine.links.discipline}: {ended}")
    assert ended == judge(case.links, case.programs, machine).verdict
    if answer is None:
        return
    words = {channel: [part[2] for part in _sends_of(case, channel)] for channel in lives(answer)}
    for channel, messages in lives(answer).items():
        check_messages(messages, words[channel], machine.links)
    for u, u_port, v, v_port in case.links:
        check_wire(lives(answer), sorted([(u, u_port), (v, v_port)], key=lambda end: list(case.programs).index(end[0])))


def _sends_of(case, channel):
    node, port = channel
    return [part for part in _sends(case.programs[node]) if part[1] == port]


def check_messages(messages, words, links):
    assert len(messages) == len(words)
    for m, (sent, ready, left, depart, arrive, asked, taken) in enumerate(messages):
        assert arrive == depart + links.startup + words[m] * links.per_word
        assert taken == max(asked, arrive) + links.receive
        before = messages[m - links.buffers] if m >= links.buffers else (0,) * 7
        if links.discipline == "rendezvous":
            assert (ready, left) == (max(sent, asked), arrive)
        elif links.discipline == "posted":
            assert left == max(sent + links.setup, before[4])
            assert ready == max(left, asked)
        else:
            assert ready == left == max(sent + links.setup, before[-1])


def check_wire(times, channels):
    """Serve the requests of a link's two channels one at a time, by tick and node order: that gives `depart`."""
    requests = sorted(
        (ready, rank, m, depart, arrive)
        for rank, channel in enumerate(channels)
        for m, (_, ready, _, depart, arrive, _, _) in enumerate(times[channel])
    )
    free = 0
    for ready, _, _, depart, arrive in requests:
        assert depart == max(ready, free)
        free = arrive
