"""The generalised cube network of Lee and Chang."""

import networkx as nx

from meshsim.topologies.complete import complete


def generalised_cube(n: int) -> nx.MultiGraph:
    """Return `n` processors around a multistage switch that can join each to any other.

    The switch serves one shift a pass: processor i sends to i + s, for one s. The graph shows every pair that some pass
    joins; in each of their steps programs use one shift, but passes may overlap in time where links have buffers. A
    pass costs as a link does, whatever its stages. `multistage_cube` has the stages, and their conflicts.

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
