"""MJCF files mean here what they mean to MuJoCo: M, h and qdd of trees with all its joints."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.mujoco_model import body, joint, mjcf, model_of, mujoco, mujoco_dynamics, read_text
from tools.random_robot import random_state

from meshsim.algorithms.reference.dense import Dynamics, forward_dynamics
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.robots.urdf import read_urdf
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.errors import MeshSimWarning
from meshsim.presets import PRESETS

AGREES = 1e-9
"""Rounding of both, times the condition of M where the turns of a ball or a free joint are nearly singular."""
PLACE = "pos='.3 .2 .1' euler='30 40 50'"
LEGS = "".join(
    body(
        f"hip{x}{y}",
        joint(f"abduct{x}{y}", axis="1 0 0")
        + body(
            f"thigh{x}{y}",
            joint(f"swing{x}{y}", axis="0 1 0", pos="0 0 .02") + body(f"foot{x}{y}", place="pos='0 0 -.2'"),
            "pos='0 .1 -.2'",
        ),
        f"pos='{x} {y} 0'",
    )
    for x in (1, -1)
    for y in (1, -1)
)
FORE = body("fore", joint("slide", "slide", axis="0 1 1", ref=0.2), PLACE)
MODELS = {
    "arm": body("base", joint("yaw", axis="0 0 1") + body("arm", joint("pitch", axis="1 2 3") + FORE, PLACE)),
    "joints away from origins": body(
        "base",
        joint("yaw", axis="0 1 1", pos="1 2 3", ref=-70)
        + body("arm", joint("pitch", axis="1 2 3", pos=".1 .2 -.3", ref=40) + FORE, PLACE),
        PLACE,
    ),
    "ball": body("base", joint("yaw") + body("arm", joint("ball", "ball", pos=".1 .2 -.3") + FORE, PLACE), PLACE),
    "several joints in a body": body(
        "base",
        joint("x", "slide", axis="1 0 0", ref=0.3)
        + joint("r", axis="0 1 1", pos=".1 .2 .3", ref=20)
        + joint("s", axis="1 1 0", pos="-.1 .2 .3", ref=-70)
        + body("welded", body("arm", joint("k") + joint("l", "ball", pos=".3 .1 .2"), PLACE), PLACE),
        PLACE,
    ),
    "quadruped": body("trunk", "<freejoint/>" + LEGS, "pos='0 0 1' euler='10 20 30'"),
    "forest": body("one", joint("one"), PLACE)
    + body("free", "<freejoint/>", PLACE)
    + body("two", joint("two", "slide")),
}


def check(folder, text, seeds=3):
    robot, model = read_text(folder, text), model_of(text)
    assert len(robot.joints) == model.nv
    for seed in range(seeds):
        state = random_state(model.nv, seed)
        errors = forward_dynamics(robot, state).errors(mujoco_dynamics(model, robot.joints, state))
        assert max(errors.values()) < AGREES, (robot.joints, errors)
    return robot


@pytest.mark.parametrize("name", MODELS)
def test_dynamics_are_those_of_mujoco(name, tmp_path):
    check(tmp_path, mjcf(MODELS[name]), seeds=5)


SERIES = ([], ["hinge"], ["slide"], ["ball"], ["hinge", "slide"], ["slide", "hinge"], ["slide", "ball"])
"""Joints that a body may have; a hinge before a ball might turn nothing that the ball does not."""


@st.composite
def trees(draw):
    """Bodies with up to two joints each, of all kinds that MuJoCo lets stand there."""
    count = draw(st.integers(1, 6))
    numbers = st.floats(-1.0, 1.0).map(lambda x: round(x, 3))
    vector = st.tuples(numbers, numbers, numbers).map(lambda v: " ".join(map(str, v)))
    axes = st.sampled_from(["1 0 0", "0 1 0", "0 0 1", "1 2 3", "-1 1 0.5"])
    inside, parents = [""] * count, [draw(st.integers(-1, i - 1)) for i in range(count)]
    texts: list[str] = [""] * count
    for i in reversed(range(count)):
        kinds = draw(st.sampled_from(SERIES))
        if i == 0:
            kinds = kinds or ["hinge"]  # else nothing might move
        if parents[i] < 0 and draw(st.booleans()):
            kinds = ["free"]
        joints = ""
        for kind in kinds:
            more = {} if kind == "free" else {"pos": draw(vector)}
            if kind in ("hinge", "slide"):
                more |= {"axis": draw(axes), "ref": draw(numbers)}
            joints += joint(f"j{i}{kind}", kind, **more)
        texts[i] = body(f"b{i}", joints + inside[i], f"pos='{draw(vector)}' euler='{draw(vector)}'")
        if parents[i] >= 0:
            inside[parents[i]] = texts[i] + inside[parents[i]]
    gravity = f"<option gravity='{draw(vector)}'/><compiler angle='radian'/>"
    return mjcf("".join(text for text, parent in zip(texts, parents, strict=True) if parent < 0), before=gravity)


@settings(max_examples=25, deadline=None)
@given(trees())
def test_random_trees_are_those_of_mujoco(tmp_path_factory, text):
    check(tmp_path_factory.mktemp("tree"), text, seeds=1)


def test_an_initial_position_is_that_of_the_file(tmp_path):
    """At `ref` a body is placed in its parent as the file says; a free joint has positions in the world."""
    arm = body("arm", joint("turn", pos="1 0 0", axis="0 1 0", ref=90), "pos='1 2 3'")
    robot = read_text(tmp_path, mjcf(arm + body("box", "<freejoint/>", "pos='0 0 5'")))
    assert robot.joints == ("turn", "box.x", "box.y", "box.z", "box.rz", "box.ry", "box.rx")
    assert robot.bodies[0].position == (2.0, 2.0, 3.0)
    assert robot.bodies[1].position == (0.0, 0.0, 0.0)


def test_names_that_a_file_leaves_out(tmp_path):
    inertial = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
    robot = read_text(tmp_path, mjcf(f"<body><joint/><joint axis='1 0 0'/>{inertial}</body>"))
    assert robot.name == "robot"
    assert robot.joints == ("body1", "body1-2")
    assert robot.bodies[-1].name == "body1"


def test_gravity_that_is_switched_off(tmp_path):
    robot = read_text(tmp_path, mjcf(MODELS["arm"], before="<option><flag gravity='disable'/></option>"))
    assert robot.gravity == (0.0, 0.0, 0.0)


def test_geoms_defaults_and_includes_are_mujocos_to_read(tmp_path):
    (tmp_path / "part.xml").write_text("<mujoco><default><geom density='500'/><joint axis='0 1 0'/></default></mujoco>")
    text = (
        "<mujoco model='made'><include file='part.xml'/><worldbody><body><joint/><geom size='.1'/></body></worldbody>"
    )
    robot = read_text(tmp_path, f"{text}</mujoco>")
    assert robot.name == "made"
    assert robot.bodies[0].mass == pytest.approx(500 * 4 / 3 * math.pi * 0.1**3)
    assert np.array(robot.bodies[0].rotation)[:, 2].tolist() == [0.0, 1.0, 0.0]


def test_a_urdf_with_the_same_ending_is_none(tmp_path):
    inertia = "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
    links = f"<link name='a'/><link name='b'><inertial><mass value='1'/>{inertia}</inertial></link>"
    hinge = "<joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint>"
    urdf = f"<?xml version='1.0'?><!-- <mujoco> --><robot name='r'>{links}{hinge}</robot>"
    robot = read_text(tmp_path, urdf)
    assert robot == read_urdf(tmp_path / "robot.xml")


# Armature and joints that mimic others


HEAVY = mjcf(
    body("base", joint("yaw", armature=0.7) + body("arm", joint("lift", "slide", armature=1.5) + FORE, PLACE), PLACE)
)


def test_armature_is_left_out_and_told_or_kept_by_rotors(tmp_path):
    with pytest.warns(MeshSimWarning, match="none: armature of joints 'yaw', 'lift'$"):
        light = read_text(tmp_path, HEAVY)
    heavy = read_text(tmp_path, HEAVY, "armature:")
    state = random_state(3, 1)
    for robot, kept in ((light, False), (heavy, True)):
        assert robot.joints == ("yaw", "lift", "slide")
        expected = mujoco_dynamics(model_of(HEAVY, kept), robot.joints, state)
        assert max(forward_dynamics(robot, state).errors(expected).values()) < AGREES
    found = load_scheme("one-featherstone").plan(heavy, state).run(PRESETS["ideal"], trace=False).value
    assert max(found.errors(expected).values()) < AGREES


def test_armature_of_a_motor_goes_through_its_gear(tmp_path):
    if not hasattr(mujoco.MjModel, "actuator_armature"):
        pytest.skip("this MuJoCo has no armature of actuators")
    text = HEAVY.replace("</mujoco>", "<actuator><motor joint='yaw' gear='3' armature='.5'/></actuator></mujoco>")
    robot, state = read_text(tmp_path, text, "armature:"), random_state(3, 1)
    expected = mujoco_dynamics(model_of(text, armature=True), robot.joints, state)
    assert max(forward_dynamics(robot, state).errors(expected).values()) < AGREES


def tied(model, joints, state, G, offset):
    """MuJoCo's dynamics in the coordinates of the joints that move by themselves."""
    whole = State(*(tuple(each) for each in (G @ state.q + offset, G @ state.qd, np.zeros(len(joints)))))
    free = mujoco_dynamics(model, joints, whole)
    M, h = G.T @ free.M @ G, G.T @ free.h
    return Dynamics(M, h, np.linalg.solve(M, np.array(state.tau) - h))


def test_joints_that_equality_constraints_tie(tmp_path):
    """y - y0 = a0 + a1 (x - x0), where x0 and y0 are the initial positions; with no x, y stays where it is."""
    arm = body("a", joint("x", ref=40) + body("b", joint("y", "slide", ref=0.3) + body("c", joint("z"), PLACE), PLACE))
    tie = "<joint joint1='y' joint2='x' polycoef='.2 -1.5 0 0 0'/>"
    robot = read_text(tmp_path, mjcf(arm, f"<equality>{tie}<joint joint1='z' polycoef='.4 0 0 0 0'/></equality>"))
    assert robot.joints == ("x",)
    state = random_state(1, 3)
    G, offset = np.array([[1.0], [-1.5], [0.0]]), np.array([0.0, 0.3 + 0.2 + 1.5 * math.radians(40), 0.4])
    expected = tied(model_of(mjcf(arm)), ("x", "y", "z"), state, G, offset)
    assert max(forward_dynamics(robot, state).errors(expected).values()) < AGREES


def test_constraints_that_are_not_active_are_no_constraints(tmp_path):
    arm = body("a", joint("x") + body("b", joint("y")))
    tie = "<equality><joint joint1='y' joint2='x' active='false'/></equality>"
    assert read_text(tmp_path, mjcf(arm, tie)).joints == ("x", "y")
    off = "<option><flag equality='disable'/></option>"
    assert read_text(tmp_path, mjcf(arm, tie.replace("false", "true"), off)).joints == ("x", "y")
