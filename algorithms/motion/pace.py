"""How long the steps of a motion take, and the motion's numbers: every message simulated, or timed by a steady step.

Each step does the same work whatever the numbers. If all processors end three steps in a row just one period after the
last, they always will, because a step depends only on itself and the step before; where programs share processors or
links, the order in which they do so is taken to repeat with them. The numbers of the rest are
computed all the same, by the same kernels on the same numbers (`written.py`).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from meshsim.algorithms.motion.adaptive import adaptive
from meshsim.algorithms.motion.motion import Motion, Moved, Watch
from meshsim.algorithms.motion.sites import check_stepping, moving_sites
from meshsim.algorithms.motion.stepping import laps_of, moving_cells
from meshsim.algorithms.motion.written import cells_of, computed
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.schemes.base.evaluation import Evaluation
from meshsim.algorithms.schemes.loops.method import SiteEvaluation
from meshsim.errors import MeshSimError
from meshsim.machine import Machine
from meshsim.placed import Placed
from meshsim.plan import Plan

TIMINGS = ("steady", "every")
WARM = 8
"""Steps that are simulated before one is called steady."""
ALIKE = 3
"""How many periods in a row must be alike on all processors."""
UNLIKE = "the arithmetic written out must give the numbers that were simulated, and does not"


@dataclass(frozen=True)
class Pace:
    """When steps end, by the last processor, in ticks.

    Attributes
    ----------
    laps : sequence of int
        Of the steps that were simulated.
    period : int or None
        What every further step takes, if it was found to be always the same.
    latency : int
        From the first processor's beginning to the last one's end of the last step simulated.
    """

    laps: Sequence[int]
    period: int | None
    latency: int

    @property
    def step(self) -> float:
        """Ticks that a step takes in the long run."""
        if self.period is not None:
            return self.period
        return (self.laps[-1] - self.laps[0]) / (len(self.laps) - 1) if len(self.laps) > 1 else self.laps[0]

    def ends(self, steps: int) -> list[int]:
        """When each of so many steps ends."""
        more = steps - len(self.laps)
        if more <= 0:
            return list(self.laps[:steps])
        if self.period is None:
            raise MeshSimError(f"{more} of {steps} steps were not simulated, and there is no steady one")
        return [*self.laps, *(self.laps[-1] + self.period * count for count in range(1, more + 1))]


def pace_of(ends: Mapping[Hashable, Sequence[int]]) -> Pace:
    """The pace of a motion whose processors ended their steps at some ticks."""
    laps = np.array(list(ends.values()))
    steps = np.diff(laps, axis=1)[:, -ALIKE:]
    steady = steps.shape[1] == ALIKE and (steps == steps[0, 0]).all()
    begun = laps[:, -2].min() if laps.shape[1] > 1 else 0
    return Pace(laps.max(axis=0).tolist(), int(steps[0, 0]) if steady else None, int(laps[:, -1].max() - begun))


def moving(
    evaluation: Evaluation, motion: Motion, watch: Watch | None = None, placement: Placed | None = None
) -> Plan[Moved]:
    """The plan of a motion: every message of every step.

    Parameters
    ----------
    evaluation : Evaluation
        How a scheme evaluates the robot's dynamics.
    motion : Motion
        What to simulate.
    watch : Watch, optional
        Called for every sample as it is computed.
    placement : Placed, optional
        Where its programs run, if not on their own network.
    """
    return replace(_moving(evaluation, motion, watch), placement=placement)


def _moving(evaluation: Evaluation, motion: Motion, watch: Watch | None) -> Plan[Moved]:
    if isinstance(evaluation, SiteEvaluation):
        return moving_sites(evaluation, motion, watch, *(() if motion.h is not None else (adaptive,)))
    tree = cells_of(evaluation)
    if motion.h is None:
        raise MeshSimError(
            "adaptive steps of a tree must be left to one processor, not shared among the homes of joints"
        )
    return moving_cells(tree, motion, watch)


def beginning(evaluation: Evaluation, motion: Motion) -> Plan[Dynamics]:
    """The plan of the first evaluation of a motion; with loops, feedback is part of it."""
    if isinstance(evaluation, SiteEvaluation):
        return evaluation.plan(motion.state, motion.efforts(motion.orders(0.0)))
    return evaluation.plan(motion.state)


def check_moving(evaluation: Evaluation, motion: Motion) -> None:
    """Refuse an evaluation that has no states to integrate, or that cannot be stepped so."""
    if isinstance(evaluation, SiteEvaluation):
        check_stepping(evaluation, motion)
    else:
        cells_of(evaluation)


def steady_pace(
    evaluation: Evaluation, motion: Motion, machine: Machine, placement: Placed | None = None
) -> tuple[Pace, Moved]:
    """Simulate the first steps of a motion, every message."""
    first = replace(motion, steps=min(motion.steps, WARM))
    run = moving(evaluation, first, placement=placement).run(machine, trace=False)
    return pace_of(laps_of(run)), run.value


def simulate(
    evaluation: Evaluation,
    motion: Motion,
    machine: Machine,
    timing: str = "steady",
    watch: Watch | None = None,
    placement: Placed | None = None,
) -> tuple[Moved, Pace | None]:
    """Simulate a motion on a machine.

    Parameters
    ----------
    evaluation : Evaluation
        How a scheme evaluates the dynamics of the motion's robot.
    motion : Motion
        What to simulate.
    machine : Machine
        What operations and words cost.
    timing : str
        ``every``: every message of every step. ``steady``: only until a step repeats exactly; if none does, every one.
    watch : Watch, optional
        Called for every sample as it is computed.
    placement : Placed, optional
        Where its programs run, if not on their own network: only times differ.

    Returns
    -------
    moved : Moved
        The motion.
    pace : Pace or None
        How long its steps take; None of adaptive steps, which are not timed one by one.
    """
    if timing not in TIMINGS:
        raise MeshSimError(f"timing must be {' or '.join(TIMINGS)}, not {timing!r}")
    if isinstance(evaluation, SiteEvaluation):
        return _simulate_loops(evaluation, motion, machine, timing, watch, placement)
    if motion.h is None:
        return computed(evaluation, motion, watch), None
    if timing == "steady" and motion.steps > WARM:
        pace, first = steady_pace(evaluation, motion, machine, placement)
        if pace.period is not None:
            moved = computed(evaluation, motion, watch)
            if not np.array_equal(first.q[:-1], moved.q[:WARM]):
                raise MeshSimError(UNLIKE)
            return moved, pace
    run = moving(evaluation, motion, watch, placement).run(machine, trace=False)
    return run.value, pace_of(laps_of(run))


def _simulate_loops(
    evaluation: SiteEvaluation,
    motion: Motion,
    machine: Machine,
    timing: str,
    watch: Watch | None,
    placement: Placed | None,
) -> tuple[Moved, Pace | None]:
    """With loops, whether they still determine the motion, and which rates are independent, is judged between steps.

    That is done off the machine, so that the numbers of all steps are those of the sites' arithmetic, written out.
    """
    check_stepping(evaluation, motion)
    moved = computed(evaluation, motion, watch)
    if motion.h is None:
        return moved, None
    pace = None
    if timing == "steady":
        pace, first = steady_pace(evaluation, motion, machine, placement)
    if pace is None or (pace.period is None and motion.steps > WARM):
        run = moving(evaluation, motion, placement=placement).run(machine, trace=False)
        pace, first = pace_of(laps_of(run)), run.value
    same = first.t < min(moved.restarts, default=np.inf)
    if not np.array_equal(first.q[same], moved.q[: len(same)][same]):
        raise MeshSimError(UNLIKE)
    return moved, pace
