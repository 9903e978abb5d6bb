"""Programs placed on a network, as plain data: for the reference, for the engine, and for what is timed by hand."""

from dataclasses import dataclass
from itertools import combinations, pairwise, permutations


@dataclass(frozen=True)
class Costs:
    """The machine's numbers."""

    discipline: str
    startup: int = 0
    per_word: int = 0
    setup: int = 0
    receive: int = 0
    buffers: int = 1
    setups: str = "together"
    duplex: str = "full"
    switching: str = "store-and-forward"
    hop: int = 0
    routing: str = "router"
    router_buffers: int = 0
    switch: int = 0
    local_startup: int = 0
    local_per_word: int = 0


@dataclass(frozen=True)
class Net:
    """Nodes in order, edges (u, v, attributes), which nodes are switch elements, and routes as lists of nodes."""

    nodes: list
    edges: list
    routes: dict
    switches: frozenset = frozenset()


@dataclass(frozen=True)
class PlacedCase:
    """Programs as lists of steps, in node order, and all that the reference needs besides."""

    programs: dict
    net: Net
    placement: dict
    costs: Costs


def line(*nodes, **edge):
    """A pipeline, with the only routes that there are; `edge` are attributes of every edge."""
    routes = {}
    for u, v in permutations(range(len(nodes)), 2):
        routes[nodes[u], nodes[v]] = list(nodes[u : v + 1]) if u < v else list(nodes[v : u + 1][::-1])
    return Net(list(nodes), [(u, v, dict(edge)) for u, v in pairwise(nodes)], routes)


def one_way_ring(*nodes):
    """A ring whose messages all go the way of the nodes' order."""
    routes = {}
    for i, u in enumerate(nodes):
        onward = [*nodes[i:], *nodes[:i]]
        routes.update({(u, v): onward[: k + 1] for k, v in enumerate(onward) if k})
    return Net(list(nodes), [(u, v, {}) for u, v in pairwise([*nodes, nodes[0]])], routes)


def complete(programs):
    """A network on which each program has a processor of its own name, and a link to every other."""
    names = list(programs)
    edges = [(u, v, {}) for u, v in combinations(names, 2)]
    return Net(names, edges, {way: list(way) for way in permutations(names, 2)})
