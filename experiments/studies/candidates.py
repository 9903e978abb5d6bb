"""Candidates: every way to compute a robot's dynamics, and what each of them is found to take.

A candidate is a scheme with options and, on a network that is not its own, a placement. It is recorded once and
re-timed on all machines; where the order of events depends on times, it is simulated on each.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.motion.pace import moving
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.base.scheme import RefusedError, Scheme
from meshsim.algorithms.schemes.catalogue import SCHEMES, load_scheme
from meshsim.algorithms.schemes.takers import moves
from meshsim.discipline import LINK_COSTS
from meshsim.errors import MeshSimError
from meshsim.experiments.store.journal import Row
from meshsim.experiments.studies.baseline import APPROXIMATE
from meshsim.experiments.studies.limits import NEVER, largest
from meshsim.experiments.studies.orders import BEST, ORDER
from meshsim.experiments.studies.realtime import still_motion
from meshsim.experiments.studies.where import AUTO, OWN, Where
from meshsim.formats import Format, FormatError
from meshsim.machine import Machine
from meshsim.ordering import best_order
from meshsim.plan import Plan
from meshsim.recording import Recording, record
from meshsim.retiming import is_kahn, retime
from meshsim.sensitivity import with_parameters

STREAM = 8
"""Evaluations of the stream in which the time between results is measured, of its second half."""
TOLD = "told"
"""What a placement is called that was told program by program."""
DEAREST = ("startup", "per_word")
"""The costs whose largest value is sought that still meets a deadline."""
Choices = frozenset[tuple[str, str]]
"""Names and values of what is not a scheme's default."""


@dataclass(frozen=True)
class Candidate:
    """A scheme with options, those that are not its defaults.

    `placement` is a name, on a network that is not the scheme's own. `machine` is the name of the one for which its
    work is put into the best order that is found, if it is.
    """

    scheme: str
    options: tuple[tuple[str, str], ...] = ()
    placement: str = ""
    machine: str = ""

    @property
    def label(self) -> str:
        """For example: wong-mesh, zeros=skipped, auto placement."""
        where = [f"{self.placement} placement"] if self.placement else []
        return ", ".join([self.scheme, *(f"{name}={value}" for name, value in self.told.items()), *where])

    @property
    def told(self) -> dict[str, str]:
        """Its options, as `meshsim run` takes them."""
        options = dict(self.options)
        if self.machine:
            options[ORDER] = BEST
        return options

    @property
    def key(self) -> str:
        """What tells it from others."""
        return f"{self.label} for {self.machine}" if self.machine else self.label

    @cached_property
    def choices(self) -> Choices:
        """Its options, and the placement among them."""
        return frozenset((*self.options, *((("placement", self.placement),) if self.placement else ())))


@dataclass(frozen=True)
class Question:
    """What is asked of every candidate.

    Attributes
    ----------
    mechanism, state
        The robot, and where it is evaluated.
    machines : tuple of Machine
        On which.
    order : int
        Of the Runge-Kutta rule one of whose steps is timed; 0: one evaluation is.
    deadline : Fraction or None
        Seconds that it may take.
    where : Where
        The network, if it is not the scheme's own.
    processors : int or None
        The most processors that a network of a scheme's own may have.
    stream : bool
        Whether the time between the results of a stream is sought.
    format : Format or None
        The number format that is computed in, if one is told.
    digits : float
        How many decimal digits must be those of the dense reference; 0: that is not asked.
    """

    mechanism: Mechanism
    state: State
    machines: tuple[Machine, ...]
    order: int = 0
    deadline: Fraction | None = None
    where: Where = OWN
    processors: int | None = None
    stream: bool = False
    format: Format | None = None
    digits: float = 0.0

    @cached_property
    def motion(self) -> Motion:
        """One step, if steps are timed."""
        return replace(still_motion(self.mechanism, 1.0, self.order), steps=1)

    @cached_property
    def references(self) -> dict[str, Dynamics]:
        """What a dense solver makes of it, by scheme: schemes may close loops in different ways."""
        return {}

    def reference(self, scheme: str) -> Dynamics:
        """What a dense solver makes of what a scheme computes."""
        if scheme not in self.references:
            evaluation = load_scheme(scheme).evaluation(self.mechanism)
            self.references[scheme] = evaluation.reference(self.state)
        return self.references[scheme]

    def allowed(self, machine: Machine) -> int | None:
        """The ticks that it may take."""
        if self.deadline is None:
            return None
        return int(self.deadline * 10**9 / machine.nanoseconds(1))


# Which there are


def choices_of(scheme: Scheme, mechanism: Mechanism) -> Iterator[tuple[tuple[str, str], ...]]:
    """Every choice of a scheme's options that may be the quickest, defaults left out; the defaults come first.

    Left out are values that are never quicker, options that mean nothing to the robot, and numbers.
    """
    needs = mechanism.needs
    free: dict[str, list[str]] = {}
    for name, values in scheme.options.items():
        if isinstance(values, tuple) and scheme.meant.get(name, "") in ("", *needs):
            free[name] = [value for value in values if value not in scheme.slower.get(name, ())]
    for chosen in product(*free.values()):
        pairs = zip(free.items(), chosen, strict=True)
        options = tuple((name, value) for (name, values), value in pairs if value != values[0])
        try:
            fit = scheme.fits(mechanism, scheme.choose(dict(options)))
        except MeshSimError:  # they do not go together
            continue
        if fit:
            yield options


def candidates(question: Question, schemes: Sequence[str] = ()) -> tuple[list[Candidate], dict[str, str]]:
    """All candidates for a robot, and the schemes that are none, each with the reason."""
    found: list[Candidate] = []
    refused: dict[str, str] = {}
    for scheme in map(load_scheme, schemes or SCHEMES):
        if scheme.make is None and not schemes:
            continue
        try:
            if scheme.name == APPROXIMATE and question.mechanism.cuts and not schemes:
                raise RefusedError(f"{scheme.name} closes loops by springs, which give other accelerations")
            _check(question, scheme)
        except MeshSimError as error:
            refused[scheme.name] = str(error)
            continue
        for options in choices_of(scheme, question.mechanism):
            found += [Candidate(scheme.name, options, placement) for placement in placements(question)]
    return found, refused


def _check(question: Question, scheme: Scheme) -> None:
    """Refuse a scheme that does not take the robot with its defaults, or does not move it where steps are timed."""
    evaluation = scheme.evaluation(question.mechanism)
    evaluation.plan(question.state)
    if question.order and not moves(evaluation):
        raise RefusedError(f"{scheme.name} evaluates {question.mechanism.name} once and integrates no states")


def placements(question: Question) -> tuple[str, ...]:
    """Where programs are placed: nothing on a scheme's own network; ``auto`` has tried the other names."""
    if not question.where:
        return ("",)
    told = question.where.placement
    named = told if isinstance(told, str) else TOLD
    return (named,) if question.processors is None else ("", named)


# What one takes


def plan_of(candidate: Candidate, question: Question, machine: Machine) -> tuple[Plan[Any], Plan[Dynamics]]:
    """What is timed, where it runs on a machine; and the one evaluation whose numbers are checked."""
    scheme = load_scheme(candidate.scheme)
    evaluation = scheme.evaluation(question.mechanism, **dict(candidate.options))
    once = evaluation.plan(question.state).in_format(question.format)
    plan: Plan[Any] = moving(evaluation, question.motion).in_format(question.format) if question.order else once
    if candidate.machine:
        plan = best_order(plan, machine).plan
    if candidate.placement:
        where = question.where
        if candidate.placement != TOLD:
            where = replace(where, placement=candidate.placement)
        plan = where.placed(plan, machine)
    return plan, once


class InaccurateError(MeshSimError):
    """Numbers that are not as accurate as is wanted."""


Known = Mapping[tuple[str, str], int | None]
"""How large each cost may be, by machine and cost, for the candidate that bears the most so far."""


def evaluate(task: tuple[Candidate, Known], question: Question) -> Row:
    """What a candidate takes on every machine; `refused` tells why it is none.

    How large costs may be is told where it is more than what is known.
    """
    candidate, known = task
    try:
        return _evaluate(candidate, question, known)
    except MeshSimError as error:
        inaccurate = isinstance(error, InaccurateError | FormatError)
        return {"refused": str(error).splitlines()[0], **({"inaccurate": True} if inaccurate else {})}


def _evaluate(candidate: Candidate, question: Question, known: Known) -> Row:
    machines = [each for each in question.machines if candidate.machine in ("", each.name)]
    plan, once = plan_of(candidate, question, machines[0])
    count = len(plan.topology)
    if not candidate.placement and question.processors is not None and count > question.processors:
        raise MeshSimError(f"its own network has {count} processors, not at most {question.processors}")
    recording, value = record(once if question.order else plan)
    reference = question.reference(candidate.scheme)
    digits = min(value.digits(reference).values())
    if question.digits and digits < question.digits:
        raise InaccurateError(f"{digits:.2f} digits are right, not {question.digits:g}")
    row: dict[str, Any] = {
        "scheme": candidate.scheme,
        "options": " ".join(f"{name}={text}" for name, text in candidate.told.items()),
        "placement": candidate.placement,
        "programs": len(plan.programs),
        "error": max(value.errors(reference).values()),
        "digits": digits if math.isfinite(digits) else None,
        "machines": {},
        "failed": {},
    }
    if question.order:
        recording, _ = record(plan)
    for machine in machines:
        try:
            if candidate.placement == AUTO and machine is not machines[0]:  # it depends on the machine
                plan, _ = plan_of(candidate, question, machine)
                recording, _ = record(plan)
            row["machines"][machine.name] = _on(plan, recording, machine, question, known)
        except MeshSimError as error:
            if machine is machines[-1] and not row["machines"]:
                raise
            row["failed"][machine.name] = str(error).splitlines()[0]
    return row


def _on(plan: Plan[Any], recording: Recording, machine: Machine, question: Question, known: Known) -> dict[str, Any]:
    """What is found on one machine: ticks, re-timed or simulated, and what else was asked for."""
    kahn = is_kahn(machine, recording)
    if kahn:
        corners = assumptions(machine)
        ticks, *others = retime(recording, [machine, *corners.values()]).ticks.tolist()
    else:
        corners, others, ticks = {}, [], plan.run(machine, trace=False).ticks
    places = plan.placement
    found: dict[str, Any] = {
        "processors": len({places.places[node] for node in plan.programs} if places else plan.topology),
        "messages": recording.messages,
        "words": int(recording.words_on(machine, recording.words).sum()),
        "ticks": ticks,
        "exact": kahn,
        "assumed": dict(zip(corners, others, strict=True)),
    }
    energy = machine.energy_of(recording.usage(machine), ticks)
    if energy is not None:
        found["energy_nj"] = energy.nanojoules
    allowed = question.allowed(machine)
    if allowed is not None and kahn and machine.links.discipline != "free":
        found["most"] = {}
        for name in DEAREST:
            before = known.get((machine.name, name), NEVER)
            value = None if before is None else largest(recording, machine, name, allowed, before)
            if value != before:
                found["most"][name] = value
    if question.stream:
        half, whole = (plan.repeated(count).run(machine, trace=False).ticks for count in (STREAM // 2, STREAM))
        found["interval"] = (whole - half) / (STREAM - STREAM // 2)
    return found


def assumptions(machine: Machine) -> Mapping[str, Machine]:
    """A machine at the ends of the ranges of what is assumed of it: one at a time, and all together.

    Together also with arithmetic at one end and messages at the other, where one processor and many are farthest apart.
    """
    ranges, ends = machine.assumed, ("lowest", "highest")
    found = {f"{name}={ticks}": {name: ticks} for name, pair in ranges.items() for ticks in pair}
    for work, links in product(range(2), repeat=2) if len(ranges) > 1 else ():
        name = (
            f"arithmetic {ends[work]} with messages {ends[links]}" if work != links else f"all assumptions {ends[work]}"
        )
        found[name] = {cost: pair[links if cost in LINK_COSTS else work] for cost, pair in ranges.items()}
    return {name: with_parameters(machine, **costs) for name, costs in found.items()}
