"""Joints that mimic others, against Pinocchio's free joints and G taken apart from the project."""

from dataclasses import replace

import numpy as np
import pytest
from tools.pinocchio_model import build_model, model_dynamics
from tools.random_robot import random_parts, random_state

from meshsim.algorithms.reference.dense import Dynamics, forward_dynamics
from meshsim.algorithms.robots.body import Tie
from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.tree import build
from meshsim.algorithms.schemes.base.scheme import RefusedError
from meshsim.algorithms.schemes.catalogue import SCHEMES, load_scheme
from meshsim.algorithms.schemes.takers import rescue
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS


def tie(mechanism, ties):
    """The mechanism with the joints of `ties` (follower: tie) tied."""
    bodies = tuple(replace(body, tie=ties.get(i)) for i, body in enumerate(mechanism.bodies))
    return Mechanism(mechanism.name, bodies, mechanism.gravity)


def expected(mechanism, ties, state):
    free = [i for i in range(mechanism.n) if i not in ties]
    G, offset = np.eye(mechanism.n)[:, free], np.zeros(mechanism.n)
    for i, each in ties.items():
        G[i, free.index(each.master)], offset[i] = each.multiplier, each.offset
    M, h, _ = model_dynamics(build_model(mechanism), G @ state.q + offset, G @ state.qd, np.zeros(mechanism.n))
    M, h = G.T @ M @ G, G.T @ h
    return Dynamics(M, h, np.linalg.solve(M, state.tau - h))


TIES = {1: Tie(4, -2.0, 0.3), 2: Tie(4, 0.5), 5: Tie(0, 1.5, -0.2)}
TAKING = {name for name, scheme in SCHEMES.items() if "mimic joints" in scheme.takes}
INVERSE = {name for name, scheme in SCHEMES.items() if scheme.make is None}
TAKERS = [name for name in SCHEMES if name in TAKING - INVERSE]


@pytest.mark.parametrize("name", TAKERS)
def test_schemes_on_one_processor_take_them(name):
    robot, state = chain(6, 3), random_state(3, 1)
    reference = expected(robot, TIES, state)
    tied = tie(robot, TIES)
    scheme = load_scheme(name)
    for solver in scheme.options["solver"]:
        value = scheme.plan(tied, state, solver=solver).run(PRESETS["t800"]).value
        assert max(value.errors(reference).values()) < 1e-10
    assert max(forward_dynamics(tied, state).errors(reference).values()) < 1e-12


ON_TREES = [
    *((name, {}) for name in ("one-wong", "one-angeles", "one-walker-orin", "one-saha")),
    *(("one-featherstone", {"bias": bias}) for bias in ("inside", "inverse")),
    *(("one-bae", {"frame": frame}) for frame in ("inertial", "body")),
]


@pytest.mark.parametrize("seed", range(8))
def test_random_trees(seed):
    robot = build("random", *random_parts(12, seed))
    ties = {i: Tie((i * 5 + seed) % 4, 1.0 + 0.3 * i * (-1) ** i, 0.1 * i) for i in range(4, 12, 1 + seed % 3)}
    state = random_state(12 - len(ties), seed)
    reference = expected(robot, ties, state)
    for name, options in ON_TREES:
        value = load_scheme(name).plan(tie(robot, ties), state, **options).run(PRESETS["ideal"]).value
        assert max(value.errors(reference).values()) < 1e-10


def test_what_a_tie_costs():
    robot = chain(6, 3)
    tied = tie(robot, TIES)
    operations = load_scheme("one-wong").plan(tied, default_state(tied)).run(PRESETS["ideal"]).operations_by_phase
    assert (operations["followers"]["mul"], operations["followers"]["add"]) == (2 * 3, 3)  # positions and rates
    rows = (5 + 2 + 1) + (4 + 2 + 1) + (3 + 2 + 1)  # they shorten as joints go; M_ii counts twice, then h
    assert (operations["ties"]["mul"], operations["ties"]["add"]) == (rows, rows)


def test_what_a_tie_costs_a_recursion():
    """A sweep inwards and outwards more for each; then as many equations as ties."""
    robot, once = chain(6, 3), {}
    for count in range(4):
        ties = dict(list(TIES.items())[:count])
        tied = tie(robot, ties)
        run = load_scheme("one-saha").plan(tied, default_state(tied)).run(PRESETS["ideal"])
        once[count] = run.operations_by_phase["solve"]["mul"]
    equations = [0, 0, 1 + 2, 4 + 6]  # products of L D L^T of so many
    for count in range(1, 4):
        gaps, corrections = count * (count + 1), 6 * count
        assert once[count] == (count + 1) * once[0] + gaps + corrections + equations[count]


@pytest.mark.parametrize("name", sorted(set(SCHEMES) - TAKING - INVERSE))
def test_the_others_refuse_them(name):
    tied = tie(chain(6, 3), TIES)
    with pytest.raises(RefusedError) as error:
        load_scheme(name).evaluation(tied)
    assert str(error.value) == f"{name} takes no mimic joints, and joint 'joint2' of chain:6:3 is one"
    assert rescue(tied) == f"{' or '.join(TAKERS)} could take it"


@pytest.mark.parametrize("name", sorted(INVERSE - TAKING))
def test_inverse_dynamics_refuse_them(name):
    with pytest.raises(RefusedError) as error:
        load_scheme(name).inversion(tie(chain(6, 3), TIES))
    assert str(error.value) == f"{name} takes no mimic joints, and joint 'joint2' of chain:6:3 is one"


@pytest.mark.parametrize(
    ("ties", "message"),
    [
        ({1: Tie(0, 0.0)}, "multiplier in the tie of joint 'joint2' must be a finite number other than 0, not 0.0"),
        ({1: Tie(0, 1.0, np.inf)}, "offset in the tie of joint 'joint2' must be a finite number, not inf"),
        ({1: Tie(3, 1.0)}, "joint 'joint2' must mimic a joint that moves by itself, not another"),
        ({1: Tie(1, 1.0)}, "joint 'joint2' must mimic a joint that moves by itself, not another"),
        ({1: Tie(2, 1.0), 2: Tie(0, 1.0)}, "joint 'joint2' must mimic a joint that moves by itself, not another"),
    ],
)
def test_impossible_ties(ties, message):
    with pytest.raises(MeshSimError) as error:
        tie(chain(3, 1), ties)
    assert str(error.value) == message


def test_a_state_has_no_entries_for_them():
    tied = tie(chain(6, 3), TIES)
    assert tied.joints == ("joint1", "joint4", "joint5")
    assert default_state(tied) == State((0.1, 0.2, 0.1 * 3), (0.2,) * 3, (0.0,) * 3)
    with pytest.raises(MeshSimError, match=r"q must have shape \(3,\), one for each joint, not \(6,\)"):
        forward_dynamics(tied, random_state(6, 1))
