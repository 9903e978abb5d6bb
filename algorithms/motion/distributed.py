"""Motion on several processors: each site integrates its own state, and all keep the same time.

Fixed steps need nobody's consent. Adaptive ones (Dormand and Prince's pair, with scipy's rules for the step) do: sites
send the squares of their errors to the master, and get back whether the step holds and how long the next one is. How
long it is the master finds off the machine: one fifth root a step.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from meshsim.algorithms.kernels.core import add, axpy, multiply
from meshsim.algorithms.kernels.dense import difference, inner, sum_of
from meshsim.algorithms.kernels.stepping import error_square
from meshsim.algorithms.motion.integration import HALVES, rule_of, step_on
from meshsim.algorithms.motion.loop_stepping import Stepping, Task
from meshsim.algorithms.motion.stepping import STEP, DivergedError
from meshsim.algorithms.schemes.loops.method import Method, Place
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps

# Dormand and Prince's pair of orders 5 and 4, whose last stage is the next step's first
NODES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0)
STAGES = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
)
WEIGHTS = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)
ERRORS = (-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40)
SAFETY, LEAST, MOST, POWER = 0.9, 0.2, 10.0, -0.2


@dataclass(frozen=True, eq=False)
class Moved:
    """A motion on several processors: times, the positions and rates of all joints, and what it took.

    With adaptive steps `evaluations` counts those of rejected steps too.
    """

    t: Array
    q: Array
    qd: Array
    evaluations: int


def moving(method: Method, places: Sequence[Place], task: Task, stepping: Stepping) -> Plan[Moved]:
    """The plan of a motion. Independent rates are chosen once; feedback is not for several processors.

    Parameters
    ----------
    method : Method
        How dynamics are computed.
    places : sequence of Place
        What each site knows.
    task : Task
        What moves; its drive is asked by every site for its own joints.
    stepping : Stepping
        Fixed or adaptive steps.
    """
    if task.feedback is not None:
        raise MeshSimError("feedback must be left to one processor: on several, no site knows all joints")
    network = places[0].network
    check_stepping(method, places, stepping)
    states = method.begin(places, task.q, task.qd)
    program = fixed if stepping.h is not None else adaptive
    programs = {
        node: partial(program, site=_Site(method, places[i], task, stepping, places, states), y=states[i])
        for i, node in enumerate(network.nodes)
    }
    return Plan(network.topology, programs, partial(_read, method, places))


def check_stepping(method: Method, places: Sequence[Place], stepping: Stepping) -> None:
    """Refuse adaptive steps where no site knows the error of what all of them add up to."""
    full = places[0].settings.distribution == "full"
    if stepping.h is None and len(places) > 1 and method.shares_rates and full:
        raise MeshSimError(
            f"{method.name}, fully distributed, must have fixed steps: no site knows the error of what all add up to"
        )


@dataclass(frozen=True, eq=False)
class _Site:
    method: Method
    place: Place
    task: Task
    stepping: Stepping
    places: Sequence[Place]
    states: Sequence[Sequence[float]]

    def torques(self, t: float) -> tuple[float, ...]:
        """Those of this site's joints."""
        closed = self.task.closed
        tau = [0.0] * closed.n
        for joint, value in zip(closed.actuated, self.task.drive(t), strict=True):
            tau[joint] = float(value)
        return self.method.torques(self.places, tau)[self.place.site]

    def rates(self, cpu: Cpu, y: Sequence[float], t: float) -> Steps[list[float]]:
        """How fast this site's state changes."""
        return self.method.rates(cpu, self.place, y, self.torques(t))

    @property
    def counted(self) -> range:
        """The entries of this site's state whose errors count; those that all sites keep, the master's alone."""
        place = self.place
        kept_by_all = self.method.shares_rates and len(self.places) > 1 and place.site != place.network.master
        return range(place.joints if kept_by_all else len(self.states[place.site]))

    @property
    def total(self) -> int:
        """How many entries count, of all sites."""
        return sum(len(replace(self, place=place).counted) for place in self.places)


Log = tuple[list[float], list[Sequence[float]], int]
"""Times, states, and how many evaluations there were."""


def fixed(cpu: Cpu, site: _Site, y: Sequence[float]) -> Steps[Log]:
    """Fourth-order steps; ports are the network's."""
    h = site.stepping.h
    assert h is not None
    rule, steps = rule_of(4, h), site.stepping.steps(site.task.duration)
    times, states = [0.0], [y]
    for step in range(steps):
        stepping = step_on(cpu, rule, y)
        trial = next(stepping)
        for half in HALVES[4]:
            rates = yield from site.rates(cpu, trial, _halfway(step, half, h))
            try:
                trial = stepping.send(rates)
            except StopIteration as end:
                y = end.value
        times.append(_halfway(step, 2, h))
        states.append(y)
        cpu.phase(f"{STEP}{step}")
    return times, states, _fixed_evaluations(steps)


def _fixed_evaluations(steps: int) -> int:
    """Four for each step."""
    return len(HALVES[4]) * steps


def _halfway(step: int, half: int, h: float) -> float:
    return (2 * step + half) * h / 2


class Pacer:
    """Where an adaptive motion is in time and how far it steps; every site's is the same. Off the machine."""

    def __init__(self, duration: float) -> None:
        self.t, self.h, self.duration, self.rejected = 0.0, 0.0, duration, False

    @property
    def running(self) -> bool:
        """Whether there is time left."""
        return self.t < self.duration

    def aim(self) -> float:
        """The next step, not beyond the end."""
        if not self.h > 10 * math.ulp(self.t):
            raise DivergedError(f"steps became too small at t = {self.t:g} s")
        self.h = min(self.t + self.h, self.duration) - self.t
        return self.h

    def at(self, share: float) -> float:
        """A time within the step."""
        return self.duration if share == 1.0 and self.t + self.h >= self.duration else self.t + share * self.h

    def judge(self, sums: Sequence[float], count: int) -> tuple[float, float]:
        """Whether an error will do (1 or 0), and by what factor to change the step."""
        norm = math.sqrt(sums[0] / count)
        if norm >= 1.0 or math.isnan(norm):
            return 0.0, max(LEAST, SAFETY * norm**POWER)
        factor = MOST if norm == 0.0 else min(MOST, SAFETY * norm**POWER)
        return 1.0, min(1.0, factor) if self.rejected else factor

    def go(self, holds: bool, factor: float) -> None:
        """Step, or do not; and change the step's length."""
        if holds:
            self.t = self.at(1.0)
        self.h, self.rejected = self.h * factor, not holds

    def guess(self, sums: Sequence[float], count: int) -> tuple[float, ...]:
        """A first trial step, from the sizes of state and rates."""
        d0, d1 = (math.sqrt(each / count) for each in sums)
        return (min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, self.duration), d1)

    def begin(self, sums: Sequence[float], count: int, trial: float, d1: float) -> tuple[float, ...]:
        """The first step, from how the rates change over the trial one."""
        d2 = math.sqrt(sums[0] / count) / trial
        largest = max(d1, d2)
        first = max(1e-6, trial * 1e-3) if largest <= 1e-15 else (0.01 / largest) ** -POWER
        return (min(100 * trial, first, self.duration),)


def adaptive(cpu: Cpu, site: _Site, y: Sequence[float]) -> Steps[Log]:
    """Dormand and Prince's steps; ports are the network's."""
    pacer = Pacer(site.task.duration)
    times, states = [0.0], [y]
    rates = yield from site.rates(cpu, y, 0.0)
    yield from _first_step(cpu, site, pacer, y, rates)
    tried: list[float] = []
    while pacer.running:
        h = pacer.aim()
        slopes = [rates]
        for stage in range(1, len(STAGES)):
            trial = along(cpu, y, h, slopes, STAGES[stage])
            slopes.append((yield from site.rates(cpu, trial, pacer.at(NODES[stage]))))
        ahead = along(cpu, y, h, slopes, WEIGHTS)
        slopes.append((yield from site.rates(cpu, ahead, pacer.at(1.0))))
        errors = [cpu.do(multiply, h, inner(cpu, ERRORS, [slope[i] for slope in slopes])) for i in site.counted]
        sizes = [max(abs(y[i]), abs(ahead[i])) for i in site.counted]
        squares = sum_squares(cpu, site.stepping, errors, sizes)
        holds, factor = yield from _agree(cpu, site, (squares,), pacer.judge)
        pacer.go(bool(holds), factor)
        tried.append(h)
        if holds:
            y, rates = ahead, slopes[-1]
            times.append(pacer.t)
            states.append(y)
            cpu.phase(f"{STEP}{len(times)}")
    return times, states, _evaluations(tried)


def _evaluations(tried: Sequence[float]) -> int:
    """Two for the first step's length, then six for each that was tried."""
    return 2 + len(STAGES) * len(tried)


def _first_step(cpu: Cpu, site: _Site, pacer: Pacer, y: Sequence[float], rates: Sequence[float]) -> Steps[None]:
    """How far to step at first: an evaluation a little later tells."""
    sizes = [abs(y[i]) for i in site.counted]
    sums = [sum_squares(cpu, site.stepping, [each[i] for i in site.counted], sizes) for each in (y, rates)]
    trial, d1 = yield from _agree(cpu, site, tuple(sums), pacer.guess)
    later = yield from site.rates(cpu, along(cpu, y, trial, [rates], (1.0,)), trial)
    changes = difference(cpu, [later[i] for i in site.counted], [rates[i] for i in site.counted])
    squares = sum_squares(cpu, site.stepping, changes, sizes)
    (pacer.h,) = yield from _agree(cpu, site, (squares,), partial(pacer.begin, trial=trial, d1=d1))


def along(
    cpu: Cpu, y: Sequence[float], h: float, slopes: Sequence[Sequence[float]], weights: Sequence[float]
) -> list[float]:
    """Y a step along some slopes."""
    used = [j for j, weight in enumerate(weights) if weight]
    return [
        cpu.do(axpy, h, inner(cpu, [weights[j] for j in used], [slopes[j][i] for j in used]), each)
        for i, each in enumerate(y)
    ]


def sum_squares(cpu: Cpu, stepping: Stepping, errors: Sequence[float], sizes: Sequence[float]) -> float:
    """How large errors are for numbers of such sizes."""
    total = 0.0
    for error, size in zip(errors, sizes, strict=True):
        total = cpu.do(add, total, cpu.do(error_square, error, size, stepping.rtol, stepping.atol))
    return total


def _agree(
    cpu: Cpu, site: _Site, mine: tuple[float, ...], decide: Callable[[Sequence[float], int], tuple[float, ...]]
) -> Steps[tuple[float, ...]]:
    """Numbers of all sites summed up by the master, and what it decides of them, for all."""
    network = site.place.network
    gathered = yield from network.gather(cpu, site.place.site, mine)
    parts: list[tuple[float, ...]] = []
    if gathered:
        sums = list(gathered[0])
        for each in gathered[1:]:
            sums = sum_of(cpu, sums, each)
        parts = [decide(sums, site.total)] * len(network.nodes)
    return (yield from network.spread(cpu, site.place.site, parts))


def _read(method: Method, places: Sequence[Place], results: Mapping[Hashable, Log]) -> Moved:
    logs = [results[node] for node in places[0].network.nodes]
    found = [method.finish(places, states) for states in zip(*(log[1] for log in logs), strict=True)]
    q, qd = (np.array(column) for column in zip(*found, strict=True))
    return Moved(np.array(logs[0][0]), q, qd, logs[0][2])
