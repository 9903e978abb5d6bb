"""Plans assembled from parts: networks with their programs, and a solver, each with its own processors."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import networkx as nx

from meshsim.algorithms.schemes.base.evaluation import Cell
from meshsim.algorithms.solvers.base import Solver, SolverArray
from meshsim.program import Cpu, Steps
from meshsim.topologies.ports import add_link


class Assembly:
    """A topology and its cells, part by part. Node (part, node) is what was called node in the part alone."""

    def __init__(self) -> None:
        self.topology = nx.MultiGraph()
        self.cells: dict[Hashable, Cell] = {}

    def add(self, part: str, topology: nx.MultiGraph, cells: Mapping[Any, Cell]) -> None:
        """Add a part as it is."""
        self.topology.add_nodes_from((part, node) for node in topology)
        for _, _, data in topology.edges(data=True):
            (u, u_port), (v, v_port) = data["ports"].items()
            bus = {"bus": f"{part} {data['bus']}"} if "bus" in data else {}
            self.topology.add_edge((part, u), (part, v), ports={(part, u): u_port, (part, v): v_port}, **bus)
        for node, cell in cells.items():
            self.cells[part, node] = cell

    def add_solver(self, solver: Solver, n: int, feeds: Sequence[tuple[Hashable, str]], out: Hashable) -> None:
        """Add a solver, fed through n + 1 ports: columns of A, then b. The node `out` gets x through its port "out"."""
        array = solver.array(n)
        self.add("solver", array.topology, fed_cells(array))
        for (source, port), edge in zip(feeds, array.edges, strict=True):
            add_link(self.topology, source, port, ("solver", edge), "feed")
        add_link(self.topology, ("solver", array.output), "out", out, "out")


def fed_cells(array: SolverArray) -> dict[Hashable, Cell]:
    """The cells of a solver whose data come through ports."""
    edges = set(array.edges)
    return {
        node: Cell(partial(_fed, cell=cell, edge=node in edges, output=node == array.output))
        for node, cell in array.cells.items()
    }


def _fed(cpu: Cpu, cell: Callable[..., Steps[Any]], edge: bool, output: bool) -> Steps[None]:
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
