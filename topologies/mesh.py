"""Rectangular meshes, open and wrapped. Row 1 is north, column 1 is west."""

import networkx as nx

from meshsim.topologies.ports import add_link, check_size


def square_mesh(rows: int, columns: int) -> nx.MultiGraph:
    """Return a rectangle of processors, each joined to its four neighbours.

    Parameters
    ----------
    rows, columns : int
        At least 1 each.

    Returns
    -------
    networkx.MultiGraph
        Nodes (r, c), row by row, r = 1..rows, c = 1..columns; rows (columns-1) + columns (rows-1) links
        between ports ``east`` and ``west``, ``south`` and ``north``. Routing: dimension-order.
    """
    rows, columns = check_size("mesh rows", rows), check_size("mesh columns", columns)
    graph = nx.MultiGraph(name=f"square-mesh({rows}, {columns})", routing="dimension-order")
    graph.add_nodes_from((r, c) for r in range(1, rows + 1) for c in range(1, columns + 1))
    link_neighbours(graph)
    return graph


def torus(rows: int, columns: int) -> nx.MultiGraph:
    """Return a mesh whose every row and every column is closed to a ring.

    Parameters
    ----------
    rows, columns : int
        At least 2 each. Along a side of 2, neighbours share two links.

    Returns
    -------
    networkx.MultiGraph
        Nodes as in `square_mesh`; 2 rows columns links; every processor has all four ports linked.
    """
    rows, columns = check_size("torus rows", rows, least=2), check_size("torus columns", columns, least=2)
    graph = square_mesh(rows, columns)
    graph.graph["name"] = f"torus({rows}, {columns})"
    for r in range(1, rows + 1):
        add_link(graph, (r, columns), "east", (r, 1), "west")
    for c in range(1, columns + 1):
        add_link(graph, (rows, c), "south", (1, c), "north")
    return graph


def link_neighbours(graph: nx.MultiGraph) -> None:
    """Join each (r, c) to (r, c+1), east to west, and to (r+1, c), south to north, where they exist.

    Parameters
    ----------
    graph : networkx.MultiGraph
        A graph with pairs of integers as nodes and no links yet.
    """
    for r, c in graph:
        if (r, c + 1) in graph:
            add_link(graph, (r, c), "east", (r, c + 1), "west")
        if (r + 1, c) in graph:
            add_link(graph, (r, c), "south", (r + 1, c), "north")
