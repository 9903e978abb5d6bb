"""The one-processor references against stored numbers, one another, and Pinocchio."""

import dataclasses
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.pinocchio_model import reference_dynamics
from tools.stored_robots import stored_cases

from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.reference.energy import energy
from meshsim.algorithms.reference.newton_euler import bias_force, inverse_dynamics
from meshsim.algorithms.robots.catalogue import chain, excavator, puma600
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.types.arrays import relative_error
from meshsim.algorithms.types.splitmix import SplitMix64
from meshsim.errors import MeshSimError


def random_state(n, seed):
    random = SplitMix64(seed)
    bounds = (math.pi, 2.0, 20.0)
    return State(*(tuple(random.uniform(-bound, bound) for _ in range(n)) for bound in bounds))


def random_tree(n, seed):
    """A random chain whose bodies are hung on random earlier ones, in no particular order."""
    random = SplitMix64(seed ^ 0xFFFF)
    bodies = chain(n, seed).bodies
    parents = [math.floor(random.uniform(-1, i)) for i in range(n)]
    hung = [dataclasses.replace(body, parent=parent) for body, parent in zip(bodies, parents, strict=True)]
    return Mechanism(f"tree {n} {seed}", tuple(hung))


# Rounding grows with the condition of M, which is what the solution divides by.
def tolerance_of_solution(M, floor):
    return max(floor, 1e-13 * np.linalg.cond(M))


@pytest.mark.parametrize(("mechanism", "stored"), list(stored_cases()))
def test_stored_numbers(mechanism, stored):
    q, qd = stored["q"], stored["qd"]
    result = forward_dynamics(mechanism, State(tuple(q), tuple(qd), tuple(stored["tau"])))
    assert relative_error(result.M, stored["M"]) < 1e-12
    assert relative_error(result.h, stored["h"]) < 1e-12
    assert relative_error(result.qdd, stored["qdd"]) < max(1e-11, 1e-13 * stored["condM"])
    assert relative_error(inverse_dynamics(mechanism, q, qd, stored["qdd_in"]), stored["tau_id"]) < 1e-12
    assert relative_error(bias_force(mechanism, q, np.zeros(mechanism.n)), stored["grav"]) < 1e-12
    assert relative_error(energy(mechanism, q, qd), [stored["T"], stored["V"]]) < 1e-12


mechanisms = st.builds(
    lambda make, n, seed: make(n, seed),
    st.sampled_from([chain, random_tree]),
    st.integers(1, 12),
    st.integers(0, 2**64 - 1),
)
seeds = st.integers(0, 2**64 - 1)


@given(mechanisms, seeds)
@settings(max_examples=60, deadline=None)
def test_inverse_of_forward_gives_the_torques_back(mechanism, seed):
    state = random_state(mechanism.n, seed)
    result = forward_dynamics(mechanism, state)
    tau = inverse_dynamics(mechanism, state.q, state.qd, result.qdd)
    assert relative_error(tau, state.tau) < tolerance_of_solution(result.M, 1e-11)


@given(mechanisms, seeds)
@settings(max_examples=60, deadline=None)
def test_inertia_matrix_identities(mechanism, seed):
    state = random_state(mechanism.n, seed)
    M = inertia_matrix(mechanism, state.q)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0
    h = bias_force(mechanism, state.q, state.qd)
    columns = [inverse_dynamics(mechanism, state.q, state.qd, e) - h for e in np.eye(mechanism.n)]
    # The difference loses digits when h is large beside M.
    assert np.abs(np.column_stack(columns) - M).max() < 1e-13 * max(1.0, np.abs(M).max(), np.abs(h).max())


@given(mechanisms, seeds)
@settings(max_examples=60, deadline=None)
def test_energy_identities(mechanism, seed):
    state = random_state(mechanism.n, seed)
    q, qd = np.array(state.q), np.array(state.qd)
    kinetic, _ = energy(mechanism, q, qd)
    assert relative_error(kinetic, qd @ inertia_matrix(mechanism, q) @ qd / 2) < 1e-12
    # The slope of the potential along the motion is the power of gravity.
    step = 1e-5
    slope = (energy(mechanism, q + step * qd, qd)[1] - energy(mechanism, q - step * qd, qd)[1]) / (2 * step)
    assert relative_error(slope, qd @ bias_force(mechanism, q, 0 * qd)) < 1e-6  # step**2 and rounding / step


def test_energy_is_kept_when_nothing_drives():
    mechanism, n, step = puma600(), 6, 1e-3

    def slope(y):
        return np.concatenate([y[n:], forward_dynamics(mechanism, State(y[:n], y[n:], (0.0,) * n)).qdd])

    y = np.array(default_state(mechanism).q + default_state(mechanism).qd)
    before = sum(energy(mechanism, y[:n], y[n:]))
    for _ in range(100):
        k1 = slope(y)
        k2 = slope(y + step / 2 * k1)
        k3 = slope(y + step / 2 * k2)
        y = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + step * k3))
    assert np.abs(y[:n] - default_state(mechanism).q).max() > 0.01
    assert sum(energy(mechanism, y[:n], y[n:])) == pytest.approx(before, abs=1e-9)


@pytest.mark.parametrize(
    "mechanism",
    [
        puma600(),
        excavator(),
        *(chain(n, 10000 + n) for n in (1, 2, 7, 24, 48)),
        *(random_tree(n, 500 + n) for n in (3, 9, 20)),
    ],
    ids=lambda mechanism: mechanism.name,
)
def test_equal_to_pinocchio(mechanism):
    for state in (default_state(mechanism), random_state(mechanism.n, 3), random_state(mechanism.n, 4)):
        result = forward_dynamics(mechanism, state)
        M, h, qdd = reference_dynamics(mechanism, state)
        assert relative_error(result.M, M) < 1e-12
        assert relative_error(result.h, h) < 1e-12
        assert relative_error(result.qdd, qdd) < tolerance_of_solution(M, 1e-10)


def test_other_gravity():
    mechanism = dataclasses.replace(chain(5, 2), gravity=(1.0, -2.0, 3.0))
    state = random_state(5, 1)
    assert relative_error(bias_force(mechanism, state.q, state.qd), reference_dynamics(mechanism, state)[1]) < 1e-12


def test_64_joints_take_well_under_a_second():
    mechanism = chain(64, 1)
    start = time.process_time()
    forward_dynamics(mechanism, default_state(mechanism))
    assert time.process_time() - start < 1.0


def test_a_pendulum_by_hand():
    # Body 4 of the excavator alone, hanging along x from a horizontal axis: a = -m g x / (J + m r^2).
    rotation = excavator().bodies[1].rotation
    bucket = dataclasses.replace(excavator().bodies[3], parent=-1, rotation=rotation, twist=math.pi / 2)
    result = forward_dynamics(Mechanism("bucket", (bucket,)), State((0.0,), (7.0,), (0.0,)))
    assert result.M[0] == pytest.approx(130 + 512 * 0.5)
    assert result.h == pytest.approx(512 * 9.81 * 0.5)
    assert result.qdd == pytest.approx(-512 * 9.81 * 0.5 / (130 + 512 * 0.5))


def test_relative_error():
    assert relative_error([1.0, 2.0], [1.0, 4.0]) == 0.5
    assert relative_error([0.0, 0.1], [0.0, 0.3]) == pytest.approx(0.2)
    assert math.isnan(relative_error([math.nan], [1.0]))
    with pytest.raises(MeshSimError) as error:
        relative_error([1.0, 2.0], [1.0])
    assert str(error.value) == "value must have the reference's shape (1,), not (2,)"


def test_wrong_lengths_are_refused():
    mechanism = chain(2, 1)
    with pytest.raises(MeshSimError) as error:
        forward_dynamics(mechanism, State((0.0, 0.0), (0.0,), (0.0, 0.0)))
    assert str(error.value) == "qd must have shape (2,), one for each joint, not (1,)"
    with pytest.raises(MeshSimError) as error:
        forward_dynamics(mechanism, State((0.0, 0.0), (0.0, 0.0), (0.0, 0.0, 0.0)))
    assert str(error.value) == "tau must have shape (2,), one for each joint, not (3,)"


def test_a_point_mass_on_its_axis_has_no_forward_dynamics():
    zero = (0.0, 0.0, 0.0)
    point = dataclasses.replace(chain(1, 1).bodies[0], com=zero, inertia=(zero, zero, zero))
    with pytest.raises(MeshSimError) as error:
        forward_dynamics(Mechanism("point", (point,)), State((0.0,), (0.0,), (0.0,)))
    assert str(error.value) == (
        "inertia matrix of 'point' must be invertible, not singular: "
        "in this state it has a motion of joint 'joint1' that moves no mass"
    )
