"""What a network of processors looks like, for those who bring their own.

A topology is a plain undirected `networkx.Graph` or `networkx.MultiGraph`: a node is a processor, an edge is
a link between two processors. Two processors may share several links (then use a `MultiGraph`); a link never
joins a processor to itself. The attributes that matter:

edge attribute ``ports`` (required)
    A dict with the link's two end nodes as keys and, for each, the name of the port the link uses there. A
    program on that processor sends and receives by this name. Names are non-empty strings, and a processor's
    names are distinct.
edge attribute ``bus`` (optional)
    The name of a bus. All links with one name share a wire that carries one transfer at a time, first come, first
    served, ties by node order. The ends of such a link are ports like any other.
node attribute ``external`` (optional)
    A tuple of names of links that leave the network, to a host or a control computer. They count among the
    processor's links, and their names differ from its ports, but no program can use them.
graph attribute ``name`` (optional)
    What the network is called in print.

The order in which nodes were added is the order that breaks ties between events of the same tick.

>>> import networkx as nx
>>> pair = nx.MultiGraph(name="pair")
>>> _ = pair.add_edge("left", "right", ports={"left": "east", "right": "west"})
>>> check_ports(pair)
"""

from collections.abc import Hashable

import networkx as nx

from meshsim.errors import MeshSimError


def check_ports(graph: nx.Graph) -> None:
    """Refuse a graph that is not a topology as this module describes it.

    Parameters
    ----------
    graph : networkx.Graph or networkx.MultiGraph
        The network; at least one node, links optional.

    Raises
    ------
    MeshSimError
        If it is not; the message names the link or the processor.
    """
    if not isinstance(graph, nx.Graph) or graph.is_directed():
        raise MeshSimError(f"topology must be an undirected networkx graph, not a {type(graph).__name__}")
    if len(graph) == 0:
        raise MeshSimError("topology must have at least one processor, not 0")
    used = {node: _external_names(node, data) for node, data in graph.nodes(data=True)}
    for u, v, data in graph.edges(data=True):
        link = f"link {u!r} - {v!r}"
        if u == v:
            raise MeshSimError(f"{link} must join two processors, not one to itself")
        ports = data.get("ports")
        if not isinstance(ports, dict) or set(ports) != {u, v}:
            raise MeshSimError(f"ports of {link} must be a dict with its two ends as keys, not {ports!r}")
        if "bus" in data:
            _check_name(f"bus of {link}", data["bus"])
        for node in (u, v):
            port = ports[node]
            _check_name(f"port of {link} at {node!r}", port)
            if port in used[node]:
                raise MeshSimError(f"port {port!r} of {node!r} must be used once, not again by {link}")
            used[node].add(port)


def _external_names(node: Hashable, data: dict[str, object]) -> set[str]:
    """The names of a processor's links that leave the network."""
    names = data.get("external", ())
    if not isinstance(names, tuple):
        raise MeshSimError(f"external of {node!r} must be a tuple of names, not {names!r}")
    for name in names:
        _check_name(f"external link of {node!r}", name)
    if len(set(names)) < len(names):
        raise MeshSimError(f"external of {node!r} must be distinct names, not {names!r}")
    return set(names)


def _check_name(what: str, name: object) -> None:
    if not isinstance(name, str) or not name:
        raise MeshSimError(f"{what} must be a non-empty string, not {name!r}")
