"""The state of a mechanism: joint positions, rates and torques, and the JSON file that holds them."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike

from meshsim.algorithms.kernels.actuator import Drive, drive_torque
from meshsim.algorithms.robots.closure import assemble, consistent_rates
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.reading import entries, load_json, naming, number, table

_KEYS = ("q", "qd", "tau")


@dataclass(frozen=True)
class State:
    """Joint angles `q` (rad), rates `qd` (rad/s) and torques `tau` (N m), in the order of `Mechanism.joints`.

    Of a prismatic joint: displacement (m), rate (m/s) and force (N). Joints that mimic others have no entries.
    Where there are `drives`, a scheme computes the torques itself, as part of its step.
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

    A prismatic joint is at as many metres. With loops the joints are where these close near the guess, the actuated
    ones turn at 0.2 rad/s, and the others as these make them.
    """
    n = len(mechanism.joints)
    if mechanism.cuts:
        return assembled(mechanism, mechanism.guess, [RATE] * len(mechanism.actuated), (0.0,) * n)
    return State(q=tuple(0.1 * i for i in range(1, n + 1)), qd=(RATE,) * n, tau=(0.0,) * n)


def assembled(mechanism: Mechanism, guess: Sequence[float], rates: Sequence[float], tau: Sequence[float]) -> State:
    """A state of a mechanism with loops: positions that close them, the actuated joints held where the guess has them.

    `rates` are those of the actuated joints; the others follow.
    """
    q = assemble(mechanism, guess)
    qd = consistent_rates(mechanism, q, rates)
    return State(tuple(q.tolist()), tuple(qd.tolist()), tuple(tau))


def read_state(path: str | PathLike[str], mechanism: Mechanism) -> State:
    """Read a state from a JSON file.

    Parameters
    ----------
    path : str or path-like
        A JSON object with the keys ``q``, ``qd`` and ``tau``. Each holds a list of n numbers in the order of
        ``mechanism.joints``, or an object with one number for each joint name. With loops, the positions and rates of
        the actuated joints hold; the positions of the others are a guess, and their rates follow.
    mechanism : Mechanism
        The mechanism whose state it is.

    Returns
    -------
    State
        The state, in the order of the joints.
    """
    with naming(path):
        return state_from(load_json(path, "state"), mechanism)


def state_from(value: object, mechanism: Mechanism) -> State:
    """A state from plain lists or objects keyed by joint, checked."""
    found = table("state", value, _KEYS, _KEYS, "a JSON object with q, qd and tau")
    q, qd, tau = (_numbers(f'"{key}"', found[key], mechanism.joints) for key in _KEYS)
    if mechanism.cuts:
        return assembled(mechanism, q, [qd[joint] for joint in mechanism.actuated], tau)
    return State(q, qd, tau)


def _numbers(what: str, value: object, joints: tuple[str, ...]) -> tuple[float, ...]:
    if isinstance(value, list):
        value = dict(zip(joints, entries(what, value, "numbers, one for each joint", len(joints)), strict=True))
    by_joint = table(what, value, joints, joints, "a list or an object keyed by joint")
    return tuple(number(f"{what} of joint {joint!r}", by_joint[joint]) for joint in joints)
