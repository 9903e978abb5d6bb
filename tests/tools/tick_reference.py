"""A slow, plain simulator of programs placed on a network, written from the rules of time alone.

It shares no code with the engine: what both compute must be equal to the tick. Programs are lists of steps as
`tools.engine` makes them; a port has the name of the program it leads to, so that a channel is (sender, receiver).

Readings
--------
Where the rules can be read in two ways, this is what is done here. Each has its number at the line that does it.

R1.  Order within a tick. First all that is due: transfers end, messages ask for their next link, programs go on. When
     nothing of that is left, one processor that has a choice chooses; then again all that is due. When no processor can
     choose, one wire is granted, and so on. So choices come after all else, and grants after choices.
R2.  Of processors that can choose, those that run nothing come first, in the network's order; those whose program has
     just begun to wait come last, so that it goes on without a switch if what the others do ends its operation.
R3.  A processor is shared if it holds several programs, or if it forwards: the route of a channel passes it. On any
     other, receives and set-ups of one par pass beside one another as they always did; on a shared one all are its own
     time, one after the other.
R4.  A par begins with its operations over links, in order: a send pays its set-up (the first one alone, if together),
     a receive asks at once. Then come the local ones, in order, each after the set-ups and the copies before it.
R5.  On a shared processor the program is ready when all has left and come. When the processor takes it, it pays the
     switch, then the receive ticks (one receive for a par, or each in turn), then the program goes on.
R6.  The life of a message over links is the same on shared processors: its buffer frees `receive` ticks after it came
     and was asked for, even while the processor runs another program.
R7.  A link's own `hop` is that of passing the router before it, and its own `startup` counts where the message starts
     anew: at its source and after each router that stores it.
R8.  Where routers of a route differ in kind, the link after one that stored the message is a first link again.
R9.  All forwards of a processor count as one program: to change to them costs a switch, to change back costs one, from
     one forward to the next none, and the first thing that a processor does none. These switches are counted.
R10. Wires are granted one at a time, by the tick of the request, then node order of sender and receiver, then number of
     the message, over all wires that are free and whose first in the queue finds room.
R11. Room in a router is counted for each directed link, also where several share a wire. Switch elements have room too.
R12. `free`: nothing is set up, no wire is waited for, no processor forwards; but a local copy has its cost.
R13. A processor finishes with its last program or its last forward. A change is counted even if it costs nothing.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise, permutations
from math import inf

FORWARDS = object()  # what a processor ran last if that was a forward (R9)


@dataclass
class Times:
    """What came out. Links are (source, target); a transfer is (start, end, words, channel)."""

    finish: dict = field(default_factory=dict)
    processors: dict = field(default_factory=dict)
    switches: dict = field(default_factory=dict)
    copies: dict = field(default_factory=dict)
    transfers: dict = field(default_factory=lambda: defaultdict(list))
    levels: dict = field(default_factory=lambda: defaultdict(int))


@dataclass(eq=False)
class Task:
    """A program as it runs."""

    name: object
    order: int
    steps: list
    processor: "Processor"
    number: int = 0
    operation: object = None


@dataclass(eq=False)
class Processor:
    """What it runs, since when it holds on to a program that waits, and who is ready: (key, identity, what to do)."""

    node: object
    shared: bool
    running: object = None
    holding: bool = False
    last: object = None
    ready: list = field(default_factory=list)


@dataclass(eq=False)
class Operation:
    """A send, a receive or a par under way."""

    task: Task
    pending: int
    receives: int = 0
    goes_on: int = 0
    own_done: bool = False


@dataclass(eq=False)
class Message:
    """One message over links: where it is on its route, and until when it held the link before."""

    key: tuple
    channel: "Channel"
    number: int
    words: int
    links: list
    at: int = 0
    asked: int = 0
    done: int = 0


@dataclass(eq=False)
class Channel:
    """Over links: its messages, and how far they have come. Inside a processor: who waits and how many it holds."""

    name: tuple
    sends: list = field(default_factory=list)
    asks: list = field(default_factory=list)
    left: int = 0
    started: int = 0
    arrived: int = 0
    given: int = 0
    taken: int = 0
    held: int = 0
    sender: object = None
    receiver: object = None


class Reference:
    """One run of a `PlacedCase`."""

    def __init__(self, case):
        programs = case.programs
        self.net, self.costs, self.placement = net, costs, placement = case.net, case.costs, case.placement
        self.now, self.agenda, self.times = 0, defaultdict(list), Times()
        self.receive = 0 if costs.discipline == "free" else costs.receive
        held = list(placement.values())
        passed = {node for ends in permutations(set(held), 2) for node in net.routes[ends][1:-1]}
        forwards = passed if costs.routing == "processor" and costs.discipline != "free" else ()
        nodes = [node for node in net.nodes if node not in net.switches]
        self.processors = {node: Processor(node, held.count(node) > 1 or node in forwards) for node in nodes}
        self.order = {name: order for order, name in enumerate(programs)}
        self.tasks = [
            Task(name, self.order[name], steps, self.processors[placement[name]]) for name, steps in programs.items()
        ]
        self.channels = {(u, v): Channel((u, v)) for u in programs for v in programs if u != v}
        for counts in (self.times.processors, self.times.switches, self.times.copies):
            counts.update(dict.fromkeys(self.processors, 0))
        self.attributes = {way: data for u, v, data in net.edges for way in ((u, v), (v, u))}
        self.queues, self.busy, self.level = defaultdict(list), set(), defaultdict(int)

    # Time

    def run(self):
        """Go from tick to tick until nothing is left to do (R1)."""
        for task in self.tasks:
            self.make_ready(task.processor, (0, task.order, 0), task, partial(self.step, task))
        while True:
            due = self.agenda.get(self.now)
            if due:
                due.pop(0)()
            elif not self.choose() and not self.grant():
                self.agenda.pop(self.now, None)
                for processor in self.processors.values():
                    if processor.holding:
                        processor.running, processor.holding = None, False
                if not self.agenda:
                    break
                self.now = min(self.agenda)
        return self.times if len(self.times.finish) == len(self.tasks) else "deadlock"

    def after(self, ticks, what, *args):
        self.agenda[self.now + ticks].append(partial(what, *args))

    # Processors

    def make_ready(self, processor, key, identity, act):
        """Put something in the queue of a processor. One that is not shared has no choice and goes on."""
        if processor.shared:
            processor.ready.append((key, identity, act))
        else:
            self.after(0, act)

    def choose(self):
        """The first processor that can takes what became ready first; whether there was one (R2)."""
        able = [each for each in self.processors.values() if each.ready and (each.running is None or each.holding)]
        if not able:
            return False
        processor = min(able, key=lambda each: each.holding)
        chosen = min(processor.ready, key=lambda entry: entry[0])
        processor.ready.remove(chosen)
        _, identity, act = chosen
        processor.running, processor.holding = identity, False
        changes = processor.last is not None and processor.last is not identity
        processor.last = identity
        self.times.switches[processor.node] += changes  # R13
        self.after(self.costs.switch * changes, act)
        return True

    def leave(self, processor):
        processor.running = None
        self.times.processors[processor.node] = self.now  # R13

    def step(self, task):
        """The next step of a program."""
        if task.number == len(task.steps):
            self.times.finish[task.name] = self.now
            self.leave(task.processor)
            return
        step = task.steps[task.number]
        task.number += 1
        if step[0] == "compute":
            self.after(sum(step[1].values()), self.step, task)
        else:
            self.begin(task, step[1] if step[0] == "par" else [step])

    def begin(self, task, parts):
        """Begin an operation: the processor's own part, of set-ups and then of copies (R4)."""
        operation = task.operation = Operation(task, len(parts))
        here, setups, copies, sends = self.placement[task.name], 0, 0, 0
        turn = sum(part[0] == "recv" and self.placement[part[1]] != here for part in parts)
        for part in sorted(parts, key=lambda part: self.placement[part[1]] == here):
            verb, peer = part[:2]
            channel = self.channels[(task.name, peer) if verb == "send" else (peer, task.name)]
            if here == self.placement[peer]:
                copied, ended = self.meet(channel, operation, part)
                copies += copied
                for each in ended:
                    self.after(setups + copies, self.end, each)
            elif verb == "send":
                sends += 1
                if self.costs.discipline in ("overlap", "posted") and (sends == 1 or self.costs.setups == "in-turn"):
                    setups += self.costs.setup
                self.after(setups + copies, self.set_up, channel, operation, part[2])
            else:
                self.ask(channel, operation, turn)
                turn -= 1
                operation.receives += 1
        self.times.copies[here] += copies
        self.after(setups + copies, self.own_part_done, operation)

    def own_part_done(self, operation):
        operation.own_done = True
        operation.goes_on = max(operation.goes_on, self.now)
        if not operation.pending:
            self.go_on(operation)
        elif operation.task.processor.shared:
            operation.task.processor.holding = True  # R2

    def end(self, operation, later=0):
        """One part of an operation has ended; unless shared, the program goes on `later` ticks after that at least."""
        operation.pending -= 1
        operation.goes_on = max(operation.goes_on, self.now + later)
        if operation.own_done and not operation.pending:
            self.go_on(operation)

    def go_on(self, operation):
        """All of it has ended: the program goes on, now or when its processor takes it."""
        task, processor = operation.task, operation.task.processor
        if not processor.shared:
            self.after(operation.goes_on - self.now, self.step, task)
        elif processor.running is task:
            processor.holding = False
            self.pay_receives(operation)
        else:
            self.make_ready(processor, (self.now, task.order, 0), task, partial(self.pay_receives, operation))

    def pay_receives(self, operation):
        """Receive ticks of a shared processor, then the next step (R5)."""
        paid = operation.receives if self.costs.setups == "in-turn" else min(operation.receives, 1)
        self.after(paid * self.receive, self.step, operation.task)

    # Channels inside a processor

    def meet(self, channel, operation, part):
        """A send or receive inside a processor: ticks of the copy that it makes, and operations that end after it."""
        room = {"rendezvous": 0, "free": inf}.get(self.costs.discipline, self.costs.buffers)
        if part[0] == "send":
            if channel.receiver:
                other, channel.receiver = channel.receiver, None
                return self.copy(part[2]), [operation, other]
            if channel.held < room:
                channel.held += 1
                return self.copy(part[2]), [operation]
            channel.sender = operation, part[2]
            return 0, []
        ended, copied = [], 0
        if channel.held:
            channel.held -= 1
            ended = [operation]
        if channel.sender:
            other, words = channel.sender
            channel.sender, copied = None, self.copy(words)
            channel.held += bool(ended)
            ended = [operation, other]
        if not ended:
            channel.receiver = operation
        return copied, ended

    def copy(self, words):
        return self.costs.local_startup + words * self.costs.local_per_word

    # Channels over links

    def set_up(self, channel, operation, words):
        """A message is set up."""
        sender, receiver = channel.name
        number = len(channel.sends)
        nodes = self.net.routes[self.placement[sender], self.placement[receiver]]
        key = (self.order[sender], self.order[receiver], number)
        channel.sends.append((operation, Message(key, channel, number, words, list(pairwise(nodes)))))
        self.look(channel)

    def ask(self, channel, operation, turn):
        """A receiver asks; `turn` is how many receives of its par are left, this one included."""
        channel.asks.append((operation, turn if self.costs.setups == "in-turn" else 1))
        self.look(channel)

    def look(self, channel):
        """Let go on what can: whenever something has happened to a channel."""
        discipline = self.costs.discipline
        freed = channel.taken if discipline == "overlap" else channel.arrived
        if discipline in ("overlap", "posted"):
            while channel.left < min(len(channel.sends), freed + self.costs.buffers):
                channel.left += 1
                self.end(channel.sends[channel.left - 1][0])
        sent, asked = len(channel.sends), len(channel.asks)
        met, left = min(sent, asked), channel.left
        may_start = {"free": sent, "rendezvous": met, "overlap": left, "posted": min(left, asked)}
        while channel.started < may_start[discipline]:
            operation, message = channel.sends[channel.started]
            channel.started += 1
            if discipline == "free":
                self.pass_free(message)
                self.end(operation)
            else:
                self.request(message)
        while channel.given < min(len(channel.asks), channel.arrived):
            operation, turn = channel.asks[channel.given]
            channel.given += 1
            self.after(self.receive, self.take, channel)  # R6
            self.end(operation, turn * self.receive)

    def take(self, channel):
        channel.taken += 1
        self.look(channel)

    def arrive(self, message):
        message.channel.arrived += 1
        if self.costs.discipline == "rendezvous":
            self.end(message.channel.sends[message.number][0])
        self.look(message.channel)

    def pass_free(self, message):
        """R12."""
        for link in message.links:
            self.times.transfers[link].append((self.now, self.now, message.words, message.channel.name))
        message.channel.arrived += 1

    # Links

    def wire(self, link):
        """What a link shares with others: a bus, or the other direction."""
        bus = self.attributes[link].get("bus")
        if bus is not None:
            return ("bus", bus)
        return frozenset(link) if self.costs.duplex == "half" else link

    def price(self, cost, link):
        return self.attributes[link].get(cost, getattr(self.costs, cost))

    def request(self, message):
        message.asked = self.now
        self.queues[self.wire(message.links[message.at])].append(message)

    def grant(self):
        """Grant one wire; whether there was one (R10)."""
        first = [
            min(queue, key=lambda message: (message.asked, *message.key))
            for wire, queue in self.queues.items()
            if queue and wire not in self.busy
        ]
        first = [message for message in first if self.has_room(message)]
        if not first:
            return False
        message = min(first, key=lambda message: (message.asked, *message.key))
        wire = self.wire(message.links[message.at])
        self.queues[wire].remove(message)
        self.busy.add(wire)
        self.start(message)
        return True

    def has_room(self, message):
        """Whether the router at the end of the link has room for the link after it (R11)."""
        onward, limit = message.links[message.at + 1 : message.at + 2], self.costs.router_buffers
        return not onward or not limit or self.level[onward[0]] < limit

    def cuts(self, node):
        """Whether a router passes messages on before they have arrived whole (R8)."""
        return node in self.net.switches or self.costs.switching == "cut-through"

    def start(self, message):
        """Begin the transfer over a link."""
        at, link = message.at, message.links[message.at]
        words = message.words * self.price("per_word", link)
        head = self.now
        if at and self.cuts(link[0]):
            done = max(self.now + words, message.done + self.price("hop", link))  # R7
        else:
            head += self.price("startup", link)
            done = head + words
        message.done = done
        self.times.transfers[link].append((self.now, done, message.words, message.channel.name))
        self.after(done - self.now, self.finish_transfer, message, at)
        if at + 1 < len(message.links):
            onward = message.links[at + 1]
            self.level[onward] += 1
            self.times.levels[onward] = max(self.times.levels[onward], self.level[onward])
            if self.cuts(link[1]):
                self.after(head - self.now + self.price("hop", onward), self.go_to, message, at + 1)

    def finish_transfer(self, message, at):
        link = message.links[at]
        self.busy.remove(self.wire(link))
        if at:
            self.level[link] -= 1
        if at + 1 == len(message.links):
            self.arrive(message)
        elif not self.cuts(link[1]):
            hop = self.price("hop", message.links[at + 1])
            if self.costs.routing == "processor":
                processor = self.processors[link[1]]
                sender, *rest = message.key
                act = partial(self.after, hop, self.forward, processor, message, at + 1)
                self.make_ready(processor, (self.now, sender, 1, *rest), FORWARDS, act)
            else:
                self.after(hop, self.go_to, message, at + 1)

    def forward(self, processor, message, at):
        self.leave(processor)
        self.go_to(message, at)

    def go_to(self, message, at):
        message.at = at
        self.request(message)
