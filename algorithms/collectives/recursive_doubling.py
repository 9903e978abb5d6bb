"""Recursive doubling: the prefix or suffix of an associative operation over n processors, in about log2 n stages.

Three ways, for three networks, and one without doubling:

- `CUBE`, the generalised cube: in stage s every processor hands what it has to the one 2^s further on. One product a
  stage.
- `HYPERCUBE`: processors exchange along one dimension a stage, and both ends combine, so that no datum is more than one
  hop away. Beside its own result a processor keeps that of the cube it has met so far. One product a stage, two hops.
- `PIPELINE`: as the cube, but a distance of 2^s costs 2^s hops.
- `LINE`: a pipeline on which each processor adds its own value to what its neighbour has. One hop and one product a
  processor, one after the other.

n need not be a power of two. Each way also knows how to share a value with all, and to collect values at processor 1
and spread them from there. Processors are numbered from 1. Values are any payload; `combine(cpu, a, b)` puts a, which
belongs to lower numbers, before b.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import networkx as nx

from meshsim.program import Cpu, Steps
from meshsim.topologies.generalised_cube import generalised_cube
from meshsim.topologies.hypercube import incomplete_hypercube
from meshsim.topologies.pipeline import pipeline

Combine = Callable[[Cpu, Any, Any], Any]


@dataclass(frozen=True)
class Doubling:
    """A network with its scan, all-gather, gather and scatter."""

    name: str
    topology: Callable[[int], nx.MultiGraph]
    scan: Callable[[Cpu, int, int, Any, Combine, bool], Steps[Any]]
    all_gather: Callable[[Cpu, int, int, Any], Steps[tuple[Any, ...]]]
    port: Callable[[int, int], str]
    parent: Callable[[int], int]
    """The next processor on the way to processor 1 in a gather."""

    def prefix(self, cpu: Cpu, i: int, n: int, value: Any, combine: Combine) -> Steps[Any]:
        """Combine the values of processors 1..i."""
        return (yield from self.scan(cpu, i, n, value, combine, False))

    def suffix(self, cpu: Cpu, i: int, n: int, value: Any, combine: Combine) -> Steps[Any]:
        """Combine the values of processors i..n."""
        return (yield from self.scan(cpu, i, n, value, combine, True))

    def gather(self, cpu: Cpu, i: int, n: int, value: Any) -> Steps[tuple[Any, ...]]:
        """Gather the values of all at processor 1, in order; the others end with part of them."""
        kept: tuple[Any, ...] = (value,)
        for child in self._children(i, n):
            kept = (*kept, *(yield cpu.recv(self.port(i, child))))
        if i > 1:
            yield cpu.send(self.port(i, self.parent(i)), kept)
        return kept

    def scatter(self, cpu: Cpu, i: int, n: int, values: tuple[Any, ...]) -> Steps[Any]:
        """Scatter: processor 1 has the values of all, and each processor gets its own."""
        kept = values if i == 1 else (yield cpu.recv(self.port(i, self.parent(i))))
        for child in reversed(self._children(i, n)):
            yield cpu.send(self.port(i, child), kept[child - i :])
            kept = kept[: child - i]
        return kept[0]

    def _children(self, i: int, n: int) -> list[int]:
        return [j for j in range(i + 1, n + 1) if self.parent(j) == i]


def cube_scan(cpu: Cpu, i: int, n: int, value: Any, combine: Combine, suffix: bool) -> Steps[Any]:
    """The generalised cube's: what lies behind comes from 2^s processors away."""
    distance = 1
    while distance < n:
        ahead, behind = (i - distance, i + distance) if suffix else (i + distance, i - distance)
        sends = [cpu.send(str(ahead), value)] if 1 <= ahead <= n else []
        receives = [cpu.recv(str(behind))] if 1 <= behind <= n else []
        got = yield cpu.par(*receives, *sends)
        if receives:
            value = combine(cpu, value, got[0]) if suffix else combine(cpu, got[0], value)
        distance *= 2
    return value


def cube_all_gather(cpu: Cpu, i: int, n: int, value: Any) -> Steps[tuple[Any, ...]]:
    """Shift by one, round the ring, until all have passed."""
    east, west = str(i % n + 1), str((i - 2) % n + 1)
    passed = [value]
    for _ in range(n - 1):
        got, _ = yield cpu.par(cpu.recv(west), cpu.send(east, passed[-1]))
        passed.append(got)
    return tuple(passed[(i - j) % n] for j in range(1, n + 1))


def exchange(cpu: Cpu, i: int, n: int, bit: int, mine: Any) -> Steps[Any]:
    """What the other half of this 2^(bit+1)-corner cube holds; None where there is no other half.

    Where n cuts the upper half short, corners of the lower half have no partner; they get it from a neighbour that
    has it, one more hop away.
    """
    corner, half = i - 1, 1 << bit
    place = corner % half
    present = min(n - (corner - corner % (2 * half) + half), half)
    if present <= 0:
        return None
    if corner & half or place < present:
        theirs, _ = yield cpu.par(cpu.recv(str(bit)), cpu.send(str(bit), mine))
    else:
        theirs = yield cpu.recv(str(place.bit_length() - 1))
    if not corner & half:
        for lower in range(place.bit_length(), bit):
            if place + (1 << lower) >= present:
                yield cpu.send(str(lower), theirs)
    return theirs


def hypercube_scan(cpu: Cpu, i: int, n: int, value: Any, combine: Combine, suffix: bool) -> Steps[Any]:
    """The hypercube's: of the two halves that meet, one extends its own results, the other combines the whole.

    The second then hands the whole to its partner: one product a stage at either end, two hops. In the first stage a
    processor's own result is the whole; in the last stage it is not needed.                   # Wong sec. 4.7.2
    """
    whole = value
    for bit in range((n - 1).bit_length()):
        theirs = yield from exchange(cpu, i, n, bit, whole)
        if theirs is None:
            continue
        upper, last = bool((i - 1) >> bit & 1), 2 << bit >= n
        paired = upper or i + (1 << bit) <= n
        meet = partial(_in_order, cpu, combine, theirs, upper)
        if upper != suffix:
            value = meet(value)
            if bit == 0:
                whole = value
            elif not last:
                whole = (yield cpu.recv(str(bit))) if paired else meet(whole)
        elif not last:
            whole = meet(whole)
            if bit > 0 and paired:
                yield cpu.send(str(bit), whole)
    return value


def _in_order(cpu: Cpu, combine: Combine, theirs: Any, upper: bool, mine: Any) -> Any:
    return combine(cpu, theirs, mine) if upper else combine(cpu, mine, theirs)


def hypercube_all_gather(cpu: Cpu, i: int, n: int, value: Any) -> Steps[tuple[Any, ...]]:
    """Exchange along each dimension what is known so far."""
    known: tuple[Any, ...] = (value,)
    for bit in range((n - 1).bit_length()):
        theirs = yield from exchange(cpu, i, n, bit, known)
        if theirs is not None:
            known = (*theirs, *known) if (i - 1) >> bit & 1 else (*known, *theirs)
    return known


def pipeline_scan(cpu: Cpu, i: int, n: int, value: Any, combine: Combine, suffix: bool) -> Steps[Any]:
    """The pipeline's: each value moves 2^s hops in stage s."""
    onward, back = ("west", "east") if suffix else ("east", "west")
    place = n + 1 - i if suffix else i
    distance = 1
    while distance < n:
        moving = value
        for hop in range(distance):
            sends = [cpu.send(onward, moving)] if place < n and place > hop else []
            receives = [cpu.recv(back)] if place > hop + 1 else []
            got = yield cpu.par(*receives, *sends)
            moving = got[0] if receives else None
        if place > distance:
            value = combine(cpu, value, moving) if suffix else combine(cpu, moving, value)
        distance *= 2
    return value


def line_scan(cpu: Cpu, i: int, n: int, value: Any, combine: Combine, suffix: bool) -> Steps[Any]:
    """The pipeline's without doubling: from neighbour to neighbour."""
    onward, back = ("west", "east") if suffix else ("east", "west")
    place = n + 1 - i if suffix else i
    if place > 1:
        got = yield cpu.recv(back)
        value = combine(cpu, value, got) if suffix else combine(cpu, got, value)
    if place < n:
        yield cpu.send(onward, value)
    return value


def pipeline_all_gather(cpu: Cpu, i: int, n: int, value: Any) -> Steps[tuple[Any, ...]]:
    """Values move in both directions at once."""
    known = {i: value}
    eastward = westward = value
    for hop in range(n - 1):
        sends = [cpu.send("east", eastward)] if hop < i < n else []
        sends += [cpu.send("west", westward)] if 1 < i <= n - hop else []
        receives = [cpu.recv("west")] if i > hop + 1 else []
        receives += [cpu.recv("east")] if i + hop < n else []
        got = (yield cpu.par(*receives, *sends))[: len(receives)]
        if i > hop + 1:
            known[i - hop - 1] = eastward = got[0]
        if i + hop < n:
            known[i + hop + 1] = westward = got[-1]
    return tuple(known[j] for j in range(1, n + 1))


def cube_port(_: int, other: int) -> str:
    """The generalised cube names a port for the processor at the other end."""
    return str(other)


def hypercube_port(i: int, other: int) -> str:
    """The hypercube names a port for the dimension it runs along."""
    return str(((i - 1) ^ (other - 1)).bit_length() - 1)


def pipeline_port(i: int, other: int) -> str:
    """The pipeline names a port for its direction."""
    return "east" if other > i else "west"


def nearest(i: int) -> int:
    """Along a pipeline, the next."""
    return i - 1


def by_halves(i: int) -> int:
    """Where 2^s further is one hop: the processor whose number, less one, lacks the lowest bit."""
    return i - ((i - 1) & -(i - 1))


CUBE = Doubling("generalised cube", generalised_cube, cube_scan, cube_all_gather, cube_port, by_halves)
HYPERCUBE = Doubling("hypercube", incomplete_hypercube, hypercube_scan, hypercube_all_gather, hypercube_port, by_halves)
PIPELINE = Doubling("pipeline", pipeline, pipeline_scan, pipeline_all_gather, pipeline_port, nearest)
LINE = Doubling("line", pipeline, line_scan, pipeline_all_gather, pipeline_port, nearest)
