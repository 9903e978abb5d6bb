"""Mechanisms with loops by name: those of the documents. `assemble` finds the positions in which the loops close."""

import math
from collections.abc import Callable
from functools import partial

from meshsim.algorithms.robots.body import Body, rotation_x
from meshsim.algorithms.robots.cuts import Anchor, Cut
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.errors import MeshSimError
from meshsim.reading import numbers_in

_ZERO: Vector = (0.0, 0.0, 0.0)
_UPRIGHT = math.pi / 2
"""The twist that turns the ground's frame until y of the plane is up."""


def four_bar() -> Mechanism:
    """Planar four-bar linkage: crank and coupler on the left, rocker on the right.  # KTK Table 1

    The second angle is that of the coupler to the crank; the document's, to the horizon, is the sum of both.
    """
    l0, lengths = 3.0, (1.0, 4.0, 2.5)
    crank, coupler = _rod("crank", -1, 1.0, lengths[0]), _rod("coupler", 0, 1.0, lengths[1], (lengths[0], 0.0, 0.0))
    rocker = _rod("rocker", -1, 1.0, lengths[2], (l0, 0.0, 0.0))
    pin = Cut("pin", "revolute", Anchor(1, (lengths[1], 0.0, 0.0)), Anchor(2, (lengths[2], 0.0, 0.0)))
    tree = Mechanism("four-bar", (crank, coupler, rocker))
    return tree.closed_by((pin,), (0,), (1.5708, 0.3533 - 1.5708, 1.2649))


def three_rrr(redundant: bool = False) -> Mechanism:
    """Planar manipulator of three legs and a triangular platform.  # Khan Table 4.1, sec. 4.0.2; l_0 is 1 m

    Redundant, the knees are actuated as well as the hips.  # Khan ch. 3
    """
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
    actuated = (0, 2, 4, 1, 3, 5) if redundant else (0, 2, 4)
    name = "3rrr:redundant" if redundant else "3rrr"
    return Mechanism(name, tuple(bodies)).closed_by(tuple(cuts), actuated, tuple(guess))


def three_prr(horizontal: bool = False) -> Mechanism:
    """Planar manipulator of three sliders on the sides of a triangle, legs and a platform.  # Kordjazi Table 1, eq. 36

    Inertias are in 1e-3 kg m^2, a million times what is printed (docs/findings.md). Horizontal, gravity is across.
    """
    l1, l2, l3 = 0.3, 0.15, 1.0
    corners = ((0.0, 0.0), (l3, 0.0), (l3 / 2, l3 * math.sqrt(3.0) / 2))
    bodies: list[Body] = []
    cuts: list[Cut] = []
    for leg, (x, y) in enumerate(corners):
        turn = 2 * math.pi * leg / 3
        first = len(bodies)
        bodies.append(_slider(f"slider{leg + 1}", (x, 0.0, y), turn, 0.1372, 0.017e-3))
        on_slider: Matrix = ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))  # x where it slides, z across the plane
        half = (l1 / 2, 0.0, 0.0)
        name = f"leg{leg + 1}"
        bodies.append(Body(name, name, "revolute", first, on_slider, _ZERO, 0.5201, half, _slab(0.606e-3)))
        vertex = -l2 * math.cos(turn), -l2 * math.sin(turn), 0.0
        cuts.append(Cut(f"pin{leg + 1}", "revolute", Anchor(first + 1, (l1, 0.0, 0.0)), Anchor(8, vertex)))
    bodies += _free_in_plane("platform", 1.4195, 5.076e-3, len(bodies))
    guess = (0.1595, 0.7925) * 3 + (0.5, l3 / math.sqrt(12.0), 0.524)
    gravity = (0.0, -9.81, 0.0) if horizontal else (0.0, 0.0, -9.81)
    name = "3prr:horizontal" if horizontal else "3prr"
    return Mechanism(name, tuple(bodies), gravity).closed_by(tuple(cuts), (0, 2, 4), guess)


FIVE_BAR_BASE = 1.2
"""Metres between the five-bar's pivots: not published, chosen."""


_START = (math.radians(30.0), math.radians(30.0))  # Saha eq. 35


def five_bar(base: float = FIVE_BAR_BASE, up: bool = True, cranks: tuple[float, float] = _START) -> Mechanism:
    """Planar five-bar manipulator of two legs that meet in a pin: uniform rods, angles from the x axis.  # Saha eq. 34

    Parameters
    ----------
    base : float
        Distance of the two pivots, which the paper does not have.
    up : bool
        Whether the pin is above the line between the knees, or below.
    cranks : tuple of float
        The angles at which it starts.
    """
    lengths, masses = ((0.6, 1.1), (0.7, 1.2)), ((3.0, 1.6), (2.0, 1.1))
    bodies: list[Body] = []
    for leg, x in enumerate((0.0, base)):
        bodies.append(_rod(f"crank{leg + 1}", -1, masses[leg][0], lengths[leg][0], (x, 0.0, 0.0)))
        arm = (lengths[leg][0], 0.0, 0.0)
        bodies.append(_rod(f"arm{leg + 1}", 2 * leg, masses[leg][1], lengths[leg][1], arm))
    pin = Cut("pin", "revolute", Anchor(1, (lengths[0][1], 0.0, 0.0)), Anchor(3, (lengths[1][1], 0.0, 0.0)))
    angles = _knees(base, lengths, cranks, up)
    guess = cranks[0], angles[0] - cranks[0], cranks[1], angles[1] - cranks[1]
    name = "five-bar" if (base, up) == (FIVE_BAR_BASE, True) else f"five-bar:{base:g}:{'up' if up else 'down'}"
    return Mechanism(name, tuple(bodies)).closed_by((pin,), (0, 2), guess)


def _knees(
    base: float, lengths: tuple[tuple[float, float], tuple[float, float]], cranks: tuple[float, float], up: bool
) -> tuple[float, float]:
    """The angles of two arms whose ends meet."""
    x1, y1 = lengths[0][0] * math.cos(cranks[0]), lengths[0][0] * math.sin(cranks[0])
    x2, y2 = base + lengths[1][0] * math.cos(cranks[1]), lengths[1][0] * math.sin(cranks[1])
    apart, slope = math.hypot(x2 - x1, y2 - y1), math.atan2(y2 - y1, x2 - x1)
    r1, r2 = lengths[0][1], lengths[1][1]
    cosine = (r1**2 - r2**2) / (2 * r1 * apart) + apart / (2 * r1) if apart else math.inf
    if abs(cosine) > 1.0:
        raise MeshSimError(f"base of the five-bar must let its arms meet, not {base:g} m")
    first = slope + (math.acos(cosine) if up else -math.acos(cosine))
    x, y = x1 + r1 * math.cos(first), y1 + r1 * math.sin(first)
    return first, math.atan2(y - y2, x - x2)


def scraper(other: bool = False) -> Mechanism:
    """Carpet scraping machine: Hoeken's four-bar drives a pantograph.  # Saha Table 5

    Uniform rods; the pantograph's long link is 0.8365 m by its inertia. `other` is its second assembly mode.
    """
    crank = _rod("crank", -1, 1.5, 0.038, inertia=_about_middle(7.258e-4, 1.5, 0.019))
    rocker = _rod("rocker", -1, 3.0, 0.115, (-0.089, 0.0, 0.0), _about_middle(0.0133, 3.0, 0.0575))
    coupler = _link("coupler", 0, 5.0, 0.0, (0.115, 0.0, 0.0), 2.212e-2)
    first = _rod("III-1", -1, 4.2, 0.335, (0.038, 0.0, 0.410), _about_middle(0.157, 4.2, 0.1675))
    long = math.sqrt(3 * 2.449 / 10.5) / 2  # half its length
    second = _link("III-2", 3, 10.5, long, (0.335, 0.0, 0.0), _about_middle(2.449, 10.5, long))
    third = _link("III-3", 4, 3.0, 0.1195, (0.239, 0.0, 0.0), _about_middle(0.057, 3.0, 0.1195))
    branch = _link("III-1-1", 3, 3.0, 0.1195, (0.096, 0.0, 0.0), _about_middle(0.057, 3.0, 0.1195))
    tree = Mechanism("scraper:other" if other else "scraper", (rocker, coupler, crank, first, second, third, branch))
    tip = (0.239, 0.0, 0.0)
    cuts = (
        Cut("A", "revolute", Anchor(2, (0.038, 0.0, 0.0)), Anchor(1, (-0.115, 0.0, 0.0))),
        Cut("B1", "revolute", Anchor(6, tip), Anchor(1, (0.115, 0.0, 0.0))),
        Cut("B3", "revolute", Anchor(5, tip), Anchor(1, (0.115, 0.0, 0.0))),
    )
    slopes = (2.9477, -1.7085, -0.1939, -1.7085) if other else (-0.8602, -2.4872, 2.2814, -2.4872)
    one, two, three, four = slopes  # of the pantograph's links to the x axis
    guess = (0.9858, 2.1558 - 0.9858, 0.0, one, two - one, three - two, four - one)
    return tree.closed_by(cuts, (2,), guess)


def _about_middle(about_hinge: float, mass: float, distance: float) -> float:
    """A moment about the centre of mass from that about the hinge."""
    return about_hinge - mass * distance**2


def _link(name: str, parent: int, mass: float, com: float, position: Vector, inertia: float) -> Body:
    """A link that another carries, its centre of mass so far along it."""
    return Body(name, name, "revolute", parent, rotation_x(0.0), position, mass, (com, 0.0, 0.0), _slab(inertia), 0.0)


def _slider(name: str, position: Vector, angle: float, mass: float, inertia: float) -> Body:
    """A body that slides in the upright plane, at an angle to x; its y axis is across the plane."""
    c, s = math.cos(angle), math.sin(angle)
    rotation: Matrix = ((-s, 0.0, c), (0.0, -1.0, 0.0), (c, 0.0, s))
    return Body(name, name, "prismatic", -1, rotation, position, mass, _ZERO, _slab(inertia))


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


LINKAGES: dict[str, Callable[[], Mechanism]] = {
    "four-bar": four_bar,
    "3rrr": three_rrr,
    "3rrr:redundant": partial(three_rrr, redundant=True),
    "3prr": three_prr,
    "3prr:horizontal": partial(three_prr, horizontal=True),
    "five-bar": five_bar,
    "scraper": scraper,
    "scraper:other": partial(scraper, other=True),
}
FIVE_BAR = "five-bar:"
"""Before the distance of the pivots in metres, and perhaps ``:up`` or ``:down``."""


def five_bar_of(text: str) -> Mechanism:
    """The five-bar that ``five-bar:METRES``, perhaps with ``:up`` or ``:down``, names."""
    metres, _, way = text.removeprefix(FIVE_BAR).partition(":")
    base = next(iter(numbers_in([metres])), 0.0)
    if base <= 0 or way not in ("", "up", "down"):
        raise MeshSimError(f"a five-bar must be {FIVE_BAR}METRES, {FIVE_BAR}METRES:up or ...:down, not {text!r}")
    return five_bar(base, way != "down")
