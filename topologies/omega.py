"""The omega network of Lawrie: a perfect shuffle of the lines before each of its stages."""

import networkx as nx

from meshsim.topologies.multistage import multistage, stages_of


def omega(n: int) -> nx.MultiGraph:
    """Return `n` processors joined by an omega network.

    Before each stage lines are shuffled as a deck of cards is: line l goes to the place of l rotated left by one bit.
    Places 2i and 2i + 1 are the inputs of element i, and its outputs are the lines 2i and 2i + 1.

    Parameters
    ----------
    n : int
        Number of processors, a power of two, at least 2.

    Returns
    -------
    networkx.MultiGraph
        Nodes 0..n-1, then the switch elements (stage, i), stage by stage, stage = 1..log2 n, i = 0..n/2 - 1, with the
        attribute ``switch=True``; n (log2 n + 1) links of one direction each, without ports. Routing: destination-tag.
    """
    bits = stages_of(n)

    def element(_stage: int, line: int) -> int:
        shuffled = (line << 1 | line >> bits - 1) & (1 << bits) - 1
        return shuffled >> 1

    def output(_stage: int, i: int, tag: int) -> int:
        return i << 1 | tag

    return multistage(f"omega({n})", 1 << bits, element, output)
