"""Written-out arithmetic compiled: the bits of Python, Python where it has to be asked, and nothing where none can."""

import math
import os
import struct
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from meshsim import native, tape
from meshsim.algorithms.motion.motion import DivergedError
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.motion.written import LoopNumbers, computed
from meshsim.algorithms.motion.written_steps import accelerations
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError
from meshsim.native import Body, c_text, compiled, compiler, in_python, kept
from meshsim.tape import LeftTapeError, Writer, function_of

needs_compiler = pytest.mark.skipif(not compiler(), reason="there is no C compiler: everything is computed in Python")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where what is compiled is kept for a test; the compiler is looked for anew."""
    monkeypatch.setattr(native, "_folder", lambda: tmp_path / "kept")
    compiler.cache_clear()
    yield tmp_path / "kept"
    compiler.cache_clear()


def bits(numbers):
    return struct.pack(f"{len(numbers)}d", *numbers)


def body_of(*lines, **constants):
    return Body([*lines], {**Writer().constants, **constants})


def check(body, inputs):
    """Python's bits, or nothing where Python raises an error."""
    function, line = compiled(body), function_of(body)
    given = 0
    for values in inputs:
        found = function(values)
        try:
            expected = line(values)
        except (LeftTapeError, ArithmeticError, ValueError):
            assert found is None
        else:
            assert found is None or bits(found) == bits(expected)
            given += found is not None
    return given


EDGES = (0.0, -0.0, 1.0, -1.5, 5e-324, 1e308, math.inf, -math.inf)


@needs_compiler
def test_every_form_has_the_bits_of_python():
    body = body_of(
        "(v0, v1, v2,) = values",
        "v3 = (((v0 * v1) + 0.1) - (c0 * v2))",
        "v4 = (v1 / v2)",
        "v5 = sqrt((v0 * v0))",
        "v6 = (sin(v1) - (-cos(v1)))",
        "v7 = min(v0, v1, (-0.25))",
        "v8 = max(v0, abs(v2), 2)",
        "v9 = (-v0)",
        "if (0.5 < v0 < 0.6): raise LeftTapeError",
        "if not (not v1 or (v0 != 3.0 and v2 <= 1e300)): raise LeftTapeError",
        "return [v3, v4, v5, v6, v7, v8, v9, v1, 0.1, c1]",
        c0=3,
        c1=-math.inf,
    )
    draw = Random(7)
    usual = [[draw.gauss(0.0, 2.0) for _ in range(3)] for _ in range(500)]
    usual += [[draw.uniform(-1e6, 1e6) for _ in range(3)] for _ in range(500)]
    assert check(body, usual) > 800  # and none where a guard or a division says so
    assert check(body, [[a, b, c] for a in EDGES for b in EDGES for c in EDGES]) > 100


@needs_compiler
def test_roots_of_negative_numbers_are_python_s_to_refuse():
    body = body_of("(v0,) = values", "v1 = sqrt(v0)", "return [v1]")
    assert check(body, [[-1.0], [-0.0], [2.0], [-math.inf], [math.inf]]) == 3
    assert compiled(body)([-1.0]) is None


@needs_compiler
def test_products_are_rounded_before_they_are_added():
    """A fused multiply-add would leave what the product loses."""
    body = body_of("(v0, v1,) = values", "v2 = ((v0 * v0) - v1)", "return [v2]")
    x = 1.0 + 2.0**-30
    assert compiled(body)([x, x * x]) == [0.0]


@needs_compiler
@pytest.mark.parametrize(
    ("robot", "scheme"),
    [("puma600", "wong-mesh"), ("chain:5:3", "hwang"), ("stanford", "one-featherstone"), ("excavator", "lee-chang")],
)
def test_schemes_have_the_bits_of_python(robot, scheme, monkeypatch):
    monkeypatch.setattr(native, "CHUNK", 150)  # so that numbers go from one function to another
    mechanism = load_robot(robot)
    n, draw, line = len(mechanism.joints), Random(robot), accelerations(SCHEMES[scheme].evaluation(mechanism))
    states = [[draw.uniform(-2.0, 2.0) for _ in range(3 * n)] for _ in range(30)]
    line(states[0])
    assert check(line.body, states) == 30


@needs_compiler
@pytest.mark.parametrize("method", ["projection", "multipliers"])
def test_loops_have_the_bits_of_python(method):
    mechanism = load_robot("3rrr")
    motion = load_profile("own", mechanism).motion(mechanism, 0.001, 0.01)
    numbers = LoopNumbers(SCHEMES[method].evaluation(mechanism), motion)
    y = numbers.start(np.array(motion.state.q), np.array(motion.state.qd))
    draw, values = Random(1), []
    for _ in range(5):
        state = y + np.array([draw.gauss(0.0, 1e-3) for _ in y])
        values.append([*state[numbers.source].tolist(), *motion.orders(draw.uniform(0.0, 1.0))])
        numbers.tape(values[-1])
    assert check(numbers.tape.body, values) == 5


# Whole steps


def moved(motion, scheme="wong-mesh"):
    seen = []
    found = computed(SCHEMES[scheme].evaluation(motion.mechanism), motion, lambda *each: seen.append(each))
    return seen, [bits(getattr(found, name).ravel().tolist()) for name in ("t", "q", "qd", "qdd", "tau")]


@pytest.mark.parametrize("compiles", [False, pytest.param(True, marks=needs_compiler)])
@pytest.mark.parametrize(
    ("order", "more"), [(4, {}), (1, {"friction": 0.3}), (2, {"gains": (50.0, 5.0)}), (4, {"gains": (50.0, 5.0)})]
)
def test_whole_steps_are_the_programs_steps(order, more, compiles, monkeypatch):
    monkeypatch.setattr(tape, "worth", lambda _body: 1 if compiles else 2**62)
    mechanism = load_robot("puma600")
    motion = load_profile("cycloid:1", mechanism).motion(mechanism, 0.01, 0.1, order, **more)
    assert moved(motion) == moved(replace(motion, by_time=None))


def test_a_step_that_fails_is_told_as_by_the_programs():
    mechanism = load_robot("chain:3:1")
    told = []
    for whole in (True, False):
        wild = load_profile("1e9,0,0", mechanism).motion(mechanism, 0.1, 1.0)
        seen = []
        with pytest.raises(DivergedError) as error:
            computed(
                SCHEMES["one-wong"].evaluation(mechanism),
                wild if whole else replace(wild, by_time=None),
                lambda *each, seen=seen: seen.append(each),
            )
        told.append((str(error.value), seen))
    assert told[0] == told[1]


# When, and where


def tape_of(calls):
    line = accelerations(SCHEMES["one-wong"].evaluation(load_robot("chain:2:1")), calls)
    line([0.1] * 6)
    return line


@needs_compiler
def test_what_pays_is_compiled_at_once_and_what_may_not_later(monkeypatch):
    monkeypatch.setattr(tape, "worth", lambda _body: 100)
    known, unknown = tape_of(100), tape_of(0)
    known([0.1] * 6)
    assert known.compiled is not None
    for _ in range(99):
        unknown([0.1] * 6)
    assert unknown.compiled is None or unknown.count == tape.SEEK  # found, as the other was compiled before
    unknown([0.1] * 6)
    assert bits(known([0.2] * 6)) == bits(unknown.line([0.2] * 6))


@needs_compiler
def test_what_was_compiled_is_found_again(folder, monkeypatch):
    body = tape_of(0).body
    assert kept(body) is None
    assert compiled(body)([0.1] * 6) == tape_of(0).line([0.1] * 6)
    assert [each.suffix for each in folder.iterdir()] == [".so"]
    monkeypatch.setattr(native, "c_text", lambda _body: pytest.fail("compiled again"))
    assert kept(body)([0.1] * 6) == tape_of(0).line([0.1] * 6)


@needs_compiler
def test_a_folder_that_cannot_be_written_keeps_nothing(monkeypatch):
    monkeypatch.setattr(native, "_folder", lambda: native.Path(os.devnull, "none"))
    body = tape_of(0).body
    assert compiled(body)([0.1] * 6) == tape_of(0).line([0.1] * 6)
    assert kept(body) is None


@pytest.mark.parametrize("command", ["", "no-such-compiler", "false", "true"])
def test_without_a_compiler_python_computes(command, monkeypatch, folder):
    monkeypatch.setenv(native.COMPILER, command)
    compiler.cache_clear()
    line = tape_of(2**62)
    assert line([0.3] * 6) == line.line([0.3] * 6)
    assert line.compiled is None
    assert compiled(line.body) is None
    assert not folder.exists() or not [*folder.iterdir()]


@needs_compiler
def test_python_may_be_asked_for():
    body = tape_of(0).body
    with in_python():
        assert compiled(body) is None
    assert compiled(body) is not None
    with in_python():
        assert kept(body) is None


@needs_compiler
def test_a_file_that_is_no_library_is_made_anew(folder, tmp_path, monkeypatch):
    body = tape_of(0).body
    compiled(body)
    (made,) = folder.iterdir()
    monkeypatch.setattr(native, "_folder", lambda: tmp_path)  # whose file this process has not opened
    (tmp_path / made.name).write_bytes(b"half of it")
    assert kept(body) is None
    assert compiled(body)([0.1] * 6) == tape_of(0).line([0.1] * 6)
    assert kept(body) is not None


@needs_compiler
def test_a_compiler_that_rounds_otherwise_is_not_believed(monkeypatch):
    monkeypatch.setattr(tape, "compiled", lambda _body: lambda _values: [0.0] * 2)
    line = tape_of(2**62)
    assert line([0.3] * 6) == line.line([0.3] * 6)
    assert line.compiled is None


@needs_compiler
def test_where_branches_differ_python_goes_on(monkeypatch):
    monkeypatch.setattr(tape, "worth", lambda _body: 1)
    line = accelerations(SCHEMES["wong-mesh"].evaluation(load_robot("chain:2:1")), 1)
    first = line([0.1] * 6)
    assert line([0.1] * 6) == first
    assert line.compiled is not None
    monkeypatch.setattr(line, "compiled", lambda _values: None)
    assert line([0.1] * 6) == first
    assert line([0.1] * 6) == first
    assert line.compiled is not None


def test_what_a_kernel_must_be_called_for_stays_in_python():
    line = accelerations(SCHEMES["dca"].evaluation(load_robot("chain:3:1")))
    line([0.1] * 9)
    with pytest.raises(native.NoCError):
        c_text(line.body)
    assert compiled(line.body) is None


@needs_compiler
def test_a_torn_file_is_made_anew(folder):
    body = body_of("(a,) = values", "b = a + 1.0", "return [b]")
    assert compiled(body)([1.0]) == [2.0]
    (file,) = folder.glob("*.so")
    whole = file.read_bytes()
    for torn in (whole[:4096], whole[:-40], b"\0" * len(whole)):
        file.unlink()  # what is loaded stays as it is
        file.write_bytes(torn)
        assert compiled(body)([1.0]) == [2.0]
        assert file.read_bytes()[: -native.DIGEST] != torn[: -native.DIGEST]


@needs_compiler
def test_a_compiler_that_is_told_to_reorder_is_not_used(monkeypatch):
    monkeypatch.setenv("MESHSIM_CC", "cc -ffast-math")
    compiler.cache_clear()
    assert compiled(body_of("(a,) = values", "b = a + 2.0", "return [b]")) is None


def test_a_compiler_s_name_must_be_a_command(monkeypatch):
    monkeypatch.setenv("MESHSIM_CC", '"')
    compiler.cache_clear()
    with pytest.raises(MeshSimError, match=r"^MESHSIM_CC must be a command"):
        compiler()
