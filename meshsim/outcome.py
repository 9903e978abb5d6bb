"""What came out of a run: values, finish time, phases, costs, traffic, trace."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

import networkx

from meshsim.channel import Channel
from meshsim.critical_path import CriticalPath, critical_path
from meshsim.energy import Energy, Usage, together
from meshsim.errors import MeshSimError
from meshsim.machine import OPERATIONS, Machine
from meshsim.network import Link, Network
from meshsim.processor import Core, Process
from meshsim.sharing import Local, SharedCore
from meshsim.trace import Trace
from meshsim.wire import Buffer, Wire

T = TypeVar("T")


@dataclass(frozen=True)
class Traffic:
    """What one direction of a link carried; `ticks` is how long its wire was busy."""

    sender: Hashable
    port: str
    receiver: Hashable
    messages: int
    words: int
    ticks: int


@dataclass(frozen=True)
class Bus:
    """What a bus carried; `share` is the part of the run for which it was busy."""

    links: int
    messages: int
    words: int
    ticks: int
    share: float


@dataclass(frozen=True)
class Load:
    """What a wire of a network carried; `ticks` is how long it was busy.

    `link` is the first of the links that it is; `bus` its name, if it is a bus. `conflicts` is how many messages found
    it busy, and `waited` for how long in all.
    """

    link: Link
    bus: str | None
    messages: int
    words: int
    ticks: int
    conflicts: int
    waited: int


@dataclass(frozen=True)
class Run(Generic[T]):
    """The answer of a plan, and how long everything took.

    Attributes
    ----------
    machine : Machine
        What it ran on.
    value
        The answer: the numbers that travelled over the links.
    network : Network or None
        The network that programs were placed on, if it was not their own.
    topology : networkx.Graph or None
        Their own.
    cpus, channels, cores, wires, buffers : tuple
        The engine's own processes, channels and processors, of which all below is made.
    """

    machine: Machine
    value: T
    cpus: tuple[Process, ...]
    channels: tuple[Channel, ...]
    cores: tuple[Core, ...]
    wires: tuple[Wire, ...] = ()
    buffers: tuple[Buffer, ...] = ()
    network: Network | None = None
    topology: networkx.Graph | None = None

    @property
    def processors(self) -> int:
        """How many processors the network has, idle ones included."""
        return len(self.cores)

    @cached_property
    def ticks(self) -> int:
        """When the last processor finished."""
        return max(core.clock for core in self.cores)

    @cached_property
    def finish(self) -> Mapping[Hashable, int]:
        """When each processor finished."""
        return {core.node: core.clock for core in self.cores}

    @cached_property
    def phases(self) -> Mapping[str, int]:
        """The tick at which the last processor ended each phase, in order of time."""
        ends: dict[str, int] = {}
        for cpu in self.cpus:
            for name, tick in cpu.phases.items():
                ends[name] = max(tick, ends.get(name, 0))
        return dict(sorted(ends.items(), key=lambda item: item[1]))

    @property
    def marks(self) -> Mapping[Hashable, Mapping[str, int]]:
        """When each program ended each phase that it marked."""
        return {cpu.node: cpu.phases for cpu in self.cpus}

    @cached_property
    def operations_of(self) -> Mapping[Hashable, Mapping[str, int]]:
        """How many operations of each sort each program did."""
        return {cpu.node: _operations(cpu.calls) for cpu in self.cpus}

    @cached_property
    def operations(self) -> Mapping[str, int]:
        """How many operations of each sort were done in all."""
        return {name: sum(counts[name] for counts in self.operations_of.values()) for name in OPERATIONS}

    @cached_property
    def operations_by_phase(self) -> Mapping[str, Mapping[str, int]]:
        """How many operations of each sort all processors did up to their mark of a phase, since the mark before."""
        totals: dict[str, dict[str, int]] = {}
        for cpu in self.cpus:
            before: Mapping[str, int] = dict.fromkeys(OPERATIONS, 0)
            for name, calls in cpu.calls_by_phase.items():
                done = _operations(calls)
                total = totals.setdefault(name, dict.fromkeys(OPERATIONS, 0))
                for operation in OPERATIONS:
                    total[operation] += done[operation] - before[operation]
                before = done
        return totals

    @cached_property
    def busy(self) -> Mapping[Hashable, int]:
        """The ticks each processor spent on arithmetic."""
        spent = dict.fromkeys((core.node for core in self.cores), 0)
        for cpu in self.cpus:
            spent[cpu.core.node] += sum(count * cpu.core.prices[kernel] for kernel, count in cpu.calls.items())
        return spent

    @property
    def switches(self) -> int:
        """How often processors changed from one program to another."""
        return sum(core.switches for core in self.cores if isinstance(core, SharedCore))

    @property
    def copying(self) -> int:
        """The ticks that processors spent on copies of messages between their own programs."""
        return sum(core.copying for core in self.cores if isinstance(core, SharedCore))

    @property
    def utilisation(self) -> float:
        """Arithmetic of all processors as a share of all their ticks."""
        return sum(self.busy.values()) / (self.processors * self.ticks) if self.ticks else 0.0

    @cached_property
    def traffic(self) -> tuple[Traffic, ...]:
        """What each channel carried: each direction of each link of the programs' own network."""
        return tuple(
            Traffic(
                c.sender.cpu.node,
                c.sender.port,
                c.receiver.cpu.node,
                c.messages,
                c.words,
                c.ticks("wire", c.words, c.messages),
            )
            for c in self.channels
        )

    @cached_property
    def loads(self) -> tuple[Load, ...]:
        """What each wire of the network carried that programs were placed on, where it carried something."""
        found: dict[Hashable, Load] = {
            wire: Load(wire.link, wire.name, wire.messages, wire.words, wire.ticks, wire.conflicts, wire.waited)
            for wire in self.wires
        }
        for c in self.channels:
            if c.path and (c.route is None or "wire" not in c.links.life.costs):  # no wire was asked for
                self._add_load(found, c)
        return tuple(load for load in found.values() if load.messages)

    def _add_load(self, found: dict[Hashable, Load], channel: Channel) -> None:
        """What the wires of a channel carried that had them for itself, or that cost nothing."""
        network = self.network
        assert network is not None
        for link in channel.path:
            key = network.wire(link, channel.links.duplex)
            before = found.get(key, Load(link, network.bus(link), 0, 0, 0, 0, 0))
            messages, words = before.messages + channel.messages, before.words + channel.words
            ticks = before.ticks + channel.ticks("wire", channel.words, channel.messages)
            found[key] = replace(before, messages=messages, words=words, ticks=ticks)

    @property
    def conflicts(self) -> int:
        """How many times a message found a wire busy."""
        return sum(wire.conflicts for wire in self.wires)

    @cached_property
    def levels(self) -> Mapping[Link, int]:
        """The most messages that a router held at a time for each link out of it."""
        return {buffer.link: buffer.highest for buffer in self.buffers if buffer.stays}

    @cached_property
    def buses(self) -> Mapping[str, Bus]:
        """What each bus carried, and for how long."""
        carried: dict[str, list[Traffic]] = {}
        for channel, traffic in zip(self.channels, self.traffic, strict=True):
            if channel.route is not None and channel.route.bus is not None:
                carried.setdefault(channel.route.bus, []).append(traffic)
        buses = {}
        for name, ways in carried.items():
            ticks = sum(way.ticks for way in ways)
            words, messages = sum(way.words for way in ways), sum(way.messages for way in ways)
            buses[name] = Bus(len(ways) // 2, messages, words, ticks, ticks / self.ticks if self.ticks else 0.0)
        return buses

    @property
    def messages(self) -> int:
        """How many messages were sent."""
        return sum(channel.messages for channel in self.channels)

    @property
    def exchanges(self) -> int:
        """How often processors waited for one another's numbers, of programs that mark it: "exchange 1" and so on."""
        return sum(phase.startswith("exchange") for phase in self.phases) if self.messages else 0

    @property
    def words(self) -> int:
        """How many words were sent."""
        return sum(channel.words for channel in self.channels)

    @cached_property
    def usage(self) -> tuple[Mapping[Hashable, Usage], Mapping[Hashable, Usage]]:
        """What energy is paid for, by processor and by wire.

        A wire that is no bus is named by its link on the network that programs were placed on; on their own network by
        the sending program, its port and the receiving program.
        """
        processors = {core.node: Usage(processors=1) for core in self.cores}
        wires: dict[Hashable, Usage] = {}
        for cpu in self.cpus:
            processors[cpu.core.node].do(self.operations_of[cpu.node])
        for c in self.channels:
            sender = processors[c.sender.cpu.core.node]
            if isinstance(c, Local):
                sender.copies += c.words
                continue
            sender.messages += c.messages
            for number, wire in enumerate(self._wires_of(c)):
                passed = wires.setdefault(wire, Usage())
                passed.words += c.words
                passed.hops += c.words if number else 0
        return processors, wires

    def _wires_of(self, channel: Channel) -> tuple[Hashable, ...]:
        """The wires that messages of a channel pass, by name."""
        if self.network is not None:
            return tuple(self.network.wire(link, channel.links.duplex) for link in channel.path)
        if channel.route is not None and channel.route.bus is not None:
            return (channel.route.bus,)
        return ((channel.sender.cpu.node, channel.sender.port, channel.receiver.cpu.node),)

    @cached_property
    def energy(self) -> Energy | None:
        """What the run cost in energy; None if the machine does not say."""
        costs, ns = self.machine.energy, self.machine.nanoseconds(self.ticks)
        if costs is None:
            return None
        processors, wires = ({name: costs.of(usage, ns) for name, usage in each.items()} for each in self.usage)
        total = costs.of(together(usage for each in self.usage for usage in each.values()), ns)
        return replace(total, processors=processors, wires=wires)

    @property
    def traced(self) -> bool:
        """Whether it was run with a trace."""
        return all(core.log is not None for core in self.cores)

    @cached_property
    def trace(self) -> Trace:
        """Every compute span, message and wait."""
        if not self.traced:
            raise MeshSimError("a run must be traced to have a trace: plan.run(machine, trace=True)")
        return Trace(self.cores, self.cpus, self.channels)

    @cached_property
    def critical_path(self) -> CriticalPath:
        """The chain of computes and messages that decided the finish."""
        return critical_path(self.trace)


def _operations(calls: Mapping[Any, int]) -> Mapping[str, int]:
    counts = dict.fromkeys(OPERATIONS, 0)
    for kernel, count in calls.items():
        for operation, each in kernel.cost.items():
            counts[operation] += count * each
    return counts
