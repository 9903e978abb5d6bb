"""Closed mechanisms by name: those of the documents, and files with loops."""

import math
from collections.abc import Callable, Sequence

from algorithms.closed.loop_file import read_closed
from algorithms.closed.mechanism import Anchor, ClosedMechanism, Cut
from algorithms.mechanism import Body, Matrix, Mechanism, Vector, rotation_x
from meshsim.errors import MeshSimError

_ZERO: Vector = (0.0, 0.0, 0.0)
_UPRIGHT = math.pi / 2
"""The twist that turns the ground's frame until y of the plane is up."""


def four_bar() -> ClosedMechanism:
    """Planar four-bar linkage: crank and coupler on the left, rocker on the right.  # KTK Table 1

    The second angle is that of the coupler to the crank; the document's, to the horizon, is the sum of both.
    """
    l0, lengths = 3.0, (1.0, 4.0, 2.5)
    crank, coupler = _rod("crank", -1, 1.0, lengths[0]), _rod("coupler", 0, 1.0, lengths[1], (lengths[0], 0.0, 0.0))
    rocker = _rod("rocker", -1, 1.0, lengths[2], (l0, 0.0, 0.0))
    pin = Cut("pin", "revolute", Anchor(1, (lengths[1], 0.0, 0.0)), Anchor(2, (lengths[2], 0.0, 0.0)))
    tree = Mechanism("four-bar", (crank, coupler, rocker))
    return ClosedMechanism(tree, (pin,), (0,), (1.5708, 0.3533 - 1.5708, 1.2649))


def three_rrr() -> ClosedMechanism:
    """Planar manipulator of three legs and a triangular platform.  # Khan Table 4.1, sec. 4.0.2; l_0 is 1 m"""
    l0, l1, l4, l7 = 1.0, 0.4, 0.6, 0.4
    pivots = ((0.0, 0.0), (l0, 0.0), (l0 / 2, l0 * math.sqrt(3.0) / 2))
    proximal = (math.pi / 3, 4 * math.pi / 3, 11 * math.pi / 6)
    distal = (-0.865, -2.102, -0.976)
    x, y, angle = 0.728, 0.233, 3.916
    bodies: list[Body] = []
    cuts: list[Cut] = []
    guess: list[float] = []
    for leg, (px, py) in enumerate(pivots):
        first = len(bodies)
        bodies.append(_rod(f"proximal{leg + 1}", -1, 3.0, l1, (px, 0.0, py), 0.04))
        bodies.append(_rod(f"distal{leg + 1}", first, 4.0, l4, (l1, 0.0, 0.0), 0.12))
        guess += [proximal[leg], distal[leg]]
        turn = math.pi / 6 + 2 * math.pi * leg / 3
        vertex = -l7 / math.sqrt(3.0) * math.cos(turn), -l7 / math.sqrt(3.0) * math.sin(turn), 0.0
        cuts.append(Cut(f"pin{leg + 1}", "revolute", Anchor(first + 1, (l4, 0.0, 0.0)), Anchor(8, vertex)))
    bodies += _free_in_plane("platform", 8.0, 0.0817, len(bodies))
    guess += [x, y, angle]
    return ClosedMechanism(Mechanism("3rrr", tuple(bodies)), tuple(cuts), (0, 2, 4), tuple(guess))


def _rod(
    name: str, parent: int, mass: float, length: float, position: Vector = _ZERO, inertia: float | None = None
) -> Body:
    """A link whose centre of mass is at its middle; a uniform rod unless its inertia is given.

    On the ground its joint stands upright, and `position` is in the ground's frame.
    """
    twist = _UPRIGHT if parent < 0 else 0.0
    moment = mass * length**2 / 12 if inertia is None else inertia
    com = (length / 2, 0.0, 0.0)
    return Body(name, name, "revolute", parent, rotation_x(twist), position, mass, com, _slab(moment), twist)


def _free_in_plane(name: str, mass: float, inertia: float, number: int) -> list[Body]:
    """A body that slides in x and y of the upright plane and turns in it: three joints; `number` is the first's."""
    along_x: Matrix = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))  # z along the ground's x, y along its z
    along_y: Matrix = ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))  # from there: the ground's frame
    nothing = _ZERO, _slab(0.0)
    return [
        Body(f"{name}.x", f"{name}.x", "prismatic", -1, along_x, _ZERO, 0.0, *nothing),
        Body(f"{name}.y", f"{name}.y", "prismatic", number, along_y, _ZERO, 0.0, *nothing),
        Body(name, f"{name}.rz", "revolute", number + 1, rotation_x(_UPRIGHT), _ZERO, mass, _ZERO, _slab(inertia)),
    ]


def _slab(moment: float) -> Matrix:
    """Moments of a flat body about its normal, z; the others do not matter in a plane."""
    return ((moment / 2, 0.0, 0.0), (0.0, moment / 2, 0.0), (0.0, 0.0, moment))


CLOSED_ROBOTS: dict[str, Callable[[], ClosedMechanism]] = {"four-bar": four_bar, "3rrr": three_rrr}


def load_closed(text: str) -> ClosedMechanism:
    """Return the closed mechanism that a user's text names.

    Parameters
    ----------
    text : str
        A name in `CLOSED_ROBOTS`, or the path of a TOML file with loops (docs/robots.md).

    Returns
    -------
    ClosedMechanism
        One that can be assembled, that has no redundant constraints there, and whose actuated joints determine its
        motion. Its guess is as given: `assemble` finds the positions in which the loops close.
    """
    if text in CLOSED_ROBOTS:
        return CLOSED_ROBOTS[text]()
    if not text.endswith(".toml"):
        known = ", ".join(CLOSED_ROBOTS)
        raise MeshSimError(
            f"robot with loops must be one of {known} or the path of a TOML file with [[loop]] tables, not {text!r}"
        )
    return read_closed(text)


def names(mechanism: ClosedMechanism, joints: Sequence[int]) -> str:
    """Joints by name, for print."""
    return ", ".join(mechanism.tree.joints[j] for j in joints)
