"""Composite bodies and accumulated inertias on one processor: Walker and Orin, Bae, Lilly and Orin."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tools.pinocchio_model import reference_dynamics
from tools.random_urdf import random_urdf

from meshsim.algorithms.kernels.composite import (
    angle_products,
    inertia_times,
    quadratic_form,
    rotate_back,
    rotate_back_twist,
    rotate_symmetric,
    torque_inboard,
    torque_inboard_twist,
    transfer_terms,
    turn_about_x,
    turn_about_z,
)
from meshsim.algorithms.kernels.core import form_rotation_twist
from meshsim.algorithms.kernels.inertial import spatial_product
from meshsim.algorithms.kernels.matrices import symmetric_of
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.body import rotation_x
from meshsim.algorithms.robots.catalogue import chain, excavator, puma600
from meshsim.algorithms.robots.kinematics import skew
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.urdf import read_urdf
from meshsim.algorithms.schemes.one.one_bae import ONE_BAE
from meshsim.algorithms.schemes.one.one_walker_orin import ONE_WALKER_ORIN
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS

VARIANTS = {
    "walker-orin": (ONE_WALKER_ORIN, {}),
    "bae": (ONE_BAE, {"frame": "inertial"}),
    "lilly-orin": (ONE_BAE, {"frame": "body"}),
}


def run_of(variant, robot, state=None):
    scheme, options = VARIANTS[variant]
    return scheme.plan(robot, state or default_state(robot), **options).run(PRESETS["ideal"], trace=False)


def check(variant, robot, state):
    """Against our reference and Pinocchio; the error of qdd grows with the condition of M."""
    value = run_of(variant, robot, state).value
    reference = forward_dynamics(robot, state)
    for M, h, qdd in [(reference.M, reference.h, reference.qdd), reference_dynamics(robot, state)]:
        assert relative_error(value.M, M) < 1e-10
        assert relative_error(value.h, h) < 1e-10
        assert relative_error(value.qdd, qdd) < 1e-10 * max(1.0, 1e-3 * np.linalg.cond(M))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 17, 33])
def test_chains_agree_with_the_reference_and_pinocchio(variant, n):
    robot = chain(n, 100 + n)
    check(variant, robot, default_state(robot))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("robot", [puma600(), excavator()], ids=lambda robot: robot.name)
def test_thesis_robots_agree(variant, robot):
    check(variant, robot, default_state(robot))
    moving = State(
        (0.3, -0.7, 1.1, 0.2, -0.4, 0.9)[: robot.n], (0.5, -1.5, 2.0, 1.0, -0.3, 4.0)[: robot.n], (1.0,) * robot.n
    )
    check(variant, robot, moving)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 9])
def test_urdf_robots_agree(variant, n, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(random_urdf(n, 50 + n))
    robot = read_urdf(path)
    check(variant, robot, default_state(robot))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_gravity_aslant_agrees(variant, n):
    upright = chain(n, n)
    robot = replace(upright, gravity=(1.5, -4.0, 3.0))
    check(variant, robot, default_state(robot))


# Counts, for chains in twist form


def counted(run, phase):
    operations = run.operations_by_phase[phase]
    assert sum(operations.values()) - operations["sincos"] == operations["mul"] + operations["add"]  # no div, no sqrt
    return operations["mul"], operations["add"]


INERTIA = {
    "walker-orin": lambda n: (11 * n**2 + 21 * n - 56, 7 * n**2 + 33 * n - 70),
    "bae": lambda n: (3 * n**2 + 114 * n - 108, (5 * n**2 + 195 * n) // 2 - 104),
    "lilly-orin": lambda n: (11 * n**2 + 12 * n - 39, 7 * n**2 + 29 * n - 65),
}

FORCE = {
    "walker-orin": lambda n: (117 * n - 152, 92 * n - 128),
    "bae": lambda n: (72 * n - 58, 71 * n - 76),
    "lilly-orin": lambda n: (117 * n - 152, 92 * n - 128),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 12])
def test_counts(variant, n):
    run = run_of(variant, chain(n, n))
    assert counted(run, "rotations") == (4 * n, 0)
    assert counted(run, "inertia") == INERTIA[variant](n)
    assert counted(run, "force") == FORCE[variant](n)
    assert run.operations_by_phase["shift"]["add"] == n
    solver = run.operations_by_phase["solve"]
    walker = (n**3 + 9 * n**2 - 4 * n) // 6, (n**3 + 6 * n**2 - 7 * n) // 6  # Table 3.1, divisions as multiplies
    assert (solver["mul"] + solver["div"], solver["add"]) == walker


@pytest.mark.parametrize("variant", VARIANTS)
def test_two_joints_counted_by_hand(variant):
    # Of the last body all is constant. A moment of inertia about a slanted axis takes 9 and 7, the torque of the last
    # body's wrench about axis 1 takes 10 and 7.
    run = run_of(variant, chain(2, 2))
    expected = {
        "walker-orin": (9 + 8 + 2 + 1 + 10, 7 + 4 + 3 + 1 + 1 + 1 + 7),  # reach turned, squared, times the mass
        "lilly-orin": (9 + 8 + 2 + 10, 7 + 4 + 1 + 1 + 1 + 7),  # first moment turned, times 2 span
        # reach, R, J, offset, centre, B, first and second moment; M_11; K B, and two products for row 2
        "bae": (9 + 24 + 33 + 9 + 6 + 3 + 6 + 9 + 24 + 3 + 6, 6 + 15 + 26 + 6 + 3 + 3 + 9 + 7 + 1 + 18 + 2 + 5),
    }
    assert counted(run, "inertia") == expected[variant]


def test_luh_walker_paul_of_two_joints_counted_by_hand():
    # w, w', lift, hinge 2's acceleration; then F and N of body 2; its torque about axis 1, and that of body 1's weight
    mul = 3 + 2 + 3 + (3 + 8) + (18 + 3) + (9 + 9 + 6 + 6) + 10 + 2
    add = 1 + 0 + 0 + (2 + 5) + (9 + 6) + (6 + 6 + 3 + 3 + 3 + 3) + 7 + 1 + 1
    assert counted(run_of("walker-orin", chain(2, 2)), "force") == (mul, add)


# Kernels

RANDOM = np.random.default_rng(5)
V, F, N = (tuple(RANDOM.normal(size=3)) for _ in range(3))
S = tuple(RANDOM.normal(size=6))
TWIST, ANGLE = 0.7, -1.1
A = form_rotation_twist(math.sin(ANGLE), math.cos(ANGLE), tuple(zip(*rotation_x(TWIST), strict=True)))
FULL = ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0))


def dense(S):
    xx, yy, zz, xy, xz, yz = S
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_rotations_back_are_transposes():
    assert rotate_back(A, V) == pytest.approx(np.array(A).T @ V, abs=1e-14)
    assert rotate_back_twist(A, V) == pytest.approx(np.array(A).T @ V, abs=1e-14)
    torque = (np.array(A).T @ N + np.cross(V, np.array(A).T @ F))[2]
    assert torque_inboard(A, V, (F, N)) == pytest.approx(torque, abs=1e-14)
    assert torque_inboard_twist(A, V, (F, N)) == pytest.approx(torque, abs=1e-14)


def test_symmetric_matrices_turn_the_same_way_in_one_step_and_in_two():
    expected = np.array(A).T @ dense(S) @ np.array(A)
    assert dense(rotate_symmetric(tuple(zip(*A, strict=True)), S)) == pytest.approx(expected, abs=1e-14)
    sine, cosine = math.sin(TWIST), math.cos(TWIST)
    turned = turn_about_x(sine, cosine, sine * sine, sine * cosine, turn_about_z(*angle_products(A), S))
    assert dense(turned) == pytest.approx(expected, abs=1e-14)
    assert symmetric_of(dense(S)) == S


def test_products_of_inertias():
    assert quadratic_form(S, V) == pytest.approx(V @ dense(S) @ np.array(V), abs=1e-14)
    terms = -skew(np.array(V)) @ skew(np.array(F)) - skew(np.array(F)) @ skew(np.array(V))
    assert dense(transfer_terms(V, tuple(2 * x for x in V), F)) == pytest.approx(terms, abs=1e-14)
    for lean, full in zip(inertia_times((1.3, V, S), (F, N)), spatial_product((1.3, V, S), (F, N)), strict=True):
        assert lean == pytest.approx(full, abs=1e-14)


@pytest.mark.parametrize(
    ("kernel", "rest"), [(rotate_back_twist, (V,)), (torque_inboard_twist, (V, (F, N))), (angle_products, ())]
)
def test_kernels_that_skip_zeros_refuse_others(kernel, rest):
    with pytest.raises(MeshSimError, match=rf"^{kernel.name} needs a matrix whose entry \(3, 1\) is zero, not 7.0$"):
        kernel(FULL, *rest)
