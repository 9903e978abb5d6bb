"""List schedulers: jobs with a priority each, begun as soon as those they need are done and their processors are idle.

A scheduler keeps times of its own, by the rules of a discipline, and gives every processor an order of steps. `meeting`
has both ends of a transfer begin together, as under rendezvous; `posting` lets the sender go on. In both, a step is
placed only when what it waits for has been placed, so that there is an order of all steps of all processors in which
each can be taken: programs that keep to it cannot deadlock. Ties go by the numbers of jobs.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush
from typing import Any

from meshsim.bounds import Timing, holds_receiver, holds_sender

Step = list[int]
"""A call; or messages that a processor sends and receives at once."""
Order = Sequence[int]
"""For each job when its turn is, were all ready: 0 comes first."""
ROUNDS = 3
"""How often a schedule is made anew from the times of the last."""


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
    """Every processor's steps in order, when each job ends, and when all have ended."""

    steps: Sequence[Sequence[Step]]
    ends: Sequence[int]
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


def by_largest(values: Sequence[int]) -> Order:
    """Jobs with larger values come first."""
    order = [0] * len(values)
    for turn, job in enumerate(sorted(range(len(values)), key=lambda job: -values[job])):
        order[job] = turn
    return order


def schedules(problem: Problem, firsts: Sequence[Order]) -> Iterator[Schedule]:
    """Schedules by some orders; then by how late jobs may end if time runs backwards from the schedule before.

    Backwards, jobs come in the order in which they ended last; so what is held up by busy processors and wires gets its
    turn earlier, not only what has a long path behind it.
    """
    for first in firsts:
        order = first
        for _ in range(ROUNDS):
            found = scheduled(problem, order)
            yield found
            order = by_largest(scheduled(problem.backwards, by_largest(found.ends)).ends)


def scheduled(problem: Problem, order: Order) -> Schedule:
    """One schedule."""
    return (Meeting if problem.meets else Posting)(problem, order).run()


class Scheduler:
    """What both have: who is idle, what is ready, what has ended."""

    def __init__(self, problem: Problem, order: Order) -> None:
        self.problem = problem
        self.order = order
        self.steps: list[list[Step]] = [[] for _ in range(problem.processors)]
        self.idle = [True] * problem.processors
        self.until = [0] * problem.processors  # when its step ends
        self.ends = [0] * len(problem.lengths)
        self.missing = [len(needs) for needs in problem.needs]
        self.free_at = [0] * (max(problem.wires, default=-1) + 1)
        self.agenda: list[tuple[int, int]] = []  # when to look at which processor

    def run(self) -> Schedule:
        """Schedule all jobs."""
        for job, missing in enumerate(self.missing):
            if not missing:
                self.ready(job)
        self.agenda = [(0, rank) for rank in range(self.problem.processors)]
        while self.agenda:
            now = self.agenda[0][0]
            ranks = []
            while self.agenda and self.agenda[0][0] == now:
                ranks.append(heappop(self.agenda)[1])
            self.look(now, ranks)
        assert all(missing < 0 for missing in self.missing), "every job is done"
        return Schedule(self.steps, self.ends, max((*self.until, *self.ends)))

    def ready(self, job: int) -> None:
        """All that a job needs is there."""
        raise NotImplementedError

    def look(self, now: int, ranks: Sequence[int]) -> None:
        """Go on with processors, some of which have ended their steps."""
        raise NotImplementedError

    def begin(self, rank: int, step: Step, until: int) -> None:
        """A processor begins a step."""
        self.steps[rank].append(step)
        self.idle[rank] = False
        self.until[rank] = until
        heappush(self.agenda, (until, rank))

    def done(self, job: int) -> None:
        """What a job made is there."""
        missing = self.missing
        missing[job] = -1
        for user in self.problem.users[job]:
            missing[user] -= 1
            if not missing[user]:
                self.ready(user)


class Meeting(Scheduler):
    """Both ends of a transfer are there from its beginning to its end, and neither computes meanwhile.

    A processor that communicates may begin further transfers, through other channels: they are one `par`, which ends
    when all have ended. What they bring can be used then. It does so at the moment when it begins to communicate, and
    later if they end no later than what it waits for anyway.
    """

    def __init__(self, problem: Problem, order: Order) -> None:
        super().__init__(problem, order)
        self.at_hand: list[set[int]] = [set() for _ in range(problem.processors)]
        self.began = [0] * problem.processors
        self.talks: list[Step | None] = [None] * problem.processors
        self.shared = len(set(zip(problem.channels, problem.wires, strict=True))) > len(set(problem.wires))

    def ready(self, job: int) -> None:
        """Both ends may think of it."""
        self.at_hand[self.problem.starts[job]].add(job)
        self.at_hand[self.problem.homes[job]].add(job)

    def look(self, now: int, ranks: Sequence[int]) -> None:
        """End steps, then begin what can begin, in the order of priority."""
        fresh = [rank for rank in dict.fromkeys(ranks) if self._ended(now, rank)]
        if self.shared:  # a wire may have become free for others
            fresh = [rank for rank, hand in enumerate(self.at_hand) if hand]
        problem = self.problem
        jobs = {job for rank in fresh for job in self.at_hand[rank]}
        for job in sorted(jobs, key=self.order.__getitem__):
            start, home = problem.starts[job], problem.homes[job]
            if problem.channels[job] < 0:
                if self.idle[start]:
                    self.at_hand[start].remove(job)
                    self.ends[job] = now + problem.lengths[job]
                    self.begin(start, [job], self.ends[job])
            elif self.free_at[problem.wires[job]] <= now and self._may(start, job, now) and self._may(home, job, now):
                self._transfer(job, start, home, now)

    def _ended(self, now: int, rank: int) -> bool:
        """Whether a processor is idle, its step ended."""
        if not self.idle[rank] and self.until[rank] == now:
            self.idle[rank] = True
            self.talks[rank] = None
            for job in self.steps[rank][-1]:
                if self.problem.homes[job] == rank:
                    self.done(job)
        return self.idle[rank]

    def _may(self, rank: int, job: int, now: int) -> bool:
        """Whether a processor could take part in a transfer now."""
        talk = self.talks[rank]
        if talk is None:
            return self.idle[rank]
        channels = self.problem.channels
        in_time = self.began[rank] == now or now + self.problem.lengths[job] <= self.until[rank]
        return in_time and all(channels[each] != channels[job] for each in talk)

    def _transfer(self, job: int, start: int, home: int, now: int) -> None:
        end = self.ends[job] = self.free_at[self.problem.wires[job]] = now + self.problem.lengths[job]
        for rank in (start, home):
            self.at_hand[rank].remove(job)
            talk = self.talks[rank]
            if talk is None:
                self.talks[rank] = talk = [job]
                self.began[rank] = now
                self.begin(rank, talk, end)
            else:
                talk.append(job)
                self.until[rank] = max(end, self.until[rank])
                heappush(self.agenda, (end, rank))


class Posting(Scheduler):
    """The sender goes on once a message is set up. What has arrived is taken whenever its receiver is idle.

    Messages are sent as soon as there is room for them, if that takes no time; else in the order of priority, all at
    once that can be.
    """

    def __init__(self, problem: Problem, order: Order) -> None:
        super().__init__(problem, order)
        self.calls: list[list[tuple[int, int]]] = [[] for _ in range(problem.processors)]
        self.posts: list[set[int]] = [set() for _ in range(problem.processors)]
        channels = max(problem.channels, default=-1) + 1
        self.unread = [0] * channels  # sent and not taken
        self.coming: list[deque[int]] = [deque() for _ in range(channels)]  # those that have departed
        self.inputs: list[set[int]] = [set() for _ in range(problem.processors)]  # channels with something coming

    def ready(self, job: int) -> None:
        """Its processor may think of it."""
        start = self.problem.starts[job]
        if self.problem.channels[job] < 0:
            heappush(self.calls[start], (self.order[job], job))
        else:
            self.posts[start].add(job)

    def look(self, now: int, ranks: Sequence[int]) -> None:
        """Let every processor that is idle take, send and compute."""
        for rank in dict.fromkeys(ranks):
            if not self.idle[rank] and self.until[rank] == now:
                self.idle[rank] = True
                self._end(rank, now)
            if self.idle[rank]:
                self._take(rank, now)
                self._go_on(rank, now)

    def _end(self, rank: int, now: int) -> None:
        for job in self.steps[rank][-1]:
            if self.problem.channels[job] < 0:
                self.done(job)
            else:
                self._depart(job, now)

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
                self.done(job)
                heappush(self.agenda, (now, self.problem.starts[job]))  # where there is room now

    def _go_on(self, rank: int, now: int) -> None:
        """Send, compute, or wait."""
        while step := self._sendable(rank):
            calls = self.calls[rank]
            lead = max(self.problem.leads[job] for job in step)
            if lead and calls and calls[0][0] < self.order[step[0]]:
                break
            for job in step:
                self.posts[rank].remove(job)
                self.unread[self.problem.channels[job]] += 1
            if lead:
                self.begin(rank, step, now + lead)
                return
            self.steps[rank].append(step)
            for job in step:
                self._depart(job, now)
        if self.calls[rank]:
            _, job = heappop(self.calls[rank])
            self.ends[job] = now + self.problem.lengths[job]
            self.begin(rank, [job], self.ends[job])

    def _sendable(self, rank: int) -> Step:
        """Messages that can be sent at once, the first of each channel that has room."""
        buffers, channels = self.problem.buffers, self.problem.channels
        found: dict[int, int] = {}
        for job in sorted(self.posts[rank], key=self.order.__getitem__):
            channel = channels[job]
            if not buffers or self.unread[channel] < buffers:
                found.setdefault(channel, job)
        return [*found.values()]

    def _depart(self, job: int, now: int) -> None:
        """A message is set up: its wire carries it next."""
        channel, wire, home = self.problem.channels[job], self.problem.wires[job], self.problem.homes[job]
        self.coming[channel].append(job)
        self.inputs[home].add(channel)
        arrive = self.ends[job] = self.free_at[wire] = max(now, self.free_at[wire]) + self.problem.lengths[job]
        heappush(self.agenda, (arrive, home))
