"""What a run costs in energy: prices in picojoules, and what counted work makes of them. All sums are exact."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from meshsim.counted import OPERATIONS
from meshsim.errors import MeshSimError
from meshsim.reading import number, table

MOST = 1e12
"""No price is higher: sums of such numbers would not fit a float."""
PARTS = ("operations", "words", "hops", "messages", "copies", "idle")
"""What energy is paid for."""
COUNTED = {"words": "word", "hops": "hop", "messages": "message", "copies": "copy"}
"""The price of each part that is a number of things."""


@dataclass(frozen=True)
class EnergyCosts:
    """What arithmetic and messages cost in energy.

    Attributes
    ----------
    operations : mapping of str to float
        Picojoules of each of `OPERATIONS`; ``sincos`` is one sine and one cosine of the same angle.
    word : float
        Picojoules for each word, on each wire that it passes.
    hop : float
        Picojoules for each word, at each router that it passes.
    message : float
        Picojoules for each message over links, paid by its sender.
    copy : float
        Picojoules for each word that is copied between programs of one processor.
    idle : float
        Microwatts that a processor takes from the first tick of a run to its last, whatever it does.
    """

    operations: Mapping[str, float]
    word: float
    hop: float = 0.0
    message: float = 0.0
    copy: float = 0.0
    idle: float = 0.0

    def __post_init__(self) -> None:
        found = table("energy.operations", self.operations, OPERATIONS, OPERATIONS)
        prices = {name: _price(f"energy.operations.{name}", found[name]) for name in OPERATIONS}
        object.__setattr__(self, "operations", MappingProxyType(prices))
        for name in (*COUNTED.values(), "idle"):
            object.__setattr__(self, name, _price(f"energy.{name}", getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Read-only mappings cannot be pickled; plain ones can."""
        return EnergyCosts, tuple(self.as_dict().values())

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain data."""
        return {**{each.name: getattr(self, each.name) for each in fields(self)}, "operations": dict(self.operations)}

    def of(self, usage: "Usage", nanoseconds: Fraction) -> "Energy":
        """What counted work costs, in a run of so many nanoseconds."""
        return Energy(
            operations=sum((times * exact(self.operations[name]) for name, times in usage.operations.items()), NOTHING),
            **{part: getattr(usage, part) * exact(getattr(self, price)) for part, price in COUNTED.items()},
            idle=usage.processors * nanoseconds * exact(self.idle) / 1000,  # uW ns = fJ
        )


def read_energy(value: object) -> EnergyCosts:
    """The table ``[energy]`` of a machine's file."""
    known = tuple(each.name for each in fields(EnergyCosts))
    return EnergyCosts(**table("energy", value, known, ("operations", "word")))


def _price(what: str, value: object) -> float:
    price = number(what, value, 0)
    if price > MOST:
        raise MeshSimError(f"{what} must be at most {MOST:g}, not more")
    return price


def exact(value: float) -> Fraction:
    """A number as it is written: 0.1 is a tenth."""
    return Fraction(repr(float(value)))


NOTHING = Fraction(0)


@dataclass
class Usage:
    """What energy is paid for, counted.

    Attributes
    ----------
    operations : dict
        How many operations of each sort were done.
    words, hops : int
        How many words passed a wire, and a router: each word as often as it did.
    messages : int
        How many messages were sent over links.
    copies : int
        How many words were copied between programs of one processor.
    processors : int
        How many processors there are.
    """

    operations: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OPERATIONS, 0))
    words: int = 0
    hops: int = 0
    messages: int = 0
    copies: int = 0
    processors: int = 0

    def do(self, operations: Mapping[str, int]) -> None:
        """Count operations that were done."""
        for name, times in operations.items():
            self.operations[name] += times


def together(usages: Iterable[Usage]) -> Usage:
    """What all of them count."""
    total = Usage()
    for usage in usages:
        total.do(usage.operations)
        for name in (*COUNTED, "processors"):
            setattr(total, name, getattr(total, name) + getattr(usage, name))
    return total


@dataclass(frozen=True)
class Energy:
    """What something cost, in picojoules, by what was paid for; `processors` and `wires` have the same of each.

    Processors pay for operations, the messages that they send, copies and being there; wires for the words that they
    carry, and for each router just before them.
    """

    operations: Fraction = NOTHING
    words: Fraction = NOTHING
    hops: Fraction = NOTHING
    messages: Fraction = NOTHING
    copies: Fraction = NOTHING
    idle: Fraction = NOTHING
    processors: Mapping[Hashable, "Energy"] = field(default_factory=dict, repr=False)
    wires: Mapping[Hashable, "Energy"] = field(default_factory=dict, repr=False)

    @property
    def parts(self) -> Mapping[str, Fraction]:
        """What was paid for each part."""
        return {part: getattr(self, part) for part in PARTS}

    @property
    def total(self) -> Fraction:
        """All parts together."""
        return sum(self.parts.values(), NOTHING)

    @property
    def picojoules(self) -> float:
        """All parts together, rounded."""
        return float(self.total)

    @property
    def nanojoules(self) -> float:
        """The same in nanojoules."""
        return float(self.total / 1000)
