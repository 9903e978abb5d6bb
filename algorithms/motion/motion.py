"""What a motion is: what moves, from where, by which torques and in which steps; and what came of it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from meshsim.algorithms.kernels.actuator import Actuator, DryFriction
from meshsim.algorithms.motion.integration import Rule, rule_of
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.base.effort import Effort, Regulated, applied
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.program import Cpu
from meshsim.reading import number, positive

MOST_STEPS = 1_000_000
"""Of a motion: more would not fit into memory."""


class DivergedError(MeshSimError):
    """A motion whose state is no longer finite, or far outside any range."""


class SingularError(MeshSimError):
    """A motion that came, at `t`, to a position in which its loops do not determine it."""

    def __init__(self, message: str, t: float = math.nan) -> None:
        super().__init__(message)
        self.t = t


Torque = Callable[[int, float, float, float], float]
"""Torque of a joint (from 0) given the time, its position and its rate: from outside the machine, uncounted.

With loops, only actuated joints are asked for, and position and rate are not told: they may live elsewhere.
"""

TorquesByTime = Callable[[Sequence[float]], Array]
"""Torques of all joints at some times, a row for each; what is not finite is refused where it is used."""


@dataclass(frozen=True)
class Feedback:
    """Proportional and differential feedback of the driven joints, made where each joint's state lives: counted.

    Attributes
    ----------
    kp, kd : float
        The gains, of every joint: N m/rad and N m s/rad, or N/m and N s/m.
    wanted : callable
        Positions and rates that are wanted of the driven joints, in their order, by time: from outside the machine.
    """

    kp: float
    kd: float
    wanted: Callable[[float], tuple[Array, Array]]

    def __post_init__(self) -> None:
        number("proportional gain of feedback", self.kp, least=0)
        number("differential gain of feedback", self.kd, least=0)

    def effort(self, torque: float, q: float, qd: float) -> Regulated:
        """A torque with feedback towards a position and a rate."""
        return Regulated(torque, self.kp, self.kd, q, qd)


def no_torque(_joint: int, _t: float, _q: float, _qd: float) -> float:
    """Free fall."""
    return 0.0


class Control(Protocol):
    """Makes commands from positions, once a step."""

    def command(self, cpu: Cpu, memory: Any, positions: Sequence[float]) -> tuple[Any, tuple[float, ...]]:
        """Given what it remembers (None at first), what it will remember and a command for each joint."""


@dataclass(frozen=True)
class Motion:
    """What moves, from where, and by which torques.

    Attributes
    ----------
    mechanism, state
        The robot and its state at the beginning; torques in the state are not looked at.
    h, steps, order
        The step in seconds, how many, and the order of the rule. Without `h`, steps are adaptive.
    torque : Torque
        What drives each joint.
    friction : tuple of float
        Viscous friction of each joint (N m s/rad, or N s/m); none at all if empty.
    dry_friction : tuple of DryFriction
        Coulomb's friction of each joint, which sticks; none at all if empty.
    actuators : tuple of Actuator
        Drives in place of `torque`, one for each joint; their pressures are integrated too, from 0.
    control : Control or None
        Sets the commands of the actuators after each step; they begin at 0.
    feedback : Feedback or None
        Added to the torques of the driven joints.
    by_time : callable or None
        The same torques by times, a row for each and a column a joint, if they do not depend on what the joints do:
        then fixed steps without loops may be written out as a whole.
    lasting, rtol, atol : float
        With adaptive steps: for how many seconds, and to which tolerances.
    """

    mechanism: Mechanism
    state: State
    h: float | None
    steps: int
    order: int = 4
    torque: Torque = no_torque
    friction: tuple[float, ...] = ()
    dry_friction: tuple[DryFriction, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    control: Control | None = None
    feedback: Feedback | None = None
    by_time: TorquesByTime | None = None
    lasting: float = 0.0
    rtol: float = 1e-6
    atol: float = 1e-9

    def __post_init__(self) -> None:
        if self.h is None:
            self._check_adaptive()
        else:
            positive("step", self.h, " of seconds")
            if self.steps < 1:
                raise MeshSimError(f"a motion must have at least one step, not {self.steps}")
            rule_of(self.order, self.h)
        n = len(self.mechanism.joints)
        given = {"friction": self.friction, "dry friction": self.dry_friction, "actuators": self.actuators}
        for name, values in given.items():
            if values and len(values) != n:
                raise MeshSimError(f"{name} must be given for each of {n} joints, not for {len(values)}")
            if values and self.mechanism.cuts:
                raise MeshSimError(f"{name} must be left out of mechanisms with loops, as {self.mechanism.name} is one")

    def _check_adaptive(self) -> None:
        positive("duration", self.lasting, " of seconds")
        positive("rtol", self.rtol)
        positive("atol", self.atol)
        if self.rtol < 1e-13:
            raise MeshSimError(f"rtol must be at least 1e-13, not {self.rtol}: rounding leaves no more")
        if self.actuators or self.friction or self.dry_friction:
            raise MeshSimError("friction and actuators must be integrated in fixed steps, not in adaptive ones")

    @property
    def rule(self) -> Rule:
        """How it is integrated in fixed steps."""
        assert self.h is not None
        return rule_of(self.order, self.h)

    @property
    def evaluations(self) -> int:
        """How often fixed steps evaluate the dynamics."""
        return self.order * self.steps

    @property
    def duration(self) -> float:
        """How many seconds it lasts."""
        return self.lasting if self.h is None else self.time(self.steps)

    def time(self, step: int, half: int = 0) -> float:
        """When a fixed step begins, and some halves of it later."""
        assert self.h is not None
        return (2 * step + half) * self.h / 2

    def effort(self, joint: int, t: float, q: float, qd: float) -> Effort:
        """Without loops: what drives a joint."""
        torque = float(self.torque(joint, t, q, qd))
        if self.feedback is None:
            return torque
        wanted, rates = self.feedback.wanted(t)
        return self.feedback.effort(torque, float(wanted[joint]), float(rates[joint]))

    def torques(self, t: float) -> list[float]:
        """With loops: the torques of all joints at a time, 0 of those that are not actuated; without feedback."""
        tau = [0.0] * self.mechanism.n
        for joint in self.mechanism.actuated:
            tau[joint] = float(self.torque(joint, t, math.nan, math.nan))
        return tau

    def orders(self, t: float) -> list[float]:
        """With loops: what the processors are told at a time: torques, then what feedback wants, if there is any."""
        wanted = () if self.feedback is None else self.feedback.wanted(t)
        return [*self.torques(t), *(float(each) for values in wanted for each in values)]

    def efforts(self, orders: Sequence[float]) -> list[Effort]:
        """The same by joint."""
        n, k = self.mechanism.n, len(self.mechanism.actuated)
        found: list[Effort] = list(orders[:n])
        if self.feedback is not None:
            for joint, q, qd in zip(self.mechanism.actuated, orders[n : n + k], orders[n + k :], strict=True):
                found[joint] = self.feedback.effort(orders[joint], q, qd)
        return found

    def applied(self, t: float, q: Sequence[float], qd: Sequence[float]) -> list[float]:
        """With loops: the torques of all joints, with feedback, as reports have them."""
        return applied(self.efforts(self.orders(t)), q, qd)


def count_steps(duration: float, h: float) -> int:
    """How many steps of `h` seconds a duration has."""
    positive("step", h, " of seconds")
    positive("duration", duration, " of seconds")
    if not duration / h <= MOST_STEPS:
        raise MeshSimError(f"duration must be at most {MOST_STEPS} steps of {h:g} s, not {duration:g} s")
    steps = round(duration / h)
    if steps < 1 or abs(steps * h - duration) > 1e-9 * duration:
        raise MeshSimError(f"duration must be a whole number of steps of {h:g} s, not {duration:g} s")
    return steps


@dataclass(frozen=True)
class Sample:
    """One joint at the beginning of a step: what a motion is recorded as.

    `qdd` and `tau` are None where they were not computed, as at the very end. With an actuator there are its pressures,
    and the command under which the step is made; with loops, how far these are from closed (m or rad).
    """

    t: float
    q: float
    qd: float
    qdd: float | None = None
    tau: float | None = None
    pressures: tuple[float, float] | None = None
    command: float | None = None
    gap: float | None = None


Watch = Callable[[int, int, Sample], None]
"""Called for every step (from 0) and joint as it is computed; may raise an error to stop the motion."""


@dataclass(frozen=True, eq=False)
class Moved:
    """A motion as it came out. Arrays have a row for each step and one for the end; NaN is what was not computed.

    Attributes
    ----------
    t, q, qd, qdd, tau : arrays
        By time and joint.
    pressures, commands : arrays or None
        By time and joint, where there are actuators.
    gap : array or None
        With loops: how far the worst is from closed, by time.
    evaluations : int
        How often the dynamics were evaluated, for rejected steps too.
    restarts : list of float
        When independent rates were chosen anew.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    pressures: Array | None = None
    commands: Array | None = None
    gap: Array | None = None
    evaluations: int = 0
    restarts: list[float] = field(default_factory=list)
