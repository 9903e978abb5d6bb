"""What tests of closed mechanisms share: states in which loops close, one evaluation, and mechanisms of rods."""

import json
import math

import numpy as np
from tools.paths import DATA

from meshsim.algorithms.robots.closed import Anchor, ClosedMechanism, Cut
from meshsim.algorithms.robots.closure import assemble, consistent_rates
from meshsim.algorithms.robots.mechanism import Body, Mechanism, rotation_x
from meshsim.algorithms.schemes.loops.method import evaluation
from meshsim.presets import load_machine

MACHINES = ("ideal", "t800", "t800-overlap")
"""One of each discipline: messages that take no time, processors that wait for their messages, and that do not."""


def ways(method):
    """Every network and distribution of a method; on one processor there is one."""
    several = [(network, how) for network in method.networks[1:] for how in method.distributions]
    return [("one", method.distributions[0]), *several]


def closed_state(closed, seed):
    """Positions in which loops close, near the guess, rates that keep them closed, and torques of actuated joints."""
    random = np.random.default_rng(seed)
    guess = np.array(closed.guess)
    guess[list(closed.actuated)] += random.uniform(-0.1, 0.1, len(closed.actuated))
    q = assemble(closed, guess)
    qd = consistent_rates(closed, q, random.uniform(-2.0, 2.0, len(closed.actuated)))
    tau = np.zeros(closed.n)
    tau[list(closed.actuated)] = random.uniform(-20.0, 20.0, len(closed.actuated))
    return q, qd, tau


def evaluated(method, closed, settings, network, state, machine="ideal"):
    """What each processor knows, and the run of one evaluation."""
    q, qd, tau = state
    places = method.places(closed, network, settings, q)
    plan = evaluation(method, places, method.begin(places, q, qd), method.torques(places, tau.tolist()))
    return places, plan.run(load_machine(machine))


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
    return ClosedMechanism(Mechanism(name, bodies), (pin,), actuated, guess)


def parallelogram(angle=0.5, third=False):
    """Cranks of equal length and a coupler as long as the ground; with a third crank in the middle it is redundant."""
    one = linkage("parallelogram", (2.0, 1.0, 2.0, 1.0), (angle, -angle, angle))
    if not third:
        return one
    bodies = (*one.tree.bodies, rod("middle", -1, 1.0, (1.0, 0.0, 0.0)))
    cut = Cut("middle pin", "revolute", Anchor(1, (1.0, 0.0, 0.0)), Anchor(3, (1.0, 0.0, 0.0)))
    return ClosedMechanism(Mechanism("tied parallelogram", bodies), (*one.cuts, cut), (0,), (*one.guess, angle))


def ring(count):
    """Chains of two rods side by side, each joined to the next by a pin: from four on no chain meets all others."""
    bodies = []
    for k in range(count):
        bodies += [rod(f"thigh{k}", -1, 1.0, (0.8 * k, 0.0, 0.0)), rod(f"shin{k}", 2 * k, 1.0, (1.0, 0.0, 0.0))]
    cuts = [
        Cut(f"pin{k}", "revolute", Anchor(2 * k + 1, (1.0, 0.0, 0.0)), Anchor(2 * k + 3, (0.6, 0.1, 0.0)))
        for k in range(count - 1)
    ]
    return ClosedMechanism(Mechanism(f"ring{count}", tuple(bodies)), tuple(cuts), (), (1.0, 0.5) * count)
