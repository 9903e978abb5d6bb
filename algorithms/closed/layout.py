"""A closed mechanism as processors see it: chains with ends, and which ends each cut joint holds together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from algorithms.closed.dense import Row, difference, times
from algorithms.closed.mechanism import ClosedMechanism
from algorithms.closed.plane import Placed, PlaneChain, PlaneEnd, chain_in_plane, ground_end
from meshsim.processor import Processor


@dataclass(frozen=True)
class Side:
    """One side of a cut joint: the chain (-1 is the ground) and the end."""

    chain: int
    end: PlaneEnd


@dataclass
class Ended:
    """An end as it has been computed so far: where it is, how it moves, how it would accelerate, and its Jacobian."""

    arm: tuple[float, float]
    value: tuple[float, ...]
    rate: tuple[float, ...] = ()
    bias: tuple[float, ...] = ()
    rows: Sequence[Row] = ()


@dataclass(frozen=True, eq=False)
class Layout:
    """Chains and cut joints."""

    closed: ClosedMechanism
    chains: tuple[PlaneChain, ...]
    cuts: tuple[tuple[Side, Side], ...]

    @property
    def n(self) -> int:
        """Joints of all chains."""
        return self.closed.n

    @property
    def hub(self) -> int | None:
        """The chain that lives in the centre of a star, if one does."""
        return self.closed.hub

    @cached_property
    def rows(self) -> tuple[tuple[int, int], ...]:
        """The first row of each cut joint, and the one after its last."""
        spans, at = [], 0
        for first, _ in self.cuts:
            size = 2 if first.end.angle is None else 3
            spans.append((at, at + size))
            at += size
        return tuple(spans)

    @property
    def m(self) -> int:
        """Rows of all cut joints."""
        return self.rows[-1][1]

    def joined(self, chain: int) -> tuple[int, ...]:
        """The other chains to which a chain is joined."""
        met = {side.chain for sides in self.cuts if chain in (sides[0].chain, sides[1].chain) for side in sides}
        return tuple(sorted(met - {chain, -1}))

    def touching(self, chain: int) -> tuple[int, ...]:
        """The cut joints at which a chain ends."""
        return tuple(k for k, sides in enumerate(self.cuts) if chain in (sides[0].chain, sides[1].chain))


def layout_of(closed: ClosedMechanism) -> Layout:
    """Chains in a plane, and their cut joints."""
    chains = tuple(chain_in_plane(closed, k) for k in range(len(closed.subsystems)))
    taken = [0] * len(chains)
    cuts = []
    for cut in closed.cuts:
        sides = []
        for anchor in (cut.first, cut.second):
            k = closed.subsystem_of(anchor.body)
            if k < 0:
                sides.append(Side(k, ground_end(closed, cut, anchor)))
            else:
                sides.append(Side(k, chains[k].ends[taken[k]]))
                taken[k] += 1
        cuts.append((sides[0], sides[1]))
    return Layout(closed, chains, tuple(cuts))


# Counted parts that methods share. `ends` are by cut joint and side (0 or 1).

Ends = Mapping[tuple[int, int], Ended]


def reach(cpu: Processor, layout: Layout, chain: int, at: Placed) -> dict[tuple[int, int], Ended]:
    """The ends of a chain."""
    found = {}
    for k, sides in enumerate(layout.cuts):
        for s, side in enumerate(sides):
            if side.chain == chain:
                found[k, s] = Ended(*layout.chains[chain].reach(cpu, at, side.end))
    return found


def grounded(layout: Layout) -> dict[tuple[int, int], Ended]:
    """The ends on the ground: constants."""
    found = {}
    for k, sides in enumerate(layout.cuts):
        for s, side in enumerate(sides):
            if side.chain < 0:
                value = (*side.end.arm, *(() if side.end.angle is None else (side.end.angle,)))
                still = (0.0,) * len(value)
                found[k, s] = Ended(side.end.arm, value, still, still)
    return found


def add_rates(cpu: Processor, layout: Layout, chain: int, at: Placed, ends: Ends) -> None:
    """How fast the ends of a chain move."""
    for (k, s), ended in ends.items():
        ended.rate = layout.chains[chain].rate(cpu, at, layout.cuts[k][s].end, ended.arm)


def add_biases(cpu: Processor, layout: Layout, chain: int, at: Placed, ends: Ends) -> None:
    """How the ends of a chain would accelerate if no joint did."""
    for (k, s), ended in ends.items():
        ended.bias = layout.chains[chain].bias(cpu, at, layout.cuts[k][s].end, ended.arm)


def add_jacobians(cpu: Processor, layout: Layout, chain: int, at: Placed, ends: Ends) -> None:
    """How the ends of a chain move with its joints."""
    for (k, s), ended in ends.items():
        ended.rows = layout.chains[chain].jacobian(cpu, at, layout.cuts[k][s].end, ended.value)


def gaps(cpu: Processor, values: Mapping[tuple[int, int], Row], cuts: Sequence[int]) -> list[list[float]]:
    """What the second sides of some cut joints have beyond the first: of positions, rates or accelerations."""
    return [difference(cpu, values[k, 1], values[k, 0]) for k in cuts]


def pull(cpu: Processor, ends: Ends, forces: Mapping[int, Row], n: int) -> list[list[float]]:
    """What a chain's joints feel of each cut joint's forces: one list for each end; c grows with the second side."""
    felt = []
    for (k, s), ended in ends.items():
        force = forces[k] if s else [-each for each in forces[k]]
        felt.append(times(cpu, [[row[j] for row in ended.rows] for j in range(n)], force))
    return felt


def jacobian_rows(cpu: Processor, layout: Layout, ends: Ends, n: int) -> list[list[float]]:
    """A chain's columns of A, all rows of all cut joints; where the chain has no end they are zero."""
    A: list[list[float]] = [[0.0] * n for _ in range(layout.m)]
    for (k, s), ended in ends.items():
        first, last = layout.rows[k]
        for i in range(first, last):
            row = ended.rows[i - first]
            if s and (k, 0) in ends:  # both sides of the joint are ends of this chain
                A[i] = difference(cpu, row, ends[k, 0].rows[i - first])
            else:
                A[i] = list(row) if s else [-each for each in row]
    return A
