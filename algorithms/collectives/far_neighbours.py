"""Processors in a row that exchange with those 2^s places before and behind them, on a hypercube and on a pipeline.

On a hypercube the row follows a Gray code, so that neighbours in the row are neighbours in the cube, and places 2^s
apart differ in two bits. What goes between places p and p + d passes by the mirror image of p in its block of d places:
one bit from p, another from p + d. Since blocks fill from the front, that corner is there whenever p + d is, whatever
n. All values of a stage move at once in two rounds; in each a link carries at most one message each way. On a pipeline
they move d hops, both ways at once.

Places are numbered from 0. The Gray code is turned, bit by bit, so that n places are the first n corners of a cube.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from meshsim.algorithms.collectives.recursive_doubling import HYPERCUBE, PIPELINE, Combine, Doubling
from meshsim.program import Cpu, Steps

Pair = tuple[Any, Any]
"""What came from behind, and what came from ahead; None where nothing did."""


@dataclass(frozen=True)
class Row:
    """A network with a row of n processors on it.

    Attributes
    ----------
    way : Doubling
        The network, and how it gathers and scatters.
    node : callable
        The processor at a place, of n.
    shift : callable
        `shift(cpu, p, n, distance, ahead, behind)`: place p hands `ahead` to p + distance and `behind` to p - distance,
        and gets theirs. Where one of the two is None, for all places alike, nothing goes that way.
    """

    way: Doubling
    node: Callable[[int, int], int]
    shift: Callable[[Cpu, int, int, int, Any, Any], Steps[Pair]]

    def prefix(self, cpu: Cpu, p: int, n: int, value: Any, combine: Combine) -> Steps[Any]:
        """Combine the values of places 0..p: one product a stage."""
        distance = 1
        while distance < n:
            behind, _ = yield from self.shift(cpu, p, n, distance, value, None)
            if behind is not None:
                value = combine(cpu, behind, value)
            distance *= 2
        return value

    def gather(self, cpu: Cpu, node: int, n: int, value: Any) -> Steps[tuple[Any, ...]]:
        """Gather the values of all at processor 1, in the order of places; the others end with part of them."""
        kept = yield from self.way.gather(cpu, node, n, value)
        return tuple(kept[self.node(p, n) - 1] for p in range(n)) if node == 1 else kept

    def scatter(self, cpu: Cpu, node: int, n: int, values: tuple[Any, ...]) -> Steps[Any]:
        """Scatter: processor 1 has the values of all places, in order, and each processor gets its own."""
        if node == 1:
            at = {self.node(p, n): value for p, value in enumerate(values)}
            values = tuple(at[other] for other in range(1, n + 1))
        return (yield from self.way.scatter(cpu, node, n, values))


def _round(cpu: Cpu, sends: Sequence[tuple[bool, str, Any]], receives: Sequence[tuple[bool, str]]) -> Steps[list[Any]]:
    """Send and receive at once what is said to be; None in place of what is not received."""
    coming = [cpu.recv(port) for wanted, port in receives if wanted]
    going = [cpu.send(port, value) for wanted, port, value in sends if wanted]
    if not coming and not going:
        return [None for _ in receives]
    got = iter((yield cpu.par(*coming, *going)))
    return [next(got) if wanted else None for wanted, _ in receives]


# Hypercubes


def turned(n: int) -> int:
    """Bits to flip in a Gray code of n places, so that its corners are the first n."""
    if n & (n - 1) == 0:
        return 0
    half = 1 << (n.bit_length() - 1)
    return half >> 1 ^ turned(n - half)


def corner(p: int, n: int) -> int:
    """The corner of the cube at a place of the row."""
    return p ^ p >> 1 ^ turned(n)


def gray_node(p: int, n: int) -> int:
    """The processor at a place: those of a hypercube are numbered from 1."""
    return corner(p, n) + 1


def _port(p: int, q: int, n: int) -> str:
    """The dimension between two places that are neighbours in the cube; nothing where one is not there."""
    return str((corner(p, n) ^ corner(q, n)).bit_length() - 1) if 0 <= p < n and 0 <= q < n else ""


def gray_shift(cpu: Cpu, p: int, n: int, distance: int, ahead: Any, behind: Any) -> Steps[Pair]:
    """Exchange over a hypercube: one hop to the next place, two to any other. Ports are named for dimensions."""
    up, down = ahead is not None, behind is not None
    before, after = p >= distance, p + distance < n
    if distance == 1:
        west, east = _port(p, p - 1, n), _port(p, p + 1, n)
        got = yield from _round(
            cpu,
            [(up and after, east, ahead), (down and before, west, behind)],
            [(up and before, west), (down and after, east)],
        )
        return got[0], got[1]
    image = p ^ distance - 1
    beyond = image + distance  # a neighbour, between which and the image this place stands
    between = beyond < n
    mirror, east, west = _port(p, image, n), _port(p, beyond, n), _port(p, image - distance, n)
    first = yield from _round(
        cpu,
        [(up and after, mirror, ahead), (down and before, west, behind)],
        [(up and between, mirror), (down and between, east)],
    )
    second = yield from _round(
        cpu,
        [(up and between, east, first[0]), (down and between, mirror, first[1])],
        [(up and before, west), (down and after, mirror)],
    )
    return second[0], second[1]


# Pipelines


def pipeline_node(p: int, _n: int) -> int:
    """The processor at a place."""
    return p + 1


def pipeline_shift(cpu: Cpu, p: int, n: int, distance: int, ahead: Any, behind: Any) -> Steps[Pair]:
    """Exchange over a pipeline: as many hops as places. east <-> west."""
    up, down = ahead is not None, behind is not None
    for hop in range(distance):
        ahead, behind = yield from _round(
            cpu,
            [
                (up and 0 <= p - hop < n - distance, "east", ahead),
                (down and distance <= p + hop < n, "west", behind),
            ],
            [(up and 0 <= p - hop - 1 < n - distance, "west"), (down and distance <= p + hop + 1 < n, "east")],
        )
    return ahead, behind


GRAY_CUBE = Row(HYPERCUBE, gray_node, gray_shift)
ALONG_PIPELINE = Row(PIPELINE, pipeline_node, pipeline_shift)
