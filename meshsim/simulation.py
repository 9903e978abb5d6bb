"""The SimPy engine: programs on processors of a machine, joined by channels of its discipline."""

import struct
from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any

import networkx
import simpy

from meshsim.channel import DISCIPLINES, Channel, End
from meshsim.deadlock import deadlock
from meshsim.errors import MeshSimError
from meshsim.formats import Width
from meshsim.garbage import collector_at_rest
from meshsim.log import Log
from meshsim.machine import OPERATIONS, LinkCosts, Machine
from meshsim.placed import Builder, Placed
from meshsim.processor import Agenda, Core, Prices, Process, TracedProcess
from meshsim.program import Program, ProgramError
from meshsim.watching import WatchedProcess
from meshsim.wire import Buffer, Late, Leg, Route, Wire

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
    placed : Placed, optional
        The network on which programs run, if it is not the topology itself.
    width : Width, optional
        What a number takes in a message; a word unless told.
    watched : bool
        Also keep every value, and the program line that computed or sent it.
    """

    def __init__(
        self,
        machine: Machine,
        traced: bool = False,
        process: Callable[[Core, Hashable, int], Process] | None = None,
        channel: type[Channel] | None = None,
        placed: Placed | None = None,
        width: Width | None = None,
        watched: bool = False,
    ) -> None:
        self.machine = machine
        self.traced = traced
        self.watched = watched
        self.process = process or (WatchedProcess if watched else TracedProcess if traced else Process)
        self.channel = channel or DISCIPLINES[machine.links.discipline]
        self.placed = placed
        self.width = width
        self.processes: list[Process] = []  # of the last run, in node order
        self.builder: Builder | None = None
        self.cores: list[Core] = []
        self.channels: list[Channel] = []
        self.wires: list[Wire] = []  # those that channels share
        self.buffers: list[Buffer] = []  # of routers

    @collector_at_rest()
    def run(self, topology: networkx.Graph, programs: Mapping[Any, Program]) -> Mapping[Hashable, Any]:
        """Run all programs to their ends; what each returned, by node."""
        env = simpy.Environment()
        if self.placed is None:
            processes = self._build(env, topology)
        else:
            processes = self._place(env, topology, programs, self.placed)
        self.processes = list(processes.values())
        for node, program in programs.items():
            processes[node].load(program)
        try:
            for process in self.processes:
                if not process.finished:
                    process.start()
            env.run()  # until no event is left
        except (struct.error, OverflowError):
            raise MeshSimError("a traced run must end before tick 2^63; untraced, it may take longer") from None
        if self.builder is not None:
            self.wires, self.buffers = list(self.builder.wires.values()), list(self.builder.buffers.values())
        _check_ended(self.processes, self.channels, self.wires)
        return {node: processes[node].result for node in programs}

    def _build(self, env: simpy.Environment, topology: networkx.Graph) -> Mapping[Hashable, Process]:
        """A processor for every program, and the two channels of every link."""
        log = Log() if self.traced else None
        agenda, prices, links = Agenda(env, log), Prices(self.machine, self.width), self.machine.links
        late = Late(env, agenda)
        self.cores = [Core(agenda, prices, node, rank, log) for rank, node in enumerate(topology)]
        processes = {core.node: self.process(core, core.node, core.rank) for core in self.cores}
        self.channels = []
        buses: dict[str, Wire] = {}
        for _, _, data in topology.edges(data=True):
            (u, u_port), (v, v_port) = data["ports"].items()
            wire = Wire(late) if links.duplex == "half" else None
            if "bus" in data:
                wire = buses.setdefault(data["bus"], Wire(late, name=data["bus"]))
            for source, out_port, target, in_port in ((u, u_port, v, v_port), (v, v_port, u, u_port)):
                sender = processes[source].outputs[out_port] = End(processes[source], out_port, "send")
                receiver = processes[target].inputs[in_port] = End(processes[target], in_port, "recv")
                ranks = sender.cpu.rank, receiver.cpu.rank
                route = (
                    None if wire is None else Route(late, ranks, (Leg(wire, links.startup, links.per_word),), wire.name)
                )
                self.channels.append(self.channel(links, sender, receiver, route, log))
        return processes

    def _place(
        self, env: simpy.Environment, topology: networkx.Graph, programs: Collection[Hashable], placed: Placed
    ) -> Mapping[Hashable, Process]:
        """The processors of another network, and channels over its links."""
        self.builder = builder = Builder(env, Prices(self.machine, self.width), placed, self.traced, self.watched)
        builder.build(topology, programs)
        self.cores, self.channels = list(builder.cores.values()), builder.channels
        return builder.processes


def _check_ended(processes: list[Process], channels: list[Channel], wires: list[Wire]) -> None:
    if any(not process.finished for process in processes):
        raise deadlock(processes, wires)
    for channel in channels:
        if channel.unread:
            receiver = channel.receiver
            how = "ended" if receiver.cpu.steps else "has no program, and was left"
            raise ProgramError(
                f"{receiver.cpu.node} {how} with {channel.unread} unread on port {receiver.port!r} "
                f"(from {channel.sender.cpu.node})"
            )
