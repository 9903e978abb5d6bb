"""Programs on SimPy as it is usually written: what the simulator's speed is held against."""

from collections.abc import Generator, Hashable, Iterator, Mapping
from typing import Any, TypeVar, TypeVarTuple

import networkx
import simpy

from meshsim.counted import Kernel
from meshsim.machine import Machine
from meshsim.payload import freeze
from meshsim.program import Program

Ts = TypeVarTuple("Ts")
R = TypeVar("R")


class Plain:
    """An engine as SimPy is usually written: a `Store(1)` per channel, a timeout per compute and per transfer."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.env = simpy.Environment()
        self.stores: dict[tuple[Any, str], simpy.Store] = {}  # by who receives, and through which port
        self.partners: dict[tuple[Any, str], tuple[Any, str]] = {}
        self.results: dict[Any, Any] = {}

    def run(self, topology: networkx.Graph, programs: Mapping[Any, Program]) -> Mapping[Hashable, Any]:
        """What the programs returned, by node."""
        for _, _, ports in topology.edges(data="ports"):
            one, other = ports.items()
            self.partners[one], self.partners[other] = other, one
            self.stores[one], self.stores[other] = (simpy.Store(self.env, capacity=1) for _ in range(2))
        for node, program in programs.items():
            self.env.process(self._process(node, program))  # type: ignore[arg-type]
        self.env.run()
        return self.results

    def transfer(self, operation: tuple[Any, ...]) -> Generator[Any, Any, Any]:
        """One message, sent or received."""
        if operation[0] == "recv":
            return (yield self.stores[operation[1]].get())
        _, where, value, words = operation
        yield self.env.timeout(self.machine.links.wire(words))
        yield self.stores[where].put(value)
        return None

    def _process(self, node: Any, program: Program) -> Iterator[Any]:
        cpu = PlainCpu(self, node)
        steps = program(cpu)
        value: Any = None
        while True:
            try:
                operation = steps.send(value)
            except StopIteration as stop:
                self.results[node] = stop.value
                return
            if cpu.ticks:
                yield self.env.timeout(cpu.ticks)
                cpu.ticks = 0
            if isinstance(operation, list):
                parts = [self.env.process(self.transfer(each)) for each in operation]
                yield self.env.all_of(parts)
                value = tuple(part.value for part in parts)
            else:
                value = yield from self.transfer(operation)


class PlainCpu:
    """What a program sees; its operations are plain tuples."""

    def __init__(self, engine: Plain, node: Any) -> None:
        self.engine = engine
        self.node = node
        self.ticks = 0

    def do(self, kernel: Kernel[*Ts, R], *args: *Ts) -> R:
        """Compute, and remember for how long."""
        self.ticks += self.engine.machine.price(kernel)
        return kernel.function(*args)

    def send(self, port: str, value: Any) -> tuple[Any, ...]:
        """To whom, what, and how many words."""
        return "send", self.engine.partners[self.node, port], *freeze(value)

    def recv(self, port: str) -> tuple[Any, ...]:
        """From where."""
        return "recv", (self.node, port)

    def par(self, *operations: Any) -> list[Any]:
        """All of them."""
        return list(operations)

    def phase(self, name: str) -> None:
        """Nobody asks."""
