"""Dry friction of all joints, as users give it, with springs that suit a robot and a step."""

from collections.abc import Sequence

import numpy as np

from meshsim.algorithms.kernels.actuator import DryFriction
from meshsim.algorithms.motion.motion import Torque, no_torque
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.errors import MeshSimError
from meshsim.reading import numbers_in

STIFFNESS = 0.25
"""Of the fastest spring: its frequency (rad/s) times the step. All three Runge-Kutta rules stay stable where a joint's
inertia comes down to a quarter of what it is at the start."""

Levels = tuple[float, float]
"""The torque of a joint that slides, and that at which one that sticks breaks loose."""


def levels_of(given: float | str, joints: int) -> list[Levels]:
    """Read COULOMB or COULOMB:BREAKAWAY, in N m (or N): once for all joints, or for each of so many."""
    found: list[Levels] = []
    for text in str(given).split(","):
        values = numbers_in(text.split(":"))
        if not 1 <= len(values) <= 2 or not 0 <= values[0] <= values[-1]:
            raise MeshSimError(
                "dry friction must be COULOMB or COULOMB:BREAKAWAY, numbers of N m of which the second is at least the "
                f"first and none is negative, not {text!r}"
            )
        found.append((values[0], values[-1]))
    if len(found) not in (1, joints):
        raise MeshSimError(f"dry friction must be given once, or for each of {joints} joints, not for {len(found)}")
    return found * (joints // len(found))


def dry_friction(
    mechanism: Mechanism, start: State, h: float | None, levels: Sequence[Levels], torque: Torque = no_torque
) -> tuple[DryFriction, ...]:
    """The friction of every joint, none at all if all levels are 0.

    Springs are in proportion to what each joint alone has for inertia, the others free, and as stiff as steps of `h`
    seconds allow where the motion starts: their fastest swing has the frequency `STIFFNESS` over `h`, and is critically
    damped. How far a joint gives way while it sticks shrinks with the square of the step.
    """
    if not any(breakaway for _, breakaway in levels):
        return ()
    if mechanism.cuts:
        raise MeshSimError(f"dry friction must be left out of mechanisms with loops, as {mechanism.name} is one")
    if h is None:
        raise MeshSimError("dry friction must be integrated in fixed steps, not in adaptive ones: give a step")
    dynamics = forward_dynamics(mechanism, start)
    assert dynamics.M is not None
    mobility = np.linalg.inv(dynamics.M)
    inertias = 1.0 / np.diag(mobility)
    inertias /= np.abs(np.linalg.eigvals(inertias[:, None] * mobility)).max()
    rate = STIFFNESS / h
    driven = np.array([torque(i, 0.0, *each) for i, each in enumerate(zip(start.q, start.qd, strict=True))])
    return tuple(
        DryFriction(*limits, inertia * rate**2, 2.0 * inertia * rate, load)
        for limits, inertia, load in zip(levels, inertias.tolist(), (driven - dynamics.h).tolist(), strict=True)
    )
