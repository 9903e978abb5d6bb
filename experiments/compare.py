"""The comparison: every scheme, on every machine, for every number of joints, in one table."""

import fcntl
import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from algorithms.one_wong import ONE_WONG
from algorithms.reference import forward_dynamics, relative_error
from algorithms.robots import chain
from algorithms.scheme import Scheme
from algorithms.schemes import load_scheme
from algorithms.state import default_state
from experiments.files import whole_file, write_csv
from experiments.progress import Progress
from experiments.report import PHASES
from meshsim.errors import MeshSimError
from meshsim.presets import load_machine

COLUMNS = (
    "scheme", "n", "machine", "solver", "processors", "ticks", "time_us", "inertia_us", "force_us", "shift_us",
    "solve_us", "distribute_us", "messages", "words", "utilisation", "speedup", "efficiency", "error",
)  # fmt: skip
PATH = ("compute_us", "wire_us", "wait_us")
"""Of the critical path; kept for the figures, not in the table."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Point:
    """One run of the comparison. `solver` is None for the scheme's own choice."""

    scheme: str
    n: int
    machine: str
    solver: str | None
    seed: int
    stream: int

    @property
    def key(self) -> str:
        """What tells this point from all others of a comparison."""
        return f"{self.scheme} {self.n} {self.machine}"


@dataclass(frozen=True)
class Comparison:
    """What is to be compared; `stream` is 0 where no stream is asked for."""

    schemes: tuple[str, ...]
    machines: tuple[str, ...]
    sizes: tuple[int, ...]
    solver: str | None = None
    seed: int = 1
    stream: int = 0

    def __post_init__(self) -> None:
        for name in self.schemes:
            scheme = load_scheme(name)
            scheme.choose(_solver_of(scheme, self.solver))
        for machine in self.machines:
            load_machine(machine)
        if self.stream == 1 or self.stream < 0:
            raise MeshSimError(f"a stream must have at least 2 evaluations, not {self.stream}")

    def points(self) -> Iterator[Point]:
        """All points, in the order of the table."""
        for scheme in self.schemes:
            for n in self.sizes:
                for machine in self.machines:
                    yield Point(scheme, n, machine, self.solver, self.seed, self.stream)

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns."""
        return (*COLUMNS, "interval_us") if self.stream else COLUMNS


def evaluate(point: Point) -> Row:
    """Run one point. The speed-up is over the thesis's algorithm on one processor of the same machine."""
    scheme, machine = load_scheme(point.scheme), load_machine(point.machine)
    robot = chain(point.n, point.seed)
    state = default_state(robot)
    options = _solver_of(scheme, point.solver)
    plan = scheme.plan(robot, state, **options)
    run = plan.run(machine)
    reference = forward_dynamics(robot, state)
    alone = ONE_WONG.plan(robot, state).run(machine, trace=False).ticks
    us, path = machine.microseconds, run.critical_path
    speedup = alone / run.ticks
    row: dict[str, Any] = {
        "scheme": point.scheme,
        "n": point.n,
        "machine": machine.name,
        "solver": scheme.choose(options)["solver"],
        "processors": run.processors,
        "ticks": run.ticks,
        "time_us": us(run.ticks),
        **{f"{phase}_us": us(run.phases[phase]) if phase in run.phases else "" for phase in PHASES},
        "messages": run.messages,
        "words": run.words,
        "utilisation": run.utilisation,
        "speedup": speedup,
        "efficiency": speedup / run.processors,
        "error": max(relative_error(getattr(run.value, q), getattr(reference, q)) for q in ("M", "h", "qdd")),
        **dict(zip(PATH, map(us, (path.compute, path.wire, path.wait)), strict=True)),
    }
    if point.stream:
        phases = plan.repeated(point.stream).run(machine, trace=False).phases
        ticks = phases[f"evaluation {point.stream}"] - phases["evaluation 1"]
        row["interval_us"] = us(ticks) / (point.stream - 1)
    return row


def _solver_of(scheme: Scheme, solver: str | None) -> dict[str, str]:
    """The solver asked for; a scheme of one processor keeps to it."""
    return {"solver": solver} if solver and scheme.options["solver"][0] != "ldl" else {}


def run_comparison(comparison: Comparison, folder: Path, jobs: int) -> list[Row]:
    """Evaluate every point that the folder does not have yet, then write the table.

    Rows are appended to `rows.jsonl` as they come, so that a run that is killed can go on where it was.
    """
    _claim(comparison, folder)
    points = list(comparison.points())
    with (folder / "rows.jsonl").open("a+", encoding="utf-8") as stream:
        _lock(stream, folder)
        rows = _finished(stream)
        todo = [point for point in points if point.key not in rows]
        progress = Progress("compare", len(points), len(points) - len(todo))
        for point, row in _evaluated(todo, jobs):
            rows[point.key] = row
            stream.write(json.dumps([point.key, row]) + "\n")
            stream.flush()
            progress.advance()
    table = [rows[point.key] for point in points]
    columns = comparison.columns
    write_csv(folder / "compare.csv", columns, ([row[column] for column in columns] for row in table))
    return table


def _evaluated(points: Sequence[Point], jobs: int) -> Iterator[tuple[Point, Row]]:
    """Points as they are finished; the largest go first, so that no worker is left with a long one at the end."""
    points = sorted(points, key=lambda point: -point.n)
    if jobs == 1:
        for point in points:
            yield point, evaluate(point)
        return
    # An interrupt is for this process to handle, not for the workers to print.
    with ProcessPoolExecutor(jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)) as pool:
        waiting = {pool.submit(evaluate, point): point for point in points}
        try:
            while waiting:
                for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(done), done.result()
        except BrokenProcessPool:
            raise MeshSimError("a worker process died; the same command goes on with what is missing") from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _lock(stream: IO[str], folder: Path) -> None:
    """Hold the journal for as long as it is open; refuse if another process does."""
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise MeshSimError(f"{folder} is in use by another comparison; wait for it, or choose another folder") from None


def _claim(comparison: Comparison, folder: Path) -> None:
    """Make the folder this comparison's, or see that it is already; refuse one that holds something else."""
    identity = json.loads(json.dumps({"meshsim": version("meshsim"), **asdict(comparison)}))
    settings = folder / "settings.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if settings.exists():
            if json.loads(settings.read_text(encoding="utf-8")) != identity:
                raise MeshSimError(f"{folder} holds another comparison; choose another folder with --out")
        elif any(folder.iterdir()):
            raise MeshSimError(f"{folder} must be empty or hold this comparison; choose another folder with --out")
        with whole_file(settings) as temporary:
            temporary.write_text(json.dumps(identity, indent=2) + "\n", encoding="utf-8")
    except (OSError, ValueError) as error:
        raise MeshSimError(f"cannot use the folder {str(folder)!r}: {error}") from None


def _finished(journal: IO[str]) -> dict[str, Row]:
    """The rows of earlier runs; a last line that a kill cut off is dropped from the file."""
    rows: dict[str, Row] = {}
    journal.seek(0)
    whole = 0
    for line in journal.read().splitlines(keepends=True):
        try:
            key, row = json.loads(line)
        except ValueError:
            break
        if not line.endswith("\n"):
            break
        rows[key] = row
        whole += len(line.encode())
    journal.truncate(whole)
    journal.seek(0, os.SEEK_END)
    return rows


def default_jobs() -> int:
    """As many workers as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
