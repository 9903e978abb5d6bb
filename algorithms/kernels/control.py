"""The counted arithmetic of controls: the excavator's, and the feedback of joints.  # Wong secs 5.4.2 to 5.5.2"""

from meshsim.counted import kernel


@kernel(mul=1, add=1)
def differentiate(rate: float, now: float, before: float) -> float:
    """How fast a position changed, given how many samples there are a second."""
    return rate * (now - before)


@kernel(mul=2, add=3)
def pd_voltage(kv: float, kp: float, rates: tuple[float, float], positions: tuple[float, float]) -> float:
    """The drive voltage; of each pair the wanted comes first."""  # Wong eq. 5.5
    return kv * (rates[0] - rates[1]) + kp * (positions[0] - positions[1])


@kernel(mul=1, add=1)
def spool_opening(voltage: float, gain: float, deadband: float, opening: float) -> float:
    """What the spool does: nothing inside the deadband, limited to its full opening."""  # Wong Fig. 5.3
    excess = gain * (-voltage if voltage < 0.0 else voltage) - deadband
    reached = 0.0 if excess < 0.0 else min(excess, opening)
    return -reached if voltage < 0.0 else reached


@kernel(mul=8, add=3, div=2)
def arm_rates(
    speeds: tuple[float, float], boom: tuple[float, float], stick: tuple[float, float], lengths: tuple[float, float]
) -> tuple[float, float]:
    """Rates of boom and stick (to the horizon) that move their end so; of each slope the sine and the cosine."""
    forward, up = speeds
    (s, c), (ss, sc) = boom, stick
    determinant = s * sc - c * ss
    return (
        (-(forward * sc) - up * ss) / (lengths[0] * determinant),
        (forward * c + up * s) / (lengths[1] * determinant),
    )


@kernel(add=1)
def slope_of(inner: float, joint: float) -> float:
    """How a link stands to the horizon, from the one before it and the joint between."""
    return inner + joint


@kernel(add=2)
def joint_rates(boom: float, stick: float, bucket: float) -> tuple[float, float]:
    """Rates of the joints of stick and bucket, from those of the links to the horizon."""
    return stick - boom, bucket - stick


@kernel(mul=2, add=4)
def feed_back(
    torque: float, gains: tuple[float, float], positions: tuple[float, float], rates: tuple[float, float]
) -> float:
    """A torque with proportional and differential feedback; of each pair the wanted comes first."""  # Khan sec. 4.1
    return torque + (gains[0] * (positions[0] - positions[1]) + gains[1] * (rates[0] - rates[1]))
