"""What a discipline of links means, said once: the life of a message as data.

A message has seven points in its life. At `sent` its sender is ready to send it, and at `left` the sender goes on; at
`asked` its receiver is ready to receive it, and at `taken` the receiver goes on. At `ready` it could depart, were the
wire idle; it is on the wire from `depart` to `arrive`. Programs decide `sent` and `asked`. Every other point is the
latest of what it comes after, each plus a cost, and `LIVES` says what that is. Re-timing, replay, critical path, trace
and sensitivities follow from it. The channels of the engine (`channel.py`) do not: tests hold the two against each
other.

On a route of several links it is on one wire after the other, from `depart` on the first to `arrive` from the last;
`routed` puts what happens between into a life.

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
    """Ticks that a message costs: fields of `LinkCosts`, one paid once a message and one once a word, if they are told.

    They pass from the point `begins` on, or until the point `ends`. `way` tells whose time they are: between whom they
    carry the critical path.
    """

    per_message: str
    per_word: str
    way: tuple[str, str]
    begins: str = ""
    ends: str = ""

    def paid(self, words: W, messages: int = 1) -> Mapping[str, W | int]:
        """How often messages of so many words in all pay each field of `LinkCosts`."""
        times: dict[str, W | int] = {self.per_message: messages} if self.per_message else {}
        return {**times, self.per_word: words} if self.per_word else times


COSTS = {
    "wire": Cost("startup", "per_word", ("sender", "receiver"), begins="depart"),
    "setup": Cost("setup", "", ("sender", "sender"), begins="sent"),
    "receive": Cost("receive", "", ("receiver", "receiver"), ends="taken"),
}
ROUTE_COSTS = {
    "startup": Cost("startup", "", ("sender", "receiver")),
    "words": Cost("", "per_word", ("sender", "receiver")),
    "hop": Cost("hop", "", ("sender", "receiver")),
}
"""What a message pays on a route of several links. Start-up and words of one link are its wire."""
LINK_COSTS = tuple(dict.fromkeys(name for cost in (*COSTS.values(), *ROUTE_COSTS.values()) for name in cost.paid(0)))
"""The fields of `LinkCosts` that are paid."""


class OwnCost(NamedTuple):
    """Ticks that a link costs whatever the machine is."""

    per_message: int = 0
    per_word: int = 0


Price = str | OwnCost
"""One of `COSTS` or `ROUTE_COSTS`, or what a link has of its own."""


def told(price: Price) -> Cost | OwnCost:
    """What a price is made of."""
    return price if isinstance(price, OwnCost) else COSTS.get(price) or ROUTE_COSTS[price]


BUFFERS = -1
"""Stands for the number of a channel's buffers, in `After.back`."""


class After(NamedTuple):
    """What a point comes after: another point, of the message that is `back` before it in its channel, and a cost."""

    point: str
    cost: Price = ""
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
    def costs(self) -> frozenset[Price]:
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


# Routes


class Passage(NamedTuple):
    """How messages pass a link of a route.

    `cut`: the head goes on over this link before the rest has come over the one before. The others are costs that the
    link has of its own; None: those of the machine.
    """

    cut: bool = False
    startup: int | None = None
    per_word: int | None = None
    hop: int | None = None


def routed(life: Life, passages: Sequence[Passage]) -> Life:
    """A life whose messages pass several links, or one with costs of its own.

    Link i begins to carry a message at `began i`, has its head at `head i` and has all of it at `done i`; the first of
    these points is `depart`, the last `arrive`. Every link is done with one message before it begins the next.
    """
    if len(passages) == 1 and passages[0].startup is passages[0].per_word is None:
        return life
    points = dict[str, tuple[After, ...]]()
    for point, causes in life.points.items():
        if point == "depart":
            points |= _passed(passages)
        elif point != "arrive":
            points[point] = causes
    return replace(life, points=points)


def _passed(passages: Sequence[Passage]) -> Causes:
    """The points from `depart` to `arrive`."""
    points = dict[str, tuple[After, ...]]()
    head = done = "ready"
    for number, (cut, startup, per_word, hop) in enumerate(passages):
        came, ended = head, done
        began = f"began {number}" if number else "depart"
        done = f"done {number}" if number < len(passages) - 1 else "arrive"
        late: Price = "" if not number else "hop" if hop is None else OwnCost(hop)
        words: Price = "words" if per_word is None else OwnCost(0, per_word)
        points[began] = After(came if cut else ended, late), After(done, back=1)
        if number and cut:
            head = began
            points[done] = After(head, words), After(ended, late)
        else:
            head = f"head {number}"
            points[head] = (After(began, "startup" if startup is None else OwnCost(startup)),)
            points[done] = (After(head, words),)
    return points


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
    costs: tuple[Price, ...] = ()


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
        found = tuple(dict.fromkeys(term for after in each for term in _placed(after, terms)))
        if point in asked_back or (len(found) > 1 and uses[point] > 1):
            kept[point], found = found, (Term(point),)
        terms[point] = found
    return kept, {point: terms[point] for point in ("left", "taken")}


def _placed(after: After, terms: Terms) -> tuple[Term, ...]:
    """What a point comes after, in terms of what has a time."""
    cost = (after.cost,) if after.cost else ()
    if after.back:
        return (Term(after.point, after.back, cost),)
    return tuple(term._replace(costs=tuple(sorted(term.costs + cost, key=str))) for term in terms[after.point])


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
