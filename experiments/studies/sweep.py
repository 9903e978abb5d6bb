"""A sweep: every scheme and robot recorded once, and re-timed on every machine of a table.

The work is cut into tasks, a recording with some hundred machines each, for any executor. Rows are written as they
come, keyed by a hash of all that they depend on; what a folder has already is not computed again.
"""

import hashlib
import json
import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.catalogue import load_robot, robot_path
from meshsim.algorithms.schemes.base.scheme import PHASES
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import whole_file, write_csv
from meshsim.experiments.store.journal import Row, code_hash, open_journal, take_over
from meshsim.experiments.store.progress import Progress
from meshsim.experiments.store.workers import evaluated
from meshsim.experiments.studies.baseline import evaluated_at
from meshsim.experiments.studies.refusals import nothing_left, refusal
from meshsim.experiments.studies.sweep_spec import Setting, Sweep
from meshsim.experiments.studies.where import OWN, Where
from meshsim.machine import Machine
from meshsim.plan import Plan
from meshsim.recording import Recording, record
from meshsim.retiming import NotKahnError, check_kahn, is_kahn, retime

CHUNK = 200
"""Machines of one task."""
PATIENCE = 10
"""Seconds to wait for a cluster."""
TRIES = 3
"""How often a task is tried before it counts as failed."""


@dataclass(frozen=True)
class Point:
    """One row to be: a scheme, a robot, and what the machine's costs are set to."""

    scheme: str
    robot: str
    setting: Setting
    machine: Machine
    key: str


@dataclass(frozen=True)
class Source:
    """Where a plan comes from: texts that name scheme and robot, and where it runs.

    `version` tells what files held, and what networks and placements were given as objects. `machine` is the one whose
    costs a placement is found with.
    """

    scheme: str
    options: tuple[tuple[str, str], ...]
    robot: str
    version: str = ""
    where: Where = field(default=OWN, compare=False)
    machine: Machine | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Task:
    """Some points of one scheme and robot; of several sources, which differ in options, each takes the quickest."""

    scheme: str
    robot: str
    sources: tuple[Source, ...]
    points: tuple[Point, ...]
    simulate: bool


@lru_cache(maxsize=16)
def plan_of(source: Source) -> Plan[Dynamics]:
    """The plan of one step; times do not depend on the state."""
    mechanism = load_robot(source.robot)
    plan = load_scheme(source.scheme).plan(mechanism, evaluated_at(mechanism), **dict(source.options))
    return plan if source.machine is None else source.where.placed(plan, source.machine)


@lru_cache(maxsize=16)
def recording_of(source: Source) -> Recording:
    """What that plan does; a worker keeps the last few."""
    identity = {"scheme": source.scheme, **dict(source.options), "robot": source.robot, "n": load_robot(source.robot).n}
    return record(plan_of(source), identity)[0]


def evaluate(task: Task) -> list[Row]:
    """The rows of a task; `refused` tells why a point has no times."""
    rows: dict[str, Row] = {}
    for source in task.sources:
        try:
            recording_of(source)
        except MeshSimError as error:  # options that do not go together; what refuses the first is told
            if source == task.sources[0]:
                return [_refused(task, point, str(error)) for point in task.points]
            continue
        for point, row in _timed_or_not(task, source):
            before = rows.get(point.key)
            if before is None or "refused" in before or row.get("ticks", math.inf) < before["ticks"]:
                rows[point.key] = row
    return [rows[point.key] for point in task.points]


def _refused(task: Task, point: Point, why: str, case: str | None = None) -> Row:
    return {"key": point.key, "refused": refusal(task.robot, task.scheme, why.splitlines()[0], case)}


def _timed_or_not(task: Task, source: Source) -> Iterator[tuple[Point, Row]]:
    """Every point with one choice of options; where a machine fails, it is found by taking them one by one."""
    try:
        yield from list(_timed(task, source))
    except MeshSimError as error:
        if len(task.points) > 1:
            for point in task.points:
                yield from _timed_or_not(replace(task, points=(point,)), source)
            return
        (point,) = task.points
        setting = ", ".join(f"{name} {value}" for name, value in point.setting.items())
        yield point, _refused(task, point, str(error), f"{task.scheme}, {setting}")


def _timed(task: Task, source: Source) -> Iterator[tuple[Point, Row]]:
    """Every point with one choice of options."""
    recording = recording_of(source)
    others = [point for point in task.points if task.simulate and not is_kahn(point.machine, recording)]
    kahn = [point for point in task.points if point not in others] if others else list(task.points)
    if recording.places and not task.simulate:
        _check_placed(kahn, recording)
    timing = retime(recording, [point.machine for point in kahn])
    for column, point in enumerate(kahn):
        phases = {name: int(ticks[column]) for name, ticks in timing.phases.items()}
        yield point, _row(task, source, point, int(timing.ticks[column]), phases)
    for point in others:
        run = plan_of(source).run(point.machine, trace=False)
        yield point, _row(task, source, point, run.ticks, run.phases)


def _check_placed(points: Sequence[Point], recording: Recording) -> None:
    """Refuse machines on which what was placed cannot be re-timed, and say what would help."""
    for point in points:
        try:
            check_kahn(point.machine, recording)
        except NotKahnError as error:
            raise MeshSimError(f'{error}: fallback = "simulate" allows a sweep to do so') from None


def _row(task: Task, source: Source, point: Point, ticks: int, phases: Mapping[str, int]) -> Row:
    us, recording, plan = point.machine.microseconds, recording_of(source), plan_of(source)
    location = source.where.location(plan)
    usage = recording.usage_on(point.machine)
    if plan.placement is not None:
        usage = replace(usage, processors=len(plan.placement.network.processors))  # idle ones too
    energy = point.machine.energy_of(usage, ticks)
    tried = load_scheme(source.scheme).tried if len(task.sources) > 1 else ()
    return {
        "key": point.key,
        "scheme": task.scheme,
        "robot": task.robot,
        "n": recording.identity["n"],
        **point.setting,
        "processors": len(recording.nodes) if location is None else location.processors,
        "messages": recording.messages,
        "words": int(recording.words.sum()),
        "ticks": ticks,
        "time_us": us(ticks),
        **{f"{phase}_us": us(phases[phase]) if phase in phases else None for phase in PHASES},
        "energy_nj": None if energy is None else energy.nanojoules,
        "options": " ".join(f"{name}={value}" for name, value in source.options if name in tried),
        **({} if location is None else {"network": location.network, "placement": location.placement}),
    }


def points_of(sweep: Sweep) -> list[Point]:
    """Every point, in the order of the table; refuses machines that can only be simulated, unless that was allowed."""
    machines = [sweep.machine_at(setting) for setting in sweep.settings]
    if not sweep.simulate and not sweep.where:
        for machine in machines:
            check_kahn(machine)
    code = code_hash() + _placing(sweep)
    described = [json.dumps(each.as_json(), sort_keys=True) for each in machines]
    points = []
    for scheme in sweep.schemes:
        options = json.dumps(sweep.options[scheme], sort_keys=True)
        for robot in sweep.robots:
            content = _content(sweep.sources[robot])
            for setting, machine, text in zip(sweep.settings, machines, described, strict=True):
                whole = "\n".join((code, scheme, options, robot, content, text))
                key = hashlib.sha256(whole.encode()).hexdigest()[:16]
                points.append(Point(scheme, robot, setting, machine, key))
    return points


def _placing(sweep: Sweep) -> str:
    """What tells placements apart; nothing on own networks."""
    if not sweep.where:
        return ""
    return json.dumps([sweep.where.identity, sweep.machine.as_json()], sort_keys=True)


def _content(robot: str) -> str:
    """What a robot's file holds, if it is one."""
    path = robot_path(robot)
    return Path(path).read_text(encoding="utf-8", errors="replace") if path is not None else ""


def tasks_of(sweep: Sweep, points: Sequence[Point]) -> Iterator[Task]:
    """Points cut into tasks, each of one scheme and robot."""
    groups: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        groups.setdefault((point.scheme, point.robot), []).append(point)
    code = code_hash() + _placing(sweep)
    machine = sweep.machine if sweep.where else None
    for (scheme, robot), group in groups.items():
        version = hashlib.sha256(f"{code}\n{_content(sweep.sources[robot])}".encode()).hexdigest()
        sources = tuple(
            Source(sweep.programs[scheme], tuple(options.items()), sweep.sources[robot], version, sweep.where, machine)
            for options in sweep.options[scheme]
        )
        for start in range(0, len(group), CHUNK):
            yield Task(scheme, robot, sources, tuple(group[start : start + CHUNK]), sweep.simulate)


class Swept(NamedTuple):
    """What a sweep found.

    `rows` is the table, in the order of the points; `failures` and `refused` tell why others are missing: failures may
    go away when they are tried again.
    """

    rows: list[Row]
    failures: list[str]
    refused: list[Row]

    @classmethod
    def of(cls, found: Sequence[Row], failures: list[str]) -> "Swept":
        """Rows by kind, each refusal once."""
        refused = {str(row["refused"]): row["refused"] for row in found if "refused" in row}
        return cls([row for row in found if "refused" not in row], failures, list(refused.values()))


def run_sweep(
    sweep: Sweep, folder: Path, jobs: int = 1, executor: Executor | None = None, force: bool = False
) -> Swept:
    """Compute every point that the folder does not have yet, then write the table.

    Parameters
    ----------
    sweep : Sweep
        What to compute.
    folder : path
        Where rows go as they come (`rows.jsonl`), and the table in the end (`sweep.csv`, and `sweep.parquet` if
        pyarrow is there).
    jobs : int
        Local worker processes, if no executor is given.
    executor : concurrent.futures.Executor, optional
        Who does the work: any that has `submit`, of this machine or a cluster.
    force : bool
        Whether a folder that holds other work is taken over.

    Returns
    -------
    Swept
        The table, what was refused, and what could not be computed after some tries.
    """
    points = points_of(sweep)
    identity = {
        "schemes": sweep.schemes,
        "robots": sweep.robots,
        "machine": sweep.machine.name,
        "parameters": sweep.parameters,
        "points": len(points),
        "hash": hashlib.sha256("".join(point.key for point in points).encode()).hexdigest(),
    }
    if force:
        take_over(folder, identity)
    with open_journal(folder, identity) as journal:
        todo = [point for point in points if point.key not in journal.rows]
        progress = Progress("sweep", len(points), len(points) - len(todo))
        failures = []
        tasks = tasks_of(sweep, todo)
        for task, found in evaluated(attempt, tasks, jobs) if executor is None else _finished(executor, tasks):
            if isinstance(found, str):
                failures.append(f"{task.scheme}, {task.robot}, {len(task.points)} points: {found}")
                continue
            for row in found:
                journal.add(row["key"], row)
                progress.advance()
        found = [journal.rows[point.key] for point in points if point.key in journal.rows]
        swept = Swept.of(found, failures)
        if not swept.rows and not failures:
            raise nothing_left(swept.refused)
        _write(swept.rows, folder)
    return swept


def attempt(task: Task) -> list[Row] | str:
    """The rows of a task, tried a few times; or why it failed."""
    for tries in range(1, TRIES + 1):
        try:
            return evaluate(task)
        except Exception as error:
            if tries == TRIES:
                return f"{type(error).__name__}: {error}"
    raise AssertionError("a task is tried at least once")


def _finished(pool: Executor, tasks: Iterator[Task]) -> Iterator[tuple[Task, list[Row] | str]]:
    """Every task with its rows, or why there are none; some tasks are under way at a time, lost ones are sent again."""
    waiting: dict[Future[Any], tuple[Task, int]] = {}
    again: deque[tuple[Task, int]] = deque()
    while True:
        while len(waiting) < 64:
            task, tries = again.popleft() if again else (next(tasks, None), 1)
            if task is None:
                break
            waiting[pool.submit(attempt, task)] = task, tries
        if not waiting:
            return
        for done in wait(waiting, return_when=FIRST_COMPLETED).done:
            task, tries = waiting.pop(done)
            error = done.exception()
            if error is None:
                yield task, done.result()
            elif tries < TRIES:
                again.append((task, tries + 1))
            else:
                yield task, f"{type(error).__name__}: {error}"


def _write(table: Sequence[Row], folder: Path) -> None:
    columns = list(table[0]) if table else ["key"]
    write_csv(folder / "sweep.csv", columns, ([row[column] for column in columns] for row in table))
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return
    arrow = pyarrow.table({column: [row[column] for row in table] for column in columns})
    with whole_file(folder / "sweep.parquet") as temporary:
        pyarrow.parquet.write_table(arrow, temporary)


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The workers of a running Dask scheduler; tasks of a worker that dies go to another."""
    try:
        from distributed import Client
    except ImportError:
        raise MeshSimError("--cluster needs dask.distributed: pip install 'meshsim[cluster]'") from None
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        raise MeshSimError(f"cannot reach a Dask scheduler at {address!r}: {error}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise MeshSimError(f"the Dask scheduler at {address!r} must have a worker, not none") from None
        yield client.get_executor(retries=2)
