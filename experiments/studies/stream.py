"""Latency against load: evaluations that are offered at a fixed interval, up to more than a network can do.

An evaluation's latency is the time from its offer to the last mark of any program in it. A network is saturated by a
stream that is offered as fast as it goes: more it cannot do for long, and latencies grow without bound.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from pathlib import Path
from statistics import fmean
from typing import Any

from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import write_csv
from meshsim.experiments.store.journal import Journal, Row, open_journal
from meshsim.experiments.store.progress import Progress
from meshsim.experiments.store.workers import evaluated
from meshsim.experiments.studies.where import Where
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.placement import as_texts, from_texts
from meshsim.plan import Plan

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1)
"""Of the saturated rate, that are offered."""
FEWEST, MOST = 8, 10_000
"""Evaluations of a stream: the later half is judged, in two parts."""
BEHIND = 0.01
"""By how much of the interval each evaluation must be later than the one before, to tell that latencies grow."""
COLUMNS = (
    "network", "processors", "share", "interval_us", "per_second", "mean_us", "largest_us", "growing",
    "saturated_per_second", "alone_us",
)  # fmt: skip
TABLE = "stream.csv"


@dataclass(frozen=True)
class Stream:
    """What is to be found.

    Attributes
    ----------
    scheme, options
        A scheme by its name, and what it is told.
    mechanism, machine
        Whose dynamics, on what.
    networks : tuple of (str, Where)
        What each network is called, and where that is.
    evaluations : int
        How many are offered at each load.
    shares : tuple of float
        The loads, as shares of saturation.
    """

    scheme: str
    options: tuple[tuple[str, str], ...]
    mechanism: Mechanism
    machine: Machine
    networks: tuple[tuple[str, Where], ...]
    evaluations: int
    shares: tuple[float, ...] = SHARES

    def __post_init__(self) -> None:
        if type(self.evaluations) is not int or not FEWEST <= self.evaluations <= MOST:
            raise MeshSimError(f"a stream must have from {FEWEST} to {MOST} evaluations, not {self.evaluations!r}")
        if not self.shares or not all(isinstance(share, Real) and 0 < share < 100 for share in self.shares):
            raise MeshSimError(f"loads must be shares of saturation above 0 and below 100, not {self.shares!r}")
        names = [name for name, _ in self.networks]
        for name in names:
            if names.count(name) > 1:
                raise MeshSimError(f"networks of a stream must be different, not {name!r} twice")

    @property
    def identity(self) -> Mapping[str, Any]:
        """What tells this stream from others."""
        return {
            "stream": self.scheme,
            "options": dict(self.options),
            "robot": [self.mechanism.name, hashlib.sha256(repr(self.mechanism).encode()).hexdigest()[:16]],
            "machine": self.machine.as_json(),
            "networks": {name: where.identity for name, where in self.networks},
            "evaluations": self.evaluations,
            "shares": self.shares,
        }

    def plan(self) -> Plan[Any]:
        """The scheme's plan on its own network."""
        scheme = load_scheme(self.scheme)
        return scheme.evaluation(self.mechanism, **dict(self.options)).plan(default_state(self.mechanism))


@dataclass(frozen=True)
class Part:
    """One run of a stream: all evaluations at once where no interval is told, else one every so many ticks."""

    stream: Stream
    network: str
    where: Where
    share: float = 0.0
    every: int = 0
    places: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """What identifies it within its stream."""
        return f"{self.network} at {self.share:g}" if self.every else self.network


def evaluate(part: Part) -> Row:
    """Run one part."""
    return _offered(part) if part.every else _saturated(part)


def _saturated(part: Part) -> Row:
    """Place the plan, and find how long one evaluation takes, and how often one ends if all are there at once."""
    stream, machine = part.stream, part.stream.machine
    plan = part.where.placed(stream.plan(), machine)
    one = plan.run(machine, trace=False)
    free = plan.repeated(stream.evaluations).run(machine, trace=False)
    interval = Fraction(free.ticks - one.ticks, stream.evaluations - 1)  # ends may bunch where programs take turns
    if not interval:
        raise MeshSimError(f"an evaluation must take some time on {machine.name}, and takes none: no load is too much")
    places = {} if plan.placement is None else as_texts(plan.placement.places)
    return {
        "processors": one.processors,
        "alone": one.ticks,
        "interval": [interval.numerator, interval.denominator],
        "places": places,
    }


def _offered(part: Part) -> Row:
    """Offer evaluations at an interval."""
    stream, machine = part.stream, part.stream.machine
    plan = stream.plan()
    if part.places:
        network, _ = part.where.usable()
        plan = plan.placed(network, from_texts(dict(part.places), plan.topology, network))
    run = plan.repeated(stream.evaluations, part.every).run(machine, trace=False)
    found = latencies(run, part.every)
    later = found[len(found) // 2 :]
    return {"mean": fmean(later), "largest": max(later), "growing": is_growing(later, part.every)}


def evaluation_ends(run: Run[Any]) -> list[int]:
    """The tick of the last mark of each evaluation of a repeated plan, in order."""
    phases = run.phases
    count = sum(name.startswith("evaluation ") for name in phases)
    return [phases[f"evaluation {number}"] for number in range(1, count + 1)]


def latencies(run: Run[Any], every: int) -> list[int]:
    """How long each evaluation took from its offer to its last mark, in ticks."""
    return [end - number * every for number, end in enumerate(evaluation_ends(run))]


def is_growing(found: Sequence[int], every: int) -> bool:
    """Whether each evaluation is later than the one before by more than a hundredth of the interval, in the mean."""
    half = len(found) // 2
    growth = (fmean(found[half:]) - fmean(found[:half])) / (len(found) / 2)
    return growth > BEHIND * every


def run_stream(stream: Stream, folder: Path, jobs: int) -> list[Row]:
    """Run every part that the folder does not have yet, write the table, and give its rows."""
    first = [Part(stream, name, where) for name, where in stream.networks]
    with open_journal(folder, stream.identity) as journal:
        total = len(first) * (1 + len(stream.shares))
        progress = Progress("stream", total, len(journal.rows))
        _finish(first, journal, progress, jobs)
        _finish(list(_loads(stream, first, journal.rows)), journal, progress, jobs)
        rows = [_row(part, journal.rows) for part in _loads(stream, first, journal.rows)]
        write_csv(folder / TABLE, COLUMNS, ([row[column] for column in COLUMNS] for row in rows))
    return rows


def _finish(parts: Sequence[Part], journal: Journal, progress: Progress, jobs: int) -> None:
    """Run the parts that are missing."""
    for part, row in evaluated(evaluate, [part for part in parts if part.key not in journal.rows], jobs):
        journal.add(part.key, row)
        progress.advance()


def _loads(stream: Stream, first: Sequence[Part], known: Mapping[str, Row]) -> Iterator[Part]:
    """The parts that offer a load, once saturation is known."""
    for part in first:
        found = known[part.key]
        for share in stream.shares:
            every = max(1, round(Fraction(*found["interval"]) / Fraction(str(share))))
            yield Part(stream, part.network, part.where, share, every, tuple(found["places"].items()))


def _row(part: Part, known: Mapping[str, Row]) -> Row:
    """A line of the table."""
    us, found, saturated = part.stream.machine.microseconds, known[part.key], known[part.network]
    interval = float(Fraction(*saturated["interval"])) * us(1)
    return {
        "network": part.network,
        "processors": saturated["processors"],
        "share": interval / us(part.every),
        "interval_us": us(part.every),
        "per_second": 1e6 / us(part.every),
        "mean_us": us(found["mean"]),
        "largest_us": us(found["largest"]),
        "growing": found["growing"],
        "saturated_per_second": 1e6 / interval,
        "alone_us": us(saturated["alone"]),
    }


def as_lines(rows: Sequence[Row]) -> list[str]:
    """The table for people, network by network."""
    lines: list[str] = []
    for name in dict.fromkeys(row["network"] for row in rows):
        mine = [row for row in rows if row["network"] == name]
        alone, most = mine[0]["alone_us"], mine[0]["saturated_per_second"]
        lines += [
            f"{name}, {mine[0]['processors']} processors: one evaluation takes {alone:.1f} us; saturated at {most:.1f} "
            f"evaluations per second, one every {1e6 / most:.1f} us",
            f"{'per second':>12}{'of saturation':>15}{'latency, us: mean':>20}{'largest':>12}",
        ]
        for row in mine:
            grows = "   growing" if row["growing"] else ""
            share = f"{100 * row['share']:.1f} %"
            lines.append(
                f"{row['per_second']:>12.1f}{share:>15}{row['mean_us']:>20.1f}{row['largest_us']:>12.1f}{grows}"
            )
        lines.append("")
    return lines
