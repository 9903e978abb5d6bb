"""Fijany and Bejczy: composite rigid-body spatial inertia on a triangular mesh, M in O(log n) arithmetic.

Row 1 of the mesh finds the composite bodies by recursive doubling along the row, paying 2^s hops in stage s. Their
wrenches go down the columns; the diagonal sends each joint's axis along its row; every cell forms its own entry of M.
The paper gives M alone; here a pipeline of n forms the force vector, by doubling over the same hops.
                                                                                           # Wong sec. 4.7.3
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from meshsim.algorithms.collectives.recursive_doubling import PIPELINE
from meshsim.algorithms.collectives.triangle_shift import shift_matrix
from meshsim.algorithms.kernels.core import dot
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.assembly import Assembly
from meshsim.algorithms.schemes.base.bodies import LocalBody, bodies_of
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation
from meshsim.algorithms.schemes.base.scheme import Published, Scheme
from meshsim.algorithms.schemes.rivals.composite import Load, Wrench, by_moments, entry, loads_of
from meshsim.algorithms.schemes.rivals.inertial_frame import pose
from meshsim.algorithms.schemes.rivals.paired import RIVAL_SOLVERS, add_forces, force_network, read_forces, solved
from meshsim.program import Cpu, Steps
from meshsim.topologies.triangle import triangular_mesh


def composite(cpu: Cpu, local: LocalBody, load: Load, i: int, n: int) -> Steps[Wrench]:
    """Row 1: the wrench of joint i, by doubling over the ports east and west."""
    body = yield from pose(cpu, PIPELINE, local, i, n)
    return (yield from by_moments(cpu, PIPELINE, local, load, body, i, n))


def cell(cpu: Cpu, local: LocalBody, load: Load, k: int, i: int, n: int) -> Steps[float]:
    """Cell (k, i): M_ki, then on to row 1 and from there to the solver.

    north -> wrench of joint i, south <- the same;  west -> axis and hinge of joint k, east <- the same;  feed <- row i.
    """
    wrench = yield from (composite(cpu, local, load, i, n) if k == 1 else _received(cpu))
    if k < i:
        yield cpu.send("south", wrench)
    axis, hinge = (wrench[0], wrench[1]) if k == i else (yield cpu.recv("west"))
    if i < n:
        yield cpu.send("east", (axis, hinge))
    own = cpu.do(dot, axis, wrench[3]) if k == i else entry(cpu, wrench, axis, hinge)
    cpu.phase("inertia")
    row = yield from shift_matrix(cpu, k, i, n, own)
    if k == 1:
        yield cpu.send("feed", tuple(row))
        cpu.phase("shift")
    return own


def _received(cpu: Cpu) -> Steps[Wrench]:
    wrench: Wrench = yield cpu.recv("north")
    return wrench


def make(mechanism: Mechanism, options: Mapping[str, str]) -> CellEvaluation:
    """Load the mesh, the pipeline and the solver."""
    n = mechanism.n
    loads = loads_of(bodies_of(mechanism))
    cells = {
        (k, i): Cell(partial(cell, load=loads[i - 1], k=k, i=i, n=n), (i - 1,))
        for k in range(1, n + 1)
        for i in range(k, n + 1)
    }
    assembly = Assembly()
    assembly.add("M", triangular_mesh(n), cells)
    add_forces(assembly, mechanism, PIPELINE)
    row_one = [("M", (1, i)) for i in range(1, n + 1)]
    return solved(mechanism, assembly, PIPELINE, row_one, options["solver"], partial(read, n))


def read(n: int, results: Mapping[Any, Any]) -> Dynamics:
    """M from its cells, h and the accelerations from the pipeline."""
    M = np.zeros((n, n))
    for k in range(1, n + 1):
        for i in range(k, n + 1):
            M[k - 1, i - 1] = M[i - 1, k - 1] = results["M", (k, i)]
    return Dynamics(M, *read_forces(n, results))


def published(n: int, _: Mapping[str, str]) -> Mapping[str, Published]:
    """Table 4.8, row F; with the solver as in Fig. 4.9, which adds Liu and Young's."""
    stages = (n - 1).bit_length()
    mul, add = 48 * stages + 102, 63 * stages + 66
    return {
        "inertia": Published(mul, add, "Wong Table 4.8, F"),
        "inertia+solver": Published(mul + 7 * n - 5, add + 7 * n - 5, "Wong Table 4.8, F, and Fig. 4.9"),
    }


FIJANY_BEJCZY = Scheme(
    name="fijany-bejczy",
    summary="composite spatial inertia on a triangular mesh of n(n+1)/2, a pipeline for h, and a solver",
    make=make,
    options={"solver": RIVAL_SOLVERS},
    published=published,
    inverse=force_network(PIPELINE),
    solving=frozenset({"solver"}),
)
