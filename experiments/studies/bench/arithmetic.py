"""The numbers of one evaluation, written out as one function."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from meshsim.algorithms.motion.written import cells_of
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.schemes.base.evaluation import CellEvaluation
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.experiments.studies.bench.measuring import Repeats, timed
from meshsim.plan import Plan
from meshsim.presets import PRESETS
from meshsim.tape import Tape


def written(scheme: str, times: int = 1000) -> Repeats:
    """Of a scheme, on the PUMA: with kernels' lines in place, and with calls of kernels."""
    robot = load_robot("puma600")
    state = default_state(robot)
    values = [*state.q, *state.qd, *state.tau]
    ways: dict[str, Callable[[], Any]] = {}
    for way, inline in (("inlined", True), ("called", False)):
        tape = Tape(partial(_accelerations, cells_of(SCHEMES[scheme].evaluation(robot)), robot), inline)
        tape(values)
        assert tape.line is not None
        ways[way] = partial(_repeat, times, tape.line, values)
    ways["simulated"] = partial(SCHEMES[scheme].plan(robot, state).run, PRESETS["t800"], trace=False)
    while True:
        seconds = timed(ways)
        each = seconds["inlined"] / times
        yield {
            f"written.{scheme}.seconds": each,
            f"written.{scheme}.ratio": seconds["called"] / seconds["inlined"],
            f"written.{scheme}.simulated_ratio": seconds["simulated"] / each,
        }


def _accelerations(evaluation: CellEvaluation, robot: Mechanism, values: Sequence[float]) -> Plan[Sequence[float]]:
    """A robot's accelerations as its positions, rates and torques give them, home by home."""
    n = robot.n
    state = State(tuple(values[:n]), tuple(values[n : 2 * n]), tuple(values[2 * n :]))
    made = evaluation.plan(state)

    def read(results: Mapping[Any, Any]) -> list[float]:
        return [qdd for home in evaluation.homes for qdd in evaluation.accelerations(results[home])]

    return Plan(made.topology, made.programs, read)


def _repeat(times: int, function: Callable[[Any], Any], argument: Any) -> None:
    for _ in range(times):
        function(argument)
