"""Complete networks: every processor joined to every other."""

import networkx as nx

from meshsim.topologies.ports import check_size


def complete(n: int) -> nx.MultiGraph:
    """Return `n` processors, each joined to all others.

    Parameters
    ----------
    n : int
        Number of processors, at least 1.

    Returns
    -------
    networkx.MultiGraph
        Nodes 1..n, n(n-1)/2 links; a port is named for the processor at the other end.
    """
    n = check_size("number of processors", n)
    graph = nx.MultiGraph(name=f"complete({n})")
    graph.add_nodes_from(range(1, n + 1))
    for i in range(1, n + 1):
        for j in range(i + 1, n + 1):
            graph.add_edge(i, j, ports={i: str(j), j: str(i)})  # add_link would look through all ports for each link
    return graph
