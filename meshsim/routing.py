"""Which way messages go through a network: rules by name.

A rule is a function of a network's graph. It gives a *router*: a function of two nodes, source and target, that gives
the nodes of the route between them, both ends included. A rule looks at the graph once, and refuses one that it does
not fit: one without the node names or the links that it needs. A router does not depend on anything but the graph and
the order of its nodes.

An edge with the attribute ``oneway`` carries messages only away from the node that the attribute names. Only the rules
`shortest` and `destination_tag` know such edges; the others refuse them.

>>> import networkx as nx
>>> mesh = nx.Graph([((1, 1), (1, 2)), ((1, 1), (2, 1)), ((1, 2), (2, 2)), ((2, 1), (2, 2))])
>>> ROUTINGS["dimension-order"](mesh)((1, 1), (2, 2))
((1, 1), (1, 2), (2, 2))
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise

import networkx as nx

from meshsim.errors import MeshSimError

Router = Callable[[Hashable, Hashable], tuple[Hashable, ...]]
"""From source and target to the nodes of the route; no nodes if there is no route."""
Routing = Callable[[nx.Graph], Router]
"""A rule, as a function of the graph."""


def dimension_order(graph: nx.Graph) -> Router:
    """Route along the row first (the column changes), then along the column, as on meshes and tori.

    Where every row is closed to a ring, the route takes the shorter way round, east (to higher columns) if both are
    equally long; where every column is, likewise, south (to higher rows) if both are.

    Parameters
    ----------
    graph : networkx.Graph
        Nodes (row, column), pairs of integers that fill a rectangle, each joined to its neighbours.
    """
    rows, columns = _rectangle(graph)
    _need_links("dimension-order", graph, (((r, c), (r, d)) for r in rows for c, d in pairwise(columns)))
    _need_links("dimension-order", graph, (((r, c), (s, c)) for c in columns for r, s in pairwise(rows)))
    closed_rows = all(graph.has_edge((r, columns[0]), (r, columns[-1])) for r in rows)
    closed_columns = all(graph.has_edge((rows[0], c), (rows[-1], c)) for c in columns)

    def route(source: Hashable, target: Hashable) -> tuple[Hashable, ...]:
        (r, c), (s, d) = _pair(source), _pair(target)
        along = _walk(columns, c, d, closed_rows)
        down = _walk(rows, r, s, closed_columns)
        return (source, *((r, column) for column in along), *((row, d) for row in down))

    return route


def e_cube(graph: nx.Graph) -> Router:
    """Route through a binary cube, the lowest bit in which source and target differ first.

    Parameters
    ----------
    graph : networkx.Graph
        Nodes 0..2^d - 1, or 1..2^d where node i is corner i - 1; neighbours differ in one bit, and all such are joined.
    """
    size = len(graph)
    first = 0 if 0 in graph else 1
    if size & (size - 1) or not all(corner + first in graph for corner in range(size)):
        raise MeshSimError(
            "routing e-cube must be used on a complete hypercube, with nodes 0 .. 2^d - 1 or 1 .. 2^d, not on "
            f"{size} nodes {_some(graph)}"
        )
    bits = [1 << i for i in range(size.bit_length() - 1)]
    _need_links("e-cube", graph, ((c + first, (c ^ bit) + first) for c in range(size) for bit in bits if not c & bit))

    def route(source: Hashable, target: Hashable) -> tuple[Hashable, ...]:
        corner, goal = _integer(source) - first, _integer(target) - first
        nodes = [source]
        for bit in bits:
            if (corner ^ goal) & bit:
                corner ^= bit
                nodes.append(corner + first)
        return tuple(nodes)

    return route


def up_down(graph: nx.Graph) -> Router:
    """Route through a tree: up to the nearest common ancestor, then down.

    Parameters
    ----------
    graph : networkx.Graph
        A tree of any names; its first node is the root.
    """
    _refuse_oneway("up-down", graph)
    root = next(iter(graph))
    parents: dict[Hashable, Hashable] = {child: parent for parent, child in nx.bfs_edges(graph, root)}
    if len(parents) != len(graph) - 1 or sum(len(near) for near in graph.adj.values()) != 2 * len(parents):
        raise MeshSimError("routing up-down must be used on a tree, not on a graph that has cycles or falls apart")

    def upwards(node: Hashable) -> list[Hashable]:
        nodes = [node]
        while nodes[-1] != root:
            nodes.append(parents[nodes[-1]])
        return nodes

    def route(source: Hashable, target: Hashable) -> tuple[Hashable, ...]:
        up, down = upwards(source), upwards(target)
        common = root
        while up and down and up[-1] == down[-1]:
            common = up.pop()
            down.pop()
        return (*up, common, *reversed(down))

    return route


def destination_tag(graph: nx.Graph) -> Router:
    """Route forward through all stages of a multistage network of switch elements with two outputs each.

    The route leaves its source by the one link that goes out of it. At each switch element one bit of the target's
    number, the highest first, says by which output it goes on.

    Parameters
    ----------
    graph : networkx.Graph
        Processors 0..2^d - 1, and switch elements (node attribute ``switch``). All edges are ``oneway``. One goes out
        of each processor. Two go out of each element; their attribute ``tag`` is 0 for one and 1 for the other.
        `omega` and `multistage_cube` in `meshsim.topologies` make such graphs.
    """
    outputs: dict[Hashable, dict[int, Hashable]] = {node: {} for node in graph}
    for u, v, data in graph.edges(data=True):
        if data.get("oneway") not in (u, v):
            raise _not_multistage(f"link {u!r} - {v!r}, which has no direction")
        start, end = (u, v) if data["oneway"] == u else (v, u)
        outputs[start][data.get("tag", 0)] = end
    lines = [node for node, data in graph.nodes(data=True) if not data.get("switch")]
    stages = len(lines).bit_length() - 1
    if sorted(map(_integer, lines)) != list(range(1 << stages)):
        raise _not_multistage(f"{len(lines)} processors {_some(lines)}")
    for node, out in outputs.items():
        wanted = {0, 1} if graph.nodes[node].get("switch") else {0}
        if set(out) != wanted:
            raise _not_multistage(f"node {node!r} with outputs {sorted(out)}")

    def route(source: Hashable, target: Hashable) -> tuple[Hashable, ...]:
        nodes = [source]
        if source != target:
            nodes.append(outputs[source][0])
            for bit in range(stages - 1, -1, -1):
                nodes.append(outputs[nodes[-1]].get(_integer(target) >> bit & 1))
        if nodes[-1] != target:
            raise _not_multistage(f"one in which the tags of {target!r} lead from {source!r} to {nodes[-1]!r}")
        return tuple(nodes)

    return route


def shortest(graph: nx.Graph) -> Router:
    """Route over the fewest links; of several such routes, by the nodes that come first in node order.

    Routes are compared node by node, from the source on: the first node in which two differ decides.

    Parameters
    ----------
    graph : networkx.Graph
        Any. Edges with the attribute ``oneway`` are used in that direction alone.
    """
    order = {node: place for place, node in enumerate(graph)}
    ahead = {node: sorted(_reached(graph, node), key=order.__getitem__) for node in graph}
    behind: dict[Hashable, list[Hashable]] = {node: [] for node in graph}
    for node, near in ahead.items():
        for other in near:
            behind[other].append(node)
    towards: dict[Hashable, tuple[Mapping[Hashable, int], dict[Hashable, Hashable]]] = {}

    def route(source: Hashable, target: Hashable) -> tuple[Hashable, ...]:
        if keys_between(graph, source, target):
            return (source, target)
        if target not in towards:
            towards[target] = _distances(behind, target), {}
        links, follows = towards[target]
        if source not in links:
            return ()
        nodes = [node := source]
        while node != target:
            if node not in follows:
                follows[node] = next(near for near in ahead[node] if links.get(near) == links[node] - 1)
            nodes.append(node := follows[node])
        return tuple(nodes)

    return route


ROUTINGS: dict[str, Routing] = {
    "dimension-order": dimension_order,
    "e-cube": e_cube,
    "up-down": up_down,
    "destination-tag": destination_tag,
    "shortest": shortest,
}
"""The rules by name: what graph attribute ``routing`` may say."""


def find_routing(name: object) -> Routing:
    """A rule by its name; an error lists them."""
    if not isinstance(name, str) or name not in ROUTINGS:
        raise MeshSimError(f"routing must be one of {', '.join(ROUTINGS)}, not {name!r}")
    return ROUTINGS[name]


def _rectangle(graph: nx.Graph) -> tuple[range, range]:
    """The rows and columns of a mesh."""
    pairs = [_pair(node) for node in graph]
    rows, columns = (range(min(numbers), max(numbers) + 1) for numbers in zip(*pairs, strict=True))
    hole = next(((r, c) for r in rows for c in columns if (r, c) not in graph), None)
    if hole is not None:
        raise MeshSimError(f"routing dimension-order must be used on a full rectangle, not on one that lacks {hole}")
    return rows, columns


def _walk(ring: range, start: int, end: int, closed: bool) -> Sequence[int]:
    """The numbers after `start` on the way to `end`."""
    if not closed:
        return range(start + 1, end + 1) if start <= end else range(start - 1, end - 1, -1)
    onward = (end - start) % len(ring)
    steps = range(1, onward + 1) if 2 * onward <= len(ring) else range(-1, onward - len(ring) - 1, -1)
    return [ring[(start - ring[0] + step) % len(ring)] for step in steps]


def _distances(behind: Mapping[Hashable, Sequence[Hashable]], target: Hashable) -> dict[Hashable, int]:
    """Links from every node that can reach the target."""
    links = {target: 0}
    waiting = deque([target])
    while waiting:
        node = waiting.popleft()
        for other in behind[node]:
            if other not in links:
                links[other] = links[node] + 1
                waiting.append(other)
    return links


def _reached(graph: nx.Graph, node: Hashable) -> list[Hashable]:
    """The neighbours to which some edge carries messages."""
    return [other for other in graph.adj[node] if keys_between(graph, node, other)]


def keys_between(graph: nx.Graph, source: Hashable, target: Hashable) -> tuple[int, ...]:
    """The keys of the edges that carry messages from a node to a neighbour, lowest first; of a plain Graph, 0."""
    if not graph.has_edge(source, target):
        return ()
    edges = graph.adj[source][target] if graph.is_multigraph() else {0: graph.adj[source][target]}
    return tuple(sorted(key for key, data in edges.items() if data.get("oneway", source) == source))


def _need_links(name: str, graph: nx.Graph, links: Iterable[tuple[Hashable, Hashable]]) -> None:
    """Refuse a graph that lacks one of the links."""
    _refuse_oneway(name, graph)
    for u, v in links:
        if not graph.has_edge(u, v):
            raise MeshSimError(f"routing {name} must be used where neighbours are joined, and {u!r} - {v!r} are not")


def _refuse_oneway(name: str, graph: nx.Graph) -> None:
    for u, v, start in graph.edges(data="oneway"):
        if start is not None:
            raise MeshSimError(f"routing {name} must be used on links of both directions, not on {u!r} - {v!r}")


def _pair(node: Hashable) -> tuple[int, int]:
    if isinstance(node, tuple) and len(node) == 2 and all(type(number) is int for number in node):
        return node
    raise MeshSimError(f"routing dimension-order must be used on nodes (row, column), not on {node!r}")


def _integer(node: Hashable) -> int:
    """A node as a number; -1, which is none of any cube, if it is none."""
    return node if type(node) is int else -1


def _some(nodes: Iterable[Hashable]) -> str:
    """The first few nodes, in print."""
    names = [repr(node) for node in nodes]
    return ", ".join(names[:4]) + (" .." if len(names) > 4 else "")


def _not_multistage(found: str) -> MeshSimError:
    return MeshSimError(
        "routing destination-tag must be used on processors 0 .. 2^d - 1 joined by stages of switch elements, with "
        f"outputs 0 and 1, not on {found}"
    )
