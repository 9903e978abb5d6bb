"""The shift of M to the edge of the mesh, alone: with the links that wrap the mesh, and without."""  # Wong sec. 4.5.1

from functools import partial
from typing import Any

from meshsim.algorithms.collectives.triangle_shift import MIRRORED, shift_matrix, turn_over
from meshsim.machine import OPERATIONS, LinkCosts, Machine
from meshsim.outcome import Run
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps
from meshsim.topologies.triangle import triangular_mesh


def entry(k: int, i: int) -> float:
    """Entry (k, i) of a symmetric matrix in which all others are different."""
    return 1000.0 * min(k, i) + max(k, i)


def cell(cpu: Cpu, k: int, i: int, n: int, wrap: str) -> Steps[list[float] | None]:
    """Cell (k, i) of rows 1..n, as `wong_mesh.py` has it."""
    if wrap == "yes":
        row = yield from shift_matrix(cpu, k, i, n, entry(k, i))
        return row if k == 1 else None
    row = yield from shift_matrix(cpu, n + 1 - i, n + 1 - k, n, entry(k, i), MIRRORED)
    if wrap == "no" and i == n:
        row = yield from turn_over(cpu, k, n, row[::-1])
    return row if i == n else None


def run_shift(n: int, wrap: str, startup: int, per_word: int) -> Run[Any]:
    """The shift of n by n entries that all cells have at tick 0, over links where both ends wait.

    Its value tells, by cell, which row of M it ends with, if any.
    """
    mesh = triangular_mesh(n)
    programs = {(k, i): partial(cell, k=k, i=i, n=n, wrap=wrap) for k, i in mesh}
    machine = Machine("links", 1, dict.fromkeys(OPERATIONS, 0), LinkCosts("rendezvous", startup, per_word))
    return Plan(mesh, programs, dict).run(machine, trace=False)
