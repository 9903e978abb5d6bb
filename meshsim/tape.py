"""A plan's arithmetic written out as one function: the same kernels on the same numbers, without programs or channels.

Programs that meet only through channels of their own form a Kahn network: what they compute does not depend on when,
nor, as long as they take the same branches, on the numbers. So the kernel calls of one run, in any order that the
data allow, are a straight line that gives the numbers of every other run, to the last bit. A comparison that a program
makes is written out too: where it comes out otherwise, the line does not hold (`LeftTapeError`). Arithmetic that no
kernel does would not be in the line, and is refused (`Followed`).

Most kernels are written as lines of their own instead of calls (`inline.py`), which leaves little more than arithmetic.
Where a tape is called often enough, that is compiled (`native.py`).
"""

import re
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from heapq import heappop, heappush
from typing import Any, TypeVar, TypeVarTuple

from meshsim.counted import Kernel
from meshsim.followed import Followed, plain
from meshsim.inline import FUNCTIONS, Result, Shape, literal, template
from meshsim.native import Body, Compiled, compiled, kept, worth
from meshsim.plan import Plan
from meshsim.processor import Core, Process
from meshsim.simulation import NOWHERE, Simulation

Ts = TypeVarTuple("Ts")
R = TypeVar("R")

SEEK = 64
"""Calls after which to look for what was compiled before."""
NAME = re.compile(r"\bv\d+\b")
"""The pattern of generated variable names."""


class LeftTapeError(Exception):
    """A program would have taken another branch with these numbers."""


class Named(Followed):
    """A number that knows what it is called in the function being written; kernels get plain floats instead."""

    __slots__ = ("name", "writer")

    def __init__(self, writer: "Writer", name: str, value: float) -> None:
        super().__init__(value)
        self.writer = writer
        self.name = name

    def __neg__(self) -> "Named":
        return self.writer.named(f"-{self.name}", -self.value)

    def __abs__(self) -> "Named":
        return self.writer.named(f"abs({self.name})", abs(self.value))

    def __bool__(self) -> bool:
        return self.writer.guard(self.name, bool(self.value))

    def compared(self, sign: str, outcome: bool, other: Any) -> bool:
        """Guard the outcome."""
        return self.writer.guard(f"{self.name} {sign} {self.writer.called(other)}", outcome)


class Writer:
    """The lines of a function, as the kernels of a run are called.

    Parameters
    ----------
    inline : bool
        Write the lines of a kernel instead of its call, where it has them.
    """

    def __init__(self, inline: bool = True) -> None:
        self.inline = inline
        self.lines: list[str] = []
        self.constants: dict[str, Any] = {"LeftTapeError": LeftTapeError, **FUNCTIONS}
        self.known: dict[int, str] = {}  # constants by identity
        self.count = 0

    def input(self, value: float) -> Named:
        """A number that is given to the function."""
        return self._name(value)

    def named(self, expression: str, value: float) -> Named:
        """A number that is made from others."""
        number = self._name(value)
        self.lines.append(f"{number.name} = {expression}")
        return number

    def guard(self, condition: str, outcome: bool) -> bool:
        """Record a comparison's outcome, and guard that it is the same in later runs."""
        self.lines.append(f"if {'not ' if outcome else ''}({condition}): raise LeftTapeError")
        return outcome

    def call(self, kernel: Kernel[*tuple[Any, ...], Any], args: tuple[Any, ...]) -> Any:
        """Write down what a kernel computes, and compute it."""
        value = kernel.function(*map(plain, args))
        if not _has_names(args):
            return value  # which is a constant too
        return self._inlined(kernel, args, value) if self.inline else self._called(kernel, args, value)

    def _called(self, kernel: Kernel[*tuple[Any, ...], Any], args: tuple[Any, ...], value: Any) -> Any:
        result, pattern = self._result(value)
        self.lines.append(f"{pattern} = {self._constant(kernel.function)}({', '.join(map(self.called, args))})")
        return result

    def _inlined(self, kernel: Kernel[*tuple[Any, ...], Any], args: tuple[Any, ...], value: Any) -> Any:
        slots: list[Any] = []
        lines = template(kernel.function, tuple(_shape(arg, slots) for arg in args))
        if lines is None:
            return self._called(kernel, args, value)
        given = len(slots)
        names = [self.called(slot) for slot in slots]
        names += [f"v{number}" for number in range(self.count, self.count + lines.slots - given)]
        self.count += lines.slots - given
        for line in lines.lines:
            text = line.text.format(*names)
            if line.slot is not None:
                self.lines.append(f"{names[line.slot]} = {text}")
            elif any(slot >= given or isinstance(slots[slot], Named) for slot in line.needs):
                self.guard(text, False)  # and if it fails, the kernel itself says why

        def made(result: Result, value: Any) -> Any:
            if isinstance(result, tuple):
                return tuple(map(made, result, value))
            if result is None or result < given:
                return value if result is None else slots[result]
            return self._number(names[result], value)

        return made(lines.result, value)

    def called(self, value: Any) -> str:
        """What a value is called: a name, a tuple of such, or that of a constant."""
        if isinstance(value, Named):
            return value.name
        if isinstance(value, tuple) and _has_names(value):
            return _tuple([self.called(part) for part in value])
        return literal(value) or self._constant(value)

    def _name(self, value: float) -> Named:
        self.count += 1
        return self._number(f"v{self.count - 1}", value)

    def _number(self, name: str, value: float) -> Named:
        return Named(self, name, float(value))

    def _constant(self, value: Any) -> str:
        key = id(value)
        if key not in self.known:
            self.known[key] = name = f"c{len(self.known)}"
            self.constants[name] = value  # which also keeps it from being replaced by another with its identity
        return self.known[key]

    def _result(self, value: Any) -> tuple[Any, str]:
        """A kernel's result with names, and the pattern that takes it apart."""
        if isinstance(value, tuple):
            parts = [self._result(item) for item in value]
            return tuple(part for part, _ in parts), _tuple([pattern for _, pattern in parts])
        number = self._name(value)
        return number, number.name

    def function(self, inputs: Sequence[Named], outputs: Sequence[Any]) -> Callable[[Sequence[float]], list[float]]:
        """The function of all lines so far."""
        return function_of(self.body(inputs, outputs))

    def body(self, inputs: Sequence[Named], outputs: Sequence[Any]) -> Body:
        """The same as text."""
        taken = ", ".join(number.name for number in inputs)
        lines = [f"({taken},) = values", *self.lines, f"return [{', '.join(map(self.called, outputs))}]"]
        return Body(lines, self.constants)


def function_of(body: Body) -> Callable[[Sequence[float]], list[float]]:
    """A body as a function of Python's."""
    scope = dict(body.constants)
    at_hand = ", ".join(f"{name}={name}" for name in scope)  # locals are quicker to reach than globals
    exec(f"def line(values, {at_hand}):\n    " + "\n    ".join(_few_names(body.lines)), scope)
    line: Callable[[Sequence[float]], list[float]] = scope["line"]
    return line


def _few_names(lines: Sequence[str]) -> list[str]:
    """The same lines with names reused once their values are no longer read: low-numbered locals are the fastest."""
    last = {name: number for number, line in enumerate(lines) for name in NAME.findall(line)}
    held: dict[str, int] = {}
    free: list[int] = []
    count = 0
    written = []
    for number, line in enumerate(lines):
        names = list(dict.fromkeys(NAME.findall(line)))
        for name in names:
            if name in held and last[name] == number:
                heappush(free, held[name])  # which may be given to what this line makes: it is read before
        made = [name for name in names if name not in held]
        for name in made:
            if not free:
                free.append(count)
                count += 1
            held[name] = heappop(free)
        for name in made:
            if last[name] == number:
                heappush(free, held[name])
        written.append(NAME.sub(lambda found: f"v{held[found[0]]}", line))
    return written


def _has_names(value: tuple[Any, ...]) -> bool:
    return any(_has_names(item) if isinstance(item, tuple) else isinstance(item, Named) for item in value)


def _shape(value: Any, leaves: list[Any]) -> Shape:
    """The shape of an argument; the numbers in it are added to the others."""
    if isinstance(value, tuple):
        return tuple(_shape(item, leaves) for item in value)
    leaves.append(value)
    return None


class WritingProcess(Process):
    """A process whose kernel calls are written down."""

    def __init__(self, writer: Writer, core: Core, node: Hashable, rank: int) -> None:
        super().__init__(core, node, rank)
        self.writer = writer

    def do(self, kernel: Kernel[*Ts, R], *args: *Ts) -> R:
        """Compute with a kernel, and write it down."""
        result: R = self.writer.call(kernel, args)
        return result


class Tape:
    """The numbers of a plan as a function of those it is made with.

    Once it has been called so often that it pays, it is compiled (`native.py`), or at once if so many calls are to
    come. What was compiled before is found sooner.

    Parameters
    ----------
    make : callable
        Makes the plan from its input numbers; the plan's answer is a sequence of output numbers.
    inline : bool
        Write the lines of kernels instead of calls: several times quicker.
    calls : int
        How many calls are to come, if that is known.
    """

    def __init__(
        self, make: Callable[[Sequence[float]], Plan[Sequence[float]]], inline: bool = True, calls: int = 0
    ) -> None:
        self.make = make
        self.inline = inline
        self.calls = calls
        self.body: Body | None = None
        self.line: Callable[[Sequence[float]], list[float]] | None = None
        self.compiled: Compiled | None = None
        self.count = 0  # of calls in Python
        self.due = 0  # the count at which to look for something compiled

    def __call__(self, values: Sequence[float]) -> list[float]:
        """The outputs for some inputs; written out again where the programs take other branches than last time."""
        if self.compiled is not None:
            found = self.compiled(values)
            if found is not None:
                return found
            self._begin()
        if self.line is not None:
            try:
                found = self.line(values)
            except LeftTapeError:
                pass
            else:
                self.count += 1
                if self.count == self.due:
                    self._compile(values, found)
                return found
        writer = Writer(self.inline)
        inputs: list[Any] = [writer.input(value) for value in values]
        outputs = self.make(inputs).answer(Simulation(NOWHERE, process=partial(WritingProcess, writer)))
        self.body = writer.body(inputs, outputs)
        self.line = function_of(self.body)
        self._begin()
        return [float(plain(value)) for value in outputs]

    def outputs(self, *values: float) -> tuple[float, ...]:
        """The same for numbers and as a tuple, as kernels have them: so a tape may be called by another."""
        return tuple(self(values))

    def _begin(self) -> None:
        """Compute in Python, until it pays to compile."""
        assert self.body is not None
        enough = worth(self.body)
        self.compiled, self.count = None, 0
        self.due = 1 if self.calls >= enough else min(SEEK, enough)

    def _compile(self, values: Sequence[float], found: list[float]) -> None:
        """Look for something compiled, or compile; it must give the numbers that Python found."""
        assert self.body is not None
        enough = worth(self.body)
        pays = max(self.count, self.calls) >= enough
        function = compiled(self.body) if pays else kept(self.body)
        if function is not None and function(values) == found:
            self.compiled = function
        elif not pays:
            self.due = enough


def _tuple(parts: Sequence[str]) -> str:
    """A tuple as Python text; an empty one has no comma."""
    return f"({', '.join(parts)}{',' if parts else ''})"
