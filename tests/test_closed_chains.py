"""Chains with ends against numpy: what processors compute of open chains, in a plane and in space, and of loops."""

import numpy as np
import pytest
from loop_mechanisms import PLANE, SPACE, random_state

from algorithms.closed.dense import full
from algorithms.closed.layout import (
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
from algorithms.closed.loops import loops
from algorithms.composite_body import inertia_matrix
from algorithms.newton_euler import bias_force

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


def placed(closed, q, qd):
    """The layout, every chain placed and moved, and all ends."""
    cpu, layout = Uncounted(), layout_of(closed)
    ends, at = grounded(layout), []
    for k, (chain, joints) in enumerate(zip(layout.chains, closed.subsystems, strict=True)):
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
    assert all(closed.plane is None for closed in SPACE.values())
    assert all(closed.plane is not None for closed in PLANE.values())


@pytest.mark.parametrize("closed", MECHANISMS, ids=NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_inertia_and_bias_force_of_chains(closed, seed):
    q, qd = random_state(closed, seed)
    cpu, layout, at, _ = placed(closed, q, qd)
    M, h = inertia_matrix(closed.tree, q), bias_force(closed.tree, q, qd)
    for k, (chain, joints) in enumerate(zip(layout.chains, closed.subsystems, strict=True)):
        assert chain.n == len(joints)
        assert near(full(chain.inertia(cpu, at[k])), M[np.ix_(joints, joints)])
        assert near(chain.force(cpu, at[k]), h[list(joints)])


@pytest.mark.parametrize("closed", MECHANISMS, ids=NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_constraints_of_cut_joints(closed, seed):
    q, qd = random_state(closed, seed)
    cpu, layout, _, ends = placed(closed, q, qd)
    now, cuts = loops(closed, q, qd), range(len(closed.cuts))
    across = directions(cpu, layout, ends, cuts)
    assert near(np.concatenate(gaps(cpu, layout, ends, cuts)), now.c)
    assert near(np.concatenate(gap_rates(cpu, layout, ends, across, cuts)), now.A @ qd)
    assert near(gap_biases(cpu, layout, ends, across), now.bias)
    A = np.hstack([jacobian_rows(cpu, layout, ends, across, k) for k in range(len(layout.chains))])
    assert near(A, now.A[:, [joint for joints in closed.subsystems for joint in joints]])


@pytest.mark.parametrize("closed", MECHANISMS, ids=NAMES)
def test_rows_are_numbered_as_in_the_reference(closed):
    now, layout = loops(closed, *random_state(closed, 1)), layout_of(closed)
    assert layout.m == len(now.c)
    assert now.cut == tuple(k for k, (first, last) in enumerate(layout.rows) for _ in range(first, last))


@pytest.mark.parametrize("closed", SPACE.values(), ids=SPACE)
def test_biases_of_the_reference_are_what_constraints_do(closed):
    """The reference itself, by differences of A along the motion: good to about the square of the step."""
    (q, qd), step = random_state(closed, 3), 1e-5
    ahead, behind = (loops(closed, q + sign * step * qd, qd) for sign in (1, -1))
    now = loops(closed, q, qd)
    assert (ahead.A - behind.A) @ qd / (2 * step) == pytest.approx(now.bias, abs=1e-7)
    assert (ahead.c - behind.c) / (2 * step) == pytest.approx(now.A @ qd, abs=1e-7)
