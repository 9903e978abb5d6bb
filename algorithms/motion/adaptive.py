"""Adaptive steps on several processors: Dormand and Prince's pair, with scipy's rules for the step.

All sites keep the same time. They send the squares of their errors to the master, and get back whether the step holds
and how long the next one is. The master finds the length off the machine (uncounted): one fifth root per step.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial

from meshsim.algorithms.kernels.core import add, axpy, multiply
from meshsim.algorithms.kernels.dense import difference, inner, sum_of
from meshsim.algorithms.kernels.stepping import error_square
from meshsim.algorithms.motion.motion import DivergedError, Motion
from meshsim.algorithms.motion.sites import Site, Trail
from meshsim.algorithms.motion.stepping import STEP
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
        """Whether an error is acceptable (1 or 0), and by what factor to change the step."""
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


def adaptive(cpu: Cpu, site: Site, y: Sequence[float]) -> Steps[Trail]:
    """Dormand and Prince's steps; ports are the network's."""
    pacer = Pacer(site.motion.duration)
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
        squares = sum_squares(cpu, site.motion, errors, sizes)
        holds, factor = yield from _agree(cpu, site, (squares,), pacer.judge)
        pacer.go(bool(holds), factor)
        tried.append(h)
        if holds:
            y, rates = ahead, slopes[-1]
            times.append(pacer.t)
            states.append(y)
            cpu.phase(f"{STEP}{len(times)}")
    return list(zip(times, states, strict=True)), _evaluations(tried)


def _evaluations(tried: Sequence[float]) -> int:
    """Two for the first step's length, then six for each that was tried."""
    return 2 + len(STAGES) * len(tried)


def _first_step(cpu: Cpu, site: Site, pacer: Pacer, y: Sequence[float], rates: Sequence[float]) -> Steps[None]:
    """The first step's length, from one more evaluation a little later."""
    sizes = [abs(y[i]) for i in site.counted]
    sums = [sum_squares(cpu, site.motion, [each[i] for i in site.counted], sizes) for each in (y, rates)]
    trial, d1 = yield from _agree(cpu, site, tuple(sums), pacer.guess)
    later = yield from site.rates(cpu, along(cpu, y, trial, [rates], (1.0,)), trial)
    changes = difference(cpu, [later[i] for i in site.counted], [rates[i] for i in site.counted])
    squares = sum_squares(cpu, site.motion, changes, sizes)
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


def sum_squares(cpu: Cpu, motion: Motion, errors: Sequence[float], sizes: Sequence[float]) -> float:
    """How large errors are for numbers of such sizes."""
    total = 0.0
    for error, size in zip(errors, sizes, strict=True):
        total = cpu.do(add, total, cpu.do(error_square, error, size, motion.rtol, motion.atol))
    return total


def _agree(
    cpu: Cpu, site: Site, mine: tuple[float, ...], decide: Callable[[Sequence[float], int], tuple[float, ...]]
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
    return (yield from network.scatter(cpu, site.place.site, parts))
