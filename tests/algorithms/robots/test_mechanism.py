"""Mechanisms hold what they are given and refuse what cannot be a mechanism."""

import dataclasses
import math

import pytest

from meshsim.algorithms.robots.body import Body, rotation_x
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.errors import MeshSimError

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def body(**changes):
    """An arm hung from the ground, with some fields changed."""
    fields = {
        "name": "arm",
        "joint": "shoulder",
        "kind": "revolute",
        "parent": -1,
        "rotation": IDENTITY,
        "position": (0.0, 0.0, 0.0),
        "mass": 2.0,
        "com": (0.5, 0.25, 0.0),
        "inertia": IDENTITY,
    }
    return Body(**{**fields, **changes})


def hand(**changes):
    """A second body, carried by the arm."""
    fields = {"name": "hand", "joint": "wrist", "parent": 0, "position": (2.0, 0.0, 1.0)}
    return body(**{**fields, **changes})


def test_properties_of_a_chain():
    mechanism = Mechanism("pair", (body(), hand()))
    assert mechanism.n == 2
    assert mechanism.joints == ("shoulder", "wrist")
    assert mechanism.gravity == (0.0, 0.0, -9.81)
    assert mechanism.is_chain
    assert not mechanism.is_twist


def test_thesis_vectors_start_at_the_centre_of_mass():
    mechanism = Mechanism("pair", (body(), hand(com=(0.0, 0.0, 0.125))))
    assert mechanism.k(0) == (-0.5, -0.25, 0.0)
    assert mechanism.l(0) == (1.5, -0.25, 1.0)
    assert mechanism.k(1) == (0.0, 0.0, -0.125)
    assert mechanism.l(1) == (0.0, 0.0, 0.0)


def test_k_has_no_negative_zero():
    assert math.copysign(1.0, Mechanism("arm", (body(),)).k(0)[2]) == 1.0


def test_a_tree_is_not_a_chain_and_has_no_single_l():
    tree = Mechanism("fork", (body(), hand(), hand(joint="other wrist")))
    assert not tree.is_chain
    with pytest.raises(MeshSimError) as error:
        tree.l(0)
    assert str(error.value) == "mechanism 'fork' must be a serial chain to have one l per body, not a tree"


def test_two_roots_are_not_a_chain():
    assert not Mechanism("twins", (body(), hand(parent=-1))).is_chain


def test_is_twist_needs_a_twist_everywhere():
    twisted = body(rotation=rotation_x(0.3), twist=0.3)
    assert Mechanism("one", (twisted,)).is_twist
    assert not Mechanism("two", (twisted, hand())).is_twist


def test_mechanisms_are_frozen():
    mechanism = Mechanism("arm", (body(),))
    with pytest.raises(dataclasses.FrozenInstanceError):
        mechanism.name = "leg"
    with pytest.raises(dataclasses.FrozenInstanceError):
        mechanism.bodies[0].mass = 1.0


def test_point_mass_and_thin_rod_are_allowed():
    zero = (0.0, 0.0, 0.0)
    assert body(inertia=(zero, zero, zero)).inertia == (zero, zero, zero)
    assert body(inertia=(zero, (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))).inertia[0] == zero


def test_a_massless_body_may_carry_another():
    pair = Mechanism("pair", (body(mass=0.0, inertia=NOTHING), hand()))
    assert [each.mass for each in pair.bodies] == [0.0, 2.0]


def test_needs_name_the_first_joint():
    assert Mechanism("pair", (body(), hand())).needs == {}
    fork = (body(), hand(kind="prismatic"), hand(joint="other wrist"), hand(joint="third", kind="prismatic"))
    needs = Mechanism("fork", fork).needs
    assert needs == {"prismatic joints": "wrist", "branching joints": "other wrist"}


def test_rounding_of_symmetry_and_definiteness_is_allowed():
    nearly = ((1.0, 1e-12, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1e-12))
    assert body(inertia=nearly).inertia == nearly


LEFT_HANDED = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0))
NOTHING = ((0.0, 0.0, 0.0),) * 3
STRETCHED = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.00001))
HUGE = ((1e200, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ASYMMETRIC = ((1.0, 0.1, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
TOO_LARGE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 2.00001))
INDEFINITE = ((1.0, 2.0, 0.0), (2.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"joint": ""}, "joint of body 'arm' must have a name, not ''"),
        ({"kind": "screw"}, "kind of joint 'shoulder' must be revolute or prismatic, not 'screw'"),
        ({"mass": 0.0}, f"inertia of body 'arm' must be 0, as its mass is, not {IDENTITY}"),
        ({"mass": -1.0}, "mass of body 'arm' must be a finite number, at least 0, not -1.0"),
        ({"mass": math.inf}, "mass of body 'arm' must be a finite number, at least 0, not inf"),
        ({"mass": math.nan}, "mass of body 'arm' must be a finite number, at least 0, not nan"),
        ({"mass": True}, "mass of body 'arm' must be a finite number, at least 0, not True"),
        (
            {"position": (0.0, math.nan, 0.0)},
            "position of joint 'shoulder' must be a tuple of 3 finite numbers, not (0.0, nan, 0.0)",
        ),
        (
            {"com": (0.0, 0.0)},
            "centre of mass of body 'arm' must be a tuple of 3 finite numbers, not (0.0, 0.0)",
        ),
        (
            {"com": [0.0] * 3},
            "centre of mass of body 'arm' must be a tuple of 3 finite numbers, not [0.0, 0.0, 0.0]",
        ),
        (
            {"inertia": (1.0, 2.0, 3.0)},
            "inertia of body 'arm' must be 3 rows of 3 finite numbers, not (1.0, 2.0, 3.0)",
        ),
        ({"inertia": ASYMMETRIC}, f"inertia of body 'arm' must be symmetric, not {ASYMMETRIC}"),
        ({"inertia": INDEFINITE}, f"inertia of body 'arm' must be positive semidefinite, not {INDEFINITE}"),
        (
            {"inertia": TOO_LARGE},
            "inertia of body 'arm' must have no principal moment greater than the sum of the other two, "
            f"not {TOO_LARGE}",
        ),
        ({"rotation": STRETCHED}, f"rotation of joint 'shoulder' must be orthonormal, not {STRETCHED}"),
        ({"rotation": HUGE}, f"rotation of joint 'shoulder' must be orthonormal, not {HUGE}"),
        (
            {"rotation": LEFT_HANDED},
            f"rotation of joint 'shoulder' must be right-handed (determinant 1), not {LEFT_HANDED}",
        ),
        (
            {"rotation": IDENTITY[:2]},
            f"rotation of joint 'shoulder' must be 3 rows of 3 finite numbers, not {IDENTITY[:2]}",
        ),
        ({"twist": math.inf}, "twist of joint 'shoulder' must be a finite number, not inf"),
        ({"twist": 0.1}, f"twist of joint 'shoulder' must be the angle about x of {IDENTITY}, not 0.1"),
    ],
)
def test_impossible_bodies_are_refused(changes, message):
    with pytest.raises(MeshSimError) as error:
        body(**changes)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("bodies", "message"),
    [
        ((), "mechanism 'robot' must have at least one body, not 0"),
        ((body(parent=0),), "parent of body 'arm' must be from -1 to -1, not 0"),
        ((body(), hand(parent=1)), "parent of body 'hand' must be from -1 to 0, not 1"),
        ((body(), hand(parent=-2)), "parent of body 'hand' must be from -1 to 0, not -2"),
        (
            (body(), hand(joint="shoulder")),
            "joint names of mechanism 'robot' must be unique, not 'shoulder' twice",
        ),
        (
            (body(), hand(mass=0.0, inertia=NOTHING)),
            "body 'hand', moved by joint 'wrist', must have mass or carry mass, not neither; "
            "else lock or drop the joint",
        ),
    ],
)
def test_impossible_mechanisms_are_refused(bodies, message):
    with pytest.raises(MeshSimError) as error:
        Mechanism("robot", bodies)
    assert str(error.value) == message


def test_gravity_must_be_finite():
    with pytest.raises(MeshSimError) as error:
        Mechanism("robot", (body(),), gravity=(0.0, 0.0, math.inf))
    assert str(error.value) == "gravity of mechanism 'robot' must be a tuple of 3 finite numbers, not (0.0, 0.0, inf)"
