"""One evaluation of mechanisms with loops on the mesh, when each of its phases ends, and what one processor takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, assembled
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.schemes.loops.mesh_loops import MESH_LOOPS
from meshsim.machine import Machine
from meshsim.outcome import Run

PHASES = ("G", "loops", "inertia", "force", "fold", "solve", "accelerations")
ALONE = ("projection", "multipliers")
"""Schemes on one processor that the mesh is held against."""


@dataclass(frozen=True, eq=False)
class Evaluated:
    """A run on the mesh, how far it is from a dense solver, and what others take on one processor, in us."""

    run: Run[Dynamics]
    error: float
    alone: Mapping[str, float]


def moving_state(mechanism: Mechanism) -> State:
    """A state in which no term of an evaluation vanishes: actuated joints at 1 rad/s or m/s, and driven."""
    driven = set(mechanism.actuated)
    tau = [1.0 if joint in driven else 0.0 for joint in range(mechanism.n)]
    return assembled(mechanism, mechanism.guess, [1.0] * len(driven), tau)


def evaluate(mechanism: Mechanism, variant: str, machine: Machine) -> Evaluated:
    """Run one evaluation, and other schemes on one processor."""
    state = moving_state(mechanism)
    evaluation = MESH_LOOPS.evaluation(mechanism, variant=variant)
    run = evaluation.plan(state).run(machine, trace=False)
    alone = {
        name: machine.microseconds(load_scheme(name).plan(mechanism, state).run(machine, trace=False).ticks)
        for name in ALONE
    }
    return Evaluated(run, run.value.errors(evaluation.reference(state))["qdd"], alone)


def ends_of(run: Run[Any]) -> dict[str, float]:
    """When each phase ended, in us."""
    return {phase: run.machine.microseconds(run.phases[phase]) for phase in PHASES if phase in run.phases}
