"""The parallel solvers by name, and the systems they are given."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from meshsim.algorithms.types.arrays import Array, check_finite
from meshsim.algorithms.types.splitmix import SplitMix64, parse_spec
from meshsim.catalogue import Catalogue, Lazily, imported
from meshsim.errors import MeshSimError
from meshsim.reading import entries, load_json, naming, numbers, table

if TYPE_CHECKING:
    from meshsim.algorithms.solvers.base import Solver


def _solver(thing: object) -> "Solver | None":
    """A solver as it is."""
    from meshsim.algorithms.solvers.base import Solver

    return thing if isinstance(thing, Solver) else None


_PLACES = {
    "feedforward-lu": "meshsim.algorithms.solvers.feedforward_lu:FEEDFORWARD_LU",
    "feedforward-qr": "meshsim.algorithms.solvers.feedforward_qr:FEEDFORWARD_QR",
    "liu-young": "meshsim.algorithms.solvers.liu_young:LIU_YOUNG",
    "faddeev": "meshsim.algorithms.solvers.faddeev:FADDEEV",
}
SOLVERS: "Catalogue[Solver]" = Catalogue(
    "solver", Lazily({name: partial(imported, place) for name, place in _PLACES.items()}), _solver
)


class SolverChoice(tuple[str, ...]):
    """The solvers that a scheme may be told to take: those named, and any that a user adds."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and SOLVERS.find(name) is not None)


def load_solver(name: str) -> "Solver":
    """A solver by its name, or as `file.py:NAME`."""
    solver = SOLVERS.find(name)
    if solver is None:
        raise MeshSimError(f"unknown method {name!r}; known: {SOLVERS.names}")
    return solver


def load_system(text: str) -> tuple[Array, Array]:
    """A and b, from a JSON file with those two keys, or drawn for `random:N:SEED` or `symmetric:N:SEED`."""
    if text.startswith("random:"):
        return random_system(*parse_spec("random", "system", text))
    if text.startswith("symmetric:"):
        return symmetric_system(*parse_spec("symmetric", "system", text))
    with naming(text):
        return system_from(load_json(text, "system"))


def dense_solution(A: Array, b: Array) -> Array:
    """The solution by a dense one-processor library."""
    try:
        with np.errstate(all="ignore"):
            x = np.asarray(np.linalg.solve(A, b), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise MeshSimError("A must be invertible, not singular") from None
    check_finite("of A x = b", x=x)
    return x


def random_system(n: int, seed: int) -> tuple[Array, Array]:
    """A dense system with dominant diagonal: entries uniform in (-1, 1), n added on the diagonal; then b."""
    random = SplitMix64(seed)
    A = np.array([[random.uniform(-1.0, 1.0) for _ in range(n)] for _ in range(n)])
    b = np.array([random.uniform(-1.0, 1.0) for _ in range(n)])
    return A + n * np.eye(n), b


def symmetric_system(n: int, seed: int) -> tuple[Array, Array]:
    """The symmetric part of a random system's A, and its b; positive definite, since its diagonal dominates."""
    A, b = random_system(n, seed)
    return (A + A.T) / 2.0, b


def system_from(value: object) -> tuple[Array, Array]:
    """A and b from plain lists, checked."""
    system = table("system", value, ("A", "b"), ("A", "b"), "a JSON object with A and b")
    n = len(entries("b", system["b"], "numbers"))
    rows = entries("A", system["A"], "rows, as many as b has numbers", n)
    A = [numbers(f"row {i} of A", row, n) for i, row in enumerate(rows, start=1)]
    return np.array(A), np.array(numbers("b", system["b"], n))
