"""Where the nodes of a network stand in a picture.

Meshes stand as their rows and columns, cubes as cubes, rings on a circle, trees and multistage networks in layers,
pipelines in a line, what is joined to one centre around it. A network of several parts, such as a cube and a solver,
has them side by side. What has no such shape is laid out by springs.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np

from meshsim.network import Network
from meshsim.placement import pair_of

Point = tuple[float, float]

LONGEST_LINE = 16
"""Processors of a pipeline that stand in one row; longer ones go back and forth."""
LARGEST_RING = 64
"""Processors of a ring that stand on a circle; larger ones go back and forth, and the last link closes them."""
EDGES = ((1.0, 0.0), (0.0, -1.0), (0.45, 0.4))
"""Of a cube as one looks at it: to the right, down, and away."""
LONGEST_BUS = 24
"""Processors that stand along a bus; more stand around it."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Where everything stands, neighbours about 1 apart.

    Attributes
    ----------
    points : mapping
        Of every node, and of every bus by `hub`.
    graph : networkx.Graph
        What is joined to what in the picture: a bus is a node of its own.
    again : mapping
        Of a multistage network: where each processor stands once more, to receive.
    bar : bool
        Whether the one bus is drawn as a bar.
    titles : mapping
        Of a network of several parts: the name of each, and where it stands, above the part.
    """

    points: Mapping[Hashable, Point]
    graph: nx.Graph
    again: Mapping[Hashable, Point] = field(default_factory=dict)
    bar: bool = False
    titles: Mapping[str, Point] = field(default_factory=dict)

    @cached_property
    def places(self) -> np.ndarray[Any, Any]:
        """All points, one a row."""
        return np.array(list(self.points.values()), dtype=float).reshape(-1, 2)

    @cached_property
    def nearest(self) -> float:
        """How far the two nearest nodes are apart."""
        if len(self.places) < 2:
            return 1.0
        least = math.inf
        for first in range(0, len(self.places), 500):
            apart = self.places[first : first + 500, None] - self.places[None]
            far = (apart**2).sum(axis=2)
            far[far == 0.0] = math.inf  # itself
            least = min(least, float(far.min()))
        return math.sqrt(least)


def hub(bus: str) -> Hashable:
    """What stands for a bus in a picture."""
    return "bus", bus


def lay_out(network: Network) -> Layout:
    """Find a place for every node, and for every bus."""
    graph = nx.Graph()
    graph.add_nodes_from(network.graph)
    for u, v, bus in network.graph.edges(data="bus"):
        graph.add_edges_from([(u, v)] if bus is None else [(u, hub(bus)), (v, hub(bus))])
    switched = any(network.is_switch(node) for node in network.graph)
    if network.routing == "destination-tag" and switched:
        return _stages(network, graph)
    centre = _centre(graph)
    if centre is not None and centre not in network.graph and len(graph) - 1 <= LONGEST_BUS:
        return Layout(_along_a_bus(list(network.graph), centre), graph, bar=True)
    if switched or len(graph) > len(network.graph):
        return Layout(_by_shape(graph, centre), graph)
    parts = _parts(graph)
    if parts:
        return _assembly(graph, parts)
    return Layout(_grid(list(graph)) or _cube(graph) or _by_shape(graph, centre), graph)


def _parts(graph: nx.Graph) -> Mapping[str, Mapping[Hashable, Hashable]]:
    """The parts of a network that has several with names: of each node, its name within its part."""
    parts: dict[str, dict[Hashable, Hashable]] = {}
    for node in graph:
        if not (isinstance(node, tuple) and len(node) == 2 and isinstance(node[0], str)):
            return {}
        parts.setdefault(node[0], {})[node] = node[1]
    whole = all(nx.is_connected(graph.subgraph(names)) for names in parts.values())
    return parts if len(parts) > 1 and whole else {}


def _assembly(graph: nx.Graph, parts: Mapping[str, Mapping[Hashable, Hashable]]) -> Layout:
    """Parts beside one another, each as it would stand alone."""
    titles: dict[str, Point] = {}
    points: dict[Hashable, Point] = {}
    left = 0.0
    for part, names in parts.items():
        own = nx.Graph()
        own.add_nodes_from(names.values())
        own.add_edges_from((names[u], names[v]) for u, v in graph.subgraph(names).edges)
        found = _grid(list(own)) or _cube(own) or _by_shape(own, _centre(own))
        first, top = min(x for x, _ in found.values()), max(y for _, y in found.values())
        points.update((node, (left + found[name][0] - first, found[name][1] - top)) for node, name in names.items())
        right = max(points[node][0] for node in names)
        titles[part] = (left + right) / 2, 1.0
        left = right + 2.0
    return Layout(points, graph, titles=titles)


def _by_shape(graph: nx.Graph, centre: Hashable | None) -> Mapping[Hashable, Point]:
    nodes = list(graph)
    degrees = [degree for _, degree in graph.degree()]
    whole = nx.is_connected(graph)
    if whole and max(degrees) <= 2:
        return _circle(_round(graph)) if min(degrees) == 2 and len(nodes) <= LARGEST_RING else _line(_round(graph))
    if centre is not None:
        return {**_circle([node for node in nodes if node != centre]), centre: (0.0, 0.0)}
    if nx.is_tree(graph):
        return _tree(graph, nodes[0])
    if graph.number_of_edges() == len(nodes) * (len(nodes) - 1) // 2:
        return _circle(nodes)
    return _springs(graph)


def _centre(graph: nx.Graph) -> Hashable | None:
    """The node that all others are joined to, and to nothing else, if there are three of these or more, or a bus."""
    if graph.number_of_edges() != len(graph) - 1:
        return None
    most = [node for node, degree in graph.degree() if degree == len(graph) - 1]
    return most[-1] if most and (len(graph) > 3 or (len(graph) > 2 and _is_hub(most[-1]))) else None


def _is_hub(node: Hashable) -> bool:
    return isinstance(node, tuple) and node[:1] == ("bus",)


def _grid(nodes: Sequence[Hashable]) -> dict[Hashable, Point]:
    """Rows and columns, parts of a network beside one another; nothing if a node has no row and column of its own."""
    parts: dict[Hashable, dict[Hashable, tuple[int, int]]] = {}
    for node in nodes:
        pair = pair_of(node)
        if pair is None:
            return {}
        part = node[:-1] if isinstance(node, tuple) and node != pair else ()
        parts.setdefault(part, {})[node] = pair
    points: dict[Hashable, Point] = {}
    left = 0.0
    for pairs in parts.values():
        if len(set(pairs.values())) < len(pairs):
            return {}
        first = min(column for _, column in pairs.values())
        points.update((node, (left + column - first, -float(row))) for node, (row, column) in pairs.items())
        left += 2.0 + max(column for _, column in pairs.values()) - first
    return points


def _cube(graph: nx.Graph) -> dict[Hashable, Point]:
    """A hypercube: up to eight nodes as one looks at a cube, more as rows and columns in Gray code.

    There those side by side are neighbours, and each row closes a ring. Nothing if a link joins numbers of which more
    than one bit differs, and for what is no more than a tree.
    """
    nodes = list(graph)
    if not all(type(node) is int for node in nodes) or graph.number_of_edges() < len(nodes):
        return {}
    first = min(nodes)
    numbers = {node: node - first for node in nodes}
    if any((numbers[u] ^ numbers[v]).bit_count() != 1 for u, v in graph.edges):
        return {}
    dimension = max(numbers.values()).bit_length()
    if dimension <= len(EDGES):
        bits = {node: [n >> place & 1 for place in range(len(EDGES))] for node, n in numbers.items()}
        return {
            node: (
                sum(b * x for b, (x, _) in zip(each, EDGES, strict=True)),
                sum(b * y for b, (_, y) in zip(each, EDGES, strict=True)),
            )
            for node, each in bits.items()
        }
    low = (dimension + 1) // 2
    rank = {code ^ (code >> 1): code for code in range(1 << low)}
    return {node: (float(rank[n & ((1 << low) - 1)]), -float(rank[n >> low])) for node, n in numbers.items()}


def _circle(nodes: Sequence[Hashable]) -> dict[Hashable, Point]:
    """Clockwise from the top."""
    if len(nodes) == 1:
        return {nodes[0]: (0.0, 0.0)}
    radius = max(0.5 / math.sin(math.pi / len(nodes)), 0.8)
    angles = [math.pi / 2 - 2 * math.pi * place / len(nodes) for place in range(len(nodes))]
    return {
        node: (radius * math.cos(angle), radius * math.sin(angle)) for node, angle in zip(nodes, angles, strict=True)
    }


def _line(nodes: Sequence[Hashable]) -> dict[Hashable, Point]:
    """From left to right; back and forth where it is long."""
    points = {}
    for place, node in enumerate(nodes):
        row, column = divmod(place, LONGEST_LINE)
        points[node] = (float(LONGEST_LINE - 1 - column if row % 2 else column), -float(row))
    return points


def _round(graph: nx.Graph) -> list[Hashable]:
    """The nodes of a path or a ring as they follow one another, from the first end in node order."""
    ends = [node for node, degree in graph.degree() if degree < 2]
    found = [ends[0] if ends else next(iter(graph))]
    seen = set(found)
    while True:
        following = [node for node in graph[found[-1]] if node not in seen]
        if not following:
            return found
        found.append(following[0])
        seen.add(following[0])


def _tree(graph: nx.Graph, root: Hashable) -> dict[Hashable, Point]:
    """The root above, leaves side by side, each other node above the middle of its own; layers at most square."""
    children = {node: list(after) for node, after in nx.bfs_successors(graph, root)}
    depth = nx.single_source_shortest_path_length(graph, root)
    across: dict[Hashable, float] = {}
    leaves = 0
    for node in nx.dfs_postorder_nodes(graph, root):
        below = children.get(node, [])
        if below:
            across[node] = (across[below[0]] + across[below[-1]]) / 2
        else:
            across[node] = float(leaves)
            leaves += 1
    layer = max(1.0, 0.5 * leaves / max(1, *depth.values()))
    return {node: (across[node], -layer * depth[node]) for node in graph}


def _along_a_bus(nodes: Sequence[Hashable], centre: Hashable) -> dict[Hashable, Point]:
    """On both sides of the bar, or above it if they are few."""
    above = nodes if len(nodes) <= 4 else nodes[: (len(nodes) + 1) // 2]
    below = nodes[len(above) :]
    points: dict[Hashable, Point] = {node: (float(place), 0.8) for place, node in enumerate(above)}
    points |= {node: (float(place), -0.8) for place, node in enumerate(below)}
    return {**points, centre: ((len(above) - 1) / 2, 0.0)}


def _stages(network: Network, graph: nx.Graph) -> Layout:
    """Processors at the left, switches stage by stage, and processors once more at the right, where they receive."""
    switches = [node for node in graph if network.is_switch(node)]
    processors = [node for node in graph if not network.is_switch(node)]
    columns: dict[Hashable, list[Hashable]] = {}
    for node in switches:
        columns.setdefault(node[0] if isinstance(node, tuple) else 1, []).append(node)
    height = float(len(processors) - 1)
    wide = max(1.5, 0.25 * len(processors))
    points: dict[Hashable, Point] = {node: (0.0, -float(place)) for place, node in enumerate(processors)}
    for number, column in enumerate(columns.values(), start=1):
        step = (height + 1) / len(column)
        points.update((node, (wide * number, -step * (place + 0.5) + 0.5)) for place, node in enumerate(column))
    last = wide * (len(columns) + 1)
    return Layout(points, graph, again={node: (last, points[node][1]) for node in processors})


def _springs(graph: nx.Graph) -> Mapping[Hashable, Point]:
    """As springs would hold them, scaled so that the mean link has length 1; the same every time."""
    found = nx.spring_layout(graph, seed=1, iterations=200)
    points = {node: (float(x), float(y)) for node, (x, y) in found.items()}
    lengths = [math.dist(points[u], points[v]) for u, v in graph.edges]
    scale = len(lengths) / sum(lengths) if lengths and sum(lengths) else 1.0
    return {node: (scale * x, scale * y) for node, (x, y) in points.items()}
