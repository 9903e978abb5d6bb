"""Motions from rest to rest, prescribed joint by joint."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from meshsim.algorithms.types.arrays import Array


@dataclass(frozen=True)
class Profile:
    """Positions, rates and accelerations that are wanted of all joints, by time; `period` is how long they last.

    `times` are those at which they are known, where they come from a table.
    """

    q: Callable[[float], Array]
    qd: Callable[[float], Array]
    qdd: Callable[[float], Array]
    period: float
    times: Array | None = None

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """All three at a time."""
        return self.q(t), self.qd(t), self.qdd(t)

    def positions(self, times: Sequence[float]) -> Array:
        """Positions at some times."""
        return np.array([self.q(t) for t in times])


def cycloid(start: Sequence[float], end: Sequence[float], period: float) -> Profile:
    """From rest at `start` to rest at `end`; the rates rise and fall as a cosine."""  # Wong eq. 3.43, Saha eqs 22, 23
    first = np.array(start, dtype=np.float64)
    with np.errstate(over="ignore"):  # torques that are too large are refused by name
        speed = (np.array(end, dtype=np.float64) - first) / period
    w = 2.0 * math.pi / period
    return Profile(
        q=lambda t: first + speed * (t - math.sin(w * t) / w),
        qd=lambda t: speed * (1.0 - math.cos(w * t)),
        qdd=lambda t: speed * (w * math.sin(w * t)),
        period=period,
    )
