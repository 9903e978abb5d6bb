"""The search of `meshsim best`: candidates in the most promising order, what was found, and what is the best of it."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from meshsim.experiments.store.journal import Journal, Row, open_journal
from meshsim.experiments.store.progress import tell
from meshsim.experiments.store.workers import evaluated
from meshsim.experiments.studies.candidates import (
    DEAREST,
    Candidate,
    Choices,
    Known,
    Question,
    assumptions,
    candidates,
    evaluate,
    plan_of,
)
from meshsim.experiments.studies.limits import NEVER, last_that, slowest_tick
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.sensitivity import parameter_of, with_parameters

FEW = 3
"""Schemes of which candidates are simulated where assumptions differ."""
OBJECTIVES = ("time", "processors", "energy", "interval")
"""What is to be the least: time of one result, processors, energy, or time between results in a stream."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A candidate on a machine, with what it takes there."""

    candidate: Candidate
    machine: Machine
    row: Row

    def amount(self, what: str) -> float:
        """Of processors or of energy, by the name of the property."""
        return float(getattr(self, what))

    @property
    def here(self) -> Mapping[str, Any]:
        """What was found on this machine."""
        found: Mapping[str, Any] = self.row["machines"][self.machine.name]
        return found

    @property
    def ticks(self) -> int:
        """When it ends."""
        return int(self.here["ticks"])

    @property
    def time_us(self) -> float:
        """When it ends."""
        return self.machine.microseconds(self.ticks)

    @property
    def processors(self) -> int:
        """How many have work."""
        return int(self.here["processors"])

    @property
    def energy_nj(self) -> float | None:
        """What it takes, where the machine tells."""
        return self.here.get("energy_nj")

    @property
    def interval_us(self) -> float | None:
        """Between results of a stream, where it was sought."""
        ticks = self.here.get("interval")
        return None if ticks is None else ticks * self.machine.tick_ns / 1000

    @property
    def is_one(self) -> bool:
        """Whether it is one program on one processor."""
        return int(self.row["programs"]) == 1

    def measures(self, objective: str = "time") -> tuple[float, ...]:
        """What it is judged by: the objective, then time, processors and energy."""
        of = {
            "time": self.time_us,
            "processors": self.processors,
            "energy": self.energy_nj,
            "interval": self.interval_us,
        }
        first = of[objective]
        return (float("inf") if first is None else first, self.time_us, self.processors, self.energy_nj or 0.0)


class Waiting:
    """Candidates to be tried, the most promising first."""

    def __init__(self, todo: Sequence[Candidate], search: "Search") -> None:
        self.left = list(todo)
        self.under_way: set[Candidate] = set()
        self.search = search

    def __iter__(self) -> Iterator[tuple[Candidate, Known]]:
        while self.left:
            found = self.search.values()
            least = min((min(known.values()) for known in found.values()), default=0.0)
            # Of equals the last: there options differ that a scheme names first, which tend to matter most.
            best = min(reversed(self.left), key=partial(_promise, found=found, least=least))
            self.left.remove(best)
            self.under_way.add(best)
            yield best, dict(self.search.known)


def _promise(
    candidate: Candidate, found: Mapping[str, Mapping[Choices, float]], least: float
) -> tuple[int, float, float]:
    """What is tried the sooner the less it is, given what was found of each scheme's choices, and the least of it.

    First come schemes of which nothing was found, with their defaults. Then comes what differs in one choice from what
    was found first of its scheme, of the best scheme so far; then what is expected to beat all that was found, if each
    choice changes as much as it does alone; then one choice of the other schemes; then the rest.
    """
    mine, known = candidate.choices, found.get(candidate.scheme)
    if not known:
        return 0, len(mine), 0
    start, value = next(iter(known.items()))
    names = {name for name, _ in start ^ mine}
    if len(names) < 2:
        return 1, min(known.values()), 0
    alone = [frozenset(each for each in start | mine if each in (mine if each[0] == name else start)) for name in names]
    expected = value + sum(known.get(choices, float("inf")) - value for choices in alone)
    return (1, least, expected) if expected < least else (2, expected, 0)


@dataclass(frozen=True)
class Limit:
    """What would still meet a deadline, all else equal: the largest value of a cost, and who meets it then.

    `name` is ``clock`` for the length of a tick, in ns; else a cost of the machine, in ticks. A `value` of None has no
    end, and `NEVER` is met by none. `exact`: found for every candidate that can be re-timed; else for the best alone,
    by simulation, near where it was looked for.
    """

    name: str
    value: float | None
    entry: Entry | None
    exact: bool


@dataclass
class Search:
    """What is looked for, among what, and what was found of it so far.

    Attributes
    ----------
    question : Question
        What is asked of every candidate.
    objective : str
        One of `OBJECTIVES`.
    schemes : tuple of str
        Which schemes are tried: all, if none is named.
    orders : bool
        Whether the work of each scheme's quickest is also put into the best order that is found.
    found : list of Entry
        What was found.
    refused, failed, inaccurate : dict
        Schemes that do not take the robot; candidates that do not fit, or fail on a machine; and those
        whose numbers are not as accurate as is wanted; each with the reason.
    left : list of Candidate
        For which there was no time.
    """

    question: Question
    objective: str = "time"
    schemes: tuple[str, ...] = ()
    orders: bool = False
    found: list[Entry] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    inaccurate: dict[str, str] = field(default_factory=dict)
    left: list[Candidate] = field(default_factory=list)
    total: int = 0

    def __post_init__(self) -> None:
        self.every, self.refused = candidates(self.question, self.schemes)
        self.places = {candidate: place for place, candidate in enumerate(self.every)}
        self.known: dict[tuple[str, str], int | None] = {}
        self.machines = {machine.name: machine for machine in self.question.machines}

    def run(self, jobs: int, seconds: float | None, folder: Path | None, identity: Mapping[str, Any]) -> None:
        """Try all candidates, as long as there is time; what a folder holds of the same work is not tried again."""
        until = None if seconds is None else time.monotonic() + seconds
        if folder is None:
            self._run(jobs, until, None)
            return
        with open_journal(folder, identity, "candidates") as journal:
            self._run(jobs, until, journal)

    def _run(self, jobs: int, until: float | None, journal: Journal | None) -> None:
        for stage in range(2):
            todo = self.in_best_order() if stage else list(self.every)
            self.total += len(todo)
            for candidate in list(todo):
                row = None if journal is None else journal.rows.get(candidate.key)
                if row is not None:
                    self._add(candidate, row)
                    todo.remove(candidate)
            waiting = Waiting(todo, self)
            judge = partial(evaluate, question=self.question)
            for (candidate, _), row in evaluated(judge, waiting, jobs, until=until):
                waiting.under_way.discard(candidate)
                if journal is not None:
                    journal.add(candidate.key, row)
                self._add(candidate, row)
                tell(self._progress(until))
            self.left += [*waiting.left, *waiting.under_way]
        tell("")

    def _progress(self, until: float | None) -> str:
        done = len(self.failed) + len(self.inaccurate) + len({entry.candidate for entry in self.found})
        best = self.best()
        leader = f"; so far {best.candidate.scheme}, {best.time_us:.4g} us" if best else ""
        time_left = "" if until is None else f", at most {max(0.0, until - time.monotonic()):.0f} s left"
        return f"best: {done} of {self.total} candidates{time_left}{leader}"

    def _add(self, candidate: Candidate, row: Row) -> None:
        if "refused" in row:
            (self.inaccurate if "inaccurate" in row else self.failed)[candidate.key] = row["refused"]
            return
        self.found += [Entry(candidate, self.machines[name], row) for name in row["machines"]]
        self.failed |= {f"{candidate.key} on {name}": why for name, why in row["failed"].items()}
        for machine, here in row["machines"].items():
            for name, value in here.get("most", {}).items():
                if _size(value) > _size(self.known.get((machine, name), NEVER)):
                    self.known[machine, name] = value

    def in_best_order(self) -> list[Candidate]:
        """Each scheme's quickest candidate on each machine, to be put into the best order that is found for it."""
        if not self.orders:
            return []
        found: dict[tuple[str, str], Entry] = {}
        for entry in sorted(self.found, key=lambda entry: entry.time_us):
            if entry.candidate.placement == "" and not entry.is_one and entry.here["exact"]:
                found.setdefault((entry.candidate.scheme, entry.machine.name), entry)
        return [replace(entry.candidate, machine=entry.machine.name) for entry in found.values()]

    def values(self) -> dict[str, dict[Choices, float]]:
        """What is to be the least, by scheme and choices, as they were found; on the machine where it is the least."""
        found: dict[str, dict[Choices, float]] = {}
        for entry in self.found:
            if not entry.candidate.machine:
                mine, choices = found.setdefault(entry.candidate.scheme, {}), entry.candidate.choices
                mine[choices] = min(mine.get(choices, float("inf")), entry.measures(self.objective)[0])
        return found

    # What is the best of it

    def entries(self, machine: Machine | None = None) -> list[Entry]:
        """What was found, on one machine or all, by the objective; equals in an order of their own, defaults first."""
        found = [entry for entry in self.found if machine is None or entry.machine is machine]
        last = len(self.places)
        return sorted(found, key=lambda entry: (entry.measures(self.objective), self.places.get(entry.candidate, last)))

    def meets(self, entry: Entry) -> bool:
        """Whether it is in time."""
        allowed = self.question.allowed(entry.machine)
        return allowed is None or entry.ticks <= allowed

    def best(self, machine: Machine | None = None) -> Entry | None:
        """The best of those that are in time; the quickest if none is."""
        found = self.entries(machine)
        in_time = [entry for entry in found if self.meets(entry)]
        if in_time:
            return in_time[0]
        return min(found, key=lambda entry: entry.measures(), default=None)

    def on_one(self, machine: Machine) -> Entry | None:
        """The quickest that one processor does."""
        return min((entry for entry in self.entries(machine) if entry.is_one), key=Entry.measures, default=None)

    def pareto(self, machine: Machine) -> list[Entry]:
        """Those that no other beats in time, processors and energy all together, the quickest first."""
        kept: list[Entry] = []
        for entry in sorted(self.entries(machine), key=Entry.measures):
            mine = entry.measures()[1:]
            if not any(all(a <= b for a, b in zip(other.measures()[1:], mine, strict=True)) for other in kept):
                kept.append(entry)
        return kept

    def traced(self, entry: Entry, values: bool = False) -> Run[Any]:
        """A candidate on the engine, message by message."""
        plan, _ = plan_of(entry.candidate, self.question, entry.machine)
        return plan.run(entry.machine, values=values)

    def limits(self, machine: Machine) -> list[Limit]:
        """The slowest clock and the dearest messages that still meet the deadline, each by whoever does best then."""
        deadline, best = self.question.deadline, self.best(machine)
        if deadline is None or best is None:
            return []
        quickest = min(self.entries(machine), key=Entry.measures)
        found = [Limit("clock", slowest_tick(deadline, quickest.ticks), quickest, True)] if quickest.ticks else []
        if machine.links.discipline == "free":
            return found
        exact = [entry for entry in self.entries(machine) if "most" in entry.here]
        for name in DEAREST:
            sizes = {entry: entry.here["most"][name] for entry in exact if name in entry.here["most"]}
            winner = max(sizes, key=lambda entry: (_size(sizes[entry]), -entry.ticks), default=None)
            limit = Limit(name, NEVER, None, True) if winner is None else Limit(name, sizes[winner], winner, True)
            if "most" not in best.here:
                limit = max(limit, self._local_limit(best, name), key=lambda each: _size(each.value))
            found.append(replace(limit, entry=None) if limit.value == NEVER else limit)
        return found

    def _local_limit(self, best: Entry, name: str) -> Limit:
        """The same of one candidate, which only the engine can time."""
        plan, _ = plan_of(best.candidate, self.question, best.machine)
        allowed = self.question.allowed(best.machine)
        assert allowed is not None

        def fits(values: Sequence[int]) -> list[bool]:
            tell(f"best: how large {name} may be")
            machines = [with_parameters(best.machine, **{name: value}) for value in values]
            return [plan.run(machine, trace=False).ticks <= allowed for machine in machines]

        return Limit(name, last_that(fits, parameter_of(best.machine, name), parts=1), best, False)

    def upsets(self, machine: Machine) -> dict[str, tuple[Entry, int, int]]:
        """At which ends of what is assumed another scheme is the quickest: who, its ticks and the winner's there.

        Of those that only the engine can time, the few that are the quickest are looked at.
        """
        corners, entries = assumptions(machine), self.entries(machine)
        if not corners or not entries:
            return {}
        winner = min(entries, key=Entry.measures)
        schemes: dict[str, Entry] = {}
        for entry in sorted(entries, key=Entry.measures):
            schemes.setdefault(entry.candidate.scheme, entry)
        simulated = [entry for entry in list(schemes.values())[:FEW] if not entry.here["assumed"]]
        there = {entry: entry.here["assumed"] for entry in entries if entry.here["assumed"]}
        there |= {entry: self._at(entry, corners) for entry in simulated}
        found = {}
        for corner in corners:
            best = min(there, key=lambda entry: there[entry][corner])
            mine = min(
                ticks[corner] for each, ticks in there.items() if each.candidate.scheme == winner.candidate.scheme
            )
            if there[best][corner] < mine:
                found[corner] = best, int(there[best][corner]), int(mine)
        return found

    def _at(self, entry: Entry, machines: Mapping[str, Machine]) -> dict[str, int]:
        """What a candidate takes on some machines, by simulation."""
        tell(f"best: what {entry.candidate.scheme} takes where assumptions differ")
        plan, _ = plan_of(entry.candidate, self.question, entry.machine)
        return {name: plan.run(machine, trace=False).ticks for name, machine in machines.items()}


def _size(value: float | None) -> float:
    return float("inf") if value is None else value


def front_of(entries: Sequence[Entry], across: str) -> list[Entry]:
    """Those that nothing beats in time and one amount more, by that amount."""
    found: list[Entry] = []
    for entry in sorted(entries, key=lambda entry: (entry.amount(across), entry.time_us)):
        if not found or entry.time_us < found[-1].time_us:
            found.append(entry)
    return found
