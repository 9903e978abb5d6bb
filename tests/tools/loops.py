"""What tests of mechanisms with loops share: states in which loops close, one evaluation, and mechanisms of rods."""

import json
import math
from dataclasses import dataclass

import numpy as np
from tools.paths import DATA

from meshsim.algorithms.motion import pace
from meshsim.algorithms.motion.motion import Motion, count_steps
from meshsim.algorithms.motion.written import computed
from meshsim.algorithms.robots.body import Body, rotation_x
from meshsim.algorithms.robots.closure import assemble, consistent_rates
from meshsim.algorithms.robots.cuts import Anchor, Cut
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.loops.method import SiteEvaluation, evaluation
from meshsim.presets import load_machine

MACHINES = ("ideal", "t800", "t800-overlap")
"""One of each discipline: messages that take no time, processors that wait for their messages, and that do not."""


def ways(method):
    """Every network and distribution of a method; on one processor there is one."""
    several = [(network, how) for network in method.layouts[1:] for how in method.distributions]
    return [("one", method.distributions[0]), *several]


def closed_state(mechanism, seed):
    """Positions in which loops close, near the guess, rates that keep them closed, and torques of actuated joints."""
    random = np.random.default_rng(seed)
    guess = np.array(mechanism.guess)
    guess[list(mechanism.actuated)] += random.uniform(-0.1, 0.1, len(mechanism.actuated))
    q = assemble(mechanism, guess)
    qd = consistent_rates(mechanism, q, random.uniform(-2.0, 2.0, len(mechanism.actuated)))
    tau = np.zeros(mechanism.n)
    tau[list(mechanism.actuated)] = random.uniform(-20.0, 20.0, len(mechanism.actuated))
    return q, qd, tau


def evaluated(method, mechanism, settings, network, state, machine="ideal"):
    """What each processor knows, and the run of one evaluation."""
    q, qd, tau = state
    places = method.places(mechanism, network, settings, q)
    plan = evaluation(method, places, method.begin(places, q, qd), method.torques(places, tau.tolist()))
    return places, plan.run(load_machine(machine))


@dataclass
class Task:
    """What is to move, from where, by which torques of the actuated joints, and for how long."""

    mechanism: Mechanism
    q: object
    qd: object
    drive: object
    duration: float
    feedback: object = None

    def motion(self, stepping):
        """As `Motion` has it."""
        place = {joint: k for k, joint in enumerate(self.mechanism.actuated)}
        state = State(tuple(map(float, self.q)), tuple(map(float, self.qd)), (0.0,) * self.mechanism.n)
        return Motion(
            self.mechanism,
            state,
            stepping.h,
            0 if stepping.h is None else count_steps(self.duration, stepping.h),
            torque=lambda joint, t, _q, _qd: self.drive(t)[place[joint]],
            feedback=self.feedback,
            lasting=self.duration,
            rtol=stepping.rtol,
            atol=stepping.atol,
        )


@dataclass(frozen=True)
class Stepping:
    """Fixed steps of `h` seconds, or adaptive ones to tolerances."""

    h: float | None = None
    rtol: float = 1e-3
    atol: float = 1e-6


def watched(watch, mechanism):
    """Calls `watch` with time, positions, rates and the constraint error, once all joints of a step are known."""
    waiting = []

    def take(_step, _joint, sample):
        waiting.append(sample)
        if len(waiting) == mechanism.n:
            row = list(waiting)
            waiting.clear()
            watch(row[0].t, np.array([each.q for each in row]), np.array([each.qd for each in row]), row[0].gap)

    return take


class History:
    """A motion as lists: an entry for the beginning and one for each step's end."""

    def __init__(self, moved):
        self.t, self.c = moved.t.tolist(), moved.gap.tolist()
        self.q, self.qd = list(moved.q), list(moved.qd)
        self.evaluations, self.restarts = moved.evaluations, moved.restarts

    def arrays(self):
        """Times, positions, rates, and the largest constraint error."""
        return np.array(self.t), np.array(self.q), np.array(self.qd), np.array(self.c)


def drive_of(mechanism, driving):
    """The torques of the actuated joints by time, of a profile."""
    return lambda t: [driving.torque(joint, t, math.nan, math.nan) for joint in mechanism.actuated]


def integrate(method, settings, task, stepping, watch=None):
    """A motion by a method on one processor."""
    found = SiteEvaluation(task.mechanism, method, settings, "one")
    return History(computed(found, task.motion(stepping), None if watch is None else watched(watch, task.mechanism)))


def moving(method, places, task, stepping):
    """The plan of a motion on several processors."""
    found = SiteEvaluation(task.mechanism, method, places[0].settings, places[0].network.name)
    return pace.moving(found, task.motion(stepping))


def oracle(name):
    """Columns of a trajectory made with other tools, by name."""
    found = json.loads((DATA / f"{name}.json").read_text())
    return dict(zip(found["columns"], np.array(found["rows"]).T, strict=True))


def rod(name, parent, length, position=(0.0, 0.0, 0.0), mass=1.0):
    """A uniform rod in the upright plane; on the ground, its position is there."""
    moment = mass * length**2 / 12
    inertia = ((moment / 2, 0.0, 0.0), (0.0, moment / 2, 0.0), (0.0, 0.0, moment))
    twist = math.pi / 2 if parent < 0 else 0.0
    return Body(
        name, name, "revolute", parent, rotation_x(twist), position, mass, (length / 2, 0.0, 0.0), inertia, twist
    )


def linkage(name, lengths, guess, actuated=(0,)):
    """A four-bar linkage: ground, crank, coupler and rocker; the coupler's angle is to the crank."""
    ground, crank, coupler, rocker = lengths
    bodies = (
        rod("crank", -1, crank),
        rod("coupler", 0, coupler, (crank, 0.0, 0.0)),
        rod("rocker", -1, rocker, (ground, 0.0, 0.0)),
    )
    pin = Cut("pin", "revolute", Anchor(1, (coupler, 0.0, 0.0)), Anchor(2, (rocker, 0.0, 0.0)))
    return Mechanism(name, bodies).closed_by((pin,), actuated, guess)


def parallelogram(angle=0.5, third=False):
    """Cranks of equal length and a coupler as long as the ground; with a third crank in the middle it is redundant."""
    one = linkage("parallelogram", (2.0, 1.0, 2.0, 1.0), (angle, -angle, angle))
    if not third:
        return one
    bodies = (*one.bodies, rod("middle", -1, 1.0, (1.0, 0.0, 0.0)))
    cut = Cut("middle pin", "revolute", Anchor(1, (1.0, 0.0, 0.0)), Anchor(3, (1.0, 0.0, 0.0)))
    return Mechanism("tied parallelogram", bodies).closed_by((*one.cuts, cut), (0,), (*one.guess, angle))


def ring(count):
    """Chains of two rods side by side, each joined to the next by a pin: from four on no chain meets all others."""
    bodies = []
    for k in range(count):
        bodies += [rod(f"thigh{k}", -1, 1.0, (0.8 * k, 0.0, 0.0)), rod(f"shin{k}", 2 * k, 1.0, (1.0, 0.0, 0.0))]
    cuts = [
        Cut(f"pin{k}", "revolute", Anchor(2 * k + 1, (1.0, 0.0, 0.0)), Anchor(2 * k + 3, (0.6, 0.1, 0.0)))
        for k in range(count - 1)
    ]
    return Mechanism(f"ring{count}", tuple(bodies)).closed_by(tuple(cuts), (), (1.0, 0.5) * count)
