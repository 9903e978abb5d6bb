"""Traced runs divided into the thesis's atoms: the few kernels that one cycle of its schedules holds.

Kernels between two communications are grouped by `GROUPS`; a kernel that fits none is an atom of its own, so that a
program that does something else than the schedule comes out with other cycles and other costs.

A program in the published order has a cycle's communications first, then its computation: a vector crosses in the cycle
after the atom it follows, and in that cycle it may be used. In any other order a vector takes a cycle of its own.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.counted import Kernel
from meshsim.log import Span
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.presets import PRESETS
from meshsim.trace import Message

Names = tuple[str, ...]
FORM: Names = ("sine_cosine", "form_rotation_twist")
KNOWN: Names = ()
"""Nothing to compute: c_ii = z, rho_ii = k, w_1 and w'_1 are handed on as they are."""
TURN: Names = ("rotate_twist",)
RHO: Names = ("subtract_vectors", "rotate_twist", "add_vectors")
MATVEC: Names = ("matvec",)
MASS_ARM: Names = ("cross", "scale")
PRODUCT: Names = ("spatial_dot",)
SUM: Names = ("add",)
CENTRE: Names = ("subtract_vectors", "add_vectors")
"""Of Hwang's scheme, not of the mesh."""
GROUPS: tuple[Names, ...] = (
    FORM,
    RHO,
    ("rotate_twist", "add_along_z"),  # w
    ("rotate_twist", "add_cross_z"),  # w'
    ("add_vectors", "rotate_twist", "subtract_vectors"),  # p''
    MASS_ARM,  # also w x J w with m p''
    PRODUCT,
    CENTRE,
)
ROW_ZERO = ("A", "w", "w'", "W", "-W k", "W l", "p''", "w x J w, m p''", "L'")
"""What cell (0, i) of the mesh does before the products, in order; the thesis calls w x J w c."""  # Wong Table 4.6


@dataclass(frozen=True)
class Atom:
    """Kernels that ran together, what had come in since the atom before, and all messages up to the next."""

    kernels: tuple[Kernel[*tuple[Any, ...], Any], ...]
    received: Sequence[Message] = ()
    after: list[Message] = field(default_factory=list)

    @property
    def names(self) -> Names:
        """Of the kernels."""
        return tuple(kernel.name for kernel in self.kernels)

    @property
    def words(self) -> int:
        """How many came in for it."""
        return sum(message.words for message in self.received)


def cost(kernels: Sequence[Kernel[*tuple[Any, ...], Any]]) -> tuple[int, int]:
    """Multiplies and adds of some kernels."""
    return sum(kernel.cost.get("mul", 0) for kernel in kernels), sum(kernel.cost.get("add", 0) for kernel in kernels)


class Schedule:
    """The atoms of every processor of a run, and the cycles they fall in.

    `published`: whether the run had the published order; `groups`: which kernels fall in one atom.
    """

    def __init__(self, run: Run[Any], published: bool = False, groups: Sequence[Names] = GROUPS) -> None:
        self.run = run
        self.published = published
        self.atoms = {cpu.node: _atoms(run, cpu.spans, published, groups) for cpu in run.trace.processors}
        self._senders: dict[tuple[Hashable, int], tuple[Any, int]] = {
            (message.channel, message.number): (node, place)
            for node, found in self.atoms.items()
            for place, atom in enumerate(found)
            for message in atom.after
            if message.channel.sender.cpu.node == node
        }
        self._cycles: dict[tuple[Hashable, int], int] = {}

    def entry(self, node: Hashable, *places: int) -> tuple[int | None, int | None, int | None]:
        """The last cycle, the multiplies and the adds of some of a processor's atoms, by their place in order."""
        if max(places) >= len(self.atoms[node]):
            return None, None, None
        kernels = [kernel for place in places for kernel in self.atoms[node][place].kernels]
        return self.cycle(node, places[-1]), *cost(kernels)

    def sender(self, message: Message) -> tuple[Any, int] | None:
        """Which processor sent a message, and after which of its atoms; None if before any."""
        return self._senders.get((message.channel, message.number))

    def cycle(self, node: Hashable, place: int) -> int:
        """In which cycle an atom falls, if each takes one and a message crosses in the next."""  # Wong sec. 4.3
        if place < 0:
            return 0
        if (node, place) not in self._cycles:
            later = 0 if self.published else 1
            arrivals = [self.crossing(message) + later for message in self.atoms[node][place].received]
            self._cycles[node, place] = max(self.cycle(node, place - 1) + 1, *arrivals, 0)
        return self._cycles[node, place]

    def crossing(self, message: Message) -> int:
        """In which cycle a message crosses its link: after the atom that it follows, and after the one before it."""
        ahead = 0
        if message.number:
            ahead = self.crossing(self.run.trace.message(message.channel, message.number - 1))
        sender = self.sender(message)
        return max(self.cycle(*sender) if sender else 0, ahead) + 1


def _atoms(run: Run[Any], spans: Sequence[Span], published: bool, groups: Sequence[Names]) -> list[Atom]:
    """What a processor did; a number that it sends but has not computed is an atom of nothing."""
    found: list[Atom] = []
    received: list[Message] = []
    place = 0
    while place < len(spans):
        what = spans[place][2]
        if isinstance(what, Kernel):
            found.append(Atom(_together(spans, place, groups), received))
            received = []
            place += len(found[-1].kernels)
            continue
        came = [run.trace.message_in(end, place) for end in what if end.verb == "recv"]
        known = len(came) < len(what) if published else not came
        if known and found and found[-1].names in (FORM, KNOWN):
            found.append(Atom((), received))
            received = []
        if found:
            found[-1].after.extend(run.trace.message_in(end, place) for end in what)
        received = [*received, *came]
        place += 1
    return found


def _together(spans: Sequence[Span], place: int, groups: Sequence[Names]) -> tuple[Kernel[*tuple[Any, ...], Any], ...]:
    for names in groups:
        ahead = [what for _, _, what in spans[place : place + len(names)]]
        if tuple(what.name if isinstance(what, Kernel) else "" for what in ahead) == names:
            return tuple(ahead)
    return (spans[place][2],)


def step(scheme: str, n: int, machine: Machine, groups: Sequence[Names] = GROUPS, **options: str) -> Schedule:
    """A step on a random chain."""
    robot = chain(n, 1)
    run = load_scheme(scheme).plan(robot, default_state(robot), **options).run(machine, trace=True)
    return Schedule(run, options.get("order") == "published", groups)


@cache
def counted(scheme: str, n: int, groups: Sequence[Names] = GROUPS, **options: str) -> Schedule:
    """The same on `ideal`."""
    return step(scheme, n, PRESETS["ideal"], groups, **options)


def row_one(i: int) -> dict[str, int]:
    """What cell (1, i) of the mesh does before the products, and in which place."""  # Wong Table 4.5
    pairs = [f"{name}_i,i-{back}" for back in range(1, i) for name in ("c", "rho")]
    names = ["A", "c_i,i", "rho_i,i", *pairs, "J c_i,1", "m (rho x c)_i,1", "J w", "J w'"]
    return {name: place for place, name in enumerate(names)}
