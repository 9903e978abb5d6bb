"""Ways to move mechanisms with loops, for tests that take them all."""

import numpy as np
import pytest
from tools.loops import Task

from meshsim.algorithms.robots.closure import assemble
from meshsim.algorithms.robots.linkages import four_bar, three_rrr
from meshsim.algorithms.schemes.loops.denoc import DENOC
from meshsim.algorithms.schemes.loops.elimination import ELIMINATION
from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.algorithms.schemes.loops.multipliers import MULTIPLIERS
from meshsim.algorithms.schemes.loops.projection import PROJECTION

FOUR_BAR, RRR = four_bar(), three_rrr()
WAYS = {
    "gauss": (PROJECTION, Settings()),
    "qr": (PROJECTION, Settings(technique="qr")),
    "denoc": (DENOC, Settings(distribution="partly")),
    "multipliers": (MULTIPLIERS, Settings()),
    "elimination": (ELIMINATION, Settings()),
}
"""All but springs, which are another mechanism."""
PARAMETERS = pytest.mark.parametrize(("method", "settings"), WAYS.values(), ids=WAYS)


def task(mechanism, torque, duration):
    """From rest, by a constant torque."""
    return Task(mechanism, assemble(mechanism), np.zeros(mechanism.n), lambda _t: [torque], duration)
