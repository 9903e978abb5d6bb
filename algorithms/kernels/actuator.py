"""What acts at a joint: rotary hydraulic actuators (Wong sec. 5.4.2), and dry friction that sticks (sec. 6.4.4).

Of actuators: flows through a valve, the torque, and how the pressures change. Pressures in psi and spool openings in
cm, as in the thesis. Off line: displacement times gear, and an eighth of it.

Dry friction is Coulomb's, and sticks by a stiff, damped spring between the joint and an anchor: what it would take to
hold the joint is the spring's torque, as long as that is no more than a limit; beyond, the joint slides at the limit
and drags the anchor along. (So Dahl, and Haessig and Friedland, have it.) A joint needs nothing but its own position
and rate for it, and does the same operations whether it slides or sticks. Off line: how far the spring reaches.
"""

import math
from dataclasses import dataclass

from meshsim.algorithms.kernels.core import subtract
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


@dataclass(frozen=True)
class DryFriction:
    """Of one joint: the torque while it slides, the largest while it sticks, and the spring by which it does.

    `load` is what a joint at rest has to be held against at the start; its spring is stretched by that.
    """

    coulomb: float
    breakaway: float
    stiffness: float
    damping: float
    load: float = 0.0

    def limit(self, slides: bool) -> float:
        """The largest torque now."""
        return self.coulomb if slides else self.breakaway


@dataclass(frozen=True)
class Grip:
    """Where a joint's spring is anchored, and whether the joint slides."""

    anchor: float
    slides: bool


@kernel(mul=2, add=2)
def grip_torque(stiffness: float, q: float, anchor: float, damping: float, rate: float) -> float:
    """What the spring of a joint takes."""
    return stiffness * (q - anchor) + damping * rate


def resist(cpu: Cpu, dry: DryFriction, grip: Grip, tau: float, q: float, rate: float) -> float:
    """What dry friction leaves of a torque."""
    limit = dry.limit(grip.slides)
    held = cpu.do(grip_torque, dry.stiffness, q, grip.anchor, dry.damping, rate)
    return cpu.do(subtract, tau, min(max(held, -limit), limit))


def grip_anew(cpu: Cpu, dry: DryFriction, grip: Grip, q: float) -> Grip:
    """The grip after a step that ended at q: a spring that was stretched too far has dragged its anchor along."""
    stretch = cpu.do(subtract, q, grip.anchor)
    slides = abs(stretch) > dry.limit(grip.slides) / dry.stiffness
    reach = dry.limit(slides) / dry.stiffness
    return Grip(cpu.do(subtract, q, min(max(stretch, -reach), reach)), slides)


def first_grip(cpu: Cpu, dry: DryFriction, q: float, rate: float) -> Grip:
    """At the beginning: a joint slides if it moves, or is at rest and cannot be held."""
    slides = rate != 0.0 or abs(dry.load) > dry.breakaway
    held = dry.load if not slides else dry.coulomb if (rate or dry.load) > 0.0 else -dry.coulomb
    return Grip(cpu.do(subtract, q, held / dry.stiffness), slides)


def drive_torque(drive: Drive, rate: float) -> float:
    """The torque alone, uncounted."""
    actuator = drive.actuator
    p_in, p_out = (min(max(p, actuator.drain), actuator.supply) for p in (drive.p_in, drive.p_out))
    return motor_torque(p_in, p_out, _products(actuator)[0], actuator.damping, rate)


def _products(actuator: Actuator) -> tuple[float, float]:
    motor = actuator.displacement * actuator.gear
    return motor / 8.0, motor
