"""A crossbar: one switch that joins every processor to every other without conflicts on the way."""

import networkx as nx

from meshsim.topologies.ports import check_size

SWITCH = "crossbar"
"""The name of the switch element."""


def crossbar(n: int) -> nx.MultiGraph:
    """Return `n` processors around a crossbar switch.

    Messages of different senders to different receivers do not meet. Those to one receiver follow one another on its
    link, and so do those of one sender.

    Parameters
    ----------
    n : int
        Number of processors, at least 1.

    Returns
    -------
    networkx.MultiGraph
        Nodes 1..n, and ``"crossbar"`` with the attribute ``switch=True``; n links, of each processor to the switch,
        without ports: for programs that are placed on it.
    """
    n = check_size("number of processors", n)
    graph = nx.MultiGraph(name=f"crossbar({n})")
    graph.add_nodes_from(range(1, n + 1))
    graph.add_node(SWITCH, switch=True)
    graph.add_edges_from((i, SWITCH) for i in range(1, n + 1))
    return graph
