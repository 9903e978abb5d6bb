"""Loop closure in numpy: constraints against differences, assembly, and what is refused by name."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tools.loop_mechanisms import PLANE, SPACE
from tools.loops import linkage, parallelogram, ring, rod

from meshsim.algorithms.robots.body import rotation_x
from meshsim.algorithms.robots.closure import (
    CLOSED,
    assemble,
    check_actuation,
    check_rank,
    consistent_rates,
    leading,
    loops,
    placed,
)
from meshsim.algorithms.robots.cuts import EYE, Anchor, Cut
from meshsim.algorithms.robots.linkages import LINKAGES, four_bar, three_rrr
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.platform import legs_of
from meshsim.algorithms.robots.stewart import stewart
from meshsim.errors import MeshSimError

BUILT_IN = {**{name: make() for name, make in LINKAGES.items()}, "stewart": stewart()}
CUT_UP = {"legs of the four-bar": legs_of(four_bar()).parts, "legs of the 3rrr": legs_of(three_rrr()).parts}
MECHANISMS = {**BUILT_IN, **CUT_UP, **SPACE}


# Constraints


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_jacobian_is_how_constraints_change_with_each_joint(mechanism, seed):
    """Central differences of steps h are good to h^2 and to rounding over h."""
    q, h = np.random.default_rng(seed).uniform(-1.5, 1.5, mechanism.n), 1e-6
    rest = np.zeros(mechanism.n)
    columns = [
        (loops(mechanism, q + step, rest).c - loops(mechanism, q - step, rest).c) / (2 * h)
        for step in h * np.eye(mechanism.n)
    ]
    assert np.abs(np.array(columns).T - loops(mechanism, q, rest).A).max() < 1e-8


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_bias_is_how_constraints_accelerate_while_no_joint_does(mechanism, seed):
    """The second difference of c along q + t q': good to h^2 and to rounding over h^2."""
    random, h = np.random.default_rng(seed), 1e-4
    q, qd = random.uniform(-1.5, 1.5, mechanism.n), random.uniform(-1.0, 1.0, mechanism.n)
    before, now, after = (loops(mechanism, q + t * qd, qd) for t in (-h, 0.0, h))
    assert (before.c - 2 * now.c + after.c) / h**2 == pytest.approx(now.bias, abs=1e-6)


def test_constraints_of_the_four_bar_by_hand():
    """The rocker's tip less the coupler's; the coupler's angle is to the crank."""
    a, b, f = 0.3, 0.9, 2.0
    now = loops(four_bar(), (a, b, f), np.zeros(3))
    x = 3.0 + 2.5 * math.cos(f) - math.cos(a) - 4.0 * math.cos(a + b)
    y = 2.5 * math.sin(f) - math.sin(a) - 4.0 * math.sin(a + b)
    assert now.c == pytest.approx([x, y], abs=1e-14)
    swing = 4.0 * math.sin(a + b), -4.0 * math.cos(a + b)
    row_x = [math.sin(a) + swing[0], swing[0], -2.5 * math.sin(f)]
    row_y = [-math.cos(a) + swing[1], swing[1], 2.5 * math.cos(f)]
    assert np.abs(now.A - [row_x, row_y]).max() < 1e-14
    assert now.cut == (0, 0)


@pytest.mark.parametrize(
    ("mechanism", "rows"),
    [
        (three_rrr(), (0, 0, 1, 1, 2, 2)),
        (PLANE["welded"], (0, 0, 0)),
        (SPACE["two arms, one body"], (0, 0, 0, 1, 1, 1, 1, 1)),
        (SPACE["welded"], (0,) * 6),
    ],
    ids=["pins", "welded in the plane", "ball and hinge", "welded in space"],
)
def test_rows_by_kind_of_cut_joint(mechanism, rows):
    now = loops(mechanism, mechanism.guess, np.zeros(mechanism.n))
    assert now.cut == rows
    assert now.A.shape == (len(rows), mechanism.n)


# Planes


def turned(mechanism, R):
    """The same mechanism in a ground frame that is turned."""

    def moved(body):
        if body.parent >= 0:
            return body
        rotation = tuple(map(tuple, (R @ np.array(body.rotation)).tolist()))
        return replace(body, rotation=rotation, position=tuple((R @ np.array(body.position)).tolist()), twist=None)

    gravity = tuple((R @ np.array(mechanism.gravity)).tolist())
    tree = Mechanism(mechanism.name, tuple(map(moved, mechanism.bodies)), gravity)
    return tree.closed_by(mechanism.cuts, mechanism.actuated, mechanism.guess)


def test_the_plane_of_mechanisms():
    assert BUILT_IN["stewart"].plane is None
    for mechanism in (*(each for name, each in BUILT_IN.items() if name != "stewart"), *CUT_UP.values(), ring(4)):
        plane = mechanism.plane
        assert np.abs(plane.normal) == pytest.approx([0.0, 1.0, 0.0], abs=1e-15)
        assert np.array([plane.x, plane.y, plane.normal]) @ np.array([plane.x, plane.y, plane.normal]).T == (
            pytest.approx(np.eye(3), abs=1e-15)
        )
        assert np.cross(plane.x, plane.y) == pytest.approx(plane.normal, abs=1e-15)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.0, 0.8)])
def test_a_plane_is_found_however_it_is_turned(axis):
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    R = np.eye(3) + math.sin(0.7) * K + (1.0 - math.cos(0.7)) * K @ K
    mechanism = four_bar()
    other = turned(mechanism, R)
    assert other.plane is not None
    assert abs(float(other.plane.normal @ R @ mechanism.plane.normal)) == pytest.approx(1.0, abs=1e-15)
    assert assemble(other) == pytest.approx(assemble(mechanism), abs=1e-11)


def test_a_joint_or_a_pin_that_leans_leaves_the_plane():
    mechanism = four_bar()
    crank, coupler, rocker = mechanism.bodies
    leaning = replace(rocker, rotation=rotation_x(math.pi / 2 + 1e-3), twist=None)
    assert replace(mechanism, name="leaning", bodies=(crank, coupler, leaning)).plane is None
    (pin,) = mechanism.cuts
    ball, hinge = (replace(pin, kind=kind, second=replace(pin.second, rotation=rotation_x(0.1))) for kind in KINDS)
    assert replace(mechanism, cuts=(hinge,)).plane is None
    assert replace(mechanism, cuts=(ball,)).plane is not None  # a ball has no axis


KINDS = ("spherical", "revolute")


def test_what_slides_within_the_plane_stays_in_it():
    mechanism = four_bar()
    crank, coupler, rocker = mechanism.bodies
    mechanism = replace(mechanism, cuts=(replace(mechanism.cuts[0], kind="spherical"),))
    within = replace(rocker, kind="prismatic", rotation=EYE, twist=None)  # along the ground's z, which is up
    across = replace(rocker, kind="prismatic", rotation=rotation_x(math.pi / 2), twist=None)
    assert replace(mechanism, name="slides", bodies=(crank, coupler, within)).plane is not None
    assert replace(mechanism, name="leaves", bodies=(crank, coupler, across)).plane is None


def test_what_only_slides_is_not_looked_for_a_plane():
    assert SPACE["slides"].plane is None


# Assembly


@pytest.mark.parametrize("mechanism", [*BUILT_IN.values(), *CUT_UP.values()], ids=[*BUILT_IN, *CUT_UP])
def test_assembled_loops_are_closed_and_actuated_joints_stay(mechanism):
    q = assemble(mechanism)
    assert np.abs(loops(mechanism, q, np.zeros(mechanism.n)).c).max() < CLOSED
    held = list(leading(mechanism))
    assert q[held].tolist() == np.array(mechanism.guess)[held].tolist()
    assert np.abs(q - mechanism.guess).max() < 1e-3  # near the guess: that which the documents print


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("make", [four_bar, three_rrr])
def test_assembly_from_afar(make, seed):
    """In three dimensions too the ends meet."""
    mechanism = make()
    guess = np.array(mechanism.guess) + np.random.default_rng(seed).uniform(-0.3, 0.3, mechanism.n)
    q = assemble(mechanism, guess)
    bodies = placed(mechanism, q, np.zeros(mechanism.n))
    for cut in mechanism.cuts:
        one, other = (
            bodies[end.body].x + bodies[end.body].R @ np.array(end.position) for end in (cut.first, cut.second)
        )
        assert one == pytest.approx(other, abs=1e-11)


def test_joints_to_be_held_may_be_chosen():
    mechanism = four_bar()
    guess = np.array(mechanism.guess) + np.array((0.2, 0.0, 0.1))
    q = assemble(mechanism, guess, held=(2,))
    assert q[2] == guess[2]
    assert q[0] != guess[0]
    assert np.abs(loops(mechanism, q, np.zeros(3)).c).max() < CLOSED
    free = assemble(mechanism, guess, held=())
    assert np.abs(loops(mechanism, free, np.zeros(3)).c).max() < CLOSED


def message_of(function, *args, **kwargs):
    with pytest.raises(MeshSimError) as caught:
        function(*args, **kwargs)
    return str(caught.value)


def test_a_linkage_that_is_too_short_names_its_loop_and_gap():
    """Ground 3 m, others 0.4 m each: stretched out, 1.8 m are missing."""
    mechanism = linkage("short", (3.0, 0.4, 0.4, 0.4), (0.0, 0.1, 3.0))
    assert message_of(assemble, mechanism) == (
        "short cannot be assembled near the guess: the loop through 'pin' stays open by 1.8 m with 'crank' held"
    )
    assert message_of(assemble, mechanism, held=()) == (
        "short cannot be assembled near the guess: the loop through 'pin' stays open by 1.8 m"
    )


def test_of_several_loops_the_one_that_stays_open_is_named():
    """Of the third leg's lower link a centimetre is left."""
    mechanism = three_rrr()
    first, second, third = mechanism.cuts
    far = replace(third, name="far", first=Anchor(5, (0.01, 0.0, 0.0)))
    message = message_of(assemble, replace(mechanism, cuts=(first, second, far)))
    assert message.startswith("3rrr cannot be assembled near the guess: the loop through ")
    assert "'far' stays open by " in message
    assert message.endswith(" m with 'proximal1', 'proximal2', 'proximal3' held")


def test_what_is_apart_across_the_plane_cannot_be_assembled():
    mechanism = four_bar()
    bodies = mechanism.bodies
    raised = replace(bodies[2], position=(3.0, 0.02, 0.0))
    other = replace(mechanism, name="raised", bodies=(*bodies[:2], raised))
    message = message_of(assemble, other)
    assert message.startswith("raised cannot be assembled: the loop through 'pin' is open by ")
    assert message.endswith("0.02 m across the plane in which all bodies move")


# Refused by name


def test_redundant_constraints_are_named():
    mechanism = parallelogram(third=True)
    assert message_of(check_rank, mechanism, mechanism.guess) == (
        "the constraints of tied parallelogram are redundant: a row of the loop through 'middle pin' follows from the "
        "others"
    )
    check_rank(parallelogram(), parallelogram().guess)


def test_more_constraints_than_joints_are_redundant():
    """A plate pinned to the ground twice cannot turn, and its joint's three constraints are one too many at least."""
    bodies = (rod("plate", -1, 1.0),)
    cuts = tuple(
        Cut(f"pin{k}", "revolute", Anchor(0, (float(k), 0.0, 0.0)), Anchor(-1, (float(k), 0.0, 0.0))) for k in (1, 2)
    )
    mechanism = Mechanism("plate", bodies).closed_by(cuts, (), (0.0,))
    assert message_of(check_rank, mechanism, (0.0,)).startswith(
        "the constraints of plate are redundant: a row of the loop through 'pin"
    )


def test_a_planar_loop_with_hinges_in_space_is_redundant_and_told_what_to_do():
    """A hinge holds two axes that the others hold already: out of the plane the four-bar is overconstrained."""
    mechanism = four_bar()
    leaning = replace(
        mechanism, cuts=(replace(mechanism.cuts[0], first=replace(mechanism.cuts[0].first, rotation=rotation_x(0.1))),)
    )
    assert leaning.plane is None
    assert message_of(check_rank, leaning, assemble(mechanism)) == (
        "the constraints of four-bar are redundant: a row of the loop through 'pin' follows from the others (in space; "
        "its axes need not be held if the others hold them: a spherical joint may do)"
    )


def test_too_few_driven_joints():
    mechanism = replace(four_bar(), actuated=())
    assert message_of(check_actuation, mechanism, assemble(four_bar())) == (
        "the actuated joints of four-bar must be at least 1, as many as it has freedoms, not 0"
    )


@pytest.mark.parametrize("actuated", [(0, 2), (2, 0), (1, 2, 0)])
def test_of_more_driven_joints_than_freedoms_the_first_lead(actuated):
    """They are held, or their rates are taken; the others follow."""
    mechanism = replace(four_bar(), actuated=actuated)
    check_actuation(mechanism, assemble(mechanism))
    first = actuated[0]
    assert leading(mechanism) == (first,)
    q = assemble(mechanism, np.array(mechanism.guess) + 0.01)
    assert q[first] == mechanism.guess[first] + 0.01
    qd = consistent_rates(mechanism, q, [2.0] * len(actuated))
    assert qd[first] == 2.0
    assert np.abs(loops(mechanism, q, qd).A @ qd).max() < 1e-12


def test_a_joint_that_adds_nothing_does_not_lead():
    """Where the platform is and how it is turned says all of the first leg; so does its x, with hip and knee."""
    assert leading(replace(three_rrr(), actuated=(6, 7, 0, 1, 4))) == (6, 7, 0)
    open_chain = replace(slider_and_link(), actuated=(0, 1, 3))
    assert leading(open_chain) == (0, 3)  # the rod follows the crank; the link on it does not


def slider_and_link():
    """A crank, a rod and a rocker, and a link that hangs on the rod."""
    four = four_bar()
    bodies = (*four.bodies, rod("link", 1, 0.5, (2.0, 0.0, 0.0)))
    return Mechanism("hanging", bodies).closed_by(four.cuts, (0, 3), (*four.guess, 0.0))


def test_loops_that_hold_all_joints_leave_nothing_to_drive():
    """Two links on the ground that meet in a pin: a truss."""
    bodies = (rod("one", -1, 1.0), rod("other", -1, 1.0, (1.0, 0.0, 0.0)))
    pin = Cut("pin", "revolute", Anchor(0, (1.0, 0.0, 0.0)), Anchor(1, (1.0, 0.0, 0.0)))
    truss = Mechanism("truss", bodies).closed_by((pin,), (0,), (math.pi / 3, 2 * math.pi / 3))
    assert message_of(check_actuation, truss, assemble(truss)) == (
        "truss must have at least one freedom, not 0: its loops hold all its joints"
    )


def test_driven_joints_that_leave_a_motion_open_are_named_with_what_moves():
    """Stretched out, coupler and rocker may turn while the crank is held."""
    mechanism = linkage("stretched", (3.0, 1.0, 1.0, 1.0), (0.0, 0.0, math.pi))
    check = message_of(check_actuation, mechanism, mechanism.guess)
    assert check == (
        "the actuated joints of stretched ('crank') do not determine its motion: with them held, 'coupler', 'rocker' "
        "can still move"
    )
    check_actuation(four_bar(), assemble(four_bar()))


@pytest.mark.parametrize("mechanism", BUILT_IN.values(), ids=BUILT_IN)
def test_mechanisms_that_are_built_in_pass(mechanism):
    q = assemble(mechanism)
    check_rank(mechanism, q)
    check_actuation(mechanism, q)
    rates = np.random.default_rng(1).uniform(-1.0, 1.0, len(mechanism.actuated))
    qd = consistent_rates(mechanism, q, rates)
    leads = [mechanism.actuated.index(joint) for joint in leading(mechanism)]
    assert qd[list(leading(mechanism))].tolist() == rates[leads].tolist()
    assert np.abs(loops(mechanism, q, qd).A @ qd).max() < 1e-13


def test_what_is_no_mechanism_with_loops():
    mechanism = four_bar()
    (pin,) = mechanism.cuts
    away = replace(pin, second=Anchor(3, (0.0, 0.0, 0.0)))
    for changes, message in (
        ({"cuts": ()}, "mechanism 'four-bar' with actuated joints or a guess must have at least one cut joint, not 0"),
        ({"cuts": (pin, pin)}, "cut joints of 'four-bar' must have names of their own, not twice 'pin'"),
        ({"cuts": (away,)}, "body of cut joint 'pin' must be from -1 to 2, not 3"),
        (
            {"cuts": (replace(pin, second=pin.first),)},
            "cut joint 'pin' must join two bodies, not one to itself",
        ),
        ({"guess": (0.0, 0.0)}, "guess for 'four-bar' must be 3 finite numbers, one for each joint"),
        ({"guess": (0.0, 0.0, math.nan)}, "guess for 'four-bar' must be 3 finite numbers, one for each joint"),
        ({"actuated": (0, 0)}, "actuated joints of 'four-bar' must be different joints, not (0, 0)"),
        ({"actuated": (3,)}, "actuated joints of 'four-bar' must be different joints, not (3,)"),
    ):
        assert message_of(replace, mechanism, **changes) == message
    assert message_of(replace, pin, kind="prismatic") == (
        "kind of cut joint 'pin' must be revolute, spherical, fixed, not 'prismatic'; cut another joint of the loop, "
        "or one of its bodies by a fixed joint"
    )
