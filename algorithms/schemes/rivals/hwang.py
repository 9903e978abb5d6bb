"""Hwang, Bae, Haug and Kuhl: accumulated spatial inertias on a hypercube, M by projection.

K_i is the spatial inertia of bodies i..n about the origin, B_i joint i's unit motion. Then M_ij = B_i^T K_j B_j for
i <= j. The operations are those of Table 4.9. The paper gives M alone; here a second hypercube forms the force vector.
                                                                                           # Wong sec. 4.7.4
"""

from collections.abc import Mapping

from meshsim.algorithms.collectives.recursive_doubling import HYPERCUBE
from meshsim.algorithms.kernels.core import cross, scale
from meshsim.algorithms.kernels.inertial import (
    Inertia,
    Spatial,
    add_inertias,
    inertia_about_origin,
    rotate_inertia,
    spatial_dot,
    spatial_product,
)
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.base.evaluation import CellEvaluation
from meshsim.algorithms.schemes.base.scheme import Published, Scheme
from meshsim.algorithms.schemes.rivals.inertial_frame import pose
from meshsim.algorithms.schemes.rivals.paired import RIVAL_SOLVERS, RowProgram, force_network, paired_evaluation
from meshsim.program import Cpu, Steps


def accumulate(cpu: Cpu, a: Inertia, b: Inertia) -> Inertia:
    """Sums of spatial inertias, to be scanned."""
    return cpu.do(add_inertias, a, b)


def row(cpu: Cpu, local: LocalBody, i: int, n: int) -> Steps[list[float]]:
    """Row i of M; ports are numbered by dimension."""
    body = yield from pose(cpu, HYPERCUBE, local, i, n)  # Table 4.9, operations 1, 2, 4, 5
    J = cpu.do(rotate_inertia, body.R, local.J)  # 3
    first = cpu.do(scale, local.m, body.centre)  # 6
    second = cpu.do(inertia_about_origin, J, body.centre, first)  # 7, 8
    B: Spatial = cpu.do(cross, body.hinge, body.z), body.z  # 9
    K = yield from HYPERCUBE.suffix(cpu, i, n, (local.m, first, second), accumulate)  # 10
    KB = cpu.do(spatial_product, K, B)  # 11
    shared = yield from HYPERCUBE.all_gather(cpu, i, n, (B, KB))
    return [
        cpu.do(spatial_dot, *((other_B, KB) if j <= i else (B, other_KB)))  # 12
        for j, (other_B, other_KB) in enumerate(shared, start=1)
    ]


def rows_of(local_bodies: list[LocalBody]) -> list[RowProgram]:
    """A program for each row."""
    return [row for _ in local_bodies]


def make(mechanism: Mechanism, options: Mapping[str, str]) -> CellEvaluation:
    """Load two hypercubes and the solver."""
    return paired_evaluation(mechanism, HYPERCUBE, rows_of, options["solver"])


def published(n: int, _: Mapping[str, str]) -> Mapping[str, Published]:
    """Table 4.8, row H."""
    stages = (n - 1).bit_length()
    mul, add = 27 * stages + 6 * n + 109, 31 * stages + 5 * n + 92
    return {
        "inertia": Published(mul, add, "Wong Table 4.8, H"),
        "inertia+solver": Published(mul + 7 * n - 5, add + 7 * n - 5, "Wong Table 4.8, H"),
    }


HWANG = Scheme(
    name="hwang",
    summary="accumulated spatial inertias on a hypercube of n, another for h, and a solver",
    make=make,
    options={"solver": RIVAL_SOLVERS},
    published=published,
    inverse=force_network(HYPERCUBE),
    solving=frozenset({"solver"}),
)
