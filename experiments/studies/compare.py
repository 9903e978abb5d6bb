"""The comparison: every scheme, on every machine, for every number of joints, in one table."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.base.scheme import PHASES, Scheme
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.schemes.one.one_wong import ONE_WONG
from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import write_csv
from meshsim.experiments.store.journal import Row, open_journal
from meshsim.experiments.store.progress import Progress
from meshsim.experiments.store.workers import evaluated
from meshsim.machine import Machine

COLUMNS = (
    "scheme", "n", "machine", "solver", "processors", "ticks", "time_us", "inertia_us", "force_us", "shift_us",
    "solve_us", "distribute_us", "messages", "words", "utilisation", "speedup", "efficiency", "error",
)  # fmt: skip
PATH = ("compute_us", "wire_us", "wait_us")
"""Of the critical path; kept for the figures, not in the table."""


@dataclass(frozen=True)
class Point:
    """One run of the comparison. `solver` is None for the scheme's own choice."""

    scheme: str
    n: int
    machine: Machine
    solver: str | None
    seed: int
    stream: int

    @property
    def key(self) -> str:
        """What tells this point from all others of a comparison."""
        return f"{self.scheme} {self.n} {self.machine.name}"


@dataclass(frozen=True)
class Comparison:
    """What is to be compared; `stream` is 0 where no stream is asked for."""

    schemes: tuple[str, ...]
    machines: tuple[Machine, ...]
    sizes: tuple[int, ...]
    solver: str | None = None
    seed: int = 1
    stream: int = 0

    def __post_init__(self) -> None:
        for name in self.schemes:
            scheme = load_scheme(name)
            scheme.choose(_solver_of(scheme, self.solver))
        names = [machine.name for machine in self.machines]
        for name in names:
            if names.count(name) > 1:
                raise MeshSimError(f"machines of a comparison must have different names, not {name!r} twice")
        if self.stream == 1 or self.stream < 0:
            raise MeshSimError(f"a stream must have at least 2 evaluations, not {self.stream}")

    def points(self) -> Iterator[Point]:
        """All points, in the order of the table."""
        for scheme in self.schemes:
            for n in self.sizes:
                for machine in self.machines:
                    yield Point(scheme, n, machine, self.solver, self.seed, self.stream)

    @property
    def identity(self) -> Row:
        """What tells this comparison from others: the machines in full, not by name."""
        machines = [{**machine.as_dict(), "links": asdict(machine.links)} for machine in self.machines]
        return {**{each.name: getattr(self, each.name) for each in fields(self)}, "machines": machines}

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns."""
        return (*COLUMNS, "interval_us") if self.stream else COLUMNS


def evaluate(point: Point) -> Row:
    """Run one point. The speed-up is over the thesis's algorithm on one processor of the same machine."""
    scheme, machine = load_scheme(point.scheme), point.machine
    robot = chain(point.n, point.seed)
    state = default_state(robot)
    options = _solver_of(scheme, point.solver)
    plan = scheme.plan(robot, state, **options)
    run = plan.run(machine)
    reference = forward_dynamics(robot, state)
    alone = ONE_WONG.plan(robot, state).run(machine, trace=False).ticks
    us, path = machine.microseconds, run.critical_path
    speedup = alone / run.ticks if run.ticks else 1.0  # on a machine where nothing takes time
    row: dict[str, Any] = {
        "scheme": point.scheme,
        "n": point.n,
        "machine": machine.name,
        "solver": scheme.choose(options)["solver"],
        "processors": run.processors,
        "ticks": run.ticks,
        "time_us": us(run.ticks),
        **{f"{phase}_us": us(run.phases[phase]) for phase in PHASES},
        "messages": run.messages,
        "words": run.words,
        "utilisation": run.utilisation,
        "speedup": speedup,
        "efficiency": speedup / run.processors,
        "error": max(run.value.errors(reference).values()),
        **dict(zip(PATH, map(us, (path.compute, path.wire, path.wait)), strict=True)),
    }
    if point.stream:
        phases = plan.repeated(point.stream).run(machine, trace=False).phases
        ticks = phases[f"evaluation {point.stream}"] - phases["evaluation 1"]
        row["interval_us"] = us(ticks) / (point.stream - 1)
    return row


def _solver_of(scheme: Scheme, solver: str | None) -> dict[str, str]:
    """The solver asked for; a scheme of one processor keeps to it."""
    return {"solver": solver} if solver and not scheme.name.startswith("one-") else {}


def run_comparison(
    comparison: Comparison, folder: Path, jobs: int, show: Callable[[list[Row], Comparison], object]
) -> list[Row]:
    """Evaluate every point that the folder does not have yet, then write the table.

    Machine after machine, the largest points first. Whenever one more machine is complete, but not all are, `show` gets
    those that are: their rows, and the comparison of them alone.
    """
    points = list(comparison.points())
    with open_journal(folder, comparison.identity) as journal:
        todo = [point for point in points if point.key not in journal.rows]
        todo.sort(key=lambda point: (comparison.machines.index(point.machine), -point.n))
        left = Counter(point.machine.name for point in todo)
        progress = Progress("compare", len(points), len(points) - len(todo))
        for point, row in evaluated(evaluate, todo, jobs):
            journal.add(point.key, row)
            progress.advance()
            left[point.machine.name] -= 1
            if not left[point.machine.name] and left.total():
                complete = tuple(machine for machine in comparison.machines if not left[machine.name])
                part = replace(comparison, machines=complete)
                show([journal.rows[point.key] for point in part.points()], part)
        table = [journal.rows[point.key] for point in points]
        columns = comparison.columns
        write_csv(folder / "compare.csv", columns, ([row[column] for column in columns] for row in table))
    return table
