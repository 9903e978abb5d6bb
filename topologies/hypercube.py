"""Hypercubes, complete and incomplete."""

import networkx as nx

from meshsim.topologies.ports import add_link, check_size


def hypercube(dimension: int) -> nx.MultiGraph:
    """Return a binary cube of processors.

    Parameters
    ----------
    dimension : int
        At least 0; a cube of dimension 0 is one processor.

    Returns
    -------
    networkx.MultiGraph
        Nodes 0..2^dimension - 1; port ``"b"`` of a processor goes to port ``"b"`` of the one whose number
        differs in bit b alone. Routing: e-cube.
    """
    dimension = check_size("hypercube dimension", dimension, least=0)
    graph = nx.MultiGraph(name=f"hypercube({dimension})", routing="e-cube")
    graph.add_nodes_from(range(2**dimension))
    for node in range(2**dimension):
        for bit in range(dimension):
            if node < node ^ 1 << bit:
                add_link(graph, node, str(bit), node ^ 1 << bit, str(bit))
    return graph


def incomplete_hypercube(n: int) -> nx.MultiGraph:
    """Return the first `n` processors of a binary cube, and the links among them.

    Parameters
    ----------
    n : int
        Number of processors, at least 1.

    Returns
    -------
    networkx.MultiGraph
        Nodes 1..n; node i stands for corner i - 1 of the cube, and ports are named as in `hypercube`. Routing: e-cube
        if the cube is complete, else shortest.
    """
    n = check_size("number of processors", n)
    graph = nx.MultiGraph(name=f"incomplete-hypercube({n})", routing="shortest" if n & (n - 1) else "e-cube")
    graph.add_nodes_from(range(1, n + 1))
    for corner in range(n):
        for bit in range(corner.bit_length()):
            if corner >> bit & 1:
                add_link(graph, (corner ^ 1 << bit) + 1, str(bit), corner + 1, str(bit))
    return graph
