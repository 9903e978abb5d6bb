"""Mechanisms with loops along motions that documents prescribe: torques by a machine's own arithmetic."""

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from meshsim.algorithms.motion.profiles import OWN, load_motion
from meshsim.algorithms.reference.loops import actuated_torques
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.exhibits.base.exhibit import Appendix, number
from meshsim.simulation import NOWHERE

SAMPLES = 101


@dataclass(frozen=True, eq=False)
class Course:
    """A motion: a row for each time, a column for each joint; torques have one for each actuated joint."""

    mechanism: Mechanism
    method: str
    t: Array
    q: Array
    qd: Array
    qdd: Array

    @cached_property
    def torques(self) -> Array:
        """By the method, on one processor."""
        inversion = load_scheme(self.method).inversion(self.mechanism)
        rows = zip(self.q, self.qd, self.qdd, strict=True)
        return np.array([inversion.plan(*row).run(NOWHERE, trace=False).value for row in rows])

    @cached_property
    def dense(self) -> Array:
        """Torques by a dense solver."""
        rows = zip(self.q, self.qd, self.qdd, strict=True)
        return np.array([actuated_torques(self.mechanism, *row) for row in rows])

    @property
    def difference(self) -> Array:
        """The largest, of each actuated joint."""
        found: Array = np.abs(self.torques - self.dense).max(axis=0)
        return found


def run_course(mechanism: Mechanism, method: str, samples: int = SAMPLES) -> Course:
    """A mechanism along the motion of its document."""
    motion, duration = load_motion(OWN, mechanism)
    t = np.linspace(0.0, duration, samples)
    q, qd, qdd = (np.array(each) for each in zip(*map(motion, t.tolist()), strict=True))
    return Course(mechanism, method, t, q, qd, qdd)


# The 3-PRR

OTHER_POSTURE = (0.6139, 0.8825)
"""Approximate angles of a leg to its slider, and of the platform, with the knees on the other side."""


@cache
def prr(horizontal: bool, other: bool = False, scale: float = 1.0) -> Course:
    """The 3-PRR; with knees on the other side, or with moments of inertia so many times as large."""
    mechanism = load_robot("3prr:horizontal" if horizontal else "3prr")
    bodies = tuple(
        replace(body, inertia=tuple(tuple(scale * each for each in row) for row in body.inertia))  # type: ignore[arg-type]
        for body in mechanism.bodies
    )
    guess = list(mechanism.guess)
    if other:
        leg, platform = OTHER_POSTURE
        guess[1:6:2], guess[8] = [leg] * 3, platform
    return run_course(replace(mechanism, bodies=bodies, guess=tuple(guess)), "noc")


PRINTED_SCALE = 1e-6
"""Moments in g mm^2, as Table 1 has them, of those that are used."""
POSTURE = (
    "With sliders at 0.1595 m the loops close in two postures, with the platform turned by 30.0 and by 50.6 deg; "
    "which one is meant is not said, and the first is taken, which the round angle suggests. "
)
INERTIAS = (
    "Moments of inertia are taken a million times as large as printed: in g mm^2, radii of gyration would be less than "
    "0.1 mm. "
)


def extremes(title: str, curves: list[tuple[str, Array, Array]]) -> Appendix:
    """Of curves, each with its times: how they begin and end, and their least and largest."""
    rows = []
    for label, t, y in curves:
        low, high = int(y.argmin()), int(y.argmax())
        values = (y[0], y[low], t[low], y[high], t[high], y[-1])
        rows.append((label, *(number(round(float(each), 4)) for each in values)))
    return Appendix(title, ("", "at first", "least", "at (s)", "largest", "at (s)", "at last"), rows)
