"""The comparison: schemes with their options, on machines, for chains of growing length or for robots by name.

Every point is one evaluation. With a goal, robots with loops are moved as well (`accuracy.py`): schemes for loops
differ in how many evaluations an accuracy takes.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from meshsim.algorithms.motion.profiles import OWN, load_profile
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.schemes.base.scheme import PHASES, Scheme
from meshsim.algorithms.schemes.catalogue import load_scheme, takers
from meshsim.algorithms.schemes.one.one_wong import ONE_WONG
from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import write_csv
from meshsim.experiments.store.journal import Row, open_journal
from meshsim.experiments.store.progress import Progress
from meshsim.experiments.store.workers import evaluated
from meshsim.experiments.studies.accuracy import ACCURACY, Goal, study
from meshsim.machine import Machine

COLUMNS = (
    "scheme", "n", "machine", "solver", "processors", "ticks", "time_us", "inertia_us", "force_us", "shift_us",
    "solve_us", "distribute_us", "messages", "words", "utilisation", "speedup", "efficiency", "error",
)  # fmt: skip
NAMED = ("robot", "options", "exchanges")
"""Further columns where robots are named."""
PATH = ("compute_us", "wire_us", "wait_us")
"""Of the critical path; kept for the figures, not in the table."""
VARIED = ("variant", "technique", "layout", "distribution")
"""Options of schemes for loops that are tried in all ways."""
LOOP_BASELINE = "projection"
"""On one processor: what schemes for loops that have no layout `one` are held against."""


@dataclass(frozen=True)
class Point:
    """One run of the comparison; `options` are those that are chosen, in order."""

    scheme: str
    options: tuple[tuple[str, str], ...]
    robot: str
    n: int
    machine: Machine
    stream: int

    @property
    def key(self) -> str:
        """What tells this point from all others of a comparison."""
        return f"{self.label} {self.robot} {self.machine.name}"

    @property
    def label(self) -> str:
        """The scheme and what was chosen."""
        return ", ".join((self.scheme, *(value for _, value in self.options)))


@dataclass(frozen=True)
class Comparison:
    """What is to be compared: chains of some sizes, or robots by name.

    Attributes
    ----------
    schemes : tuple of str
        By name; with robots by name, nothing is every scheme that takes the robot.
    machines : tuple of Machine
        On which.
    sizes : tuple of int
        Joints of random chains.
    solver : str or None
        In place of each scheme's own.
    seed : int
        Of the chains.
    stream : int
        How many evaluations follow one another; 0 where no stream is asked for.
    robots : tuple of str
        In place of chains.
    goal : float or None
        With loops: how far joints may be off, in rad or m, after `duration` seconds.
    """

    schemes: tuple[str, ...]
    machines: tuple[Machine, ...]
    sizes: tuple[int, ...] = ()
    solver: str | None = None
    seed: int = 1
    stream: int = 0
    robots: tuple[str, ...] = ()
    goal: float | None = None
    duration: float = 1.0

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
        if self.goal is not None:
            Goal("", "", (), self.goal, self.duration)  # which refuses numbers that are no goal

    def points(self) -> Iterator[Point]:
        """All points, in the order of the table."""
        if self.robots:
            for robot in self.robots:
                mechanism = load_robot(robot)
                for scheme, options in self.cases(mechanism):
                    for machine in self.machines:
                        yield Point(scheme, options, robot, len(mechanism.joints), machine, self.stream)
            return
        for name in self.schemes:
            options = tuple(_solver_of(load_scheme(name), self.solver).items())
            for n in self.sizes:
                for machine in self.machines:
                    yield Point(name, options, f"chain:{n}:{self.seed}", n, machine, self.stream)

    def cases(self, mechanism: Mechanism) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
        """Every scheme for a robot, with loops in every layout and distribution."""
        for scheme in map(load_scheme, self.schemes) if self.schemes else takers(mechanism):
            if not mechanism.cuts:
                yield scheme.name, tuple(_solver_of(scheme, self.solver).items())
                continue
            varied = {name: values for name in VARIED if isinstance(values := scheme.options.get(name), tuple)}
            seen = set()
            for chosen in product(*varied.values()):
                options = dict(zip(varied, chosen, strict=True))
                if options.get("layout") == "one":
                    options.pop("distribution", None)  # which one processor has not
                if tuple(options.items()) not in seen:
                    seen.add(tuple(options.items()))
                    yield scheme.name, tuple(options.items())

    @property
    def identity(self) -> Row:
        """What tells this comparison from others: the machines in full, not by name."""
        machines = [{**machine.as_dict(), "links": asdict(machine.links)} for machine in self.machines]
        return {**{each.name: getattr(self, each.name) for each in fields(self)}, "machines": machines}

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns."""
        stream = ("interval_us",) if self.stream else ()
        named = NAMED if self.robots else ()
        return (*COLUMNS, *stream, *named, *(ACCURACY if self.goal is not None else ()))


@lru_cache(maxsize=64)
def subject(robot: str) -> tuple[Mechanism, State]:
    """A robot, and where it is evaluated: with loops, at the start of what its document drives it by."""
    mechanism = load_robot(robot)
    return mechanism, load_profile(OWN, mechanism).start if mechanism.cuts else default_state(mechanism)


def evaluate(point: Point) -> Row:
    """Run one point; a scheme that does not take the robot says so in `refused`."""
    scheme, machine = load_scheme(point.scheme), point.machine
    robot, state = subject(point.robot)
    options = dict(point.options)
    try:
        evaluation = scheme.evaluation(robot, **options)
        plan = evaluation.plan(state)
    except MeshSimError as error:
        return {"refused": str(error)}
    run = plan.run(machine)
    us, path = machine.microseconds, run.critical_path
    speedup = _alone(scheme, robot, state, options, machine) / run.ticks if run.ticks else 1.0  # where all is free
    row: dict[str, Any] = {
        "scheme": point.scheme,
        "n": point.n,
        "machine": machine.name,
        "solver": scheme.choose(options).get("solver"),
        "processors": run.processors,
        "ticks": run.ticks,
        "time_us": us(run.ticks),
        **{f"{phase}_us": us(run.phases[phase]) if phase in run.phases else None for phase in PHASES},
        "messages": run.messages,
        "words": run.words,
        "utilisation": run.utilisation,
        "speedup": speedup,
        "efficiency": speedup / run.processors,
        "error": max(run.value.errors(evaluation.reference(state)).values()),
        **dict(zip(PATH, map(us, (path.compute, path.wire, path.wait)), strict=True)),
        "robot": point.robot,
        "options": " ".join(f"{name}={value}" for name, value in point.options),
        "exchanges": run.exchanges,
    }
    if point.stream:
        phases = plan.repeated(point.stream).run(machine, trace=False).phases
        ticks = phases[f"evaluation {point.stream}"] - phases["evaluation 1"]
        row["interval_us"] = us(ticks) / (point.stream - 1)
    return row


def _alone(scheme: Scheme, robot: Mechanism, state: State, options: Mapping[str, str], machine: Machine) -> int:
    """Ticks on one processor: of the thesis's algorithm, with loops of the scheme itself where it can."""
    if not robot.cuts:
        plan = ONE_WONG.plan(robot, state)
    elif "layout" in scheme.options:
        plan = scheme.plan(robot, state, **{**options, "layout": "one"})
    else:
        plan = load_scheme(LOOP_BASELINE).plan(robot, state)
    return plan.run(machine, trace=False).ticks


def _solver_of(scheme: Scheme, solver: str | None) -> dict[str, str]:
    """The solver asked for; a scheme of one processor keeps to it."""
    return {"solver": solver} if solver and not scheme.name.startswith("one-") else {}


@dataclass(frozen=True)
class Compared:
    """The rows of a comparison, and what was refused, in sentences."""

    rows: list[Row]
    refused: list[str]


def run_comparison(
    comparison: Comparison, folder: Path, jobs: int, show: Callable[[list[Row], Comparison], object]
) -> Compared:
    """Evaluate every point that the folder does not have yet, then write the table.

    Machine after machine, the largest points first. Whenever one more machine is complete, but not all are, `show` gets
    those that are: their rows, and the comparison of them alone.
    """
    points = list(comparison.points())
    with open_journal(folder, comparison.identity) as journal:
        todo = [point for point in points if point.key not in journal.rows]
        todo.sort(key=lambda point: (comparison.machines.index(point.machine), -point.n))
        goals = list(dict.fromkeys(goal for point in points if (goal := _goal(comparison, point)) is not None))
        aimed = [goal for goal in goals if goal.key not in journal.rows]
        left = Counter(point.machine.name for point in todo)
        total = len(points) + len(goals)
        progress = Progress("compare", total, total - len(todo) - len(aimed))
        for point, row in evaluated(evaluate, todo, jobs):
            journal.add(point.key, row)
            progress.advance()
            left[point.machine.name] -= 1
            if not left[point.machine.name] and left.total():
                complete = tuple(machine for machine in comparison.machines if not left[machine.name])
                part = replace(comparison, machines=complete)
                found = [journal.rows[point.key] for point in part.points()]
                show([row for row in found if "refused" not in row], part)
        for goal, row in evaluated(study, aimed, jobs):
            journal.add(goal.key, row)
            progress.advance()
        compared = _joined(comparison, points, journal.rows)
        columns = comparison.columns
        write_csv(folder / "compare.csv", columns, ([row.get(column) for column in columns] for row in compared.rows))
    return compared


def _goal(comparison: Comparison, point: Point) -> Goal | None:
    """What is to be found out of how many evaluations a point's scheme needs, if a goal is set."""
    mechanism = load_robot(point.robot) if comparison.goal is not None else None
    if mechanism is None or comparison.goal is None or not mechanism.cuts or point.scheme == "wong-mesh-loops":
        return None
    technique = tuple(option for option in point.options if option[0] == "technique")
    return Goal(point.robot, point.scheme, technique, comparison.goal, comparison.duration)


def _joined(comparison: Comparison, points: list[Point], found: Mapping[str, Row]) -> Compared:
    """Each point's row with what was found of its accuracy; refusals once a robot."""
    rows: list[Row] = []
    refused: dict[str, None] = {}
    for point in points:
        row, goal = found[point.key], _goal(comparison, point)
        accuracy = {} if goal is None else found[goal.key]
        why = row.get("refused") or accuracy.get("refused")
        if why:
            refused[f"{point.robot}: {why}"] = None
            continue
        if comparison.goal is not None:
            reached = accuracy.get("goal_reached")
            ms = row["time_us"] * accuracy["evaluations"] / 1e3 if reached else None
            row = {**row, **accuracy, "time_to_goal_ms": ms}
        rows.append(row)
    return Compared(rows, list(refused))
