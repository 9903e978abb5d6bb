"""A motion with its files: a table that grows step by step, and what it took."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from meshsim.algorithms.motion.motion import DivergedError, Motion, Moved, Sample
from meshsim.algorithms.motion.pace import Pace, beginning, check_moving, moving, simulate
from meshsim.algorithms.motion.profiles import Driving
from meshsim.algorithms.robots.state import TYPED
from meshsim.algorithms.robots.wrenches import borne, borne_lines
from meshsim.algorithms.schemes.base.evaluation import Evaluation
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.store.files import GrowingTable, telling_what_is_kept, whole_file, write_csv
from meshsim.experiments.store.progress import Progress, tell
from meshsim.experiments.studies.where import Location, Where
from meshsim.machine import Machine
from meshsim.placed import Placed
from meshsim.plan import Plan

TABLE, TIMES, SUMMARY = "motion.csv", "steps.csv", "motion.json"
COLUMNS = ("q", "qd", "qdd", "tau")
PICTURES = ("positions.png", "torques.png", "skeleton.png", "errors.png", "hydraulics.png", "loops.png")
LOST = 1.0
"""How far a joint of a tree may be from its profile, in rad or m, before the motion is called diverged."""


class Recorder:
    """Writes a row for each joint as soon as a step is known of all joints; what was written stays if work ends."""

    def __init__(self, path: Path, motion: Motion, driving: Driving) -> None:
        self.motion = motion
        self.wanted = None if motion.mechanism.cuts else driving.wanted  # with loops it takes long to find
        self.joints = motion.mechanism.joints
        self.waiting: dict[int, dict[int, Sample]] = {}
        self.last: float | None = None
        self.progress = Progress("motion, percent", 100)
        header = ["t", "joint", *COLUMNS]
        header += ["wanted", "error"] if self.wanted else []
        header += ["p_in", "p_out", "spool"] if motion.actuators else []
        header += ["constraint_error"] if motion.mechanism.cuts else []
        self.table = GrowingTable(path, header)

    def __enter__(self) -> Self:
        self.table.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.table.__exit__(*error)

    def watch(self, step: int, joint: int, sample: Sample) -> None:
        """Take in one joint of one step."""
        samples = self.waiting.setdefault(step, {})
        samples[joint] = sample
        if len(samples) == len(self.joints):
            self._write(self.waiting.pop(step))

    def _write(self, samples: Mapping[int, Sample]) -> None:
        t = samples[0].t
        goal = self.wanted(t)[0].tolist() if self.wanted else []
        rows = []
        for joint, name in enumerate(self.joints):
            sample = samples[joint]
            row: list[Any] = [f"{t:.12g}", name, sample.q, sample.qd, sample.qdd, sample.tau]
            row += [goal[joint], goal[joint] - sample.q] if goal else []
            row += [*sample.pressures, sample.command] if sample.pressures else []
            row += [sample.gap] if sample.gap is not None else []
            rows.append(row)
        self.table.add(rows)
        self.last = t
        while self.progress.done < min(100, int(100 * t / self.motion.duration + 1e-9)):
            self.progress.advance()
        for joint, name in enumerate(self.joints):
            if goal and not abs(goal[joint] - samples[joint].q) <= LOST:
                raise DivergedError(
                    f"the motion diverged: joint {name!r} is more than {LOST:g} rad (or m) from its profile at "
                    f"t = {t:g} s; {_remedy(self.motion)}"
                )


def _remedy(motion: Motion) -> str:
    if motion.h is None:
        return f"a smaller tolerance than {motion.rtol:g} may help"
    return f"a smaller step than {motion.h:g} s may help"


@dataclass(frozen=True, eq=False)
class MotionReport:
    """A motion, who computed it and how long that took.

    `evaluation_us` is how long one evaluation takes on the machine; `pace` how long steps take, unless adaptive;
    `location` on which network, if not its own.
    """

    scheme: Scheme
    options: Mapping[str, str]
    machine: Machine
    motion: Motion
    moved: Moved
    pace: Pace | None
    wanted: Array | None
    processors: int
    evaluation_us: float
    location: Location | None = None

    @property
    def title(self) -> str:
        """Scheme, robot, machine and step in one line."""
        motion = self.motion
        how = f"rtol = {motion.rtol:g}" if motion.h is None else f"h = {motion.h:g} s"
        layout = f", {self.options['layout']}" if "layout" in self.options else ""
        return f"{self.scheme.name}{layout}: {motion.mechanism.name} on {self.machine.name}, {how}"

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints, and that goes into the folder."""
        motion, moved = self.motion, self.moved
        return {
            "scheme": self.scheme.name,
            "robot": motion.mechanism.name,
            "machine": self.machine.name,
            "processors": self.processors,
            "joints": list(motion.mechanism.joints),
            "step_s": motion.h,
            "steps": len(moved.t) - 1,
            "order": motion.order if motion.h is not None else None,
            **self._times(),
            "final": {"q": moved.q[-1].tolist(), "qd": moved.qd[-1].tolist()},
            "largest_error": None if self.wanted is None else np.abs(self.wanted - moved.q).max(axis=0).tolist(),
            "options": dict(self.options),
            "rtol": motion.rtol if motion.h is None else None,
            "evaluations": moved.evaluations,
            "restarts": moved.restarts,
            "largest_constraint_error": None if moved.gap is None else float(moved.gap.max()),
            **borne(motion.mechanism),
            **fed_back(motion),
            **({"network": asdict(self.location)} if self.location else {}),
        }

    def _times(self) -> Mapping[str, Any]:
        motion, machine, pace = self.motion, self.machine, self.pace
        us = machine.microseconds(1)
        if pace is None or motion.h is None:
            time = self.evaluation_us * self.moved.evaluations
            nothing = dict.fromkeys(("steps_simulated", "steady", "ticks_per_step", "us_per_step"))
            real = time <= 1e6 * motion.duration
            return {**nothing, "us_per_evaluation": self.evaluation_us, "ticks": round(time / us) if us else 0,
                    "time_us": time, "real_time": real}  # fmt: skip
        ends = pace.ends(motion.steps)
        return {
            "steps_simulated": len(pace.laps),
            "steady": len(pace.laps) < motion.steps,
            "ticks_per_step": pace.step,
            "us_per_step": us * pace.step,
            "us_per_evaluation": us * pace.step / motion.order,
            "ticks": ends[-1],
            "time_us": machine.microseconds(ends[-1]),
            "real_time": us * pace.step <= 1e6 * motion.h,
        }

    def rows(self) -> list[dict[str, Any]]:
        """A row for each time and joint."""
        moved = self.moved
        return [
            {"t": float(t), "joint": joint, **{name: float(getattr(moved, name)[i, j]) for name in COLUMNS}}
            for i, t in enumerate(moved.t)
            for j, joint in enumerate(self.motion.mechanism.joints)
        ]

    def as_text(self) -> str:
        """What people read."""
        motion = self.motion
        errors = None if self.wanted is None else np.abs(self.wanted - self.moved.q).max(axis=0)
        heads = ("joint", "at the end", "rate", *(("largest error",) if errors is not None else ()))
        width = max(12, *(len(joint) + 2 for joint in motion.mechanism.joints))
        lines = [self.title, "", f"{heads[0]:<{width}}" + "".join(f"{head:>16}" for head in heads[1:])]
        for i, joint in enumerate(motion.mechanism.joints):
            values = [self.moved.q[-1, i], self.moved.qd[-1, i], *(() if errors is None else (errors[i],))]
            lines.append(f"{joint:<{width}}" + "".join(f"{value:>16.6g}" for value in values))
        lines += ["(rad and rad/s; m and m/s for joints that slide)", "", *borne_lines(motion.mechanism)]
        where = [str(self.location)] if self.location else []
        return "\n".join([*lines, *self._feedback_lines(), *self._loop_lines(), *where, *self.time_lines()])

    def _feedback_lines(self) -> list[str]:
        """How strong feedback is."""
        gains = self.motion.feedback
        if gains is None:
            return []
        return [
            f"feedback of {gains.kp:g} and {gains.kd:g} (N m/rad and N m s/rad; N/m and N s/m), made and counted where "
            "each driven joint's state is"
        ]

    def _loop_lines(self) -> list[str]:
        """How well loops stay closed."""
        moved = self.moved
        if moved.gap is None:
            return []
        times = len(moved.restarts)
        again = f"; independent rates were chosen anew {times} times, off the machine" if times else ""
        first, last = float(moved.gap[0]), float(moved.gap[-1])
        shut = f"loops are open by {first:.2e} at the start and by {last:.2e} (m or rad) at the end{again}"
        lines = [f"loops stay closed to {moved.gap.max():.2e} (m or rad){again}" if first <= TYPED else shut]
        if self.options.get("distribution") == "held" and self.processors > 1:
            lines.append("states were exchanged once a step; numbers are others with an exchange in every evaluation")
        return lines

    def time_lines(self) -> list[str]:
        """How long it took."""
        motion, machine, pace = self.motion, self.machine, self.pace
        several = f"on {self.processors} processor{'s' if self.processors > 1 else ''}"
        if pace is None or motion.h is None:
            seconds = self.evaluation_us * self.moved.evaluations / 1e6
            return [
                f"{len(self.moved.t) - 1} adaptive steps, {self.moved.evaluations} evaluations, {several}",
                f"an evaluation takes {self.evaluation_us:.1f} us: {seconds:.3f} s for all, for {motion.duration:g} s "
                f"of motion: {'in real time' if seconds <= motion.duration else 'too slow'}",
            ]
        micro, allowed = machine.microseconds(1) * pace.step, 1e6 * motion.h
        return [
            f"{motion.steps} steps of {motion.h:g} s, {motion.order} evaluations each, {several}",
            f"a step takes {micro:.1f} us ({micro / motion.order:.1f} us an evaluation); "
            f"real time allows {allowed:.0f} us: {'in real time' if micro <= allowed else 'too slow'}, "
            f"by a factor of {max(allowed / micro, micro / allowed) if micro else 0.0:.2f}",
            self.timing,
        ]

    @property
    def timing(self) -> str:
        """How the times were found."""
        if self.pace is None:
            return "timing: an evaluation was simulated message by message"
        simulated = len(self.pace.laps)
        if simulated < self.motion.steps:
            return (
                f"timing: {simulated} steps were simulated message by message, and took {self.pace.period} ticks each "
                f"at last; the other {self.motion.steps - simulated} are taken to last as long; their numbers were "
                "computed all the same"
            )
        return f"timing: every message of all {simulated} steps was simulated"


def fed_back(motion: Motion) -> dict[str, list[float]]:
    """For programs: the gains of feedback; nothing at all where there is none."""
    return {} if motion.feedback is None else {"feedback": [motion.feedback.kp, motion.feedback.kd]}


def run_motion(
    scheme: Scheme,
    options: Mapping[str, str],
    machine: Machine,
    motion: Motion,
    driving: Driving,
    timing: str,
    folder: Path,
    where: Where,
) -> MotionReport:
    """Simulate a motion and write its table as it goes."""
    evaluation = scheme.evaluation(motion.mechanism, **options)
    check_moving(evaluation, motion)
    evaluation.reference(motion.state)  # which refuses a start without a way to move, by name
    plan = first_plan(evaluation, motion, machine, where)
    alone = plan if motion.h is None else beginning(evaluation, motion)
    single = alone.run(machine, trace=False)
    moved, pace = _recorded(evaluation, machine, motion, driving, timing, folder, plan.placement)
    wanted = None
    if driving.wanted is not None:
        tell("what was wanted")
        wanted = driving.wanted.positions(moved.t.tolist())
    tell("")
    processors = single.processors + (motion.control is not None and _control_apart(evaluation))
    location = where.location(plan)
    count = processors if location is None else location.processors
    us = machine.microseconds(single.ticks)
    return MotionReport(scheme, options, machine, motion, moved, pace, wanted, count, us, location)


def first_plan(evaluation: Evaluation, motion: Motion, machine: Machine, where: Where) -> Plan[Any]:
    """What a motion is placed by: its first step, or of adaptive steps, which are not timed, one evaluation."""
    if motion.h is None:
        return where.placed(beginning(evaluation, motion), machine)
    return where.placed(moving(evaluation, replace(motion, steps=1)), machine)


def _control_apart(evaluation: Evaluation) -> bool:
    """Whether the control runs on a processor of its own."""
    return len(getattr(evaluation, "homes", ())) > 1


def _recorded(
    evaluation: Evaluation,
    machine: Machine,
    motion: Motion,
    driving: Driving,
    timing: str,
    folder: Path,
    placement: Placed | None,
) -> tuple[Moved, Pace | None]:
    """Simulate, writing the table; work that ends early says where what it has is."""
    with Recorder(folder / TABLE, motion, driving) as recorder:
        for name in (TIMES, SUMMARY, *PICTURES):  # left by an earlier motion
            (folder / name).unlink(missing_ok=True)
        with telling_what_is_kept(folder / TABLE, lambda: recorder.last):
            return simulate(evaluation, motion, machine, timing, recorder.watch, placement)


def write_tables(report: MotionReport, folder: Path) -> list[Path]:
    """Write the times of the steps and the summary; returns the files, with the table that is there already."""
    files = [folder / TABLE]
    motion = report.motion
    if report.pace is not None:
        ends = report.pace.ends(motion.steps)
        simulated = len(report.pace.laps)
        rows = [(i, motion.time(i + 1), end, "simulated" if i < simulated else "steady") for i, end in enumerate(ends)]
        write_csv(folder / TIMES, ("step", "t", "ends_at_tick", "timing"), rows)
        files.append(folder / TIMES)
    with whole_file(folder / SUMMARY) as temporary:
        temporary.write_text(json.dumps(report.to_dict(), indent=2) + "\n", encoding="utf-8")
    return [*files, folder / SUMMARY]
