"""The rows of a sweep in columns: what was timed, what is made of it, and how it is written."""

import csv
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import lcm
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.schemes.base.scheme import PHASES
from meshsim.counted import OPERATIONS
from meshsim.energy import Usage
from meshsim.experiments.store.files import whole_file
from meshsim.experiments.store.journal import Row
from meshsim.machine import Machine
from meshsim.machine_table import Ints, MachineTable

SLICE = 16_384
"""Rows that are made at a time: all of them take far more room as Python's numbers than as arrays."""
UNTIMED = np.iinfo(np.int64).min
Items = tuple[tuple[str, Any], ...]


class Timed:
    """How long a scheme takes on each machine of a table, and why it has no time on others.

    Attributes
    ----------
    choice : array
        Of each machine, which of `made` was the quickest there; if it was refused, ~ its place in `refused`.
    ticks : array
        When the last processor finished.
    phases : mapping of str to array
        When the last processor ended each phase; -1 where it has none.
    made, refused : mapping
        What is the same on many machines: for each choice of options how many processors it has and so on, and why
        there is no time; numbered as they came.
    """

    def __init__(self, count: int) -> None:
        self.choice: Ints = np.full(count, UNTIMED)
        self.ticks: Ints = np.zeros(count, dtype=np.int64)
        self.phases: dict[str, Ints] = {}
        self.made: dict[Items, int] = {}
        self.refused: dict[Items, int] = {}

    def offer(self, places: Ints, made: Row, ticks: Ints, phases: Mapping[str, Ints]) -> None:
        """Times with one choice of options; the quicker of two counts, and of two that are as quick the first."""
        number = self.made.setdefault(tuple(made.items()), len(self.made))
        better = (self.choice[places] < 0) | (ticks < self.ticks[places])
        chosen = places[better]
        self.choice[chosen], self.ticks[chosen] = number, ticks[better]
        for name in {**self.phases, **phases}:
            self._phase(name)[chosen] = phases[name][better] if name in phases else -1

    def refuse(self, places: Ints, refusal: Row) -> None:
        """Machines without a time, if no other choice of options has one."""
        number = self.refused.setdefault(tuple(refusal.items()), len(self.refused))
        self.choice[places[self.choice[places] < 0]] = ~number

    def put(self, places: Ints, part: "Timed") -> None:
        """What was found of some of the machines."""
        made = [self.made.setdefault(each, len(self.made)) for each in part.made]
        refused = [~self.refused.setdefault(each, len(self.refused)) for each in part.refused]
        self.choice[places] = np.array([*made, *reversed(refused)])[part.choice]  # ~0 is the last
        self.ticks[places] = part.ticks
        for name, ticks in part.phases.items():
            self._phase(name)[places] = ticks

    def _phase(self, name: str) -> Ints:
        return self.phases.setdefault(name, np.full(len(self.ticks), -1))

    def as_json(self) -> Mapping[str, Any]:
        """The same as plain data."""
        same = len(self.choice) > 0 and bool((self.choice == self.choice[0]).all())
        return {
            "made": list(map(dict, self.made)),
            "refused": list(map(dict, self.refused)),
            "choice": int(self.choice[0]) if same else self.choice.tolist(),
            "ticks": self.ticks.tolist(),
            "phases": {name: ticks.tolist() for name, ticks in self.phases.items()},
        }

    @classmethod
    def of_json(cls, data: Row) -> "Timed":
        """From plain data; raises `KeyError`, `TypeError` or `ValueError` if it is none of ours."""
        found = cls(len(data["ticks"]))
        found.choice[:] = data["choice"]
        found.ticks[:] = _whole(data["ticks"])
        for name, ticks in data["phases"].items():
            found._phase(name)[:] = _whole(ticks)
        found.made = {tuple(row.items()): number for number, row in enumerate(data["made"])}
        found.refused = {tuple(row.items()): number for number, row in enumerate(data["refused"])}
        return found


def _whole(numbers: Any) -> Ints:
    """A list of whole numbers."""
    found = np.array(numbers)
    if found.dtype.kind != "i" and found.size:
        raise ValueError("ticks must be whole numbers")
    return found


@dataclass(frozen=True, eq=False)
class Group:
    """The rows of one scheme and robot, some of which may have no times yet.

    `identity` is a text that tells it from others of the same machines, code included.
    """

    scheme: str
    robot: str
    machines: MachineTable
    identity: str
    timed: Timed

    @cached_property
    def made(self) -> list[Row]:
        """What each choice of options made."""
        return list(map(dict, self.timed.made))

    def column(self, name: str, places: Ints) -> list[Any]:
        """One column of some rows, which have times."""
        us = self.machines.machine.microseconds
        if name in self.machines.columns:
            return list(self.machines.columns[name][places].tolist())
        if name == "key":
            return keys_of(self.identity, self.machines.take(places))
        if name in ("scheme", "robot"):
            return [getattr(self, name)] * len(places)
        if name == "ticks":
            return list(self.timed.ticks[places].tolist())
        if name == "time_us":
            return list(map(us, self.timed.ticks[places].tolist()))
        if name.removesuffix("_us") in PHASES:
            ticks = self.timed.phases.get(name.removesuffix("_us"))
            none = [None] * len(places)
            return none if ticks is None else [us(each) if each >= 0 else None for each in ticks[places].tolist()]
        if name == "energy_nj":
            return self._energies(places)
        values = [row[name] for row in self.made]
        if len(values) == 1:
            return values * len(places)
        return [values[choice] for choice in self.timed.choice[places].tolist()]

    def _energies(self, places: Ints) -> list[float | None]:
        """Energies, which are a part that is the same for all runs, and one for each tick: exact, then rounded."""
        if self.machines.machine.energy is None:
            return [None] * len(places)
        lines = []
        for row in self.made:
            fixed, per_tick = Fraction(row["fixed_nj"]), Fraction(row["nj_per_tick"])
            whole = lcm(fixed.denominator, per_tick.denominator)
            lines.append((int(fixed * whole), int(per_tick * whole), whole))
        found: list[float | None] = []
        for choice, ticks in zip(self.timed.choice[places].tolist(), self.timed.ticks[places].tolist(), strict=True):
            fixed_part, per_tick_part, whole = lines[choice]
            found.append((fixed_part + per_tick_part * ticks) / whole)
        return found


class Table(Sequence[Row]):
    """The rows that have times, in the order of the points; a row is made when it is asked for.

    Attributes
    ----------
    names : tuple of str
        The columns.
    refused : list
        Why others have none, each reason once.
    """

    def __init__(self, groups: Sequence[Group], placed: bool) -> None:
        self.groups = groups
        self.places = [np.flatnonzero(group.timed.choice >= 0) for group in groups]
        self.ends = np.cumsum([len(places) for places in self.places], dtype=np.int64)
        swept = tuple(groups[0].machines.columns)
        times = "ticks", "time_us", *(f"{phase}_us" for phase in PHASES), "energy_nj", "options"
        where = ("network", "placement") if placed else ()
        self.names = ("key", "scheme", "robot", "n", *swept, "processors", "messages", "words", *times, *where)

    @cached_property
    def refused(self) -> list[Row]:
        """Why there are no more rows, each reason once."""
        found: dict[Items, None] = {}
        for group in self.groups:
            reasons, choice = list(group.timed.refused), group.timed.choice
            numbers = dict.fromkeys(choice[(choice < 0) & (choice != UNTIMED)].tolist())
            found |= dict.fromkeys(reasons[~number] for number in numbers)
        return list(map(dict, found))

    def __len__(self) -> int:
        return int(self.ends[-1])

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...

    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        row = range(len(self))[place]
        number = int(np.searchsorted(self.ends, row, side="right"))
        group, places = self.groups[number], self.places[number]
        there = row - int(self.ends[number]) + len(places)
        return {name: group.column(name, places[there : there + 1])[0] for name in self.names}

    def __iter__(self) -> Iterator[Row]:
        for columns in self.slices():
            yield from (dict(zip(self.names, row, strict=True)) for row in zip(*columns, strict=True))

    def slices(self) -> Iterator[list[list[Any]]]:
        """All columns of some rows at a time."""
        for group, places in zip(self.groups, self.places, strict=True):
            for start in range(0, len(places), SLICE):
                some = places[start : start + SLICE]
                yield [group.column(name, some) for name in self.names]

    def columns(self, names: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
        """Some columns, as arrays; texts as objects."""
        parts = list(zip(self.groups, self.places, strict=True))
        found = {}
        for name in names:
            values = [value for group, places in parts for value in group.column(name, places)]
            found[name] = np.array(values, dtype=object if values and isinstance(values[0], str) else None)
        return found

    def write(self, folder: Path) -> None:
        """As `sweep.csv`, and `sweep.parquet` if pyarrow is there."""
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            pyarrow = None
        parts = []
        with whole_file(folder / "sweep.csv") as temporary, temporary.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(self.names if len(self) else ["key"])
            for columns in self.slices():
                writer.writerows(zip(*columns, strict=True))
                if pyarrow is not None:
                    parts.append(pyarrow.table(dict(zip(self.names, columns, strict=True))))
        if pyarrow is not None:
            whole = pyarrow.concat_tables(parts, promote_options="default") if parts else pyarrow.table({"key": []})
            with whole_file(folder / "sweep.parquet") as temporary:
                pyarrow.parquet.write_table(whole, temporary)


def keys_of(identity: str, machines: MachineTable) -> list[str]:
    """A hash for each machine: of `identity`, and of the machine in full.

    The text that is hashed is made once, with places for what differs.
    """
    data = machines[0].as_json()
    for name in machines.columns:
        held = data["operations"] if name in OPERATIONS else data if name in data else data["links"]
        held[name] = f"\0{name}"
    first, *rest = re.split(r'"\\u0000(\w+)"', json.dumps(data, sort_keys=True))
    begun = hashlib.sha256(f"{identity}\n{first}".encode())
    swept = [machines.columns[name] for name in islice(rest, 0, None, 2)]
    columns = [map(json.dumps if column.dtype.kind == "U" else str, column.tolist()) for column in swept]
    text = "".join(f"%s{between.replace('%', '%%')}" for between in islice(rest, 1, None, 2))
    keys = []
    for values in zip(*columns, strict=True):
        digest = begun.copy()
        digest.update((text % values).encode())
        keys.append(digest.hexdigest()[:16])
    return keys


def energy_of(machine: Machine, usage: Usage) -> Row:
    """What `Group` needs to know of the energy of runs that use the same, however long they take."""
    if machine.energy is None:
        return {}
    fixed, one = (machine.energy.of(usage, machine.nanoseconds(ticks)).total / 1000 for ticks in (0, 1))
    return {"fixed_nj": str(fixed), "nj_per_tick": str(one - fixed)}
