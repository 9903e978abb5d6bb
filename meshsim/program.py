"""What a program is, and all that it sees of whatever runs it.

A program is a generator function of one argument, called `cpu`. It computes by `cpu.do`, yields its communications, and
marks the ends of its phases:

    def relay(cpu):
        value = yield cpu.recv("west")
        doubled = cpu.do(scale, 2.0, value)
        yield cpu.send("east", doubled)
        cpu.phase("relayed")
        return doubled

Nothing else of an engine is visible to it, so that any engine with these five verbs can run it.
"""

from collections.abc import Callable, Generator
from typing import Any, Protocol, TypeVar, TypeVarTuple

from meshsim.counted import Kernel

Ts = TypeVarTuple("Ts")
R = TypeVar("R")

Operation = Any
"""What `send`, `recv` and `par` return, to be yielded once; what it is, is the engine's own affair."""
Steps = Generator[Operation, Any, R]
"""What calling a program gives: a generator that yields communications and returns the program's result."""


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
