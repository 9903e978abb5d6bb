"""Dynamics of closed mechanisms in plain numpy: what every method is checked against."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.dense import check_finite, energy
from meshsim.algorithms.reference.newton_euler import bias_force
from meshsim.algorithms.robots.closed import ClosedMechanism
from meshsim.algorithms.robots.closure import assemble, loops
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError


def forward_dynamics(
    closed: ClosedMechanism, q: npt.ArrayLike, qd: npt.ArrayLike, tau: npt.ArrayLike, sigma: float = 0.0
) -> tuple[Array, Array]:
    """Accelerations and multipliers: [M A^T; A 0] [q''; lambda] = [tau - h; -A' q' + sigma^2 c].  # KTK eq. 6

    With `sigma`, what is left of the constraints vanishes as in the projection, whose rates have A q' = - sigma c.
    """
    M, h, now = inertia_matrix(closed.tree, q), bias_force(closed.tree, q, qd), loops(closed, q, qd)
    m, n = now.A.shape
    K = np.block([[M, now.A.T], [now.A, np.zeros((m, m))]])
    found = np.linalg.solve(K, np.concatenate([np.asarray(tau) - h, sigma**2 * now.c - now.bias]))
    return found[:n], found[n:]


def inverse_dynamics(closed: ClosedMechanism, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike) -> Array:
    """Torques of the actuated joints that make the joints accelerate so, which their loops must allow."""
    wanted = inertia_matrix(closed.tree, q) @ np.asarray(qdd) + bias_force(closed.tree, q, qd)
    A = loops(closed, q, qd).A
    passive = [j for j in range(closed.n) if j not in closed.actuated]
    forces = np.linalg.lstsq(A[:, passive].T, wanted[passive], rcond=None)[0]
    torques: Array = (wanted - A.T @ forces)[list(closed.actuated)]
    return torques


def total_energy(closed: ClosedMechanism, q: npt.ArrayLike, qd: npt.ArrayLike) -> float:
    """Kinetic and potential energy."""
    return sum(energy(closed.tree, q, qd))


@dataclass(eq=False)
class Prescribed:
    """A motion that is prescribed by the actuated joints: positions, rates and accelerations of all.

    `profile` gives those of the actuated joints by time. Asked for times that follow one another, so that the joints of
    each time are found from those of the last.
    """

    closed: ClosedMechanism
    profile: Callable[[float], tuple[Array, Array, Array]]
    last: Array = field(init=False)

    def __post_init__(self) -> None:
        self.last = np.array(self.closed.guess, dtype=np.float64)

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """Positions, rates and accelerations of all joints."""
        with np.errstate(all="ignore"):  # what overflows is refused by name
            found = self._found(t)
        check_finite(f"of {self.closed.name!r} at t = {t:g} s", **dict(zip(("q", "qd", "qdd"), found, strict=True)))
        return found

    def _found(self, t: float) -> tuple[Array, Array, Array]:
        closed = self.closed
        driven = list(closed.actuated)
        passive = [j for j in range(closed.n) if j not in closed.actuated]
        guess, qd, qdd = self.last.copy(), np.zeros(closed.n), np.zeros(closed.n)
        guess[driven], qd[driven], qdd[driven] = self.profile(t)
        q = self.last = assemble(closed, guess)
        A = loops(closed, q, qd).A
        qd[passive] = np.linalg.solve(A[:, passive], -A @ qd)
        qdd[passive] = np.linalg.solve(A[:, passive], -A @ qdd - loops(closed, q, qd).bias)
        return q, qd, qdd

    def torques(self, duration: float, samples: int) -> Callable[[float], list[float]]:
        """Inverse-dynamics torques by time: a spline through so many samples, which is quick to ask."""
        from scipy.interpolate import CubicSpline  # here, since scipy takes as long to import as all else

        times = np.linspace(0.0, duration, samples)
        with np.errstate(all="ignore"):
            values = np.array([inverse_dynamics(self.closed, *self(t)) for t in times])
            check_finite(f"of {self.closed.name!r} along this motion", tau=values)
            try:
                spline = CubicSpline(times, values)
            except ValueError:
                raise MeshSimError(f"a motion must last neither so short nor so long as {duration:g} s") from None
        return lambda t: spline(t).tolist()
