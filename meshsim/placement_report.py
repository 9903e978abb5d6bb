"""What a placement means before anything is simulated: work on each processor, words on each link, distances."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import networkx as nx

from meshsim.formats import Width
from meshsim.machine import Machine
from meshsim.network import Link, Network
from meshsim.outcome import Traffic
from meshsim.placed import Placed, Way
from meshsim.placement import Placement
from meshsim.program import Program
from meshsim.simulation import NOWHERE, Simulation


class Loaded(Protocol):
    """Programs on a topology: what a plan has. (`plan.py` stands above this file, and cannot be named here.)"""

    @property
    def topology(self) -> nx.Graph: ...

    @property
    def programs(self) -> Mapping[Any, Program]: ...

    def width(self, machine: Machine) -> Width | None: ...


@dataclass(frozen=True)
class Workload:
    """What the programs of a plan have to do, wherever they run.

    Attributes
    ----------
    loads : mapping
        The ticks of kernels of each node, in node order.
    traffic : tuple of Traffic
        What each channel carries that carries anything; ticks are those of one link.
    ways : tuple of Way
        The programs and ports of the same channels.
    """

    loads: Mapping[Hashable, int]
    traffic: tuple[Traffic, ...]
    ways: tuple[Way, ...]


@dataclass(frozen=True)
class PlacementReport:
    """Work and words of a placement.

    Attributes
    ----------
    loads : mapping
        The ticks of kernels of each processor of the network, in node order; 0 where no program runs.
    programs : mapping
        The nodes that run on each processor, in node order.
    words, messages : mapping
        What crosses each directed link that anything crosses, in order of the channels.
    distances : tuple
        Each channel that carries anything, and the links of its route; 0 inside a processor.
    """

    loads: Mapping[Hashable, int]
    programs: Mapping[Hashable, tuple[Hashable, ...]]
    words: Mapping[Link, int]
    messages: Mapping[Link, int]
    distances: tuple[tuple[Traffic, int], ...]

    @property
    def word_hops(self) -> int:
        """The links that words cross, over all words."""
        return sum(channel.words * distance for channel, distance in self.distances)

    @property
    def mean_distance(self) -> float:
        """The links that a word crosses, in the mean over all words; 0 if there are none."""
        words = sum(channel.words for channel, _ in self.distances)
        return self.word_hops / words if words else 0.0


def workload(plan: Loaded, machine: Machine) -> Workload:
    """Run the programs once, where nothing takes time, and price what they did."""
    engine = Simulation(NOWHERE, width=plan.width(machine))
    engine.run(plan.topology, plan.programs)
    loads = {
        each.node: sum(count * machine.price(kernel) for kernel, count in each.calls.items())
        for each in engine.processes
    }
    used = [each for each in engine.channels if each.messages]
    ways = tuple((each.sender.cpu.node, each.sender.port, each.receiver.cpu.node, each.receiver.port) for each in used)
    ticks = machine.links.ticks
    traffic = tuple(
        Traffic(*way[:3], each.messages, each.words, ticks("wire", each.words, each.messages))
        for way, each in zip(ways, used, strict=True)
    )
    return Workload(loads, traffic, ways)


def placement_report(plan: Loaded, network: Network, placement: Placement, machine: Machine) -> PlacementReport:
    """Where the work and the words of a plan go, by routes and without a clock.

    Parameters
    ----------
    plan : Plan
        Programs on their own topology.
    network : Network
        Where they are to run.
    placement : Placement
        The processor of each node, as `place` gives it.
    machine : Machine
        What kernels cost.
    """
    work = workload(plan, machine)
    programs: dict[Hashable, list[Hashable]] = {processor: [] for processor in network.processors}
    for node in plan.topology:
        if node in plan.programs:
            programs[placement[node]].append(node)
    placed = Placed(network, placement)
    paths = [placed.path(way) for way in work.ways]
    words: Counter[Link] = Counter()
    messages: Counter[Link] = Counter()
    for each, path in zip(work.traffic, paths, strict=True):
        for link in path:
            words[link] += each.words
            messages[link] += each.messages
    return PlacementReport(
        loads={processor: sum(work.loads[node] for node in nodes) for processor, nodes in programs.items()},
        programs={processor: tuple(nodes) for processor, nodes in programs.items()},
        words=words,
        messages=messages,
        distances=tuple((each, len(path)) for each, path in zip(work.traffic, paths, strict=True)),
    )
