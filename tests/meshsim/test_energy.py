"""Energy: counts times prices, exactly, however they are added up."""

import math
import pickle
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from tools.engine import do, machine, network, plan, recv, send
from tools.placed_samples import DISCIPLINES, sample

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.energy import PARTS, EnergyCosts, together
from meshsim.errors import MeshSimError
from meshsim.machine import read_machine
from meshsim.presets import FOLDER, PRESETS
from meshsim.recording import record
from meshsim.sharing import Local
from meshsim.topologies.named import load_network

OPERATIONS = {"mul": 3.7, "add": 0.9, "div": 26, "sqrt": 13, "sincos": 70.1}
PRICES = EnergyCosts(OPERATIONS, word=3.84, hop=1.1, message=7, copy=10, idle=0.3)
"""Few of them are floats exactly."""


def priced(each, **changes):
    return replace(each, **{"energy": PRICES, "tick_ns": 0.7, **changes})


def times(count, price):
    return count * Fraction(str(price))


def audit(run):
    """What is paid is what was counted, times its price: in all, and processor by processor and wire by wire."""
    energy = run.energy
    linked = [c for c in run.channels if not isinstance(c, Local)]
    passed = [(c.words, len(c.path) or 1) for c in linked]  # words of each channel, and the links on its way
    assert energy.operations == sum(times(count, OPERATIONS[name]) for name, count in run.operations.items())
    assert energy.words == times(sum(words * links for words, links in passed), 3.84)
    assert energy.hops == times(sum(words * (links - 1) for words, links in passed), 1.1)
    assert energy.messages == 7 * sum(c.messages for c in linked)
    assert energy.copies == 10 * (run.words - sum(c.words for c in linked))
    assert energy.idle == run.processors * run.ticks * Fraction("0.7") * Fraction("0.3") / 1000
    assert energy.total == sum(energy.parts.values())
    for part in PARTS:
        shares = [getattr(each, part) for each in (*energy.processors.values(), *energy.wires.values())]
        assert sum(shares) == getattr(energy, part), part
    assert list(energy.processors) == list(run.finish)
    assert energy.picojoules == float(energy.total)
    assert energy.nanojoules == float(energy.total / 1000)
    if run.network is not None:  # held against the engine's own counters
        carried = {run.network.wire(load.link, run.machine.links.duplex): load.words for load in run.loads}
        found = {wire: each.words for wire, each in energy.wires.items() if each.words}
        assert found == {wire: times(words, 3.84) for wire, words in carried.items() if words}
        moved = sum(len(journey) * words for journey, words in journeys(run)) if run.traced else None
        assert moved is None or times(moved, 3.84) == energy.words
    return energy


def journeys(run):
    """Of every message over links of a traced run: its legs, one if the channel has a wire of its own; its words."""
    for channel in run.channels:
        if not isinstance(channel, Local):
            legs = channel.legs or [channel.path] * channel.messages  # free words ask for no wire
            words = (run.trace.message(channel, number).words for number in range(channel.messages))
            yield from zip(legs, words, strict=True)


OWN = {"wong-mesh": {}, "hwang": {"network": "bus"}, "one-wong": {}}


@pytest.mark.parametrize("name", sorted(DISCIPLINES))
@pytest.mark.parametrize("scheme", OWN)
def test_own_networks(name, scheme):
    robot = chain(4, 3)
    made = SCHEMES[scheme].plan(robot, default_state(robot), **OWN[scheme])
    energy = audit(made.run(priced(DISCIPLINES[name]), trace=False))
    assert energy.hops == energy.copies == 0
    assert (energy.words > 0) == (energy.messages > 0) == (scheme != "one-wong")
    if scheme == "hwang":
        assert energy.wires["bus"].words == energy.words


@pytest.mark.parametrize("seed", range(40))
def test_other_networks(seed):
    drawn = sample(seed)
    audit(drawn.placed().run(priced(drawn.machine), trace=seed % 2 == 0))


@pytest.mark.parametrize("seed", range(0, 40, 3))
def test_a_recording_counts_what_a_run_does(seed):
    drawn = sample(seed)
    for made in (drawn.plan, drawn.placed()):
        run = made.run(priced(drawn.machine), trace=False)
        usage = record(made)[0].usage(run.machine)
        assert usage == together(each for shares in run.usage for each in shares.values())
        total = replace(run.energy, processors={}, wires={})
        assert run.machine.energy_of(usage, run.ticks) == total


def test_a_run_by_hand():
    """Three words over two links, past one router; then the same on one processor."""
    made = plan({"a": [do(5), send("c", 3)], "b": [], "c": [recv("a")]}, network("abc"))
    each = priced(machine("overlap", startup=4, per_word=2), tick_ns=2)
    energy = made.run(each).energy
    ns = (5 + 4 + 3 * 2) * 2
    parts = {"operations": 5 * Fraction("0.9"), "words": 3 * Fraction("3.84"), "messages": 7}
    assert energy.parts == {**dict.fromkeys(PARTS, 0), **parts, "idle": 3 * ns * Fraction("0.3") / 1000}
    assert energy.wires["a", "c", "c"].total == energy.words
    assert energy.processors["a"].total == parts["operations"] + 7 + energy.idle / 3
    routed = made.placed(load_network("pipeline:3"), {"a": 1, "b": 2, "c": 3}).run(each).energy
    assert (routed.words, routed.hops) == (2 * energy.words, 3 * Fraction("1.1"))
    alone = made.placed(load_network("pipeline:1"), dict.fromkeys("abc", 1)).run(each).energy
    assert (alone.words, alone.hops, alone.messages, alone.copies) == (0, 0, 0, 30)


def test_without_prices_there_is_no_energy():
    assert plan({"a": [do(1)]}, network("a")).run(machine("free")).energy is None


def refuses(message, function, *args, **kwargs):
    with pytest.raises(MeshSimError, match=f"^{re.escape(message)}$"):
        function(*args, **kwargs)


@pytest.mark.parametrize(("shown", "value"), {"-1.0": -1, "nan": math.nan, "true": True, '"1"': "1"}.items())
def test_prices_are_not_negative(shown, value):
    rest = f"must be a finite number, at least 0, not {shown}"
    refuses(f"energy.word {rest}", EnergyCosts, OPERATIONS, value)
    refuses(f"energy.idle {rest}", EnergyCosts, OPERATIONS, 1, idle=value)
    refuses(f"energy.operations.div {rest}", EnergyCosts, {**OPERATIONS, "div": value}, 1)


def test_refusals():
    known = "mul, add, div, sqrt, sincos"
    refuses(f"energy.operations must have the keys {known}, not lack 'mul'", EnergyCosts, {}, 1)
    refuses("energy.hop must be at most 1e+12, not more", EnergyCosts, OPERATIONS, 1, 1e13)
    refuses("energy must be an EnergyCosts, not 3", replace, PRESETS["t800"], energy=3)


def test_prices_survive_pickling_and_are_plain_in_json():
    each = priced(PRESETS["t800"])
    assert pickle.loads(pickle.dumps(each)) == each
    assert each.as_json()["energy"] == {
        "operations": OPERATIONS, "word": 3.84, "hop": 1.1, "message": 7, "copy": 10, "idle": 0.3,
    }  # fmt: skip
    assert PRESETS["t800"].as_json()["energy"] is None


FILE = """
[energy]
word = 3.84
[energy.operations]
mul = 3.7
add = 0.9
div = 26
sqrt = 13
sincos = 70.1
"""


def test_in_a_file(tmp_path):
    path = tmp_path / "machine.toml"
    text = (FOLDER / "t800.toml").read_text()
    path.write_text(text + FILE)
    assert read_machine(path) == replace(PRESETS["t800"], energy=EnergyCosts(OPERATIONS, 3.84))
    path.write_text(text + FILE.replace("word = 3.84", ""))
    refuses(f"{path}: energy must have the keys operations, word, not lack 'word'", read_machine, path)
    path.write_text(text + FILE.replace("word", "words"))
    known = "operations, word, hop, message, copy, idle"
    refuses(f"{path}: key of energy must be {known}, not 'words'", read_machine, path)
