"""All one-processor algorithms: the right answer for every length of chain, whatever the robot."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tools.pinocchio_model import reference_dynamics
from tools.random_urdf import random_urdf

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import chain, excavator, puma600
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.robots.urdf import read_urdf
from meshsim.algorithms.schemes.catalogue import ONE_PROCESSOR, load_scheme
from meshsim.algorithms.schemes.one.one_angeles import ONE_ANGELES, root
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS


def variants(scheme):
    """Every choice of a scheme's options but for the solver."""
    others = {option: values for option, values in scheme.options.items() if option != "solver"}
    return [dict(zip(others, values, strict=True)) for values in product(*others.values())]


VARIANTS = [(scheme, options) for scheme in map(load_scheme, ONE_PROCESSOR) for options in variants(scheme)]
NAMES = [" ".join([scheme.name, *options.values()]) for scheme, options in VARIANTS]


def run(scheme, options, robot):
    return scheme.plan(robot, default_state(robot), **options).run(PRESETS["ideal"], trace=False)


def check(value, robot):
    M, h, qdd = reference_dynamics(robot, default_state(robot))
    dense = forward_dynamics(robot, default_state(robot))
    for exact in ({"M": M, "h": h, "qdd": qdd}, dense.formed):
        for name, found in value.formed.items():
            assert relative_error(found, exact[name]) < 1e-10, name


@pytest.mark.parametrize(("scheme", "options"), VARIANTS, ids=NAMES)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 16, 33])
def test_chains_agree_with_pinocchio_and_the_dense_reference(scheme, options, n):
    check(run(scheme, options, chain(n, 300 + n)).value, chain(n, 300 + n))


@pytest.mark.parametrize(("scheme", "options"), VARIANTS, ids=NAMES)
def test_thesis_robots_and_a_urdf(scheme, options, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(random_urdf(5, 3))
    for robot in (puma600(), excavator(), read_urdf(path)):
        check(run(scheme, options, robot).value, robot)


@pytest.mark.parametrize(("scheme", "options"), VARIANTS, ids=NAMES)
@pytest.mark.parametrize("gravity", [(9.0, 0.0, 0.0), (0.0, -9.81, 0.0), (0.0, 0.0, 0.0), (1.0, 2.0, 3.0)])
def test_gravity_may_point_anywhere(scheme, options, gravity):
    robot = replace(chain(4, 11), gravity=gravity)
    check(run(scheme, options, robot).value, robot)


@pytest.mark.parametrize(("scheme", "options"), VARIANTS, ids=NAMES)
def test_counts_do_not_depend_on_the_robot(scheme, options):
    one, other = (run(scheme, options, chain(7, seed)) for seed in (1, 2))
    assert one.operations_by_phase == other.operations_by_phase
    assert one.processors == 1
    assert one.messages == 0
    assert sum(counts["mul"] for counts in one.operations_by_phase.values()) == one.operations["mul"]


@pytest.mark.parametrize(("scheme", "options"), VARIANTS, ids=NAMES)
def test_what_is_not_formed_is_said_so(scheme, options):
    value = run(scheme, options, chain(3, 1)).value
    recursive = scheme.name in ("one-featherstone", "one-saha")
    assert (value.M is None) == recursive
    assert (value.h is None) == (options == {"bias": "inside"})


# Angeles and Ma


def counted(n, *phases):
    by_phase = run(ONE_ANGELES, {}, chain(n, n)).operations_by_phase
    rows = [by_phase[phase] for phase in phases]
    return sum(row["mul"] + row["div"] + row["sqrt"] for row in rows), sum(row["add"] for row in rows)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 12])
def test_angeles_and_ma_counted(n):
    listed = n**3 + (39 * n**2 - 33 * n) // 2 + 8, (5 * n**3 + 87 * n**2 - 92 * n) // 6 + 5  # Wong Table 3.1
    assert counted(n, "terms") == listed
    assert counted(n, "inertia") == (0, n * (n**2 - 1) // 6)  # the sums over the bodies, which it leaves out
    assert counted(n, "w", "w'", "force") == (105 * n - 99, 89 * n - 91)
    assert counted(n, "solve") == ((n**3 + 9 * n**2 + 8 * n) // 6, (n**3 + 6 * n**2 - 7 * n) // 6)


def test_the_root_of_an_inertia():
    J = ((2.0, 0.3, -0.1), (0.3, 1.5, 0.2), (-0.1, 0.2, 1.0))
    N = np.array(root(J))
    assert pytest.approx(np.array(J), abs=1e-14) == N @ N  # eigenvectors are rounded as the machine's LAPACK likes
    needle = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))
    assert root(needle) == needle


@pytest.mark.parametrize("scheme", [load_scheme(name) for name in ONE_PROCESSOR], ids=ONE_PROCESSOR)
def test_a_singular_robot_is_refused(scheme):
    body = chain(1, 1).bodies[0]
    nothing = ((0.0, 0.0, 0.0),) * 3
    needle = type(chain(1, 1))("needle", (type(body)(**{**vars(body), "com": (0.0, 0.0, 0.1), "inertia": nothing}),))
    with pytest.raises(MeshSimError, match="must be positive"):
        scheme.plan(needle, default_state(needle)).run(PRESETS["ideal"])
