"""Running sums on 2^d processors: each has a number, and is to know the sum of all numbers up to its own.

Running sums are a small system of equations: x1 = b1, and xi - x(i-1) = bi for the others. So they go by
`meshsim solve doubling.py:DOUBLING --system odd.json`, which holds what comes out against a dense solver.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import meshsim as ms


@ms.kernel(add=1)
def add_sums(x: float, y: float) -> float:
    """One addition."""
    return x + y


def double(cpu: ms.Cpu, i: int, n: int, mine: float) -> ms.Steps[float]:
    """Swap the group's sum with a partner: two groups become one, twice as large.

    Port s leads to the processor whose number, counted from 0, differs by 2^s.
    """
    group = mine
    for stage in range(n.bit_length() - 1):
        theirs, _ = yield cpu.par(cpu.recv(str(stage)), cpu.send(str(stage), group))
        if i >> stage & 1:  # the partner's group stands before this one
            mine = cpu.do(add_sums, theirs, mine)
            group = cpu.do(add_sums, theirs, group)
        else:
            group = cpu.do(add_sums, group, theirs)
    return mine


def hand_on(cpu: ms.Cpu, i: int, n: int, mine: float) -> ms.Steps[float]:
    """Add the own number to what the neighbour knows, and hand it on: no doubling."""
    if i > 0:
        so_far = yield cpu.recv("west")
        mine = cpu.do(add_sums, so_far, mine)
    if i < n - 1:
        yield cpu.send("east", mine)
    return mine


# What makes them solvers


def solved(cpu: ms.Cpu, program: Callable[..., ms.Steps[float]], i: int, n: int, mine: float) -> ms.Steps[float]:
    """A program, with the marks that `meshsim solve` tells the times of."""
    if i == 0:
        cpu.phase("first_unknown")  # x1 is b1
    x = yield from program(cpu, i, n, mine)
    cpu.phase("last_unknown")
    return x


@dataclass(frozen=True)
class RunningSums(ms.Solver):
    """A solver of the equations of running sums, and of no others."""

    network: str = ""
    program: Callable[..., ms.Steps[float]] = double

    def plan(self, A: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> ms.Plan[np.ndarray[Any, Any]]:
        """A program on each processor, and how to read the sums."""
        n = len(b)
        self.check(A)
        graph = ms.load_network(f"{self.network}:{n}").graph
        programs = {
            node: partial(solved, program=self.program, i=i, n=n, mine=float(b[i])) for i, node in enumerate(graph)
        }
        return ms.Plan(graph, programs, lambda results: np.array([results[node] for node in graph]))


def check(A: np.ndarray[Any, Any]) -> None:
    """Refuse any other system."""
    n = len(A)
    if n & (n - 1) or not np.array_equal(A, np.eye(n) - np.eye(n, k=-1)):
        raise ms.MeshSimError("A must be that of running sums of 2^d numbers: 1 on the diagonal and -1 below it")


def alone(_n: int) -> Any:
    """It solves a system of its own, never one of a scheme."""
    raise ms.MeshSimError("the solver of a scheme must take any matrix, not running sums alone")


DOUBLING = RunningSums("doubling", "running sums by recursive doubling", alone, check, "incomplete-hypercube", double)
HANDING_ON = RunningSums("handing-on", "running sums from neighbour to neighbour", alone, check, "pipeline", hand_on)
