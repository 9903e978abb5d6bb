"""Processes that keep what their programs compute and say, and the program line of each: for people who look at a run.

A watched run is a traced one with every value kept. Programs are not changed by it, nor are times.
"""

import inspect
import linecache
import re
import sys
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple, TypeVar, TypeVarTuple

import numpy as np

from meshsim.channel import End
from meshsim.columns import Columns, Ints
from meshsim.counted import Kernel
from meshsim.garbage import collector_at_rest
from meshsim.processor import Process, TracedProcess
from meshsim.sharing import SharedProcess

Ts = TypeVarTuple("Ts")
R = TypeVar("R")

Place = tuple[CodeType, int]
"""A line of a program: the code of its function, and the number of the line."""
BETWEEN: set[CodeType] = set()
"""Functions that stand between a program and its processor: the program's line is their caller's."""
COMPREHENSIONS = ("<genexpr>", "<listcomp>", "<dictcomp>")

CITED = re.compile(
    r"\b((?:Wong|Khan|Saha|KTK|Kordjazi) (?:eqs?\b|sec\b|Tables?\b|[Ff]ig\b|ch\b)\.? ?[A-Z]?\.?\d[^#\n;]*)"
)
"""How a line or a docstring cites its source."""


class Watching(Process):
    """What it adds to a process, whatever its core."""

    __slots__ = ()
    results: list[Any]
    """What each kernel call gave, in order."""
    lines: list[Place]
    """Where each was called."""
    said: dict[End, list[Any]]
    """What was sent through each port, in order."""
    asked_at: dict[End, list[Place]]
    """Where each operation of a port was made."""

    def do(self, kernel: Kernel[*Ts, R], *args: *Ts) -> R:
        """Compute with a kernel, and keep what it gave."""
        result = super().do(kernel, *args)
        self.results.append(result.copy() if isinstance(result, list | np.ndarray) else result)
        self.lines.append(_caller())
        return result

    def send(self, port: str, value: Any) -> End:
        """An operation to yield: send a value through a port."""
        end = super().send(port, value)
        self.said.setdefault(end, []).append(end.payload)
        self.asked_at.setdefault(end, []).append(_caller())
        return end

    def recv(self, port: str) -> End:
        """An operation to yield: its value is what the next message through the port brings."""
        end = super().recv(port)
        self.asked_at.setdefault(end, []).append(_caller())
        return end


class WatchedProcess(Watching, TracedProcess):
    """A program on a processor of its own."""

    __slots__ = ("asked_at", "lines", "results", "said")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.results, self.lines, self.said, self.asked_at = [], [], {}, {}


class WatchedSharedProcess(Watching, SharedProcess):
    """A program on a processor that others share."""

    __slots__ = ("asked_at", "lines", "results", "said")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.results, self.lines, self.said, self.asked_at = [], [], {}, {}


def _caller() -> Place:
    """The line of the program that called its processor."""
    frame = sys._getframe(2)
    code = frame.f_code
    while (code in BETWEEN or code.co_name in COMPREHENSIONS) and frame.f_back is not None:
        frame = frame.f_back
        code = frame.f_code
    return code, frame.f_lineno


class Values(NamedTuple):
    """What the programs of a watched run computed and said, by the columns of its trace.

    Attributes
    ----------
    computed : list
        What each compute gave, in the order of `Columns.parts`.
    sent : list
        What each message carried, in the order of `Columns.messages`.
    places : list of Place
        Every program line, once.
    computed_at, sent_at, received_at : array of int
        The line of each compute, and of each message's two operations, counted in `places`.
    """

    computed: list[Any]
    sent: list[Any]
    places: list[Place]
    computed_at: Ints
    sent_at: Ints
    received_at: Ints


def values(found: Columns) -> Values:
    """What a watched run's programs computed and said."""
    with collector_at_rest():
        programs: list[Any] = list(found.programs)
        parts = found.parts
        owners = parts.program[parts.kernel >= 0].tolist()
        results, lines = ([iter(getattr(each, name)) for each in programs] for name in ("results", "lines"))
        computed = [next(results[owner]) for owner in owners]
        numbers: dict[Place, int] = {}
        at = [[next(lines[owner]) for owner in owners]]
        for name in ("sender", "receiver"):
            ends = [getattr(channel, name) for channel in found.channels]
            at.append([place for end in ends for place in end.cpu.asked_at.get(end, ())])
        for places in at:
            for place in dict.fromkeys(places):
                numbers.setdefault(place, len(numbers))
        sent = [value for channel in found.channels for value in channel.sender.cpu.said.get(channel.sender, ())]
        counted = (np.fromiter(map(numbers.__getitem__, places), np.int64) for places in at)
        return Values(computed, sent, list(numbers), *counted)


class ProgramLine(NamedTuple):
    """A line of a program, for people.

    Attributes
    ----------
    file, number
        Where it stands: the file within its package, and the line.
    function : str
        Of which function.
    text : str
        The line itself.
    purpose : str
        What the function is for, in a sentence, as its docstring says.
    source : str
        The equation, table or section that the line cites, else its function; "" if neither does.
    """

    file: str
    number: int
    function: str
    text: str
    purpose: str
    source: str


@lru_cache(maxsize=4096)
def program_line(code: CodeType, number: int) -> ProgramLine:
    """What can be told of a program line."""
    text, _, remark = linecache.getline(code.co_filename, number).strip().partition("  #")
    about = inspect.cleandoc(str(code.co_consts[0] or "")) if code.co_consts else ""
    module = inspect.getmodule(code)
    cited = next(filter(None, map(CITED.search, (remark, about, (module and module.__doc__) or ""))), None)
    purpose = re.split(r"(?<=\.)\s|\s{2,}|\n\n", about)[0].replace("\n", " ").rstrip(".")
    file = "/".join(Path(code.co_filename).parts[-2:])
    return ProgramLine(file, number, code.co_name, text, purpose, cited[1].rstrip(".") if cited else "")
