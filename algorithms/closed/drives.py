"""What drives a closed mechanism: constant torques, or those of inverse dynamics along a prescribed motion."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from algorithms.arrays import Array
from algorithms.closed.mechanism import ClosedMechanism
from algorithms.closed.motion import Drive
from algorithms.closed.reference import Prescribed
from algorithms.profiles import CYCLOID, DEGREES, METRES, cycloid
from meshsim.errors import MeshSimError

OWN = "own"
FORMS = "own, a torque for each actuated joint (6 or 1,0,-2), or cycloid:SECONDS[:DEGREES[:METRES]]"
SAMPLES = 301
"""Of inverse-dynamics torques along a motion; a spline goes through them."""


@dataclass(frozen=True)
class Driving:
    """Torques of the actuated joints by time, for how many seconds, and what motion they are for, if any."""

    drive: Drive
    duration: float
    wanted: Prescribed | None = None


@dataclass(frozen=True)
class _Own:
    """What a document drives a mechanism by: constant torques, or how far each actuated joint is to go."""

    duration: float
    torques: tuple[float, ...] = ()
    reach: tuple[float, ...] = ()


OWNS = {
    "four-bar": _Own(10.0, torques=(6.0,)),  # KTK Table 1
    "3rrr": _Own(3.0, reach=(math.pi / 3, math.pi / 3, math.pi / 6)),  # Khan sec. 4.0.2
}


def constant(torques: Sequence[float]) -> Drive:
    """The same torques at all times."""
    values = [float(torque) for torque in torques]
    return lambda _t: values


def prescribed(closed: ClosedMechanism, start: Array, reach: Sequence[float], period: float) -> Prescribed:
    """The actuated joints from rest at the start to rest, so far on."""  # Khan sec. 4.0.2, Wong eq. 3.43
    first = start[list(closed.actuated)]
    profile = cycloid(first.tolist(), (first + np.array(reach)).tolist(), period)
    return Prescribed(closed, lambda t: (profile.q(t), profile.qd(t), profile.qdd(t)))


def load_drive(text: str, closed: ClosedMechanism, start: Array) -> Driving:
    """What a user's text means for a mechanism that starts somewhere.

    Parameters
    ----------
    text : str
        ``own`` for what the document drives its mechanism by, and nothing for one of the user's; a torque for each
        actuated joint; or ``cycloid:SECONDS``, with degrees and metres if they are not 180 and 0.1.
    closed : ClosedMechanism
        The mechanism.
    start : array
        Where its joints start.
    """
    count = len(closed.actuated)
    if text == OWN:
        own = OWNS.get(closed.name, _Own(1.0, torques=(0.0,) * count))
        if own.torques:
            return Driving(constant(own.torques), own.duration)
        return _along(prescribed(closed, start, own.reach, own.duration), own.duration)
    name, *words = text.split(":")
    try:
        numbers = [float(word) for word in (words if name == CYCLOID else text.split(","))]
    except ValueError:
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        raise MeshSimError(f"drive must be {FORMS}, not {text!r}")
    if name == CYCLOID and 1 <= len(numbers) <= 3 and numbers[0] > 0:
        period, degrees, metres = (*numbers, *(DEGREES, METRES)[len(numbers) - 1 :])
        kinds = [closed.tree.bodies[joint].kind for joint in closed.actuated]
        reach = [metres if kind == "prismatic" else math.radians(degrees) for kind in kinds]
        return _along(prescribed(closed, start, reach, period), period)
    if name != CYCLOID and len(numbers) == count:
        return Driving(constant(numbers), 1.0)
    raise MeshSimError(f"drive must be {FORMS}, and {closed.name} has {count} actuated joints, not {text!r}")


def _along(wanted: Prescribed, period: float) -> Driving:
    return Driving(wanted.torques(period, SAMPLES), period, wanted)
