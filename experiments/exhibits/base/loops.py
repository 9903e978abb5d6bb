"""The motions of mechanisms with loops behind the exhibits, each computed once.

What the documents leave open is chosen here: the torque's samples, the absolute tolerance, the feedback's gains.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from meshsim.algorithms.motion.motion import Feedback, Motion, Torque, count_steps
from meshsim.algorithms.motion.prescribed import Prescribed
from meshsim.algorithms.motion.profiles import Driving, load_profile
from meshsim.algorithms.motion.written import LoopNumbers, computed
from meshsim.algorithms.reference.loops import constrained_dynamics
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import assemble, consistent_rates, loops
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.loops.method import Settings, SiteEvaluation
from meshsim.algorithms.schemes.loops.methods import METHODS
from meshsim.algorithms.schemes.loops.svd_recipe import Recipe, Trail, follow
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError

ABSOLUTE = 1e-6
"""The absolute tolerance of all adaptive steps, m and rad: neither document has it; MATLAB's own is this."""
STIFFNESSES = (1e1, 1e2, 1e3, 1e4, 1e5, 1e6)
SIGMAS = (10.0, 20.0, 40.0, 60.0)
STUDIED = 10.0
"""Seconds of the four-bar's motion."""  # KTK sec. 7
GAINS = (400.0, 40.0), (2000.0, 200.0), (10000.0, 1000.0)
"""Of the feedback, N m/rad and N m s/rad: 1, 5 and 25 kg m^2 would be damped critically, at 20 rad/s."""


@dataclass(frozen=True, eq=False)
class Run:
    """A motion: a row for the beginning and for each step's end, up to where it failed if it did.

    `evaluations` were made, as far as that is known of a run that failed.
    """

    t: Array
    q: Array
    qd: Array
    c: Array
    evaluations: int
    failure: str = ""

    @property
    def steps(self) -> int:
        """How many there were."""
        return len(self.t) - 1


def task(
    mechanism: Mechanism,
    q: Array,
    torque: Torque,
    duration: float,
    h: float | None = None,
    rtol: float = 1e-6,
    atol: float = ABSOLUTE,
    feedback: Feedback | None = None,
) -> Motion:
    """A motion from rest, in fixed steps or adaptive ones."""
    still = (0.0,) * mechanism.n
    return Motion(
        mechanism,
        State(tuple(q.tolist()), still, still),
        h,
        0 if h is None else count_steps(duration, h),
        torque=torque,
        feedback=feedback,
        lasting=duration,
        rtol=rtol,
        atol=atol,
    )


def laid_out(mechanism: Mechanism, method: str, settings: Settings) -> SiteEvaluation:
    """A method on one processor; or where states are exchanged once a step, on a processor for each chain."""
    return SiteEvaluation(mechanism, METHODS[method], settings, "star" if settings.distribution == "held" else "one")


def held(settings: Settings) -> Settings:
    """The same with states that are exchanged once a time step."""
    return replace(settings, distribution="held")


def started(motion: Motion, method: str, settings: Settings) -> tuple[LoopNumbers, Array]:
    """A method as a function of state and time, and the state that a motion begins with."""
    numbers = LoopNumbers(laid_out(motion.mechanism, method, settings), motion)
    return numbers, numbers.start(np.array(motion.state.q), np.array(motion.state.qd))


def integrated(motion: Motion, method: str, settings: Settings) -> Run:
    """A motion by a method, up to where it fails if it does."""
    rows: dict[int, list[Any]] = {}
    failure, evaluations = "", 0
    try:
        moved = computed(
            laid_out(motion.mechanism, method, settings),
            motion,
            lambda step, _joint, sample: rows.setdefault(step, []).append(sample),
        )
        evaluations = moved.evaluations
    except MeshSimError as error:
        failure = str(error)
    q, qd = (np.array([[getattr(each, what) for each in row] for row in rows.values()]) for what in ("q", "qd"))
    t, c = (np.array([getattr(row[0], what) for row in rows.values()]) for what in ("t", "gap"))
    return Run(t, q, qd, c, evaluations, failure)


def short(value: float) -> str:
    """A power of ten in print."""
    return f"1e{round(math.log10(value))}"


# The four-bar


@cache
def linkage() -> tuple[Mechanism, Array]:
    """The four-bar, and where it starts."""
    mechanism = load_robot("four-bar")
    return mechanism, assemble(mechanism)


def _turning(duration: float, printed: bool = False, h: float | None = None, rtol: float = 1e-6) -> Motion:
    """The four-bar under its constant torque; from the angles in print, whose loop is open by 7e-5 m, if asked for."""
    mechanism, start = linkage()
    torque = load_profile("own", mechanism).torque
    return task(mechanism, np.array(mechanism.guess) if printed else start, torque, duration, h, rtol)


def angles(q: Array) -> Array:
    """Crank, coupler and rocker against the horizon, as the paper has them."""
    found: Array = np.stack([q[:, 0], q[:, 0] + q[:, 1], q[:, 2]], axis=1)
    return found


SAMPLED = 5e-4
"""Seconds from one sample of the benchmark to the next."""


@cache
def benchmark() -> Run:
    """Ten seconds by direct elimination, as the paper's, and an eighth-order rule; c is not evaluated."""
    from scipy.integrate import DOP853

    motion = _turning(10.0)
    evaluator, y = started(motion, "elimination", Settings())
    solver = DOP853(evaluator.rates, 0.0, y, motion.duration, rtol=1e-13, atol=1e-13)
    rows = [(0.0, *evaluator.last[:2], 0.0)]
    while solver.status == "running":
        solver.step()
        times = SAMPLED * np.arange(len(rows), math.floor(solver.t / SAMPLED + 1e-6) + 1)
        for t, y in zip(times, solver.dense_output()(times).T, strict=True):
            q, qd = evaluator.observed(y)
            rows.append((float(t), q, qd, 0.0))
            evaluator.last = q, qd, evaluator.last[2]
    return _kept(rows, evaluator.count)


@cache
def _benchmark_angles() -> Callable[[Array], Array]:
    from scipy.interpolate import CubicHermiteSpline

    run = benchmark()
    spline: Callable[[Array], Array] = CubicHermiteSpline(run.t, angles(run.q), angles(run.qd))
    return spline


def angle_errors(run: Run) -> Array:
    """How far the three angles are from the benchmark's."""
    errors: Array = np.abs(angles(run.q) - _benchmark_angles()(run.t))
    return errors


@cache
def turned(method: str, parameter: float, rtol: float) -> Run:
    """The four-bar with adaptive steps; the parameter is k or sigma."""
    return integrated(_turning(STUDIED, rtol=rtol), method, _settings(method, parameter))


def _settings(method: str, parameter: float) -> Settings:
    """Springs without dampers, as the paper has them, or the projection's sigma."""
    return Settings(k=parameter) if method == "penalty" else Settings(sigma=parameter)


@cache
def turned_in_steps(
    method: str, parameter: float, h: float, duration: float = STUDIED, printed: bool = False, once: bool = False
) -> Run:
    """The four-bar with fixed steps by Dormand and Prince's fifth-order rule, which MATLAB calls ODE5.

    Every tenth step is kept. A motion has failed when its loop is open by a metre. If asked for, states are exchanged
    `once` a step.
    """
    from scipy.integrate import RK45

    motion, settings = _turning(duration, printed), _settings(method, parameter)
    evaluator, y = started(motion, method, held(settings) if once else settings)
    evaluator.hold(y)
    rates = evaluator.rates(0.0, y)
    rows = [(0.0, *evaluator.last[:2], 0.0)]
    K = np.zeros((6, len(y)))
    for step in range(round(duration / h)):
        K[0] = rates
        for stage in range(1, 6):
            K[stage] = evaluator.rates((step + RK45.C[stage]) * h, y + h * (RK45.A[stage, :stage] @ K[:stage]))
        y = y + h * (RK45.B @ K)
        evaluator.hold(y)
        rates = evaluator.rates((step + 1) * h, y)
        if step % 10 == 9:
            q, qd = evaluator.observed(y)
            gap = float(np.abs(loops(motion.mechanism, q, qd).c).max())
            if not gap < 1.0:
                return _kept(rows, evaluator.count, f"the loop was open by a metre at t = {(step + 1) * h:g} s")
            rows.append(((step + 1) * h, q, qd, gap))
    return _kept(rows, evaluator.count)


@cache
def turned_by_fourth_order(k: float, h: float) -> Run:
    """The four-bar with springs and fixed steps by the classical rule."""
    return integrated(_turning(STUDIED, h=h), "penalty", Settings(k=k))


def _kept(rows: Sequence[tuple[float, Array, Array, float]], evaluations: int, failure: str = "") -> Run:
    t, q, qd, c = (np.array(column) for column in zip(*rows, strict=True))
    return Run(t, q, qd, c, evaluations, failure)


# The 3-RRR


class Manipulator:
    """The 3-RRR under the torques that its prescribed motion takes."""

    def __init__(self) -> None:
        self.mechanism = load_robot("3rrr")
        self.start = assemble(self.mechanism)
        self.driving: Driving = load_profile("own", self.mechanism)

    @property
    def wanted(self) -> Prescribed:
        """The motion that is prescribed, from its start."""
        wanted = self.driving.wanted
        assert isinstance(wanted, Prescribed)
        wanted.last = self.start.copy()
        return wanted

    def drive(self, t: float) -> list[float]:
        """What drives the actuated joints at a time."""
        return [self.driving.torque(joint, t, 0.0, 0.0) for joint in self.mechanism.actuated]

    @cached_property
    def profile(self) -> Callable[[float], tuple[Array, Array, Array]]:
        """Positions, rates and accelerations of the actuated joints by time."""
        return self.wanted.profile

    def errors(self, t: Array, q: Array) -> Array:
        """Wanted less actual angles of the actuated joints."""
        wanted = np.array([self.profile(time)[0] for time in t])
        found: Array = wanted - q[:, list(self.mechanism.actuated)]
        return found

    def torques(self, t: Array) -> Array:
        """What drives the actuated joints."""
        return np.array([self.drive(time) for time in t])

    def motion(self, h: float | None = None, **others: Any) -> Motion:
        """From rest, by these torques."""
        return task(self.mechanism, self.start, self.driving.torque, self.driving.duration, h, **others)

    def feedback(self, gains: tuple[float, float]) -> Feedback:
        """What draws the actuated joints towards the prescribed motion."""
        return Feedback(*gains, lambda t: self.profile(t)[:2])


@cache
def manipulator() -> Manipulator:
    """The one that all runs share."""
    return Manipulator()


def damped(k: float) -> Settings:
    """Springs with dampers of d = 2 sqrt(k)."""  # Khan sec. 4.1
    return Settings(k=k, d=2 * math.sqrt(k))


def stabilised(sigma: float, technique: str = "gauss") -> Settings:
    """Projection."""
    return Settings(sigma=sigma, technique=technique)


@cache
def driven(
    method: str, settings: Settings, rtol: float | None = None, h: float = 0.0, gains: tuple[float, float] | None = None
) -> Run:
    """The 3-RRR for 3 s: adaptive steps to a tolerance, or fixed ones; with feedback if there are gains."""
    robot = manipulator()
    feedback = None if gains is None else robot.feedback(gains)
    adaptive = {} if rtol is None else {"rtol": rtol}
    return integrated(robot.motion(h if rtol is None else None, feedback=feedback, **adaptive), method, settings)


def largest_error(run: Run) -> float:
    """Of the actuated joints, rad."""
    return float(np.abs(manipulator().errors(run.t, run.q)).max())


def corrections(run: Run, gains: tuple[float, float]) -> Array:
    """What the feedback added along a run, in percent of the largest torque that drives the joint."""
    robot = manipulator()
    motion = robot.motion(feedback=robot.feedback(gains))
    states = list(zip(run.t.tolist(), run.q.tolist(), run.qd.tolist(), strict=True))
    added = np.array([np.subtract(motion.applied(*each), motion.torques(each[0])) for each in states])
    added = added[:, list(robot.mechanism.actuated)]
    shares: Array = 100.0 * added / np.abs(robot.torques(run.t)).max(axis=0)
    return shares


RECIPE_LIMIT = 2000
"""Evaluations after which the recipe by singular values is stopped."""


@cache
def recipe(complement: str, sigma: float, rtol: float) -> Trail:
    """The 3-RRR by Yun and Sarkar's recipe, or by elimination with their gamma."""
    robot = manipulator()
    made = Recipe(robot.mechanism, robot.start, sigma, complement)
    return follow(made, robot.start, robot.drive, robot.driving.duration, rtol=rtol, atol=ABSOLUTE, limit=RECIPE_LIMIT)


@cache
def denoc_with_longest_step(rtol: float, longest: float) -> int:
    """How many adaptive steps DeNOC takes if none may be longer."""
    from scipy.integrate import RK45

    robot = manipulator()
    motion = robot.motion()
    evaluator, start = started(motion, "denoc", Settings())
    solver = RK45(evaluator.rates, 0.0, start, motion.duration, rtol=rtol, atol=ABSOLUTE, max_step=longest)
    steps = 0
    while solver.status == "running":
        solver.step()
        steps += 1
    return steps


@cache
def growth_rates() -> dict[float, float]:
    """At some times of the prescribed motion, the largest real part of the eigenvalues of its linearisation, 1/s."""
    robot = manipulator()
    wanted, step = robot.wanted, 1e-6
    found = {}
    for time in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0):
        q, qd, _ = wanted(time)
        free, tau = list(robot.mechanism.actuated), np.array(robot.drive(time))
        state = np.concatenate([q[free], qd[free]])
        J = np.zeros((6, 6))
        J[:3, 3:] = np.eye(3)
        for j, nudge in enumerate(step * np.eye(6)):
            ahead, behind = (_accelerations(robot.mechanism, q, state + sign * nudge, tau) for sign in (1, -1))
            J[3:, j] = (ahead - behind) / (2 * step)
        found[time] = float(np.linalg.eigvals(J).real.max())
    return found


def _accelerations(mechanism: Mechanism, near: Array, state: Array, driving: Array) -> Array:
    """Of the actuated joints, given their positions and rates, and what drives them."""
    free = list(mechanism.actuated)
    guess, tau = near.copy(), np.zeros(mechanism.n)
    guess[free], tau[free] = state[: len(free)], driving
    q = assemble(mechanism, guess)
    qdd, _ = constrained_dynamics(mechanism, q, consistent_rates(mechanism, q, state[len(free) :]), tau)
    return qdd[free]
