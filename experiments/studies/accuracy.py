"""How many evaluations an accuracy takes: schemes for loops move the same robot by the same torques for the same time.

Tolerances are tightened, or springs made stiffer, until its joints end within the goal of those of a reference. As many
evaluations as that took, each as long as one takes on a layout and machine, are the time to that accuracy.
"""

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.motion.profiles import OWN, load_profile
from meshsim.algorithms.motion.written import computed
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.experiments.store.journal import Row
from meshsim.reading import positive

ACCURACY = (
    "rtol", "k", "evaluations", "steps", "constraint_error", "joint_error", "goal_reached", "time_to_goal_ms",
)  # fmt: skip
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
STIFFNESSES = (1e3, 1e4, 1e5, 1e6, 1e7)
"""Of springs (N/m), with as much damping as 2 sqrt(k) (Khan sec. 4.1); their tolerance follows the goal."""
REFERENCE = "multipliers"


@dataclass(frozen=True)
class Goal:
    """A scheme on a robot with loops, and how far joints may be off (rad or m) after some seconds."""

    robot: str
    scheme: str
    options: tuple[tuple[str, str], ...]
    goal: float
    duration: float

    def __post_init__(self) -> None:
        for name in ("goal", "duration"):
            positive(name, getattr(self, name))

    @property
    def key(self) -> str:
        """What tells it from all others of a comparison."""
        return " ".join((self.robot, self.scheme, *(value for _, value in self.options), "to the goal"))


@cache
def _motion(robot: str, duration: float) -> Motion:
    mechanism = load_robot(robot)
    return load_profile(OWN, mechanism).motion(mechanism, None, duration)


@cache
def _end(robot: str, duration: float) -> Array:
    """Where the joints are at last, by the reference."""
    motion = replace(_motion(robot, duration), rtol=1e-11, atol=1e-13)
    end: Array = computed(load_scheme(REFERENCE).evaluation(motion.mechanism), motion).q[-1]
    return end


def study(goal: Goal) -> Row:
    """Tighten until the goal is reached: what was set, how often dynamics were evaluated, and how far off it was.

    A scheme that does not take the robot, or does not get to the end, says so in `refused`.
    """
    scheme, whole = load_scheme(goal.scheme), _motion(goal.robot, goal.duration)
    springs = "k" in scheme.options
    if springs:
        finest = max(1e-8, goal.goal * 1e-3)
        ladder = [(finest, 1e-9, {"k": repr(k), "d": repr(2 * math.sqrt(k))}) for k in STIFFNESSES]
    else:
        ladder = [(rtol, rtol * 1e-3, dict[str, str]()) for rtol in TOLERANCES]
    try:
        scheme.plan(whole.mechanism, whole.state, **dict(goal.options))
    except MeshSimError as error:
        return {"refused": str(error)}
    row: dict[str, Any] = {}
    failed = ""
    for rtol, atol, options in ladder:
        try:
            evaluation = scheme.evaluation(whole.mechanism, **{**dict(goal.options), **options})
            moved = computed(evaluation, replace(whole, rtol=rtol, atol=atol))
        except MeshSimError as error:
            failed = str(error)
            continue
        off = float(np.abs(moved.q[-1] - _end(goal.robot, goal.duration)).max())
        assert moved.gap is not None
        row = {
            "rtol": rtol,
            "k": float(options["k"]) if springs else None,
            "evaluations": moved.evaluations,
            "steps": len(moved.t) - 1,
            "constraint_error": float(moved.gap.max()),
            "joint_error": off,
            "goal_reached": off <= goal.goal,
        }
        if off <= goal.goal:
            break
    return row or {"refused": f"{scheme.name} did not get to the end whatever was set: {failed}"}
