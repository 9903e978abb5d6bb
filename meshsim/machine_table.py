"""Many machines at once: listed, or as a table with a column for each cost in which they differ."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from meshsim.discipline import LIVES
from meshsim.machine import PARAMETERS, LinkCosts, Machine, parameter_of, with_parameters

Ints: TypeAlias = npt.NDArray[np.int64]
Setting: TypeAlias = Mapping[str, int | str]
"""Values of a few costs: of `PARAMETERS`, or other fields of `LinkCosts`."""


def machine_with(machine: Machine, setting: Setting) -> Machine:
    """The same machine with other costs."""
    costs: dict[str, Any] = {name: value for name, value in setting.items() if name in PARAMETERS}
    links: dict[str, Any] = {name: value for name, value in setting.items() if name not in PARAMETERS}
    machine = with_parameters(machine, **costs)
    return replace(machine, links=replace(machine.links, **links)) if links else machine


class MachineList(tuple[Machine, ...]):
    """Machines of any kinds."""

    def costs(self, name: str) -> Ints:
        """One of `PARAMETERS` of every machine."""
        return np.array([parameter_of(machine, name) for machine in self], dtype=np.int64)

    def take(self, places: Ints) -> "MachineList":
        """Those at some places."""
        return MachineList(self[place] for place in places.tolist())

    def sharing(self) -> Iterator[tuple[Machine, Any]]:
        """Machines that differ in no more than `PARAMETERS` and links: one of them, and the places of all."""
        for place, machine in enumerate(self):
            yield machine, slice(place, place + 1)

    def kinds(self) -> Ints:
        """The kind of each machine, as a number: on those of one kind the same times depend on which."""
        known: dict[Any, int] = {}
        return np.array([known.setdefault(_kind(each.links), len(known)) for each in self], dtype=np.int64)


def _kind(links: LinkCosts) -> tuple[Any, ...]:
    buffers = links.buffers if links.life.buffered else 1
    routes = links.duplex, links.switching, links.routing, links.router_buffers
    return links.discipline, buffers, links.setups, links.setup > 0, links.receive > 0, *routes


class MachineTable(Sequence[Machine]):
    """Machines that differ in a few costs: one of them, and the values of what differs.

    A machine is made when it is asked for: a table of a million takes no more room than its columns.

    Attributes
    ----------
    machine : Machine
        What they have in common.
    columns : mapping of str to array
        By name, of `PARAMETERS` or `buffers`, `discipline` and `setups` of links: the value of each machine.
    """

    def __init__(self, machine: Machine, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        self.machine = machine
        self.columns = columns

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @overload
    def __getitem__(self, place: int) -> Machine: ...

    @overload
    def __getitem__(self, place: slice) -> "MachineTable": ...

    def __getitem__(self, place: int | slice) -> "Machine | MachineTable":
        if isinstance(place, slice):
            return self.take(place)
        return machine_with(self.machine, self.setting(place))

    def setting(self, place: int) -> Setting:
        """What the costs of one machine are set to."""
        return {name: column[place].item() for name, column in self.columns.items()}

    def take(self, places: Ints | slice) -> "MachineTable":
        """Those at some places."""
        return MachineTable(self.machine, {name: column[places] for name, column in self.columns.items()})

    def costs(self, name: str) -> Ints:
        """One of `PARAMETERS` of every machine."""
        column = self.columns.get(name)
        return np.full(len(self), parameter_of(self.machine, name)) if column is None else column

    def sharing(self) -> Iterator[tuple[Machine, Any]]:
        """Machines that differ in no more than `PARAMETERS` and links: one of them, and the places of all."""
        yield self.machine, slice(None)

    def kinds(self) -> Ints:
        """The kind of each machine, as a number: on those of one kind the same times depend on which."""
        columns = dict(self.columns)
        if "buffers" in columns:
            buffered = [name for name, life in LIVES.items() if life.buffered]
            disciplines = columns.get("discipline", self.machine.links.discipline)
            columns["buffers"] = np.where(np.isin(disciplines, buffered), columns["buffers"], 1)
        kinds: Ints = np.zeros(len(self), dtype=np.int64)
        for name in ("discipline", "buffers", "setups", "setup", "receive"):
            if name in columns:
                column = columns[name] > 0 if name in PARAMETERS else columns[name]
                values, number = np.unique(column, return_inverse=True)
                _, kinds = np.unique(kinds * len(values) + number, return_inverse=True)
        return kinds
