"""The machines that are built in: a file each, and what they say of their sources."""

import json

import pytest
from tools.paths import ROOT

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.machine import read_machine
from meshsim.presets import FOLDER, PRESETS, THESIS
from meshsim.topologies.named import load_network


def test_the_machines_of_the_thesis_are_what_they_were():
    """As they stood in Python before they were files, field by field."""
    before = json.loads((ROOT / "tests/data/thesis_machines.json").read_text())
    assert [each["name"] for each in before] == [*THESIS]
    for each in before:
        found = PRESETS[each["name"]].as_json()
        assert {name: found[name] for name in each} == each
        assert {name: found[name] for name in found if name not in each} == {
            "word_bits": 32, "energy": None, "assumed": {},
        }  # fmt: skip


def test_a_file_is_a_preset_by_its_name():
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(f"{name}.toml" for name in PRESETS)
    assert list(PRESETS) == [*THESIS, *sorted({*PRESETS} - {*THESIS})]
    for name, preset in PRESETS.items():
        assert read_machine(FOLDER / f"{name}.toml") == preset
        assert preset.name == name


def us(name, **cost):
    machine = PRESETS[name]
    return machine.microseconds(sum(count * machine.operations[each] for each, count in cost.items()))


def message_us(name, words=1):
    """On the wire to a neighbour."""
    return PRESETS[name].microseconds(PRESETS[name].links.wire(words))


def hop_cycles(name, cycle_ns):
    return 1000 * PRESETS[name].microseconds(PRESETS[name].links.hop) / cycle_ns


def test_published_figures():
    """Of MACHINES as their documents have them; the files say which."""
    assert hop_cycles("versal-ai-engine", 0.8) == pytest.approx(4)
    assert message_us("versal-ai-engine", 2) - message_us("versal-ai-engine", 1) == pytest.approx(0.0008)
    assert hop_cycles("wormhole", 1) == 9
    assert message_us("wormhole", 8) == pytest.approx((5 + 9 + 5 + 1 + 1) / 1000)
    assert hop_cycles("wse-2", 1 / 0.85) == pytest.approx(1)
    assert message_us("wse-2") == pytest.approx(6 / 850)
    assert hop_cycles("epiphany-iii", 1 / 0.6) == pytest.approx(1.5)
    assert message_us("raw") == pytest.approx(3 / 225)
    assert us("raw", mul=1) == pytest.approx(4 / 225)
    assert us("c40", mul=1) == us("c40", add=1) == 0.04
    assert message_us("c40", 2) - message_us("c40", 1) == pytest.approx(4 / 20)
    assert message_us("t9000", 2) - message_us("t9000", 1) == pytest.approx(4 / 4.7, abs=0.025)  # half a tick
    assert message_us("xcore-200", 2) - message_us("xcore-200", 1) == pytest.approx(32 / 400)
    assert message_us("cortex-m4-spi", 2) - message_us("cortex-m4-spi", 1) == pytest.approx(32 / 21)


@pytest.mark.parametrize(("words", "over"), [(1, 0.0), (2, 23.5), (3, 0.0), (4, 23.5)])
def test_can_frames(words, over):
    """Frames of two words have 47 bits besides; a bit is 1 us, and stuff bits are the range."""
    can = PRESETS["cortex-m4-can"]
    low, high = can.assumed["per_word"]
    bits = 47 * -(-words // 2) + 32 * words
    assert can.microseconds(can.links.startup + words * low) == pytest.approx(bits + over)
    assert can.microseconds(high - low) == pytest.approx(24 / 2)


def test_a_core_takes_the_published_time():
    """Pinocchio's articulated bodies: 35 joints in 5.8 us."""
    run = SCHEMES["one-featherstone"].plan(chain(35, 1), default_state(chain(35, 1))).run(PRESETS["cpu-core"])
    assert PRESETS["cpu-core"].microseconds(run.ticks) == pytest.approx(5.8, rel=0.5 / 39)  # of 39 ticks, whole


@pytest.mark.parametrize("name", sorted({*PRESETS} - {*THESIS}))
def test_schemes_run_on_every_preset(name):
    """And compute the same bits; energy is told where there are prices."""
    robot = chain(3, 1)
    made = SCHEMES["wong-mesh"].plan(robot, default_state(robot))
    run = made.run(PRESETS[name], trace=False)
    assert (run.value.qdd == made.run(PRESETS["ideal"], trace=False).value.qdd).all()
    assert (run.energy is None) == (PRESETS[name].energy is None)
    placed = made.placed(load_network("square-mesh:2x2"), "blocks").run(PRESETS[name], trace=False)
    assert (placed.value.qdd == run.value.qdd).all()


def test_what_is_assumed_has_a_range():
    for name in {*PRESETS} - {*THESIS}:
        assert PRESETS[name].assumed, name
        for low, high in PRESETS[name].assumed.values():
            assert low < high, name


def test_chips_have_energy():
    chips = {name for name, preset in PRESETS.items() if preset.energy is not None}
    assert chips == {"versal-ai-engine", "wormhole", "wse-2", "epiphany-iii", "raw"}
    for name in chips:
        energy = PRESETS[name].energy
        assert dict(energy.operations) == {"mul": 3.7, "add": 0.9, "div": 26, "sqrt": 26, "sincos": 92}
        assert "45 nm" in PRESETS[name].description


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_number_has_a_comment(name):
    """Beside it, or above its table or the lines before it."""
    told = False
    for line in (FOLDER / f"{name}.toml").read_text().split('"""')[2].splitlines():
        if not line.strip():
            told = False
        told = told or "#" in line
        assert told or "=" not in line, line
