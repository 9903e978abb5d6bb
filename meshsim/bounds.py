"""How quick the jobs of a dataflow could be on a machine, in any order.

Three things bound every order of the same kernel calls and messages on the same processors: the longest path through
the dataflow, what one processor has to do, and what one wire has to carry. The last two are served one at a time: none
can begin before the longest path to it, and the longest path behind it is still to come when it ends. What holds for
such a server even if it could interrupt its jobs is Jackson's bound.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from heapq import heappop, heappush
from typing import Any

from meshsim.dataflow import Dataflow
from meshsim.discipline import Life
from meshsim.errors import MeshSimError
from meshsim.machine import Machine
from meshsim.plan import Plan
from meshsim.processor import Prices

Wire = tuple[str, Any]
"""What carries one message at a time: a channel, a link whose directions share a wire, or a bus."""
Served = tuple[int, int, int]
"""Of what is served: the earliest that it can begin, how long it takes, and how long the path behind it is."""


@dataclass(frozen=True)
class Bound:
    """Ticks that no order can beat: the largest of three.

    Attributes
    ----------
    path : int
        The longest path through the dataflow.
    processor : int
        The largest bound of a processor, and `busiest` the first that has it.
    wire : int
        The largest bound of a wire.
    busiest : node
        A processor.
    """

    path: int
    processor: int
    wire: int
    busiest: Hashable

    @property
    def ticks(self) -> int:
        """No order takes fewer."""
        return max(self.path, self.processor, self.wire)

    @property
    def decides(self) -> str:
        """Which of the three is the largest: path, processor or wire; the first of them."""
        return next(name for name in ("path", "processor", "wire") if getattr(self, name) == self.ticks)


def bound(flow: Dataflow[Any], machine: Machine) -> Bound:
    """What no order of a dataflow's jobs can beat on a machine.

    Parameters
    ----------
    flow : Dataflow
        The jobs. The messages are the same, with what they hold; they may pass a channel in any order.
    machine : Machine
        What jobs cost.
    """
    check_own_network(flow.plan)
    times = Timing(flow, machine)
    bounds = [times.of_processor(rank) for rank in range(len(flow.nodes))]
    processor = max(bounds)
    wires = [served(jobs) for jobs in times.carried.values()]
    busiest = flow.nodes[bounds.index(processor)]
    return Bound(max(times.ends, default=0), processor, max(wires, default=0), busiest)


def check_own_network(plan: Plan[Any]) -> None:
    """Refuse a plan on another network: what is known of orders holds for a processor and a wire for each."""
    if plan.placement is not None:
        raise MeshSimError(
            "the best order, and its bound, must be found for a plan on its own network, not on "
            f"{plan.placement.network.name}: find it first, then place the plan in that order"
        )


class Timing:
    """The jobs of a dataflow with their times on a machine, were all else idle.

    Attributes
    ----------
    lengths : list of int
        Ticks of a call; ticks of a message on the wire.
    leads : list of int
        Ticks before that, in which a message is set up.
    """

    def __init__(self, flow: Dataflow[Any], machine: Machine) -> None:
        self.flow = flow
        self.machine = machine
        self.life = machine.links.life
        prices, ticks, width = Prices(machine), machine.links.ticks, flow.plan.width(machine)
        set_up = ticks("setup", 0) if _is_set_up(self.life, "depart") else 0
        sizes = [job.words if width is None else width.words(job.words) for job in flow.jobs]
        self.lengths = [
            ticks("wire", size) if job.kernel is None else prices[job.kernel]
            for job, size in zip(flow.jobs, sizes, strict=True)
        ]
        self.leads = [set_up if job.kernel is None else 0 for job in flow.jobs]

    @cached_property
    def ends(self) -> list[int]:
        """When each job could end at the earliest."""
        ends: list[int] = []
        for job, lead, length in zip(self.flow.jobs, self.leads, self.lengths, strict=True):
            ends.append(max((ends[each] for each in job.needs), default=0) + lead + length)
        return ends

    @cached_property
    def tails(self) -> list[int]:
        """The longest path behind each job."""
        tails = [0] * len(self.lengths)
        for number in range(len(tails) - 1, -1, -1):
            whole = self.leads[number] + self.lengths[number] + tails[number]
            for each in self.flow.jobs[number].needs:
                tails[each] = max(tails[each], whole)
        return tails

    def wire(self, channel: int) -> Wire:
        """What carries the messages of a channel."""
        way = self.flow.ways[channel]
        if way.bus is not None:
            return "bus", way.bus
        return ("link", way.link) if self.machine.links.duplex == "half" else ("channel", channel)

    @cached_property
    def carried(self) -> dict[Wire, list[Served]]:
        """What each wire carries."""
        carried: dict[Wire, list[Served]] = defaultdict(list)
        for number, job in enumerate(self.flow.jobs):
            if job.kernel is None:
                carried[self.wire(job.channel)].append(self.served(number))
        return carried

    def served(self, job: int) -> Served:
        """A call, or a message on its wire."""
        return self.ends[job] - self.lengths[job], self.lengths[job], self.tails[job]

    def of_processor(self, rank: int) -> int:
        """A processor's bound: its calls, and what it communicates over one wire; it does one of these at a time.

        Over several wires it may communicate at once. So the wire that bounds it most counts, and no other.
        """
        calls: list[Served] = []
        talks: dict[Hashable, list[Served]] = defaultdict(list)
        for number in self.flow.written[rank]:
            job = self.flow.jobs[number]
            if job.kernel is not None:
                calls.append(self.served(number))
                continue
            if holds_sender(self.life) if job.start == rank else holds_receiver(self.life):
                talks[self.wire(job.channel)].append(self.served(number))
            if job.start == rank and _is_set_up(self.life, "left"):
                begin, wire, tail = self.served(number)
                lead = self.leads[number]
                talks["set-up", job.channel].append((begin - lead, lead, wire + tail))
        return max((served(calls + each) for each in talks.values()), default=served(calls))


def served(jobs: Iterable[Served]) -> int:
    """When all could be done by one server that may interrupt them, the path behind each included.

    At every moment it serves the one with the longest path behind it: that is the best it can do.
    """
    coming = sorted((each for each in jobs if each[1]), reverse=True)
    waiting: list[tuple[int, int]] = []
    now = done = 0
    while coming or waiting:
        if not waiting:
            now = max(now, coming[-1][0])
        while coming and coming[-1][0] <= now:
            _, length, tail = coming.pop()
            heappush(waiting, (-tail, length))
        tail, left = heappop(waiting)
        spent = min(left, coming[-1][0] - now) if coming else left
        now += spent
        if spent < left:
            heappush(waiting, (tail, left - spent))
        else:
            done = max(done, now - tail)
    return done


# What a discipline takes of a processor's time


def holds_sender(life: Life) -> bool:
    """Whether a sender can do nothing else while its message is on the wire."""
    return "arrive" in _before(life, "left")


def holds_receiver(life: Life) -> bool:
    """Whether a message is on the wire only while its receiver waits for it."""
    return "asked" in _before(life, "depart")


def _is_set_up(life: Life, point: str) -> bool:
    """Whether a message must be set up before a point."""
    points = {point} | _before(life, point)
    return any(after.cost == "setup" for each in points for after in life.points.get(each, ()))


@cache
def _before(life: Life, point: str) -> set[str]:
    """The points of a message's life that a point comes after."""
    found: set[str] = set()
    front = [point]
    while front:
        for after in life.points.get(front.pop(), ()):
            if not after.back and after.point not in found:
                found.add(after.point)
                front.append(after.point)
    return found
