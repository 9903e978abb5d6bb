"""Lee and Chang: composite rigid bodies on generalised cubes, one for M and one for the force vector.

After the composite bodies are known, their wrenches go round the ring by unit shifts. Processor i meets joint j when it
comes by, for half a turn, and forms M_ij; a shift the other way hands the entry to processor j. So each processor forms
about (n + 1)/2 entries: the balance of columns that the published count assumes.          # Wong sec. 4.7.1
"""

from collections.abc import Mapping, Sequence
from functools import partial

from meshsim.algorithms.collectives.recursive_doubling import CUBE
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.bodies import LocalBody, bodies_of
from meshsim.algorithms.schemes.base.evaluation import CellEvaluation
from meshsim.algorithms.schemes.base.scheme import Published, Scheme
from meshsim.algorithms.schemes.rivals.composite import Load, by_centre_of_mass, loads_of, pair_entry, sliding_of
from meshsim.algorithms.schemes.rivals.inertial_frame import pose
from meshsim.algorithms.schemes.rivals.paired import RIVAL_SOLVERS, RIVALS_TAKE, force_network, paired_evaluation
from meshsim.program import Cpu, Steps


def row(cpu: Cpu, local: LocalBody, load: Load, slides: Sequence[bool], i: int, n: int) -> Steps[list[float]]:
    """Row i of M. Ports are numbered by processor: a unit shift carries wrenches, a longer one back entries."""
    body = yield from pose(cpu, CUBE, local, i, n)
    own = visitor = yield from by_centre_of_mass(cpu, CUBE, local, load, body, i, n)
    entries = {i: pair_entry(cpu, i, i, own, own, slides)}
    for step in range(1, n // 2 + 1):
        east, west = i % n + 1, (i - 2) % n + 1
        visitor, _ = yield cpu.par(cpu.recv(str(west)), cpu.send(str(east), visitor))
        j, k = (i - step - 1) % n + 1, (i + step - 1) % n + 1
        meets_both = 2 * step == n  # opposite on the ring: the outer of the two forms the entry
        sends, receives = [], []
        if not meets_both or i > j:
            entries[j] = pair_entry(cpu, i, j, own, visitor, slides)
            sends = [cpu.send(str(j), entries[j])]
        if not meets_both or i < k:
            receives = [cpu.recv(str(k))]
        got = yield cpu.par(*receives, *sends)
        if receives:
            entries[k] = got[0]
    return [entries[j] for j in range(1, n + 1)]


def make(mechanism: Mechanism, options: Mapping[str, str]) -> CellEvaluation:
    """Load two cubes and the solver."""
    rows = [partial(row, load=load, slides=sliding_of(mechanism)) for load in loads_of(bodies_of(mechanism))]
    return paired_evaluation(mechanism, CUBE, rows, options["solver"])


def published(n: int, _: Mapping[str, str]) -> Mapping[str, Published]:
    """Table 4.8, row L."""
    half, stages = (n + 2) // 2, (n - 1).bit_length()
    mul, add = 9 * half + 31 * stages + 116, 5 * half + 28 * stages + 3 * n + 92
    return {
        "force": Published(87, 15 * stages + 65, "Wong Table 4.8, L"),
        "inertia": Published(mul, add, "Wong Table 4.8, L"),
        "inertia+solver": Published(mul + 7 * n - 5, add + 7 * n - 5, "Wong Table 4.8, L"),
    }


LEE_CHANG = Scheme(
    name="lee-chang",
    summary="composite rigid bodies on two generalised cubes of n processors, and a solver",
    make=make,
    options={"solver": RIVAL_SOLVERS},
    published=published,
    takes=RIVALS_TAKE,
    inverse=force_network(CUBE),
    solving=frozenset({"solver"}),
)
