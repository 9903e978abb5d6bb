"""Real robots, the URDF files of PyPI's example-robot-data, mean here what they mean to Pinocchio."""

import json
import re
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from pinocchio_model import native_dynamics
from random_robot import random_state

from algorithms.reference import forward_dynamics, relative_error
from algorithms.robots import load_robot
from algorithms.state import State
from algorithms.urdf import read_urdf
from meshsim.errors import MeshSimError

DATA = Path(__file__).parent / "data"
ROBOTS = next(path for path in Path(pin.__file__).parents if path.name == "cmeel.prefix") / (
    "share/example-robot-data/robots"
)
FILES = {str(path.relative_to(ROBOTS)): path for path in sorted(ROBOTS.rglob("*.urdf"))}

NO_ROBOT = "ur_description/urdf/ur3.urdf"  # Pinocchio refuses it: a macro, not a robot
STILL = ("hector_description/robots/quadrotor_base.urdf", "iris_description/robots/iris_simple.urdf")
MIMICS = {  # with the first joint that mimics another
    "alex_description/urdf/alex_psyonic_hands.urdf": "Left_index_q2",
    "baxter_description/urdf/baxter.urdf": "l_gripper_r_finger_joint",
    "panda_description/urdf/panda.urdf": "panda_finger_joint2",
    "panda_description/urdf/panda_collision.urdf": "panda_finger_joint2",
    "pr2_description/urdf/pr2.urdf": "r_gripper_r_finger_joint",
    "romeo_description/urdf/romeo.urdf": "LFinger12",
    "talos_data/robots/talos_full_v2.urdf": "gripper_left_inner_double_joint",
    "talos_data/robots/talos_full_v2_box.urdf": "gripper_left_inner_double_joint",
    "tiago_pro_description/robots/tiago_pro.urdf": "gripper_left_inner_finger_left_joint",
}
IMPOSSIBLE = {  # with the body that cannot be, by its moments or at the end of a branch without mass
    "romeo_description/urdf/romeo.urdf": "body 'LFinger13Link', moved by joint 'LFinger13', must have mass",
    "romeo_description/urdf/romeo_laas_small.urdf": "inertia of body '(LShoulderYaw_link|base_link)' must",
    "romeo_description/urdf/romeo_small.urdf": "inertia of body 'RShoulderYawLink' must have no principal moment",
}


def check(path, floating):
    """M, h and qdd to 1e-10, in two random states."""
    mechanism = read_urdf(path, floating)
    root = [pin.JointModelFreeFlyer()] if floating else []
    model = pin.buildModelFromUrdf(str(path), *root)
    assert mechanism.n == model.nv
    for seed in range(2):
        state = random_state(mechanism.n, seed)
        native = native_dynamics(model, mechanism, state, {"root_joint": "base"})
        assert max(forward_dynamics(mechanism, state).errors(native).values()) < 1e-10


def test_how_many():
    # With Pinocchio's other release this may change, and then so must the lists above.
    assert len(FILES) == 69
    assert {NO_ROBOT, *STILL, *MIMICS, *IMPOSSIBLE} <= set(FILES)


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", sorted(set(FILES) - {NO_ROBOT, *MIMICS, *IMPOSSIBLE}))
def test_equal_to_pinocchio(name, floating):
    if name in STILL and not floating:
        with pytest.raises(MeshSimError, match="robot must have at least one moving joint, not 0"):
            read_urdf(FILES[name])
    else:
        check(FILES[name], floating)


@pytest.mark.parametrize("name", MIMICS)
def test_joints_that_mimic_are_refused_and_else_equal_pinocchio(tmp_path, name):
    with pytest.raises(MeshSimError, match=f"joint '{MIMICS[name]}' must move by itself, not <mimic> joint "):
        read_urdf(FILES[name])
    if name not in IMPOSSIBLE:  # Pinocchio lets them move freely, as they do here without the tag
        path = tmp_path / "free.urdf"
        path.write_text(re.sub(r"<mimic[^>]*/>", "", FILES[name].read_text()))
        check(path, floating=False)
        check(path, floating=True)


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_impossible_bodies_are_refused(tmp_path, name, floating):
    path = tmp_path / "free.urdf"
    path.write_text(re.sub(r"<mimic[^>]*/>", "", FILES[name].read_text()))
    with pytest.raises(MeshSimError, match=IMPOSSIBLE[name]):
        read_urdf(path, floating)


def test_what_pinocchio_refuses_is_refused():
    with pytest.raises(MeshSimError, match="every <robot> must have a name, not none"):
        read_urdf(FILES[NO_ROBOT])


def test_stored_numbers_of_an_arm():
    stored = json.loads((DATA / "robot_ur5.json").read_text())
    mechanism = load_robot(str(ROBOTS.parents[2] / stored["urdf_path"]))
    for state in stored["states"]:
        result = forward_dynamics(mechanism, State(tuple(state["q"]), tuple(state["qd"]), tuple(state["tau"])))
        assert relative_error(result.M, state["M"]) < 1e-12
        assert relative_error(result.h, state["h"]) < 1e-12
        assert relative_error(result.qdd, state["qdd"]) < max(1e-11, 1e-13 * np.linalg.cond(result.M))


def test_stored_numbers_of_a_quadruped():
    # Velocities of the free flyer are (linear, angular) in the body; v = S qd.
    stored = json.loads((DATA / "robot_solo12_floating.json").read_text())
    mechanism = load_robot(f"floating:{ROBOTS.parents[2] / stored['urdf_path']}")
    names = [body["name"] for body in stored["bodies"][1:]]
    order = [0, 1, 2, 5, 4, 3, *(mechanism.joints.index(name) for name in names)]
    for state in stored["states"]:
        x, y, z, *quaternion = state["q"][:7]
        R = pin.Quaternion(np.array(quaternion)).toRotationMatrix()
        angles = np.arctan2(R[1, 0], R[0, 0]), -np.arcsin(R[2, 0]), np.arctan2(R[2, 1], R[2, 2])
        q = dict(zip(names, state["q"][7:], strict=True))
        ours = (x, y, z, *angles, *(q[joint] for joint in mechanism.joints[6:]))
        M = forward_dynamics(mechanism, State(ours, (0.0,) * 18, (0.0,) * 18)).M[np.ix_(order, order)]
        S = np.eye(18)
        cx, sx, cy, sy = np.cos(angles[2]), np.sin(angles[2]), np.cos(angles[1]), np.sin(angles[1])
        S[:3, :3] = R.T
        S[3:6, 3:6] = [[1, 0, -sy], [0, cx, sx * cy], [0, -sx, cx * cy]]  # columns rx, ry, rz
        assert relative_error(M, S.T @ np.array(state["M"]) @ S) < 1e-12
