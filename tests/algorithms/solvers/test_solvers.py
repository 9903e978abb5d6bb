"""The parallel solvers: their numbers, cycles and processors, what they refuse, and what bad conditioning does."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from meshsim.algorithms.kernels.core import rotate_pair, rotation_of
from meshsim.algorithms.solvers.base import SingularError
from meshsim.algorithms.solvers.catalogue import SOLVERS, load_system, random_system, symmetric_system
from meshsim.algorithms.solvers.faddeev import FADDEEV
from meshsim.algorithms.solvers.feedforward_lu import FEEDFORWARD_LU
from meshsim.algorithms.solvers.feedforward_qr import FEEDFORWARD_QR
from meshsim.algorithms.solvers.liu_young import LIU_YOUNG
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main
from meshsim.machine import LinkCosts, Machine
from meshsim.presets import PRESETS
from meshsim.topologies.ports import link_count

EPS = np.finfo(float).eps
IDEAL = PRESETS["ideal"]
CYCLES = Machine(
    "systolic cycles",
    1,
    dict.fromkeys(("mul", "add", "div", "sqrt", "sincos"), 0),
    LinkCosts("free"),
    # One a cell step, steps that only pass a number on included; divisions and roots not counted.
    kernels=dict.fromkeys(("axpy", "subtract_product", "rotate_pair", "pass_on"), 1),
)


def system_for(solver, n, seed):
    """A random system that a solver takes: as general as it may be."""
    if solver is LIU_YOUNG:
        return symmetric_system(n, seed)
    if solver is FEEDFORWARD_QR:
        rng = np.random.default_rng(seed)
        return rng.normal(size=(n, n)), rng.normal(size=n)
    return random_system(n, seed)


def unchecked(solver):
    """The solver without its `check`, to see what the cells do."""
    return replace(solver, check=lambda _: None)


def agrees(x, A, b, condition=None):
    """Whether x is A^-1 b to 1e-10 and to what conditioning allows, 10 n eps cond(A), in the sense of norms."""
    wanted = np.linalg.solve(A, b)
    allowed = min(1e-10, 10 * len(b) * EPS * (condition or np.linalg.cond(A)))
    return np.linalg.norm(x - wanted) <= allowed * np.linalg.norm(wanted)


# Numbers


def test_the_methods_by_name():
    assert list(SOLVERS) == ["feedforward-lu", "feedforward-qr", "liu-young", "faddeev"]
    assert all(solver.name == name for name, solver in SOLVERS.items())


@pytest.mark.parametrize("machine", ["ideal", "t800", "t800-overlap"])
@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
@pytest.mark.parametrize("sizes", [(1, 2, 3, 4, 5, 8, 17), pytest.param(range(1, 34), marks=pytest.mark.slow)])
def test_every_size_under_every_discipline(solver, machine, sizes):
    for n in sizes:
        A, b = system_for(solver, n, 700 + n)
        run = solver.plan(A, b).run(PRESETS[machine], trace=False)
        assert agrees(run.value, A, b), n
        assert run.phases["first_unknown"] <= run.phases["last_unknown"] <= run.ticks
        assert len(run.value) == n


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8, 16, 21])
def test_qr_takes_zero_leading_minors(n):
    rng = np.random.default_rng(n)
    A, b = rng.normal(size=(n, n)), rng.normal(size=n)
    A[: n // 2, : n // 2] = 0.0
    assert agrees(FEEDFORWARD_QR.plan(A, b).run(IDEAL).value, A, b)
    exchange = np.eye(n)[::-1]
    assert FEEDFORWARD_QR.plan(exchange, b).run(IDEAL).value == pytest.approx(b[::-1], rel=1e-14)
    with pytest.raises(SingularError, match=r"^the leading minor of order 1 must not be zero"):
        FEEDFORWARD_LU.plan(A, b)


@pytest.mark.parametrize("seed", range(8))
def test_qr_does_not_mind_the_scale_of_equations_or_of_b(seed):
    """The error is that of the well-scaled system: its condition, not that of what is fed, about 1e16 and more."""
    n = 9
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(n, n)), rng.normal(size=n)
    scale = 10.0 ** rng.uniform(-10, 10, size=n)
    for size in (1e-120, 1.0, 1e120):
        x = FEEDFORWARD_QR.plan(scale[:, None] * A, size * scale * b).run(IDEAL, trace=False).value
        assert agrees(x / size, A, b)


@pytest.mark.parametrize("seed", range(8))
def test_qr_with_unknowns_of_unlike_size(seed):
    n = 9
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-2, 2, size=n), rng.normal(size=n)
    assert agrees(FEEDFORWARD_QR.plan(A, b).run(IDEAL, trace=False).value, A, b)


def test_liu_young_reads_the_lower_triangle_only():
    A, b = symmetric_system(6, 3)
    garbled = np.tril(A) + np.triu(np.full((6, 6), np.nan), 1)
    x = unchecked(LIU_YOUNG).plan(garbled.T, b).run(IDEAL).value  # edges take columns: row i is fed as column i
    assert agrees(x, A, b)


@pytest.mark.parametrize(
    ("x", "y"), [(3.0, 4.0), (-4.0, 3.0), (0.0, 2.0), (1e300, -1e300), (1e-300, 1e-301), (5.0, 0.0)]
)
def test_a_plane_rotation_turns_to_the_first_axis(x, y):
    c, s = rotation_of(x, y)
    assert c * c + s * s == pytest.approx(1.0, abs=2 * EPS)
    r, zero = rotate_pair(c, s, x, y)
    assert abs(zero) <= 2 * EPS * abs(r)
    assert rotation_of(0.0, 0.0) == (1.0, 0.0)


# Cycles, processors, links

ALL = (1, 2, 3, 4, 7, 16)


def cycles(solver, n):
    run = solver.plan(*system_for(solver, n, n)).run(CYCLES)
    return run.phases["first_unknown"], run.phases["last_unknown"], run


@pytest.mark.parametrize("n", ALL)
def test_qr_takes_one_cycle_more_than_lu(n):
    first, last, run = cycles(FEEDFORWARD_QR, n)
    assert (first, last) == (3 * n + 1, 4 * n)
    assert run.ticks == last
    assert run.processors == n * (n + 1) // 2 + n


@pytest.mark.parametrize("n", ALL)
def test_liu_young_factorises_in_3n_minus_2_cycles_and_substitutes_in_fewer_than_published(n):
    first, last, run = cycles(LIU_YOUNG, n)
    factorisation = max(run.finish[k, k] for k in range(1, n + 1))
    assert factorisation == 3 * n - 2  # as published
    assert first == 4 * n - 2
    assert last == run.ticks == (5 * n - 4 if n > 1 else 2)
    loading, computing, unloading = n - 1, 2 * n - 1, n - 1  # as we read it
    assert factorisation + loading + computing + unloading == 7 * n - 5  # published; here two of these are hidden
    assert last == factorisation + (computing - 1 if n > 1 else 1)
    assert run.processors == n * (n + 1) // 2 + n


@pytest.mark.parametrize("n", ALL)
def test_faddeev_makes_its_first_unknown_after_the_published_3n_cycles(n):
    first, last, run = cycles(FADDEEV, n)
    assert first == 3 * n
    assert last == run.ticks == 5 * n - 2
    made = [steps(run, (n + j, n + 1))[n - j] for j in range(1, n + 1)]  # what follows is collection
    assert made == [3 * n - 1 + j for j in range(1, n + 1)]
    assert run.processors == n * (n + 2)
    upper = [node for node in run.finish if node[0] <= n]
    assert max(len(steps(run, node)) for node in upper) == n  # half of feedforward LU's 2n


def steps(run, node):
    """When a cell ended each of its steps."""
    cpu = next(cpu for cpu in run.cpus if cpu.node == node)
    return [end for start, end, _ in cpu.core.spans if end > start and not isinstance(_, tuple)]


@pytest.mark.parametrize("n", [2, 3, 8])
def test_cycles_between_systems_that_follow_one_another(n):
    def interval(solver):
        A, b = system_for(solver, n, n)
        run = solver.plan(A, b).repeated(6).run(CYCLES, trace=False)
        assert agrees(run.value, A, b)
        return run.phases["evaluation 6"] - run.phases["evaluation 5"]

    assert [interval(solver) for solver in SOLVERS.values()] == [2 * n, 2 * n + 1, 4 * n - 4, 3 * n - 2]


@pytest.mark.parametrize("n", [2, 3, 4, 9, 20])
def test_times_on_ideal(n):
    """A cycle of a multiply and an add takes 3 ticks, a rotation 10, a division or a root 2."""

    def last(solver):
        return solver.plan(*system_for(solver, n, n)).run(IDEAL).phases["last_unknown"]

    assert last(FEEDFORWARD_LU) == 16 * n - 8
    assert last(FEEDFORWARD_QR) == 64 * n - 21
    assert last(LIU_YOUNG) == 15 * n - 17
    assert last(FADDEEV) == 12 * n - 11


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_no_cell_has_more_than_four_links_and_edges_are_n_plus_one(solver):
    for n in (1, 2, 5, 8):
        array = solver.array(n)
        assert max(link_count(array.topology, node) for node in array.topology) <= 4
        assert len(set(array.edges)) == n + 1
        assert set(array.cells) == set(array.topology)


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_every_cell_marks_the_end_of_its_solve(solver):
    array = solver.array(5)
    run = solver.plan(*system_for(solver, 5, 1)).run(IDEAL)
    for cpu in run.cpus:
        marks = ["first_unknown", "last_unknown"] if cpu.node == array.output else ["solve"]
        assert list(cpu.phases) == marks, cpu.node


@pytest.mark.parametrize("n", [1, 2, 6, 11])
def test_operations_in_all(n):
    """Nothing is done twice: the least that each method needs, and for the feedforward ones their full streams."""
    counts = {
        name: dict(solver.plan(*system_for(solver, n, n)).run(IDEAL).operations) for name, solver in SOLVERS.items()
    }
    pairs = n * (n + 1) // 2
    updates = sum(k * (k - 1) // 2 for k in range(1, n + 1))
    # L D L^T updates the lower triangle, then L^-1 b and back: n(n-1)/2 each; a division for each l and each y.
    assert counts["liu-young"]["mul"] == updates + 2 * sum(range(n))
    assert counts["liu-young"]["div"] == pairs
    # A and b: for each pivot a square below and to the right, b included; -I: as much again as for its triangle.
    assert counts["faddeev"]["mul"] == sum((n - k) * (n - k + 1) for k in range(1, n + 1)) + n * (n * n - 1) // 6
    assert counts["faddeev"]["div"] == pairs
    turned = sum((n + 1 - k) * (2 * n + 2 - k) for k in range(1, n + 1))
    assert counts["feedforward-qr"]["mul"] == 4 * turned + 2 * pairs
    assert counts["feedforward-qr"]["sqrt"] == pairs
    assert all(each["sqrt"] == 0 for name, each in counts.items() if name != "feedforward-qr")


# Conditioning


def exact_solution(A, b):
    """A^-1 b in fractions, with row exchanges."""
    rows = [[Fraction(value) for value in (*row, right)] for row, right in zip(A.tolist(), b.tolist(), strict=True)]
    n = len(rows)
    for k in range(n):
        best = max(range(k, n), key=lambda r: abs(rows[r][k]))
        rows[k], rows[best] = rows[best], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for r in range(n):
            if r != k:
                rows[r] = [value - rows[r][k] * pivot for value, pivot in zip(rows[r], rows[k], strict=True)]
    return np.array([float(row[n]) for row in rows])


def conditioned_system(n, condition, seed):
    """A symmetric positive definite A with singular values from 1 down to 1/condition, equally spaced in logarithm."""
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.normal(size=(n, n)))
    A = Q @ np.diag(condition ** -np.linspace(0.0, 1.0, n)) @ Q.T
    return (A + A.T) / 2.0, rng.normal(size=n)


@pytest.mark.parametrize("exponent", [2, 6, 10, 14])
@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_error_grows_no_faster_than_the_condition_number(solver, exponent):
    """Positive definite systems need no row exchanges: all methods stay below n eps cond."""
    n = 7
    for seed in range(6):
        A, b = conditioned_system(n, 10.0**exponent, seed)
        wanted = exact_solution(A, b)
        x = solver.plan(A, b).run(IDEAL, trace=False).value
        assert np.linalg.norm(x - wanted) <= n * EPS * 10.0**exponent * np.linalg.norm(wanted)


# Refusals

SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
CROOKED = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.125, 2.0]]
INDEFINITE = [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
BALANCED = [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("solver", "A", "message"),
    [
        (FEEDFORWARD_QR, SINGULAR, "A must be invertible for feedforward-qr, not singular (to rounding)"),
        (
            FEEDFORWARD_QR,
            [[0.0, 0.0], [1.0, 2.0]],
            "A must be invertible for feedforward-qr, not singular (to rounding)",
        ),
        (LIU_YOUNG, CROOKED, "A must be symmetric for liu-young, not have 0.25 at (2, 3) and 0.125 at (3, 2)"),
        (
            LIU_YOUNG,
            INDEFINITE,
            "the leading minor of order 2 must be positive (to rounding): liu-young needs a positive definite A",
        ),
        (
            LIU_YOUNG,
            SINGULAR,
            "the leading minor of order 2 must be positive (to rounding): liu-young needs a positive definite A",
        ),
        (
            LIU_YOUNG,
            [[0.0]],
            "the leading minor of order 1 must be positive (to rounding): liu-young needs a positive definite A",
        ),
        (
            FADDEEV,
            BALANCED,
            "the leading minor of order 1 must not be zero (to rounding): faddeev exchanges no rows",
        ),
        (
            FEEDFORWARD_LU,
            SINGULAR,
            "the leading minor of order 2 must not be zero (to rounding): feedforward-lu exchanges no rows",
        ),
    ],
)
def test_refusals(solver, A, message):
    with pytest.raises(SingularError, match=f"^{re.escape(message)}$"):
        solver.plan(np.array(A), np.ones(len(A)))


@pytest.mark.parametrize(
    ("solver", "A", "message"),
    [
        (FEEDFORWARD_QR, [[0.0]], "A must be invertible for feedforward-qr, not singular"),
        (LIU_YOUNG, SINGULAR, "the leading minor of order 2 must be positive: liu-young needs a positive definite A"),
        (FADDEEV, BALANCED, "the leading minor of order 1 must not be zero: faddeev exchanges no rows"),
        (FADDEEV, SINGULAR, "the leading minor of order 2 must not be zero: faddeev exchanges no rows"),
    ],
)
def test_cells_refuse_what_they_cannot_divide_by(solver, A, message):
    with pytest.raises(SingularError, match=f"^{re.escape(message)}$"):
        unchecked(solver).plan(np.array(A), np.ones(len(A))).run(IDEAL)


@pytest.mark.parametrize(
    ("solver", "refused", "taken"),
    [
        (FEEDFORWARD_LU, 12, 13),  # 6 eps of what was added up to the pivot: 1 + d and 1
        (FADDEEV, 12, 13),
        (LIU_YOUNG, 6, 7),  # 6 eps of the entry: 1 + d
        (FEEDFORWARD_QR, 8, 100),  # singular values d/2 and 2: d = 24 eps, but these are rounded themselves
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_how_small_a_pivot_is_zero_to_rounding(solver, refused, taken):
    """Of 6 equations two differ by d in one entry; elimination leaves just d there, without rounding."""

    def system(epsilons):
        A = np.eye(6)
        A[1, 0] = A[0, 1] = 1.0
        A[1, 1] = 1.0 + epsilons * EPS
        return A, np.ones(6)

    with pytest.raises(SingularError, match=r"\(to rounding\)"):
        solver.plan(*system(refused))
    assert solver.plan(*system(taken)).run(IDEAL).value[2:] == pytest.approx(np.ones(4), rel=1e-15)


def test_scale_alone_is_no_reason_to_refuse():
    tiny = np.diag([1e20, 1.0, 1e-20])
    b = np.array([1.0, 2.0, 3.0])
    for solver in (FEEDFORWARD_QR, LIU_YOUNG):
        assert solver.plan(tiny, b).run(IDEAL).value == pytest.approx(b / tiny.diagonal(), rel=1e-14)
    rounded = np.array([[2.0, 1.0], [1.0 + 1e-13, 3.0]])  # symmetric to 1e-12 of its largest entry
    assert LIU_YOUNG.plan(rounded, np.ones(2)).run(IDEAL).value == pytest.approx([0.4, 0.2], rel=1e-12)


# On the command line


@pytest.mark.parametrize("method", SOLVERS)
def test_solve_with_every_method(method, capsys):
    assert main(["solve", method, "--system", "symmetric:5:2", "--machine", "t800"]) in (None, 0)
    assert "first unknown after " in capsys.readouterr().out


def test_symmetric_systems_are_drawn_like_the_others():
    A, b = load_system("symmetric:6:9")
    general, same = random_system(6, 9)
    assert np.array_equal(A, (general + general.T) / 2.0)
    assert np.array_equal(b, same)
    assert np.linalg.eigvalsh(A).min() > 0
    with pytest.raises(MeshSimError, match=r"^random system must be symmetric:N:SEED, not 'symmetric:6'$"):
        load_system("symmetric:6")
