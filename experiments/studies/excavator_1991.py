"""What the T800s of 1991 needed for one evaluation of the excavator's dynamics, predicted from `t800-measured`.

Kernel times are Table 5.5's, link times the thesis's and the transputer's, and every joint has its simple actuator. On
one processor the program is that of `program_1991.py`. On the mesh it is the one of chapter 4: in the cycles of Tables
4.4 to 4.7, J w and J w' in row 1, rho x c recomputed (section 5.4.1), sender and receiver waiting for each other
(section 5.5.1). What the text leaves open is in `readings`. No measured time is used here.     # Wong chapter 5
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product

from meshsim.algorithms.kernels.actuator import Drive
from meshsim.algorithms.kernels.catalogue import KERNELS
from meshsim.algorithms.motion.excavator_control import ACTUATORS
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.catalogue import excavator
from meshsim.algorithms.robots.state import State, driven_state
from meshsim.algorithms.schemes.mesh.wong_mesh import WONG_MESH
from meshsim.algorithms.schemes.one.one_wong import ONE_WONG
from meshsim.counted import Kernel
from meshsim.experiments.studies.program_1991 import (
    PARTS,
    PRICES,
    SOLVER,
    T800,
    Extra,
    diagonal_of_h,
    parts_of,
    price,
    priced,
    program_of_1991,
    ticks,
)
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.presets import PRESETS

ONE_LINES = tuple(PARTS)
LINES = (*ONE_LINES, "total, one processor", "total, mesh", "speed-up")
JOINTS = 4
PROGRAM_OF_1991 = program_of_1991(JOINTS)
LISTED = ("add_vectors", "subtract_vectors", "matvec", "rotate", "rotate_twist", "cross", "scale")
"""Kernels of Table 5.5."""
MESH_OF_1991: Mapping[str, str] = {"order": "published", "rho": "recompute"}
"""Options of `wong-mesh`."""


def driven_excavator() -> State:
    """The excavator with actuators, valves half open; times do not depend on the numbers."""  # Wong Table 5.2
    drives = [Drive(each, spool=0.025, p_in=0.6 * each.supply, p_out=0.4 * each.supply) for each in ACTUATORS]
    return driven_state((0.1, 0.2, 0.3, 0.4), (0.2,) * 4, drives)


def run_one(machine: Machine, solver: str = "ldl") -> Run[Dynamics]:
    """The evaluation on one processor; counted, it solves by LDL^T."""
    return ONE_WONG.plan(excavator(), driven_excavator(), solver=solver).run(machine)


def run_mesh(machine: Machine, **options: str) -> Run[Dynamics]:
    """The evaluation on the mesh."""
    return WONG_MESH.plan(excavator(), driven_excavator(), **{**MESH_OF_1991, **options}).run(machine)


def predict(
    machine: Machine,
    extra: Extra = PROGRAM_OF_1991,
    options: Mapping[str, str] = MESH_OF_1991,
    solver: str = SOLVER,
) -> Mapping[str, float]:
    """Microseconds of every line of Table 5.4, and the speed-up; `extra` calls are added on one processor."""
    parts = parts_of(run_one(machine, solver), machine, extra)
    one = sum(parts.values())
    mesh = machine.microseconds(run_mesh(machine, **options).phases["distribute"])
    return {**parts, LINES[4]: one, LINES[5]: mesh, LINES[6]: one / mesh}


def predict_h(machine: Machine) -> float:
    """Microseconds of H alone, that is of all up to m (rho x c), with its constants formed."""
    (cpu,) = run_one(machine).cpus
    calls = {kernel.name: count for kernel, count in cpu.calls_by_phase["m rho x c"].items()}
    return price(machine, calls) + price(machine, diagonal_of_h(JOINTS))


def path_of_mesh(machine: Machine) -> Mapping[str, float]:
    """Microseconds on the mesh's critical path: arithmetic, of it kernels that Table 5.5 does not list, and wire."""
    path = run_mesh(machine).critical_path
    computes = [(step.what.name, step.end - step.start) for step in path.steps if isinstance(step.what, Kernel)]
    unlisted = sum(spent for name, spent in computes if name not in LISTED)
    parts = {"arithmetic": path.compute, "not listed": unlisted, "wire": path.wire}
    return {name: machine.microseconds(spent) for name, spent in parts.items()}


@cache
def prediction() -> Mapping[str, float]:
    """The prediction itself."""
    return predict(T800)


# What the text leaves open


@dataclass(frozen=True)
class Reading:
    """One way to read the text: how a cycle's communications follow, Table 5.5's 14 and 34 us, where J w is."""

    communications: str
    prices: str
    products: str
    us: float
    speed_up: float


COMMUNICATIONS = {"at once, by PAR": "published", "one after the other": "published-in-turn"}
PRODUCTS = {"row 1 (Tables 4.4 to 4.6)": "yes", "row 0 (Tables 4.2, 4.3)": "no"}


def readings() -> list[Reading]:
    """The mesh by every reading of the text; none is fitted, and the first is the prediction."""
    found = []
    for communications, price_of, products in product(COMMUNICATIONS, PRICES, PRODUCTS):
        options = {"order": COMMUNICATIONS[communications], "redistribute": PRODUCTS[products]}
        moved = predict(PRICES[price_of], options=options)
        found.append(Reading(communications, price_of, products, moved[LINES[5]], moved[LINES[6]]))
    return found


@dataclass(frozen=True)
class Unknown:
    """What is not published: what was assumed, what else might have been, and the machine or program of that."""

    assumed: str
    instead: str
    machine: Machine = T800
    extra: Extra = field(default_factory=lambda: PROGRAM_OF_1991)
    options: Mapping[str, str] = field(default_factory=lambda: MESH_OF_1991)
    solver: str = SOLVER

    def predict(self) -> Mapping[str, float]:
        """The prediction with the other answer."""
        return predict(self.machine, self.extra, self.options, self.solver)


def _slowed(factor: float, call_us: float) -> Machine:
    """Kernels on vectors that Table 5.5 does not list."""
    single = {"mul": factor, "add": factor / 2, "div": factor, "sqrt": 2 * factor}
    operations = {**T800.operations, **{name: ticks(us) for name, us in single.items()}}
    return replace(T800, operations=operations, kernel_overhead=ticks(call_us))


def _specific() -> Machine:
    """Every subroutine on vectors as if written for three by three, with constant indices: 21/12 of theory."""
    theory = PRESETS["t800"]
    times = {name: 21 / 12 * theory.microseconds(theory.price(KERNELS[name])) + 9 for name in LISTED}
    return replace(_slowed(21 / 12, 9), kernels=priced(**times).kernels)


def _linked(**changes: int | str) -> Machine:
    return replace(T800, links=replace(T800.links, **changes))  # type: ignore[arg-type]


def unknowns() -> list[Unknown]:
    """The assumptions behind the prediction that another machine or program would replace."""
    # Of an actuator's subroutines only one is called, and does all the work.
    one_call = {"valve_flow": 4.7 * 2.5 + 9.4, "motor_torque": 4.7 * 3 + 9, "pressure_rates": 4.7 * 4}
    cheap = replace(_slowed(21 / 12, 0), kernels=PRICES["as printed"].kernels)
    return [
        Unknown("cross product 34 us and scaling 14 us, swapped in print", "as printed", PRICES["as printed"]),
        Unknown(
            "kernels on vectors not in Table 5.5: 4.7 times theory", "21/12, constant indices", _slowed(21 / 12, 9)
        ),
        Unknown("kernels on vectors not in Table 5.5: a call of 9 us", "no call", _slowed(4.7, 0)),
        Unknown("the three above", "all three together", cheap),
        Unknown("subroutines for any size, as in Table 5.5", "for 3 x 3: 21/12 of theory and the call", _specific()),
        Unknown(
            "single numbers: expressions, 7/6 of theory",
            "4.7 times theory",
            priced(add=2.35, subtract=2.35, axpy=7.05, negative_ratio=4.7),
        ),
        Unknown("square root as two multiplies", "as four", replace(T800, operations={**T800.operations, "sqrt": 376})),
        Unknown("sine and cosine 7 us each", "4.7 times that", priced(sine_cosine=4.7 * 14)),
        Unknown("start-up of a message 5.1 us", "none", _linked(startup=0)),
        Unknown("start-up of a message 5.1 us", "twice that", _linked(startup=2 * T800.links.startup)),
        Unknown("a word 2.3 us, 1.7 MB/s", "1.6 us, 20 Mbit/s without framing", _linked(per_word=ticks(1.6))),
        Unknown("communication not overlapped", "overlapped", _linked(discipline="overlap")),
        Unknown("communication not overlapped", "free", _linked(discipline="free")),
        Unknown(
            "a solver's cell sends a step's numbers while the next come in",
            "receives, computes, sends, as eq. 4.30 reads",
            options={"exchange": "in-turn"},
        ),
        Unknown(
            "constant products formed every time, as in eq. 3.17",
            "off line, as counted",
            extra={**PROGRAM_OF_1991, "inertia matrix": {}},
        ),
        Unknown(
            "force vector: all bodies alike, as in eqs 3.27 to 3.38",
            "exceptions, as counted",
            extra={**PROGRAM_OF_1991, "force vector": {}},
        ),
        Unknown("actuator: four subroutines a joint", "one", priced(**one_call)),
        Unknown("solver: LU with the largest pivots", "L D L^T, as counted", solver="ldl"),
        Unknown("solver: LU with the largest pivots", "the largest by row", solver="lu-scaled"),
        Unknown(
            "solver: LU with the largest pivots",
            "the largest by row, each |x| a call of 9 us",
            priced(excess=2.35 + 9),
            solver="lu-scaled",
        ),
    ]
