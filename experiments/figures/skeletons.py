"""A mechanism as lines between points in space."""

import numpy as np

from meshsim.algorithms.robots.closure import placed
from meshsim.algorithms.robots.kinematics import skeleton
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.arrays import Array

Segment = tuple[Array, Array]


def segments(mechanism: Mechanism, q: Array) -> list[Segment]:
    """From each hinge to those that its body carries, and to where joints were cut; an end to its centre of mass."""
    return _closed(mechanism, q) if mechanism.cuts else _open(mechanism, q)


def _open(mechanism: Mechanism, q: Array) -> list[Segment]:
    hinges, centres = skeleton(mechanism, q)
    carrying = {body.parent for body in mechanism.bodies}
    found = []
    for i, body in enumerate(mechanism.bodies):
        found.append((hinges[body.parent] if body.parent >= 0 else np.zeros(3), hinges[i]))
        if i not in carrying:  # its own length is not known
            found.append((hinges[i], centres[i]))
    return found


def _closed(mechanism: Mechanism, q: Array) -> list[Segment]:
    bodies = placed(mechanism, q, np.zeros(mechanism.n))
    pairs = [(body.parent, bodies[i].x) for i, body in enumerate(mechanism.bodies) if body.parent >= 0]
    for cut in mechanism.cuts:
        for anchor in (cut.first, cut.second):
            if anchor.body >= 0:
                body = bodies[anchor.body]
                pairs.append((anchor.body, body.x + body.R @ np.array(anchor.position)))
    massless = {i for i, body in enumerate(mechanism.bodies) if body.mass == 0.0}
    return [(bodies[i].x, point) for i, point in pairs if i not in massless]
