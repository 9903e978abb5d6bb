"""The generalised cube network of Lee and Chang."""

import networkx as nx

from topologies.complete import complete


def generalised_cube(n: int) -> nx.MultiGraph:
    """Return `n` processors around a multistage switch that can join each to any other.

    The switch serves one shift at a time: in a pass processor i sends to i + s, for one s. That is a promise of the
    programs; the graph shows every pair that some pass joins. A pass costs as a link does.

    Parameters
    ----------
    n : int
        Number of processors, at least 1.

    Returns
    -------
    networkx.MultiGraph
        Nodes and ports of `complete`.
    """
    graph = complete(n)
    graph.graph["name"] = f"generalised-cube({n})"
    return graph
