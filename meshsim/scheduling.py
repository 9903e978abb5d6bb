"""Orders of jobs: each is placed, by priority, at the earliest time at which all that it takes is free.

A job is placed in a gap between those placed before it (`Placing`), by the rules of a discipline. Where both ends of a
transfer are there from its beginning to its end, as under rendezvous, the placed jobs are every processor's steps.
Where a sender goes on, they say who computes what in which order, and `Posting` adds when to send and to receive.

In both, there is an order of all steps of all processors in which each can be taken: programs that keep to it cannot
deadlock. Ties go by the numbers of jobs.
"""

from bisect import bisect_right, insort
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush
from operator import attrgetter
from typing import Any

from meshsim.bounds import Timing, holds_receiver, holds_sender

Step = list[int]
"""A call; or messages that a processor sends and receives at once."""
Order = Sequence[int]
"""All jobs; each stands behind those that it needs."""
Turn = tuple[int, int]
"""When it is a job's turn, and the job."""
ROUNDS = 4
"""How often a schedule is made anew from the times of the last, at most: until it is no better."""


@dataclass(frozen=True)
class Problem:
    """What is to be scheduled.

    Attributes
    ----------
    processors : int
        How many there are.
    lengths, leads : list of int
        Ticks of each job, and of a message's set-up before.
    starts, homes : list of int
        The processors where each job begins and ends: they differ for a message.
    channels, wires : list of int
        Of each message; a call has none, which is -1.
    needs, users : list of sequences of int
        What each job needs, and what needs it.
    buffers : int
        How many messages of a channel may be under way; 0 if any number may.
    meets : bool
        Whether both ends of a transfer are there from its beginning to its end.
    """

    processors: int
    lengths: Sequence[int]
    leads: Sequence[int]
    starts: Sequence[int]
    homes: Sequence[int]
    channels: Sequence[int]
    wires: Sequence[int]
    needs: Sequence[Sequence[int]]
    users: Sequence[Sequence[int]]
    buffers: int
    meets: bool

    @cached_property
    def backwards(self) -> "Problem":
        """The same with time reversed."""
        return replace(self, starts=self.homes, homes=self.starts, needs=self.users, users=self.needs)


@dataclass(frozen=True)
class Schedule:
    """Every processor's steps in order, and when all have ended."""

    steps: Sequence[Sequence[Step]]
    ticks: int


def problem_of(times: Timing) -> Problem:
    """The jobs of a dataflow on a machine."""
    flow, links = times.flow, times.machine.links
    numbers: dict[Any, int] = {}
    wires = [
        numbers.setdefault(times.wire(job.channel), len(numbers)) if job.kernel is None else -1 for job in flow.jobs
    ]
    return Problem(
        processors=len(flow.nodes),
        lengths=times.lengths,
        leads=times.leads,
        starts=[job.start for job in flow.jobs],
        homes=[job.home for job in flow.jobs],
        channels=[job.channel for job in flow.jobs],
        wires=wires,
        needs=[job.needs for job in flow.jobs],
        users=flow.users,
        buffers=links.buffers if times.life.buffered else 0,
        meets=holds_sender(times.life) or holds_receiver(times.life),
    )


def by_largest(values: Sequence[int], last: bool = False) -> Order:
    """Jobs with larger values come first; among equals the first of them, or the last."""
    return sorted(range(len(values)), key=lambda job: (-values[job], -job if last else job))


def schedules(problem: Problem, firsts: Sequence[Order]) -> Iterator[Schedule]:
    """Schedules by some orders; then by how late jobs may end if time runs backwards from the schedule before.

    Backwards, jobs come in the order in which they ended last; so what is held up by busy processors and wires gets its
    turn earlier, not only what has a long path behind it.
    """
    for way in (Placing,) if problem.meets else (Placing, Posting):
        for first in firsts:
            order, best = first, None
            for _ in range(ROUNDS):
                made = way(problem, order)
                found = made.schedule()
                if best is not None and found.ticks >= best:
                    break
                yield found
                best = found.ticks
                order = by_largest(way(problem.backwards, by_largest(made.ends, last=True)).ends)


class Item:
    """What fills a stretch of a processor's time: a call or a set-up, or transfers that are one `par`."""

    __slots__ = ("end", "jobs", "start")

    def __init__(self, start: int, end: int, job: int) -> None:
        self.start = start
        self.end = end
        self.jobs = [job]


class Placing:
    """Jobs, placed one after the other; each must come behind all that it needs.

    Where transfers hold both ends, a further one may join those that a processor has there, through another channel:
    they are one `par`, which ends when all have ended. What they bring can be used then, and what is sent must be there
    when it begins.

    Attributes
    ----------
    starts, ends : list of int
        When each job begins, and when what it made or brought can be used.
    """

    def __init__(self, problem: Problem, order: Order) -> None:
        self.problem = problem
        self.starts = [0] * len(problem.lengths)
        self.ends = [-1] * len(problem.lengths)
        self.items: list[list[Item]] = [[] for _ in range(problem.processors)]
        self.wires: list[list[Item]] = [[] for _ in range(max(problem.wires, default=-1) + 1)]
        for job in order:
            ready = max((self.ends[need] for need in problem.needs[job]), default=0)
            if problem.channels[job] < 0:
                self._put(self.items[problem.starts[job]], job, ready, problem.lengths[job])
            elif problem.meets:
                self._meet(job, ready)
            else:
                self._post(job, ready)

    def schedule(self) -> Schedule:
        """The steps of every processor."""
        if not self.problem.meets:
            return Posting(self.problem, by_largest([-start for start in self.starts]), strict=True).schedule()
        steps = [[item.jobs for item in items] for items in self.items]
        return Schedule(steps, max(self.ends, default=0))

    def _put(self, items: list[Item], job: int, ready: int, length: int) -> None:
        """Place a job in the first gap that is long enough."""
        at, start = _gap(items, ready, length)
        items.insert(at, Item(start, start + length, job))
        self.starts[job] = start
        self.ends[job] = start + length

    def _post(self, job: int, ready: int) -> None:
        problem = self.problem
        start = ready
        if problem.leads[job]:
            self._put(self.items[problem.starts[job]], job, ready, problem.leads[job])
            start, ready = self.starts[job], self.ends[job]
        self._put(self.wires[problem.wires[job]], job, ready, problem.lengths[job])
        self.starts[job] = start

    def _meet(self, job: int, ready: int) -> None:
        problem = self.problem
        wire, length = self.wires[problem.wires[job]], problem.lengths[job]
        start = ready
        while True:
            on_wire, later = _gap(wire, start, length)
            for rank in (problem.starts[job], problem.homes[job]):
                later = self._slot(rank, job, later, ready)[1]
            if later == start:
                break
            start = later
        wire.insert(on_wire, Item(start, start + length, job))
        self.starts[job] = start
        for rank in (problem.starts[job], problem.homes[job]):
            self._join(rank, job, start, ready)

    def _join(self, rank: int, job: int, start: int, ready: int) -> None:
        """Put a transfer where there is a slot for it."""
        items = self.items[rank]
        at, _, joins = self._slot(rank, job, start, ready)
        end = start + self.problem.lengths[job]
        if joins:
            item = items[at]
            item.jobs.append(job)
            item.end = end = max(item.end, end)
        else:
            item = Item(start, end, job)
            items.insert(at, item)
        for each in item.jobs:
            if self.problem.homes[each] == rank:
                self.ends[each] = end

    def _slot(self, rank: int, job: int, start: int, ready: int) -> tuple[int, int, bool]:
        """Where and when a processor could take part in a transfer, and whether it then joins others."""
        items, length = self.items[rank], self.problem.lengths[job]
        at = bisect_right(items, start, key=_end)
        while at < len(items):
            item = items[at]
            if start + length <= item.start:
                break
            joined = max(start, item.start)
            if self._may_join(rank, at, job, joined + length, ready):
                return at, joined, True
            start = max(start, item.end)
            at += 1
        return at, start, False

    def _may_join(self, rank: int, at: int, job: int, end: int, ready: int) -> bool:
        """Whether a transfer could join others; it may prolong them if nobody relies on their end."""
        problem, items = self.problem, self.items[rank]
        item, channel = items[at], problem.channels[job]
        if item.start == item.end or (problem.starts[job] == rank and ready > item.start):
            return False
        if any(problem.channels[each] in (channel, -1) for each in item.jobs):
            return False
        if end <= item.end:
            return True
        if at + 1 < len(items) and items[at + 1].start < end:
            return False
        brought = [each for each in item.jobs if problem.homes[each] == rank]
        return all(self.ends[user] < 0 for each in brought for user in problem.users[each])


_end = attrgetter("end")


def _gap(items: list[Item], start: int, length: int) -> tuple[int, int]:
    """The first gap that is long enough: before which item, and when."""
    at = bisect_right(items, start, key=_end)
    while at < len(items) and start + length > items[at].start:
        start = max(start, items[at].end)
        at += 1
    return at, start


class Posting:
    """The sender goes on once a message is set up. What has arrived is taken whenever its receiver is idle.

    Messages are sent as soon as there is room for them, those of one channel by their order; if they take time to set
    up, they wait for their turn among calls. A processor takes its turns in the given order if that is strict; else the
    first that is ready.
    """

    def __init__(self, problem: Problem, order: Order, strict: bool = False) -> None:
        self.problem = problem
        self.steps: list[list[Step]] = [[] for _ in range(problem.processors)]
        self.until = [0] * problem.processors  # when its step ends
        self.busy = [False] * problem.processors
        self.ends = [0] * len(problem.lengths)
        self.missing = [len(needs) for needs in problem.needs]
        self.free_at = [0] * (max(problem.wires, default=-1) + 1)
        self.agenda = [(0, rank) for rank in range(problem.processors)]  # when to look at which processor
        channels = max(problem.channels, default=-1) + 1
        self.unread = [0] * channels  # sent and not taken
        self.coming: list[deque[int]] = [deque() for _ in range(channels)]  # those that have departed
        self.inputs: list[set[int]] = [set() for _ in range(problem.processors)]  # channels with something coming
        self.outputs: list[list[Turn]] = [[] for _ in range(problem.processors)]  # messages that are ready
        self.calls: list[list[Turn]] = [[] for _ in range(problem.processors)]  # and calls
        self.turns: list[deque[int]] = [deque() for _ in range(problem.processors)]  # what is strictly next
        self.turn = [0] * len(order)
        for turn, job in enumerate(order):
            self.turn[job] = turn
            if strict and (problem.channels[job] < 0 or problem.leads[job]):
                self.turns[problem.starts[job]].append(job)
        for job in order:
            if not self.missing[job]:
                self._ready(job)
        self._run()

    def _ready(self, job: int) -> None:
        ready = self.calls if self.problem.channels[job] < 0 else self.outputs
        insort(ready[self.problem.starts[job]], (self.turn[job], job))

    def schedule(self) -> Schedule:
        """The steps of every processor."""
        return Schedule(self.steps, max((*self.until, *self.ends)))

    def _run(self) -> None:
        """All jobs, as soon as can be."""
        while self.agenda:
            now, rank = heappop(self.agenda)
            if self.busy[rank] and self.until[rank] == now:
                self.busy[rank] = False
                self._end(rank, now)
            if not self.busy[rank]:
                self._take(rank, now)
                self._go_on(rank, now)
        assert all(missing < 0 for missing in self.missing), "every job is done"

    def _end(self, rank: int, now: int) -> None:
        for job in self.steps[rank][-1]:
            if self.problem.channels[job] < 0:
                self._done(job)
            else:
                self._depart(job, now)

    def _done(self, job: int) -> None:
        """What a job made is there."""
        self.missing[job] = -1
        for user in self.problem.users[job]:
            self.missing[user] -= 1
            if not self.missing[user]:
                self._ready(user)

    def _take(self, rank: int, now: int) -> None:
        """Receive all that has arrived."""
        while True:
            queues = [self.coming[channel] for channel in sorted(self.inputs[rank])]
            taken = [queue[0] for queue in queues if self.ends[queue[0]] <= now]
            if not taken:
                return
            self.steps[rank].append(taken)
            for job in taken:
                channel = self.problem.channels[job]
                self.coming[channel].popleft()
                self.unread[channel] -= 1
                if not self.coming[channel]:
                    self.inputs[rank].remove(channel)
                self._done(job)
                heappush(self.agenda, (now, self.problem.starts[job]))  # where there is room now

    def _go_on(self, rank: int, now: int) -> None:
        """Send and compute, or wait."""
        problem, calls, turns = self.problem, self.calls[rank], self.turns[rank]
        while step := self._sendable(rank):
            lead = max(problem.leads[job] for job in step)
            if lead and (turns[0] not in step if turns else calls and calls[0] < (self.turn[step[0]], step[0])):
                break
            for job in step:
                self.outputs[rank].remove((self.turn[job], job))
                self.unread[problem.channels[job]] += 1
                if lead and turns:
                    turns.remove(job)
            if lead:
                self._begin(rank, step, now + lead)
                return
            self.steps[rank].append(step)
            for job in step:
                self._depart(job, now)
        if calls and (not turns or turns[0] == calls[0][1]):
            _, job = calls.pop(0)
            if turns:
                turns.popleft()
            self.ends[job] = now + problem.lengths[job]
            self._begin(rank, [job], self.ends[job])

    def _begin(self, rank: int, step: Step, until: int) -> None:
        self.steps[rank].append(step)
        self.busy[rank] = True
        self.until[rank] = until
        heappush(self.agenda, (until, rank))

    def _sendable(self, rank: int) -> Step:
        """Messages that can be sent at once: the first that is ready of each channel, if there is room."""
        buffers, channels = self.problem.buffers, self.problem.channels
        found: dict[int, int] = {}
        for _, job in self.outputs[rank]:
            if not buffers or self.unread[channels[job]] < buffers:
                found.setdefault(channels[job], job)
        return [*found.values()]

    def _depart(self, job: int, now: int) -> None:
        """A message is set up: its wire carries it next."""
        channel, wire, home = self.problem.channels[job], self.problem.wires[job], self.problem.homes[job]
        self.coming[channel].append(job)
        self.inputs[home].add(channel)
        arrive = self.ends[job] = self.free_at[wire] = max(now, self.free_at[wire]) + self.problem.lengths[job]
        heappush(self.agenda, (arrive, home))
