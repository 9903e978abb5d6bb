"""What a program is, and all that it sees of whatever runs it.

A program is a generator function of one argument, called `cpu`. It computes by `cpu.do`, yields its communications, and
marks the ends of its phases:

    def relay(cpu):
        value = yield cpu.recv("west")
        doubled = cpu.do(scale, 2.0, value)
        yield cpu.send("east", doubled)
        cpu.phase("relayed")
        return doubled

Nothing else of an engine is visible to it, so that any `Engine` with these five verbs can run it: one that simulates a
machine (`simulation.py`), one that writes down what depends on what (`recording.py`) or the arithmetic (`tape.py`), or
one of your own.
"""

from collections.abc import Callable, Generator, Hashable, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar, TypeVarTuple

import networkx

from meshsim.counted import Kernel
from meshsim.errors import MeshSimError

Ts = TypeVarTuple("Ts")
R = TypeVar("R")

Operation = Any
"""What `send`, `recv` and `par` return, to be yielded once; its type is private to the engine."""
Steps = Generator[Operation, Any, R]
"""What calling a program gives: a generator that yields communications and returns the program's result."""


class Until(NamedTuple):
    """Yielded by `Plan.repeated`, never by a program: go on at a tick, or at once if that has passed."""

    tick: int


class ProgramError(MeshSimError):
    """A program misused its processor, or failed."""


class Cpu(Protocol):
    """The processor as its program sees it."""

    def do(self, kernel: Kernel[*Ts, R], *args: *Ts) -> R:
        """Compute with a kernel, and let its time pass."""

    def send(self, port: str, value: Any) -> Operation:
        """An operation to yield: send a value through a port."""

    def recv(self, port: str) -> Operation:
        """An operation to yield: its value is what the next message through the port brings."""

    def par(self, *operations: Operation) -> Operation:
        """An operation to yield: several at once, until all have ended; its value is the tuple of theirs."""

    def phase(self, name: str) -> None:
        """Mark that this processor has ended a phase."""


Program = Callable[[Cpu], Steps[Any]]


class Engine(Protocol):
    """What runs programs."""

    def run(self, topology: networkx.Graph, programs: Mapping[Any, Program]) -> Mapping[Hashable, Any]:
        """Run all programs to their ends.

        Parameters
        ----------
        topology : networkx.Graph
            Processors, and links between their ports (`topology.py`). A link is two channels, one each way: first in,
            first out, and what comes out is what `payload.freeze` made of what was sent.
        programs : mapping
            The program of each node that has one.

        Returns
        -------
        mapping
            What each program returned, by node. Where they cannot all end, an engine raises an error.
        """
