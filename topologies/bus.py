"""A bus: one wire that joins all processors and carries one message at a time."""

import networkx as nx

from meshsim.topologies.complete import complete


def bus(n: int) -> nx.MultiGraph:
    """Return `n` processors on one bus.

    Parameters
    ----------
    n : int
        Number of processors, at least 1.

    Returns
    -------
    networkx.MultiGraph
        Nodes and ports of `complete`; all links have the attribute ``bus="bus"``, so that they share one wire.
    """
    graph = complete(n)
    graph.graph["name"] = f"bus({n})"
    nx.set_edge_attributes(graph, "bus", "bus")
    return graph
