"""The solvers side by side: processors, cycles, messages, and the error as systems become ill-conditioned."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from meshsim.algorithms.solvers.catalogue import SOLVERS, dense_solution, random_system
from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.figures.saving import save_figure
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
MARKERS = {"feedforward-lu": "o", "feedforward-qr": "s", "liu-young": "^", "faddeev": "D", "dense": "x"}


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


def as_text(rows: Sequence[dict[str, Any]]) -> str:
    """The table for people."""
    header = f"{'method':<16}{'processors':>11}{'first':>7}{'last':>7}{'messages':>10}   error at condition 1e2 .. 1e14"
    lines = [
        f"n = {rows[0]['n']}; cycles to the first and the last unknown, one a cell step, divisions not counted",
        header,
    ]
    for row in rows:
        first, last, messages = (row.get(key, "") for key in ("first_cycle", "last_cycle", "messages"))
        errors = "  ".join(f"{row['errors'][EXPONENTS.index(exponent)]:.0e}" for exponent in (2, 6, 10, 14))
        lines.append(f"{row['method']:<16}{row['processors']:>11}{first:>7}{last:>7}{messages:>10}   {errors}")
    return "\n".join(lines)


def draw_study(rows: Sequence[dict[str, Any]], path: str | Path) -> None:
    """Error against condition number."""
    figure = Figure(figsize=(6.4, 4.6), layout="constrained")
    axes = figure.add_subplot()
    conditions = [10.0**exponent for exponent in EXPONENTS]
    bound = [np.finfo(float).eps * condition for condition in conditions]
    axes.loglog(conditions, bound, color="#999999", linestyle="--", label="eps x condition")
    for row in rows:
        label = "dense solver (numpy)" if row["method"] == "dense" else row["method"]
        axes.loglog(
            conditions,
            row["errors"],
            marker=MARKERS.get(row["method"], "+"),
            fillstyle="none",
            linewidth=0.8,
            label=label,
        )
    axes.set_xlabel("condition number of A")
    axes.set_ylabel("error of x, relative to its largest entry")
    axes.set_title(f"Systolic solvers, symmetric positive definite A, n = {rows[0]['n']}")
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.legend()
    save_figure(figure, path)
