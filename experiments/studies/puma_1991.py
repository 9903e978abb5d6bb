"""What one T800 of 1991 needed for the PUMA 600, predicted from `t800-measured`.

The program is that of `program_1991.py`, without actuators: M, f_v and the solver. Ten seconds in steps of 0.01 s are
1000 steps of four evaluations. A step has besides the Runge-Kutta rule (eq. 5.1) on twelve states, and before each
evaluation six torques come from the processor with the inverse dynamics. That one needs no M and no solver, so it is
taken to be ahead: nothing waits for it. No measured time is used here.        # Wong secs 3.5.1, 5.4.1
"""

from collections.abc import Mapping
from functools import cache

from meshsim.algorithms.robots.catalogue import puma600
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.one.one_wong import FORCE_ITEMS, INERTIA_ITEMS, ONE_WONG
from meshsim.experiments.studies.program_1991 import PRICES, SOLVER, T800, Extra, parts_of, program_of_1991
from meshsim.experiments.studies.realtime import Question
from meshsim.machine import Machine
from meshsim.presets import PRESETS

JOINTS = 6
SECONDS, STEP, ORDER = 10, 0.01, 4
STEPS = round(SECONDS / STEP)
PROFILE = f"cycloid:{SECONDS}"
PROGRAM = program_of_1991(JOINTS)
PARTS = ("evaluation", "integration", "torques")


def counted() -> tuple[int, int]:
    """Multiplies (divisions as such) and adds of an evaluation, without the sums of M's terms, as in print."""
    by_phase = ONE_WONG.plan(puma600(), default_state(puma600())).run(PRESETS["ideal"]).operations_by_phase
    items = [by_phase[name] for name in (*INERTIA_ITEMS, *FORCE_ITEMS, "solve")]
    return sum(each["mul"] + each["div"] for each in items), sum(each["add"] for each in items)


def predict(machine: Machine = T800, extra: Extra = PROGRAM, words: int = 1) -> Mapping[str, float]:
    """Microseconds of a step, by what it is spent on; a torque has so many words."""
    run = ONE_WONG.plan(puma600(), default_state(puma600()), solver=SOLVER).run(machine)
    evaluation = sum(parts_of(run, machine, extra).values())
    question = Question(ONE_WONG, {"solver": SOLVER}, machine, STEP, ORDER, PROFILE)
    integration = question.us(question.pace(puma600())) - ORDER * machine.microseconds(run.ticks)
    torques = machine.microseconds(machine.links.wire(JOINTS * words))
    return dict(zip(PARTS, (ORDER * evaluation, integration, ORDER * torques), strict=True))


def in_print(step: Mapping[str, float]) -> Mapping[str, float]:
    """An evaluation in ms and the whole motion in s, from the parts of a step."""
    return {"evaluation": step["evaluation"] / ORDER / 1e3, "motion": STEPS * sum(step.values()) / 1e6}


@cache
def prediction() -> Mapping[str, float]:
    """The prediction itself."""
    return in_print(predict())


def readings() -> Mapping[str, Mapping[str, float]]:
    """What the text leaves open; the first is the prediction."""
    return {
        "as predicted": prediction(),
        "14 and 34 us of Table 5.5 as printed": in_print(predict(PRICES["as printed"])),
        "constants off line and exceptions for body 1, as counted": in_print(predict(extra={})),
        "torques of 64 bits": in_print(predict(words=2)),
    }
