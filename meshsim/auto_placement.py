"""Placements found by work and traffic: parts of programs, put on processors, of which the quickest is kept.

Programs are divided into parts (`partition.py`), parts are assigned to processors so that words cross few links, and
single programs are moved where that helps. That is done for several numbers of parts and several tolerances of unequal
work. What looks best is simulated, and so are the placements by name. The quickest is improved: single programs are
moved to processors that they talk to, and simulation decides again.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.optimize import quadratic_assignment
from scipy.sparse import csr_array

from meshsim.errors import MeshSimError
from meshsim.machine import Machine
from meshsim.network import Network
from meshsim.partition import Ints, by_growth, refined, relieved, symmetric
from meshsim.placement import NAMED, Placement, first_processors, place
from meshsim.placement_report import Loaded, Workload, workload

TOLERANCES = (0.1, 0.2, 0.5)
"""By how much of an equal share the work of a processor may exceed it."""
SHARES = (1.0, 0.75, 0.625, 0.5, 0.25)
"""Of the processors, to be used: fewer may be quicker."""
MESSAGES = 110_000
"""How many messages are simulated in all, about."""
LEAST_RUNS, MOST_RUNS = 5, 24
"""How many runs are made, for plans with more messages, and for those with few."""
SIMULATED = 8
"""How many of the placements that look best are simulated, at most."""
MOST_ASSIGNED = 256
"""Processors of a larger network that are looked at, the first ones: assignment takes their number to the third."""
STARTS = 4
"""Chance starts of an assignment, besides the one that is no chance."""


class Placeable(Loaded, Protocol):
    """A plan that can be placed."""

    def placed(self, network: Network, placement: Placement) -> Any:
        """A plan with the same programs, on a network."""
        ...


@dataclass(frozen=True, eq=False)
class Task:
    """Programs to place and processors to place them on, as numbers.

    Attributes
    ----------
    nodes : sequence
        The nodes that have programs, in node order.
    loads : array
        Their ticks of kernels.
    words : sparse array
        What each says to each other, in ticks on a wire; in words where these cost nothing.
    costly : bool
        Whether they cost anything.
    processors : sequence
        Those that may be used, in node order.
    network : Network
        Which has them.
    """

    nodes: Sequence[Hashable]
    loads: Ints
    words: csr_array
    costly: bool
    processors: Sequence[Hashable]
    network: Network

    @cached_property
    def both_ways(self) -> csr_array:
        """What every two say to one another."""
        return symmetric(self.words)

    @cached_property
    def distances(self) -> Ints:
        """Links between every two processors, there and back; very many where there is no way."""
        count = len(self.processors)
        far = 4 * len(self.network.graph)
        links = np.zeros((count, count), dtype=np.int64)
        for one, source in enumerate(self.processors):
            for other, target in enumerate(self.processors):
                if one != other:
                    links[one, other] = _links(self.network, source, target, far)
        return links + links.T

    def wires(self, one: int, other: int) -> list[Hashable]:
        """The wires from a processor to another, both by number: links, or the bus that they are part of."""
        try:
            route = self.network.route(self.processors[one], self.processors[other])
        except MeshSimError:
            return []  # the run will tell
        return [self.network.bus(link) or link for link in route]

    def placement(self, where: Iterable[int]) -> Placement:
        """As a mapping."""
        return {node: self.processors[number] for node, number in zip(self.nodes, where, strict=True)}


@dataclass(frozen=True, eq=False)
class Candidate:
    """A placement that looks good.

    Attributes
    ----------
    how : str
        How it was found.
    placement : Placement
        The processor of every node of the plan's topology.
    ticks : int or None
        How long its run takes; None if it was not simulated, since another was quicker than its work alone.
    failure : MeshSimError or None
        Why it cannot run, if it cannot.
    """

    how: str
    placement: Placement
    ticks: int | None = None
    failure: MeshSimError | None = None


def _links(network: Network, source: Hashable, target: Hashable, far: int) -> int:
    try:
        return network.distance(source, target)
    except MeshSimError:
        return far


def auto_placement(
    plan: Placeable,
    network: Network,
    machine: Machine,
    processors: int | None = None,
    seed: int = 1,
    tell: Callable[[str], None] = lambda _: None,
) -> Placement:
    """The quickest placement that was found.

    Parameters
    ----------
    plan : Plan
        Programs on their own topology.
    network : Network
        Where they are to run.
    machine : Machine
        What work and words cost.
    processors : int, optional
        Use at most so many processors, the first ones of the network.
    seed : int
        What chance is drawn from. The same arguments give the same placement.
    tell : callable
        Is told what is being done, and nothing at the end.

    Returns
    -------
    Placement
        The processor of every node of the plan's topology.
    """
    return quickest(auto_candidates(plan, network, machine, processors, seed, tell)).placement


def auto_candidates(
    plan: Placeable,
    network: Network,
    machine: Machine,
    processors: int | None = None,
    seed: int = 1,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[Candidate, ...]:
    """The placements that look best, and those by name, simulated where they may be quicker than those before.

    The last is the quickest of them, improved, if it could be. `auto_placement` has the parameters. If there is nothing
    to choose it is one candidate, which is not simulated.
    """
    able = first_processors(network, processors)[:MOST_ASSIGNED]
    work = workload(plan, machine)
    task = make_task(plan, work, network, able)
    if len(task.nodes) < 2 or len(able) < 2:
        return (Candidate("all there is", place(plan.topology, plan.programs, network, "blocks", processors)),)
    tell("dividing the programs into parts")
    messages = max(1, sum(each.messages for each in work.traffic))
    trials = Trials(plan, task, machine, min(max(MESSAGES // messages, LEAST_RUNS), MOST_RUNS), tell)
    for how, where in _chosen(task, trials.left, seed):
        trials.add(how, where)
    trials.improve(np.random.default_rng(seed))
    tell("")
    return tuple(trials.candidates)


def quickest(candidates: Sequence[Candidate]) -> Candidate:
    """The one whose run ends first, the first of several; one that cannot run is none."""
    able = [each for each in candidates if each.ticks is not None]
    if able:
        return min(able, key=lambda each: each.ticks or 0)
    failures = [each.failure for each in candidates if each.failure is not None]
    if failures:
        raise failures[0]
    return candidates[0]


def make_task(plan: Loaded, work: Workload, network: Network, processors: Sequence[Hashable]) -> Task:
    """The numbers of a plan's work."""
    nodes = [node for node in plan.topology if node in plan.programs]
    number = {node: place for place, node in enumerate(nodes)}
    costly = any(each.ticks for each in work.traffic)
    senders = [number[each.sender] for each in work.traffic]
    receivers = [number[each.receiver] for each in work.traffic]
    weights = np.array([each.ticks if costly else each.words for each in work.traffic], dtype=np.int64)
    words = csr_array((weights, (senders, receivers)), shape=(len(nodes), len(nodes)))
    loads = np.array([work.loads[node] for node in nodes], dtype=np.int64)
    return Task(nodes, loads, words, costly, processors, network)


@dataclass(eq=False)
class Trials:
    """Placements of a task that were tried, and how many more may be.

    Attributes
    ----------
    plan, task, machine
        What is placed, and what it costs.
    left : int
        How many runs may still be made.
    tell : callable
        Is told about each run.
    candidates : list of Candidate
        What was tried.
    best : tuple of Candidate and array, or None
        The quickest, with the processor of each program by number.
    """

    plan: Placeable
    task: Task
    machine: Machine
    left: int
    tell: Callable[[str], None]
    candidates: list[Candidate] = field(default_factory=list)
    best: tuple[Candidate, Ints] | None = None

    def add(self, how: str, where: Ints) -> None:
        """One more candidate."""
        found = self._simulated(how, where)
        self.candidates.append(found)
        if found.ticks is not None and (self.best is None or found.ticks < (self.best[0].ticks or 0)):
            self.best = found, where

    def improve(self, chance: np.random.Generator) -> None:
        """Move single programs of the quickest to processors that they talk to, and keep what is no slower."""
        if self.best is None:
            return
        start, where = self.best
        now, moves = start, 0
        waiting = self._moves(where, chance)
        while self.left > 0 and waiting:
            node, target = waiting.pop()
            if where[node] == target:
                continue
            moved = where.copy()
            moved[node] = target
            found = self._simulated("", moved)
            if found.ticks is not None and found.ticks <= (now.ticks or 0):
                now, where, moves = found, moved, moves + 1
        if now.ticks != start.ticks:
            how = f"{start.how}; then {moves} program{'s' if moves > 1 else ''} moved"
            self.candidates.append(replace(now, how=how))

    def _moves(self, where: Ints, chance: np.random.Generator) -> list[tuple[int, int]]:
        """Programs, and processors that they talk to and are not on, in an order by chance."""
        words = self.task.both_ways
        rows = np.repeat(np.arange(len(where)), np.diff(words.indptr))
        moves = np.unique(np.stack([rows, where[words.indices]], axis=1), axis=0)
        return [(int(node), int(target)) for node, target in chance.permutation(moves) if where[node] != target]

    def _simulated(self, how: str, where: Ints) -> Candidate:
        """A candidate with how long its run takes, if that may be the quickest, or why it cannot run."""
        task = self.task
        candidate = Candidate(how, place(self.plan.topology, self.plan.programs, task.network, task.placement(where)))
        most = self.best[0].ticks if self.best else None
        if most is not None and np.bincount(where, weights=task.loads).max() >= most:
            return candidate  # no run is shorter than the work of a processor
        self.left -= 1
        self.tell(f"simulating placements, {max(self.left, 0)} to go")
        try:
            ticks = self.plan.placed(task.network, candidate.placement).run(self.machine, trace=False).ticks
        except MeshSimError as error:  # routes that block one another, processors out of reach
            return replace(candidate, failure=error)
        return replace(candidate, ticks=ticks)


# Candidates


def _chosen(task: Task, runs: int, seed: int) -> Iterator[tuple[str, Ints]]:
    """What to simulate: what looks best, by work and traffic and by name, and all on one processor."""
    found = _by_estimate(task, _found(task, seed))[: min(SIMULATED, runs // 2)]
    named = _by_estimate(task, _named(task))[: runs // 2]
    one = np.zeros(len(task.nodes), dtype=np.int64)
    yield from _differing((*found, *named, ("all on one processor", one)))


def _by_estimate(task: Task, placements: Iterable[tuple[str, Ints]]) -> list[tuple[str, Ints]]:
    """Placements that differ, those that look quicker first; ties as they come."""
    return sorted(_differing(placements), key=lambda each: _estimate(task, each[1]))


def _differing(placements: Iterable[tuple[str, Ints]]) -> list[tuple[str, Ints]]:
    """The first of each that are the same."""
    found: dict[tuple[int, ...], tuple[str, Ints]] = {}
    for how, where in placements:
        found.setdefault(tuple(where.tolist()), (how, where))
    return list(found.values())


def _found(task: Task, seed: int) -> Iterator[tuple[str, Ints]]:
    """The processor of each program, by work and traffic, in several ways, each with what to call it."""
    most = min(len(task.processors), len(task.nodes))
    for parts in dict.fromkeys(max(1, round(share * most)) for share in SHARES):
        least = int(task.loads.max()) * parts / max(1, int(task.loads.sum())) - 1  # a program cannot be divided
        for tolerance in dict.fromkeys(max(least, each) for each in TOLERANCES):
            parted = by_growth(task.loads, task.both_ways, parts, tolerance)
            how = f"{parts} part{'s' if parts > 1 else ''}, unequal by {100 * tolerance:.0f} %"
            yield how, assigned(task, parted, tolerance, seed)


def _named(task: Task) -> Iterator[tuple[str, Ints]]:
    """The placements by name."""
    number = {processor: place for place, processor in enumerate(task.processors)}
    for name, placed in NAMED.items():
        if name != "identity" or set(task.nodes) <= number.keys():
            found = placed(task.nodes, task.processors)
            yield name, np.array([number[found[node]] for node in task.nodes], dtype=np.int64)


def _estimate(task: Task, where: Ints) -> float:
    """About how long a run takes: what the busiest processor and the busiest wire do, and a mean processor's words.

    Tried on 60 sets of about twenty placements: the best six held one at most 4 % slower than the quickest.
    """
    work = np.bincount(where, weights=task.loads)
    if not task.costly:
        return float(work.max())
    wires: dict[Hashable, int] = {}
    for (one, other), ticks in np.ndenumerate(_between(task, task.words, where)):
        if ticks and one != other:
            for wire in task.wires(one, other):
                wires[wire] = wires.get(wire, 0) + int(ticks)
    return float(work.max() + max(wires.values(), default=0) + sum(wires.values()) / len(np.unique(where)))


def _between(task: Task, words: csr_array, where: Ints) -> Ints:
    """What each place says to each other, and inside."""
    found = np.zeros((len(task.processors), len(task.processors)), dtype=np.int64)
    rows = np.repeat(np.arange(len(where)), np.diff(words.indptr))
    np.add.at(found, (where[rows], where[words.indices]), words.data)
    return found


# Parts on processors


def assigned(task: Task, parts: Ints, tolerance: float, seed: int) -> Ints:
    """The processor of each program, from its part.

    Parameters
    ----------
    task : Task
        Programs and processors.
    parts : array
        The part of each program.
    tolerance : float
        By how much of an equal share the work of a processor may exceed it, when programs are moved at last.
    seed : int
        What chance starts are drawn from.
    """
    count = int(parts.max()) + 1
    between = _between(task, task.both_ways, parts).astype(np.float64)  # parts that are lacking say nothing
    np.fill_diagonal(between, 0)
    where = _best_assignment(between, task.distances.astype(np.float64), seed)[parts]
    most = np.zeros(len(task.processors), dtype=np.int64)
    most[np.unique(where)] = np.ceil((1 + tolerance) * task.loads.sum() / count)
    where = relieved(where, task.loads, task.both_ways, task.distances, most)
    return refined(where, task.loads, task.both_ways, task.distances, most)


def _best_assignment(between: Any, distances: Any, seed: int) -> Ints:
    """The processor of each part: the fast approximate way of scipy and chance starts, each improved by exchanges."""
    chance = np.random.default_rng(seed)
    starts = [quadratic_assignment(between, distances, options={"rng": chance}).col_ind]
    starts += [chance.permutation(len(between)) for _ in range(STARTS)]
    found = [_exchanged(start, between, distances) for start in starts]
    costs = [float((between * distances[np.ix_(each, each)]).sum()) for each in found]
    return found[int(np.argmin(costs))]


def _exchanged(start: Any, between: Any, distances: Any) -> Ints:
    """Exchange the two parts that gain most by it, until none gain. (scipy's 2-opt counts all words at every trial.)"""
    where: Ints = np.array(start, dtype=np.int64)
    while True:
        apart = distances[np.ix_(where, where)]
        moved = between @ apart  # what a part costs in the place of another; whole numbers, exact as floats
        now = np.diag(moved)
        change = moved + moved.T - now[:, None] - now[None, :] + 2 * between * apart
        one, other = np.unravel_index(int(np.argmin(change)), change.shape)
        if change[one, other] >= 0:
            return where
        where[[one, other]] = where[[other, one]]
