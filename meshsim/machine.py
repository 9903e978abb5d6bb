"""What processors and links cost: a machine, in whole ticks, from Python or from a TOML file."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from os import PathLike
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from meshsim.counted import OPERATIONS as OPERATIONS
from meshsim.discipline import COSTS, LINK_COSTS, LIVES, Causes, Life
from meshsim.energy import Energy, EnergyCosts, Usage, exact, read_energy
from meshsim.errors import MeshSimError
from meshsim.reading import entries, load_toml, naming, one_of, positive, shown, table, text, whole

PARAMETERS = (*OPERATIONS, "kernel_overhead", *LINK_COSTS)
"""The costs of a machine, in ticks."""
DISCIPLINES = tuple(LIVES)
DUPLEX = ("full", "half")
SETUPS = ("together", "in-turn")
SWITCHING = ("store-and-forward", "cut-through")
ROUTING = ("router", "processor")
LARGEST = 10**12
"""No cost in ticks, and no tick in nanoseconds, is larger; sums of such numbers would not fit a float."""
MOST_BITS = 4096
"""Of a word."""
MOST_BYTES = 1_000_000
"""Of a machine file."""


class Priced(Protocol):
    """What a machine needs to know of a kernel: its name and how many of each operation it does."""

    @property
    def name(self) -> str: ...

    @property
    def cost(self) -> Mapping[str, int]: ...


class Turns(NamedTuple):
    """Ticks by which each send of a `par` holds up the next, and by which each receive follows the one before."""

    send: int
    recv: int


@dataclass(frozen=True)
class LinkCosts:
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
        Messages a channel holds, at least 1: at the receiver under ``overlap``, at the sender under ``posted``.
    duplex : str
        ``full``: a link carries a message each way at once; ``half``: one message at a time.
    receive : int
        Ticks the receiver spends on each message that it takes.
    setups : str
        ``together``: the set-ups of a `par` overlap, and so do its receives; ``in-turn``: they follow one another.
    switching : str
        On a route of several links: ``store-and-forward``, a message takes the next link when it has arrived whole;
        ``cut-through``, its head goes on before the rest has come.
    hop : int
        Ticks for each router that a message passes.
    routing : str
        Who forwards: ``router``, something beside the processor; ``processor``, which pays `hop` in its own time.
    router_buffers : int
        Messages that a router holds for each link out of it; 0 for any number.
    """

    discipline: str
    startup: int = 0
    per_word: int = 0
    setup: int = 0
    buffers: int = 1
    duplex: str = "full"
    receive: int = 0
    setups: str = "together"
    switching: str = "store-and-forward"
    hop: int = 0
    routing: str = "router"
    router_buffers: int = 0

    def __post_init__(self) -> None:
        one_of("links.discipline", self.discipline, DISCIPLINES)
        one_of("links.duplex", self.duplex, DUPLEX)
        one_of("links.setups", self.setups, SETUPS)
        one_of("links.switching", self.switching, SWITCHING)
        one_of("links.routing", self.routing, ROUTING)
        if self.routing == "processor" and self.switching != "store-and-forward":
            raise MeshSimError("links.switching must be store-and-forward where processors route, not cut-through")
        object.__setattr__(self, "router_buffers", whole("links.router_buffers", self.router_buffers, 0, LARGEST))
        for key in LINK_COSTS:
            object.__setattr__(self, key, whole_ticks(f"links.{key}", getattr(self, key)))
        object.__setattr__(self, "buffers", whole("links.buffers", self.buffers, 1, LARGEST))

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

    @cached_property
    def turns(self) -> Turns | None:
        """What the operations of a `par` wait for one another; None if nothing."""
        found = Turns(self.ticks("setup", 0), self.ticks("receive", 0))
        return found if self.setups == "in-turn" and any(found) else None

    def wire(self, words: int) -> int:
        """Ticks that a message of so many words is on the wire."""
        return self.ticks("wire", words)


@dataclass(frozen=True)
class LocalCosts:
    """What a message inside a processor costs it: ticks of a copy, per message and per word."""

    startup: int = 0
    per_word: int = 0

    def __post_init__(self) -> None:
        for key in ("startup", "per_word"):
            object.__setattr__(self, key, whole_ticks(f"local.{key}", getattr(self, key)))

    def copy(self, words: int) -> int:
        """Ticks of the copy of a message of so many words."""
        return self.startup + words * self.per_word


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
    links : LinkCosts
        What messages cost.
    kernel_overhead : int
        Ticks added to each kernel call.
    kernels : mapping of str to int
        Measured ticks of whole kernels, by kernel name: they replace operation counts and overhead.
    description : str
        Where the numbers come from.
    switch : int
        Ticks when a processor changes from one program to another.
    local : LocalCosts
        What messages between programs of one processor cost.
    word_bits : int
        Bits of the word that `links.per_word` is the price of.
    energy : EnergyCosts or None
        What work costs in energy, if that is known.
    assumed : mapping of str to pair of int
        Costs, of those in `PARAMETERS`, that no source tells: by name the lowest and the highest that they may be.
    """

    name: str
    tick_ns: float
    operations: Mapping[str, int]
    links: LinkCosts
    kernel_overhead: int = 0
    kernels: Mapping[str, int] = field(default_factory=dict)
    description: str = ""
    switch: int = 0
    local: LocalCosts = field(default_factory=LocalCosts)
    word_bits: int = 32
    energy: EnergyCosts | None = None
    assumed: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        name = text("name", self.name)
        if not name.isprintable() or "/" in name or "\\" in name:  # files of results are called by it
            raise MeshSimError(f"name must be printable text without / and \\, not {name!r}")
        if not isinstance(self.description, str):
            raise MeshSimError(f"description must be a text, not {shown(self.description)}")
        if positive("tick_ns", self.tick_ns) > LARGEST:
            raise MeshSimError(f"tick_ns must be at most {LARGEST}, not more")
        if not isinstance(self.links, LinkCosts):
            raise MeshSimError(f"links must be a LinkCosts, not {self.links!r}")
        if not isinstance(self.local, LocalCosts):
            raise MeshSimError(f"local must be a LocalCosts, not {self.local!r}")
        object.__setattr__(self, "switch", whole_ticks("switch", self.switch))
        object.__setattr__(self, "operations", _tick_table("operations", self.operations, OPERATIONS))
        object.__setattr__(self, "kernels", _tick_table("kernels", self.kernels))
        object.__setattr__(self, "kernel_overhead", whole_ticks("kernel_overhead", self.kernel_overhead))
        object.__setattr__(self, "word_bits", whole("word_bits", self.word_bits, 1, MOST_BITS))
        if self.energy is not None and not isinstance(self.energy, EnergyCosts):
            raise MeshSimError(f"energy must be an EnergyCosts, not {self.energy!r}")
        ranges = table("assumed", self.assumed, PARAMETERS)
        object.__setattr__(
            self, "assumed", MappingProxyType({name: self._range(name, ranges[name]) for name in ranges})
        )

    def _range(self, name: str, value: object) -> tuple[int, int]:
        """The lowest and the highest that a cost may be; what it is taken as must lie between."""
        what = f"assumed.{name}"
        pair = list(value) if isinstance(value, tuple) else value
        low, high = (whole_ticks(what, each) for each in entries(what, pair, "numbers of ticks", 2))
        cost = parameter_of(self, name)
        if not low <= cost <= high:
            raise MeshSimError(f"{what} must have {name}, which is {cost}, in its range, not be [{low}, {high}]")
        return low, high

    def __reduce__(self) -> tuple[Any, ...]:
        """Read-only mappings cannot be pickled; plain ones can."""
        return Machine, tuple(self.as_dict().values())

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain data, `links`, `local` and `energy` as they are."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**values, **{name: dict(values[name]) for name in ("operations", "kernels", "assumed")}}

    def as_json(self) -> dict[str, Any]:
        """The fields as plain data throughout."""
        energy = None if self.energy is None else self.energy.as_dict()
        return {**self.as_dict(), "links": asdict(self.links), "local": asdict(self.local), "energy": energy}

    def price(self, kernel: Priced) -> int:
        """Ticks of one call of a kernel: the measured time if there is one, else overhead plus operations."""
        if kernel.name in self.kernels:
            return self.kernels[kernel.name]
        return self.kernel_overhead + sum(count * self.operations[op] for op, count in kernel.cost.items())

    def energy_of(self, usage: Usage, ticks: int) -> Energy | None:
        """What counted work costs in energy, in a run of so many ticks; None if that is not known."""
        return None if self.energy is None else self.energy.of(usage, self.nanoseconds(ticks))

    def nanoseconds(self, ticks: int) -> Fraction:
        """Convert ticks to nanoseconds, exactly."""
        return ticks * exact(self.tick_ns)

    @property
    def decimals(self) -> int:
        """How many decimals of microseconds are printed: more where a tick is short."""
        return 1 if self.tick_ns >= 10 else 3

    def as_us(self, ticks: int) -> str:
        """Ticks in print: 12.3 us."""
        return f"{self.microseconds(ticks):.{self.decimals}f} us"

    def microseconds(self, ticks: int) -> float:
        """Convert ticks to microseconds."""
        return ticks * self.tick_ns / 1000


def read_machine(path: str | PathLike[str]) -> Machine:
    """Read a machine from a TOML file.

    Parameters
    ----------
    path : str or path
        A file with `name`, `tick_ns`, a table ``[operations]`` and a table ``[links]`` with `discipline`,
        `startup` and `per_word` (the last two not needed if words cost nothing, as under ``free``); the other fields
        of `Machine`, `LinkCosts`, `LocalCosts` (a table ``[local]``) and `EnergyCosts` (a table ``[energy]``, with
        ``[energy.operations]`` and `word` if it is there) may be left out.

    Returns
    -------
    Machine
        The machine.

    Raises
    ------
    MeshSimError
        If the file cannot be read, lacks a key, has one too many, or a value is refused.
    """
    with naming(path):
        data = load_toml(path, "machine file", MOST_BYTES)
        table("the machine", data, _fields(Machine), ("name", "tick_ns", "operations", "links"))
        links = table("links", data["links"], _fields(LinkCosts), ("discipline",))
        if "wire" in LIVES[one_of("links.discipline", links["discipline"], DISCIPLINES)].costs:
            table("links", links, required=tuple(COSTS["wire"].paid(0)))
        local = table("local", data.get("local", {}), _fields(LocalCosts))
        energy = read_energy(data["energy"]) if "energy" in data else None
        return Machine(**{**data, "links": LinkCosts(**links), "local": LocalCosts(**local), "energy": energy})


def parameter_of(machine: Machine, name: str) -> int:
    """A cost of a machine, by name."""
    if name in OPERATIONS:
        return machine.operations[name]
    if name in LINK_COSTS:
        cost: int = getattr(machine.links, name)
        return cost
    if name == "kernel_overhead":
        return machine.kernel_overhead
    raise MeshSimError(f"unknown parameter {name!r} of a machine; known: {', '.join(PARAMETERS)}")


def with_parameters(machine: Machine, **costs: int) -> Machine:
    """The same machine with other costs, which are no longer assumed."""
    machine = replace(machine, assumed={name: each for name, each in machine.assumed.items() if name not in costs})
    for name, ticks in costs.items():
        parameter_of(machine, name)
        if name in OPERATIONS:
            machine = replace(machine, operations={**machine.operations, name: ticks})
        elif name in LINK_COSTS:
            machine = replace(machine, links=replace(machine.links, **{name: ticks}))  # type: ignore[arg-type]
        else:
            machine = replace(machine, kernel_overhead=ticks)
    return machine


def _fields(kind: type[Machine] | type[LinkCosts] | type[LocalCosts]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def _tick_table(what: str, costs: object, known: tuple[str, ...] = ()) -> Mapping[str, int]:
    """A read-only copy of a table of costs, checked; all of the known ones must be there."""
    found = table(what, costs, known, known)
    return MappingProxyType({key: whole_ticks(f"{what}.{key}", ticks) for key, ticks in found.items()})


def whole_ticks(what: str, value: object) -> int:
    """A cost; one below a tick is refused with advice."""
    if isinstance(value, float) and 0 < value < 1:
        raise MeshSimError(f"{what} must be a whole number of ticks, at least 0, not {value}: {_finer(value)}")
    return whole(what, value, 0, LARGEST, " of ticks")


def _finer(value: float) -> str:
    """With which tick a cost below one tick would be whole."""
    exact = Decimal(str(value))
    times = next((10**digits for digits in range(1, 7) if exact * 10**digits % 1 == 0), None)
    if times is None:
        return "choose a finer tick (a smaller tick_ns), of which it takes a whole number, and count all costs in it"
    return (
        f"choose a finer tick (tick_ns divided by {times}), of which it takes {int(exact * times)}, "
        f"and multiply all other costs by {times}"
    )
