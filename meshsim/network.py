"""A network that programs are placed on: processors, switches, links, and the route between any two processors.

The graph is a plain undirected `networkx.Graph` or `networkx.MultiGraph`. The order in which nodes were added is the
node order. The attributes that matter, all of them optional:

node attribute ``switch``
    True for a switch element: messages pass it, but it runs no program.
edge attributes ``startup``, ``per_word``, ``hop``
    Costs of the link's own, in whole ticks. Each replaces that of the machine.
edge attribute ``ports``
    As in `meshsim.topology`. Messages are routed without them.
edge attribute ``bus``
    The name of a bus. All links with one name share one wire.
edge attribute ``oneway``
    One end of the link: messages go only from there to the other end.
node and edge attribute ``dead``
    True for what does not work.
graph attribute ``name``
    What the network is called in print.
graph attribute ``routing``
    The rule of its routes, one of `meshsim.routing.ROUTINGS`; ``shortest`` if there is none.
graph attribute ``routes``
    A table of routes: a list of lists of nodes, each from a source to a target.

>>> import networkx as nx
>>> square = Network(nx.Graph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")], name="square"))
>>> square.route("a", "c")
(Link(source='a', target='b', key=0), Link(source='b', target='c', key=0))
>>> Network(square.graph, dead=["b"]).route("a", "c")
(Link(source='a', target='d', key=0), Link(source='d', target='c', key=0))
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import networkx as nx

from meshsim.errors import MeshSimError
from meshsim.machine import whole_ticks
from meshsim.nodes import as_dead, as_node
from meshsim.reading import shown, table, text
from meshsim.routing import Router, find_routing, keys_between, shortest

OWN_COSTS = ("startup", "per_word", "hop")
"""What an edge may say of its own price."""


class Link(NamedTuple):
    """One direction of an edge of a network's graph.

    Attributes
    ----------
    source, target : hashable
        From which node to which neighbour.
    key : int
        The edge's key in a MultiGraph; 0 in a Graph.
    """

    source: Hashable
    target: Hashable
    key: int


@dataclass(frozen=True, eq=False)
class Network:
    """Processors joined by links, and how messages are routed.

    Attributes
    ----------
    graph : networkx.Graph or networkx.MultiGraph
        The network, as this module describes it. A copy is kept, which cannot be changed.
    routing : str
        A name of `meshsim.routing.ROUTINGS`; by default what graph attribute ``routing`` says, else ``shortest``.
    table : mapping of (source, target) to sequence of nodes
        Routes that replace those of the rule: nodes from source to target, both included. Those of the graph attribute
        ``routes`` are added.
    dead : collection
        What does not work: nodes; links as pairs of nodes, which stand for all links between the two; or one link as
        a `Link`. Those with the attribute ``dead`` are added. A route that would use one of them is replaced by the
        shortest route that works.

    Raises
    ------
    MeshSimError
        If the graph is directed, has a loop or no living processor, or if an attribute, a route of the table or a
        dead thing is not as it must be.
    """

    graph: nx.Graph
    routing: str = ""
    table: Mapping[tuple[Hashable, Hashable], Sequence[Hashable]] = field(default_factory=dict)
    dead: Collection[Hashable] = ()

    def __post_init__(self) -> None:
        graph = _checked(self.graph)
        routing = self.routing or graph.graph.get("routing", "shortest")
        object.__setattr__(self, "graph", graph)
        object.__setattr__(self, "routing", routing)
        object.__setattr__(self, "dead", _dead(graph, self.dead))
        if not self.processors:
            raise MeshSimError(f"{self.name} must have at least one living processor, not 0")
        object.__setattr__(self, "table", MappingProxyType(_table(graph, self.table)))
        object.__setattr__(self, "_rule", find_routing(routing)(graph))
        object.__setattr__(self, "_routes", {})
        object.__setattr__(self, "_edges", {})
        object.__setattr__(self, "_steps", {})

    def __reduce__(self) -> tuple[Any, ...]:
        """Routers cannot be pickled; they are made again."""
        return Network, (self.graph, self.routing, dict(self.table), self.dead)

    @property
    def name(self) -> str:
        """What the network is called in print."""
        return str(self.graph.graph.get("name") or "network")

    @cached_property
    def processors(self) -> tuple[Hashable, ...]:
        """The nodes that programs can be placed on: those that live and are no switches, in node order."""
        return tuple(node for node in self.living if not self.is_switch(node))

    @cached_property
    def living(self) -> nx.Graph:
        """The graph without what is dead."""
        if not self.dead:
            return self.graph
        living = self.graph.copy()
        for thing in self.dead:
            if isinstance(thing, Link):
                living.remove_edges_from([thing if living.is_multigraph() else thing[:2]])
            else:
                living.remove_node(thing)
        return nx.freeze(living)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """All links that live, in both directions where they have two; by node order of source, then of target."""
        order = {node: place for place, node in enumerate(self.living)}
        return tuple(
            Link(node, other, key)
            for node, near in self.living.adj.items()
            for other in sorted(near, key=order.__getitem__)
            for key in keys_between(self.living, node, other)
        )

    def is_switch(self, node: Hashable) -> bool:
        """Whether a node is a switch element, which runs no program."""
        return bool(self.graph.nodes[node].get("switch", False))

    def parallel(self, source: Hashable, target: Hashable) -> tuple[int, ...]:
        """The keys of all living edges that carry messages from a node to a neighbour, lowest first; none if none."""
        return keys_between(self.living, source, target)

    def link(self, source: Hashable, target: Hashable) -> Link:
        """The link that routes take from a node to a neighbour: the one of the lowest key."""
        found = self._step((source, target))
        if found is None:
            raise MeshSimError(f"{self.name} must have a living link from {source!r} to {target!r}, and has none")
        return found

    def costs(self, link: Link) -> Mapping[str, int]:
        """The costs that an edge has of its own, by name: some of `OWN_COSTS`, or none."""
        data = self._edge(link)
        return {cost: data[cost] for cost in OWN_COSTS if cost in data}

    def ports(self, link: Link) -> Mapping[Hashable, str]:
        """The names of the ports that a link joins, by node; nothing if it has none."""
        found: Mapping[Hashable, str] = self._edge(link).get("ports", {})
        return found

    def bus(self, link: Link) -> str | None:
        """The name of the bus that a link is part of, or None."""
        name: str | None = self._edge(link).get("bus")
        return name

    def wire(self, link: Link, duplex: str) -> Hashable:
        """The wire that a link is, by a name: that of a bus; without it of both directions, or of this one alone."""
        bus = self.bus(link)
        if bus is not None:
            return bus
        return (frozenset((link.source, link.target)), link.key) if duplex == "half" else link

    def route(self, source: Hashable, target: Hashable) -> tuple[Link, ...]:
        """The links that messages take from one processor to another, in order; none from one to itself.

        Parameters
        ----------
        source, target : hashable
            Two of `processors`.

        Returns
        -------
        tuple of Link
            That of the table if it has one, else that of the rule; if something of it is dead, the shortest route that
            lives. Of several links between two neighbours, the one of the lowest key.

        Raises
        ------
        MeshSimError
            If there is no such route, or if one of the two is no living processor.
        """
        found = self._routes.get((source, target))
        if found is None:
            found = self._routes[source, target] = self._found(source, target)
        return found

    def distance(self, source: Hashable, target: Hashable) -> int:
        """How many links the route has."""
        return len(self.route(source, target))

    # What is found once and kept

    _rule: Router = field(init=False, repr=False)
    _routes: dict[tuple[Hashable, Hashable], tuple[Link, ...]] = field(init=False, repr=False)
    _steps: dict[tuple[Hashable, Hashable], Link | None] = field(init=False, repr=False)
    _edges: dict[Link, dict[str, Any]] = field(init=False, repr=False)

    @cached_property
    def _detour(self) -> Router:
        """Routes around what is dead."""
        return shortest(self.living)

    @cached_property
    def _placeable(self) -> frozenset[Hashable]:
        return frozenset(self.processors)

    def _found(self, source: Hashable, target: Hashable) -> tuple[Link, ...]:
        for node in (source, target):
            if node not in self._placeable:
                raise MeshSimError(f"a route must join two living processors of {self.name}, and {node!r} is none")
        nodes = self.table.get((source, target)) or self._rule(source, target)
        steps = [*map(self._step, pairwise(nodes))]
        if None in steps:
            nodes = self._detour(source, target)
            steps = [*map(self._step, pairwise(nodes))]
        if not nodes:
            dead = ", ".join(map(_shown, self.dead)) or "nothing"
            raise MeshSimError(
                f"{self.name} must have a route from {source!r} to {target!r}, and has none; dead: {dead}"
            )
        return tuple(link for link in steps if link is not None)

    def _step(self, ends: tuple[Hashable, Hashable]) -> Link | None:
        """The link of the lowest key from a node to another; None if none lives."""
        if ends not in self._steps:
            keys = self.parallel(*ends)
            self._steps[ends] = Link(*ends, keys[0]) if keys else None
        return self._steps[ends]

    def _edge(self, link: Link) -> dict[str, Any]:
        data = self._edges.get(link)
        if data is None:
            ends = link if self.graph.is_multigraph() else link[:2]
            data = self._edges[link] = dict(self.graph.edges[tuple(ends)])
        return data


def _checked(graph: nx.Graph) -> nx.Graph:
    """A copy of a graph that cannot be changed, with its attributes checked."""
    if not isinstance(graph, nx.Graph) or graph.is_directed():
        raise MeshSimError(f"network must be an undirected networkx graph, not a {type(graph).__name__}")
    graph = graph.copy()
    if graph.graph.get("name"):
        _check_name("name of the network", graph.graph["name"])
    for node, data in graph.nodes(data=True):
        as_node(node)
        for flag in ("switch", "dead"):
            _check_flag(f"{flag} of node {node!r}", data.get(flag, False))
    for u, v, data in graph.edges(data=True):
        link = f"link {u!r} - {v!r}"
        if u == v:
            raise MeshSimError(f"{link} must join two nodes, not one to itself")
        _check_flag(f"dead of {link}", data.get("dead", False))
        for cost in OWN_COSTS:
            if cost in data:
                data[cost] = whole_ticks(f"{cost} of {link}", data[cost])
        ports = data.get("ports", {u: "", v: ""})
        if not isinstance(ports, dict) or set(ports) != {u, v}:
            raise MeshSimError(f"ports of {link} must be a dict with its two ends as keys, not {ports!r}")
        if "bus" in data:
            _check_name(f"bus of {link}", data["bus"])
        if data.get("oneway", u) not in (u, v):
            raise MeshSimError(f"oneway of {link} must be one of its ends, not {data['oneway']!r}")
    for u, v, key in graph.edges(keys=True) if graph.is_multigraph() else ():
        if type(key) is not int:
            raise MeshSimError(f"key of link {u!r} - {v!r} must be an integer, not {key!r}")
    return nx.freeze(graph)


def _check_name(what: str, value: object) -> None:
    if not text(what, value).isprintable():
        raise MeshSimError(f"{what} must be a text that can be printed, not {value!a}")


def _check_flag(what: str, value: object) -> None:
    if not isinstance(value, bool):
        raise MeshSimError(f"{what} must be true or false, not {shown(value)}")


def _dead(graph: nx.Graph, told: object) -> tuple[Hashable, ...]:
    """Nodes and links, these one by one, that are dead by their attributes or because a user told."""
    found: list[Hashable] = [node for node, dead in graph.nodes(data="dead") if dead]
    keyed = graph.edges(keys=True, data="dead") if graph.is_multigraph() else _with_keys(graph.edges(data="dead"))
    found += [Link(u, v, key) for u, v, key, dead in keyed if dead]
    for thing in as_dead(told):
        found += [thing] if thing in graph else _dead_links(graph, thing)
    return tuple(dict.fromkeys(found))


def _with_keys(edges: Iterable[tuple[Hashable, Hashable, object]]) -> Iterable[tuple[Hashable, Hashable, int, object]]:
    return ((u, v, 0, data) for u, v, data in edges)


def _dead_links(graph: nx.Graph, thing: Hashable) -> list[Link]:
    """The links that a pair of nodes, or a link, stands for."""
    if isinstance(thing, tuple) and len(thing) in (2, 3) and graph.has_edge(*thing[:2]):
        u, v, *only = thing
        keys = list(graph.adj[u][v]) if graph.is_multigraph() else [0]
        if not only or only[0] in keys:
            return [Link(u, v, key) for key in only or keys]
    name = graph.graph.get("name") or "the network"
    raise MeshSimError(f"what is dead must be a node or a link (two neighbours) of {name}, not {thing!r}")


def _shown(thing: Hashable) -> str:
    """What is dead, in print."""
    return f"link {thing.source!r} - {thing.target!r}" if isinstance(thing, Link) else repr(thing)


def _table(graph: nx.Graph, told: object) -> dict[tuple[Hashable, Hashable], tuple[Hashable, ...]]:
    """The routes that the graph brings along, and those that a user told, which replace them."""
    listed = graph.graph.get("routes", [])
    if not isinstance(listed, list | tuple) or not all(isinstance(nodes, list | tuple) and nodes for nodes in listed):
        raise MeshSimError(f"routes must be a list of lists of nodes, not {shown(listed)}")
    found: dict[tuple[Hashable, Hashable], tuple[Hashable, ...]] = {}
    for nodes in map(_as_nodes, listed):
        pair = (nodes[0], nodes[-1])
        if pair in found:
            raise MeshSimError(f"routes must have one from {pair[0]!r} to {pair[1]!r}, not several")
        found[pair] = nodes
    for key, value in table("the table of routes", told, kind="a mapping from (source, target) to nodes").items():
        if not isinstance(key, tuple) or len(key) != 2 or not isinstance(value, list | tuple):
            raise MeshSimError(
                f"the table of routes must map (source, target) to a list of nodes, not {key!r} to {value!r}"
            )
        found[key] = _as_nodes(value)
    for pair, nodes in found.items():
        _check_route(graph, pair, nodes)
    return found


def _as_nodes(values: Iterable[object]) -> tuple[Hashable, ...]:
    return tuple(as_node(value) for value in values)


def _check_route(graph: nx.Graph, pair: tuple[Hashable, Hashable], nodes: Sequence[Hashable]) -> None:
    """Refuse a route of a table that is no path from its source to its target."""
    source, target = pair
    route = f"the route from {source!r} to {target!r}"
    if len(nodes) < 2 or (nodes[0], nodes[-1]) != (source, target):
        raise MeshSimError(f"{route} must begin and end there, not be {nodes!r}")
    if len(set(nodes)) < len(nodes):
        raise MeshSimError(f"{route} must pass a node once, not be {nodes!r}")
    for u, v in pairwise(nodes):
        if not keys_between(graph, u, v):
            raise MeshSimError(f"{route} must follow links, and none goes from {u!r} to {v!r}")
