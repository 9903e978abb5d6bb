"""Motion on the machine: its numbers against plain loops and oracles, from every scheme, and how it fails."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tools.motion import Plain, dense_motion, numbers, oracle, simulated
from tools.paths import EXAMPLES
from tools.schemes import CHAINS

from meshsim.algorithms.motion.integration import rule_of, step_on
from meshsim.algorithms.motion.motion import DivergedError, Motion
from meshsim.algorithms.motion.pace import moving
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.reference.energy import energy
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.tree import Inertial, Joint, Pose, build
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS
from meshsim.program import ProgramError


def swing(mechanism, h=0.01, steps=4, **settings):
    """A motion from a state without zeros, under torques that differ by joint, time and state."""
    return Motion(mechanism, default_state(mechanism), h, steps, torque=spring, **settings)


def spring(joint, t, q, qd):
    return (joint + 1) * math.cos(3 * t) - 2.0 * q - 0.1 * qd


# The rule


@pytest.mark.parametrize(("order", "terms"), [(1, 2), (2, 3), (4, 5)])
def test_a_step_is_the_beginning_of_the_exponential(order, terms):
    stepping = step_on(Plain, rule_of(order, 0.3), [1.0, -2.0])
    trial = next(stepping)
    for _ in range(order - 1):
        trial = stepping.send(list(trial))
    with pytest.raises(StopIteration) as end:
        stepping.send(list(trial))
    series = sum(0.3**k / math.factorial(k) for k in range(terms))
    assert end.value.value == pytest.approx([series, -2.0 * series], rel=1e-15)


def test_torques_are_taken_at_the_ends_and_the_middle():
    links = {"ground": None, "load": Inertial(2.0, Pose(np.eye(3), np.zeros(3)), np.eye(3))}
    slider = build("slider", links, [Joint("lift", "prismatic", "ground", "load", axis=np.array([0.0, 0.0, 1.0]))])
    times = []

    def hoist(_joint, t, _q, _qd):
        times.append(t)
        return 2.0 * (9.81 + t**3)

    motion = Motion(slider, State((0.0,), (0.0,), (0.0,)), 0.5, 2, torque=hoist)
    came = simulated("one-wong", motion).value
    assert times == [0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0]
    assert came.qd[:, 0] == pytest.approx([0.0, 0.5**4 / 4, 1.0 / 4], abs=1e-14)  # Simpson's rule is exact for cubics
    assert came.t.tolist() == [0.0, 0.5, 1.0]
    assert came.tau[0, 0] == pytest.approx(19.62)
    assert came.qdd[1, 0] == pytest.approx(0.5**3)
    assert math.isnan(came.qdd[2, 0])
    assert math.isnan(came.tau[2, 0])


def test_energy_drifts_as_the_fourth_power_of_the_step():
    mechanism = load_robot("puma600")
    state = State((0.3, 0.2, -0.4, 0.5, 0.7, -0.6), (0.5, -1.0, 1.5, 1.0, -0.8, 2.0), (0.0,) * 6)
    drifts = []
    for h in (0.02, 0.01, 0.005, 0.0025):
        came = numbers(Motion(mechanism, state, h, round(1.0 / h)))
        total = [sum(energy(mechanism, *ends)) for ends in zip(came.q[[0, -1]], came.qd[[0, -1]], strict=True)]
        drifts.append(total[1] - total[0])
    ratios = [coarse / fine for coarse, fine in pairwise(drifts)]
    assert ratios[-1] == pytest.approx(16.0, rel=0.1)
    assert ratios[-2] == pytest.approx(16.0, rel=0.25)


def test_halving_the_step_divides_the_error_by_sixteen():
    known = oracle("saha_trajectories")["wong_excavator_freefall"]["freefall"]
    mechanism = load_robot("excavator")
    errors = []
    for h in (0.05, 0.025, 0.0125):
        came = numbers(load_profile("free", mechanism).motion(mechanism, h))
        errors.append(np.abs(came.q[-1] - known["q"][-1]).max())
    ratios = [coarse / fine for coarse, fine in pairwise(errors)]
    assert ratios == pytest.approx([16.0, 16.0], rel=0.2)
    assert errors[-1] > 1000 * known["est_abs_error_q"]


# Published experiments, by numbers of others


def followed(robot, profile, h, scheme="one-wong"):
    mechanism = load_robot(robot)
    driving = load_profile(profile, mechanism)
    came = numbers(driving.motion(mechanism, h), scheme)
    errors = np.degrees([driving.wanted.q(t) for t in came.t] - came.q)
    return came, errors


@pytest.mark.parametrize(("h", "scheme"), [pytest.param(0.01, "wong-mesh", marks=pytest.mark.slow), (0.02, "one-wong")])
def test_puma_errs_as_the_oracle_does(h, scheme):
    known = oracle("openloop")["puma600"]
    came, errors = followed("puma600", "cycloid:10", h, scheme)
    # The oracle's own steps round otherwise, and the arm is unstable: 5 digits of the error are common to both.
    assert np.abs(errors).max(axis=0) == pytest.approx(known["rk4"][str(h)]["max_err_deg"], rel=1e-5)
    assert errors[-1] == pytest.approx(known["rk4"][str(h)]["final_err_deg"], rel=1e-5)
    if h == 0.01:
        assert errors[np.abs(errors[:, 5]).argmax(), 5] == pytest.approx(-8.343e-5, rel=1e-3)
    every = round(0.5 / h)
    assert came.tau[:-1:every] == pytest.approx(np.array(known["tau"])[:-1], abs=1e-8)


@pytest.mark.slow
def test_torso_errs_as_the_oracle_does():
    known = oracle("openloop")["torso_literal"]
    came, errors = followed("torso", "cycloid:5", 0.005)
    assert np.abs(errors).max(axis=0) == pytest.approx(known["rk4"]["0.005"]["max_err_deg"], rel=1e-4)
    assert came.tau[:-1:50] == pytest.approx(np.array(known["tau"])[:-1], abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("robot", "name"), [("torso", "torso_literal"), ("torso:l6", "torso_l6"), ("torso:axes", "torso_axes_fixed")]
)
def test_torso_follows_with_small_steps(robot, name):
    known = oracle("openloop")[name]
    came, errors = followed(robot, "cycloid:5", 0.001, "wong-mesh")
    assert np.abs(errors).max(axis=0) == pytest.approx(known["rk4"]["0.001"]["max_err_deg"], rel=1e-3)
    assert np.abs(errors).max() < 0.3
    assert came.tau[:-1:250] == pytest.approx(np.array(known["tau"])[:-1], abs=1e-8)


@pytest.mark.parametrize(
    ("robot", "name"), [("saha-puma", "saha_puma_corrected"), ("saha-puma:printed", "saha_puma_as_printed"),
                        ("stanford", "saha_stanford"), ("excavator", "wong_excavator_freefall")]
)  # fmt: skip
def test_free_fall_as_the_oracle_has_it(robot, name):
    known = oracle("saha_trajectories")[name]["freefall"]
    mechanism = load_robot(robot)
    n = len(mechanism.joints)
    start = State(tuple(known["q0"]), (0.0,) * n, (0.0,) * n)
    came = numbers(load_profile("free", mechanism).motion(mechanism, 0.0025, start=start))
    # The fourth power of the step, and rates of 10 rad/s.
    assert came.q[::80] == pytest.approx(np.array(known["q"]), abs=3e-6)
    assert came.qd[::80] == pytest.approx(np.array(known["qd"]), abs=3e-4)


# The same from all


@pytest.mark.parametrize("name", CHAINS)
def test_every_scheme_moves_a_chain_alike(name):
    motion = swing(chain(4, 3), friction=(0.5, 0.0, 0.2, 0.1))
    q, qd = dense_motion(motion)
    came = simulated(name, motion).value
    # Rounding, through four steps of accelerations up to some hundred rad/s2.
    assert came.q == pytest.approx(q, abs=1e-11)
    assert came.qd == pytest.approx(qd, abs=1e-9)


TREES = [name for name, scheme in CHAINS.items() if "branching joints" in scheme.takes]
TREE_OPTIONS = [
    ("wong-mesh", {"carry": carry, "zeros": zeros})
    for carry in ("links", "bus", "forward")
    for zeros in ("kept", "skipped")
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("robot", ["torso", "stanford", "crane"])
@pytest.mark.parametrize(("name", "options"), [*((name, {}) for name in TREES), *TREE_OPTIONS])
def test_trees_and_joints_that_slide_move_alike(robot, name, options):
    mechanism = load_robot(str(EXAMPLES / "crane.toml") if robot == "crane" else robot)
    motion = swing(mechanism, 0.002, 2)
    q, qd = dense_motion(motion)
    came = simulated(name, motion, **options).value
    size = np.abs(qd).max()
    assert came.q == pytest.approx(q, abs=1e-11 * size)
    assert came.qd == pytest.approx(qd, abs=1e-9 * size)


@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("name", ["wong-mesh", "hwang", "one-saha"])
def test_other_orders(name, order):
    motion = swing(chain(3, 5), order=order)
    q, qd = dense_motion(motion)
    came = simulated(name, motion).value
    assert came.q == pytest.approx(q, abs=1e-11)
    assert came.qd == pytest.approx(qd, abs=1e-9)


def test_joints_that_mimic_move_with_their_masters(tmp_path):
    urdf = (EXAMPLES / "arm.urdf").read_text()
    names = load_robot(str(EXAMPLES / "arm.urdf")).joints
    path = tmp_path / "gripper.urdf"
    path.write_text(tied(urdf, names[1], names[0]))
    mechanism = load_robot(str(path))
    assert mechanism.joints == (names[0], *names[2:])
    motion = swing(mechanism)
    q, qd = dense_motion(motion)
    for name in [name for name, scheme in CHAINS.items() if "mimic joints" in scheme.takes]:
        came = simulated(name, motion).value
        assert came.q == pytest.approx(q, abs=1e-11)
        assert came.qd == pytest.approx(qd, abs=1e-9)


def tied(urdf, joint, master):
    """The robot with a joint that mimics another."""
    before, after = urdf.split(f'<joint name="{joint}"')
    inside, rest = after.split("</joint>", 1)
    return (
        f'{before}<joint name="{joint}"{inside}<mimic joint="{master}" multiplier="-0.5" offset="0.2"/></joint>{rest}'
    )


def plain_loop(scheme, motion, **options):
    """One processor integrates: each evaluation is a run of its own, each joint's step one line of arithmetic."""
    mechanism = motion.mechanism
    n, h = len(mechanism.joints), motion.h

    def accelerate(t, q, qd):
        tau = tuple(motion.torque(i, t, q[i], qd[i]) for i in range(n))
        state = State(tuple(q), tuple(qd), tau)
        return SCHEMES[scheme].plan(mechanism, state, **options).run(PRESETS["ideal"], trace=False).value.qdd.tolist()

    def ahead(step, rates, values):
        return [step * rate + value for rate, value in zip(rates, values, strict=True)]

    q, qd = list(motion.state.q), list(motion.state.qd)
    rows = [(q, qd)]
    for step in range(motion.steps):
        at = [(2 * step + half) * h / 2 for half in (0, 1, 1, 2)]
        v1, a1 = qd, accelerate(at[0], q, qd)
        v2 = ahead(h / 2, a1, qd)
        a2 = accelerate(at[1], ahead(h / 2, v1, q), v2)
        v3 = ahead(h / 2, a2, qd)
        a3 = accelerate(at[2], ahead(h / 2, v2, q), v3)
        v4 = ahead(h, a3, qd)
        a4 = accelerate(at[3], ahead(h, v3, q), v4)
        q, qd = (
            [y + h / 6 * (k1 + k4 + 2.0 * (k2 + k3)) for y, k1, k2, k3, k4 in zip(*each, strict=True)]
            for each in ((q, v1, v2, v3, v4), (qd, a1, a2, a3, a4))
        )
        rows.append((q, qd))
    return np.array(rows)


LAST_BIT = [
    ("wong-mesh", {}),
    ("wong-mesh", {"rho": "recompute", "solver": "liu-young"}),
    ("wong-mesh", {"carry": "bus", "zeros": "skipped"}),
    ("wong-mesh", {"carry": "forward"}),
    ("branch-parallel", {}),
    ("one-wong", {}),
]


@pytest.mark.parametrize("robot", ["puma600", pytest.param("torso", marks=pytest.mark.slow), "stanford"])
@pytest.mark.parametrize(("name", "options"), LAST_BIT)
def test_integration_where_joints_live_is_that_of_one_processor_to_the_last_bit(robot, name, options):
    motion = swing(load_robot(robot), steps=3)
    plain = plain_loop(name, motion, **options)
    for came in (simulated(name, motion, "t800", **options).value, numbers(motion, name, **options)):
        assert np.array_equal(came.q, plain[:, 0])
        assert np.array_equal(came.qd, plain[:, 1])


def test_all_ways_to_lay_out_the_mesh_give_the_same_bits():
    motion = swing(load_robot("torso"), steps=2)
    first = simulated("wong-mesh", motion).value
    for rho in ("pass", "recompute"):
        for carry in ("links", "bus", "forward"):
            for zeros in ("kept", "skipped"):
                came = simulated("wong-mesh", motion, "t800-overlap", rho=rho, carry=carry, zeros=zeros).value
                assert np.array_equal(came.q, first.q)
                assert np.array_equal(came.qd, first.qd)


@pytest.mark.parametrize("name", CHAINS)
def test_arithmetic_written_out_gives_the_same_bits(name):
    motion = swing(chain(3, 8), friction=(0.1,) * 3)
    came, written = simulated(name, motion).value, numbers(motion, name)
    for what in ("q", "qd", "qdd", "tau"):
        assert np.array_equal(getattr(came, what), getattr(written, what), equal_nan=True)


@pytest.mark.parametrize("name", ["one-wong", "one-angeles", "one-walker-orin", "one-bae"])
def test_written_out_with_an_array_beside_the_processor(name):
    motion = swing(chain(3, 8))
    came, written = simulated(name, motion, solver="faddeev").value, numbers(motion, name, solver="faddeev")
    assert np.array_equal(came.q, written.q)


# Friction, counts


def test_friction_slows_a_joint_down_exponentially():
    mechanism = replace(chain(1, 4), gravity=(0.0, 0.0, 0.0))
    state = State((0.0,), (3.0,), (0.0,))
    inertia = forward_dynamics(mechanism, state).M[0, 0]
    b = 2.0 * inertia
    came = numbers(Motion(mechanism, state, 0.01, 100, friction=(b,)))
    assert came.qd[:, 0] == pytest.approx(3.0 * np.exp(-2.0 * came.t), rel=1e-8)
    assert came.tau[0, 0] == pytest.approx(-3.0 * b)


def test_what_a_motion_computes_besides_evaluations():
    """Of a joint's two numbers: three trials, the rates in the middle, the weighing; and friction each time."""
    mechanism = load_robot("puma600")
    state = default_state(mechanism)
    one = SCHEMES["one-wong"].plan(mechanism, state).run(PRESETS["ideal"], trace=False).operations
    motion = Motion(mechanism, state, 0.001, 5, friction=(0.1,) * 6)
    whole = simulated("one-wong", motion).operations
    extra = {op: whole[op] - 5 * 4 * one[op] for op in whole}
    step = {"mul": 6 * 2 * (3 + 2), "add": 6 * 2 * (3 + 1 + 3), "div": 0, "sqrt": 0, "sincos": 0}
    assert extra == {
        **{op: 5 * count for op, count in step.items()},
        "mul": 5 * (step["mul"] + 4 * 6),
        "add": 5 * (step["add"] + 4 * 6),
    }


def test_what_a_motion_sends_besides_evaluations():
    """Before each evaluation but the first a position to row 1; after each step all positions to the host."""
    mechanism = chain(3, 1)
    state = default_state(mechanism)
    one = SCHEMES["wong-mesh"].plan(mechanism, state).run(PRESETS["ideal"], trace=False)
    whole = simulated("wong-mesh", Motion(mechanism, state, 0.001, 5))
    fed = (5 * 4 - 1) * 3
    gathered = whole.words - 5 * 4 * one.words - fed
    assert gathered == 5 * (1 + 2 + 3)  # along row 0, each passes on those of its neighbours
    assert whole.messages - 5 * 4 * one.messages - fed <= gathered


# Torques from outside, and watching


def test_a_callback_is_asked_for_each_joint_by_its_own_state():
    asked = []
    mechanism = chain(2, 1)

    def torque(joint, t, q, qd):
        asked.append((t, joint, q, qd))
        return 0.0

    state = State((0.1, 0.2), (0.3, 0.4), (9.0, 9.0))
    simulated("wong-mesh", Motion(mechanism, state, 0.1, 1, torque=torque))
    assert sorted(asked)[:2] == [(0.0, 0, 0.1, 0.3), (0.0, 1, 0.2, 0.4)]
    assert sorted(t for t, *_ in asked) == [0.0] * 2 + [0.05] * 4 + [0.1] * 2


def test_a_callback_that_fails_is_told():
    def torque(joint, t, _q, _qd):
        raise KeyError(f"no torque for {joint} at {t}")

    with pytest.raises(ProgramError, match=r"failed at tick 0: KeyError: 'no torque for 0 at 0.0'"):
        simulated("one-wong", replace(swing(chain(2, 1)), torque=torque))


@pytest.mark.parametrize("name", ["wong-mesh", "fijany-bejczy", "one-bae"])
def test_a_watcher_sees_every_sample(name):
    motion = swing(chain(3, 2), steps=3)
    seen = {}
    evaluation = SCHEMES[name].evaluation(motion.mechanism)
    watch = lambda step, joint, sample: seen.update({(step, joint): sample})  # noqa: E731
    came = moving(evaluation, motion, watch).run(PRESETS["t800"], trace=False).value
    assert sorted(seen) == [(step, joint) for step in range(4) for joint in range(3)]
    for (step, joint), sample in seen.items():
        assert (sample.q, sample.qd) == (came.q[step, joint], came.qd[step, joint])
        if step < 3:
            assert (sample.qdd, sample.tau) == (came.qdd[step, joint], came.tau[step, joint])
        else:
            assert (sample.qdd, sample.tau) == (None, None)


# What is refused


def test_a_motion_that_diverges_says_where():
    mechanism = load_robot("excavator")
    pushed = Motion(mechanism, default_state(mechanism), 0.01, 50, torque=lambda _joint, _t, q, _qd: 1e12 * q)
    for scheme in ("one-wong", "wong-mesh"):
        with pytest.raises(DivergedError) as error:
            simulated(scheme, pushed)
        assert str(error.value).startswith("the motion diverged: joint '")
        assert "is nowhere by t = 0." in str(error.value)
        assert str(error.value).endswith("a smaller step than 0.01 s may help")


@pytest.mark.parametrize("rate", [1e160, 1e300])
def test_numbers_that_overflow_within_a_step_diverge_too(rate):
    mechanism = chain(3, 1)
    wild = Motion(mechanism, State((0.0,) * 3, (rate, -rate, rate), (0.0,) * 3), 0.01, 5)
    for scheme in CHAINS:
        with pytest.raises(DivergedError, match=r"is nowhere by t = 0.01 s"):
            simulated(scheme, wild)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"h": 0.0}, "step must be a positive number of seconds, not 0.0"),
        ({"h": math.nan}, "step must be a positive number of seconds, not nan"),
        ({"steps": 0}, "a motion must have at least one step, not 0"),
        ({"friction": (1.0,)}, "friction must be given for each of 2 joints, not for 1"),
        ({"actuators": (None,) * 3}, "actuators must be given for each of 2 joints, not for 3"),
    ],
)
def test_motions_that_cannot_be(changes, message):
    with pytest.raises(MeshSimError) as error:
        replace(swing(chain(2, 1)), **changes)
    assert str(error.value) == message


def test_orders_that_cannot_be():
    with pytest.raises(MeshSimError) as error:
        simulated("one-wong", swing(chain(2, 1), order=3))
    assert str(error.value) == "order must be 1, 2 or 4, not 3"
