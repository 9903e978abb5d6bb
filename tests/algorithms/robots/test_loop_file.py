"""Loops in users' files: what is written is what closes, and every mistake is named in one line."""

import re

import numpy as np
import pytest
from tools.loop_texts import BALL, FOUR_BAR, HANGING, ROD, SPATIAL, read_text, refusal
from tools.paths import EXAMPLES
from tools.schemes import CHAINS, LOOPS

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.body import rotation_x
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import assemble, loops, placed
from meshsim.algorithms.robots.linkages import LINKAGES
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.robots.tree import rotation_rpy
from meshsim.algorithms.schemes.base.scheme import RefusedError
from meshsim.algorithms.schemes.takers import rescue


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


@pytest.mark.parametrize("name", [*LINKAGES, "stewart", str(EXAMPLES / "fourbar.toml"), str(EXAMPLES / "fivebar.toml")])
def test_robots_with_loops_are_no_trees(name):
    """They load as all others do, and schemes for trees refuse them by their first cut joint."""
    mechanism = load_robot(name)
    assert mechanism.needs["loops"] == mechanism.cuts[0].name
    for scheme in (scheme for name, scheme in CHAINS.items() if name not in LOOPS):
        with pytest.raises(RefusedError) as error:
            scheme.evaluation(mechanism)
        joint = repr(mechanism.cuts[0].name)
        assert str(error.value) == f"{scheme.name} takes no loops, and joint {joint} of {mechanism.name} closes one"
    legs = "" if "scraper" in name else "denoc or "  # one of whose legs branches
    plane = "" if name == "stewart" else "elimination or "
    assert (
        rescue(mechanism)
        == f"dca or penalty or projection or {legs}multipliers or {plane}wong-mesh-loops could take it"
    )


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
