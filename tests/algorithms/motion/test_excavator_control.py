"""The excavator: its control and hydraulics against plain formulas, alone and in motion."""

import math

import numpy as np
import pytest
from tools.motion import Plain, numbers, simulated
from tools.schemes import CHAINS

from meshsim.algorithms.kernels.control import (
    arm_rates,
    differentiate,
    joint_rates,
    pd_voltage,
    slope_of,
    spool_opening,
)
from meshsim.algorithms.motion.excavator_control import (
    ACTUATORS,
    BOOM,
    DEADBAND,
    JOINT_RATES,
    OPENING,
    SPOOL_GAIN,
    START,
    STICK,
    ExcavatorControl,
    Memory,
    end_effector,
    resolve,
)
from meshsim.algorithms.motion.pace import moving
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.motion.stepping import CONTROL
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.kinematics import skeleton
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS

EXCAVATOR = load_robot("excavator")
POSES = [START, (0.4, 0.9, -1.9, 0.3), (-1.0, 0.2, -0.8, -1.0), (0.0, 1.2, -2.6, 0.5)]


# Parts


def test_kernels_compute_what_they_say():
    assert differentiate(100.0, 0.53, 0.5) == pytest.approx(3.0)
    assert pd_voltage(2.0, 3.0, (0.5, 0.2), (1.0, 0.6)) == pytest.approx(2.0 * 0.3 + 3.0 * 0.4)  # Wong eq. 5.5
    assert slope_of(0.3, -0.5) == pytest.approx(-0.2)
    assert joint_rates(0.1, 0.4, 1.0) == pytest.approx((0.3, 0.6))


@pytest.mark.parametrize(
    ("voltage", "opening"),
    [(0.0, 0.0), (0.1, 0.0), (0.4, 0.0), (0.5, 0.0), (0.6, 0.01), (1.0, 0.05), (1.01, 0.05), (50.0, 0.05)],
)
def test_a_spool_has_a_deadband_and_an_end(voltage, opening):
    """A tenth of a centimetre a volt, less half a millimetre."""
    assert spool_opening(voltage, 0.1, 0.05, 0.05) == pytest.approx(opening, abs=1e-15)
    assert spool_opening(-voltage, 0.1, 0.05, 0.05) == pytest.approx(-opening, abs=1e-15)


@pytest.mark.parametrize("theta", POSES)
def test_where_the_arm_ends_is_where_the_bucket_is_hinged(theta):
    hinges, _ = skeleton(EXCAVATOR, theta)
    radius, height, _ = end_effector(theta)
    x, y, z = hinges[3]
    assert x * math.cos(theta[0]) + y * math.sin(theta[0]) == pytest.approx(radius)  # in the plane of the arm
    assert z == pytest.approx(height)


def test_the_chosen_start():
    radius, _, slope = end_effector(START)
    assert radius == pytest.approx(5.0)
    assert math.degrees(START[1] + START[2]) == pytest.approx(-60.0)
    assert math.degrees(slope) == pytest.approx(-90.0)


@pytest.mark.parametrize("theta", POSES)
@pytest.mark.parametrize("command", [(0.1, 0.3, 0.0, 0.0), (0.0, 0.0, 0.2, 0.0), (-0.2, 0.1, -0.3, 0.4)])
def test_resolved_rates_move_the_end_as_commanded(theta, command):
    """Against numerical differentiation of where the end is."""
    rates = np.array(resolve(Plain, command, theta))
    e = 1e-6
    ahead, behind = (np.array(end_effector(np.array(theta) + sign * e * rates)) for sign in (1, -1))
    assert rates[0] == command[0]
    assert (ahead - behind) / (2 * e) == pytest.approx(np.array(command[1:]), abs=1e-8)


def test_arm_rates_solve_the_two_by_two_system():
    boom, stick = 0.8, -1.1
    J = [
        [-BOOM * math.sin(boom), -STICK * math.sin(stick)],
        [BOOM * math.cos(boom), STICK * math.cos(stick)],
    ]
    ends = (math.sin(boom), math.cos(boom)), (math.sin(stick), math.cos(stick))
    assert arm_rates((0.3, -0.2), *ends, (BOOM, STICK)) == pytest.approx(np.linalg.solve(J, [0.3, -0.2]))


# Control, sample by sample


class PlainControl:
    """The same law once more, without kernels: what is wanted is integrated, the valves close the difference."""

    kp, kv = (2.0, 3.0, 2.0, 2.0), (1.0, 2.0, 1.0, 1.0)  # Wong Table 5.3

    def __init__(self, mode, h):
        self.mode, self.h = mode, h
        self.sample, self.before, self.wanted = 0, np.array(START), np.array(START)

    def openings(self, theta):
        t = self.sample * self.h
        moving = 5.0 <= t < 10.0
        if self.mode == "joint":
            rates = np.radians([3.0, -2.0, 3.0, 4.0]) if moving else np.zeros(4)
        else:
            rates = self.resolved(*((math.radians(15.0) / 5.0, 1.5 / 5.0) if moving else (0.0, 0.0)))
        self.wanted = self.wanted + self.h * rates
        actual = (np.array(theta) - self.before) / self.h
        volts = np.array(self.kv) * (rates - actual) + np.array(self.kp) * (self.wanted - theta)
        self.sample, self.before = self.sample + 1, np.array(theta)
        asked = np.clip(np.abs(SPOOL_GAIN * volts) - DEADBAND, 0.0, OPENING)
        return np.sign(volts) * asked

    def resolved(self, cab, radial):
        boom, stick = self.wanted[1], self.wanted[1] + self.wanted[2]
        J = [[-BOOM * math.sin(boom), -STICK * math.sin(stick)], [BOOM * math.cos(boom), STICK * math.cos(stick)]]
        to_horizon = np.linalg.solve(J, [radial, 0.0])
        return np.array([cab, to_horizon[0], to_horizon[1] - to_horizon[0], -to_horizon[1]])


@pytest.mark.parametrize("mode", ["joint", "resolved"])
def test_control_against_the_same_law_in_plain_words(mode):
    control, plain = ExcavatorControl(mode, 0.01), PlainControl(mode, 0.01)
    memory = None
    random = np.random.default_rng(3)
    theta = np.array(START)
    for _ in range(1100):  # before, while and after the joysticks are moved
        theta = theta + random.normal(0.0, 1e-4, 4)
        memory, openings = control.command(Plain, memory, theta.tolist())
        assert openings == pytest.approx(plain.openings(theta), abs=1e-10)
        assert memory.wanted == pytest.approx(plain.wanted, abs=1e-12)


def test_joysticks_are_moved_from_five_to_ten_seconds():
    control = ExcavatorControl("joint", 0.01)
    assert [control.is_moving(sample) for sample in (0, 499, 500, 999, 1000)] == [False, False, True, True, False]
    assert control.wanted_rates(Plain, Memory(700, START, START)) == JOINT_RATES
    assert tuple(control.wanted_rates(Plain, Memory(3, START, START))) == (0.0,) * 4


def test_without_motion_and_command_valves_stay_shut():
    control = ExcavatorControl("resolved", 0.01)
    memory, openings = control.command(Plain, None, START)
    assert openings == (0.0,) * 4
    assert memory.wanted == pytest.approx(START)


def test_resolved_mode_goes_from_five_to_six_and_a_half_metres():
    control, memory = ExcavatorControl("resolved", 0.01), None
    for _ in range(1500):
        memory, _ = control.command(Plain, memory, START)
    first, last = end_effector(START), end_effector(memory.wanted)
    assert last[0] == pytest.approx(6.5, abs=0.01)  # the rates are integrated by steps of 0.01 s
    assert last[1:] == pytest.approx(first[1:], abs=0.01)
    assert math.degrees(memory.wanted[0]) == pytest.approx(15.0)


# In motion


def plain_dig(mode, h, steps):
    """Angles, pressures and openings after each step: textbook formulas and a dense solver."""
    supply, damping = np.array([4000.0, 7000.0, 4000.0, 4000.0]), np.array([1e5, 1e5, 3e4, 100.0])  # Wong Table 5.2
    motor = 0.7 * np.array([307.0, 545.0, 220.0, 250.0])

    def rates(y, x):
        q, qd, p_in, p_out = y
        p_in, p_out = np.clip(p_in, 0.0, supply), np.clip(p_out, 0.0, supply)
        flow_in = 26.0 * x * np.sqrt(np.where(x > 0, supply - p_in, p_in))  # Wong eq. 5.2
        flow_out = 26.0 * x * np.sqrt(np.where(x > 0, p_out, supply - p_out))
        tau = (p_in - p_out) * motor / 8.0 - damping * qd  # Wong eq. 5.3
        qdd = forward_dynamics(EXCAVATOR, State(tuple(q), tuple(qd), tuple(tau))).qdd
        return np.array([qd, qdd, 1000.0 * (flow_in - motor * qd), 1000.0 * (motor * qd - flow_out)])  # Wong eq. 5.4

    control = PlainControl(mode, h)
    y, x = np.array([START, (0.0,) * 4, (0.0,) * 4, (0.0,) * 4]), np.zeros(4)
    rows = []
    for _ in range(steps):
        k1 = rates(y, x)
        k2 = rates(y + h / 2 * k1, x)
        k3 = rates(y + h / 2 * k2, x)
        k4 = rates(y + h * k3, x)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y[2:] = np.clip(y[2:], 0.0, supply)
        x = control.openings(y[0])
        rows.append((y[0], y[2], y[3], x))
    return np.array(rows)


@pytest.mark.parametrize(
    ("mode", "steps"), [("joint", 50), ("resolved", 50), pytest.param("resolved", 600, marks=pytest.mark.slow)]
)  # with valves that open at last
def test_the_excavator_against_plain_formulas(mode, steps):
    plain = plain_dig(mode, 0.01, steps)
    motion = load_profile(f"excavator:{mode}", EXCAVATOR).motion(EXCAVATOR, 0.01, steps / 100)
    came = numbers(motion, "wong-mesh", rho="recompute")
    assert came.commands[-1].any() == (steps == 600)
    assert came.q[1:] == pytest.approx(plain[:, 0], abs=1e-8)
    assert came.pressures[1:, :, 0] == pytest.approx(plain[:, 1], abs=1e-4)
    assert came.pressures[1:, :, 1] == pytest.approx(plain[:, 2], abs=1e-4)
    assert came.commands[1:] == pytest.approx(plain[:, 3], abs=1e-7)


def test_pressures_start_at_the_drain_and_valves_shut():
    came = simulated("wong-mesh", load_profile("excavator:joint", EXCAVATOR).motion(EXCAVATOR, 0.01, 0.02)).value
    assert not came.pressures[0].any()
    assert not came.commands[0].any()
    assert came.tau[0] == pytest.approx([0.0] * 4)
    supplies = [actuator.supply for actuator in ACTUATORS]
    assert (came.pressures >= 0.0).all()
    assert (came.pressures <= np.array(supplies)[:, None]).all()


CONTROLLED = [name for name in CHAINS if name != "branch-parallel"]


@pytest.mark.parametrize("name", CONTROLLED)
def test_every_scheme_with_a_host_digs_alike(name):
    motion = load_profile("excavator:resolved", EXCAVATOR).motion(EXCAVATOR, 0.01, 0.04)
    plain = plain_dig("resolved", 0.01, 4)
    came = simulated(name, motion, "t800").value
    assert came.q[1:] == pytest.approx(plain[:, 0], abs=1e-10)
    assert came.commands[1:] == pytest.approx(plain[:, 3], abs=1e-8)


def test_the_mesh_has_a_control_processor_besides_the_host():
    motion = load_profile("excavator:joint", EXCAVATOR).motion(EXCAVATOR, 0.01, 0.02)
    plan = moving(SCHEMES["wong-mesh"].evaluation(EXCAVATOR), motion)
    assert len(plan.programs) == 16
    assert list(plan.topology[CONTROL]) == [(0, 0)]
    run = plan.run(PRESETS["t800"])
    control = next(cpu for cpu in run.cpus if cpu.node == CONTROL)
    assert {kernel.name: count for kernel, count in control.calls.items()} == {
        "axpy": 2 * 4, "differentiate": 2 * 4, "pd_voltage": 2 * 4, "spool_opening": 2 * 4,
    }  # fmt: skip
    others = [kernel.name for cpu in run.cpus if cpu.node != CONTROL for kernel in cpu.calls]
    assert "pd_voltage" not in others
    homes = {cpu.node for cpu in run.cpus if "valve_flow" in [kernel.name for kernel in cpu.calls]}
    assert homes == {(0, i) for i in range(1, 5)}


def test_branches_have_no_host():
    motion = load_profile("excavator:joint", EXCAVATOR).motion(EXCAVATOR, 0.01, 0.02)
    with pytest.raises(MeshSimError) as error:
        simulated("branch-parallel", motion)
    assert str(error.value) == ("a scheme must have a host to bring commands to the joints, not branches without links")
