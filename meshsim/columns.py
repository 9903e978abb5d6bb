"""A trace as arrays: what every processor did when, and the life of every message.

The log of a run has spans and messages as they came. Tables, pictures and files of other tools want columns. They are
made here, for many processors at once: one of 300,000 rows in a fraction of the run's own time.
"""

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from meshsim.channel import Channel, End
from meshsim.counted import Kernel
from meshsim.discipline import COSTS
from meshsim.garbage import collector_at_rest
from meshsim.log import FIELDS, Ints, Log, firsts_of
from meshsim.processor import Chore, Core, Process
from meshsim.sharing import Local, SharedCore

Bools = np.ndarray[Any, np.dtype[np.bool_]]

KINDS = ("compute", "send", "receive", "wait", "switch", "copy", "forward")
"""What a processor's time is spent on. The last three are of processors that programs share, or that forward."""
COMPUTE, SEND, RECEIVE, WAIT = range(4)
COMMUNICATION = -1
"""In place of a kind: a span of operations, which is yet to be divided."""


class Parts(NamedTuple):
    """Stretches of processors' time, in node order and each processor's in order of time, without gaps from tick 0.

    `kind` counts `KINDS`. Only computes have a `kernel`, and may take no ticks; -1 stands for none. `span` is the span
    of all processors' that a part is of. `program` counts processes; -1 where no program is concerned.
    """

    processor: Ints
    program: Ints
    kind: Ints
    start: Ints
    end: Ints
    kernel: Ints
    span: Ints


class Messages(NamedTuple):
    """The lives of all messages, channel by channel, each in order: what `trace.Message` has of one."""

    channel: Ints
    number: Ints
    words: Ints
    sent: Ints
    ready: Ints
    left: Ints
    depart: Ints
    arrive: Ints
    asked: Ints
    taken: Ints


class Operations(NamedTuple):
    """Sends and receives: in which span, as which of its `par`, of which message; `receives` is 1 for a receive."""

    span: Ints
    place: Ints
    message: Ints
    receives: Ints


@dataclass(frozen=True, eq=False)
class Columns:
    """All of a trace. What is counted in `parts` and `messages` stands here, in order."""

    processors: Sequence[Core]
    programs: Sequence[Process]
    channels: Sequence[Channel]
    kernels: Sequence[Kernel[*tuple[Any, ...], Any]]
    parts: Parts
    messages: Messages
    operations: Operations

    @cached_property
    def sender(self) -> Ints:
        """The program that sends through each channel."""
        return self._ends("sender")

    @cached_property
    def receiver(self) -> Ints:
        """The program that receives through each channel."""
        return self._ends("receiver")

    def _ends(self, which: str) -> Ints:
        ranks = {program: number for number, program in enumerate(self.programs)}
        return np.array([ranks[getattr(channel, which).cpu] for channel in self.channels], dtype=np.int64)

    @cached_property
    def home(self) -> Ints:
        """The processor of each program."""
        ranks = {core: number for number, core in enumerate(self.processors)}
        return np.array([ranks[program.core] for program in self.programs], dtype=np.int64)

    @cached_property
    def away(self) -> Bools:
        """Which programs have another name than their processor, or share it: those that a table names."""
        return np.array([each.core.shared or each.node != each.core.node for each in self.programs], dtype=bool)

    def spent(self) -> Ints:
        """The ticks that each processor spent on each of `KINDS`."""
        parts = self.parts
        return _spent(parts.processor, parts.kind, parts.end - parts.start, len(self.processors))


class Lives:
    """The messages of a run, channel by channel; channels are numbered in the order in which they were made."""

    def __init__(self, channels: Sequence[Channel]) -> None:
        self.channels = channels
        log = channels[0].log if channels else Log()
        assert log is not None
        self.rows, self.firsts = log.lives

    def life(self, channel: Channel, number: int) -> list[int]:
        """The words and the points of a channel's message."""
        found: list[int] = self.rows[self.firsts[channel.number] + number, 1:].tolist()
        return found

    def field(self, name: str, chosen: Ints) -> Ints:
        """One of `FIELDS` of some messages."""
        found: Ints = self.rows[chosen, FIELDS.index(name)].astype(np.int64)
        return found

    @cached_property
    def ends(self) -> Mapping[End, int]:
        """The ends of all channels by number: a sender's is even, its receiver's the next."""
        return {end: number for number, end in enumerate(end for c in self.channels for end in (c.sender, c.receiver))}

    @cached_property
    def sorts(self) -> tuple[Ints, list[Channel]]:
        """Of each channel the sort, which says what its messages cost; and one channel of each sort."""
        found: dict[Hashable, tuple[int, Channel]] = {}
        sort_of = np.empty(len(self.channels), dtype=np.int64)
        for number, each in enumerate(self.channels):
            local = isinstance(each, Local) and each.core.local
            sort = local, each.links, each.receive, each.route is None
            sort_of[number] = found.setdefault(sort, (len(found), each))[0]
        return sort_of, [channel for _, channel in found.values()]

    @cached_property
    def messages(self) -> Messages:
        """All of them."""
        channel, *points = self.rows.T.astype(np.int64)
        return Messages(channel, np.arange(len(channel)) - self.firsts[channel], *points)


def columns(processors: Sequence[Core], programs: Sequence[Process], lives: Lives) -> Columns:
    """The columns of a traced run."""
    with collector_at_rest():
        spans = _Spans(processors)
        begun, shown = spans.operations(lives)
    parts = _parts(spans, programs, _transfers(spans, shown, lives))
    return Columns(processors, programs, lives.channels, tuple(spans.kernels), parts, lives.messages, begun)


def spent(processors: Sequence[Core], lives: Lives) -> Ints:
    """The ticks that processors, which follow one another in node order, spent on each of `KINDS`."""
    spans = _Spans(processors)
    _, shown = spans.operations(lives)
    span, kind, start, end = _divided(spans, _transfers(spans, shown, lives))
    return _spent(spans.core[span], kind, end - start, len(processors))


def _spent(processor: Ints, kind: Ints, ticks: Ints, count: int) -> Ints:
    found = np.zeros((count, len(KINDS)), dtype=np.int64)
    np.add.at(found, (processor, kind), ticks)
    return found


def _numbers(values: Iterable[int]) -> Ints:
    return np.fromiter(values, np.int64)


def _things(whats: Sequence[Any], numbers: Ints) -> tuple[list[Any], Ints]:
    """What spans were filled with, each once, as it comes; and which of them each span has."""
    first = np.full(len(whats), len(numbers))
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # the last to be written is the first to come
    used = np.flatnonzero(first < len(numbers))
    used = used[np.argsort(first[used])]
    things = {id(whats[number]): whats[number] for number in used.tolist()}  # a kernel has a number on each processor
    places = {thing: place for place, thing in enumerate(things)}
    place_of = np.zeros(len(whats), dtype=np.int64)
    place_of[used] = [places[id(whats[number])] for number in used.tolist()]
    return list(things.values()), place_of[numbers]


class _Spans:
    """The spans of processors that follow one another in node order, one processor's after the other's."""

    def __init__(self, cores: Sequence[Core]) -> None:
        self.cores = cores
        log = cores[0].log
        assert log is not None
        rows, firsts = log.spans
        firsts = firsts[cores[0].rank : cores[-1].rank + 2]
        rows = rows[firsts[0] : firsts[-1]]
        self.firsts = firsts - firsts[0]
        self.end = rows[:, 1].astype(np.int64)
        self.start = np.concatenate([[0], self.end[:-1]])[: len(self.end)]
        self.start[self.firsts[:-1][np.diff(self.firsts) > 0]] = 0
        self.core = np.repeat(np.arange(len(cores)), np.diff(self.firsts))
        self.things, self.thing = _things(log.whats, rows[:, 0])
        self.kernels: dict[Kernel[*tuple[Any, ...], Any], int] = {}
        self.kind, self.kernel = self._kinds()[:, self.thing]

    def _kinds(self) -> Ints:
        """What each thing is, and which kernel if it is one."""
        chores = {kind: code for code, kind in enumerate(KINDS)}
        kernels = self.kernels
        found = np.empty((2, len(self.things)), dtype=np.int64)
        for place, thing in enumerate(self.things):
            if type(thing) is Chore:
                found[:, place] = chores[thing.kind], -1
            elif type(thing) is tuple:
                found[:, place] = COMMUNICATION, -1
            else:
                found[:, place] = COMPUTE, kernels.setdefault(thing, len(kernels))
        return found

    def operations(self, lives: Lives) -> tuple[Operations, Operations]:
        """All operations, in the span in which they were begun; and those that each span of operations is made of.

        They are the same where a processor has one program. On a shared one a program's operations begin in a span of
        another kind, and a span of operations is what it waits for.
        """
        ends, firsts = lives.ends, lives.firsts
        begun, shown = list[tuple[int, int, int, int]](), list[tuple[int, int, int, int]]()
        for first, core in zip(self.firsts.tolist(), self.cores, strict=False):
            if not isinstance(core, SharedCore):
                continue
            for end, places in core.begun.items():
                begun += [(first + place, 0, ends[end], number) for number, place in enumerate(places)]
            for place, (_, _, what) in enumerate(core.spans):
                if type(what) is tuple:
                    numbers = [bisect_right(core.begun[end], place) - 1 for end in what]
                    shown += [(first + place, at, ends[end], numbers[at]) for at, end in enumerate(what)]
        alone = self._of_plain(ends)
        return _operations(alone, begun, firsts), _operations(alone, shown, firsts)

    def _of_plain(self, ends: Mapping[End, int]) -> Ints:
        """Span, place, end and number of each operation of processors that have one program."""
        pars = [thing if type(thing) is tuple else () for thing in self.things]
        sizes = _numbers(map(len, pars))
        members = _numbers(map(ends.__getitem__, chain.from_iterable(pars)))
        shared = np.array([core.shared for core in self.cores], dtype=bool)
        mine = np.flatnonzero((self.kind == COMMUNICATION) & ~shared[self.core])
        counts = sizes[self.thing[mine]]
        span = np.repeat(mine, counts)
        place = np.arange(len(span)) - np.repeat(firsts_of(counts)[:-1], counts)
        end = members[firsts_of(sizes)[self.thing[span]] + place]
        order = np.argsort(end, kind="stable")
        found = np.bincount(end, minlength=len(ends))
        number = np.empty_like(end)
        number[order] = np.arange(len(end)) - np.repeat(firsts_of(found)[:-1], found)
        return np.stack([span, place, end, number])


def _operations(plain: Ints, more: Sequence[tuple[int, int, int, int]], firsts: Ints) -> Operations:
    rows = np.array(more, dtype=np.int64).reshape(-1, 4).T
    span, place, end, number = np.concatenate([plain, rows], axis=1)
    return Operations(span, place, firsts[end // 2] + number, end % 2)


class _Transfers(NamedTuple):
    """Stretches of processors' time: in which span, of which kind."""

    span: Ints
    kind: Ints
    start: Ints
    end: Ints


def _transfers(spans: _Spans, operations: Operations, lives: Lives) -> _Transfers:
    """The costs of messages that count as sending or receiving, clipped to the spans that they are in."""
    sort_of, channels = lives.sorts
    sorts = sort_of[lives.field("channel", operations.message)]
    found = [np.empty((4, 0), dtype=np.int64)]
    turns = [np.empty((4, 0), dtype=np.int64)]
    for number, channel in enumerate(channels):
        life = channel.links.life
        for receives, costs in enumerate((life.sending, life.receiving)):
            mine = np.flatnonzero((sorts == number) & (operations.receives == receives))
            span = operations.span[mine]
            for name in costs:
                start, end = _cost(channel, name, lives, operations.message[mine])
                if name == "receive" and channel.links.turns:
                    turns.append(np.stack([span, operations.place[mine], start, end]))
                else:
                    found.append(np.stack([span, np.full(len(mine), SEND + receives), start, end]))
    span, kind, start, end = np.concatenate([*found, _in_turn(np.concatenate(turns, axis=1))], axis=1)
    start, end = np.maximum(start, spans.start[span]), np.minimum(end, spans.end[span])
    return _Transfers(*(each[start < end] for each in (span, kind, start, end)))


def _cost(channel: Channel, name: str, lives: Lives, chosen: Ints) -> tuple[Ints, Ints]:
    """From when to when a cost of messages passes."""
    cost = COSTS[name]
    ticks = np.broadcast_to(np.asarray(channel.ticks(name, lives.field("words", chosen))), chosen.shape)
    if name == "wire" and channel.route is not None:
        ticks = lives.field("arrive", chosen) - lives.field("depart", chosen)
    start = lives.field(cost.begins, chosen) if cost.begins else lives.field(cost.ends, chosen) - ticks
    return start, start + ticks


def _in_turn(receives: Ints) -> Ints:
    """Receives that follow one another are as long as they would be alone, each after the one before in its span.

    Those of a span take turns whatever their channels cost. `receives` has their spans, places, begins and ends.
    """
    receives = receives[:, receives[2] < receives[3]]
    receives = receives[:, np.lexsort((receives[1], receives[0]))]
    begins, last, turn = [], -1, 0
    for span, _, begin, end in receives.T.tolist():
        if span != last:
            last, turn = span, 0
        begins.append(max(begin, turn))
        turn = begins[-1] + end - begin
    span, _, begin, end = receives
    start = _numbers(begins)
    return np.stack([span, np.full_like(span, RECEIVE), start, start + end - begin])


def _parts(spans: _Spans, programs: Sequence[Process], transfers: _Transfers) -> Parts:
    """What is told of the parts of all spans."""
    span, kind, start, end = _divided(spans, transfers)
    owner = _owners(spans.cores, programs, spans.firsts)
    return Parts(spans.core[span], owner[span], kind, start, end, spans.kernel[span], span)


def _divided(spans: _Spans, transfers: _Transfers) -> _Transfers:
    """Divide spans of operations: what is neither sending nor receiving is waiting; who does both is sending."""
    communicates = spans.kind == COMMUNICATION
    lasts = spans.start < spans.end
    whole = np.flatnonzero(~communicates & (lasts | (spans.kind == COMPUTE)))
    pieces = _pieces(spans, np.flatnonzero(communicates & lasts), transfers)
    span = np.concatenate([whole, pieces.span])
    start = np.concatenate([spans.start[whole], pieces.start])
    order = np.lexsort((start, span))
    kind = np.concatenate([spans.kind[whole], pieces.kind])
    end = np.concatenate([spans.end[whole], pieces.end])
    return _Transfers(span[order], kind[order], start[order], end[order])


def _pieces(spans: _Spans, split: Ints, transfers: _Transfers) -> _Transfers:
    """What passes in each of the spans to be divided, from one change to the next."""
    sends = (transfers.kind == SEND).astype(np.int64)
    receives = 1 - sends
    nothing = np.zeros(2 * len(split), dtype=np.int64)
    span = np.concatenate([split, split, transfers.span, transfers.span])
    tick = np.concatenate([spans.start[split], spans.end[split], transfers.start, transfers.end])
    order = np.lexsort((tick, span))
    span, tick = span[order], tick[order]
    sending = np.cumsum(np.concatenate([nothing, sends, -sends])[order]) > 0  # how many are under way
    receiving = np.cumsum(np.concatenate([nothing, receives, -receives])[order]) > 0
    kind = np.where(sending, SEND, np.where(receiving, RECEIVE, WAIT))
    lasting = np.flatnonzero((span[1:] == span[:-1]) & (tick[1:] > tick[:-1]))
    span, kind, start, end = span[lasting], kind[lasting], tick[lasting], tick[lasting + 1]
    new = np.concatenate([[True], (span[1:] != span[:-1]) | (kind[1:] != kind[:-1])])[: len(span)]
    last = np.concatenate([new[1:], [True]])[: len(span)]
    return _Transfers(span[new], kind[new], start[new], end[last])


def _owners(cores: Sequence[Core], programs: Sequence[Process], firsts: Ints) -> Ints:
    """Whose each span is, by the number of the program; -1 if nobody's."""
    numbers = {program: number for number, program in enumerate(programs)}
    alone = {program.core: number for number, program in enumerate(programs)}
    found = np.repeat([alone.get(core, -1) for core in cores], np.diff(firsts))
    for core, first in zip(cores, firsts.tolist(), strict=False):
        if isinstance(core, SharedCore):
            owners = [-1 if owner is None else numbers[owner] for owner in core.owners]
            found[first : first + len(owners)] = owners
    return found
