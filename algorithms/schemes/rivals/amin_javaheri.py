"""Amin-Javaheri and Orin: the column algorithm for composite rigid bodies on a hypercube, work duplicated.

Both ends of every exchange compute, so that every value is one hop away. When the composite bodies are known
they are shared with all, and processor i forms row i of M without further communication. The paper gives M alone; here
a second hypercube forms the force vector.                                                   # Wong sec. 4.7.2
"""

from collections.abc import Mapping
from functools import partial

from meshsim.algorithms.collectives.recursive_doubling import HYPERCUBE
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.base.evaluation import CellEvaluation
from meshsim.algorithms.schemes.base.scheme import Published, Scheme
from meshsim.algorithms.schemes.rivals.composite import Load, by_centre_of_mass, loads_of, pair_entry
from meshsim.algorithms.schemes.rivals.inertial_frame import pose
from meshsim.algorithms.schemes.rivals.paired import RIVAL_SOLVERS, RowProgram, force_network, paired_evaluation
from meshsim.program import Cpu, Steps


def row(cpu: Cpu, local: LocalBody, load: Load, i: int, n: int) -> Steps[list[float]]:
    """Row i of M; ports are numbered by dimension."""
    body = yield from pose(cpu, HYPERCUBE, local, i, n)
    own = yield from by_centre_of_mass(cpu, HYPERCUBE, local, load, body, i, n)
    wrenches = yield from HYPERCUBE.all_gather(cpu, i, n, own)
    return [pair_entry(cpu, i, j, own, wrench) for j, wrench in enumerate(wrenches, start=1)]


def rows_of(local_bodies: list[LocalBody]) -> list[RowProgram]:
    """A program for each row."""
    return [partial(row, load=load) for load in loads_of(local_bodies)]


def make(mechanism: Mechanism, options: Mapping[str, str]) -> CellEvaluation:
    """Load two hypercubes and the solver."""
    return paired_evaluation(mechanism, HYPERCUBE, rows_of, options["solver"])


def published(n: int, _: Mapping[str, str]) -> Mapping[str, Published]:
    """Table 4.8, row A: cycles of 1 us in which a multiply and an add cost the same, shown as multiplies."""
    return {"inertia": Published(27 * n + 99 * (n - 1).bit_length() - 1, 0, "Wong Table 4.8, A, in cycles of 1 us")}


AMIN_JAVAHERI = Scheme(
    name="amin-javaheri",
    summary="composite rigid bodies by columns on a hypercube of n, another for h, and a solver",
    make=make,
    options={"solver": RIVAL_SOLVERS},
    published=published,
    inverse=force_network(HYPERCUBE),
    solving=frozenset({"solver"}),
)
