"""One exchange a time step: how accurate it is, what it saves, and where it goes unstable.

`held` on a star, with a processor for each chain, against the same method on one processor, and against Euler's rule,
which also needs one exchange a step. What the documents leave open is chosen here: how long, and which dampers.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from meshsim.algorithms.motion.motion import Feedback, Motion, Torque, count_steps
from meshsim.algorithms.motion.pace import steady_pace
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.motion.written import LoopNumbers, computed, stepped
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import assemble
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.loops.method import Settings, SiteEvaluation
from meshsim.algorithms.schemes.loops.methods import METHODS
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.machine import Machine

LASTING = 1.0
"""Seconds after which errors are looked at."""
FINE = 2.5e-4
"""The step in seconds of what is taken as exact: by the classical rule its error is below 1e-12."""
GROWTH = 10.0
"""How fast a disturbance may grow before a step is called unstable, 1/s: twice as fast as the 3-RRR falls over."""
NUDGE = 1e-6
"""By which states are changed to linearise a step, in rad, m and 1/s of these."""
LEAST, MOST, CLOSE = 64.0, 1e9, 1.01
"""Between which gains a limit is looked for, and to which factor it is found."""


@dataclass(frozen=True)
class Case:
    """A robot by a method with its settings, where all is known to one processor."""

    robot: str
    method: str
    settings: Settings

    def evaluation(self, distribution: str | None = None) -> SiteEvaluation:
        """On one processor, or on a star in a distribution."""
        settings = self.settings if distribution is None else replace(self.settings, distribution=distribution)
        layout = "one" if distribution is None else "star"
        return SiteEvaluation(load_robot(self.robot), METHODS[self.method], settings, layout)

    def motion(self, h: float, order: int = 4, lasting: float = LASTING, feedback: Feedback | None = None) -> Motion:
        """From rest, by the robot's own torques."""
        mechanism, start, torque = _own(self.robot)
        return Motion(mechanism, start, h, count_steps(lasting, h), order, torque, feedback=feedback)


@cache
def _own(robot: str) -> tuple[Mechanism, State, Torque]:
    mechanism = load_robot(robot)
    still = (0.0,) * mechanism.n
    return mechanism, State(tuple(assemble(mechanism).tolist()), still, still), load_profile("own", mechanism).torque


@cache
def _exact(case: Case) -> Array:
    return np.array(computed(case.evaluation(), case.motion(FINE)).q[-1])


@cache
def error(case: Case, h: float, distribution: str | None = None, order: int = 4) -> float:
    """How far the worst joint is off, rad or m; infinite if the motion fails."""
    try:
        moved = computed(case.evaluation(distribution), case.motion(h, order))
    except MeshSimError:
        return math.inf
    return float(np.abs(moved.q[-1] - _exact(case)).max())


def step_us(case: Case, machine: Machine, distribution: str | None = None, order: int = 4) -> float:
    """How long a step takes on a machine."""
    pace, _ = steady_pace(case.evaluation(distribution), case.motion(1e-3, order, 1e-2), machine)
    return machine.microseconds(1) * pace.step


def growth(case: Case, h: float, distribution: str | None = None, feedback: Feedback | None = None) -> float:
    """How fast the fastest of small disturbances grows, 1/s: by one step, linearised where the motion begins."""
    motion = case.motion(h, lasting=h, feedback=feedback)
    numbers = LoopNumbers(case.evaluation(distribution), motion)
    y = numbers.start(np.array(motion.state.q), np.array(motion.state.qd))
    columns = [
        (stepped(numbers, 0, y + nudge) - stepped(numbers, 0, y - nudge)) / (2 * NUDGE)
        for nudge in NUDGE * np.eye(len(y))
    ]
    return float(np.log(np.abs(np.linalg.eigvals(np.array(columns).T)).max()) / h)


def largest(stable: Callable[[float], bool], low: float) -> float:
    """The largest gain up to which a step is stable, looked for in doublings from one that is low."""
    high = 2.0 * low
    while high < MOST and stable(high):
        low, high = high, 2.0 * high
    while high > CLOSE * low:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if stable(middle) else (low, middle)
    return low


def largest_stiffness(robot: str, h: float, damping: float, distribution: str | None = None) -> float:
    """Of springs with dampers of `damping` sqrt(k), N/m."""

    def stable(k: float) -> bool:
        springs = Case(robot, "penalty", Settings(k=k, d=damping * math.sqrt(k)))
        return growth(springs, h, distribution) < GROWTH

    return largest(stable, LEAST)


def largest_feedback(
    robot: str, h: float, ratio: float, feedback: Callable[[tuple[float, float]], Feedback], distribution: str | None
) -> float:
    """Of the feedback of angles by projection, with `ratio` times as much of their rates, N m/rad."""
    case = Case(robot, "projection", Settings())
    return largest(lambda gain: growth(case, h, distribution, feedback((gain, ratio * gain))) < GROWTH, LEAST)
