"""Robot files say what they mean, and every mistake in one is named."""

import re

import numpy as np
import pytest
from tools.paths import EXAMPLES, ROOT
from tools.pinocchio_model import reference_dynamics

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.body import Tie
from meshsim.algorithms.robots.catalogue import chain, load_robot, stanford
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.robots.toml_file import read_robot
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError


def read_text(tmp_path, text):
    path = tmp_path / "robot.toml"
    path.write_text(text)
    return read_robot(path)


def as_toml(mechanism):
    """A file that says what a mechanism in twist form is."""
    lines = [f'name = "{mechanism.name}"', f"gravity = {list(mechanism.gravity)}"]
    for body in mechanism.bodies:
        parent = "ground" if body.parent < 0 else mechanism.bodies[body.parent].name
        lines += ["[[body]]", *(f'{key} = "{getattr(body, key)}"' for key in ("name", "joint", "kind"))]
        lines += [f'parent = "{parent}"', f"inertia = {[list(row) for row in body.inertia]}"]
        lines += [f"{key} = {list(getattr(body, key))}" for key in ("position", "com")]
        lines += [f"{key} = {getattr(body, key)}" for key in ("mass", "twist")]
    return "\n".join(lines)


@pytest.mark.parametrize("mechanism", [stanford(), chain(5, 3)], ids=lambda mechanism: mechanism.name)
def test_what_is_written_is_read(tmp_path, mechanism):
    read = read_text(tmp_path, as_toml(mechanism))
    assert read.is_twist
    assert read.joints == mechanism.joints
    state = default_state(mechanism)
    assert max(forward_dynamics(read, state).errors(forward_dynamics(mechanism, state)).values()) < 1e-14


def test_the_crane():
    crane = load_robot(str(EXAMPLES / "crane.toml"))
    assert crane.joints == ("rail", "swing.rz", "swing.ry", "hoist", "hook.rz", "hook.ry", "hook.rx")
    assert [body.name for body in crane.bodies if body.mass > 0] == ["trolley", "drum", "cable", "load"]
    state = default_state(crane)
    result = forward_dynamics(crane, state)
    for ours, theirs in zip((result.M, result.h, result.qdd), reference_dynamics(crane, state), strict=True):
        assert relative_error(ours, theirs) < 1e-12
    assert result.M[0, 0] == pytest.approx(715.0)  # all that hangs on the rail


def test_rotations_in_degrees_and_radians(tmp_path):
    heavy = 'mass = 1\ninertia = [1, 1, 1]\n[[body]]\nname = "{}"\nkind = "revolute"\n'
    text = (
        "[[body]]\nname = 'a'\n" + heavy.format("b") + "{}\n" + heavy.format("c") + "{}\n" + heavy.format("d") + "{}\n"
    )
    text += "mass = 1\ninertia = [1, 1, 1]"
    in_degrees = 'angles = "degrees"\n' + text.format("rpy = [90, 0, 0]", "axis_angle = [2, 0, 0, 90]", "twist = 90")
    quarter = np.pi / 2
    radians = text.format(f"rpy = [{quarter}, 0, 0]", f"axis_angle = [1, 0, 0, {quarter}]", f"twist = {quarter}")
    for read in (read_text(tmp_path, in_degrees), read_text(tmp_path, radians)):
        assert read.name == "robot"
        assert [body.twist for body in read.bodies] == [0.0, None, None, quarter]
        for body in read.bodies[1:]:
            assert np.abs(np.array(body.rotation) - [[1, 0, 0], [0, 0, -1], [0, 1, 0]]).max() < 1e-15


def test_order_of_the_file_does_not_matter_but_for_branches(tmp_path):
    body = '[[body]]\nname = "{}"\nparent = "{}"\nmass = 1\ninertia = [1, 1, 1]\n'
    ends = [("leaf", "twig"), ("other", "trunk"), ("twig", "trunk"), ("trunk", "ground")]
    read = read_text(tmp_path, "".join(body.format(*end) for end in ends))
    assert read.joints == ("trunk", "other", "twig", "leaf")


def test_a_joint_may_mimic_another(tmp_path):
    text = "angles = 'degrees'\n"
    for name, more in (
        ("a", "mimic = { joint = 'c', multiplier = 2, offset = 90 }"),
        ("b", "kind = 'prismatic'\nmimic = { joint = 'a', multiplier = -3, offset = 1 }"),
        ("c", ""),
    ):
        text += f"[[body]]\nname = '{name}'\nmass = 1\ninertia = [1, 1, 1]\n{more}\n"
    read = read_text(tmp_path, text)
    assert read.joints == ("c",)
    assert read.bodies[0].tie == Tie(2, 2.0, np.pi / 2)
    assert read.bodies[1].tie == Tie(2, -6.0, 1.0 - 3.0 * np.pi / 2)


LONG_KEY = "robot file must be TOML, not text that has a key with twenty dots or more"
BODY = '[[body]]\nname = "a"\nmass = 1\ninertia = [1, 1, 1]\n'
KINDS = "revolute, prismatic, planar, cylindrical, universal, spherical, floating or fixed"
KEYS = "name, parent, joint, kind, axis, position, rpy, axis_angle, twist, mass, com, inertia, mimic"
REFUSALS = {
    "no TOML": ("a = ", "robot file must be TOML, not text that fails with: Invalid value (at end of document)"),
    "empty": ("", "robot file must have at least one [[body]], not none"),
    "one table": (
        '[body]\nname = "a"',
        "robot file must have at least one [[body]], not [body] or body = ..., which is another thing",
    ),
    "unknown key": ("mass = 3", "key of the robot must be name, gravity, angles, body, not 'mass'"),
    "unknown key of a body": (BODY + "weight = 1", f"key of body 'a' must be {KEYS}, not 'weight'"),
    "gravity": ("gravity = 9.81\n" + BODY, "gravity must be 3 finite numbers, not 9.81"),
    "angles": ('angles = "turns"\n' + BODY, "angles must be radians or degrees, not 'turns'"),
    "list of angles": ("angles = []\n" + BODY, "angles must be radians or degrees, not []"),
    "no name": ("[[body]]\nmass = 1", "every [[body]] must have a name, not none"),
    "number for a name": ("[[body]]\nname = 1", "name of a [[body]] must be a text, not 1"),
    "markup": (
        '[[body]]\nname = "<b>"',
        "name of a [[body]] must be printable text without <, > or &, not '<b>'",
    ),
    "kind": (BODY + 'kind = "screw"', f"kind of body 'a' must be {KINDS}, not 'screw'"),
    "list of kinds": (BODY + "kind = []", f"kind of body 'a' must be {KINDS}, not []"),
    "parent": (BODY + 'parent = "b"', "parent of body 'a' must be 'ground' or the name of a body, not 'b'"),
    "own parent": (BODY + 'parent = "a"', "links must form a tree, not the cycle a -> a"),
    "twice": (BODY + BODY, "body names must be unique and not 'ground', not 'a' twice"),
    "ground": (BODY.replace('"a"', '"ground"'), "body names must be unique and not 'ground', not 'ground' twice"),
    "joint twice": (
        BODY + 'joint = "j"\n' + BODY.replace('"a"', '"b"') + 'joint = "j"',
        "joint names must be unique, not 'j' twice",
    ),
    "axis": (BODY + "axis = [0, 0, 0]", "axis of body 'a' must be a nonzero vector, not [0, 0, 0]"),
    "needless axis": (
        BODY + 'kind = "spherical"\naxis = [0, 0, 1]',
        "body 'a' must have no axis, since its joint is spherical, not [0, 0, 1]",
    ),
    "two rotations": (
        BODY + "twist = 1\nrpy = [0, 0, 0]",
        "body 'a' must be turned by one of rpy, axis_angle, twist, not rpy and twist",
    ),
    "NaN": (BODY + "position = [0, nan, 0]", "every entry of position of body 'a' must be a finite number, not nan"),
    "1e400": (BODY + "twist = 1e400", "twist of body 'a' must be a finite number, not inf"),
    "negative mass": (
        BODY.replace("mass = 1", "mass = -1"),
        "mass of body 'a' must be a finite number, at least 0, not -1.0",
    ),
    "asymmetric": (
        BODY.replace("[1, 1, 1]", "[[1, 1, 0], [0, 1, 0], [0, 0, 1]]"),
        "inertia of body 'a' must be symmetric, not [[1, 1, 0], [0, 1, 0], [0, 0, 1]]",
    ),
    "triangle inequality": (
        BODY.replace("[1, 1, 1]", "[1, 1, 3]"),
        "inertia of body 'a' must have no principal moment greater than the sum of the other two, "
        "not ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 3.0))",
    ),
    "no mass": (
        '[[body]]\nname = "a"',
        "body 'a', moved by joint 'a', must have mass or carry mass, not neither; else lock or drop the joint",
    ),
    "mimic": (
        BODY + 'mimic = "b"',
        'mimic of body \'a\' must be a table such as { joint = "left", multiplier = -1.0 }, not "b"',
    ),
    "key of mimic": (
        BODY + 'mimic = { joint = "b", factor = 2 }',
        "key of mimic of body 'a' must be joint, multiplier, offset, not 'factor'",
    ),
    "multiplier": (
        BODY + 'mimic = { joint = "b", multiplier = nan }',
        "multiplier in mimic of body 'a' must be a finite number, not nan",
    ),
    "spherical mimic": (
        BODY + 'kind = "spherical"\nmimic = { joint = "b" }',
        "joint 'a' must be revolute or prismatic to mimic another, not spherical",
    ),
    "all fixed": (BODY + 'kind = "fixed"', "robot must have at least one moving joint, not 0"),
}


@pytest.mark.parametrize(("text", "message"), REFUSALS.values(), ids=REFUSALS)
def test_refusals(tmp_path, text, message):
    with pytest.raises(MeshSimError) as error:
        read_text(tmp_path, text)
    assert str(error.value) == f"{tmp_path / 'robot.toml'}: {message}"


def test_other_bytes_are_refused(tmp_path):
    path = tmp_path / "robot.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(MeshSimError, match="robot file must be UTF-8 text, not other bytes"):
        read_robot(path)


def test_documented_python_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/robots.md").read_text(), flags=re.DOTALL)
    exec(code, {})
    assert "'mooring.x'" in capsys.readouterr().out


def test_frames_that_are_turned_for_an_axis_are_twisted_no_more(tmp_path):
    """Bodies beyond an axis other than z, and joints of several freedoms, are general if they are not turned."""
    heavy = "mass = 1\ninertia = [1, 2, 2.5]\ncom = [0.1, 0.2, 0.3]\n"
    text = f"[[body]]\nname = 'cart'\nkind = 'prismatic'\naxis = [1, 0, 0]\n{heavy}"
    text += f"[[body]]\nname = 'pole'\nparent = 'cart'\n{heavy}"
    text += f"[[body]]\nname = 'ball'\nparent = 'pole'\nkind = 'floating'\n{heavy}"
    text += f"[[body]]\nname = 'tip'\nparent = 'ball'\n{heavy}"
    read = read_text(tmp_path, text)
    assert [body.twist for body in read.bodies] == [None, None, None, None, None, 0.0, None, None, None]
    state = default_state(read)
    M, h, qdd = reference_dynamics(read, state)
    result = forward_dynamics(read, state)
    assert max(relative_error(result.M, M), relative_error(result.h, h), relative_error(result.qdd, qdd)) < 1e-10


@pytest.mark.parametrize("line", ["mass = 2024-01-01", "mass = 07:32:00", "position = [2024-01-01, 0, 0]"])
def test_dates_are_no_numbers(tmp_path, line):
    with pytest.raises(MeshSimError, match=r"must be a finite number(, at least 0)?, not \"(2024-01-01|07:32:00)\""):
        read_text(tmp_path, f"[[body]]\nname = 'a'\ninertia = [1, 1, 1]\n{line}\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[body]]\n" * 5000, "robot file must have at most 2000000 characters and 4096 bodies"),
        (f"body = [{'{},' * 5000}]", "robot file must have at most 2000000 characters and 4096 bodies"),
        ('"=".' + ".".join("a" * 10000) + " = 1", LONG_KEY),
        (".".join("a" * 10000) + " = 1", LONG_KEY),
    ],
)
def test_hostile_files_are_refused_unread(tmp_path, text, message):
    with pytest.raises(MeshSimError, match=message):
        read_text(tmp_path, text)
