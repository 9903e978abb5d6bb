"""The bench of this computer's core: Pinocchio computes what is counted, and its times become a machine."""

import sys

import numpy as np
import pytest

import meshsim as ms
from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.experiments.cli.main import main
from meshsim.experiments.studies import core
from meshsim.experiments.studies.core import COUNTED, Measured, figures, machine_text, measure, model_of
from meshsim.machine import read_machine
from meshsim.presets import PRESETS

MEASURED = [Measured(6, 2.0, 2000), Measured(7, 2.2, 2400), Measured(12, 3.6, 4500)]


def test_what_is_timed_is_what_is_counted():
    """The condition number of M is 38 here: both have fourteen digits, and ten are asked for."""
    pin = pytest.importorskip("pinocchio")
    robot = chain(7, 1)
    state = default_state(robot)
    model = model_of(pin, robot)
    found = pin.aba(model, model.createData(), *(np.array(each) for each in (state.q, state.qd, state.tau)))
    assert found == pytest.approx(SCHEMES[COUNTED].plan(robot, state).run(PRESETS["ideal"]).value.qdd, rel=1e-10)


def test_figures():
    found = figures(MEASURED)
    assert found["core.6.us"] == 2.0
    assert found["core.12.operations"] == 4500
    assert found["core.ns_per_operation"] == pytest.approx(2200 / 2400)


@pytest.mark.parametrize("name", ["mine", 'it"s mine'])
def test_the_machine_takes_as_long_as_was_measured(name, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(machine_text(MEASURED, name))
    machine = read_machine(path)
    assert (machine.name, machine.word_bits, set(machine.operations.values())) == (name, 64, {92})
    assert machine.assumed["mul"] == machine.assumed["add"] == (80, 100)
    assert machine.assumed["startup"] == PRESETS["cpu-core"].assumed["startup"]
    assert machine.links == PRESETS["cpu-core"].links
    assert machine.local == PRESETS["cpu-core"].local


def test_from_the_command_line(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pinocchio")
    for name, few in {"SIZES": (2, 3), "BATCHES": 3, "EVALUATIONS": 4}.items():
        monkeypatch.setattr(core, name, few)
    path = tmp_path / "mine.toml"
    assert main(["bench", "core", "--save", str(path)]) == 0
    assert "core.3.us" in capsys.readouterr().out
    report = ms.run("chain:3:1", "one-featherstone", path)
    assert 0.0 < report.time_us < 1000.0
    assert [each.n for each in measure()] == [2, 3]


def refused(capsys, *words):
    assert main(["bench", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_refusals(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pinocchio")
    assert "a machine file must end with .toml, not" in refused(capsys, "core", "--save", str(tmp_path / "mine.txt"))
    assert "save must go with bench core" in refused(capsys, "mesh", "--save", "mine.toml")
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    assert refused(capsys, "core").endswith("Pinocchio must be installed: pip install pin")
