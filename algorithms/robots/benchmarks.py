"""Systems of any size that the literature measures accuracy with, and a straight chain beside them.

The coil and the dill are those of Featherstone, "A Divide-and-Conquer Articulated-Body Algorithm for Parallel O(log(n))
Calculation of Rigid-Body Dynamics, Part 2", Int. J. Robotics Research 18(9), 1999. They are built here from what
programs that have them say: of the coil, lengths, twists, masses and moments (Bullet), and the angles that wind it
(Corke's Robotics Toolbox); of the dill, tree, lengths, offsets, twists, masses and moments (Bullet). What is ours is
said with each.
"""

import math
import re
from collections.abc import Callable

from meshsim.algorithms.robots.body import Body, rotation_x
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.splitmix import LONGEST
from meshsim.algorithms.types.vectors import Vector
from meshsim.errors import MeshSimError

RADIUS = 0.01
"""Of the cylinders of a coil, in m, and of a dill's for each 0.1 m of length."""
THIN = "thin"
_ZERO: Vector = (0.0, 0.0, 0.0)


def straight(n: int) -> Mechanism:
    """A coil's cylinders in a line, all joint axes parallel and horizontal: a rope held out; ours."""
    return _unit_chain(f"straight:{n}", n, RADIUS, upright=math.pi / 2, twist=0.0, angle=0.0)


def coil(n: int, thin: bool = False) -> Mechanism:
    """A chain of 1 m and 1 kg, wound up: n equal cylinders of radius 0.01 m, twists of 5 pi / n, angles of 10 pi / n.

    Ours are the direction of gravity, along the first axis, and `thin`: radii of a tenth of the cylinders' length.
    """
    name = f"coil:{n}:{THIN}" if thin else f"coil:{n}"
    radius = 0.1 / n if thin else RADIUS
    return _unit_chain(name, n, radius, upright=0.0, twist=5 * math.pi / n, angle=10 * math.pi / n)


def dill(n: int) -> Mechanism:
    """A tree that is like its branches: a dill of level k is a stem that carries dills of levels 0 to k - 1.

    It has n = 2^k bodies. A stem of level k is a cylinder of s times 0.1 m, with a radius of s times 0.01 m and a mass
    of s^3 times 0.1 kg, where s is k, or 1 for level 0. Its branch of level i - 1 stands at 0.1 i m, twisted by
    i pi / 3; all but the last, on the cylinder's surface. Ours is the angle of all joints, 30 degrees: no source tells.
    """
    if n & (n - 1):
        raise MeshSimError(f"a dill must have 1, 2, 4, 8, .. joints, a power of two, not {n}")
    bodies: list[Body] = []

    def grow(level: int, parent: int, twist: float, position: Vector) -> None:
        size, stem = max(level, 1), len(bodies)
        bodies.append(_cylinder(stem, parent, twist, position, 0.1 * size**3, 0.1 * size, RADIUS * size))
        for i in range(1, level + 1):
            grow(i - 1, stem, i * math.pi / 3, (0.1 * i, 0.0, RADIUS * size if i < level else 0.0))

    grow(n.bit_length() - 1, -1, 0.0, _ZERO)
    return Mechanism(f"dill:{n}", tuple(bodies), posture=(math.pi / 6,) * n)


FAMILIES: dict[str, Callable[[int], Mechanism]] = {"straight": straight, "coil": coil, "dill": dill}
"""By the name that stands before the number of joints."""


def is_family(text: str) -> bool:
    """Whether a text names a system of a family, or means to."""
    return text.partition(":")[0] in FAMILIES and ":" in text


def family_of(text: str) -> Mechanism:
    """The system that a text names: ``straight:N``, ``coil:N``, ``coil:N:thin`` or ``dill:N``."""
    name, size, *rest = text.split(":")
    n = int(size) if re.fullmatch("[0-9]{1,4}", size) else 0
    if not 1 <= n <= LONGEST:
        raise MeshSimError(f"joints of {name}:N must be a whole number from 1 to {LONGEST}, not {size!r}")
    if not rest:
        return FAMILIES[name](n)
    if name != "coil" or rest != [THIN]:
        raise MeshSimError(
            f"a system must be {', '.join(f'{each}:N' for each in FAMILIES)} or coil:N:thin, not {text!r}"
        )
    return coil(n, thin=True)


def _unit_chain(name: str, n: int, radius: float, upright: float, twist: float, angle: float) -> Mechanism:
    """Equal cylinders, 1 m and 1 kg together; the first joint is turned `upright`."""
    length = 1.0 / n
    first = _cylinder(0, -1, upright, _ZERO, length, length, radius)
    others = [_cylinder(i, i - 1, twist, (length, 0.0, 0.0), length, length, radius) for i in range(1, n)]
    return Mechanism(name, (first, *others), posture=(angle,) * n)


def _cylinder(i: int, parent: int, twist: float, position: Vector, mass: float, length: float, radius: float) -> Body:
    """A solid cylinder along x from its joint."""
    along, across = mass * radius**2 / 2, mass * (3 * radius**2 + length**2) / 12
    return Body(
        name=f"link{i + 1}",
        joint=f"joint{i + 1}",
        kind="revolute",
        parent=parent,
        rotation=rotation_x(twist),
        position=position,
        mass=mass,
        com=(length / 2, 0.0, 0.0),
        inertia=((along, 0.0, 0.0), (0.0, across, 0.0), (0.0, 0.0, across)),
        twist=twist,
    )
