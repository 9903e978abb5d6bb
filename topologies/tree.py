"""Complete binary trees."""

import networkx as nx

from meshsim.topologies.ports import add_link, check_size


def binary_tree(levels: int) -> nx.MultiGraph:
    """Return a complete binary tree of processors.

    Parameters
    ----------
    levels : int
        Number of levels, at least 1; one level is the root alone.

    Returns
    -------
    networkx.MultiGraph
        Nodes 1..2^levels - 1, level by level, the children of i being 2i and 2i+1; ports ``left`` and
        ``right`` of a processor go to port ``parent`` of its children. Routing: up-down.
    """
    levels = check_size("number of tree levels", levels)
    graph = nx.MultiGraph(name=f"binary-tree({levels})", routing="up-down")
    graph.add_nodes_from(range(1, 2**levels))
    for i in range(1, 2 ** (levels - 1)):
        add_link(graph, i, "left", 2 * i, "parent")
        add_link(graph, i, "right", 2 * i + 1, "parent")
    return graph
