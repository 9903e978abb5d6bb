"""What viewers of traces show of a run: slices of time, arrows for messages, levels of buffers, phases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from meshsim.columns import COMPUTE, KINDS, Columns
from meshsim.log import Ints
from meshsim.outcome import Run
from meshsim.trace import label


class Slices(NamedTuple):
    """The parts of processors' time, by column, as in `meshsim.columns.Parts`; `name` is the kernel or the kind."""

    processor: Sequence[int]
    start: Sequence[int]
    end: Sequence[int]
    name: Sequence[str]
    kind: Sequence[str]
    program: Sequence[str]


class Arrow(NamedTuple):
    """A message on its way from a slice to a slice."""

    number: int
    source: int
    target: int
    sent: Mapping[str, Any]
    received: Mapping[str, Any]


class Level(NamedTuple):
    """From a tick on, so many words are buffered on their way to a processor."""

    processor: int
    tick: int
    words: int


@dataclass(frozen=True)
class Timeline:
    """A run as viewers show it."""

    title: str
    run: Run[Any]

    @cached_property
    def shown_ns(self) -> int:
        """For how many nanoseconds a tick is shown: viewers keep whole ones, so a tick of another length gets one."""
        ns = self.run.machine.nanoseconds(1)
        return int(ns) if ns.denominator == 1 else 1

    @property
    def name(self) -> str:
        """What the run is called; where times are not those of the machine, that too."""
        ns = self.run.machine.nanoseconds(1)
        return (
            self.title
            if ns == self.shown_ns
            else f"{self.title} (a tick of {self.run.machine.tick_ns} ns is shown as 1 ns)"
        )

    @property
    def about(self) -> Mapping[str, Any]:
        """What a reader of the file may want to know of the run."""
        machine = self.run.machine
        return {"machine": machine.name, "tick_ns": machine.tick_ns, "shown_ns": self.shown_ns, "ticks": self.run.ticks}

    @cached_property
    def processors(self) -> Sequence[str]:
        """Their names, in node order."""
        return [label(core.node) for core in self._columns.processors]

    @property
    def _columns(self) -> Columns:
        return self.run.trace.columns

    @cached_property
    def slices(self) -> Slices:
        """What every processor did when; `program` is empty where it is the processor's own, or nobody's."""
        columns = self._columns
        parts = columns.parts
        names = [*(kernel.name for kernel in columns.kernels), *KINDS]
        code = np.where(parts.kind == COMPUTE, parts.kernel, len(columns.kernels) + parts.kind)
        programs = [label(each.node) if each.node != each.core.node else "" for each in columns.programs]
        programs.append("")  # where it is nobody's, -1
        return Slices(
            parts.processor.tolist(),
            parts.start.tolist(),
            parts.end.tolist(),
            [names[each] for each in code.tolist()],
            [KINDS[kind] for kind in parts.kind.tolist()],
            [programs[each] for each in parts.program.tolist()],
        )

    @property
    def phases(self) -> Sequence[tuple[str, int, int]]:
        """Each phase, from when the last processor ended the one before to when it ended this one."""
        ends = [0, *self.run.phases.values()]
        return [(name, *between) for name, between in zip(self.run.phases, pairwise(ends), strict=True)]

    @cached_property
    def arrows(self) -> Sequence[Arrow]:
        """The messages that slices can show.

        They cannot where one end has no slice (`arrow_slices`), nor where the receiver's slice ends at the very tick at
        which the sender's begins: viewers would drop the arrow.
        """
        columns = self._columns
        messages = columns.messages
        sources, targets = arrow_slices(columns)
        ends = [(_end(each.sender, "to"), _end(each.receiver, "from")) for each in columns.channels]
        there = np.flatnonzero((sources >= 0) & (targets >= 0))
        there = there[columns.parts.start[sources[there]] < columns.parts.end[targets[there]]]
        chosen = (messages.channel, messages.words, messages.depart, messages.arrive, sources, targets)
        rows = zip(*(each[there].tolist() for each in chosen), strict=True)
        found = []
        for number, (channel, words, depart, arrive, source, target) in enumerate(rows):
            times = {"words": words, "depart": depart, "arrive": arrive}
            sent, received = ends[channel]
            found.append(Arrow(number, source, target, {**sent, **times}, {**received, **times}))
        return found

    @cached_property
    def leaving(self) -> Mapping[int, Sequence[Arrow]]:
        """The arrows that come from each slice."""
        return _grouped(self.arrows, "source")

    @cached_property
    def coming(self) -> Mapping[int, Sequence[Arrow]]:
        """The arrows that go to each slice."""
        return _grouped(self.arrows, "target")

    @cached_property
    def levels(self) -> Sequence[Level]:
        """How many words have left their sender and have not been taken, by receiving processor, whenever it changes.

        They are on a wire, in a router or in a buffer. Processors that never have any are left out: under a rendezvous
        that is all of them, since there the sender goes on when the receiver has its message.
        """
        columns = self._columns
        messages = columns.messages
        core = columns.home[columns.receiver[messages.channel]]
        core, tick = np.tile(core, 2), np.concatenate([messages.left, messages.taken])
        order = np.lexsort((tick, core))
        core, tick = core[order], tick[order]
        words = np.cumsum(np.concatenate([messages.words, -messages.words])[order])  # 0 after each processor's last
        last = np.append((core[1:] != core[:-1]) | (tick[1:] != tick[:-1]), True)[: len(core)]
        core, tick, words = core[last], tick[last], words[last]
        changed = words != np.concatenate([[0], words[:-1]])[: len(words)]
        found = list(map(Level, *(each[changed].tolist() for each in (core, tick, words))))
        begun = [Level(each, 0, 0) for each in {level.processor for level in found}]
        return sorted([*begun, *found], key=lambda level: (level.processor, level.tick))


def _grouped(arrows: Sequence[Arrow], end: str) -> Mapping[int, Sequence[Arrow]]:
    found: dict[int, list[Arrow]] = {}
    for arrow in arrows:
        found.setdefault(getattr(arrow, end), []).append(arrow)
    return found


def _end(end: Any, way: str) -> Mapping[str, Any]:
    return {"port": end.port, way: label(end.peer.cpu.node)}


def arrow_slices(columns: Columns) -> tuple[Ints, Ints]:
    """From which part to which part each message goes; -1 where its program has none.

    It comes from what its sender's program was about when it left: the last that this began before. It goes to what its
    receiver's program was about when it took it; where that waited for nothing, or was not on the processor, to what it
    did next. A program that sends first or takes last, in no time and while others have its processor, has no part that
    would be there then.
    """
    messages, operations = columns.messages, columns.operations
    own = _Own(columns)
    sender, receiver = columns.sender[messages.channel], columns.receiver[messages.channel]
    source = np.maximum(own.begun_before(sender, messages.left), own.first[sender])
    source = np.where(own.has[sender] & (own.start[source] <= messages.left), source, -1)
    in_course = own.begun_before(receiver, messages.taken)
    end = own.end[in_course]
    holds = (in_course >= own.first[receiver]) & (end > messages.asked) & (end >= messages.taken)
    span = np.zeros_like(messages.taken)
    takes = operations.receives == 1
    span[operations.message[takes]] = operations.span[takes]
    following = np.maximum(in_course + 1, own.from_span(receiver, span))
    target = np.where(holds, in_course, np.minimum(following, own.first[receiver + 1] - 1))
    target = np.where(own.has[receiver] & (own.end[target] >= messages.taken), target, -1)
    return own.part[source], own.part[target]


class _Own:
    """The parts that programs have of their own, program by program, each's in order; `first` is each's first place."""

    def __init__(self, columns: Columns) -> None:
        parts = columns.parts
        order = np.argsort(parts.program, kind="stable")
        mine = order[parts.program[order] >= 0]
        self.program, self.span = parts.program[mine], parts.span[mine]
        self.first = np.searchsorted(self.program, np.arange(len(columns.programs) + 1))
        self.has = np.diff(self.first) > 0
        # One more, for places before the first and after the last.
        self.part, self.start, self.end = (np.append(each, -1) for each in (mine, parts.start[mine], parts.end[mine]))

    def begun_before(self, program: Ints, tick: Ints) -> Ints:
        """The place of a program's last part that began before a tick; less than its first if none did."""
        return self._search(self.start[:-1], program, tick) - 1

    def from_span(self, program: Ints, span: Ints) -> Ints:
        """The place of a program's first part of a span, or of a later one."""
        return self._search(self.span, program, span)

    def _search(self, values: Ints, program: Ints, value: Ints) -> Ints:
        width = 1 + int(max(values.max(initial=0), value.max(initial=0)))
        return np.searchsorted(self.program * width + values, program * width + value)
