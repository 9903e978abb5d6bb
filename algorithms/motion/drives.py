"""What drives a closed mechanism: constant torques, or those of inverse dynamics along a prescribed motion."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from meshsim.algorithms.motion.loop_stepping import Drive
from meshsim.algorithms.motion.profiles import CYCLOID, DEGREES, METRES, cycloid
from meshsim.algorithms.reference.loops import Prescribed
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array
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

    def start(self, mechanism: Mechanism) -> Array:
        """The rates with which the motion begins: those that are wanted, or none."""
        return np.zeros(mechanism.n) if self.wanted is None else self.wanted(0.0)[1]


def constant(torques: Sequence[float]) -> Drive:
    """The same torques at all times."""
    values = [float(torque) for torque in torques]
    return lambda _t: values


def prescribed(mechanism: Mechanism, start: Array, reach: Sequence[float], period: float) -> Prescribed:
    """The actuated joints from rest at the start to rest, so far on."""  # Khan sec. 4.0.2, Wong eq. 3.43
    first = start[list(mechanism.actuated)]
    profile = cycloid(first.tolist(), (first + np.array(reach)).tolist(), period)
    return Prescribed(mechanism, lambda t: (profile.q(t), profile.qd(t), profile.qdd(t)))


def _khan(mechanism: Mechanism, start: Array) -> Prescribed:
    return prescribed(mechanism, start, (math.pi / 3, math.pi / 3, math.pi / 6), 3.0)


def _saha_five_bar(mechanism: Mechanism, start: Array) -> Prescribed:
    return prescribed(mechanism, start, (math.radians(60.0), math.radians(40.3)), 20.0)


def _kordjazi(mechanism: Mechanism, start: Array) -> Prescribed:
    """Sliders from rest, with accelerations of sin 3t, sin 2t and half of sin 3t."""
    first = start[list(mechanism.actuated)]
    size, w = np.array([1.0, 1.0, 0.5]), np.array([3.0, 2.0, 3.0])

    def profile(t: float) -> tuple[Array, Array, Array]:
        moved = size * (t / w - np.sin(w * t) / w**2)
        return first + moved, size * (1.0 - np.cos(w * t)) / w, size * np.sin(w * t)

    return Prescribed(mechanism, profile)


def _saha_scraper(mechanism: Mechanism, start: Array) -> Prescribed:
    """The crank at 45 turns a minute."""
    first, w = start[list(mechanism.actuated)], np.array([45.0 * 2.0 * math.pi / 60.0])
    return Prescribed(mechanism, lambda t: (first + w * t, w, np.zeros(1)))


OWN_TORQUES = {"four-bar": ((6.0,), 10.0)}  # KTK Table 1
"""By mechanism: constant torques, and for how long."""
OWN_MOTIONS = {
    "3rrr": (_khan, 3.0),  # Khan sec. 4.0.2
    "five-bar": (_saha_five_bar, 20.0),  # Saha eq. 35
    "3prr": (_kordjazi, 1.0),  # Kordjazi eq. 37
    "scraper": (_saha_scraper, 4.0 / 3.0),  # Saha sec. 4.4: one turn
}
"""By mechanism, variants alike: prescribed motions, and how long they last."""


def load_motion(text: str, mechanism: Mechanism, start: Array) -> tuple[Prescribed, float]:
    """A prescribed motion by name, and how long it lasts: ``own``, or ``cycloid:SECONDS[:DEGREES[:METRES]]``."""
    family = mechanism.name.partition(":")[0]
    if text == OWN and family in OWN_MOTIONS:
        make, duration = OWN_MOTIONS[family]
        return make(mechanism, start), duration
    name, *words = text.split(":")
    numbers = numbers_of(words)
    if name != CYCLOID or not 1 <= len(numbers) <= 3 or not numbers[0] > 0:
        if text == OWN:
            raise MeshSimError(
                f"{mechanism.name} has no motion of its own; cycloid:SECONDS[:DEGREES[:METRES]] gives it one"
            )
        raise MeshSimError(
            f"motion must be own or cycloid:SECONDS[:DEGREES[:METRES]], SECONDS more than 0, not {text!r}"
        )
    period, degrees, metres = (*numbers, *(DEGREES, METRES)[len(numbers) - 1 :])
    kinds = [mechanism.bodies[joint].kind for joint in mechanism.actuated]
    reach = [metres if kind == "prismatic" else math.radians(degrees) for kind in kinds]
    return prescribed(mechanism, start, reach, period), period


def load_drive(text: str, mechanism: Mechanism, start: Array) -> Driving:
    """What a user's text means for a mechanism that starts somewhere.

    Parameters
    ----------
    text : str
        ``own`` for what the document drives its mechanism by, and nothing for one of the user's; a torque for each
        actuated joint; or ``cycloid:SECONDS``, with degrees and metres if they are not 180 and 0.1.
    closed : Mechanism
        The mechanism.
    start : array
        Where its joints start.
    """
    count = len(mechanism.actuated)
    if text == OWN and mechanism.name.partition(":")[0] not in OWN_MOTIONS:
        torques, duration = OWN_TORQUES.get(mechanism.name, ((0.0,) * count, 1.0))
        return Driving(constant(torques), duration)
    if text == OWN or text.startswith(f"{CYCLOID}:"):
        wanted, duration = load_motion(text, mechanism, start)
        return Driving(wanted.torques(duration, SAMPLES), duration, wanted)
    numbers = numbers_of(text.split(","))
    if len(numbers) != count:
        raise MeshSimError(f"drive must be {FORMS}, and {mechanism.name} has {count} actuated joints, not {text!r}")
    return Driving(constant(numbers), 1.0)


def numbers_of(words: Sequence[str]) -> list[float]:
    """Finite numbers; nothing at all if one of them is none."""
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        return []
    return numbers if all(map(math.isfinite, numbers)) else []
