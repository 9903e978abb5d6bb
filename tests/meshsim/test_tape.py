"""A plan's arithmetic written out: the same bits as a run, whatever the numbers, and anew where branches differ."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.engine import network

from meshsim.counted import Kernel
from meshsim.plan import Plan
from meshsim.presets import PRESETS
from meshsim.program import ProgramError
from meshsim.tape import LeftTapeError, Tape, Writer

BLEND = Kernel(lambda a, x, y: a * x + y, {"mul": 1, "add": 1})
SPLIT = Kernel(lambda pair, factor: (pair[0] * factor, (pair[1] * factor, factor)), {"mul": 2})
ROOT = Kernel(math.sqrt, {"sqrt": 1})
HALF = 0.5


def made(calls):
    """Makes a plan of two processors that exchange numbers; counts how often it is asked to."""

    def make(values):
        calls.append(len(values))

        def left(cpu):
            x = cpu.do(BLEND, HALF, values[0], values[1])
            yield cpu.send("R", (x, -x))
            z = yield cpu.recv("R")
            if z < 0.0:
                z = -z
            return cpu.do(ROOT, z)

        def right(cpu):
            pair = yield cpu.recv("L")
            first, (second, factor) = cpu.do(SPLIT, pair, values[2])
            total = cpu.do(BLEND, first, second, factor)
            yield cpu.send("L", total)
            return total

        topology = network("LR")
        return Plan(topology, {"L": left, "R": right}, lambda results: [results["L"], results["R"], HALF, values[2]])

    return make


numbers = st.floats(-1e3, 1e3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=6))
def test_a_tape_gives_the_bits_of_a_run(inputs):
    make = made([])
    tape = Tape(make)
    for values in inputs:
        run = make(values).run(PRESETS["t800"], trace=False).value
        assert tape(values) == run


def test_a_tape_is_written_once_while_branches_are_the_same():
    calls = []
    tape = Tape(made(calls))
    assert tape([2.0, 1.0, 3.0]) == [math.sqrt(33.0), -33.0, HALF, 3.0]
    assert tape([4.0, 1.0, 2.0]) == [math.sqrt(34.0), -34.0, HALF, 2.0]
    assert calls == [3]


def test_another_branch_is_written_anew():
    calls = []
    tape = Tape(made(calls))
    tape([2.0, 1.0, 3.0])
    up = tape([0.1, 0.0, 0.5])  # the total is positive now
    assert up[0] == math.sqrt(up[1])
    assert up[1] > 0
    assert len(calls) == 2
    tape([0.2, 0.0, 0.5])
    assert len(calls) == 2


@pytest.mark.parametrize("name", ["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"])
@pytest.mark.parametrize("values", [(1.0, 2.0), (2.0, 1.0), (2.0, 2.0), (math.nan, 1.0)])
def test_comparisons_are_guarded(name, values):
    writer = Writer()
    a, b = (writer.input(value) for value in values)
    outcome = getattr(a, name)(b)
    assert outcome is getattr(float, name)(*values)
    function = writer.function([a, b], [a])
    assert function(list(values))[0] is values[0]
    others = [pair for pair in ((1.0, 2.0), (2.0, 1.0), (2.0, 2.0)) if getattr(float, name)(*pair) is not outcome]
    for pair in others:
        with pytest.raises(LeftTapeError):
            function(list(pair))


def test_truth_and_constants():
    writer = Writer()
    x = writer.input(0.0)
    assert not x
    assert (x == 0.0) is True
    assert not x > 3.0
    function = writer.function([x], [x, 7.0])
    assert function([0.0]) == [0.0, 7.0]
    with pytest.raises(LeftTapeError):
        function([1.0])


def test_signs_are_kept():
    writer = Writer()
    x = writer.input(0.0)
    function = writer.function([x], [-x])
    assert math.copysign(1.0, function([0.0])[0]) == -1.0
    assert math.copysign(1.0, function([-0.0])[0]) == 1.0


def test_sizes_are_followed():
    writer = Writer()
    x = writer.input(-3.0)
    function = writer.function([x], [abs(x), +x, max(abs(x), 1.0)])
    assert function([-5.0]) == [5.0, -5.0, 5.0]
    assert function([2.0]) == [2.0, 2.0, 2.0]
    with pytest.raises(LeftTapeError):
        function([0.5])


REFUSED = {
    "+": [lambda x: x + 1.0, lambda x: 1.0 + x, lambda x: sum([x])],
    "-": [lambda x: x - 1.0, lambda x: 1.0 - x],
    "*": [lambda x: x * 2.0, lambda x: 2.0 * x, lambda x: x * x, lambda x: np.float64(2.0) * x],
    "/": [lambda x: x / 2.0, lambda x: 2.0 / x],
    "//": [lambda x: x // 2.0, lambda x: 2.0 // x],
    "%": [lambda x: x % 2.0, lambda x: 2.0 % x],
    "divmod": [lambda x: divmod(x, 2.0), lambda x: divmod(2.0, x)],
    "**": [lambda x: x**2, lambda x: 2.0**x],
    "round": [round, lambda x: round(x, 2)],
    "rounding": [math.floor, math.ceil, math.trunc],
    "int": [int, range],
    "float": [float, math.sin, math.isfinite, lambda x: math.fsum([x]), lambda x: np.array([x], dtype=float)],
    "complex": [complex],
}


@pytest.mark.parametrize(("sign", "compute"), [(sign, each) for sign, some in REFUSED.items() for each in some])
def test_bare_arithmetic_is_refused(sign, compute):
    """It would be computed once, with the first inputs, and stand as a constant for all later ones."""
    told = f"arithmetic of a program must be done by a kernel, as cpu.do(kernel, ...), not by {sign} on a number"
    with pytest.raises(ProgramError, match=f"^{re.escape(told)}$"):
        compute(Writer().input(1.5))


def test_a_program_that_computes_by_itself_is_not_written_out():
    def make(values):
        def alone(cpu):
            distance = cpu.do(BLEND, values[0], 1.0, 0.0)
            yield cpu.par()
            return [distance * 2.0]

        return Plan(network("LR"), {"L": alone}, lambda results: results["L"])

    assert make([3.0]).run(PRESETS["t800"]).value == [6.0]
    with pytest.raises(ProgramError, match=r" not by \* on a number$"):
        Tape(make)([3.0])


def test_what_is_no_number_is_not_compared():
    x = Writer().input(1.0)
    assert x != "1.0"
    assert x != None  # noqa: E711
    with pytest.raises(TypeError):
        x < "2.0"  # noqa: B015
    assert f"{x} {x:.2f} {x!r}" == "1.0 1.00 1.0"


def test_names_cannot_be_keys():
    with pytest.raises(TypeError, match="unhashable"):
        {Writer().input(1.0): 1}


def test_failing_programs_are_told_as_always():
    with pytest.raises(ProgramError, match="math domain error"):
        Tape(failing)([-1.0])


def failing(values):
    def alone(cpu):
        yield cpu.par()
        return [cpu.do(ROOT, values[0])]

    return Plan(network("LR"), {"L": alone}, lambda results: results["L"])
