"""Fijany and Bejczy: composite rigid-body spatial inertia on a triangular mesh, M in O(log n) arithmetic.

Row 1 of the mesh finds the composite bodies by recursive doubling along the row, paying 2^s hops in stage s; every cell
forms its own entry of M (`entry_mesh.py`). The paper gives M alone; here a pipeline of n forms the force vector, by
doubling over the same hops.
                                                                                           # Wong sec. 4.7.3
"""

from collections.abc import Mapping
from functools import partial

from meshsim.algorithms.collectives.recursive_doubling import PIPELINE
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.bodies import LocalBody, bodies_of
from meshsim.algorithms.schemes.base.evaluation import CellEvaluation
from meshsim.algorithms.schemes.base.scheme import Published, Scheme
from meshsim.algorithms.schemes.rivals.composite import Load, Wrench, by_moments, loads_of
from meshsim.algorithms.schemes.rivals.entry_mesh import mesh_evaluation
from meshsim.algorithms.schemes.rivals.inertial_frame import pose
from meshsim.algorithms.schemes.rivals.paired import RIVAL_SOLVERS, RIVALS_TAKE, force_network
from meshsim.program import Cpu, Steps


def composite(cpu: Cpu, local: LocalBody, load: Load, i: int, n: int) -> Steps[Wrench]:
    """Row 1: the wrench of joint i, by doubling over the ports east and west."""
    body = yield from pose(cpu, PIPELINE, local, i, n)
    return (yield from by_moments(cpu, PIPELINE, local, load, body, i, n))


def make(mechanism: Mechanism, options: Mapping[str, str]) -> CellEvaluation:
    """Load the mesh, the pipeline and the solver."""
    composites = [partial(composite, load=load) for load in loads_of(bodies_of(mechanism))]
    return mesh_evaluation(mechanism, PIPELINE, composites, options["solver"])


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
    takes=RIVALS_TAKE,
    inverse=force_network(PIPELINE),
    solving=frozenset({"solver"}),
)
