"""What a discipline of links means, said once: the life of a message as data.

A message has seven points in its life. At `sent` its sender is ready to send it, and at `left` the sender goes on; at
`asked` its receiver is ready to receive it, and at `taken` the receiver goes on. At `ready` it could depart, were the
wire idle; it is on the wire from `depart` to `arrive`. Programs decide `sent` and `asked`. Every other point is the
latest of what it comes after, each plus a cost, and `LIVES` says what that is. Re-timing, replay, critical path, trace
and sensitivities follow from it. The channels of the engine (`channel.py`) do not: tests hold the two against each
other.

Where the operations of a `par` take turns, a message's life is the same: its send begins later, and its receiver goes
on later than `taken`, by as many costs as `turns` says.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

W = TypeVar("W")  # an int, or an array of them


class Cost(NamedTuple):
    """Ticks that a message costs: fields of `Links`, one paid once a message and one, if any, once a word.

    They pass from the point `begins` on, or until the point `ends`. `way` tells whose time they are: between whom they
    carry the critical path.
    """

    per_message: str
    per_word: str | None
    way: tuple[str, str]
    begins: str = ""
    ends: str = ""

    def paid(self, words: W, messages: int = 1) -> Mapping[str, W | int]:
        """How often messages of so many words in all pay each field of `Links`."""
        return {self.per_message: messages, **({self.per_word: words} if self.per_word else {})}


COSTS = {
    "wire": Cost("startup", "per_word", ("sender", "receiver"), begins="depart"),
    "setup": Cost("setup", None, ("sender", "sender"), begins="sent"),
    "receive": Cost("receive", None, ("receiver", "receiver"), ends="taken"),
}
LINK_COSTS = tuple(name for cost in COSTS.values() for name in (cost.per_message, cost.per_word) if name)
"""The fields of `Links` that are paid."""

BUFFERS = -1
"""Stands for the number of a channel's buffers, in `After.back`."""


class After(NamedTuple):
    """What a point comes after: another point, of the message that is `back` before it in its channel, and a cost."""

    point: str
    cost: str = ""
    back: int = 0


Causes = Mapping[str, tuple[After, ...]]
"""What each point comes after. A point stands behind those of its own message that it comes after."""


@dataclass(frozen=True, eq=False)
class Life:
    """A discipline.

    Attributes
    ----------
    points : mapping of str to tuple of After
        What each point comes after. Where two decide a tick, the critical path follows the first.
    sending, receiving : tuple of str
        The costs whose ticks count as sending, for the sender, and as receiving, for the receiver; more is waiting.
    """

    points: Causes
    sending: tuple[str, ...] = ("wire",)
    receiving: tuple[str, ...] = ("wire", "receive")

    @cached_property
    def costs(self) -> frozenset[str]:
        """The costs that a message pays."""
        return frozenset(after.cost for causes in self.points.values() for after in causes if after.cost)

    @cached_property
    def buffered(self) -> bool:
        """Whether the number of buffers matters."""
        return any(after.back == BUFFERS for causes in self.points.values() for after in causes)

    def without(self, cost: str) -> "Life":
        """The same life where one of the costs is nothing."""
        points = {
            point: tuple(after._replace(cost="") if after.cost == cost else after for after in causes)
            for point, causes in self.points.items()
        }
        return replace(self, points=points)

    def causes(self, buffers: int) -> Causes:
        """The points, for channels of so many buffers."""
        return {
            point: tuple(after._replace(back=buffers) if after.back == BUFFERS else after for after in causes)
            for point, causes in self.points.items()
        }


OWN_WIRE = After("ready"), After("arrive", back=1)
"""When a message departs whose channel has a wire of its own. A shared wire has a queue instead."""

LIVES = {
    # Words cost nothing: the sender goes on at once.
    "free": Life(
        {
            "ready": (After("sent"),),
            "depart": (After("ready"),),
            "arrive": (After("depart"),),
            "left": (After("sent"),),
            "taken": (After("asked"), After("arrive")),
        }
    ),
    # The link works beside the processor: the sender goes on after the set-up, if a buffer at the receiver has room.
    "overlap": Life(
        {
            "ready": (After("sent", "setup"), After("taken", back=BUFFERS)),
            "depart": OWN_WIRE,
            "arrive": (After("depart", "wire"),),
            "left": (After("ready"),),
            "taken": (After("asked", "receive"), After("arrive", "receive")),
        },
        sending=("setup",),
    ),
    # The link works beside the processor, and buffers at the sender: a transfer begins when the receiver has asked.
    "posted": Life(
        {
            "left": (After("sent", "setup"), After("arrive", back=BUFFERS)),
            "ready": (After("left"), After("asked")),
            "depart": OWN_WIRE,
            "arrive": (After("depart", "wire"),),
            "taken": (After("arrive", "receive"),),
        },
        sending=("setup",),
    ),
    # Occam's channel: the transfer begins when both are ready, and both go on when it ends.
    "rendezvous": Life(
        {
            "ready": (After("sent"), After("asked")),
            "depart": OWN_WIRE,
            "arrive": (After("depart", "wire"),),
            "left": (After("arrive"),),
            "taken": (After("arrive", "receive"),),
        }
    ),
}
"""The disciplines, by name."""


# Turns within a `par`


def turns(verbs: Sequence[str]) -> list[int]:
    """How many of its kind stand before each send of a `par`, and after each receive.

    Where they take turns, a send begins so many set-ups late, and so many receives follow before its receiver goes on.
    """
    found = [0] * len(verbs)
    sends = receives = 0
    for place, verb in enumerate(verbs):
        if verb == "send":
            found[place] = sends
            sends += 1
    for place in reversed(range(len(verbs))):
        if verbs[place] == "recv":
            found[place] = receives
            receives += 1
    return found


# Fewer times: what re-timing needs of a life

FEW = 3
"""Buffers with which a life is as with any more."""


class Term(NamedTuple):
    """As `After`, with any number of costs."""

    point: str
    back: int = 0
    costs: tuple[str, ...] = ()


Terms = Mapping[str, tuple[Term, ...]]


def contract(life: Life, buffers: int) -> tuple[Terms, Terms]:
    """The points that need a time of their own, and what `left` and `taken` come after.

    A point with one cause, or that only one other comes after, is put in the other's place: its causes become the
    other's. So all terms are of points with a time, of `sent` or of `asked`. A point of an earlier message always has a
    time, so that all costs of a term are those of one message.
    """
    causes = _needed(life, buffers)
    afters = [after for each in causes.values() for after in each]
    uses = Counter([after.point for after in afters] + ["left", "taken"])
    asked_back = {after.point for after in afters if after.back}
    kept: dict[str, tuple[Term, ...]] = {}
    terms: dict[str, tuple[Term, ...]] = {"sent": (Term("sent"),), "asked": (Term("asked"),)}
    for point, each in causes.items():
        found = tuple(term for after in each for term in _placed(after, terms))
        if point in asked_back or (len(found) > 1 and uses[point] > 1):
            kept[point], found = found, (Term(point),)
        terms[point] = found
    return kept, {point: terms[point] for point in ("left", "taken")}


def _placed(after: After, terms: Terms) -> tuple[Term, ...]:
    """What a point comes after, in terms of what has a time."""
    cost = (after.cost,) if after.cost else ()
    if after.back:
        return (Term(after.point, after.back, cost),)
    return tuple(term._replace(costs=term.costs + cost) for term in terms[after.point])


def _needed(life: Life, buffers: int) -> Causes:
    """Without those causes that others imply: with one buffer, say, a message that is ready finds its wire idle.

    What is implied does not depend on how many buffers there are, once there are a few.
    """
    causes = left = life.causes(min(buffers, FEW))
    for point, each in causes.items():
        for after in each:
            fewer = {**left, point: tuple(other for other in left[point] if other != after)}
            if after.back and not after.cost and _implied(fewer, point, after):
                left = fewer
    every = life.causes(buffers)
    return {
        point: tuple(all_of for few, all_of in zip(causes[point], every[point], strict=True) if few in left[point])
        for point in causes
    }


def _implied(causes: Causes, point: str, after: After) -> bool:
    """Whether a point comes after another anyway, by way of others; costs are never negative."""
    # A program sends, and receives, one message of a channel after the other.
    causes = {**causes, "sent": (After("left", back=1),), "asked": (After("taken", back=1),)}
    reached = {(point, 0)}
    front = [(point, 0)]
    while front:
        here, back = front.pop()
        for other in causes[here]:
            there = other.point, back + other.back
            if there[1] <= after.back and there not in reached:
                reached.add(there)
                front.append(there)
    return (after.point, after.back) in reached
