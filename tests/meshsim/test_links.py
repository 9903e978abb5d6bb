"""What a link is: transfers that wait for the receiver, ticks that receivers spend, and turns, worked out by hand.

A message's life is (sent, ready, left, depart, arrive, asked, taken). A message of one word is 5 ticks on the wire.
"""

import pytest
from tools.engine import do, lives, machine, par, path, plan, recv, send, simulate

from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.machine import DISCIPLINES
from meshsim.presets import PRESETS
from meshsim.recording import record
from meshsim.replay import replay
from meshsim.retiming import retime
from meshsim.sensitivity import path_counts
from meshsim.trace import Account

WIRE = {"startup": 3, "per_word": 2}
TWO_TO_ONE = {"a": [do(10), send("b")], "b": [par(recv("a"), recv("c"))], "c": [send("b")]}


def check(programs, discipline, finish, messages, **links):
    """Compare the finish of every processor and the messages of every channel; `ab` is from a to b.

    The engine's run, the recording re-timed and the recording replayed must all be so. The run is returned.
    """
    made, each = plan(programs), machine(discipline, **WIRE, **links)
    run = made.run(each)
    recording, value = record(made)
    for one in (run, replay(recording, each, value)):
        assert one.finish == finish
        assert {sender + port: times for (sender, port), times in lives(one).items() if times} == messages
    assert retime(recording, [each]).finish[:, 0].tolist() == list(finish.values())
    return run


# posted: a transfer begins when the receiver has asked


def test_posted_sender_goes_on_and_the_transfer_waits_for_the_receiver():
    programs = {"a": [send("b"), do(2)], "b": [do(20), recv("a"), do(1)]}
    check(programs, "posted", {"a": 3, "b": 26}, {"ab": [(0, 20, 1, 20, 25, 20, 25)]}, setup=1)


def test_posted_receiver_first():
    programs = {"a": [do(6), send("b")], "b": [recv("a")]}
    check(programs, "posted", {"a": 8, "b": 13}, {"ab": [(6, 8, 8, 8, 13, 0, 13)]}, setup=2)


def test_posted_buffer_frees_when_its_transfer_has_ended():
    programs = {"a": [send("b"), send("b"), do(1)], "b": [do(10), recv("a"), do(4), recv("a")]}
    messages = [(0, 10, 0, 10, 15, 10, 15), (0, 19, 15, 19, 24, 19, 24)]
    check(programs, "posted", {"a": 16, "b": 24}, {"ab": messages})


def test_posted_two_buffers():
    programs = {"a": [send("b")] * 3, "b": [do(10), *[recv("a")] * 3]}
    messages = [(0, 10, 0, 10, 15, 10, 15), (0, 15, 0, 15, 20, 15, 20), (0, 20, 15, 20, 25, 20, 25)]
    check(programs, "posted", {"a": 15, "b": 25}, {"ab": messages}, buffers=2)


def test_posted_setup_passes_while_there_is_no_room():
    programs = {"a": [send("b"), send("b")], "b": [recv("a"), recv("a")]}
    messages = [(0, 4, 4, 4, 9, 0, 9), (4, 9, 9, 9, 14, 9, 14)]
    check(programs, "posted", {"a": 9, "b": 14}, {"ab": messages}, setup=4)


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_posted_half_duplex_tie_is_broken_by_node_order(order):
    first, second = order
    programs = {first: [par(recv(second), send(second))], second: [par(recv(first), send(first))]}
    run = simulate(programs, "posted", duplex="half", **WIRE)
    assert run.finish == {first: 10, second: 5}
    assert lives(run) == {(first, second): [(0, 0, 0, 0, 5, 0, 5)], (second, first): [(0, 0, 0, 5, 10, 0, 10)]}


def test_posted_half_duplex_sender_with_a_full_buffer():
    programs = {"a": [send("b"), send("b"), recv("b")], "b": [do(2), recv("a"), send("a"), recv("a")]}
    run = simulate(programs, "posted", duplex="half", **WIRE)
    assert lives(run) == {
        ("a", "b"): [(0, 2, 0, 2, 7, 2, 7), (0, 7, 7, 7, 12, 7, 12)],
        ("b", "a"): [(7, 7, 7, 12, 17, 7, 17)],
    }
    assert run.critical_path.wait == 5


def test_posted_accounts_and_path():
    run = simulate({"a": [send("b"), send("b")], "b": [do(10), recv("a"), recv("a")]}, "posted", setup=2, **WIRE)
    assert run.trace.accounts() == {
        "a": Account(busy=0, sending=4, receiving=0, waiting=11, finish=15),
        "b": Account(busy=10, sending=0, receiving=10, waiting=0, finish=20),
    }
    assert path(run) == [("compute", 0, 10, "b add10"), ("wire", 10, 15, "a->b 0"), ("wire", 15, 20, "a->b 1")]


def test_the_mesh_without_a_buffer_at_the_receiver():
    robot = load_robot("chain:12:1")
    made = SCHEMES["wong-mesh"].plan(robot, default_state(robot))
    posted = PRESETS["t800-posted"]
    assert made.run(posted, trace=False).ticks == 15826
    assert retime(record(made)[0], [posted]).ticks.tolist() == [15826]


# receive: ticks that a receiver spends on each message


def test_overlap_buffer_frees_when_its_message_has_been_taken():
    programs = {"a": [send("b"), send("b")], "b": [do(20), recv("a"), recv("a")]}
    messages = [(0, 0, 0, 0, 5, 20, 24), (0, 24, 24, 24, 29, 24, 33)]
    check(programs, "overlap", {"a": 24, "b": 33}, {"ab": messages}, receive=4)


def test_rendezvous_receiver_goes_on_later_than_the_sender():
    programs = {"a": [do(4), send("b"), do(1)], "b": [do(10), recv("a")]}
    run = check(programs, "rendezvous", {"a": 16, "b": 19}, {"ab": [(4, 10, 15, 10, 15, 10, 19)]}, receive=4)
    assert run.trace.accounts()["b"] == Account(busy=10, sending=0, receiving=9, waiting=0, finish=19)
    assert path(run)[1:] == [("wire", 10, 15, "a->b 0"), ("receive", 15, 19, "a->b 0")]
    assert run.critical_path.wire == 9


def test_posted_buffer_frees_before_its_message_has_been_taken():
    programs = {"a": [send("b"), send("b")], "b": [recv("a"), recv("a")]}
    messages = [(0, 0, 0, 0, 5, 0, 9), (0, 9, 5, 9, 14, 9, 18)]
    check(programs, "posted", {"a": 5, "b": 18}, {"ab": messages}, receive=4)


def test_free_ignores_receive_and_turns():
    programs = {"a": [par(send("b"), send("c"))], "b": [do(2), recv("a")], "c": [recv("a")]}
    messages = {"ab": [(0, 0, 0, 0, 0, 2, 2)], "ac": [(0,) * 7]}
    check(programs, "free", {"a": 0, "b": 2, "c": 0}, messages, setup=5, receive=4, setups="in-turn")


# Turns


def test_setups_of_a_par_together_and_in_turn():
    programs = {
        "a": [par(send("b"), send("c"), send("d")), do(1)],
        "b": [recv("a")],
        "c": [recv("a")],
        "d": [recv("a")],
    }
    at_4 = [(0, 4, 4, 4, 9, 0, 9)]
    check(programs, "overlap", {"a": 5, "b": 9, "c": 9, "d": 9}, {"ab": at_4, "ac": at_4, "ad": at_4}, setup=4)
    for discipline in ("overlap", "posted"):
        messages = {"ab": at_4, "ac": [(4, 8, 8, 8, 13, 0, 13)], "ad": [(8, 12, 12, 12, 17, 0, 17)]}
        finish = {"a": 13, "b": 9, "c": 13, "d": 17}
        run = check(programs, discipline, finish, messages, setup=4, setups="in-turn")
        assert run.trace.accounts()["a"] == Account(busy=1, sending=12, receiving=0, waiting=0, finish=13)
        assert path(run) == [
            ("setup", 0, 4, "a->b 0"),
            ("setup", 4, 8, "a->c 0"),
            ("setup", 8, 12, "a->d 0"),
            ("wire", 12, 17, "a->d 0"),
        ]
        assert path_counts(run.critical_path, run.machine)["setup"] == 3


def test_a_setup_has_its_turn_while_the_one_before_waits_for_room():
    programs = {"a": [send("b"), par(send("b"), send("c"))], "b": [do(30), recv("a"), recv("a")], "c": [recv("a")]}
    messages = {"ab": [(0, 4, 4, 4, 9, 30, 30), (4, 30, 30, 30, 35, 30, 35)], "ac": [(8, 12, 12, 12, 17, 0, 17)]}
    check(programs, "overlap", {"a": 30, "b": 35, "c": 17}, messages, setup=4, setups="in-turn")


def test_rendezvous_has_no_setups_to_take_turns():
    programs = {"a": [par(send("b"), send("c"))], "b": [recv("a")], "c": [recv("a")]}
    messages = {way: [(0, 0, 5, 0, 5, 0, 6)] for way in ("ab", "ac")}
    check(programs, "rendezvous", {"a": 5, "b": 6, "c": 6}, messages, setup=4, receive=1, setups="in-turn")


def test_receives_of_a_par_together():
    messages = {"ab": [(10, 10, 15, 10, 15, 0, 19)], "cb": [(0, 0, 5, 0, 5, 0, 9)]}
    check(TWO_TO_ONE, "rendezvous", {"a": 15, "b": 19, "c": 5}, messages, receive=4)


def test_receives_in_turn_where_the_first_comes_last():
    """b takes a's message from 15 to 19, then c's, which has been there since 5, to 23."""
    messages = {"ab": [(10, 10, 15, 10, 15, 0, 19)], "cb": [(0, 0, 5, 0, 5, 0, 9)]}
    finish = {"a": 15, "b": 23, "c": 5}
    run = check(TWO_TO_ONE, "rendezvous", finish, messages, receive=4, setups="in-turn")
    assert run.trace.accounts()["b"] == Account(busy=0, sending=0, receiving=18, waiting=5, finish=23)
    assert path(run)[1:] == [("wire", 10, 15, "a->b 0"), ("receive", 15, 19, "a->b 0"), ("receive", 19, 23, "c->b 0")]
    assert path_counts(run.critical_path, run.machine)["receive"] == 2


def test_receives_in_turn_where_the_last_comes_last():
    """b has taken c's message by 9, and waits for a's until 10."""
    programs = {**TWO_TO_ONE, "b": [par(recv("c"), recv("a"))]}
    messages = {"ab": [(10, 10, 15, 10, 15, 0, 19)], "cb": [(0, 0, 5, 0, 5, 0, 9)]}
    run = check(programs, "rendezvous", {"a": 15, "b": 19, "c": 5}, messages, receive=4, setups="in-turn")
    assert run.trace.accounts()["b"] == Account(busy=0, sending=0, receiving=18, waiting=1, finish=19)


def test_a_buffer_does_not_wait_for_a_turn():
    """c's message has been taken at 9, whoever's turn it is: c sends the next, and nothing deadlocks."""
    programs = {
        "a": [recv("c"), send("b")],
        "b": [par(recv("a"), recv("c")), recv("c")],
        "c": [*[send("b")] * 2, send("a")],
    }
    messages = {
        "cb": [(0, 0, 0, 0, 5, 0, 9), (0, 9, 9, 9, 14, 31, 35)],
        "ca": [(9, 9, 9, 9, 14, 0, 18)],
        "ab": [(18, 18, 18, 18, 23, 0, 27)],
    }
    check(programs, "overlap", {"a": 18, "b": 35, "c": 9}, messages, receive=4, setups="in-turn")


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_one_after_the_other_there_are_no_turns(discipline):
    programs = {"a": [send("b"), send("c")], "b": [recv("a"), recv("c")], "c": [recv("a"), send("b")]}
    one, other = (
        simulate(programs, discipline, setup=3, receive=4, setups=setups, **WIRE) for setups in ("together", "in-turn")
    )
    assert lives(one) == lives(other)
    assert one.finish == other.finish
