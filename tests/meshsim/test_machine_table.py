"""Tables of machines: the same as the machines listed one by one."""

import numpy as np
import pytest

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError
from meshsim.machine_table import MachineList, MachineTable, machine_with
from meshsim.presets import PRESETS
from meshsim.recording import record
from meshsim.retiming import by_kind, retime

COUNT = 90


def drawn(names, seed=1):
    """A table over the T800 that prices some kernels as wholes."""
    draw = np.random.default_rng(seed)
    ranges = {"discipline": ["free", "overlap", "posted", "rendezvous"], "setups": ["together", "in-turn"]}
    columns = {
        name: draw.choice(ranges[name], COUNT) if name in ranges else draw.integers(name == "buffers", 3, COUNT)
        for name in names
    }
    return MachineTable(PRESETS["t800-measured"], columns)


EVERY = (
    "mul",
    "sincos",
    "kernel_overhead",
    "startup",
    "per_word",
    "setup",
    "receive",
    "buffers",
    "discipline",
    "setups",
)


@pytest.mark.parametrize("names", [EVERY, ("add", "per_word"), ("startup", "discipline")])
@pytest.mark.usefixtures("both_ways")
def test_times_are_those_of_the_list(names):
    robot = chain(3, 1)
    recording, _ = record(SCHEMES["wong-mesh"].plan(robot, default_state(robot)))
    table = drawn(names)
    whole, listed = retime(recording, table), retime(recording, list(table))
    assert np.array_equal(whole.finish, listed.finish)
    assert np.array_equal(whole.busy, listed.busy)
    assert len(np.unique(whole.ticks)) > 1
    last = retime(recording, table, processors=False)
    assert last.finish.shape == (1, COUNT)
    assert np.array_equal(last.ticks, whole.ticks)
    for name, ticks in whole.phases.items():
        assert np.array_equal(ticks, listed.phases[name])
        assert np.array_equal(ticks, last.phases[name])


def test_kinds_are_those_of_the_list():
    table = drawn(EVERY)
    groups, listed = ({tuple(places) for places in by_kind(each)} for each in (table, MachineList(table)))
    assert groups == listed
    assert len(by_kind(drawn(("mul", "startup")))) == 1
    assert len(by_kind(MachineTable(PRESETS["t800"], {"buffers": np.arange(1, 9)}))) == 1  # which has no use for them


def test_a_part_has_the_machines_of_the_whole():
    table = drawn(EVERY)
    assert list(table.take(np.array([7, 3]))) == [table[7], table[3]]
    assert list(table[2:4]) == [table[2], table[3]]
    assert table[5] == machine_with(table.machine, table.setting(5))
    with pytest.raises(MeshSimError, match=r"links.buffers must be .* at least 1, not 0"):
        MachineTable(PRESETS["t800"], {"buffers": np.array([0])})[0]
