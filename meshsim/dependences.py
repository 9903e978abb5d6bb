"""The dependences between the times of a recording, under one discipline of links.

Every time of a run is the largest of some earlier times, each plus a cost. A `Graph` says which, for all machines with
the same discipline (and, where they matter, as many buffers and the same switching).
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from meshsim.discipline import Passage, Price, Term, Terms, contract, routed, told
from meshsim.machine import LinkCosts
from meshsim.recording import Ints, Recording, RouteLink, lengths

Costs = tuple[Price, ...]
"""What of a message a dependence costs, besides a work."""


class Group(NamedTuple):
    """Messages that live alike: which of their points need a time, and what `left` and `taken` come after."""

    messages: Ints
    kept: Terms
    let_go: Terms


class Graph:
    """The times of one discipline: numbered from 1; time 0 is the start of all programs.

    A message has a time for each point that its discipline's life needs one for (`contract`). A step has one, its end,
    unless it ends with its only operation. The last are the finishes of processors and the marks of phases.

    Attributes
    ----------
    edges : list
        Dependences: time `target` is at or after time `source` plus a cost. Sources, targets and costs, part by part.
    ends : array
        The time at which each step ends, and then 0: what comes before the first step of a program is step -1.
    finish, marks : arrays
        The times of these.
    """

    def __init__(self, recording: Recording, links: LinkCosts) -> None:
        self.recording = recording
        self.edges: list[tuple[Ints, Ints, Ints]] = []
        steps = np.arange(len(recording.step_works))
        self.before = np.where(np.isin(steps, np.append(0, recording.step_ends)), -1, steps - 1)
        self.steps = {point: self._steps_of(receive) for receive, point in enumerate(("sent", "asked"))}  # by message
        messages = np.arange(recording.messages)
        sizes = lengths(recording.message_ends)
        self.places = messages - np.repeat(recording.message_ends - sizes, sizes)  # of messages in their channels
        self.turns = self._turns(links.life.costs) if links.turns else {}
        self.kinds: dict[Costs, int] = {}  # numbered as they come
        self.works = len(recording.work_ends) + 1
        self.span = int(recording.words.max(initial=0)) + 1
        self.count = 0
        groups = list(self._grouped(messages, links))
        self.times: dict[str, Ints] = {}  # of messages, by point; 0 for those that need none
        for group in groups:
            for point in group.kept:
                times = self.times.setdefault(point, np.zeros(len(messages), dtype=np.int64))
                times[group.messages] = self._number(len(group.messages))
        self._end_steps(groups)
        for group in groups:
            for point, terms in group.kept.items():
                self._add_terms(terms, group.messages, self.times[point][group.messages])
        self._add_sinks()

    def _grouped(self, messages: Ints, links: LinkCosts) -> Iterator[Group]:
        """All messages, by how they live: those of one kind of route alike."""
        recording = self.recording
        life = links.life if links.receive else links.life.without("receive")
        if not recording.routes or "wire" not in life.costs:
            yield Group(messages, *contract(life, links.buffers))
            return
        kinds: dict[tuple[Passage, ...], list[int]] = {}
        for channel in recording.carrying:
            kinds.setdefault(passages(recording.routes[channel], links), []).append(channel)
        channels = np.repeat(np.arange(len(recording.links)), lengths(recording.message_ends))
        for kind, members in kinds.items():
            yield Group(messages[np.isin(channels, members)], *contract(routed(life, kind), links.buffers))

    def _steps_of(self, receive: int) -> Ints:
        """In which step each message is sent, or received."""
        recording = self.recording
        op_steps = np.repeat(np.arange(len(recording.step_works)), lengths(recording.op_ends))
        chosen = recording.ops % 2 == receive
        steps = np.empty(recording.messages, dtype=np.int64)
        steps[recording.op_messages[chosen]] = op_steps[chosen]
        return steps

    def _turns(self, costs: Collection[Price]) -> dict[str, Ints]:
        """By point, how many turns each message waits before it is sent, or is waited for after it was asked for."""
        taken = ("sent", "setup"), ("asked", "receive")
        return {point: self._turns_of(receive) for receive, (point, cost) in enumerate(taken) if cost in costs}

    def _turns_of(self, receive: int) -> Ints:
        """How many of its kind stand before each message that a step sends, or after each that it receives."""
        recording = self.recording
        sizes = lengths(recording.op_ends)
        ends = np.repeat(recording.op_ends, sizes)
        chosen = recording.ops % 2 == receive
        passed = np.cumsum(np.append(0, chosen))  # operations of this kind before each one
        counts = passed[ends] - passed[1:] if receive else passed[:-1] - passed[ends - np.repeat(sizes, sizes)]
        turns = np.empty(recording.messages, dtype=np.int64)
        turns[recording.op_messages[chosen]] = counts[chosen]
        return turns

    def _by_turn(self, point: str, messages: Ints) -> Iterator[tuple[Ints, int]]:
        """Places of messages that are sent, or asked for, in the same turn of their steps, and how many turns it is."""
        if point not in self.turns:
            yield np.arange(len(messages)), 0
            return
        turns = self.turns[point][messages]
        for turn in np.unique(turns):
            yield np.flatnonzero(turns == turn), int(turn)

    def _number(self, count: int) -> Ints:
        """So many times more."""
        self.count += count
        return np.arange(self.count - count, self.count) + 1

    def _add(self, source: Ints, target: Ints, work: Ints | int = -1, costs: Costs = (), words: Ints | int = 0) -> None:
        """Dependences; what they cost is one number, to be taken apart again by `classes`."""
        kind = self.kinds.setdefault(costs, len(self.kinds))
        key = (kind * self.works + np.asarray(work) + 1) * self.span + words
        self.edges.append((source, target, np.broadcast_to(key, len(source))))

    def classes(self, keys: Ints) -> tuple[Ints, Ints, Ints]:
        """Works (-1: none), costs of messages as places in `kinds`, and words."""
        rest, words = np.divmod(keys, self.span)
        kinds, works = np.divmod(rest, self.works)
        return works - 1, kinds, words

    def _add_start(self, steps: Ints, target: Ints, costs: Costs = (), words: Ints | int = 0) -> None:
        """Times that are at or after the start of a step: when the step before has ended, and the work is done."""
        self._add(self.ends[self.before[steps]], target, self.recording.step_works[steps], costs, words)

    def _add_terms(self, terms: Iterable[Term], messages: Ints, target: Ints) -> None:
        """Times that are at or after terms of the lives of messages."""
        for point, back, costs in terms:
            sized = any(told(cost).per_word for cost in costs)
            words = self.recording.words[messages] if sized else 0 * messages
            if point == "sent":  # so many set-ups late
                for chosen, turn in self._by_turn(point, messages):
                    steps = self.steps[point][messages[chosen]]
                    self._add_start(steps, target[chosen], ("setup",) * turn + costs, words[chosen])
            elif point == "asked":
                self._add_start(self.steps[point][messages], target, costs, words)
            else:
                behind = self.places[messages] >= back  # the others are among the first of their channels
                source = self.times[point][messages[behind] - back]
                self._add(source, target[behind], -1, costs, words[behind])

    def _end_steps(self, groups: Sequence[Group]) -> None:
        """A step ends when all its operations let go; one without operations when it starts."""
        counts = lengths(self.recording.op_ends)
        self.ends = np.zeros(len(counts) + 1, dtype=np.int64)
        sides = [
            (start, group.messages, self.steps[start][group.messages], group.let_go[point])
            for group in groups
            for start, point in (("sent", "left"), ("asked", "taken"))
        ]
        for _, messages, steps, (term, *others) in sides:
            if term.point in self.times and not term.costs and not others:
                alone = counts[steps] == 1
                self.ends[steps[alone]] = self.times[term.point][messages[alone]]
        own = np.append(self.ends[:-1] == 0, False)
        self.ends[own] = self._number(int(own.sum()))
        starts = counts == 0  # and those with an operation that lets go at once
        for start, messages, steps, terms in sides:
            waited = messages[own[steps]]
            at_once = None if start in self.turns else Term(start)
            later = [term for term in terms if term != at_once]
            if start == "sent":
                self._add_terms(later, waited, self.ends[self.steps[start][waited]])
            else:
                for chosen, turn in self._by_turn(start, waited):  # so many receives follow
                    these = waited[chosen]
                    turned = [term._replace(costs=term.costs + ("receive",) * turn) for term in later]
                    self._add_terms(turned, these, self.ends[self.steps[start][these]])
            if at_once in terms:
                starts[steps] = True
        begun = np.flatnonzero(starts & own[:-1])
        self._add_start(begun, self.ends[begun])

    def _add_sinks(self) -> None:
        """The finish of every processor, and the marks of phases."""
        recording = self.recording
        counts = lengths(recording.step_ends)
        first = recording.step_ends - counts
        self.finish = self._number(len(counts))
        last = np.where(counts > 0, recording.step_ends - 1, -1)
        self._add(self.ends[last], self.finish, recording.tails)
        cpus, steps, works = (np.array([mark[i] for mark in recording.marks], dtype=np.int64) for i in (0, 2, 3))
        self.marks = self._number(len(cpus))
        self._add(self.ends[np.where(steps > 0, first[cpus] + steps - 1, -1)], self.marks, works)


def passages(route: Sequence[RouteLink], links: LinkCosts) -> tuple[Passage, ...]:
    """How messages pass the links of a route; before the first of them they pass no router."""
    through = links.switching == "cut-through"
    found = [Passage(through or each.switch, **dict(each.own)) for each in route]
    return found[0]._replace(cut=False, hop=None), *found[1:]
