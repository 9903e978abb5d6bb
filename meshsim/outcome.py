"""What came out of a run: values, finish time, phases, costs, traffic, trace."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from meshsim.channel import Channel
from meshsim.critical_path import CriticalPath, critical_path
from meshsim.errors import MeshSimError
from meshsim.machine import OPERATIONS, Machine
from meshsim.processor import Process, TracedProcess
from meshsim.trace import Trace

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
class Run(Generic[T]):
    """The answer of a plan, and how long everything took."""

    machine: Machine
    value: T
    cpus: tuple[Process, ...]
    channels: tuple[Channel, ...]

    @property
    def processors(self) -> int:
        """How many processors the topology has, idle ones included."""
        return len(self.cpus)

    @cached_property
    def ticks(self) -> int:
        """When the last processor finished."""
        return max(cpu.clock for cpu in self.cpus)

    @cached_property
    def finish(self) -> Mapping[Hashable, int]:
        """When each processor finished."""
        return {cpu.node: cpu.clock for cpu in self.cpus}

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
        """When each processor ended each phase that it marked."""
        return {cpu.node: cpu.phases for cpu in self.cpus}

    @cached_property
    def operations_of(self) -> Mapping[Hashable, Mapping[str, int]]:
        """How many operations of each sort each processor did."""
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
        return {
            cpu.node: sum(count * cpu.core.prices[kernel] for kernel, count in cpu.calls.items()) for cpu in self.cpus
        }

    @property
    def utilisation(self) -> float:
        """Arithmetic of all processors as a share of all their ticks."""
        return sum(self.busy.values()) / (self.processors * self.ticks) if self.ticks else 0.0

    @cached_property
    def traffic(self) -> tuple[Traffic, ...]:
        """What each direction of each link carried."""
        ticks = self.machine.links.ticks
        return tuple(
            Traffic(
                c.sender.cpu.node,
                c.sender.port,
                c.receiver.cpu.node,
                c.messages,
                c.words,
                ticks("wire", c.words, c.messages),
            )
            for c in self.channels
        )

    @cached_property
    def buses(self) -> Mapping[str, Bus]:
        """What each bus carried, and for how long."""
        carried: dict[str, list[Traffic]] = {}
        for channel, traffic in zip(self.channels, self.traffic, strict=True):
            for wire in channel.wires:
                if wire.name is not None:
                    carried.setdefault(wire.name, []).append(traffic)
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

    @property
    def traced(self) -> bool:
        """Whether it was run with a trace."""
        return all(isinstance(cpu, TracedProcess) for cpu in self.cpus)

    @cached_property
    def trace(self) -> Trace:
        """Every compute span, message and wait."""
        cpus = [cpu for cpu in self.cpus if isinstance(cpu, TracedProcess)]
        if len(cpus) < len(self.cpus):
            raise MeshSimError("a trace must be asked for when the plan is run: plan.run(machine, trace=True)")
        return Trace(cpus)

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
