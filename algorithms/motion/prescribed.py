"""Motions of mechanisms with loops that are prescribed by their actuated joints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from meshsim.algorithms.reference.loops import actuated_torques
from meshsim.algorithms.robots.closure import OpenError, assemble, joint_at, loops, out_of_reach
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array, check_finite
from meshsim.errors import MeshSimError

HALVINGS = 30
"""How often the time is halved in which a motion leaves the workspace: to a billionth of it."""


@dataclass(eq=False)
class Prescribed:
    """A motion that is prescribed by the actuated joints: positions, rates and accelerations of all.

    `profile` gives those of the actuated joints by time, near `start` at first, or near the mechanism's own guess.
    Asked for times that follow one another, so that the joints of each time are found from those of the last. `times`
    are those at which the profile is known, where it comes from a table.
    """

    mechanism: Mechanism
    profile: Callable[[float], tuple[Array, Array, Array]]
    start: Sequence[float] = ()
    times: Array | None = None
    last: Array = field(init=False)
    time: float | None = field(init=False, default=None)

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
        driven = list(mechanism.actuated)
        passive = [j for j in range(mechanism.n) if j not in mechanism.actuated]
        qd, qdd = np.zeros(mechanism.n), np.zeros(mechanism.n)
        _, qd[driven], qdd[driven] = self.profile(t)
        try:
            q = self._closed(t)
        except OpenError as error:
            raise self._left(t, error) from None
        self.last, self.time = q, t
        A = loops(mechanism, q, qd).A
        try:
            qd[passive] = np.linalg.solve(A[:, passive], -A @ qd)
            qdd[passive] = np.linalg.solve(A[:, passive], -A @ qdd - loops(mechanism, q, qd).bias)
        except np.linalg.LinAlgError:
            raise MeshSimError(
                f"{mechanism.name} is in a singular position at t = {t:g} s of this motion: its actuated joints do not "
                "determine the others there"
            ) from None
        return q, qd, qdd

    def _closed(self, t: float) -> Array:
        """Positions of all joints at a time, near those of the last."""
        guess = self.last.copy()
        guess[list(self.mechanism.actuated)] = self.profile(t)[0]
        return assemble(self.mechanism, guess)

    def _left(self, t: float, error: OpenError) -> MeshSimError:
        """Where a motion leaves what the mechanism can reach: between the last time that could be reached and this."""
        mechanism, low, high = self.mechanism, t if self.time is None else self.time, t
        for _ in range(HALVINGS if low < high else 0):
            middle = (low + high) / 2
            try:
                self.last, low = self._closed(middle), middle
            except OpenError:
                high = middle
        joint = out_of_reach(mechanism, error.q, self.last)
        there = float(self.profile(high)[0][mechanism.actuated.index(joint)])
        return OpenError(
            f"{mechanism.name} leaves its workspace at t = {high:.6g} s of this motion, with joint "
            f"{joint_at(mechanism, joint, there)}: at t = {t:g} s {error.opening}"
        )

    def positions(self, times: Sequence[float]) -> Array:
        """Positions of all joints at times that follow one another, the first near the start."""
        self.last, self.time = np.array(self.start, dtype=np.float64), None
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
