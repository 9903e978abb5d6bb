"""The thesis's formulation on one processor."""

import pytest
from pinocchio_model import reference_dynamics

from algorithms.one_wong import ONE_WONG
from algorithms.reference import relative_error
from algorithms.robots import chain, excavator, puma600
from algorithms.state import default_state
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


def test_inertia_phase_of_two_joints_counted_by_hand():
    # A of two bodies; rho_21, its cross product and J, m times it; M_22 is constant; M_21 takes the last component
    # of J c and a dot; M_11 adds two dots to its constant; no c costs anything, being a column of A.
    robot = chain(2, 2)
    run = ONE_WONG.plan(robot, default_state(robot)).run(PRESETS["ideal"])
    mul = 2 * 4 + 8 + 6 + 9 + 3 + 3 + 6
    add = 11 + 3 + 6 + (2 + 1) + (2 + 2 + 1) + 1
    assert run.phases["inertia"] == 2 * mul + add
    assert run.processors == 1
    assert run.messages == 0


def test_a_singular_robot_is_refused():
    body = chain(1, 1).bodies[0]
    nothing = ((0.0, 0.0, 0.0),) * 3
    needle = type(chain(1, 1))("needle", (type(body)(**{**vars(body), "com": (0.0, 0.0, 0.1), "inertia": nothing}),))
    with pytest.raises(MeshSimError, match=r"^the matrix must be positive definite, and its leading minor of order 1"):
        ONE_WONG.plan(needle, default_state(needle)).run(PRESETS["ideal"])
