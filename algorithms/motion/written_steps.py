"""Trees written out: an evaluation as one function, and where torques are known by time alone, a whole fixed step."""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import numpy as np

from meshsim.algorithms.motion.integration import HALVES
from meshsim.algorithms.motion.motion import Motion, Moved, Sample, TorquesByTime, Watch
from meshsim.algorithms.motion.stepping import moving_cells
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.base.effort import Effort
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation, kept_by
from meshsim.counted import Kernel
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps
from meshsim.simulation import NOWHERE, Simulation
from meshsim.tape import Tape
from meshsim.topologies.pipeline import pipeline

AHEAD = 512
"""Steps whose torques are computed together."""


def accelerations(found: CellEvaluation, calls: int = 0) -> Tape:
    """Positions, rates and torques of a tree's joints to accelerations, written out, for so many calls."""
    free = found.mechanism.freedoms
    n = len(free)

    def plan(values: Sequence[float]) -> Plan[Sequence[float]]:
        made = found.plan(State(tuple(values[:n]), tuple(values[n : 2 * n]), tuple(values[2 * n :])))
        return Plan(made.topology, made.programs, read)

    def read(results: Mapping[Hashable, Any]) -> list[float]:
        qdd = dict[int, float]()
        for home in found.homes:
            joints = [joint for joint in found.cells[home].joints if joint in free]
            qdd.update(zip(joints, found.accelerations(results[home]), strict=True))
        return [qdd[joint] for joint in free]

    return Tape(plan, calls=calls)


def written_out(found: CellEvaluation, calls: int = 0) -> CellEvaluation:
    """The same numbers on one processor whose times mean nothing: the evaluation's arithmetic as one function."""
    mechanism = found.mechanism
    function: Kernel[*tuple[Any, ...], tuple[float, ...]] = Kernel(accelerations(found, calls).outputs, {})

    def program(cpu: Cpu, *local_bodies: LocalBody) -> Steps[list[float]]:
        moving_links = [local_bodies[joint] for joint in mechanism.freedoms]
        values = [value for name in ("q", "qd", "tau") for value in map(attrgetter(name), moving_links)]
        found: tuple[float, ...] = cpu.do(function, *values)
        return list(found)
        yield  # a program is a generator, even one that meets nobody

    cell = Cell(program, tuple(range(mechanism.n)))
    return CellEvaluation(mechanism, pipeline(1), {1: cell}, found.read, (1,), list, (), kept_by(1))


@dataclass(frozen=True)
class OneStep(Motion):
    """A step of a motion, from its state there, with what drives each joint at each of its times."""

    number: int = 0
    given: Mapping[float, Sequence[Effort]] = field(default_factory=dict)

    def time(self, step: int, half: int = 0) -> float:
        """As it is in the whole motion."""
        return super().time(self.number + step, half)

    def effort(self, joint: int, t: float, _q: float, _qd: float) -> Effort:
        """What was given."""
        return self.given[t][joint]


class WholeSteps:
    """Fixed steps of a tree whose torques are known by time, each as one function of the state and what drives it.

    What the function says is what the programs of a motion do in one step of an evaluation that is written out.
    """

    def __init__(self, found: CellEvaluation, motion: Motion, by_time: TorquesByTime) -> None:
        self.tree, self.motion, self.n = written_out(found), motion, len(motion.mechanism.joints)
        self.by_time = by_time
        self.halves = sorted(set(HALVES[motion.order]))
        self.orders: dict[int, list[float]] = {}  # what drives the joints, by halves of a step from the beginning
        self.number = 0
        self.tape = Tape(self._plan, calls=motion.steps)

    def moved(self, watch: Watch | None = None) -> Moved:
        """All steps."""
        motion, n = self.motion, self.n
        assert motion.h is not None
        rows = np.full((motion.steps + 1, 4 * n), np.nan)  # of q, qd, qdd and tau
        y = [*motion.state.q, *motion.state.qd]
        for self.number in range(motion.steps):
            values = self.values(y)
            try:
                found = self.tape(values)
            except MeshSimError:
                told = self._plan(values, watch and self._numbered(watch))
                told.answer(Simulation(NOWHERE))  # as far as the step goes
                raise
            rows[self.number] = row = y + found[2 * n :]
            if watch is not None:
                t = motion.time(self.number)
                for joint in range(n):
                    q, qd, qdd, tau = row[joint::n]
                    watch(self.number, joint, Sample(t, q, qd, qdd, tau))
            y = found[: 2 * n]
        rows[-1, : 2 * n] = y
        if watch is not None:
            for joint in range(n):
                watch(motion.steps, joint, Sample(motion.time(motion.steps), y[joint], y[n + joint]))
        times = np.arange(len(rows), dtype=np.float64) * motion.h
        first, second, third, fourth = (rows[:, at : at + n].copy() for at in range(0, 4 * n, n))
        return Moved(times, first, second, third, fourth, evaluations=motion.evaluations)

    def values(self, y: Sequence[float]) -> list[float]:
        """What the step that it has come to is a function of: the state, and what drives the joints at its times."""
        if self.number % AHEAD == 0:
            self._look_ahead()
        orders = [order for half in self.halves for order in self.orders[2 * self.number + half]]
        if not math.isfinite(sum(orders)):
            for half in self.halves:
                for joint in range(self.n):  # who refuses it, if it is not meant to be so
                    self.motion.torque(joint, self.motion.time(self.number, half), math.nan, math.nan)
        return [*y, *orders]

    def _look_ahead(self) -> None:
        """What drives the joints in the next steps."""
        steps = range(self.number, min(self.number + AHEAD, self.motion.steps))
        halves = sorted({2 * step + half for step in steps for half in self.halves})
        times = [self.motion.time(0, half) for half in halves]
        told = map(self._told_at, times, self.by_time(times).tolist())
        self.orders = dict(zip(halves, told, strict=True))

    def _told_at(self, t: float, torques: list[float]) -> list[float]:
        """Torques, each with what feedback wants of the joint, if there is any."""
        if self.motion.feedback is None:
            return torques
        q, qd = self.motion.feedback.wanted(t)
        return [number for each in zip(torques, q.tolist(), qd.tolist(), strict=True) for number in each]

    def _plan(self, values: Sequence[float], watch: Watch | None = None) -> Plan[Sequence[float]]:
        """The programs of the step."""
        motion, n = self.motion, self.n
        orders = iter(values[2 * n :])
        given = {motion.time(self.number, half): [self._effort(orders) for _ in range(n)] for half in self.halves}
        state = State(tuple(values[:n]), tuple(values[n : 2 * n]), motion.state.tau)
        step = OneStep(**{**vars(motion), "state": state, "steps": 1, "number": self.number, "given": given})
        made = moving_cells(self.tree, step, watch)

        def read(results: Mapping[Hashable, Any]) -> list[float]:
            ((begin, end),) = results.values()
            wanted = ((end, "q"), (end, "qd"), (begin, "qdd"), (begin, "tau"))
            return [getattr(sample, name) for samples, name in wanted for sample in samples]

        return Plan(made.topology, made.programs, read)

    def _numbered(self, watch: Watch) -> Watch:
        """Who watches, told the number of the step in the whole motion."""
        return lambda _, joint, sample: watch(self.number, joint, sample)

    def _effort(self, orders: Iterator[float]) -> Effort:
        """What drives a joint, from the numbers."""
        gains = self.motion.feedback
        return next(orders) if gains is None else gains.effort(next(orders), next(orders), next(orders))
