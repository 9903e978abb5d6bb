"""What the rivals share: M by rows on one network, h on another of the same kind, and a solver fed by both.

Every rival of the thesis's section 4.7 has this shape. Processor i of the part "M" ends with row i of M and feeds it to
the solver; the processors of the part "h" form b and bring it together; the unknowns come back to them.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any

import networkx as nx
import numpy as np

from meshsim.algorithms.collectives.recursive_doubling import Doubling
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.assembly import Assembly
from meshsim.algorithms.schemes.base.bodies import LocalBody, lift_of
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation, CellInversion, Feed, Gathering
from meshsim.algorithms.schemes.rivals.inertial_frame import bias_force, right_hand_side
from meshsim.algorithms.solvers.catalogue import SOLVERS, SolverChoice, load_solver
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu, Steps
from meshsim.topologies.ports import add_link

RIVAL_SOLVERS = SolverChoice(sorted(SOLVERS, key=lambda name: name != "liu-young"))
"""What the option `solver` may be; the thesis pairs every rival with Liu and Young's."""

RIVALS_TAKE = frozenset({"prismatic joints"})
"""What every rival takes beyond chains of revolute joints: a scan follows a chain, and no branches."""


def force_cell(cpu: Cpu, local: LocalBody, way: Doubling, lift: Vector, i: int, n: int) -> Steps[tuple[float, float]]:
    """Processor i of the part "h": h_i, then b to processor 1 and on to the solver; x comes back the same way."""
    h = yield from bias_force(cpu, way, local, lift, i, n)
    cpu.phase("force")
    b = yield from way.gather(cpu, i, n, right_hand_side(cpu, local, h))
    if i == 1:
        yield cpu.send("feed", b)
    cpu.phase("shift")
    x = (yield cpu.recv("out")) if i == 1 else ()
    qdd = yield from way.scatter(cpu, i, n, x)
    cpu.phase("distribute")
    return h, qdd


RowProgram = Callable[..., Steps[list[float]]]
"""Given cpu, link, i and n, forms row i of M."""


def row_cell(cpu: Cpu, local: LocalBody, row_of: RowProgram, i: int, n: int) -> Steps[list[float]]:
    """Processor i of the part "M": row i of M, then to the solver. feed <- the row."""
    row = yield from row_of(cpu, local=local, i=i, n=n)
    cpu.phase("inertia")
    yield cpu.send("feed", tuple(row))
    cpu.phase("shift")
    return row


def paired_evaluation(mechanism: Mechanism, way: Doubling, rows: Sequence[RowProgram], solver: str) -> CellEvaluation:
    """M by rows on one network of n processors, h on another of the same kind, and a solver."""
    n = mechanism.n
    matrix = {i: Cell(partial(row_cell, row_of=row_of, i=i, n=n), (i - 1,)) for i, row_of in enumerate(rows, start=1)}
    assembly = Assembly()
    assembly.add("M", way.topology(n), matrix)
    add_forces(assembly, mechanism, way)
    matrix_nodes = [("M", i) for i in range(1, n + 1)]
    return solved(mechanism, assembly, way, matrix_nodes, solver, partial(read_rows, n))


def solved(
    mechanism: Mechanism,
    assembly: Assembly,
    way: Doubling,
    matrix_nodes: Sequence[Hashable],
    solver: str,
    read: Callable[[Mapping[Any, Any]], Dynamics],
) -> CellEvaluation:
    """Add the solver to the parts "M" and "h"; `matrix_nodes` end with the rows of M, and need the positions.

    The state of joint i lives in processor i of "h".
    """
    n = mechanism.n
    homes = tuple(("h", i) for i in range(1, n + 1))
    sources = [(node, "feed") for node in (*matrix_nodes, homes[0])]
    assembly.add_solver(load_solver(solver), n, sources, homes[0])
    feeds = tuple(Feed(*ends) for ends in zip(homes, repeat("position"), matrix_nodes, repeat("position")))

    def gather(cpu: Cpu, node: tuple[str, int], values: tuple[float, ...]) -> Steps[tuple[float, ...]]:
        return (yield from way.gather(cpu, node[1], n, values[0]))

    def scatter(cpu: Cpu, node: tuple[str, int], values: tuple[float, ...]) -> Steps[tuple[float, ...]]:
        return ((yield from way.scatter(cpu, node[1], n, values)),)

    gathering = Gathering(homes[0], gather, scatter)
    return CellEvaluation(mechanism, assembly.topology, assembly.cells, read, homes, _acceleration, feeds, gathering)


def one_bus(network: nx.MultiGraph, feeds: Sequence[Feed] = ()) -> nx.MultiGraph:
    """A network with every message on one bus, and those of feeds too."""
    network = network.copy()
    for feed in feeds:
        add_link(network, feed.home, feed.out, feed.target, feed.into)
    nx.set_edge_attributes(network, "bus", "bus")
    return network


def _acceleration(result: tuple[float, float]) -> Sequence[float]:
    return result[1:]


def add_forces(assembly: Assembly, mechanism: Mechanism, way: Doubling) -> None:
    """The part "h": recursive doubling on n processors of its own."""
    n, lift = mechanism.n, lift_of(mechanism)
    forces = {i: Cell(partial(force_cell, way=way, lift=lift, i=i, n=n), (i - 1,)) for i in range(1, n + 1)}
    assembly.add("h", way.topology(n), forces)


def torque_cell(cpu: Cpu, local: LocalBody, way: Doubling, lift: Vector, i: int, n: int) -> Steps[float]:
    """Processor i of inverse dynamics: tau_i, by the part "h" alone."""
    tau = yield from bias_force(cpu, way, local, lift, i, n)
    cpu.phase("torques")
    return tau


def force_network(ways: Doubling | Mapping[str, Doubling]) -> Callable[[Mechanism, Mapping[str, str]], CellInversion]:
    """How inverse dynamics are laid out on the part "h", whose recursion is given accelerations.

    Several ways go by the option `network`.
    """

    def invert(mechanism: Mechanism, options: Mapping[str, str]) -> CellInversion:
        way = ways if isinstance(ways, Doubling) else ways[options["network"]]
        n, lift = mechanism.n, lift_of(mechanism)
        cells = {i: Cell(partial(torque_cell, way=way, lift=lift, i=i, n=n), (i - 1,)) for i in range(1, n + 1)}
        return CellInversion(mechanism, way.topology(n), cells, partial(_read_torques, n))

    return invert


def _read_torques(n: int, results: Mapping[Hashable, float]) -> Array:
    return np.array([results[i] for i in range(1, n + 1)])


def read_rows(n: int, results: Mapping[Any, Any]) -> Dynamics:
    """M by rows, h and the accelerations from the part "h"."""
    M = np.array([results["M", i] for i in range(1, n + 1)])
    return Dynamics(M, *read_forces(n, results))


def read_forces(n: int, results: Mapping[Any, Any]) -> tuple[Any, Any]:
    """h and the accelerations, from the processors that hold them."""
    h, qdd = np.array([results["h", i] for i in range(1, n + 1)]).T
    return h, qdd
