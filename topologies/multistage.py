"""Multistage networks: processors joined by stages of switch elements with two inputs and two outputs each.

A network of n = 2^m processors has n lines and m stages of n/2 elements. Processor p sends on line p, and receives on
line p behind the last stage. Links have one direction (edge attribute ``oneway``), from each stage to the next, so that
every message passes all stages. The output of an element that a message takes is a bit of its target's number, the
highest bit at the first stage: destination-tag routing. Two messages conflict where they need the same link.
"""

from collections.abc import Callable, Hashable

import networkx as nx

from meshsim.errors import MeshSimError
from meshsim.topologies.ports import check_size


def stages_of(n: object) -> int:
    """How many stages a multistage network of `n` processors has; an error if `n` is no power of two."""
    size = check_size("number of processors", n, least=2)
    if size & (size - 1):
        raise MeshSimError(f"number of processors must be a power of two, not {size}")
    return size.bit_length() - 1


def multistage(
    name: str, n: int, element: Callable[[int, int], int], output: Callable[[int, int, int], int]
) -> nx.MultiGraph:
    """Return processors joined by stages of switch elements.

    Parameters
    ----------
    name : str
        What the network is called in print.
    n : int
        Number of processors, a power of two.
    element : callable
        From a stage (1 to m) and a line that leads to it, to the number of the element that it enters.
    output : callable
        From a stage, an element and a tag (0 or 1), to the line that this output leads to.
    """
    stages = stages_of(n)
    graph = nx.MultiGraph(name=name, routing="destination-tag")
    graph.add_nodes_from(range(n))
    graph.add_nodes_from(((stage, i) for stage in range(1, stages + 1) for i in range(n // 2)), switch=True)
    for line in range(n):
        _lead(graph, line, (1, element(1, line)))
    for stage in range(1, stages + 1):
        for i in range(n // 2):
            for tag in (0, 1):
                line = output(stage, i, tag)
                _lead(graph, (stage, i), (stage + 1, element(stage + 1, line)) if stage < stages else line, tag=tag)
    return graph


def _lead(graph: nx.MultiGraph, source: Hashable, target: Hashable, **attributes: int) -> None:
    graph.add_edge(source, target, oneway=source, **attributes)
