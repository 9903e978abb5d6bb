"""A triangular mesh with a cell for each entry of M, whose row 1 has found the composite bodies.

The wrenches go down the columns; the diagonal sends each joint's axis along its row; every cell forms its own entry.
h is formed by a pipeline of n beside it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from meshsim.algorithms.collectives.recursive_doubling import Doubling
from meshsim.algorithms.collectives.triangle_shift import shift_matrix
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.assembly import Assembly
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation
from meshsim.algorithms.schemes.rivals.composite import Wrench, entry, own_entry, sliding_of
from meshsim.algorithms.schemes.rivals.paired import add_forces, read_forces, solved
from meshsim.program import Cpu, Steps
from meshsim.topologies.triangle import triangular_mesh

Composite = Callable[..., Steps[Wrench]]
"""Given cpu, link, i and n, row 1's way to the wrench of joint i, over the ports east and west."""


def cell(cpu: Cpu, local: LocalBody, composite: Composite, slides: bool, k: int, i: int, n: int) -> Steps[float]:
    """Cell (k, i): M_ki, then on to row 1 and from there to the solver. `slides` says whether joint k does.

    north -> wrench of joint i, south <- the same;  west -> axis and hinge of joint k, east <- the same;  feed <- row i.
    """
    wrench = yield from (composite(cpu, local=local, i=i, n=n) if k == 1 else _received(cpu))
    if k < i:
        yield cpu.send("south", wrench)
    axis, hinge = (wrench[0], wrench[1]) if k == i else (yield cpu.recv("west"))
    if i < n:
        yield cpu.send("east", (axis, hinge))
    own = own_entry(cpu, wrench, slides) if k == i else entry(cpu, wrench, axis, hinge, slides)
    cpu.phase("inertia")
    row = yield from shift_matrix(cpu, k, i, n, own)
    if k == 1:
        yield cpu.send("feed", tuple(row))
        cpu.phase("shift")
    return own


def _received(cpu: Cpu) -> Steps[Wrench]:
    wrench: Wrench = yield cpu.recv("north")
    return wrench


def mesh_evaluation(
    mechanism: Mechanism, way: Doubling, composites: Sequence[Composite], solver: str
) -> CellEvaluation:
    """M on a triangular mesh, h on a pipeline that scans in the given way, and a solver."""
    n = mechanism.n
    slides = sliding_of(mechanism)
    cells = {
        (k, i): Cell(partial(cell, composite=composites[i - 1], slides=slides[k - 1], k=k, i=i, n=n), (i - 1,))
        for k in range(1, n + 1)
        for i in range(k, n + 1)
    }
    assembly = Assembly()
    assembly.add("M", triangular_mesh(n), cells)
    add_forces(assembly, mechanism, way)
    row_one = [("M", (1, i)) for i in range(1, n + 1)]
    return solved(mechanism, assembly, way, row_one, solver, partial(read, n))


def read(n: int, results: Mapping[Any, Any]) -> Dynamics:
    """M from its cells, h and the accelerations from the pipeline."""
    M = np.zeros((n, n))
    for k in range(1, n + 1):
        for i in range(k, n + 1):
            M[k - 1, i - 1] = M[i - 1, k - 1] = results["M", (k, i)]
    return Dynamics(M, *read_forces(n, results))
