"""Stars: one processor in the centre, the others joined to it alone."""

import networkx as nx

from meshsim.topologies.ports import check_size


def star(n: int) -> nx.MultiGraph:
    """Return `n` processors joined to a centre.

    Parameters
    ----------
    n : int
        Number of leaves, at least 1; the centre comes on top.

    Returns
    -------
    networkx.MultiGraph
        Nodes 0 (the centre) and 1..n, n links: port ``"i"`` of the centre to port ``centre`` of leaf i.
    """
    n = check_size("number of star leaves", n)
    graph = nx.MultiGraph(name=f"star({n})")
    for i in range(1, n + 1):
        graph.add_edge(0, i, ports={0: str(i), i: "centre"})  # add_link would look through all ports for each link
    return graph
