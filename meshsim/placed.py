"""Programs on a network that is not their own: which processor runs which, and the channels that join them there."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import networkx
import simpy

from meshsim.channel import DISCIPLINES, Channel, End
from meshsim.errors import MeshSimError
from meshsim.log import Log
from meshsim.machine import LinkCosts
from meshsim.network import Link, Network
from meshsim.processor import Agenda, Core, Prices, Process, TracedProcess
from meshsim.sharing import Local, SharedCore, SharedProcess
from meshsim.trace import label
from meshsim.watching import WatchedProcess, WatchedSharedProcess
from meshsim.wire import Buffer, Late, Leg, Route, Wire

Way = tuple[Hashable, str, Hashable, str]
"""A channel of a plan: the program that sends and its port, the program that receives and its port."""


@dataclass(frozen=True, eq=False)
class Placed:
    """A network, and the processor of it that each program runs on.

    Attributes
    ----------
    network : Network
        What the programs run on.
    places : mapping
        The processor of each node of a plan's topology.
    """

    network: Network
    places: Mapping[Any, Hashable]

    def path(self, way: Way) -> tuple[Link, ...]:
        """The links that a channel's messages take; none within a processor.

        Between neighbours with several links it is the one whose ports are named as the channel's, else the first.
        """
        sender, out_port, receiver, in_port = way
        source, target = self.places[sender], self.places[receiver]
        if source == target:
            return ()
        try:
            path = self.network.route(source, target)
        except MeshSimError as error:
            raise MeshSimError(f"messages from {label(sender)} to {label(receiver)} must find a way: {error}") from None
        if len(path) == 1:
            for key in self.network.parallel(source, target):
                ports = self.network.ports(Link(source, target, key))
                if ports.get(source) == out_port and ports.get(target) == in_port:
                    return (Link(source, target, key),)
        return path


def ways(topology: networkx.Graph) -> Iterator[Way]:
    """Both channels of every link of a topology."""
    for _, _, ports in topology.edges(data="ports"):
        (u, u_port), (v, v_port) = ports.items()
        yield u, u_port, v, v_port
        yield v, v_port, u, u_port


class Builder:
    """Makes the cores, processes and channels of one run on a network; wires and buffers when they are first used."""

    def __init__(self, env: simpy.Environment, prices: Prices, placed: Placed, traced: bool, watched: bool) -> None:
        self.env = env
        self.links = prices.machine.links
        self.placed = placed
        self.network = placed.network
        self.traced = traced
        self.log = Log() if traced else None
        self.watched = watched
        self.agenda, self.prices = Agenda(env, self.log), prices
        self.late = Late(env, self.agenda)
        self.users: Mapping[Hashable, int] = {}  # how many channels use each wire
        self.cores: dict[Hashable, Core] = {}
        self.wires: dict[Hashable, Wire] = {}
        self.buffers: dict[Link, Buffer] = {}
        self.processes: dict[Hashable, Process] = {}
        self.channels: list[Channel] = []

    def build(self, topology: networkx.Graph, programs: Collection[Hashable]) -> None:
        """Make all that a run needs of programs on nodes of a topology."""
        paths = {way: self.placed.path(way) for way in ways(topology)}
        residents = Counter(self.placed.places[node] for node in programs)
        busy = {node for node, count in residents.items() if count > 1}
        if self.links.routing == "processor" and "wire" in self.links.life.costs:
            busy |= {link.source for path in paths.values() for link in path[1:]}
        for rank, node in enumerate(self.network.processors):
            common = self.agenda, self.prices, node, rank
            shared = node in busy
            self.cores[node] = SharedCore(*common, self.late, self.log) if shared else Core(*common, self.log)
        alone = WatchedProcess if self.watched else TracedProcess if self.traced else Process
        sharing = WatchedSharedProcess if self.watched else SharedProcess
        for rank, node in enumerate(topology):
            core = self.cores[self.placed.places[node]]
            if isinstance(core, SharedCore):
                self.processes[node] = sharing(core, node, rank)
            else:
                self.processes[node] = alone(core, node, rank)
        self.users = Counter(self._wire_key(link) for path in paths.values() for link in path)
        for way, path in paths.items():
            self.channels.append(self._channel(way, path))

    def _channel(self, way: Way, path: tuple[Link, ...]) -> Channel:
        sender, out_port, receiver, in_port = way
        source, target = self.processes[sender], self.processes[receiver]
        ends = End(source, out_port, "send"), End(target, in_port, "recv")
        source.outputs[out_port], target.inputs[in_port] = ends
        if not path:
            return Local(self.links, *ends, None, self.log)
        links, route = self._costs(path[0]), None
        if len(path) > 1 or self.users[self._wire_key(path[0])] > 1:
            bus = next(filter(None, map(self.network.bus, path)), None)
            route = Route(self.late, (source.rank, target.rank), self._legs(path), bus)
        channel = DISCIPLINES[links.discipline](links, *ends, route, self.log)
        channel.path = path
        if target.core.shared:
            channel.receive = 0  # the processor pays when the program goes on
        return channel

    def _costs(self, link: Link) -> LinkCosts:
        """What messages over a link cost: the machine's costs, or the link's own."""
        own: Mapping[str, Any] = self.network.costs(link)
        return replace(self.links, **own) if own else self.links

    def _wire_key(self, link: Link) -> Hashable:
        return self.network.wire(link, self.links.duplex)

    def _wire(self, link: Link) -> Wire:
        key = self._wire_key(link)
        if key not in self.wires:
            self.wires[key] = Wire(self.late, link, self.network.bus(link), alone=self.users[key] == 1)
        return self.wires[key]

    def _legs(self, path: tuple[Link, ...]) -> Iterator[Leg]:
        for number, link in enumerate(path):
            wire, costs = self._wire(link), self._costs(link)
            if number == 0:
                yield Leg(wire, costs.startup, costs.per_word)
                continue
            cut = self.links.switching == "cut-through" or self.network.is_switch(link.source)
            if link not in self.buffers:
                self.buffers[link] = Buffer(self.env, link, wire, self.links.router_buffers)
            core = self.cores.get(link.source)
            forwarder = core if isinstance(core, SharedCore) and self.links.routing == "processor" else None
            buffer = self.buffers[link]
            yield Leg(wire, costs.startup, costs.per_word, link.source, costs.hop, cut, buffer, forwarder)
