"""Reduced robots are what Pinocchio makes of the same joints; what is dropped is what a file without it would lack."""

import math
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from tools.example_robots import FILES, model_of
from tools.paths import EXAMPLES
from tools.pinocchio_model import native_dynamics
from tools.random_robot import random_state

from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.reference.newton_euler import bias_force
from meshsim.algorithms.robots.body import Wrench
from meshsim.algorithms.robots.catalogue import ROBOTS, chain, load_robot, robot_path, stanford
from meshsim.algorithms.robots.closure import assemble, loops
from meshsim.algorithms.robots.mechanism import Mechanism, Unweighed
from meshsim.algorithms.robots.reduced import reduced
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.tree import Inertial, Joint, Mimic, Pose, build
from meshsim.algorithms.robots.urdf import read_urdf
from meshsim.algorithms.robots.wrenches import bearing
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.schemes.takers import takers
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS

PANDA = "panda_description/urdf/panda.urdf"
ROMEO = "romeo_description/urdf/romeo.urdf"
ANYMAL = "anymal_b_simple_description/robots/anymal.urdf"
SOLO = "solo_description/robots/solo12.urdf"
TALOS = "talos_data/robots/talos_full_v2.urdf"
TIAGO = "tiago_description/robots/tiago.urdf"
LEG = ("HAA", "HFE", "KFE")
REAL = {
    "panda without fingers": (PANDA, False, {"panda_finger_joint1": 0.02}),
    "anymal on three legs": (ANYMAL, True, {f"LF_{k}": 0.3 for k in LEG}),
    "anymal as one body": (ANYMAL, True, {f"{leg}_{k}": 0.2 for leg in ("LF", "LH", "RF", "RH") for k in LEG}),
    "anymal held in the air": (ANYMAL, True, {"base": 0.0, "LF_HAA": -0.2}),
    "talos without arms": (TALOS, True, {"arm_*": 0.4, "gripper_*": 0.1}),
    "tiago without wheels and hand": (TIAGO, False, {"wheel_*": 1.0, "hand_*": 0.2}),
    "tiago with wheels": (TIAGO, True, {"torso_lift_joint": 0.1, "hand_*": 0.0}),
}


def text_of(name, floating, lock):
    changes = ";".join(f"{joint}={value}" for joint, value in lock.items())
    return f"{'floating:' if floating else ''}{FILES[name]}@lock:{changes}"


def native_reduced(model, whole, left, lock):
    """Pinocchio's own reduced model: joints that ours lacks stand where they are locked."""
    gone, q = [], pin.neutral(model)
    for k in range(1, model.njoints):
        joint, name = model.joints[k], {"root_joint": "base.x"}.get(model.names[k], model.names[k])
        if name in {body.joint for body in left.bodies}:
            continue
        gone.append(k)
        tie = next(body for body in whole.bodies if body.joint == name).tie
        master = name if tie is None else whole.bodies[tie.master].joint
        told = next(value for key, value in lock.items() if key == master or master.startswith(key.rstrip("*")))
        at = told if tie is None else tie.multiplier * told + tie.offset
        if joint.nv == 1:
            q[joint.idx_q : joint.idx_q + joint.nq] = [math.cos(at), math.sin(at)] if joint.nq == 2 else at
    return pin.buildReducedModel(model, gone, q)


@pytest.mark.parametrize("case", REAL)
def test_equal_to_pinocchio(case):
    name, floating, lock = REAL[case]
    whole = load_robot(f"{'floating:' if floating else ''}{FILES[name]}")
    left = load_robot(text_of(name, floating, lock))
    assert left.name.startswith(f"{whole.name}@lock:")
    model = native_reduced(model_of(FILES[name], floating), whole, left, lock)
    assert len(left.joints) == model.nv < len(whole.joints)
    for seed in range(3):
        state = random_state(model.nv, seed)
        native = native_dynamics(model, left, state, {"root_joint": "base"})
        assert max(forward_dynamics(left, state).errors(native).values()) < 1e-10
    for scheme in ("one-wong", "one-saha"):
        run = load_scheme(scheme).plan(left, state).run(PRESETS["ideal"], trace=False)
        assert max(run.value.errors(native).values()) < 1e-10


def without(path, joints, target):
    """A URDF without some joints and all that they carry."""
    tree = ET.parse(path)
    root = tree.getroot()
    gone = {joint.find("child").get("link") for joint in root.findall("joint") if joint.get("name") in joints}
    for _ in root.findall("joint"):
        for joint in root.findall("joint"):
            if joint.find("parent").get("link") in gone:
                gone.add(joint.find("child").get("link"))
    for element in [*root.findall("joint"), *root.findall("link")]:
        child = element.find("child")
        if (element.get("name") if element.tag == "link" else child.get("link")) in gone:
            root.remove(element)
    tree.write(target)


@pytest.mark.parametrize(("name", "floating", "drop"), [
    (PANDA, False, ("panda_finger_joint1", "panda_finger_joint2")),
    (ANYMAL, True, ("RH_HAA", "LF_KFE")),
    (TIAGO, False, ("arm_6_joint", "wheel_left_joint", "hand_thumb_joint")),
])  # fmt: skip
def test_what_is_dropped_is_gone(name, floating, drop, tmp_path):
    without(FILES[name], drop, tmp_path / "less.urdf")
    model = model_of(tmp_path / "less.urdf", floating)
    left = load_robot(f"{'floating:' if floating else ''}{FILES[name]}@drop:{';'.join(drop)}")
    assert len(left.joints) == model.nv
    for seed in range(3):
        state = random_state(model.nv, seed)
        native = native_dynamics(model, left, state, {"root_joint": "base"})
        assert max(forward_dynamics(left, state).errors(native).values()) < 1e-10


# Every kind of robot


def tied():
    """An arm whose two fingers follow a slide that carries one of them."""
    links, joints = parts()
    return build("tied", links, joints)


def parts():
    whole = chain(5, 3)
    links = {"ground": None}
    joints = []
    mimics = {3: Mimic("joint3", -2.0, 0.1), 4: Mimic("joint4", 0.5, -0.3)}
    for i, body in enumerate(whole.bodies):
        links[body.name] = Inertial(body.mass, Pose(np.eye(3), np.array(body.com)), np.array(body.inertia))
        parent = ("ground", "link1", "link2", "link2", "link4")[i]
        origin = Pose(np.array(body.rotation), np.array(body.position))
        kind = "prismatic" if i == 2 else "revolute"
        joints.append(Joint(body.joint, kind, parent, body.name, origin, mimic=mimics.get(i)))
    return links, joints


def check_locked(whole, left, lock):
    """Locked joints only take their rows and columns out of M, and those of h, where they are and do not move."""
    kept = [whole.joints.index(joint) for joint in left.joints]
    state = random_state(len(left.joints), 5)
    q, qd, tau = (np.zeros(len(whole.joints)) for _ in range(3))
    q[[whole.joints.index(joint) for joint in lock]] = list(lock.values())
    q[kept], qd[kept], tau[kept] = state.q, state.qd, state.tau
    full = forward_dynamics(whole, State(tuple(q), tuple(qd), tuple(tau)))
    M, h = full.M[np.ix_(kept, kept)], full.h[kept]
    expected = type(full)(M, h, np.linalg.solve(M, tau[kept] - h))
    for value in (forward_dynamics(left, state), load_scheme("one-wong").plan(left, state).run(PRESETS["ideal"]).value):
        assert max(value.errors(expected).values()) < 1e-10


@pytest.mark.parametrize(("text", "lock"), [
    ("puma600", {"joint1": 0.3}),
    ("puma600", {"joint2": -0.4, "joint3": 0.0, "joint6": 0.1}),
    ("torso", {"trunk": 0.2, "lower_arm_1": 0.3}),
    ("stanford", {"joint3": 0.25}),
    ("chain:7:2", {"joint1": 0.0, "joint4": 1.0}),
    (str(EXAMPLES / "arm.urdf"), {"wrist": 0.4}),
    (str(EXAMPLES / "crane.toml"), {"hook.rz": 0.3}),
    (f"floating:{FILES[SOLO]}", {"base.x": 0.4, "base.ry": 0.2}),
    (f"floating:{FILES[SOLO]}", {"base.rx": 0.4}),
])  # fmt: skip
def test_every_kind_of_robot(text, lock):
    whole = load_robot(text)
    left = load_robot(f"{text}@lock:{';'.join(f'{joint}={value}' for joint, value in lock.items())}")
    check_locked(whole, left, lock)
    assert left.name == f"{whole.name}@lock:{';'.join(f'{joint}={value:g}' for joint, value in lock.items())}"
    assert robot_path(f"{text}@lock:a") == robot_path(text)


def test_a_robot_in_a_python_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("from meshsim.algorithms.robots.catalogue import chain\nARM = chain(4, 2)\n")
    try:
        assert load_robot(f"{path}:ARM@lock:joint2=0.5").bodies == load_robot("chain:4:2@lock:joint2=0.5").bodies
    finally:
        ROBOTS.pop(f"{path}:ARM")


def test_what_is_locked_at_zero_keeps_the_twist_form():
    whole = stanford()
    assert reduced(whole, {"joint2": 0.0, "joint3": 0.7}).is_twist
    assert not reduced(whole, {"joint2": 0.1}).is_twist
    assert reduced(whole, {"joint1": 0.4, "joint6": 0.4}, ()).bodies[2].twist == whole.bodies[3].twist


def test_bodies_that_nothing_rides_on_stay_as_they_are():
    whole = chain(5, 1)
    left = reduced(whole, {"joint4": 0.3})
    assert left.bodies[:2] == whole.bodies[:2]
    assert left.bodies[2] != whole.bodies[2]
    assert reduced(whole, {}, ["joint4"]).bodies == whole.bodies[:3]


def test_degrees():
    assert reduced(chain(3, 1), {"joint2": "30deg"}).bodies == reduced(chain(3, 1), {"joint2": math.pi / 6}).bodies


# Joints that follow others


@pytest.mark.parametrize(
    ("lock", "master"), [({"joint3": 0.2}, 0.2), ({"joint4": -0.5}, 0.3), ({"joint5": -0.8}, 0.55)]
)
def test_joints_that_move_together_are_locked_together(lock, master):
    whole = tied()
    left = reduced(whole, lock)
    assert left.joints == ("joint1", "joint2")
    check_locked(whole, left, {"joint3": master})


def test_a_joint_that_follows_may_be_dropped():
    whole = tied()
    left = reduced(whole, {}, ["joint5"])
    assert left.bodies == whole.bodies[:4]
    assert reduced(whole, {"joint1": 0.0}).bodies[2].tie.master == 1
    assert reduced(whole, {}, ["joint3", "joint4"]).joints == ("joint1", "joint2")


# Loops


@pytest.mark.parametrize(("robot", "joint", "position", "scheme"), [
    ("3rrr", "proximal2", None, "denoc"),
    ("3rrr", "distal1", None, "projection"),
    ("3rrr", "platform.rz", 0.05, "multipliers"),
    ("stewart", "leg2.slide", None, "multipliers"),
])  # fmt: skip
def test_a_joint_of_a_loop(robot, joint, position, scheme):
    """As with one more constraint, that the joint does not accelerate."""
    whole = load_robot(robot)
    i = whole.joints.index(joint)
    at = position if position is not None else float(assemble(whole)[i])
    left = load_robot(f"{robot}@lock:{joint}={at!r}")
    assert left.joints == tuple(each for each in whole.joints if each != joint)
    state = default_state(left)
    kept = [k for k in range(whole.n) if k != i]
    q, qd = (np.insert(np.array(values), i, filler) for values, filler in ((state.q, at), (state.qd, 0.0)))
    now = loops(whole, q, qd)
    assert np.abs(now.c).max() < 1e-9
    A = np.vstack((now.A, np.eye(whole.n)[i]))
    tree = Mechanism(whole.name, whole.bodies, whole.gravity)
    M, h = inertia_matrix(tree, q), bias_force(tree, q, qd)
    K = np.block([[M, A.T], [A, np.zeros((len(A), len(A)))]])
    qdd = np.linalg.solve(K, np.concatenate((-h, -now.bias, [0.0])))[kept]
    found = load_scheme(scheme).plan(left, state).run(PRESETS["ideal"], trace=False).value.qdd
    assert relative_error(found, qdd) < 1e-8


# Refusals


def refusal(text):
    with pytest.raises(MeshSimError) as error:
        load_robot(str(text))
    return str(error.value)


LIST = "must be one of puma600, such as"
FORM = "@lock: must be followed by joint=position;joint=position, not"
ANGLE = "position of joint 'joint1' must be a finite number in rad, or with deg after it, not"
NO_MASS = "must have mass or carry mass, not neither; else lock or drop the joint"
NONE = "a joint of puma600 at least must be left to move, not none"


@pytest.mark.parametrize(("text", "said"), [
    ("puma600@lock:jiont4", f"a joint to be locked {LIST} joint4, joint6, joint5, joint3, joint2, not 'jiont4'"),
    ("puma600@drop:wrist", f"a joint to be dropped {LIST} {', '.join(load_robot('puma600').joints)}, not 'wrist'"),
    ("puma600@lock:", f"{FORM} ''"),
    ("puma600@lock:joint1=", f"{FORM} 'joint1='"),
    ("puma600@drop:joint1;", "@drop: must be followed by joint;joint, not 'joint1;'"),
    ("puma600@lock:joint1=x", f"{ANGLE} 'x'"),
    ("puma600@lock:joint1=inf", f"{ANGLE} 'inf'"),
    ("stanford@lock:joint3=30deg", "position of joint 'joint3' must be a finite number in m, not '30deg'"),
    ("stanford@lock:joint3=1e300", "inertia of body 'link2' must be 3 rows of 3 finite numbers, not "),
    ("puma600@lock:joint1=0;joint1=1", "joint 'joint1' must be locked or dropped once, not twice"),
    ("puma600@lock:joint1@drop:joint1", "joint 'joint1' must be locked or dropped once, not twice"),
    ("puma600@lock:joint*@drop:joint1", "joint 'joint1' must be locked or dropped, not both"),
    ("puma600@drop:joint1", NONE),
    ("puma600@lock:joint*", NONE),
    ("four-bar@lock:crank=1.5", "four-bar@lock:crank=1.5 must have at least one freedom, not 0: its loops hold all "),
    ("four-bar@lock:pin", "joint 'pin' of four-bar closes a loop, and cannot be locked"),
    ("four-bar@drop:crank", "what is dropped of four-bar must be outside its loops, and 'pin' closes one with it"),
    ("no-such@lock:joint1", "robot must be one of puma600, "),
])  # fmt: skip
def test_what_cannot_be(text, said):
    assert refusal(text).startswith(said)


def test_what_cannot_be_of_real_robots():
    said = refusal(f"{FILES[PANDA]}@drop:panda_hand_joint")
    assert said == "joint 'panda_hand_joint' of panda must move to be dropped, and is fixed"
    said = refusal(f"{FILES[PANDA]}@lock:panda_finger_joint1;panda_finger_joint2=0.01")
    assert (
        said == "joints 'panda_finger_joint1' and 'panda_finger_joint2' of panda move together, and must be locked once"
    )
    said = refusal(f"{FILES[PANDA]}@drop:panda_finger_joint1")
    assert said == "joint 'panda_finger_joint1' must not be dropped alone, since 'panda_finger_joint2' mimics it"
    said = refusal(f"floating:{FILES[ANYMAL]}@lock:base=1")
    each = "base.x, base.y, base.z, base.rz, base.ry, base.rx"
    assert said == f"joint 'base' has several positions: lock each of {each}, or all at 0"
    again = reduced(load_robot(f"{FILES[ANYMAL]}@lock:LF_HAA"), {"LF_HFE": 0.1})
    assert again.joints[0] == "LF_KFE"
    with pytest.raises(MeshSimError, match="joint 'LF_HAA' of anymal@lock:LF_HAA=0 must move to be locked, and is fix"):
        reduced(load_robot(f"{FILES[ANYMAL]}@lock:LF_HAA"), {"LF_HAA": 0.0})


def test_what_moves_no_mass_any_more_is_named():
    links, joints = parts()
    links["link4"] = None
    with pytest.raises(MeshSimError, match=r"^body 'link4', moved by joint 'joint4', must have mass or carry mass"):
        reduced(build("arm", links, [replace(joint, mimic=None) for joint in joints]), {}, ["joint5"])


@pytest.mark.parametrize("floating", ["", "floating:"])
def test_joints_that_move_no_mass_may_be_locked(floating):
    text = f"{floating}{FILES[ROMEO]}"
    assert refusal(text).endswith(f"joint 'LHand', {NO_MASS}")
    assert refusal(f"{text}@lock:LHand").startswith("body 'RFinger11Link', moved by joint 'RHand', must have mass")
    left = load_robot(f"{text}@lock:LHand=0.3;RHand=0.2")
    lock = {"LHand": 0.3, "RHand": 0.2}
    whole = read_urdf(FILES[ROMEO], bool(floating), Unweighed)
    model = native_reduced(model_of(FILES[ROMEO], floating), whole, left, lock)
    state = random_state(model.nv, 1)
    native = native_dynamics(model, left, state, {"root_joint": "base"})
    assert max(forward_dynamics(left, state).errors(native).values()) < 1e-10


def test_a_robot_file_may_have_ends_without_mass_that_are_dropped(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text('[[body]]\nname = "arm"\nmass = 1.0\n[[body]]\nname = "tool"\nparent = "arm"\n')
    assert refusal(path).endswith(f"body 'tool', moved by joint 'tool', {NO_MASS}")
    assert load_robot(f"{path}@drop:tool").bodies == load_robot(f"{path}@lock:tool=0.3").bodies


def test_a_wrench_stays_only_where_its_centre_stays():
    whole = bearing(chain(4, 1), {"link2": [1.0, 2.0, 3.0]})
    assert reduced(whole, {"joint1": 0.3}).wrenches == (Wrench(0, (1.0, 2.0, 3.0)),)
    assert reduced(whole, {}, ["joint2"]).wrenches == ()
    for joint in ("joint2", "joint3"):
        with pytest.raises(
            MeshSimError, match=r"^body 'link2' of chain:4:1 bears a wrench, and must not become one wit"
        ):
            reduced(whole, {joint: 0.3})


def test_a_base_that_is_locked_is_the_ground():
    floating, fixed = (load_robot(f"{text}{FILES[ANYMAL]}") for text in ("floating:", ""))
    held = reduced(floating, {"base": 0})
    assert held.joints == fixed.joints
    state = random_state(fixed.n, 1)
    assert max(forward_dynamics(held, state).errors(forward_dynamics(fixed, state)).values()) < 1e-13
    assert takers(held) == takers(fixed)
