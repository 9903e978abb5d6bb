"""Each URDF file that cannot be read is refused in words, at once."""

import time

import pytest
from tools.urdf_text import INERTIA, INERTIAL, PAIR, TURN, joint, link, read_text, robot

from meshsim.algorithms.robots.urdf import read_urdf
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main


def arm_with(inside):
    """A robot whose only moving link holds `inside`."""
    return robot(link("base", ""), link("arm", inside), TURN)


def turn_with(inside, kind="revolute"):
    """A robot whose only joint holds `inside`."""
    return robot(*PAIR, joint("turn", "base", "arm", inside, kind))


def bare_joint(inside):
    return robot(*PAIR, f'<joint name="turn" type="revolute">{inside}</joint>')


NOT_PLAIN = "URDF must be plain XML, not XML with a"
NOT_READABLE = "URDF must be a readable file, not one that fails with:"
NOT_FORMED = "URDF must be well-formed XML, not text that fails with:"
MIMIC = "must mimic another revolute or prismatic joint, and at last one that moves by itself, not"
TYPE = "type of joint 'turn' must be revolute, continuous, prismatic, planar, floating, fixed, not"
REFUSALS = {
    "doctype": ("<!DOCTYPE robot><robot/>", f"{NOT_PLAIN} <!DOCTYPE> declaration"),
    "entity": ('<!ENTITY a "b"><robot/>', f"{NOT_PLAIN} <!ENTITY> declaration"),
    "not XML": ("robot", f"{NOT_FORMED} syntax error: line 1, column 0"),
    "empty": ("", f"{NOT_FORMED} no element found: line 1, column 0"),
    "cut off": ('<robot name="a">', f"{NOT_FORMED} no element found: line 1, column 16"),
    "not UTF-8": (b"<robot name='\xff'/>", "URDF must be UTF-8 text, not other bytes"),
    "UTF-16": (robot().encode("utf-16"), "URDF must be UTF-8 text, not other bytes"),
    "other root": ("<sdf/>", "root element must be <robot> (URDF) or <mujoco> (MJCF), not <sdf>"),
    "robot without name": (
        f"<robot>{''.join(PAIR)}{TURN}</robot>",
        "every <robot> must have a name, not none",
    ),
    "link without name": (robot("<link/>"), "every <link> must have a name, not none"),
    "joint without name": (robot(*PAIR, "<joint/>"), "every <joint> must have a name, not none"),
    "no links": (robot(), "robot must have links, not none"),
    "no joint": (robot(link("base")), "robot must have at least one moving joint, not 0"),
    "no moving joint": (
        turn_with("", "fixed"),
        "robot must have at least one moving joint, not 0",
    ),
    "unknown type": (turn_with("", "hinge"), f"{TYPE} 'hinge'"),
    "no type": (robot(*PAIR, '<joint name="turn"/>'), f"{TYPE} missing"),
    "mimic": (
        turn_with('<mimic joint="other"/>'),
        f"joint 'turn' {MIMIC} 'other'",
    ),
    "mimic of nothing": (turn_with("<mimic/>"), "<mimic> of joint 'turn' must name a joint, not none"),
    "mimic of itself": (
        turn_with('<mimic joint="turn"/>'),
        f"joint 'turn' {MIMIC} 'turn'",
    ),
    "mimics in a circle": (
        robot(
            *PAIR,
            link("tip"),
            link("end"),
            TURN.replace("</joint>", '<mimic joint="b"/></joint>'),
            joint("a", "arm", "tip", '<mimic joint="b"/>'),
            joint("b", "tip", "end", '<mimic joint="a"/>'),
        ),
        f"joint 'a' {MIMIC} 'b'",
    ),
    "mimic by letters": (
        turn_with('<mimic joint="other" multiplier="two"/>'),
        "mimic multiplier of joint 'turn' must be a finite number, not 'two'",
    ),
    "planar mimic": (
        turn_with('<mimic joint="other" multiplier="0"/>', "planar"),
        "joint 'turn' must be revolute or prismatic to mimic another, not planar",
    ),
    "markup in a link": (
        robot(link("base", ""), link("&lt;b&gt;arm"), joint("turn", "base", "&lt;b&gt;arm")),
        "name of a <link> must be printable text without <, > or &, not '<b>arm'",
    ),
    "line in a joint": (
        robot(*PAIR, joint("turn&#10;over", "base", "arm")),
        "name of a <joint> must be printable text without <, > or &, not 'turn\\nover'",
    ),
    "triangle inequality": (
        arm_with(INERTIAL.replace('ixx="1"', 'ixx="0.1"')),
        "inertia of body 'arm' must have no principal moment greater than the sum of the other two, "
        "not ((0.1, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5))",
    ),
    "1e400": (
        turn_with('<origin xyz="0 1e400 0"/>'),
        "origin xyz of joint 'turn' must be 3 finite numbers, not '0 1e400 0'",
    ),
    "too many": (
        robot(link("l0"), *(link(f"l{i}") + joint(f"j{i}", f"l{i - 1}", f"l{i}") for i in range(1, 514))),
        "robot must have at most 512 freedoms, not 513",
    ),
    "too many links": (
        robot(*(link(f"l{i}", "") for i in range(4097))),
        "robot must have at most 4096 links, not 4097",
    ),
    "too many joints": (robot(*PAIR, "<joint/>" * 4097), "robot must have at most 4096 joints, not 4097"),
    "no parent": (bare_joint('<child link="arm"/>'), "joint 'turn' must have one <parent>, not none"),
    "no child": (bare_joint('<parent link="base"/>'), "joint 'turn' must have one <child>, not none"),
    "two parents": (turn_with('<parent link="base"/>'), "joint 'turn' must have one <parent>, not 2"),
    "parent without link": (
        bare_joint('<parent/><child link="arm"/>'),
        "parent of joint 'turn' must be a link of the robot, not missing",
    ),
    "unknown parent": (
        robot(*PAIR, joint("turn", "ground", "arm")),
        "parent of joint 'turn' must be a link of the robot, not 'ground'",
    ),
    "unknown child": (
        robot(*PAIR, joint("turn", "base", "leg")),
        "child of joint 'turn' must be a link of the robot, not 'leg'",
    ),
    "link twice": (robot(*PAIR, link("arm"), TURN), "link names must be unique, not 'arm' twice"),
    "joint twice": (
        robot(*PAIR, link("hand"), TURN, joint("turn", "arm", "hand")),
        "joint names must be unique, not 'turn' twice",
    ),
    "two joints, one child": (
        robot(*PAIR, TURN, joint("again", "base", "arm")),
        "link 'arm' must be the child of one joint, not of 'turn' and 'again'",
    ),
    "cycle": (
        robot(*PAIR, TURN, *map(link, "abc"), joint("i", "a", "b"), joint("j", "b", "c"), joint("k", "c", "a")),
        "links must form a tree, not the cycle a -> b -> c -> a",
    ),
    "tail on a cycle": (
        robot(*map(link, "tab"), joint("i", "a", "b"), joint("j", "b", "a"), joint("k", "b", "t")),
        "links must form a tree, not the cycle b -> a -> b",
    ),
    "own parent": (
        robot(*PAIR, joint("turn", "arm", "arm")),
        "links must form a tree, not the cycle arm -> arm",
    ),
    "several roots": (
        robot(*PAIR, TURN, link("other")),
        "robot must have one root link, not 2: 'base', 'other'",
    ),
    "zero axis": (
        turn_with('<axis xyz="0 0 0"/>'),
        "axis of joint 'turn' must be a nonzero vector, not '0 0 0'",
    ),
    "axis without xyz": (turn_with("<axis/>"), "axis of joint 'turn' must be 3 finite numbers, not missing"),
    "short axis": (
        turn_with('<axis xyz="0 1"/>'),
        "axis of joint 'turn' must be 3 finite numbers, not '0 1'",
    ),
    "xyz in letters": (
        turn_with('<origin xyz="0 0 x"/>'),
        "origin xyz of joint 'turn' must be 3 finite numbers, not '0 0 x'",
    ),
    "infinite xyz": (
        turn_with('<origin xyz="0 inf 0"/>'),
        "origin xyz of joint 'turn' must be 3 finite numbers, not '0 inf 0'",
    ),
    "long rpy": (
        turn_with('<origin rpy="0 0 0 0"/>'),
        "origin rpy of joint 'turn' must be 3 finite numbers, not '0 0 0 0'",
    ),
    "NaN rpy of an inertial": (
        arm_with(f'<inertial><origin rpy="nan 0 0"/><mass value="1"/>{INERTIA}</inertial>'),
        "origin rpy of inertial of link 'arm' must be 3 finite numbers, not 'nan 0 0'",
    ),
    "mass in letters": (
        arm_with(f'<inertial><mass value="1 kg"/>{INERTIA}</inertial>'),
        "mass in inertial of link 'arm' must be a finite number, not '1 kg'",
    ),
    "mass without value": (
        arm_with(f"<inertial><mass/>{INERTIA}</inertial>"),
        "mass in inertial of link 'arm' must be a finite number, not missing",
    ),
    "negative mass": (
        arm_with(f'<inertial><mass value="-1"/>{INERTIA}</inertial>'),
        "mass in inertial of link 'arm' must be a finite number, at least 0, not -1.0",
    ),
    "no mass": (
        arm_with(f"<inertial>{INERTIA}</inertial>"),
        "inertial of link 'arm' must have one <mass>, not none",
    ),
    "no inertia": (
        arm_with('<inertial><mass value="1"/></inertial>'),
        "inertial of link 'arm' must have one <inertia>, not none",
    ),
    "missing entry": (
        arm_with('<inertial><mass value="1"/><inertia ixx="1" ixy="0"/></inertial>'),
        "ixz in inertial of link 'arm' must be a finite number, not missing",
    ),
    "two inertials": (arm_with(INERTIAL * 2), "link 'arm' must have one <inertial>, not 2"),
    "moving link without inertial": (
        arm_with(""),
        "body 'arm', moved by joint 'turn', must have mass or carry mass, not neither; else lock or drop the joint",
    ),
    "moving link of mass 0": (
        arm_with(f'<inertial><mass value="0"/>{INERTIA}</inertial>'),
        "inertia of body 'arm' must be 0, as its mass is, not ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5))",
    ),
    "impossible inertia": (
        arm_with(INERTIAL.replace('ixx="1"', 'ixx="-1"')),
        "inertia of body 'arm' must be positive semidefinite, not ((-1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5))",
    ),
    "overflow": (
        robot(
            *PAIR,
            link("tip", INERTIAL.replace('"2"', '"1e308"')),
            TURN,
            joint("weld", "arm", "tip", "", "fixed"),
        ).replace('mass value="2"', 'mass value="1e308"'),
        "mass of body 'arm' must be a finite number, at least 0, not inf",
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSALS.values(), ids=REFUSALS)
def test_refusals(tmp_path, text, message):
    with pytest.raises(MeshSimError) as error:
        read_text(tmp_path, text)
    assert str(error.value) == f"{tmp_path / 'robot.urdf'}: {message}"


def test_unreadable_files_are_refused(tmp_path):
    for path, reason in [(tmp_path / "none.urdf", "No such file or directory"), (tmp_path, "Is a directory")]:
        with pytest.raises(MeshSimError) as error:
            read_urdf(path)
        assert str(error.value) == f"{path}: {NOT_READABLE} {reason}"


def laughs(count):
    """Entities of entities: ten to the power of `count` when expanded."""
    lines = [f'<!ENTITY l{i + 1} "{f"&l{i};" * 10}">' for i in range(count)]
    return f'<!DOCTYPE robot [<!ENTITY l0 "ha">{"".join(lines)}]><robot name="&l{count};"/>'


def nested(count):
    links = [link("l0"), *(link(f"l{i}") for i in range(1, count))]
    return robot(*links, *(joint(f"j{i}", f"l{i - 1}", f"l{i}") for i in range(1, count)))


HOSTILE = {
    "entity expansion": laughs(9),
    "ten thousand links in a row": nested(10_000),
    "ten thousand links in one another": robot("<link name='a'>" * 10_000 + "</link>" * 10_000),
    "ten thousand fixed links": nested(10_000).replace('"revolute"', '"fixed"'),
    **{name: REFUSALS[name][0] for name in ("markup in a link", "line in a joint", "link twice", "joint twice")},
    **{name: REFUSALS[name][0] for name in ("NaN rpy of an inertial", "1e400", "unknown parent", "several roots")},
    "triangle inequality": REFUSALS["triangle inequality"][0],
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_get_one_line_at_once(tmp_path, capsys, text):
    path = tmp_path / "hostile.urdf"
    path.write_text(text)
    for robot_text in (str(path), f"floating:{path}"):
        start = time.process_time()  # of this process, which others on the machine do not slow down
        assert main(["run", "one-wong", "--robot", robot_text, "--machine", "ideal"]) == 2
        assert time.process_time() - start < 1.0
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1
        assert "hostile.urdf: " in err
