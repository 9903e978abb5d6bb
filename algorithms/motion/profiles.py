"""How motions are driven: prescribed profiles with the torques of inverse dynamics, tables of torques, free fall."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from meshsim.algorithms.kernels.actuator import Actuator
from meshsim.algorithms.motion.cycloid import Profile, cycloid
from meshsim.algorithms.motion.dry_friction import dry_friction, levels_of
from meshsim.algorithms.motion.excavator_control import ACTUATORS, DURATION, MODES, NAMES, START, ExcavatorControl
from meshsim.algorithms.motion.motion import Control, Feedback, Motion, Torque, count_steps, no_torque
from meshsim.algorithms.motion.own import OPEN_MOTIONS, OWN_MOTIONS, OWN_TORQUES, prescribed
from meshsim.algorithms.motion.prescribed import Prescribed
from meshsim.algorithms.motion.tables import MotionTable, columns_of, csv_rows, is_motion, motion_table
from meshsim.algorithms.reference.newton_euler import free_torques
from meshsim.algorithms.robots.closure import assemble, leading
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.reduced import split_text
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.types.arrays import Array, check_finite
from meshsim.errors import MeshSimError
from meshsim.reading import naming, number, numbers_in

FREE = "free"
OWN = "own"
CYCLOID = "cycloid"
TABLE = ".csv"
MOTIONS = "own, cycloid:SECONDS[:DEGREES[:METRES]], or FILE.csv of a motion"
EXCAVATOR = {f"excavator:{mode}": mode for mode in MODES}
FORMS = (
    f"free, own (what a document drives its mechanism by), cycloid:SECONDS[:DEGREES[:METRES]], "
    f"a torque for each driven joint (6 or 1,0,-2), {', '.join(EXCAVATOR)} or FILE.csv of torques or of a motion"
)
DEGREES = 180.0
METRES = 0.1
"""How far a cycloid moves revolute and prismatic joints unless told."""
SAMPLES = 301
"""Of inverse-dynamics torques along a motion with loops; a spline goes through them."""
TOGETHER = 256
"""So many times of a profile without loops are taken together."""


def profile_torques(mechanism: Mechanism, profile: Profile, t: float) -> Array:
    """What inverse dynamics asks of the joints at a time."""
    with np.errstate(all="ignore"):  # what overflows is refused by name below
        tau = free_torques(mechanism, *profile(t))
    check_finite(f"of {mechanism.name!r} along this profile", tau=tau)
    return tau


def inverse_torque(mechanism: Mechanism, profile: Profile, h: float | None = None, steps: int = 0) -> Torque:
    """Open-loop control: the torques of a profile, whatever the joints do.  # Wong sec. 3.5.1

    With steps of `h` seconds, those of the half steps that follow are found at once (`Motion.time`).
    """
    known: dict[float, list[float]] = {}

    def find(t: float) -> None:
        """Get to know a time, and those that follow if all is finite there."""
        half = 0 if h is None else round(2 * t / h)
        times = [] if h is None else [each * h / 2 for each in range(half, min(half + TOGETHER, 2 * steps + 1))]
        if times[:1] == [t]:
            with np.errstate(all="ignore"), suppress(MeshSimError):  # what is refused is, when its time comes
                found = free_torques(mechanism, *map(np.array, zip(*map(profile, times), strict=True)))
                if np.isfinite(found).all():
                    known.update(zip(times, found.tolist(), strict=True))
                    return
        known[t] = profile_torques(mechanism, profile, t).tolist()

    def torque(joint: int, t: float, _q: float, _qd: float) -> float:
        if t not in known:
            if len(known) > 2 * TOGETHER:
                known.clear()
            find(t)
        return known[t][joint]

    return torque


def _by_time(torque: Torque, joints: int, times: Sequence[float]) -> Array:
    """What drives each joint at each time, a row for each; what is refused is not finite, until its time comes."""
    rows = np.full((len(times), joints), math.nan)
    for row, t in zip(rows, times, strict=True):
        with suppress(MeshSimError):
            row[:] = [torque(joint, t, math.nan, math.nan) for joint in range(joints)]
    return rows


@dataclass(frozen=True)
class Driving:
    """A profile by name: where a motion starts, what drives it, how long, and what is wanted, if anything is.

    `along` makes the same torque, and `control` a control, for steps of so many seconds, the former for so many steps.
    None of these torques depends on what the joints do.
    """

    start: State
    torque: Torque
    duration: float
    wanted: Profile | Prescribed | None = None
    actuators: tuple[Actuator, ...] = ()
    control: Callable[[float], Control] | None = None
    along: Callable[[float, int], Torque] | None = None

    def motion(
        self,
        mechanism: Mechanism,
        h: float | None,
        duration: float | None = None,
        order: int = 4,
        friction: float = 0.0,
        start: State | None = None,
        rtol: float = 1e-6,
        gains: Sequence[float] | None = None,
        dry: float | str = 0.0,
    ) -> Motion:
        """The motion, in steps of `h` seconds or adaptive ones; its own duration and start unless told.

        `gains` are those of feedback, proportional and differential, that holds joints to what is wanted.
        """
        lasting = self.duration if duration is None else duration
        number("friction", friction, least=0)
        levels = levels_of(dry, len(mechanism.joints))
        steps = 0 if h is None else count_steps(lasting, h)
        if h is None and self.control is not None:
            raise MeshSimError("a control must be stepped at fixed times, not adaptively: give a step")
        torque = self.torque if h is None or self.along is None else self.along(h, steps)
        return Motion(
            mechanism,
            start or self.start,
            h,
            steps,
            order,
            torque,
            (friction,) * len(mechanism.joints) if friction else (),
            dry_friction(mechanism, start or self.start, h, levels, self.torque),
            self.actuators,
            None if self.control is None or h is None else self.control(h),
            None if gains is None else self.feedback(*gains),
            by_time=None if mechanism.cuts else partial(_by_time, torque, len(mechanism.joints)),
            lasting=lasting,
            rtol=rtol,
            atol=rtol * 1e-3,
        )

    def feedback(self, kp: float, kd: float) -> Feedback:
        """What draws the driven joints towards the motion that is wanted."""
        wanted = self.wanted
        if wanted is None:
            raise MeshSimError(
                "feedback must have a motion to hold joints to, as cycloid:SECONDS[:DEGREES[:METRES]] is one, not a "
                "profile of torques"
            )
        if not isinstance(wanted, Prescribed):
            return Feedback(kp, kd, lambda t: wanted(t)[:2])
        mechanism, profile = wanted.mechanism, wanted.profile
        more = len(mechanism.actuated) - len(leading(mechanism))
        if more:
            raise MeshSimError(
                f"feedback must be of as many actuated joints as there are freedoms, whose motion is wanted, and "
                f"{mechanism.name} has {more} more"
            )
        return Feedback(kp, kd, lambda t: profile(t)[:2])


def load_profile(spec: str, mechanism: Mechanism, start: State | None = None) -> Driving:
    """What a profile's name means for a robot.

    Parameters
    ----------
    spec : str
        ``free``; ``own`` for what a document drives its mechanism by; a torque for each driven joint;
        ``cycloid:SECONDS``, with degrees and metres if they are not 180 and 0.1; ``excavator:joint`` or
        ``excavator:resolved``; or a CSV file, of torques or of a motion.
    mechanism : Mechanism
        The robot.
    start : State, optional
        With loops: where a prescribed motion starts, if not near the robot's own guess.
    """
    rest = _rest(mechanism, start)
    if spec == FREE:
        return Driving(rest, no_torque, 1.0)
    name, *numbers = spec.split(":")
    if spec == OWN or (name == CYCLOID and 1 <= len(numbers) <= 3):
        return _prescribing(spec, mechanism, rest, start)
    if spec in EXCAVATOR:
        if mechanism.joints != NAMES:
            raise MeshSimError(f"profile {spec!r} must drive the robot excavator, not {mechanism.name}")
        still = State(START, rest.qd, rest.tau)
        control = partial(ExcavatorControl, EXCAVATOR[spec])
        return Driving(still, no_torque, DURATION, None, ACTUATORS, control)
    if spec.endswith(TABLE):
        if _has_motion(spec, mechanism):
            return _prescribing(spec, mechanism, rest, start)
        torque, duration = read_torques(spec, mechanism)
        return Driving(rest, torque, duration)
    torques = numbers_in(spec.split(","))
    driven = driven_joints(mechanism)
    if len(torques) != len(driven):
        more = f", and {mechanism.name} has {len(driven)} driven joints" if torques else ""
        raise MeshSimError(f"profile must be {FORMS}{more}, not {spec!r}")
    return _constant(rest, driven, torques, 1.0)


def driven_joints(mechanism: Mechanism) -> tuple[int, ...]:
    """The joints that are driven, by their place in a state: with loops those that are actuated, else all."""
    return mechanism.actuated if mechanism.cuts else tuple(range(len(mechanism.joints)))


def _rest(mechanism: Mechanism, start: State | None) -> State:
    """At rest: at 0, or where the loops close."""
    n = len(mechanism.joints)
    still = (0.0,) * n
    if not mechanism.cuts:
        return State(still, still, still)
    return State(tuple(assemble(mechanism).tolist()) if start is None else start.q, still, still)


def _constant(rest: State, driven: Sequence[int], torques: Sequence[float], duration: float) -> Driving:
    by_joint = dict(zip(driven, map(float, torques), strict=True))
    tau = tuple(by_joint.get(joint, 0.0) for joint in range(len(rest.q)))
    return Driving(State(rest.q, rest.qd, tau), lambda joint, _t, _q, _qd: by_joint[joint], duration)


def _along(mechanism: Mechanism, wanted: Profile) -> Driving:
    """A robot without loops, driven along a profile."""
    torque = inverse_torque(mechanism, wanted)
    q, qd, _ = (tuple(values.tolist()) for values in wanted(0.0))
    tau = tuple(torque(joint, 0.0, 0.0, 0.0) for joint in range(len(q)))
    return Driving(State(q, qd, tau), torque, wanted.period, wanted, along=partial(inverse_torque, mechanism, wanted))


def _family(mechanism: Mechanism) -> str:
    """The robot that a motion of its own is of; one that was reduced has none."""
    name, changes = split_text(mechanism.name)
    return "" if changes else name.partition(":")[0]


def _prescribing(spec: str, mechanism: Mechanism, rest: State, start: State | None) -> Driving:
    """A prescribed motion, with loops by the actuated joints; what a document has of none is constant torques."""
    family = _family(mechanism)
    if spec == OWN and mechanism.cuts and family not in OWN_MOTIONS:
        torques, duration = OWN_TORQUES.get(mechanism.name, ((0.0,) * len(mechanism.actuated), 1.0))
        return _constant(rest, mechanism.actuated, torques, duration)
    wanted, duration = load_motion(spec, mechanism, start)
    if isinstance(wanted, Profile):
        return _along(mechanism, wanted)
    if not duration:
        raise MeshSimError(f"{spec}: a motion must have two rows or more to drive {mechanism.name}, not one")
    at = lru_cache(maxsize=64)(wanted.torques(duration, SAMPLES))
    place = {joint: k for k, joint in enumerate(mechanism.actuated)}

    def torque(joint: int, t: float, _q: float, _qd: float) -> float:
        return float(at(t)[place[joint]])

    tau = tuple(torque(joint, 0.0, 0.0, 0.0) if joint in place else 0.0 for joint in range(mechanism.n))
    wanted.last = np.array(rest.q if wanted.times is None else wanted.start)
    q, qd, _ = wanted(0.0)
    return Driving(State(tuple(q.tolist()), tuple(qd.tolist()), tau), torque, duration, wanted)


def load_motion(spec: str, mechanism: Mechanism, start: State | None = None) -> tuple[Profile | Prescribed, float]:
    """A prescribed motion, and how long it lasts: ``own``, a cycloid, or a CSV file of q, q' and q'' (`tables.py`).

    With loops the actuated joints prescribe it. It begins at `start`, which may be assembled in another way than the
    robot's own guess.
    """
    if not mechanism.cuts:
        profile = _profile(spec, mechanism)
        return profile, profile.period
    wanted, duration = _prescribed(spec, mechanism, np.array(_rest(mechanism, start).q))
    return (wanted if start is None else replace(wanted, start=start.q)), duration


def _table(spec: str, mechanism: Mechanism) -> MotionTable:
    with naming(spec):
        return motion_table(csv_rows(spec), mechanism)


def _profile(spec: str, mechanism: Mechanism) -> Profile:
    """A motion of a robot without loops."""
    family = _family(mechanism)
    if spec.endswith(TABLE):
        return _table(spec, mechanism).profile
    if spec == OWN and family in OPEN_MOTIONS:
        return OPEN_MOTIONS[family]
    period, ends = _cycloid(spec, mechanism, mechanism.freedoms)
    return cycloid([0.0] * len(ends), ends, period)


def _prescribed(spec: str, mechanism: Mechanism, start: Array) -> tuple[Prescribed, float]:
    family = _family(mechanism)
    if spec.endswith(TABLE):
        table = _table(spec, mechanism)
        near = start.copy()
        near[list(table.joints)] = table.q[0]
        wanted = Prescribed(mechanism, table.of(leading(mechanism)), near.tolist(), table.times)
        return wanted, float(table.times[-1])
    if spec == OWN and family in OWN_MOTIONS:
        make, duration = OWN_MOTIONS[family]
        return make(mechanism, start), duration
    period, reach = _cycloid(spec, mechanism, leading(mechanism))
    return prescribed(mechanism, start, reach, period), period


def _cycloid(spec: str, mechanism: Mechanism, joints: Sequence[int]) -> tuple[float, list[float]]:
    """How long a cycloid lasts, and how far it moves each joint."""
    if spec == OWN:
        raise MeshSimError(
            f"{mechanism.name} has no motion of its own; cycloid:SECONDS[:DEGREES[:METRES]] gives it one"
        )
    if not spec.startswith(f"{CYCLOID}:"):
        raise MeshSimError(f"profile must be {MOTIONS}, not {spec!r}")
    period, degrees, metres = _numbers(spec)
    kinds = [mechanism.bodies[joint].kind for joint in joints]
    return period, [metres if kind == "prismatic" else math.radians(degrees) for kind in kinds]


def _numbers(spec: str) -> tuple[float, float, float]:
    values = numbers_in(spec.split(":")[1:])
    if not 1 <= len(values) <= 3 or values[0] <= 0:
        raise MeshSimError(
            f"profile must be cycloid:SECONDS[:DEGREES[:METRES]], finite numbers of which the first is positive, not "
            f"{spec!r}"
        )
    period, degrees, metres = (*values, *(DEGREES, METRES)[len(values) - 1 :])
    return period, degrees, metres


def _has_motion(path: str, mechanism: Mechanism) -> bool:
    with naming(path):
        return is_motion(csv_rows(path)[0], mechanism)


def read_torques(path: str, mechanism: Mechanism) -> tuple[Torque, float]:
    """Torques from a CSV file with a column `t` and one for each driven joint.

    They are straight between its rows and level beyond.
    """
    with naming(path):
        rows = csv_rows(path)
        columns = ["t", *(mechanism.joints[joint] for joint in driven_joints(mechanism))]
        if sorted(rows[0]) != sorted(columns):
            raise MeshSimError(f"the columns must be {', '.join(columns)}, not {', '.join(rows[0]) or 'nothing'}")
        table = columns_of(rows)
        times = table["t"]
    return lambda joint, t, _q, _qd: float(np.interp(t, times, table[mechanism.joints[joint]])), float(times[-1])
