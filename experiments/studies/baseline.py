"""What robots are evaluated at, and the quickest that one processor does it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

from meshsim.algorithms.motion.profiles import OWN, load_profile
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.schemes.base.evaluation import Evaluation
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError
from meshsim.machine import Machine
from meshsim.plan import Plan
from meshsim.simulation import NOWHERE

APPROXIMATE = "penalty"
"""Its springs give other accelerations than the equations of motion: it is no baseline for what gives these."""


@lru_cache(maxsize=64)
def subject(robot: str) -> tuple[Mechanism, State]:
    """A robot, and where it is evaluated."""
    mechanism = load_robot(robot)
    return mechanism, evaluated_at(mechanism)


def evaluated_at(mechanism: Mechanism) -> State:
    """Where a robot is evaluated: with loops, at the start of what its document drives it by."""
    return load_profile(OWN, mechanism).start if mechanism.cuts else default_state(mechanism)


def on_one(scheme: Scheme) -> list[dict[str, str]]:
    """The options with which a scheme runs on one processor, if it does."""
    if scheme.name.startswith("one-"):
        return [{}]
    layouts, techniques = scheme.options.get("layout"), scheme.options.get("technique", ("",))
    if not isinstance(layouts, tuple) or "one" not in layouts or scheme.name == APPROXIMATE:
        return []
    assert isinstance(techniques, tuple)
    return [{"layout": "one", **({"technique": each} if each else {})} for each in techniques]


@lru_cache(maxsize=64)
def work_on_one(robot: str) -> Mapping[str, Mapping[Any, int]]:
    """How often each kernel is called by every way to compute on one processor that takes the robot, by name."""
    mechanism, state = subject(robot)
    work = {}
    for scheme in SCHEMES.values():
        for options in on_one(scheme):
            try:
                (cpu,) = scheme.plan(mechanism, state, **options).run(NOWHERE, trace=False).cpus
            except MeshSimError:  # it does not take the robot
                continue
            work[", ".join((scheme.name, *filter(None, [options.get("technique")])))] = dict(cpu.calls)
    return work


def quickest_on_one(robot: str, machine: Machine) -> tuple[str, int]:
    """The quickest way to compute on one processor, and its ticks: nothing waits there, so that calls are all."""
    ticks = {name: ticks_on_one(calls, machine) for name, calls in work_on_one(robot).items()}
    if not ticks:
        raise MeshSimError(f"{robot} must have a scheme on one processor to compare with, and has none")
    best = min(ticks, key=lambda name: ticks[name])
    return best, ticks[best]


def ticks_on_one(calls: Mapping[Any, int], machine: Machine) -> int:
    """What calls of kernels take."""
    return sum(machine.price(kernel) * count for kernel, count in calls.items())


def planned(
    scheme: Scheme, mechanism: Mechanism, state: State, every: Sequence[Mapping[str, str]]
) -> list[tuple[Mapping[str, str], Evaluation, Plan[Dynamics]]]:
    """How a scheme evaluates, and its plan, with every choice of options but those that do not go together.

    What refuses the first is an error.
    """
    plans = []
    for options in every:
        try:
            evaluation = scheme.evaluation(mechanism, **options)
            plans.append((options, evaluation, evaluation.plan(state)))
        except MeshSimError:
            if options == every[0]:
                raise
    return plans


def choices(scheme: Scheme, given: Mapping[str, str], more: Sequence[str] = ()) -> list[dict[str, str]]:
    """The given options with every choice of those that are worth trying and are not given, the defaults first.

    `more` are names of options that are tried as well, where a scheme has them. Left out are those that do not go
    together; but the first is not, so that it is told.
    """
    worth = {**scheme.tried, **{name: scheme.options[name] for name in more if name in scheme.options}}
    free = {name: values for name, values in worth.items() if name not in given and isinstance(values, tuple)}
    first, *others = ({**given, **dict(zip(free, values, strict=True))} for values in product(*free.values()))
    return [first, *(each for each in others if _go_together(scheme, each))]


def _go_together(scheme: Scheme, options: Mapping[str, str]) -> bool:
    try:
        scheme.choose(options)
    except MeshSimError:
        return False
    return True
