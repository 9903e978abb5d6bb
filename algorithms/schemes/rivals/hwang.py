"""Hwang, Bae, Haug and Kuhl: accumulated spatial inertias on a hypercube, M by projection.

K_i is the spatial inertia of bodies i..n about the origin, B_i joint i's unit motion. Then M_ij = B_i^T K_j B_j for
i <= j. The operations are those of Table 4.9; of a joint that slides B_i is (z, 0), and only its half of each product
is formed. The paper gives M alone; here a second hypercube forms the force vector.
                                                                                           # Wong sec. 4.7.4

The authors' machine had a bus and shared memory. With `network=bus` any two processors can talk, as on a generalised
cube, and every message goes over one bus, the solver's too; there is no broadcast.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from meshsim.algorithms.collectives.recursive_doubling import CUBE, HYPERCUBE, Doubling
from meshsim.algorithms.kernels.core import ZERO, cross, scale
from meshsim.algorithms.kernels.inertial import (
    Inertia,
    Spatial,
    add_inertias,
    inertia_about_origin,
    rotate_inertia,
    spatial_product,
)
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.base.evaluation import CellEvaluation, CellInversion
from meshsim.algorithms.schemes.base.joints import projected, pushed
from meshsim.algorithms.schemes.base.scheme import Published, Scheme
from meshsim.algorithms.schemes.rivals.composite import sliding_of
from meshsim.algorithms.schemes.rivals.inertial_frame import pose
from meshsim.algorithms.schemes.rivals.paired import (
    RIVAL_SOLVERS,
    RIVALS_TAKE,
    force_network,
    one_bus,
    paired_evaluation,
)
from meshsim.program import Cpu, Steps

NETWORKS = {"hypercube": HYPERCUBE, "bus": CUBE}
"""By the option `network`: how processors talk."""


def accumulate(cpu: Cpu, a: Inertia, b: Inertia) -> Inertia:
    """Sums of spatial inertias, to be scanned."""
    return cpu.do(add_inertias, a, b)


def row(cpu: Cpu, local: LocalBody, way: Doubling, slides: Sequence[bool], i: int, n: int) -> Steps[list[float]]:
    """Row i of M; ports are the network's."""
    body = yield from pose(cpu, way, local, i, n)  # Table 4.9, operations 1, 2, 4, 5
    J = cpu.do(rotate_inertia, body.R, local.J)  # 3
    first = cpu.do(scale, local.m, body.centre)  # 6
    second = cpu.do(inertia_about_origin, J, body.centre, first)  # 7, 8
    B: Spatial = (body.z, ZERO) if local.slides else (cpu.do(cross, body.hinge, body.z), body.z)  # 9
    K = yield from way.suffix(cpu, i, n, (local.m, first, second), accumulate)  # 10
    KB = pushed(cpu, K, body.z) if local.slides else cpu.do(spatial_product, K, B)  # 11
    shared = yield from way.all_gather(cpu, i, n, (B, KB))
    return [
        projected(cpu, other_B, KB, slides[j - 1]) if j <= i else projected(cpu, B, other_KB, local.slides)  # 12
        for j, (other_B, other_KB) in enumerate(shared, start=1)
    ]


def make(mechanism: Mechanism, options: Mapping[str, str]) -> CellEvaluation:
    """Load two hypercubes, or two groups of processors on one bus, and the solver."""
    way = NETWORKS[options["network"]]
    program = partial(row, way=way, slides=sliding_of(mechanism))
    found = paired_evaluation(mechanism, way, [program] * mechanism.n, options["solver"])
    return replace(found, topology=one_bus(found.topology, found.feeds)) if options["network"] == "bus" else found


def invert(mechanism: Mechanism, options: Mapping[str, str]) -> CellInversion:
    """Load a hypercube, or processors on a bus."""
    found = force_network(NETWORKS)(mechanism, options)
    return replace(found, topology=one_bus(found.topology)) if options["network"] == "bus" else found


def published(n: int, _: Mapping[str, str]) -> Mapping[str, Published]:
    """Table 4.8, row H: arithmetic, whatever the network."""
    stages = (n - 1).bit_length()
    mul, add = 27 * stages + 6 * n + 109, 31 * stages + 5 * n + 92
    return {
        "inertia": Published(mul, add, "Wong Table 4.8, H"),
        "inertia+solver": Published(mul + 7 * n - 5, add + 7 * n - 5, "Wong Table 4.8, H"),
    }


HWANG = Scheme(
    name="hwang",
    summary="accumulated spatial inertias on a hypercube of n, another for h, and a solver; or all on one bus",
    make=make,
    options={"network": tuple(NETWORKS), "solver": RIVAL_SOLVERS},
    published=published,
    takes=RIVALS_TAKE,
    inverse=invert,
    solving=frozenset({"solver"}),
)
