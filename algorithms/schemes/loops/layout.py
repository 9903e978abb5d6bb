"""A closed mechanism as processors see it: chains with ends, and which ends each cut joint holds together."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Protocol

from meshsim.algorithms.kernels.dense import Row, opposite, sum_of, times
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.loops import plane_chain as plane
from meshsim.algorithms.schemes.loops import space_chain as space
from meshsim.algorithms.schemes.loops.joint_rows import Closure, closure_in_plane, closure_in_space
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu


class End(Protocol):
    """An end of a chain, or a point on the ground."""

    def at_rest(self) -> tuple[tuple[float, ...], ...]:
        """Value, rate and bias of an end on the ground."""


class Chain(Protocol):
    """An open chain, counted: what a chain in a plane and one in space have in common.

    `at` is what the chain has computed so far: made by `place`, filled by `move` and then by `drift`. What an end's
    value, rate, bias and Jacobian are is told in `closure.py`.
    """

    @property
    def n(self) -> int:
        """How many joints it has."""

    @property
    def bodies(self) -> tuple[Any, ...]:
        """Its bodies."""

    @property
    def ends(self) -> tuple[Any, ...]:
        """Where loops were cut."""

    def place(self, cpu: Cpu, q: Sequence[float]) -> Any:
        """Where the bodies are."""

    def move(self, cpu: Cpu, at: Any, qd: Sequence[float]) -> None:
        """How fast they move."""

    def drift(self, cpu: Cpu, at: Any, qd: Sequence[float]) -> None:
        """How they would accelerate if no joint did."""

    def inertia(self, cpu: Cpu, at: Any) -> list[list[float]]:
        """The lower triangle of M."""

    def force(self, cpu: Cpu, at: Any) -> list[float]:
        """The bias force h."""

    def reach(self, cpu: Cpu, at: Any, end: Any) -> tuple[Any, tuple[float, ...]]:
        """The arm to an end, and its value."""

    def rate(self, cpu: Cpu, at: Any, end: Any, arm: Any) -> tuple[float, ...]:
        """How fast an end moves."""

    def bias(self, cpu: Cpu, at: Any, end: Any, arm: Any) -> tuple[float, ...]:
        """How an end would accelerate if no joint did."""

    def jacobian(self, cpu: Cpu, at: Any, end: Any, value: Sequence[float]) -> list[tuple[float, ...]]:
        """How an end moves with each joint: its rows."""


@dataclass(frozen=True)
class Side:
    """One side of a cut joint: the chain (-1 is the ground) and the end."""

    chain: int
    end: End


@dataclass
class Ended:
    """An end as it has been computed so far: where it is, how it moves, how it would accelerate, and its Jacobian.

    Of an end of which others told, the arm is not known.
    """

    value: tuple[float, ...]
    arm: Any = None
    rate: tuple[float, ...] = ()
    bias: tuple[float, ...] = ()
    rows: Sequence[Row] = ()


@dataclass(frozen=True, eq=False)
class Layout:
    """Chains and cut joints."""

    mechanism: Mechanism
    chains: tuple[Chain, ...]
    cuts: tuple[tuple[Side, Side], ...]

    @property
    def n(self) -> int:
        """Joints of all chains."""
        return self.mechanism.n

    @property
    def hub(self) -> int | None:
        """The chain that lives in the centre of a star, if one does."""
        return self.mechanism.hub

    def in_chains(self, values: Array) -> Array:
        """Positions of the mechanism's joints as those of the chains': the same, unless chains were made otherwise."""
        return values

    def rates_in_chains(self, values: Array) -> Array:
        """Rates or accelerations likewise; 0 for joints that only the chains have."""
        return values

    def actuated(self, chain: int) -> tuple[int, ...]:
        """The actuated joints of a chain, from 0 within it."""
        return tuple(i for i, joint in enumerate(self.mechanism.subsystems[chain]) if joint in self.mechanism.actuated)

    @cached_property
    def closures(self) -> tuple[Closure, ...]:
        """How each cut joint holds its ends together."""
        make = closure_in_space if self.mechanism.plane is None else closure_in_plane
        return tuple(make(cut) for cut in self.mechanism.cuts)

    @cached_property
    def rows(self) -> tuple[tuple[int, int], ...]:
        """The first row of each cut joint, and the one after its last."""
        spans, at = [], 0
        for closure in self.closures:
            spans.append((at, at + closure.size))
            at += closure.size
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

    def ends_of(self, chain: int) -> list[tuple[int, int]]:
        """The ends of a chain, by cut joint and side (0 or 1)."""
        return [(k, s) for k, sides in enumerate(self.cuts) for s, side in enumerate(sides) if side.chain == chain]


def layout_of(mechanism: Mechanism) -> Layout:
    """Chains, in the plane if the mechanism keeps to one, and their cut joints."""
    flat = mechanism.plane is not None
    make = plane.chain_in_plane if flat else space.chain_in_space
    ground = plane.ground_end if flat else space.ground_end
    chains: tuple[Chain, ...] = tuple(make(mechanism, k) for k in range(len(mechanism.subsystems)))
    left = [iter(chain.ends) for chain in chains]
    cuts = []
    for cut in mechanism.cuts:
        sides = []
        for anchor in (cut.first, cut.second):
            k = mechanism.subsystem_of(anchor.body)
            sides.append(Side(k, ground(mechanism, cut, anchor) if k < 0 else next(left[k])))
        cuts.append((sides[0], sides[1]))
    return Layout(mechanism, chains, tuple(cuts))


# Counted parts that methods share. `ends` are by cut joint and side (0 or 1).

Key = tuple[int, int]
Ends = Mapping[Key, Ended]
Across = Mapping[int, Sequence[Vector]]
"""By cut joint: the directions about which a relative rotation opens it."""


def apart(at: Any) -> Any:
    """A copy of what a chain has computed so far (its `at`): what is computed on goes into the copy alone."""
    return replace(at, **{each.name: copy(getattr(at, each.name)) for each in fields(at)})


def reach(cpu: Cpu, layout: Layout, chain: int, at: Any) -> dict[Key, Ended]:
    """The ends of a chain."""
    found = {}
    for k, s in layout.ends_of(chain):
        arm, value = layout.chains[chain].reach(cpu, at, layout.cuts[k][s].end)
        found[k, s] = Ended(value, arm)
    return found


def grounded(layout: Layout) -> dict[Key, Ended]:
    """The ends on the ground: constants."""
    found = {}
    for k, s in layout.ends_of(-1):
        value, rate, bias = layout.cuts[k][s].end.at_rest()
        found[k, s] = Ended(value, None, rate, bias)
    return found


def add_rates(cpu: Cpu, layout: Layout, chain: int, at: Any, ends: Ends) -> None:
    """How fast the ends of a chain move."""
    for (k, s), ended in ends.items():
        ended.rate = layout.chains[chain].rate(cpu, at, layout.cuts[k][s].end, ended.arm)


def add_biases(cpu: Cpu, layout: Layout, chain: int, at: Any, ends: Ends) -> None:
    """How the ends of a chain would accelerate if no joint did."""
    for (k, s), ended in ends.items():
        ended.bias = layout.chains[chain].bias(cpu, at, layout.cuts[k][s].end, ended.arm)


def add_jacobians(cpu: Cpu, layout: Layout, chain: int, at: Any, ends: Ends) -> None:
    """How the ends of a chain move with its joints."""
    for (k, s), ended in ends.items():
        ended.rows = layout.chains[chain].jacobian(cpu, at, layout.cuts[k][s].end, ended.value)


def gaps(cpu: Cpu, layout: Layout, ends: Ends, cuts: Sequence[int]) -> list[list[float]]:
    """c of some cut joints."""
    return [layout.closures[k].gap(cpu, ends[k, 0].value, ends[k, 1].value) for k in cuts]


def directions(cpu: Cpu, layout: Layout, ends: Ends, cuts: Sequence[int]) -> dict[int, list[Vector]]:
    """About which directions turning opens each of some cut joints; nothing in a plane."""
    return {k: layout.closures[k].across(cpu, ends[k, 0].value, ends[k, 1].value) for k in cuts}


def gap_rates(cpu: Cpu, layout: Layout, ends: Ends, across: Across, cuts: Sequence[int]) -> list[list[float]]:
    """c' of some cut joints."""
    return [layout.closures[k].rate(cpu, across[k], ends[k, 0].rate, ends[k, 1].rate) for k in cuts]


def gap_biases(cpu: Cpu, layout: Layout, ends: Ends, across: Across) -> list[float]:
    """A' q' of all cut joints."""
    found: list[float] = []
    for k, closure in enumerate(layout.closures):
        one, other = ends[k, 0], ends[k, 1]
        found.extend(closure.bias(cpu, across[k], (one.value, other.value), (one.bias, other.bias)))
    return found


def pull(cpu: Cpu, ends: Ends, forces: Mapping[int, Row], n: int) -> list[list[float]]:
    """What a chain's joints feel of each cut joint's forces: one list for each end; c grows with the second side."""
    felt = []
    for (k, s), ended in ends.items():
        force = forces[k] if s else [opposite(each) for each in forces[k]]
        felt.append(times(cpu, [[row[j] for row in ended.rows] for j in range(n)], force))
    return felt


def jacobian_rows(cpu: Cpu, layout: Layout, ends: Ends, across: Across, chain: int) -> list[list[float]]:
    """A chain's columns of A, all rows of all cut joints; where the chain has no end they are zero."""
    A: list[list[float]] = [[0.0] * layout.chains[chain].n for _ in range(layout.m)]
    own = layout.ends_of(chain)
    for k, s in own:
        first, last = layout.rows[k]
        rows = layout.closures[k].rows(cpu, across[k], ends[k, s].rows)
        signed = [list(row) if s else [opposite(each) for each in row] for row in rows]
        if s and (k, 0) in own:  # both sides of the joint are ends of this chain
            signed = [sum_of(cpu, row, before) for row, before in zip(signed, A[first:last], strict=True)]
        A[first:last] = signed
    return A
