"""The generalised cube network of Siegel, stage by stage, with the conflicts that it has."""

import networkx as nx

from meshsim.topologies.multistage import multistage, stages_of


def multistage_cube(n: int) -> nx.MultiGraph:
    """Return `n` processors joined by a generalised cube network.

    An element of a stage has two lines whose numbers differ in one bit, and passes them straight or exchanges them. The
    first stage has the highest bit, the last one bit 0. `generalised_cube` is the same switch without its conflicts.

    Parameters
    ----------
    n : int
        Number of processors, a power of two, at least 2.

    Returns
    -------
    networkx.MultiGraph
        Nodes 0..n-1, then the switch elements (stage, i), stage by stage, stage = 1..log2 n, i = 0..n/2 - 1, with the
        attribute ``switch=True``; element i of a stage has the lines whose other bits are those of i. n (log2 n + 1)
        links of one direction each, without ports. Routing: destination-tag.
    """
    bits = stages_of(n)

    def element(stage: int, line: int) -> int:
        bit = bits - stage
        return line >> bit + 1 << bit | line & (1 << bit) - 1

    def output(stage: int, i: int, tag: int) -> int:
        bit = bits - stage
        return i >> bit << bit + 1 | tag << bit | i & (1 << bit) - 1

    return multistage(f"multistage-cube({n})", 1 << bits, element, output)
