"""Methods of closed dynamics side by side: what an evaluation takes, how many it takes, and so the time to an accuracy.

Every method moves the same mechanism by the same torques for the same time. Tolerances are tightened, or springs made
stiffer, until its joints end within the goal of those of a reference. As many evaluations as that took, each as long as
one takes on a network and machine, are the time to that accuracy.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from meshsim.algorithms.motion.drives import load_drive
from meshsim.algorithms.motion.loop_stepping import Stepping, Task, integrate
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import assemble
from meshsim.algorithms.schemes.loops.method import DISTRIBUTIONS, Settings
from meshsim.algorithms.schemes.loops.methods import METHODS
from meshsim.algorithms.schemes.loops.projection import TECHNIQUES
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import write_csv
from meshsim.experiments.store.journal import Row, open_journal
from meshsim.experiments.store.progress import Progress
from meshsim.experiments.store.workers import evaluated
from meshsim.experiments.studies.explain import SCANNED, flips
from meshsim.experiments.studies.loops import Case, exchanges
from meshsim.machine import Machine
from meshsim.recording import Recording, record

COLUMNS = (
    "robot", "method", "technique", "network", "distribution", "machine", "processors", "exchanges", "messages",
    "words", "time_us", "speedup", "rtol", "k", "evaluations", "steps", "constraint_error", "joint_error",
    "goal_reached", "time_to_goal_ms",
)  # fmt: skip
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
STIFFNESSES = (1e3, 1e4, 1e5, 1e6, 1e7)
"""Of springs (N/m), with as much damping as 2 sqrt(k) (Khan sec. 4.1); their tolerance follows the goal."""
REFERENCE = Stepping(rtol=1e-11, atol=1e-13)


@dataclass(frozen=True)
class Point:
    """A method on a mechanism."""

    robot: str
    method: str
    technique: str
    goal: float
    duration: float

    @property
    def key(self) -> str:
        """What tells this point from all others of a comparison."""
        return f"{self.robot} {self.method} {self.technique}"


@dataclass(frozen=True)
class ClosedComparison:
    """What is to be compared: joints that end within `goal` (rad or m) after `duration` seconds."""

    robots: tuple[str, ...]
    machines: tuple[Machine, ...]
    goal: float = 1e-3
    duration: float = 1.0

    def __post_init__(self) -> None:
        for name in ("goal", "duration"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise MeshSimError(f"{name} must be a positive number, not {value}")
        names = [machine.name for machine in self.machines]
        if len(set(names)) < len(names):
            raise MeshSimError(f"machines of a comparison must have different names, not {', '.join(names)}")

    def points(self) -> Iterator[Point]:
        """All points, in the order of the table."""
        for robot in self.robots:
            for method in METHODS:
                for technique in TECHNIQUES if method == "projection" else ("",):
                    yield Point(robot, method, technique, self.goal, self.duration)

    @property
    def identity(self) -> Row:
        """What tells this comparison from others."""
        machines = [{**machine.as_dict(), "links": asdict(machine.links)} for machine in self.machines]
        return {"closed": self.robots, "goal": self.goal, "duration": self.duration, "machines": machines}


@cache
def _task(robot: str, duration: float) -> Task:
    mechanism = load_robot(robot)
    q = assemble(mechanism)
    driving = load_drive("own", mechanism, q)
    return Task(mechanism, q, driving.start(mechanism), driving.drive, duration)


@cache
def _end(robot: str, duration: float) -> Array:
    """Where the joints are at last, by the reference."""
    return integrate(METHODS["multipliers"], Settings(), _task(robot, duration), REFERENCE).q[-1]


def study(point: Point) -> Row:
    """Tighten until the goal is reached: what was set, how often the method was evaluated, and how far off it was.

    A method that does not take the mechanism, or does not get to the end, says so in `refused`.
    """
    task, method = _task(point.robot, point.duration), METHODS[point.method]
    base = settings_of(point)
    row: dict[str, Any] = {}
    failed = ""
    ladder = (
        [
            (Stepping(rtol=max(1e-8, point.goal * 1e-3), atol=1e-9), replace(base, k=k, d=2 * math.sqrt(k)))
            for k in STIFFNESSES
        ]
        if method.name == "penalty"
        else [(Stepping(rtol=rtol, atol=rtol * 1e-3), base) for rtol in TOLERANCES]
    )
    try:
        method.places(task.mechanism, "one", base, task.q)
    except MeshSimError as error:
        return {"refused": str(error)}
    for stepping, settings in ladder:
        try:
            history = integrate(method, settings, task, stepping)
        except MeshSimError as error:
            failed = str(error)
            continue
        off = float(np.abs(history.q[-1] - _end(point.robot, point.duration)).max())
        row = {
            "rtol": stepping.rtol,
            "k": settings.k if method.name == "penalty" else None,
            "evaluations": history.evaluations,
            "steps": len(history.t) - 1,
            "constraint_error": max(history.c),
            "joint_error": off,
            "goal_reached": off <= point.goal,
        }
        if off <= point.goal:
            break
    return row or {"refused": f"{method.name} did not get to the end whatever was set: {failed}"}


def settings_of(point: Point) -> Settings:
    """What a method is told, but for what is tightened."""
    return Settings(technique=point.technique or "gauss", distribution=METHODS[point.method].distributions[0])


def cases(point: Point) -> list[Case]:
    """A method on every network that it runs on, and in every distribution; none where it refuses the mechanism."""
    task, method = _task(point.robot, point.duration), METHODS[point.method]
    try:
        method.places(task.mechanism, "one", settings_of(point), task.q)
    except MeshSimError:
        return []
    tau = [0.0] * task.mechanism.n
    for joint, torque in zip(task.mechanism.actuated, task.drive(0.0), strict=True):
        tau[joint] = torque
    found = []
    for network in method.networks:
        for distribution in method.distributions[:1] if network == "one" else method.distributions:
            settings = replace(settings_of(point), distribution=distribution)
            found.append(Case(method, settings, network, task.mechanism, task.q, task.qd, tau))
    return found


def timed(point: Point, found: Row, machines: Sequence[Machine]) -> list[Row]:
    """A row for each network, distribution and machine."""
    rows: list[Row] = []
    alone: dict[str, float] = {}
    for case in cases(point):
        plan = case.plan()
        for machine in machines:
            run = plan.run(machine, trace=False)
            us = machine.microseconds(run.ticks)
            alone.setdefault(machine.name, us)
            reached = found["goal_reached"]
            rows.append(
                {
                    "robot": point.robot,
                    "method": point.method,
                    "technique": point.technique,
                    "network": case.network,
                    "distribution": case.settings.distribution if case.network != "one" else "",
                    "machine": machine.name,
                    "processors": run.processors,
                    "exchanges": exchanges(run),
                    "messages": run.messages,
                    "words": run.words,
                    "time_us": us,
                    "speedup": alone[machine.name] / us if us else 1.0,
                    **found,
                    "time_to_goal_ms": us * found["evaluations"] / 1e3 if reached else None,
                }
            )
    return rows


def run_closed_comparison(comparison: ClosedComparison, folder: Path, jobs: int) -> tuple[list[Row], list[str]]:
    """Every point that the folder does not have yet, then the table; and what was refused, in sentences."""
    points = list(comparison.points())
    rows: list[Row] = []
    refused = []
    with open_journal(folder, comparison.identity) as journal:
        todo = [point for point in points if point.key not in journal.rows]
        progress = Progress("compare", len(points), len(points) - len(todo))
        for point, row in evaluated(study, todo, jobs):
            journal.add(point.key, row)
            progress.advance()
        for point in points:
            found = journal.rows[point.key]
            if "refused" in found:
                refused.append(f"{point.robot}: {found['refused']}")
            else:
                rows += timed(point, found, comparison.machines)
        write_csv(folder / "closed.csv", COLUMNS, ([row[column] for column in COLUMNS] for row in rows))
    return rows, refused


def link_costs(comparison: ClosedComparison) -> list[str]:
    """For every method and machine whose words take time, from which start-up of a message on another way wins."""
    lines = []
    for point in comparison.points():
        recorded = [(case.label, record(case.plan())[0]) for case in cases(point)]
        if len(recorded) > 1:
            (_, alone), *several = recorded
            for machine in comparison.machines:
                if machine.links.discipline != "free":
                    lines.append(f"{point.robot} on {machine.name}: {_verdict(dict(several), alone, machine)}")
    return lines


def _verdict(several: Mapping[str, Recording], alone: Recording, machine: Machine) -> str:
    """Which of several ways keeps ahead of one processor for longest, and from where on repeating work pays."""
    limits = {label: _limit(recording, alone, machine) for label, recording in several.items()}
    best = max(limits, key=lambda label: limits[label])
    now = f"now {machine.microseconds(machine.links.startup):g} us"
    if limits[best] < 0:
        text = f"{best}: one processor is faster whatever a start-up costs"
    else:
        text = f"{best}: one processor is faster once a start-up costs more than {_us(limits[best], machine)} ({now})"
    full, partly = (next((label for label in several if label.endswith(f"star, {how}")), None) for how in DISTRIBUTIONS)
    if full is not None and partly is not None:
        limit = _limit(several[partly], several[full], machine)
        if math.isfinite(limit):
            text += f"; on the star, repeating work (full) is faster than sharing it from {_us(limit, machine)} on"
        else:
            text += "; on the star, sharing work (partly) is faster whatever a start-up costs"
    return text


def _us(ticks: float, machine: Machine) -> str:
    if not math.isfinite(ticks):
        return f"{machine.microseconds(SCANNED[-1]):g} us, the most that was tried,"
    return f"{machine.microseconds(max(int(ticks), 0)):g} us"


def _limit(several: Recording, alone: Recording, machine: Machine) -> float:
    """The largest start-up, in ticks, with which several processors are no slower than one; -1 if there is none."""
    first, places = flips(several, alone, machine, "startup")
    if not first:
        return -1.0
    return places[0] - 1 if places else math.inf


def as_text(rows: Sequence[Row], comparison: ClosedComparison) -> str:
    """The table that people read: a line for each case, its times by machine."""
    machines = [machine.name for machine in comparison.machines]
    lines = []
    for robot in comparison.robots:
        lines += ["", f"{robot}: joints within {comparison.goal:g} after {comparison.duration:g} s"]
        columns = ("cpus", 5), ("exch", 5), ("words", 6), *((f"{name} us", 18) for name in machines)
        columns = *columns, ("evaluations", 13), ("loops (m)", 11), ("to goal ms", 12)
        lines.append(f"{'method':<36}" + "".join(f"{name:>{width}}" for name, width in columns))
        mine = [row for row in rows if row["robot"] == robot]
        for row in (row for row in mine if row["machine"] == machines[0]):
            same = {other["machine"]: other for other in mine if _case(other) == _case(row)}
            goal = same[machines[-1]]["time_to_goal_ms"]
            values = [str(row[name]) for name in ("processors", "exchanges", "words")]
            values += [f"{same[name]['time_us']:.1f}" for name in machines]
            values += [
                str(row["evaluations"]),
                f"{row['constraint_error']:.1e}",
                "not" if goal is None else f"{goal:.1f}",
            ]
            cells = (f"{value:>{width}}" for value, (_, width) in zip(values, columns, strict=True))
            lines.append(f"{', '.join(filter(None, _case(row))):<36}" + "".join(cells))
    lines.append(f"(to goal: on {machines[-1]}; not: none of the settings tried reached it)")
    return "\n".join(lines[1:])


def _case(row: Row) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("method", "technique", "network", "distribution"))
