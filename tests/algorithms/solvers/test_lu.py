"""LU as a library has it: the right answer for any regular matrix, and what it does besides its products."""

import numpy as np
import pytest

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import ONE_PROCESSOR, load_scheme
from meshsim.algorithms.solvers.lu import solve_lu, solve_lu_scaled
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS

SOLVERS = {"lu": solve_lu, "lu-scaled": solve_lu_scaled}


class Counting:
    """A processor that computes, and keeps which kernels it was given."""

    def __init__(self):
        self.calls = {}

    def do(self, kernel, *arguments):
        self.calls[kernel.name] = self.calls.get(kernel.name, 0) + 1
        return kernel(*arguments)


def lower(M):
    return [[float(entry) for entry in row[: i + 1]] for i, row in enumerate(M)]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 12])
def test_symmetric_matrices_that_need_pivots(solver, n):
    random = np.random.default_rng(n)
    B = random.uniform(-1, 1, (n, n))
    M, b = B + B.T, random.uniform(-1, 1, n)
    M[0, 0] = 0.0 if n > 1 else 1.0
    found = SOLVERS[solver](Counting(), lower(M), b.tolist())
    assert relative_error(np.array(found), np.linalg.solve(M, b)) < 1e-14 * max(10.0, np.linalg.cond(M))


def test_pivots_measured_by_their_rows():
    """A row with a large factor has the larger entry, and the smaller share: only the scaled solver stays exact."""
    M, b = np.array([[2.0, 1e17], [1e17, 1.0]]), [1e17, 1.0]
    for solve in SOLVERS.values():
        assert solve(Counting(), lower(M), b) == pytest.approx([0.0, 1.0], abs=1e-15)


@pytest.mark.parametrize("n", [1, 2, 4, 6, 9])
def test_counts(n):
    M = np.diag(np.arange(1.0, n + 1)) + 0.1
    pairs = n * (n - 1) // 2
    products = {"subtract_product": pairs * (2 * n - 1) // 3 + 2 * pairs}
    plain, scaled = Counting(), Counting()
    solve_lu(plain, lower(M), [1.0] * n)
    solve_lu_scaled(scaled, lower(M), [1.0] * n)
    columns = n * (n + 1) // 2  # entries on the diagonal and below
    expected = products | {"ratio": pairs + n, "excess": pairs}
    assert plain.calls == {name: count for name, count in expected.items() if count}
    expected = products | {"ratio": pairs + n + columns, "excess": pairs + n * (n - 1)}
    assert scaled.calls == {name: count for name, count in expected.items() if count}


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_singular_matrix_is_refused(solver):
    with pytest.raises(MeshSimError, match=r"^the matrix must be regular, and its column 2 follows from those before"):
        SOLVERS[solver](Counting(), [[1.0], [1.0, 1.0]], [1.0, 2.0])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scheme", [name for name in ONE_PROCESSOR if "lu" in load_scheme(name).options["solver"]])
def test_every_scheme_that_forms_m_may_use_it(scheme, solver):
    robot = chain(5, 3)
    runs = [
        load_scheme(scheme).plan(robot, default_state(robot), **options).run(PRESETS["ideal"])
        for options in ({}, {"solver": solver})
    ]
    assert relative_error(runs[1].value.qdd, runs[0].value.qdd) < 1e-10
    assert runs[1].operations_by_phase["solve"]["add"] > runs[0].operations_by_phase["solve"]["add"]
