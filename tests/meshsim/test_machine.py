"""Machines: what they charge, what they refuse word for word, and the presets against print."""

import math
import pickle
import re
from dataclasses import FrozenInstanceError, dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meshsim.errors import MeshSimError
from meshsim.machine import OPERATIONS, PARAMETERS, LinkCosts, Machine, read_machine
from meshsim.presets import PRESETS, THESIS, load_machine
from meshsim.sensitivity import with_parameters

COSTS = {"mul": 10, "add": 5, "div": 10, "sqrt": 20, "sincos": 140}
EXAMPLE = """
name = "my-machine"
tick_ns = 100
kernel_overhead = 0                                   # ticks per kernel call
[operations]                                          # ticks each; sincos is one sine and one cosine
mul = 10
add = 5
div = 10
sqrt = 20
sincos = 140
[links]
discipline = "overlap"                                # free | overlap | posted | rendezvous
startup = 51
per_word = 23
setup = 0
buffers = 1
duplex = "full"                                       # full | half
receive = 0
setups = "together"                                   # together | in-turn
"""


@dataclass
class Work:
    """As much of a kernel as a machine looks at."""

    name: str
    cost: dict[str, int] = field(default_factory=dict)


MATVEC = Work("some_matvec", {"mul": 9, "add": 6})


def machine(**changes):
    return Machine(**{"name": "m", "tick_ns": 100, "operations": COSTS, "links": LinkCosts("free"), **changes})


def refuses(message, function, *args, **kwargs):
    with pytest.raises(MeshSimError, match=f"^{re.escape(message)}$"):
        function(*args, **kwargs)


# Prices


def test_price_is_overhead_plus_operations():
    every = Work("every", {"mul": 1, "add": 2, "div": 3, "sqrt": 4, "sincos": 5})
    assert machine().price(every) == 10 + 2 * 5 + 3 * 10 + 4 * 20 + 5 * 140
    assert machine(kernel_overhead=7).price(MATVEC) == 7 + 9 * 10 + 6 * 5
    assert machine(kernel_overhead=7).price(Work("nothing")) == 7


def test_measured_kernels_replace_counts_and_overhead():
    measured = machine(kernel_overhead=7, kernels={"some_matvec": 3})
    assert measured.price(MATVEC) == 3
    assert measured.price(Work("other", MATVEC.cost)) == 127


counts = st.fixed_dictionaries({op: st.integers(0, 50) for op in OPERATIONS})


@given(counts, counts, st.sampled_from(OPERATIONS), st.integers(0, 100))
def test_price_is_monotone_in_each_operation(cost, ticks, op, more):
    cheap, dear = machine(operations=ticks), machine(operations={**ticks, op: ticks[op] + more})
    assert dear.price(Work("w", cost)) - cheap.price(Work("w", cost)) == cost[op] * more


def test_wire():
    for discipline in ("overlap", "posted", "rendezvous"):
        assert [LinkCosts(discipline, startup=51, per_word=23).wire(words) for words in (0, 1, 3)] == [
            51,
            74,
            120,
        ]
    assert LinkCosts("free", startup=51, per_word=23).wire(3) == 0


def test_microseconds():
    assert machine().microseconds(120) == 12.0
    assert machine(tick_ns=0.5).microseconds(3) == 0.0015


def test_machines_are_frozen_copies():
    costs = dict(COSTS)
    frozen = machine(operations=costs)
    costs["mul"] = 99
    assert frozen.operations["mul"] == 10
    assert frozen == machine()
    with pytest.raises(TypeError):
        frozen.operations["mul"] = 1
    with pytest.raises(TypeError):
        frozen.kernels["rotate"] = 1
    with pytest.raises(FrozenInstanceError):
        frozen.links.startup = 1


# Refusals


def test_whole_floats_and_numpy_integers_are_taken_as_integers():
    taken = machine(operations={**COSTS, "mul": 10.0, "add": np.int64(5)}, kernels={"k": 2.0})
    assert taken == machine(kernels={"k": 2})
    assert {type(ticks) for ticks in (*taken.operations.values(), *taken.kernels.values())} == {int}
    assert type(LinkCosts("overlap", startup=np.int64(1)).startup) is int


NOT_TICKS = {
    "10.5": 10.5,
    "nan": math.nan,
    "inf": math.inf,
    "true": True,
    '"10"': "10",
    "null": None,
    "-1": -1,
    "-10.0": -10.0,
}


@pytest.mark.parametrize(("shown", "value"), NOT_TICKS.items())
def test_costs_are_whole_and_not_negative(shown, value):
    rest = f"must be a whole number of ticks, at least 0, not {shown}"
    for op in OPERATIONS:
        refuses(f"operations.{op} {rest}", machine, operations={**COSTS, op: value})
    refuses(f"kernels.rotate {rest}", machine, kernels={"rotate": value})
    refuses(f"kernel_overhead {rest}", machine, kernel_overhead=value)
    for key in ("startup", "per_word", "setup", "receive"):
        refuses(f"links.{key} {rest}", LinkCosts, "overlap", **{key: value})


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (0.4, "tick_ns divided by 10), of which it takes 4, and multiply all other costs by 10"),
        (0.25, "tick_ns divided by 100), of which it takes 25, and multiply all other costs by 100"),
        (1 / 3, "a smaller tick_ns), of which it takes a whole number, and count all costs in it"),
    ],
)
def test_a_cost_below_a_tick_needs_a_finer_tick(value, advice, write):
    rest = f"must be a whole number of ticks, at least 0, not {value}: choose a finer tick ({advice}"
    refuses(f"links.per_word {rest}", LinkCosts, "overlap", per_word=value)
    refuses(f"operations.add {rest}", machine, operations={**COSTS, "add": value})
    path = write(EXAMPLE.replace("per_word = 23", f"per_word = {value}"))
    refuses(f"{path}: links.per_word {rest}", read_machine, path)


@pytest.mark.parametrize(("shown", "value"), {"0": 0, "-1": -1, "1.5": 1.5, "true": True, '"1"': "1"}.items())
def test_buffers(shown, value):
    refuses(f"links.buffers must be a whole number, at least 1, not {shown}", LinkCosts, "overlap", buffers=value)


NO_TIME = {"0.0": 0, "-100.0": -100, "nan": math.nan, "inf": math.inf, "true": True, '"100"': "100", "null": None}


@pytest.mark.parametrize(("shown", "value"), NO_TIME.items())
def test_tick_ns(shown, value):
    refuses(f"tick_ns must be a positive number, not {shown}", machine, tick_ns=value)


def test_other_fields():
    refuses("links.discipline must be free, overlap, posted or rendezvous, not 'dma'", LinkCosts, "dma")
    refuses("links.setups must be together or in-turn, not 'both'", LinkCosts, "overlap", setups="both")
    refuses("links.duplex must be full or half, not None", LinkCosts, "free", duplex=None)
    refuses('name must be a text, not ""', machine, name="")
    refuses(r"name must be printable text without / and \, not '../other'", machine, name="../other")
    refuses(r"name must be printable text without / and \, not 'red\x1b[31m'", machine, name="red\x1b[31m")
    refuses("description must be a text, not 3", machine, description=3)
    refuses("links must be a LinkCosts, not 'free'", machine, links="free")
    refuses("kernels must be a table, not 3", machine, kernels=3)
    known = "mul, add, div, sqrt, sincos"
    refuses(f"key of operations must be {known}, not 'mod'", machine, operations={**COSTS, "mod": 1})
    refuses(f"operations must have the keys {known}, not lack 'div'", machine, operations={"mul": 1, "add": 1})


def test_assumed_ranges_hold_what_is_assumed():
    assert dict(machine(assumed={"mul": (10, 12), "hop": [0, 3]}).assumed) == {"mul": (10, 12), "hop": (0, 3)}
    wrong = "assumed.mul must have mul, which is 10, in its range, not be [11, 12]"
    refuses(wrong, machine, assumed={"mul": (11, 12)})
    refuses("assumed.mul must be 2 numbers of ticks, not 10", machine, assumed={"mul": 10})
    rest = "must be a whole number of ticks, at least 0, not -1"
    refuses(f"assumed.mul {rest}", machine, assumed={"mul": (-1, 12)})
    refuses(f"key of assumed must be {', '.join(PARAMETERS)}, not 'speed'", machine, assumed={"speed": (1, 2)})
    told = with_parameters(machine(assumed={"mul": (10, 12), "hop": (0, 3)}), mul=40)
    assert (told.operations["mul"], dict(told.assumed)) == (40, {"hop": (0, 3)})
    assert pickle.loads(pickle.dumps(machine(assumed={"mul": (10, 12)}))).assumed == {"mul": (10, 12)}


def test_word_bits():
    assert (machine().word_bits, machine(word_bits=64).word_bits) == (32, 64)
    refuses("word_bits must be a whole number, at least 1, not 0", machine, word_bits=0)
    refuses("word_bits must be at most 4096, not more", machine, word_bits=5000)


# Files


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "machine.toml"
        path.write_text(text)
        return path

    return write


def test_the_example_is_read_as_written(write):
    links = LinkCosts("overlap", startup=51, per_word=23, setup=0, buffers=1, duplex="full")
    expected = machine(name="my-machine", links=links)
    assert read_machine(write(EXAMPLE)) == expected
    assert load_machine(str(write(EXAMPLE))) == expected


def test_optional_keys(write):
    text = 'description = "mine"\n' + EXAMPLE + "[kernels]\nrotate = 1300\n"
    read = read_machine(write(text))
    assert (read.description, dict(read.kernels)) == ("mine", {"rotate": 1300})


def test_defaults(write):
    tail = EXAMPLE.replace("kernel_overhead = 0", "").split("[links]")[0]
    read = read_machine(write(tail + '[links]\ndiscipline = "free"\n'))
    assert (read.links, read.kernel_overhead) == (LinkCosts("free", 0, 0, 0, 1, "full"), 0)


NEEDED = "name, tick_ns, operations, links"
TOP = (
    "name, tick_ns, operations, links, kernel_overhead, kernels, description, switch, local, word_bits, energy, assumed"
)
IN_LINKS = (
    "discipline, startup, per_word, setup, buffers, duplex, receive, setups, switching, hop, routing, router_buffers"
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kernel_overhead", "overhead", f"key of the machine must be {TOP}, not 'overhead'"),
        ("mul", "mull", "key of operations must be mul, add, div, sqrt, sincos, not 'mull'"),
        ("setup =", "foo =", f"key of links must be {IN_LINKS}, not 'foo'"),
        ('name = "my-machine"', "", f"the machine must have the keys {NEEDED}, not lack 'name'"),
        ("tick_ns = 100", "", f"the machine must have the keys {NEEDED}, not lack 'tick_ns'"),
        ("sqrt = 20", "", "operations must have the keys mul, add, div, sqrt, sincos, not lack 'sqrt'"),
        ("per_word = 23", "", "links must have the keys startup, per_word, not lack 'per_word'"),
        ('discipline = "overlap"', "", "links must have the keys discipline, not lack 'discipline'"),
        ("mul = 10", "mul = 10.5", "operations.mul must be a whole number of ticks, at least 0, not 10.5"),
        ('"overlap"', '"dma"', "links.discipline must be free, overlap, posted or rendezvous, not 'dma'"),
        ("tick_ns = 100", "tick_ns = nan", "tick_ns must be a positive number, not nan"),
        ("kernel_overhead = 0", "kernels = 3", "kernels must be a table, not 3"),
    ],
)
def test_bad_files(write, old, new, message):
    path = write(EXAMPLE.replace(old, new, 1))
    refuses(f"{path}: {message}", read_machine, path)


def test_files_that_cannot_be_read(tmp_path, write):
    absent = str(tmp_path / "absent.toml")
    reason = "must be a readable file, not one that fails with: No such file or directory"
    refuses(f"{absent}: machine file {reason}", load_machine, absent)
    path = write("name = ")
    reason = "must be TOML, not text that fails with: Invalid value (at end of document)"
    refuses(f"{path}: machine file {reason}", read_machine, path)
    path.write_bytes(b"\xff")
    refuses(f"{path}: machine file must be UTF-8 text, not other bytes", read_machine, path)


# Presets


def test_load_machine_by_name():
    assert {name: load_machine(name) for name in PRESETS} == PRESETS
    refuses(f"machine must be a .toml file or one of {', '.join(PRESETS)}, not 't900'", load_machine, "t900")


def test_load_machine_from_a_file_of_any_name(tmp_path):
    path = tmp_path / "mine"
    path.write_text(EXAMPLE)
    assert load_machine(str(path)).name == "my-machine"


def test_each_preset_says_what_it_assumes():
    for name, preset in PRESETS.items():
        assert preset.name == name
        assert "Assumption" in preset.description


def microseconds(preset, name="k", **cost):
    return PRESETS[preset].microseconds(PRESETS[preset].price(Work(name, cost)))


@pytest.mark.parametrize("preset", ["ideal", "t800", "t800-overlap", "t800-posted"])
def test_operation_times(preset):
    """Wong sec. 3.5.1: multiply 1 us, add 0.5 us; sec. 4.5.1: divide as multiply; Table 5.5, theory."""
    assert [microseconds(preset, **{op: 1}) for op in ("mul", "add", "div")] == [1, 0.5, 1]
    assert microseconds(preset, mul=9, add=6) == 12
    assert microseconds(preset, mul=6, add=3) == 7.5
    assert microseconds(preset, mul=3) == 3
    assert microseconds(preset, add=3) == 1.5


def test_puma_on_one_t800():
    """Wong sec. 3.5.1: 1391 multiplies and 1087 adds are 1.93 ms, 2.02 ms with six sines and cosines."""
    assert microseconds("t800", mul=1391, add=1087) == 1934.5
    assert microseconds("t800", mul=1391, add=1087, sincos=6) == 2018.5
    assert microseconds("ideal", mul=1391, add=1087, sincos=6) == 1934.5


@pytest.mark.parametrize("preset", ["t800", "t800-overlap", "t800-posted", "t800-measured"])
def test_three_words_take_12_us(preset):
    """Wong sec. 4.2; the rate is the T800's 1.7 MB/s, rounded to 0.1 us a word."""
    links = PRESETS[preset].links
    assert PRESETS[preset].microseconds(links.wire(3)) == 12
    assert PRESETS[preset].microseconds(links.per_word) == pytest.approx(4 / 1.7, abs=0.1)
    assert (links.duplex, links.buffers) == ("full", 1)


def test_disciplines():
    disciplines = {name: PRESETS[name].links.discipline for name in THESIS}
    assert disciplines == {
        "ideal": "free",
        "t800": "rendezvous",
        "t800-overlap": "overlap",
        "t800-posted": "posted",
        "t800-measured": "rendezvous",
    }
    t800, overlap = PRESETS["t800"], PRESETS["t800-overlap"]
    assert replace(overlap.links, discipline="rendezvous") == t800.links
    assert replace(overlap.links, discipline="posted") == PRESETS["t800-posted"].links
    assert (overlap.links.setup, overlap.links.receive, overlap.links.setups) == (0, 0, "together")
    assert overlap.operations == t800.operations


def test_measured_kernels():
    """Wong Table 5.5, its 14 and 34 us taken as swapped; single numbers by the 14 us of sec. 5.5.1."""
    preset = PRESETS["t800-measured"]
    measured = {name: preset.microseconds(ticks) for name, ticks in preset.kernels.items()}
    assert {name: us for name, us in measured.items() if us >= 14} == {
        "add_vectors": 18,
        "subtract_vectors": 18,
        "matvec": 63,
        "rotate": 65,
        "rotate_twist": 65,
        "cross": 34,
        "scale": 14,
        "sine_cosine": 14,
    }
    multiply, add = measured["axpy"] - measured["add"], measured["add"]
    assert 9 * multiply + 6 * add == pytest.approx(14, abs=0.1)
    assert measured["negative_ratio"] == pytest.approx(multiply)
    assert measured["subtract"] == add
    assert measured["pass_on"] == 0
    assert measured["subtract_product"] == pytest.approx(4.7 * 1.5)
    assert measured["ratio"] == 4.7
    assert measured["square_root"] == 2 * 4.7


def test_kernels_not_measured():
    """Wong sec. 5.5.1: a matrix-vector product takes 9 us to call and 56 us to do; 4.7 rounds 56/12."""
    assert microseconds("t800-measured") == 9
    assert microseconds("t800-measured", mul=9, add=6) == pytest.approx(9 + 56, abs=0.5)
    assert microseconds("t800-measured", sqrt=1) == 9 + 2 * 4.7
    assert microseconds("t800-measured", div=1) == microseconds("t800-measured", mul=1) == 9 + 4.7
