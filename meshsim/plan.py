"""A plan: programs loaded on the nodes of a topology, and how to read the answer off what they return."""

import gc
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import networkx
import simpy

from meshsim.channel import DISCIPLINES, Channel, End, SharedWire
from meshsim.deadlock import deadlock
from meshsim.errors import MeshSimError
from meshsim.machine import Links, Machine
from meshsim.outcome import Run
from meshsim.processor import Agenda, Prices, Processor, ProgramError, TracedProcessor
from meshsim.program import Cpu, Program, Steps
from meshsim.topology import check_ports

T = TypeVar("T")


@dataclass(frozen=True)
class Plan(Generic[T]):
    """Programs on a topology. `read` makes the answer from what the programs returned, by node.

    A node without a program is idle. Node order is the graph's own, and breaks every tie.
    """

    topology: networkx.Graph
    programs: Mapping[Any, Program]
    read: Callable[[Mapping[Hashable, Any]], T]

    def __post_init__(self) -> None:
        check_ports(self.topology)
        for node in self.programs:
            if node not in self.topology:
                raise MeshSimError(f"programs must be loaded on nodes of the topology, not on {node!r}")

    def repeated(self, count: int) -> "Plan[T]":
        """The same plan `count` times, one evaluation after the other without a barrier between them.

        A processor begins the next evaluation as soon as it has ended its part of the last. It marks the phases
        "evaluation 1", "evaluation 2" and so on; the answer is the last one's.
        """
        if count < 1:
            raise MeshSimError(f"a plan must be repeated at least once, not {count} times")
        programs = {node: partial(_again, program=program, count=count) for node, program in self.programs.items()}
        return Plan(self.topology, programs, self.read)

    def run(self, machine: Machine, trace: bool = True) -> Run[T]:
        """Run the programs on a machine until all have ended.

        Parameters
        ----------
        machine : Machine
            What operations and words cost.
        trace : bool
            Keep every span and message: needed for accounts and the critical path, slower and larger.
        """
        built = Built(
            self, machine, TracedProcessor if trace else Processor, DISCIPLINES[machine.links.discipline], trace
        )
        return Run(machine, built.drive(), tuple(built.processors.values()), tuple(built.channels))


class Built(Generic[T]):
    """A plan put together on a machine, from processors and channels of some kind; it can be driven once."""

    def __init__(
        self,
        plan: Plan[T],
        machine: Machine,
        processor: Callable[[Agenda, Hashable, int, Prices], Processor],
        channel: type[Channel],
        trace: bool,
    ) -> None:
        self.plan = plan
        self.env = simpy.Environment()
        agenda, prices = Agenda(self.env), Prices(machine)
        self.processors = {node: processor(agenda, node, rank, prices) for rank, node in enumerate(plan.topology)}
        self.channels = _join(self.env, plan.topology, self.processors, machine.links, channel, trace)

    def drive(self) -> T:
        """Run all programs to their ends, and read the answer."""
        for node, program in self.plan.programs.items():
            self.processors[node].load(program)
        _drive(self.env, [cpu for cpu in self.processors.values() if not cpu.finished])
        _check_ended(list(self.processors.values()), self.channels)
        return self.plan.read({node: self.processors[node].result for node in self.plan.programs})


def _again(cpu: Cpu, program: Program, count: int) -> Steps[Any]:
    result = None
    for evaluation in range(1, count + 1):
        result = yield from program(cpu)
        cpu.phase(f"evaluation {evaluation}")
    return result


def _join(
    env: simpy.Environment,
    topology: networkx.Graph,
    processors: Mapping[Hashable, Processor],
    links: Links,
    kind: type[Channel],
    trace: bool,
) -> list[Channel]:
    """Make the two channels of every link."""
    channels = []
    buses: dict[str, SharedWire] = {}
    for _, _, data in topology.edges(data=True):
        (u, u_port), (v, v_port) = data["ports"].items()
        wire = SharedWire(env) if links.duplex == "half" else None
        if "bus" in data:
            wire = buses.setdefault(data["bus"], SharedWire(env, data["bus"]))
        for source, out_port, target, in_port in ((u, u_port, v, v_port), (v, v_port, u, u_port)):
            sender = processors[source].outputs[out_port] = End(processors[source], out_port, "send")
            receiver = processors[target].inputs[in_port] = End(processors[target], in_port, "recv")
            channels.append(kind(links, sender, receiver, wire, trace))
    return channels


def _drive(env: simpy.Environment, processors: list[Processor]) -> None:
    """Start every program, then let SimPy run until no event is left.

    Spans and messages hold no reference cycles worth collecting, and millions of them make the cyclic garbage
    collector costly: it rests meanwhile.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        for cpu in processors:
            cpu.start()
        env.run()
    finally:
        if collecting:
            gc.enable()


def _check_ended(processors: list[Processor], channels: list[Channel]) -> None:
    if any(not cpu.finished for cpu in processors):
        raise deadlock(processors)
    for channel in channels:
        if channel.unread:
            receiver = channel.receiver
            how = "ended" if receiver.cpu.steps else "has no program, and was left"
            raise ProgramError(
                f"{receiver.cpu.node} {how} with {channel.unread} unread on port {receiver.port!r} "
                f"(from {channel.sender.cpu.node})"
            )
