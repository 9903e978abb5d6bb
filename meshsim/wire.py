"""Wires that several channels share, and the routes of messages over them.

A route is one leg after the other, each over a wire. A wire carries one message at a time, first come, first served.
Requests made for the same tick are served in node order of the sender, then of the receiver: a wire is granted after
all else that happens in a tick.
"""

from collections.abc import Callable, Hashable
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


class Alarm:
    """Calls back late in the earliest tick that it was set for."""

    __slots__ = ("callback", "env", "tick")

    def __init__(self, env: simpy.Environment, callback: Callable[[int], None]) -> None:
        self.env = env
        self.callback = callback
        self.tick: int | None = None

    def set(self, tick: int) -> None:
        """Call at a tick, unless it is set for an earlier one."""
        if self.tick is None or tick < self.tick:
            self.tick = tick
            LateEvent(self.env, tick - int(self.env.now), self._ring)

    def _ring(self, _: simpy.Event) -> None:
        if self.env.now == self.tick:  # else it was set for an earlier tick since
            tick, self.tick = self.tick, None
            self.callback(tick)


class Buffer:
    """Where a router holds messages for one wire out of it; `limit` 0: any number of them.

    A place is taken when a message's transfer into the router begins, and is free when its transfer out is done.
    """

    __slots__ = ("env", "held", "limit", "out", "stays", "waiting")

    def __init__(self, env: simpy.Environment, out: "Wire", limit: int) -> None:
        self.env = env
        self.out = out
        self.limit = limit
        self.held = 0
        self.stays: list[tuple[int, int]] = []  # from when until when each place was taken
        self.waiting: list[Wire] = []  # wires whose first message finds no room here

    @property
    def full(self) -> bool:
        """Whether there is no room."""
        return 0 < self.limit <= self.held

    def take(self) -> None:
        """Take a place; only a limit makes it count."""
        self.held += 1

    def free(self, since: int, until: int) -> None:
        """The place that was taken at a tick is free at another, which has yet to come."""
        self.stays.append((since, until))
        if self.limit:
            self.env.timeout(until - int(self.env.now)).callbacks.append(self._freed)

    def _freed(self, _: simpy.Event) -> None:
        self.held -= 1
        waiting, self.waiting = self.waiting, []
        for wire in waiting:
            wire.alarm.set(int(self.env.now))

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
        "alarm", "conflicts", "env", "free_at", "link", "messages", "name", "per_word", "queue", "requests", "startup",
        "ticks", "waited", "words",
    )  # fmt: skip

    def __init__(
        self, env: simpy.Environment, startup: int, per_word: int, link: Any = None, name: str | None = None
    ) -> None:
        self.env = env
        self.startup = startup
        self.per_word = per_word
        self.link = link  # of the network: the first of those that it is
        self.name = name  # of a bus; others have none
        self.queue: list[tuple[int, int, int, int, Journey]] = []
        self.free_at = 0
        self.requests = 0
        self.alarm = Alarm(env, self._look)
        self.messages = self.words = self.ticks = 0  # carried, and how long that took
        self.conflicts = self.waited = 0  # messages that found it busy, and how long they waited

    def request(self, at: int, journey: "Journey") -> None:
        """Let a message have the wire at a tick or later."""
        self.requests += 1
        channel = journey.channel
        heappush(self.queue, (at, channel.sender.cpu.rank, channel.receiver.cpu.rank, self.requests, journey))
        self.alarm.set(max(at, self.free_at))

    def _look(self, now: int) -> None:
        """Grant the wire, if it is free and there is room where it leads."""
        if self.free_at > now:
            self.alarm.set(self.free_at)
            return
        if not self.queue:
            return
        at, *_, journey = self.queue[0]
        if at > now:
            self.alarm.set(at)
            return
        room = journey.next_buffer
        if room is not None and room.full:
            room.waiting.append(self)
            return
        heappop(self.queue)
        if now > at:
            self.conflicts += 1
            self.waited += now - at
        self.free_at = journey.granted(now)
        self.messages += 1
        self.words += journey.words
        self.ticks += self.free_at - now
        if self.queue:
            self.alarm.set(max(self.free_at, self.queue[0][0]))


class Forwarder(Protocol):
    """A processor that forwards what arrives at it."""

    def forward(self, journey: "Journey", tick: int) -> None:
        """Let a message go on that has arrived at a tick, when the processor comes to it."""


class Leg(NamedTuple):
    """One wire of a route, and the router that the message passes before it; none before the first.

    `cut`: the head goes on before the rest has come. `forwarder`: a processor forwards it, and pays the hop.
    """

    wire: Wire
    router: Hashable = None
    hop: int = 0
    cut: bool = False
    buffer: Buffer | None = None
    forwarder: Forwarder | None = None


class Route:
    """The legs that the messages of a channel take."""

    __slots__ = ("legs",)

    def __init__(self, *legs: Leg) -> None:
        self.legs = legs

    @property
    def bus(self) -> str | None:
        """The bus on the way, if there is one."""
        return next((leg.wire.name for leg in self.legs if leg.wire.name is not None), None)

    def carry(self, channel: Any, at: int, words: int, arrived: Arrived) -> None:
        """Take a message that is ready at a tick to the other end."""
        Journey(channel, self.legs, words, arrived).ask(at)


class Journey:
    """A message on its way."""

    __slots__ = ("arrived", "asked", "begun", "channel", "departed", "end", "legs", "number", "times", "words")

    def __init__(self, channel: Any, legs: tuple[Leg, ...], words: int, arrived: Arrived) -> None:
        self.channel = channel
        self.legs = legs
        self.words = words
        self.arrived = arrived
        self.number = 0  # of the leg that it asks for
        self.asked = 0  # since when
        self.begun = self.end = 0  # when the leg before began, and when it is done
        self.departed = 0
        self.times: list[tuple[int, int, int]] = []  # when each leg was asked for, began and was done; for the log

    @property
    def next_buffer(self) -> Buffer | None:
        """Where it needs room before it can have the leg that it asks for."""
        return self.legs[self.number + 1].buffer if self.number + 1 < len(self.legs) else None

    def ask(self, tick: int) -> None:
        """Ask for the next leg."""
        self.asked = tick
        self.legs[self.number].wire.request(tick, self)

    def granted(self, tick: int) -> int:
        """It has the wire that it asked for; until when."""
        leg = self.legs[self.number]
        wire = leg.wire
        if leg.cut:
            head = tick
            end = max(tick + self.words * wire.per_word, self.end + leg.hop)
        else:
            head = tick + wire.startup
            end = head + self.words * wire.per_word
        if self.number == 0:
            self.departed = tick
        elif leg.buffer is not None:
            leg.buffer.free(self.begun, end)
        if self.channel.log is not None:
            self.times.append((self.asked, tick, end))
        self.begun, self.end = tick, end
        self.number += 1
        if self.number < len(self.legs):
            self._go_on(head, end)
        else:
            if self.channel.log is not None:
                self.channel.log.legs.append(self.times)
            self.arrived(self.departed, end)
        return end

    def _go_on(self, head: int, end: int) -> None:
        leg = self.legs[self.number]
        if leg.buffer is not None:
            leg.buffer.take()
        if leg.forwarder is not None:
            leg.forwarder.forward(self, end)
        else:
            self.ask((head if leg.cut else end) + leg.hop)
