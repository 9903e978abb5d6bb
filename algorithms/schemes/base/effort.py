"""What drives a joint: a torque, or one with feedback, which the processor of the joint makes."""

from collections.abc import Sequence
from dataclasses import dataclass

from meshsim.algorithms.kernels.control import feed_back
from meshsim.counted import Uncounted
from meshsim.program import Cpu


@dataclass(frozen=True)
class Regulated:
    """A torque to which feedback adds, towards a position and a rate that are wanted."""

    torque: float
    kp: float
    kd: float
    q: float
    qd: float


Effort = float | Regulated


def regulated(cpu: Cpu, efforts: Sequence[Effort], q: Sequence[float], qd: Sequence[float]) -> list[float]:
    """Torques of joints at these positions and rates."""
    return [
        cpu.do(feed_back, each.torque, (each.kp, each.kd), (each.q, position), (each.qd, rate))
        if isinstance(each, Regulated)
        else each
        for each, position, rate in zip(efforts, q, qd, strict=True)
    ]


def applied(efforts: Sequence[Effort], q: Sequence[float], qd: Sequence[float]) -> list[float]:
    """The same off the machine: uncounted."""
    return regulated(Uncounted(), efforts, q, qd)  # type: ignore[arg-type]
