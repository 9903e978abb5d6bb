"""What processors and links cost: a machine, in whole ticks, from Python or from a TOML file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import inf
from numbers import Integral, Real
from os import PathLike
from types import MappingProxyType
from typing import Any, Protocol

from meshsim.discipline import COSTS, LINK_COSTS, LIVES, Causes, Life
from meshsim.errors import MeshSimError
from meshsim.textfile import parse_toml, read_file

OPERATIONS = ("mul", "add", "div", "sqrt", "sincos")
DISCIPLINES = tuple(LIVES)
DUPLEX = ("full", "half")
LARGEST = 10**12
"""No cost in ticks, and no tick in nanoseconds, is larger."""
MOST_BYTES = 1_000_000
"""Of a machine file."""


class Priced(Protocol):
    """What a machine needs to know of a kernel: its name and how many of each operation it does."""

    @property
    def name(self) -> str: ...

    @property
    def cost(self) -> Mapping[str, int]: ...


@dataclass(frozen=True)
class Links:
    """What a message costs.

    Attributes
    ----------
    discipline : str
        Who waits for what: one of those in `discipline.py`, which says which of the costs and whether buffers matter.
    startup, per_word : int
        Ticks on the wire per message and per word.
    setup : int
        Ticks the sender spends on each message.
    buffers : int
        Messages a channel holds, at least 1.
    duplex : str
        ``full``: a link carries a message each way at once; ``half``: one message at a time.
    """

    discipline: str
    startup: int = 0
    per_word: int = 0
    setup: int = 0
    buffers: int = 1
    duplex: str = "full"

    def __post_init__(self) -> None:
        _check_choice("links.discipline", self.discipline, DISCIPLINES)
        _check_choice("links.duplex", self.duplex, DUPLEX)
        for key in LINK_COSTS:
            object.__setattr__(self, key, _whole_ticks(f"links.{key}", getattr(self, key)))
        buffers = self.buffers
        if isinstance(buffers, bool) or not isinstance(buffers, Integral) or buffers < 1:
            raise MeshSimError(f"links.buffers must be a positive integer, not {buffers!r}")
        _check_bound("links.buffers", buffers)

    @property
    def life(self) -> Life:
        """What a message goes through."""
        return LIVES[self.discipline]

    @cached_property
    def causes(self) -> Causes:
        """What each point of that life comes after, with these buffers."""
        return self.life.causes(self.buffers)

    def ticks(self, cost: str, words: int, messages: int = 1) -> int:
        """One of `COSTS`, for messages of so many words in all; 0 if the discipline does not have it."""
        if cost not in self.life.costs:
            return 0
        return sum(times * int(getattr(self, name)) for name, times in COSTS[cost].paid(words, messages).items())

    def wire(self, words: int) -> int:
        """Ticks that a message of so many words is on the wire."""
        return self.ticks("wire", words)


@dataclass(frozen=True)
class Machine:
    """What arithmetic and messages cost, in ticks.

    Attributes
    ----------
    name : str
        What the machine is called in print.
    tick_ns : float
        Length of a tick in nanoseconds.
    operations : mapping of str to int
        Ticks of each of `OPERATIONS`; ``sincos`` is one sine and one cosine of the same angle.
    links : Links
        What messages cost.
    kernel_overhead : int
        Ticks added to each kernel call.
    kernels : mapping of str to int
        Measured ticks of whole kernels, by kernel name: they replace operation counts and overhead.
    description : str
        Where the numbers come from.
    """

    name: str
    tick_ns: float
    operations: Mapping[str, int]
    links: Links
    kernel_overhead: int = 0
    kernels: Mapping[str, int] = field(default_factory=dict)
    description: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise MeshSimError(f"name must be a non-empty string, not {self.name!r}")
        if not isinstance(self.description, str):
            raise MeshSimError(f"description must be a string, not {self.description!r}")
        tick = self.tick_ns
        if isinstance(tick, bool) or not isinstance(tick, Real) or not 0 < tick < inf:
            raise MeshSimError(f"tick_ns must be a positive finite number, not {tick!r}")
        _check_bound("tick_ns", tick)
        if not isinstance(self.links, Links):
            raise MeshSimError(f"links must be a Links, not {self.links!r}")
        operations, kernels = (_tick_table(key, getattr(self, key)) for key in ("operations", "kernels"))
        if set(operations) != set(OPERATIONS):
            raise MeshSimError(f"operations must be {_listed(OPERATIONS)}, not {_listed(operations)}")
        object.__setattr__(self, "operations", operations)
        object.__setattr__(self, "kernels", kernels)
        object.__setattr__(self, "kernel_overhead", _whole_ticks("kernel_overhead", self.kernel_overhead))

    def __reduce__(self) -> tuple[Any, ...]:
        """Read-only mappings cannot be pickled; plain ones can."""
        return Machine, tuple(self.as_dict().values())

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain data, `links` as it is."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**values, "operations": dict(self.operations), "kernels": dict(self.kernels)}

    def price(self, kernel: Priced) -> int:
        """Ticks of one call of a kernel: as measured if so, else overhead plus operations."""
        if kernel.name in self.kernels:
            return self.kernels[kernel.name]
        return self.kernel_overhead + sum(count * self.operations[op] for op, count in kernel.cost.items())

    def microseconds(self, ticks: int) -> float:
        """So many ticks in microseconds."""
        return ticks * self.tick_ns / 1000


def read_machine(path: str | PathLike[str]) -> Machine:
    """Read a machine from a TOML file.

    Parameters
    ----------
    path : str or path
        A file with `name`, `tick_ns`, a table ``[operations]`` and a table ``[links]`` with `discipline`,
        `startup` and `per_word` (the last two not needed if words cost nothing, as under ``free``); the other fields
        of `Machine` and `Links` may be left out.

    Returns
    -------
    Machine
        The machine.

    Raises
    ------
    MeshSimError
        If the file cannot be read, lacks a key, has one too many, or a value is refused.
    """
    try:
        data = parse_toml(read_file(path, f"machine file {str(path)!r}", MOST_BYTES).decode())
    except OSError as error:
        raise MeshSimError(f"machine file must be readable, not {str(path)!r} ({error.strerror})") from None
    except (ValueError, RecursionError) as error:  # bad TOML, bad UTF-8, TOML nested too deeply
        raise MeshSimError(f"machine file must be TOML, not {str(path)!r} ({error})") from None
    _check_keys(data, _fields(Machine), ("name", "tick_ns", "operations", "links"), str(path))
    for section in ("operations", "links", "kernels"):
        if not isinstance(data.get(section, {}), dict):
            raise MeshSimError(f"{section} of {path} must be a table, not {data[section]!r}")
    _check_keys(data["operations"], OPERATIONS, OPERATIONS, f"[operations] of {path}")
    links = data["links"]
    wired = links.get("discipline") in DISCIPLINES and "wire" in LIVES[links["discipline"]].costs
    required = ("discipline", *COSTS["wire"].paid(0)) if wired else ("discipline",)
    _check_keys(links, _fields(Links), required, f"[links] of {path}")
    try:
        return Machine(**{**data, "links": Links(**links)})
    except MeshSimError as error:
        raise MeshSimError(f"{path}: {error}") from None


def _check_keys(table: dict[str, Any], known: Iterable[str], required: Iterable[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise MeshSimError(f"unknown key {key!r} in {where}; known: {_listed(known)}")
    for key in required:
        if key not in table:
            raise MeshSimError(f"missing key {key!r} in {where}; required: {_listed(required)}")


def _fields(kind: type[Machine] | type[Links]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def _tick_table(what: str, table: object) -> Mapping[str, int]:
    """A read-only copy of a table of costs, checked."""
    if not isinstance(table, Mapping):
        raise MeshSimError(f"{what} must be a mapping of names to ticks, not {table!r}")
    return MappingProxyType({key: _whole_ticks(f"{what}.{key}", ticks) for key, ticks in table.items()})


def _whole_ticks(what: str, value: object) -> int:
    """A cost as an int; 10.0 is 10, 10.5 is refused: nothing is rounded silently."""
    ticks = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(ticks, bool) or not isinstance(ticks, Integral):
        raise MeshSimError(f"{what} must be a whole number of ticks, not {value!r}")
    if ticks < 0:
        raise MeshSimError(f"{what} must be zero ticks or more, not {value!r}")
    _check_bound(what, ticks)
    return int(ticks)


def _check_bound(what: str, value: Any) -> None:
    """Refuse what no machine has; sums of such numbers would not fit a float."""
    if value > LARGEST:
        raise MeshSimError(f"{what} must be at most {LARGEST}, not more")


def _check_choice(what: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise MeshSimError(f"{what} must be {', '.join(choices[:-1])} or {choices[-1]}, not {value!r}")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
