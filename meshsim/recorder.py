"""What writes a recording down: processes and channels of an engine whose links cost nothing."""

from collections.abc import Hashable
from typing import Any, TypeVar, TypeVarTuple

from meshsim.channel import End, Free
from meshsim.counted import Kernel
from meshsim.processor import Core, UntimedProcess

Ts = TypeVarTuple("Ts")
R = TypeVar("R")


class Works(dict[tuple[Any, ...], int]):
    """The works encountered, numbered in that order."""

    def __missing__(self, kernels: tuple[Any, ...]) -> int:
        number = self[kernels] = len(self)
        return number


class RecordingProcess(UntimedProcess):
    """A process that writes down what it does; its clock stays at 0."""

    def __init__(self, works: Works, core: Core, node: Hashable, rank: int) -> None:
        super().__init__(core, node, rank)
        self.works = works
        self.work: list[Any] = []  # since the last communication
        self.step_works: list[int] = []
        self.op_counts: list[int] = []
        self.ends: list[End] = []
        self.marks: dict[Any, tuple[int, int]] = {}
        self.noted = True

    def do(self, kernel: Kernel[*Ts, R], *args: *Ts) -> R:
        """Compute with a kernel, and write it down."""
        self.work.append(kernel)
        return kernel.function(*args)

    def note(self, _: int, ends: tuple[End, ...]) -> None:
        """A communication has ended."""
        self.step_works.append(self.works[tuple(self.work)])
        self.work.clear()
        self.op_counts.append(len(ends))
        self.ends.extend(ends)

    def phase(self, name: Any) -> None:
        """Write down that a phase has ended here."""
        self.marks.pop(name, None)  # the latest mark counts
        self.marks[name] = len(self.step_works), self.works[tuple(self.work)]


class RecordedChannel(Free):
    """A channel that costs nothing and remembers the sizes of its messages."""

    __slots__ = ("sizes",)

    def _open(self) -> None:
        super()._open()
        self.sizes: list[int] = []

    def _begin_send(self, end: End) -> bool:
        self.sizes.append(end.words)
        return super()._begin_send(end)
