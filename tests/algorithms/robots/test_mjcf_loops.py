"""Loops of MJCF files: accelerations are those that MuJoCo's own constraints leave when they are held rigidly."""

import numpy as np
import pytest
from tools.loops import closed_state
from tools.mujoco_model import body, constrained, joint, mjcf, model_of, read_text
from tools.paths import EXAMPLES

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.state import State, default_state
from meshsim.errors import MeshSimError, MeshSimWarning

AGREES = 1e-8
"""The rate of MuJoCo's Jacobian is a central difference, exact to about 1e-10."""
PIN = "<connect name='pin' body1='coupler' body2='rocker' anchor='4 0 0'/>"
BESIDE = "<connect name='beside' body1='coupler' body2='rocker' anchor='4 1 0'/>"
MOTOR = "<actuator><motor joint='crank'/></actuator>"


def rod(name, inside, place, length):
    inertial = f"<inertial pos='{length / 2} 0 0' mass='1' diaginertia='.04 .08 .04'/>"
    return f"<body name='{name}' {place}>{joint(name, axis='0 -1 0')}{inertial}{inside}</body>"


FOUR_BAR = rod("crank", rod("coupler", "", "pos='1 0 0' euler='0 69.75890537 0'", 4), "euler='0 -90 0'", 1) + rod(
    "rocker", "", "pos='3 0 0' euler='0 -72.47102 0'", 2.5
)


def model(inside, *constraints, after=MOTOR):
    return mjcf(inside, f"<equality>{''.join(constraints)}</equality>{after}")


def check(robot, text, seed=1):
    """Against MuJoCo; joints that were added for plane loops stay where they are."""
    state = State(*map(tuple, closed_state(robot, seed)))
    kept = [i for i, name in enumerate(robot.joints) if not name.endswith(".slide")]
    own = State(*(tuple(np.array(each)[kept]) for each in (state.q, state.qd, state.tau)))
    qdd, left, rates = constrained(model_of(text), [robot.joints[i] for i in kept], own)
    assert np.abs(left).max() < 1e-6  # as closed as the file's digits make it
    assert np.abs(rates).max() < 1e-6
    found = forward_dynamics(robot, state).qdd
    assert np.abs(found[kept] - qdd).max() < AGREES * np.abs(qdd).max()
    assert np.abs(np.delete(found, kept)).max(initial=0.0) < 1e-10


@pytest.mark.filterwarnings("ignore::meshsim.errors.MeshSimWarning")
@pytest.mark.parametrize("carried", ["on the ground", "on a hinge", "afloat"])
@pytest.mark.parametrize("pins", [(PIN,), (PIN, BESIDE)], ids=["point", "two points"])
def test_a_plane_loop_wherever_it_is(carried, pins, tmp_path):
    joints = {"on a hinge": joint("yaw", axis="1 0 1"), "afloat": "<freejoint/>"}
    inside = FOUR_BAR if carried == "on the ground" else body("base", joints[carried] + FOUR_BAR, "euler='10 20 30'")
    text = model(inside, *pins)
    robot = read_text(tmp_path, text)
    assert (robot.plane is not None) == (carried == "on the ground")
    assert ("rocker.slide" in robot.joints) == (robot.plane is None)
    assert robot.joints[robot.actuated[0]] == "crank"
    check(robot, text)


def test_the_example_is_the_four_bar_that_is_built_in():
    robot, known = load_robot(str(EXAMPLES / "fourbar.xml")), load_robot("four-bar")
    assert robot.joints == known.joints
    state = default_state(known)
    assert max(forward_dynamics(robot, state).errors(forward_dynamics(known, state)).values()) < 1e-12


def test_a_body_that_is_welded_together(tmp_path):
    """The coupler of a four-bar, cut in halves: the right one hangs on the rocker."""
    half = rod("half", "", "pos='2.5 0 0' euler='0 -87.3 0'", 2)
    left = rod("crank", rod("coupler", "", "pos='1 0 0' euler='0 69.75890537 0'", 4), "euler='0 -90 0'", 1)
    right = rod("rocker", half, "pos='3 0 0' euler='0 -72.47102 0'", 2.5)
    text = model(left + right, "<weld body1='coupler' body2='half'/>")
    robot = read_text(tmp_path, text)
    assert robot.cuts[0].kind == "fixed"
    check(robot, text)
    loose = model(left + right, "<weld body1='coupler' body2='half' torquescale='0'/>")
    with pytest.warns(MeshSimWarning, match="taken as actuated though without actuators"):
        assert read_text(tmp_path, loose).cuts[0].kind == "spherical"


def test_a_loop_in_space_closed_at_sites(tmp_path):
    """Two arms of three hinges, askew, that hold each other by a point."""
    arms = "".join(
        body(
            f"a{k}",
            joint(f"a{k}", axis="0 0 1")
            + body(
                f"b{k}",
                joint(f"b{k}", axis="0 1 0")
                + body(f"c{k}", joint(f"c{k}", axis="1 0 0") + f"<site name='s{k}' pos='{site}'/>", "pos='.5 0 .2'"),
                "pos='.4 .1 0'",
            ),
            f"pos='{x} 0 0'",
        )
        for k, x, site in ((1, 0, "0 .3 .3"), (2, 0.2, "-.2 .3 .3"))
    )
    motors = "".join(f"<motor joint='{name}'/>" for name in ("a1", "b1", "c1"))
    text = model(arms, "<connect site1='s1' site2='s2'/>", after=f"<actuator>{motors}</actuator>")
    robot = read_text(tmp_path, text)
    assert robot.plane is None
    assert len(robot.actuated) == 3
    check(robot, text)


def test_without_actuators_joints_are_chosen_and_told(tmp_path):
    with pytest.warns(MeshSimWarning, match="so that the motion is determined: 'crank'$"):
        robot = read_text(tmp_path, model(FOUR_BAR, PIN, after=""))
    assert robot.actuated == (0,)


REFUSED = {
    "loops and a joint that mimics": (
        model(FOUR_BAR + body("b", joint("x")), PIN, "<joint joint1='x' joint2='crank'/>"),
        "no joint of a mechanism with loops may mimic another, and 'x' does",
    ),
    "two joints on one axis": (
        model(FOUR_BAR, PIN, BESIDE.replace("4 1 0", "4 0 0")),
        "points that 'pin' and 'beside' hold must be apart",
    ),
    "held three times": (
        model(FOUR_BAR, PIN, BESIDE, BESIDE.replace("beside", "again").replace("4 1", "4 2")),
        "are redundant|must have at least one freedom",
    ),
    "one body": (
        model(FOUR_BAR + "<body name='still' pos='9 0 0'/>", "<connect body1='still' anchor='0 0 0'/>"),
        "must join two bodies, not 'still' and 'world', which move as one",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name, tmp_path):
    text, message = REFUSED[name]
    with pytest.raises(MeshSimError, match=message):
        read_text(tmp_path, text)


def test_armature_and_loops(tmp_path):
    with pytest.raises(MeshSimError, match="armature: must stand before the path of a robot without loops"):
        read_text(tmp_path, model(FOUR_BAR, PIN), "armature:")
