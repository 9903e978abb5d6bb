"""Placements: on which processor of a network each program of a plan runs.

By name, they follow node order and the names of nodes alone; `auto_placement.py` looks at work and traffic.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from itertools import accumulate
from os import PathLike
from typing import Any

import networkx as nx

from meshsim.errors import MeshSimError
from meshsim.network import Network
from meshsim.nodes import NodeTexts
from meshsim.reading import load_json, naming, shown, table
from meshsim.trace import label

Placement = Mapping[Hashable, Hashable]
"""The processor of each node of a plan's topology."""


def place(
    topology: nx.Graph,
    programs: Collection[Hashable],
    network: Network,
    placement: str | Placement,
    processors: int | None = None,
) -> Placement:
    """Place the nodes of a plan's topology on processors of a network.

    Parameters
    ----------
    topology : networkx.Graph
        The plan's own network; its node order is the order of the programs.
    programs : collection of nodes
        The nodes that have a program. The others do nothing: each goes where the node before it went.
    network : Network
        Where they are to run.
    placement : str or mapping
        One of `NAMED`, or the processor of each node that has a program.
    processors : int, optional
        Use only so many processors, the first ones of the network; all of them if not told.

    Returns
    -------
    Placement
        The processor of every node of the topology, in node order.

    Raises
    ------
    MeshSimError
        If the name is unknown, there are not so many processors, or a program or its processor is missing.
    """
    able = first_processors(network, processors)
    busy = [node for node in topology if node in programs]
    if isinstance(placement, str):
        if placement == "auto":
            raise MeshSimError(
                "placement auto must be told the machine, since it weighs work against words: machine=..."
            )
        if placement not in NAMED:
            raise MeshSimError(f"placement must be {', '.join(NAMED)}, auto or a mapping, not {placement!r}")
        found = NAMED[placement](busy, able)
    elif isinstance(placement, Mapping):
        found = placement
    else:
        raise MeshSimError(f"placement must be a name or a mapping, not {placement!r}")
    _check(topology, busy, network, able, found)
    return _with_idle_nodes(topology, found, able[0])


def first_processors(network: Network, processors: int | None) -> tuple[Hashable, ...]:
    """The first so many processors of a network, all if not told."""
    if not isinstance(network, Network):
        raise MeshSimError(f'network must be a Network, such as load_network("ring:4") makes, not {network!r}')
    able = network.processors
    if processors is None:
        return able
    if isinstance(processors, bool) or not isinstance(processors, int) or not 1 <= processors <= len(able):
        raise MeshSimError(
            f"processors must be a whole number from 1 to {len(able)}, all that {network.name} has, not {processors!r}"
        )
    return able[:processors]


def _check(
    topology: nx.Graph, busy: Iterable[Hashable], network: Network, able: Collection[Hashable], found: Placement
) -> None:
    """Refuse a placement that lacks a program, or names what is not there."""
    for node in busy:
        if node not in found:
            raise MeshSimError(f"placement must have a processor for every program, not lack {label(node)}")
    usable = set(able)
    for node, processor in found.items():
        if node not in topology:
            raise MeshSimError(f"placement must place nodes of the plan's topology, not {node!r}")
        if not isinstance(processor, Hashable) or processor not in usable:
            raise MeshSimError(
                f"processor of {label(node)} must be one that {network.name} has to offer, "
                f"not {_why_not(network, processor)}"
            )


def _why_not(network: Network, processor: Hashable) -> str:
    """What is wrong with a processor that no program can have."""
    if not isinstance(processor, Hashable) or processor not in network.graph:
        return f"{processor!r}, which it has not"
    if network.is_switch(processor):
        return f"{label(processor)}, which is a switch element and runs no programs"
    if processor in network.processors:
        return f"{label(processor)}, which is not among the first ones that may be used"
    return f"{label(processor)}, which is dead"


def _with_idle_nodes(topology: nx.Graph, found: Placement, first: Hashable) -> Placement:
    """Every node in node order; one that was not placed, and has no program, goes where the one before it went."""
    placed: dict[Hashable, Hashable] = {}
    last = first
    for node in topology:
        last = placed[node] = found.get(node, last)
    return placed


# By name


def _identity(nodes: Sequence[Hashable], processors: Sequence[Hashable]) -> Placement:
    able = set(processors)
    for node in nodes:
        if node not in able:
            others = ", ".join(name for name in NAMED if name != "identity")
            raise MeshSimError(
                f"placement identity must find a processor with the name of each program, not miss {label(node)}; "
                f"{others} or auto would do"
            )
    return {node: node for node in nodes}


def _blocks(nodes: Sequence[Hashable], processors: Sequence[Hashable]) -> Placement:
    return _deal([[node] for node in nodes], processors)


def _snake(nodes: Sequence[Hashable], processors: Sequence[Hashable]) -> Placement:
    return _blocks(nodes, _boustrophedon(processors))


def _round_robin(nodes: Sequence[Hashable], processors: Sequence[Hashable]) -> Placement:
    return {node: processors[number % len(processors)] for number, node in enumerate(nodes)}


def _rows(nodes: Sequence[Hashable], processors: Sequence[Hashable]) -> Placement:
    return _deal(_alike(nodes, 0), processors)


def _columns(nodes: Sequence[Hashable], processors: Sequence[Hashable]) -> Placement:
    return _deal(_alike(nodes, 1), processors)


NAMED: Mapping[str, Callable[[Sequence[Hashable], Sequence[Hashable]], Placement]] = {
    "identity": _identity,
    "rows": _rows,
    "columns": _columns,
    "blocks": _blocks,
    "snake": _snake,
    "round-robin": _round_robin,
}
"""The placements that need no more than names and node order."""
PLACEMENTS = (*NAMED, "auto")
"""The names of all placements."""


def pair_of(node: Hashable) -> tuple[int, int] | None:
    """Row and column of a node: (1, 2) of (1, 2), and of ("M", (1, 2)); None if it has none."""
    if isinstance(node, tuple) and len(node) == 2 and all(type(part) is int for part in node):
        return node
    return pair_of(node[-1]) if isinstance(node, tuple) and node else None


def _alike(nodes: Iterable[Hashable], part: int) -> list[list[Hashable]]:
    """Nodes with the same row (part 0) or column (part 1) together, in node order of the first of each."""
    groups: dict[Any, list[Hashable]] = {}
    for node in nodes:
        pair = pair_of(node)
        groups.setdefault(("alone", node) if pair is None else pair[part], []).append(node)
    return list(groups.values())


def _boustrophedon(processors: Sequence[Hashable]) -> Sequence[Hashable]:
    """Row by row, every second one backwards, so that neighbours follow one another; as they are without rows."""
    if any(pair_of(processor) is None for processor in processors):
        return processors
    rows = _alike(processors, 0)
    return [each for number, row in enumerate(rows) for each in (reversed(row) if number % 2 else row)]


def _deal(groups: Sequence[Sequence[Hashable]], processors: Sequence[Hashable]) -> Placement:
    """Whole groups, consecutive ones on consecutive processors, as equal in number of nodes as can be."""
    placed: dict[Hashable, Hashable] = {}
    start = 0
    for processor, end in zip(processors, _ends([len(group) for group in groups], len(processors)), strict=False):
        placed.update((node, processor) for group in groups[start:end] for node in group)
        start = end
    return placed


def _ends(sizes: Sequence[int], parts: int) -> Iterable[int]:
    """Where each part of consecutive groups ends: at its share of what is left, if the others can bear the rest."""
    parts = min(parts, len(sizes))
    most = max(max(sizes), -(-sum(sizes) // parts)) if sizes else 0
    while _needed(sizes, most) > parts:
        most += 1
    before = [0, *accumulate(sizes)]
    start = 0
    for others in range(parts - 1, -1, -1):
        share = -((before[start] - before[-1]) // (others + 1))  # rounded up
        end = start + 1
        while end < len(sizes) - others and (
            before[end + 1] - before[start] <= share or _needed(sizes[end:], most) > others
        ):
            end += 1
        yield end
        start = end


def _needed(sizes: Iterable[int], most: int) -> int:
    """How many parts it takes if none may have more than so many."""
    parts, room = 0, 0
    for size in sizes:
        if size > room:
            parts, room = parts + 1, most
        room -= size
    return parts


# From a file


def read_placement(path: str | PathLike[str], topology: nx.Graph, network: Network) -> Placement:
    """Read a placement from a JSON file.

    Parameters
    ----------
    path : str or path
        A file with one object: the name of a program's node for each key, of a processor for each value, as they
        appear in print: "(1, 2)", "3", "M (1,2)". Spaces do not matter.
    topology : networkx.Graph
        The plan's own network.
    network : Network
        Where the programs are to run.

    Returns
    -------
    Placement
        The processor of each node that the file names; `place` checks that none is missing.

    Raises
    ------
    MeshSimError
        If the file is no such object, or names something that is not there.
    """
    with naming(path):
        data = table("the placement", load_json(path, "placement file"), kind="an object of programs and processors")
        return from_texts(data, topology, network)


def from_texts(texts: Mapping[str, object], topology: nx.Graph, network: Network) -> Placement:
    """A placement from the names of programs and processors, as `read_placement` takes them."""
    nodes = NodeTexts(topology, "program of the plan")
    processors = NodeTexts(network.graph, f"processor of {network.name}")
    found: dict[Hashable, Hashable] = {}
    for key, value in texts.items():
        node = nodes.find(key)
        if node in found:
            raise MeshSimError(f"program {label(node)} must appear once, not again as {shown(key)}")
        found[node] = processors.find(value)
    return found


def as_texts(placement: Placement) -> dict[str, str]:
    """A placement as `read_placement` reads it: names as they appear in print."""
    found = {label(node): label(processor) for node, processor in placement.items()}
    if len(found) < len(placement) or len(set(found.values())) < len(set(placement.values())):
        raise MeshSimError("programs and processors must have different names in print to be written to a file")
    return found
