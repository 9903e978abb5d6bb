"""Loops in users' files: what is written is what closes, and every mistake is named in one line."""

import os
import re

import numpy as np
import pytest
from tools.paths import EXAMPLES
from tools.schemes import CHAINS

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.body import rotation_x
from meshsim.algorithms.robots.catalogue import ROBOTS, load_robot
from meshsim.algorithms.robots.closure import assemble, loops, placed
from meshsim.algorithms.robots.linkages import LINKAGES
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.robots.tree import rotation_rpy
from meshsim.algorithms.schemes.base.scheme import RefusedError
from meshsim.algorithms.schemes.catalogue import rescue
from meshsim.errors import MeshSimError

FOUR_BAR = (EXAMPLES / "fourbar.toml").read_text()


def read_text(tmp_path, text):
    path = tmp_path / "robot.toml"
    path.write_text(text)
    return load_robot(str(path))


def refusal(tmp_path, text):
    with pytest.raises(MeshSimError) as error:
        read_text(tmp_path, text)
    message = str(error.value)
    assert "\n" not in message
    assert message.startswith(f"{tmp_path / 'robot.toml'}: ")
    return message.removeprefix(f"{tmp_path / 'robot.toml'}: ")


def assert_same(one, other, tolerance=1e-12):
    """Same joints, and but for rounding the same dynamics of the tree and the same constraints in some state."""
    assert one.joints == other.joints
    assert one.actuated == other.actuated
    state = default_state(one)
    errors = forward_dynamics(one, state).errors(forward_dynamics(other, state))
    assert max(errors.values()) < tolerance
    ours, theirs = (loops(mechanism, state.q, state.qd) for mechanism in (one, other))
    for name in ("c", "A", "bias"):
        assert np.abs(getattr(ours, name) - getattr(theirs, name)).max() < tolerance, name
    assert np.abs(assemble(one) - assemble(other)).max() < 1e-10  # loops are closed to 1e-12, and no better


def test_the_four_bar_is_the_one_built_in():
    read, built_in = load_robot(str(EXAMPLES / "fourbar.toml")), load_robot("four-bar")
    assert read.bodies == built_in.bodies
    assert (read.cuts, read.actuated, read.guess) == (built_in.cuts, built_in.actuated, built_in.guess)
    assert read.name == "fourbar"


def test_the_five_bar():
    """By symmetry the tips meet midway, each fore arm in the triangle of its elbow and the middle."""
    read = load_robot(str(EXAMPLES / "fivebar.toml"))
    assert read.joints == ("left_shoulder", "left_elbow", "right_shoulder", "right_elbow")
    elbow = 0.1 + 0.2 * np.sin(np.radians(40))  # the distance from the middle
    turn = np.radians(40) + np.arcsin(elbow / 0.3)
    shoulder = np.radians(40)
    assert np.abs(assemble(read) - [-shoulder, turn, shoulder, -turn]).max() < 1e-11


@pytest.mark.parametrize("name", [*LINKAGES, str(EXAMPLES / "fourbar.toml"), str(EXAMPLES / "fivebar.toml")])
def test_robots_with_loops_are_no_trees(name):
    """They load as all others do, and schemes for trees refuse them by their first cut joint."""
    mechanism = load_robot(name)
    assert mechanism.needs["loops"] == mechanism.cuts[0].name
    for scheme in CHAINS.values():
        with pytest.raises(RefusedError) as error:
            scheme.evaluation(mechanism)
        joint = repr(mechanism.cuts[0].name)
        assert str(error.value) == f"{scheme.name} takes no loops, and joint {joint} of {mechanism.name} closes one"
    assert rescue(mechanism) == ("penalty or projection or denoc or multipliers or wong-mesh-loops could take it")


def test_robots_without_loops_are_trees():
    for name in ("puma600", "chain:3:1", str(EXAMPLES / "arm.urdf"), str(EXAMPLES / "crane.toml")):
        mechanism = load_robot(name)
        assert (mechanism.cuts, mechanism.actuated, mechanism.guess) == ((), (), ())
        assert "loops" not in mechanism.needs


# URDF files: frames that are turned, links that are merged


def rpy_text(R):
    """The angles of a rotation, and its numbers as URDF has them."""
    pitch = -np.arcsin(R[2, 0])
    return numbers(np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0]))


def numbers(*values):
    return " ".join(repr(float(value)) for value in values)


def link(name, frame, length, mass=1.0):
    """A rod along x of the frame that the links of the built-in four-bar have, told in another `frame`."""
    moment = mass * length**2 / 12
    return f"""<link name="{name}"><inertial>
      <origin xyz="{numbers(*frame.T @ [length / 2, 0, 0])}" rpy="{rpy_text(frame.T)}"/><mass value="{mass}"/>
      <inertia ixx="{moment / 2}" iyy="{moment / 2}" izz="{moment}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""


def joint(name, kind, parent, child, position, rotation, axis):
    return f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
      <origin xyz="{numbers(*position)}" rpy="{rpy_text(rotation)}"/><axis xyz="{numbers(*axis)}"/></joint>"""


def turned_four_bar():
    """The built-in four-bar with every link's frame turned, a pedestal on the ground, and a tip on the coupler.

    F turns a link's frame from the one that the built-in has; e.g. its z, the axis, is F^T z there.
    """
    F = {
        name: rotation_rpy(*angles)
        for name, angles in zip("abct", np.linspace(-1.3, 1.4, 12).reshape(4, 3), strict=True)
    }
    P, z, upright = rotation_rpy(0.4, 0.5, -0.6), np.array([0.0, 0.0, 1.0]), np.array(rotation_x(np.pi / 2))
    pedestal = np.array([0.3, -0.2, 0.7])
    parts = [
        '<robot name="turned"><link name="root"/><link name="pedestal"/><link name="tip"/>',
        *(
            link(name, F[frame], length)
            for name, frame, length in (("crank", "a", 1), ("coupler", "b", 4), ("rocker", "c", 2.5))
        ),
        joint("mount", "fixed", "root", "pedestal", pedestal, P, z),
        joint("crank", "revolute", "pedestal", "crank", P.T @ -pedestal, P.T @ upright @ F["a"], F["a"].T @ z),
        joint("coupler", "revolute", "crank", "coupler", F["a"].T @ [1, 0, 0], F["a"].T @ F["b"], F["b"].T @ z),
        joint("rocker", "continuous", "root", "rocker", [3, 0, 0], upright @ F["c"], F["c"].T @ z),
        joint("end", "fixed", "coupler", "tip", F["b"].T @ [3, 0.5, 0], F["b"].T @ F["t"], z),
        "</robot>",
    ]
    return "\n".join(parts), F


def sidecar(F, robot="turned.urdf"):
    z = np.array([0.0, 0.0, 1.0])
    return f"""
robot = "{robot}"
actuated = ["crank"]
guess = {{ crank = 1.5708, coupler = -1.2175, rocker = 1.2649 }}
[[loop]]
name = "pin"
first = "tip"
first_position = {list(map(float, F["t"].T @ [1, -0.5, 0]))}
first_axis = {list(map(float, 2 * F["t"].T @ z))}
second = "rocker"
second_position = {list(map(float, F["c"].T @ [2.5, 0, 0]))}
second_axis = {list(map(float, F["c"].T @ z))}
"""


def test_turned_and_merged_links_of_a_urdf(tmp_path):
    urdf, F = turned_four_bar()
    (tmp_path / "turned.urdf").write_text(urdf)
    read = read_text(tmp_path, sidecar(F))
    assert read.name == "robot"
    assert read.plane is not None
    assert_same(read, load_robot("four-bar"))


def test_the_path_is_seen_from_the_file(tmp_path, monkeypatch):
    urdf, F = turned_four_bar()
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots/turned.urdf").write_text(urdf)
    monkeypatch.chdir("/")
    assert read_text(tmp_path, sidecar(F, robot="robots/turned.urdf")).n == 3


ROD = """<robot name="rod"><link name="rod"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="eye"/>
<joint name="weld" type="fixed"><parent link="rod"/><child link="eye"/>
<origin xyz="0.5 0 0" rpy="0 0 1"/></joint></robot>"""
HANGING = """
robot = "floating:rod.urdf"
angles = "degrees"
actuated = ["base.rz", "base.ry", "base.rx"]
guess = { base.rz = 90, "base.z" = 1 }
[[loop]]
name = "hook"
kind = "spherical"
first = "ground"
first_position = [1, 2, 3]
second = "eye"
"""


def test_a_floating_base(tmp_path):
    """A quarter turn about z takes the eye, at 0.5 along x, to 0.5 along y."""
    (tmp_path / "rod.urdf").write_text(ROD)
    read = read_text(tmp_path, HANGING)
    assert np.abs(assemble(read) - [1, 1.5, 3, np.pi / 2, 0, 0]).max() < 1e-12
    fixed = HANGING.replace('"spherical"', '"fixed"').replace("base.rz = 90", "base.rz = -50")
    assert refusal(tmp_path, fixed.replace('"base.rz", "base.ry", "base.rx"', "")) == (
        "robot must have at least one freedom, not 0: its loops hold all its joints"
    )


# In space

SPATIAL = """
actuated = ["crank"]
guess = {{ crank = 0.3, rod.rz = 1.0, rocker = 0.2{} }}
[[body]]
name = "crank"
mass = 1
com = [0.1, 0, 0]
inertia = [0.1, 0.1, 0.1]
[[body]]
name = "rod"
parent = "crank"
kind = "universal"
position = [0.2, 0, 0]
mass = 1
com = [0.5, 0, 0]
inertia = [0.1, 0.1, 0.1]
[[body]]
name = "rocker"
position = [0.5, 1, 0]
rpy = [1.5707963267948966, 0, 0]
mass = 1
com = [0, 0.3, 0]
inertia = [0.1, 0.1, 0.1]
{}
"""
BALL = """
[[loop]]
name = "ball"
kind = "spherical"
first = "rod"
first_position = [1.1, 0, 0]
second = "rocker"
second_position = [0, 0.5, 0]
"""
HALVES = """
[[body]]
name = "half"
joint = "ball"
parent = "rocker"
kind = "spherical"
position = [0, 0.5, 0]
rpy = [-1.5707963267948966, 0, 0]
mass = 1
inertia = [0.1, 0.1, 0.1]
[[loop]]
name = "weld"
kind = "fixed"
first = "rod"
first_position = [0.6, 0, 0]
first_axis_angle = [1, 2, 3, 0.7]
second = "half"
second_position = [-0.5, 0, 0]
second_axis_angle = [1, 2, 3, 0.7]
"""


def test_a_spatial_loop(tmp_path):
    read = read_text(tmp_path, SPATIAL.format("", BALL))
    assert read.plane is None
    q = assemble(read)
    assert q[0] == 0.3
    rod, rocker = (place_of(read, q, cut) for cut in (read.cuts[0].first, read.cuts[0].second))
    assert np.abs(rod - rocker).max() < 1e-12
    crank_end = 0.2 * np.array([np.cos(0.3), np.sin(0.3), 0.0])
    assert np.linalg.norm(rod - crank_end) == pytest.approx(1.1, abs=1e-12)  # as long as the rod
    assert np.linalg.norm(rocker - [0.5, 1.0, 0.0]) == pytest.approx(0.5, abs=1e-12)
    assert rocker[1] == pytest.approx(1.0, abs=1e-12)  # it turns about -y


def place_of(mechanism, q, anchor):
    body = placed(mechanism, q, np.zeros(mechanism.n))[anchor.body]
    return body.x + body.R @ np.array(anchor.position)


def test_a_body_cut_by_a_fixed_joint_is_whole(tmp_path):
    """The rod of the loop above in two halves, with the same turn of the joint's frame in both."""
    whole = read_text(tmp_path, SPATIAL.format("", BALL))
    halves = read_text(tmp_path, SPATIAL.format(", ball.rz = 1.3", HALVES))
    assert halves.n == 7
    assert np.abs(assemble(halves)[:4] - assemble(whole)).max() < 1e-10


def test_fixed_ends_that_meet_half_a_turn_apart_are_refused(tmp_path):
    plain = SPATIAL.format(", ball.rz = 1.3", HALVES).replace("first_axis_angle = [1, 2, 3, 0.7]\n", "")
    flipped = plain.replace("second_axis_angle = [1, 2, 3, 0.7]", "second_axis_angle = [1, 0, 0, 3.141592653589793]")
    free = read_text(tmp_path, plain.replace("second_axis_angle = [1, 2, 3, 0.7]\n", ""))
    q = dict(zip(free.joints, assemble(free), strict=True))
    told = ", ".join(f'"{name}" = {float(value)!r}' for name, value in q.items())
    flipped = re.sub(r"guess = .*", f"guess = {{ {told} }}", flipped)
    assert refusal(tmp_path, flipped) == (
        "robot cannot be assembled near the guess: the ends of the loop through 'weld' meet, but one is turned against "
        "the other"
    )


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.0, 0.0, 2.0), (0.5, 0.3, 0.0), (1.5, 2.5, -1.0)])
def test_a_fixed_joint_in_the_plane(tmp_path, turn):
    """The four-bar with its coupler cut in two, whatever the turn of the joint's frame on both halves."""
    R = rotation_rpy(0, 0, np.pi) @ rotation_rpy(*turn)  # the other half points back along the coupler
    back = list(map(float, rpy_text(R).split()))
    text = FOUR_BAR.split("[[loop]]")[0].replace("rocker = 1.2649 }", "rocker = 1.2649, half = 2.2 }")
    text += f"""
[[body]]
name = "half"
parent = "rocker"
position = [2.5, 0, 0]
mass = 1
inertia = [1, 1, 1]
[[loop]]
name = "weld"
kind = "fixed"
first = "coupler"
first_position = [2.5, 0, 0]
first_rpy = {list(turn)}
second = "half"
second_position = [1.5, 0, 0]
second_rpy = {back}
"""
    read = read_text(tmp_path, text)
    assert read.plane is not None
    whole = assemble(load_robot("four-bar"))
    q = assemble(read)
    assert np.abs(q[:3] - whole).max() < 1e-10
    tipped = text.replace(f"first_rpy = {list(turn)}", f"first_rpy = {[turn[0] + 0.1, *turn[1:]]}")
    assert "the ends of the loop through 'weld' meet, but one is turned against the other" in refusal(tmp_path, tipped)


# Refusals

KEYS = "name, gravity, angles, body, loop, actuated, guess"
LOOP_KEYS = (
    "name, kind, first, first_position, first_axis, first_rpy, first_axis_angle, first_twist, "
    "second, second_position, second_axis, second_rpy, second_axis_angle, second_twist"
)
JOINTS = "crank, coupler, rocker"
CUT_KINDS = "revolute, spherical, fixed"
LONG = "second_position = [2.5, 0, 0]"
PIN = FOUR_BAR[FOUR_BAR.index("[[loop]]") :]
REFUSALS = {
    "no loop": (
        FOUR_BAR.replace(PIN, ""),
        "robot must have at least one [[loop]], not none; without loops it is a tree",
    ),
    "empty": (
        "loop = []\n" + FOUR_BAR.replace(PIN, ""),
        "robot must have at least one [[loop]], not none; without loops it is a tree",
    ),
    "one table": (
        FOUR_BAR.replace("[[loop]]", "[loop]"),
        "robot must have at least one [[loop]], not [loop] or loop = ..., which is another thing",
    ),
    "no bodies": (PIN, "robot must have [[body]] tables or robot = the path of a URDF file, not neither"),
    "bodies and a URDF": (
        'robot = "a.urdf"\n' + FOUR_BAR,
        "robot must have [[body]] tables or robot = the path of a URDF file, not both",
    ),
    "unknown key": ("mass = 3\n" + FOUR_BAR, f"key of the robot must be {KEYS}, not 'mass'"),
    "unknown key of a loop": (FOUR_BAR + "\naxis = [0, 0, 1]", f"key of loop 'pin' must be {LOOP_KEYS}, not 'axis'"),
    "nested": (FOUR_BAR + "\nfirst_axis.x = 1", "first_axis of loop 'pin' must be 3 finite numbers, not {'x': 1}"),
    "table of a loop": (FOUR_BAR + "\n[loop.first_axis]", "first_axis of loop 'pin' must be 3 finite numbers, not {}"),
    "no name": (FOUR_BAR.replace('name = "pin"', ""), "every [[loop]] must have a name, not none"),
    "number for a name": (FOUR_BAR.replace('"pin"', "1"), "name of a [[loop]] must be a text, not 1"),
    "markup": (
        FOUR_BAR.replace('"pin"', '"<b>"'),
        "name of a [[loop]] must be printable text without <, > or &, not '<b>'",
    ),
    "kind": (
        FOUR_BAR + '\nkind = "prismatic"',
        f"kind of loop 'pin' must be {CUT_KINDS}, not 'prismatic'; "
        "cut another joint of the loop, or one of its bodies by a fixed joint",
    ),
    "list of kinds": (
        FOUR_BAR + "\nkind = []",
        f"kind of loop 'pin' must be {CUT_KINDS}, not []; "
        "cut another joint of the loop, or one of its bodies by a fixed joint",
    ),
    "no first": (FOUR_BAR.replace('first = "coupler"', ""), "loop 'pin' must have a first body, not none"),
    "unknown body": (
        FOUR_BAR.replace('second = "rocker"', 'second = "pin"'),
        "second of loop 'pin' must be 'ground' or the name of a body, not 'pin'",
    ),
    "list for a body": (
        FOUR_BAR.replace('second = "rocker"', "second = []"),
        "second of loop 'pin' must be a text, not []",
    ),
    "itself": (
        FOUR_BAR.replace('second = "rocker"', 'second = "coupler"'),
        "loop 'pin' must join two bodies, not 'coupler' and 'coupler', which move as one",
    ),
    "ground twice": (
        FOUR_BAR.replace('second = "rocker"', 'second = "ground"').replace('first = "coupler"', 'first = "ground"'),
        "loop 'pin' must join two bodies, not 'ground' and 'ground', which are the ground",
    ),
    "two numbers": (
        FOUR_BAR.replace(LONG, "second_position = [2.5, 0]"),
        "second_position of loop 'pin' must be 3 finite numbers, not [2.5, 0]",
    ),
    "NaN": (
        FOUR_BAR.replace(LONG, "second_position = [2.5, nan, 0]"),
        "every entry of second_position of loop 'pin' must be a finite number, not nan",
    ),
    "date": (
        FOUR_BAR.replace(LONG, "second_position = [2024-01-01, 0, 0]"),
        "every entry of second_position of loop 'pin' must be a finite number, not \"2024-01-01\"",
    ),
    "no axis": (
        FOUR_BAR + "\nfirst_axis = [0, 0, 0]",
        "first_axis of loop 'pin' must be a nonzero vector, not [0, 0, 0]",
    ),
    "needless rotation": (
        FOUR_BAR + "\nfirst_rpy = [0, 0, 0]",
        "loop 'pin' must have no first_rpy, since it is revolute, not [0, 0, 0]",
    ),
    "needless axis": (
        FOUR_BAR + '\nkind = "fixed"\nsecond_axis = [0, 0, 1]',
        "loop 'pin' must have no second_axis, since it is fixed, not [0, 0, 1]",
    ),
    "two rotations": (
        FOUR_BAR + '\nkind = "fixed"\nsecond_rpy = [0, 0, 1]\nsecond_twist = 1',
        "the second end of loop 'pin' must be turned by one of rpy, axis_angle, twist, not rpy and twist",
    ),
    "too many loops": (
        FOUR_BAR + PIN,
        "robot must have at most 1 loops, since each takes two freedoms or more from its 3 joints, not 2",
    ),
    "actuated": (
        FOUR_BAR.replace('["crank"]', '"crank"'),
        "actuated must be a list of joints, not 'crank'",
    ),
    "unknown actuated": (
        FOUR_BAR.replace('["crank"]', '["pin"]'),
        f"every entry of actuated must be a joint ({JOINTS}), not 'pin'",
    ),
    "list of actuated": (
        FOUR_BAR.replace('["crank"]', '[["crank"]]'),
        f"every entry of actuated must be a joint ({JOINTS}), not ['crank']",
    ),
    "actuated twice": (
        FOUR_BAR.replace('["crank"]', '["crank", "crank"]'),
        "actuated must name a joint once, not twice 'crank'",
    ),
    "too many actuated": (
        FOUR_BAR.replace('["crank"]', '["crank", "rocker"]'),
        "the actuated joints of fourbar must be 1, as many as it has freedoms, not 2",
    ),
    "none actuated": (
        FOUR_BAR.replace('["crank"]', "[]"),
        "the actuated joints of fourbar must be 1, as many as it has freedoms, not 0",
    ),
    "actuated missing": (
        FOUR_BAR.replace("actuated", "# actuated"),
        f"actuated must list 1 of the joints {JOINTS}, as many as fourbar has freedoms, not be missing",
    ),
    "list of guesses": (
        re.sub("guess = .*", "guess = [1, 2, 3]", FOUR_BAR),
        "guess must be a table such as { crank = 0.5 }, not [1, 2, 3]",
    ),
    "unknown guess": (
        FOUR_BAR.replace("coupler = -1.2175", "pin = 1"),
        f"guess must be for joints ({JOINTS}), not for 'pin'",
    ),
    "nested guess": (
        FOUR_BAR.replace("coupler = -1.2175", "coupler.x = 1"),
        f"guess must be for joints ({JOINTS}), not for 'coupler.x'",
    ),
    "text for a guess": (
        FOUR_BAR.replace("-1.2175", '"half a turn"'),
        "guess for 'coupler' must be a finite number, not \"half a turn\"",
    ),
    "infinite guess": (
        FOUR_BAR.replace("-1.2175", "inf"),
        "guess for 'coupler' must be a finite number, not inf",
    ),
    "out of the plane": (
        FOUR_BAR.replace(LONG, "second_position = [2.5, 0, 0.25]"),
        "fourbar cannot be assembled: the loop through 'pin' is open by 0.25 m across the plane in which all bodies "
        "move",
    ),
    "too short": (
        FOUR_BAR.replace(LONG, "second_position = [0.1, 0, 0]"),
        "fourbar cannot be assembled near the guess: the loop through 'pin' stays open by 0.",
    ),
    "axes apart": (
        FOUR_BAR + "\nfirst_axis = [1, 0, 0]",
        "the constraints of fourbar are redundant: a row of the loop through 'pin' follows from the others (in space",
    ),
    "redundant": (  # in space, for the sake of a pendulum, axes that are parallel anyway are held once more
        FOUR_BAR + '\n[[body]]\nname = "pendulum"\nmass = 1\ncom = [1, 0, 0]\n',
        "the constraints of fourbar are redundant: a row of the loop through 'pin' follows from the others (in space; "
        "its axes need not be held if the others hold them: a spherical joint may do)",
    ),
    "too long": (
        FOUR_BAR.replace(LONG, "second_position = [1e308, 1e308, 0]"),
        "fourbar cannot be assembled",
    ),
    "far too long": (
        FOUR_BAR.replace("position = [1, 0, 0]", "position = [1.7e308, 0, 0]").replace(
            "first_position = [4, 0, 0]", "first_position = [1.7e308, 0, 0]"
        ),
        "fourbar cannot be assembled",
    ),
    "rigid": (
        FOUR_BAR.replace('name = "pin"', 'name = "weld"\nkind = "fixed"'),
        "fourbar cannot be assembled near the guess: the loop through 'weld' stays open by",
    ),
    "mimic": (
        FOUR_BAR.replace('name = "rocker"', 'name = "rocker"\nmimic = { joint = "crank" }').replace(
            ", rocker = 1.2649", ""
        ),
        "no joint of a mechanism with loops may mimic another, and 'rocker' does",
    ),
}
BEGINNINGS = ("too short", "axes apart", "too long", "far too long", "rigid")


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals(tmp_path, case):
    text, message = REFUSALS[case]
    found = refusal(tmp_path, text)
    if case in BEGINNINGS:
        assert found.startswith(message)
    else:
        assert found == message


def test_joints_that_do_not_determine_the_motion(tmp_path):
    """Two four-bars, both driven joints in the first; held where the guess has them, they would keep its loop open."""
    bodies = FOUR_BAR[FOUR_BAR.index("[[body]]") :]
    both = bodies + re.sub(r'"(crank|coupler|rocker|pin)"', r'"\1 2"', bodies)
    text = """
actuated = ["crank", "rocker"]
guess = { crank = 1.5, coupler = -1.2, rocker = 1.3, "crank 2" = 1.5, "coupler 2" = -1.2, "rocker 2" = 1.3 }
"""
    assert refusal(tmp_path, text + both) == (
        "the actuated joints of robot ('crank', 'rocker') do not determine its motion: with them held, "
        "'crank 2', 'coupler 2', 'rocker 2' can still move"
    )
    read_text(tmp_path, text.replace('"rocker"]', '"crank 2"]') + both)
    twice = text + both.replace('name = "pin 2"', 'name = "pin"')
    assert refusal(tmp_path, twice) == "loop names must be unique, not twice 'pin'"
    again = text + both.replace('first = "coupler 2"', 'first = "coupler"').replace(
        'second = "rocker 2"', 'second = "rocker"'
    )
    assert refusal(tmp_path, again).startswith("the constraints of robot are redundant: a row of the loop through 'pin")


def test_held_joints_that_keep_a_loop_open_are_told(tmp_path):
    """The rocker reaches 1.2 rad for some positions of the crank, and never 3 rad."""
    text = FOUR_BAR.replace('["crank"]', '["rocker"]').replace("rocker = 1.2649", "rocker = 3")
    assert re.fullmatch(
        r"fourbar cannot be assembled near the guess: the loop through 'pin' stays open by .* with 'rocker' held",
        refusal(tmp_path, text),
    )


def test_without_a_guess_joints_begin_at_zero(tmp_path):
    read = read_text(
        tmp_path, SPATIAL.format("", BALL).replace("guess = { crank = 0.3, rod.rz = 1.0, rocker = 0.2 }", "")
    )
    assert read.guess == (0.0,) * 4


SIDECARS = {
    "number": ("3", "robot must be the path of a URDF file, after floating: if it floats, not 3"),
    "empty": ('""', "robot must be the path of a URDF file, after floating: if it floats, not ''"),
    "nothing floats": (
        '"floating:"',
        "robot must be the path of a URDF file, after floating: if it floats, not 'floating:'",
    ),
    "itself": ('"robot.toml"', "robot must be the path of a URDF file, after floating: if it floats, not 'robot.toml'"),
    "another": (
        '"other.toml"',
        "robot must be the path of a URDF file, after floating: if it floats, not 'other.toml'",
    ),
    "two lines": ('"a\\nb"', r"robot must be the path of a URDF file, after floating: if it floats, not 'a\nb'"),
    "null": ('"a\\u0000b"', r"robot must be the path of a URDF file, after floating: if it floats, not 'a\x00b'"),
    "missing": (
        '"none.urdf"',
        "{}/none.urdf: URDF must be a readable file, not one that fails with: No such file or directory",
    ),
    "folder": ('"."', "{}: URDF must be a readable file, not one that fails with: Is a directory"),
    "itself by another name": (
        '"link.urdf"',
        "{}/link.urdf: URDF must be well-formed XML, not text that fails with: syntax error: line 2, column 0",
    ),
}


@pytest.mark.parametrize(("robot", "message"), SIDECARS.values(), ids=SIDECARS)
def test_refused_sidecars(tmp_path, robot, message):
    os.symlink(tmp_path / "robot.toml", tmp_path / "link.urdf")
    text = HANGING.replace('"floating:rod.urdf"', robot)
    assert refusal(tmp_path, text) == message.format(tmp_path)


def test_keys_and_links_of_a_sidecar(tmp_path):
    (tmp_path / "rod.urdf").write_text(ROD)
    assert refusal(tmp_path, "gravity = [0, 0, 0]\n" + HANGING) == (
        "key of the robot must be name, robot, angles, loop, actuated, guess, not 'gravity'"
    )
    assert refusal(tmp_path, HANGING.replace('"ground"', '"rod"')) == (
        "loop 'hook' must join two bodies, not 'rod' and 'eye', which move as one"
    )
    (tmp_path / "rod.urdf").write_text(ROD.replace('"eye"', '"ground"'))
    assert refusal(tmp_path, HANGING) == (
        "link 'ground' of rod.urdf must be the ground, since that is what loops call so"
    )


def test_mimic_joints_of_a_urdf_are_refused(tmp_path):
    text = (EXAMPLES / "fivebar.urdf").read_text()
    end = text.rindex("</joint>")
    (tmp_path / "fivebar.urdf").write_text(text[:end] + '<mimic joint="left_elbow" multiplier="-1"/>' + text[end:])
    side = (EXAMPLES / "fivebar.toml").read_text().replace(", right_elbow = -90", "")
    assert refusal(tmp_path, side) == "no joint of a mechanism with loops may mimic another, and 'right_elbow' does"


def test_other_names_are_refused():
    for name in ("", "four bar", "loops"):
        with pytest.raises(MeshSimError) as error:
            load_robot(name)
        assert str(error.value) == (
            f"robot must be one of {', '.join(ROBOTS)}, chain:N:SEED or the path of a URDF or TOML file, not {name!r}"
        )
    assert set(LINKAGES) < set(ROBOTS)


def test_more_joints_than_can_be_tried_are_refused(tmp_path):
    bodies = [f"[[body]]\nname = 'b{i}'\nparent = '{f'b{i - 1}' if i else 'ground'}'\nmass = 1\n" for i in range(129)]
    text = "\n".join(bodies) + "[[loop]]\nname = 'pin'\nfirst = 'ground'\nsecond = 'b128'\n"
    assert refusal(tmp_path, text) == "robot with loops must have at most 128 joints, not 129"
