"""A recording: what a plan's programs did and waited for, without times, to be re-timed on other machines.

The programs run once, on the engine itself, with links that cost nothing; what each processor computed between its
communications, and through which ports it communicated, goes into arrays. Without shared wires and processors the
programs form a Kahn network: on every machine they do the same, and only the times differ.
"""

import ast
import json
import zipfile
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from os import PathLike
from typing import Any, NamedTuple, TypeVar, TypeVarTuple

import numpy as np
import numpy.typing as npt

from meshsim.counted import KERNELS, Kernel
from meshsim.energy import Usage
from meshsim.errors import MeshSimError
from meshsim.formats import load_format
from meshsim.machine import Machine
from meshsim.network import Link
from meshsim.placed import ways
from meshsim.plan import Plan
from meshsim.recorder import RecordedChannel, RecordingProcess, Works
from meshsim.simulation import NOWHERE, Simulation

Ts = TypeVarTuple("Ts")
R = TypeVar("R")
T = TypeVar("T")
Ints = npt.NDArray[np.int64]

FORMAT = 4
"""Of the file; a file with another number is refused."""


class RouteLink(NamedTuple):
    """A link on the route of a channel.

    `switch`: whether it begins at a switch element. `bus`: the name of the bus that it is part of, if it is. `own`: the
    costs that it has of its own, by name.
    """

    link: Link
    switch: bool
    bus: str | None
    own: tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False)
class Recording:
    """The dependences of a plan.

    A *work* is a sequence of kernels that a processor ran between two communications; equal sequences are one work. A
    *step* is one communication of a program: several operations if it was a `par`. Steps stand processor by processor,
    in order; an operation is the number of its channel, doubled, plus one for a receive.

    Attributes
    ----------
    identity : mapping
        What was recorded, for the file's reader.
    nodes : tuple
        The processors, in node order.
    kernels : tuple of Kernel
        What works are made of; those of a file cannot compute, unless their module has been loaded.
    work_ends, work_kernels : arrays
        The kernels of all works, one work after the other, and where each ends.
    step_ends, step_works : arrays
        Where each processor's steps end, and the work before each step.
    op_ends, ops : arrays
        Where each step's operations end, and the operations.
    tails : array
        The work of each processor after its last step.
    links : tuple
        For each channel: sender, port, receiver, port; processors by their number.
    message_ends, words : arrays
        Where each channel's messages end, and how many words each message has; in a number format, how many numbers.
    buses : tuple of str
        The buses that some of its links share, on the network of its own.
    marks : tuple
        Phases that were marked: processor, name, number of its steps before the mark, and the work since.
    places : tuple
        Of a plan that was placed on another network, the processor of each program, and None for an idle node. All that
        is told of processors elsewhere here is then told of programs.
    routes : tuple of tuple of RouteLink
        Of such a plan, for each channel the links that its messages take there; none within a processor.
    format : str or None
        The name of the number format, if one was chosen.
    processors : int
        How many processors the network has, idle ones included.
    """

    identity: Mapping[str, Any]
    nodes: tuple[Hashable, ...]
    kernels: tuple[Kernel[*tuple[Any, ...], Any], ...]
    work_ends: Ints
    work_kernels: Ints
    step_ends: Ints
    step_works: Ints
    op_ends: Ints
    ops: Ints
    tails: Ints
    links: tuple[tuple[int, str, int, str], ...]
    message_ends: Ints
    words: Ints
    buses: tuple[str, ...]
    marks: tuple[tuple[int, str, int, int], ...]
    places: tuple[Hashable, ...] = ()
    routes: tuple[tuple[RouteLink, ...], ...] = ()
    format: str | None = None
    processors: int = 0
    schedules: dict[Any, Any] = field(default_factory=dict, repr=False)  # made when first needed

    def words_on(self, machine: Machine, sizes: Ints) -> Ints:
        """How many words messages take on a machine, given their sizes as `words` has them."""
        return sizes if self.format is None else np.asarray(load_format(self.format).width(machine).words(sizes))

    @property
    def messages(self) -> int:
        """How many messages were sent."""
        return len(self.words)

    @cached_property
    def carrying(self) -> tuple[int, ...]:
        """The channels that carry messages."""
        return tuple(np.flatnonzero(lengths(self.message_ends)).tolist())

    @cached_property
    def passes_routers(self) -> bool:
        """Whether a message passes a router on its way."""
        return bool(self.routes) and any(len(self.routes[channel]) > 1 for channel in self.carrying)

    @cached_property
    def work_counts(self) -> Ints:
        """How often each work calls each kernel."""
        counts = np.zeros((len(self.work_ends), len(self.kernels)), dtype=np.int64)
        works = np.repeat(np.arange(len(self.work_ends)), lengths(self.work_ends))
        np.add.at(counts, (works, self.work_kernels), 1)
        return counts

    @cached_property
    def call_counts(self) -> Ints:
        """How often each processor calls each kernel."""
        cpus = np.repeat(np.arange(len(self.nodes)), lengths(self.step_ends))
        works = len(self.work_ends)
        cells = np.concatenate([cpus * works + self.step_works, np.arange(len(self.nodes)) * works + self.tails])
        done = np.bincount(cells, minlength=len(self.nodes) * works).reshape(-1, works)  # of each work, how often
        counts: Ints = done @ self.work_counts
        return counts

    def usage(self, machine: Machine) -> Usage:
        """What energy is paid for on a machine, as a run there counts it."""
        calls, words = self.call_counts.sum(axis=0).tolist(), np.zeros(len(self.links), dtype=np.int64)
        sizes = lengths(self.message_ends)
        np.add.at(words, np.repeat(np.arange(len(self.links)), sizes), self.words_on(machine, self.words))
        found = Usage(processors=self.processors)
        for kernel, times in zip(self.kernels, calls, strict=True):
            found.do({name: times * count for name, count in kernel.cost.items()})
        for channel, (messages, sent) in enumerate(zip(sizes.tolist(), words.tolist(), strict=True)):
            links = len(self.routes[channel]) if self.routes else 1
            if not links:
                found.copies += sent
                continue
            found.messages += messages
            found.words += sent * links
            found.hops += sent * (links - 1)
        return found

    @cached_property
    def op_messages(self) -> Ints:
        """The message of each operation; a channel's messages are numbered as they are sent, and received."""
        small = self.ops.astype(np.min_scalar_type(int(self.ops.max(initial=0))))  # which numpy sorts by counting
        order = np.argsort(small, kind="stable")
        grouped = self.ops[order]
        first = np.searchsorted(grouped, grouped)  # where the run of equal operations begins
        messages = np.empty(len(order), dtype=np.int64)
        starts = np.concatenate(([0], self.message_ends))
        messages[order] = np.arange(len(order)) - first + starts[grouped // 2]
        return messages

    def save(self, path: str | PathLike[str]) -> None:
        """Write the recording to one file, an archive of arrays without any pickled object."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        wires = {wire: number for number, wire in enumerate(dict.fromkeys(each for way in self.routes for each in way))}
        text = json.dumps(
            {
                "format": FORMAT,
                "identity": dict(self.identity),
                "nodes": [_written(node) for node in self.nodes],
                "kernels": [[kernel.name, dict(kernel.cost)] for kernel in self.kernels],
                "links": self.links,
                "buses": self.buses,
                "marks": self.marks,
                "places": [_written(place) for place in self.places],
                "wires": [[*map(_written, link[:2]), link.key, *rest] for link, *rest in wires],
                "routes": [[wires[wire] for wire in way] for way in self.routes],
                "number_format": self.format,
                "processors": self.processors,
            }
        )
        with open(path, "wb") as file:
            np.savez_compressed(file, text=np.frombuffer(text.encode(), dtype=np.uint8), **arrays)


_ARRAYS = (
    "work_ends", "work_kernels", "step_ends", "step_works", "op_ends", "ops", "tails", "message_ends", "words",
)  # fmt: skip


def lengths(ends: Ints) -> Ints:
    """The lengths of consecutive segments, from their ends."""
    return np.diff(ends, prepend=0)


def _written(node: Hashable) -> str:
    text = repr(node)
    try:
        same = ast.literal_eval(text) == node
    except (ValueError, SyntaxError):
        same = False
    if not same:
        raise MeshSimError(f"a node of a recording must be made of numbers, strings and tuples to be saved, not {text}")
    return text


def _kernel(name: str, cost: Mapping[str, int]) -> Kernel[*tuple[Any, ...], Any]:
    known = KERNELS.get(name)
    if known is not None and dict(known.cost) == dict(cost):
        return known

    def unknown(*_: Any) -> Any:
        raise MeshSimError(f"kernel {name!r} is known from a recording only, and cannot compute")

    unknown.__name__ = name
    return Kernel(unknown, cost)


def load_recording(path: str | PathLike[str]) -> Recording:
    """Read a recording from a file that `Recording.save` wrote."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            text = json.loads(archive["text"].tobytes())
            arrays = {name: archive[name] for name in _ARRAYS}
        if text["format"] != FORMAT:
            raise MeshSimError(f"recording {str(path)!r} must have format {FORMAT}, not {text['format']!r}")
        wires = [_wire(*wire) for wire in text["wires"]]
        return Recording(
            identity=text["identity"],
            nodes=tuple(ast.literal_eval(node) for node in text["nodes"]),
            kernels=tuple(_kernel(name, cost) for name, cost in text["kernels"]),
            links=tuple(tuple(link) for link in text["links"]),
            buses=tuple(text["buses"]),
            marks=tuple(tuple(mark) for mark in text["marks"]),
            places=tuple(ast.literal_eval(place) for place in text["places"]),
            routes=tuple(tuple(wires[number] for number in way) for way in text["routes"]),
            format=text["number_format"],
            processors=text["processors"],
            **arrays,
        )
    except OSError as error:
        raise MeshSimError(
            f"recording must be a readable file, not {str(path)!r} ({error.strerror or error})"
        ) from None
    except (ValueError, KeyError, TypeError, SyntaxError, zipfile.BadZipFile) as error:
        raise MeshSimError(f"recording {str(path)!r} must be a file that meshsim wrote ({error})") from None


def _wire(source: str, target: str, key: int, switch: bool, bus: str | None, own: list[list[Any]]) -> RouteLink:
    link = Link(ast.literal_eval(source), ast.literal_eval(target), key)
    return RouteLink(link, switch, bus, tuple((name, ticks) for name, ticks in own))


# Making one


def record(plan: Plan[T], identity: Mapping[str, Any] | None = None) -> tuple[Recording, T]:
    """Run a plan once, without a clock.

    Parameters
    ----------
    plan : Plan
        What to run.
    identity : mapping, optional
        What it is, in words and numbers; kept in the recording's file.

    Returns
    -------
    recording : Recording
        What its programs did, and waited for; and, if it was placed on a network, where they are and their routes.
    value
        The plan's answer, which no machine changes.
    """
    works = Works()
    engine = Simulation(NOWHERE, process=partial(RecordingProcess, works), channel=RecordedChannel)
    value = plan.answer(engine)
    found = _collect(identity or {}, works, engine.processes, engine.channels)
    return replace(found, **_where(plan), format=plan.format.name if plan.format else None), value


def _where(plan: Plan[Any]) -> dict[str, Any]:
    """How many processors there are; of a plan that was placed, also the places of programs and the routes."""
    placed = plan.placement
    if placed is None:
        return {"processors": len(plan.topology)}
    network = placed.network

    def passed(link: Link) -> RouteLink:
        own = tuple(network.costs(link).items())
        return RouteLink(link, network.is_switch(link.source), network.bus(link), own)

    return {
        "places": tuple(placed.places[node] if node in plan.programs else None for node in plan.topology),
        "routes": tuple(tuple(map(passed, placed.path(way))) for way in ways(plan.topology)),
        "buses": (),
        "processors": len(network.processors),
    }


def _collect(identity: Mapping[str, Any], works: Works, cpus: list[Any], channels: list[Any]) -> Recording:
    codes = {end: code for code, end in enumerate(end for c in channels for end in (c.sender, c.receiver))}
    tails = [works[tuple(cpu.work)] for cpu in cpus]  # before the works are listed: it may add some
    kernels = {kernel: number for number, kernel in enumerate(dict.fromkeys(k for work in works for k in work))}
    return Recording(
        identity=dict(identity),
        nodes=tuple(cpu.node for cpu in cpus),
        kernels=tuple(kernels),
        work_ends=_ends(len(work) for work in works),
        work_kernels=np.array([kernels[kernel] for work in works for kernel in work], dtype=np.int64),
        step_ends=_ends(len(cpu.step_works) for cpu in cpus),
        step_works=_joined(cpu.step_works for cpu in cpus),
        op_ends=np.cumsum(_joined(cpu.op_counts for cpu in cpus)),
        ops=np.array([codes[end] for cpu in cpus for end in cpu.ends], dtype=np.int64),
        tails=np.array(tails, dtype=np.int64),
        links=tuple((c.sender.cpu.rank, c.sender.port, c.receiver.cpu.rank, c.receiver.port) for c in channels),
        message_ends=_ends(len(channel.sizes) for channel in channels),
        words=_joined(channel.sizes for channel in channels),
        buses=tuple(dict.fromkeys(channel.route.bus for channel in channels if channel.route is not None)),
        marks=tuple((cpu.rank, name, *mark) for cpu in cpus for name, mark in cpu.marks.items()),
    )


def _ends(lengths: Iterable[int]) -> Ints:
    return np.cumsum(np.array(list(lengths), dtype=np.int64))


def _joined(lists: Iterable[Sequence[int]]) -> Ints:
    return np.concatenate([np.empty(0, np.int64), *(np.array(each, dtype=np.int64) for each in lists)])
