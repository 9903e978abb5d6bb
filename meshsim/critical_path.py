"""The critical path: the chain of computes and messages that decides when a run finishes.

It is walked backwards from the last processor to finish. Each step asks what decided the current tick: the
processor's own work, a message's wire, the other side of a rendezvous, or a buffer that was full. So the chain
has no gaps; time on it that is neither arithmetic nor wire is time that a message waited for a wire that others used.
Where two causes are tied, the processor's own is taken, then the sender's.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from meshsim.channel import End
from meshsim.counted import Kernel
from meshsim.discipline import COSTS, ROUTE_COSTS, turns
from meshsim.processor import Chore, Core
from meshsim.trace import Message, Trace


class Step(NamedTuple):
    """A stretch of the path: `kind` is compute, wait, switch, copy, forward, or one of `COSTS` and `ROUTE_COSTS`.

    `what` is the kernel, the message, or what a shared processor spent its time on.

    The path runs from processor `node` to processor `to`; a compute stays where it is. A message's wire may carry the
    path either way: where a sender had to wait for its receiver, it runs from the receiver to the sender.
    """

    kind: str
    start: int
    end: int
    what: Kernel[*tuple[Any, ...], Any] | Message | Chore
    node: Hashable
    to: Hashable


@dataclass(frozen=True)
class CriticalPath:
    """The steps in order of time, and how many ticks they hold; the five sum to the finish.

    Set-ups, hops, what processors spend to forward messages, and what receivers spend on them, are under `wire`.
    `walked` are all steps that were walked, those that took no time included.
    """

    walked: tuple[Step, ...]
    compute: int
    wire: int
    wait: int
    switch: int = 0
    copy: int = 0

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that took time."""
        return tuple(step for step in self.walked if step.start < step.end)


Place = tuple[Core, int]
"""A processor at the start of one of its spans."""
_CHORES = {"send": "setup"}
"""What a shared processor's time went into, as a cost where there is one."""


def critical_path(trace: Trace) -> CriticalPath:
    """Walk back from the processor that finishes last, the first of them in node order."""
    cpu = max(trace.processors, key=lambda cpu: (cpu.clock, -cpu.rank))
    span = len(cpu.spans)
    steps: list[Step] = []
    while span:
        span -= 1
        start, end, what = cpu.spans[span]
        if isinstance(what, Kernel):
            steps.append(Step("compute", start, end, what, cpu.node, cpu.node))
        elif isinstance(what, Chore):
            steps.append(Step(_CHORES.get(what.kind, what.kind), start, end, what, cpu.node, cpu.node))
        elif start < end:
            taken: list[Step] = []
            origin, span = _before_communication(trace, cpu, span, taken)
            long = [place for place, step in enumerate(taken) if step.start < step.end]
            if long:
                taken[long[0]] = taken[long[0]]._replace(to=cpu.node)
                taken[long[-1]] = taken[long[-1]]._replace(node=origin.node)
            steps += taken
            cpu = origin
    steps.reverse()
    spent = dict.fromkeys(("compute", "wait", "switch", "copy", "forward", *COSTS, *ROUTE_COSTS), 0)
    for step in steps:
        spent[step.kind] += step.end - step.start
    apart = [spent.pop(kind) for kind in ("compute", "wait", "switch", "copy")]
    return CriticalPath(tuple(steps), apart[0], sum(spent.values()), *apart[1:])


def _before_communication(trace: Trace, cpu: Core, span: int, steps: list[Step]) -> Place:
    """Explain the end of a communication: which processor, at which span's start, decided it."""
    _, end, operations = cpu.spans[span]
    late = _turns(operations)
    for place, operation in enumerate(operations):
        message = trace.message_in(operation, span)
        point = "left" if operation.verb == "send" else "taken"
        after = late[place] if point == "taken" else 0
        if getattr(message, point) + after * message.channel.receive == end:
            break
    if after and message.channel.receive:
        later = [each for each in operations[place + 1 :] if each.verb == "recv"]
        steps += _in_turn("receive", [trace.message_in(each, span) for each in later], cpu, end)
    return _back_from(point, trace, message, steps)


def _turns(operations: Sequence[End]) -> list[int]:
    """For how many of its kind each operation of a communication waits, or is waited for."""
    if len(operations) < 2 or not operations[0].channel.links.turns or operations[0].cpu.core.shared:
        return [0] * len(operations)
    return turns([each.verb for each in operations])


def _in_turn(cost: str, messages: Sequence[Message], cpu: Core, end: int) -> list[Step]:
    """A processor's messages that followed one another up to a tick, walked backwards."""
    steps = []
    for message in reversed(messages):
        start = end - message.channel.ticks(cost, message.words)
        steps.append(Step(cost, start, end, message, cpu.node, cpu.node))
        end = start
    return steps


def _back_from(point: str, trace: Trace, message: Message, steps: list[Step]) -> Place:
    """Follow causes from a point in a message's life to the processor whose clock decided it."""
    channel = message.channel
    ends = {"sender": channel.sender, "receiver": channel.receiver}
    while point not in ("sent", "asked"):
        if point == "arrive" and channel.route is not None and "wire" in channel.links.life.costs:
            message = _on_the_way(trace, message, steps)
            point = "ready"
            continue
        cost, cause, earlier = _cause(point, trace, message)
        if cost:
            way = (ends[name].cpu.core.node for name in COSTS[cost].way)
            steps.append(Step(cost, getattr(earlier, cause), getattr(message, point), message, *way))
        point, message = cause, earlier
    end = channel.sender if point == "sent" else channel.receiver
    span = trace.span_of(end, message)
    core = end.cpu.core
    if point == "sent" and channel.links.turns and channel.links.turns.send and not core.shared:
        operations = core.spans[span][2]
        place = operations.index(end)
        if _turns(operations)[place]:
            before = [each for each in operations[:place] if each.verb == "send"]
            steps += _in_turn("setup", [trace.message_in(each, span) for each in before], core, message.sent)
    return core, span


def _on_the_way(trace: Trace, message: Message, steps: list[Step]) -> Message:
    """What went over a route until a message had arrived, back to when one was ready: that one, or one before it.

    A message that waited for the one before it in its channel is explained by that one. Whom else a wire carried is not
    asked, nor what a processor did before it forwarded the message.
    """
    channel = message.channel
    legs, route = channel.legs, channel.route
    assert route is not None
    ends = channel.sender.cpu.core.node, channel.receiver.cpu.core.node
    stops = [ends[0], *(leg.router for leg in route.legs[1:]), ends[1]]

    def step(kind: str, start: int, end: int, stop: int, links: int = 0) -> None:
        if kind != "wait" or start < end:
            steps.append(Step(kind, start, end, message, stops[stop], stops[stop + links]))

    number, done = len(route.legs) - 1, True  # how far back: to the end of a leg, or to its beginning
    ahead = 0  # whether the head has still to cross the leg, in no time
    while True:
        leg, (asked, began, ended) = route.legs[number], legs[message.number][number]
        before = legs[message.number][number - 1] if number else (0, 0, 0)
        if done and leg.cut and began + message.words * leg.per_word < ended:
            step("hop", before[2], ended, number, 1)  # the rest came slowly
            number -= 1
            continue
        if done:
            step("words" if leg.cut else "wire", began, ended, number, 1)
        done = True
        if began > asked and message.number and legs[message.number - 1][number][2] == began:
            message = trace.message(channel, message.number - 1)
            ahead = 0
            continue
        step("wait", asked, began, number, ahead)
        ahead = ahead if began == asked else 0
        if not number:
            return message
        step("hop", asked - leg.hop, asked, number, ahead)
        number -= 1
        if not leg.cut:
            ahead = 0
            step("wait", before[2], asked - leg.hop, number + 1)
            continue
        done = False
        ahead = int(route.legs[number].cut)
        if not ahead:
            step("startup", before[1], asked - leg.hop, number, 1)


def _cause(point: str, trace: Trace, message: Message) -> tuple[str, str, Message]:
    """What decided a point, the first that did: the cost, the point before, and of which message that is a point."""
    links = message.channel.links
    for after in links.causes[point]:
        if after.back <= message.number:
            earlier = trace.message(message.channel, message.number - after.back) if after.back else message
            cost = str(after.cost)  # a link's own costs are in no discipline
            ticks = message.channel.ticks(cost, message.words) if cost else 0
            if after.point == "taken" and message.channel.buffer_delay:
                cost, ticks = "receive", message.channel.buffer_delay  # when a shared processor frees its buffer
            if getattr(earlier, after.point) + ticks == getattr(message, point):
                return cost, after.point, earlier
    raise AssertionError(f"nothing decided when message {message} was at {point!r}")
