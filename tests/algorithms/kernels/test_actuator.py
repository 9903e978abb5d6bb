"""Rotary hydraulic actuators: the thesis's equations, its count, and schemes that compute their own torques."""

import math

import pytest
from tools.schemes import CHAINS

from meshsim.algorithms.kernels.actuator import Actuator, Drive, actuate, drive_torque
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import excavator
from meshsim.algorithms.robots.state import driven_state
from meshsim.experiments.studies.excavator_1991 import driven_excavator
from meshsim.presets import PRESETS

BOOM = Actuator(supply=7000.0, drain=0.0, valve=26.0, displacement=0.7, gear=545.0, damping=100000.0, stiffness=1000.0)


class Plain:
    """Computes without counting."""

    @staticmethod
    def do(kernel, *args):
        return kernel(*args)


@pytest.mark.parametrize(("spool", "p_in", "p_out"), [(0.03, 4000.0, 1000.0), (-0.02, 4000.0, 1000.0), (0.0, 1.0, 2.0)])
def test_equations(spool, p_in, p_out):
    rate = 0.13
    torque, p_in_rate, p_out_rate = actuate(Plain, Drive(BOOM, spool, p_in, p_out), rate)
    opening = (7000.0 - p_in, p_out) if spool > 0 else (p_in, 7000.0 - p_out)
    q_in, q_out = (26.0 * spool * math.sqrt(drop) for drop in opening)
    assert torque == pytest.approx((p_in - p_out) * 0.7 / 8 * 545.0 - 100000.0 * rate)
    assert p_in_rate == pytest.approx((q_in - rate * 0.7 * 545.0) * 1000.0)
    assert p_out_rate == pytest.approx((rate * 0.7 * 545.0 - q_out) * 1000.0)
    assert drive_torque(Drive(BOOM, spool, p_in, p_out), rate) == torque


def test_pressures_stay_between_drain_and_supply():
    outside = Drive(BOOM, 0.03, 9000.0, -50.0)
    assert actuate(Plain, outside, 0.0) == actuate(Plain, Drive(BOOM, 0.03, 7000.0, 0.0), 0.0)
    assert drive_torque(outside, 0.0) == drive_torque(Drive(BOOM, 0.03, 7000.0, 0.0), 0.0)


@pytest.mark.parametrize("name", CHAINS)
def test_every_scheme_computes_the_torques_itself(name):
    robot, state = excavator(), driven_excavator()
    plain = type(state)(state.q, state.qd, state.tau)
    driven, given = (CHAINS[name].plan(robot, each).run(PRESETS["ideal"], trace=False) for each in (state, plain))
    assert max(driven.value.errors(forward_dynamics(robot, state)).values()) < 1e-12
    assert (driven.value.qdd == given.value.qdd).all()
    extra = {op: driven.operations[op] - given.operations[op] for op in ("mul", "add", "sqrt")}
    assert extra == {"mul": 36, "add": 24, "sqrt": 8}  # 44 and 24 in Wong Table 5.4, a root as a multiply


def test_torques_of_a_driven_state():
    drives = [Drive(BOOM, 0.01, 5000.0, 2000.0)] * 4
    state = driven_state((0.0,) * 4, (0.1, 0.0, 0.2, 0.3), drives)
    assert state.tau[1] == pytest.approx(3000.0 * 0.7 / 8 * 545.0)
    assert state.tau == tuple(drive_torque(BOOM_DRIVE, rate) for BOOM_DRIVE, rate in zip(drives, state.qd, strict=True))
