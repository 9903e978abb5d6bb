"""Robots by name: the thesis's PUMA 600 and excavator, random chains, and URDF files."""

import math
import os.path
from collections.abc import Callable, Sequence

from algorithms.mechanism import Body, Matrix, Mechanism, Vector, rotation_x
from algorithms.splitmix import SplitMix64, check_spec, parse_spec
from algorithms.urdf import read_urdf
from meshsim.errors import MeshSimError

_ZERO: Vector = (0.0, 0.0, 0.0)


def puma600() -> Mechanism:
    """PUMA 600, six joints (Wong Table 3.4 and eqs. 3.41, 3.42)."""
    return _thesis_chain(
        "puma600",
        joints=("joint1", "joint2", "joint3", "joint4", "joint5", "joint6"),
        twists=(0, -90, 0, 90, -90, 90),  # Wong Table 3.4
        masses=(10.521, 15.781, 8.767, 1.052, 1.052, 0.351),  # Wong eq. 3.41
        k=(
            (0, 0.054, 0),
            (-0.14, 0, 0),
            (0, 0.197, 0),
            (0, 0, 0.057),
            (0, 0.007, 0),
            (0, 0, 0.019),
        ),
        l=((0, 0.203, 0), (0.292, 0, 0), (0.02, -0.235, 0), (0, 0, 0.057), (0, -0.049, 0)),
        moments=(  # Wong eq. 3.42
            (1.6120, 0.5091, 1.6120),
            (0.4898, 8.0783, 8.2672),
            (3.3768, 0.3009, 3.3768),
            (0.1810, 0.1810, 0.1273),
            (0.0735, 0.0735, 0.1273),
            (0.0071, 0.0071, 0.0141),
        ),
    )


def excavator() -> Mechanism:
    """Caterpillar 215B excavator, four joints (Wong sec. 5.2)."""
    return _thesis_chain(
        "excavator",
        joints=("cab", "boom", "stick", "bucket"),
        twists=(0, 90, 0, 0),
        masses=(8031, 1830, 688, 512),
        k=((-1.05, 0.04, -0.5), (-2.3, -0.2, 0), (-0.9, -0.1, 0), (-0.5, -0.5, 0)),
        l=((0.35, -0.12, 0.5), (2.9, -0.2, 0), (0.9, -0.1, 0)),
        moments=((8000, 8000, 15700), (100, 15400, 15400), (10, 600, 600), (130, 130, 130)),
    )


def chain(n: int, seed: int) -> Mechanism:
    """Random chain of `n` revolute joints, the same for the same seed everywhere.

    Parameters
    ----------
    n : int
        Number of bodies, at least 1.
    seed : int
        Seed of the `SplitMix64` generator, from 0 to 2**64 - 1.

    Returns
    -------
    Mechanism
        A chain in twist form, named ``chain:n:seed``.
    """
    check_spec("chain", n, seed)
    random = SplitMix64(seed)
    return Mechanism(f"chain:{n}:{seed}", tuple(_random_body(i, random) for i in range(n)))


ROBOTS: dict[str, Callable[[], Mechanism]] = {"puma600": puma600, "excavator": excavator}


def load_robot(text: str) -> Mechanism:
    """Return the robot that a user's text names.

    Parameters
    ----------
    text : str
        A name in `ROBOTS`, ``chain:N:SEED`` for a random chain, or the path of a URDF file.

    Returns
    -------
    Mechanism
        The robot.
    """
    if text in ROBOTS:
        return ROBOTS[text]()
    if text.startswith("chain:"):
        return chain(*parse_spec("chain", "chain", text))
    if text.endswith((".urdf", ".xml")) or os.path.isfile(text):
        return read_urdf(text)
    known = ", ".join(ROBOTS)
    raise MeshSimError(f"robot must be one of {known}, chain:N:SEED or the path of a URDF file, not {text!r}")


def _thesis_chain(
    name: str,
    joints: Sequence[str],
    twists: Sequence[float],
    masses: Sequence[float],
    k: Sequence[Vector],
    l: Sequence[Vector],  # noqa: E741 -- the thesis's name
    moments: Sequence[Vector],
) -> Mechanism:
    """Chain from the thesis's quantities: twists in degrees, k and l, principal moments."""
    bodies = []
    for i, joint in enumerate(joints):
        twist = math.radians(twists[i])
        bodies.append(
            Body(
                name=f"link{i + 1}",
                joint=joint,
                kind="revolute",
                parent=i - 1,
                rotation=rotation_x(twist),
                position=_subtract(l[i - 1], k[i - 1]) if i > 0 else _ZERO,
                mass=float(masses[i]),
                com=_subtract(_ZERO, k[i]),
                inertia=_diagonal(moments[i]),
                twist=twist,
            )
        )
    return Mechanism(name, tuple(bodies))


def _random_body(i: int, random: SplitMix64) -> Body:
    """Next body of a random chain; the order of the draws is part of the definition."""
    alpha = random.uniform(-math.pi, math.pi)
    a = random.uniform(-0.5, 0.5)
    b = random.uniform(-0.5, 0.5)
    mass = random.uniform(0.5, 5.0)
    com = (random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3))
    return Body(
        name=f"link{i + 1}",
        joint=f"joint{i + 1}",
        kind="revolute",
        parent=i - 1,
        rotation=rotation_x(alpha),
        position=(a, -b * math.sin(alpha), b * math.cos(alpha)) if i > 0 else _ZERO,
        mass=mass,
        com=com,
        inertia=_random_inertia(mass, random),
        twist=alpha,
    )


def _random_inertia(mass: float, random: SplitMix64) -> Matrix:
    """Inertia of a body whose mass is spread with the covariance S = B B^T + 0.005, hence always possible."""
    B = [[random.uniform(-0.3, 0.3) for _ in range(3)] for _ in range(3)]
    S = [[sum(B[i][k] * B[j][k] for k in range(3)) for j in range(3)] for i in range(3)]
    for i in range(3):
        S[i][i] += 0.005
    trace = S[0][0] + S[1][1] + S[2][2]
    xx, yy, zz = (mass * (trace - S[i][i]) for i in range(3))
    xy, xz, yz = -mass * S[0][1], -mass * S[0][2], -mass * S[1][2]
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _subtract(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _diagonal(moments: Vector) -> Matrix:
    xx, yy, zz = moments
    return ((float(xx), 0.0, 0.0), (0.0, float(yy), 0.0), (0.0, 0.0, float(zz)))
