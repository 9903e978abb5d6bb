"""A second opinion on motion: plain loops over a dense solver, which share no code with the programs."""

import json

import numpy as np
from tools.paths import DATA

from meshsim.algorithms.motion.pace import moving
from meshsim.algorithms.motion.written import computed
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.presets import PRESETS


class Plain:
    """Computes without counting."""

    @staticmethod
    def do(kernel, *args):
        return kernel(*args)


def oracle(name):
    return json.loads((DATA / f"{name}.json").read_text())


def simulated(scheme, motion, machine="ideal", **options):
    """The run of a motion, every message."""
    evaluation = SCHEMES[scheme].evaluation(motion.mechanism, **options)
    return moving(evaluation, motion).run(PRESETS[machine], trace=False)


def numbers(motion, scheme="one-wong", **options):
    """The motion alone, by a scheme's arithmetic written out."""
    evaluation = SCHEMES[scheme].evaluation(motion.mechanism, **options)
    return computed(evaluation, motion)


class _Spring:
    """Dry friction of one joint by the distance that its spring is stretched."""

    def __init__(self, dry, q, qd):
        self.dry, self.q = dry, q
        self.slides = bool(qd) or abs(dry.load) > dry.breakaway
        self.stretch = (np.sign(qd or dry.load) * dry.coulomb if self.slides else dry.load) / dry.stiffness

    @property
    def most(self):
        return self.dry.coulomb if self.slides else self.dry.breakaway

    def torque(self, q, qd):
        return np.clip(self.dry.stiffness * (self.stretch + q - self.q) + self.dry.damping * qd, -self.most, self.most)

    def drag(self, q):
        self.stretch, self.q = self.stretch + q - self.q, q
        self.slides = abs(self.stretch) * self.dry.stiffness > self.most
        if self.slides:
            self.stretch = np.sign(self.stretch) * self.dry.coulomb / self.dry.stiffness


def dense_motion(motion):
    """Positions and rates after each step, by the textbook's Runge and Kutta and a dense solver."""
    n = len(motion.mechanism.joints)
    grips = [_Spring(dry, motion.state.q[i], motion.state.qd[i]) for i, dry in enumerate(motion.dry_friction)]

    def rates(t, y):
        q, qd = y[:n], y[n:]
        tau = [motion.torque(i, t, q[i], qd[i]) for i in range(n)]
        if motion.friction:
            tau = [force - b * rate for force, b, rate in zip(tau, motion.friction, qd, strict=True)]
        for i, grip in enumerate(grips):
            tau[i] -= grip.torque(q[i], qd[i])
        qdd = forward_dynamics(motion.mechanism, State(tuple(q), tuple(qd), tuple(tau))).qdd
        return np.concatenate([qd, qdd])

    y, h = np.array([*motion.state.q, *motion.state.qd]), motion.h
    rows = [y]
    for step in range(motion.steps):
        t = step * h
        k1 = rates(t, y)
        if motion.order == 1:
            y = y + h * k1
        elif motion.order == 2:
            y = y + h * rates(t + h / 2, y + h / 2 * k1)
        else:
            k2 = rates(t + h / 2, y + h / 2 * k1)
            k3 = rates(t + h / 2, y + h / 2 * k2)
            k4 = rates(t + h, y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        for i, grip in enumerate(grips):
            grip.drag(y[i])
        rows.append(y)
    return np.array(rows)[:, :n], np.array(rows)[:, n:]
