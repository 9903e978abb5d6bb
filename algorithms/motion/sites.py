"""Mechanisms with loops in motion on several processors: each site integrates its own state.

Sites exchange in every evaluation, or once a step (``held``). Independent rates are chosen once. Feedback is made
at the site where a joint lives.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from meshsim.algorithms.motion.integration import HALVES
from meshsim.algorithms.motion.motion import Motion, Moved, Sample, Watch
from meshsim.algorithms.motion.stepping import STEP, one_step
from meshsim.algorithms.robots.closure import loops, nearest
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.loops.method import Method, Place, SiteEvaluation, meeting
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps

Trail = tuple[list[tuple[float, Sequence[float]]], int]
"""Times and states of a site, and how many evaluations there were."""


@dataclass(frozen=True, eq=False)
class Site:
    """What the processor of a site knows of a motion, and whether it holds what it knows of others through a step."""

    method: Method
    place: Place
    motion: Motion
    places: Sequence[Place]
    states: Sequence[Sequence[float]]
    holds: bool = False

    def rates(self, cpu: Cpu, y: Sequence[float], t: float) -> Steps[list[float]]:
        """How fast this site's state changes."""
        efforts = self.method.torques(self.places, self.motion.efforts(self.motion.orders(t)))[self.place.site]
        return self.method.rates(cpu, self.place, y, efforts)

    @property
    def counted(self) -> range:
        """The entries of this site's state whose errors count."""
        return self.method.own_entries(self.place, len(self.states[self.place.site]))

    @property
    def total(self) -> int:
        """How many entries count, of all sites."""
        return sum(len(replace(self, place=place).counted) for place in self.places)


def fixed(cpu: Cpu, site: Site, y: Sequence[float]) -> Steps[Trail]:
    """Fixed steps; ports are the layout's."""
    motion = site.motion

    def stage(step: int, number: int, trial: list[float]) -> Steps[list[float]]:
        return site.rates(cpu, trial, motion.time(step, HALVES[motion.order][number]))

    trail = [(0.0, y)]
    for step in range(motion.steps):
        if site.holds:
            site = replace(site, place=(yield from meeting(cpu, site.method, site.place, y)))
        y = yield from one_step(cpu, motion, step, y, stage)
        trail.append((motion.time(step + 1), y))
        cpu.phase(f"{STEP}{step}")
    return trail, motion.evaluations


SiteProgram = Callable[..., Steps[Trail]]
"""Given cpu, site and y: the steps of one site."""


def moving_sites(
    evaluation: SiteEvaluation, motion: Motion, watch: Watch | None = None, program: SiteProgram = fixed
) -> Plan[Moved]:
    """The plan of a motion of a mechanism with loops; `program` says how each site steps."""
    q, qd = np.array(motion.state.q), np.array(motion.state.qd)
    places, method = evaluation.places(q), evaluation.method
    check_stepping(evaluation, motion)
    states = method.begin(places, q, qd)
    nodes = places[0].network.nodes
    programs = {
        node: partial(program, site=Site(method, places[i], motion, places, states, evaluation.holds), y=states[i])
        for i, node in enumerate(nodes)
    }

    def read(results: Mapping[Hashable, Trail]) -> Moved:
        trails = [results[node] for node in nodes]
        found = [(0.0, q, qd)]
        for together in zip(*(trail for trail, _ in trails), strict=True):
            at, rates = method.finish(places, [y for _, y in together])
            found.append((together[0][0], unwound(method, motion.mechanism, at, found[-1][1]), rates))
        return moved_loops(motion, found[1:], trails[0][1], watch)

    return Plan(places[0].network.topology, programs, read)


def unwound(method: Method, mechanism: Mechanism, q: Array, before: Array) -> Array:
    """Positions, and if a method knows angles but for full turns, those nearest to the ones before."""
    if not method.winds:
        return q
    turning = np.array([body.kind == "revolute" for body in mechanism.bodies])
    return np.array(np.where(turning, nearest(q, before), q))


def check_stepping(evaluation: SiteEvaluation, motion: Motion) -> None:
    """Refuse adaptive steps where no site knows the error: of what it holds, or of a state that is a sum over all."""
    if motion.h is None and evaluation.holds:
        raise MeshSimError(
            f"{evaluation.method.name}, with states of others held, must have fixed steps: a site's estimate of its "
            "error leaves out what holding them costs"
        )
    shared = evaluation.method.keeps_all_rates and evaluation.settings.distribution == "full"
    if motion.h is None and shared and len(evaluation.places(np.array(motion.state.q))) > 1:
        raise MeshSimError(
            f"{evaluation.method.name}, fully distributed, must have fixed steps: no site knows the error of what all "
            "add up to"
        )


def moved_loops(
    motion: Motion,
    found: Sequence[tuple[float, Array, Array]],
    evaluations: int,
    watch: Watch | None = None,
) -> Moved:
    """A motion from times, positions and rates of all joints."""
    t, q, qd = (np.array(column) for column in zip(*found, strict=True))
    gap = np.array([np.abs(loops(motion.mechanism, *each).c).max() for each in zip(q, qd, strict=True)])
    tau = np.array([motion.applied(*each) for each in zip(t.tolist(), q.tolist(), qd.tolist(), strict=True)])
    if watch is not None:
        for step, row in enumerate(zip(t.tolist(), q, qd, tau, gap.tolist(), strict=True)):
            tell(watch, step, *row)
    return Moved(t, q, qd, np.full_like(q, np.nan), tau, gap=gap, evaluations=evaluations)


def tell(watch: Watch, step: int, t: float, q: Array, qd: Array, tau: Any, gap: float) -> None:
    """Report all joints of a step to who watches."""
    for joint, (position, rate, torque) in enumerate(zip(q.tolist(), qd.tolist(), list(tau), strict=True)):
        watch(step, joint, Sample(t, position, rate, None, float(torque), gap=gap))
