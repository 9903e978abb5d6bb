"""Where a plan runs, as a user says it: a network, how many of its processors, and a placement."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike, fspath, stat
from typing import Any, TypeVar

from meshsim.auto_placement import auto_placement
from meshsim.errors import MeshSimError
from meshsim.machine import Machine
from meshsim.network import Network
from meshsim.placement import NAMED, first_processors, place, read_placement
from meshsim.plan import Plan
from meshsim.topologies.named import load_network

T = TypeVar("T")

AUTO = "auto"
FAMILY = "square-mesh"
"""Of which the network is where only a number of processors is told."""
PLACEMENTS = (*NAMED, AUTO)


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
    dead : tuple of str
        Processors, and links as two processors with a hyphen, that do not work.
    """

    network: str | Network | None = None
    processors: int | None = None
    placement: str | Mapping[Any, Hashable] = AUTO
    dead: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether it is anywhere else than a scheme's own network."""
        return self.network is not None or self.processors is not None

    def __post_init__(self) -> None:
        if not self and (self.placement != AUTO or self.dead):
            raise MeshSimError("a placement, or what is dead, must be told with a network or a number of processors")

    def load(self) -> Network:
        """The network."""
        if isinstance(self.network, Network):
            return self.network
        text = self.network or FAMILY
        return _loaded(text, self.processors, self.dead, _version(text))

    def able(self) -> tuple[Hashable, ...]:
        """The processors that may be used."""
        network, count = self.load(), self.processors
        if count is not None and self.dead:
            count = min(count, len(network.processors))  # those that live
        return first_processors(network, count)

    def placed(self, plan: Plan[T], machine: Machine) -> Plan[T]:
        """A plan, placed here; a machine matters where the placement is found by its costs."""
        if not self:
            return plan
        network, count = self.load(), len(self.able())
        if self.placement == AUTO:
            return plan.placed(network, auto_placement(plan, network, machine, count))
        told = self.placement
        if isinstance(told, str | PathLike) and told not in NAMED:
            told = read_placement(fspath(told), plan.topology, network)
        return plan.placed(network, place(plan.topology, plan.programs, network, told, count))


def _version(text: str) -> tuple[int, int] | None:
    """What changes when a file does."""
    try:
        found = stat(text)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=32)
def _loaded(text: str, processors: int | None, dead: tuple[str, ...], version: tuple[int, int] | None) -> Network:  # noqa: ARG001
    """A network by name; its routes are kept with it, as long as its file is the same."""
    return load_network(text, processors, dead)
