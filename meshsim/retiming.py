"""Re-timing: a recording evaluated for a table of machines at once.

Every time of a run is the largest of some earlier times, each plus a cost: `t = max(t_a, t_b) + cost`. Which times
depend on which is the same for all machines with one discipline (and, under `overlap`, one number of buffers): a
`Schedule`. It is sorted into levels, and a level is evaluated for all machines by a few numpy operations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from meshsim.deadlock import DeadlockError
from meshsim.errors import MeshSimError
from meshsim.machine import Links, Machine
from meshsim.recording import Ints, Recording, lengths

WORK, WIRE, SETUP = 0, 1, 2
"""What a dependence costs besides its work: nothing, a message's wire, or its set-up."""

MEMORY = 200_000_000
"""Bytes that the times of one batch of machines may take."""


class NotKahnError(MeshSimError):
    """On this machine the order of events depends on times: only the engine can tell."""


def check_kahn(machine: Machine, recording: Recording | None = None) -> None:
    """Refuse a machine on which the programs, of a recording if one is given, form no Kahn network."""
    links = machine.links
    if recording is not None and recording.buses and links.discipline != "free":
        raise NotKahnError(
            f"a plan with a bus ({', '.join(recording.buses)}) cannot be re-timed on {machine.name}: who gets it first "
            "depends on times; simulate it instead"
        )
    if links.duplex == "half" and links.discipline != "free":
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


@dataclass(frozen=True)
class Edges:
    """Dependences: time `target` is at or after time `source` plus a work, and plus the wire or set-up of a message."""

    source: Ints
    target: Ints
    work: Ints
    kind: Ints
    words: Ints


class Graph:
    """The times of one discipline: numbered from 1; time 0 is the start of all programs.

    `ends` are the times that decide when a step has ended, `end_ends` where each step's end among them.
    """

    def __init__(self, recording: Recording, links: Links) -> None:
        self.recording = recording
        self.parts: list[Edges] = []
        steps = np.arange(len(recording.step_works))
        first = np.isin(steps, np.concatenate(([0], recording.step_ends)))
        self.before = np.where(first, -1, steps - 1)
        self.op_steps = np.repeat(steps, lengths(recording.op_ends))
        self.is_receive = recording.ops % 2 == 1
        self.messages = recording.op_messages
        make = {"free": self._free, "rendezvous": self._rendezvous, "overlap": self._overlap}[links.discipline]
        make(links.buffers)
        self._sinks()

    def _steps_of(self, receive: bool) -> Ints:
        """In which step each message is sent, or received."""
        chosen = self.is_receive == receive
        steps = np.empty(self.recording.messages, dtype=np.int64)
        steps[self.messages[chosen]] = self.op_steps[chosen]
        return steps

    def _add(self, source: Ints, target: Ints, work: Ints | int, kind: int = WORK, words: Ints | int = 0) -> None:
        columns = (np.broadcast_to(column, len(source)) for column in (work, kind, words))
        self.parts.append(Edges(source, target, *columns))

    def _add_start(self, step: Ints, target: Ints, kind: int = WORK, words: Ints | int = 0) -> None:
        """A time that is at or after the start of a step: when the step before has ended, and the work is done."""
        self._add_after(self.before[step], self.recording.step_works[step], target, kind, words)

    def _add_after(self, before: Ints, work: Ints, target: Ints, kind: int = WORK, words: Ints | int = 0) -> None:
        """A time that is at or after the end of a step (-1: the start of the program), plus a work."""
        words = np.broadcast_to(words, len(before))
        begins = before < 0
        self._add(np.zeros(begins.sum(), np.int64), target[begins], work[begins], kind, words[begins])
        held = np.flatnonzero(~begins)
        counts = lengths(self.end_ends)[before[held]]
        which = np.repeat(held, counts)
        last = self.end_ends[before[held]]
        place = np.repeat(last - np.cumsum(counts), counts) + np.arange(counts.sum())
        self._add(self.ends[place], target[which], work[which], kind, words[which])

    def _end_steps_by_operations(self, op_ends: Ints, number: int) -> None:
        """A step ends when all its operations have; one without operations ends at a time of its own."""
        recording = self.recording
        counts = lengths(recording.op_ends)
        empty = np.flatnonzero(counts == 0)
        self.count = number + len(empty)
        own = np.arange(number + 1, self.count + 1)
        self.end_ends = np.cumsum(np.maximum(counts, 1))
        self.ends = np.empty(self.end_ends[-1] if len(counts) else 0, dtype=np.int64)
        is_own = np.zeros(len(self.ends), dtype=bool)
        is_own[self.end_ends[empty] - 1] = True
        self.ends[is_own], self.ends[~is_own] = own, op_ends
        self._add_start(empty, own)

    def _free(self, _: int) -> None:
        """One time a step: its end. A receive ends when the step of its send has started."""
        steps = np.arange(len(self.recording.step_works))
        self.ends, self.end_ends, self.count = steps + 1, steps + 1, len(steps)
        self._add_start(steps, steps + 1)
        self._add_start(self._steps_of(receive=False), self._steps_of(receive=True) + 1)

    def _rendezvous(self, _: int) -> None:
        """One time a message: when its transfer has ended. It begins when both steps have started."""
        recording = self.recording
        self._end_steps_by_operations(self.messages + 1, recording.messages)
        ended = np.arange(recording.messages) + 1
        for receive in (False, True):
            self._add_start(self._steps_of(receive), ended, WIRE, recording.words)

    def _overlap(self, buffers: int) -> None:
        """Two or three times a message: ready to depart, taken and, with several buffers, arrived.

        With one buffer a message is ready only when the one before it has been taken, so that its wire is idle.
        """
        recording = self.recording
        number = recording.messages
        message = np.arange(number)
        ready, taken, arrived = message + 1, message + 1 + number, message + 1 + 2 * number
        count = (2 if buffers == 1 else 3) * number
        self._end_steps_by_operations(np.where(self.is_receive, taken[self.messages], ready[self.messages]), count)
        self._add_start(self._steps_of(receive=False), ready, SETUP)
        self._add_start(self._steps_of(receive=True), taken)
        starts = np.repeat(recording.message_ends - lengths(recording.message_ends), lengths(recording.message_ends))
        late = message - starts >= buffers
        self._add(taken[message[late] - buffers], ready[late], 0 * message[late] - 1)
        if buffers == 1:
            self._add(ready, taken, 0 * message - 1, WIRE, recording.words)
            return
        self._add(ready, arrived, 0 * message - 1, WIRE, recording.words)
        follows = message > starts
        self._add(
            arrived[message[follows] - 1], arrived[follows], 0 * message[follows] - 1, WIRE, recording.words[follows]
        )
        self._add(arrived, taken, 0 * message - 1)

    def _sinks(self) -> None:
        """The finish of every processor, and the marks of phases."""
        recording = self.recording
        counts = lengths(recording.step_ends)
        last = np.where(counts > 0, recording.step_ends - 1, -1)
        self.finish = np.arange(len(last)) + self.count + 1
        self._add_after(last, recording.tails, self.finish)
        cpus, steps, works = (np.array([mark[i] for mark in recording.marks], dtype=np.int64) for i in (0, 2, 3))
        before = np.where(steps > 0, (recording.step_ends - counts)[cpus] + steps - 1, -1)
        self.marks = np.arange(len(cpus)) + self.count + len(last) + 1
        self._add_after(before, works, self.marks)
        self.count += len(last) + len(cpus)


# The same, sorted into levels


class Schedule:
    """Times in an order in which they can be evaluated: level by level, none of a level depending on another of it.

    A level's times with the most dependences come first, so that its second dependences, its third and so on are those
    of ever fewer times from its beginning: each is one slice.
    """

    def __init__(self, recording: Recording, links: Links) -> None:
        graph = Graph(recording, links)
        source, target, work, kind, words = (
            np.concatenate([getattr(part, name) for part in graph.parts])
            for name in ("source", "target", "work", "kind", "words")
        )
        level = _levels(source, target, graph.count + 1)
        if (level < 0).any():
            stuck = np.flatnonzero(level[graph.finish] < 0)
            raise DeadlockError(_stuck(recording, stuck, links))
        degree = np.bincount(target, minlength=graph.count + 1)
        order = np.lexsort((-degree, level))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        source, target = place[source], place[target]
        self.count = len(order)
        self.place = place
        self.finish, self.marks = place[graph.finish], place[graph.marks]
        self.classes, cost = _classes(work, kind, words)
        by_target = np.argsort(target, kind="stable")
        slot = np.empty_like(target)
        slot[by_target] = np.arange(len(target)) - np.searchsorted(target[by_target], target[by_target])
        levels = level[order]
        in_turn = np.lexsort((target, slot, levels[target]))
        self.source, self.cost = source[in_turn].astype(np.intp), cost[in_turn].astype(np.intp)
        turn = levels[target[in_turn]] * (slot.max(initial=0) + 1) + slot[in_turn]
        begins = np.flatnonzero(np.diff(turn, prepend=-1))
        ends = np.append(begins[1:], len(turn))
        lows = target[in_turn][begins]
        first = slot[in_turn][begins] == 0
        self.turns = list(zip(begins.tolist(), ends.tolist(), lows.tolist(), first.tolist(), strict=True))
        self.depth = int(levels.max(initial=0))
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


def _classes(work: Ints, kind: Ints, words: Ints) -> tuple[tuple[Ints, Ints, Ints], Ints]:
    """What different costs there are, and which of them each dependence has."""
    span = int(words.max(initial=0)) + 1
    keys, which = np.unique(((work + 1) * 3 + kind) * span + words, return_inverse=True)
    rest, kinds = keys // span // 3, keys // span % 3
    return (rest - 1, kinds, keys % span), which


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


def _stuck(recording: Recording, stuck: Ints, links: Links) -> str:
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


def schedule_of(recording: Recording, links: Links) -> Schedule:
    """The recording's schedule for a discipline, made when first asked for."""
    buffers = links.buffers if links.discipline == "overlap" else 1
    key = links.discipline, buffers
    if key not in recording.schedules:
        while len(recording.schedules) > 2:  # the oldest goes: a large recording's takes half a gigabyte
            del recording.schedules[next(iter(recording.schedules))]
        recording.schedules[key] = Schedule(recording, replace(links, buffers=buffers))
    schedule: Schedule = recording.schedules[key]
    return schedule


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
    groups: dict[tuple[str, int], list[int]] = {}
    for column, machine in enumerate(machines):
        groups.setdefault((machine.links.discipline, machine.links.buffers), []).append(column)
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
    startup, per_word, setup = (
        np.array([getattr(machine.links, name) for machine in machines], dtype=np.int64)
        for name in ("startup", "per_word", "setup")
    )
    nothing = np.zeros((1, len(machines)), dtype=np.int64)
    costs = np.concatenate((recording.work_counts @ prices, nothing))[works]  # -1 is no work at all
    costs[kinds == WIRE] += startup + words[kinds == WIRE, None] * per_word
    costs[kinds == SETUP] += setup
    return costs
