"""What the documents drive their mechanisms by: prescribed motions, and constant torques."""

import math
from collections.abc import Sequence

import numpy as np

from meshsim.algorithms.motion.cycloid import cycloid
from meshsim.algorithms.motion.prescribed import Prescribed
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array


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


def _stewart(mechanism: Mechanism, start: Array) -> Prescribed:
    """Legs of different lengths: the platform rises, shifts and tilts. Ours: the documents have no such mechanism."""
    return prescribed(mechanism, start, (0.10, 0.04, 0.08, 0.02, 0.06, 0.12), 2.0)


OWN_TORQUES = {"four-bar": ((6.0,), 10.0)}  # KTK Table 1
"""By mechanism: constant torques, and for how long."""
OWN_MOTIONS = {
    "3rrr": (_khan, 3.0),  # Khan sec. 4.0.2
    "five-bar": (_saha_five_bar, 20.0),  # Saha eq. 35
    "3prr": (_kordjazi, 1.0),  # Kordjazi eq. 37
    "scraper": (_saha_scraper, 4.0 / 3.0),  # Saha sec. 4.4: one turn
    "stewart": (_stewart, 2.0),
}
"""By mechanism, variants alike: prescribed motions, and how long they last."""
OPEN_MOTIONS = {
    "saha-puma": cycloid([0.0] * 6, [math.pi] * 6, 10.0),  # Saha eq. 22
    "stanford": cycloid(  # Saha eqs 22, 23, sec. 2.5.2
        [0.0, math.pi / 2, 0.0, 0.0, 0.0, 0.0], [math.pi / 3, math.pi / 3, 0.1, *[math.pi / 3] * 3], 10.0
    ),
}
"""By robot without loops, variants alike."""
