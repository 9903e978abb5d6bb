"""Loops in a plane that are closed by triangles: the positions of dependent joints in closed form.

A cut joint holds two bodies whose joints are still unknown, a dyad. Either the two turn, and the arms by which they
reach the joint are sides of a triangle whose third side is known; or one slides, and Pythagoras finds how far. Of the
two ways in which each can be assembled, that of the position in which a motion begins is kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain as joined
from itertools import combinations, islice

from meshsim.algorithms.kernels.core import add, square_root, subtract
from meshsim.algorithms.kernels.dense import opposite
from meshsim.algorithms.kernels.plane import (
    Pair,
    add_pairs,
    axpy_pair,
    cross_pairs,
    dot_pairs,
    less_square,
    side,
    subtract_pairs,
    triangle,
    turn_between,
    turn_pair,
)
from meshsim.algorithms.schemes.loops.layout import Ended, Key, Layout
from meshsim.algorithms.schemes.loops.plane_chain import STILL, UNTURNED, Placed, PlaneChain
from meshsim.counted import Uncounted
from meshsim.errors import MeshSimError
from meshsim.program import Cpu

Link = tuple[int, int]
"""A body, and its joint: the chain, and which of its bodies."""
MOST = 20_000
"""How many choices of independent joints are looked at."""


@dataclass(frozen=True)
class Dyad:
    """Two bodies that a cut joint places.

    Attributes
    ----------
    cut, side : int
        The joint, and which of its sides the first body leads to.
    first, second : Link
        The bodies. If one slides, it is the first; if one carries the other, that is the first.
    together : bool
        Whether the first carries the second; else they are on different sides.
    left : bool
        Which way it is assembled.
    """

    cut: int
    side: int
    first: Link
    second: Link
    together: bool
    left: bool = True


Recipe = tuple[Link | Dyad, ...]
"""How bodies are placed, one after another: by an independent joint, or two by a dyad."""


# Which joints are independent, and in which order the others follow


def recipe_of(layout: Layout, first: Sequence[Sequence[Link]]) -> tuple[tuple[Link, ...], Recipe] | None:
    """Independent joints from which all others follow, and how; those of `first` are tried first."""
    every = [(k, i) for k, chain in enumerate(layout.chains) for i in range(chain.n)]
    for chosen in joined(map(tuple, first), islice(combinations(every, layout.n - layout.m), MOST)):
        found = _recipe(layout, chosen) if len(chosen) == layout.n - layout.m else None
        if found is not None:
            return chosen, found
    return None


def _recipe(layout: Layout, independent: tuple[Link, ...]) -> Recipe | None:
    """How all bodies are placed, or None if they are not."""
    placed: set[Link] = set()
    recipe: list[Link | Dyad] = []
    cuts = list(range(len(layout.cuts)))
    while True:
        ready = [link for link in independent if link not in placed and _carrier(layout, link) in placed | {None}]
        if ready:
            recipe += ready[:1]
            placed.add(ready[0])
            continue
        dyads = [dyad for cut in cuts if (dyad := _dyad(layout, cut, placed, independent)) is not None]
        if not dyads:
            return tuple(recipe) if len(placed) == layout.n and not cuts else None
        recipe.append(dyads[0])
        cuts.remove(dyads[0].cut)
        placed |= {dyads[0].first, dyads[0].second}


def _carrier(layout: Layout, link: Link) -> Link | None:
    """The body that carries a body; None is the ground."""
    parent = layout.chains[link[0]].bodies[link[1]].parent
    return None if parent < 0 else (link[0], parent)


def _dyad(layout: Layout, cut: int, placed: set[Link], independent: tuple[Link, ...]) -> Dyad | None:
    """The dyad of a cut joint, if its two sides lack two joints that are not independent."""
    if layout.closures[cut].size != 2:
        return None
    lacking: list[list[Link]] = []
    for each in layout.cuts[cut]:
        link: Link | None = (each.chain, each.end.body) if each.chain >= 0 else None  # type: ignore[attr-defined]
        path: list[Link] = []
        while link is not None and link not in placed:
            path.insert(0, link)
            link = _carrier(layout, link)
        lacking.append(path)
    unknown = [*lacking[0], *lacking[1]]
    if len(unknown) != 2 or len(set(unknown)) != 2 or set(unknown) & set(independent):
        return None
    slides = [_slides(layout, link) for link in unknown]
    together = len(lacking[0]) != 1
    if all(slides) or (together and slides[1]):
        return None
    at = 1 if len(lacking[1]) == 2 or (not together and slides[1]) else 0
    first, second = unknown if together or not at else reversed(unknown)
    return Dyad(cut, at, first, second, together)


def _slides(layout: Layout, link: Link) -> bool:
    return bool(layout.chains[link[0]].bodies[link[1]].slides)


# How bodies are placed


@dataclass
class Positions:
    """Chains whose bodies are placed one by one, the ends that this took, and how far bodies of dyads slid."""

    layout: Layout
    at: list[Placed]
    ends: dict[Key, Ended]
    slid: dict[Link, float]

    @classmethod
    def of(cls, cpu: Cpu, layout: Layout, recipe: Recipe, values: Mapping[Link, float]) -> "Positions":
        """All bodies, given the positions of the independent joints."""
        positions = cls(layout, [_plane(layout, k).unplaced() for k in range(len(layout.chains))], {}, {})
        for step in recipe:
            if isinstance(step, Dyad):
                positions.close(cpu, step)
            else:
                k, i = step
                _plane(layout, k).place_body(cpu, positions.at[k], i, values[step])
        return positions

    def reach(self, cpu: Cpu, key: Key) -> Ended:
        """An end of a body that has been placed."""
        if key not in self.ends:
            where = self.layout.cuts[key[0]][key[1]]
            if where.chain < 0:
                value, rate, bias = where.end.at_rest()
                self.ends[key] = Ended(value, None, rate, bias)
            else:
                arm, value = self.layout.chains[where.chain].reach(cpu, self.at[where.chain], where.end)
                self.ends[key] = Ended(value, arm)
        return self.ends[key]

    def close(self, cpu: Cpu, dyad: Dyad) -> None:
        """Place the two bodies of a dyad."""
        r1, r2 = arms(self.layout, dyad)
        d = self.across(cpu, dyad, r1)
        if _slides(self.layout, dyad.first):
            rest = self._slide(cpu, dyad, d, r2)
        else:
            k, i = dyad.first
            square, other = _square(r1), _square(r2)
            dd, along, across = cpu.do(triangle, d, square, _less(square, other))
            across = self._root(cpu, dyad, across)
            reached = cpu.do(side, d, dd, along, across if dyad.left else opposite(across))
            _plane(self.layout, k).turned(cpu, self.at[k], i, cpu.do(turn_between, r1, reached, _inverse(square)))
            rest = cpu.do(subtract_pairs, d, reached)
        k, i = dyad.second
        if dyad.together:
            _plane(self.layout, k).hinge(cpu, self.at[k], i)
        _plane(self.layout, k).turned(cpu, self.at[k], i, cpu.do(turn_between, r2, rest, _inverse(_square(r2))))

    def across(self, cpu: Cpu, dyad: Dyad, r1: Pair) -> Pair:
        """What the two bodies' arms, or the one's way and the other's arm, have to sum up to."""
        k, i = dyad.first
        chain = _plane(self.layout, k)
        chain.hinge(cpu, self.at[k], i)
        begin = self.at[k].x[i]
        if chain.bodies[i].slides and r1 != STILL:
            turn = chain.turn_before(self.at[k], i)
            begin = cpu.do(add_pairs, begin, r1 if turn is UNTURNED else cpu.do(turn_pair, turn, r1))
        if dyad.together:
            x, y = self.reach(cpu, (dyad.cut, 1 - dyad.side)).value
            return cpu.do(subtract_pairs, (x, y), begin)
        k, i = dyad.second
        _plane(self.layout, k).hinge(cpu, self.at[k], i)
        return cpu.do(subtract_pairs, self.at[k].x[i], begin)

    def _slide(self, cpu: Cpu, dyad: Dyad, d: Pair, r2: Pair) -> Pair:
        """Place a first body that slides; what is left for the second's arm."""
        k, i = dyad.first
        chain, at = _plane(self.layout, k), self.at[k]
        axis = at.axis[i]
        along, across = cpu.do(dot_pairs, axis, d), cpu.do(cross_pairs, axis, d)
        root = self._root(cpu, dyad, cpu.do(less_square, _square(r2), across))
        way = self.slid[dyad.first] = cpu.do(add if dyad.left else subtract, along, root)
        chain.place_body(cpu, at, i, way)
        return cpu.do(axpy_pair, opposite(way), axis, d)

    def _root(self, cpu: Cpu, dyad: Dyad, square: float) -> float:
        if square < 0.0:
            cut = self.layout.mechanism.cuts[dyad.cut].name
            raise MeshSimError(f"the loop through {cut!r} cannot be closed: its ends are too far apart, or too near")
        return cpu.do(square_root, square)


def _plane(layout: Layout, k: int) -> PlaneChain:
    chain = layout.chains[k]
    assert isinstance(chain, PlaneChain)
    return chain


def arms(layout: Layout, dyad: Dyad) -> tuple[Pair, Pair]:
    """From the hinge of each body to where it holds what comes next, all joints at 0; from there back if apart."""
    one, other = layout.cuts[dyad.cut][dyad.side].end, layout.cuts[dyad.cut][1 - dyad.side].end
    if dyad.together:
        k, i = dyad.second
        return _plane(layout, k).bodies[i].offset, one.arm  # type: ignore[attr-defined]
    x, y = other.arm  # type: ignore[attr-defined]
    return one.arm, (opposite(x), opposite(y))  # type: ignore[attr-defined]


# Constants, formed off line


def _square(r: Pair) -> float:
    return r[0] * r[0] + r[1] * r[1]


def _less(a: float, b: float) -> float:
    return a - b


def _inverse(square: float) -> float:
    return 1.0 / square


def assembled(layout: Layout, recipe: Recipe, q: Sequence[Sequence[float]]) -> Recipe:
    """The recipe whose dyads are assembled as they are in a position, given by chain."""
    cpu: Cpu = Uncounted()  # type: ignore[assignment]
    at = [_plane(layout, k).place(cpu, values) for k, values in enumerate(q)]
    positions = Positions(layout, at, {}, {})
    found: list[Link | Dyad] = []
    for step in recipe:
        if isinstance(step, Dyad):
            k, i = step.first
            r1, _ = arms(layout, step)
            d = positions.across(cpu, step, r1)
            if _slides(layout, step.first):
                is_left = q[k][i] >= dot_pairs(at[k].axis[i], d)
                _plane(layout, k).hinge(cpu, at[k], i, q[k][i])
            else:
                is_left = cross_pairs(d, turn_pair(at[k].turn[i], r1)) >= 0.0
            step = replace(step, left=is_left)
        found.append(step)
    return tuple(found)
