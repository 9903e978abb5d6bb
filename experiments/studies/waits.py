"""The longest waits of a run, and whom each was for."""

from typing import Any, NamedTuple

import numpy as np

from meshsim.columns import COMPUTE, KINDS, WAIT, Columns
from meshsim.log import Ints
from meshsim.outcome import Run
from meshsim.trace import label


class Wait(NamedTuple):
    """A stretch in which a processor waited, counted in node order, and why; `peer` is whom it waited for, or -1."""

    processor: int
    start: int
    end: int
    peer: int
    cause: str


def longest_waits(run: Run[Any], most: int = 10) -> list[Wait]:
    """The longest waits, the longest first; of equal ones the earliest, then by node order."""
    found = run.trace.columns
    parts = found.parts
    waits = np.flatnonzero(parts.kind == WAIT)
    length = parts.end[waits] - parts.start[waits]
    chosen = waits[np.lexsort((parts.processor[waits], parts.start[waits], -length))][:most]
    return [_explained(found, _direct(found, int(part))) for part in chosen]


def _direct(found: Columns, part: int) -> Wait:
    """Whom a wait was for: the other end of the operation that ended it, or that let a shared processor go on.

    Of several operations it is one that departed or ended when the wait was over; of these the one that ended last;
    of equal ones a receive, of the first channel.
    """
    parts, messages, operations = found.parts, found.messages, found.operations
    processor, start, end = (int(column[part]) for column in (parts.processor, parts.start, parts.end))
    if found.processors[processor].shared:
        return _direct_shared(found, processor, start, end)
    mine = np.flatnonzero(operations.span == parts.span[part])
    if not len(mine):
        return Wait(processor, start, end, -1, "until the next evaluation is offered")
    of, receives = operations.message[mine], operations.receives[mine] == 1
    wired = "wire" in found.channels[int(messages.channel[of[0]])].links.life.sending
    passes = messages.depart[of] == end if wired else receives & (messages.depart[of] == end)
    ended = np.where(receives, messages.taken[of], messages.left[of])
    last = np.lexsort((-messages.channel[of], receives, ended, passes | (ended == end)))[-1]
    return _for(found, (processor, start, end), int(of[last]), bool(receives[last]))


def _direct_shared(found: Columns, processor: int, start: int, end: int) -> Wait:
    """No program of the processor could go on, until a message departed or arrived."""
    messages, homes = found.messages, found.home
    for receives, ends, points in (
        (True, found.receiver, ("arrive", "depart")),
        (False, found.sender, ("left", "depart")),
    ):
        here = homes[ends][messages.channel] == processor
        for point in points:
            fits = np.flatnonzero(here & (getattr(messages, point) == end))
            if len(fits):
                return _for(found, (processor, start, end), int(fits[0]), receives)
    return _passing(found, processor, start, end)


def _passing(found: Columns, processor: int, start: int, end: int) -> Wait:
    """A processor that forwards messages was waiting for one of others to come."""
    node = found.processors[processor].node
    for number, channel in enumerate(found.channels):
        places = [place for place, link in enumerate(channel.path[:-1]) if link.target == node]
        journeys = channel.legs if places else []
        if any(journey[place][2] == end for place in places for journey in journeys):
            ends = label(channel.sender.cpu.node), label(channel.receiver.cpu.node)
            cause = f"until a message from {ends[0]} to {ends[1]} came, which passes it"
            return Wait(processor, start, end, int(found.home[found.sender][number]), cause)
    return Wait(processor, start, end, -1, "until a program of it can go on")


def _for(found: Columns, when: tuple[int, int, int], message: int, receives: bool) -> Wait:
    number = int(found.messages.channel[message])
    channel = found.channels[number]
    mine, other = (channel.receiver, channel.sender) if receives else (channel.sender, channel.receiver)
    peer, name = found.processors.index(other.cpu.core), label(other.cpu.node)
    ends = found.sender if receives else found.receiver
    if found.away[ends[number]]:  # programs and processors may have the same names
        name = f"{name} on {label(other.cpu.core.node)}"
    does = f"what {name} sends to" if receives else "what it sends through"
    if found.messages.ready[message] <= when[1] and found.messages.depart[message] == when[2]:
        return Wait(*when, peer, f"until the wire is free for {does} port {mine.port}")
    does = f"{name} sends to" if receives else f"{name} takes {does}"
    return Wait(*when, peer, f"until {does} port {mine.port}")


def _explained(found: Columns, wait: Wait) -> Wait:
    """What the other did meanwhile; if it waited itself, what was done by whoever it all waited for."""
    if wait.peer < 0:
        return wait
    peer = label(found.processors[wait.peer].node)
    at, seen = wait.peer, {wait.processor}
    while at >= 0 and at not in seen:
        kind, doing = _doing(found, at, wait.start, wait.end)
        if kind != WAIT:
            name = label(found.processors[at].node)
            behind = f"{name} {doing}" if at == wait.peer else f"{peer} waits too, and behind it all {name} {doing}"
            return wait._replace(cause=f"{wait.cause}: {behind}")
        seen.add(at)
        at = _direct(found, _longest_in(found, at, wait.start, wait.end)).peer
    return wait._replace(cause=f"{wait.cause}: {peer} waits too")


def _mine(found: Columns, processor: int, start: int, end: int) -> tuple[Ints, Ints]:
    """The parts of a processor in a stretch of time, and how many ticks of it each takes."""
    parts = found.parts
    low, high = np.searchsorted(parts.processor, (processor, processor + 1))
    mine = np.arange(low, high)
    ticks = np.minimum(parts.end[mine], end) - np.maximum(parts.start[mine], start)
    return mine[ticks > 0], ticks[ticks > 0]


def _longest_in(found: Columns, processor: int, start: int, end: int) -> int:
    """The wait that takes most of a stretch of time."""
    mine, ticks = _mine(found, processor, start, end)
    waits = found.parts.kind[mine] == WAIT
    return int(mine[waits][int(np.argmax(ticks[waits]))])


DOING = {
    "compute": "computes",
    "send": "sends",
    "receive": "receives",
    "wait": "waits",
    "switch": "changes programs",
    "copy": "copies messages",
    "forward": "forwards messages of others",
}


def _doing(found: Columns, processor: int, start: int, end: int) -> tuple[int, str]:
    """What a processor did most in a stretch of time; -1 for nothing, since it had ended."""
    parts = found.parts
    mine, ticks = _mine(found, processor, start, end)
    spent = np.bincount(parts.kind[mine], weights=ticks, minlength=len(KINDS))
    if spent.sum() < (end - start) / 2:
        return -1, "has ended"
    most = int(np.argmax(spent))
    doing = DOING[KINDS[most]]
    if most == COMPUTE:
        computes = parts.kind[mine] == COMPUTE
        kernels = np.bincount(parts.kernel[mine[computes]], weights=ticks[computes])
        more = " and others" if (kernels > 0).sum() > 1 else ""
        doing += f" ({found.kernels[int(np.argmax(kernels))].name}{more})"
    return most, f"{doing} for {100 * spent[most] / (end - start):.0f} % of that time"
