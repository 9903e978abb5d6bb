"""Closed mechanisms of any size, made up to see what grows with joints and with freedoms."""

import math

from meshsim.algorithms.robots.body import Body, rotation_x
from meshsim.algorithms.robots.cuts import Anchor, Cut
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.errors import MeshSimError

_ZERO: Vector = (0.0, 0.0, 0.0)
_UPRIGHT = math.pi / 2


def legged(legs: int) -> Mechanism:
    """A platform in an upright plane on as many legs of two links: 2 legs + 3 joints, three freedoms.

    Pivots are on a circle of 1 m; three of the proximal joints are actuated, spread as evenly as they can be.
    """
    if legs < 3:
        raise MeshSimError(f"a platform must have at least 3 legs, not {legs}")
    reach, link, turn = 0.3, 0.6, 0.2
    platform = 2 * legs + 2
    bodies: list[Body] = []
    cuts: list[Cut] = []
    guess: list[float] = []
    for leg in range(legs):
        angle = 2 * math.pi * leg / legs
        pivot = math.cos(angle), math.sin(angle)
        vertex = reach * math.cos(angle), reach * math.sin(angle), 0.0
        x, y = reach * math.cos(angle + turn) - pivot[0], reach * math.sin(angle + turn) - pivot[1]
        knee = math.acos(math.hypot(x, y) / (2 * link))  # both links are of a length
        guess += [math.atan2(y, x) + knee, -2 * knee]
        bodies.append(_rod(f"proximal{leg + 1}", -1, link, (pivot[0], 0.0, pivot[1])))
        bodies.append(_rod(f"distal{leg + 1}", 2 * leg, link, (link, 0.0, 0.0)))
        cuts.append(Cut(f"pin{leg + 1}", "revolute", Anchor(2 * leg + 1, (link, 0.0, 0.0)), Anchor(platform, vertex)))
    along_x: Matrix = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    along_y: Matrix = ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    bodies += [
        Body("platform.x", "platform.x", "prismatic", -1, along_x, _ZERO, 0.0, _ZERO, _flat(0.0)),
        Body("platform.y", "platform.y", "prismatic", 2 * legs, along_y, _ZERO, 0.0, _ZERO, _flat(0.0)),
        Body("platform", "platform.rz", "revolute", platform - 1, rotation_x(_UPRIGHT), _ZERO, 2.0, _ZERO, _flat(0.1)),
    ]
    driven = tuple(2 * (legs * k // 3) for k in range(3))
    tree = Mechanism(f"{legs} legs", tuple(bodies))
    return tree.closed_by(tuple(cuts), driven, (*guess, 0.0, 0.0, turn))


def stacked(loops: int) -> Mechanism:
    """Four-bar linkages, each on the coupler of the one before: 3 loops joints, as many freedoms as loops."""
    if loops < 1:
        raise MeshSimError(f"a stack must have at least 1 loop, not {loops}")
    bodies: list[Body] = []
    cuts: list[Cut] = []
    for k in range(loops):
        base = 3 * k - 2 if k else -1  # the coupler before
        first, start = 3 * k, 0.5 if k else 0.0
        bodies.append(_rod(f"crank{k + 1}", base, 1.0, (start, 0.0, 0.0)))
        bodies.append(_rod(f"coupler{k + 1}", first, 4.0, (1.0, 0.0, 0.0)))
        bodies.append(_rod(f"rocker{k + 1}", base, 2.5, (start + 3.0, 0.0, 0.0)))
        pin = Anchor(first + 1, (4.0, 0.0, 0.0)), Anchor(first + 2, (2.5, 0.0, 0.0))
        cuts.append(Cut(f"pin{k + 1}", "revolute", *pin))
    guess = (1.5708, -1.2175, 1.2649) * loops
    tree = Mechanism(f"stack of {loops}", tuple(bodies))
    return tree.closed_by(tuple(cuts), tuple(3 * k for k in range(loops)), guess)


def _rod(name: str, parent: int, length: float, position: Vector) -> Body:
    """A uniform rod of 1 kg; on the ground its joint stands upright."""
    twist = _UPRIGHT if parent < 0 else 0.0
    centre = (length / 2, 0.0, 0.0)
    return Body(name, name, "revolute", parent, rotation_x(twist), position, 1.0, centre, _flat(length**2 / 12), twist)


def _flat(moment: float) -> Matrix:
    """Moments of a flat body about its normal, z."""
    return ((moment / 2, 0.0, 0.0), (0.0, moment / 2, 0.0), (0.0, 0.0, moment))
