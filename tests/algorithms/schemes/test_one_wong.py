"""The thesis's formulation on one processor."""

import pytest
from tools.pinocchio_model import reference_dynamics

from meshsim.algorithms.robots.catalogue import chain, excavator, puma600
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.one.one_wong import FORCE_ITEMS, INERTIA_ITEMS, ONE_WONG
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS


@pytest.mark.parametrize("robot", [puma600(), excavator(), *(chain(n, n) for n in (1, 2, 3, 4, 7, 20, 48))])
def test_numbers_agree_with_pinocchio(robot):
    state = default_state(robot)
    run = ONE_WONG.plan(robot, state).run(PRESETS["t800"])
    M, h, qdd = reference_dynamics(robot, state)
    assert relative_error(run.value.M, M) < 1e-12
    assert relative_error(run.value.h, h) < 1e-12
    assert relative_error(run.value.qdd, qdd) < 1e-10


def operations_of(cpu, names):
    kernels = [(kernel, calls) for kernel, calls in cpu.calls.items() if kernel.name in names]
    return tuple(sum(calls * kernel.cost.get(op, 0) for kernel, calls in kernels) for op in ("mul", "add"))


@pytest.mark.parametrize("n", [2, 3, 6, 10])
def test_solver_counts(n):
    robot = chain(n, n)
    (cpu,) = ONE_WONG.plan(robot, default_state(robot)).run(PRESETS["ideal"]).cpus
    products = n * (n - 1) * (n + 1) // 6 + n * (n - 1)
    assert operations_of(cpu, {"subtract_product"}) == (products, products)
    calls = {kernel.name: count for kernel, count in cpu.calls.items()}
    assert calls["ratio"] == n * (n - 1) // 2 + n


def counted(run, items):
    """Multiplies and adds of all items together."""
    by_phase = run.operations_by_phase
    return tuple(sum(by_phase[item][operation] for item in items) for operation in ("mul", "add"))


def test_inertia_phase_of_two_joints_counted_by_hand():
    # A of two bodies; rho_21, its cross product and J, m times it; M_22 is constant; a product of six-vectors for M_11,
    # one whose last factor is zero for M_21; a sum; no c costs anything, being a column of A.
    robot = chain(2, 2)
    run = ONE_WONG.plan(robot, default_state(robot)).run(PRESETS["ideal"])
    mul = 2 * 4 + 8 + 6 + 9 + 3 + 6 + 5
    add = 11 + 3 + 6 + 5 + 4 + 1
    assert run.phases["inertia"] == 2 * mul + add
    assert run.processors == 1
    assert run.messages == 0


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 12])
def test_the_lists_of_the_thesis(n):
    robot = chain(n, n)
    run = ONE_WONG.plan(robot, default_state(robot)).run(PRESETS["ideal"], trace=False)
    table_3_1 = n**3 + (39 * n**2 - 49 * n) // 2 + 8, (5 * n**3 + 87 * n**2 - 122 * n) // 6 + 5
    assert counted(run, INERTIA_ITEMS) == table_3_1
    assert counted(run, ["inertia"]) == (0, n * (n**2 - 1) // 6)  # the sums over the bodies, which it leaves out
    assert counted(run, FORCE_ITEMS) == (3 * n**2 + 77 * n - 46, 3 * n**2 + 63 * n - 44)
    solver = run.operations_by_phase["solve"]
    walker = (n**3 + 9 * n**2 - 4 * n) // 6, (n**3 + 6 * n**2 - 7 * n) // 6  # eq. 3.39, divisions as multiplies
    assert (solver["mul"] + solver["div"], solver["add"]) == walker


def test_a_singular_robot_is_refused():
    body = chain(1, 1).bodies[0]
    nothing = ((0.0, 0.0, 0.0),) * 3
    needle = type(chain(1, 1))("needle", (type(body)(**{**vars(body), "com": (0.0, 0.0, 0.1), "inertia": nothing}),))
    with pytest.raises(MeshSimError, match=r"^the matrix must be positive definite, and its leading minor of order 1"):
        ONE_WONG.plan(needle, default_state(needle)).run(PRESETS["ideal"])
