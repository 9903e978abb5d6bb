"""The excavator's hydraulics and joystick control, as the control transputer computed it.  # Wong secs 5.4.2 to 5.5.2

The thesis shows initial angles and commands in figures only. The values used here were chosen, and are in this file:
`START`, `JOINT_RATES` and `SPOOL_GAIN`; so is the end effector, which is taken to be the
bucket's hinge.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from meshsim.algorithms.kernels.actuator import Actuator
from meshsim.algorithms.kernels.control import (
    arm_rates,
    differentiate,
    joint_rates,
    pd_voltage,
    slope_of,
    spool_opening,
)
from meshsim.algorithms.kernels.core import axpy, sine_cosine
from meshsim.program import Cpu

MODES = ("joint", "resolved")
NAMES = ("cab", "boom", "stick", "bucket")

# Wong Table 5.2
_SUPPLY = (4000.0, 7000.0, 4000.0, 4000.0)
_GEAR = (307.0, 545.0, 220.0, 250.0)
_DAMPING = (100000.0, 100000.0, 30000.0, 100.0)
ACTUATORS = tuple(
    Actuator(supply, 0.0, 26.0, 0.7, gear, damping, 1000.0)
    for supply, gear, damping in zip(_SUPPLY, _GEAR, _DAMPING, strict=True)
)
DEADBAND = 0.005
OPENING = 0.05
"""Of the spool, in cm: what it must be asked for before it opens, and how far it opens."""
SPOOL_GAIN = 0.03
"""Chosen, in cm/V: Fig. 5.3's value is not in the text. With more than 0.05 the boom's loop oscillates for ever."""
# Wong Table 5.3
PROPORTIONAL = (2.0, 3.0, 2.0, 2.0)
DIFFERENTIAL = (1.0, 2.0, 1.0, 1.0)

# Lengths in the plane of the arm, from the data of sec. 5.2: hinge to hinge, and the boom's hinge from the cab's axis.
BOOM, STICK, SETBACK, DECK = 5.2, 1.8, 1.4, 1.0
RADIUS = 5.0
"""Where the resolved experiment begins, in m; it ends at 6.5."""

STICK_SLOPE, BUCKET_SLOPE = math.radians(-60.0), math.radians(-90.0)
_BOOM_ANGLE = math.acos((RADIUS - SETBACK - STICK * math.cos(STICK_SLOPE)) / BOOM)
START = (0.0, _BOOM_ANGLE, STICK_SLOPE - _BOOM_ANGLE, BUCKET_SLOPE - STICK_SLOPE)
"""Initial angles, chosen: the bucket's hinge at a radius of 5 m, the stick 60 degrees below the horizon."""

REST, MOVE, DURATION = 5.0, 5.0, 15.0
"""Both experiments: 5 s of no command, 5 s of constant ones, 5 s of none."""
JOINT_RATES = tuple(math.radians(rate) for rate in (3.0, -2.0, 3.0, 4.0))
"""Commands of the JOINT experiment, chosen."""
RESOLVED_RATES = (math.radians(15.0) / MOVE, 1.5 / MOVE, 0.0, 0.0)
"""Commands of the RESOLVED experiment: 15 degrees and from 5 to 6.5 m in 5 s; height and bucket angle stay."""
STILL = (0.0,) * 4
"""No command, in either mode."""


@dataclass(frozen=True)
class Memory:
    """What the control transputer keeps from one sample to the next."""

    sample: int
    theta: tuple[float, ...]
    wanted: tuple[float, ...]
    wanted_rates: tuple[float, ...] = ()
    voltages: tuple[float, ...] = ()

    @property
    def next_sample(self) -> int:
        """The number of the sample after this."""
        return self.sample + 1


@dataclass(frozen=True)
class ExcavatorControl:
    """JOINT or RESOLVED mode: velocity commands to spool openings, once a sample.

    In RESOLVED mode the kinematics are those of the wanted angles.
    """

    mode: str
    h: float

    @property
    def samples_a_second(self) -> float:
        """Formed off line."""
        return 1.0 / self.h

    def is_moving(self, sample: int) -> bool:
        """Whether the joysticks are moved at a sample."""
        return REST <= sample * self.h < REST + MOVE

    def command(self, cpu: Cpu, memory: Memory | None, positions: Sequence[float]) -> tuple[Memory, tuple[float, ...]]:
        """Differentiate, integrate what is wanted, and let the valves close the difference."""
        before = memory or Memory(0, START, START)
        rates = self.wanted_rates(cpu, before)
        wanted = tuple(cpu.do(axpy, self.h, rate, angle) for rate, angle in zip(rates, before.wanted, strict=True))
        voltages, openings = [], []
        for i, theta in enumerate(positions):
            rate = cpu.do(differentiate, self.samples_a_second, theta, before.theta[i])
            pairs = (rates[i], rate), (wanted[i], theta)
            voltages.append(cpu.do(pd_voltage, DIFFERENTIAL[i], PROPORTIONAL[i], *pairs))
            openings.append(cpu.do(spool_opening, voltages[i], SPOOL_GAIN, DEADBAND, OPENING))
        after = Memory(before.next_sample, tuple(positions), wanted, tuple(rates), tuple(voltages))
        return after, tuple(openings)

    def wanted_rates(self, cpu: Cpu, memory: Memory) -> Sequence[float]:
        """The rates that the joysticks ask for now: of the joints, or resolved to them."""
        moving = self.is_moving(memory.sample)
        if self.mode == "joint":
            return JOINT_RATES if moving else STILL
        return resolve(cpu, RESOLVED_RATES if moving else STILL, memory.wanted)


def resolve(cpu: Cpu, commands: Sequence[float], theta: Sequence[float]) -> tuple[float, float, float, float]:
    """Joint rates from those of the cab, of the radius, of the height, and of the bucket to the ground."""
    cab, radial, vertical, bucket = commands
    boom_slope = theta[1]
    stick_slope = cpu.do(slope_of, boom_slope, theta[2])
    ends = cpu.do(sine_cosine, boom_slope), cpu.do(sine_cosine, stick_slope)
    boom, stick = cpu.do(arm_rates, (radial, vertical), *ends, (BOOM, STICK))
    return cab, boom, *cpu.do(joint_rates, boom, stick, bucket)


def end_effector(theta: Sequence[float]) -> tuple[float, float, float]:
    """Radius and height of the bucket's hinge, and how the bucket stands to the ground; uncounted."""
    boom, stick = theta[1], theta[1] + theta[2]
    radius = SETBACK + BOOM * math.cos(boom) + STICK * math.cos(stick)
    height = DECK + BOOM * math.sin(boom) + STICK * math.sin(stick)
    return radius, height, stick + theta[3]
