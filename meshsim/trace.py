"""What a traced run records: every compute span, every message, every wait."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from meshsim.channel import Channel, End
from meshsim.counted import Kernel
from meshsim.discipline import COSTS
from meshsim.processor import Chore, Core
from meshsim.sharing import SharedCore


def label(node: Hashable) -> str:
    """A node's name in print: (0,1), and M (1,2) for a node of the part M."""
    if isinstance(node, tuple) and node and isinstance(node[0], str):
        return f"{node[0]} {' '.join(label(part) for part in node[1:])}"
    return str(node).replace(", ", ",")


class Message(NamedTuple):
    """The life of one message.

    The sender was ready at `sent` and went on at `left`; the wire was busy from `depart` to `arrive`; the
    receiver asked at `asked` and went on at `taken`. At `ready` the message could have departed, had the wire
    been idle. Where the operations of a `par` take turns, `sent` is when the set-up had its turn, and a receiver goes
    on when later receives have had theirs.
    """

    channel: Channel
    number: int
    words: int
    sent: int
    ready: int
    left: int
    depart: int
    arrive: int
    asked: int
    taken: int


KINDS = ("compute", "send", "receive", "wait", "switch", "copy", "forward")
"""What a processor's time is spent on. The last three are of processors that programs share, or that forward."""


class Part(NamedTuple):
    """A stretch of a processor's time, and what it was spent on: one of `KINDS`."""

    kind: str
    start: int
    end: int


class Row(NamedTuple):
    """One row of the trace as a table; `what` is a kernel or a port. Only messages have the next four.

    `program` is the node of the plan's topology whose program it was, where that is not the processor.
    """

    processor: Hashable
    kind: str
    start: int
    end: int
    what: str
    peer: Hashable = ""
    words: int | str = ""
    depart: int | str = ""
    arrive: int | str = ""
    program: Hashable = ""


@dataclass(frozen=True)
class Account:
    """How a processor spent its ticks up to its finish; `busy` is arithmetic.

    Only a processor that several programs share, or that forwards messages, has switches, copies and forwarding.
    """

    busy: int
    sending: int
    receiving: int
    waiting: int
    finish: int
    switching: int = 0
    copying: int = 0
    forwarding: int = 0


class Trace:
    """The spans of every processor, in node order; they follow one another without gaps from tick 0."""

    def __init__(self, processors: Sequence[Core]) -> None:
        self.processors = processors
        self._spans: dict[End, list[int]] = defaultdict(list)  # in which span each message was sent or received
        for core in processors:
            if isinstance(core, SharedCore):
                self._spans.update(core.begun)
                continue
            for index, (_, _, what) in enumerate(core.spans):
                if what.__class__ is tuple:
                    for end in what:
                        self._spans[end].append(index)

    def message(self, channel: Channel, number: int) -> Message:
        """A channel's message, by its number."""
        log = channel.log
        assert log is not None
        sent, ready, left, words = log.sends[number]
        return Message(channel, number, words, sent, ready, left, *log.transfers[number], *log.takes[number])

    def message_in(self, end: End, span: int) -> Message:
        """The message that an end sent or received in its processor's span, or last before it."""
        return self.message(end.channel, bisect_right(self._spans[end], span) - 1)

    def span_of(self, end: End, message: Message) -> int:
        """In which span of its processor an end sent or received a message."""
        return self._spans[end][message.number]

    def parts(self, core: Core, span: int) -> list[Part]:
        """Split a span: in a communication, what is neither sending nor receiving is waiting.

        Where a processor sends and receives at once, it counts as sending. Spans of no ticks have no parts.
        Receives that follow one another are as long as they would be alone, each after the one before.
        """
        start, end, what = core.spans[span]
        if start == end:
            return []
        if isinstance(what, Kernel):
            return [Part("compute", start, end)]
        if isinstance(what, Chore):
            return [Part(what.kind, start, end)]
        transfers = self._transfers(what, span)
        ticks = sorted({start, end} | {tick for part in transfers for tick in part[1:] if start < tick < end})
        parts: list[Part] = []
        for low, high in pairwise(ticks):
            kinds = {kind for kind, begin, finish in transfers if begin <= low and high <= finish}
            kind = "send" if "send" in kinds else "receive" if kinds else "wait"
            if parts and parts[-1].kind == kind:
                parts[-1] = Part(kind, parts[-1].start, high)
            else:
                parts.append(Part(kind, low, high))
        return parts

    def accounts(self) -> Mapping[Hashable, Account]:
        """How each processor spent its ticks."""
        accounts = {}
        for core in self.processors:
            spent = dict.fromkeys(KINDS, 0)
            for span in range(len(core.spans)):
                for kind, start, end in self.parts(core, span):
                    spent[kind] += end - start
            accounts[core.node] = Account(
                busy=spent["compute"],
                sending=spent["send"],
                receiving=spent["receive"],
                waiting=spent["wait"],
                finish=core.clock,
                switching=spent["switch"],
                copying=spent["copy"],
                forwarding=spent["forward"],
            )
        return accounts

    def rows(self) -> Iterator[Row]:
        """The trace as a table: processors in node order, each in order of time."""
        for core in self.processors:
            if isinstance(core, SharedCore):
                yield from self._shared_rows(core)
                continue
            for span, (start, end, what) in enumerate(core.spans):
                if isinstance(what, Kernel):
                    yield Row(core.node, "compute", start, end, what.name)
                    continue
                for operation in () if isinstance(what, Chore) else what:
                    yield self._message_row(operation, span)
                for kind, low, high in self.parts(core, span):
                    if kind == "wait":
                        yield Row(core.node, "wait", low, high, "")

    def _shared_rows(self, core: SharedCore) -> Iterator[Row]:
        """What a processor did that programs share, and beside it the messages of each, in order of time."""
        rows = [self._message_row(end, span) for end, spans in core.begun.items() for span in spans]
        for span, ((start, end, what), owner) in enumerate(zip(core.spans, core.owners, strict=True)):
            program = owner.node if owner is not None else ""
            if isinstance(what, Kernel):
                rows.append(Row(core.node, "compute", start, end, what.name, program=program))
                continue
            for kind, low, high in self.parts(core, span):
                if kind not in ("send", "receive"):
                    rows.append(Row(core.node, kind, low, high, "", program=program))
        yield from sorted(rows, key=lambda row: (row.start, row.end))

    def _transfers(self, ends: Sequence[End], span: int) -> list[Part]:
        """The stretches in which operations occupied their processor."""
        parts = []
        turn = 0  # when the receives before have had theirs
        for end in ends:
            message, channel = self.message_in(end, span), end.channel
            life = channel.links.life
            kind, costs = ("send", life.sending) if end.verb == "send" else ("receive", life.receiving)
            for name in costs:
                cost, ticks = COSTS[name], channel.ticks(name, message.words)
                if name == "wire" and channel.route is not None:
                    ticks = message.arrive - message.depart
                begin: int = getattr(message, cost.begins) if cost.begins else getattr(message, cost.ends) - ticks
                if name == "receive" and channel.links.turns and ticks:
                    begin = max(begin, turn)
                    turn = begin + ticks
                parts.append(Part(kind, begin, begin + ticks))
        return parts

    def _message_row(self, end: End, span: int) -> Row:
        message = self.message_in(end, span)
        kind, start, finish = "send", message.sent, message.left
        if end.verb == "recv":
            kind, start, finish = "receive", message.asked, message.taken
        cpu, peer = end.cpu, end.peer.cpu.node
        program = cpu.node if cpu.node != cpu.core.node else ""
        times = message.words, message.depart, message.arrive
        return Row(cpu.core.node, kind, start, finish, end.port, peer, *times, program)
