"""Wires that several channels share, and the routes of messages over them.

A route is one leg after the other, each over a wire. A wire carries one message at a time, first come, first served.
Requests made for the same tick are served in node order of the sender, then of the receiver: a wire is granted after
all else that happens in a tick.
"""

from collections import deque
from collections.abc import Callable, Container, Hashable, Iterable
from heapq import heappop, heappush
from typing import Any, NamedTuple, Protocol

import simpy
from simpy.events import NORMAL

Arrived = Callable[[int, int], None]
"""Called with the ticks at which a message departed and arrived; it may arrive later than now."""


class LateEvent(simpy.Event):
    """An event that comes after all others of its tick, whenever those were scheduled."""

    def __init__(self, env: simpy.Environment, delay: int, callback: Callable[[simpy.Event], None]) -> None:
        super().__init__(env)
        self.callbacks = [callback]
        self._ok = True  # as SimPy's own Initialize does: it is triggered from the start
        self._value = None
        env.schedule(self, priority=NORMAL + 1, delay=delay)  # type: ignore[arg-type]


CORES, WAITING_CORES, WIRES = 0, 1, 2
"""Who comes first late in a tick: processors look whom to run, last those whose program begins to wait, then wires."""


class Due(Protocol):
    """What is to be done at a tick."""

    def due(self, now: int) -> None:
        """It is that tick."""


class Late:
    """What is done late in a tick, after all else that happens in it: in order of stage, then of precedence.

    `early` has the ticks at which something is yet to happen before that.
    """

    __slots__ = ("armed", "asked", "early", "env", "heap")

    def __init__(self, env: simpy.Environment, early: Container[int]) -> None:
        self.env = env
        self.early = early
        self.heap: list[tuple[int, int, tuple[int, ...], int, Due]] = []
        self.asked = 0
        self.armed: int | None = None  # the tick of the next event

    def call(self, tick: int, stage: int, precedence: tuple[int, ...], what: Due) -> None:
        """Do something late in a tick."""
        self.asked = asked = self.asked + 1
        heappush(self.heap, (tick, stage, precedence, asked, what))
        if self.armed is None or tick < self.armed:
            self._arm(tick)

    def _arm(self, tick: int) -> None:
        self.armed = tick
        LateEvent(self.env, tick - int(self.env.now), self._ring)

    def _ring(self, _: simpy.Event) -> None:
        """Do all that is due, and what is due next, while nothing else happens before: that needs no event."""
        env, heap, early = self.env, self.heap, self.early
        if env.now != self.armed:
            return  # it was armed for an earlier tick since
        while heap:
            now = heap[0][0]
            if now != self.armed:
                if env.peek() <= now:
                    break
                self.armed = now
            heappop(heap)[4].due(now)
            if now in early:  # what this has led to comes first
                break
        self.armed = None
        if heap:
            self._arm(heap[0][0])


class Buffer:
    """Where a router holds messages for one link out of it; `limit` 0: any number of them.

    Room for a message is taken when its transfer into the router begins, and is free when its transfer out is done. It
    goes to the message that has asked for its wire longest.
    """

    __slots__ = ("env", "held", "limit", "link", "stays", "waiting", "wire")

    def __init__(self, env: simpy.Environment, link: Any, wire: "Wire", limit: int) -> None:
        self.env = env
        self.link = link  # which begins at the router
        self.wire = wire  # that it is
        self.limit = limit
        self.held = 0
        self.stays: list[tuple[int, int]] = []  # from when until when each message was held
        self.waiting: dict[Wire, Journey] = {}  # wires whose first message finds no room here

    def refuses(self, wire: "Wire", journey: "Journey", now: int) -> bool:
        """Whether there is no room for the first message of a wire, which then is looked at again when there is."""
        self.waiting[wire] = journey
        if self.held >= self.limit or self._first() is not wire:
            return True
        del self.waiting[wire]
        self._call_next(self.held + 1, now)
        return False

    def _first(self) -> "Wire":
        """The wire whose message has asked for it longest, ties by node order."""
        return min(self.waiting, key=lambda wire: self.waiting[wire].precedence)

    def _call_next(self, held: int, now: int) -> None:
        if self.waiting and held < self.limit:
            self._first().look_at(now)

    def free(self, until: int) -> None:
        """A message's room is free at a tick, which has yet to come."""
        self.env.timeout(until - int(self.env.now)).callbacks.append(self._freed)

    def _freed(self, _: simpy.Event) -> None:
        self.held -= 1
        self._call_next(self.held, int(self.env.now))

    @property
    def highest(self) -> int:
        """The most messages that it held at a time: a limit of so many would have held up none."""
        level = most = 0
        for _, change in sorted([(since, 1) for since, _ in self.stays] + [(until, -1) for _, until in self.stays]):
            level += change
            most = max(most, level)
        return most


class Wire:
    """Carries one message at a time."""

    __slots__ = (
        "alone", "conflicts", "free_at", "late", "link", "messages", "name", "ticks", "waited", "waiting", "words",
    )  # fmt: skip

    def __init__(self, late: Late, link: Any = None, name: str | None = None, alone: bool = False) -> None:
        self.late = late
        self.link = link  # of the network: the first of those that it is
        self.name = name  # of a bus; others have none
        self.alone = alone  # whether it is of one channel: it is free when its last message is done
        self.free_at = 0
        self.waiting: deque[Journey] = deque()  # those that found it busy, or no room where it leads
        self.messages = self.words = self.ticks = 0  # carried, and how long that took
        self.conflicts = self.waited = 0  # messages that found it busy, or no room behind it, and how long they waited

    def wait(self, journey: "Journey") -> None:
        """Let a message have the wire when it is free, after those that came before."""
        self.waiting.append(journey)
        if len(self.waiting) == 1:
            self.look_at(self.free_at)

    def look_at(self, tick: int) -> None:
        """Look at a tick whether the first that waits can have it."""
        if self.waiting:
            self.late.call(tick, WIRES, self.waiting[0].precedence, self)

    def due(self, now: int) -> None:
        """Let the first that waits have it, if there is room where it leads."""
        if not self.waiting or self.free_at > now:
            return  # it was looked at before
        journey = self.waiting[0]
        if journey.held_up(now):
            return
        self.waiting.popleft()
        self.conflicts += 1
        self.waited += now - journey.asked
        journey.granted(now)
        if self.waiting:
            self.look_at(self.free_at)


class Forwarder(Protocol):
    """A processor that forwards what arrives at it."""

    def forward(self, journey: "Journey", tick: int) -> None:
        """Let a message go on that has arrived at a tick, when the processor comes to it."""


class Leg(NamedTuple):
    """One link of a route, and the router that the message passes before it; none before the first.

    `cut`: the head goes on before the rest has come. `forwarder`: a processor forwards it, and pays the hop.
    """

    wire: Wire
    startup: int
    per_word: int
    router: Hashable = None
    hop: int = 0
    cut: bool = False
    buffer: Buffer | None = None
    forwarder: Forwarder | None = None


class Route:
    """The legs that the messages of a channel take; they are made when the first message is sent.

    Attributes
    ----------
    sender, receiver : int
        The node orders of the channel's ends, by which ties between messages are broken.
    bus : str or None
        The bus on the way, if there is one.
    limited : bool
        Whether routers on the way have room for a limited number of messages.
    """

    __slots__ = ("_legs", "bus", "late", "legs", "limited", "receiver", "sender", "sent")

    def __init__(self, late: Late, ranks: tuple[int, int], legs: Iterable[Leg], bus: str | None) -> None:
        self.late = late
        self.sender, self.receiver = ranks
        self.bus = bus
        self._legs = legs
        self.legs: tuple[Leg, ...] = ()
        self.limited = False
        self.sent = 0  # messages

    def carry(self, channel: Any, at: int, words: int, arrived: Arrived) -> None:
        """Take a message that is ready at a tick to the other end."""
        if not self.legs:
            self.legs = tuple(self._legs)
            self.limited = any(leg.buffer is not None and leg.buffer.limit for leg in self.legs)
        self.sent = order = self.sent + 1
        journey = Journey(self, order, channel, words, arrived, at)
        self.late.call(at, WIRES, (at, self.sender, self.receiver, order), journey)


class Journey:
    """A message on its way."""

    __slots__ = (
        "arrived", "asked", "begun", "channel", "departed", "end", "number", "order", "route", "times", "words",
    )  # fmt: skip

    def __init__(self, route: Route, order: int, channel: Any, words: int, arrived: Arrived, at: int) -> None:
        self.route = route
        self.order = order  # among the messages of its channel
        self.channel = channel
        self.words = words
        self.arrived = arrived
        self.number = 0  # of the leg that it asks for
        self.asked = at  # since when
        self.begun = self.end = self.departed = 0  # when the leg before began and was done, and when the first began
        self.times: list[tuple[int, int, int]] | None = None if channel.log is None else []
        """When each leg was asked for, began and was done; for the log."""

    @property
    def wire(self) -> Wire:
        """The wire that it asks for."""
        return self.route.legs[self.number].wire

    @property
    def precedence(self) -> tuple[int, int, int, int]:
        """Where it stands among messages that ask for something: first come, ties by node order."""
        return self.asked, self.route.sender, self.route.receiver, self.order

    @property
    def next_buffer(self) -> Buffer | None:
        """Where it needs room before it can have the leg that it asks for."""
        legs = self.route.legs
        return legs[self.number + 1].buffer if self.number + 1 < len(legs) else None

    def ask(self, tick: int) -> None:
        """Ask for the next leg, at a tick that has yet to come."""
        self.asked = tick
        self.route.late.call(tick, WIRES, self.precedence, self)

    def due(self, now: int) -> None:
        """It asks for its next leg now."""
        route = self.route
        wire = route.legs[self.number].wire
        if wire.waiting or wire.free_at > now:
            wire.wait(self)
        elif route.limited and self.held_up(now):
            wire.waiting.append(self)
        else:
            self.granted(now)

    def held_up(self, now: int) -> bool:
        """Whether there is no room where the leg leads that it asks for; its wire is looked at again when there is."""
        room = self.next_buffer
        return room is not None and room.limit > 0 and room.refuses(self.wire, self, now)

    def granted(self, tick: int) -> None:
        """It has the wire that it asked for, and those after it that no other channel uses."""
        route, words, number = self.route, self.words, self.number
        legs = route.legs
        while True:
            wire, startup, per_word, _, hop, cut, buffer, _ = legs[number]
            head = tick if cut else tick + startup
            end = head + words * per_word
            if cut and self.end + hop > end:
                end = self.end + hop
            wire.free_at = end
            wire.messages += 1
            wire.words += words
            wire.ticks += end - tick
            if buffer is None:
                self.departed = tick
            else:
                buffer.stays.append((self.begun, end))
                if buffer.limit:
                    buffer.free(end)
            if self.times is not None:
                self.times.append((self.asked, tick, end))
            number += 1
            if number == len(legs):
                if self.times is not None:
                    self.channel.legs.append(self.times)
                self.arrived(self.departed, end)
                return
            self.begun, self.end, self.number = tick, end, number
            leg = legs[number]
            if route.limited:
                assert leg.buffer is not None
                leg.buffer.held += 1
            if leg.forwarder is not None:
                leg.forwarder.forward(self, end)
                return
            self.asked = at = (head if leg.cut else end) + leg.hop
            following = leg.wire
            if route.limited or not following.alone:
                route.late.call(at, WIRES, (at, route.sender, route.receiver, self.order), self)
                return
            tick = following.free_at
            if tick > at:
                following.conflicts += 1
                following.waited += tick - at
            else:
                tick = at
