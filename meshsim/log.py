"""The log of a traced run: what every processor did until when, and the life of every message.

There is one log for all processors and channels, written in the order in which things come to be known. It grows page
by page; a page that is full is set aside in as few bytes as its numbers need. Sorted by processor or by channel, it is
what a trace is made of.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.int64]]

Span = tuple[int, int, Any]
"""Start, end, and what filled the time: a kernel, a tuple of the ends that communicated, or a `Chore`."""

FIELDS = ("channel", "words", "sent", "ready", "left", "depart", "arrive", "asked", "taken")
"""What a log has of each message, in order; the channel by its number."""
PAGE = 1 << 13
"""So many spans are written before a page is set aside: their memory is used again, and fits a cache."""


class Sorted(NamedTuple):
    """Rows of a log, sorted by processor or by channel; those of number i begin at `firsts[i]`, in order of time."""

    rows: Ints
    firsts: Ints


class Log:
    """What a run writes while it is traced."""

    def __init__(self) -> None:
        self.ends: list[int] = []  # of each span,
        self.numbers: list[int] = []  # and what filled it: a number of `fillings`
        self.fillings: list[tuple[int, Any]] = []  # the processor, by its rank, and a kernel, operations or a `Chore`
        self.messages = bytearray()  # of `FIELDS`, 8 bytes each, message by message
        self.processors = self.channels = 0  # how many write into it
        self._span_pages: list[Ints] = []
        self._message_pages: list[Ints] = []

    def enter_processor(self) -> None:
        """One more processor writes into it."""
        self.processors += 1

    def enter_channel(self) -> int:
        """The number of one more channel."""
        self.channels += 1
        return self.channels - 1

    def number(self, rank: int, what: Any) -> int:
        """A number for what fills time of a processor."""
        self.fillings.append((rank, what))
        return len(self.fillings) - 1

    def turn_full_page(self) -> None:
        """Set aside what has been written, if it is a page."""
        if len(self.ends) >= PAGE:
            self.turn_page()

    def turn_page(self) -> None:
        """Set aside what has been written."""
        self._span_pages.append(_narrow(np.array([self.numbers, self.ends], dtype=np.int64).T))
        self._message_pages.append(
            _narrow(np.frombuffer(bytes(self.messages), dtype=np.int64).reshape(-1, len(FIELDS)))
        )
        for written in (self.ends, self.numbers, self.messages):
            written.clear()

    @cached_property
    def spans(self) -> Sorted:
        """All spans by processor, when the run has ended: what filled each, and its end."""
        self.turn_page()
        ranks = np.array([rank for rank, _ in self.fillings], dtype=np.int64)
        return _sorted(self._span_pages, self.processors, lambda page: ranks[page[:, 0]])

    @cached_property
    def whats(self) -> list[Any]:
        """What each number stands for, when the run has ended."""
        return [what for _, what in self.fillings]

    @cached_property
    def lives(self) -> Sorted:
        """All messages by channel, when the run has ended: their `FIELDS`."""
        self.turn_page()
        return _sorted(self._message_pages, self.channels, lambda page: page[:, 0])


class Spans(Sequence[Span]):
    """What a processor did, in order, without gaps from tick 0."""

    __slots__ = ("fillings", "rows")

    def __init__(self, log: Log, rank: int) -> None:
        rows, firsts = log.spans
        self.fillings = log.fillings
        self.rows = rows[firsts[rank] : firsts[rank + 1]]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Span: ...

    @overload
    def __getitem__(self, place: slice) -> list[Span]: ...

    def __getitem__(self, place: int | slice) -> Span | list[Span]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        number, end = self.rows[place].tolist()
        return int(self.rows[place - 1, 1]) if place else 0, end, self.fillings[number][1]

    def __iter__(self) -> Iterator[Span]:
        start = 0
        for number, end in self.rows.tolist():
            yield start, end, self.fillings[number][1]
            start = end


def _narrow(rows: Ints) -> Ints:
    """The same numbers in 32 bits each if those are enough, else in 64; a copy."""
    return np.array(rows, dtype=np.int32 if rows.max(initial=0) <= np.iinfo(np.int32).max else np.int64, order="C")


def _sorted(pages: list[Ints], count: int, key: Callable[[Ints], Ints]) -> Sorted:
    """The rows of all pages by their keys, those of a key in order; pages are given up as they are taken."""
    counts = np.zeros(count, dtype=np.int64)
    for page in pages:
        counts += np.bincount(key(page), minlength=count)
    firsts = firsts_of(counts)
    free = firsts[:-1].copy()  # where the next row of each key goes
    rows = np.empty((firsts[-1], pages[0].shape[1]), dtype=np.result_type(*pages))
    pages.reverse()
    while pages:
        page = pages.pop()
        keys = key(page)
        order = np.argsort(keys.astype(np.min_scalar_type(count)), kind="stable")  # small ones numpy sorts by counting
        found = np.bincount(keys, minlength=count)
        rows[np.repeat(free - firsts_of(found)[:-1], found) + np.arange(len(order))] = page[order]
        free += found
    return Sorted(rows, firsts)


def firsts_of(counts: Ints) -> Ints:
    """Where each of several lists begins when they stand one after the other, and where the last ends."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
