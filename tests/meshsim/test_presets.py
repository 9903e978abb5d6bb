"""The machines that are built in: a file each, and what they say of their sources."""

import json

import pytest
from tools.paths import ROOT

from meshsim.machine import read_machine
from meshsim.presets import FOLDER, PRESETS, THESIS


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


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_number_has_a_comment(name):
    """Beside it, or above its table or the lines before it."""
    told = False
    for line in (FOLDER / f"{name}.toml").read_text().split('"""')[2].splitlines():
        if not line.strip():
            told = False
        told = told or "#" in line
        assert told or "=" not in line, line
