"""The solvers side by side: processors, cycles, messages, and the error as systems become ill-conditioned."""

from typing import Any

import numpy as np

from meshsim.algorithms.solvers.catalogue import SOLVERS, dense_solution, random_system
from meshsim.algorithms.types.arrays import Array
from meshsim.machine import OPERATIONS, Links, Machine

CYCLES = Machine(
    "systolic cycles",
    1,
    dict.fromkeys(OPERATIONS, 0),
    Links("free"),
    kernels=dict.fromkeys(("axpy", "pass_on", "rotate_pair", "subtract_product"), 1),
    description="One tick a cell step, numbers that only pass included; divisions and square roots are not counted.",
)
EXPONENTS = tuple(range(1, 15))


def conditioned_system(n: int, condition: float, seed: int) -> tuple[Array, Array, Array]:
    """A symmetric positive definite A of a given condition number, b, and the x of A x = b."""
    Q, _ = np.linalg.qr(random_system(n, seed)[0] - n * np.eye(n))
    A = Q @ np.diag(np.geomspace(1.0, 1.0 / condition, n)) @ Q.T
    A = (A + A.T) / 2.0
    x = np.asarray(random_system(n, seed + 1)[1])
    return A, A @ x, x


def study(n: int, seed: int) -> list[dict[str, Any]]:
    """A row a solver; `errors` are by power of ten of the condition number, relative to the largest unknown."""
    systems = [conditioned_system(n, 10.0**exponent, seed) for exponent in EXPONENTS]
    rows = []
    for name, solver in SOLVERS.items():
        A, b, _ = systems[0]
        run = solver.plan(A, b).run(CYCLES, trace=False)
        errors = [_error(solver.plan(A, b).run(CYCLES, trace=False).value, x) for A, b, x in systems]
        rows.append(
            {
                "method": name,
                "n": n,
                "processors": run.processors,
                "first_cycle": run.phases["first_unknown"],
                "last_cycle": run.phases["last_unknown"],
                "messages": run.messages,
                "errors": errors,
            }
        )
    errors = [_error(dense_solution(A, b), x) for A, b, x in systems]
    return [*rows, {"method": "dense", "n": n, "processors": 1, "errors": errors}]


def _error(found: Array, x: Array) -> float:
    return float(np.abs(found - x).max() / np.abs(x).max())
