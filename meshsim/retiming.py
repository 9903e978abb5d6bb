"""Re-timing: a recording evaluated for a table of machines at once.

Every time of a run is the largest of some earlier times, each plus a cost: `t = max(t_a, t_b) + cost`. Which times
depend on which is the same for all machines with one discipline (and, where they matter, as many buffers): a
`Schedule`. It is sorted into levels, and a level is evaluated for all machines by a few numpy operations.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from meshsim.deadlock import DeadlockError
from meshsim.discipline import COSTS, Term, Terms, contract
from meshsim.errors import MeshSimError
from meshsim.machine import LinkCosts, Machine
from meshsim.recording import Ints, Recording, lengths

Costs = tuple[str, ...]
"""What of a message a dependence costs, besides a work."""

MEMORY = 200_000_000
"""Bytes that the times of one batch of machines may take."""


class NotKahnError(MeshSimError):
    """On this machine the order of events depends on times: only the engine can time it."""


def check_kahn(machine: Machine, recording: Recording | None = None) -> None:
    """Refuse a machine on which the programs, of a recording if one is given, form no Kahn network."""
    links = machine.links
    if "wire" not in links.life.costs:
        return  # who would be first on a wire does not matter
    if recording is not None and recording.buses:
        raise NotKahnError(
            f"a plan with a bus ({', '.join(recording.buses)}) cannot be re-timed on {machine.name}: who gets it first "
            "depends on times; simulate it instead"
        )
    if links.duplex == "half":
        raise NotKahnError(
            f"{machine.name} cannot be re-timed: its links are half duplex, and who gets a shared wire first depends "
            "on times; simulate it instead"
        )


def is_kahn(machine: Machine, recording: Recording | None = None) -> bool:
    """Whether what programs do on a machine can be re-timed."""
    try:
        check_kahn(machine, recording)
    except NotKahnError:
        return False
    return True


# The dependences of one discipline


class Graph:
    """The times of one discipline: numbered from 1; time 0 is the start of all programs.

    A message has a time for each point that its discipline's life needs one for (`contract`). A step has one, its end,
    unless it ends with its only operation. The last are the finishes of processors and the marks of phases.

    Attributes
    ----------
    edges : list
        Dependences: time `target` is at or after time `source` plus a cost. Sources, targets and costs, part by part.
    ends : array
        The time at which each step ends, and then 0: what comes before the first step of a program is step -1.
    finish, marks : arrays
        The times of these.
    """

    def __init__(self, recording: Recording, links: LinkCosts) -> None:
        self.recording = recording
        self.edges: list[tuple[Ints, Ints, Ints]] = []
        steps = np.arange(len(recording.step_works))
        self.before = np.where(np.isin(steps, np.append(0, recording.step_ends)), -1, steps - 1)
        self.steps = {point: self._steps_of(receive) for receive, point in enumerate(("sent", "asked"))}  # by message
        messages = np.arange(recording.messages)
        sizes = lengths(recording.message_ends)
        self.places = messages - np.repeat(recording.message_ends - sizes, sizes)  # of messages in their channels
        kept, let_go = contract(links.life if links.receive else links.life.without("receive"), links.buffers)
        self.turns = self._turns(links.life.costs) if links.turns else {}
        self.kinds: dict[Costs, int] = {}  # numbered as they come
        self.works = len(recording.work_ends) + 1
        self.span = int(recording.words.max(initial=0)) + 1
        self.count = 0
        self.times = {point: self._number(len(messages)) for point in kept}  # of messages
        self._end_steps(let_go)
        for point, times in self.times.items():
            self._add_terms(kept[point], messages, times)
        self._add_sinks()

    def _steps_of(self, receive: int) -> Ints:
        """In which step each message is sent, or received."""
        recording = self.recording
        op_steps = np.repeat(np.arange(len(recording.step_works)), lengths(recording.op_ends))
        chosen = recording.ops % 2 == receive
        steps = np.empty(recording.messages, dtype=np.int64)
        steps[recording.op_messages[chosen]] = op_steps[chosen]
        return steps

    def _turns(self, costs: Collection[str]) -> dict[str, Ints]:
        """By point, how many turns each message waits before it is sent, or is waited for after it was asked for."""
        taken = ("sent", "setup"), ("asked", "receive")
        return {point: self._turns_of(receive) for receive, (point, cost) in enumerate(taken) if cost in costs}

    def _turns_of(self, receive: int) -> Ints:
        """How many of its kind stand before each message that a step sends, or after each that it receives."""
        recording = self.recording
        sizes = lengths(recording.op_ends)
        ends = np.repeat(recording.op_ends, sizes)
        chosen = recording.ops % 2 == receive
        passed = np.cumsum(np.append(0, chosen))  # operations of this kind before each one
        counts = passed[ends] - passed[1:] if receive else passed[:-1] - passed[ends - np.repeat(sizes, sizes)]
        turns = np.empty(recording.messages, dtype=np.int64)
        turns[recording.op_messages[chosen]] = counts[chosen]
        return turns

    def _by_turn(self, point: str, messages: Ints) -> Iterator[tuple[Ints, int]]:
        """Places of messages that are sent, or asked for, in the same turn of their steps, and how many turns it is."""
        if point not in self.turns:
            yield np.arange(len(messages)), 0
            return
        turns = self.turns[point][messages]
        for turn in np.unique(turns):
            yield np.flatnonzero(turns == turn), int(turn)

    def _number(self, count: int) -> Ints:
        """So many times more."""
        self.count += count
        return np.arange(self.count - count, self.count) + 1

    def _add(self, source: Ints, target: Ints, work: Ints | int = -1, costs: Costs = (), words: Ints | int = 0) -> None:
        """Dependences; what they cost is one number, to be taken apart again by `classes`."""
        kind = self.kinds.setdefault(costs, len(self.kinds))
        key = (kind * self.works + np.asarray(work) + 1) * self.span + words
        self.edges.append((source, target, np.broadcast_to(key, len(source))))

    def classes(self, keys: Ints) -> tuple[Ints, Ints, Ints]:
        """Works (-1: none), costs of messages as places in `kinds`, and words."""
        rest, words = np.divmod(keys, self.span)
        kinds, works = np.divmod(rest, self.works)
        return works - 1, kinds, words

    def _add_start(self, steps: Ints, target: Ints, costs: Costs = (), words: Ints | int = 0) -> None:
        """Times that are at or after the start of a step: when the step before has ended, and the work is done."""
        self._add(self.ends[self.before[steps]], target, self.recording.step_works[steps], costs, words)

    def _add_terms(self, terms: Iterable[Term], messages: Ints, target: Ints) -> None:
        """Times that are at or after terms of the lives of messages."""
        for point, back, costs in terms:
            sized = any(COSTS[cost].per_word for cost in costs)
            words = self.recording.words[messages] if sized else 0 * messages
            if point == "sent":  # so many set-ups late
                for chosen, turn in self._by_turn(point, messages):
                    steps = self.steps[point][messages[chosen]]
                    self._add_start(steps, target[chosen], ("setup",) * turn + costs, words[chosen])
            elif point == "asked":
                self._add_start(self.steps[point][messages], target, costs, words)
            else:
                behind = self.places[messages] >= back  # the others are among the first of their channels
                source = self.times[point][messages[behind] - back]
                self._add(source, target[behind], -1, costs, words[behind])

    def _end_steps(self, let_go: Terms) -> None:
        """A step ends when all its operations let go; one without operations when it starts."""
        counts = lengths(self.recording.op_ends)
        self.ends = np.zeros(len(counts) + 1, dtype=np.int64)
        sides = [(start, self.steps[start], let_go[point]) for start, point in (("sent", "left"), ("asked", "taken"))]
        for _, steps, (term, *others) in sides:
            if term.point in self.times and not term.costs and not others:
                alone = counts[steps] == 1
                self.ends[steps[alone]] = self.times[term.point][alone]
        own = np.append(self.ends[:-1] == 0, False)
        self.ends[own] = self._number(int(own.sum()))
        starts = counts == 0  # and those with an operation that lets go at once
        for start, steps, terms in sides:
            messages = np.flatnonzero(own[steps])
            at_once = None if start in self.turns else Term(start)
            later = [term for term in terms if term != at_once]
            if start == "sent":
                self._add_terms(later, messages, self.ends[steps[messages]])
            else:
                for chosen, turn in self._by_turn(start, messages):  # so many receives follow
                    these = messages[chosen]
                    turned = [term._replace(costs=term.costs + ("receive",) * turn) for term in later]
                    self._add_terms(turned, these, self.ends[steps[these]])
            if at_once in terms:
                starts[steps] = True
        begun = np.flatnonzero(starts & own[:-1])
        self._add_start(begun, self.ends[begun])

    def _add_sinks(self) -> None:
        """The finish of every processor, and the marks of phases."""
        recording = self.recording
        counts = lengths(recording.step_ends)
        first = recording.step_ends - counts
        self.finish = self._number(len(counts))
        last = np.where(counts > 0, recording.step_ends - 1, -1)
        self._add(self.ends[last], self.finish, recording.tails)
        cpus, steps, works = (np.array([mark[i] for mark in recording.marks], dtype=np.int64) for i in (0, 2, 3))
        self.marks = self._number(len(cpus))
        self._add(self.ends[np.where(steps > 0, first[cpus] + steps - 1, -1)], self.marks, works)


# The same, sorted into levels


class Schedule:
    """Times in an order in which they can be evaluated: level by level, none of a level depending on another of it.

    A level's times with the most dependences come first, so that its second dependences, its third and so on are those
    of ever fewer times from its beginning: each is one slice. A *turn* takes the n-th dependences of a level.

    Attributes
    ----------
    classes : tuple
        The different costs there are: works (-1: none), costs of a message as places in `kinds`, and its words.
    source, cost : arrays
        Of each dependence, turn by turn: the time it depends on, and the class of its cost.
    turns : list
        Where each turn begins and ends among the dependences, its first time, and whether it is the first of a level.
    ends, finish, marks : arrays
        Where the times of a `Graph` stand in the order.
    """

    def __init__(self, recording: Recording, links: LinkCosts) -> None:
        graph = Graph(recording, links)
        source, target, key = (np.concatenate(column) for column in zip(*graph.edges, strict=True))
        self.count = graph.count + 1
        level = _levels(source, target, self.count)
        if (level < 0).any():
            stuck = np.flatnonzero(level[graph.finish] < 0)
            raise DeadlockError(_stuck(recording, stuck, links))
        degree = np.bincount(target, minlength=self.count)
        order = np.lexsort((-degree, level))  # by level, then those with most dependences first
        place = np.empty_like(order)
        place[order] = np.arange(self.count)
        self.ends, self.finish, self.marks = (place[each] for each in (graph.ends[:-1], graph.finish, graph.marks))
        self.kinds = tuple(graph.kinds)
        keys, cost = np.unique(key, return_inverse=True)
        self.classes = graph.classes(keys)
        self._take_turns(place[source], place[target], cost, level[order])

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
        self.depth = int(level.max(initial=0))
        self.widest = int((ends - begins).max(initial=0))

    def evaluate(self, costs: Ints) -> npt.NDArray[Any]:
        """All times, in rows, for the machines whose costs of every class stand in columns."""
        bound = (self.depth + 1) * int(costs.max(initial=0))
        kind: type[Any] = np.int32 if bound < 2**31 else np.int64
        costs = np.ascontiguousarray(costs, dtype=kind)
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


def _stuck(recording: Recording, stuck: Ints, links: LinkCosts) -> str:
    names = ", ".join(str(recording.nodes[cpu]) for cpu in stuck[:8]) + (", ..." if len(stuck) > 8 else "")
    return (
        f"{len(stuck)} of {len(recording.nodes)} programs wait for one another under {links.discipline}: {names}; "
        "simulate the plan to see where"
    )


# What users ask for


@dataclass(frozen=True)
class Timing:
    """A recording's times on a table of machines: a column for each machine, in ticks.

    Attributes
    ----------
    machines : tuple of Machine
        The columns.
    finish, busy : arrays
        When each processor finished, and how long it computed; a row a processor, in node order.
    phases : mapping of str to array
        When the last processor ended each phase.
    """

    machines: tuple[Machine, ...]
    finish: Ints
    busy: Ints
    phases: Mapping[str, Ints]

    @property
    def ticks(self) -> Ints:
        """When the last processor finished."""
        return np.asarray(self.finish.max(axis=0, initial=0))


def schedule_of(recording: Recording, links: LinkCosts) -> Schedule:
    """The recording's schedule for a discipline, made when first asked for."""
    key = _shape(links)
    if key not in recording.schedules:
        while len(recording.schedules) > 2:  # the oldest goes: a large recording's takes half a gigabyte
            del recording.schedules[next(iter(recording.schedules))]
        recording.schedules[key] = Schedule(recording, links)
    schedule: Schedule = recording.schedules[key]
    return schedule


Shape = tuple[str, int, bool, bool]


def _shape(links: LinkCosts) -> Shape:
    """What of links decides which times depend on which."""
    received = links.ticks("receive", 0) > 0
    return links.discipline, links.buffers if links.life.buffered else 1, received, links.turns is not None


def retime(recording: Recording, machines: Sequence[Machine]) -> Timing:
    """The recording's times on every machine of a table.

    Parameters
    ----------
    recording : Recording
        What to time.
    machines : sequence of Machine
        Of any discipline, with links of full duplex.

    Returns
    -------
    Timing
        Equal to what the engine would give, to the tick.

    Raises
    ------
    NotKahnError
        If on one of the machines the order of events depends on times.
    DeadlockError
        If the programs wait for one another on one of them.
    """
    for machine in machines:
        check_kahn(machine, recording)
    prices = kernel_prices(recording, machines)
    finish = np.zeros((len(recording.nodes), len(machines)), dtype=np.int64)
    marks = np.zeros((len(recording.marks), len(machines)), dtype=np.int64)
    groups: dict[Shape, list[int]] = {}
    for column, machine in enumerate(machines):
        groups.setdefault(_shape(machine.links), []).append(column)
    for columns in groups.values():
        schedule = schedule_of(recording, machines[columns[0]].links)
        size = max(1, MEMORY // (8 * (schedule.count + 2 * schedule.widest)))
        for start in range(0, len(columns), size):
            batch = columns[start : start + size]
            times = schedule.evaluate(class_costs(recording, schedule, [machines[c] for c in batch], prices[:, batch]))
            finish[:, batch], marks[:, batch] = times[schedule.finish], times[schedule.marks]
    phases: dict[str, Ints] = {}
    for (_, name, _, _), row in zip(recording.marks, marks, strict=True):
        phases[name] = np.maximum(phases.get(name, row), row)
    return Timing(tuple(machines), finish, recording.call_counts @ prices, phases)


def kernel_prices(recording: Recording, machines: Sequence[Machine]) -> Ints:
    """Ticks of each kernel, a column for each machine."""
    prices = [[machine.price(kernel) for machine in machines] for kernel in recording.kernels]
    return np.array(prices, dtype=np.int64).reshape(len(recording.kernels), len(machines))


def class_costs(recording: Recording, schedule: Schedule, machines: Sequence[Machine], prices: Ints) -> Ints:
    """Ticks of each class of a schedule, a column for each machine."""
    works, kinds, words = schedule.classes
    nothing = np.zeros((1, len(machines)), dtype=np.int64)
    ticks: Ints = np.concatenate((recording.work_counts @ prices, nothing))[works]  # -1 is no work at all
    for kind, costs in enumerate(schedule.kinds):
        chosen = kinds == kind
        for cost in costs:
            for name, times in COSTS[cost].paid(words[chosen, None]).items():
                ticks[chosen] += times * np.array([getattr(machine.links, name) for machine in machines])
    return ticks
