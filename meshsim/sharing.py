"""A processor that several programs share, and the channels between them.

It runs one program at a time, until that one must wait for a channel; then the one that became ready first, ties by
node order. To change costs the machine's `switch`. In its own time it copies messages between its programs, sets up and
receives those over links, and forwards messages of others where routing is the processors' work.
"""

from collections import deque
from collections.abc import Hashable
from heapq import heappop, heappush
from math import inf
from typing import Any, TypeVar, TypeVarTuple

from meshsim.channel import Channel, End
from meshsim.counted import Kernel
from meshsim.log import Log
from meshsim.processor import Agenda, Chore, Core, Prices, Process, Tally
from meshsim.wire import CORES, WAITING_CORES, Journey, Late

Ts = TypeVarTuple("Ts")
R = TypeVar("R")


class Forwarding:
    """A message that a processor on its way has to forward: ready there as a program is."""

    __slots__ = ("core", "journey", "order", "rank")

    waits = ()

    def __init__(self, core: "SharedCore", journey: Journey) -> None:
        self.core = core
        self.journey = journey
        self.rank = journey.route.sender
        self.order = journey.route.receiver

    @property
    def runner(self) -> object:
        """Who runs: the same for all messages that a processor forwards."""
        return self.core

    def resume(self) -> None:
        """Forward it: it asks for its next link when the processor has done its part."""
        journey = self.journey
        self.core.spend("forward", journey.route.legs[journey.number].hop, journey.channel)
        journey.ask(self.core.clock)


class SharedCore(Core):
    """A core on which programs take turns."""

    __slots__ = (
        "begun", "copying", "entered", "kept", "last", "late", "local", "next", "owners", "ready",
        "receive", "running", "setup", "switch", "switches",
    )  # fmt: skip

    def __init__(self, agenda: Agenda, prices: Prices, node: Hashable, rank: int, late: Late, log: Log | None) -> None:
        super().__init__(agenda, prices, node, rank, log)
        self.shared = True
        self.switch = prices.machine.switch
        self.local = prices.machine.local
        self.setup, self.receive = (prices.machine.links.ticks(cost, 0) for cost in ("setup", "receive"))
        self.late = late
        self.next: int | None = None  # when it looks who is ready
        self.ready: list[tuple[int, int, int, int, Any]] = []  # since when, node orders, and who; a heap
        self.entered = 0
        self.last: object = None  # whom it ran last
        self.kept = False  # whether that one need not wait
        self.running = False
        self.switches = 0
        self.copying = 0  # ticks
        self.owners: list[SharedProcess | None] = []  # whose each span is
        self.begun: dict[End, list[int]] = {}  # at which span each operation of an end was begun

    def wake(self, who: Any, tick: int) -> None:
        """Somebody is ready to go on, from a tick on."""
        if who is self.last and tick <= self.clock:
            self.kept = True  # it has no need to wait
        else:
            self.entered += 1
            heappush(self.ready, (tick, who.rank, who.order, self.entered, who))
        if not self.running:
            self._look_at(tick)

    def forward(self, journey: Journey, tick: int) -> None:
        """Let a message go on that has arrived here at a tick, when its turn comes."""
        self.wake(Forwarding(self, journey), tick)

    def spend(self, kind: str, ticks: int, what: Any = None, owner: "SharedProcess | None" = None) -> None:
        """Let time pass with something else than arithmetic."""
        self.clock += ticks
        if self.log is not None and ticks:
            self.write(self.clock, Chore(kind, what), owner)

    def write(self, end: int, what: Any, owner: "SharedProcess | None") -> None:
        """Keep a span."""
        self.keep(end, what)
        self.owners.append(owner)

    def _look_at(self, tick: int) -> None:
        """Look who is ready; where the last program begins to wait in that tick, after other processors."""
        stage = CORES
        if tick <= self.clock:
            tick = self.clock
            if isinstance(self.last, SharedProcess) and not self.last.finished:
                stage = WAITING_CORES
        if self.next is None or tick < self.next:
            self.next = tick
            self.late.call(tick, stage, (self.rank,), self)

    def due(self, now: int) -> None:
        """Whoever ran has had to wait, and somebody is ready: let the next go on."""
        if self.next != now:
            return  # it looked before
        self.next = None
        if self.log is not None:
            self.log.turn_full_page()
        if self.kept:
            self.kept = False
            who: Any = self.last
        else:
            who = heappop(self.ready)[-1]
        if now > self.clock:
            if self.log is not None:
                program = who if who.waits else None
                self.write(now, who.waits or Chore("wait"), program)
            self.clock = now
        if self.last is not None and who.runner is not self.last:
            self.switches += 1
            self.spend("switch", self.switch)
        self.last = who.runner
        self.running = True
        who.resume()
        self.running = False
        if self.ready:
            self._look_at(self.ready[0][0])


class SharedProcess(Process):
    """A program on a shared core."""

    __slots__ = ("ended",)
    core: SharedCore
    order = -1
    """It comes before a message to be forwarded, from a program of the same rank."""

    def __init__(self, core: SharedCore, node: Hashable, rank: int) -> None:
        super().__init__(core, node, rank)
        self.ended = 0

    @property
    def runner(self) -> object:
        """Who runs: itself."""
        return self

    @property
    def clock(self) -> int:
        """Its core's, and in the end when it finished."""
        return self.ended if self.finished else self.core.clock

    def do(self, kernel: Kernel[*Ts, R], *args: *Ts) -> R:
        """Compute with a kernel, and let its time pass."""
        core = self.core
        try:
            tally = self.tallies[kernel]
        except KeyError:
            tally = self.tallies[kernel] = Tally(0, core.prices[kernel])
        tally.count += 1
        core.clock = end = core.clock + tally.price
        if core.log is not None:
            core.write(end, kernel, self)
        return kernel.function(*args)

    def start(self) -> None:
        """It is ready to begin."""
        self.core.wake(self, 0)

    def settle(self, end: int) -> None:
        """One of the operations under way has got its end."""
        if end > self.latest:
            self.latest = end
        if self.pending > 1:
            self.pending -= 1
        else:
            self.core.wake(self, self.latest)

    def resume(self) -> None:
        """It is its turn: go on with what the operations brought."""
        waits = self.waits
        if not waits:
            self._go(None)  # from the beginning, or from where it waited for a tick
            return
        if self.core.receive:
            self._receive(waits)
        self._go(waits[0].value if self.single else tuple([end.value for end in waits]))

    def _until(self, tick: int) -> bool:
        """Leave the processor to others until a tick; whether there is any need to."""
        if tick <= self.core.clock:
            return False
        self.waits = ()
        self.core.wake(self, tick)
        return True

    def _begin(self, waits: tuple[Any, ...]) -> tuple[int, int]:
        """Begin operations: those over links at once, then those within the processor, each after the copies before it.

        How many have no known end, at least 1 if the program must wait; and the latest end.
        """
        core = self.core
        inside = False
        for end in waits:
            if end.__class__ is not End or end.issued is not self:
                raise self._not_an_operation(end)
            end.issued = None
            if end.inside:
                inside = True
            elif not core.setup:
                self._begin_one(end)
        if core.setup:
            self._begin_linked([end for end in waits if not end.inside])
        if inside:
            for end in waits:
                if end.inside:
                    self._begin_one(end)
        pending = latest = 0
        for end in waits:
            if end.waiting:
                pending += 1
            elif end.end > latest:
                latest = end.end
        if pending:
            return pending, latest
        if latest > core.clock:
            core.wake(self, latest)
            return 1, latest
        if core.receive:
            self._receive(waits)
        return 0, core.clock

    def _begin_linked(self, ends: list[End]) -> None:
        """Begin operations over links, and set up those that send; a receive need not wait for that."""
        core = self.core
        for end in ends:
            if end.verb == "recv":
                self._begin_one(end)
        sends = tuple(end for end in ends if end.verb == "send")
        for end in sends:
            self._begin_one(end)
            if core.turns is not None:
                core.spend("send", core.turns.send, (end,), self)
        if sends and core.turns is None:
            core.spend("send", core.setup, sends, self)

    def _begin_one(self, end: End) -> None:
        core = self.core
        end.start = core.clock
        if core.log is not None:
            core.begun.setdefault(end, []).append(len(core.owners))
        end.begin(end)

    def _receive(self, waits: tuple[End, ...]) -> None:
        """Spend what it costs to take messages that came over links."""
        core = self.core
        taken = tuple(end for end in waits if end.verb == "recv" and not end.inside)
        if taken:
            core.spend("receive", core.receive * (len(taken) if core.turns is not None else 1), taken, self)

    def _finish(self, result: Any) -> None:
        self.ended = self.core.clock
        super()._finish(result)


ROOM = {"free": inf, "rendezvous": 0}
"""Messages that a channel within a processor holds; under the other disciplines, as many as a channel has buffers."""


class Local(Channel):
    """A channel between two programs of one processor. The second to come makes the copy, in the processor's time.

    A receiver that makes room for a sender that waits makes that one's copy.
    """

    __slots__ = ("core", "queue", "room")

    def _open(self) -> None:
        super()._open()
        self.sender.inside = self.receiver.inside = True
        self.core: SharedCore = self.sender.cpu.core
        self.queue: deque[Any] = deque()
        self.room = ROOM.get(self.links.discipline, self.links.buffers)

    def _begin_send(self, end: End) -> bool:
        receiver = self.receiver
        if receiver.waiting:
            receiver.value = self._copied()
            self._taken()
            receiver.settle()
        elif len(self.queue) < self.room:
            self.queue.append(self._copied())
        else:
            end.waiting = True
            return False
        return True

    def _begin_recv(self, end: End) -> bool:
        sender, receiver = self.sender, end
        if self.queue:
            receiver.value = self.queue.popleft()
            if sender.waiting:
                self.queue.append(self._copied())
                sender.settle()
        elif sender.waiting:
            receiver.value = self._copied()
            sender.settle()
        else:
            end.waiting = True
            return False
        self._taken()
        return True

    def _copied(self) -> Any:
        """What is sent, copied; the sender can go on."""
        core, sender = self.core, self.sender
        start, words = core.clock, sender.words
        ticks = core.local.copy(words)
        core.spend("copy", ticks, self, sender.cpu)
        core.copying += ticks
        sender.end = core.clock
        self.messages += 1
        self.words += words
        if self.log is not None:
            self.under_way.append((words, sender.start, start, sender.end, start, sender.end))
        return sender.payload

    def _taken(self) -> None:
        """The receiver has its message, and can go on."""
        receiver = self.receiver
        receiver.end = self.core.clock
        self._log_taken(receiver.start, receiver.end)

    def ticks(self, cost: str, words: Any, messages: Any = 1) -> Any:
        """A copy takes the place of the wire; nothing else costs anything."""
        return messages * self.core.local.startup + words * self.core.local.per_word if cost == "wire" else 0

    @property
    def unread(self) -> int:
        return len(self.queue)
