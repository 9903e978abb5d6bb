"""Written-out arithmetic on this computer: in Python, compiled, and what Pinocchio takes for articulated bodies."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.motion.stepping import moving_cells
from meshsim.algorithms.motion.written import LoopNumbers, cells_of
from meshsim.algorithms.motion.written_steps import WholeSteps, accelerations, written_out
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.loops.method import SiteEvaluation
from meshsim.errors import MeshSimError
from meshsim.experiments.studies.bench.measuring import Repeats
from meshsim.experiments.studies.core import model_of, pinocchio
from meshsim.native import Compiled, compiled, in_python
from meshsim.simulation import NOWHERE
from meshsim.tape import Tape

ROBOT, SCHEME, METHOD = "puma600", "wong-mesh", "multipliers"
STEP, STEPS = 0.001, 200
SECONDS = 0.1
"""A way is tried so long in each repeat."""


def call_of_tree(scheme: str) -> Repeats:
    """Of a tree's accelerations, one call."""
    robot = load_robot(ROBOT)
    state = default_state(robot)
    tape = accelerations(cells_of(SCHEMES[scheme].evaluation(robot)))
    return _calls(scheme, tape, [*state.q, *state.qd, *state.tau])


def call_of_loops(name: str) -> Repeats:
    """Of how fast the state of a mechanism with loops changes, one call."""
    robot = load_robot(name)
    motion = load_profile("own", robot).motion(robot, STEP, STEP)
    evaluation = SCHEMES[METHOD].evaluation(robot)
    assert isinstance(evaluation, SiteEvaluation)
    numbers = LoopNumbers(evaluation, motion)
    y = numbers.start(np.array(motion.state.q), np.array(motion.state.qd))
    assert numbers.tape is not None
    return _calls(f"{METHOD}.{name}", numbers.tape, [*y[numbers.source].tolist(), *motion.orders(0.0)])


def _calls(name: str, tape: Tape, values: Sequence[float]) -> Repeats:
    """A call in Python and compiled."""
    function = _compiled(tape, values)
    assert tape.line is not None
    while True:
        us = _each({"compiled": partial(function, values), "python": partial(tape.line, values)})
        yield {
            f"written.{name}.compiled_us": us["compiled"],
            f"written.{name}.compiled_ratio": us["python"] / us["compiled"],
        }


def whole_step() -> Repeats:
    """A fixed step of a motion: the programs with the evaluation in Python, and one compiled function."""
    robot = load_robot(ROBOT)
    tree = cells_of(SCHEMES[SCHEME].evaluation(robot))
    motion = load_profile("free", robot).motion(robot, STEP, STEP * STEPS)
    assert motion.by_time is not None
    whole, alone = WholeSteps(tree, replace(motion, steps=1), motion.by_time), written_out(tree)
    values = whole.values([*motion.state.q, *motion.state.qd])
    function, programs = _compiled(whole.tape, values), moving_cells(alone, motion)
    ways: dict[str, Callable[[], Any]] = {
        "compiled": partial(function, values),
        "programs": partial(programs.run, NOWHERE, trace=False),
    }
    while True:
        with in_python():
            us = _each(ways)
        yield {
            f"written.{SCHEME}.step_us": us["compiled"],
            f"written.{SCHEME}.step_ratio": us["programs"] / STEPS / us["compiled"],
        }


def articulated_bodies() -> Repeats:
    """Pinocchio's, on one core, called from Python as ours are."""
    pin = pinocchio()
    robot = load_robot(ROBOT)
    state, model = default_state(robot), model_of(pin, robot)
    call = partial(pin.aba, model, model.createData(), *map(np.array, (state.q, state.qd, state.tau)))
    while True:
        yield {"written.pinocchio.us": _each({"aba": call})["aba"]}


def _compiled(tape: Tape, values: Sequence[float]) -> Compiled:
    """What a tape writes, compiled."""
    tape(values)
    assert tape.body is not None
    function = compiled(tape.body)
    if function is None:
        raise MeshSimError("a C compiler must be there to compile arithmetic (see MESHSIM_CC)")
    return function


def _each(ways: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """Microseconds of a call of each way."""
    found = {}
    for way, function in ways.items():
        calls, start = 0, time.process_time()
        while time.process_time() - start < SECONDS:
            for _ in range(16):
                function()
            calls += 16
        found[way] = 1e6 * (time.process_time() - start) / calls
    return found
