"""What the T800s of 1991 needed for one evaluation of the excavator's dynamics, predicted from `t800-measured`.

Kernel times are Table 5.5's, link times the thesis's and the transputer's, rho x c is recomputed, sender and receiver
wait for each other, and every joint has its simple actuator. Nothing here knows what was measured.  # Wong sec. 5.5.1
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from algorithms.actuator import Actuator, Drive
from algorithms.one_wong import ONE_WONG
from algorithms.robots import excavator
from algorithms.state import State, driven_state
from algorithms.wong_mesh import WONG_MESH
from meshsim.kernel import KERNELS
from meshsim.machine import Machine
from meshsim.presets import PRESETS

LINES = ("inertia matrix", "force vector", "actuator", "solver", "total, one processor", "total, mesh", "speed-up")

_SUPPLY = (4000.0, 7000.0, 4000.0, 4000.0)
_GEAR = (307.0, 545.0, 220.0, 250.0)
_DAMPING = (100000.0, 100000.0, 30000.0, 100.0)


def driven_excavator() -> State:
    """The excavator with actuators, valves half open; times do not depend on the numbers."""  # Wong Table 5.2
    actuators = [
        Actuator(supply, 0.0, 26.0, 0.7, gear, damping, 1000.0)
        for supply, gear, damping in zip(_SUPPLY, _GEAR, _DAMPING, strict=True)
    ]
    drives = [Drive(each, spool=0.025, p_in=0.6 * each.supply, p_out=0.4 * each.supply) for each in actuators]
    return driven_state((0.1, 0.2, 0.3, 0.4), (0.2,) * 4, drives)


def predict(machine: Machine) -> Mapping[str, float]:
    """Microseconds of every line of Table 5.4, and the speed-up."""
    robot, state = excavator(), driven_excavator()
    one = ONE_WONG.plan(robot, state).run(machine, trace=False)
    mesh = WONG_MESH.plan(robot, state, rho="recompute").run(machine, trace=False)
    ends = {name: machine.microseconds(one.phases[name]) for name in ("inertia", "force", "actuator", "solve")}
    inertia, force, actuator, solve = ends.values()
    parts = (inertia, force - inertia, actuator - force, solve - actuator)
    together = machine.microseconds(mesh.phases["distribute"])
    return dict(zip(LINES, (*parts, solve, together, solve / together), strict=True))


@cache
def prediction() -> Mapping[str, float]:
    """The prediction itself."""
    return predict(PRESETS["t800-measured"])


@dataclass(frozen=True)
class Unknown:
    """What is not published: what was assumed, and what else might have been."""

    assumed: str
    instead: str
    machine: Machine


def unknowns() -> list[Unknown]:
    """Every assumption behind the prediction, with the machine that another answer would make."""
    base = PRESETS["t800-measured"]
    kernels, links, us = base.kernels, base.links, round(1000 / base.tick_ns)

    def priced(**instead: int) -> Machine:
        return replace(base, kernels={**kernels, **instead})

    def slowed(factor: float, call: int) -> Machine:
        """Kernels on vectors that Table 5.5 does not list."""
        single = {"mul": factor, "add": factor / 2, "div": factor, "sqrt": 2 * factor}
        operations = {name: round(time * us) for name, time in single.items()}
        return replace(base, operations={**base.operations, **operations}, kernel_overhead=call)

    def specific() -> Machine:
        """Subroutines written for three by three: 21/12 of theory, and the call."""
        vectors = ("add_vectors", "subtract_vectors", "matvec", "rotate", "rotate_twist", "cross", "scale")
        theory = PRESETS["t800"]
        times = {name: theory.microseconds(theory.price(KERNELS[name])) for name in vectors}
        return replace(
            slowed(21 / 12, 9 * us),
            kernels={**kernels, **{name: round((21 / 12 * t + 9) * us) for name, t in times.items()}},
        )

    return [
        Unknown(
            "cross product 34 us, scaling 14 us (swapped in print)", "as printed", priced(cross=14 * us, scale=34 * us)
        ),
        Unknown("unlisted kernels on vectors 4.7 times theory", "21/12 (constant indices)", slowed(21 / 12, 9 * us)),
        Unknown("unlisted kernels on vectors pay a call of 9 us", "no call", slowed(4.7, 0)),
        Unknown("all subroutines on vectors general", "written for 3 x 3: 21/12 of theory and the call", specific()),
        Unknown(
            "single numbers are expressions, 7/6 of theory",
            "4.7 times",
            priced(add=47, subtract=47, axpy=141, negative_ratio=94),
        ),
        Unknown("square root two multiplies", "four", replace(base, operations={**base.operations, "sqrt": 376})),
        Unknown("sine and cosine 7 us each", "4.7 times that", priced(sine_cosine=round(4.7 * 14 * us))),
        Unknown("start-up of a message 5.1 us", "none", replace(base, links=replace(links, startup=0))),
        Unknown(
            "start-up of a message 5.1 us", "twice that", replace(base, links=replace(links, startup=2 * links.startup))
        ),
        Unknown(
            "a word 2.3 us",
            "half (both directions share 1.7 MB/s: no)",
            replace(base, links=replace(links, per_word=links.per_word // 2)),
        ),
        Unknown(
            "sender and receiver wait (rendezvous)",
            "hidden (overlap)",
            replace(base, links=replace(links, discipline="overlap")),
        ),
        Unknown(
            "sender and receiver wait (rendezvous)", "free", replace(base, links=replace(links, discipline="free"))
        ),
    ]
