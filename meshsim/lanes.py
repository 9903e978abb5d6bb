"""A schedule walked by a compiled loop, for blocks of machines side by side: the extra `fast` (numba).

A block's times stand in few slots, which are used again as soon as nobody needs what they hold, so that they stay in
the processor's cache. The numbers are those of `Schedule.evaluate`.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from importlib.util import find_spec
from multiprocessing import parent_process
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

LANES = 64
"""Machines of a block: their times, in a few thousand slots, and their costs fit a second-level cache."""
WORTH = 1_000_000_000
"""So many sums of times and costs take numpy about a second, and to load numba takes half of that."""

Ints = npt.NDArray[np.int64]


class Walk(NamedTuple):
    """Times in an order in which they can be computed, one after the other.

    Attributes
    ----------
    first : array
        Where the dependences of each time begin, and at last where they end.
    source, cost : arrays
        Of each dependence, the slot that it reads and the class of its cost.
    slot, row : arrays
        Of each time, the slot that it is put in, and the row of the result, or -1. Of those of one row the last counts.
    slots, rows : int
        How many there are.
    """

    first: Ints
    source: npt.NDArray[np.uint32]
    cost: npt.NDArray[np.uint32]
    slot: npt.NDArray[np.uint32]
    row: Ints
    slots: int
    rows: int


@cache
def available() -> bool:
    """Whether numba is installed."""
    return find_spec("numba") is not None


def pays(sums: int) -> bool:
    """Whether to compile, with so many more sums to do: there is numba, and this process has enough of them."""
    global _seen  # one process loads it once, whoever asks
    _seen += sums
    return _seen >= WORTH and available()


_seen = 0


def walk_of(source: Ints, target: Ints, cost: Ints, order: Ints, rows: Ints) -> Walk:
    """Put times, which are counted from 0 on, into slots; `order` has the first that depends on nothing at its front.

    Dependences stand by target; `rows` has the row that a time is asked for in, or -1.
    """
    count = len(order)
    place = np.empty(count, dtype=np.int64)
    place[order] = np.arange(count)
    by_place = np.argsort(place[target], kind="stable")
    source, target, cost = place[source[by_place]], place[target[by_place]], cost[by_place]
    first = np.searchsorted(target, np.arange(count + 1))
    row = rows[order]
    last = np.zeros(count, dtype=np.int64)
    np.maximum.at(last, source, target)
    slot, slots = _loops()[0](first, source, last)
    small = np.uint32  # which cannot be negative: the loop need not ask
    asked = int(rows.max(initial=-1)) + 1
    reads, kinds, puts = (each.astype(small) for each in (slot[source], cost, slot))
    return Walk(first, reads, kinds, puts, row, int(slots), asked)


def evaluate(walk: Walk, costs: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The rows that were asked for, of each the largest; costs have a row a class and a column a machine.

    Blocks are shared out among threads; a worker process has one, since others have the other processors.
    """
    found = np.zeros((walk.rows, costs.shape[1]), dtype=costs.dtype)
    blocks = -(-costs.shape[1] // LANES)
    threads = 1 if parent_process() else min(os.cpu_count() or 1, blocks)
    walked = partial(_loops()[1], *walk[:6], costs, found)
    if threads < 2:
        walked(0, blocks)
        return found
    shares = [blocks * share // threads for share in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(walked, shares[:-1], shares[1:]))
    return found


@cache
def _loops() -> tuple[Any, Any]:
    """The compiled loops; what was compiled is kept between processes."""
    from numba import njit

    def compiled(function: Any) -> Any:
        """A compiled function that holds no lock; not kept where neither this folder nor the user's can be written."""
        try:
            return njit(cache=True, nogil=True)(function)
        except RuntimeError:
            return njit(nogil=True)(function)

    @compiled
    def into_slots(first: Ints, source: Ints, last: Ints) -> Any:
        """A slot for each time; one whose time nobody needs any more is given to a later time. Time 0 keeps its."""
        count = len(first) - 1
        slot = np.zeros(count, dtype=np.int64)
        free = np.empty(count, dtype=np.int64)
        frees, slots = 0, 1
        for time in range(1, count):
            if frees:
                frees -= 1
                slot[time] = free[frees]
            else:
                slot[time] = slots
                slots += 1
            for dependence in range(first[time], first[time + 1]):
                before = source[dependence]
                if before and last[before] == time:
                    last[before] = -1  # once
                    free[frees] = slot[before]
                    frees += 1
            if last[time] == 0:  # nobody needs it
                free[frees] = slot[time]
                frees += 1
        return slot, slots

    @compiled
    def walked(
        first: Ints,
        source: Ints,
        cost: Ints,
        slot: Ints,
        row: Ints,
        slots: int,
        costs: Any,
        found: Any,
        begin_block: int,
        end_block: int,
    ) -> None:
        """All times for some blocks of machines."""
        machines = costs.shape[1]
        for block in range(begin_block, end_block):
            low = block * LANES
            size = min(LANES, machines - low)
            paid = np.zeros((costs.shape[0], LANES), dtype=costs.dtype)
            paid[:, :size] = costs[:, low : low + size]
            times = np.zeros((slots, LANES), dtype=costs.dtype)
            now = np.zeros(LANES, dtype=costs.dtype)
            for time in range(1, len(first) - 1):
                begin, end = first[time], first[time + 1]
                if begin == end:
                    now[:] = 0
                else:
                    then, more = source[begin], cost[begin]
                    for lane in range(LANES):
                        now[lane] = times[then, lane] + paid[more, lane]
                    for dependence in range(begin + 1, end):
                        then, more = source[dependence], cost[dependence]
                        for lane in range(LANES):
                            now[lane] = max(now[lane], times[then, lane] + paid[more, lane])
                put = slot[time]
                for lane in range(LANES):
                    times[put, lane] = now[lane]
                if row[time] >= 0:
                    for lane in range(size):
                        found[row[time], low + lane] = max(found[row[time], low + lane], now[lane])

    return into_slots, walked
