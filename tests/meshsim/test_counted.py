"""Declaring kernels: once, or again where they were declared, as a notebook does."""

import linecache
import textwrap

import pytest
from tools.engine import machine, network

from meshsim.algorithms.kernels.catalogue import KERNELS
from meshsim.counted import kernel
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.recording import record
from meshsim.retiming import retime
from meshsim.tape import Tape


@pytest.fixture
def cell(monkeypatch):
    """Runs a text as a notebook runs its cells: all in one module, and their source can be read."""
    monkeypatch.setattr("meshsim.counted.KERNELS", dict(KERNELS))
    names = {"__name__": "notebook", "kernel": kernel}
    cells = []

    def run(text):
        file = f"<cell {len(cells)}>"
        cells.append(textwrap.dedent(text))
        lines = cells[-1].splitlines(keepends=True)
        monkeypatch.setitem(linecache.cache, file, (len(cells[-1]), None, lines, file))
        exec(compile(cells[-1], file, "exec"), names)
        return names

    return run


CELL = """
    FACTOR = 2.0

    @kernel(mul=1)
    def gain(x):
        return FACTOR * x

    @kernel(mul=1, add=1)
    def gain_and_one(x):
        return gain(x) + 1.0
"""


def made(names):
    """Makes a plan that uses both kernels as they are named now."""

    def make(values):
        def alone(cpu):
            yield cpu.par()
            return [cpu.do(names["gain"], values[0]), cpu.do(names["gain_and_one"], values[0])]

        return Plan(network("A"), {"A": alone}, lambda results: results["A"])

    return make


def everywhere(names, value):
    """The numbers and the ticks of a run; a recording, and what is written out, must give the same."""
    make, ticks = made(names), machine("free", costs={"mul": 10})
    run = make([value]).run(ticks)
    recording, numbers = record(make([value]))
    assert numbers == run.value
    assert retime(recording, [ticks]).ticks.tolist() == [run.ticks]
    for inline in (True, False):
        tape = Tape(make, inline)
        tape([7.0])
        assert tape([value]) == run.value
    return run.value, run.ticks


def test_a_cell_that_is_run_again_replaces_its_kernels(cell):
    names = cell(CELL)
    assert everywhere(names, 3.0) == ([6.0, 7.0], 21)
    cell("""
        @kernel(mul=2)
        def gain(x):
            return FACTOR * (5.0 * x)
    """)
    assert everywhere(names, 3.0) == ([30.0, 31.0], 31)  # and so in the kernel that calls it


def test_a_constant_that_is_set_anew_is_read_anew(cell):
    names = cell(CELL)
    assert everywhere(names, 3.0)[0] == [6.0, 7.0]
    cell("FACTOR = 4.0")
    assert everywhere(names, 3.0)[0] == [12.0, 13.0]


def test_a_name_of_another_module_is_refused(cell):
    cell(CELL)

    def gain(x):
        return x

    with pytest.raises(
        MeshSimError, match=r"^kernel name must be new, not 'gain', which notebook has declared already$"
    ):
        kernel()(gain)


def test_a_name_of_ours_is_refused(cell):
    with pytest.raises(
        MeshSimError,
        match=r"^kernel name must be new, not 'cross', which meshsim.algorithms.kernels.core has declared already$",
    ):
        cell("""
            @kernel(mul=1)
            def cross(a, b):
                return a
        """)
