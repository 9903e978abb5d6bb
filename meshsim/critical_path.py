"""The critical path: the chain of computes and messages that decides when a run finishes.

It is walked backwards from the last processor to finish. Each step asks what decided the current tick: the
processor's own work, a message's wire, the other side of a rendezvous, or a buffer that was full. So the chain
has no gaps; time on it that is neither arithmetic nor wire is time that a message waited for a shared wire.
Where two causes are tied, the processor's own is taken, then the sender's.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from meshsim.channel import End
from meshsim.counted import Kernel
from meshsim.discipline import COSTS, After, turns
from meshsim.processor import TracedProcess
from meshsim.trace import Message, Trace


class Step(NamedTuple):
    """A stretch of the path: `kind` is compute, wait or one of `COSTS`; `what` is the kernel or the message.

    The path runs from processor `node` to processor `to`; a compute stays where it is. A message's wire may carry the
    path either way: where a sender had to wait for its receiver, it runs from the receiver to the sender.
    """

    kind: str
    start: int
    end: int
    what: Kernel[*tuple[Any, ...], Any] | Message
    node: Hashable
    to: Hashable


@dataclass(frozen=True)
class CriticalPath:
    """The steps in order of time, and how many ticks they hold; the three sum to the finish.

    Set-ups, and ticks that receivers spend on messages, are under `wire`.
    `walked` are all steps that were walked, those that took no time included.
    """

    walked: tuple[Step, ...]
    compute: int
    wire: int
    wait: int

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that took time."""
        return tuple(step for step in self.walked if step.start < step.end)


Place = tuple[TracedProcess, int]
"""A processor at the start of one of its spans."""


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
    spent = dict.fromkeys(("compute", "wait", *COSTS), 0)
    for step in steps:
        spent[step.kind] += step.end - step.start
    return CriticalPath(tuple(steps), spent["compute"], sum(spent[cost] for cost in COSTS), spent["wait"])


def _before_communication(trace: Trace, cpu: TracedProcess, span: int, steps: list[Step]) -> Place:
    """Explain the end of a communication: which processor, at which span's start, decided it."""
    _, end, operations = cpu.spans[span]
    late = _turns(operations)
    for place, operation in enumerate(operations):
        message = trace.message_in(operation, span)
        point = "left" if operation.verb == "send" else "taken"
        after = late[place] if point == "taken" else 0
        if getattr(message, point) + after * message.channel.links.receive == end:
            break
    if after and message.channel.links.receive:
        later = [each for each in operations[place + 1 :] if each.verb == "recv"]
        steps += _in_turn("receive", [trace.message_in(each, span) for each in later], cpu, end)
    return _back_from(point, trace, message, steps)


def _turns(operations: Sequence[End]) -> list[int]:
    """For how many of its kind each operation of a communication waits, or is waited for."""
    if len(operations) < 2 or not operations[0].channel.links.turns:
        return [0] * len(operations)
    return turns([each.verb for each in operations])


def _in_turn(cost: str, messages: Sequence[Message], cpu: TracedProcess, end: int) -> list[Step]:
    """A processor's messages that followed one another up to a tick, walked backwards."""
    steps = []
    for message in reversed(messages):
        start = end - message.channel.links.ticks(cost, message.words)
        steps.append(Step(cost, start, end, message, cpu.node, cpu.node))
        end = start
    return steps


def _back_from(point: str, trace: Trace, message: Message, steps: list[Step]) -> Place:
    """Follow causes from a point in a message's life to the processor whose clock decided it."""
    channel = message.channel
    ends = {"sender": channel.sender, "receiver": channel.receiver}
    while point not in ("sent", "asked"):
        if point == "depart" and channel.wires:  # whom the wire carried meanwhile is not asked
            here = channel.sender.cpu.node
            steps.append(Step("wait", message.ready, message.depart, message, here, here))
            point = "ready"
            continue
        cause, earlier = _cause(point, trace, message)
        if cause.cost:
            way = (ends[name].cpu.node for name in COSTS[cause.cost].way)
            steps.append(Step(cause.cost, getattr(earlier, cause.point), getattr(message, point), message, *way))
        point, message = cause.point, earlier
    end = channel.sender if point == "sent" else channel.receiver
    span = trace.span_of(end, message)
    if point == "sent" and channel.links.turns and channel.links.turns.send:
        operations = end.cpu.spans[span][2]
        place = operations.index(end)
        if _turns(operations)[place]:
            before = [each for each in operations[:place] if each.verb == "send"]
            steps += _in_turn("setup", [trace.message_in(each, span) for each in before], end.cpu, message.sent)
    return end.cpu, span


def _cause(point: str, trace: Trace, message: Message) -> tuple[After, Message]:
    """What decided a point, the first that did, and of which message it is a point."""
    links = message.channel.links
    for after in links.causes[point]:
        if after.back <= message.number:
            earlier = trace.message(message.channel, message.number - after.back) if after.back else message
            if getattr(earlier, after.point) + links.ticks(after.cost, message.words) == getattr(message, point):
                return after, earlier
    raise AssertionError(f"nothing decided when message {message} was at {point!r}")
