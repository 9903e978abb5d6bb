"""A schedule walked by a compiled loop, for blocks of machines side by side: the extra `fast` (numba).

A block's times stand in few slots, which are used again as soon as nobody needs what they hold, so that they stay in
the processor's cache. The numbers are those of `Levels.evaluate`.
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
    depth : int
        How many dependences the longest chain has.
    """

    first: Ints
    source: npt.NDArray[np.uint32]
    cost: npt.NDArray[np.uint32]
    slot: npt.NDArray[np.uint32]
    row: Ints
    slots: int
    rows: int
    depth: int


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


def in_order(source: Ints, target: Ints, count: int) -> tuple[Ints, Ints]:
    """Times in order of their levels, and the level of each; -1, and not in order, are those that wait for one another.

    In this order few times are needed at once: a level's are used by the next levels.
    """
    order, level = _loops().in_order(*_loops().grouped(source, count), target)
    return order, level


def walk_of(source: Ints, target: Ints, cost: Ints, order: Ints, level: Ints, rows: Ints) -> Walk:
    """Put times, which are counted from 0 on, into slots; `order` has the first that depends on nothing at its front.

    `rows` has the row that a time is asked for in, or -1.
    """
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    first, places = _loops().grouped(rank[target], len(order))
    reads, kinds, puts, slots = _loops().into_slots(first, places, rank[source], cost)
    asked = int(rows.max(initial=-1)) + 1
    return Walk(first, reads, kinds, puts, rows[order], int(slots), asked, int(level.max(initial=0)))


def evaluate(walk: Walk, costs: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The rows that were asked for, of each the largest; costs have a row a class and a column a machine.

    Blocks are shared out among threads; a worker process has one, since others have the other processors.
    """
    found = np.zeros((walk.rows, costs.shape[1]), dtype=costs.dtype)
    blocks = -(-costs.shape[1] // LANES)
    threads = 1 if parent_process() else min(os.cpu_count() or 1, blocks)
    walked = partial(_loops().walked, *walk[:6], costs, found)
    if threads < 2:
        walked(0, blocks)
        return found
    shares = [blocks * share // threads for share in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(walked, shares[:-1], shares[1:]))
    return found


class Loops(NamedTuple):
    """The compiled loops: none calls another, since numba would compile it anew in every process."""

    grouped: Any
    in_order: Any
    into_slots: Any
    walked: Any


@cache
def _loops() -> Loops:
    """The compiled loops; what was compiled is kept between processes."""
    from numba import njit

    def compiled(function: Any) -> Any:
        """A compiled function that holds no lock; not kept where neither this folder nor the user's can be written."""
        try:
            return njit(cache=True, nogil=True)(function)
        except RuntimeError:
            return njit(nogil=True)(function)

    @compiled
    def grouped(keys: Ints, count: int) -> Any:
        """Places by their keys, which are less than `count`, and where those of each key begin."""
        first = np.zeros(count + 1, dtype=np.int64)
        for key in keys:
            first[key + 1] += 1
        for key in range(count):
            first[key + 1] += first[key]
        at = first[:-1].copy()
        places = np.empty(len(keys), dtype=np.int64)
        for place in range(len(keys)):
            places[at[keys[place]]] = place
            at[keys[place]] += 1
        return first, places

    @compiled
    def in_order(first: Ints, places: Ints, target: Ints) -> Any:
        """Times in order of their levels, those that wait for one another left out; and the level of each, or -1.

        Dependences are grouped by the time that they depend on.
        """
        count = len(first) - 1
        waiting = np.zeros(count, dtype=np.int64)
        for time in target:
            waiting[time] += 1
        order = np.empty(count, dtype=np.int64)
        level = np.full(count, -1)
        known = 0
        for time in range(count):
            if waiting[time] == 0:
                order[known], level[time] = time, 0
                known += 1
        done = 0
        while done < known:
            before = order[done]
            done += 1
            for place in places[first[before] : first[before + 1]]:
                time = target[place]
                waiting[time] -= 1
                if waiting[time] == 0:
                    order[known], level[time] = time, level[before] + 1
                    known += 1
        return order[:known], level

    @compiled
    def into_slots(first: Ints, places: Ints, source: Ints, cost: Ints) -> Any:
        """Dependences in order; a slot for each time, given to a later one when nobody needs it. Time 0 keeps its.

        Times are counted in order, and dependences grouped by the time that depends.
        """
        count = len(first) - 1
        before = source[places]
        last = np.zeros(count, dtype=np.int64)
        for time in range(count):
            for place in range(first[time], first[time + 1]):
                last[before[place]] = time
        slot = np.zeros(count, dtype=np.uint32)  # none is negative: the loop need not ask
        free = np.empty(count, dtype=np.uint32)
        frees, slots = 0, 1
        for time in range(1, count):
            if frees:
                frees -= 1
                slot[time] = free[frees]
            else:
                slot[time] = slots
                slots += 1
            for place in range(first[time], first[time + 1]):
                source_time = before[place]
                if source_time and last[source_time] == time:
                    last[source_time] = -1  # once
                    free[frees] = slot[source_time]
                    frees += 1
            if last[time] == 0:  # nobody needs it
                free[frees] = slot[time]
                frees += 1
        return slot[before], cost[places].astype(np.uint32), slot, slots

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
        """All times for some blocks of machines: dependences two at a time, since most times have two."""
        machines = costs.shape[1]
        paid = np.zeros((costs.shape[0], LANES), dtype=costs.dtype)
        times = np.zeros((slots, LANES), dtype=costs.dtype)
        for block in range(begin_block, end_block):
            low = block * LANES
            size = min(LANES, machines - low)
            paid[:, :size] = costs[:, low : low + size]
            for time in range(1, len(first) - 1):
                begin, end, put = first[time], first[time + 1], slot[time]
                if (end - begin) % 2:
                    a, a_cost = source[begin], cost[begin]
                    for lane in range(LANES):
                        times[put, lane] = times[a, lane] + paid[a_cost, lane]
                    begin += 1
                elif begin == end:
                    times[put] = 0
                else:
                    a, a_cost, b, b_cost = source[begin], cost[begin], source[begin + 1], cost[begin + 1]
                    for lane in range(LANES):
                        times[put, lane] = max(times[a, lane] + paid[a_cost, lane], times[b, lane] + paid[b_cost, lane])
                    begin += 2
                for pair in range(begin, end, 2):
                    a, a_cost, b, b_cost = source[pair], cost[pair], source[pair + 1], cost[pair + 1]
                    for lane in range(LANES):
                        later = max(times[a, lane] + paid[a_cost, lane], times[b, lane] + paid[b_cost, lane])
                        times[put, lane] = max(times[put, lane], later)
                if row[time] >= 0:
                    for lane in range(size):
                        found[row[time], low + lane] = max(found[row[time], low + lane], times[put, lane])

    return Loops(grouped, in_order, into_slots, walked)
