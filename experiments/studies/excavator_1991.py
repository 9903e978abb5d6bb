"""What the T800s of 1991 needed for one evaluation of the excavator's dynamics, predicted from `t800-measured`.

Kernel times are Table 5.5's, link times the thesis's and the transputer's, rho x c is recomputed, sender and receiver
wait for each other, and every joint has its simple actuator. On one processor the program is the one that section 5.5.1
names: eqs 3.17, 3.23, 3.27 to 3.31 and 3.38 as printed, for all bodies alike and with constant products formed again
every time, and an LU solver. No measured time is used here.                          # Wong chapter 5
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from meshsim.algorithms.kernels.actuator import Drive
from meshsim.algorithms.kernels.catalogue import KERNELS
from meshsim.algorithms.motion.excavator_control import ACTUATORS
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.catalogue import excavator
from meshsim.algorithms.robots.state import State, driven_state
from meshsim.algorithms.schemes.mesh.wong_mesh import WONG_MESH
from meshsim.algorithms.schemes.one.one_wong import ONE_WONG
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.presets import PRESETS

ONE_LINES = ("inertia matrix", "force vector", "actuator", "solver")
LINES = (*ONE_LINES, "total, one processor", "total, mesh", "speed-up")
T800 = PRESETS["t800-measured"]


def driven_excavator() -> State:
    """The excavator with actuators, valves half open; times do not depend on the numbers."""  # Wong Table 5.2
    drives = [Drive(each, spool=0.025, p_in=0.6 * each.supply, p_out=0.4 * each.supply) for each in ACTUATORS]
    return driven_state((0.1, 0.2, 0.3, 0.4), (0.2,) * 4, drives)


def run_one(machine: Machine) -> Run[Dynamics]:
    """The evaluation on one processor."""
    return ONE_WONG.plan(excavator(), driven_excavator()).run(machine)


def run_mesh(machine: Machine) -> Run[Dynamics]:
    """The evaluation on the mesh."""
    return WONG_MESH.plan(excavator(), driven_excavator(), rho="recompute").run(machine)


Extra = Mapping[str, Mapping[str, int]]
"""Kernel calls that a program may have made besides, by line and kernel name."""


JOINTS = 4
PAIRS = JOINTS * (JOINTS - 1) // 2
DIAGONAL_H = {"matvec": JOINTS, "cross": JOINTS, "scale": JOINTS, "rotate_twist": JOINTS - 1}
"""J z, k x z and m (k x z) of every body, and A z, a column of A: inner loops of eq. 3.17 that are counted off line."""
DIAGONAL_M = {"spatial_dot": JOINTS + PAIRS, "spatial_dot_flat": -PAIRS}
"""Products of the diagonal, and those that are counted without their zero."""
ALL_ALIKE = {
    "rotate_twist": 3,
    "add_cross_z": 1,
    "acceleration_matrix": 1,
    "acceleration_matrix_z": -1,
    "scale": -1,
    "matvec": 1,
    "add_vectors": 2,
    "spatial_dot": JOINTS,
    "dot": -JOINTS,
}
"""Body 1 as if its predecessor turned: A w, A w', W, A p'', J w' and sums; and products with z not skipped."""
LU = {"subtract_product": PAIRS * (2 * JOINTS - 1) // 3 - PAIRS * (JOINTS + 1) // 3}
"""What the products of an LU factorisation are more than those of LDL^T."""
PROGRAM_OF_1991: Extra = {"inertia matrix": {**DIAGONAL_H, **DIAGONAL_M}, "force vector": ALL_ALIKE, "solver": LU}
"""What the program had besides `one-wong`, which takes constants off line, has exceptions, and solves by LDL^T."""


def predict(machine: Machine, extra: Extra = PROGRAM_OF_1991) -> Mapping[str, float]:
    """Microseconds of every line of Table 5.4, and the speed-up; `extra` calls are added on one processor."""
    run = run_one(machine)
    ends = [machine.microseconds(run.phases[name]) for name in ("inertia", "force", "actuator", "solve")]
    parts = dict(zip(ONE_LINES, (end - start for start, end in zip((0.0, *ends), ends, strict=False)), strict=True))
    for line, calls in extra.items():
        parts[line] += machine.microseconds(sum(machine.price(KERNELS[name]) * count for name, count in calls.items()))
    one = sum(parts.values())
    mesh = machine.microseconds(run_mesh(machine).phases["distribute"])
    return {**parts, LINES[4]: one, LINES[5]: mesh, LINES[6]: one / mesh}


def predict_h(machine: Machine) -> float:
    """Microseconds of H alone, that is of all up to m (rho x c), with its constants formed."""
    (cpu,) = run_one(machine).cpus
    calls = {kernel.name: count for kernel, count in cpu.calls_by_phase["m rho x c"].items()}
    for name, count in DIAGONAL_H.items():
        calls[name] += count
    return machine.microseconds(sum(machine.price(KERNELS[name]) * count for name, count in calls.items()))


@cache
def prediction() -> Mapping[str, float]:
    """The prediction itself."""
    return predict(T800)


@dataclass(frozen=True)
class Unknown:
    """What is not published: what was assumed, what else might have been, and the machine or calls that would make."""

    assumed: str
    instead: str
    machine: Machine = T800
    extra: Extra = field(default_factory=lambda: PROGRAM_OF_1991)


def _ticks(us: float) -> int:
    return round(1000 * us / T800.tick_ns)


def _priced(**us: float) -> Machine:
    """Kernels that take other times."""
    return replace(T800, kernels={**T800.kernels, **{name: _ticks(each) for name, each in us.items()}})


def _slowed(factor: float, call_us: float) -> Machine:
    """Kernels on vectors that Table 5.5 does not list."""
    single = {"mul": factor, "add": factor / 2, "div": factor, "sqrt": 2 * factor}
    operations = {**T800.operations, **{name: _ticks(us) for name, us in single.items()}}
    return replace(T800, operations=operations, kernel_overhead=_ticks(call_us))


def _specific() -> Machine:
    """Every subroutine on vectors as if written for three by three, with constant indices: 21/12 of theory."""
    listed = ("add_vectors", "subtract_vectors", "matvec", "rotate", "rotate_twist", "cross", "scale")
    theory = PRESETS["t800"]
    times = {name: 21 / 12 * theory.microseconds(theory.price(KERNELS[name])) + 9 for name in listed}
    return replace(_slowed(21 / 12, 9), kernels=_priced(**times).kernels)


def _linked(**changes: int | str) -> Machine:
    return replace(T800, links=replace(T800.links, **changes))  # type: ignore[arg-type]


def unknowns() -> list[Unknown]:
    """The assumptions behind the prediction that another machine or program would replace.

    Two cannot be put in numbers: what else a library's LU solver does besides its products, and which order of
    communications the program had.
    """
    # Of an actuator's subroutines only one is called, and does all the work.
    one_call = {"valve_flow": 4.7 * 2.5 + 9.4, "motor_torque": 4.7 * 3 + 9, "pressure_rates": 4.7 * 4}
    cheap = replace(_slowed(21 / 12, 0), kernels=_priced(cross=14, scale=34).kernels)
    return [
        Unknown("cross product 34 us and scaling 14 us, swapped in print", "as printed", _priced(cross=14, scale=34)),
        Unknown(
            "kernels on vectors not in Table 5.5: 4.7 times theory", "21/12, constant indices", _slowed(21 / 12, 9)
        ),
        Unknown("kernels on vectors not in Table 5.5: a call of 9 us", "no call", _slowed(4.7, 0)),
        Unknown("the three above", "all three together", cheap),
        Unknown("subroutines for any size, as in Table 5.5", "for 3 x 3: 21/12 of theory and the call", _specific()),
        Unknown(
            "single numbers: expressions, 7/6 of theory",
            "4.7 times theory",
            _priced(add=2.35, subtract=2.35, axpy=7.05, negative_ratio=4.7),
        ),
        Unknown("square root as two multiplies", "as four", replace(T800, operations={**T800.operations, "sqrt": 376})),
        Unknown("sine and cosine 7 us each", "4.7 times that", _priced(sine_cosine=4.7 * 14)),
        Unknown("start-up of a message 5.1 us", "none", _linked(startup=0)),
        Unknown("start-up of a message 5.1 us", "twice that", _linked(startup=2 * T800.links.startup)),
        Unknown("a word 2.3 us, 1.7 MB/s", "1.6 us, 20 Mbit/s without framing", _linked(per_word=_ticks(1.6))),
        Unknown("communication not overlapped", "overlapped", _linked(discipline="overlap")),
        Unknown("communication not overlapped", "free", _linked(discipline="free")),
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
        Unknown("actuator: four subroutines a joint", "one", _priced(**one_call)),
    ]
