"""Schemes whose cubes are switches with stages: what they lose where two messages need the same link of a switch.

`lee-chang` runs on generalised cubes. Its own network joins every two processors of a cube by a link of their own, so
that messages never meet. Here each cube becomes a switch (`multistage-cube`, `omega` or `crossbar`), with one processor
at each terminal; all other links, those of the solver among them, stay as they are. So a plan keeps a processor for
each program, and the difference in time is the switch's.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any, TypeVar

import networkx as nx

from meshsim.errors import MeshSimError
from meshsim.machine import Machine
from meshsim.network import Network
from meshsim.plan import Plan
from meshsim.topologies.named import load_network

T = TypeVar("T")

CUBES = ("M", "h")
"""The parts of a rival's topology that are cubes."""
SWITCHES = ("multistage-cube", "omega", "crossbar")
ORDERS = ("in order", "reverse", "bits reversed")
"""How processors are numbered at the terminals; a number is the seed of a shuffle."""


@dataclass(frozen=True)
class Switched:
    """A plan whose cubes are switches, run on a machine.

    Attributes
    ----------
    ticks : int
        When it finishes.
    conflicts, waited : int
        How often a message found a link of a switch busy, and for how many ticks messages waited in all.
    """

    ticks: int
    conflicts: int
    waited: int


def terminals(n: int, order: str | int = ORDERS[0]) -> list[int]:
    """The terminal, from 0, of each of `n` processors around a switch that has as many or the next power of two."""
    size = 1 << (n - 1).bit_length()
    found = list(range(size))
    if isinstance(order, int):
        Random(order).shuffle(found)
    elif order == "reverse":
        found.reverse()
    elif order == "bits reversed":
        bits = size.bit_length() - 1
        found = [int(f"{terminal:0{bits}b}"[::-1], 2) if bits else 0 for terminal in found]
    elif order != ORDERS[0]:
        raise MeshSimError(f"order of terminals must be one of {', '.join(ORDERS)} or a seed, not {order!r}")
    return found[:n]


def last_first(plan: Plan[T]) -> Plan[T]:
    """The same plan with its nodes in reverse order, by which ties are broken."""
    topology = nx.MultiGraph(**plan.topology.graph)
    topology.add_nodes_from(reversed(list(plan.topology.nodes(data=True))))
    topology.add_edges_from(plan.topology.edges(data=True))
    return replace(plan, topology=topology)


def behind_switches(plan: Plan[T], family: str, hop: int = 0, order: str | int = ORDERS[0]) -> Plan[T]:
    """Put a switch in place of the links inside each of a plan's cubes.

    Parameters
    ----------
    plan : Plan
        Of a rival: its nodes are pairs of a part, some of them `CUBES`, and a processor.
    family : str
        One of `SWITCHES`.
    hop : int
        Ticks for each switch element that a message passes; with 0 a pass costs as a link.
    order : str or int
        Which processor has which terminal: one of `ORDERS`, or the seed of a shuffle.

    Returns
    -------
    Plan
        The same programs, each on a processor of its own.
    """
    graph = nx.MultiGraph(name=f"{family} in place of links")
    graph.add_nodes_from(plan.topology)
    for u, v, data in plan.topology.edges(data=True):
        if u[0] != v[0] or u[0] not in CUBES:
            graph.add_edge(u, v, **data)
    table: dict[tuple[Any, Any], list[Any]] = {}
    for cube in CUBES:
        members = [node for node in plan.topology if node[0] == cube]
        if len(members) > 1:
            _add_switch(graph, table, family, hop, members, terminals(len(members), order))
    return plan.placed(Network(graph, table=table), {node: node for node in plan.topology})


def _add_switch(
    graph: nx.MultiGraph,
    table: dict[tuple[Any, Any], list[Any]],
    family: str,
    hop: int,
    members: Sequence[tuple[str, int]],
    places: Sequence[int],
) -> None:
    """Join processors by a switch, and note the routes through it; terminals without a processor stay out."""
    switch = _switch(family, 1 << (len(members) - 1).bit_length())
    nodes = dict(zip((switch.processors[place] for place in places), members, strict=True))
    names: dict[Hashable, Hashable] = {**nodes}
    for node in filter(switch.is_switch, switch.graph):
        names[node] = ("switch", members[0][0], node)
        graph.add_node(names[node], switch=True)
    for u, v, data in switch.graph.edges(data=True):
        if u in names and v in names:
            oneway = {"oneway": names[data["oneway"]]} if "oneway" in data else {}
            graph.add_edge(names[u], names[v], hop=hop, **oneway)
    for source, sender in nodes.items():
        for target, receiver in nodes.items():
            if source != target:
                links = switch.route(source, target)
                table[sender, receiver] = [sender, *(names[link.target] for link in links)]


@lru_cache(maxsize=32)
def _switch(family: str, size: int) -> Network:
    if family not in SWITCHES:
        raise MeshSimError(f"switch must be one of {', '.join(SWITCHES)}, not {family!r}")
    return load_network(f"{family}:{size}")


def switched(plan: Plan[Any], machine: Machine, family: str, hop: int = 0, order: str | int = ORDERS[0]) -> Switched:
    """Run a plan behind switches; see `behind_switches`."""
    run = behind_switches(plan, family, hop, order).run(machine, trace=False)
    return Switched(run.ticks, run.conflicts, sum(load.waited for load in run.loads))
