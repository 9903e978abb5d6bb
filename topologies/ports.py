"""Links between named ports: what every family of networks is built with."""

from collections.abc import Hashable
from numbers import Integral

import networkx as nx

from meshsim.errors import MeshSimError
from meshsim.topology import check_ports

__all__ = ["add_link", "check_ports", "check_size", "link_count"]


def add_link(graph: nx.MultiGraph, u: Hashable, u_port: str, v: Hashable, v_port: str) -> None:
    """Join port `u_port` of processor `u` to port `v_port` of processor `v`.

    Parameters
    ----------
    graph : networkx.MultiGraph
        The network to add to; processors it lacks are added, `u` first.
    u, v : hashable
        Two different processors.
    u_port, v_port : str
        A port of each that no link uses yet.

    Raises
    ------
    MeshSimError
        If a port is taken, or if both ends are the same processor.
    """
    if u == v:
        raise MeshSimError(f"link {u!r} - {v!r} must join two processors, not one to itself")
    for node, port in ((u, u_port), (v, v_port)):
        if port in _ports_of(graph, node):
            raise MeshSimError(f"port {port!r} of {node!r} must be used once, not again by link {u!r} - {v!r}")
    graph.add_edge(u, v, ports={u: u_port, v: v_port})


def link_count(graph: nx.MultiGraph, node: Hashable) -> int:
    """Count the links of a processor.

    Parameters
    ----------
    graph : networkx.MultiGraph
        The network.
    node : hashable
        A processor of it.

    Returns
    -------
    int
        Links to other processors plus links that leave the network (node attribute ``external``).
    """
    return int(graph.degree(node)) + len(graph.nodes[node].get("external", ()))


def check_size(what: str, value: object, least: int = 1) -> int:
    """Refuse a size that is not an integer of at least `least`.

    Parameters
    ----------
    what : str
        What the size is, for the message: "pipeline length".
    value : object
        The size given; Python and numpy integers are integers, bools and floats are not.
    least : int
        The smallest size allowed.

    Returns
    -------
    int
        The size as a Python int, so that node names are Python ints too.

    Raises
    ------
    MeshSimError
        If it is refused.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        wanted = {0: "a non-negative integer", 1: "a positive integer"}.get(least, f"an integer >= {least}")
        raise MeshSimError(f"{what} must be {wanted}, not {value!r}")
    return int(value)


def _ports_of(graph: nx.MultiGraph, node: Hashable) -> set[str]:
    """The port names taken at a processor, links that leave the network included."""
    if node not in graph:
        return set()
    taken = {link["ports"][node] for links in graph.adj[node].values() for link in links.values()}
    return taken.union(graph.nodes[node].get("external", ()))
