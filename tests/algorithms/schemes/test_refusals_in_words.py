"""What a scheme refuses is called by the joint's own name, and what may be locked is told where that would do."""

from dataclasses import replace

import numpy as np
import pytest
from tools.command import call
from tools.example_robots import FILES

from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.compound import in_words, whole_joint
from meshsim.algorithms.robots.reduced import reduced
from meshsim.algorithms.robots.tree import ORIGIN, Inertial, Joint, Pose, build
from meshsim.algorithms.schemes.base.scheme import RefusedError
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.schemes.takers import with_locks

CHAINS_ONLY = replace(load_scheme("hwang"), name="plain", takes=frozenset())
UR5 = f"floating:{FILES['ur_description/urdf/ur5_robot.urdf']}"
ANYMAL = f"floating:{FILES['anymal_b_simple_description/robots/anymal.urdf']}"
PANDA = str(FILES["panda_description/urdf/panda.urdf"])


def robot(kind, name="hip"):
    ball = Inertial(1.0, ORIGIN, np.diag([0.1, 0.1, 0.1]))
    aside = Pose(np.eye(3), np.array([0.0, 0.0, 1.0]))
    joints = [Joint("turn", "revolute", "ground", "arm"), Joint(name, kind, "arm", "leg", aside)]
    return build("thing", {"ground": None, "arm": ball, "leg": ball}, joints)


def refusal(mechanism):
    with pytest.raises(RefusedError) as error:
        CHAINS_ONLY.check(mechanism)
    return str(error.value)


@pytest.mark.parametrize(("kind", "said"), [
    ("prismatic", "joint 'hip' of thing is one"),
    ("planar", "the planar joint 'hip' of thing slides"),
    ("cylindrical", "the cylindrical joint 'hip' of thing slides"),
    ("floating", "the floating joint 'hip' of thing slides"),
])  # fmt: skip
def test_a_joint_with_several_freedoms_is_one_joint(kind, said):
    assert refusal(robot(kind)) == f"plain takes no prismatic joints, and {said}"


def test_a_floating_base():
    assert refusal(load_robot(UR5)) == "plain takes no prismatic joints, and the floating base of ur5 slides"


def test_a_joint_of_which_a_part_is_locked_is_none_of_its_kind_any_more():
    left = reduced(robot("planar"), {"hip.y": 0.1})
    assert refusal(left).endswith("and joint 'hip.x' of thing@lock:hip.y=0.1 is one")


def test_a_ball_that_branches():
    names = ["ball.rz", "ball.ry", "ball.rx", "knee", "odd.x"]
    assert in_words("ball.ry", names) == "the spherical joint 'ball'"
    assert whole_joint("odd.x", names) == whole_joint("knee", names) == ("", "")
    assert in_words("odd.x", names) == "joint 'odd.x'"


def those(mechanism):
    return [CHAINS_ONLY] if not mechanism.needs else []


@pytest.mark.parametrize(("text", "lock"), [
    (UR5, "base"), ("stanford", "joint3"), (PANDA, "panda_finger_joint1"), (ANYMAL, ""), ("torso", ""), ("3rrr", ""),
])  # fmt: skip
def test_what_may_be_locked_is_told_where_that_would_do(text, lock):
    said = with_locks(CHAINS_ONLY, load_robot(text), those)
    assert said == (f"; plain could with --lock {lock}" if lock else "")


@pytest.mark.parametrize("words", [("run",), ("simulate", "--step", "10ms"), ("inverse", "--profile", "cycloid:1")])
def test_a_command_says_so_and_it_is_true(words, capsys, tmp_path):
    verb, *more = words
    more = ["hwang", "--robot", PANDA, "--machine", "ideal", *more, "--quiet"]
    more += ["--out", tmp_path] if verb != "run" else []
    status, _, err = call(capsys, verb, *more)
    assert (status, err.count("\n")) == (2, 1)
    assert err.endswith("could take it; hwang could with --lock panda_finger_joint1\n")
    if verb == "run":
        assert call(capsys, verb, *more, "--lock", "panda_finger_joint1")[0] == 0
