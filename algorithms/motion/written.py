"""The numbers of a motion on one processor: the arithmetic of an evaluation, written out as one function (`Tape`).

They are those of the simulated programs; no times are found. Fixed steps of a tree are written out too, or run its own
programs on the function (`written_steps.py`). Adaptive steps are scipy's; with loops, independent rates may be chosen
anew between steps, and a motion ends where loops no longer determine it (`LoopGuard`).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from meshsim.algorithms.motion.integration import HALVES, step_on
from meshsim.algorithms.motion.motion import (
    MOST_STEPS,
    DivergedError,
    Motion,
    Moved,
    Sample,
    SingularError,
    Watch,
)
from meshsim.algorithms.motion.sites import check_stepping, tell, unwound
from meshsim.algorithms.motion.stepping import moving_cells
from meshsim.algorithms.motion.written_steps import WholeSteps, accelerations, written_out
from meshsim.algorithms.robots.closure import Loops, loops
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.effort import applied
from meshsim.algorithms.schemes.base.evaluation import CellEvaluation, Evaluation
from meshsim.algorithms.schemes.loops.method import Method, Place, SiteEvaluation, evaluation
from meshsim.algorithms.types.arrays import Array
from meshsim.counted import Uncounted
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.simulation import NOWHERE
from meshsim.tape import Tape

FAR = 50.0
"""With smaller condition numbers at both ends, a step over a singular position looks like one that is too long."""
SINGULAR = 1e6
"""The condition number of the constraints at which a motion stops: they no longer determine what the joints do."""


def computed(found: Evaluation, motion: Motion, watch: Watch | None = None) -> Moved:
    """The numbers of a motion.

    Parameters
    ----------
    found : Evaluation
        How its dynamics are computed.
    motion : Motion
        What moves.
    watch : Watch, optional
        Called for every step as it ends; may raise an error to stop the motion.

    Returns
    -------
    Moved
        What it did. Where loops become singular, or numbers overflow, an error is raised instead; who needs what was
        computed until then gets it from `watch`.
    """
    if isinstance(found, SiteEvaluation):
        return _integrate_loops(LoopNumbers(found, motion), watch)
    tree = cells_of(found)
    if motion.h is None:
        return _integrate_tree(tree, motion, watch)
    if motion.by_time is not None and not (motion.actuators or motion.dry_friction or motion.control):
        return WholeSteps(tree, motion, motion.by_time).moved(watch)
    return moving_cells(written_out(tree, motion.evaluations), motion, watch).run(NOWHERE, trace=False).value


def cells_of(found: Evaluation) -> CellEvaluation:
    """The evaluation of a tree; one that has no states to integrate is refused."""
    if not isinstance(found, CellEvaluation):
        name = found.mechanism.name
        raise MeshSimError(f"this scheme evaluates {name} once and integrates no states: it cannot move it")
    return found


def _integrate_tree(found: CellEvaluation, motion: Motion, watch: Watch | None) -> Moved:
    """Adaptive steps of a tree."""
    function, n, count = accelerations(found), len(motion.mechanism.joints), 0

    def torques(t: float, y: Array) -> list[float]:
        q, qd = y[:n].tolist(), y[n:].tolist()
        efforts = [motion.effort(i, t, *each) for i, each in enumerate(zip(q, qd, strict=True))]
        return applied(efforts, q, qd)

    def rates(t: float, y: Array) -> Array:
        nonlocal count
        count += 1
        return np.array([*y[n:], *function([*y.tolist(), *torques(t, y)])])

    rows = []
    start = np.array([*motion.state.q, *motion.state.qd])
    for t, y in _adaptive_steps("the motion", rates, 0.0, start, motion):
        if not np.abs(y).max() < 1e12:
            raise DivergedError(f"the motion diverged: the state is no longer finite at t = {t:g} s")
        tau = np.array(torques(t, y))
        qdd = np.array(function([*y.tolist(), *tau.tolist()]))
        rows.append((t, y[:n], y[n:], qdd, tau))
        if watch is not None:
            for joint, each in enumerate(zip(*(part.tolist() for part in rows[-1][1:]), strict=True)):
                watch(len(rows) - 1, joint, Sample(t, *each))
    times, q, qd, qdds, taus = (np.array(column) for column in zip(*rows, strict=True))
    return Moved(times, q, qd, qdds, taus, evaluations=count)


Trail = Iterator[tuple[float, Array]]
"""Times and states: the beginning, and every step's end."""


def _adaptive_steps(name: str, rates: Callable[[float, Array], Array], t: float, y: Array, motion: Motion) -> Trail:
    """Scipy's steps from a time to the end."""
    from scipy.integrate import RK45  # here, since scipy takes as long to import as all else

    yield t, y
    solver = RK45(rates, t, y, motion.duration, rtol=motion.rtol, atol=motion.atol)
    steps = 0
    while solver.status == "running":
        message = solver.step()
        if solver.status == "failed":
            raise DivergedError(f"{name}: steps became too small at t = {solver.t:g} s: {message}")
        steps += 1
        if steps > MOST_STEPS:
            raise DivergedError(
                f"{name} is at t = {solver.t:g} s only after {MOST_STEPS} steps; give up, or ask for less"
            )
        yield float(solver.t), np.array(solver.y)


# Loops


class LoopNumbers:
    """A method as a function of state and time: the arithmetic of all its sites, and so their numbers.

    The state is that of all sites in turn. Rates that every site keeps a copy of are in it once, as the master's. Where
    sites hold others' states, `held` is what all states were when they were exchanged.
    """

    def __init__(self, found: SiteEvaluation, motion: Motion) -> None:
        self.found, self.method, self.motion = found, found.method, motion
        self.mechanism = motion.mechanism
        self.places: list[Place] = []
        self.kept: list[int] = []
        self.source: list[int] = []
        self.ends: list[int] = []
        self.tape: Tape | None = None
        self.held: Array | None = None
        self.count = 0
        self.restarts: list[float] = []
        self.last: tuple[Array, Array, Array] = (np.array(motion.state.q), np.array(motion.state.qd), np.zeros((0, 0)))

    def start(self, q: Array, qd: Array) -> Array:
        """Lay the method out for a position; the state there."""
        self.places = self.found.places(q)
        places, method = self.places, self.method
        states = method.begin(places, q, qd)
        self.ends = list(accumulate(map(len, states)))
        self.kept, self.source = entries(method, places, [len(state) for state in states])
        size, last = self.ends[-1], self.ends[-1] + len(self.motion.orders(0.0))

        def make(values: Sequence[float]) -> Plan[Sequence[float]]:
            held = parted(values[last:], self.ends) if self.found.holds else None
            efforts = method.torques(places, self.motion.efforts(values[size:last]))
            made = evaluation(method, places, parted(values[:size], self.ends), efforts, held)
            return Plan(made.topology, made.programs, lambda results: joined(made.read(results)))

        self.tape = Tape(make)
        return np.array(joined(states))[self.kept]

    def hold(self, y: Array) -> None:
        """States are exchanged, where others' are then held."""
        self.held = y if self.found.holds else None

    def rates(self, t: float, y: Array) -> Array:
        """How fast the state changes."""
        assert self.tape is not None
        self.count += 1
        held = [] if self.held is None else self.held.tolist()
        return np.array(self.tape([*y[self.source].tolist(), *self.motion.orders(t), *held]))[self.kept]

    def observed(self, y: Array) -> tuple[Array, Array]:
        """Positions and rates of all joints."""
        q, qd = self.method.finish(self.places, parted(y[self.source].tolist(), self.ends))
        return unwound(self.method, self.mechanism, q, self.last[0]), qd

    def chosen_anew(self, y: Array, t: float) -> Array:
        """The state, converted if the method wants to integrate other rates from here on.

        Sites that hold others' states keep to their choice, as on the network: none knows all when a step ends.
        """
        wants = self.method.wants_restart
        if wants is None or not t or self.found.holds:
            return y
        q, qd, A = self.last
        if not wants(self.places, A):
            return y
        self.restarts.append(t)
        return self.start(q, qd)


def joined(parts: Sequence[Sequence[float]]) -> list[float]:
    """Numbers by site as those of all sites in turn."""
    return [value for part in parts for value in part]


def parted(values: Sequence[Any], ends: Sequence[int]) -> list[Sequence[Any]]:
    """Values one after another as parts, given where each ends."""
    return [values[first:last] for first, last in zip([0, *ends], ends, strict=False)]


def entries(method: Method, places: Sequence[Place], sizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Which entries of all sites' states are integrated, and from which of these each entry is taken."""
    master = places[0].network.master
    begins = [sum(sizes[:site]) for site in range(len(sizes))]
    kept, origin = list[int](), list[int]()
    for place, begin, size in zip(places, begins, sizes, strict=True):
        own = method.own_entries(place, size)
        for i in range(size):
            copied = i not in own
            origin.append(begins[master] + places[master].joints + i - place.joints if copied else begin + i)
            if not copied:
                kept.append(begin + i)
    where = {entry: at for at, entry in enumerate(kept)}
    return kept, [where[entry] for entry in origin]


def _integrate_loops(numbers: LoopNumbers, watch: Watch | None) -> Moved:
    motion = numbers.motion
    check_stepping(numbers.found, motion)
    guard = LoopGuard(numbers.method, motion.mechanism)
    steps = _fixed_loops if motion.h is not None else _adaptive_loops
    rows: list[tuple[float, Array, Array, float]] = []
    for t, y in guard.trail(steps(numbers, numbers.start(*numbers.last[:2]))):
        q, qd, now = _looked_at(numbers, t, y)
        gap = float(np.abs(now.c).max())
        guard.check(t, now)
        rows.append((t, q, qd, gap))
        numbers.last = q, qd, now.A
        if len(rows) > MOST_STEPS:
            raise DivergedError(
                f"{numbers.method.name} is at t = {t:g} s only after {MOST_STEPS} steps; give up, or ask for less"
            )
        if watch is not None:
            tell(watch, len(rows) - 1, t, q, qd, motion.applied(t, q.tolist(), qd.tolist()), gap)
    times, q_all, qd_all, gaps = (np.array(column) for column in zip(*rows, strict=True))
    states = zip(times.tolist(), q_all.tolist(), qd_all.tolist(), strict=True)
    tau = np.array([motion.applied(*each) for each in states])
    nothing = np.full_like(q_all, np.nan)
    return Moved(times, q_all, qd_all, nothing, tau, gap=gaps, evaluations=numbers.count, restarts=numbers.restarts)


def _looked_at(numbers: LoopNumbers, t: float, y: Array) -> tuple[Array, Array, Loops]:
    """Positions, rates and constraints of a state, unless the state is not finite."""
    with np.errstate(all="ignore"):
        try:
            q, qd = numbers.observed(y)
            now = loops(numbers.mechanism, q, qd)
        except np.linalg.LinAlgError:
            now = None
    if now is None or not (np.isfinite(qd).all() and np.abs(now.c).max() < 1e6):
        name = numbers.method.name
        softer = {"penalty": ", or softer springs,", "projection": ", or a smaller sigma,"}.get(name, "")
        raise DivergedError(f"{name} diverged at t = {t:g} s; smaller steps{softer} may help")
    return q, qd, now


def _fixed_loops(numbers: LoopNumbers, y: Array) -> Trail:
    motion = numbers.motion
    yield 0.0, y
    for step in range(motion.steps):
        y = stepped(numbers, step, numbers.chosen_anew(y, motion.time(step)))
        yield motion.time(step + 1), y


def stepped(numbers: LoopNumbers, step: int, y: Array) -> Array:
    """The state a fixed step on."""
    motion = numbers.motion
    numbers.hold(y)
    stepping = step_on(Uncounted(), motion.rule, y.tolist())  # type: ignore[arg-type]
    trial = next(stepping)
    for half in HALVES[motion.order]:
        rates = numbers.rates(motion.time(step, half), np.array(trial)).tolist()
        try:
            trial = stepping.send(rates)
        except StopIteration as end:
            trial = end.value
    return np.array(trial)


def _adaptive_loops(numbers: LoopNumbers, y: Array) -> Trail:
    t, duration = 0.0, numbers.motion.duration
    yield t, y
    while t < duration:
        trail = _adaptive_steps(numbers.method.name, numbers.rates, t, y, numbers.motion)
        next(trail)  # where it begins
        for t, y in trail:
            yield t, y
            fresh = numbers.chosen_anew(y, t)
            if fresh is not y:
                y = fresh
                break


class LoopGuard:
    """Stops a motion where constraints become dependent, or the joints that a method rests on fail to determine it.

    A step may leap over such a position: then the matrix A of the joints that are looked at has turned inside out, and
    the determinant of A before it times A^T after it is negative. The margin is the inverse of a condition number.

    A method that keeps the way in which loops are assembled does not come out on the other side: there the determinant
    of A grows again where it was about to change its sign.
    """

    def __init__(self, method: Method, mechanism: Mechanism) -> None:
        self.mechanism, self.leans = mechanism, method.relies_on(mechanism)
        self.joints = [joint for joint in range(mechanism.n) if joint not in self.leans]
        self.closes, self.keeps = method.closes, method.winds
        self.determinants: list[tuple[float, float]] = []
        self.last: tuple[float, float, Array] | None = None
        self.loop = mechanism.cuts[0].name

    def trail(self, trail: Trail) -> Trail:
        """The same trail; where a method that rests on some joints cannot go on, it is they that fail it."""
        try:
            yield from trail
        except DivergedError:
            raise
        except np.linalg.LinAlgError:
            since = 0.0 if self.last is None else self.last[0]
            raise DivergedError(f"the motion diverged after t = {since:g} s: the state is no longer finite") from None
        except MeshSimError:
            if not self.leans or self.last is None:
                raise
            raise self._singular(*self.last[:2], "at least ") from None

    def check(self, t: float, now: Loops) -> None:
        """Look at the constraints at a step's end."""
        if not self.closes:
            return
        A = now.A[:, self.joints]
        left, values, _ = np.linalg.svd(A)
        margin = float(values[-1] / values[0])
        self.loop = self.mechanism.cuts[now.cut[int(np.abs(left[:, -1]).argmax())]].name
        before, self.last = self.last, (t, margin, A)
        if margin < 1.0 / SINGULAR:
            raise self._singular(t, margin)
        if before is not None and (np.linalg.slogdet(before[2] @ A.T)[0] < 0 or self._turned_back(t, A)):
            share = before[1] / (before[1] + margin)
            between = before[0] + share * (t - before[0])
            if min(before[1], margin) > 1.0 / FAR:
                raise SingularError(
                    f"{self.mechanism.name} came past a singular position between t = {before[0]:g} and {t:g} s, or "
                    f"its steps are too long to tell (the loop through {self.loop!r} has a condition number of "
                    f"{1 / before[1]:.3g} before and {1 / margin:.3g} after); shorter steps would tell",
                    between,
                )
            raise self._singular(between, min(before[1], margin), "at least ")

    def _turned_back(self, t: float, A: Array) -> bool:
        """Whether a determinant that is kept from changing its sign would have done so, as it went in the last step."""
        if not self.keeps:
            return False
        self.determinants = [*self.determinants[-2:], (t, float(np.linalg.det(A)))]
        if len(self.determinants) < 3:
            return False
        (t0, d0), (t1, d1), (_, d2) = self.determinants
        return bool((d1 + (d1 - d0) / (t1 - t0) * (t - t1)) * d2 < 0.0)

    def _singular(self, t: float, margin: float, bound: str = "") -> SingularError:
        names = "the actuated joints"
        if self.leans != self.mechanism.actuated:
            names = ", ".join(repr(self.mechanism.joints[joint]) for joint in self.leans)
        why = f", and {names} no longer determine the others" if self.leans else ""
        condition = 1.0 / margin if margin else math.inf
        return SingularError(
            f"{self.mechanism.name} came to a singular position at t = {t:g} s: the loop through {self.loop!r} has a "
            f"condition number of {bound}{condition:.3g}{why}",
            t,
        )
