"""The five-bar for several distances of its pivots, which are not published: along its motion, and falling freely."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from meshsim.algorithms.motion.motion import SingularError, no_torque
from meshsim.algorithms.motion.written import computed
from meshsim.algorithms.robots.closure import assemble
from meshsim.algorithms.robots.linkages import FIVE_BAR_BASE, five_bar
from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.exhibits.base.courses import Course, run_course
from meshsim.experiments.exhibits.base.loops import laid_out, task

WAYS = {"pin up": True, "pin down": False}
"""The two ways to put it together."""
START = (80.0, 70.0)  # Saha eq. 36, deg
LONGEST = 3.0
"""Seconds after which a fall is stopped."""
NO_BASE = (
    "The distance a_0 of the pivots is not published, nor which way the arms are put together, and what is in the text "
    f"does not tell them: a_0 = {FIVE_BAR_BASE:g} m was chosen, and both ways are shown. Links are uniform rods, "
    "angles of both legs are from the x axis, gravity is along -y: not said either. "
)


@cache
def driven(base: float, up: bool) -> Course:
    """Along eqs 22a and 35."""
    return run_course(five_bar(base, up), "denoc")


@dataclass(frozen=True, eq=False)
class Fall:
    """A free fall: positions at the steps' ends, and when and why it stopped, if it did."""

    t: Array
    q: Array
    stopped: float | None
    why: str


@cache
def fall(base: float, up: bool, method: str = "denoc") -> Fall:
    """From rest, without torques."""
    mechanism = five_bar(base, up, (math.radians(START[0]), math.radians(START[1])))
    rows: dict[float, list[float]] = {}
    motion = task(mechanism, assemble(mechanism), no_torque, LONGEST, rtol=1e-8, atol=1e-10)
    stopped: float | None = None
    why = ""
    try:
        computed(
            laid_out(mechanism, method, Settings()),
            motion,
            lambda _, _joint, at: rows.setdefault(at.t, []).append(at.q),
        )
    except SingularError as error:
        stopped, why = error.t, str(error)
    return Fall(np.array(list(rows)), np.array(list(rows.values())), stopped, why)
