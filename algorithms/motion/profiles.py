"""How motions are driven: prescribed profiles with the torques of inverse dynamics, tables of torques, free fall."""

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from meshsim.algorithms.kernels.actuator import Actuator
from meshsim.algorithms.motion.excavator_control import ACTUATORS, DURATION, MODES, NAMES, START, ExcavatorControl
from meshsim.algorithms.motion.stepping import Control, Motion, Torque, no_torque
from meshsim.algorithms.reference.dense import check_finite
from meshsim.algorithms.reference.newton_euler import inverse_dynamics
from meshsim.algorithms.robots.kinematics import gearing
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError

FREE = "free"
CYCLOID = "cycloid"
EXCAVATOR = {f"excavator:{mode}": mode for mode in MODES}
FORMS = f"free, cycloid:SECONDS[:DEGREES[:METRES]], {', '.join(EXCAVATOR)} or FILE.csv"
MOST_STEPS = 1_000_000
"""Of a motion: more would not fit into memory."""
DEGREES = 180.0
METRES = 0.1
"""How far a cycloid moves revolute and prismatic joints unless told."""


@dataclass(frozen=True)
class Profile:
    """Positions, rates and accelerations that are wanted of all joints, by time; `period` is how long they last."""

    q: Callable[[float], Array]
    qd: Callable[[float], Array]
    qdd: Callable[[float], Array]
    period: float


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


def profile_torques(mechanism: Mechanism, profile: Profile, t: float) -> Array:
    """What inverse dynamics asks of the joints at a time."""
    G, offset = gearing(mechanism)
    with np.errstate(all="ignore"):  # what overflows is refused by name below
        motion = G @ profile.q(t) + offset, G @ profile.qd(t), G @ profile.qdd(t)
        tau: Array = G.T @ inverse_dynamics(mechanism, *motion)
    check_finite(f"of {mechanism.name!r} along this profile", tau=tau)
    return tau


def inverse_torque(mechanism: Mechanism, profile: Profile) -> Torque:
    """Open-loop control: the torques of a profile, whatever the joints do.  # Wong sec. 3.5.1"""
    at = lru_cache(maxsize=64)(lambda t: profile_torques(mechanism, profile, t).tolist())
    return lambda joint, t, _q, _qd: float(at(t)[joint])


@dataclass(frozen=True)
class Driving:
    """A profile by name: where a motion starts, what drives it, how long, and what is wanted, if anything is.

    `control` makes a control for a step of so many seconds.
    """

    start: State
    torque: Torque
    duration: float
    wanted: Profile | None = None
    actuators: tuple[Actuator, ...] = ()
    control: Callable[[float], Control] | None = None

    def motion(
        self,
        mechanism: Mechanism,
        h: float,
        duration: float | None = None,
        order: int = 4,
        friction: float = 0.0,
        start: State | None = None,
    ) -> Motion:
        """The motion, in steps of `h` seconds; its own duration and start unless told."""
        lasting = self.duration if duration is None else duration
        if not (math.isfinite(h) and h > 0):
            raise MeshSimError(f"step must be a positive number of seconds, not {h}")
        if not (math.isfinite(lasting) and lasting > 0):
            raise MeshSimError(f"duration must be a positive number of seconds, not {lasting}")
        if lasting / h > MOST_STEPS:
            raise MeshSimError(f"duration must be at most {MOST_STEPS} steps of {h:g} s, not {lasting:g} s")
        steps = round(lasting / h)
        if steps < 1 or abs(steps * h - lasting) > 1e-9 * lasting:
            raise MeshSimError(f"duration must be a whole number of steps of {h:g} s, not {lasting:g} s")
        if not (math.isfinite(friction) and friction >= 0):
            raise MeshSimError(f"friction must be a finite number, at least 0, not {friction}")
        return Motion(
            mechanism,
            start or self.start,
            h,
            steps,
            order,
            self.torque,
            (friction,) * len(mechanism.joints) if friction else (),
            self.actuators,
            None if self.control is None else self.control(h),
        )


def load_profile(spec: str, mechanism: Mechanism) -> Driving:
    """What a profile's name means for a robot.

    Parameters
    ----------
    spec : str
        ``free``; ``cycloid:SECONDS``, with degrees and metres if they are not 180 and 0.1; ``excavator:joint`` or
        ``excavator:resolved``; or a CSV file of torques.
    mechanism : Mechanism
        The robot.
    """
    n = len(mechanism.joints)
    rest = State((0.0,) * n, (0.0,) * n, (0.0,) * n)
    if spec == FREE:
        return Driving(rest, no_torque, 1.0)
    name, *numbers = spec.split(":")
    if name == CYCLOID and 1 <= len(numbers) <= 3:
        period, degrees, metres = _numbers(spec, numbers)
        kinds = [mechanism.bodies[i].kind for i in mechanism.freedoms]
        ends = [metres if kind == "prismatic" else math.radians(degrees) for kind in kinds]
        wanted = cycloid([0.0] * n, ends, period)
        return Driving(rest, inverse_torque(mechanism, wanted), period, wanted)
    if spec in EXCAVATOR:
        if mechanism.joints != NAMES:
            raise MeshSimError(f"profile {spec!r} must drive the robot excavator, not {mechanism.name}")
        still = State(START, (0.0,) * n, (0.0,) * n)
        control = partial(ExcavatorControl, EXCAVATOR[spec])
        return Driving(still, no_torque, DURATION, None, ACTUATORS, control)
    if spec.endswith(".csv"):
        torque, duration = read_torques(spec, mechanism)
        return Driving(rest, torque, duration)
    raise MeshSimError(f"profile must be {FORMS}, not {spec!r}")


def _numbers(spec: str, words: Sequence[str]) -> tuple[float, float, float]:
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = [math.nan]
    if not all(map(math.isfinite, values)) or values[0] <= 0:
        raise MeshSimError(f"profile must be {FORMS}, with a positive number of seconds, not {spec!r}")
    period, degrees, metres = (*values, *(DEGREES, METRES)[len(values) - 1 :])
    return period, degrees, metres


def read_torques(path: str, mechanism: Mechanism) -> tuple[Torque, float]:
    """Torques from a CSV file with a column `t` and one for each joint, straight between its rows and level beyond."""
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as stream:
            rows = [row for row in csv.reader(stream) if row]
    except (OSError, ValueError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise MeshSimError(f"profile must be a readable CSV file, not {path!r} ({reason})") from None
    header = ["t", *mechanism.joints]
    if not rows or sorted(rows[0]) != sorted(header):
        found = ", ".join(rows[0]) if rows else "nothing"
        raise MeshSimError(f"{path}: the columns must be {', '.join(header)}, not {found}")
    try:
        numbers = [[float(word) for _, word in zip(header, row, strict=True)] for row in rows[1:]]
    except ValueError:
        raise MeshSimError(f"{path}: every row must have {len(header)} numbers, as the header has") from None
    table = np.array(numbers).reshape(-1, len(header))
    times = table[:, rows[0].index("t")]
    if len(table) < 1 or not np.isfinite(table).all() or (np.diff(times) <= 0).any():
        raise MeshSimError(f"{path}: there must be rows of finite numbers, t increasing")
    columns = [table[:, rows[0].index(joint)] for joint in mechanism.joints]
    return lambda joint, t, _q, _qd: float(np.interp(t, times, columns[joint])), float(times[-1])
