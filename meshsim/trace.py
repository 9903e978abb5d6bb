"""What a traced run records: every compute span, every message, every wait."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from meshsim.channel import Channel, End
from meshsim.columns import KINDS, RECEIVE, SEND, Columns, Lives, columns, spent
from meshsim.errors import MeshSimError
from meshsim.log import Ints
from meshsim.processor import Core, Process
from meshsim.sharing import SharedCore
from meshsim.watching import Values, Watching, values


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


class Row(NamedTuple):
    """One row of the trace as a table; `what` is a kernel or a port. Only messages have the next four.

    `program` is the node of the plan's topology whose program it was, where that is not the processor, or not the only
    one of it.
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


NONE = -1
"""In a column: nothing. What is counted there is never negative."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table: numbers, or places in a list of `values`; `NONE` where it has nothing."""

    numbers: Ints
    values: Sequence[Any] | None = None

    def filled(self) -> list[Any]:
        """What stands in each row; an empty text for nothing."""
        if self.values is None:
            return ["" if number == NONE else number for number in self.numbers.tolist()]
        values = [*self.values, ""]
        return [values[number] for number in self.numbers.tolist()]


TOGETHER = 256
"""How many processors' accounts are made at a time: of thousands at once, the arrays would take more than their run."""


class Trace:
    """The spans of every processor, in node order; they follow one another without gaps from tick 0."""

    def __init__(self, processors: Sequence[Core], programs: Sequence[Process], channels: Sequence[Channel]) -> None:
        self.processors = processors
        self.programs = programs
        self.channels = channels
        self._begun: dict[Core, dict[End, list[int]]] = {}  # of processors that were asked for: see `_spans`

    @cached_property
    def _lives(self) -> Lives:
        return Lives(self.channels)

    @cached_property
    def columns(self) -> Columns:
        """All of it as arrays."""
        return columns(self.processors, self.programs, self._lives)

    @cached_property
    def values(self) -> Values:
        """What the programs computed and sent, and by which of their lines."""
        if not self.watched:
            raise MeshSimError("a run must keep values to show them: plan.run(machine, values=True)")
        return values(self.columns)

    @property
    def watched(self) -> bool:
        """Whether values were kept."""
        return all(isinstance(program, Watching) for program in self.programs)

    def _spans(self, end: End) -> list[int]:
        """In which span of its processor each message of an end was sent or received."""
        core = end.cpu.core
        if isinstance(core, SharedCore):
            return core.begun[end]
        if core not in self._begun:
            found = self._begun[core] = defaultdict(list)
            for index, (_, _, what) in enumerate(core.spans):
                if type(what) is tuple:
                    for each in what:
                        found[each].append(index)
        return self._begun[core][end]

    def message(self, channel: Channel, number: int) -> Message:
        """A channel's message, by its number."""
        return Message(channel, number, *self._lives.life(channel, number))

    def message_in(self, end: End, span: int) -> Message:
        """The message that an end sent or received in its processor's span, or last before it."""
        return self.message(end.channel, bisect_right(self._spans(end), span) - 1)

    def span_of(self, end: End, message: Message) -> int:
        """In which span of its processor an end sent or received a message."""
        return self._spans(end)[message.number]

    def accounts(self) -> Mapping[Hashable, Account]:
        """How each processor spent its ticks."""
        found = {}
        for first in range(0, len(self.processors), TOGETHER):
            cores = self.processors[first : first + TOGETHER]
            for core, (busy, sending, receiving, waiting, *more) in zip(
                cores, spent(cores, self._lives).tolist(), strict=True
            ):
                found[core.node] = Account(busy, sending, receiving, waiting, core.clock, *more)
        return found

    def rows(self) -> Iterator[Row]:
        """The trace as a table: processors in node order, each in order of time."""
        return (Row(*row) for row in zip(*(column.filled() for column in self.table().values()), strict=True))

    def table(self) -> Mapping[str, Column]:
        """The same by column: the fields of `Row`.

        A communication is told by its messages and by what of it was waiting.
        """
        found = self.columns
        parts, messages, operations = found.parts, found.messages, found.operations
        shown = np.flatnonzero(~np.isin(parts.kind, (SEND, RECEIVE)))
        of = operations.message
        receives = operations.receives == 1
        ends = np.stack([found.sender, found.receiver])[:, messages.channel[of]]
        program, peer = np.where(receives, ends[::-1], ends)
        start = np.where(receives, messages.asked[of], messages.sent[of])
        end = np.where(receives, messages.taken[of], messages.left[of])
        processor = np.concatenate([parts.processor[shown], found.home[program]])
        order = self._order(processor, shown, start, end)
        nodes = [each.node for each in found.programs]
        away = np.concatenate([parts.program[shown], program])
        away = np.where((away >= 0) & found.away[away], away, NONE)
        ports = [(c.sender.port, c.receiver.port) for c in found.channels]
        names = [*(kernel.name for kernel in found.kernels), *chain.from_iterable(ports)]
        what = len(found.kernels) + 2 * messages.channel[of] + receives
        absent = np.full(len(shown), NONE)

        def column(of_parts: Ints, of_messages: Ints, values: Sequence[Any] | None = None) -> Column:
            return Column(np.concatenate([of_parts, of_messages])[order], values)

        return {
            "processor": Column(processor[order], [core.node for core in found.processors]),
            "kind": column(parts.kind[shown], SEND + receives, KINDS),
            "start": column(parts.start[shown], start),
            "end": column(parts.end[shown], end),
            "what": column(parts.kernel[shown], what, names),
            "peer": column(absent, peer, nodes),
            "words": column(absent, messages.words[of]),
            "depart": column(absent, messages.depart[of]),
            "arrive": column(absent, messages.arrive[of]),
            "program": Column(away[order], nodes),
        }

    def _order(self, processor: Ints, shown: Ints, start: Ints, end: Ints) -> Ints:
        """How parts and then messages are put in a table: by span, on a shared processor by time, messages first."""
        parts, operations = self.columns.parts, self.columns.operations
        span = np.concatenate([parts.span[shown], operations.span])
        is_part = np.arange(len(processor)) < len(shown)
        place = np.concatenate([parts.start[shown], operations.place])
        shared = np.array([core.shared for core in self.processors])[processor]
        starts, ends = np.concatenate([parts.start[shown], start]), np.concatenate([parts.end[shown], end])
        first, second = np.where(shared, starts, span), np.where(shared, ends, is_part)
        third, fourth = np.where(shared, is_part, place), np.where(shared & is_part, span, 0)
        return np.lexsort((fourth, third, second, first, processor))
