"""Plans put together from parts: a network for M, one for h, and a solver, each with its own processors.

Every rival of the thesis's section 4.7 has this shape. Processor i of the part "M" ends with row i of M and feeds it to
the solver; the processors of the part "h" form b and bring it together; the unknowns come back to them.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import networkx as nx
import numpy as np

from algorithms.inertial_frame import bias_force, right_hand_side
from algorithms.links import Link, lift_of, links_of
from algorithms.mechanism import Mechanism, Vector
from algorithms.recursive_doubling import Doubling
from algorithms.reference import Dynamics
from algorithms.solver import Solver, SolverArray
from algorithms.solvers import SOLVERS, load_solver
from algorithms.state import State
from meshsim.plan import Plan, Program
from meshsim.processor import Processor, Steps
from topologies.ports import add_link

RIVAL_SOLVERS = tuple(sorted(SOLVERS, key=lambda name: name != "liu-young"))
"""What the option `solver` may be; the thesis pairs every rival with Liu and Young's."""


class Assembly:
    """A topology and its programs, part by part. Node (part, node) is what was called node in the part alone."""

    def __init__(self) -> None:
        self.topology = nx.MultiGraph()
        self.programs: dict[Hashable, Program] = {}

    def add(self, part: str, topology: nx.MultiGraph, programs: Mapping[Any, Program]) -> None:
        """Add a part as it is."""
        self.topology.add_nodes_from((part, node) for node in topology)
        for _, _, data in topology.edges(data=True):
            (u, u_port), (v, v_port) = data["ports"].items()
            bus = {"bus": f"{part} {data['bus']}"} if "bus" in data else {}
            self.topology.add_edge((part, u), (part, v), ports={(part, u): u_port, (part, v): v_port}, **bus)
        for node, program in programs.items():
            self.programs[part, node] = program

    def add_solver(self, solver: Solver, n: int, feeds: Sequence[tuple[Hashable, str]], out: Hashable) -> None:
        """Add a solver, fed through n + 1 ports: columns of A, then b. The node `out` gets x through its port "out"."""
        array = solver.array(n)
        self.add("solver", array.topology, fed_cells(array))
        for (source, port), edge in zip(feeds, array.edges, strict=True):
            add_link(self.topology, source, port, ("solver", edge), "feed")
        add_link(self.topology, ("solver", array.output), "out", out, "out")


def fed_cells(array: SolverArray) -> dict[Hashable, Program]:
    """The cells of a solver whose data come through ports."""
    edges = set(array.edges)
    return {
        node: partial(_fed, cell=cell, edge=node in edges, output=node == array.output)
        for node, cell in array.cells.items()
    }


def _fed(cpu: Processor, cell: Callable[..., Steps[Any]], edge: bool, output: bool) -> Steps[None]:
    """feed -> a row of A, or b;  out <- x."""
    if edge:
        row = yield cpu.recv("feed")
        cpu.phase("shift")
        result = yield from cell(cpu, row=list(row))
    else:
        result = yield from cell(cpu)
    if output:
        cpu.phase("solve")
        yield cpu.send("out", tuple(result))


def force_cell(cpu: Processor, way: Doubling, link: Link, lift: Vector, i: int, n: int) -> Steps[tuple[float, float]]:
    """Processor i of the part "h": h_i, then b to processor 1 and on to the solver; x comes back the same way."""
    h = yield from bias_force(cpu, way, link, lift, i, n)
    cpu.phase("force")
    b = yield from way.collect(cpu, i, n, right_hand_side(cpu, link, h))
    if i == 1:
        yield cpu.send("feed", b)
    cpu.phase("shift")
    x = (yield cpu.recv("out")) if i == 1 else ()
    qdd = yield from way.spread(cpu, i, n, x)
    cpu.phase("distribute")
    return h, qdd


RowProgram = Callable[..., Steps[list[float]]]
"""Given cpu, link, i and n, forms row i of M."""


def row_cell(cpu: Processor, row_of: RowProgram, link: Link, i: int, n: int) -> Steps[list[float]]:
    """Processor i of the part "M": row i of M, then to the solver. feed <- the row."""
    row = yield from row_of(cpu, link=link, i=i, n=n)
    cpu.phase("inertia")
    yield cpu.send("feed", tuple(row))
    cpu.phase("shift")
    return row


def paired_plan(
    mechanism: Mechanism, state: State, way: Doubling, rows_of: Callable[[list[Link]], list[RowProgram]], solver: str
) -> Plan[Dynamics]:
    """M by rows on one network of n processors, h on another of the same kind, and a solver."""
    n = mechanism.n
    links = links_of(mechanism, state)
    matrix = {
        i: partial(row_cell, row_of=row_of, link=link, i=i, n=n)
        for i, (link, row_of) in enumerate(zip(links, rows_of(links), strict=True), start=1)
    }
    assembly = Assembly()
    assembly.add("M", way.topology(n), matrix)
    add_forces(assembly, mechanism, links, way)
    feeds = [*((("M", i), "feed") for i in range(1, n + 1)), (("h", 1), "feed")]
    assembly.add_solver(load_solver(solver), n, feeds, ("h", 1))
    return Plan(assembly.topology, assembly.programs, partial(read_rows, n))


def add_forces(assembly: Assembly, mechanism: Mechanism, links: list[Link], way: Doubling) -> None:
    """The part "h": recursive doubling on n processors of its own."""
    n, lift = mechanism.n, lift_of(mechanism)
    forces = {i: partial(force_cell, way=way, link=link, lift=lift, i=i, n=n) for i, link in enumerate(links, start=1)}
    assembly.add("h", way.topology(n), forces)


def read_rows(n: int, results: Mapping[Any, Any]) -> Dynamics:
    """M by rows, h and the accelerations from the part "h"."""
    M = np.array([results["M", i] for i in range(1, n + 1)])
    return Dynamics(M, *read_forces(n, results))


def read_forces(n: int, results: Mapping[Any, Any]) -> tuple[Any, Any]:
    """h and the accelerations, from where they came to rest."""
    h, qdd = np.array([results["h", i] for i in range(1, n + 1)]).T
    return h, qdd
