"""Amin-Javaheri and Orin: the column algorithm for composite rigid bodies, on three networks.

On a hypercube both ends of every exchange compute, so that every value is one hop away. When the composite bodies are
known they are shared with all, and processor i forms row i of M without further communication.  # Wong sec. 4.7.2

The thesis names two more networks, O(n) both, and says no more of them (sec. 2.2.1). Here a pipeline does the same with
values that go from neighbour to neighbour, without doubling; on a mesh, row 1 does so, and every cell forms one entry
(`entry_mesh.py`). The paper gives M alone; here a second network forms the force vector.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from meshsim.algorithms.collectives.recursive_doubling import HYPERCUBE, LINE, Doubling
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.bodies import LocalBody, bodies_of
from meshsim.algorithms.schemes.base.evaluation import CellEvaluation
from meshsim.algorithms.schemes.base.scheme import Published, Scheme
from meshsim.algorithms.schemes.rivals.composite import (
    Load,
    Wrench,
    by_centre_of_mass,
    loads_of,
    pair_entry,
    sliding_of,
)
from meshsim.algorithms.schemes.rivals.entry_mesh import mesh_evaluation
from meshsim.algorithms.schemes.rivals.inertial_frame import pose
from meshsim.algorithms.schemes.rivals.paired import RIVAL_SOLVERS, RIVALS_TAKE, force_network, paired_evaluation
from meshsim.program import Cpu, Steps

NETWORKS: Mapping[str, Doubling] = {"hypercube": HYPERCUBE, "pipeline": LINE, "mesh": LINE}
"""By the option `network`: how values are combined along it, or along row 1 of the mesh."""


def composite(cpu: Cpu, local: LocalBody, way: Doubling, load: Load, i: int, n: int) -> Steps[Wrench]:
    """The wrench of joint i; ports are the network's."""
    body = yield from pose(cpu, way, local, i, n)
    return (yield from by_centre_of_mass(cpu, way, local, load, body, i, n))


def row(
    cpu: Cpu, local: LocalBody, way: Doubling, load: Load, slides: Sequence[bool], i: int, n: int
) -> Steps[list[float]]:
    """Row i of M; ports are the network's."""
    own = yield from composite(cpu, local, way, load, i, n)
    wrenches = yield from way.all_gather(cpu, i, n, own)
    return [pair_entry(cpu, i, j, own, wrench, slides) for j, wrench in enumerate(wrenches, start=1)]


def make(mechanism: Mechanism, options: Mapping[str, str]) -> CellEvaluation:
    """Load two networks and the solver."""
    way, loads = NETWORKS[options["network"]], loads_of(bodies_of(mechanism))
    if options["network"] == "mesh":
        composites = [partial(composite, way=way, load=load) for load in loads]
        return mesh_evaluation(mechanism, way, composites, options["solver"])
    rows = [partial(row, way=way, load=load, slides=sliding_of(mechanism)) for load in loads]
    return paired_evaluation(mechanism, way, rows, options["solver"])


def published(n: int, options: Mapping[str, str]) -> Mapping[str, Published]:
    """Table 4.8, row A: cycles of 1 us in which a multiply and an add cost the same, shown as multiplies."""
    if options["network"] != "hypercube":  # whose counts the thesis does not print
        return {}
    return {"inertia": Published(27 * n + 99 * (n - 1).bit_length() - 1, 0, "Wong Table 4.8, A, in cycles of 1 us")}


AMIN_JAVAHERI = Scheme(
    name="amin-javaheri",
    summary="composite rigid bodies by columns on a hypercube, pipeline or mesh, another network for h, and a solver",
    make=make,
    options={"network": tuple(NETWORKS), "solver": RIVAL_SOLVERS},
    published=published,
    takes=RIVALS_TAKE,
    inverse=force_network(NETWORKS),
    solving=frozenset({"solver"}),
)
