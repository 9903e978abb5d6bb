"""Hypercubes."""

import networkx as nx

from topologies.ports import add_link, check_size


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
        differs in bit b alone.
    """
    dimension = check_size("hypercube dimension", dimension, least=0)
    graph = nx.MultiGraph(name=f"hypercube({dimension})")
    graph.add_nodes_from(range(2**dimension))
    for node in range(2**dimension):
        for bit in range(dimension):
            if node < node ^ 1 << bit:
                add_link(graph, node, str(bit), node ^ 1 << bit, str(bit))
    return graph
