"""A sweep: every scheme and robot recorded once, and re-timed on every machine of a table.

The work is cut into tasks, a recording with a block of machines each, for any executor. Blocks of rows are written as
they come, in columns; what a folder has already is not computed again.
"""

import hashlib
import json
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from meshsim import lanes
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.catalogue import load_robot, robot_path
from meshsim.algorithms.schemes.base.scheme import PHASES
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.errors import MeshSimError
from meshsim.experiments.store.journal import Row, code_hash, open_journal, take_over
from meshsim.experiments.store.progress import Progress, tell
from meshsim.experiments.store.workers import evaluated
from meshsim.experiments.studies.baseline import evaluated_at
from meshsim.experiments.studies.refusals import nothing_left, refusal
from meshsim.experiments.studies.sweep_spec import Sweep
from meshsim.experiments.studies.sweep_table import Group, Table, Timed, energy_of
from meshsim.experiments.studies.where import OWN, Where
from meshsim.machine import Machine
from meshsim.machine_table import Ints, MachineTable
from meshsim.plan import Plan
from meshsim.recording import Recording, record
from meshsim.retiming import NotKahnError, by_kind, check_kahn, is_kahn, retime

CHUNK = 2048
"""Machines of one task."""
SIMULATED = 64
"""The same, where some may have to be simulated."""
SHARE = 40_000
"""To record a scheme, and to put its times in order, takes as long as to re-time it on about so many machines."""
BY_NUMPY = 20
"""How many times as long it takes without compiled loops."""
ENOUGH = 10_000_000
"""So many machines, each times the joints squared, take about half a second: less is not worth another worker."""
PATIENCE = 10
"""Seconds to wait for a cluster."""
TRIES = 3
"""How often a task is tried before it counts as failed."""


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


@dataclass(frozen=True, eq=False)
class Task:
    """Some machines for one scheme and robot; of several sources, which differ in options, each takes the quickest.

    `number` is that of the task. `group` and `places` are its rows: which group of the sweep, and which of its
    machines. `kind` is that of the first machine (`MachineTable.kinds`).
    """

    scheme: str
    robot: str
    sources: tuple[Source, ...]
    machines: MachineTable
    simulate: bool
    number: int
    group: int
    places: Ints
    kind: int


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


def evaluate(task: Task) -> Timed:
    """The times of a task, and why some machines have none."""
    found = Timed(len(task.machines))
    everywhere = np.arange(len(task.machines))
    for source in task.sources:
        try:
            recording_of(source)
        except MeshSimError as error:  # options that do not go together; what refuses the first is told
            if source == task.sources[0]:
                found.refuse(everywhere, _refusal(task, error))
                break
            continue
        for places in by_kind(task.machines):
            _time_kind(found, places, task, source)
    return found


def _time_kind(found: Timed, places: Ints, task: Task, source: Source) -> None:
    """Machines of one kind, with one choice of options; what fails on one of them by re-timing fails on all."""
    recording, made = recording_of(source), _made(task, source)
    first = task.machines[int(places[0])]
    if task.simulate and not is_kahn(first, recording):
        for one in places[:, None]:
            try:
                run = plan_of(source).run(task.machines[int(one[0])], trace=False)
            except MeshSimError as error:
                found.refuse(one, _refusal(task, error, int(one[0])))
            else:
                phases = {name: np.array([run.phases[name]]) for name in PHASES if name in run.phases}
                found.offer(one, made, np.array([run.ticks]), phases)
        return
    try:
        if recording.places and not task.simulate:
            _check_placed(first, recording)
        timing = retime(recording, task.machines.take(places), processors=False)
    except MeshSimError as error:
        for one in places[:, None]:
            found.refuse(one, _refusal(task, error, int(one[0])))
    else:
        phases = {name: timing.phases[name] for name in PHASES if name in timing.phases}
        found.offer(places, made, timing.ticks, phases)


def _refusal(task: Task, error: MeshSimError, place: int | None = None) -> Row:
    """Why a scheme has no time: on any machine, or on one of them."""
    case = None
    if place is not None:
        setting = ", ".join(f"{name} {value}" for name, value in task.machines.setting(place).items())
        case = f"{task.scheme}, {setting}"
    return refusal(task.robot, task.scheme, str(error).splitlines()[0], case)


def _check_placed(machine: Machine, recording: Recording) -> None:
    """Refuse a machine on which what was placed cannot be re-timed, and say what would help."""
    try:
        check_kahn(machine, recording)
    except NotKahnError as error:
        raise MeshSimError(f'{error}: fallback = "simulate" allows a sweep to do so') from None


def _made(task: Task, source: Source) -> Row:
    """What is the same in all rows with one choice of options."""
    recording, machine = recording_of(source), task.machines.machine
    location = source.where.location(plan_of(source))
    tried = load_scheme(source.scheme).tried if len(task.sources) > 1 else ()
    return {
        "n": recording.identity["n"],
        "processors": len(recording.nodes) if location is None else location.processors,
        "messages": recording.messages,
        "words": int(recording.words.sum()),
        **energy_of(machine, recording.usage(machine)),
        "options": " ".join(f"{name}={value}" for name, value in source.options if name in tried),
        **({} if location is None else {"network": location.network, "placement": location.placement}),
    }


def groups_of(sweep: Sweep) -> list[Group]:
    """The rows to be, in the order of the table; machines that can only be simulated are refused, unless allowed."""
    if not sweep.simulate and not sweep.where:
        for places in by_kind(sweep.machines):
            check_kahn(sweep.machines[int(places[0])])
    code = code_hash() + _placing(sweep)
    return [
        Group(
            scheme,
            robot,
            sweep.machines,
            "\n".join((code, scheme, json.dumps(sweep.options[scheme], sort_keys=True), robot, content)),
            Timed(len(sweep.machines)),
        )
        for scheme in sweep.schemes
        for robot, content in ((robot, _content(sweep.sources[robot])) for robot in sweep.robots)
    ]


def _placing(sweep: Sweep) -> str:
    """What tells placements apart; nothing on own networks."""
    if not sweep.where:
        return ""
    return json.dumps([sweep.where.identity, sweep.machine.as_json()], sort_keys=True)


def _content(robot: str) -> str:
    """What a robot's file holds, if it is one."""
    path = robot_path(robot)
    return Path(path).read_text(encoding="utf-8", errors="replace") if path is not None else ""


def tasks_of(sweep: Sweep, groups: Sequence[Group]) -> list[Task]:
    """The work cut into tasks, each of one scheme and robot; machines of one kind stand together."""
    machine = sweep.machine if sweep.where else None
    kinds = sweep.machines.kinds()
    order = np.argsort(kinds, kind="stable")
    size = SIMULATED if sweep.simulate else CHUNK
    chunks = [order[start : start + size] for start in range(0, len(order), size)]
    tables = [sweep.machines.take(places) for places in chunks]
    tasks: list[Task] = []
    for number, group in enumerate(groups):
        text = sweep.sources[group.robot]
        told = text, hashlib.sha256(group.identity.encode()).hexdigest(), sweep.where, machine
        program = sweep.programs[group.scheme]
        sources = tuple(Source(program, tuple(options.items()), *told) for options in sweep.options[group.scheme])
        for places, table in zip(chunks, tables, strict=True):
            which = len(tasks), number, places, int(kinds[places[0]])
            tasks.append(Task(group.scheme, group.robot, sources, table, sweep.simulate, *which))
    return tasks


def workers_for(tasks: Sequence[Task], jobs: int) -> int:
    """How many workers are worth their start: what one has recorded, another must record again."""
    machines: Counter[tuple[int, int]] = Counter()
    for task in tasks:
        each = SHARE if task.simulate else 1 if lanes.available() else BY_NUMPY
        machines[task.group, task.kind] += each * len(task.machines)
    sources = {task.group: task.sources for task in tasks}
    sizes = {group: len(each) * load_robot(each[0].robot).n ** 2 for group, each in sources.items()}
    work = sum(sizes[group] * (SHARE + count) for (group, _), count in machines.items())
    shares = sum(1 + count // SHARE for count in machines.values())
    return max(1, min(jobs, shares, work // ENOUGH))


class Swept(NamedTuple):
    """What a sweep found.

    `rows` is the table, in the order of the points; `failures` and `refused` tell why others are missing: failures may
    go away when they are tried again.
    """

    rows: Table
    failures: list[str]
    refused: list[Row]


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
    groups = groups_of(sweep)
    tasks = tasks_of(sweep, groups)
    points = len(groups) * len(sweep.machines)
    identity = {
        "schemes": sweep.schemes,
        "robots": sweep.robots,
        "machine": sweep.machine.name,
        "parameters": sweep.parameters,
        "points": points,
        "hash": _hash_of(groups, tasks),
    }
    if force:
        take_over(folder, identity)

    def keep(key: str, row: Row) -> int:
        """Put the times of a task in their places; the journal remembers how many."""
        task = tasks[int(key)]
        groups[task.group].timed.put(task.places, Timed.of_json(row))
        return len(task.places)

    with open_journal(folder, identity, "blocks of rows", keep) as journal:
        todo = [task for task in tasks if str(task.number) not in journal.rows]
        progress = Progress("sweep", points, sum(journal.rows.values()))
        failures = []
        parts = (
            evaluated(attempt, todo, workers_for(todo, jobs), lambda task: (task.group, task.kind))
            if executor is None
            else _finished(executor, iter(todo))
        )
        for task, found in parts:
            if isinstance(found, str):
                failures.append(f"{task.scheme}, {task.robot}, {len(task.machines)} points: {found}")
                continue
            journal.add(str(task.number), found.as_json())
            progress.advance(len(task.machines))
        table = Table(groups, bool(sweep.where))
        if not table and not failures:
            raise nothing_left(table.refused)
        tell("writing the table")
        table.write(folder)
        tell("")
    return Swept(table, failures, table.refused)


def _hash_of(groups: Sequence[Group], tasks: Sequence[Task]) -> str:
    """What tells a sweep from another, and how it is cut."""
    machines = groups[0].machines
    parts = [group.identity for group in groups] + [json.dumps(machines.machine.as_json(), sort_keys=True)]
    parts += [f"{len(task.machines)}" for task in tasks]
    digest = hashlib.sha256("\n".join(parts).encode())
    for name, column in machines.columns.items():
        digest.update(f"\n{name} {column.dtype} ".encode() + column.tobytes())
    return digest.hexdigest()


def attempt(task: Task) -> Timed | str:
    """The times of a task, tried a few times; or why it failed."""
    for tries in range(1, TRIES + 1):
        try:
            return evaluate(task)
        except Exception as error:
            if tries == TRIES:
                return f"{type(error).__name__}: {error}"
    raise AssertionError("a task is tried at least once")


def _finished(pool: Executor, tasks: Iterator[Task]) -> Iterator[tuple[Task, Timed | str]]:
    """Every task with its times, or why there are none; some are under way at a time, lost ones are sent again."""
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
