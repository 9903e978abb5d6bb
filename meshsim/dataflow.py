"""The dataflow of a plan: which kernel call or message needs the numbers of which others, whatever the written order.

The programs run once, on the engine, with links that cost nothing and numbers that are followed. A *job* is a kernel
call on a processor, or a message from one to another. It needs the jobs on its own processor that made its numbers, or
brought them. Numbers that programs begin with are constants. Comparisons are not jobs: with the same numbers they come
out the same.
"""

import operator
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from numbers import Real
from typing import Any, Generic, NamedTuple, TypeVar, TypeVarTuple

import numpy

from meshsim.channel import End
from meshsim.counted import Kernel
from meshsim.followed import Followed, plain
from meshsim.payload import mapped
from meshsim.plan import Plan
from meshsim.processor import Core, UntimedProcess
from meshsim.program import ProgramError
from meshsim.simulation import NOWHERE, Simulation

Ts = TypeVarTuple("Ts")
R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a number is: in what a job made or brought, at the end of a path of indices, with signs changed since."""

    job: int
    path: tuple[int, ...] = ()
    signs: tuple[Callable[[Any], Any], ...] = ()

    def find(self, store: Mapping[int, Any]) -> Any:
        """The number, from what jobs made."""
        value = store[self.job]
        for index in self.path:
            value = value[index]
        for sign in self.signs:
            value = sign(value)
        return value


class Job(NamedTuple):
    """A kernel call, or a message (which has no kernel).

    Attributes
    ----------
    kernel : Kernel or None
        What is called.
    start, home : int
        The processor where its numbers come from, and the one that has what it made or brought: sender and receiver of
        a message. Processors go by their numbers in node order.
    takes : tuple
        The arguments of a call, or one payload; a `Place` stands for a number.
    needs : tuple of int
        The jobs that these are of.
    channel, words : int
        Of a message.
    """

    kernel: Kernel[*tuple[Any, ...], Any] | None
    start: int
    home: int
    takes: tuple[Any, ...]
    needs: tuple[int, ...]
    channel: int = -1
    words: int = 0


class Way(NamedTuple):
    """A channel: its sender and receiver by number, their ports, its link by number, and its bus if it is on one."""

    sender: int
    out: str
    receiver: int
    into: str
    link: int
    bus: str | None


@dataclass(frozen=True, eq=False)
class Dataflow(Generic[T]):
    """What a plan computes and sends, without an order.

    Attributes
    ----------
    plan : Plan
        Whose it is.
    nodes : tuple
        The processors, in node order.
    jobs : tuple of Job
        Each stands behind all that it needs.
    ways : tuple of Way
        The channels.
    written : tuple
        For each processor its calls and the messages that it sent or received, in the order of its program.
    marks : tuple
        For each processor the phases that it marked, and how many of those it had done by then.
    results : mapping
        What each program returned, by node; a `Place` stands for a number.
    """

    plan: Plan[T]
    nodes: tuple[Hashable, ...]
    jobs: tuple[Job, ...]
    ways: tuple[Way, ...]
    written: tuple[tuple[int, ...], ...]
    marks: tuple[tuple[tuple[str, int], ...], ...]
    results: Mapping[Hashable, Any]

    @cached_property
    def users(self) -> list[list[int]]:
        """For each job those that need it."""
        users: list[list[int]] = [[] for _ in self.jobs]
        for number, job in enumerate(self.jobs):
            for each in job.needs:
                users[each].append(number)
        return users


def dataflow(plan: Plan[T]) -> Dataflow[T]:
    """Run a plan once, without a clock, and follow its numbers.

    Parameters
    ----------
    plan : Plan
        What to run: programs whose numbers are floats in tuples, and whose arithmetic is all done by kernels.

    Returns
    -------
    Dataflow
        What needs what.
    """
    jobs: list[Job] = []
    engine = Simulation(NOWHERE, process=partial(FollowingProcess, jobs))
    results = engine.run(plan.topology, plan.programs)
    numbers = {channel: number for number, channel in enumerate(engine.channels)}
    processes: Sequence[Any] = engine.processes
    for process in processes:
        for job, end in process.sent:
            jobs[job] = jobs[job]._replace(channel=numbers[end.channel])
    ways = [
        Way(c.sender.cpu.rank, c.sender.port, c.receiver.cpu.rank, c.receiver.port, number // 2, _bus(c))
        for c, number in numbers.items()
    ]
    return Dataflow(
        plan,
        tuple(process.node for process in processes),
        tuple(jobs),
        tuple(ways),
        tuple(tuple(process.done) for process in processes),
        tuple(tuple(process.marks) for process in processes),
        {node: mapped(result, Number, lambda number: number.place) for node, result in results.items()},
    )


def _bus(channel: Any) -> str | None:
    return channel.route.bus if channel.route is not None else None


class Number(Followed):
    """A number with its place."""

    __slots__ = ("place",)

    def __init__(self, value: float, place: Place) -> None:
        super().__init__(value)
        self.place = place

    def __neg__(self) -> "Number":
        return self._signed(operator.neg)

    def __abs__(self) -> "Number":
        return self._signed(abs)

    def __bool__(self) -> bool:
        return bool(self.value)

    def _signed(self, sign: Callable[[Any], Any]) -> "Number":
        return Number(sign(self.value), replace(self.place, signs=(*self.place.signs, sign)))


class FollowingProcess(UntimedProcess):
    """A process that writes down what needs what."""

    def __init__(self, jobs: list[Job], core: Core, node: Hashable, rank: int) -> None:
        super().__init__(core, node, rank)
        self.jobs = jobs
        self.done: list[int] = []
        self.sent: list[tuple[int, End]] = []
        self.marks: list[tuple[str, int]] = []
        self.latest_sent: dict[End, int] = {}  # the latest message of each output
        self.under_way: dict[End, deque[int]] = {}  # those not yet received
        self.noted = True

    def do(self, kernel: Kernel[*Ts, R], *args: *Ts) -> R:
        """Compute with a kernel, and write it down."""
        value = kernel.function(*map(plain, args))
        self.done.append(len(self.jobs))
        return self._write(Job(kernel, self.rank, self.rank, args, ()), value)  # type: ignore[no-any-return]

    def send(self, port: str, value: Any) -> End:
        """An operation to yield; what arrives knows that this message brought it."""
        end = super().send(port, value)
        job = len(self.jobs)
        self.latest_sent[end] = job
        self.under_way.setdefault(end, deque()).append(job)
        self.sent.append((job, end))
        message = Job(None, self.rank, end.peer.cpu.rank, (end.payload,), (), words=end.words)
        end.payload = self._write(message, plain(end.payload))
        return end

    def phase(self, name: str) -> None:
        """Write down that a phase has ended here."""
        self.marks.append((name, len(self.done)))

    def _write(self, job: Job, value: Any) -> Any:
        """Write a job down; what it made or brought, as numbers with places."""
        needs: dict[int, None] = {}

        def place(number: Number) -> Place:
            needs[number.place.job] = None
            return number.place

        takes = mapped(job.takes, Number, place)
        if any(self.jobs[each].home != self.rank for each in needs):
            raise ProgramError(f"{self.node} uses a number of another processor that no message brought")
        self.jobs.append(job._replace(takes=takes, needs=tuple(needs)))
        return self._followed(value, Place(len(self.jobs) - 1))

    def _followed(self, value: Any, place: Place) -> Any:
        if isinstance(value, tuple):
            return tuple(
                self._followed(item, replace(place, path=(*place.path, index))) for index, item in enumerate(value)
            )
        if isinstance(value, numpy.ndarray | list):
            raise ProgramError(f"{self.node} has an array, which cannot be followed: only numbers and tuples can")
        return Number(value, place) if isinstance(value, Real) else value  # type: ignore[arg-type]

    def note(self, _: int, ends: tuple[End, ...]) -> None:
        """A communication has ended."""
        for end in ends:
            if end.verb == "send":
                self.done.append(self.latest_sent[end])
            else:
                self.done.append(end.peer.cpu.under_way[end.peer].popleft())
