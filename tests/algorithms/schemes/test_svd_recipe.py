"""Yun and Sarkar's recipe as printed, and the benchmark that exhibits of the four-bar are held against."""

import json

import numpy as np
import pytest
from tools.paths import DATA

from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.newton_euler import bias_force
from meshsim.algorithms.robots.closure import assemble, loops
from meshsim.algorithms.robots.linkages import four_bar, three_rrr
from meshsim.algorithms.schemes.loops.svd_recipe import Recipe, TreeTerms, follow, singular_values
from meshsim.errors import MeshSimError
from meshsim.experiments.exhibits.base.loops import angles, benchmark


@pytest.mark.parametrize("make", [four_bar, three_rrr])
def test_inertia_and_bias_force(make):
    mechanism = make()
    terms = TreeTerms(mechanism)
    for seed in range(2):
        q, qd = np.random.default_rng(seed).normal(size=(2, mechanism.n))
        M, h = terms(q, qd)
        assert np.abs(M - inertia_matrix(mechanism, q)).max() < 1e-12  # rounding: entries are of order 10
        assert np.abs(h - bias_force(mechanism, q, qd)).max() < 1e-11


def test_columns_are_any_that_span_the_space():
    """Their singular values are all 1, so a move by rounding turns S, and not what it spans."""
    mechanism = three_rrr()
    q = assemble(mechanism)
    assert singular_values(mechanism, q) == pytest.approx([1.0] * 3 + [0.0] * 6, abs=1e-12)
    recipe = Recipe(mechanism, q, 10.0)
    A, near = (loops(mechanism, at, np.zeros(9)).A for at in (q, q + 1e-9))
    S, other = recipe.basis(A), recipe.basis(near)
    assert np.abs(A @ S).max() < 1e-12
    assert np.abs(S @ S.T - other @ other.T).max() < 1e-7


def test_elimination_keeps_its_columns():
    mechanism = three_rrr()
    q = assemble(mechanism)
    recipe = Recipe(mechanism, q, 10.0, "gauss")
    A, near = (loops(mechanism, at, np.zeros(9)).A for at in (q, q + 1e-9))
    assert np.abs(A @ recipe.basis(A)).max() < 1e-12
    assert np.abs(recipe.basis(A) - recipe.basis(near)).max() < 1e-6


def test_a_run_is_given_up():
    mechanism = four_bar()
    q = assemble(mechanism)
    trail = follow(Recipe(mechanism, q, 10.0), q, lambda _t: [6.0], 10.0, rtol=1e-6, atol=1e-6, limit=60)
    assert not trail.complete
    assert 60 <= trail.evaluations < 120
    assert trail.t[-1] < 10.0
    assert len(trail.t) == len(trail.q) == len(trail.turned)


def test_other_complements_are_refused():
    mechanism = four_bar()
    with pytest.raises(MeshSimError, match=r"^complement must be svd or gauss, not 'qr'$"):
        Recipe(mechanism, assemble(mechanism), 10.0, "qr")


@pytest.mark.slow
def test_the_benchmark_of_the_four_bar():
    """Against a trajectory made with other tools, whose own error is 4e-10 rad; the crank has turned by 213 rad."""
    rows = np.array(json.loads((DATA / "fourbar.json").read_text())["rows"])
    run = benchmark()
    assert run.t[::200] == pytest.approx(rows[:, 0], abs=1e-12)
    assert np.abs(angles(run.q[::200]) - rows[:, 1:4]).max() < 1e-8
