"""The one-processor program of 1991: the thesis's equations as printed, priced on a machine.

Section 5.5.1 names eqs 3.17, 3.23, 3.27 to 3.31 and 3.38, and an LU solver, "a proven and readily available
subroutine". They are read as printed: for all bodies alike, and with constant products formed again every time; the
solver looks for pivots and pays for it (`lu.py`). `one-wong` takes constants off line and has exceptions for the first
body; so its run with that solver is priced, and then what the program had besides.               # Wong sec. 5.5.1
"""

from collections.abc import Mapping
from dataclasses import replace

from meshsim.algorithms.kernels.catalogue import KERNELS
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.presets import PRESETS

T800 = PRESETS["t800-measured"]
SOLVER = "lu"
"""Of those on one processor."""
PARTS = {"inertia matrix": "inertia", "force vector": "force", "actuator": "actuator", "solver": "solve"}
"""The parts of an evaluation in order, and the mark that ends each; a robot without drives has no actuator."""


def ticks(us: float) -> int:
    """A time in ticks of that machine."""
    return round(1000 * us / T800.tick_ns)


def priced(**us: float) -> Machine:
    """That machine with other times of some kernels."""
    return replace(T800, kernels={**T800.kernels, **{name: ticks(each) for name, each in us.items()}})


PRICES = {"swapped": T800, "as printed": priced(cross=14, scale=34)}
"""Table 5.5's 14 and 34 us, of the cross product and the scaling."""

Extra = Mapping[str, Mapping[str, int]]
"""Kernel calls that a program may have made besides, by part and kernel name."""


def diagonal_of_h(n: int) -> Mapping[str, int]:
    """J z, k x z and m (k x z) of every body, and A z, a column of A: inner loops of eq. 3.17 counted off line."""
    return {"matvec": n, "cross": n, "scale": n, "rotate_twist": n - 1}


def program_of_1991(n: int) -> Extra:
    """What the program had besides `one-wong`, for a chain of n joints."""
    pairs = n * (n - 1) // 2
    # Products of the diagonal, and those that are counted without their zero.
    products = {"spatial_dot": n + pairs, "spatial_dot_flat": -pairs}
    # Body 1 as if its predecessor turned: A w, A w', W, A p'', J w' and sums; and products with z not skipped.
    all_alike = {
        "rotate_twist": 3,
        "add_cross_z": 1,
        "acceleration_matrix": 1,
        "acceleration_matrix_z": -1,
        "scale": -1,
        "matvec": 1,
        "add_vectors": 2,
        "spatial_dot": n,
        "dot": -n,
    }
    return {"inertia matrix": {**diagonal_of_h(n), **products}, "force vector": all_alike}


def parts_of(run: Run[Dynamics], machine: Machine, extra: Extra) -> dict[str, float]:
    """Microseconds of each part of an evaluation on one processor, with the calls that the program had besides."""
    parts, before = {}, 0.0
    for part, mark in PARTS.items():
        if mark in run.phases:
            end = machine.microseconds(run.phases[mark])
            parts[part], before = end - before, end
    for part, calls in extra.items():
        parts[part] += price(machine, calls)
    return parts


def price(machine: Machine, calls: Mapping[str, int]) -> float:
    """Microseconds of some calls of kernels."""
    return machine.microseconds(sum(machine.price(KERNELS[name]) * count for name, count in calls.items()))
