"""Chains with ends against numpy: what processors compute of open chains, in a plane and in space, and of loops."""

from collections import Counter

import numpy as np
import pytest
from tools.loop_mechanisms import PLANE, SPACE, in_space, random_state

from meshsim.algorithms.kernels.dense import full
from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.newton_euler import bias_force
from meshsim.algorithms.robots.closure import loops
from meshsim.algorithms.robots.linkages import three_rrr
from meshsim.algorithms.schemes.loops.layout import (
    add_biases,
    add_jacobians,
    add_rates,
    directions,
    gap_biases,
    gap_rates,
    gaps,
    grounded,
    jacobian_rows,
    layout_of,
    reach,
)
from meshsim.algorithms.schemes.loops.method import Settings, by_site, evaluation
from meshsim.algorithms.schemes.loops.penalty import PENALTY
from meshsim.algorithms.schemes.loops.projection import PROJECTION
from meshsim.errors import MeshSimError
from meshsim.presets import load_machine

MECHANISMS = [*SPACE.values(), *PLANE.values()]
NAMES = [*(f"space: {name}" for name in SPACE), *(f"plane: {name}" for name in PLANE)]
ROUNDING = 1e-12
"""Of the largest number: sums of some hundred products of numbers of order 1."""


class Uncounted:
    """Computes with kernels where no machine is asked."""

    def do(self, kernel, *args):
        return kernel(*args)


def near(found, wanted):
    return np.abs(np.array(found) - wanted).max() <= ROUNDING * max(1.0, np.abs(wanted).max())


def placed(mechanism, q, qd):
    """The layout, every chain placed and moved, and all ends."""
    cpu, layout = Uncounted(), layout_of(mechanism)
    ends, at = grounded(layout), []
    for k, (chain, joints) in enumerate(zip(layout.chains, mechanism.subsystems, strict=True)):
        own_q, own_qd = q[list(joints)].tolist(), qd[list(joints)].tolist()
        at.append(chain.place(cpu, own_q))
        chain.move(cpu, at[k], own_qd)
        chain.drift(cpu, at[k], own_qd)
        own = reach(cpu, layout, k, at[k])
        add_rates(cpu, layout, k, at[k], own)
        add_biases(cpu, layout, k, at[k], own)
        add_jacobians(cpu, layout, k, at[k], own)
        ends.update(own)
    return cpu, layout, at, ends


def test_the_mechanisms_are_where_they_are_said_to_be():
    assert all(mechanism.plane is None for mechanism in SPACE.values())
    assert all(mechanism.plane is not None for mechanism in PLANE.values())


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_inertia_and_bias_force_of_chains(mechanism, seed):
    q, qd = random_state(mechanism, seed)
    cpu, layout, at, _ = placed(mechanism, q, qd)
    M, h = inertia_matrix(mechanism, q), bias_force(mechanism, q, qd)
    for k, (chain, joints) in enumerate(zip(layout.chains, mechanism.subsystems, strict=True)):
        assert chain.n == len(joints)
        assert near(full(chain.inertia(cpu, at[k])), M[np.ix_(joints, joints)])
        assert near(chain.force(cpu, at[k]), h[list(joints)])


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_constraints_of_cut_joints(mechanism, seed):
    q, qd = random_state(mechanism, seed)
    cpu, layout, _, ends = placed(mechanism, q, qd)
    now, cuts = loops(mechanism, q, qd), range(len(mechanism.cuts))
    across = directions(cpu, layout, ends, cuts)
    assert near(np.concatenate(gaps(cpu, layout, ends, cuts)), now.c)
    assert near(np.concatenate(gap_rates(cpu, layout, ends, across, cuts)), now.A @ qd)
    assert near(gap_biases(cpu, layout, ends, across), now.bias)
    A = np.hstack([jacobian_rows(cpu, layout, ends, across, k) for k in range(len(layout.chains))])
    assert near(A, now.A[:, [joint for joints in mechanism.subsystems for joint in joints]])


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=NAMES)
def test_rows_are_numbered_as_in_the_reference(mechanism):
    now, layout = loops(mechanism, *random_state(mechanism, 1)), layout_of(mechanism)
    assert layout.m == len(now.c)
    assert now.cut == tuple(k for k, (first, last) in enumerate(layout.rows) for _ in range(first, last))


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=NAMES)
def test_biases_of_the_reference_are_what_constraints_do(mechanism):
    """The reference itself, by differences of A along the motion: good to about the square of the step."""
    (q, qd), step = random_state(mechanism, 3), 1e-5
    ahead, behind = (loops(mechanism, q + sign * step * qd, qd) for sign in (1, -1))
    now = loops(mechanism, q, qd)
    assert (ahead.A - behind.A) @ qd / (2 * step) == pytest.approx(now.bias, abs=1e-7)
    assert (ahead.c - behind.c) / (2 * step) == pytest.approx(now.A @ qd, abs=1e-7)


# Operations


class Counted(Uncounted):
    """Adds up what kernels cost."""

    def __init__(self):
        self.cost = Counter()

    def do(self, kernel, *args):
        self.cost.update(kernel.cost)
        return super().do(kernel, *args)

    def since(self):
        cost, self.cost = self.cost, Counter()
        return cost["mul"], cost["add"]


def test_operations_of_two_turning_bodies_in_space():
    """By hand. The first body's joint is at a general rotation to the ground, the second's at a twist to the first."""
    mechanism = in_space(30, "RR", (-1, 0), [("revolute", 1, -1)])
    cpu, chain = Counted(), layout_of(mechanism).chains[0]
    end = chain.ends[0]
    at = chain.place(cpu, [0.3, 0.4])
    # a rotation formed, one turned about x and about z; the second's arm turned and added
    assert cpu.since() == (12 + (12 + 12) + 9, 6 + (6 + 6) + 6 + 3)
    chain.move(cpu, at, [1.0, 2.0])
    assert cpu.since() == (3 + (3 + 6), (3 + 3))  # z qd twice; w added up, w x arm
    chain.drift(cpu, at, [1.0, 2.0])
    assert cpu.since() == (6 + 9 + 6, 9 + 6 + 3)  # W of the first, W arm, w x z qd
    chain.inertia(cpu, at)
    moments = 2 * (9 + 33), 2 * (6 + 26)
    carried = 12 + 3, 18 + 3 + 6 + 3
    diagonal = 2 * (6 + 9 + 3), 2 * (3 + 6 + 2)
    beside = 6 + 3, 6 + 2
    assert cpu.since() == tuple(map(sum, zip(moments, carried, diagonal, beside, strict=True)))
    chain.force(cpu, at)
    first = 3 + (9 + 6) + 9 + 6, (6 + 3) + 9 + 6  # m a, w x S w, f + W P, n + P x a; a is the lift
    second = 3 + (9 + 6) + 9 + (6 + 9) + 6, 3 + (6 + 3) + 6 + 3 + (9 + 9) + 6  # a added, S w' too, and its own W
    inwards = 6 + 3 + 3, 6 + 3 + 3 + 2 + 2
    assert cpu.since() == tuple(map(sum, zip(first, second, inwards, strict=True)))
    arm, value = chain.reach(cpu, at, end)
    assert cpu.since() == (2 * 9, 2 * 6 + 3)  # an arm and an axis
    chain.rate(cpu, at, end, arm)
    chain.bias(cpu, at, end, arm)
    assert cpu.since() == (6 + 9, 6 + 9)
    chain.jacobian(cpu, at, end, value)
    assert cpu.since() == (2 * 6, 2 * (3 + 3))


@pytest.mark.parametrize(
    ("method", "network", "distribution", "microseconds"),
    [
        (PENALTY, "one", "full", 451.0),
        (PROJECTION, "one", "full", 1022.5),
        (PROJECTION, "star", "partly", 656.5),
    ],
)
def test_times_of_the_3rrr_in_its_plane(method, network, distribution, microseconds):
    """Pinned: what is shared with space costs the plane nothing."""
    mechanism, machine = three_rrr(), load_machine("ideal")
    q, zero = np.array(mechanism.guess), np.zeros(mechanism.n)
    places = method.places(mechanism, network, Settings(distribution=distribution), q)
    plan = evaluation(method, places, method.begin(places, q, zero), by_site(places, zero.tolist()))
    assert machine.microseconds(plan.run(machine).ticks) == microseconds


def test_projection_needs_a_freedom():
    mechanism = in_space(31, "RRR", (-1, 0, 1), [("spherical", 2, -1)])
    with pytest.raises(
        MeshSimError, match=r"^projection takes mechanisms that can move, and space31 has 3 joints and 3 "
    ):
        PROJECTION.places(mechanism, "one", Settings(), np.zeros(3))
