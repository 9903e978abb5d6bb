"""A run as events that can be stepped through: what happens next, what every processor does then, what it holds."""

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from meshsim.columns import KINDS, Columns
from meshsim.errors import MeshSimError
from meshsim.log import Ints
from meshsim.network import Link, Network
from meshsim.outcome import Run
from meshsim.trace import label
from meshsim.watching import Place, Values

BEGINS, COMPUTES, SENDS, ARRIVES, RECEIVES, ENDS = "begins", "computes", "sends", "arrives", "receives", "ends"
"""What may happen: a compute begins, or has its result; a message departs, waits at a port, or is taken; a processor's
last program ends. What takes no time is told once: a compute by its result, a message that is taken when it arrives by
that."""
ENDED = "ended"
"""What a processor does beside `KINDS`: nothing any more, or nothing ever."""


class Event(NamedTuple):
    """Something that happens at a tick, to a processor and its program.

    `subject` counts the parts of the trace for a compute, and its messages for what concerns a message; -1 for an end.
    """

    tick: int
    kind: str
    processor: int
    program: int
    subject: int


class Hands(NamedTuple):
    """The last event of each sort that a processor had: what it received, computed and sent; None if nothing yet."""

    received: Event | None
    computed: Event | None
    sent: Event | None


class Spot(NamedTuple):
    """Where a message is: on which link, and what share of it lies behind."""

    link: Link
    share: float


class Watch:
    """The events of a run in order, and what can be seen after any number of them.

    Events are in order of time. What is caused comes after its cause; of what is left, node order decides, and then
    the order of the program's own steps.
    """

    def __init__(self, run: Run[Any]) -> None:
        self.run = run
        self.columns: Columns = run.trace.columns
        self.home = self.columns.home.tolist()
        self.ends = [tuple(each) for each in np.stack([self.columns.sender, self.columns.receiver], axis=1).tolist()]

    @cached_property
    def values(self) -> Values:
        """What was computed and sent; only of a run that kept it."""
        return self.run.trace.values

    # When

    @cached_property
    def events(self) -> Sequence[Event]:
        """All of them, in order."""
        return _Ordering(self).events()

    @cached_property
    def _ticks(self) -> list[int]:
        return [event.tick for event in self.events]

    def count(self, tick: int) -> int:
        """How many events there are up to a tick, that one included."""
        return bisect_right(self._ticks, tick)

    def next_of(self, processor: int, count: int) -> int:
        """How many events there have been when a processor has its next one; all, if it has none."""
        mine = self._of[processor]
        place = bisect_right(mine, count)
        return mine[place] if place < len(mine) else len(self.events)

    def previous_of(self, processor: int, count: int) -> int:
        """How many there had been when a processor had its last event before this one; 0 if it had none."""
        mine = self._of[processor]
        place = bisect_right(mine, count - 1) - 1
        return mine[place] if place >= 0 else 0

    @cached_property
    def _of(self) -> Sequence[list[int]]:
        """By processor, how many events there have been after each of its own."""
        found: list[list[int]] = [[] for _ in self.columns.processors]
        for number, event in enumerate(self.events, start=1):
            found[event.processor].append(number)
        return found

    # What processors do

    def states(self, tick: int) -> list[str]:
        """What each processor does from a tick on: one of `KINDS`, or `ENDED`."""
        kinds = [*KINDS, ENDED]
        parts = self.columns.parts
        return [kinds[-1 if part < 0 else int(parts.kind[part])] for part in self.parts_at(tick).tolist()]

    def parts_at(self, tick: int) -> Ints:
        """The part of the trace in which each processor is at a tick, up to its end; -1 if it has ended."""
        parts, (lasting, keys, wide) = self.columns.parts, self._keys
        if not len(lasting):
            return np.full(len(self.columns.processors), -1)
        processors = np.arange(len(self.columns.processors))
        found = lasting[np.searchsorted(keys, processors * wide + tick, side="right") - 1]
        within = (parts.processor[found] == processors) & (parts.start[found] <= tick) & (tick < parts.end[found])
        return np.where(within, found, -1)

    @cached_property
    def _keys(self) -> tuple[Ints, Ints, int]:
        """The parts that take time, and a number of each that grows with processor and time."""
        parts, wide = self.columns.parts, self.run.ticks + 1
        lasting = np.flatnonzero(parts.end > parts.start)
        return lasting, parts.processor[lasting] * wide + parts.start[lasting], wide

    # What they hold

    def hands(self, processor: int, count: int) -> Hands:
        """What a processor last received, computed and sent when so many events have been."""
        found: dict[str, Event] = {}
        mine = self._of[processor]
        for place in range(bisect_right(mine, count) - 1, -1, -1):
            event = self.events[mine[place] - 1]
            found.setdefault(event.kind, event)
            if len(found.keys() & {RECEIVES, COMPUTES, SENDS}) == 3:
                break
        return Hands(found.get(RECEIVES), found.get(COMPUTES), found.get(SENDS))

    def last_of(self, processor: int, count: int) -> Event | None:
        """The last event of a processor's own doing when so many events have been: the one that has a program line."""
        mine = self._of[processor]
        for place in range(bisect_right(mine, count) - 1, -1, -1):
            event = self.events[mine[place] - 1]
            if event.kind not in (ARRIVES, ENDS):
                return event
        return None

    def value(self, event: Event) -> Any:
        """What was computed, or what a message carries."""
        if event.kind in (BEGINS, COMPUTES):
            return self.values.computed[self._computes[event.subject]]
        return self.values.sent[event.subject]

    def line(self, event: Event) -> Place:
        """The program line that it comes from."""
        values = self.values
        if event.kind in (BEGINS, COMPUTES):
            place = values.computed_at[self._computes[event.subject]]
        else:
            place = (values.sent_at if event.kind == SENDS else values.received_at)[event.subject]
        return values.places[int(place)]

    @cached_property
    def _computes(self) -> dict[int, int]:
        """Which of the computes a part is."""
        return {part: number for number, part in enumerate(np.flatnonzero(self.columns.parts.kernel >= 0).tolist())}

    # Messages

    def under_way(self, count: int) -> list[int]:
        """The messages that have departed and not been taken when so many events have been, oldest first."""
        departed: dict[int, None] = {}
        for event in self.events[:count]:
            if event.kind == SENDS:
                departed[event.subject] = None
            elif event.kind == RECEIVES:
                del departed[event.subject]
        return list(departed)

    def arrived(self, message: int, tick: int) -> bool:
        """Whether a message is at its receiver by a tick."""
        return int(self.columns.messages.arrive[message]) <= tick

    def spot(self, message: int, tick: int) -> Spot | None:
        """Where a message is at a tick; None for one between programs of one processor."""
        messages = self.columns.messages
        number = int(messages.channel[message])
        path = self.paths[number]
        if not path:
            return None
        depart, arrive = int(messages.depart[message]), int(messages.arrive[message])
        if tick >= arrive:
            return Spot(path[-1], 1.0)
        legs = self.columns.channels[number].legs
        if not legs:
            share = len(path) * (tick - depart) / (arrive - depart)
            return Spot(path[int(share)], share - int(share))
        begun = [place for place, (_, began, _) in enumerate(legs[int(messages.number[message])]) if began <= tick]
        place = begun[-1] if begun else 0
        _, began, ended = legs[int(messages.number[message])][place]
        return Spot(path[place], min(max((tick - began) / (ended - began), 0.0), 1.0) if ended > began else 1.0)

    @cached_property
    def network(self) -> Network:
        """The network that it ran on."""
        if self.run.network is not None:
            return self.run.network
        if self.run.topology is None:
            raise MeshSimError("a run must know its topology to be watched, and this one was timed from a recording")
        return Network(self.run.topology)

    @cached_property
    def paths(self) -> Sequence[Sequence[Link]]:
        """The links that each channel's messages cross."""
        if self.run.network is not None:
            return [channel.path for channel in self.columns.channels]
        keys = _keys_by_port(self.network)
        nodes = [(each.sender.cpu.node, each.sender.port, each.receiver.cpu.node) for each in self.columns.channels]
        return [(Link(source, target, keys[source, port]),) for source, port, target in nodes]

    # Names

    def find(self, text: str) -> int:
        """The number of the processor that a text names, with or without brackets: 2,3."""
        names = [label(core.node) for core in self.columns.processors]
        bare = [_bare(name) for name in names]
        if _bare(text) not in bare:
            raise MeshSimError(f"a processor must be one of {', '.join(names)}, not {text!r}")
        return bare.index(_bare(text))


def _bare(name: str) -> str:
    return name.replace("(", "").replace(")", "").replace(" ", "")


def _keys_by_port(network: Network) -> dict[tuple[Hashable, str], int]:
    """Of each node's port, the key of the edge that it leads to."""
    graph = network.graph
    edges = graph.edges(keys=True, data="ports") if graph.is_multigraph() else ()
    found = {(node, port): key for _, _, key, ports in edges for node, port in ports.items()}
    if not graph.is_multigraph():
        found = {(node, port): 0 for _, _, ports in graph.edges(data="ports") for node, port in ports.items()}
    return found


class _Ordering:
    """Puts events in order: each after its causes, and otherwise by time and node order.

    A program's steps are its computes and its communications, which may be several at once. A `gate` stands between
    two steps: it is no event, and opens when the step before it is done.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.keys: list[tuple[int, ...]] = []  # of events and gates; a gate's is the least, so that it opens at once
        self.found: list[Event | None] = []
        self.after: list[list[int]] = []
        self.causes: list[int] = []

    def events(self) -> list[Event]:
        """All events."""
        departs, takes = self._messages()
        last: dict[int, list[tuple[int, int]]] = {}  # of each processor, its programs and the gates after them
        for program, steps in enumerate(self._steps()):
            if steps:
                gate = self._chain(program, steps, departs, takes)
                last.setdefault(self.watch.home[program], []).append((program, gate))
        for processor, gates in last.items():
            self._end(processor, gates)
        ready = [(self.keys[number], number) for number, causes in enumerate(self.causes) if not causes]
        heapify(ready)
        found = []
        while ready:
            _, number = heappop(ready)
            event = self.found[number]
            if event is not None:
                found.append(event)
            for other in self.after[number]:
                self.causes[other] -= 1
                if not self.causes[other]:
                    heappush(ready, (self.keys[other], other))
        assert len(found) == sum(event is not None for event in self.found), "a trace must have causes before effects"
        return found

    def _add(self, event: Event | None, step: int = 0, place: int = 0) -> int:
        gate = (-1,)
        self.keys.append(gate if event is None else (event.tick, event.processor, event.program, step, place))
        self.found.append(event)
        self.after.append([])
        self.causes.append(0)
        return len(self.found) - 1

    def _cause(self, first: int, second: int) -> None:
        self.after[first].append(second)
        self.causes[second] += 1

    def _steps(self) -> list[list[tuple[int, int, int, int]]]:
        """Of each program in order: span, 1 for a compute and 0 for an operation, its place, part or operation."""
        watch = self.watch
        parts, operations, messages = watch.columns.parts, watch.columns.operations, watch.columns.messages
        found: list[list[tuple[int, int, int, int]]] = [[] for _ in watch.columns.programs]
        computes = np.flatnonzero(parts.kernel >= 0)
        for part, program, span in zip(
            computes.tolist(), parts.program[computes].tolist(), parts.span[computes].tolist(), strict=True
        ):
            found[program].append((span, 1, 0, part))
        channels = messages.channel[operations.message].tolist()
        rows = zip(*(each.tolist() for each in operations), channels, strict=True)
        for number, (span, place, _, receives, channel) in enumerate(rows):
            found[watch.ends[channel][receives]].append((span, 0, place, number))
        return [sorted(steps) for steps in found]

    def _messages(self) -> tuple[list[int], list[int]]:
        """Room for the departure of each message and for its being taken, with its arrival between where it waits."""
        messages = self.watch.columns.messages
        departs, takes = [], []
        times = zip(
            *(getattr(messages, name).tolist() for name in ("channel", "depart", "arrive", "taken")), strict=True
        )
        for message, (channel, depart, arrive, taken) in enumerate(times):
            sender, receiver = self.watch.ends[channel]
            home, there = self.watch.home[sender], self.watch.home[receiver]
            departs.append(self._add(Event(depart, SENDS, home, sender, message)))
            takes.append(self._add(Event(taken, RECEIVES, there, receiver, message)))
            if depart < arrive < taken and there != home:
                waits = self._add(Event(arrive, ARRIVES, there, receiver, message))
                self._cause(departs[-1], waits)
                self._cause(waits, takes[-1])
            else:
                self._cause(departs[-1], takes[-1])
        return departs, takes

    def _chain(
        self, program: int, steps: Sequence[tuple[int, int, int, int]], departs: Sequence[int], takes: Sequence[int]
    ) -> int:
        """Let each step of a program follow the one before; the gate after the last.

        On a shared processor the operations of one step may stand in several spans, with copies between them: a new one
        begins where those before have ended.
        """
        of, receives_all = self.watch.columns.operations.message, self.watch.columns.operations.receives
        gate, last, done = self._add(None), -1, 0
        opened = gate
        for number, (span, computes, place, subject) in enumerate(steps):
            message, receives = (-1, 0) if computes else (int(of[subject]), int(receives_all[subject]))
            start, end = (0, 0) if computes else self._times(message, receives)
            if computes or last < 0 or (last != span and start >= done):
                opened, gate, done = gate, self._add(None), 0
                self._cause(opened, gate)
            last, done = -1 if computes else span, max(done, end)
            if computes:
                self._compute(program, number, subject, opened, gate)
                continue
            event = takes[message] if receives else departs[message]
            self.keys[event] = (*self.keys[event][:3], number, place)
            self._cause(opened, event)
            if receives:
                self._cause(event, gate)
        return gate

    def _times(self, message: int, receives: int) -> tuple[int, int]:
        """When an operation began and ended."""
        messages = self.watch.columns.messages
        start, end = (messages.asked, messages.taken) if receives else (messages.sent, messages.left)
        return int(start[message]), int(end[message])

    def _compute(self, program: int, step: int, part: int, before: int, gate: int) -> None:
        """Its beginning, if it takes time, and its result."""
        parts, home = self.watch.columns.parts, self.watch.home[program]
        start, end = int(parts.start[part]), int(parts.end[part])
        result = self._add(Event(end, COMPUTES, home, program, part), step, 1)
        if end > start:
            begin = self._add(Event(start, BEGINS, home, program, part), step)
            self._cause(before, begin)
            self._cause(begin, result)
        else:
            self._cause(before, result)
        self._cause(result, gate)

    def _end(self, processor: int, gates: Sequence[tuple[int, int]]) -> None:
        """A processor ends with the last of its programs."""
        event = Event(self.watch.columns.processors[processor].clock, ENDS, processor, gates[-1][0], -1)
        end = self._add(event, len(self.found))
        for _, gate in gates:
            self._cause(gate, end)
