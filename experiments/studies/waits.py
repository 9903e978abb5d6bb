"""The longest waits of a run, and whom each was for."""

from typing import Any, NamedTuple

import numpy as np

from meshsim.columns import COMPUTE, KINDS, WAIT, Columns
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
    return [_explained(found, int(part)) for part in chosen]


def _explained(found: Columns, part: int) -> Wait:
    """The operation that ended last decided the wait; the processor at its other end was waited for."""
    parts, messages, operations = found.parts, found.messages, found.operations
    processor, start, end = (int(column[part]) for column in (parts.processor, parts.start, parts.end))
    core = found.processors[processor]
    if core.shared:
        return _explained_shared(found, part)
    mine = np.flatnonzero(operations.span == parts.span[part])
    if not len(mine):
        return Wait(processor, start, end, -1, "the next evaluation is not offered before")
    of = operations.message[mine]
    ended = np.where(operations.receives[mine] == 1, messages.taken[of], messages.left[of])
    chosen = mine[int(np.argmax(ended))]
    return _because(found, (processor, start, end), int(operations.message[chosen]), bool(operations.receives[chosen]))


def _explained_shared(found: Columns, part: int) -> Wait:
    """No program of the processor could go on: the first to go on was let by the message that ended its wait."""
    parts, messages = found.parts, found.messages
    processor, start, end = (int(column[part]) for column in (parts.processor, parts.start, parts.end))
    homes = found.home
    for name, ends, receives in (("taken", found.receiver, True), ("left", found.sender, False)):
        here = homes[ends][messages.channel] == processor
        tick = messages.arrive if receives else getattr(messages, name)
        fits = np.flatnonzero(here & (tick == end))
        if len(fits):
            return _because(found, (processor, start, end), int(fits[0]), receives)
    return Wait(processor, start, end, -1, "no program of this processor could go on")


def _because(found: Columns, when: tuple[int, int, int], message: int, receives: bool) -> Wait:
    channel = found.channels[int(found.messages.channel[message])]
    mine, other = (channel.receiver, channel.sender) if receives else (channel.sender, channel.receiver)
    peer = found.processors.index(other.cpu.core)
    doing = _doing(found, peer, *when[1:])
    name = label(other.cpu.node)
    if receives:
        cause = f"for {name} to send through {mine.port}; meanwhile {name} {doing}"
    else:
        cause = f"until {name} takes what goes through {mine.port}; meanwhile {name} {doing}"
    return Wait(*when, peer, cause)


DOING = {
    "compute": "computes",
    "send": "sends",
    "receive": "receives",
    "wait": "waits itself",
    "switch": "changes programs",
    "copy": "copies messages",
    "forward": "forwards messages of others",
}


def _doing(found: Columns, processor: int, start: int, end: int) -> str:
    """What a processor did most in a stretch of time."""
    parts = found.parts
    low, high = np.searchsorted(parts.processor, (processor, processor + 1))
    mine = np.arange(low, high)
    ticks = np.minimum(parts.end[mine], end) - np.maximum(parts.start[mine], start)
    mine, ticks = mine[ticks > 0], ticks[ticks > 0]
    if not len(mine):
        return "has ended"
    spent = np.bincount(parts.kind[mine], weights=ticks, minlength=len(KINDS))
    most = int(np.argmax(spent))
    share = 100 * spent[most] / (end - start)
    doing = DOING[KINDS[most]]
    if most == COMPUTE:
        kernels = np.bincount(parts.kernel[mine[parts.kind[mine] == COMPUTE]])
        doing += (
            f" ({found.kernels[int(np.argmax(kernels))].name} and others)"
            if (kernels > 0).sum() > 1
            else (f" ({found.kernels[int(np.argmax(kernels))].name})")
        )
    return f"{doing} for {share:.0f} % of that time"
