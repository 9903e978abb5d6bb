"""What goes wrong: each misuse ends in an error of the one family, whose message is tested whole."""

import re
from itertools import product

import pytest
from tools.engine import charge, do, machine, network, par, plan, recv, send

from meshsim.counted import Kernel
from meshsim.deadlock import DeadlockError
from meshsim.errors import MeshSimError
from meshsim.program import ProgramError

DISCIPLINES = ("free", "overlap", "posted", "rendezvous")


def refuses(kind, message, programs, discipline="free", graph=None, **links):
    """The run is refused with this error, whether it is traced or not."""
    for trace in (True, False):
        with pytest.raises(MeshSimError, match=f"^{re.escape(message)}$") as caught:
            plan(programs, graph).run(machine(discipline, **links), trace=trace)
        assert type(caught.value) is kind


# Ports


@pytest.mark.parametrize(("step", "verb"), [(send("x"), "send to"), (recv("x"), "receive from")])
def test_unknown_port(step, verb):
    refuses(ProgramError, f"a cannot {verb} port 'x': its ports are b, c", {"a": [step], "b": [], "c": []})


def test_unknown_port_of_a_processor_without_links():
    refuses(ProgramError, "a cannot send to port 'x': its ports are none", {"a": [send("x")]})


@pytest.mark.parametrize("step", [send("b"), recv("b")])
def test_same_port_twice_in_a_par(step):
    message = f"a uses port 'b' for a second {step[0]} before it yielded the first"
    refuses(ProgramError, message, {"a": [par(step, step)], "b": []})


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_same_operation_twice_in_a_par(discipline):
    def twice(cpu):
        operation = cpu.recv("a")
        yield cpu.par(operation, operation)

    programs = {"a": [send("b"), send("b")], "b": twice}
    refuses(ProgramError, "the program of b yielded its recv on port 'a' twice", programs, discipline)


# What a program yields


@pytest.mark.parametrize("verb", ["send", "recv"])
def test_operation_never_yielded(verb):
    def forgetful(cpu):
        cpu.send("b", 1.0) if verb == "send" else cpu.recv("b")
        yield cpu.par()

    refuses(ProgramError, f"the program of a never yielded its {verb} on port 'b'", {"a": forgetful, "b": []})


def test_operation_made_again_before_it_was_yielded():
    def forgetful(cpu):
        cpu.send("b", 1.0)
        yield cpu.send("b", 2.0)

    message = "a uses port 'b' for a second send before it yielded the first"
    refuses(ProgramError, message, {"a": forgetful, "b": [recv("a")]})


@pytest.mark.parametrize(
    ("rubbish", "shown"), [(None, "None"), (3.0, "3.0"), ("b", "'b'"), ([], "[]"), ((1.0,), "1.0"), (((),), "()")]
)
def test_yielding_rubbish(rubbish, shown):
    def program(cpu):  # noqa: ARG001
        yield rubbish

    message = f"the program of a must yield its own cpu.send, cpu.recv or cpu.par, not {shown}"
    refuses(ProgramError, message, {"a": program, "b": []})


@pytest.mark.parametrize("in_par", [False, True])
def test_yielding_the_operation_of_another_processor(in_par):
    stolen = []

    def owner(cpu):
        stolen.append(cpu.send("b", 1.0))
        yield cpu.recv("b")

    def thief(cpu):
        operation = stolen.pop()
        yield cpu.par(operation) if in_par else operation

    message = "the program of b must yield its own cpu.send, cpu.recv or cpu.par, not <send on port 'b' of a>"
    refuses(ProgramError, message, {"a": owner, "b": thief})


# What is loaded


class Named:
    """A callable whose print does not change from run to run."""

    def __init__(self, function):
        self.function = function

    def __call__(self, cpu):
        return self.function(cpu)

    def __repr__(self):
        return "<named>"


def test_program_that_is_not_a_generator_function():
    message = "the program of a must be a generator function, not <named>"
    refuses(ProgramError, message, {"a": Named(lambda cpu: cpu.do(charge(add=1)))})


def test_program_that_is_not_a_function():
    refuses(ProgramError, "the program of a must be a generator function, not 5", {"a": 5})


def test_program_that_fails_before_it_is_a_generator():
    def failing(cpu):  # noqa: ARG001
        raise ValueError("no such thing")

    refuses(ProgramError, "the program of a failed at tick 0: ValueError: no such thing", {"a": failing})


def test_program_on_a_node_that_does_not_exist():
    message = r"^programs must be loaded on nodes of the topology, not on 'z'$"
    with pytest.raises(MeshSimError, match=message):
        plan({"z": []}, network("ab"))


# Exceptions inside a program


def test_exception_at_the_start_of_a_program():
    def failing(cpu):
        cpu.do(charge(add=7))
        yield cpu.par()
        raise KeyError("gone")

    message = "the program of a failed at tick 7: KeyError: 'gone'"
    refuses(ProgramError, message, {"a": failing, "b": []})


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_exception_after_waiting(discipline):
    def failing(cpu):
        value = yield cpu.recv("a")
        cpu.do(charge(add=1))
        return value[5]

    programs = {"a": [do(9), send("b")], "b": failing}
    refuses(
        ProgramError, "the program of b failed at tick 10: IndexError: tuple index out of range", programs, discipline
    )


def test_exception_is_kept_as_the_cause():
    def failing(cpu):
        yield cpu.par()
        raise OSError(2, "no such file")

    with pytest.raises(ProgramError) as caught:
        plan({"a": failing}).run(machine("free"))
    assert isinstance(caught.value.__cause__, OSError)


def test_exception_in_a_kernel():
    def divide():
        return 1 / 0

    def failing(cpu):
        cpu.do(charge(add=3))
        cpu.do(Kernel(divide, {"div": 1}))
        yield cpu.par()

    message = "the program of a failed at tick 4: ZeroDivisionError: division by zero"
    refuses(ProgramError, message, {"a": failing})


def test_stop_iteration_inside_a_program_is_a_failure_not_an_end():
    def failing(cpu):
        yield cpu.par()
        next(iter(()))

    message = "the program of a failed at tick 0: RuntimeError: generator raised StopIteration"
    refuses(ProgramError, message, {"a": failing})


# Messages


@pytest.mark.parametrize(
    ("value", "kind"),
    [([1.0], "list"), (None, "NoneType"), ("x", "str"), ((1.0, ["x"]), "list"), ({}, "dict"), (1j, "complex")],
)
def test_what_is_not_a_message(value, kind):
    def program(cpu):
        yield cpu.send("b", value)

    message = f"a cannot send to port 'b': a message must be a number, a tuple or an array of numbers, not {kind}"
    refuses(ProgramError, message, {"a": program, "b": [recv("a")]})


@pytest.mark.parametrize(("discipline", "count"), [*product(("free", "overlap", "posted"), (1, 2))])
def test_unread_messages(discipline, count):
    programs = {"a": [send("b")] * (count + 1), "b": [recv("a")]}
    message = f"b ended with {count} unread on port 'a' (from a)"
    refuses(ProgramError, message, programs, discipline, startup=3, buffers=2)


@pytest.mark.parametrize("discipline", ["overlap", "posted"])
def test_unread_messages_on_a_half_duplex_link(discipline):
    programs = {"a": [send("b")], "b": [send("a"), recv("a")]}
    refuses(ProgramError, "a ended with 1 unread on port 'b' (from b)", programs, discipline, startup=3, duplex="half")


# Deadlocks


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_deadlock_of_two_that_both_receive(discipline):
    message = """deadlock: 2 of 2 programs wait for ever
  a at tick 3: receive from port 'b' (b)
  b at tick 0: receive from port 'a' (a)
  cycle: a -> b -> a"""
    programs = {"a": [do(3), recv("b"), send("b")], "b": [recv("a"), send("a")]}
    refuses(DeadlockError, message, programs, discipline, startup=2)


@pytest.mark.parametrize("duplex", ["full", "half"])
def test_deadlock_of_two_that_both_send_under_rendezvous(duplex):
    message = """deadlock: 2 of 2 programs wait for ever
  a at tick 3: send to port 'b' (b)
  b at tick 1: send to port 'a' (a)
  cycle: a -> b -> a"""
    programs = {"a": [do(3), send("b"), recv("b")], "b": [do(1), send("a"), recv("a")]}
    refuses(DeadlockError, message, programs, "rendezvous", duplex=duplex)


@pytest.mark.parametrize("discipline", ["overlap", "posted"])
def test_deadlock_of_full_buffers(discipline):
    message = """deadlock: 2 of 2 programs wait for ever
  a at tick 1: send to port 'b' (b)
  b at tick 1: send to port 'a' (a)
  cycle: a -> b -> a"""
    programs = {"a": [send("b"), send("b"), recv("b")], "b": [send("a"), send("a"), recv("a")]}
    refuses(DeadlockError, message, programs, discipline, setup=1, startup=4)
    both = {"a": [*programs["a"], recv("b")], "b": [*programs["b"], recv("a")]}
    assert plan(both).run(machine(discipline, setup=1, buffers=2)).messages == 4


def test_deadlock_of_three_in_a_cycle():
    message = """deadlock: 3 of 3 programs wait for ever
  a at tick 0: send to port 'b' (b)
  b at tick 2: send to port 'c' (c)
  c at tick 0: send to port 'a' (a)
  cycle: a -> b -> c -> a"""
    programs = {"a": [send("b"), recv("c")], "b": [do(2), send("c"), recv("a")], "c": [send("a"), recv("b")]}
    refuses(DeadlockError, message, programs, "rendezvous", startup=1)


def test_deadlock_lists_only_what_still_waits():
    """a's par has ended its send; c waits for a, which is in the cycle, but c is not; d has ended."""
    message = """deadlock: 3 of 4 programs wait for ever
  a at tick 0: receive from port 'b' (b)
  b at tick 5: receive from port 'a' (a)
  c at tick 1: receive from port 'a' (a)
  cycle: a -> b -> a"""
    programs = {
        "a": [par(send("b"), recv("b")), send("c")],
        "b": [recv("a"), recv("a"), send("a")],
        "c": [do(1), recv("a")],
        "d": [do(9)],
    }
    refuses(DeadlockError, message, programs, "rendezvous", startup=5)


def test_deadlock_counts_programs_not_idle_processors():
    message = """deadlock: 2 of 2 programs wait for ever
  a at tick 0: receive from port 'b' (b)
  b at tick 0: receive from port 'a' (a)
  cycle: a -> b -> a"""
    refuses(DeadlockError, message, {"a": [recv("b")], "b": [recv("a")]}, graph=network("abc"))


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_waiting_to_receive_from_a_program_that_has_ended(discipline):
    message = """deadlock: 1 of 2 programs wait for ever
  b at tick 4: receive from port 'a' (a, which has ended)
  no cycle: each waits, in the end, for a program that has ended"""
    refuses(DeadlockError, message, {"a": [do(2)], "b": [do(4), recv("a")]}, discipline)


@pytest.mark.parametrize("discipline", ["overlap", "posted", "rendezvous"])
def test_waiting_to_send_to_a_program_that_has_ended(discipline):
    message = """deadlock: 2 of 3 programs wait for ever
  a at tick 0: send to port 'b' (b, which has ended)
  c at tick 0: receive from port 'a' (a)
  no cycle: each waits, in the end, for a program that has ended"""
    first = [] if discipline == "rendezvous" else [send("b")]
    programs = {"a": [*first, send("b"), send("c")], "b": [do(1)], "c": [recv("a")]}
    refuses(DeadlockError, message, programs, discipline)
