"""Kernels written as lines: the same bits as their calls, and a call where lines cannot say it."""

import importlib
import math
import struct
import typing
from random import Random

import pytest
from tools.engine import network

from meshsim.algorithms.kernels import constraint, handles, mixed
from meshsim.algorithms.kernels.catalogue import KERNELS
from meshsim.algorithms.kernels.core import (
    axpy,
    form_rotation_twist,
    multiply,
    pass_on,
    ratio,
    rotate_twist,
    rotation_of,
    square_root,
)
from meshsim.algorithms.motion.written_steps import written_out
from meshsim.algorithms.robots.body import rotation_x
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.base.bodies import bodies_of
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.counted import Kernel, Uncounted
from meshsim.errors import MeshSimError
from meshsim.inline import literal, template
from meshsim.plan import Plan
from meshsim.presets import PRESETS
from meshsim.tape import LeftTapeError, Named, Tape, Writer

OWN = {
    name: each.function for name, each in KERNELS.items() if each.function.__module__.startswith("meshsim.algorithms.")
}
BRANCHING = {"rotation_of", "spool_opening"}
LOOPING = {
    name for name, each in OWN.items() if each.__module__ in {constraint.__name__, handles.__name__, mixed.__name__}
}
"""Most of them, over the rows of matrices."""
TWISTED = {"rotate_twist", "rotate_back_twist", "torque_inboard_twist", "angle_products"}
CHECKING = TWISTED | {"form_rotation_twist"}
VECTOR, MATRIX = (None,) * 3, ((None,) * 3,) * 3


def kinds(function):
    return [hint for key, hint in typing.get_type_hints(function).items() if key != "return"]


def shape(kind):
    return None if kind is float else tuple(map(shape, typing.get_args(kind)))


def drawn(kind, draw):
    if kind is float:
        return draw.choice((draw.uniform(-3.0, 3.0), draw.gauss(0.0, 1e6), 0.0, -0.0, 1.0))
    return tuple(drawn(part, draw) for part in typing.get_args(kind))


def arguments(name, draw):
    given = [drawn(kind, draw) for kind in kinds(OWN[name])]
    angle, twist = draw.uniform(-3.0, 3.0), rotation_x(draw.uniform(-3.0, 3.0))
    if name in TWISTED:
        given[0] = form_rotation_twist(math.sin(angle), math.cos(angle), twist)
    if name == "form_rotation_twist":
        given[2] = twist
    if name == "spatial_dot_flat":
        given[0] = given[0][0], (*given[0][1][:2], 0.0)
    if name == "spatial_dot_own":
        given[0] = *given[0][:2], 0.0
    if name == "add_flat_vector":
        given[1] = *given[1][:2], 0.0
    return given


def flat(value):
    return [number for item in value for number in flat(item)] if isinstance(value, tuple) else [value]


def like(value, numbers):
    return tuple(like(item, numbers) for item in value) if isinstance(value, tuple) else next(numbers)


def bits(numbers):
    return struct.pack(f"{len(numbers)}d", *numbers)


def tried(function, *args):
    """The bits of what comes out, or what kind of error."""
    try:
        return bits(flat(function(*args)))
    except (ArithmeticError, ValueError) as error:
        return type(error)


def line_of(kernel, given, is_input):
    """A kernel's call written out, for numbers some of which are inputs and the others constants; its results."""
    writer = Writer()
    inputs = []

    def numbers():
        for value, chosen in zip(flat(tuple(given)), is_input, strict=True):
            if chosen:
                inputs.append(writer.input(value))
            yield inputs[-1] if chosen else value

    args = like(tuple(given), numbers())
    results = flat(writer.call(kernel, args))
    return writer.function(inputs, results), writer


# Kernel by kernel


def test_only_kernels_that_branch_or_loop_are_called():
    called = {name for name, each in OWN.items() if template(each, tuple(map(shape, kinds(each)))) is None}
    assert called - LOOPING == BRANCHING


@pytest.mark.parametrize("name", OWN)
def test_lines_give_the_bits_of_the_kernel(name):
    draw = Random(name)
    kernel = KERNELS[name]
    for _ in range(5 if name in LOOPING else 30):  # whose lines are many, and are calls
        given = arguments(name, draw)
        while isinstance(tried(kernel.function, *given), type):
            given = arguments(name, draw)
        numbers = flat(tuple(given))
        is_input = [name in CHECKING or draw.random() < 0.7 for _ in numbers]  # entries of a rotation belong together
        is_input[draw.randrange(len(numbers))] = True
        line, _ = line_of(kernel, given, is_input)
        for other in (numbers, *(flat(tuple(arguments(name, draw))) for _ in range(5))):
            mixed = [new if chosen else old for new, old, chosen in zip(other, numbers, is_input, strict=True)]
            values = [value for value, chosen in zip(mixed, is_input, strict=True) if chosen]
            assert tried(written(line), values) == tried(kernel.function, *like(tuple(given), iter(mixed)))


def written(line):
    return lambda values: tuple(line(values))


def test_no_call_is_left_of_a_kernel():
    _, writer = line_of(rotate_twist, (rotation_x(0.3), (1.0, 2.0, 3.0)), [False] * 9 + [True] * 3)
    assert len(writer.lines) == 3  # the checked entry is a constant
    assert not any("c0" in line or "raise" in line for line in writer.lines)


def test_numbers_that_are_moved_keep_their_names():
    writer = Writer()
    x = writer.input(2.0)
    assert writer.call(pass_on, (x,)) is x
    assert writer.lines == []


def test_constants_stay_constants():
    writer = Writer()
    result = writer.call(multiply, (2.0, 3.0))
    assert result == 6.0
    assert not isinstance(result, Named)
    assert writer.lines == []


# Constants


@pytest.mark.parametrize("value", [0.0, -0.0, 0.1, -1.5, 5e-324, -1.7976931348623157e308, 1e22])
def test_literals_are_read_back_to_the_bit(value):
    assert bits([eval(literal(value))]) == bits([value])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 2, True, "1.0"])
def test_what_has_no_literal(value):
    assert literal(value) is None


@pytest.mark.parametrize("value", [0.0, -0.0, -2.5, math.nan, math.inf, -math.inf, 3])
def test_any_number_may_be_a_constant(value):
    line, _ = line_of(axpy, (value, 2.0, -0.0), [False, True, True])
    for x, y in ((2.0, -0.0), (-2.0, 0.0), (0.0, math.inf), (math.nan, 1.0)):
        assert bits(line([x, y])) == bits([axpy.function(value, x, y)])


# Checks and branches


def test_a_check_that_fails_leaves_the_tape():
    given = (rotation_x(0.3), (1.0, 2.0, 3.0))
    line, _ = line_of(rotate_twist, given, [True] * 12)
    numbers = flat(given)
    assert bits(line(numbers)) == bits(rotate_twist.function(*given))
    numbers[6] = 0.5
    with pytest.raises(LeftTapeError):
        line(numbers)


def test_a_check_that_fails_is_told_as_in_a_run():
    def make(values):
        def alone(cpu):
            yield cpu.par()
            matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (values[0], 0.0, 1.0))
            return list(cpu.do(rotate_twist, matrix, (1.0, 2.0, values[1])))

        return Plan(network("LR"), {"L": alone}, lambda results: results["L"])

    tape = Tape(make)
    assert tape([0.0, 3.0]) == tape([-0.0, 3.0]) == [1.0, 2.0, 3.0]
    with pytest.raises(MeshSimError, match=r"^rotate_twist needs a matrix whose entry \(3, 1\) is zero, not 0.5$"):
        tape([0.5, 3.0])


def test_another_branch_is_written_anew():
    made = []

    def make(values):
        made.append(values)

        def alone(cpu):
            yield cpu.par()
            x = cpu.do(axpy, 2.0, values[0], values[1])
            return [cpu.do(square_root, x)] if x > 0.0 else [cpu.do(ratio, x, 3.0)]

        return Plan(network("LR"), {"L": alone}, lambda results: results["L"])

    tape = Tape(make)
    for count, values in ((1, [1.0, 2.0]), (1, [3.0, 2.0]), (2, [-3.0, 2.0]), (2, [-4.0, 2.0]), (3, [1.0, 1.0])):
        expected = make(values).run(PRESETS["ideal"], trace=False).value
        made.pop()
        assert bits(tape(values)) == bits(expected)
        assert len(made) == count


def test_a_kernel_that_branches_is_called():
    line, writer = line_of(rotation_of, (3.0, 4.0), [True, True])
    assert writer.lines == ["(v2, v3,) = c0(v0, v1)"]
    for x, y in ((3.0, 4.0), (4.0, 3.0), (0.0, 0.0)):
        assert bits(line([x, y])) == bits(rotation_of.function(x, y))


# What has no lines


def loops(a):
    total = 0.0
    for _ in range(3):
        total = total + a
    return total


def chooses(a, b):
    return a if a > b else b


def many(*numbers):
    return numbers[0]


def sliced(v):
    return v[:2]


def starred(v):
    first, *_ = v
    return first


def spelled(a):
    return a + float("1.0")


def endless(a):
    return a * 1e999


def unended(a):
    a = a + 1.0


def local_function(factor):
    def scaled(x):
        return factor * x

    return scaled


@pytest.mark.parametrize("function", [loops, chooses, spelled, endless, unended, many, math.sqrt, local_function(2.0)])
def test_what_has_no_lines(function):
    assert template(function, (None,)) is None
    assert template(function, (None, None)) is None


@pytest.mark.parametrize("function", [sliced, starred])
def test_parts_that_have_no_lines(function):
    assert template(function, (VECTOR,)) is None


def test_shapes_that_do_not_fit():
    assert template(rotate_twist.function, (MATRIX, VECTOR)) is not None
    assert template(rotate_twist.function, (MATRIX, None)) is None
    assert template(axpy.function, (None, None, VECTOR)) is None
    assert template(axpy.function, (None, None)) is None


def test_a_source_that_was_changed_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "changing_kernels.py"
    path.write_text("def twice(x):\n    return 2.0 * x\n\n\ndef thrice(x):\n    return 3.0 * x\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("changing_kernels")
    assert template(module.twice, (None,)).lines[0].text == "(2.0 * {0})"
    path.write_text("def twice(x):\n    return 2.0 * x\n\n\ndef thrice(x):\n    return 4.0 * x  # sic\n")
    assert template(module.thrice, (None,)) is None
    writer = Writer()
    x = writer.input(1.0)
    line = writer.function([x], [writer.call(Kernel(module.thrice, {"mul": 1}), (x,))])
    assert line([2.0]) == [6.0]


# Whole functions


def test_names_are_used_again():
    writer = Writer()
    x = y = writer.input(1.0)
    for _ in range(1000):
        y = writer.call(axpy, (0.5, y, x))
    line = writer.function([x], [y])
    assert line([1.0]) == [y.value]
    assert line.__code__.co_nlocals < 20


@pytest.mark.parametrize("robot", ["puma600", "chain"])
@pytest.mark.parametrize("name", ["wong-mesh", "one-wong", "one-featherstone", "one-bae", "hwang"])
def test_a_scheme_written_out_gives_the_bits_of_its_run(name, robot):
    mechanism = chain(4, 11) if robot == "chain" else load_robot(robot)
    evaluation = SCHEMES[name].evaluation(mechanism)
    program = written_out(evaluation).cells[1].program
    draw = Random(name)
    for _ in range(4):
        n = mechanism.n
        state = State(*(tuple(draw.uniform(-2.0, 2.0) for _ in range(n)) for _ in range(3)))
        local_bodies = bodies_of(mechanism, state)
        with pytest.raises(StopIteration) as end:
            next(program(Uncounted(), *local_bodies))
        run = evaluation.plan(state).run(PRESETS["ideal"], trace=False)
        assert bits(end.value.value) == bits(run.value.qdd.tolist())
