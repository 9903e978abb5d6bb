"""A parallel solver: an array of cells that takes A and b at its edge and gives x at one cell."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import networkx as nx
import numpy as np

from meshsim.algorithms.kernels.core import pass_on
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.program import Cpu, Program, Steps


@dataclass(frozen=True)
class SolverArray:
    """The cells of a solver for n unknowns, not yet fed.

    `edges` are n + 1 cells: the i-th takes column i of A, the last one b, as the keyword `row`, a list of n numbers.
    The program of `output` returns x; it marks the phases `first_unknown` and `last_unknown`.
    """

    topology: nx.MultiGraph
    cells: Mapping[Hashable, Callable[..., Any]]
    edges: tuple[Hashable, ...]
    output: Hashable


@dataclass(frozen=True)
class Solver:
    """A named solver.

    Attributes
    ----------
    name, summary : str
        What it is called, and what it is.
    array : callable
        Makes the cells for n unknowns, a `SolverArray`.
    check : callable
        Refuses, with a `MeshSimError`, a matrix that it cannot take.
    """

    name: str
    summary: str
    array: Callable[[int], SolverArray]
    check: Callable[[Array], None]

    def plan(self, A: Array, b: Array) -> Plan[Array]:
        """A plan that solves A x = b on the array alone."""
        self.check(A)
        array = self.array(len(b))
        columns = [*A.T.tolist(), b.tolist()]
        programs: dict[Hashable, Program] = dict(array.cells)
        for node, column in zip(array.edges, columns, strict=True):
            programs[node] = partial(array.cells[node], row=column)
        return Plan(array.topology, programs, lambda results: np.array(results[array.output]))


def hand_on(cpu: Cpu, source: str, target: str, value: float, size: int) -> Steps[None]:
    """target <- the cell's own value, then `size` numbers from the source, each while the next comes in."""
    for _ in range(size):
        arrived, _ = yield cpu.par(cpu.recv(source), cpu.send(target, value))
        value = cpu.do(pass_on, arrived)
    yield cpu.send(target, value)


class SingularError(MeshSimError):
    """A matrix that a solver cannot take."""
