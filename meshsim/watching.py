"""Processes that keep what their programs compute and say, and the program line of each: for people who look at a run.

A watched run is a traced one with every value kept. Programs are not changed by it, nor are times.
"""

import inspect
import linecache
import re
import sys
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple, TypeVar, TypeVarTuple

import numpy as np

from meshsim.channel import End
from meshsim.columns import Columns
from meshsim.counted import Kernel
from meshsim.garbage import collector_at_rest
from meshsim.log import Ints
from meshsim.processor import Process, TracedProcess
from meshsim.sharing import SharedProcess

Ts = TypeVarTuple("Ts")
R = TypeVar("R")

Place = tuple[CodeType, int]
"""A line of a program: the code of its function, and the number of the line."""
LINES: list[Place] = []
"""Every program line that a watched run has come to, whichever run that was."""
NUMBERS: dict[tuple[int, int], int] = {}
"""Their numbers, by the id of the code, which `LINES` keeps alive: to hash the code itself would take long."""
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
    lines: list[int]
    """Where each was called, by the number of the line in `LINES`."""
    said: dict[End, list[Any]]
    """What was sent through each port, in order."""
    asked_at: dict[End, list[int]]
    """Where each operation of a port was made, likewise."""

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


def _caller() -> int:
    """The line of the program that called its processor, by its number."""
    frame = sys._getframe(2)
    code = frame.f_code
    while (code in BETWEEN or code.co_name in COMPREHENSIONS) and frame.f_back is not None:
        frame = frame.f_back
        code = frame.f_code
    line = frame.f_lineno
    number = NUMBERS.get((id(code), line))
    if number is None:
        number = NUMBERS[id(code), line] = len(LINES)
        LINES.append((code, line))
    return number


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
        owners = found.parts.program[found.parts.kernel >= 0]
        changes = np.flatnonzero(np.diff(owners, prepend=-1, append=-1))
        stretches = list(zip(owners[changes[:-1]].tolist(), np.diff(changes).tolist(), strict=True))

        def in_order(name: str) -> list[Any]:
            """What programs keep of their computes, in the order of the parts."""
            kept = [iter(getattr(each, name)) for each in programs]
            return [each for owner, count in stretches for each in islice(kept[owner], count)]

        at = [in_order("lines")]
        for name in ("sender", "receiver"):
            ends = [getattr(channel, name) for channel in found.channels]
            at.append([place for end in ends for place in end.cpu.asked_at.get(end, ())])
        sent = [value for channel in found.channels for value in channel.sender.cpu.said.get(channel.sender, ())]
        used = list(dict.fromkeys(chain.from_iterable(at)))
        ranks = np.zeros(len(LINES), dtype=np.int64)
        ranks[used] = np.arange(len(used))
        places = [LINES[number] for number in used]
        return Values(in_order("results"), sent, places, *(ranks[np.array(each, dtype=np.int64)] for each in at))


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
    purpose = re.split(r"(?<=\S\.)\s|\s{2,}|\n\n", about)[0].replace("\n", " ").rstrip(".")
    file = "/".join(Path(code.co_filename).parts[-2:])
    return ProgramLine(file, number, code.co_name, text, purpose, cited[1].rstrip(".") if cited else "")
