"""Channels: an output port joined to an input port. One message at a time, first in, first out.

Each discipline is a class. An end's `begin` is called when its processor starts an operation; it returns True when
the operation's end is known at once, else the operation waits until the other side settles it. Times are
the processors' own: a processor may be ahead of the event loop, never behind it, so every time computed here
is at or after the loop's.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from struct import Struct
from typing import Any, Final

from meshsim.log import FIELDS, Log
from meshsim.machine import LinkCosts
from meshsim.wire import Route

PACK: Final = Struct(f"={len(FIELDS)}q").pack


class End:
    """One end of a channel, and the one operation that may be under way on it."""

    __slots__ = (
        "begin", "channel", "cpu", "end", "inside", "issued", "number", "payload", "peer", "port", "start", "together",
        "value", "verb", "waiting", "words",
    )  # fmt: skip

    def __init__(self, cpu: Any, port: str, verb: str) -> None:
        self.cpu = cpu
        self.peer: End
        self.begin: Callable[[End], bool]  # called with itself
        self.start = 0
        self.end = 0
        self.issued: Any = None  # the process whose program made an operation and has not yet yielded it
        self.waiting = False  # begun, end unknown
        self.inside = False  # of a channel within a processor
        self.words = 0
        self.payload: Any = None  # what is to be sent
        self.value: Any = None  # what was received
        self.together: tuple[End, ...] = ()  # of a trace: the operations that it ended with as their first,
        self.number = 0  # and their number in the log
        self.channel: Channel
        self.port = port
        self.verb = verb

    def __repr__(self) -> str:
        return f"<{self.verb} on port {self.port!r} of {self.cpu.node}>"

    def settle(self) -> None:
        """The other side has decided when this operation ends."""
        self.waiting = False
        self.cpu.settle(self.end)


class Channel:
    """What the disciplines share: the two ends, the wire, the traffic and the log."""

    __slots__ = (
        "buffer_delay", "legs", "links", "lives", "log", "messages", "number", "path", "per_word", "receive",
        "receiver", "route", "sender", "startup", "under_way", "words",
    )  # fmt: skip

    def __init__(self, links: LinkCosts, sender: End, receiver: End, route: Route | None, log: Log | None) -> None:
        self.links = links
        self.startup = links.startup
        self.per_word = links.per_word
        self.receive = links.receive
        self.buffer_delay = 0  # ticks after a message was taken until its buffer is free
        self.sender = sender
        self.receiver = receiver
        self.path: tuple[Any, ...] = ()  # the links of a network that its messages cross, if it was placed on one
        self.route = route  # over wires that it may share with others; none: it has one wire of its own
        self.messages = 0
        self.words = 0
        self.log = log
        self.lives = None if log is None else log.messages  # at hand: where each message is written down
        self.number = 0 if log is None else log.enter_channel()
        self.under_way: deque[tuple[int, ...]] = deque()  # of the log, what it has of messages that are yet to be taken
        self.legs: list[list[tuple[int, int, int]]] = []  # on a route: when each wire was asked for, began, ended
        sender.channel = receiver.channel = self
        sender.peer, receiver.peer = receiver, sender
        self._open()

    def _open(self) -> None:
        """What a discipline has besides; and how an end begins."""
        self.sender.begin, self.receiver.begin = self._begin_send, self._begin_recv

    def _begin_send(self, end: End) -> bool:
        raise AssertionError(f"a discipline defines how {end} begins")

    def _begin_recv(self, end: End) -> bool:
        raise AssertionError(f"a discipline defines how {end} begins")

    def _log_taken(self, asked: int, taken: int) -> None:
        """The first message under way is taken."""
        if self.lives is not None:
            self.lives += PACK(self.number, *self.under_way.popleft(), asked, taken)

    def ticks(self, cost: str, words: Any, messages: Any = 1) -> Any:
        """One of `COSTS`, for messages of so many words in all, or for arrays of them.

        A shared processor pays for receiving itself.
        """
        return 0 if cost == "receive" and not self.receive else self.links.ticks(cost, words, messages)

    @property
    def unread(self) -> int:
        """Messages sent and never received."""
        return 0


class Free(Channel):
    """Words cost nothing: the sender goes on at once, the receiver when the sender has sent."""

    __slots__ = ("queue",)

    def _open(self) -> None:
        super()._open()
        self.queue: deque[tuple[int, Any]] = deque()  # arrival and payload

    def _begin_send(self, end: End) -> bool:
        now = end.end = end.start
        self.messages += 1
        self.words += end.words
        if self.lives is not None:
            self.under_way.append((end.words, now, now, now, now, now))
        self.queue.append((now, end.payload))
        if self.receiver.waiting:
            self._take()
            self.receiver.settle()
        return True

    def _begin_recv(self, end: End) -> bool:
        if self.queue:
            self._take()
            return True
        end.waiting = True
        return False

    def _take(self) -> None:
        receiver = self.receiver
        arrive, receiver.value = self.queue.popleft()
        start = receiver.start
        receiver.end = end = start if start > arrive else arrive
        self._log_taken(start, end)

    @property
    def unread(self) -> int:
        return len(self.queue)


class Overlap(Free):
    """The link works beside the processor: the sender goes on after `setup` ticks if a buffer at the receiver has room.

    If none has, it goes on when the receiver has taken a message and so freed one. A message departs when it is set
    up, has a buffer, and the one before it has arrived. The receiver takes it in `receive` ticks.
    """

    __slots__ = ("free_at", "room", "setup", "unused")

    def _open(self) -> None:
        super()._open()
        self.setup = self.links.setup
        self.unused = self.links.buffers  # buffers that have had no message yet
        self.room: deque[int] = deque()  # when each of the others became free
        self.free_at = 0  # when the wire is done with what it carries
        if self.receiver.cpu.core.shared:
            self.buffer_delay = self.links.receive

    def _begin_send(self, end: End) -> bool:
        if self.unused or self.room:
            self._put()
            return True
        end.waiting = True
        return False

    def _put(self) -> None:
        sender = self.sender
        ready = sender.start + self.setup
        if self.unused:
            self.unused -= 1
        else:
            ready = max(ready, self.room.popleft())
        sender.end = ready
        words = sender.words
        self.messages += 1
        self.words += words
        message = words, sender.start, ready, sender.payload
        if self.route is None:
            depart = ready if ready > self.free_at else self.free_at
            self.free_at = depart + self.startup + words * self.per_word
            self._transfer(message, depart, self.free_at)
        else:
            self.route.carry(self, ready, words, partial(self._transfer, message))

    def _transfer(self, message: tuple[int, int, int, Any], depart: int, arrive: int) -> None:
        words, sent, ready, payload = message
        if self.lives is not None:
            self.under_way.append((words, sent, ready, ready, depart, arrive))
        self.queue.append((arrive, payload))
        if self.receiver.waiting:
            self._take()
            self.receiver.settle()

    def _take(self) -> None:
        receiver = self.receiver
        arrive, receiver.value = self.queue.popleft()
        start = receiver.start
        receiver.end = end = (start if start > arrive else arrive) + self.receive
        self._log_taken(start, end)
        self.room.append(end + self.buffer_delay)
        if self.sender.waiting:
            self._put()
            self.sender.settle()


class Posted(Channel):
    """The link works beside the processor: the sender goes on after `setup` ticks if a buffer of its own has room.

    If none has, it goes on when a transfer has ended and so freed one. A transfer begins when the receiver has asked:
    there is no buffer at the receiver. The receiver goes on `receive` ticks after it has ended.
    """

    __slots__ = ("queue", "room", "setup", "unused")

    def _open(self) -> None:
        super()._open()
        self.setup = self.links.setup
        self.unused = self.links.buffers  # buffers that have had no message yet
        self.room: deque[int] = deque()  # when each of the others became free
        self.queue: deque[tuple[int, int, int, Any]] = deque()  # sent, left, words, payload

    def _begin_send(self, end: End) -> bool:
        if not self.unused and not self.room:
            end.waiting = True
            return False
        self._post()
        if self.receiver.waiting and len(self.queue) == 1 and self._ask():  # longer: the first awaits a shared wire
            self.receiver.settle()
        return True

    def _begin_recv(self, end: End) -> bool:
        if self.queue and self._ask():
            return True
        end.waiting = True
        return False

    def _post(self) -> None:
        sender = self.sender
        left = sender.start + self.setup
        if self.unused:
            self.unused -= 1
        else:
            left = max(left, self.room.popleft())
        sender.end = left
        self.messages += 1
        self.words += sender.words
        self.queue.append((sender.start, left, sender.words, sender.payload))

    def _ask(self) -> bool:
        """Begin the transfer of the first message; whether its end is known."""
        _, left, words, _ = self.queue[0]
        ready = max(left, self.receiver.start)
        if self.route is None:
            self._transfer(ready, ready, ready + self.startup + words * self.per_word)
            return True
        self.route.carry(self, ready, words, partial(self._carried, ready))
        return False

    def _carried(self, ready: int, depart: int, arrive: int) -> None:
        self._transfer(ready, depart, arrive)
        self.receiver.settle()

    def _transfer(self, ready: int, depart: int, arrive: int) -> None:
        receiver = self.receiver
        sent, left, words, receiver.value = self.queue.popleft()
        receiver.end = arrive + self.receive
        if self.lives is not None:
            self.lives += PACK(self.number, words, sent, ready, left, depart, arrive, receiver.start, receiver.end)
        self.room.append(arrive)
        if self.sender.waiting:
            self._post()
            self.sender.settle()

    @property
    def unread(self) -> int:
        return len(self.queue)


class Rendezvous(Channel):
    """Occam's channel: the transfer begins when both are ready, and both go on when it ends.

    The receiver goes on `receive` ticks later than the sender.
    """

    __slots__ = ()

    def _open(self) -> None:
        self.sender.begin = self.receiver.begin = self._begin

    def _begin(self, end: End) -> bool:
        """Whoever is first waits; if the end of the transfer is known, the other does not."""
        other = end.peer
        if not other.waiting:
            end.waiting = True
            return False
        ready = end.start
        if other.start > ready:
            ready = other.start
        if self.route is not None:
            self._depart(self.route, ready)
            return False
        self._transfer(ready, ready, ready + self.startup + self.sender.words * self.per_word)
        other.waiting = False
        other.cpu.settle(other.end)
        return True

    def _depart(self, route: Route, ready: int) -> None:
        """Take a message that is ready over shared wires."""
        self.sender.waiting = self.receiver.waiting = True
        route.carry(self, ready, self.sender.words, partial(self._carried, ready))

    def _carried(self, ready: int, depart: int, arrive: int) -> None:
        self._transfer(ready, depart, arrive)
        self.sender.settle()
        self.receiver.settle()

    def _transfer(self, ready: int, depart: int, arrive: int) -> None:
        sender, receiver = self.sender, self.receiver
        words = sender.words
        sender.end = arrive
        receiver.end = taken = arrive + self.receive
        receiver.value = sender.payload
        self.messages += 1
        self.words += words
        if self.lives is not None:
            self.lives += PACK(self.number, words, sender.start, ready, arrive, depart, arrive, receiver.start, taken)


DISCIPLINES: dict[str, type[Channel]] = {"free": Free, "overlap": Overlap, "posted": Posted, "rendezvous": Rendezvous}
