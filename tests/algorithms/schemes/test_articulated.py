"""Articulated bodies on one processor: Featherstone's, Brandl's and Saha's recursions, and the inertias beneath."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from tools.pinocchio_model import reference_dynamics
from tools.random_urdf import random_urdf

from meshsim.algorithms.kernels.actuator import Actuator, Drive
from meshsim.algorithms.kernels.articulated import add_body, project, resistance, shift_inertia
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.body import rotation_x
from meshsim.algorithms.robots.catalogue import chain, excavator, puma600
from meshsim.algorithms.robots.kinematics import skew
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state, driven_state
from meshsim.algorithms.robots.urdf import read_urdf
from meshsim.algorithms.schemes.base.joints import GeneralTurn, twist_turn
from meshsim.algorithms.schemes.one.one_featherstone import ONE_FEATHERSTONE
from meshsim.algorithms.schemes.one.one_saha import ONE_SAHA
from meshsim.algorithms.types.arrays import relative_error
from meshsim.algorithms.types.splitmix import SplitMix64
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS

VARIANTS = {
    "inside": (ONE_FEATHERSTONE, {"bias": "inside"}),
    "inverse": (ONE_FEATHERSTONE, {"bias": "inverse"}),
    "saha": (ONE_SAHA, {}),
}
SIZES = (1, 2, 3, 5, 8, 16, 33)


def random_state(robot, seed):
    random = SplitMix64(seed)
    return State(*(tuple(random.uniform(-2, 2) for _ in robot.bodies) for _ in range(3)))


def run(variant, robot, state):
    scheme, options = VARIANTS[variant]
    return scheme.plan(robot, state, **options).run(PRESETS["ideal"], trace=False)


def check_numbers(variant, robot, state):
    """Rounding grows with the condition number of M, here up to 1e4."""
    value = run(variant, robot, state).value
    assert value.M is None
    assert (value.h is None) == (variant == "inside")
    M, h, qdd = reference_dynamics(robot, state)
    tolerance = 1e-10 * max(1.0, 1e-3 * np.linalg.cond(M))
    assert relative_error(value.qdd, qdd) < tolerance
    errors = value.errors(forward_dynamics(robot, state))
    assert errors["qdd"] < tolerance
    if value.h is not None:
        assert relative_error(value.h, h) < 1e-10
        assert errors["h"] < 1e-10


# Numbers


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("robot", [puma600(), excavator(), *(chain(n, n) for n in SIZES)], ids=lambda robot: robot.name)
def test_numbers_agree_with_pinocchio(variant, robot):
    check_numbers(variant, robot, default_state(robot))
    check_numbers(variant, robot, random_state(robot, robot.n))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("n", [1, 2, 3, 6, 12])
def test_urdf_robots(variant, n, tmp_path):
    path = tmp_path / "robot.urdf"
    for seed in (n, 17 + n):
        path.write_text(random_urdf(n, seed))
        robot = read_urdf(path)
        check_numbers(variant, robot, random_state(robot, seed))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("n", [1, 3])
def test_gravity_may_point_anywhere(variant, n):
    robot = Mechanism("tilted", chain(n, n).bodies, gravity=(3.0, -5.0, -7.0))
    check_numbers(variant, robot, random_state(robot, n))


@pytest.mark.parametrize("variant", VARIANTS)
def test_torques_may_come_from_actuators(variant):
    robot = excavator()
    actuator = Actuator(2500.0, 100.0, 500.0, 80.0, 10.0, 40.0, 3.0)
    drives = [Drive(actuator, spool=0.025, p_in=300.0 * i, p_out=700.0) for i in range(1, 5)]
    check_numbers(variant, robot, driven_state((0.1, 0.2, 0.3, 0.4), (0.2, -0.3, 0.4, 0.5), drives))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_singular_robot_is_refused(variant, n):
    *others, last = chain(n, n).bodies
    nothing = ((0.0, 0.0, 0.0),) * 3
    needle = type(last)(**{**vars(last), "com": (0.0, 0.0, 0.1), "inertia": nothing})
    robot = Mechanism("needle", (*others, needle))
    with pytest.raises(MeshSimError, match=rf"^the articulated inertia about joint {n} must be positive, not 0.0$"):
        run(variant, robot, default_state(robot))


# Counts: {phase: (mul, add, div)}

INERTIA = (94, 114, 1), (-156, -202, -2)
SWEEPS = (55, 40, 0), (-87, -68, 1)
COUNTS = {
    "inside": {
        "inertia": INERTIA,
        "drift": ((46, 26, 0), (-43, -26, 0)),
        "force": ((55, 54, 0), (-86, -82, 0)),
        "solve": ((28, 25, 0), (-44, -39, 1)),
    },
    "inverse": {"inertia": INERTIA, "shift": ((0, 1, 0), (0, 0, 0)), "solve": SWEEPS},
    "saha": {
        "force": ((105, 86, 0), (-126, -110, 0)),
        "inertia": ((94, 114, 1), (-164, -206, -2)),  # the axis of joint 1 is known from h
        "shift": ((0, 1, 0), (0, 0, 0)),
        "solve": SWEEPS,
    },
}
"""Factor of n and constant, in twist form, for n >= 2."""


def counted(variant, n):
    by_phase = run(variant, chain(n, n), default_state(chain(n, n))).operations_by_phase
    counts = {phase: tuple(done[operation] for operation in ("mul", "add", "div")) for phase, done in by_phase.items()}
    return {phase: count for phase, count in counts.items() if any(count)}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 12])
def test_counts_of_every_phase(variant, n):
    counts = counted(variant, n)
    if variant == "inverse":
        del counts["force"]  # Luh, Walker and Paul's own
    expected = {
        phase: tuple(factor * n + constant for factor, constant in zip(*polynomial, strict=True))
        for phase, polynomial in COUNTS[variant].items()
    }
    assert counts == {phase: count for phase, count in expected.items() if any(count)}


def test_counts_of_a_single_body():
    assert counted("inside", 1) == {"drift": (6, 3, 0), "force": (0, 1, 0), "solve": (0, 0, 1)}
    assert counted("saha", 1) == {"force": (6, 3, 0), "shift": (0, 1, 0), "solve": (0, 0, 1)}
    assert {**counted("inverse", 1), "force": ()} == {"force": (), "shift": (0, 1, 0), "solve": (0, 0, 1)}


def test_phases_in_order():
    for variant, steps in {"inside": ["inertia", "drift", "actuator", "force"], "saha": ["force", "inertia"]}.items():
        phases = list(run(variant, chain(3, 3), default_state(chain(3, 3))).phases)
        assert phases[: len(steps)] == steps
        assert phases[-3:] == ["shift", "solve", "distribute"]


# Inertias against dense six by six matrices; motions are (angular, linear)

DESK = SimpleNamespace(do=lambda kernel, *arguments: kernel(*arguments))
"""A processor that only computes."""


def six(J, H, M):
    return np.block([[square(J), np.array(H)], [np.array(H).T, square(M)]])


def square(S):
    xx, yy, zz, xy, xz, yz = S
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def entries(S):
    return tuple(float(S[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


def rows(matrix):
    return tuple(tuple(float(entry) for entry in row) for row in matrix)


def parts(inertia):
    return entries(inertia[:3, :3]), rows(inertia[:3, 3:]), entries(inertia[3:, 3:])


def motion_transform(A, r):
    """Takes motions at the parent's hinge to the body's, which is at r from it."""
    return np.block([[A, np.zeros((3, 3))], [-A @ skew(r), A]])


def random_inertia(random):
    B = random.uniform(-1, 1, (6, 6))
    return B @ B.T + 0.1 * np.eye(6)


def random_turn(random, form):
    angle, twist = random.uniform(-3, 3, 2)
    if form == "twist":
        E = np.array(rotation_x(twist)).T
        turn = twist_turn(math.sin(angle), math.cos(angle), rows(E))
    else:
        E, _ = np.linalg.qr(random.uniform(-1, 1, (3, 3)))
        E *= np.linalg.det(E)
        turn = GeneralTurn(math.sin(angle), math.cos(angle), rows(E))
    return turn, np.array([[turn.cosine, turn.sine, 0], [-turn.sine, turn.cosine, 0], [0, 0, 1]]) @ E


@pytest.mark.parametrize("form", ["twist", "general"])
@pytest.mark.parametrize("seed", range(10))
def test_an_articulated_inertia_is_its_dense_counterpart(form, seed):
    random = np.random.default_rng(seed)
    inertia = random_inertia(random)
    r = random.uniform(-1, 1, 3)
    turn, A = random_turn(random, form)
    free, gain = project(*parts(inertia))
    U, D = inertia[:, 2], inertia[2, 2]
    dense = inertia - np.outer(U, U) / D
    (xx, yy, xy), H, M = free
    assert relative_error(six((xx, yy, 0, xy, 0, 0), (*H, (0, 0, 0)), M), dense) < 1e-13
    assert gain == (pytest.approx([*(U[:2] / D), 1 / D], rel=1e-13), pytest.approx(U[3:] / D, rel=1e-13))

    X = motion_transform(A, r)
    carried = shift_inertia(tuple(r), *turn.inertia(DESK, free))
    assert relative_error(six(*carried), X.T @ dense @ X) < 1e-13
    m, first, second = 1.7, random.uniform(-1, 1, 3), random_inertia(random)[:3, :3]
    own = np.block([[second, skew(first)], [skew(first).T, m * np.eye(3)]])
    with_body = add_body(*carried, (m, tuple(first), entries(second)))
    assert relative_error(six(*with_body), X.T @ dense @ X + own) < 1e-13

    unit = X[:, 2]
    about_axis, force = resistance(*free, (tuple(unit[:3]), tuple(unit[3:])))
    assert about_axis == pytest.approx(unit @ dense @ unit, rel=1e-12)
    assert relative_error(force, (dense @ unit)[3:]) < 1e-13


@pytest.mark.parametrize("form", ["twist", "general"])
def test_turns_of_vectors(form):
    random = np.random.default_rng(4)
    turn, A = random_turn(random, form)
    v = random.uniform(-1, 1, 3)
    assert turn.outwards(DESK, tuple(v)) == pytest.approx(A @ v, abs=1e-15)
    assert turn.inwards(DESK, tuple(v)) == pytest.approx(A.T @ v, abs=1e-15)


def test_the_general_rotation_gives_the_twist_too():
    turn, _ = random_turn(np.random.default_rng(3), "twist")
    s, c = turn.twist
    general = GeneralTurn(turn.sine, turn.cosine, ((1.0, 0.0, 0.0), (0.0, c, s), (0.0, -s, c)))
    free, _ = project(*parts(random_inertia(np.random.default_rng(5))))
    assert relative_error(six(*general.inertia(DESK, free)), six(*turn.inertia(DESK, free))) < 1e-14


def test_a_twist_is_about_x():
    full = ((0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    with pytest.raises(MeshSimError, match=r"^twist_products needs a rotation about x, not \(\(0.0, 1.0, 0.0\), "):
        twist_turn(0.0, 1.0, full)
