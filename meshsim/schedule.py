"""The times of a recording in an order in which they can be evaluated, for many machines at once.

There are two ways to go through them. One goes level by level, a level's times for all machines by a few numpy
operations. The other is a compiled loop (`lanes.py`), time by time for a block of machines. Both give the same ticks.
"""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from meshsim import lanes
from meshsim.deadlock import DeadlockError
from meshsim.dependences import Graph
from meshsim.errors import MeshSimError
from meshsim.machine import LinkCosts
from meshsim.recording import Ints, Recording

MEMORY = 200_000_000
"""Bytes that the times of one batch of machines may take."""


class Schedule:
    """The times of a `Graph`, and the classes of what their dependences cost.

    Attributes
    ----------
    classes : tuple
        The different costs there are: works (-1: none), costs of a message as places in `kinds`, and its words.
    source, target, cost : arrays
        Of each dependence: the time it depends on, the time that depends, and the class of its cost.
    count : int
        How many times there are, with time 0, the start.
    ends, finish, marks : arrays
        Which times they are, as in the graph.
    phases, phase : list, array
        The names of phases, and of each mark the place of its phase among them.
    """

    def __init__(self, recording: Recording, links: LinkCosts) -> None:
        graph = Graph(recording, links)
        self.source, self.target, key = (np.concatenate(column) for column in zip(*graph.edges, strict=True))
        self.count = graph.count + 1
        self.ends, self.finish, self.marks = graph.ends[:-1], graph.finish, graph.marks
        names = [name for _, name, _, _ in recording.marks]
        self.phases = list(dict.fromkeys(names))
        self.phase = np.array([self.phases.index(name) for name in names], dtype=np.int64)
        self.kinds = tuple(graph.kinds)
        keys, self.cost = _numbered(key)
        self.classes = graph.classes(keys)
        self.nodes, self.discipline = recording.nodes, links.discipline
        self.walks: dict[bool, lanes.Walk] = {}

    @cached_property
    def levels(self) -> "Levels":
        """The times, level by level."""
        found = _levels(self.source, self.target, self.count)
        self._check(found)
        return Levels(self.source, self.target, self.cost, found)

    def walk(self, processors: bool) -> lanes.Walk:
        """The times for the compiled loop: of finishes, or of the last alone, and of phases their last marks."""
        if processors not in self.walks:
            order, found = lanes.in_order(self.source, self.target, self.count)
            self._check(found)
            rows = np.full(self.count, -1)
            rows[self.finish] = np.arange(len(self.finish)) if processors else 0
            rows[self.marks] = self.kept(processors) - len(self.phases) + self.phase
            self.walks[processors] = lanes.walk_of(self.source, self.target, self.cost, order, found, rows)
        return self.walks[processors]

    def kept(self, processors: bool) -> int:
        """How many rows that is."""
        return (len(self.finish) if processors else 1) + len(self.phases)

    def _check(self, levels: Ints) -> None:
        """Refuse times that wait for one another: they have no level."""
        if (levels < 0).any():
            stuck = np.flatnonzero(levels[self.finish] < 0)
            names = ", ".join(str(self.nodes[cpu]) for cpu in stuck[:8]) + (", ..." if len(stuck) > 8 else "")
            raise DeadlockError(
                f"{len(stuck)} of {len(self.nodes)} programs wait for one another under {self.discipline}: {names}; "
                "simulate the plan to see where"
            )

    def ends_of(self, costs: Ints, compiled: bool, processors: bool) -> tuple[Ints, Ints]:
        """The finish of each processor, or of the last alone, and the last mark of each phase, in rows.

        The costs of every class stand in columns, one for each machine.
        """
        if compiled:
            walk = self.walk(processors)
            found = lanes.evaluate(walk, _narrowed(costs, walk.depth))
            first = len(found) - len(self.phases)
            return found[:first], found[first:]
        times, place = self.levels.evaluate(costs), self.levels.place
        finish = times[place[self.finish]]
        ends = [times[place[self.marks[self.phase == phase]]].max(axis=0) for phase in range(len(self.phases))]
        return (
            finish if processors else finish.max(axis=0, keepdims=True, initial=0),
            np.array(ends, dtype=times.dtype).reshape(len(ends), costs.shape[1]),
        )

    def evaluate(self, costs: Ints) -> Ints:
        """Every time, in rows, likewise."""
        times: Ints = self.levels.evaluate(costs)[self.levels.place]
        return times

    def batch(self, compiled: bool, processors: bool) -> int:
        """How many machines' times are computed at once."""
        kept = self.kept(processors) if compiled else self.count + 2 * self.levels.widest
        return max(1, MEMORY // (8 * (kept + len(self.classes[0]))))


class Levels:
    """Times sorted into levels, none of a level depending on another of it.

    A level's times with the most dependences come first, so that its second dependences, its third and so on are those
    of ever fewer times from its beginning: each is one slice. A *turn* takes the n-th dependences of a level.

    Attributes
    ----------
    place : array
        Where each time stands in this order.
    source, cost : arrays
        Of each dependence, turn by turn: the place of the time it depends on, and the class of its cost.
    turns : list
        Where each turn begins and ends among the dependences, its first time, and whether it is the first of a level.
    """

    def __init__(self, source: Ints, target: Ints, cost: Ints, level: Ints) -> None:
        self.count = len(level)
        degree = np.bincount(target, minlength=self.count)
        order = np.lexsort((-degree, level))  # by level, then those with most dependences first
        self.place = np.empty_like(order)
        self.place[order] = np.arange(self.count)
        self.depth = int(level.max(initial=0))
        self._take_turns(self.place[source], self.place[target], cost, level[order])

    def _take_turns(self, source: Ints, target: Ints, cost: Ints, level: Ints) -> None:
        """Sort dependences by level, then by how many of their time stand before them, then by time."""
        by_target = np.argsort(target, kind="stable")
        source, target, cost = source[by_target], target[by_target], cost[by_target]
        slot = np.arange(len(target)) - np.searchsorted(target, target)  # how many of its time stand before each
        turn = level[target] * (slot.max(initial=0) + 1) + slot
        in_turn = np.argsort(turn, kind="stable")  # stable, so that the times of a turn stay in order; none is left out
        turn = turn[in_turn]
        begins = np.flatnonzero(np.diff(turn, prepend=-1))
        ends = np.append(begins[1:], len(turn))
        at_begin = in_turn[begins]
        first = slot[at_begin] == 0
        self.source, self.cost = source[in_turn].astype(np.intp), cost[in_turn].astype(np.intp)
        self.turns = list(zip(begins.tolist(), ends.tolist(), target[at_begin].tolist(), first.tolist(), strict=True))
        self.widest = int((ends - begins).max(initial=0))

    def evaluate(self, costs: Ints) -> npt.NDArray[Any]:
        """All times, in rows in this order, for the machines whose costs of every class stand in columns."""
        costs = _narrowed(costs, self.depth)
        kind = costs.dtype
        machines = costs.shape[1]
        times = np.zeros((self.count, machines), dtype=kind)
        arrived, spent = np.empty((2, self.widest, machines), dtype=kind)
        source, cost = self.source, self.cost
        for begin, end, low, first in self.turns:
            size = end - begin
            a, b, t = arrived[:size], spent[:size], times[low : low + size]
            times.take(source[begin:end], axis=0, out=a, mode="clip")
            costs.take(cost[begin:end], axis=0, out=b, mode="clip")
            if first:
                np.add(a, b, out=t)
            else:
                np.add(a, b, out=a)
                np.maximum(t, a, out=t)
        return times


def _numbered(keys: Ints) -> tuple[Ints, Ints]:
    """The different keys in order, and which of them each is; without sorting where they are small."""
    if int(keys.max(initial=0)) > len(keys):
        return np.unique(keys, return_inverse=True)
    found = np.flatnonzero(np.bincount(keys))
    number = np.zeros(int(keys.max(initial=0)) + 1, dtype=np.int64)
    number[found] = np.arange(len(found))
    return found, number[keys]


def check_fits(bound: float) -> None:
    """Refuse sums that may not fit into 64 bits; `bound` is the largest that may come up."""
    if bound >= 2**63:
        raise MeshSimError("times that are re-timed must stay below 2^63 ticks; to simulate has no such limit")


def _narrowed(costs: Ints, depth: int) -> npt.NDArray[Any]:
    """Costs in the smallest type that no sum along so many levels leaves."""
    bound = (depth + 1) * int(costs.max(initial=0))
    check_fits(bound)
    kind: type[Any] = np.int32 if bound < 2**31 else np.int64
    return np.ascontiguousarray(costs, dtype=kind)


def _levels(source: Ints, target: Ints, count: int) -> Ints:
    """The level of every time, one more than the highest it depends on; -1 for those that wait for one another."""
    order = np.argsort(source, kind="stable")
    targets = target[order]
    ends = np.cumsum(np.bincount(source, minlength=count))
    begins = ends - np.bincount(source, minlength=count)
    waiting = np.bincount(target, minlength=count)
    level = np.full(count, -1)
    front = np.flatnonzero(waiting == 0)
    depth = 0
    while len(front):
        level[front] = depth
        depth += 1
        sizes = ends[front] - begins[front]
        place = np.repeat(ends[front] - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
        met, times = np.unique(targets[place], return_counts=True)
        waiting[met] -= times
        front = met[waiting[met] == 0]
    return level
