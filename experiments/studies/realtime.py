"""Whether a machine computes in real time: how long a step takes against the time it simulates, and the limits."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from meshsim.algorithms.motion.excavator_control import NAMES
from meshsim.algorithms.motion.motion import Motion, Moved
from meshsim.algorithms.motion.pace import Pace, moving, steady_pace
from meshsim.algorithms.motion.profiles import FREE, load_profile
from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.scheme import LOOPS, Scheme
from meshsim.discipline import LINK_COSTS
from meshsim.errors import MeshSimError
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.limits import last_that
from meshsim.experiments.studies.where import OWN, Location, Where, why_simulated
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.plan import Plan
from meshsim.presets import PRESETS, THESIS
from meshsim.recording import record
from meshsim.retiming import is_kahn, retime
from meshsim.sensitivity import PARAMETERS, parameter_of, with_parameters

MOST_JOINTS = 32
"""Longer chains are not tried."""
STILL = 1e-9
"""The step with which times are found, in seconds."""
SHORT, LONG = 2, 4
"""Steps of the two recordings whose difference is the cost of one step."""


def still_motion(
    mechanism: Mechanism, h: float, order: int, profile: str | None = None, gains: Sequence[float] | None = None
) -> Motion:
    """A motion of a few steps of h seconds that hardly moves; by default the robot's own control, or none."""
    profile = profile or ("excavator:joint" if mechanism.joints == NAMES else FREE)
    whole = load_profile(profile, mechanism).motion(mechanism, h, h, order, gains=gains)
    return replace(whole, steps=LONG, h=STILL)


@dataclass(frozen=True)
class Question:
    """What is asked: a scheme with its options, a machine, a step, the order of the rule, what drives, and feedback.

    `where` tells on which network, if it is not the scheme's own.
    """

    scheme: Scheme
    options: Mapping[str, str]
    machine: Machine
    h: float
    order: int
    profile: str | None = None
    gains: Sequence[float] | None = None
    where: Where = OWN
    made: dict[Mechanism, Motion] = field(init=False, default_factory=dict, repr=False, compare=False)
    firsts: dict[Hashable, Plan[Moved]] = field(init=False, default_factory=dict, repr=False, compare=False)

    def motion(self, mechanism: Mechanism) -> Motion:
        """A motion of a few steps; times do not depend on its numbers, so that it hardly moves and cannot diverge."""
        if mechanism not in self.made:
            self.made[mechanism] = still_motion(mechanism, self.h, self.order, self.profile, self.gains)
        return self.made[mechanism]

    def pace(self, mechanism: Mechanism, machine: Machine | None = None) -> Pace:
        """How long its steps take, message by message."""
        evaluation = self.scheme.evaluation(mechanism, **self.options)
        target = machine or self.machine
        placement = self.first(mechanism, target).placement
        return steady_pace(evaluation, self.motion(mechanism), target, placement)[0]

    def first(self, mechanism: Mechanism, machine: Machine) -> Plan[Moved]:
        """The first step, placed for a machine; all steps are where it is."""
        key = mechanism, id(machine)
        if key not in self.firsts:
            plan = moving(self.scheme.evaluation(mechanism, **self.options), replace(self.motion(mechanism), steps=1))
            self.firsts[key] = self.where.placed(plan, machine)
        return self.firsts[key]

    def plan(self, mechanism: Mechanism, steps: int) -> Plan[Moved]:
        """So many of its steps."""
        motion = replace(self.motion(mechanism), steps=steps)
        placement = self.first(mechanism, self.machine).placement
        return moving(self.scheme.evaluation(mechanism, **self.options), motion, placement=placement)

    def run(self, mechanism: Mechanism) -> Run[Moved]:
        """A few of its steps, traced."""
        return self.plan(mechanism, LONG).run(self.machine)

    def us(self, pace: Pace, machine: Machine | None = None) -> float:
        """A step in microseconds."""
        return (machine or self.machine).microseconds(1) * pace.step

    @property
    def allowed_us(self) -> float:
        """How long a step may take."""
        return 1e6 * self.h


@dataclass(frozen=True, eq=False)
class Answer:
    """Yes or no, and how near.

    Attributes
    ----------
    question, mechanism
        What was asked, of which robot.
    step_us : float
        How long a step takes.
    steady : bool
        Whether all steps take as long.
    joints : dict
        By number of joints, what a step of a random chain takes: the longest that fits and the next, if tried.
    presets : dict
        What a step takes on the machines of the thesis.
    most : dict
        The largest value of each cost, in ticks, with which it would still do, all else equal; None is none at all.
    location : Location or None
        On which network it is, if not on the scheme's own.
    inexact : str
        Why such values are not known, of a network that is not the scheme's own.
    """

    question: Question
    mechanism: Mechanism
    step_us: float
    steady: bool
    joints: Mapping[int, float]
    presets: Mapping[str, float]
    most: Mapping[str, int | None]
    location: Location | None = None
    inexact: str = ""

    @property
    def yes(self) -> bool:
        """Whether it keeps up."""
        return self.step_us <= self.question.allowed_us

    @property
    def largest(self) -> int:
        """The longest chain that fits; 0 if none does."""
        return max((n for n, us in self.joints.items() if us <= self.question.allowed_us), default=0)

    @property
    def slowest_tick_ns(self) -> float:
        """The longest tick with which the machine is still in real time."""
        return self.question.machine.tick_ns * self.question.allowed_us / self.step_us


def answer(question: Question, mechanism: Mechanism) -> Answer:
    """Simulate a few steps, then look for the limits."""
    tell("the robot itself")
    pace = question.pace(mechanism)
    chains = LOOPS not in question.scheme.wants and not question.where.own
    joints = largest_chain(partial(_chain_us, question), question.allowed_us) if chains else {}
    presets = {}
    for name in THESIS:
        tell(f"on {name}")
        presets[name] = question.us(question.pace(mechanism, PRESETS[name]), PRESETS[name])
    us = question.us(pace)
    if not us:
        raise MeshSimError(f"a step must take some time on {question.machine.name}, and takes none")
    first = question.first(mechanism, question.machine)
    inexact = why_simulated(question.machine, record(first)[0]) if question.where else ""
    most = dearest(question, mechanism) if us <= question.allowed_us and not inexact else {}
    tell("")
    location = question.where.location(first)
    return Answer(question, mechanism, us, pace.period is not None, joints, presets, most, location, inexact)


def _chain_us(question: Question, n: int) -> float:
    tell(f"a chain of {n} joints")
    plain = replace(question, profile=FREE, gains=None)
    return plain.us(plain.pace(chain(n, 1)))


def largest_chain(us: Callable[[int], float], allowed: float) -> dict[int, float]:
    """What chains take, tried until the longest that fits, and the next, are known."""
    known: dict[int, float] = {}
    fits, fails = 0, None
    n = 1
    while fails is None and n <= MOST_JOINTS:
        known[n] = us(n)
        fits, fails = (n, None) if known[n] <= allowed else (fits, n)
        n *= 2
    while fails is not None and fails - fits > 1:
        middle = (fits + fails) // 2
        known[middle] = us(middle)
        fits, fails = (middle, fails) if known[middle] <= allowed else (fits, middle)
    return known


def dearest(question: Question, mechanism: Mechanism) -> dict[str, int | None]:
    """The largest value of each cost with which a step still takes no longer than it may; the others as they are."""
    machine = question.machine
    tell("recording")
    short, long = (record(question.plan(mechanism, steps))[0] for steps in (SHORT, LONG))
    if not is_kahn(machine, long):
        return {}

    def fits(name: str, values: Sequence[int]) -> list[bool]:
        table = [with_parameters(machine, **{name: value}) for value in values]
        ticks = retime(long, table).ticks - retime(short, table).ticks
        return [machine.microseconds(int(each)) <= question.allowed_us * (LONG - SHORT) for each in ticks]

    found: dict[str, int | None] = {}
    for name in PARAMETERS:
        tell(f"how large {name} may be")
        if machine.links.discipline == "free" and name in LINK_COSTS:
            continue
        if name == "hop" and not long.passes_routers:
            continue
        now = parameter_of(machine, name)
        found[name] = last_that(partial(fits, name), now, good=now)
    return found
