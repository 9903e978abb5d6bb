"""What a run tells: accounts, traffic, the trace as a table, the critical path, and values that stay as sent."""

import numpy as np
import pytest
from tools.engine import do, machine, network, par, path, plan, recv, send, simulate

from meshsim.errors import MeshSimError
from meshsim.outcome import Traffic
from meshsim.payload import freeze
from meshsim.trace import Account, Row

WIRE = {"startup": 3, "per_word": 2}  # one word: 5 ticks
FULL_BUFFER = {"a": [send("b"), send("b")], "b": [do(20), recv("a"), recv("a")]}


# Accounts


def test_accounts_under_rendezvous():
    run = simulate({"a": [do(4), send("b")], "b": [do(10), recv("a"), do(1)]}, "rendezvous", **WIRE)
    assert run.trace.accounts() == {
        "a": Account(busy=4, sending=5, receiving=0, waiting=6, finish=15),
        "b": Account(busy=11, sending=0, receiving=5, waiting=0, finish=16),
    }


def test_accounts_under_overlap_count_setup_as_sending_and_a_full_buffer_as_waiting():
    run = simulate(FULL_BUFFER, "overlap", setup=2, **WIRE)
    assert run.trace.accounts() == {
        "a": Account(busy=0, sending=4, receiving=0, waiting=16, finish=20),
        "b": Account(busy=20, sending=0, receiving=5, waiting=0, finish=25),
    }


def test_accounts_under_free_know_only_waiting():
    run = simulate({"a": [do(7), send("b")], "b": [do(2), recv("a"), do(1)]}, "free", **WIRE)
    assert run.trace.accounts() == {
        "a": Account(busy=7, sending=0, receiving=0, waiting=0, finish=7),
        "b": Account(busy=3, sending=0, receiving=0, waiting=5, finish=8),
    }


def test_sending_and_receiving_at_once_counts_as_sending():
    a, b = [par(send("b"), recv("b"))], [par(send("a", 2), recv("a"))]
    run = simulate({"a": a, "b": b}, "rendezvous", **WIRE)
    assert run.trace.accounts() == {
        "a": Account(busy=0, sending=5, receiving=2, waiting=0, finish=7),
        "b": Account(busy=0, sending=7, receiving=0, waiting=0, finish=7),
    }


def test_waiting_for_a_shared_wire_is_waiting():
    programs = {"a": [par(send("b"), recv("b"))], "b": [par(send("a"), recv("a"))], "c": []}
    run = simulate(programs, "rendezvous", duplex="half", **WIRE)
    assert run.trace.accounts() == {
        "a": Account(busy=0, sending=5, receiving=5, waiting=0, finish=10),
        "b": Account(busy=0, sending=5, receiving=5, waiting=0, finish=10),
        "c": Account(busy=0, sending=0, receiving=0, waiting=0, finish=0),
    }
    run = simulate({"a": [send("b"), recv("b")], "b": [send("a"), recv("a")]}, "overlap", duplex="half", **WIRE)
    assert run.trace.accounts() == {
        "a": Account(busy=0, sending=0, receiving=5, waiting=5, finish=10),
        "b": Account(busy=0, sending=0, receiving=5, waiting=0, finish=5),
    }


# Traffic


@pytest.mark.parametrize(
    ("discipline", "ticks"), [("overlap", (12, 9)), ("posted", (12, 9)), ("rendezvous", (12, 9)), ("free", (0, 0))]
)
def test_traffic_of_each_direction_of_each_link(discipline, ticks):
    graph = network("abc", [("a", "east", "b", "west"), ("b", "east", "c", "west")])
    programs = {"a": [send("east"), send("east", 2), recv("east")], "b": [recv("west"), recv("west"), send("west", 3)]}
    run = plan(programs, graph).run(machine(discipline, **WIRE))
    assert run.traffic == (
        Traffic("a", "east", "b", 2, 3, ticks[0]),
        Traffic("b", "west", "a", 1, 3, ticks[1]),
        Traffic("b", "east", "c", 0, 0, 0),
        Traffic("c", "west", "b", 0, 0, 0),
    )
    assert (run.messages, run.words) == (3, 6)


# The trace as a table


def test_rows_under_overlap():
    run = simulate(FULL_BUFFER, "overlap", setup=2, **WIRE)
    assert list(run.trace.rows()) == [
        Row("a", "send", 0, 2, "b", "b", 1, 2, 7),
        Row("a", "send", 2, 20, "b", "b", 1, 20, 25),
        Row("a", "wait", 4, 20, ""),
        Row("b", "compute", 0, 20, "add20"),
        Row("b", "receive", 20, 20, "a", "a", 1, 2, 7),
        Row("b", "receive", 20, 25, "a", "a", 1, 20, 25),
    ]


def test_rows_of_a_par_under_rendezvous():
    programs = {"a": [do(1), par(send("b", 2), recv("c"))], "b": [do(3), recv("a")], "c": [do(12), send("a")]}
    run = simulate(programs, "rendezvous", **WIRE)
    assert list(run.trace.rows()) == [
        Row("a", "compute", 0, 1, "add1"),
        Row("a", "send", 1, 10, "b", "b", 2, 3, 10),
        Row("a", "receive", 1, 17, "c", "c", 1, 12, 17),
        Row("a", "wait", 1, 3, ""),
        Row("a", "wait", 10, 12, ""),
        Row("b", "compute", 0, 3, "add3"),
        Row("b", "receive", 3, 10, "a", "a", 2, 3, 10),
        Row("c", "compute", 0, 12, "add12"),
        Row("c", "send", 12, 17, "a", "a", 1, 12, 17),
    ]


@pytest.mark.parametrize("what", ["trace", "critical_path"])
def test_run_without_trace_has_times_and_traffic_only(what):
    run = plan(FULL_BUFFER).run(machine("overlap", setup=2, **WIRE), trace=False)
    assert run.finish == {"a": 20, "b": 25}
    assert run.traffic[0] == Traffic("a", "b", "b", 2, 2, 10)
    message = r"^a run must be traced to have a trace: plan\.run\(machine, trace=True\)$"
    with pytest.raises(MeshSimError, match=message):
        getattr(run, what)


# The critical path


def check_path(run, steps):
    """The steps exactly; then what they add up to."""
    assert path(run) == steps
    found = run.critical_path
    kinds = {"compute": ("compute",), "wire": ("wire", "setup"), "wait": ("wait",)}
    spent = {kind: sum(end - start for k, start, end, _ in steps if k in held) for kind, held in kinds.items()}
    assert {"compute": found.compute, "wire": found.wire, "wait": found.wait} == spent
    assert sum(spent.values()) == run.ticks


def test_path_through_a_late_sender():
    run = simulate({"a": [do(4), send("b")], "b": [do(2), recv("a"), do(1)]}, "rendezvous", **WIRE)
    check_path(run, [("compute", 0, 4, "a add4"), ("wire", 4, 9, "a->b 0"), ("compute", 9, 10, "b add1")])


def test_path_through_a_late_receiver():
    run = simulate({"a": [do(2), send("b"), do(1)], "b": [do(4), recv("a")]}, "rendezvous", **WIRE)
    check_path(run, [("compute", 0, 4, "b add4"), ("wire", 4, 9, "a->b 0"), ("compute", 9, 10, "a add1")])


def test_path_does_not_follow_a_message_that_waited_for_its_receiver():
    run = simulate({"a": [do(3), send("b")], "b": [do(20), recv("a"), do(1)]}, "overlap", **WIRE)
    check_path(run, [("compute", 0, 20, "b add20"), ("compute", 20, 21, "b add1")])


def test_path_under_free_has_no_wire():
    run = simulate({"a": [do(7), send("b")], "b": [do(2), recv("a"), do(1)]}, "free", **WIRE)
    check_path(run, [("compute", 0, 7, "a add7"), ("compute", 7, 8, "b add1")])


def test_path_counts_setup_as_wire():
    run = simulate({"a": [do(3), send("b")], "b": [recv("a")]}, "overlap", setup=2, **WIRE)
    check_path(run, [("compute", 0, 3, "a add3"), ("setup", 3, 5, "a->b 0"), ("wire", 5, 10, "a->b 0")])


def test_path_through_a_wire_that_the_message_before_kept_busy():
    run = simulate({"a": [send("b"), send("b")], "b": [recv("a"), recv("a")]}, "overlap", buffers=2, **WIRE)
    check_path(run, [("wire", 0, 5, "a->b 0"), ("wire", 5, 10, "a->b 1")])


def test_path_of_a_sender_that_waited_for_a_buffer():
    run = simulate({"a": [send("b"), send("b"), do(9)], "b": [do(12), recv("a"), recv("a")]}, "overlap", **WIRE)
    check_path(run, [("compute", 0, 12, "b add12"), ("compute", 12, 21, "a add9")])


def test_path_through_the_buffer_that_was_needed():
    """Of two buffers the third message needs the first: b's add3 comes after, and decides nothing."""
    a, b = [send("b")] * 3, [do(12), recv("a"), do(3), recv("a"), recv("a")]
    run = simulate({"a": a, "b": b}, "overlap", buffers=2, **WIRE)
    check_path(run, [("compute", 0, 12, "b add12"), ("wire", 12, 17, "a->b 2")])


def test_the_path_runs_from_whoever_was_waited_for():
    run = simulate({"a": [send("b")], "b": [do(12), recv("a")]}, "rendezvous", **WIRE)
    assert [(step.kind, step.node, step.to) for step in run.critical_path.steps] == [
        ("compute", "b", "b"),
        ("wire", "b", "a"),  # a finishes with b, and comes first in node order
    ]
    run = simulate({"a": [do(3), send("b")], "b": [recv("a"), do(2)]}, "overlap", **WIRE)
    assert [(step.node, step.to) for step in run.critical_path.steps] == [("a", "a"), ("a", "b"), ("b", "b")]


def test_path_of_a_receiver_whose_message_waited_for_a_buffer():
    run = simulate({"a": [send("b"), send("b")], "b": [do(12), recv("a"), recv("a")]}, "overlap", **WIRE)
    check_path(run, [("compute", 0, 12, "b add12"), ("wire", 12, 17, "a->b 1")])


def test_path_through_the_slowest_part_of_a_par():
    programs = {"a": [par(recv("b"), recv("c")), do(2)], "b": [do(1), send("a")], "c": [do(3), send("a")]}
    run = simulate(programs, "rendezvous", **WIRE)
    check_path(run, [("compute", 0, 3, "c add3"), ("wire", 3, 8, "c->a 0"), ("compute", 8, 10, "a add2")])


def test_path_of_tied_processors_is_that_of_the_first_in_node_order():
    run = simulate({"c": [do(4)], "b": [do(5)], "a": [do(2), do(3)]}, "free")
    check_path(run, [("compute", 0, 5, "b add5")])


def test_path_of_a_tie_in_a_rendezvous_is_that_of_the_sender():
    run = simulate({"a": [do(1), do(3), recv("b")], "b": [do(4), send("a")]}, "rendezvous", **WIRE)
    check_path(run, [("compute", 0, 4, "b add4"), ("wire", 4, 9, "b->a 0")])


def test_path_of_a_message_that_arrives_when_asked_for_is_that_of_the_receiver():
    run = simulate({"a": [send("b")], "b": [do(5), recv("a"), do(1)]}, "overlap", **WIRE)
    check_path(run, [("compute", 0, 5, "b add5"), ("compute", 5, 6, "b add1")])


def test_path_waits_for_a_shared_wire_under_overlap():
    programs = {"a": [send("b"), recv("b")], "b": [do(1), send("a"), recv("a")]}
    run = simulate(programs, "overlap", duplex="half", **WIRE)
    check_path(run, [("compute", 0, 1, "b add1"), ("wait", 1, 5, "b->a 0"), ("wire", 5, 10, "b->a 0")])


def test_path_waits_for_a_shared_wire_under_rendezvous():
    programs = {"a": [par(send("b"), recv("b"))], "b": [do(2), par(send("a"), recv("a"))]}
    run = simulate(programs, "rendezvous", duplex="half", **WIRE)
    check_path(run, [("compute", 0, 2, "b add2"), ("wait", 2, 7, "b->a 0"), ("wire", 7, 12, "b->a 0")])


def test_path_of_a_long_full_buffer_chain():
    """Each message needs the buffer of the one before: 5000 causes in a row, far beyond the recursion limit."""
    count = 5000
    run = simulate({"a": [send("b")] * count, "b": [recv("a")] * count}, "overlap", buffers=1, **WIRE)
    check_path(run, [("wire", 5 * i, 5 * i + 5, f"a->b {i}") for i in range(count)])


def test_path_of_a_long_busy_wire():
    count = 5000
    run = simulate({"a": [send("b")] * count, "b": [recv("a")] * count}, "overlap", buffers=count, **WIRE)
    check_path(run, [("wire", 5 * i, 5 * i + 5, f"a->b {i}") for i in range(count)])


# Values


@pytest.mark.parametrize("discipline", ["free", "overlap", "posted", "rendezvous"])
@pytest.mark.parametrize("nested", [False, True])
def test_array_changed_after_sending_does_not_change_what_is_received(discipline, nested):
    array = np.arange(3.0)

    def sender(cpu):
        operation = cpu.send("b", (1.0, array) if nested else array)
        array[0] = 7.0
        yield operation
        array[1] = 8.0
        yield cpu.send("b", 0.0)

    def receiver(cpu):
        got = yield cpu.recv("a")
        yield cpu.recv("a")
        return got[1] if nested else got

    value = plan({"a": sender, "b": receiver}).run(machine(discipline, **WIRE)).value["b"]
    assert value.tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        value[0] = 1.0
    assert array.flags.writeable


@pytest.mark.parametrize("discipline", ["free", "overlap", "posted", "rendezvous"])
def test_par_returns_what_each_of_its_operations_brought(discipline):
    def swap(peer, value):
        def program(cpu):
            got = yield cpu.par(cpu.send(peer, value), cpu.recv(peer))
            single = yield cpu.par(cpu.recv(peer) if peer == "a" else cpu.send(peer, 3.0))
            return got, single

        return program

    value = plan({"a": swap("b", 1.0), "b": swap("a", 2)}).run(machine(discipline)).value
    assert value == {"a": ((None, 2), (None,)), "b": ((None, 1.0), (3.0,))}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.5, 1),
        (3, 1),
        (np.float32(1.5), 1),
        (np.int64(2), 1),
        ((), 0),
        ((1.0, 2, np.float64(3.0)), 3),
        (((1.0, 2.0), (3.0, (4, ()))), 4),
        (np.zeros((2, 3)), 6),
        (np.array(4.0), 1),
        (np.zeros(0), 0),
        ((1.0, (2, np.zeros((2, 3), dtype=int))), 8),
    ],
)
def test_words_are_numbers(value, words):
    assert freeze(value)[1] == words

    def sender(cpu):
        yield cpu.send("b", value)

    def receiver(cpu):
        yield cpu.recv("a")

    run = plan({"a": sender, "b": receiver}).run(machine("rendezvous", **WIRE))
    assert run.traffic[0] == Traffic("a", "b", "b", 1, words, 3 + 2 * words)
    assert run.ticks == 3 + 2 * words


def test_tuples_of_numbers_travel_as_they_are():
    value = (1.0, (2, 3.0))
    assert freeze(value)[0] is value
