"""States are read from JSON in either form, and every mistake in a file is named."""

import json
import time

import numpy as np
import pytest

from meshsim.algorithms.robots.catalogue import chain, excavator, load_robot
from meshsim.algorithms.robots.closure import CLOSED, assemble, loops
from meshsim.algorithms.robots.linkages import LINKAGES, five_bar
from meshsim.algorithms.robots.state import State, assembled, default_state, read_state
from meshsim.errors import MeshSimError

PAIR = chain(2, 1)
GOOD = {"q": [0.1, 0.2], "qd": [1, 2], "tau": [-3.0, 4.5]}


def write(tmp_path, value):
    path = tmp_path / "state.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_default_state():
    state = default_state(excavator())
    assert state.q == pytest.approx((0.1, 0.2, 0.3, 0.4), abs=1e-15)
    assert state.qd == (0.2, 0.2, 0.2, 0.2)
    assert state.tau == (0.0, 0.0, 0.0, 0.0)


def test_lists_follow_the_order_of_the_joints(tmp_path):
    state = read_state(write(tmp_path, GOOD), PAIR)
    assert state == State(q=(0.1, 0.2), qd=(1.0, 2.0), tau=(-3.0, 4.5))
    assert all(type(value) is float for value in state.qd)


def test_objects_are_keyed_by_joint(tmp_path):
    path = write(tmp_path, {**GOOD, "q": {"joint2": 0.2, "joint1": 0.1}})
    assert read_state(path, PAIR).q == (0.1, 0.2)
    assert read_state(str(path), PAIR).q == (0.1, 0.2)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1, 2], "state must be a JSON object with q, qd and tau, not [1, 2]"),
        ("null", "state must be a JSON object with q, qd and tau, not null"),
        ({**GOOD, "qdd": [0, 0]}, "key of state must be q, qd, tau, not 'qdd'"),
        ({"q": [0, 0], "tau": [0, 0]}, "state must have the keys q, qd, tau, not lack 'qd'"),
        ({**GOOD, "q": [0.1]}, '"q" must be 2 numbers, one for each joint, not [0.1]'),
        ({**GOOD, "q": [1, 2, 3]}, '"q" must be 2 numbers, one for each joint, not [1, 2, 3]'),
        ({**GOOD, "tau": 3}, '"tau" must be a list or an object keyed by joint, not 3'),
        ({**GOOD, "tau": "12"}, '"tau" must be a list or an object keyed by joint, not "12"'),
        ({**GOOD, "qd": [0, True]}, "\"qd\" of joint 'joint2' must be a finite number, not true"),
        ({**GOOD, "qd": ["1", 0]}, '"qd" of joint \'joint1\' must be a finite number, not "1"'),
        ({**GOOD, "qd": [None, 0]}, "\"qd\" of joint 'joint1' must be a finite number, not null"),
        ({**GOOD, "qd": [[], {}]}, "\"qd\" of joint 'joint1' must be a finite number, not []"),
        ({**GOOD, "qd": [0, {}]}, "\"qd\" of joint 'joint2' must be a finite number, not {}"),
        ({**GOOD, "q": [float("nan"), 0]}, "\"q\" of joint 'joint1' must be a finite number, not nan"),
        ({**GOOD, "q": [0, float("-inf")]}, "\"q\" of joint 'joint2' must be a finite number, not -inf"),
        ({**GOOD, "q": [0, 10**400]}, "\"q\" of joint 'joint2' must be a finite number, not inf"),
        ({**GOOD, "q": {"joint1": 1}}, "\"q\" must have the keys joint1, joint2, not lack 'joint2'"),
        ({**GOOD, "q": {"joint1": 1, "elbow": 2}}, "key of \"q\" must be joint1, joint2, not 'elbow'"),
        (
            {**GOOD, "q": {"joint1": 1, "joint2": float("inf")}},
            "\"q\" of joint 'joint2' must be a finite number, not inf",
        ),
        ('{"q": [1, 2], "q": [3, 4]}', 'key "q" must appear once, not 2 times'),
        (
            "{q: 1}",
            "state must be JSON, not text that fails with: "
            "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        ("", "state must be JSON, not text that fails with: Expecting value: line 1 column 1 (char 0)"),
    ],
)
def test_mistakes_are_named(tmp_path, value, message):
    path = write(tmp_path, value)
    with pytest.raises(MeshSimError) as error:
        read_state(path, PAIR)
    assert str(error.value) == f"{path}: {message}"


def test_deep_nesting_and_other_bytes_are_not_json(tmp_path):
    path = tmp_path / "state.json"
    for data in (b"[" * 100_000, b"\xff\xfe\x00"):
        path.write_bytes(data)
        with pytest.raises(MeshSimError, match="state must be JSON, not text that fails with: "):
            read_state(path, PAIR)


def test_a_key_that_comes_twice_is_found_at_once(tmp_path):
    keys = [*map(str, range(50_000)), "49999"]
    path = write(tmp_path, "{" + ",".join(f'"{key}": 0' for key in keys) + "}")
    start = time.process_time()
    with pytest.raises(MeshSimError, match='key "49999" must appear once, not 2 times'):
        read_state(path, PAIR)
    assert time.process_time() - start < 1.0


def test_unreadable_files_are_refused(tmp_path):
    for path, reason in [(tmp_path / "none.json", "No such file or directory"), (tmp_path, "Is a directory")]:
        with pytest.raises(MeshSimError) as error:
            read_state(path, PAIR)
        assert str(error.value) == f"{path}: state must be a readable file, not one that fails with: {reason}"


# With loops


def check_consistent(mechanism, state):
    """Loops are closed, and stay so at these rates."""
    now = loops(mechanism, state.q, state.qd)
    assert np.abs(now.c).max() < CLOSED
    assert np.abs(now.A @ state.qd).max() < 1e-12


@pytest.mark.parametrize("name", LINKAGES)
def test_default_state_with_loops(name):
    mechanism = load_robot(name)
    state = default_state(mechanism)
    check_consistent(mechanism, state)
    assert state.q == tuple(assemble(mechanism).tolist())
    assert [state.q[joint] for joint in mechanism.actuated] == [mechanism.guess[joint] for joint in mechanism.actuated]
    assert [state.qd[joint] for joint in mechanism.actuated] == [0.2] * len(mechanism.actuated)
    assert state.tau == (0.0,) * mechanism.n
    assert state.drives == ()


def test_a_file_holds_the_actuated_joints_and_guesses_the_others(tmp_path):
    """Rates of joints that are not actuated follow, whatever the file says of them."""
    mechanism = load_robot("3rrr")
    guess = np.array(mechanism.guess) + 0.05
    path = write(tmp_path, {"q": guess.tolist(), "qd": [0.1 * i for i in range(9)], "tau": [1.0 * i for i in range(9)]})
    state = read_state(path, mechanism)
    check_consistent(mechanism, state)
    driven = list(mechanism.actuated)
    assert np.array(state.q)[driven].tolist() == guess[driven].tolist()
    assert 1e-3 < np.abs(np.array(state.q) - guess).max() < 0.3
    assert np.array(state.qd)[driven].tolist() == [0.1 * joint for joint in driven]
    assert state.tau == tuple(1.0 * i for i in range(9))
    rates = assembled(mechanism, guess, [0.1 * joint for joint in driven], state.tau)
    assert rates == state


def test_a_file_may_have_the_other_way_to_be_put_together(tmp_path):
    mechanism, other = five_bar(), five_bar(up=False)
    path = write(tmp_path, {"q": list(other.guess), "qd": [0.0] * 4, "tau": dict.fromkeys(mechanism.joints, 0.0)})
    state = read_state(path, mechanism)
    check_consistent(mechanism, state)
    assert state.q == pytest.approx(other.guess, abs=1e-9)
    assert abs(state.q[1] - default_state(mechanism).q[1]) > 1.0


def test_a_file_whose_loops_do_not_close_is_refused(tmp_path):
    mechanism = load_robot("five-bar")
    path = write(tmp_path, {"q": [3.1, 0.0, 0.0, 0.0], "qd": [0.0] * 4, "tau": [0.0] * 4})
    with pytest.raises(MeshSimError) as error:
        read_state(path, mechanism)
    message = str(error.value)
    assert message.startswith(f"{path}: five-bar cannot be assembled near the guess: the loop through 'pin' stays open")
    assert message.endswith(" (m or rad) with 'crank1', 'crank2' held")


def test_a_file_with_loops_has_a_number_for_every_joint(tmp_path):
    path = write(tmp_path, {"q": [0.0], "qd": [0.0], "tau": [0.0]})
    with pytest.raises(MeshSimError, match=r'"q" must be 3 numbers, one for each joint, not \[0.0\]$'):
        read_state(path, load_robot("four-bar"))
