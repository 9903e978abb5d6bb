"""Random trees with joints of all kinds, as links and joints, and relabelled in any order."""

import dataclasses
import math

import numpy as np

from meshsim.algorithms.robots.compound import COMPOUND
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.robots.tree import JOINTS, Inertial, Joint, Pose, rotation_rpy
from meshsim.algorithms.types.splitmix import SplitMix64


def random_parts(n, seed):
    """Links and joints with `n` freedoms in all; some links are massless, none at an end."""
    random = SplitMix64(seed)
    links, joints, left = {"ground": None}, [], n
    while left > 0:
        fitting = [kind for kind in JOINTS if len(COMPOUND.get(kind, "1")) <= left]
        kind = fitting[_draw(random, len(fitting))]
        left -= 0 if kind == "fixed" else len(COMPOUND.get(kind, "1"))
        parent = list(links)[_draw(random, len(links))]
        child = f"link{len(links)}"
        angles = (random.uniform(-math.pi, math.pi) for _ in range(3))
        origin = Pose(rotation_rpy(*angles), _vector(random, 0.5))
        axis = _vector(random, 1.0) if kind in ("revolute", "prismatic") else np.array([0.0, 0.0, 1.0])
        joints.append(Joint(f"joint{len(links)}", kind, parent, child, origin, axis / np.linalg.norm(axis)))
        links[child] = _inertial(random)
    simple = {joint.child: joint.parent for joint in joints if joint.kind in ("revolute", "prismatic")}
    for child, parent in simple.items():
        # Two freedoms that share a body are independent; more might not be.
        if parent in simple and links[parent] and links[child] and links[simple[parent]] and _draw(random, 2):
            links[parent] = None
    return links, joints


def _draw(random, count):
    return int(random.uniform(0, count))


def _vector(random, bound):
    return np.array([random.uniform(-bound, bound) for _ in range(3)])


def _inertial(random):
    B = np.array([_vector(random, 0.3) for _ in range(3)])
    S = B @ B.T + 0.005 * np.eye(3)
    mass = random.uniform(0.5, 5)
    turn = rotation_rpy(*_vector(random, 3.0))
    return Inertial(mass, Pose(turn, _vector(random, 0.3)), mass * (np.trace(S) * np.eye(3) - S))


def relabelled(mechanism, seed):
    """The same robot, its bodies in another order."""
    random = SplitMix64(seed)
    waiting, order = set(range(mechanism.n)), []
    while waiting:
        ready = sorted(i for i in waiting if mechanism.bodies[i].parent not in waiting)
        order.append(ready[_draw(random, len(ready))])
        waiting.remove(order[-1])
    label = {-1: -1} | {old: new for new, old in enumerate(order)}
    bodies = [mechanism.bodies[old] for old in order]
    bodies = tuple(dataclasses.replace(body, parent=label[body.parent]) for body in bodies)
    return Mechanism(mechanism.name, bodies, mechanism.gravity)


def random_state(n, seed):
    random = SplitMix64(seed)
    return State(*(tuple(random.uniform(-b, b) for _ in range(n)) for b in (math.pi, 2.0, 20.0)))
