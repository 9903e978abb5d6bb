"""States are read from JSON in either form, and every mistake in a file is named."""

import json
import time

import numpy as np
import pytest

from meshsim.algorithms.robots.catalogue import chain, excavator, load_robot
from meshsim.algorithms.robots.closure import CLOSED, assemble, leading, loops
from meshsim.algorithms.robots.linkages import LINKAGES, five_bar
from meshsim.algorithms.robots.state import Opening, State, assembled, checked, default_state, read_state, state_from
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


@pytest.mark.parametrize("name", [*LINKAGES, "stewart"])
def test_default_state_with_loops(name):
    mechanism = load_robot(name)
    state = default_state(mechanism)
    check_consistent(mechanism, state)
    assert state.q == tuple(assemble(mechanism).tolist())
    leads = leading(mechanism)
    assert [state.q[joint] for joint in leads] == [mechanism.guess[joint] for joint in leads]
    assert [state.qd[joint] for joint in leads] == [0.2] * len(leads)
    assert state.tau == (0.0,) * mechanism.n
    assert state.drives == ()


def test_a_file_may_be_of_the_actuated_joints_alone(tmp_path):
    """By name or as a list; the others follow, and have no torque."""
    mechanism = load_robot("3rrr")
    driven = list(mechanism.actuated)
    q = np.array(mechanism.guess)[driven] + 0.05
    names = [mechanism.joints[joint] for joint in driven]
    for form in (list, lambda values: dict(zip(names, values, strict=True))):
        path = write(tmp_path, {"q": form(q.tolist()), "qd": form([0.1, 0.2, 0.3]), "tau": form([4.0, 5.0, 6.0])})
        state = read_state(path, mechanism)
        check_consistent(mechanism, state)
        assert np.array(state.q)[driven].tolist() == q.tolist()
        assert np.array(state.qd)[driven].tolist() == [0.1, 0.2, 0.3]
        assert state.tau == (4.0, 0.0, 5.0, 0.0, 6.0, 0.0, 0.0, 0.0, 0.0)


def test_a_file_of_all_joints_may_leave_out_digits(tmp_path):
    mechanism = load_robot("3rrr")
    exact = default_state(mechanism)
    q, qd = ([round(each, 7) for each in values] for values in (exact.q, exact.qd))
    state = read_state(write(tmp_path, {"q": q, "qd": qd, "tau": list(exact.tau)}), mechanism)
    check_consistent(mechanism, state)
    assert state.q == pytest.approx(exact.q, abs=1e-6)
    assert checked(exact, mechanism).q == pytest.approx(exact.q, abs=1e-12)


def test_positions_of_all_joints_that_do_not_close_say_what_would():
    mechanism = load_robot("four-bar")
    still = {"qd": [0.0], "tau": [0.0]}
    q = list(assembled(mechanism, mechanism.guess, [0.0], [0.0] * 3).q)
    q[2] += 0.01
    with pytest.raises(MeshSimError) as error:
        state_from({"q": q, **still}, mechanism)
    message = str(error.value)
    gap = np.abs(loops(mechanism, q, np.zeros(3)).c).max()
    assert message.startswith(
        f"\"q\" must close the loops of four-bar, and leaves that through 'pin' open by {gap:.3g} m; with the actuated "
        'joints there they close at "coupler": '
    )
    right = json.loads("{" + message.split("close at ")[1].split(";")[0] + "}")
    check_consistent(mechanism, state_from({"q": {"crank": q[0], **right}, **still}, mechanism))
    with pytest.raises(MeshSimError, match=r"open by .* with the actuated joints there they do not close at all \(pen"):
        state_from({"q": [3.1, 0.0, 0.0, 0.0], "qd": [0.0] * 2, "tau": [0.0] * 2}, load_robot("five-bar"))


def test_rates_of_all_joints_that_open_loops_say_what_would_not():
    mechanism = load_robot("3rrr")
    good = default_state(mechanism)
    qd = list(good.qd)
    qd[8] += 0.3
    given = {"q": list(good.q), "qd": qd, "tau": list(good.tau)}
    with pytest.raises(MeshSimError) as error:
        state_from(given, mechanism)
    message = str(error.value)
    size = np.abs(loops(mechanism, good.q, qd).A @ qd).max()
    assert message.startswith('"qd" must keep the loops of 3rrr closed, and opens that through ')
    assert f' by {size:.3g} m/s; with the actuated joints so, the others move at "distal1": ' in message
    right = json.loads("{" + message.split("move at ")[1].split(";")[0] + "}")
    assert right["platform.rz"] == pytest.approx(good.qd[8], abs=1e-8)
    assert state_from({**given, "q": list(good.q)}, mechanism, Opening(True, any_rates=True)).qd == tuple(qd)


def test_loops_may_be_open_where_that_is_taken():
    """As they are; a rate sigma closes them unless rates are given that do."""
    mechanism = load_robot("four-bar")
    q = [mechanism.guess[0], mechanism.guess[1] + 0.1, mechanism.guess[2]]
    some = {"q": q, "qd": [0.5], "tau": [0.0]}
    sprung = state_from(some, mechanism, Opening(True, any_rates=True))
    assert sprung.q == tuple(q)
    fading = state_from(some, mechanism, Opening(True, 7.0))
    now = loops(mechanism, q, fading.qd)
    assert fading.qd[0] == 0.5
    assert pytest.approx(-7.0 * now.c, abs=1e-12) == now.A @ fading.qd
    with pytest.raises(MeshSimError, match=r'^"qd" must close the loops of four-bar at the rate of sigma'):
        state_from({**some, "qd": [0.5, 0.0, 0.0]}, mechanism, Opening(True, 7.0))
    check_consistent(mechanism, state_from({**some, "q": q[:1]}, mechanism, Opening(True, 7.0)))


def test_a_file_may_have_the_other_way_to_be_put_together(tmp_path):
    mechanism, other = five_bar(), five_bar(up=False)
    path = write(tmp_path, {"q": list(other.guess), "qd": [0.0] * 4, "tau": dict.fromkeys(mechanism.joints, 0.0)})
    state = read_state(path, mechanism)
    check_consistent(mechanism, state)
    assert state.q == pytest.approx(other.guess, abs=1e-9)
    assert abs(state.q[1] - default_state(mechanism).q[1]) > 1.0


def test_actuated_joints_that_cannot_be_reached_say_which_and_what_would_be(tmp_path):
    mechanism = load_robot("five-bar")
    path = write(tmp_path, {"q": {"crank1": 3.1, "crank2": 0.0}, "qd": [0.0] * 2, "tau": [0.0] * 2})
    with pytest.raises(MeshSimError) as error:
        read_state(path, mechanism)
    message = str(error.value)
    assert message.startswith(
        f"{path}: \"q\" must let the loops of five-bar close, and the loop through 'pin' stays open"
    )
    assert " m, most of all because of 'crank" in message
    name, position = message.split("they close with ")[1].removesuffix(" rad").split(" at ")
    q = {"crank1": 3.1, "crank2": 0.0, name.strip("'"): float(position)}
    check_consistent(mechanism, state_from({"q": q, "qd": [0.0] * 2, "tau": [0.0] * 2}, mechanism))


def test_a_file_with_loops_has_a_number_for_every_joint_or_every_actuated_one(tmp_path):
    four_bar = load_robot("four-bar")
    path = write(tmp_path, {"q": [0.0, 0.0], "qd": [0.0], "tau": [0.0]})
    message = r'"q" must be 3 numbers, one for each joint, or 1 for the actuated ones, not \[0.0, 0.0\]$'
    with pytest.raises(MeshSimError, match=message):
        read_state(path, four_bar)
    for q in ({"crank": 1.0, "wheel": 0.0}, {"coupler": 1.0}, {}):
        with pytest.raises(MeshSimError, match=r'"q" must'):
            state_from({"q": q, "qd": [0.0], "tau": [0.0]}, four_bar)
