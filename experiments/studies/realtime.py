"""Whether a machine keeps up with time: how long a step takes and how long it stands for, and what would still do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from meshsim.algorithms.motion.excavator_control import NAMES
from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.motion.pace import Pace, moving, steady_pace
from meshsim.algorithms.motion.profiles import FREE, load_profile
from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.errors import MeshSimError
from meshsim.experiments.store.progress import tell
from meshsim.machine import Machine
from meshsim.presets import PRESETS
from meshsim.recording import Recording, record
from meshsim.retiming import is_kahn, retime
from meshsim.sensitivity import PARAMETERS, parameter_of, with_parameters

MOST_JOINTS = 32
"""Longer chains are not tried."""
MOST_TICKS = 1_000_000
"""Larger costs are not tried."""
STILL = 1e-9
"""The step with which times are found, in seconds."""
SHORT, LONG = 2, 4
"""Steps of the two recordings whose difference tells what a step costs elsewhere."""


@dataclass(frozen=True)
class Question:
    """What is asked: a scheme with its options, a machine, a step and the order of the rule."""

    scheme: Scheme
    options: Mapping[str, str]
    machine: Machine
    h: float
    order: int
    profile: str | None = None

    def motion(self, mechanism: Mechanism) -> Motion:
        """A motion of a few steps; times do not depend on its numbers, so that it hardly moves and cannot diverge."""
        profile = self.profile or ("excavator:joint" if mechanism.joints == NAMES else FREE)
        whole = load_profile(profile, mechanism).motion(mechanism, self.h, self.h, self.order)
        return replace(whole, steps=LONG, h=STILL)

    def pace(self, mechanism: Mechanism, machine: Machine | None = None) -> Pace:
        """How long its steps take, message by message."""
        evaluation = self.scheme.evaluation(mechanism, **self.options)
        return steady_pace(evaluation, self.motion(mechanism), machine or self.machine)[0]

    def us(self, pace: Pace, machine: Machine | None = None) -> float:
        """A step in microseconds."""
        return (machine or self.machine).microseconds(1) * pace.step

    @property
    def allowed_us(self) -> float:
        """How long a step may take."""
        return 1e6 * self.h


@dataclass(frozen=True)
class Answer:
    """Yes or no, and how near.

    Attributes
    ----------
    question, robot
        What was asked, of which robot.
    step_us : float
        How long a step takes.
    steady : bool
        Whether all steps take as long.
    joints : dict
        By number of joints, what a step of a random chain takes: the longest that fits and the next, if tried.
    presets : dict
        What a step takes on the machines that are built in.
    most : dict
        The largest value of each cost, in ticks, with which it would still do, all else equal; None is none at all.
    """

    question: Question
    robot: str
    step_us: float
    steady: bool
    joints: Mapping[int, float]
    presets: Mapping[str, float]
    most: Mapping[str, int | None]

    @property
    def yes(self) -> bool:
        """Whether it keeps up."""
        return self.step_us <= self.question.allowed_us

    @property
    def largest(self) -> int:
        """The longest chain that fits; 0 if none does."""
        return max((n for n, us in self.joints.items() if us <= self.question.allowed_us), default=0)

    @property
    def slowest_tick_ns(self) -> float:
        """A tick that is as long as this is just quick enough."""
        return self.question.machine.tick_ns * self.question.allowed_us / self.step_us

    def as_json(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        question = self.question
        return {
            "robot": self.robot,
            "scheme": question.scheme.name,
            "options": dict(question.options),
            "machine": question.machine.name,
            "step_s": question.h,
            "order": question.order,
            "real_time": self.yes,
            "us_per_step": self.step_us,
            "us_per_evaluation": self.step_us / question.order,
            "us_allowed_per_evaluation": question.allowed_us / question.order,
            "margin": question.allowed_us / self.step_us - 1.0,
            "steady": self.steady,
            "largest_n": self.largest,
            "slowest_tick_ns": self.slowest_tick_ns,
            "most_ticks": dict(self.most),
            "presets_us": dict(self.presets),
        }

    def as_text(self) -> str:
        """What people read."""
        question = self.question
        machine, allowed = question.machine, question.allowed_us
        spare = f"{100 * (allowed / self.step_us - 1):.1f} % to spare" if self.yes else "too long"
        lines = [
            f"{self.robot}, {question.scheme.name} on {machine.name}, steps of {question.h:g} s, order "
            f"{question.order}: {'yes, in real time' if self.yes else 'no, not in real time'}",
            "",
            f"a step takes {self.step_us:.1f} us of {allowed:.0f}, an evaluation {self.step_us / question.order:.1f} "
            f"us of {allowed / question.order:.0f}: {spare}, {self.step_us / allowed:.3g} of the time",
        ]
        if not self.steady:
            lines.append("(no step repeated exactly: that is the mean of the last few)")
        lines += [self._joints_line(), self._machine_line(), *self._cost_lines(), self._preset_line()]
        return "\n".join(lines)

    def _joints_line(self) -> str:
        beyond = min((n for n in self.joints if n > self.largest), default=None)
        if not self.largest:
            return f"largest n: none; a chain of 1 joint takes {self.joints[1]:.1f} us a step"
        text = f"largest n: {self.largest} joints ({self.joints[self.largest]:.1f} us a step of a random chain)"
        return text + (f"; {beyond} take {self.joints[beyond]:.1f}" if beyond else "; more were not tried")

    def _machine_line(self) -> str:
        tick = self.question.machine.tick_ns
        what = "slowest machine" if self.yes else "it would take"
        return f"{what}: this one with ticks of {self.slowest_tick_ns:.4g} ns (now {tick:g} ns)"

    def _cost_lines(self) -> list[str]:
        machine = self.question.machine
        parts = []
        for name, most in self.most.items():
            now = parameter_of(machine, name)
            parts.append(f"{name} {'any' if most is None else most} (now {now})")
        return [f"  or, one cost at a time, at most so many ticks: {', '.join(parts)}"] if parts else []

    def _preset_line(self) -> str:
        parts = [
            f"{name} {'yes' if us <= self.question.allowed_us else 'no'} ({us:.1f} us)"
            for name, us in self.presets.items()
        ]
        return f"machines built in: {', '.join(parts)}"


def answer(question: Question, mechanism: Mechanism) -> Answer:
    """Simulate a few steps, then look for the limits."""
    tell("the robot itself")
    pace = question.pace(mechanism)
    joints = largest_chain(partial(_chain_us, question), question.allowed_us)
    presets = {}
    for name, machine in PRESETS.items():
        tell(f"on {name}")
        presets[name] = question.us(question.pace(mechanism, machine), machine)
    us = question.us(pace)
    if not us:
        raise MeshSimError(f"a step must take some time on {question.machine.name}, and takes none")
    most = dearest(question, mechanism) if us <= question.allowed_us else {}
    tell("")
    return Answer(question, mechanism.name, us, pace.period is not None, joints, presets, most)


def _chain_us(question: Question, n: int) -> float:
    tell(f"a chain of {n} joints")
    plain = replace(question, profile=FREE)
    return plain.us(plain.pace(chain(n, 1)))


def largest_chain(us: Callable[[int], float], allowed: float) -> dict[int, float]:
    """What chains take, tried until the longest that fits, and the next, are known."""
    known: dict[int, float] = {}
    fits, fails = 0, None
    n = 1
    while fails is None and n <= MOST_JOINTS:
        known[n] = us(n)
        fits, fails = (n, None) if known[n] <= allowed else (fits, n)
        n *= 2
    while fails is not None and fails - fits > 1:
        middle = (fits + fails) // 2
        known[middle] = us(middle)
        fits, fails = (middle, fails) if known[middle] <= allowed else (fits, middle)
    return known


def dearest(question: Question, mechanism: Mechanism) -> dict[str, int | None]:
    """The largest value of each cost with which a step still takes no longer than it may; the others as they are."""
    machine = question.machine
    evaluation = question.scheme.evaluation(mechanism, **question.options)
    motion = question.motion(mechanism)
    tell("recording")
    short, long = (record(moving(evaluation, replace(motion, steps=steps)))[0] for steps in (SHORT, LONG))
    if not is_kahn(machine, long):
        return {}
    found: dict[str, int | None] = {}
    for name in PARAMETERS:
        tell(f"how large {name} may be")
        now = parameter_of(machine, name)
        if machine.links.discipline == "free" and name in ("startup", "per_word", "setup"):
            continue
        fits, fails = now, None
        value = max(2 * now, 1)
        while fails is None and value <= MOST_TICKS:
            if _fits(question, short, long, with_parameters(machine, **{name: value})):
                fits, value = value, 2 * value
            else:
                fails = value
        while fails is not None and fails - fits > 1:
            middle = (fits + fails) // 2
            slower = with_parameters(machine, **{name: middle})
            fits, fails = (middle, fails) if _fits(question, short, long, slower) else (fits, middle)
        found[name] = fits if fails is not None else None
    return found


def _fits(question: Question, short: Recording, long: Recording, machine: Machine) -> bool:
    ticks = int(retime(long, [machine]).ticks[0]) - int(retime(short, [machine]).ticks[0])
    return machine.microseconds(ticks) <= question.allowed_us * (LONG - SHORT)
