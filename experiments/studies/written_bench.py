"""Written-out arithmetic on this computer: in Python, compiled, and what Pinocchio takes for articulated bodies."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.motion.stepping import moving_cells
from meshsim.algorithms.motion.written import LoopNumbers, cells_of
from meshsim.algorithms.motion.written_steps import WholeSteps, accelerations, written_out
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.loops.method import SiteEvaluation
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.core import model_of
from meshsim.native import compiled, in_python
from meshsim.simulation import NOWHERE
from meshsim.tape import Tape

ROBOT, SCHEME, CLOSED, METHOD = "puma600", "wong-mesh", ("3rrr", "stewart"), "multipliers"
TREES = (SCHEME, "one-featherstone")
STEP, STEPS = 0.001, 200
ROUNDS, SECONDS = 7, 0.1
"""The best of so many rounds counts, each of so many seconds."""


def against_compiled() -> dict[str, float]:
    """Microseconds of one call, and how many times as long Python takes; a whole step likewise.

    Where nothing can be compiled, these are left out; so is Pinocchio where it is not installed.
    """
    robot = load_robot(ROBOT)
    figures: dict[str, float] = {}
    for scheme in TREES:
        figures |= _calls(scheme, *_tree(robot, scheme))
    for name in CLOSED:
        figures |= _calls(f"{METHOD}.{name}", *_closed(load_robot(name)))
    figures |= _steps(robot)
    return {**figures, **_pinocchio(robot)}


def _tree(robot: Mechanism, scheme: str) -> tuple[Tape, list[float]]:
    """A tree's accelerations, and what they are functions of."""
    state = default_state(robot)
    return accelerations(cells_of(SCHEMES[scheme].evaluation(robot))), [*state.q, *state.qd, *state.tau]


def _closed(robot: Mechanism) -> tuple[Tape, list[float]]:
    """How fast the state of a mechanism with loops changes."""
    motion = load_profile("own", robot).motion(robot, STEP, STEP)
    evaluation = SCHEMES[METHOD].evaluation(robot)
    assert isinstance(evaluation, SiteEvaluation)
    numbers = LoopNumbers(evaluation, motion)
    y = numbers.start(np.array(motion.state.q), np.array(motion.state.qd))
    assert numbers.tape is not None
    return numbers.tape, [*y[numbers.source].tolist(), *motion.orders(0.0)]


def _calls(name: str, tape: Tape, values: Sequence[float]) -> dict[str, float]:
    """One call of a function."""
    tape(values)
    assert tape.body is not None
    assert tape.line is not None
    function = compiled(tape.body)
    if function is None:
        return {}
    us = _each(name, {"compiled": partial(function, values), "python": partial(tape.line, values)})
    return {
        f"written.{name}.compiled_us": us["compiled"],
        f"written.{name}.compiled_ratio": us["python"] / us["compiled"],
    }


def _steps(robot: Mechanism) -> dict[str, float]:
    """A whole fixed step of a motion: the programs with the evaluation in Python, and one compiled function."""
    tree = cells_of(SCHEMES[SCHEME].evaluation(robot))
    motion = load_profile("free", robot).motion(robot, STEP, STEP * STEPS)
    assert motion.by_time is not None
    whole, alone = WholeSteps(tree, replace(motion, steps=1), motion.by_time), written_out(tree)
    values = whole.values([*motion.state.q, *motion.state.qd])
    whole.tape(values)
    assert whole.tape.body is not None
    function = compiled(whole.tape.body)
    if function is None:
        return {}
    programs = moving_cells(alone, motion)
    ways: dict[str, Callable[[], Any]] = {"compiled": partial(function, values)}
    ways["programs"] = partial(programs.run, NOWHERE, trace=False)
    with in_python():
        us = _each("steps", ways)
    return {
        f"written.{SCHEME}.step_us": us["compiled"],
        f"written.{SCHEME}.step_ratio": us["programs"] / STEPS / us["compiled"],
    }


def _pinocchio(robot: Mechanism) -> dict[str, float]:
    """Articulated bodies on one core, called from Python as ours are."""
    try:
        import pinocchio as pin
    except ImportError:
        return {}
    state, model = default_state(robot), model_of(pin, robot)
    call = partial(pin.aba, model, model.createData(), *map(np.array, (state.q, state.qd, state.tau)))
    return {"written.pinocchio.us": _each("pinocchio", {"aba": call})["aba"]}


def _each(name: str, ways: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Microseconds of a call of each way, all tried in turn."""
    best = dict.fromkeys(ways, float("inf"))
    for number in range(ROUNDS):
        tell(f"written {name}: round {number + 1}")
        for way, function in ways.items():
            calls, start = 0, time.process_time()
            while time.process_time() - start < SECONDS:
                for _ in range(16):
                    function()
                calls += 16
            best[way] = min(best[way], 1e6 * (time.process_time() - start) / calls)
    tell("")
    return best
