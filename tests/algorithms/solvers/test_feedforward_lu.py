"""The stand-alone feedforward solver: its cycles, its numbers, what it refuses."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from meshsim.algorithms.solvers.base import SingularError
from meshsim.algorithms.solvers.catalogue import random_system
from meshsim.algorithms.solvers.feedforward_lu import FEEDFORWARD_LU
from meshsim.errors import MeshSimError
from meshsim.machine import Links, Machine
from meshsim.presets import PRESETS

CYCLES = Machine(
    "systolic cycles",
    1,
    dict.fromkeys(("mul", "add", "div", "sqrt", "sincos"), 0),
    Links("free"),
    kernels={"axpy": 1, "pass_on": 1},  # one a cell step, the pass-through diagonal included; divisions not counted
)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 16, 33])
def test_first_unknown_after_3n_cycles_and_last_after_4n_minus_1(n):
    run = FEEDFORWARD_LU.plan(*random_system(n, n)).run(CYCLES)
    assert run.phases["first_unknown"] == 3 * n
    assert run.phases["last_unknown"] == run.ticks == 4 * n - 1
    assert run.processors == n * (n + 1) // 2 + n


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9, 20])
def test_divisions_lie_on_the_critical_path_about_twice_a_row(n):
    run = FEEDFORWARD_LU.plan(*random_system(n, n)).run(PRESETS["ideal"])
    operations = PRESETS["ideal"].operations
    step, division = operations["mul"] + operations["add"], operations["div"]
    assert run.phases["first_unknown"] == (3 * n - 1) * step + (2 * n - 1) * division
    assert run.phases["last_unknown"] == (4 * n - 2) * step + (2 * n - 1) * division


@pytest.mark.parametrize("n", [1, 2, 5, 17])
@pytest.mark.parametrize("machine", ["ideal", "t800", "t800-overlap"])
def test_any_dense_system(n, machine):
    A, b = random_system(n, 100 + n)
    assert not np.allclose(A, A.T) or n == 1
    run = FEEDFORWARD_LU.plan(A, b).run(PRESETS[machine])
    assert run.value == pytest.approx(np.linalg.solve(A, b), rel=1e-12, abs=1e-14)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 6).flatmap(lambda n: st.tuples(*[st.lists(st.integers(-9, 9), min_size=n, max_size=n)] * (n + 1)))
)
def test_small_integer_systems(rows):
    *rows, b = rows
    A, b = np.array(rows, dtype=float), np.array(b, dtype=float)
    minors = [round(np.linalg.det(A[:k, :k])) for k in range(1, len(b) + 1)]
    if 0 in minors:
        with pytest.raises(SingularError, match=rf"^the leading minor of order {minors.index(0) + 1} must not be zero"):
            FEEDFORWARD_LU.plan(A, b).run(PRESETS["ideal"])
        return
    assume(np.linalg.cond(A) < 1e6)
    x = FEEDFORWARD_LU.plan(A, b).run(PRESETS["ideal"]).value
    growth = max(abs(minor) for minor in minors) * len(b)
    assert x == pytest.approx(np.linalg.solve(A, b), rel=1e-9, abs=1e-12 * growth)


def test_a_zero_pivot_that_only_the_cells_see():
    with pytest.raises(MeshSimError, match=r"^the leading minor of order 2 must not be zero"):
        FEEDFORWARD_LU.plan(np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([1.0, 1.0])).run(PRESETS["ideal"])
