"""One closed mechanism, one method, one machine: an evaluation with its times, and a motion with its files."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from meshsim.algorithms.motion.distributed import check_stepping, moving
from meshsim.algorithms.motion.drives import Driving
from meshsim.algorithms.motion.loop_stepping import History, Stepping, Task, integrate
from meshsim.algorithms.motion.stepping import laps_of
from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.dense import check_finite, relative_error
from meshsim.algorithms.reference.loops import forward_dynamics
from meshsim.algorithms.reference.newton_euler import bias_force
from meshsim.algorithms.robots.closure import loops
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.loops.method import Method, Place, Settings, collect, evaluation
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import GrowingTable, whole_file
from meshsim.experiments.store.progress import Progress, tell
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.plan import Plan

TABLE, SUMMARY = "motion.csv", "motion.json"
FIGURES = "motion.png", "skeleton.png"
WARM = 4
"""Fixed steps that are simulated message by message, to time them."""


@dataclass(frozen=True, eq=False)
class Case:
    """A method on a network, for a mechanism in a state."""

    method: Method
    settings: Settings
    network: str
    mechanism: Mechanism
    q: Array
    qd: Array
    tau: Sequence[float]

    @property
    def places(self) -> list[Place]:
        """What each processor knows."""
        return self.method.places(self.mechanism, self.network, self.settings, self.q)

    def plan(self) -> Plan[list[list[float]]]:
        """The plan of one evaluation."""
        places = self.places
        states = self.method.begin(places, self.q, self.qd)
        return evaluation(self.method, places, states, self.method.torques(places, list(self.tau)))

    @property
    def label(self) -> str:
        """What tells it from others."""
        words = [self.method.name]
        words += [self.settings.technique] if self.method.name == "projection" else []
        words += [self.network]
        words += [self.settings.distribution] if self.network != "one" else []
        return ", ".join(words)

    def reference(self) -> Array:
        """Accelerations by a dense solution: of the free chains and their springs, or of the closed mechanism."""
        tau = np.array(self.tau)
        if self.method.name != "penalty":
            sigma = self.settings.sigma if self.method.name == "projection" else 0.0
            return forward_dynamics(self.mechanism, self.q, self.qd, tau, sigma)[0]
        now = loops(self.mechanism, self.q, self.qd)
        forces = self.settings.k * now.c + self.settings.d * (now.A @ self.qd)
        M, h = inertia_matrix(self.mechanism, self.q), bias_force(self.mechanism, self.q, self.qd)
        return np.array(np.linalg.solve(M, tau - h - now.A.T @ forces))

    def error(self, rates: Sequence[Sequence[float]]) -> float:
        """How far rates of the sites' states are from what a dense solution makes of them."""
        places = self.places
        expected = self.method.begin(places, self.qd, self.reference())
        return relative_error(_joined(self.method, places, rates), _joined(self.method, places, expected))


def _joined(method: Method, places: Sequence[Place], states: Sequence[Sequence[float]]) -> Array:
    """The states of all sites as those of one; shares of the same rates are summed up."""
    ns = [place.joints for place in places]
    positions = collect(places, [state[:n] for state, n in zip(states, ns, strict=True)])
    rest = [np.array(state[n:]) for state, n in zip(states, ns, strict=True) if len(state) > n]
    if method.shares_rates:
        full = places[0].settings.distribution == "full"
        return np.concatenate([positions, np.sum(rest, axis=0) if full else rest[0]])
    return np.concatenate([positions, *rest])


def exchanges(run: Run[Any]) -> int:
    """How often processors waited for one another's numbers in an evaluation."""
    return sum(phase.startswith("exchange") for phase in run.phases) if run.messages else 0


@dataclass(frozen=True, eq=False)
class EvaluationReport:
    """One evaluation: what it computed and how long it took."""

    case: Case
    run: Run[list[list[float]]]
    alone: int

    @property
    def title(self) -> str:
        """Who computed what, where."""
        return f"{self.case.label}: {self.case.mechanism.name} on {self.run.machine.name}"

    def as_json(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        run, case = self.run, self.case
        return {
            "method": case.method.name,
            "robot": case.mechanism.name,
            "machine": run.machine.name,
            "network": case.network,
            "distribution": case.settings.distribution if case.network != "one" else None,
            "settings": {"k": case.settings.k, "d": case.settings.d, "sigma": case.settings.sigma},
            "processors": run.processors,
            "ticks": run.ticks,
            "time_us": run.machine.microseconds(run.ticks),
            "one_processor_us": run.machine.microseconds(self.alone),
            "exchanges": exchanges(run),
            "messages": run.messages,
            "words": run.words,
            "operations": dict(run.operations),
            "joints": list(case.mechanism.joints),
            "actuated": [case.mechanism.joints[j] for j in case.mechanism.actuated],
            "q": case.q.tolist(),
            "qd": case.qd.tolist(),
            "qdd": case.reference().tolist(),
            "error": case.error(run.value),
        }

    def as_text(self) -> str:
        """What people read."""
        run, case = self.run, self.case
        us, alone = run.machine.microseconds(run.ticks), run.machine.microseconds(self.alone)
        many = run.processors > 1
        lines = [f"{self.title}, {run.processors} processor{'s' if many else ''}", ""]
        width = max(12, *(len(joint) + 2 for joint in case.mechanism.joints))
        lines.append(f"{'joint':<{width}}{'position':>14}{'rate':>14}{'acceleration':>14}")
        driven = {case.mechanism.joints[j] for j in case.mechanism.actuated}
        for joint, *values in zip(case.mechanism.joints, case.q, case.qd, case.reference(), strict=True):
            mark = "*" if joint in driven else ""
            lines.append(f"{joint + mark:<{width}}" + "".join(f"{value:>14.6g}" for value in values))
        lines += ["(rad, m; *: actuated)", ""]
        lines.append(f"an evaluation takes {us:.1f} us" + (f"; on one processor {alone:.1f} us" if many else ""))
        if many:
            gain = f"{alone / us:.2f} times as fast" if us else "no time at all"
            lines.append(f"{gain}; {exchanges(run)} exchanges, {run.messages} messages, {run.words} words")
        lines.append(
            f"largest difference from a dense solver: {case.error(run.value):.1e} (relative where it exceeds 1)"
        )
        return "\n".join(lines)


def evaluate(case: Case, machine: Machine) -> EvaluationReport:
    """Run one evaluation, and the same on one processor."""
    with np.errstate(all="ignore"):
        check_finite(f"of {case.mechanism.name!r} in this state", qdd=case.reference())
    run = case.plan().run(machine)
    alone = run if case.network == "one" else replace(case, network="one").plan().run(machine, trace=False)
    return EvaluationReport(case, run, alone.ticks)


class Recorder:
    """Writes a row for each joint at each step's end; what was written stays if work ends."""

    def __init__(self, table: GrowingTable, mechanism: Mechanism, duration: float) -> None:
        self.table = table
        self.joints = mechanism.joints
        self.duration = duration
        self.progress = Progress("motion, percent", 100)
        self.last = 0.0

    def watch(self, t: float, q: Array, qd: Array, error: float) -> None:
        """Take in a step."""
        joints = zip(self.joints, q.tolist(), qd.tolist(), strict=True)
        self.table.add([(f"{t:.12g}", joint, position, rate, error) for joint, position, rate in joints])
        self.last = t
        while self.progress.done < min(100, int(100 * t / self.duration + 1e-9)):
            self.progress.advance()


@dataclass(frozen=True, eq=False)
class MotionReport:
    """A motion of a closed mechanism, and what it took."""

    evaluation: EvaluationReport
    history: History
    stepping: Stepping
    wanted: Array | None
    step_us: float | None

    def as_json(self) -> Mapping[str, Any]:
        """The object that `--json` prints, and that goes into the folder."""
        _, q, qd, c = self.history.arrays()
        return {
            **self.evaluation.as_json(),
            "steps": len(self.history.t) - 1,
            "step_s": self.stepping.h,
            "rtol": None if self.stepping.h is not None else self.stepping.rtol,
            "evaluations": self.history.evaluations,
            "restarts": self.history.restarts,
            "largest_constraint_error": float(c.max()),
            "us_per_step": self.step_us,
            "final": {"q": q[-1].tolist(), "qd": qd[-1].tolist()},
            "largest_error": None if self.wanted is None else np.abs(self.wanted - q).max(axis=0).tolist(),
        }

    def as_text(self) -> str:
        """What people read."""
        report, history = self.evaluation, self.history
        _, q, qd, c = history.arrays()
        us = report.run.machine.microseconds(report.run.ticks)
        width = max(12, *(len(joint) + 2 for joint in report.case.mechanism.joints))
        errors = None if self.wanted is None else np.abs(self.wanted - q).max(axis=0)
        head = f"{'joint':<{width}}{'at the end':>14}{'rate':>14}" + (
            f"{'largest error':>16}" if errors is not None else ""
        )
        lines = [report.title, "", head]
        for i, joint in enumerate(report.case.mechanism.joints):
            more = f"{errors[i]:>16.3e}" if errors is not None else ""
            lines.append(f"{joint:<{width}}{q[-1, i]:>14.6g}{qd[-1, i]:>14.6g}{more}")
        how = f"steps of {self.stepping.h:g} s" if self.stepping.h else f"adaptive steps, rtol {self.stepping.rtol:g}"
        lines += [
            "(rad and rad/s; m and m/s for joints that slide)",
            "",
            f"{len(history.t) - 1} {how}, {history.evaluations} evaluations"
            + (f", independent rates chosen anew {len(history.restarts)} times" if history.restarts else ""),
            f"loops stay closed to {c.max():.2e} (m or rad)",
            f"an evaluation takes {us:.1f} us: {us * history.evaluations / 1e6:.3f} s for all, for "
            f"{history.t[-1]:g} s of motion",
        ]
        if self.step_us is not None and self.stepping.h is not None:
            keeps = self.step_us <= 1e6 * self.stepping.h
            lines.append(
                f"a step takes {self.step_us:.1f} us, its integration and messages included: "
                f"{'in real time' if keeps else 'too slow for real time'}"
            )
        if report.case.network != "one":
            lines.append(
                "numbers are those of one processor, which the network's equal to rounding; times are the network's"
            )
        return "\n".join(lines)


def run_motion(
    case: Case, machine: Machine, driving: Driving, duration: float, stepping: Stepping, folder: Path
) -> MotionReport:
    """Integrate a motion, and write its table as it goes."""
    task = Task(case.mechanism, case.q, case.qd, driving.drive, duration)
    check_stepping(case.method, case.places, stepping)
    if stepping.h is not None:
        stepping.steps(duration)
    report = evaluate(case, machine)
    path = folder / TABLE
    with GrowingTable(path, ("t", "joint", "q", "qd", "constraint_error")) as table:
        for name in (SUMMARY, *FIGURES):  # of another motion, if any
            (folder / name).unlink(missing_ok=True)
        recorder = Recorder(table, case.mechanism, duration)
        try:
            history = integrate(case.method, case.settings, task, stepping, recorder.watch)
        except (KeyboardInterrupt, MeshSimError) as error:
            if table.empty:
                raise
            kept = f"what was computed, up to t = {recorder.last:g} s, is in {path}"
            raise (KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else type(error))(
                f"{error}; {kept}" if str(error) else kept
            ) from None
    wanted = None
    if driving.wanted is not None:
        tell("what was wanted")
        driving.wanted.last = case.q
        wanted = np.array([driving.wanted(t)[0] for t in history.t])
    step_us = _step_us(case, machine, task, stepping)
    tell("")
    return MotionReport(report, history, stepping, wanted, step_us)


def _step_us(case: Case, machine: Machine, task: Task, stepping: Stepping) -> float | None:
    """How long a fixed step takes on the network, once the first ones are over."""
    if stepping.h is None:
        return None
    few = replace(task, duration=stepping.h * min(WARM, stepping.steps(task.duration)))
    run = moving(case.method, case.places, few, stepping).run(machine, trace=False)
    ends = np.array(list(laps_of(run).values())).max(axis=0)
    return machine.microseconds(1) * float(ends[-1] - ends[-2] if len(ends) > 1 else ends[-1])


def write_motion(report: MotionReport, folder: Path) -> list[Path]:
    """Write everything but the table, which is there already; returns the files."""
    from meshsim.experiments.figures.loops import draw_closed_motion, draw_closed_strip

    with whole_file(folder / SUMMARY) as temporary:
        temporary.write_text(json.dumps(report.as_json(), indent=2) + "\n", encoding="utf-8")
    files = [folder / name for name in FIGURES]
    mechanism, title = report.evaluation.case.mechanism, report.evaluation.title
    draw_closed_motion(mechanism, report.history, report.wanted, title, files[0])
    draw_closed_strip(mechanism, report.history, title, files[1])
    return [folder / TABLE, folder / SUMMARY, *files]
