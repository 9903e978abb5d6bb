"""The state of a mechanism: joint positions, rates and torques, and the JSON file that holds them.

With loops, a state is of the actuated joints, the others following, or of all, which is checked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np

from meshsim.algorithms.kernels.actuator import Drive, drive_torque
from meshsim.algorithms.robots.closure import (
    OpenError,
    assemble,
    consistent_rates,
    joint_at,
    leading,
    loops,
    out_of_reach,
    worst,
)
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.reading import entries, load_json, naming, number, table

_KEYS = ("q", "qd", "tau")
TYPED = 1e-6
"""Metres, or radians, and so many a second: what digits that people leave out open of loops that they mean closed."""


@dataclass(frozen=True)
class Opening:
    """What the method that moves a mechanism lets it begin with.

    Attributes
    ----------
    allowed : bool
        Whether loops may be open.
    sigma : float
        The rate at which they close: rates have A q' = - sigma c, in 1/s.
    any_rates : bool
        Whether joints may move at any rates, since springs stand for the cut joints.
    """

    allowed: bool = False
    sigma: float = 0.0
    any_rates: bool = False


CLOSED_LOOPS = Opening()


@dataclass(frozen=True)
class State:
    """Where joints are, how they move and what drives them, in the order of `Mechanism.joints`.

    Joints that mimic others have no entries.

    Attributes
    ----------
    q : tuple of float
        Angles (rad); of prismatic joints displacements (m).
    qd : tuple of float
        Rates (rad/s, m/s).
    tau : tuple of float
        Torques (N m); of prismatic joints forces (N).
    drives : tuple of Drive
        Where there are any, a scheme computes the torques itself, as part of its step.
    """

    q: tuple[float, ...]
    qd: tuple[float, ...]
    tau: tuple[float, ...]
    drives: tuple[Drive, ...] = ()


def driven_state(q: Sequence[float], qd: Sequence[float], drives: Sequence[Drive]) -> State:
    """The state of a mechanism with an actuator at each joint."""
    tau = tuple(drive_torque(drive, rate) for drive, rate in zip(drives, qd, strict=True))
    return State(tuple(q), tuple(qd), tau, tuple(drives))


RATE = 0.2
"""At which joints turn unless told, in rad/s; prismatic ones move at as many m/s."""


def default_state(mechanism: Mechanism) -> State:
    """State used when none is given: joint i of 1..n at 0.1 i rad, turning at 0.2 rad/s, without torque.

    A prismatic joint is at as many metres. A robot with a posture of its own is there. With loops the joints are where
    these close near the guess, the actuated ones turn at 0.2 rad/s, and the others as these make them.
    """
    n = len(mechanism.joints)
    if mechanism.cuts:
        return assembled(mechanism, mechanism.guess, [RATE] * len(mechanism.actuated), (0.0,) * n)
    return State(q=mechanism.posture or tuple(0.1 * i for i in range(1, n + 1)), qd=(RATE,) * n, tau=(0.0,) * n)


def assembled(mechanism: Mechanism, guess: Sequence[float], rates: Sequence[float], tau: Sequence[float]) -> State:
    """A state of a mechanism with loops: positions that close them, the actuated joints held where the guess has them.

    `rates` are those of the actuated joints; the others follow.
    """
    q = assemble(mechanism, guess)
    qd = consistent_rates(mechanism, q, rates)
    return State(tuple(q.tolist()), tuple(qd.tolist()), tuple(tau))


def read_state(path: str | PathLike[str], mechanism: Mechanism, opening: Opening = CLOSED_LOOPS) -> State:
    """Read a state from a JSON file.

    Parameters
    ----------
    path : str or path-like
        A JSON object with the keys ``q``, ``qd`` and ``tau``. Each holds a list of n numbers in the order of
        ``mechanism.joints``, or an object with one number for each joint name. With loops each may be of the actuated
        joints alone: then the positions and rates of the others follow.
    mechanism : Mechanism
        The mechanism whose state it is.
    opening : Opening
        With loops: whether they may be open.

    Returns
    -------
    State
        The state, in the order of the joints.
    """
    with naming(path):
        return state_from(load_json(path, "state"), mechanism, opening)


def state_from(value: object, mechanism: Mechanism, opening: Opening = CLOSED_LOOPS) -> State:
    """A state from plain lists or objects keyed by joint, checked."""
    found = table("state", value, _KEYS, _KEYS, "a JSON object with q, qd and tau")
    if mechanism.cuts:
        return _with_loops(mechanism, opening, *(_some_numbers(f'"{key}"', found[key], mechanism) for key in _KEYS))
    q, qd, tau = (_numbers(f'"{key}"', found[key], mechanism.joints) for key in _KEYS)
    return State(q, qd, tau)


# Loops


def checked(state: State, mechanism: Mechanism, opening: Opening = CLOSED_LOOPS) -> State:
    """A state of all joints, held to the loops of a mechanism that has any."""
    if not mechanism.cuts:
        return state
    return _with_loops(mechanism, opening, *(dict(enumerate(each)) for each in (state.q, state.qd, state.tau)))


Given = Mapping[int, float]
"""Numbers by joint: of those that are actuated, or of all."""


def _with_loops(mechanism: Mechanism, opening: Opening, q: Given, qd: Given, tau: Given) -> State:
    guess = np.array([q.get(joint, near) for joint, near in enumerate(mechanism.guess)])
    positions = _positions(mechanism, guess, opening) if len(q) == mechanism.n else _following(mechanism, guess)
    rates = _rates(mechanism, positions, qd, opening)
    return State(
        tuple(positions.tolist()), tuple(rates.tolist()), tuple(tau.get(joint, 0.0) for joint in range(mechanism.n))
    )


def _following(mechanism: Mechanism, given: Array) -> Array:
    """Positions of all joints, which follow from those of the actuated ones."""
    try:
        return assemble(mechanism, given)
    except OpenError as error:
        joint = out_of_reach(mechanism, error.q, mechanism.guess)
        raise MeshSimError(
            f'"q" must let the loops of {mechanism.name} close, and {error.opening}, most of all because of '
            f"{joint_at(mechanism, joint, given[joint])}{_within_reach(mechanism, given, joint)}"
        ) from None


def _within_reach(mechanism: Mechanism, given: Array, joint: int) -> str:
    """Where a joint would have to be, or all actuated ones, as the end of a sentence."""
    leaders = leading(mechanism)
    for moved in ((joint,), leaders):
        try:
            near = assemble(mechanism, given, [each for each in leaders if each not in moved])
        except OpenError:
            continue
        return f"; they close with {', '.join(joint_at(mechanism, each, near[each]) for each in moved)}"
    return ""


def _positions(mechanism: Mechanism, given: Array, opening: Opening) -> Array:
    """Positions of all joints: those that were given, but for digits that were left out."""
    now = loops(mechanism, given, np.zeros(mechanism.n))
    if np.abs(now.c).max() <= TYPED:
        return assemble(mechanism, given)
    if opening.allowed:
        return given
    name, size = worst(mechanism, now, now.c)
    try:
        closed = _by_joint(mechanism, assemble(mechanism, given))
        remedy = (
            f"with the actuated joints there they close at {closed}; of the actuated joints alone, the others follow"
        )
    except OpenError:
        remedy = "with the actuated joints there they do not close at all"
    raise MeshSimError(
        f'"q" must close the loops of {mechanism.name}, and leaves that through {name!r} open by {size}; {remedy} '
        "(penalty, and projection with sigma, may begin with open loops)"
    )


def _rates(mechanism: Mechanism, q: Array, given: Given, opening: Opening) -> Array:
    """Rates of all joints, which follow from those of the actuated ones."""
    rates = np.array([given.get(joint, 0.0) for joint in range(mechanism.n)])
    if len(given) == mechanism.n and opening.any_rates:
        return rates
    following = consistent_rates(mechanism, q, rates[list(mechanism.actuated)], opening.sigma)
    now = loops(mechanism, q, rates)
    opened = now.A @ rates + opening.sigma * now.c
    if len(given) == mechanism.n and np.abs(opened).max() > TYPED * max(1.0, np.abs(rates).max()):
        name, size = worst(mechanism, now, opened, "/s")
        need = f"keep the loops of {mechanism.name} closed, and opens that through {name!r} by {size}"
        if opening.sigma and np.abs(now.c).max() > TYPED:
            need = f"close the loops of {mechanism.name} at the rate of sigma (A q' = - sigma c), and is off by {size} "
            need += f"for that through {name!r}"
        raise MeshSimError(
            f'"qd" must {need}; with the actuated joints so, the others move at {_by_joint(mechanism, following)}; of '
            "the actuated joints alone, the others follow"
        )
    return following


def _by_joint(mechanism: Mechanism, values: Array) -> str:
    """Numbers of the joints that are not actuated, as a file has them."""
    passive = [joint for joint in range(mechanism.n) if joint not in mechanism.actuated]
    return ", ".join(f'"{mechanism.joints[joint]}": {values[joint]:.9g}' for joint in passive)


def _some_numbers(what: str, value: object, mechanism: Mechanism) -> dict[int, float]:
    """Numbers of the actuated joints, or of all."""
    joints = mechanism.joints
    driven = tuple(joints[joint] for joint in mechanism.actuated)
    some = (isinstance(value, list) and len(value) == len(driven)) or (
        isinstance(value, dict) and {*value} <= {*driven}
    )
    also = f", or {len(driven)} for the actuated ones"
    found = _numbers(what, value, driven if some else joints, also)
    return dict(zip(mechanism.actuated if some else range(mechanism.n), found, strict=True))


def _numbers(what: str, value: object, joints: tuple[str, ...], also: str = "") -> tuple[float, ...]:
    if isinstance(value, list):
        value = dict(zip(joints, entries(what, value, f"numbers, one for each joint{also}", len(joints)), strict=True))
    by_joint = table(what, value, joints, joints, "a list or an object keyed by joint")
    return tuple(number(f"{what} of joint {joint!r}", by_joint[joint]) for joint in joints)
