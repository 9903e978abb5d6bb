"""How many digits are right."""

import math

import numpy as np
import pytest

from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.types.arrays import MOST_DIGITS, digits
from meshsim.errors import MeshSimError


def test_digits_are_those_of_the_largest_entry():
    assert digits([1.0, 200.0], [1.0, 200.2]) == pytest.approx(-math.log10(0.2 / 200.2))
    assert digits([3.0], [1.0]) == pytest.approx(-math.log10(2.0))
    assert digits([1.0, 2.0], [1.0, 2.0]) == MOST_DIGITS == pytest.approx(15.95, abs=0.01)
    assert digits([2.0 + 2**-52], [2.0]) <= MOST_DIGITS
    assert digits([0.0, 0.0], [0.0, 0.0]) == MOST_DIGITS
    assert digits([1e-9], [0.0]) == -math.inf


def test_shapes_must_be_the_same():
    with pytest.raises(MeshSimError, match=r"^value must have the reference's shape \(2,\), not \(1,\)$"):
        digits([1.0], [1.0, 2.0])


def test_digits_of_what_was_formed():
    reference = Dynamics(np.eye(1), np.ones(1), np.ones(1))
    assert Dynamics(None, np.array([1.1]), np.ones(1)).digits(reference) == {
        "h": pytest.approx(1.0),
        "qdd": MOST_DIGITS,
    }
