"""The network of a run as a page draws it: where processors stand, the ways of links, who sends through which."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from meshsim.experiments.figures.link_curves import link_curves
from meshsim.experiments.figures.network_layout import Layout, hub, lay_out
from meshsim.network import Link, Network
from meshsim.outcome import Run
from meshsim.trace import label

Edge = tuple[Hashable, Hashable, int]
FINEST = 3
"""Decimals of a point; neighbours are about 1 apart."""


def scene(run: Run[Any]) -> dict[str, Any]:
    """The network of a run, and its channels."""
    network = run.network or Network(run.topology)
    found, edges = drawing(network, [core.node for core in run.cores])
    ends = [(c.sender.cpu.rank, c.sender.port, c.receiver.cpu.rank, c.receiver.port) for c in run.channels]
    return {**found, "channels": [[*each, route] for each, route in zip(ends, _routes(run, edges), strict=True)]}


def drawing(network: Network, processors: Sequence[Hashable]) -> tuple[dict[str, Any], list[Edge]]:
    """Nodes, links and what else is drawn of a network, processors in their order; and the edges of the links."""
    layout = lay_out(network)
    ways = _ways(network, layout)
    found = {
        "nodes": _nodes(processors, network, layout),
        "nearest": round(layout.nearest, FINEST),
        "links": list(ways.values()),
        "hubs": [{"label": str(node[1]), **_at(point)} for node, point in _hubs(network, layout)],
        "bar": layout.bar,
        "titles": [{"label": part, **_at(point)} for part, point in layout.titles.items()],
    }
    return found, list(ways)


def _at(point: Sequence[float]) -> dict[str, float]:
    return {"x": round(point[0], FINEST), "y": round(-point[1], FINEST)}  # down, as on a screen


def _hubs(network: Network, layout: Layout) -> list[tuple[Any, Sequence[float]]]:
    buses = dict.fromkeys(bus for _, _, bus in network.graph.edges(data="bus") if bus is not None)
    return [(hub(bus), layout.points[hub(bus)]) for bus in buses]


def _nodes(processors: Sequence[Hashable], network: Network, layout: Layout) -> list[dict[str, Any]]:
    """Processors in their order, then switch elements."""
    others = [node for node in network.graph if node not in set(processors)]
    nodes = []
    for node in [*processors, *others]:
        known: dict[str, Any] = {"label": label(node), **_at(layout.points[node])}
        if layout.titles and isinstance(node, tuple):  # its part is named above
            known["short"] = label(node[1])
        if network.is_switch(node):
            known["switch"] = True
        if node in network.dead:
            known["dead"] = True
        if node in layout.again:
            known["again"] = _at(layout.again[node])
        nodes.append(known)
    return nodes


def _ways(network: Network, layout: Layout) -> Mapping[Edge, list[list[float]]]:
    """The points that each link passes, by edge."""
    graph = network.graph
    keyed = graph.edges(keys=True) if graph.is_multigraph() else ((u, v, 0) for u, v in graph.edges)
    curves = link_curves(layout, network)
    return {edge: [[round(x, FINEST), round(-y, FINEST)] for x, y in curves[Link(*edge)]] for edge in keyed}


def _routes(run: Run[Any], edges: Sequence[Edge]) -> list[list[int]]:
    """The links on the way of each channel, from 1 on; negative against the way in which an edge is written."""
    if run.network is None:  # every edge is two channels
        senders = [channel.sender.cpu.node for channel in run.channels]
        return [[n // 2 + 1 if edges[n // 2][0] == node else -(n // 2 + 1)] for n, node in enumerate(senders)]
    order = {edge: number for number, edge in enumerate(edges, start=1)}
    return [[_signed(link, order) for link in channel.path] for channel in run.channels]


def _signed(link: Link, order: Mapping[Any, int]) -> int:
    along = order.get((link.source, link.target, link.key))
    return -order[link.target, link.source, link.key] if along is None else along
