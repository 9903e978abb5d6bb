"""A second opinion on `meshsim.columns`: the rows of a trace, span by span, from the rules alone."""

from itertools import pairwise

from meshsim.counted import Kernel
from meshsim.discipline import COSTS
from meshsim.processor import Chore
from meshsim.sharing import SharedCore
from meshsim.trace import Row


class PlainTrace:
    """Divides one span at a time."""

    def __init__(self, trace):
        self.trace = trace
        self.programs = {cpu.core: cpu.node for cpu in trace.programs}

    def parts(self, core, span):
        """Split a span: in a communication, what is neither sending nor receiving is waiting.

        Where a processor sends and receives at once, it counts as sending. Spans of no ticks have no parts.
        Receives that follow one another are as long as they would be alone, each after the one before.
        """
        start, end, what = core.spans[span]
        if start == end:
            return []
        if isinstance(what, Kernel):
            return [("compute", start, end)]
        if isinstance(what, Chore):
            return [(what.kind, start, end)]
        transfers = self._transfers(what, span)
        ticks = sorted({start, end} | {tick for part in transfers for tick in part[1:] if start < tick < end})
        parts = []
        for low, high in pairwise(ticks):
            kinds = {kind for kind, begin, finish in transfers if begin <= low and high <= finish}
            kind = "send" if "send" in kinds else "receive" if kinds else "wait"
            if parts and parts[-1][0] == kind:
                parts[-1] = (kind, parts[-1][1], high)
            else:
                parts.append((kind, low, high))
        return parts

    def rows(self):
        """The trace as a table: processors in node order, each in order of time."""
        for core in self.trace.processors:
            if isinstance(core, SharedCore):
                yield from self._shared_rows(core)
                continue
            for span, (start, end, what) in enumerate(core.spans):
                program = self.programs.get(core, "")
                away = program if program != core.node else ""
                if isinstance(what, Kernel):
                    yield Row(core.node, "compute", start, end, what.name, program=away)
                    continue
                for operation in () if isinstance(what, Chore) else what:
                    yield self._message_row(operation, self.trace.message_in(operation, span))
                for kind, low, high in self.parts(core, span):
                    if kind == "wait":
                        yield Row(core.node, "wait", low, high, "", program=away)

    def _shared_rows(self, core):
        """What a processor did that programs share, and beside it the messages of each, in order of time."""
        rows = [
            self._message_row(end, self.trace.message(end.channel, number))
            for end, spans in core.begun.items()
            for number in range(len(spans))
        ]
        for span, ((start, end, what), owner) in enumerate(zip(core.spans, core.owners, strict=True)):
            program = owner.node if owner is not None else ""
            if isinstance(what, Kernel):
                rows.append(Row(core.node, "compute", start, end, what.name, program=program))
                continue
            for kind, low, high in self.parts(core, span):
                if kind not in ("send", "receive"):
                    rows.append(Row(core.node, kind, low, high, "", program=program))
        yield from sorted(rows, key=lambda row: (row.start, row.end))

    def _transfers(self, ends, span):
        """The stretches in which operations occupied their processor."""
        parts = []
        turn = 0  # when the receives before have had theirs
        for end in ends:
            message, channel = self.trace.message_in(end, span), end.channel
            life = channel.links.life
            kind, costs = ("send", life.sending) if end.verb == "send" else ("receive", life.receiving)
            for name in costs:
                cost, ticks = COSTS[name], channel.ticks(name, message.words)
                if name == "wire" and channel.route is not None:
                    ticks = message.arrive - message.depart
                begin = getattr(message, cost.begins) if cost.begins else getattr(message, cost.ends) - ticks
                if name == "receive" and channel.links.turns and ticks:
                    begin = max(begin, turn)
                    turn = begin + ticks
                parts.append((kind, begin, begin + ticks))
        return parts

    def _message_row(self, end, message):
        kind, start, finish = "send", message.sent, message.left
        if end.verb == "recv":
            kind, start, finish = "receive", message.asked, message.taken
        cpu, peer = end.cpu, end.peer.cpu.node
        program = cpu.node if cpu.core.shared or cpu.node != cpu.core.node else ""
        times = message.words, message.depart, message.arrive
        return Row(cpu.core.node, kind, start, finish, end.port, peer, *times, program)
