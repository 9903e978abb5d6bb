"""Real robots, the URDF files of PyPI's example-robot-data, mean here what they mean to Pinocchio."""

import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pinocchio as pin
import pytest
from tools.example_robots import FILES, NO_ROBOT, REFUSED, ROBOTS, STILL, model_of
from tools.paths import DATA
from tools.pinocchio_model import native_dynamics, native_forces
from tools.random_robot import random_state

from meshsim.algorithms.reference.dense import Dynamics, forward_dynamics
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.robots.urdf import read_urdf
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS

MIMICS = {  # with how many joints mimic others
    "baxter_description/urdf/baxter.urdf": 2,
    "panda_description/urdf/panda.urdf": 1,
    "panda_description/urdf/panda_collision.urdf": 1,
    "pr2_description/urdf/pr2.urdf": 10,
    "talos_data/robots/talos_full_v2.urdf": 12,
    "talos_data/robots/talos_full_v2_box.urdf": 12,
    "tiago_pro_description/robots/tiago_pro.urdf": 10,
}
MESH = load_scheme("wong-mesh")
ON_ONE = (
    ("one-wong", {}),
    ("one-saha", {}),
    ("one-featherstone", {"bias": "inside"}),
    ("one-featherstone", {"bias": "inverse"}),
)
FORMING = [
    ("one-angeles", {}),
    ("one-walker-orin", {}),
    ("one-bae", {"frame": "inertial"}),
    ("one-bae", {"frame": "body"}),
]
FLOATING = pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])


def compute(scheme, mechanism, state, **options):
    return scheme.plan(mechanism, state, **options).run(PRESETS["t800"], trace=False).value


def check(path, floating):
    """M, h and qdd to 1e-10 in random states: the reference in two, and those on one processor in the first."""
    mechanism = read_urdf(path, floating)
    model = model_of(path, floating)
    assert mechanism.n == model.nv
    for seed in range(2):
        state = random_state(mechanism.n, seed)
        native = native_dynamics(model, mechanism, state, {"root_joint": "base"})
        assert max(forward_dynamics(mechanism, state).errors(native).values()) < 1e-10
        if seed == 0:
            check_on_one(mechanism, state, native)


def check_on_one(mechanism, state, native):
    for name, options in ON_ONE:
        assert max(compute(load_scheme(name), mechanism, state, **options).errors(native).values()) < 1e-10, name


def test_how_many():
    # With Pinocchio's other release this may change, and then so must the lists above.
    assert len(FILES) == 69
    assert {NO_ROBOT, *STILL, *MIMICS, *REFUSED} <= set(FILES)


@pytest.mark.sampled(2)
@FLOATING
@pytest.mark.parametrize("name", sorted(set(FILES) - {NO_ROBOT, *MIMICS, *REFUSED}))
def test_equal_to_pinocchio(name, floating):
    if name in STILL and not floating:
        with pytest.raises(MeshSimError, match="robot must have at least one moving joint, not 0"):
            read_urdf(FILES[name])
    else:
        check(FILES[name], floating)


def gears(path, joints):
    """G and o of a file, read apart from the project: positions of all are G q + o."""
    mimics = {e.get("name"): e.find("mimic") for e in ET.parse(path).iter("joint") if e.find("mimic") is not None}
    free = [joint for joint in joints if joint not in mimics]
    G, offset = np.zeros((len(joints), len(free))), np.zeros(len(joints))
    for i, joint in enumerate(joints):
        if joint in mimics:
            tie = mimics[joint]
            G[i, free.index(tie.get("joint"))] = float(tie.get("multiplier", "1"))
            offset[i] = float(tie.get("offset", "0"))
        else:
            G[i, free.index(joint)] = 1.0
    return G, offset


@FLOATING
@pytest.mark.parametrize("name", MIMICS)
def test_joints_that_mimic_are_tied_to_their_masters(tmp_path, name, floating):
    path = tmp_path / "free.urdf"  # where all joints move by themselves, as they do to Pinocchio
    path.write_text(re.sub(r"<mimic[^>]*/>", "", FILES[name].read_text()))
    tied = read_urdf(FILES[name], floating)
    order = [body.joint for body in tied.bodies]
    assert len(order) - len(tied.joints) == MIMICS[name]
    G, offset = gears(FILES[name], order)
    state = random_state(len(tied.joints), 7)
    q, qd = G @ state.q + offset, G @ state.qd
    full = State(tuple(q), tuple(qd), (0.0,) * len(order))
    M, h, _ = native_forces(model_of(path, floating), order, full, {"root_joint": "base"})
    M, h = G.T @ M @ G, G.T @ h
    expected = Dynamics(M, h, np.linalg.solve(M, state.tau - h))
    assert max(forward_dynamics(tied, state).errors(expected).values()) < 1e-10
    check_on_one(tied, state, expected)


@pytest.mark.parametrize("carry", ["links", "bus", "forward"])
@pytest.mark.parametrize("name", ["solo_description/robots/solo12.urdf", "tiago_description/robots/tiago_no_hand.urdf"])
def test_real_robots_on_the_mesh(name, carry):
    path = FILES[name]
    mechanism = read_urdf(path, floating=name.startswith("solo"))
    state = random_state(mechanism.n, 3)
    native = native_dynamics(model_of(path, name.startswith("solo")), mechanism, state, {"root_joint": "base"})
    assert max(compute(MESH, mechanism, state, carry=carry).errors(native).values()) < 1e-10


@FLOATING
@pytest.mark.parametrize("name", ["solo_description/robots/solo12.urdf", "tiago_description/robots/tiago_no_hand.urdf"])
@pytest.mark.parametrize(("scheme", "options"), FORMING)
def test_real_robots_by_composite_bodies(name, floating, scheme, options):
    path = FILES[name]
    mechanism = read_urdf(path, floating)
    state = random_state(mechanism.n, 4)
    native = native_dynamics(model_of(path, floating), mechanism, state, {"root_joint": "base"})
    errors = compute(load_scheme(scheme), mechanism, state, **options).errors(native)
    assert max(errors["M"], errors["h"]) < 1e-13
    # Rounding of M, of a few units in the last place, times its condition number: 2e7 for tiago on a floating base.
    assert errors["qdd"] < max(1e-10, 1e-15 * np.linalg.cond(native.M))


@FLOATING
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(name, floating):
    with pytest.raises(MeshSimError, match=REFUSED[name]):
        read_urdf(FILES[name], floating)


def test_what_pinocchio_refuses_is_refused():
    with pytest.raises(MeshSimError, match="robot must have links, not none"):
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
