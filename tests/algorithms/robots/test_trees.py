"""Trees with joints of all kinds equal Pinocchio, however their bodies are labelled."""

import math

import numpy as np
import pytest
from tools.pinocchio_model import native_dynamics, native_model, reference_dynamics
from tools.random_robot import random_parts, random_state, relabelled
from tools.schemes import CHAINS

from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.reference.energy import energy
from meshsim.algorithms.reference.newton_euler import bias_force, inverse_dynamics
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.compound import COMPOUND
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.tree import ORIGIN, Inertial, Joint, build
from meshsim.algorithms.schemes import takers as who_takes
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.takers import rescue, takers
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS


def check(result, M, h, qdd):
    assert relative_error(result.M, M) < 1e-10
    assert relative_error(result.h, h) < 1e-10
    assert relative_error(result.qdd, qdd) < solved(M)


def solved(M):
    """How far apart solutions with M may be: some hundred roundings, times its condition."""
    return max(1e-10, 1e-13 * np.linalg.cond(M))


SIZES = [*range(1, 9), 12, 17, 31, 48]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("seed", range(4))
def test_random_trees_in_any_order(n, seed):
    links, joints = random_parts(n, 1000 * n + seed)
    mechanism = relabelled(build("tree", links, joints, gravity=(1.0, 2.0, -9.0)), seed)
    assert mechanism.n == n
    state = random_state(n, seed)
    result = forward_dynamics(mechanism, state)
    check(result, *reference_dynamics(mechanism, state))
    native = native_dynamics(native_model(links, joints, gravity=(1.0, 2.0, -9.0)), mechanism, state)
    check(result, native.M, native.h, native.qdd)
    tau = inverse_dynamics(mechanism, state.q, state.qd, result.qdd)
    assert relative_error(tau, state.tau) < solved(result.M)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", *COMPOUND])
def test_every_kind_alone(kind):
    links = {"ground": None, "body": random_parts(1, 3)[0]["link1"], "tip": random_parts(1, 4)[0]["link1"]}
    joints = [Joint("joint", kind, "ground", "body"), Joint("tip", "revolute", "body", "tip")]
    mechanism = build(kind, links, joints)
    for seed in range(20):
        state = random_state(mechanism.n, seed)
        native = native_dynamics(native_model(links, joints), mechanism, state)
        check(forward_dynamics(mechanism, state), native.M, native.h, native.qdd)


@pytest.mark.parametrize("n", [3, 10, 30])
def test_energy(n):
    mechanism = build("tree", *random_parts(n, n))
    drawn = random_state(n, n)
    state = State(tuple(0.3 * np.array(drawn.q)), drawn.qd, drawn.tau)  # away from singular positions
    q, qd = np.array(state.q), np.array(state.qd)
    assert relative_error(energy(mechanism, q, qd)[0], qd @ inertia_matrix(mechanism, q) @ qd / 2) < 1e-12
    step = 1e-5
    slope = (energy(mechanism, q + step * qd, qd)[1] - energy(mechanism, q - step * qd, qd)[1]) / (2 * step)
    assert relative_error(slope, qd @ bias_force(mechanism, q, 0 * qd)) < 1e-6  # step**2 and rounding / step
    # What drives the robot is what its energy gains: the power of tau is the slope of the energy.
    result = forward_dynamics(mechanism, state)

    def after(t):
        return sum(energy(mechanism, q + t * qd + t * t / 2 * result.qdd, qd + t * result.qdd))

    step = 1e-6 / max(1.0, np.abs(result.qdd).max() ** 0.5)
    gain = (after(step) - after(-step)) / (2 * step)
    assert relative_error(gain, qd @ np.array(state.tau)) < 1e-3


def test_labels_are_depth_first_in_the_order_of_the_joints():
    heavy = Inertial(1.0, ORIGIN, np.eye(3))
    links = dict.fromkeys(["ground", "a", "a1", "a2", "b", "b1", "weld", "w1"], heavy)
    ends = [("a1", "a2"), ("weld", "w1"), ("ground", "b"), ("a", "weld"), ("b", "b1"), ("ground", "a"), ("a", "a1")]
    joints = [Joint("/".join(end), "fixed" if end[1] == "weld" else "revolute", *end) for end in ends]
    mechanism = build("tree", links, joints)
    assert mechanism.joints == ("ground/b", "b/b1", "ground/a", "weld/w1", "a/a1", "a1/a2")
    assert [body.parent for body in mechanism.bodies] == [-1, 0, -1, 2, 2, 4]


def test_a_floating_body_by_its_coordinates():
    links = {"ground": None, "body": Inertial(2.0, ORIGIN, np.diag([1.0, 2.0, 2.5]))}
    mechanism = build("free", links, [Joint("base", "floating", "ground", "body")])
    assert mechanism.joints == ("base.x", "base.y", "base.z", "base.rz", "base.ry", "base.rx")
    assert [body.kind for body in mechanism.bodies] == ["prismatic"] * 3 + ["revolute"] * 3
    assert [body.mass for body in mechanism.bodies] == [0.0] * 5 + [2.0]
    M = inertia_matrix(mechanism, np.zeros(6))
    assert np.array_equal(M, np.diag([2.0, 2.0, 2.0, 2.5, 2.0, 1.0]))
    assert np.array_equal(bias_force(mechanism, np.zeros(6), np.zeros(6)), [0, 0, 2 * 9.81, 0, 0, 0])


def test_a_singular_position_is_named():
    links = {"ground": None, "body": Inertial(2.0, ORIGIN, np.diag([1.0, 2.0, 2.5]))}
    mechanism = build("ball", links, [Joint("ball", "spherical", "ground", "body")])
    with pytest.raises(MeshSimError) as error:
        forward_dynamics(mechanism, State((0.3, math.pi / 2, 0.2), (0.0,) * 3, (0.0,) * 3))
    assert str(error.value) == (
        "inertia matrix of 'ball' must be invertible, not singular: "
        "in this state it has a motion of joints 'ball.rz' and 'ball.rx' that moves no mass"
    )


def test_the_axis_takes_the_part_of_z():
    links = {"ground": None, "body": Inertial(2.0, ORIGIN, np.diag([1.0, 2.0, 2.5]))}
    for axis, moment in zip(np.eye(3), (1.0, 2.0, 2.5), strict=True):
        joint = Joint("slide", "cylindrical", "ground", "body", axis=axis)
        mechanism = build("bar", links, [joint])
        assert mechanism.joints == ("slide.z", "slide.rz")
        assert np.allclose(inertia_matrix(mechanism, [1.0, 0.5]), np.diag([2.0, moment]), atol=1e-15)
        assert bias_force(mechanism, [0.0, 0.0], [0.0, 0.0])[0] == pytest.approx(2 * 9.81 * axis[2])


@pytest.mark.parametrize("name", [name for name, scheme in CHAINS.items() if "branching joints" not in scheme.takes])
def test_what_a_scheme_cannot_take_is_refused_in_a_sentence(name):
    mechanism = load_robot("torso")
    with pytest.raises(MeshSimError) as error:
        SCHEMES[name].plan(mechanism, default_state(mechanism))
    assert str(error.value) == f"{name} takes no branching joints, and joint 'upper_arm_1' of torso is one"
    able = [scheme.name for scheme in CHAINS.values() if scheme.takes.issuperset(mechanism.needs)]
    assert len(able) > 1
    assert rescue(mechanism) == f"{' or '.join(able)} could take it"


def test_what_no_scheme_takes_is_left_to_the_reference(monkeypatch):
    """None of ours, since one-wong takes all that a tree may have."""
    mechanism = load_robot("torso")
    able = takers(mechanism)
    left = {name: scheme for name, scheme in SCHEMES.items() if scheme not in able}
    monkeypatch.setattr(who_takes, "SCHEMES", left)
    assert rescue(mechanism) == "no scheme could, only the dense reference"


@pytest.mark.parametrize("name", [name for name in CHAINS if name != "cfa"])  # which inverts all inertias
def test_every_scheme_takes_massless_bodies_in_a_chain(name):
    ball = Inertial(2.0, random_parts(1, 3)[0]["link1"].pose, np.diag([1.0, 2.0, 2.5]))
    joints = [Joint("hip", "spherical", "ground", "thigh"), Joint("knee", "universal", "thigh", "shin")]
    mechanism = build("leg", {"ground": None, "thigh": ball, "shin": ball}, joints)
    state = random_state(mechanism.n, 1)
    value = SCHEMES[name].plan(mechanism, state).run(PRESETS["ideal"]).value
    assert max(value.errors(forward_dynamics(mechanism, state)).values()) < 1e-10
