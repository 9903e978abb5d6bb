"""In which order the units of a robot become one piece, and where.

A join tree has units as leaves; each of its other nodes joins two pieces across a joint. On a chain all its levels are
halves, so that n units take ceil(log2 n) levels. A `Script` says what one processor does of it on the way up: it takes
pieces from others, joins, hands its piece on, or passes on a message that is not for it. The way down is the same,
backwards.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx

from meshsim.algorithms.collectives.recursive_doubling import hypercube_port, pipeline_port
from meshsim.algorithms.schemes.logarithmic.robot_units import GROUND, Outlet, Unit
from meshsim.program import Cpu, Steps
from meshsim.topologies.hypercube import incomplete_hypercube
from meshsim.topologies.mesh import link_neighbours
from meshsim.topologies.pipeline import pipeline
from meshsim.topologies.ports import add_link

# Join trees


@dataclass(frozen=True, eq=False)
class Leaf:
    """One unit, or several that one processor makes a piece of."""

    units: tuple[int, ...]
    outlets: tuple[Outlet, ...]
    grounded: bool


@dataclass(frozen=True, eq=False)
class Join:
    """Two pieces that meet at a joint: the one that carries, and the one whose joint it is."""

    inner: "Leaf | Join"
    outer: "Leaf | Join"
    outlets: tuple[Outlet, ...]
    grounded: bool

    @property
    def units(self) -> tuple[int, ...]:
        """All units, that of handle 0 first."""
        return (*self.inner.units, *self.outer.units)

    @property
    def joint(self) -> Outlet:
        """The handle of the inner piece at which they meet."""
        return "joint", self.outer.units[0], 0


Node = Leaf | Join
Split = Callable[[Sequence[int]], tuple[list[int], list[int]]]
"""Divides leaves, by their first units, into those of an inner and of an outer piece, each connected."""


def leaf_of(units: Sequence[Unit], chosen: Sequence[int]) -> Leaf:
    """A piece of connected units that one processor makes."""
    outlets = [key for i in chosen for key in units[i].reaches if key[0] == "cut" or key[1] not in chosen]
    return Leaf(tuple(chosen), tuple(outlets), units[chosen[0]].carrier == GROUND)


def join_tree(units: Sequence[Unit], leaves: Sequence[Sequence[int]], split: Split) -> Node:
    """A join tree of leaves, each some connected units in the order of their bodies, by their first units."""
    by_first = {leaf[0]: leaf for leaf in leaves}

    def made(firsts: Sequence[int]) -> Node:
        if len(firsts) == 1:
            return leaf_of(units, by_first[firsts[0]])
        inner, outer = split(firsts)
        return join_of(made(inner), made(outer))

    return made(list(by_first))


def join_of(inner: Node, outer: Node) -> Join:
    """Two pieces joined."""
    joint = ("joint", outer.units[0], 0)
    outlets = (*(key for key in inner.outlets if key != joint), *outer.outlets)
    return Join(inner, outer, outlets, inner.grounded)


def by_halves(chosen: Sequence[int]) -> tuple[list[int], list[int]]:
    """Of a chain, as many units as the largest power of two below their number; the rest."""
    half = 1 << (len(chosen) - 1).bit_length() - 1
    return list(chosen[:half]), list(chosen[half:])


def by_balance(units: Sequence[Unit], leaves: Sequence[Sequence[int]]) -> Split:
    """Of a tree, across the joint that leaves two pieces of the most equal number of leaves; the first such joint."""
    first = {i: leaf[0] for leaf in leaves for i in leaf}
    carrier = {leaf[0]: first.get(units[leaf[0]].carrier, GROUND) for leaf in leaves}

    def split(chosen: Sequence[int]) -> tuple[list[int], list[int]]:
        size = dict.fromkeys(chosen, 1)
        for i in reversed(chosen[1:]):
            size[carrier[i]] += size[i]
        cut = min(chosen[1:], key=lambda i: (abs(len(chosen) - 2 * size[i]), i))
        beyond = {cut}
        for i in chosen:
            if carrier[i] in beyond:
                beyond.add(i)
        return [i for i in chosen if i not in beyond], [i for i in chosen if i in beyond]

    return split


def subsystems(units: Sequence[Unit]) -> list[list[int]]:
    """The units that hang together without the ground."""
    place: dict[int, list[int]] = {}
    for i, unit in enumerate(units):
        place[i] = place.get(unit.carrier, [])
        place[i].append(i)
    return [units_of for i, units_of in place.items() if units_of[0] == i]


def nodes_of(root: Node) -> Iterator[Node]:
    """All nodes of a join tree, those that are joined before what they become."""
    if isinstance(root, Join):
        yield from nodes_of(root.inner)
        yield from nodes_of(root.outer)
    yield root


# Scripts


@dataclass(frozen=True)
class Take:
    """Pieces come through ports."""

    pieces: tuple[tuple[Node, str], ...]


@dataclass(frozen=True)
class Meet:
    """Two pieces are joined."""

    join: Join


@dataclass(frozen=True)
class Give:
    """A piece is handed on."""

    piece: Node
    port: str


@dataclass(frozen=True)
class Pass:
    """A message for another processor is passed on."""

    piece: Node
    source: str
    target: str


Event = Take | Meet | Give | Pass
Scripts = dict[Hashable, list[Event]]


@dataclass(frozen=True)
class Seating:
    """A network, what each of its processors does, and where each leaf is."""

    topology: nx.MultiGraph
    scripts: Scripts
    leaves: Mapping[Hashable, Leaf]
    roots: Mapping[Hashable, Node]


def on_tree(roots: Sequence[Node]) -> Seating:
    """A processor for each leaf and each join, linked as the join tree is; ports ``inner``, ``outer``, ``parent``."""
    graph = nx.MultiGraph(name="join-tree")
    name = {node: _named(node) for root in roots for node in nodes_of(root)}
    graph.add_nodes_from(name.values())
    scripts: Scripts = {place: [] for place in name.values()}
    for root in roots:
        for node in nodes_of(root):
            if isinstance(node, Join):
                add_link(graph, name[node], "inner", name[node.inner], "parent")
                add_link(graph, name[node], "outer", name[node.outer], "parent")
                scripts[name[node]] += [Take(((node.inner, "inner"), (node.outer, "outer"))), Meet(node)]
            if node is not root:
                scripts[name[node]].append(Give(node, "parent"))
    leaves: dict[Hashable, Leaf] = {place: node for node, place in name.items() if isinstance(node, Leaf)}
    return Seating(graph, scripts, leaves, {name[root]: root for root in roots})


def _named(node: Node) -> tuple[str, int]:
    return ("body", node.units[0] + 1) if isinstance(node, Leaf) else ("joint", node.joint[1] + 1)


def on_leaves(roots: Sequence[Node]) -> Seating:
    """A processor for each leaf, 1, 2, ...; that of the inner piece joins. Ports are called by the other's number."""
    leaves = [node for root in roots for node in nodes_of(root) if isinstance(node, Leaf)]
    number: dict[Node, int] = {leaf: k for k, leaf in enumerate(leaves, start=1)}
    graph = nx.MultiGraph(name=f"joined-leaves({len(leaves)})")
    graph.add_nodes_from(number.values())
    scripts: Scripts = {k: [] for k in number.values()}
    for node in sorted((node for root in roots for node in nodes_of(root)), key=_level):
        if isinstance(node, Join):
            here, there = number[node.inner], number[node.outer]
            number[node] = here
            add_link(graph, here, str(there), there, str(here))
            scripts[there].append(Give(node.outer, str(here)))
            scripts[here] += [Take(((node.outer, str(there)),)), Meet(node)]
    return Seating(graph, scripts, {number[leaf]: leaf for leaf in leaves}, {number[root]: root for root in roots})


@dataclass(frozen=True)
class Way:
    """A network of numbered processors, 1 to p, on which a leaf each joins by halves.

    `place` gives the node of a number, `route` the way from one to another, `port` the port of a node towards the next.
    """

    topology: Callable[[int], nx.MultiGraph]
    place: Callable[[int, int], Any]
    route: Callable[[int, int, int], list[int]]
    port: Callable[[Any, Any], str]


def on_numbers(root: Node, way: Way) -> Seating:
    """Leaf k of a join tree by halves on processor k; the inner piece's processor joins."""
    leaves = [node for node in nodes_of(root) if isinstance(node, Leaf)]
    p = len(leaves)
    number: dict[Node, int] = {leaf: k for k, leaf in enumerate(leaves, start=1)}
    place = [way.place(k, p) for k in range(p + 1)]
    scripts: Scripts = {place[k]: [] for k in range(1, p + 1)}
    for node in sorted(nodes_of(root), key=_level):
        if isinstance(node, Join):
            number[node] = number[node.inner]
            route = [place[k] for k in way.route(number[node.outer], number[node.inner], p)]
            scripts[route[0]].append(Give(node.outer, way.port(route[0], route[1])))
            for before, here, after in zip(route, route[1:], route[2:], strict=False):
                scripts[here].append(Pass(node.outer, way.port(here, before), way.port(here, after)))
            scripts[route[-1]] += [Take(((node.outer, way.port(route[-1], route[-2])),)), Meet(node)]
    return Seating(
        way.topology(p), scripts, {place[number[leaf]]: leaf for leaf in leaves}, {place[number[root]]: root}
    )


def _level(node: Node) -> int:
    return 0 if isinstance(node, Leaf) else 1 + max(_level(node.inner), _level(node.outer))


def _columns(p: int) -> int:
    return 1 << ((p - 1).bit_length() + 1) // 2


def _mesh(p: int) -> nx.MultiGraph:
    """The first p processors of a mesh, row by row, whose rows are a power of two."""
    graph = nx.MultiGraph(name=f"rows-of-{_columns(p)}({p})", routing="shortest")
    graph.add_nodes_from(_on_mesh(k, p) for k in range(1, p + 1))
    link_neighbours(graph)
    return graph


def _on_mesh(k: int, p: int) -> tuple[int, int]:
    row, column = divmod(k - 1, _columns(p))
    return row + 1, column + 1


def _mesh_port(here: tuple[int, int], there: tuple[int, int]) -> str:
    if here[0] != there[0]:
        return "south" if there[0] > here[0] else "north"
    return "east" if there[1] > here[1] else "west"


def _stepwise(a: int, b: int, p: int) -> list[int]:
    """Down the numbers on a mesh: along a row, or along a column where that is whole rows away."""
    step = _columns(p) if (a - b) % _columns(p) == 0 else 1
    return list(range(a, b - 1, -step))


WAYS = {
    "hypercube": Way(incomplete_hypercube, lambda k, _: k, lambda a, b, _: [a, b], hypercube_port),
    "pipeline": Way(pipeline, lambda k, _: k, lambda a, b, _: list(range(a, b - 1, -1)), pipeline_port),
    "mesh": Way(_mesh, _on_mesh, _stepwise, _mesh_port),
}
"""Networks for chains, on which leaf k is processor k. Where a power of two is not one link away, others pass it on."""


# Sweeps

Wanted = Callable[[Node], bool]
"""Whether anything is said of a piece in a sweep."""
Values = dict[Node, Any]


def everything(_node: Node) -> bool:
    """Of every piece something is said."""
    return True


def upwards(
    cpu: Cpu, script: Sequence[Event], values: Values, wanted: Wanted, meet: Callable[[Cpu, Join, Values], Any]
) -> Steps[None]:
    """From leaves to roots: `values` has those of pieces that this processor holds."""
    for event in script:
        if isinstance(event, Take):
            pieces = [(node, port) for node, port in event.pieces if wanted(node)]
            got = yield cpu.par(*(cpu.recv(port) for _, port in pieces))
            values.update(zip((node for node, _ in pieces), got, strict=True))
        elif isinstance(event, Meet):
            values[event.join] = meet(cpu, event.join, values)
        elif wanted(event.piece):
            if isinstance(event, Give):
                yield cpu.send(event.port, values[event.piece])
            else:
                yield cpu.send(event.target, (yield cpu.recv(event.source)))


def downwards(
    cpu: Cpu, script: Sequence[Event], values: Values, wanted: Wanted, parted: Callable[[Cpu, Join, Values], None]
) -> Steps[None]:
    """From roots to leaves: `parted` puts in values what the two pieces of a join get."""
    for event in reversed(script):
        if isinstance(event, Take):
            yield cpu.par(*(cpu.send(port, values[node]) for node, port in event.pieces if wanted(node)))
        elif isinstance(event, Meet):
            parted(cpu, event.join, values)
        elif wanted(event.piece):
            if isinstance(event, Give):
                values[event.piece] = yield cpu.recv(event.port)
            else:
                yield cpu.send(event.source, (yield cpu.recv(event.target)))
