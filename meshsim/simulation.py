"""The SimPy engine: programs on processors of a machine, joined by channels of its discipline."""

import gc
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import networkx
import simpy

from meshsim.channel import DISCIPLINES, Channel, End, SharedWire
from meshsim.deadlock import deadlock
from meshsim.machine import OPERATIONS, LinkCosts, Machine
from meshsim.processor import Agenda, Core, Prices, Process, TracedProcess
from meshsim.program import Program, ProgramError

NOWHERE = Machine("nowhere", 1, dict.fromkeys(OPERATIONS, 0), LinkCosts("free"))
"""Where nothing takes time."""


class Simulation:
    """An engine that simulates a machine.

    Parameters
    ----------
    machine : Machine
        What operations and words cost.
    traced : bool
        Keep every span and message.
    process, channel : callable, optional
        Other kinds of processes and channels than the machine's, for engines that make something else of a run.
    """

    def __init__(
        self,
        machine: Machine,
        traced: bool = False,
        process: Callable[[Core, Hashable, int], Process] | None = None,
        channel: type[Channel] | None = None,
    ) -> None:
        self.machine = machine
        self.traced = traced
        self.process = process or (TracedProcess if traced else Process)
        self.channel = channel or DISCIPLINES[machine.links.discipline]
        self.processes: list[Process] = []  # of the last run, in node order
        self.channels: list[Channel] = []

    def run(self, topology: networkx.Graph, programs: Mapping[Any, Program]) -> Mapping[Hashable, Any]:
        """Run all programs to their ends; what each returned, by node."""
        env = simpy.Environment()
        agenda, prices = Agenda(env), Prices(self.machine)
        processes = {node: self.process(Core(agenda, prices), node, rank) for rank, node in enumerate(topology)}
        self.processes = list(processes.values())
        self.channels = self._join(env, topology, processes)
        for node, program in programs.items():
            processes[node].load(program)
        _drive(env, [process for process in self.processes if not process.finished])
        _check_ended(self.processes, self.channels)
        return {node: processes[node].result for node in programs}

    def _join(
        self, env: simpy.Environment, topology: networkx.Graph, processes: Mapping[Hashable, Process]
    ) -> list[Channel]:
        """Make the two channels of every link."""
        links = self.machine.links
        channels = []
        buses: dict[str, SharedWire] = {}
        for _, _, data in topology.edges(data=True):
            (u, u_port), (v, v_port) = data["ports"].items()
            wires = (SharedWire(env),) if links.duplex == "half" else ()
            if "bus" in data:
                wires = (buses.setdefault(data["bus"], SharedWire(env, data["bus"])),)
            for source, out_port, target, in_port in ((u, u_port, v, v_port), (v, v_port, u, u_port)):
                sender = processes[source].outputs[out_port] = End(processes[source], out_port, "send")
                receiver = processes[target].inputs[in_port] = End(processes[target], in_port, "recv")
                channels.append(self.channel(links, sender, receiver, wires, self.traced))
        return channels


def _drive(env: simpy.Environment, processes: list[Process]) -> None:
    """Start every program, then let SimPy run until no event is left.

    Spans and messages hold no reference cycles worth collecting, and millions of them make the cyclic garbage
    collector costly: it is switched off meanwhile.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        for process in processes:
            process.start()
        env.run()
    finally:
        if collecting:
            gc.enable()


def _check_ended(processes: list[Process], channels: list[Channel]) -> None:
    if any(not process.finished for process in processes):
        raise deadlock(processes)
    for channel in channels:
        if channel.unread:
            receiver = channel.receiver
            how = "ended" if receiver.cpu.steps else "has no program, and was left"
            raise ProgramError(
                f"{receiver.cpu.node} {how} with {channel.unread} unread on port {receiver.port!r} "
                f"(from {channel.sender.cpu.node})"
            )
