"""The critical path: the chain of computes and messages that decides when a run finishes.

It is walked backwards from the last processor to finish. Each step asks what decided the current tick: the
processor's own work, a message's wire, the other side of a rendezvous, or a buffer that was full. So the chain
has no gaps; time on it that is neither arithmetic nor wire is time that a message waited for a shared wire.
Where two causes are tied, the processor's own is taken, then the sender's.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from meshsim.channel import End
from meshsim.counted import Kernel
from meshsim.discipline import COSTS, After, turns
from meshsim.processor import Chore, Core
from meshsim.trace import Message, Trace


class Step(NamedTuple):
    """A stretch of the path: `kind` is compute, wait, hop, switch, copy, forward or one of `COSTS`.

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
    spent = dict.fromkeys(("compute", "wait", "switch", "copy", "hop", "forward", *COSTS), 0)
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
        if point == "arrive" and channel.route is not None:
            steps += _on_the_way(message)
            point = "ready"
            continue
        cause, earlier = _cause(point, trace, message)
        if cause.cost:
            way = (ends[name].cpu.core.node for name in COSTS[cause.cost].way)
            steps.append(Step(cause.cost, getattr(earlier, cause.point), getattr(message, point), message, *way))
        point, message = cause.point, earlier
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


def _on_the_way(message: Message) -> Iterator[Step]:
    """What a message went through over its route, from its arrival back to when it was ready.

    Whom a wire carried while it was busy is not asked, nor what a processor did before it forwarded the message.
    """
    channel = message.channel
    log, route = channel.log, channel.route
    assert log is not None
    assert route is not None
    here, there = channel.sender.cpu.core.node, channel.receiver.cpu.core.node
    upto = message.arrive
    legs = list(zip(route.legs, log.legs[message.number], strict=True))
    for (leg, (asked, began, _)), (before, times) in zip(reversed(legs), [*legs[-2::-1], (None, None)], strict=True):
        yield Step("wire", began, upto, message, here, there)
        yield Step("wait", asked, began, message, here, here)
        if before is None or times is None:
            return
        upto = asked
        if not leg.cut:
            hop = asked - leg.hop
            yield Step("hop", hop, asked, message, here, here)
            yield Step("wait", times[2], hop, message, here, here)
            upto = times[2]


def _cause(point: str, trace: Trace, message: Message) -> tuple[After, Message]:
    """What decided a point, the first that did, and of which message it is a point."""
    links = message.channel.links
    for after in links.causes[point]:
        if after.back <= message.number:
            earlier = trace.message(message.channel, message.number - after.back) if after.back else message
            ticks = message.channel.ticks(after.cost, message.words) if after.cost else 0
            if getattr(earlier, after.point) + ticks == getattr(message, point):
                return after, earlier
    raise AssertionError(f"nothing decided when message {message} was at {point!r}")
