"""A `PlacedCase` on the engine, and what came out in the words of the reference."""

import networkx as nx
from tools.engine import plan

from meshsim.machine import OPERATIONS, LinkCosts, LocalCosts, Machine
from meshsim.network import Network

LINK_COSTS = (
    "discipline startup per_word setup receive buffers setups duplex switching hop routing router_buffers".split()
)


def network_of(net):
    """The same network as the engine wants it, with all routes in its table."""
    graph = nx.Graph()
    graph.add_nodes_from((node, {"switch": True} if node in net.switches else {}) for node in net.nodes)
    graph.add_edges_from(net.edges)
    return Network(graph, table=net.routes)


def machine_of(costs):
    """The same machine; every operation takes a tick."""
    links = LinkCosts(**{name: getattr(costs, name) for name in LINK_COSTS})
    local = LocalCosts(costs.local_startup, costs.local_per_word)
    return Machine("test", 1, dict.fromkeys(OPERATIONS, 1), links, switch=costs.switch, local=local)
