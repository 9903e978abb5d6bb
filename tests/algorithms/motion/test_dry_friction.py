"""Dry friction that sticks: a block on a slope, what it costs, and that it takes energy and gives none."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tools.motion import dense_motion, numbers, simulated
from tools.schemes import CHAINS

from meshsim.algorithms.kernels.actuator import DryFriction, Grip, first_grip, grip_anew, resist
from meshsim.algorithms.motion.dry_friction import dry_friction
from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.motion.stepping import laps_of
from meshsim.algorithms.reference.energy import energy
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.counted import Uncounted
from meshsim.errors import MeshSimError

MASS, GRAVITY, MU = 2.0, 9.81, 0.5
CRITICAL = math.atan(MU)
SLIDERS = [name for name, scheme in CHAINS.items() if "prismatic joints" in scheme.takes]
EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def block(angle):
    """A body that slides up a slope: its axis is z, so that gravity is what leans."""
    body = replace(chain(1, 1).bodies[0], kind="prismatic", mass=MASS, rotation=EYE, twist=0.0)
    return Mechanism("block", (body,), gravity=(0.0, -GRAVITY * math.cos(angle), -GRAVITY * math.sin(angle)))


def on_slope(angle, h=0.001, duration=0.2, rate=0.0, order=4):
    mechanism = block(angle)
    normal = MASS * GRAVITY * math.cos(angle)
    start = State((0.0,), (rate,), (0.0,))
    return load_profile("free", mechanism).motion(mechanism, h, duration, order, start=start, dry=MU * normal)


# A block on a slope


@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("below", [0.3, 0.02, 0.001])
def test_a_block_sticks_below_the_critical_angle(order, below):
    came = numbers(on_slope(CRITICAL - below, order=order))
    assert np.abs(came.q).max() < 1e-15
    assert np.abs(came.qd).max() < 1e-15


@pytest.mark.parametrize("above", [0.3, 0.02, 0.001])
def test_it_slides_above_with_the_acceleration_of_the_textbook(above):
    angle = CRITICAL + above
    came = numbers(on_slope(angle))
    expected = -GRAVITY * (math.sin(angle) - MU * math.cos(angle))
    assert came.qdd[:-1, 0] == pytest.approx(expected, rel=1e-9)
    assert came.q[:, 0] == pytest.approx(expected * came.t**2 / 2, abs=1e-14)


@pytest.mark.parametrize("scheme", SLIDERS)
def test_every_scheme_that_takes_it_holds_and_drops_it(scheme):
    for angle, moves in ((CRITICAL - 0.01, False), (CRITICAL + 0.01, True)):
        came = simulated(scheme, on_slope(angle, duration=0.01)).value
        assert (abs(came.q[-1, 0]) > 1e-6) == moves


def test_a_block_thrown_up_a_gentle_slope_stops_and_stays():
    angle, rate = 0.3, 1.5
    slows = GRAVITY * (math.sin(angle) + MU * math.cos(angle))
    stops, top = rate / slows, rate**2 / (2 * slows)
    for h in (0.01, 0.0025):
        motion = on_slope(angle, h, 1.5, rate)
        (dry,) = motion.dry_friction
        came = numbers(motion)
        # Its friction turns within a step; then its spring gives way from what it held to what it must hold.
        slack = slows * h**2 + 2 * dry.coulomb / dry.stiffness
        assert came.q[-1, 0] == pytest.approx(top, abs=slack)
        after = came.t > stops + 80 * h  # twenty time constants of the spring
        assert np.ptp(came.q[after]) < 1e-3 * slack
        assert np.abs(came.qd[-1]).max() < 1e-9


def test_a_thrown_block_comes_back_down_a_steep_slope():
    angle, rate = CRITICAL + 0.3, 1.0
    came = numbers(on_slope(angle, 0.001, 0.5, rate))
    up, down = (GRAVITY * (math.sin(angle) + sign * MU * math.cos(angle)) for sign in (1, -1))
    stops = rate / up
    assert came.qd[-1, 0] == pytest.approx(-down * (0.5 - stops), abs=(up + down) * 0.002 * 4)


def test_it_breaks_loose_at_the_larger_torque_and_slides_at_the_smaller():
    mechanism = block(0.0)
    pushes = load_profile("free", mechanism)
    for push, acceleration in ((3.9, 0.0), (4.1, (4.1 - 3.0) / MASS)):
        driving = replace(pushes, torque=lambda *_, push=push: push)
        came = numbers(driving.motion(mechanism, 0.001, 0.1, dry="3:4"))
        assert came.qdd[-2, 0] == pytest.approx(acceleration, abs=1e-9)


def test_how_far_a_joint_gives_way_shrinks_with_the_square_of_the_step():
    mechanism = block(0.0)
    pushed = replace(load_profile("free", mechanism), torque=lambda _joint, t, _q, _qd: 2.0 if t > 0.01 else 0.0)
    gives = [numbers(pushed.motion(mechanism, h, 1.0, dry=3.0)).q[-1, 0] for h in (0.01, 0.005)]
    assert gives[0] > 0
    assert gives[0] / gives[1] == pytest.approx(4.0, rel=1e-6)


# Robots


def swinging(mechanism, h, dry, steps=40):
    n = len(mechanism.joints)
    start = State((0.3,) * n, tuple(0.0 if i % 2 else 0.7 for i in range(n)), (0.0,) * n)
    return load_profile("free", mechanism).motion(mechanism, h, steps * h, start=start, dry=dry)


@pytest.mark.parametrize("name", CHAINS)
def test_every_scheme_sticks_and_slides_alike(name):
    motion = swinging(chain(4, 3), 0.01, "2:3", 6)
    q, qd = dense_motion(motion)
    came = simulated(name, motion).value
    # Rounding, through six steps; the same motion without friction is another.
    assert came.q == pytest.approx(q, abs=1e-11)
    assert came.qd == pytest.approx(qd, abs=1e-9)
    assert np.abs(numbers(replace(motion, dry_friction=())).q - q).max() > 1e-3


@pytest.mark.parametrize(("robot", "h", "dry"), [("chain:3:1", 0.01, "2:2.5"), ("puma600", 0.002, "10:12")])
def test_friction_gives_back_no_more_energy_than_its_springs_hold(robot, h, dry):
    mechanism = load_robot(robot)
    motion = swinging(mechanism, h, dry, 200)
    came = numbers(motion)
    energies = np.array([sum(energy(mechanism, *each)) for each in zip(came.q, came.qd, strict=True)])
    held = sum(each.breakaway**2 / (2 * each.stiffness) for each in motion.dry_friction)
    assert (energies - np.minimum.accumulate(energies)).max() <= held
    assert energies[-1] < energies[0] - 10 * held


def test_a_robot_that_is_held_everywhere_stays_where_it_is():
    mechanism = load_robot("puma600")
    still = replace(default_state(mechanism), qd=(0.0,) * 6)
    came = numbers(load_profile("free", mechanism).motion(mechanism, 0.01, 0.5, start=still, dry=100.0))
    assert np.abs(came.q - came.q[0]).max() < 1e-12


def test_actuators_have_it_too():
    mechanism = load_robot("excavator")
    driving = load_profile("excavator:joint", mechanism)
    free, stuck = (numbers(driving.motion(mechanism, 0.01, 0.05, dry=dry)) for dry in (0.0, 1e9))
    assert np.abs(free.q[-1] - free.q[0]).max() > 1e-4
    assert np.abs(stuck.q - stuck.q[0]).max() < 1e-12


# Costs


def test_what_dry_friction_costs():
    """A spring and a difference in each evaluation, two differences a step, one at the start; sticking or sliding."""
    mechanism = load_robot("puma600")
    motion = Motion(mechanism, default_state(mechanism), 0.001, 5)
    for level in (0.1, 1000.0):
        dry = dry_friction(mechanism, motion.state, motion.h, [(level, level)] * 6)
        runs = [simulated("one-wong", each) for each in (motion, replace(motion, dry_friction=dry))]
        extra = {op: runs[1].operations[op] - runs[0].operations[op] for op in ("mul", "add", "div", "sqrt")}
        assert extra == {"mul": 5 * 6 * 4 * 2, "add": 5 * 6 * (4 * 3 + 2) + 6, "div": 0, "sqrt": 0}


@pytest.mark.parametrize("scheme", ["wong-mesh", "hwang"])
def test_steps_last_as_long_whether_joints_stick_or_slide(scheme):
    mechanism = replace(chain(3, 1), gravity=(0.0, 0.0, 0.0))
    motion = swinging(mechanism, 0.01, "3:4", 20)
    tau = np.abs(numbers(motion).tau[:-1])
    assert ((tau[0] == 3.0) & (tau[-1] < 2.9)).any()  # slides at first, sticks at last
    for laps in laps_of(simulated(scheme, motion, "t800")).values():
        assert len(set(np.diff(laps[4:]).tolist())) == 1


# One joint, worked by hand


def test_a_grip_by_hand():
    dry = DryFriction(coulomb=3.0, breakaway=4.0, stiffness=100.0, damping=10.0, load=2.0)
    cpu = Uncounted()
    assert first_grip(cpu, dry, 1.0, 0.0) == Grip(0.98, False)
    assert first_grip(cpu, dry, 1.0, 5.0) == Grip(0.97, True)
    assert first_grip(cpu, dry, 1.0, -5.0) == Grip(1.03, True)
    assert first_grip(cpu, replace(dry, load=-5.0), 1.0, 0.0) == Grip(1.03, True)
    stuck, sliding = Grip(0.0, False), Grip(0.0, True)
    assert resist(cpu, dry, stuck, 7.0, 0.02, 0.1) == 7.0 - (2.0 + 1.0)
    assert resist(cpu, dry, stuck, 7.0, 0.05, 0.1) == 7.0 - 4.0
    assert resist(cpu, dry, sliding, 7.0, 0.05, 0.1) == 7.0 - 3.0
    assert resist(cpu, dry, sliding, 7.0, -0.05, 0.1) == 7.0 + 3.0
    assert grip_anew(cpu, dry, stuck, 0.035) == Grip(0.0, False)
    assert grip_anew(cpu, dry, sliding, 0.035) == Grip(0.035 - 0.03, True)
    assert grip_anew(cpu, dry, stuck, 0.5) == Grip(0.5 - 0.03, True)
    assert grip_anew(cpu, dry, sliding, -0.01) == Grip(0.0, False)


# What is refused


@pytest.mark.parametrize("given", ["-1", "2:1", "1:2:3", "much", "nan", "1:inf", ""])
def test_levels_that_cannot_be(given):
    mechanism = chain(2, 1)
    with pytest.raises(MeshSimError) as error:
        load_profile("free", mechanism).motion(mechanism, 0.01, 0.1, dry=given)
    assert str(error.value) == (
        "dry friction must be COULOMB or COULOMB:BREAKAWAY, numbers of N m of which the second is at least the first "
        f"and none is negative, not {given!r}"
    )


def test_each_joint_may_have_its_own():
    mechanism = chain(3, 1)
    driving = load_profile("free", mechanism)
    each = driving.motion(mechanism, 0.01, 0.1, dry="3:4,0,2").dry_friction
    assert [(dry.coulomb, dry.breakaway) for dry in each] == [(3.0, 4.0), (0.0, 0.0), (2.0, 2.0)]
    with pytest.raises(MeshSimError, match=r"^dry friction must be given once, or for each of 3 joints, not for 2$"):
        driving.motion(mechanism, 0.01, 0.1, dry="3:4,0")


def test_motions_that_cannot_have_it():
    mechanism = chain(2, 1)
    with pytest.raises(MeshSimError, match=r"^dry friction must be integrated in fixed steps, not in adaptive ones: "):
        load_profile("free", mechanism).motion(mechanism, None, 0.1, dry=1.0)
    with pytest.raises(MeshSimError, match=r"^friction and actuators must be integrated in fixed steps, not in "):
        Motion(mechanism, default_state(mechanism), None, 0, lasting=1.0, dry_friction=(None,) * 2)
    with pytest.raises(MeshSimError, match=r"^dry friction must be given for each of 2 joints, not for 1$"):
        Motion(mechanism, default_state(mechanism), 0.1, 1, dry_friction=(None,))
    four_bar = load_robot("four-bar")
    with pytest.raises(MeshSimError, match=r"^dry friction must be left out of mechanisms with loops, as four-bar is"):
        load_profile("own", four_bar).motion(four_bar, 0.01, 0.1, dry=1.0)
