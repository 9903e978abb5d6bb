"""Why one scheme is faster than another on a machine, and by how much a cost must change until it is not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.experiments.studies.orders import OrderFree, order_free
from meshsim.experiments.studies.where import OWN, Location, Where, why_simulated
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.recording import Recording, record
from meshsim.replay import replay
from meshsim.retiming import retime
from meshsim.sensitivity import PARAMETERS, path_counts, with_parameters

SCANNED = sorted({*range(65), *(round(64 * 2 ** (step / 8)) for step in range(1, 113))})
"""Ticks at which two schemes are compared first: every one up to 64, then eight to a doubling, to a million."""
SHARING = {
    "switch": "switches",
    "copy": "copies",
    "forward": "messages forwarded",
    "hop": "routers passed",
    "wait": "waits for busy links",
}
"""What a path may pay on a network that is not a scheme's own."""


@dataclass(frozen=True)
class Side:
    """A scheme recorded on a robot, and what its critical path pays on a machine."""

    name: str
    recording: Recording
    run: Run[Dynamics]
    free: OrderFree | None = None
    location: Location | None = None
    inexact: str = ""  # why it cannot be re-timed

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """What the critical path pays."""
        return path_counts(self.run.critical_path, self.run.machine)

    @cached_property
    def sharing(self) -> Mapping[str, tuple[int, int]]:
        """What the critical path pays because processors and links are shared: how often, and ticks in all."""
        found: dict[str, tuple[int, int]] = {}
        for step in self.run.critical_path.steps:
            if step.kind in SHARING:
                count, ticks = found.get(step.kind, (0, 0))
                found[step.kind] = count + 1, ticks + step.end - step.start
        return found


@dataclass(frozen=True)
class Crossing:
    """A cost of the machine that decides between two schemes, and from how many ticks of it on the winner changes."""

    cost: str
    wins: bool  # where it costs nothing, the first is no slower
    places: Sequence[int]


def _label(scheme: Scheme, options: Mapping[str, str]) -> str:
    """A scheme's name, with those of its options that are not the default."""
    usual = scheme.choose({})
    return " ".join((scheme.name, *(f"{name}={value}" for name, value in options.items() if value != usual[name])))


def side(
    scheme: Scheme, mechanism: Mechanism, machine: Machine, options: Mapping[str, str], where: Where = OWN
) -> Side:
    """Record a scheme, and replay it on a machine; on a network that is not its own, simulate it there."""
    plan = where.placed(scheme.plan(mechanism, default_state(mechanism), **options), machine)
    recording, value = record(plan)
    name, location = _label(scheme, options), where.location(plan)
    if location is None:
        run = replace(replay(recording, machine, value), topology=plan.topology)
        return Side(name, recording, run)
    return Side(name, recording, plan.run(machine), None, location, why_simulated(machine, recording))


def in_any_order(one: Side, scheme: Scheme, mechanism: Mechanism, machine: Machine, options: Mapping[str, str]) -> Side:
    """The same, with what the best order of its work is."""
    return replace(one, free=order_free(scheme, mechanism, default_state(mechanism), options, machine))


def flips(one: Recording, other: Recording, machine: Machine, name: str) -> tuple[bool, list[int]]:
    """Whether `one` is no slower where a cost is nothing, and the costs in ticks from which on the order reverses."""

    def wins(values: Sequence[int]) -> list[bool]:
        table = [with_parameters(machine, **{name: ticks}) for ticks in values]
        return [bool(a <= b) for a, b in zip(retime(one, table).ticks, retime(other, table).ticks, strict=True)]

    found = wins(SCANNED)
    brackets = [(low, high) for low, high, a, b in zip(SCANNED, SCANNED[1:], found, found[1:], strict=False) if a != b]
    places = []
    for low, high in brackets:
        before = found[SCANNED.index(low)]
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if wins([middle])[0] == before else (low, middle)
        places.append(high)
    return found[0], places


def crossings(one: Side, other: Side, machine: Machine) -> list[Crossing]:
    """Every cost on either critical path that, changed alone, changes which of two schemes is the faster."""
    found = []
    for name in PARAMETERS:
        if name in one.counts or name in other.counts:
            wins, places = flips(one.recording, other.recording, machine, name)
            if places:
                found.append(Crossing(name, wins, places))
    return found
