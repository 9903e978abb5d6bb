"""When things happen: two or three processors under every discipline, worked out by hand.

A message's life is (sent, ready, left, depart, arrive, asked, taken). On the machine `WIRE` a message of one
word is 5 ticks on the wire, one of two words 7.
"""

import pytest
from tools.engine import charge, do, lives, machine, network, par, path, phase, plan, recv, send, simulate

WIRE = {"startup": 3, "per_word": 2}


def check(run, finish, **messages):
    """Compare the finish of every processor and the messages of every channel; `ab` is from a to b."""
    assert run.finish == finish
    assert {sender + port: times for (sender, port), times in lives(run).items() if times} == messages


# free: words cost nothing


def test_free_sender_first():
    run = simulate({"a": [do(4), send("b")], "b": [do(10), recv("a"), do(1)]}, "free", **WIRE)
    check(run, {"a": 4, "b": 11}, ab=[(4, 4, 4, 4, 4, 10, 10)])


def test_free_receiver_first():
    run = simulate({"a": [do(10), send("b"), do(2)], "b": [recv("a")]}, "free", **WIRE)
    check(run, {"a": 12, "b": 10}, ab=[(10, 10, 10, 10, 10, 0, 10)])


def test_free_several_messages_keep_their_order():
    a = [send("b"), do(3), send("b", 2), do(3), send("b", 3)]
    run = simulate({"a": a, "b": [do(4), recv("a"), recv("a"), recv("a")]}, "free", **WIRE)
    check(
        run,
        {"a": 6, "b": 6},
        ab=[(0, 0, 0, 0, 0, 4, 4), (3, 3, 3, 3, 3, 4, 4), (6, 6, 6, 6, 6, 4, 6)],
    )


def test_free_ignores_setup_buffers_and_duplex():
    a = [par(send("b"), recv("b")), send("b"), send("b")]
    b = [do(2), par(recv("a"), send("a")), recv("a"), recv("a")]
    run = simulate({"a": a, "b": b}, "free", setup=9, buffers=1, duplex="half", **WIRE)
    check(
        run,
        {"a": 2, "b": 2},
        ab=[(0, 0, 0, 0, 0, 2, 2), (2, 2, 2, 2, 2, 2, 2), (2, 2, 2, 2, 2, 2, 2)],
        ba=[(2, 2, 2, 2, 2, 0, 2)],
    )


# rendezvous: both wait for the whole transfer


def test_rendezvous_sender_first():
    run = simulate({"a": [do(4), send("b"), do(1)], "b": [do(10), recv("a")]}, "rendezvous", **WIRE)
    check(run, {"a": 16, "b": 15}, ab=[(4, 10, 15, 10, 15, 10, 15)])


def test_rendezvous_receiver_first():
    run = simulate({"a": [do(10), send("b")], "b": [recv("a"), do(1)]}, "rendezvous", **WIRE)
    check(run, {"a": 15, "b": 16}, ab=[(10, 10, 15, 10, 15, 0, 15)])


def test_rendezvous_several_messages():
    a = [send("b"), do(2), send("b", 2)]
    run = simulate({"a": a, "b": [recv("a"), do(4), recv("a")]}, "rendezvous", **WIRE)
    check(run, {"a": 16, "b": 16}, ab=[(0, 0, 5, 0, 5, 0, 5), (7, 9, 16, 9, 16, 9, 16)])


def test_rendezvous_ignores_setup_and_buffers():
    programs = {"a": [send("b"), send("b")], "b": [do(1), recv("a"), recv("a")]}
    run = simulate(programs, "rendezvous", setup=9, buffers=3, **WIRE)
    check(run, {"a": 11, "b": 11}, ab=[(0, 1, 6, 1, 6, 1, 6), (6, 6, 11, 6, 11, 6, 11)])


def test_rendezvous_chain_of_three():
    programs = {"a": [send("b")], "b": [recv("a"), do(2), send("c", 2)], "c": [do(1), recv("b")]}
    run = simulate(programs, "rendezvous", **WIRE)
    check(
        run,
        {"a": 5, "b": 14, "c": 14},
        ab=[(0, 0, 5, 0, 5, 0, 5)],
        bc=[(7, 7, 14, 7, 14, 1, 14)],
    )


def test_rendezvous_par_goes_on_when_its_last_operation_has_ended():
    programs = {"a": [par(send("b"), send("c"))], "b": [do(3), recv("a")], "c": [recv("a")]}
    run = simulate(programs, "rendezvous", **WIRE)
    check(run, {"a": 8, "b": 8, "c": 5}, ab=[(0, 3, 8, 3, 8, 3, 8)], ac=[(0, 0, 5, 0, 5, 0, 5)])


def test_rendezvous_exchange_in_par_is_both_ways_at_once():
    a, b = [par(send("b"), recv("b"))], [par(send("a", 2), recv("a")), do(1)]
    run = simulate({"a": a, "b": b}, "rendezvous", **WIRE)
    check(run, {"a": 7, "b": 8}, ab=[(0, 0, 5, 0, 5, 0, 5)], ba=[(0, 0, 7, 0, 7, 0, 7)])


def test_par_of_nothing_takes_no_time():
    assert simulate({"a": [do(2), par(), do(3)]}, "rendezvous", **WIRE).finish == {"a": 5}


# overlap: the link works beside the processor


def test_overlap_message_travels_while_both_compute():
    programs = {"a": [do(4), send("b"), do(10)], "b": [do(8), recv("a")]}
    run = simulate(programs, "overlap", setup=1, **WIRE)
    check(run, {"a": 15, "b": 10}, ab=[(4, 5, 5, 5, 10, 8, 10)])


def test_overlap_message_waits_for_a_late_receiver():
    run = simulate({"a": [send("b")], "b": [do(20), recv("a"), do(1)]}, "overlap", **WIRE)
    check(run, {"a": 0, "b": 21}, ab=[(0, 0, 0, 0, 5, 20, 20)])


def test_overlap_receiver_first():
    run = simulate({"a": [do(6), send("b")], "b": [recv("a")]}, "overlap", setup=2, **WIRE)
    check(run, {"a": 8, "b": 13}, ab=[(6, 8, 8, 8, 13, 0, 13)])


def test_overlap_one_buffer_frees_when_its_message_is_taken():
    a, b = [send("b"), send("b"), send("b")], [do(12), recv("a"), recv("a"), recv("a")]
    run = simulate({"a": a, "b": b}, "overlap", buffers=1, **WIRE)
    check(
        run,
        {"a": 17, "b": 22},
        ab=[(0, 0, 0, 0, 5, 12, 12), (0, 12, 12, 12, 17, 12, 17), (12, 17, 17, 17, 22, 17, 22)],
    )


def test_overlap_two_buffers():
    a, b = [send("b"), send("b"), send("b")], [do(12), recv("a"), recv("a"), recv("a")]
    run = simulate({"a": a, "b": b}, "overlap", buffers=2, **WIRE)
    check(
        run,
        {"a": 12, "b": 17},
        ab=[(0, 0, 0, 0, 5, 12, 12), (0, 0, 0, 5, 10, 12, 12), (0, 12, 12, 12, 17, 12, 17)],
    )


def test_overlap_buffers_are_used_in_the_order_they_were_freed():
    """b frees a buffer at 20 and one at 30, long before (for the event loop) a, held up by c, asks for either."""
    programs = {
        "a": [send("b"), send("b"), recv("c"), send("b"), send("b")],
        "b": [do(20), recv("a"), do(10), recv("a"), recv("a"), recv("a")],
        "c": [do(10), send("a")],
    }
    run = simulate(programs, "overlap", buffers=2, **WIRE)
    check(
        run,
        {"a": 30, "b": 35, "c": 10},
        ab=[
            (0, 0, 0, 0, 5, 20, 20),
            (0, 0, 0, 5, 10, 30, 30),
            (15, 20, 20, 20, 25, 30, 30),
            (20, 30, 30, 30, 35, 30, 35),
        ],
        ca=[(10, 10, 10, 10, 15, 0, 15)],
    )


def test_overlap_setup_with_room():
    a, b = [send("b"), send("b")], [recv("a"), recv("a")]
    run = simulate({"a": a, "b": b}, "overlap", setup=4, buffers=2, **WIRE)
    check(run, {"a": 8, "b": 14}, ab=[(0, 4, 4, 4, 9, 0, 9), (4, 8, 8, 9, 14, 9, 14)])


def test_overlap_setup_passes_while_there_is_no_room():
    a, b = [send("b"), send("b")], [do(20), recv("a"), recv("a")]
    run = simulate({"a": a, "b": b}, "overlap", setup=4, buffers=1, **WIRE)
    check(run, {"a": 20, "b": 25}, ab=[(0, 4, 4, 4, 9, 20, 20), (4, 20, 20, 20, 25, 20, 25)])


def test_overlap_setup_that_outlasts_the_full_buffer():
    a, b = [send("b"), send("b")], [recv("a"), recv("a")]
    run = simulate({"a": a, "b": b}, "overlap", setup=4, buffers=1, per_word=1)
    check(run, {"a": 8, "b": 9}, ab=[(0, 4, 4, 4, 5, 0, 5), (4, 8, 8, 8, 9, 5, 9)])


def test_overlap_par_of_send_and_recv():
    a, b = [par(send("b"), recv("b")), do(1)], [do(2), send("a", 2), recv("a")]
    run = simulate({"a": a, "b": b}, "overlap", setup=1, **WIRE)
    check(run, {"a": 11, "b": 6}, ab=[(0, 1, 1, 1, 6, 3, 6)], ba=[(2, 3, 3, 3, 10, 0, 10)])


def test_two_links_between_two_processors_are_two_channels():
    graph = network("ab", [("a", "east", "b", "west"), ("a", "up", "b", "down")])
    programs = {"a": [send("east", 2), send("up")], "b": [recv("down"), recv("west")]}
    run = plan(programs, graph).run(machine("overlap", **WIRE))
    assert run.finish == {"a": 0, "b": 7}
    assert lives(run) == {
        ("a", "east"): [(0, 0, 0, 0, 7, 5, 7)],
        ("b", "west"): [],
        ("a", "up"): [(0, 0, 0, 0, 5, 0, 5)],
        ("b", "down"): [],
    }


def test_disciplines_differ_where_the_table_says():
    """Two sends one way with a late receiver: the same programs, one finish per discipline."""
    programs = {"a": [send("b"), send("b")], "b": [do(6), recv("a"), recv("a")]}
    finishes = {d: simulate(programs, d, setup=1, **WIRE).finish for d in ("free", "overlap", "posted", "rendezvous")}
    assert finishes == {
        "free": {"a": 0, "b": 6},
        "overlap": {"a": 6, "b": 11},
        "posted": {"a": 11, "b": 16},
        "rendezvous": {"a": 16, "b": 16},
    }


# Half duplex: one transfer at a time on a link


def test_half_duplex_overlap_is_first_come_first_served():
    programs = {"a": [do(1), send("b"), recv("b")], "b": [send("a"), recv("a")]}
    run = simulate(programs, "overlap", duplex="half", **WIRE)
    check(run, {"a": 5, "b": 10}, ab=[(1, 1, 1, 5, 10, 0, 10)], ba=[(0, 0, 0, 0, 5, 1, 5)])


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_half_duplex_overlap_tie_is_broken_by_node_order(order):
    first, second = order
    programs = {first: [send(second), recv(second)], second: [send(first), recv(first)]}
    run = simulate(programs, "overlap", duplex="half", **WIRE)
    times = {first + second: [(0, 0, 0, 0, 5, 0, 5)], second + first: [(0, 0, 0, 5, 10, 0, 10)]}
    check(run, {first: 10, second: 5}, **times)


def test_half_duplex_tie_with_a_sender_that_is_woken_at_that_tick():
    """At tick 5 both a, just woken by c, and b, after its arithmetic, are ready: a is first in node order."""
    graph = network("abc")
    programs = {
        "a": [recv("c"), send("b"), recv("b")],
        "b": [do(5), send("a"), recv("a")],
        "c": [send("a")],
    }
    run = plan(programs, graph).run(machine("overlap", duplex="half", **WIRE))
    check(
        run,
        {"a": 15, "b": 10, "c": 0},
        ca=[(0, 0, 0, 0, 5, 0, 5)],
        ab=[(5, 5, 5, 5, 10, 5, 10)],
        ba=[(5, 5, 5, 10, 15, 5, 15)],
    )


def test_half_duplex_overlap_serves_by_the_tick_at_which_a_message_is_ready():
    """b sends at tick 0 but is set up at 3; a's second message is ready at 6, and waits behind b's."""
    a = [send("b"), send("b"), recv("b")]
    run = simulate(
        {"a": a, "b": [send("a"), recv("a"), recv("a")]}, "overlap", buffers=2, setup=3, duplex="half", **WIRE
    )
    check(
        run,
        {"a": 13, "b": 18},
        ab=[(0, 3, 3, 3, 8, 3, 8), (3, 6, 6, 13, 18, 8, 18)],
        ba=[(0, 3, 3, 8, 13, 6, 13)],
    )


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_half_duplex_rendezvous_tie_is_broken_by_node_order(order):
    first, second = order
    programs = {first: [par(recv(second), send(second))], second: [do(2), par(recv(first), send(first))]}
    run = simulate(programs, "rendezvous", duplex="half", **WIRE)
    times = {first + second: [(0, 2, 7, 2, 7, 2, 7)], second + first: [(2, 2, 12, 7, 12, 0, 12)]}
    check(run, {first: 12, second: 12}, **times)


def test_half_duplex_links_do_not_share_wires_with_one_another():
    programs = {"a": [par(send("b"), send("c"))], "b": [recv("a")], "c": [recv("a")]}
    run = simulate(programs, "rendezvous", duplex="half", **WIRE)
    check(run, {"a": 5, "b": 5, "c": 5}, ab=[(0, 0, 5, 0, 5, 0, 5)], ac=[(0, 0, 5, 0, 5, 0, 5)])


def test_half_duplex_wire_freed_at_the_tick_of_a_request_is_granted_then():
    programs = {"a": [send("b"), recv("b")], "b": [recv("a"), send("a")]}
    run = simulate(programs, "rendezvous", duplex="half", **WIRE)
    check(run, {"a": 10, "b": 10}, ab=[(0, 0, 5, 0, 5, 0, 5)], ba=[(5, 5, 10, 5, 10, 5, 10)])


# Prices, phases, idle processors


def test_kernels_are_charged_by_operations_and_overhead():
    def work(cpu):
        cpu.do(charge(mul=2, add=3))
        cpu.do(charge(add=4))
        yield cpu.par()

    run = plan({"a": work}).run(machine("free", costs={"mul": 10, "add": 5}, overhead=2))
    assert run.finish == {"a": (2 + 20 + 15) + (2 + 20)}
    assert run.busy == {"a": 59}
    assert run.operations == {"mul": 2, "add": 7, "div": 0, "sqrt": 0, "sincos": 0}


def test_measured_kernel_replaces_operations_and_overhead():
    run = simulate({"a": [do(4), do(3)]}, "free", overhead=2, kernels={"add4": 100})
    assert run.finish == {"a": 100 + (2 + 3)}
    assert run.busy == {"a": 105}


def test_phases_end_with_their_last_processor_in_order_of_time():
    a = [do(9), phase("load"), send("b"), phase("done")]
    b = [do(2), phase("load"), do(1), phase("early"), recv("a"), phase("done")]
    run = simulate({"a": a, "b": b}, "overlap", **WIRE)
    assert list(run.phases.items()) == [("early", 3), ("load", 9), ("done", 14)]


def test_idle_processors_have_no_program_and_spend_no_time():
    graph = network("abc")
    run = plan({"a": [send("b")], "b": [recv("a"), do(1)]}, graph).run(machine("rendezvous", **WIRE))
    assert run.finish == {"a": 5, "b": 6, "c": 0}
    assert run.processors == 3
    assert set(run.value) == {"a", "b"}
    assert run.utilisation == 1 / 18


def test_run_of_no_ticks():
    run = simulate({"a": [], "b": []}, "overlap", **WIRE)
    assert (run.ticks, run.utilisation, run.messages, path(run)) == (0, 0.0, 0, [])
