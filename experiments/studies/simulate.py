"""A motion with its files: a table that grows step by step, figures, and what it took."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from meshsim.algorithms.motion.pace import Pace, simulate
from meshsim.algorithms.motion.profiles import Driving, Profile
from meshsim.algorithms.motion.stepping import DivergedError, Motion, Moved, Sample
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import GrowingTable, whole_file, write_csv
from meshsim.experiments.store.progress import Progress
from meshsim.machine import Machine

TABLE, TIMES, SUMMARY = "motion.csv", "steps.csv", "motion.json"
PICTURES = ("positions.png", "torques.png", "skeleton.png", "errors.png", "hydraulics.png")
LOST = 1.0
"""How far a joint may be from its profile, in rad or m, before the motion is called diverged."""
FRAMES = 6
"""Skeletons in a strip, unless times are chosen."""


class Recorder:
    """Writes a row for each joint as soon as a step is known of all joints; what was written stays if work ends."""

    def __init__(self, path: Path, motion: Motion, wanted: Profile | None) -> None:
        self.motion = motion
        self.wanted = wanted
        self.joints = motion.mechanism.joints
        self.waiting: dict[int, dict[int, Sample]] = {}
        self.written = 0
        self.progress = Progress("steps", motion.steps + 1)
        header = ["t", "joint", "q", "qd", "qdd", "tau"]
        header += ["wanted", "error"] if wanted else []
        header += ["p_in", "p_out", "spool"] if motion.actuators else []
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
            self._write(step, self.waiting.pop(step))

    def _write(self, step: int, samples: Mapping[int, Sample]) -> None:
        t = step * self.motion.h
        goal = self.wanted.q(t).tolist() if self.wanted else []
        rows = []
        for joint, name in enumerate(self.joints):
            sample = samples[joint]
            row: list[Any] = [f"{t:.12g}", name, sample.q, sample.qd, sample.qdd, sample.tau]
            row += [goal[joint], goal[joint] - sample.q] if goal else []
            row += [*sample.pressures, sample.command] if sample.pressures else []
            rows.append(row)
        self.table.add(rows)
        self.written = step + 1
        self.progress.advance()
        for joint, name in enumerate(self.joints):
            if goal and not abs(goal[joint] - samples[joint].q) <= LOST:
                raise DivergedError(
                    f"the motion diverged: joint {name!r} is more than {LOST:g} rad (or m) from its profile at "
                    f"t = {t:g} s; a smaller step than {self.motion.h:g} s may help"
                )


@dataclass(frozen=True)
class MotionReport:
    """A motion, who computed it and how long that took."""

    scheme: Scheme
    machine: Machine
    motion: Motion
    moved: Moved
    pace: Pace
    wanted: Array | None
    processors: int

    @property
    def title(self) -> str:
        """Who moved what, where."""
        return f"{self.scheme.name}: {self.motion.mechanism.name} on {self.machine.name}, h = {self.motion.h:g} s"

    def as_json(self) -> Mapping[str, Any]:
        """The object that `--json` prints, and that goes into the folder."""
        motion, machine = self.motion, self.machine
        ends = self.pace.ends(motion.steps)
        return {
            "scheme": self.scheme.name,
            "robot": motion.mechanism.name,
            "machine": machine.name,
            "processors": self.processors,
            "joints": list(motion.mechanism.joints),
            "step_s": motion.h,
            "steps": motion.steps,
            "order": motion.order,
            "steps_simulated": len(self.pace.laps),
            "steady": len(self.pace.laps) < motion.steps,
            "ticks_per_step": self.pace.step,
            "us_per_step": machine.microseconds(1) * self.pace.step,
            "us_per_evaluation": machine.microseconds(1) * self.pace.step / motion.order,
            "ticks": ends[-1],
            "time_us": machine.microseconds(ends[-1]),
            "real_time": machine.microseconds(1) * self.pace.step <= 1e6 * motion.h,
            "final": {"q": self.moved.q[-1].tolist(), "qd": self.moved.qd[-1].tolist()},
            "largest_error": None if self.wanted is None else np.abs(self.wanted - self.moved.q).max(axis=0).tolist(),
        }

    def as_text(self) -> str:
        """What people read."""
        motion, machine = self.motion, self.machine
        micro = machine.microseconds(1) * self.pace.step
        lines = [self.title, ""]
        heads = ("joint", "at the end", "rate", *(("largest error",) if self.wanted is not None else ()))
        width = max(12, *(len(joint) + 2 for joint in motion.mechanism.joints))
        lines.append(f"{heads[0]:<{width}}" + "".join(f"{head:>16}" for head in heads[1:]))
        for i, joint in enumerate(motion.mechanism.joints):
            values = [self.moved.q[-1, i], self.moved.qd[-1, i]]
            if self.wanted is not None:
                values.append(np.abs(self.wanted - self.moved.q)[:, i].max())
            lines.append(f"{joint:<{width}}" + "".join(f"{value:>16.6g}" for value in values))
        lines += [
            "(rad and rad/s; m and m/s for joints that slide)",
            "",
            f"{motion.steps} steps of {motion.h:g} s, {motion.order} evaluations each, on {self.processors} "
            f"processor{'s' if self.processors > 1 else ''}",
            f"a step takes {micro:.1f} us ({micro / motion.order:.1f} us an evaluation); "
            f"real time allows {1e6 * motion.h:.0f} us: {'in real time' if micro <= 1e6 * motion.h else 'too slow'}, "
            f"by a factor of {max(1e6 * motion.h / micro, micro / (1e6 * motion.h)) if micro else 0.0:.2f}",
            self.timing,
        ]
        return "\n".join(lines)

    @property
    def timing(self) -> str:
        """How the times were found."""
        simulated = len(self.pace.laps)
        if simulated < self.motion.steps:
            return (
                f"timing: {simulated} steps were simulated message by message, and took {self.pace.period} ticks each "
                f"at last; the other {self.motion.steps - simulated} are taken to last as long; their numbers were "
                "computed all the same"
            )
        return f"timing: every message of all {simulated} steps was simulated"


def run_motion(
    scheme: Scheme,
    options: Mapping[str, str],
    machine: Machine,
    motion: Motion,
    driving: Driving,
    timing: str,
    folder: Path,
) -> MotionReport:
    """Simulate a motion and write its table as it goes."""
    forward_dynamics(motion.mechanism, motion.state)  # which refuses a start without a way to move, by name
    evaluation = scheme.evaluation(motion.mechanism, **options)
    for name in (TIMES, SUMMARY, *PICTURES):  # which may be of another motion
        (folder / name).unlink(missing_ok=True)
    with Recorder(folder / TABLE, motion, driving.wanted) as recorder:
        try:
            moved, pace = simulate(evaluation, motion, machine, timing, recorder.watch)
        except (KeyboardInterrupt, MeshSimError) as error:
            kept = f"what was computed, up to t = {(recorder.written - 1) * motion.h:g} s, is in {folder / TABLE}"
            if isinstance(error, DivergedError) and recorder.written:
                raise DivergedError(f"{error}; {kept}") from None
            if isinstance(error, KeyboardInterrupt) and recorder.written:
                raise KeyboardInterrupt(kept) from None
            raise
    wanted = np.array([driving.wanted.q(t) for t in moved.t]) if driving.wanted else None
    processors = len(evaluation.topology) + (motion.control is not None and len(evaluation.homes) > 1)
    return MotionReport(scheme, machine, motion, moved, pace, wanted, processors)


def write_motion(report: MotionReport, folder: Path, times: Sequence[float]) -> list[Path]:
    """Write everything but the table, which is there already; returns the files."""
    from meshsim.experiments.figures import motion as figures

    motion, moved, title = report.motion, report.moved, report.title
    mechanism = motion.mechanism
    ends = report.pace.ends(motion.steps)
    rows = [
        (i, (i + 1) * motion.h, end, "simulated" if i < len(report.pace.laps) else "steady")
        for i, end in enumerate(ends)
    ]
    write_csv(folder / TIMES, ("step", "t", "ends_at_tick", "timing"), rows)
    with whole_file(folder / SUMMARY) as temporary:
        temporary.write_text(json.dumps(report.as_json(), indent=2) + "\n", encoding="utf-8")
    positions, torques, strip, errors, hydraulics = (folder / name for name in PICTURES)
    files = [folder / TABLE, folder / TIMES, folder / SUMMARY, positions, strip]
    figures.draw_positions(mechanism, moved, title, positions, report.wanted)
    chosen = times or np.linspace(0.0, moved.t[-1], FRAMES).tolist()
    figures.draw_strip(mechanism, moved, chosen, title, strip)
    if moved.tau[:-1].any():  # in free fall there is nothing to see
        files.append(torques)
        figures.draw_torques(mechanism, moved, title, torques)
    if report.wanted is not None:
        files.append(errors)
        figures.draw_errors(mechanism, moved, report.wanted, f"{title}: wanted less actual", errors)
    if moved.pressures is not None:
        files.append(hydraulics)
        figures.draw_hydraulics(mechanism, moved, title, hydraulics)
    return files
