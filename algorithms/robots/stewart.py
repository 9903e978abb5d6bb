"""A Stewart-Gough platform: six legs, each a universal joint, a driven slide and a ball joint (6-UPS).

The documents name such platforms (Saha sec. 3) and give no data. Sizes and masses here are ours: a motion base for
some tens of kilograms, about half a metre high.
"""

import math

import numpy as np

from meshsim.algorithms.robots.body import MASSLESS, Body, rotation_x
from meshsim.algorithms.robots.compound import freedoms_of
from meshsim.algorithms.robots.cuts import Anchor, Cut
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Matrix, to_matrix, to_vector

BASE = (0.5, math.radians(12.0))
"""The joints on the ground: the radius of their circle, and how far they are from the middle of their pair."""
TOP = (0.3, math.radians(50.0))
"""Those on the platform likewise, from the middle of the same pair on the ground."""
HEIGHT = 0.5
CYLINDER, PISTON, PLATE = 2.5, 1.2, 25.0
"""Masses, kg."""
CYLINDER_LENGTH, PISTON_LENGTH, RADIUS = 0.35, 0.3, 0.03
PLATE_MOMENTS = (0.85, 0.85, 1.6)
_ALONG_X: Matrix = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
"""The frame whose z is the parent's x."""


def stewart() -> Mechanism:
    """Six legs on the ground and the platform that they carry, which is free otherwise: 24 joints, six of them driven.

    The balls are cut. At 0 a leg has no length and stands upright; in the guess the platform is level.
    """
    bodies: list[Body] = []
    ends: list[Anchor] = []
    guess: list[float] = []
    tips: list[Array] = []
    for k in range(6):
        foot, tip = _on_circle(k, *BASE), _on_circle(k, *TOP)
        leg, angles = _leg(k, foot, tip + np.array((0.0, 0.0, HEIGHT)))
        ends.append(Anchor(len(bodies) + 2, (0.0, 0.0, 0.0)))
        bodies += leg
        guess += angles
        tips.append(tip)
    platform, frame = _floating("platform", len(bodies))
    bodies += platform
    guess += [0.0, 0.0, HEIGHT, 0.0, 0.0, 0.0]
    cuts = tuple(
        Cut(f"ball{k + 1}", "spherical", end, Anchor(len(bodies) - 1, to_vector(frame.T @ tip)))
        for k, (end, tip) in enumerate(zip(ends, tips, strict=True))
    )
    return Mechanism("stewart", tuple(bodies)).closed_by(cuts, tuple(range(2, 18, 3)), tuple(guess))


def _on_circle(k: int, radius: float, apart: float) -> Array:
    """Where leg k ends: legs stand in three pairs."""
    angle = 2 * math.pi * (k // 2) / 3 + (apart if k % 2 else -apart)
    return np.array((radius * math.cos(angle), radius * math.sin(angle), 0.0))


def _leg(k: int, foot: Array, tip: Array) -> tuple[list[Body], list[float]]:
    """A leg's three bodies, and its joints where it reaches from foot to tip.

    The universal joint's first axis points away from the centre, its cross has no mass; a leg lies along x of its
    cylinder.
    """
    out = foot / np.linalg.norm(foot)
    up = np.array((0.0, 0.0, 1.0))
    first = np.column_stack((up, np.cross(out, up), out))
    number, name = 3 * k, f"leg{k + 1}"
    bodies = [
        Body(f"{name}.cross", f"{name}.u1", "revolute", -1, to_matrix(first), to_vector(foot), *MASSLESS),
        Body(
            f"{name}.cylinder",
            f"{name}.u2",
            "revolute",
            number,
            rotation_x(-math.pi / 2),
            (0.0, 0.0, 0.0),
            CYLINDER,
            (CYLINDER_LENGTH / 2, 0.0, 0.0),
            _rod(CYLINDER, CYLINDER_LENGTH, 0),
            -math.pi / 2,
        ),
        Body(
            f"{name}.piston",
            f"{name}.slide",
            "prismatic",
            number + 1,
            _ALONG_X,
            (0.0, 0.0, 0.0),
            PISTON,
            (0.0, 0.0, -PISTON_LENGTH / 2),
            _rod(PISTON, PISTON_LENGTH, 2),
        ),
    ]
    x, y, z = (first.T @ (tip - foot)).tolist()
    length = math.hypot(x, y, z)
    return bodies, [math.atan2(y, x), math.asin(-z / length), length]


def _rod(mass: float, length: float, axis: int) -> Matrix:
    """Moments of a round rod about its centre, along an axis of its frame."""
    moments = [mass * (RADIUS**2 / 4 + length**2 / 12)] * 3
    moments[axis] = mass * RADIUS**2 / 2
    return to_matrix(np.diag(moments))


def _floating(name: str, number: int) -> tuple[list[Body], Array]:
    """The platform on six joints, `number` the first's; and its frame in that of the ground, all joints at 0."""
    bodies, before, parent = [], np.eye(3), -1
    *others, last = freedoms_of(name, "floating")
    for k, freedom in enumerate(others):
        rotation = to_matrix(before.T @ freedom.frame)
        body = Body(freedom.coordinate, freedom.coordinate, freedom.kind, parent, rotation, (0.0, 0.0, 0.0), *MASSLESS)
        bodies.append(body)
        before, parent = freedom.frame, number + k
    inertia = to_matrix(last.frame.T @ np.diag(PLATE_MOMENTS) @ last.frame)
    rotation = to_matrix(before.T @ last.frame)
    origin = (0.0, 0.0, 0.0)
    bodies.append(Body(name, last.coordinate, last.kind, parent, rotation, origin, PLATE, origin, inertia))
    return bodies, last.frame
