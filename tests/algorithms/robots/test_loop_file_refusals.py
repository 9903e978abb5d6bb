"""Every mistake in a file with loops is named in one line."""

import os
import re

import pytest
from tools.loop_texts import BALL, FOUR_BAR, HANGING, ROD, SPATIAL, read_text, refusal
from tools.paths import EXAMPLES

from meshsim.algorithms.robots.catalogue import ROBOTS, load_robot
from meshsim.algorithms.robots.linkages import LINKAGES
from meshsim.errors import MeshSimError

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
        "actuated must name a joint once, not 'crank' twice",
    ),
    "none actuated": (
        FOUR_BAR.replace('["crank"]', "[]"),
        "the actuated joints of fourbar must be at least 1, as many as it has freedoms, not 0",
    ),
    "actuated missing": (
        FOUR_BAR.replace("actuated", "# actuated"),
        f"actuated must list at least 1 of the joints {JOINTS}, as many as fourbar has freedoms, not be missing",
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
    assert refusal(tmp_path, twice) == "loop names must be unique, not 'pin' twice"
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
            f"robot must be one of {', '.join(ROBOTS)}, chain:N:SEED, straight:N, coil:N, dill:N or "
            f"the path of a URDF, MJCF or TOML file, not {name!r}"
        )
    assert set(LINKAGES) < set(ROBOTS)


def test_more_joints_than_can_be_tried_are_refused(tmp_path):
    bodies = [f"[[body]]\nname = 'b{i}'\nparent = '{f'b{i - 1}' if i else 'ground'}'\nmass = 1\n" for i in range(129)]
    text = "\n".join(bodies) + "[[loop]]\nname = 'pin'\nfirst = 'ground'\nsecond = 'b128'\n"
    assert refusal(tmp_path, text) == "robot with loops must have at most 128 joints, not 129"
