"""URDF files mean here what they mean to Pinocchio, and each file that cannot be read is refused in words."""

import math
import sys
import time

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tools.pinocchio_model import model_dynamics, native_dynamics
from tools.random_robot import random_state
from tools.random_urdf import random_urdf

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.urdf import read_urdf
from meshsim.algorithms.types.arrays import relative_error
from meshsim.algorithms.types.splitmix import LONGEST, SplitMix64
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main


def check_against_pinocchio(path, seed):
    mechanism = read_urdf(path)
    model = pin.buildModelFromUrdf(str(path))
    assert mechanism.joints == tuple(model.names)[1:]
    random = SplitMix64(seed)
    state = State(*(tuple(random.uniform(-2, 2) for _ in range(mechanism.n)) for _ in range(3)))
    result = forward_dynamics(mechanism, state)
    M, h, qdd = model_dynamics(model, state.q, state.qd, state.tau)
    assert relative_error(result.M, M) < 1e-10
    assert relative_error(result.h, h) < 1e-10
    assert relative_error(result.qdd, qdd) < max(1e-10, 1e-13 * np.linalg.cond(M))


@given(st.integers(1, 8), st.integers(0, 2**64 - 1))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_files_equal_pinocchio(tmp_path, n, seed):
    path = tmp_path / "random.urdf"
    path.write_text(random_urdf(n, seed))
    check_against_pinocchio(path, seed)


def test_a_long_chain_equals_pinocchio(tmp_path):
    path = tmp_path / "long.urdf"
    path.write_text(random_urdf(32, 1))
    check_against_pinocchio(path, 1)


INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>'
INERTIAL = f'<inertial><origin xyz="0.5 0 0"/><mass value="2"/>{INERTIA}</inertial>'


def link(name, inside=INERTIAL):
    return f'<link name="{name}">{inside}</link>'


def joint(name, parent, child, inside='<axis xyz="0 0 1"/>', kind="revolute"):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot(*parts):
    return f'<robot name="test">{"".join(parts)}</robot>'


def read_text(tmp_path, text):
    path = tmp_path / "robot.urdf"
    if isinstance(text, bytes):
        path.write_bytes(text)
    else:
        path.write_text(text)
    return read_urdf(path)


def test_a_joint_about_z_is_left_as_it_stands(tmp_path):
    origin = '<origin xyz="1 2 3"/><axis xyz="0 0 2"/>'
    mechanism = read_text(tmp_path, robot(link("base", ""), link("arm"), joint("turn", "base", "arm", origin)))
    (body,) = mechanism.bodies
    assert mechanism.name == "test"
    assert (body.name, body.joint, body.kind, body.parent) == ("arm", "turn", "revolute", -1)
    assert body.rotation == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    assert body.position == (1.0, 2.0, 3.0)
    assert body.mass == 2.0
    assert body.com == (0.5, 0.0, 0.0)
    assert body.inertia == ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5))
    assert body.twist is None


def test_an_axis_almost_along_z_is_not_rounded_to_z(tmp_path):
    text = robot(link("base", ""), link("arm"), joint("turn", "base", "arm", '<axis xyz="1e-10 0 1"/>'))
    (body,) = read_text(tmp_path, text).bodies
    assert tuple(row[2] for row in body.rotation) == (1e-10, 0.0, 1.0)


def test_the_default_axis_is_x(tmp_path):
    text = robot(link("base", ""), link("arm"), joint("turn", "base", "arm", ""))
    (body,) = read_text(tmp_path, text).bodies
    assert tuple(row[2] for row in body.rotation) == (1.0, 0.0, 0.0)
    assert body.com[2] == 0.5
    assert body.inertia[2][2] == 1.0


def test_fixed_masses_are_combined(tmp_path):
    # Two masses of 2 kg, 2 m apart along x: each is 1 m from the common centre, adding 2 kg m^2 about y, z.
    text = robot(
        link("base", ""),
        link("arm"),
        joint("turn", "base", "arm"),
        link("tip"),
        joint("weld", "arm", "tip", '<origin xyz="2 0 0"/>', "fixed"),
    )
    (body,) = read_text(tmp_path, text).bodies
    assert body.mass == 4.0
    assert body.com == (1.5, 0.0, 0.0)
    assert body.inertia == ((2.0, 0.0, 0.0), (0.0, 8.0, 0.0), (0.0, 0.0, 9.0))


def test_a_moving_link_may_borrow_its_mass_from_a_fixed_one(tmp_path):
    text = robot(
        link("base"),
        link("arm", ""),
        joint("turn", "base", "arm"),
        link("tip"),
        joint("weld", "arm", "tip", "", "fixed"),
    )
    assert read_text(tmp_path, text).bodies[0].mass == 2.0


def test_branches_are_completed_in_the_order_of_the_joints(tmp_path):
    text = robot(
        *PAIR,
        *map(link, "abcd"),
        joint("bend d", "b", "d"),
        joint("fix b", "arm", "b", "", "fixed"),
        joint("fix a", "arm", "a", "", "fixed"),
        joint("bend c", "a", "c"),
        TURN,
    )
    mechanism = read_text(tmp_path, text)
    assert mechanism.joints == ("turn", "bend d", "bend c")
    assert [body.parent for body in mechanism.bodies] == [-1, 0, 0]


def test_a_joint_that_mimics_with_multiplier_0_stands_still(tmp_path):
    for kind, offset, com in (("revolute", math.pi / 2, (1.0, 0.5, 0.0)), ("prismatic", 3.0, (1.5, 0.0, 3.0))):
        tip = f'<origin xyz="1 0 0"/><axis xyz="0 0 1"/><mimic joint="turn" multiplier="0" offset="{offset!r}"/>'
        text = robot(link("base", ""), link("arm", ""), TURN, link("tip"), joint("copy", "arm", "tip", tip, kind))
        (body,) = read_text(tmp_path, text).bodies
        assert body.com == pytest.approx(com)


def test_what_follows_a_joint_that_stands_still_stands_still(tmp_path):
    # b = 1, a = 2 b + 1 = 3, c = 0.5 - a = -2.5: they stand where joints of the multiplier 0 would, in any order
    names = ("a", "b", "c")
    chained = ('joint="b" multiplier="2" offset="1"', 'joint="turn" multiplier="0" offset="1"')
    chained = (*chained, 'joint="a" multiplier="-1" offset="0.5"')
    alone = [f'joint="turn" multiplier="0" offset="{offset}"' for offset in (3, 1, -2.5)]

    def read(mimics):
        links, kinds = ("arm", *names), ("revolute", "prismatic", "revolute")
        axis = '<origin xyz="1 0 0"/><axis xyz="0 0.6 0.8"/>'
        insides = [f"{axis}<mimic {mimic}/>" for mimic in mimics]
        ends = zip(names, links[:-1], links[1:], insides, kinds, strict=True)
        return read_text(tmp_path, robot(*PAIR, TURN, *map(link, names), *(joint(*each) for each in ends)))

    assert read(chained).n == 1
    assert read(chained).bodies == read(alone).bodies
    with pytest.raises(MeshSimError, match="position of joint 'a' must be a finite number, not inf"):
        read((chained[0].replace("2", "1e200"), chained[1].replace('"1"', '"1e200"'), chained[2]))


def test_joints_in_a_circle_stand_still_if_one_of_them_does(tmp_path):
    tip = '<axis xyz="0 0 1"/><mimic joint="b" multiplier="0" offset="2"/>'
    end = '<axis xyz="0 0 1"/><mimic joint="a"/>'
    text = robot(*PAIR, TURN, link("tip"), link("end"), joint("a", "arm", "tip", tip), joint("b", "tip", "end", end))
    assert read_text(tmp_path, text).joints == ("turn",)


def test_a_planar_joint_moves_across_its_axis(tmp_path):
    # M g is felt along the plane's own axes only: not at all if the plane is level, and wholly if it stands.
    for axis, felt in (("", 2 * 9.81), ('<axis xyz="1 0 0"/>', 2 * 9.81), ('<axis xyz="0 0 1"/>', 0.0)):
        mechanism = read_text(tmp_path, robot(*PAIR, joint("slide", "base", "arm", axis, "planar")))
        h = forward_dynamics(mechanism, State((0.0,) * 3, (0.0,) * 3, (0.0,) * 3)).h
        assert math.hypot(h[0], h[1]) == pytest.approx(felt)


def test_a_fixed_joint_may_say_that_it_mimics(tmp_path):
    text = robot(*PAIR, TURN, link("tip"), joint("copy", "arm", "tip", '<mimic joint="turn"/>', "fixed"))
    assert read_text(tmp_path, text).n == 1


def test_every_type_of_joint(tmp_path):
    kinds = ("revolute", "continuous", "prismatic", "planar", "floating", "fixed")
    names = [f"l{i}" for i in range(len(kinds) + 1)]
    axis = '<origin xyz="0.1 0.2 0.3" rpy="1 2 3"/><axis xyz="0 0 1"/><limit effort="1" velocity="1"/>'
    joints = [joint(kind, *names[i : i + 2], axis, kind) for i, kind in enumerate(kinds)]
    path = tmp_path / "robot.urdf"
    path.write_text(robot(*map(link, names), *joints))
    mechanism = read_urdf(path)
    six = ("x", "y", "z", "rz", "ry", "rx")
    planar = ("planar.x", "planar.y", "planar.rz")
    assert mechanism.joints == ("revolute", "continuous", "prismatic", *planar, *(f"floating.{name}" for name in six))
    state = random_state(mechanism.n, 1)
    native = native_dynamics(pin.buildModelFromUrdf(str(path)), mechanism, state)
    assert max(forward_dynamics(mechanism, state).errors(native).values()) < 1e-10


def test_a_floating_base(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(robot(link("base"), link("arm"), TURN))
    mechanism = read_urdf(path, floating=True)
    assert mechanism.joints == ("base.x", "base.y", "base.z", "base.rz", "base.ry", "base.rx", "turn")
    assert mechanism.bodies[5].name == "base"
    path.write_text(robot(*map(link, "ab")))
    with pytest.raises(MeshSimError, match="robot must have one root link, not 2: 'a', 'b'"):
        read_urdf(path, floating=True)


def test_whatever_is_not_dynamics_is_passed_over(tmp_path):
    extras = '<material name="red"/><transmission><joint name="turn"/></transmission><gazebo><link/></gazebo>'
    text = robot(link("base", ""), link("arm", INERTIAL + "<visual/>"), joint("turn", "base", "arm"), extras)
    assert read_text(tmp_path, '<?xml version="1.0"?><!-- a comment -->' + text).n == 1


def test_encodings(tmp_path):
    text = robot(link("base", ""), link("bras_é"), joint("turn", "base", "bras_é"))
    assert read_text(tmp_path, b"\xef\xbb\xbf" + text.encode()).bodies[0].name == "bras_é"
    declared = '<?xml version="1.0" encoding="UTF-16"?>' + text
    assert read_text(tmp_path, declared.encode()).bodies[0].name == "bras_é"


@pytest.mark.parametrize("kind", ["fixed", "revolute"])
def test_deep_files_need_no_recursion(tmp_path, kind):
    depth = 2 * sys.getrecursionlimit() if kind == "fixed" else LONGEST
    links = [link("base", ""), *(link(f"l{i}") for i in range(depth))]
    joints = [
        joint("j0", "base", "l0"),
        *(joint(f"j{i}", f"l{i - 1}", f"l{i}", "", kind) for i in range(1, depth)),
    ]
    mechanism = read_text(tmp_path, robot(*reversed(links), *joints))
    assert mechanism.n == (1 if kind == "fixed" else depth)
    assert sum(body.mass for body in mechanism.bodies) == 2.0 * depth


def test_the_result_has_a_default_state(tmp_path):
    mechanism = read_text(tmp_path, robot(link("base", ""), link("arm"), joint("turn", "base", "arm")))
    assert forward_dynamics(mechanism, default_state(mechanism)).M.item() == pytest.approx(2.5 + 2 * 0.5**2)


PAIR = (link("base", ""), link("arm"))
TURN = joint("turn", "base", "arm")


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
    "other root": ("<sdf/>", "root element must be <robot>, not <sdf>"),
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
    "link twice": (robot(*PAIR, link("arm"), TURN), "link names must be unique, not twice 'arm'"),
    "joint twice": (
        robot(*PAIR, link("hand"), TURN, joint("turn", "arm", "hand")),
        "joint names must be unique, not twice 'turn'",
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
        "body 'arm', moved by joint 'turn', must have mass or carry mass, not neither",
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
