"""Rotary hydraulic actuators: flows through a valve, the torque, and how the pressures change.  # Wong sec. 5.4.2

Pressures in psi and spool openings in cm, as in the thesis. Off line: displacement times gear, and an eighth of it.
"""

import math
from dataclasses import dataclass

from meshsim.counted import kernel
from meshsim.program import Cpu


@dataclass(frozen=True)
class Actuator:
    """Constants of one actuator."""  # Wong Table 5.2

    supply: float  # P_s
    drain: float  # P_e
    valve: float  # k_f
    displacement: float  # D_m
    gear: float  # G
    damping: float  # beta_m
    stiffness: float  # beta_v


@dataclass(frozen=True)
class Drive:
    """An actuator with its spool opening and its two pressures."""

    actuator: Actuator
    spool: float
    p_in: float
    p_out: float


@kernel(mul=2, add=1, sqrt=1)
def valve_flow(coefficient: float, opening: float, low: float, high: float) -> float:
    """Flow through an opening into a low pressure from a high one."""
    return coefficient * opening * math.sqrt(high - low)


@kernel(mul=2, add=2)
def motor_torque(p_in: float, p_out: float, gain: float, damping: float, rate: float) -> float:
    """What the pressures exert, less what friction takes."""  # Wong eq. 5.3
    return (p_in - p_out) * gain - damping * rate


@kernel(mul=3, add=2)
def pressure_rates(q_in: float, q_out: float, motor: float, stiffness: float, rate: float) -> tuple[float, float]:
    """How fast the pressures change, by the flow that the motor does not take."""  # Wong eq. 5.4
    taken = rate * motor
    return (q_in - taken) * stiffness, (taken - q_out) * stiffness


def actuate(cpu: Cpu, drive: Drive, rate: float) -> tuple[float, float, float]:
    """Torque and the rates of both pressures, for a joint that turns at `rate`."""
    actuator, x = drive.actuator, drive.spool
    p_in, p_out = (min(max(p, actuator.drain), actuator.supply) for p in (drive.p_in, drive.p_out))
    inlet, outlet = (p_in, actuator.supply), (actuator.drain, p_out)
    if x <= 0.0:
        inlet, outlet = (actuator.drain, p_in), (p_out, actuator.supply)
    q_in = cpu.do(valve_flow, actuator.valve, x, *inlet)  # Wong eq. 5.2
    q_out = cpu.do(valve_flow, actuator.valve, x, *outlet)
    gain, motor = _products(actuator)
    torque = cpu.do(motor_torque, p_in, p_out, gain, actuator.damping, rate)
    return torque, *cpu.do(pressure_rates, q_in, q_out, motor, actuator.stiffness, rate)


def drive_torque(drive: Drive, rate: float) -> float:
    """The torque alone, uncounted."""
    actuator = drive.actuator
    p_in, p_out = (min(max(p, actuator.drain), actuator.supply) for p in (drive.p_in, drive.p_out))
    return motor_torque(p_in, p_out, _products(actuator)[0], actuator.damping, rate)


def _products(actuator: Actuator) -> tuple[float, float]:
    motor = actuator.displacement * actuator.gear
    return motor / 8.0, motor
