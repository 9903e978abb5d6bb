"""The parallel solvers by name, and the systems they are given."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.feedforward_lu import feedforward_lu
from algorithms.newton_euler import Array
from algorithms.splitmix import SplitMix64
from meshsim.errors import MeshSimError
from meshsim.plan import Plan


@dataclass(frozen=True)
class Solver:
    """A named way to make a plan for A x = b. Its runs mark the phases `first_unknown` and `solve`."""

    name: str
    summary: str
    plan: Callable[[Array, Array], Plan[Array]]


SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (
        Solver(
            "feedforward-lu",
            "Jainandunsing's LU without back-substitution on n(n+1)/2 + n processors; no row exchanges",
            feedforward_lu,
        ),
    )
}


def load_solver(name: str) -> Solver:
    """A solver by its name."""
    if name not in SOLVERS:
        raise MeshSimError(f"unknown method {name!r}; known: {', '.join(SOLVERS)}")
    return SOLVERS[name]


def load_system(text: str) -> tuple[Array, Array]:
    """A and b, from a JSON file with those two keys, or drawn for `random:N:SEED`."""
    if text.startswith("random:"):
        return _random_system(text)
    try:
        data = json.loads(Path(text).read_text(encoding="utf-8"))
    except OSError as error:
        raise MeshSimError(f"cannot read the system {text!r}: {error.strerror}; or give random:N:SEED") from None
    except ValueError as error:
        raise MeshSimError(f"{text}: a system must be JSON, and this is not: {error}") from None
    try:
        return _check_system(data)
    except MeshSimError as error:
        raise MeshSimError(f"{text}: {error}") from None


def random_system(n: int, seed: int) -> tuple[Array, Array]:
    """A dense system with dominant diagonal: entries uniform in (-1, 1), n added on the diagonal; then b."""
    random = SplitMix64(seed)
    A = np.array([[random.uniform(-1.0, 1.0) for _ in range(n)] for _ in range(n)])
    b = np.array([random.uniform(-1.0, 1.0) for _ in range(n)])
    return A + n * np.eye(n), b


def _random_system(text: str) -> tuple[Array, Array]:
    fields = text.split(":")[1:]
    if len(fields) != 2 or not all(field.isascii() and field.isdigit() for field in fields) or int(fields[0]) < 1:
        raise MeshSimError(f"a random system must be random:N:SEED with N at least 1, not {text!r}")
    if int(fields[1]) >= 2**64:
        raise MeshSimError(f"the seed must be below 2^64, not {fields[1]}")
    return random_system(int(fields[0]), int(fields[1]))


def _check_system(data: Any) -> tuple[Array, Array]:
    if not isinstance(data, dict) or set(data) != {"A", "b"}:
        found = ", ".join(map(repr, data)) if isinstance(data, dict) else type(data).__name__
        raise MeshSimError(f"a system must be an object with the keys 'A' and 'b', not {found or 'an empty one'}")
    b = _numbers("b", data["b"])
    if not isinstance(data["A"], list) or len(data["A"]) != len(b):
        raise MeshSimError(f"A must be a list of {len(b)} rows, as b has {len(b)} numbers")
    rows = [_numbers(f"row {i} of A", row) for i, row in enumerate(data["A"], start=1)]
    for i, row in enumerate(rows, start=1):
        if len(row) != len(b):
            raise MeshSimError(f"row {i} of A must have {len(b)} numbers, not {len(row)}")
    return np.array(rows), np.array(b)


def _numbers(what: str, values: Any) -> list[float]:
    if not isinstance(values, list) or not values:
        raise MeshSimError(f"{what} must be a list of numbers, not {values!r}")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
            raise MeshSimError(f"{what} must hold finite numbers, not {value!r}")
    return [float(value) for value in values]
