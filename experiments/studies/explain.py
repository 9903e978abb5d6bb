"""Why one scheme is faster than another on a machine, and by how much a cost must change until it is not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.experiments.studies.parameters import PARAMETER_NAMES
from meshsim.machine import Machine
from meshsim.recording import Recording, record
from meshsim.replay import replay
from meshsim.retiming import retime
from meshsim.sensitivity import PARAMETERS, parameter_of, path_counts, with_parameters

SCANNED = sorted({*range(65), *(round(64 * 2 ** (step / 8)) for step in range(1, 113))})
"""Ticks at which two schemes are compared first: every one up to 64, then eight to a doubling, to a million."""


@dataclass(frozen=True)
class Side:
    """A scheme recorded on a robot, and what its critical path pays on a machine."""

    name: str
    recording: Recording
    ticks: int
    counts: Mapping[str, int]


def side(scheme: Scheme, mechanism: Mechanism, machine: Machine) -> Side:
    """Record a scheme, and play it on a machine."""
    recording, value = record(scheme.plan(mechanism, default_state(mechanism)))
    run = replay(recording, machine, value)
    return Side(scheme.name, recording, run.ticks, path_counts(run.critical_path, machine))


def flips(one: Recording, other: Recording, machine: Machine, name: str) -> tuple[bool, list[int]]:
    """Whether `one` is no slower where a cost is nothing, and the ticks from which on that is the other way round."""

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


def sentences(one: Side, other: Side, machine: Machine) -> list[str]:
    """For every cost that decides between two schemes, a sentence that says where."""
    add = machine.operations["add"]
    found = []
    for name in PARAMETERS:
        if name not in one.counts and name not in other.counts:
            continue
        first, places = flips(one.recording, other.recording, machine, name)
        if not places:
            continue
        now = parameter_of(machine, name)
        parts = []
        wins = first
        for ticks in places:
            wins = not wins
            us = f"{machine.microseconds(ticks):g} us"
            cost = f"{ticks / add:.1f} adds ({us})" if add and name != "add" else us
            verb = "is no slower than" if wins else "loses to"
            article = "an" if PARAMETER_NAMES[name][0] in "aeiou" else "a"
            parts.append(f"{verb} {other.name} when {article} {PARAMETER_NAMES[name]} costs {cost} or more")
        found.append(f"{one.name} {', and '.join(parts)}; now it costs {machine.microseconds(now):g} us")
    return found


def as_text(one: Side, other: Side, machine: Machine) -> str:
    """The page that people read."""
    times = [machine.microseconds(each.ticks) for each in (one, other)]
    lines = [f"{each.name}: {time:.1f} us" for each, time in zip((one, other), times, strict=True)]
    lines += ["", f"{'on the critical path':<24}{one.name:>18}{other.name:>18}"]
    for name in dict.fromkeys((*one.counts, *other.counts)):
        lines.append(f"{name:<24}{one.counts.get(name, 0):>18}{other.counts.get(name, 0):>18}")
    told = sentences(one, other, machine)
    return "\n".join([*lines, "", *(told or ["no single cost, changed alone, changes which is the faster"])])
