"""URDF files mean here what they mean to Pinocchio."""

import math
import sys

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tools.pinocchio_model import model_dynamics, native_dynamics
from tools.random_robot import random_state
from tools.random_urdf import random_urdf
from tools.urdf_text import INERTIAL, PAIR, TURN, joint, link, read_text, robot

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.urdf import read_urdf
from meshsim.algorithms.types.arrays import relative_error
from meshsim.algorithms.types.splitmix import LONGEST, SplitMix64
from meshsim.errors import MeshSimError


def check_against_pinocchio(path, seed):
    mechanism = read_urdf(path)
    model = pin.buildModelFromUrdf(str(path))
    assert mechanism.joints == tuple(model.names)[1:]
    random = SplitMix64(seed)
    state = State(*(tuple(random.uniform(-2, 2) for _ in range(mechanism.n)) for _ in range(3)))
    result = forward_dynamics(mechanism, state)
    M, h, qdd = model_dynamics(model, state.q, state.qd, state.tau)
    assert relative_error(result.M, M) < 1e-10
    assert relative_error(result.h, h) < 1e-10
    assert relative_error(result.qdd, qdd) < max(1e-10, 1e-13 * np.linalg.cond(M))


@given(st.integers(1, 8), st.integers(0, 2**64 - 1))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_files_equal_pinocchio(tmp_path, n, seed):
    path = tmp_path / "random.urdf"
    path.write_text(random_urdf(n, seed))
    check_against_pinocchio(path, seed)


def test_a_long_chain_equals_pinocchio(tmp_path):
    path = tmp_path / "long.urdf"
    path.write_text(random_urdf(32, 1))
    check_against_pinocchio(path, 1)


def test_a_joint_about_z_is_left_as_it_stands(tmp_path):
    origin = '<origin xyz="1 2 3"/><axis xyz="0 0 2"/>'
    mechanism = read_text(tmp_path, robot(link("base", ""), link("arm"), joint("turn", "base", "arm", origin)))
    (body,) = mechanism.bodies
    assert mechanism.name == "test"
    assert (body.name, body.joint, body.kind, body.parent) == ("arm", "turn", "revolute", -1)
    assert body.rotation == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    assert body.position == (1.0, 2.0, 3.0)
    assert body.mass == 2.0
    assert body.com == (0.5, 0.0, 0.0)
    assert body.inertia == ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5))
    assert body.twist is None


def test_an_axis_almost_along_z_is_not_rounded_to_z(tmp_path):
    text = robot(link("base", ""), link("arm"), joint("turn", "base", "arm", '<axis xyz="1e-10 0 1"/>'))
    (body,) = read_text(tmp_path, text).bodies
    assert tuple(row[2] for row in body.rotation) == (1e-10, 0.0, 1.0)


def test_the_default_axis_is_x(tmp_path):
    text = robot(link("base", ""), link("arm"), joint("turn", "base", "arm", ""))
    (body,) = read_text(tmp_path, text).bodies
    assert tuple(row[2] for row in body.rotation) == (1.0, 0.0, 0.0)
    assert body.com[2] == 0.5
    assert body.inertia[2][2] == 1.0


def test_fixed_masses_are_combined(tmp_path):
    # Two masses of 2 kg, 2 m apart along x: each is 1 m from the common centre, adding 2 kg m^2 about y, z.
    text = robot(
        link("base", ""),
        link("arm"),
        joint("turn", "base", "arm"),
        link("tip"),
        joint("weld", "arm", "tip", '<origin xyz="2 0 0"/>', "fixed"),
    )
    (body,) = read_text(tmp_path, text).bodies
    assert body.mass == 4.0
    assert body.com == (1.5, 0.0, 0.0)
    assert body.inertia == ((2.0, 0.0, 0.0), (0.0, 8.0, 0.0), (0.0, 0.0, 9.0))


def test_a_moving_link_may_borrow_its_mass_from_a_fixed_one(tmp_path):
    text = robot(
        link("base"),
        link("arm", ""),
        joint("turn", "base", "arm"),
        link("tip"),
        joint("weld", "arm", "tip", "", "fixed"),
    )
    assert read_text(tmp_path, text).bodies[0].mass == 2.0


def test_branches_are_completed_in_the_order_of_the_joints(tmp_path):
    text = robot(
        *PAIR,
        *map(link, "abcd"),
        joint("bend d", "b", "d"),
        joint("fix b", "arm", "b", "", "fixed"),
        joint("fix a", "arm", "a", "", "fixed"),
        joint("bend c", "a", "c"),
        TURN,
    )
    mechanism = read_text(tmp_path, text)
    assert mechanism.joints == ("turn", "bend d", "bend c")
    assert [body.parent for body in mechanism.bodies] == [-1, 0, 0]


def test_a_joint_that_mimics_with_multiplier_0_stands_still(tmp_path):
    for kind, offset, com in (("revolute", math.pi / 2, (1.0, 0.5, 0.0)), ("prismatic", 3.0, (1.5, 0.0, 3.0))):
        tip = f'<origin xyz="1 0 0"/><axis xyz="0 0 1"/><mimic joint="turn" multiplier="0" offset="{offset!r}"/>'
        text = robot(link("base", ""), link("arm", ""), TURN, link("tip"), joint("copy", "arm", "tip", tip, kind))
        (body,) = read_text(tmp_path, text).bodies
        assert body.com == pytest.approx(com)


def test_what_follows_a_joint_that_stands_still_stands_still(tmp_path):
    # b = 1, a = 2 b + 1 = 3, c = 0.5 - a = -2.5: they stand where joints of the multiplier 0 would, in any order
    names = ("a", "b", "c")
    chained = ('joint="b" multiplier="2" offset="1"', 'joint="turn" multiplier="0" offset="1"')
    chained = (*chained, 'joint="a" multiplier="-1" offset="0.5"')
    alone = [f'joint="turn" multiplier="0" offset="{offset}"' for offset in (3, 1, -2.5)]

    def read(mimics):
        links, kinds = ("arm", *names), ("revolute", "prismatic", "revolute")
        axis = '<origin xyz="1 0 0"/><axis xyz="0 0.6 0.8"/>'
        insides = [f"{axis}<mimic {mimic}/>" for mimic in mimics]
        ends = zip(names, links[:-1], links[1:], insides, kinds, strict=True)
        return read_text(tmp_path, robot(*PAIR, TURN, *map(link, names), *(joint(*each) for each in ends)))

    assert read(chained).n == 1
    assert read(chained).bodies == read(alone).bodies
    with pytest.raises(MeshSimError, match="position of joint 'a' must be a finite number, not inf"):
        read((chained[0].replace("2", "1e200"), chained[1].replace('"1"', '"1e200"'), chained[2]))


def test_joints_in_a_circle_stand_still_if_one_of_them_does(tmp_path):
    tip = '<axis xyz="0 0 1"/><mimic joint="b" multiplier="0" offset="2"/>'
    end = '<axis xyz="0 0 1"/><mimic joint="a"/>'
    text = robot(*PAIR, TURN, link("tip"), link("end"), joint("a", "arm", "tip", tip), joint("b", "tip", "end", end))
    assert read_text(tmp_path, text).joints == ("turn",)


def test_a_planar_joint_moves_across_its_axis(tmp_path):
    # M g is felt along the plane's own axes only: not at all if the plane is level, and wholly if it stands.
    for axis, felt in (("", 2 * 9.81), ('<axis xyz="1 0 0"/>', 2 * 9.81), ('<axis xyz="0 0 1"/>', 0.0)):
        mechanism = read_text(tmp_path, robot(*PAIR, joint("slide", "base", "arm", axis, "planar")))
        h = forward_dynamics(mechanism, State((0.0,) * 3, (0.0,) * 3, (0.0,) * 3)).h
        assert math.hypot(h[0], h[1]) == pytest.approx(felt)


def test_a_fixed_joint_may_say_that_it_mimics(tmp_path):
    text = robot(*PAIR, TURN, link("tip"), joint("copy", "arm", "tip", '<mimic joint="turn"/>', "fixed"))
    assert read_text(tmp_path, text).n == 1


def test_every_type_of_joint(tmp_path):
    kinds = ("revolute", "continuous", "prismatic", "planar", "floating", "fixed")
    names = [f"l{i}" for i in range(len(kinds) + 1)]
    axis = '<origin xyz="0.1 0.2 0.3" rpy="1 2 3"/><axis xyz="0 0 1"/><limit effort="1" velocity="1"/>'
    joints = [joint(kind, *names[i : i + 2], axis, kind) for i, kind in enumerate(kinds)]
    path = tmp_path / "robot.urdf"
    path.write_text(robot(*map(link, names), *joints))
    mechanism = read_urdf(path)
    six = ("x", "y", "z", "rz", "ry", "rx")
    planar = ("planar.x", "planar.y", "planar.rz")
    assert mechanism.joints == ("revolute", "continuous", "prismatic", *planar, *(f"floating.{name}" for name in six))
    state = random_state(mechanism.n, 1)
    native = native_dynamics(pin.buildModelFromUrdf(str(path)), mechanism, state)
    assert max(forward_dynamics(mechanism, state).errors(native).values()) < 1e-10


def test_a_floating_base(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(robot(link("base"), link("arm"), TURN))
    mechanism = read_urdf(path, floating=True)
    assert mechanism.joints == ("base.x", "base.y", "base.z", "base.rz", "base.ry", "base.rx", "turn")
    assert mechanism.bodies[5].name == "base"
    path.write_text(robot(*map(link, "ab")))
    with pytest.raises(MeshSimError, match="robot must have one root link, not 2: 'a', 'b'"):
        read_urdf(path, floating=True)


def test_whatever_is_not_dynamics_is_passed_over(tmp_path):
    extras = '<material name="red"/><transmission><joint name="turn"/></transmission><gazebo><link/></gazebo>'
    text = robot(link("base", ""), link("arm", INERTIAL + "<visual/>"), joint("turn", "base", "arm"), extras)
    assert read_text(tmp_path, '<?xml version="1.0"?><!-- a comment -->' + text).n == 1


def test_encodings(tmp_path):
    text = robot(link("base", ""), link("bras_é"), joint("turn", "base", "bras_é"))
    assert read_text(tmp_path, b"\xef\xbb\xbf" + text.encode()).bodies[0].name == "bras_é"
    declared = '<?xml version="1.0" encoding="UTF-16"?>' + text
    assert read_text(tmp_path, declared.encode()).bodies[0].name == "bras_é"


@pytest.mark.parametrize("kind", ["fixed", "revolute"])
def test_deep_files_need_no_recursion(tmp_path, kind):
    depth = 2 * sys.getrecursionlimit() if kind == "fixed" else LONGEST
    links = [link("base", ""), *(link(f"l{i}") for i in range(depth))]
    joints = [
        joint("j0", "base", "l0"),
        *(joint(f"j{i}", f"l{i - 1}", f"l{i}", "", kind) for i in range(1, depth)),
    ]
    mechanism = read_text(tmp_path, robot(*reversed(links), *joints))
    assert mechanism.n == (1 if kind == "fixed" else depth)
    assert sum(body.mass for body in mechanism.bodies) == 2.0 * depth


def test_the_result_has_a_default_state(tmp_path):
    mechanism = read_text(tmp_path, robot(link("base", ""), link("arm"), joint("turn", "base", "arm")))
    assert forward_dynamics(mechanism, default_state(mechanism)).M.item() == pytest.approx(2.5 + 2 * 0.5**2)
