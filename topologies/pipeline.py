"""Pipelines: processors in a row."""

import networkx as nx

from meshsim.topologies.ports import add_link, check_size


def pipeline(n: int) -> nx.MultiGraph:
    """Return a row of `n` processors, each joined to the next.

    Parameters
    ----------
    n : int
        Number of processors, at least 1.

    Returns
    -------
    networkx.MultiGraph
        Nodes 1..n, n-1 links: port ``east`` of i to port ``west`` of i+1.
    """
    n = check_size("pipeline length", n)
    graph = nx.MultiGraph(name=f"pipeline({n})")
    graph.add_nodes_from(range(1, n + 1))
    for i in range(1, n):
        add_link(graph, i, "east", i + 1, "west")
    return graph
