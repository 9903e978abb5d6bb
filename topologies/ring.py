"""Rings: a pipeline whose last processor is joined to its first."""

import networkx as nx

from meshsim.topologies.ports import add_link, check_size


def ring(n: int) -> nx.MultiGraph:
    """Return a closed row of `n` processors.

    Parameters
    ----------
    n : int
        Number of processors, at least 2. Two processors share two links.

    Returns
    -------
    networkx.MultiGraph
        Nodes 1..n, n links: port ``east`` of i to port ``west`` of i+1, and of n to 1.
    """
    n = check_size("ring size", n, least=2)
    graph = nx.MultiGraph(name=f"ring({n})")
    graph.add_nodes_from(range(1, n + 1))
    for i in range(1, n + 1):
        add_link(graph, i, "east", i % n + 1, "west")
    return graph
