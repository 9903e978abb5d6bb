"""Closed mechanisms in motion: fixed and adaptive steps, where one processor integrates and where many do.

On one processor numbers come from the method's own program, written out (`Tape`), and adaptive steps are scipy's. On
several, each site integrates its own state; with adaptive steps they agree on each step by one more exchange.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from meshsim.algorithms.motion.integration import HALVES, rule_of, step_on
from meshsim.algorithms.motion.profiles import MOST_STEPS
from meshsim.algorithms.motion.stepping import DivergedError
from meshsim.algorithms.robots.closed import ClosedMechanism
from meshsim.algorithms.robots.closure import Loops, loops
from meshsim.algorithms.schemes.loops.method import Method, Place, Settings, evaluation
from meshsim.algorithms.types.arrays import Array
from meshsim.counted import Uncounted
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.tape import Tape

FAR = 50.0
"""With smaller condition numbers at both ends, a step over a singular position looks like one that is too long."""
SINGULAR = 1e6
"""The condition number of the constraints at which a motion stops: they no longer say what the joints do."""

Drive = Callable[[float], Sequence[float]]
"""Torques of the actuated joints by time: from outside the machine, uncounted."""
Feedback = Callable[[float, Array, Array], Sequence[float]]
"""What is added to them, given the time, positions and rates of all joints."""


class SingularError(MeshSimError):
    """A motion that came, at `t`, to a position in which its loops do not determine it."""

    def __init__(self, message: str, t: float = math.nan) -> None:
        super().__init__(message)
        self.t = t


@dataclass(frozen=True)
class Stepping:
    """How to step: fixed steps of `h` seconds by the fourth-order rule, or adaptive ones to tolerances."""

    h: float | None = None
    rtol: float = 1e-3
    atol: float = 1e-6

    def __post_init__(self) -> None:
        for name in ("h", "rtol", "atol"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise MeshSimError(f"{'step' if name == 'h' else name} must be a positive number, not {value}")
        if self.h is None and self.rtol < 1e-13:
            raise MeshSimError(f"rtol must be at least 1e-13, not {self.rtol}: rounding leaves no more")

    def steps(self, duration: float) -> int:
        """How many fixed steps there are in some seconds."""
        assert self.h is not None
        if not duration / self.h <= MOST_STEPS:
            raise MeshSimError(f"duration must be at most {MOST_STEPS} steps of {self.h:g} s, not {duration:g} s")
        count = round(duration / self.h)
        if count < 1 or abs(count * self.h - duration) > 1e-9 * duration:
            raise MeshSimError(f"duration must be a whole number of steps of {self.h:g} s, not {duration:g} s")
        return count


@dataclass
class History:
    """A motion as it came out: an entry for the beginning and one for each step's end.

    `evaluations` of the method's program were made; `restarts` is when independent rates were chosen anew.
    """

    t: list[float] = field(default_factory=list)
    q: list[Array] = field(default_factory=list)
    qd: list[Array] = field(default_factory=list)
    c: list[float] = field(default_factory=list)
    evaluations: int = 0
    restarts: list[float] = field(default_factory=list)

    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """Times, positions, rates, and the largest constraint error."""
        return np.array(self.t), np.array(self.q), np.array(self.qd), np.array(self.c)


Watch = Callable[[float, Array, Array, float], None]
"""Told of the beginning and every step's end: time, positions, rates and the largest constraint error."""


@dataclass(frozen=True)
class Task:
    """What is to move, from where, by which torques, and for how long."""

    closed: ClosedMechanism
    q: Array
    qd: Array
    drive: Drive
    duration: float
    feedback: Feedback | None = None


class Evaluator:
    """A method on one processor as a function of state and time; its numbers are those of its program."""

    def __init__(self, method: Method, settings: Settings, task: Task) -> None:
        self.method, self.settings, self.task = method, settings, task
        self.places: list[Place] = []
        self.tape: Tape | None = None
        self.count = 0
        self.last: tuple[Array, Array, Array] = (task.q, task.qd, np.zeros((0, 0)))

    def start(self, q: Array, qd: Array) -> Array:
        """Lay the method out for a position; the state there."""
        self.places = self.method.places(self.task.closed, "one", self.settings, q)
        places, method = self.places, self.method
        state = method.begin(places, q, qd)[0]
        size = len(state)

        def make(values: Sequence[float]) -> Plan[Sequence[float]]:
            made = evaluation(method, places, [values[:size]], [values[size:]])
            return Plan(made.topology, made.programs, lambda results: next(iter(results.values())))

        self.tape = Tape(make)
        return np.array(state)

    def rates(self, t: float, y: Array) -> Array:
        """How fast the state changes."""
        assert self.tape is not None
        self.count += 1
        closed = self.task.closed
        tau = [0.0] * closed.n
        driven = self.task.drive(t)
        if self.task.feedback is not None:
            driven = np.add(driven, self.task.feedback(t, *self.observed(y))).tolist()
        for joint, value in zip(closed.actuated, driven, strict=True):
            tau[joint] = float(value)
        return np.array(self.tape([*y.tolist(), *self.method.torques(self.places, tau)[0]]))

    def observed(self, y: Array) -> tuple[Array, Array]:
        """Positions and rates of all joints."""
        return self.method.finish(self.places, [y.tolist()])


def integrate(
    method: Method, settings: Settings, task: Task, stepping: Stepping, watch: Watch | None = None
) -> History:
    """Integrate a motion on one processor.

    Parameters
    ----------
    method, settings
        How its dynamics are computed.
    task : Task
        What moves.
    stepping : Stepping
        Fixed or adaptive steps.
    watch : Watch, optional
        Told of every step as it ends; may raise an error to stop the motion.

    Returns
    -------
    History
        What it did. Where the loops become singular, or numbers overflow, an error is raised instead; who needs what
        was computed until then gets it from `watch`.
    """
    evaluator = Evaluator(method, settings, task)
    history = History()
    steps = _fixed if stepping.h is not None else _adaptive
    guard = _Guard(method, task.closed)
    for t, y in guard.trail(steps(evaluator, evaluator.start(task.q, task.qd), stepping, history)):
        q, qd, now = _looked_at(evaluator, t, y)
        error = float(np.abs(now.c).max())
        guard.check(t, now)
        history.t.append(t)
        history.q.append(q)
        history.qd.append(qd)
        history.c.append(error)
        history.evaluations = evaluator.count
        evaluator.last = q, qd, now.A
        if len(history.t) > MOST_STEPS:
            raise DivergedError(
                f"{method.name} is at t = {t:g} s only after {MOST_STEPS} steps; give up, or ask for less"
            )
        if watch is not None:
            watch(t, q, qd, error)
    return history


def _looked_at(evaluator: Evaluator, t: float, y: Array) -> tuple[Array, Array, Loops]:
    """Positions, rates and constraints of a state, unless it is one that no mechanism has."""
    with np.errstate(all="ignore"):
        try:
            q, qd = evaluator.observed(y)
            now = loops(evaluator.task.closed, q, qd)
        except np.linalg.LinAlgError:
            now = None
    if now is None or not (np.isfinite(qd).all() and np.abs(now.c).max() < 1e6):
        name = evaluator.method.name
        raise DivergedError(f"{name} diverged at t = {t:g} s; smaller steps, or softer springs, may help")
    return q, qd, now


Trail = Iterator[tuple[float, Array]]
"""Times and states: the beginning, and every step's end."""


class _Guard:
    """Stops a motion where constraints become dependent, or the joints that a method rests on no longer tell the rest.

    A step may leap over such a position: then the matrix A of the joints that are looked at has turned inside out, and
    the determinant of A before it times A^T after it is negative. The margin is the inverse of a condition number.
    """

    def __init__(self, method: Method, closed: ClosedMechanism) -> None:
        self.closed, self.leans = closed, method.leans_on_actuated
        left_out = closed.actuated if self.leans else ()
        self.joints = [joint for joint in range(closed.n) if joint not in left_out]
        self.closes = method.closes
        self.last: tuple[float, float, Array] | None = None
        self.loop = closed.cuts[0].name

    def trail(self, trail: Trail) -> Trail:
        """The same; where a method that leans on the actuated joints cannot go on, it is they that fail it."""
        try:
            yield from trail
        except DivergedError:
            raise
        except np.linalg.LinAlgError:
            since = 0.0 if self.last is None else self.last[0]
            raise DivergedError(f"the motion diverged after t = {since:g} s: its numbers are no longer any") from None
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
        self.loop = self.closed.cuts[now.cut[int(np.abs(left[:, -1]).argmax())]].name
        before, self.last = self.last, (t, margin, A)
        if margin < 1.0 / SINGULAR:
            raise self._singular(t, margin)
        if before is not None and np.linalg.slogdet(before[2] @ A.T)[0] < 0:
            share = before[1] / (before[1] + margin)
            between = before[0] + share * (t - before[0])
            if min(before[1], margin) > 1.0 / FAR:
                raise SingularError(
                    f"{self.closed.name} came past a singular position between t = {before[0]:g} and {t:g} s, or its "
                    f"steps are too long to tell (the loop through {self.loop!r} has a condition number of "
                    f"{1 / before[1]:.3g} before and {1 / margin:.3g} after); shorter steps would tell",
                    between,
                )
            raise self._singular(between, min(before[1], margin), "at least ")

    def _singular(self, t: float, margin: float, bound: str = "") -> SingularError:
        why = ", and the actuated joints no longer tell what the others do" if self.leans else ""
        condition = 1.0 / margin if margin else math.inf
        return SingularError(
            f"{self.closed.name} came to a singular position at t = {t:g} s: the loop through {self.loop!r} has a "
            f"condition number of {bound}{condition:.3g}{why}",
            t,
        )


def _fixed(evaluator: Evaluator, y: Array, stepping: Stepping, history: History) -> Trail:
    h, steps = stepping.h, stepping.steps(evaluator.task.duration)
    assert h is not None
    rule = rule_of(4, h)
    yield 0.0, y
    for step in range(steps):
        y = _chosen_anew(evaluator, y, step * h, history)
        stepping_on = step_on(Uncounted(), rule, y.tolist())  # type: ignore[arg-type]
        trial = next(stepping_on)
        for half in HALVES[4]:
            rates = evaluator.rates((2 * step + half) * h / 2, np.array(trial)).tolist()
            try:
                trial = stepping_on.send(rates)
            except StopIteration as end:
                y = np.array(end.value)
        yield (step + 1) * h, y


def _adaptive(evaluator: Evaluator, y: Array, stepping: Stepping, history: History) -> Trail:
    from scipy.integrate import RK45  # here, since scipy takes as long to import as all else

    t, duration = 0.0, evaluator.task.duration
    yield t, y
    while t < duration:
        solver = RK45(evaluator.rates, t, y, duration, rtol=stepping.rtol, atol=stepping.atol)
        while solver.status == "running":
            message = solver.step()
            if solver.status == "failed":
                raise DivergedError(f"{evaluator.method.name}: steps became too small at t = {solver.t:g} s: {message}")
            t, y = float(solver.t), np.array(solver.y)
            yield t, y
            fresh = _chosen_anew(evaluator, y, t, history)
            if fresh is not y:
                y = fresh
                break


def _chosen_anew(evaluator: Evaluator, y: Array, t: float, history: History) -> Array:
    """The same state, or another for the same motion, if the method wants to choose anew what it integrates."""
    wants = evaluator.method.wants_restart
    if wants is None or not t:
        return y
    q, qd, A = evaluator.last
    if not wants(evaluator.places, A):
        return y
    history.restarts.append(t)
    return evaluator.start(q, qd)
