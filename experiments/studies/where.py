"""Where a plan runs, as a user says it: a network, how many of its processors, and a placement."""

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral
from os import PathLike, fspath, stat
from os.path import isfile
from typing import Any, TypeAlias, TypeVar

import networkx as nx

from meshsim.errors import MeshSimError
from meshsim.experiments.store.progress import tell
from meshsim.machine import Machine
from meshsim.network import Network
from meshsim.nodes import as_dead
from meshsim.placement import NAMED, PLACEMENTS, first_processors, read_placement
from meshsim.plan import Plan
from meshsim.reading import load_json, naming
from meshsim.recording import Recording
from meshsim.retiming import NotKahnError, check_kahn
from meshsim.topologies.named import dead_things, load_network

T = TypeVar("T")

NetworkLike: TypeAlias = str | PathLike[str] | Network | nx.Graph
PlacementLike = str | PathLike[str] | Mapping[Any, Hashable]
Dead = str | Sequence[Hashable]

AUTO = "auto"
FAMILY = "square-mesh"
"""Of which the network is where only a number of processors is told."""
NO_NETWORK = "a placement, or what is dead, must be told with a network or a number of processors"


@dataclass(frozen=True)
class Location:
    """Where the programs of a plan were placed.

    Attributes
    ----------
    network : str
        What the network is called.
    placement : str
        What the placement is called: its name or its file; nothing if it was told program by program.
    programs, used, processors : int
        How many programs there are, how many processors have one, and how many there are.
    """

    network: str
    placement: str
    programs: int
    used: int
    processors: int

    def __str__(self) -> str:
        """For example: on square-mesh(4, 4): 28 programs on 16 processors by auto placement."""
        which = f"{self.used} of {self.processors}" if self.used < self.processors else str(self.used)
        how = f"by {self.placement} placement" if self.placement in PLACEMENTS else f"as {self.placement or 'you'} told"
        return (
            f"on {self.network}: {self.programs} program{'s' if self.programs > 1 else ''} on {which} "
            f"processor{'s' if self.processors > 1 else ''} {how}"
        )


@dataclass(frozen=True)
class Where:
    """A network and a placement; by default a scheme's own network, with every program on a processor of its own.

    Attributes
    ----------
    network : str, Network or None
        What `load_network` takes, or a network. None: the square mesh with so many processors, if those are told.
    processors : int or None
        How many processors may be used: all that there are, unless told. A network named without a size has so many.
    placement : str or mapping
        One of `PLACEMENTS`, a JSON file, or the processor of each program.
    dead : tuple
        Processors, and links as two processors with a hyphen, that do not work.
    """

    network: str | Network | None = None
    processors: int | None = None
    placement: str | Mapping[Any, Hashable] = AUTO
    dead: tuple[Hashable, ...] = ()

    def __bool__(self) -> bool:
        """Whether it is anywhere else than a scheme's own network."""
        return self.network is not None or self.processors is not None

    def __post_init__(self) -> None:
        if not self and (self.placement != AUTO or self.dead):
            raise MeshSimError(NO_NETWORK)

    def load(self) -> Network:
        """The network."""
        if isinstance(self.network, Network):
            return self.network
        text = FAMILY if self.network is None else self.network
        return _loaded(text, self.processors, self.dead, _version(text))

    @property
    def own(self) -> bool:
        """Whether the placement is of one plan's programs alone: told one by one, or by their names."""
        return bool(self) and (self.placement not in PLACEMENTS or self.placement == "identity")

    def usable(self) -> tuple[Network, int | None]:
        """The network, and how many of its processors may be used: all if not told. Refuses more than there are."""
        network, count = self.load(), self.processors
        if count is not None and self.dead:
            there = sum(not network.is_switch(node) for node in network.graph)
            count = min(count, len(network.processors)) if count <= there else count  # those that live
        first_processors(network, count)
        return network, count

    @property
    def count(self) -> int:
        """How many processors may be used."""
        network, count = self.usable()
        return len(network.processors) if count is None else count

    def placed(self, plan: Plan[T], machine: Machine) -> Plan[T]:
        """A plan, placed here; a machine matters where the placement is found by its costs."""
        if not self:
            return plan
        network, count = self.usable()
        told = self.placement
        if told == AUTO:
            from meshsim.auto_placement import auto_placement  # here, since scipy takes as long to import as all else

            told = auto_placement(plan, network, machine, count, tell=tell)
        elif isinstance(told, str | PathLike) and told not in NAMED:
            read = read_placement(told, plan.topology, network)
            with naming(told):
                return plan.placed(network, read, processors=count)
        return plan.placed(network, told, processors=count)

    def location(self, plan: Plan[Any]) -> Location | None:
        """Where a plan's programs are; None if they are on their own network."""
        if plan.placement is None:
            return None
        network, places = plan.placement.network, plan.placement.places
        name = fspath(self.placement) if isinstance(self.placement, str | PathLike) else ""
        used = {places[node] for node in plan.programs}
        return Location(network.name, name, len(plan.programs), len(used), len(network.processors))

    @property
    def identity(self) -> dict[str, Any]:
        """What tells it from others, in folders of results: files by what they hold; nothing of an own network."""
        if not self:
            return {}
        network, _ = self.usable()
        graph = network.graph
        parts = [*graph.nodes(data=True)], [*graph.edges(data=True)], network.routing, network.dead, {**network.table}
        placement: Any = self.placement
        if isinstance(placement, Mapping):
            placement = [[repr(node), repr(processor)] for node, processor in placement.items()]
        elif placement not in PLACEMENTS:
            with naming(placement):
                placement = _digest(repr(load_json(placement, "placement file")))
        return {
            "network": network.name,
            "graph": _digest(repr(parts)),
            "processors": self.processors,
            "placement": placement,
        }


def where_of(
    network: NetworkLike | None = None,
    processors: int | None = None,
    placement: PlacementLike | None = None,
    dead: Dead = (),
) -> Where:
    """Where programs are to run; what cannot be is refused before any work is done.

    Parameters
    ----------
    network : str, path, Network or networkx.Graph, optional
        What `load_network` takes, or a network. Without it, and with `processors`, a square mesh.
    processors : int, optional
        How many processors there are of a network without a size, or may be used of another.
    placement : str, path or mapping, optional
        A name, a JSON file, or the processor of each program; ``auto`` if not told.
    dead : str or sequence
        Processors and links that do not work.
    """
    broken = as_dead(dead)
    if isinstance(processors, Integral) and not isinstance(processors, bool):
        processors = int(processors)  # one of numpy, too
    elif processors is not None:
        raise MeshSimError(f"processors must be a whole number, not {processors!r}")
    if isinstance(network, nx.Graph):
        network = Network(network)
    if isinstance(network, Network) and broken:
        things = dead_things(network.graph, broken)
        network = Network(network.graph, network.routing, network.table, (*network.dead, *things))
    if network is not None and not isinstance(network, str | PathLike | Network):
        raise MeshSimError(f"network must be a text such as square-mesh:4x4, a path or a Network, not {network!r}")
    told = AUTO if placement is None else fspath(placement) if isinstance(placement, str | PathLike) else placement
    if isinstance(told, str):
        check_placement(told)
    elif not isinstance(told, Mapping):
        raise MeshSimError(f"placement must be a name or a mapping, not {told!r}")
    if placement is not None and network is None and processors is None:
        raise MeshSimError(NO_NETWORK)
    found = Where(fspath(network) if isinstance(network, PathLike) else network, processors, told, broken)
    if found:
        found.usable()
    return found


OWN = Where()
"""A scheme's own network."""
OWN_NETWORK = "own"
"""What a user calls it."""


def why_simulated(machine: Machine, recording: Recording) -> str:
    """Why what was recorded cannot be re-timed on a machine; nothing if it can."""
    try:
        check_kahn(machine, recording)
    except NotKahnError as error:
        return error.reason
    return ""


def check_placement(placement: str) -> None:
    """Refuse what is neither the name of a placement nor a file."""
    if placement not in PLACEMENTS and not placement.lower().endswith(".json") and not isfile(placement):
        raise MeshSimError(f"placement must be {', '.join(PLACEMENTS)} or a JSON file, not {placement!r}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _version(text: str) -> tuple[int, int] | None:
    """What changes when a file does."""
    try:
        found = stat(text)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=32)
def _loaded(
    text: str,
    processors: int | None,
    dead: tuple[Hashable, ...],
    version: tuple[int, int] | None,  # noqa: ARG001
) -> Network:
    """A network by name; its routes are kept with it, as long as its file is the same."""
    return load_network(text, processors, dead)
