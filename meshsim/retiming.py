"""Re-timing: a recording evaluated for a table of machines at once.

Every time of a run is the largest of some earlier times, each plus a cost: `t = max(t_a, t_b) + cost`. Which times
depend on which is the same for all machines with one discipline (and, where they matter, as many buffers): a
`Schedule`.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from meshsim import lanes
from meshsim.discipline import OwnCost, told
from meshsim.errors import MeshSimError
from meshsim.machine import OPERATIONS, LinkCosts, Machine
from meshsim.machine_table import MachineList, MachineTable
from meshsim.recording import Ints, Recording
from meshsim.schedule import Schedule, check_fits
from meshsim.trace import label


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


# What users ask for

Machines = MachineList | MachineTable


@dataclass(frozen=True)
class Timing:
    """A recording's times on a table of machines: a column for each machine, in ticks.

    Attributes
    ----------
    machines : sequence of Machine
        The columns.
    finish : array
        When each processor finished; a row a processor, in node order. Only the last one's, if no more was asked for.
    phases : mapping of str to array
        When the last processor ended each phase.
    calls, prices : arrays
        How often each processor called each kernel, and what a call costs.
    """

    machines: Sequence[Machine]
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


def retime(recording: Recording, machines: Sequence[Machine], processors: bool = True) -> Timing:
    """The recording's times on every machine of a table.

    Parameters
    ----------
    recording : Recording
        What to time.
    machines : sequence of Machine
        Of any discipline; each such that the programs form a Kahn network on it (`check_kahn`). Of a `MachineTable` no
        machine need be made.
    processors : bool
        Whether to tell when each processor finished, not only the last.

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
    table = machines if isinstance(machines, MachineTable) else MachineList(machines)
    prices = kernel_prices(recording, table)
    finish = np.zeros((len(recording.nodes) if processors else 1, len(table)), dtype=np.int64)
    phases: dict[str, Ints] = {name: np.zeros(len(table), dtype=np.int64) for _, name, _, _ in recording.marks}
    for links, columns in _alike(recording, table):
        schedule = schedule_of(recording, links)
        compiled = lanes.pays(len(schedule.source) * len(columns))
        size = schedule.batch(compiled, processors)
        for start in range(0, len(columns), size):
            batch = columns[start : start + size]
            costs = class_costs(recording, schedule, table.take(batch), prices[:, batch])
            side_by_side = batch[-1] - batch[0] == len(batch) - 1
            place: Any = slice(batch[0], batch[-1] + 1) if side_by_side else batch
            finish[:, place], ends = schedule.ends_of(costs, compiled, processors)
            for name, ticks in zip(schedule.phases, ends, strict=True):
                phases[name][place] = ticks
    return Timing(table, finish, phases, recording.call_counts, prices)


def _alike(recording: Recording, machines: Machines) -> Iterable[tuple[LinkCosts, Ints]]:
    """The places of machines that have one schedule, with the links of one of them; refuses what has none."""
    found: dict[Shape, tuple[LinkCosts, list[Ints]]] = {}
    for places in by_kind(machines):
        machine = machines[int(places[0])]
        check_kahn(machine, recording)
        found.setdefault(_shape(recording, machine.links), (machine.links, []))[1].append(places)
    return [(links, np.sort(np.concatenate(places))) for links, places in found.values()]


def by_kind(machines: Machines) -> list[Ints]:
    """The places of the machines of each kind: `check_kahn` and deadlocks are the same on all of them."""
    kinds = machines.kinds()
    return np.split(np.argsort(kinds, kind="stable"), np.cumsum(np.bincount(kinds))[:-1]) if len(kinds) else []


def kernel_prices(recording: Recording, machines: Machines) -> Ints:
    """Ticks of each kernel, a column for each machine."""
    counts = np.array([[kernel.cost.get(op, 0) for op in OPERATIONS] for kernel in recording.kernels], dtype=np.int64)
    counts = counts.reshape(len(recording.kernels), len(OPERATIONS))
    ticks = np.array([machines.costs(op) for op in OPERATIONS])
    check_fits(float(ticks.max(initial=0)) * float(counts.sum(axis=1).max(initial=0)))
    prices: Ints = counts @ ticks + machines.costs("kernel_overhead")
    names = {kernel.name: row for row, kernel in enumerate(recording.kernels)}
    for machine, columns in machines.sharing():
        for name in machine.kernels.keys() & names:  # measured times
            prices[names[name], columns] = machine.kernels[name]
    return prices


def class_costs(recording: Recording, schedule: Schedule, machines: Machines, prices: Ints) -> Ints:
    """Ticks of each class of a schedule, a column for each machine."""
    works, kinds, sizes = schedule.classes
    words = sizes[:, None]
    if recording.format is not None:
        words = np.empty((len(sizes), len(machines)), dtype=np.int64)
        for machine, columns in machines.sharing():
            words[:, columns] = recording.words_on(machine, sizes)[:, None]
    check_fits(float(prices.max(initial=0)) * float(recording.work_counts.sum(axis=1).max(initial=0)))
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
                ticks[chosen] += times * machines.costs(name)
    return ticks
