"""Two triangles, one below the other: the array of Faddeev's augmented elimination (Wong sec. 4.5)."""

import networkx as nx

from meshsim.topologies.mesh import link_neighbours
from meshsim.topologies.ports import add_link, check_size


def faddeev_array(n: int) -> nx.MultiGraph:
    """Return the array that eliminates [A b; -I 0].

    Parameters
    ----------
    n : int
        Number of unknowns, at least 1.

    Returns
    -------
    networkx.MultiGraph
        Nodes (k, i), row by row: for the rows of A those of `solver_array`, k = 1..n, i = k..n+1; for row j of -I
        those of row n+j, i = j+1..n+1: n(n+1)/2 + n + n(n+1)/2 processors. Mesh links in each triangle;
        and the bottom of each column i > 1 of the first, (i, i) or (n, n+1), is joined ``south`` to ``north``
        to the top of the same column of the second, (n+1, i). None has more than four links.
    """
    n = check_size("number of unknowns", n)
    graph = nx.MultiGraph(name=f"faddeev-array({n})")
    graph.add_nodes_from((k, i) for k in range(1, n + 1) for i in range(k, n + 2))
    graph.add_nodes_from((n + j, i) for j in range(1, n + 1) for i in range(j + 1, n + 2))
    link_neighbours(graph)  # columns n and n + 1 of the two triangles are neighbours already
    for i in range(2, n):
        add_link(graph, (i, i), "south", (n + 1, i), "north")
    return graph
