"""Re-timing: a recording evaluated for a table of machines at once.

Every time of a run is the largest of some earlier times, each plus a cost: `t = max(t_a, t_b) + cost`. Which times
depend on which is the same for all machines with one discipline (and, where they matter, as many buffers): a
`Schedule`. It is sorted into levels, and a level is evaluated for all machines by a few numpy operations.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from meshsim import lanes
from meshsim.deadlock import DeadlockError
from meshsim.dependences import Graph
from meshsim.discipline import OwnCost, told
from meshsim.errors import MeshSimError
from meshsim.machine import OPERATIONS, LinkCosts, Machine
from meshsim.recording import Ints, Recording
from meshsim.trace import label

MEMORY = 200_000_000
"""Bytes that the times of one batch of machines may take."""


class NotKahnError(MeshSimError):
    """On this machine the order of events depends on times: only the engine can time it.

    `reason` is a sentence that tells why.
    """

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(what, reason)  # both, so that it can be pickled
        self.reason = reason

    def __str__(self) -> str:
        return ": ".join(self.args) + "; simulate it instead"


def check_kahn(machine: Machine, recording: Recording | None = None) -> None:
    """Refuse a machine on which the programs, of a recording if one is given, form no Kahn network.

    Raises
    ------
    NotKahnError
        If on this machine the order of events depends on times, with a case of it.
    """
    links = machine.links
    if recording is not None:
        _check_alone(machine, recording)
    if "wire" not in links.life.costs:
        return  # who would be first on a wire does not matter
    if recording is not None and not recording.messages:
        return  # nor is there anybody
    if recording is not None and recording.buses:
        raise _with_bus(machine, recording.buses)
    if recording is not None and recording.routes:
        _check_routers(machine, recording)
        _check_wires(machine, recording)
    elif links.duplex == "half":
        reason = "its links are half duplex, and who gets a shared wire first depends on times"
        raise NotKahnError(f"{machine.name} cannot be re-timed", reason)


def _with_bus(machine: Machine, buses: Sequence[str]) -> NotKahnError:
    what = f"a plan with a bus ({', '.join(buses)}) cannot be re-timed on {machine.name}"
    return NotKahnError(what, "who gets it first depends on times")


def _check_alone(machine: Machine, recording: Recording) -> None:
    """Refuse two programs on one processor."""
    found: dict[Hashable, Hashable] = {}
    for node, place in zip(recording.nodes, recording.places, strict=False):  # no places: all have their own
        if place is None:
            continue  # an idle node
        if place in found:
            raise NotKahnError(
                f"a plan with several programs on one processor cannot be re-timed on {machine.name}",
                f"{label(found[place])} and {label(node)} share processor {label(place)}, and whose turn it is depends "
                "on times",
            )
        found[place] = node


def _check_routers(machine: Machine, recording: Recording) -> None:
    """Refuse processors that forward messages in their own time, and routers that hold a few only."""
    links = machine.links
    if links.routing == "processor":
        for channel, route in enumerate(
            recording.routes
        ):  # even without messages the engine gives it another processor
            router = next((each.link.source for each in route[1:] if not each.switch), None)
            if router is not None:
                raise NotKahnError(
                    f"a plan whose routes pass processors cannot be re-timed on {machine.name}, where they forward "
                    "messages themselves",
                    f"processor {label(router)} is on the way {_way(recording, channel)}, and when it forwards depends "
                    "on times",
                )
    if links.router_buffers and recording.passes_routers:
        channel = next(each for each in recording.carrying if len(recording.routes[each]) > 1)
        raise NotKahnError(
            f"a plan whose messages pass routers cannot be re-timed on {machine.name}, whose routers hold "
            f"{links.router_buffers} for a link",
            f"messages {_way(recording, channel)} pass one, and only the engine knows when it has room",
        )


def _check_wires(machine: Machine, recording: Recording) -> None:
    """Refuse a wire over which the messages of two channels go."""
    half = machine.links.duplex == "half"
    users: dict[Hashable, int] = {}
    for channel in recording.carrying:
        for each in recording.routes[channel]:
            if each.bus is not None:
                raise _with_bus(machine, [each.bus])
            source, target, key = each.link
            other = users.setdefault((frozenset((source, target)), key) if half else each.link, channel)
            if other != channel:
                raise NotKahnError(
                    f"a plan whose routes share a wire cannot be re-timed on {machine.name}",
                    f"messages {_way(recording, other)} and {_way(recording, channel)} all take the "
                    f"{'half duplex ' if half else ''}link {label(source)} - {label(target)}, and who gets it first "
                    "depends on times",
                )


def _way(recording: Recording, channel: int) -> str:
    sender, _, receiver, _ = recording.links[channel]
    return f"from {label(recording.nodes[sender])} to {label(recording.nodes[receiver])}"


def is_kahn(machine: Machine, recording: Recording | None = None) -> bool:
    """Whether what programs do on a machine can be re-timed."""
    try:
        check_kahn(machine, recording)
    except NotKahnError:
        return False
    return True


# Dependences, sorted into levels


class Schedule:
    """Times in an order in which they can be evaluated: level by level, none of a level depending on another of it.

    A level's times with the most dependences come first, so that its second dependences, its third and so on are those
    of ever fewer times from its beginning: each is one slice. A *turn* takes the n-th dependences of a level.

    Attributes
    ----------
    classes : tuple
        The different costs there are: works (-1: none), costs of a message as places in `kinds`, and its words.
    source, cost : arrays
        Of each dependence, turn by turn: the time it depends on, and the class of its cost.
    turns : list
        Where each turn begins and ends among the dependences, its first time, and whether it is the first of a level.
    ends, finish, marks : arrays
        Where the times of a `Graph` stand in the order.
    phases, phase : list, array
        The names of phases, and of each mark the place of its phase among them.
    """

    def __init__(self, recording: Recording, links: LinkCosts) -> None:
        graph = Graph(recording, links)
        source, target, key = (np.concatenate(column) for column in zip(*graph.edges, strict=True))
        self.count = graph.count + 1
        level = _levels(source, target, self.count)
        if (level < 0).any():
            stuck = np.flatnonzero(level[graph.finish] < 0)
            raise DeadlockError(_stuck(recording, stuck, links))
        degree = np.bincount(target, minlength=self.count)
        order = np.lexsort((-degree, level))  # by level, then those with most dependences first
        place = np.empty_like(order)
        place[order] = np.arange(self.count)
        self.ends, self.finish, self.marks = (place[each] for each in (graph.ends[:-1], graph.finish, graph.marks))
        names = [name for _, name, _, _ in recording.marks]
        self.phases = list(dict.fromkeys(names))
        self.phase = np.array([self.phases.index(name) for name in names], dtype=np.int64)
        self.kinds = tuple(graph.kinds)
        keys, cost = np.unique(key, return_inverse=True)
        self.classes = graph.classes(keys)
        self._take_turns(place[source], place[target], cost, level[order])
        self._walked: lanes.Walk | None = None

    def _take_turns(self, source: Ints, target: Ints, cost: Ints, level: Ints) -> None:
        """Sort dependences by level, then by how many of their time stand before them, then by time."""
        by_target = np.argsort(target, kind="stable")
        source, target, cost = source[by_target], target[by_target], cost[by_target]
        slot = np.arange(len(target)) - np.searchsorted(target, target)  # how many of its time stand before each
        turn = level[target] * (slot.max(initial=0) + 1) + slot
        in_turn = np.argsort(turn, kind="stable")  # stable, so that the times of a turn stay in order; none is left out
        turn = turn[in_turn]
        begins = np.flatnonzero(np.diff(turn, prepend=-1))
        ends = np.append(begins[1:], len(turn))
        at_begin = in_turn[begins]
        first = slot[at_begin] == 0
        self.source, self.cost = source[in_turn].astype(np.intp), cost[in_turn].astype(np.intp)
        self.turns = list(zip(begins.tolist(), ends.tolist(), target[at_begin].tolist(), first.tolist(), strict=True))
        self.depth = int(level.max(initial=0))
        self.widest = int((ends - begins).max(initial=0))

    def ends_of(self, costs: Ints, compiled: bool) -> tuple[Ints, Ints]:
        """The finish of each processor and the last mark of each phase alone, likewise."""
        if compiled:
            found = lanes.evaluate(self._walk(costs[:, 0]), self._narrowed(costs))
            return found[: len(self.finish)], found[len(self.finish) :]
        times = self.evaluate(costs)
        ends = [times[self.marks[self.phase == phase]].max(axis=0) for phase in range(len(self.phases))]
        return times[self.finish], np.array(ends, dtype=times.dtype).reshape(len(ends), costs.shape[1])

    def batch(self, compiled: bool) -> int:
        """How many machines' times are computed at once."""
        kept = len(self.finish) + len(self.phases) if compiled else self.count + 2 * self.widest
        return max(1, MEMORY // (8 * (kept + len(self.classes[0]))))

    def _walk(self, costs: Ints) -> lanes.Walk:
        """The times in the order in which a machine comes to them: then few are needed at once."""
        if self._walked is None:
            begins, ends, lows, _ = np.array(self.turns, dtype=np.int64).reshape(-1, 4).T
            target = np.arange(len(self.source)) + np.repeat(lows - begins, ends - begins)
            by_target = np.argsort(target, kind="stable")
            order = np.argsort(self.evaluate(costs[:, None])[:, 0], kind="stable")  # of equal ones by level
            rows = np.full(self.count, -1)
            rows[self.finish] = np.arange(len(self.finish))
            rows[self.marks] = len(self.finish) + self.phase
            self._walked = lanes.walk_of(self.source[by_target], target[by_target], self.cost[by_target], order, rows)
        return self._walked

    def _narrowed(self, costs: Ints) -> npt.NDArray[Any]:
        """Costs in the smallest type that no sum of them leaves."""
        bound = (self.depth + 1) * int(costs.max(initial=0))
        kind: type[Any] = np.int32 if bound < 2**31 else np.int64
        return np.ascontiguousarray(costs, dtype=kind)

    def evaluate(self, costs: Ints) -> npt.NDArray[Any]:
        """All times, in rows, for the machines whose costs of every class stand in columns."""
        costs = self._narrowed(costs)
        kind = costs.dtype
        machines = costs.shape[1]
        times = np.zeros((self.count, machines), dtype=kind)
        arrived, spent = np.empty((2, self.widest, machines), dtype=kind)
        source, cost = self.source, self.cost
        for begin, end, low, first in self.turns:
            size = end - begin
            a, b, t = arrived[:size], spent[:size], times[low : low + size]
            times.take(source[begin:end], axis=0, out=a, mode="clip")
            costs.take(cost[begin:end], axis=0, out=b, mode="clip")
            if first:
                np.add(a, b, out=t)
            else:
                np.add(a, b, out=a)
                np.maximum(t, a, out=t)
        return times


def _levels(source: Ints, target: Ints, count: int) -> Ints:
    """The level of every time, one more than the highest it depends on; -1 for those that wait for one another."""
    order = np.argsort(source, kind="stable")
    targets = target[order]
    ends = np.cumsum(np.bincount(source, minlength=count))
    begins = ends - np.bincount(source, minlength=count)
    waiting = np.bincount(target, minlength=count)
    level = np.full(count, -1)
    front = np.flatnonzero(waiting == 0)
    depth = 0
    while len(front):
        level[front] = depth
        depth += 1
        sizes = ends[front] - begins[front]
        place = np.repeat(ends[front] - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
        met, times = np.unique(targets[place], return_counts=True)
        waiting[met] -= times
        front = met[waiting[met] == 0]
    return level


def _stuck(recording: Recording, stuck: Ints, links: LinkCosts) -> str:
    names = ", ".join(str(recording.nodes[cpu]) for cpu in stuck[:8]) + (", ..." if len(stuck) > 8 else "")
    return (
        f"{len(stuck)} of {len(recording.nodes)} programs wait for one another under {links.discipline}: {names}; "
        "simulate the plan to see where"
    )


# What users ask for


@dataclass(frozen=True)
class Timing:
    """A recording's times on a table of machines: a column for each machine, in ticks.

    Attributes
    ----------
    machines : tuple of Machine
        The columns.
    finish : array
        When each processor finished; a row a processor, in node order.
    phases : mapping of str to array
        When the last processor ended each phase.
    calls, prices : arrays
        How often each processor called each kernel, and what a call costs.
    """

    machines: tuple[Machine, ...]
    finish: Ints
    phases: Mapping[str, Ints]
    calls: Ints
    prices: Ints

    @cached_property
    def busy(self) -> Ints:
        """How long each processor computed, likewise."""
        return self.calls @ self.prices

    @property
    def ticks(self) -> Ints:
        """When the last processor finished."""
        return np.asarray(self.finish.max(axis=0, initial=0))


def schedule_of(recording: Recording, links: LinkCosts) -> Schedule:
    """The recording's schedule for a discipline, made when first asked for."""
    key = _shape(recording, links)
    if key not in recording.schedules:
        while len(recording.schedules) > 2:  # the oldest goes: a large recording's takes half a gigabyte
            del recording.schedules[next(iter(recording.schedules))]
        recording.schedules[key] = Schedule(recording, links)
    schedule: Schedule = recording.schedules[key]
    return schedule


Shape = tuple[str, int, bool, bool, str]


def _shape(recording: Recording, links: LinkCosts) -> Shape:
    """What of links decides which times depend on which."""
    received = links.ticks("receive", 0) > 0
    switching = links.switching if recording.passes_routers and "wire" in links.life.costs else ""
    buffers = links.buffers if links.life.buffered else 1
    return links.discipline, buffers, received, links.turns is not None, switching


def retime(recording: Recording, machines: Sequence[Machine]) -> Timing:
    """The recording's times on every machine of a table.

    Parameters
    ----------
    recording : Recording
        What to time.
    machines : sequence of Machine
        Of any discipline; each such that the programs form a Kahn network on it (`check_kahn`).

    Returns
    -------
    Timing
        Equal to what the engine would give, to the tick.

    Raises
    ------
    NotKahnError
        If on one of the machines the order of events depends on times.
    DeadlockError
        If the programs wait for one another on one of them.
    """
    for machine in _different(machines):
        check_kahn(machine, recording)
    prices = kernel_prices(recording, machines)
    finish = np.zeros((len(recording.nodes), len(machines)), dtype=np.int64)
    phases: dict[str, Ints] = {name: np.zeros(len(machines), dtype=np.int64) for _, name, _, _ in recording.marks}
    groups: dict[Shape, list[int]] = {}
    for column, machine in enumerate(machines):
        groups.setdefault(_shape(recording, machine.links), []).append(column)
    for columns in groups.values():
        schedule = schedule_of(recording, machines[columns[0]].links)
        compiled = lanes.pays(len(schedule.source) * len(columns))
        size = schedule.batch(compiled)
        for start in range(0, len(columns), size):
            batch = columns[start : start + size]
            costs = class_costs(recording, schedule, [machines[c] for c in batch], prices[:, batch])
            side_by_side = batch[-1] - batch[0] == len(batch) - 1
            place: Any = slice(batch[0], batch[-1] + 1) if side_by_side else batch
            finish[:, place], ends = schedule.ends_of(costs, compiled)
            for name, ticks in zip(schedule.phases, ends, strict=True):
                phases[name][place] = ticks
    return Timing(tuple(machines), finish, phases, recording.call_counts, prices)


def _different(machines: Sequence[Machine]) -> Iterable[Machine]:
    """The first machine of each kind that `check_kahn` tells apart."""
    found: dict[tuple[Any, ...], Machine] = {}
    for machine in machines:
        links = machine.links
        found.setdefault((links.discipline, links.duplex, links.routing, links.router_buffers), machine)
    return found.values()


def kernel_prices(recording: Recording, machines: Sequence[Machine]) -> Ints:
    """Ticks of each kernel, a column for each machine."""
    counts = np.array([[kernel.cost.get(op, 0) for op in OPERATIONS] for kernel in recording.kernels], dtype=np.int64)
    ticks = np.array([[machine.operations[op] for machine in machines] for op in OPERATIONS], dtype=np.int64)
    overhead = np.array([machine.kernel_overhead for machine in machines], dtype=np.int64)
    prices: Ints = counts.reshape(len(recording.kernels), len(OPERATIONS)) @ ticks + overhead
    names = {kernel.name: row for row, kernel in enumerate(recording.kernels)}
    for column, machine in enumerate(machines):
        for name in machine.kernels.keys() & names:  # measured times
            prices[names[name], column] = machine.kernels[name]
    return prices


def class_costs(recording: Recording, schedule: Schedule, machines: Sequence[Machine], prices: Ints) -> Ints:
    """Ticks of each class of a schedule, a column for each machine."""
    works, kinds, sizes = schedule.classes
    words = sizes[:, None]
    if recording.format is not None:
        words = np.stack([recording.words_on(machine, sizes) for machine in machines], axis=1)
    nothing = np.zeros((1, len(machines)), dtype=np.int64)
    ticks: Ints = np.concatenate((recording.work_counts @ prices, nothing))[works]  # -1 is no work at all
    for kind, costs in enumerate(schedule.kinds):
        chosen = kinds == kind
        for cost in costs:
            made = told(cost)
            if isinstance(made, OwnCost):
                ticks[chosen] += made.per_message + made.per_word * words[chosen]
                continue
            for name, times in made.paid(words[chosen]).items():
                ticks[chosen] += times * np.array([getattr(machine.links, name) for machine in machines])
    return ticks
