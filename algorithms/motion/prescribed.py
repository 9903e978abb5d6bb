"""Motions of mechanisms with loops that are prescribed by their leading joints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from meshsim.algorithms.reference.loops import actuated_torques
from meshsim.algorithms.robots.closure import assemble, leading, loops
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array, check_finite
from meshsim.errors import MeshSimError


@dataclass(eq=False)
class Prescribed:
    """A motion that is prescribed by the leading joints: positions, rates and accelerations of all.

    `profile` gives those of the leading joints by time, near `start` at first, or near the mechanism's own guess.
    Asked for times that follow one another, so that the joints of each time are found from those of the last. `times`
    are those at which the profile is known, where it comes from a table.
    """

    mechanism: Mechanism
    profile: Callable[[float], tuple[Array, Array, Array]]
    start: Sequence[float] = ()
    times: Array | None = None
    last: Array = field(init=False)

    def __post_init__(self) -> None:
        self.start = self.start if len(self.start) else self.mechanism.guess
        self.last = np.array(self.start, dtype=np.float64)

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """Positions, rates and accelerations of all joints."""
        with np.errstate(all="ignore"):  # what overflows is refused by name
            found = self._found(t)
        check_finite(f"of {self.mechanism.name!r} at t = {t:g} s", **dict(zip(("q", "qd", "qdd"), found, strict=True)))
        return found

    def _found(self, t: float) -> tuple[Array, Array, Array]:
        mechanism = self.mechanism
        driven = list(leading(mechanism))
        passive = [j for j in range(mechanism.n) if j not in driven]
        guess, qd, qdd = self.last.copy(), np.zeros(mechanism.n), np.zeros(mechanism.n)
        guess[driven], qd[driven], qdd[driven] = self.profile(t)
        q = self.last = assemble(mechanism, guess)
        A = loops(mechanism, q, qd).A
        qd[passive] = np.linalg.solve(A[:, passive], -A @ qd)
        qdd[passive] = np.linalg.solve(A[:, passive], -A @ qdd - loops(mechanism, q, qd).bias)
        return q, qd, qdd

    def positions(self, times: Sequence[float]) -> Array:
        """Positions of all joints at times that follow one another, the first near the start."""
        self.last = np.array(self.start, dtype=np.float64)
        return np.array([self(t)[0] for t in times])

    def torques(self, duration: float, samples: int) -> Callable[[float], list[float]]:
        """Inverse-dynamics torques by time: a spline through so many samples, which is quick to evaluate."""
        from scipy.interpolate import CubicSpline  # here, since scipy takes as long to import as all else

        times = np.linspace(0.0, duration, samples)
        with np.errstate(all="ignore"):
            values = np.array([actuated_torques(self.mechanism, *self(t)) for t in times])
            check_finite(f"of {self.mechanism.name!r} along this motion", tau=values)
            try:
                spline = CubicSpline(times, values)
            except ValueError:
                raise MeshSimError(f"duration must be neither tiny nor huge, not {duration:g} s") from None
        return lambda t: spline(t).tolist()
