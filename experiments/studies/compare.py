"""The comparison: schemes with their options, on machines, for chains of growing length or for robots by name.

Every point is one evaluation. With a goal, robots with loops are moved as well (`accuracy.py`): schemes for loops
differ in how many evaluations an accuracy takes.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.evaluation import Evaluation
from meshsim.algorithms.schemes.base.scheme import PHASES, Scheme
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.schemes.takers import moves
from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import write_csv
from meshsim.experiments.store.journal import Row, open_journal
from meshsim.experiments.store.progress import Progress
from meshsim.experiments.store.workers import evaluated
from meshsim.experiments.studies.accuracy import ACCURACY, Goal, study
from meshsim.experiments.studies.baseline import choices, planned, quickest_on_one, subject, ticks_on_one, work_on_one
from meshsim.experiments.studies.elsewhere import PLACED, name_of, told_of
from meshsim.experiments.studies.orders import order_free
from meshsim.experiments.studies.precision import PRECISION
from meshsim.experiments.studies.refusals import able, nothing_left, refusal
from meshsim.experiments.studies.where import OWN, Where
from meshsim.formats import load_format
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.plan import Plan

COLUMNS = (
    "scheme", "n", "machine", "solver", "processors", "ticks", "time_us", "inertia_us", "force_us", "shift_us",
    "solve_us", "distribute_us", "messages", "words", "utilisation", "speedup", "efficiency", "error", "options",
    "baseline", "baseline_us", "speedup_one_wong", "energy_nj",
)  # fmt: skip
TRIES = ("best", "default", "all")
"""Of each scheme's options: the quickest choice for every point, its defaults, or a row for every choice."""
ORDERS = ("bound_us", "best_order_us")
"""Further columns with orders: what no order of the same work beats, and the best that is found."""
NAMED = ("robot", "exchanges")
"""Further columns where robots are named."""
PATH = ("compute_us", "wire_us", "wait_us")
"""Of the critical path; kept for the figures, not in the table."""
VARIED = ("variant", "technique", "layout", "distribution")
"""Options of schemes for loops that are tried in all ways."""
NETWORK = ("network",)
"""What a row for every choice tries as well: other networks that a scheme has of its own."""
BEFORE = "one-wong"
"""The thesis's algorithm on one processor, to which it compares."""
Chosen = tuple[Mapping[str, str], Evaluation, Plan[Any]]
"""A scheme's options, how it evaluates with them, and its plan."""


@dataclass(frozen=True)
class Point:
    """One run of the comparison; `options` are those that are chosen, in order; `best`, the others are tried."""

    scheme: str
    options: tuple[tuple[str, str], ...]
    robot: str
    n: int
    machine: Machine
    stream: int
    best: bool = False
    orders: bool = False
    where: Where = OWN
    precision: str | None = None

    @property
    def key(self) -> str:
        """A key that identifies this point within a comparison."""
        where = f" on {name_of(self.where)}" if self.where else ""
        return f"{self.label} {self.robot} {self.machine.name}{where}{self.inside}"

    @property
    def inside(self) -> str:
        """The number format, if one was chosen."""
        return f" in {self.precision}" if self.precision else ""

    @property
    def chosen(self) -> str:
        """The options that are chosen, as `meshsim run` takes them."""
        return " ".join(f"{name}={value}" for name, value in self.options)

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
    tries : str
        Which options: one of `TRIES`.
    orders : bool
        Whether the best order of each point's work is looked for.
    wheres : tuple of Where
        Networks that every scheme is placed on, besides its own.
    precisions : tuple of str
        Number formats that every scheme computes in; nothing is double, with a word for each number.
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
    tries: str = "best"
    orders: bool = False
    wheres: tuple[Where, ...] = ()
    precisions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.tries not in TRIES:
            raise MeshSimError(f"what is tried must be one of {', '.join(TRIES)}, not {self.tries!r}")
        self._check_solver()
        names = [machine.name for machine in self.machines]
        for name in names:
            if names.count(name) > 1:
                raise MeshSimError(f"machines of a comparison must have different names, not {name!r} twice")
        if self.stream == 1 or self.stream < 0:
            raise MeshSimError(f"a stream must have at least 2 evaluations, not {self.stream}")
        if self.goal is not None:
            Goal("", "", (), self.goal, self.duration)  # which refuses numbers that are no goal
        if self.orders and self.wheres:
            raise MeshSimError("the best order must be looked for on each scheme's own network, not on others")
        for name in self.precisions:
            load_format(name)
            if self.precisions.count(name) > 1:
                raise MeshSimError(f"number formats of a comparison must be different, not {name} twice")
        if self.precisions and (self.wheres or self.goal is not None):
            what = "networks" if self.wheres else "a goal"
            raise MeshSimError(
                f"number formats must be compared on schemes' own networks, one evaluation, not with {what}"
            )

    def _check_solver(self) -> None:
        """Refuse a solver that none of the schemes has; one that has it not is told with the others."""
        failures = []
        asked = [scheme for scheme in map(load_scheme, self.schemes) if _solver_of(scheme, self.solver)]
        for scheme in asked:
            try:
                scheme.choose(_solver_of(scheme, self.solver))
            except MeshSimError as error:
                failures.append(error)
        if asked and len(failures) == len(asked):
            raise failures[0]

    @cached_property
    def able(self) -> Mapping[str, tuple[list[Scheme], list[Row]]]:
        """For each robot the schemes that take it, and a refusal for each that does not."""
        return {robot: able(robot, self.schemes) for robot in self.robots}

    def points(self) -> Iterator[Point]:
        """All points, in the order of the table: a scheme's own network, then the others."""
        for point in self._points():
            for where in (OWN, *self.wheres):
                for precision in self.precisions or (None,):
                    yield replace(point, where=where, precision=precision)

    def _points(self) -> Iterator[Point]:
        if self.robots:
            for robot in self.robots:
                mechanism = load_robot(robot)
                for scheme, options in self.cases(robot, mechanism):
                    for machine in self.machines if self._fits(scheme, options, mechanism) else ():
                        yield Point(scheme, options, robot, len(mechanism.joints), machine, *self.asked)
            return
        for name in self.schemes:
            for chosen in self.tried(load_scheme(name), _solver_of(load_scheme(name), self.solver)):
                for n in self.sizes:
                    if n <= load_scheme(name).largest and self._fits(name, chosen, chain(n, self.seed)):
                        for machine in self.machines:
                            yield Point(name, chosen, f"chain:{n}:{self.seed}", n, machine, *self.asked)

    def _fits(self, name: str, chosen: Sequence[tuple[str, str]], mechanism: Mechanism) -> bool:
        """Whether a choice is worth a point; one that was asked for is, and is told if it does not fit."""
        scheme = load_scheme(name)
        return self.tries != "all" or scheme.fits(mechanism, scheme.choose(dict(chosen)))

    def left_out(self) -> list[str]:
        """Which schemes are not simulated for all sizes, as lines."""
        small = [scheme for scheme in map(load_scheme, self.schemes) if max(self.sizes, default=0) > scheme.largest]
        return [f"{each.name} is not simulated beyond n = {each.largest}: it has too many processors" for each in small]

    @property
    def asked(self) -> tuple[int, bool, bool]:
        """What is asked of every point: a stream, the quickest options, the best order."""
        return self.stream, self.tries == "best", self.orders

    def tried(self, scheme: Scheme, given: Mapping[str, str]) -> list[tuple[tuple[str, str], ...]]:
        """The options of a scheme that have points of their own."""
        every = choices(scheme, given, NETWORK) if self.tries == "all" else [given]
        return [tuple(options.items()) for options in every]

    def cases(self, robot: str, mechanism: Mechanism) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
        """Every scheme for a robot, with loops in every layout and distribution whose evaluation is its own."""
        for scheme in self.able[robot][0]:
            if self.wheres and not self.schemes and scheme.name.startswith("one-"):
                continue  # a network gives nothing to one processor
            if not mechanism.cuts:
                for chosen in self.tried(scheme, _solver_of(scheme, self.solver)):
                    yield scheme.name, chosen
                continue
            varied = {name: values for name in VARIED if isinstance(values := scheme.options.get(name), tuple)}
            seen = set()
            for values in product(*varied.values()):
                options = dict(zip(varied, values, strict=True))
                if options.get("layout") == "one":
                    options.pop("distribution", None)  # which one processor has not
                if options.get("distribution") == "held":
                    continue  # of which one evaluation is that of the full distribution
                if tuple(options.items()) not in seen:
                    seen.add(tuple(options.items()))
                    for chosen in self.tried(scheme, options):
                        yield scheme.name, chosen

    @property
    def identity(self) -> Row:
        """What tells this comparison from others: the machines in full, not by name."""
        machines = [machine.as_json() for machine in self.machines]
        wheres = [where.identity for where in self.wheres]
        settings = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**settings, "machines": machines, "wheres": wheres}

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns."""
        stream = ("interval_us",) if self.stream else ()
        named = NAMED if self.robots else ()
        orders = ORDERS if self.orders else ()
        placed = PLACED if self.wheres else ()
        formats = PRECISION if self.precisions else ()
        return (*COLUMNS, *formats, *placed, *orders, *stream, *named, *(ACCURACY if self.goal is not None else ()))


def evaluate(point: Point) -> Row:
    """Run one point; `refused` tells why a scheme does not take the robot, with `case` if it fails on the machine."""
    scheme, given = load_scheme(point.scheme), dict(point.options)
    form = load_format(point.precision) if point.precision else None
    try:
        every = planned(scheme, *subject(point.robot), choices(scheme, given) if point.best else [given])
        plans = [(options, evaluation, plan.in_format(form)) for options, evaluation, plan in every]
    except MeshSimError as error:
        return {"refused": str(error)}
    try:
        return _evaluated(point, *_quickest(point, plans))
    except MeshSimError as error:
        where = f" on {name_of(point.where)}" if point.where else ""
        case = f"{point.label}{where}{point.inside}, {point.machine.name}"
        return {"refused": str(error).splitlines()[0], "case": case}


def _evaluated(point: Point, options: Mapping[str, str], evaluation: Evaluation, plan: Plan[Any]) -> Row:
    """What a plan takes on the point's machine, beside what one processor takes."""
    scheme, machine = load_scheme(point.scheme), point.machine
    robot, state = subject(point.robot)
    run = plan.run(machine)
    reference = evaluation.reference(state)
    processors = point.where.count if point.where else run.processors
    us, path = machine.microseconds, run.critical_path
    ends = {name: us(tick) for name, tick in run.phases.items() if name != "inertia" or run.value.M is not None}
    row: dict[str, Any] = {
        "scheme": point.scheme,
        "n": point.n,
        "machine": machine.name,
        "solver": scheme.choose(options).get("solver"),
        "processors": processors,
        "ticks": run.ticks,
        "time_us": us(run.ticks),
        **{f"{phase}_us": ends.get(phase) for phase in PHASES},
        "messages": run.messages,
        "words": run.words,
        "utilisation": run.utilisation,
        **_over_one(point, run, processors),
        "energy_nj": None if run.energy is None else run.energy.nanojoules,
        **told_of(point.where, plan, run),
        "error": max(run.value.errors(reference).values()),
        "precision": point.precision,
        **{f"digits_{name}": count for name, count in run.value.digits(reference).items()},
        **dict(zip(PATH, map(us, (path.compute, path.wire, path.wait)), strict=True)),
        "robot": point.robot,
        "options": " ".join(f"{name}={value}" for name, value in options.items()),
        "exchanges": run.exchanges,
        "label": point.label,
        "given": point.chosen,
    }
    if point.orders:
        form = load_format(point.precision) if point.precision else None
        free = order_free(scheme, robot, state, options, machine, form)
        row.update(zip(ORDERS, map(us, (free.bound, free.ticks)), strict=True))
    if point.stream:
        ticks = plan.repeated(point.stream).run(machine, trace=False).ticks - run.ticks
        row["interval_us"] = us(ticks) / (point.stream - 1)
    return row


def _quickest(point: Point, plans: Sequence[Chosen]) -> Chosen:
    """The options with which a scheme is the quickest, the first of several, and its plan where it runs.

    With a choice, those that cannot run there are passed by.
    """
    if len(plans) == 1:
        ((options, evaluation, plan),) = plans
        return options, evaluation, point.where.placed(plan, point.machine)
    best: tuple[int, Chosen] | None = None
    failure: MeshSimError | None = None
    for options, evaluation, plan in plans:
        try:
            placed = point.where.placed(plan, point.machine)
            ticks = placed.run(point.machine, trace=False).ticks
        except MeshSimError as error:
            failure = failure or error
            continue
        if best is None or ticks < best[0]:
            best = ticks, (options, evaluation, placed)
    if best is None:
        assert failure is not None
        raise failure
    return best[1]


def _over_one(point: Point, run: Run[Any], processors: int) -> Row:
    """Speed-up and efficiency over the quickest algorithm on one processor, and the speed-up over the thesis's."""
    machine = point.machine
    name, ticks = quickest_on_one(point.robot, machine)
    speedup = ticks / run.ticks if run.ticks else 1.0  # where all is free
    before = work_on_one(point.robot).get(BEFORE)
    return {
        "speedup": speedup,
        "efficiency": speedup / processors,
        "baseline": name,
        "baseline_us": machine.microseconds(ticks),
        "baseline_ticks": ticks,
        "speedup_one_wong": ticks_on_one(before, machine) / run.ticks if before and run.ticks else None,
    }


def _solver_of(scheme: Scheme, solver: str | None) -> dict[str, str]:
    """The solver asked for; a one-processor scheme keeps its own, and some have none."""
    able = "solver" in scheme.options and not scheme.name.startswith("one-")
    return {"solver": solver} if solver and able else {}


@dataclass(frozen=True)
class Compared:
    """The rows of a comparison, and those of what was refused."""

    rows: list[Row]
    refused: list[Row]


def run_comparison(
    comparison: Comparison, folder: Path, jobs: int, show: Callable[[list[Row], Comparison], object]
) -> Compared:
    """Evaluate every point that the folder does not have yet, then write the table.

    Machine after machine, the largest points first. Whenever one more machine is complete, but not all are, `show` gets
    those that are: their rows, and the comparison of them alone.
    """
    points = list(comparison.points())
    beforehand = [row for _, refused in comparison.able.values() for row in refused]
    if not points:
        raise nothing_left(beforehand)
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
        compared = _joined(comparison, points, journal.rows, beforehand)
        if not compared.rows:
            raise nothing_left(compared.refused)
        columns = comparison.columns
        write_csv(folder / "compare.csv", columns, ([row.get(column) for column in columns] for row in compared.rows))
    return compared


def _goal(comparison: Comparison, point: Point) -> Goal | None:
    """What is to be found out of how many evaluations a point's scheme needs, if a goal is set."""
    mechanism = load_robot(point.robot) if comparison.goal is not None else None
    if mechanism is None or comparison.goal is None or not mechanism.cuts:
        return None
    if not moves(load_scheme(point.scheme).evaluation(mechanism)):
        return None
    technique = tuple(option for option in point.options if option[0] == "technique")
    return Goal(point.robot, point.scheme, technique, comparison.goal, comparison.duration)


def _joined(
    comparison: Comparison, points: list[Point], found: Mapping[str, Row], beforehand: Sequence[Row]
) -> Compared:
    """Each point's row with what other rows tell of it: accuracy, its own network; each refusal once."""
    rows: list[Row] = []
    refused: dict[str, Row] = {}
    for point in points:
        row, goal = found[point.key], _goal(comparison, point)
        accuracy = {} if goal is None else found[goal.key]
        why = row.get("refused") or accuracy.get("refused")
        if why:
            told = refusal(point.robot, point.scheme, why, row.get("case"))
            refused[str(told)] = told
            continue
        if comparison.goal is not None:
            reached = accuracy.get("goal_reached")
            ms = row["time_us"] * accuracy["evaluations"] / 1e3 if reached else None
            row = {**row, **accuracy, "time_to_goal_ms": ms}
        if comparison.wheres:
            own = found[replace(point, where=OWN).key]
            factor = row["ticks"] / own["ticks"] if own.get("ticks") else None
            row = {**row, "own_us": own.get("time_us"), "factor": factor}
        rows.append(row)
    return Compared(rows, [*beforehand, *refused.values()])
