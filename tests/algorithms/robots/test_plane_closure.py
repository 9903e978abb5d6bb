"""Loops in a plane, number by number, against the same in three dimensions."""

import numpy as np
import pytest

from meshsim.algorithms.robots.closure import jacobian, loops, placed, rest_angle
from meshsim.algorithms.robots.linkages import four_bar, three_rrr
from meshsim.algorithms.robots.platform import legs_of

MECHANISMS = [four_bar(), three_rrr(), legs_of(four_bar()).parts, legs_of(three_rrr()).parts]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=["four-bar", "3rrr", "legs of the four-bar", "legs of the 3rrr"])
@pytest.mark.parametrize("seed", range(3))
def test_constraints_and_jacobian(mechanism, seed):
    """Of pins and of fixed joints, of joints that turn either way and that slide."""
    q, qd = np.random.default_rng(seed).normal(size=(2, mechanism.n))
    bodies, plane, now = placed(mechanism, q, qd), mechanism.plane, loops(mechanism, q, qd)
    c, A = [], []
    for cut in mechanism.cuts:
        ends = []
        for anchor in (cut.first, cut.second):
            body = bodies[anchor.body]
            point = body.x + body.R @ np.array(anchor.position)
            ends.append((point, *jacobian(mechanism, bodies, anchor.body, point)))
        (p, linear, angular), (p2, linear2, angular2) = ends
        for axis in (plane.x, plane.y):
            c.append(axis @ (p2 - p))
            A.append(axis @ (linear2 - linear))
        if cut.kind == "fixed":
            turned = plane.normal @ (angular2 - angular)
            c.append(turned @ q - rest_angle(mechanism, cut, plane))
            A.append(turned)
    # Metres and radians of order 1: what is left is rounding.
    assert np.abs(now.c - np.array(c)).max() < 1e-13
    assert np.abs(now.A - np.array(A)).max() < 1e-13
