"""Number formats: what they represent and refuse, and what a plan in one does on engines, machines and networks."""

import math
import struct
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.bits import bits
from tools.engine import machine, network
from tools.every_plan import every_plan
from tools.threads_engine import Threads

from meshsim.counted import Kernel, kernel
from meshsim.errors import MeshSimError
from meshsim.formats import FORMATS, FormatError, Width, load_format
from meshsim.plan import Plan
from meshsim.recording import load_recording, record
from meshsim.replay import replay
from meshsim.retiming import retime
from meshsim.simulation import NOWHERE, Simulation
from meshsim.tape import Tape
from meshsim.topologies.named import load_network

SINGLE, HALF, BFLOAT16 = (load_format(name) for name in ("single", "half", "bfloat16"))

# Numbers


def kernel_of(function):
    return Kernel(function, {})


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_single_and_half_are_those_of_the_standard_library(x):
    for form, code in ((SINGLE, "<f"), (HALF, "<e")):
        try:
            wanted = struct.unpack(code, struct.pack(code, x))[0]
        except OverflowError:
            with pytest.raises(FormatError, match="in kernel '<lambda>' an argument is"):
                form.kernel(kernel_of(lambda x: x))(x)
            continue
        assert form.rounded(x).hex() == wanted.hex()


@given(st.floats(-1e39, 1e39))
def test_bfloat16_is_nearest_and_even_among_equals(x):
    """Against the two singles with an empty lower half around it; above them all only an error is right."""
    (word,) = struct.unpack("<I", struct.pack("<f", math.copysign(min(abs(x), 3.4028234663852886e38), x)))
    near = [
        struct.unpack("<f", struct.pack("<I", (word >> 16) + step << 16))[0]
        for step in (-1, 0, 1)
        if 0 <= (word >> 16) + step < 0x10000
    ]
    near = [each for each in near if math.isfinite(each)]
    try:
        found = BFLOAT16.rounded(x)
    except Exception:
        assert abs(x) >= BFLOAT16.largest * (1 + 2.0**-9)
        return
    best = min(abs(Fraction(each) - Fraction(x)) for each in near)
    nearest = [each for each in near if abs(Fraction(each) - Fraction(x)) == best]
    assert found in nearest
    if len(set(nearest)) > 1:
        assert struct.unpack("<I", struct.pack("<f", found))[0] >> 16 & 1 == 0


singles = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(singles, singles)
def test_single_operations_are_numpys(a, b):
    x, y = np.float32(a), np.float32(b)
    with np.errstate(all="ignore"):
        for function in (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b):
            check_same(SINGLE, function, (a, b), function(x, y))
        check_same(SINGLE, root, (abs(a),), np.sqrt(abs(x)))


def root(x):
    return math.sqrt(x)


def check_same(form, function, operands, wanted):
    """The same bits; where there is no number to be had, an error."""
    inside = form.kernel(kernel_of(function))
    if np.isfinite(wanted):
        assert inside(*operands).hex() == float(wanted).hex()
    else:
        with pytest.raises(FormatError, match=r"overflow|divide by zero"):
            inside(*operands)


def nearest(value, unit):
    """The multiple of a unit that is nearest to a fraction, of two equally near the even one."""
    low = value / unit
    floor = low.numerator // low.denominator
    rest = low - floor
    return unit * (floor + (1 if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor % 2) else 0))


@st.composite
def fixed_case(draw):
    whole = draw(st.integers(1, 30))
    fraction = draw(st.integers(0 if whole > 1 else 1, 53 - whole))
    units = st.integers(-(2 ** (whole + fraction - 1)), 2 ** (whole + fraction - 1) - 1)
    return whole, fraction, draw(units) / 2**fraction, draw(units) / 2**fraction


@given(fixed_case())
def test_fixed_point_is_exact_and_rounds_once(case):
    whole, fraction, a, b = case
    form, unit = load_format(f"fixed:{whole}.{fraction}"), Fraction(1, 2**fraction)
    assert (form.bits, form.largest) == (whole + fraction, float(2 ** (whole - 1) - unit))
    x, y = Fraction(a), Fraction(b)
    cases = {"sum": (lambda a, b: a + b, x + y), "difference": (lambda a, b: a - b, x - y)}
    cases["product"] = (lambda a, b: a * b, nearest(x * y, unit))
    if y:
        cases["quotient"] = (lambda a, b: a / b, nearest(x / y, unit))
    for name, (function, wanted) in cases.items():
        inside = form.kernel(kernel_of(function))
        if -(2 ** (whole - 1)) <= wanted < 2 ** (whole - 1):
            assert Fraction(inside(a, b)) == wanted
        else:
            with pytest.raises(
                FormatError, match=f"^fixed:{whole}.{fraction} must be .*, not overflow: .* a {name} is "
            ):
                inside(a, b)


def test_what_a_format_refuses():
    for name, why in (
        ("quad", "number format must be double, single, half, bfloat16 or fixed:I.F, .*, not 'quad'"),
        ("fixed:8", "number format must be .*, not 'fixed:8'"),
        ("fixed:0.0", "format fixed:I.F must have I >= 1 .* and 2 to 53 bits in all, .*, not 'fixed:0.0'"),
        ("fixed:60.60", "format fixed:I.F must .*, not 'fixed:60.60'"),
        ("fixed:27.27", "format fixed:I.F must .*, not 'fixed:27.27'"),
    ):
        with pytest.raises(MeshSimError, match=f"^{why}$"):
            load_format(name)


@kernel(mul=1)
def squared_here(x):
    return x * x


@kernel(sqrt=1, mul=1)
def helped(x):
    return helping(x) * math.pi


def helping(x):
    return math.sqrt(x)


@kernel()
def astray(x):
    return math.exp(x)


def test_errors_name_the_kernel_the_operation_and_the_value():
    with pytest.raises(FormatError) as caught:
        HALF.kernel(squared_here)(300.0)
    assert str(caught.value) == (
        "half must be wide enough for every number, not overflow: in kernel 'squared_here' a product is 90000.0, and "
        "the largest number is 65504.0"
    )
    with pytest.raises(FormatError, match=r"^in single, kernel '<lambda>' must not divide by zero$"):
        SINGLE.kernel(kernel_of(lambda x: 1.0 / x))(1e-60)
    with pytest.raises(FormatError, match=r"^in single, kernel 'helped' cannot be computed: .*"):
        SINGLE.kernel(helped)(-1.0)
    with pytest.raises(FormatError, match=r"^kernels in single must call only sqrt, sin and cos of math, not exp$"):
        SINGLE.kernel(astray)(1.0)
    with pytest.raises(FormatError, match=r"^kernels in single must round every operation, and float\(\) leaves the"):
        SINGLE.kernel(kernel_of(lambda x: np.exp(float(x))))(1.0)


def test_functions_that_a_kernel_calls_round_too():
    root = np.float32(math.sqrt(np.float32(0.3)))
    assert SINGLE.kernel(helped)(0.3) == float(root * np.float32(math.pi))


# Plans


def sender(cpu):
    x = cpu.do(squared_here, 1.1)
    yield cpu.send("B", (x, x, x))
    yield cpu.send("B", x)
    cpu.phase("sent")


def receiver(cpu):
    x = yield cpu.recv("A")
    yield cpu.recv("A")
    return cpu.do(squared_here, x[0])


def pair():
    return Plan(network("AB"), {"A": sender, "B": receiver}, lambda results: results["B"])


@pytest.mark.parametrize(
    ("name", "words"), [(None, 4), ("double", 8), ("single", 4), ("half", 3), ("bfloat16", 3), ("fixed:8.3", 3)]
)
@pytest.mark.parametrize("discipline", ["rendezvous", "overlap", "posted"])
def test_words_of_messages(name, words, discipline):
    plan = pair() if name is None else pair().in_format(load_format(name))
    on = machine(discipline, costs={"mul": 5}, startup=3, per_word=2)
    run = plan.run(on)
    assert run.words == words
    recording, value = record(plan)
    assert value == run.value
    assert retime(recording, [on]).ticks.tolist() == [run.ticks]
    again = replay(recording, on, value)
    assert (again.ticks, again.words, again.critical_path.wire) == (run.ticks, run.words, run.critical_path.wire)


def test_words_are_the_machines():
    """Machines with words of other widths, simulated and re-timed from one recording."""
    plan = pair().in_format(SINGLE)
    table = [replace(machine("rendezvous", startup=3, per_word=2), word_bits=bits) for bits in (8, 16, 32, 64)]
    runs = [plan.run(each) for each in table]
    assert [run.words for run in runs] == [16, 8, 4, 3]
    assert retime(record(plan)[0], table).ticks.tolist() == [run.ticks for run in runs]
    assert [pair().run(each).words for each in table] == [4, 4, 4, 4]


def test_a_message_is_packed():
    assert [Width(11, 32).words(numbers) for numbers in (0, 1, 2, 3, 32)] == [0, 1, 1, 2, 11]
    assert Width(64, 32).words(np.array([1, 3])).tolist() == [2, 6]


def test_a_file_keeps_the_format(tmp_path):
    recording, _ = record(pair().in_format(HALF))
    recording.save(tmp_path / "half.npz")
    loaded = load_recording(tmp_path / "half.npz")
    on = machine("rendezvous", startup=3, per_word=2)
    assert loaded.format == "half"
    assert retime(loaded, [on]).ticks.tolist() == retime(recording, [on]).ticks.tolist()


def test_a_plan_has_one_format():
    with pytest.raises(
        MeshSimError, match=r"^a plan must be put in a number format once, not in half: it is in single$"
    ):
        pair().in_format(SINGLE).in_format(HALF)


def test_what_no_kernel_made_is_rounded_in_the_answer():
    def constant(_):
        return {"a": (0.1, 3)}
        yield

    plan = Plan(network("A"), {"A": constant}, lambda results: results["A"])
    assert plan.in_format(SINGLE).run(machine("free")).value == {"a": (float(np.float32(0.1)), 3)}
    assert plan.in_format(load_format("double")).run(machine("free")).value == {"a": (0.1, 3)}
    with pytest.raises(FormatError, match=r"^fixed:1.8 must be wide enough .*: of a program a result is 2.0, and "):
        Plan(network("A"), {"A": two}, dict).in_format(load_format("fixed:1.8")).run(machine("free"))


def two(_):
    return 2.0
    yield


def test_a_tape_in_a_format():
    """Written-out arithmetic calls the kernels of the format."""

    def make(values):
        def program(cpu):
            return cpu.do(squared_here, values[0])
            yield

        return Plan(network("A"), {"A": program}, lambda results: [results["A"]]).in_format(SINGLE)

    tape = Tape(make)
    for x in (1.1, 1.7):
        assert tape([x]) == [float(np.float32(x) * np.float32(x))]


EVERY = dict(every_plan())
SOME = [
    pytest.param(make, id=label, marks=[] if number % 3 == 0 else pytest.mark.slow)
    for number, (label, make) in enumerate(list(EVERY.items())[::7])
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("make", SOME)
def test_every_engine_and_network_gives_the_same_bits(make):
    for name in [*FORMATS, "fixed:20.32"]:
        plan = make(float).in_format(load_format(name))
        placed = plan.placed(load_network("ring:3"), "round-robin")
        own = ended(plan, Simulation(NOWHERE))
        assert own == ended(placed, Simulation(NOWHERE, placed=placed.placement))
        if own is not None:  # threads that fail take long to end
            assert own == ended(plan, Threads())
        if name == "double":
            assert own is not None
            assert own == ended(make(float), Simulation(NOWHERE))


def ended(plan, engine):
    """The bits of the answer; none where the format overflows, or a matrix rounded in it is not what it was."""
    try:
        return bits(plan.answer(engine))
    except MeshSimError:
        return None
