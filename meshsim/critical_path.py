"""The critical path: the chain of computes and messages that decides when a run finishes.

It is walked backwards from the last processor to finish. Each step asks what decided the tick at hand: the
processor's own work, a message's wire, the other side of a rendezvous, or a buffer that was full. So the chain
has no gaps; time on it that is neither arithmetic nor wire is time that a message waited for a shared wire.
Where two causes are tied, the processor's own is taken, then the sender's.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from meshsim.counted import Kernel
from meshsim.processor import TracedProcess
from meshsim.trace import Message, Trace


class Step(NamedTuple):
    """A stretch of the path: `kind` is compute, wire, setup or wait; `what` is the kernel or the message.

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
    """The steps in order of time, and how many ticks they hold, set-up under `wire`; the three sum to the finish.

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
    spent = dict.fromkeys(("compute", "wire", "setup", "wait"), 0)
    for step in steps:
        spent[step.kind] += step.end - step.start
    return CriticalPath(tuple(steps), spent["compute"], spent["wire"] + spent["setup"], spent["wait"])


def _before_communication(trace: Trace, cpu: TracedProcess, span: int, steps: list[Step]) -> Place:
    """Explain the end of a communication: which processor, at which span's start, decided it."""
    _, end, operations = cpu.spans[span]
    for operation in operations:
        message = trace.message_in(operation, span)
        if operation.verb == "recv" and message.taken == end:
            return _back_from("taken", trace, message, steps)
        if operation.verb == "send" and message.left == end:
            break
    met = message.channel.links.discipline == "rendezvous"
    return _back_from("arrive" if met else "ready", trace, message, steps)


def _back_from(point: str, trace: Trace, message: Message, steps: list[Step]) -> Place:
    """Follow causes from a point in a message's life to the processor whose clock decided it."""
    channel = message.channel
    links, sender, receiver = channel.links, channel.sender, channel.receiver
    way = sender.cpu.node, receiver.cpu.node
    setup = links.setup if links.discipline == "overlap" else 0
    while True:
        if point == "taken":
            if message.taken == message.asked:
                return receiver.cpu, trace.span_of(receiver, message)
            point = "arrive"
        elif point == "arrive":
            steps.append(Step("wire", message.depart, message.arrive, message, *way))
            if message.depart > message.ready and not channel.wires:
                message = trace.message(channel, message.number - 1)  # which kept the wire busy
                continue
            steps.append(Step("wait", message.ready, message.depart, message, way[0], way[0]))
            point = "ready"
        elif message.ready == message.sent + setup:
            steps.append(Step("setup", message.sent, message.ready, message, way[0], way[0]))
            return sender.cpu, trace.span_of(sender, message)
        elif links.discipline == "rendezvous":
            return receiver.cpu, trace.span_of(receiver, message)
        else:
            message = trace.message(channel, message.number - links.buffers)  # whose buffer this one needed
            point = "taken"
