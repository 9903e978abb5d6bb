"""A closed mechanism on the mesh: one evaluation, when each of its phases ends, and what one processor takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from meshsim.algorithms.reference.dense import relative_error
from meshsim.algorithms.reference.loops import forward_dynamics
from meshsim.algorithms.robots.closure import consistent_rates
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.loops.mesh_loops import NAME, mesh_loops_plan, mesh_options
from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.algorithms.schemes.loops.methods import METHODS
from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.studies.loops import Case
from meshsim.machine import Machine
from meshsim.outcome import Run

PHASES = {
    "G": "G, on the host",
    "loops": "loops: G' q' as well",
    "inertia": "inertia",
    "force": "force",
    "fold": "fold",
    "solve": "solve",
    "accelerations": "accelerations",
}
ALONE = ("projection", "multipliers")
"""Methods on one processor that it is held against."""


@dataclass(frozen=True, eq=False)
class MeshState:
    """A closed mechanism in a state, torques included."""

    mechanism: Mechanism
    q: Array
    qd: Array
    tau: Sequence[float]

    def error(self, qdd: Array) -> float:
        """How far accelerations are from a dense solution's."""
        return relative_error(qdd, forward_dynamics(self.mechanism, self.q, self.qd, self.tau)[0])


def moving_state(mechanism: Mechanism, q: Array) -> MeshState:
    """A state in which all that an evaluation computes matters: actuated joints at 1 rad/s or m/s, and driven."""
    driven = set(mechanism.actuated)
    qd = consistent_rates(mechanism, q, [1.0] * len(mechanism.actuated))
    return MeshState(mechanism, q, qd, [1.0 if joint in driven else 0.0 for joint in range(mechanism.n)])


def ends_of(run: Run[Any]) -> dict[str, float]:
    """When each phase ended, in us."""
    return {phase: run.machine.microseconds(run.phases[phase]) for phase in PHASES if phase in run.phases}


def alone_us(state: MeshState, machine: Machine) -> dict[str, float]:
    """What an evaluation by other methods takes on one processor, in us."""
    found = {}
    for name in ALONE:
        case = Case(METHODS[name], Settings(), "one", state.mechanism, state.q, state.qd, state.tau)
        found[name] = machine.microseconds(case.plan().run(machine, trace=False).ticks)
    return found


@dataclass(frozen=True, eq=False)
class MeshReport:
    """One evaluation on the mesh."""

    state: MeshState
    options: Mapping[str, str]
    run: Run[Array]
    alone: Mapping[str, float]

    def as_json(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        run, state = self.run, self.state
        return {
            "method": NAME,
            "robot": state.mechanism.name,
            "machine": run.machine.name,
            "options": dict(self.options),
            "processors": run.processors,
            "ticks": run.ticks,
            "time_us": run.machine.microseconds(run.ticks),
            "phases_us": ends_of(run),
            "one_processor_us": dict(self.alone),
            "messages": run.messages,
            "words": run.words,
            "operations": dict(run.operations),
            "joints": list(state.mechanism.joints),
            "actuated": [state.mechanism.joints[j] for j in state.mechanism.actuated],
            "q": state.q.tolist(),
            "qd": state.qd.tolist(),
            "qdd": run.value.tolist(),
            "error": state.error(run.value),
        }

    def as_text(self) -> str:
        """What people read."""
        run, mechanism, machine = self.run, self.state.mechanism, self.run.machine
        lines = [
            f"{NAME}, {self.options['variant']}: {mechanism.name} on {machine.name}, {run.processors} processors",
            "",
        ]
        width = max(12, *(len(joint) + 2 for joint in mechanism.joints))
        lines.append(f"{'joint':<{width}}{'position':>14}{'rate':>14}{'acceleration':>14}")
        driven = {mechanism.joints[j] for j in mechanism.actuated}
        for joint, *values in zip(mechanism.joints, self.state.q, self.state.qd, run.value, strict=True):
            mark = "*" if joint in driven else ""
            lines.append(f"{joint + mark:<{width}}" + "".join(f"{value:>14.6g}" for value in values))
        lines += ["(rad, m; *: actuated)", "", f"{'phase':<26}{'ends at, us':>14}"]
        lines += [f"{PHASES[phase]:<26}{us:>14.1f}" for phase, us in ends_of(run).items()]
        alone = ", ".join(f"{name} {us:.1f} us" for name, us in self.alone.items())
        lines += [
            "",
            f"an evaluation takes {machine.microseconds(run.ticks):.1f} us; on one processor: {alone}",
            f"{run.messages} messages, {run.words} words",
            f"largest difference from a dense solver: {self.state.error(run.value):.1e} (relative where it exceeds 1)",
        ]
        return "\n".join(lines)


def evaluate_mesh(state: MeshState, options: Mapping[str, str], machine: Machine) -> MeshReport:
    """Run one evaluation, and other methods on one processor."""
    chosen = mesh_options(options)
    plan = mesh_loops_plan(state.mechanism, state.q, state.qd, np.array(state.tau), **options)
    return MeshReport(state, chosen, plan.run(machine, trace=False), alone_us(state, machine))
