"""What an MJCF file must not be, and what is told of one that has more than a mechanism."""

import sys

import pytest
from tools.command import call
from tools.mujoco_model import body, joint, mjcf, read_text

from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.errors import MeshSimError, MeshSimWarning

ARM = body("base", joint("yaw") + body("arm", joint("pitch", axis="0 1 0"), "pos='1 0 0'"))
REFUSED = {
    "broken XML": (
        "<mujoco><worldbody></mujoco>",
        "MJCF must be a model that MuJoCo compiles, not one that fails with: ",
    ),
    "unknown element": ("<mujoco><robot/></mujoco>", "Schema violation: unrecognized element"),
    "nothing moves": (mjcf(body("still")), "robot must have at least one moving joint, not 0"),
    "no mass": (mjcf("<body><joint/></body>"), "mass and inertia of moving bodies must be larger"),
    "a name with markup": (mjcf(body("a", joint("x&lt;y"))), "name of a <joint> must be printable text without"),
    "a parabola": (
        mjcf(ARM, "<equality><joint name='cam' joint1='yaw' joint2='pitch' polycoef='0 1 2 0 0'/></equality>"),
        r"polycoef of equality constraint 'cam' must be linear, its last three numbers 0, not \[2.0, 0.0, 0.0\]",
    ),
    "tied twice": (
        mjcf(ARM, "<equality><joint joint1='yaw' joint2='pitch'/><joint joint1='yaw'/></equality>"),
        "equality constraint 1 must be the only one of joint 'yaw', and another is",
    ),
    "a tendon that is held": (
        mjcf(
            ARM,
            "<tendon><fixed name='t'><joint joint='yaw' coef='1'/></fixed></tendon>"
            "<equality><tendon tendon1='t'/></equality>",
        ),
        "equality constraint 0 must be joint, connect, weld, not tendon",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name, tmp_path):
    text, message = REFUSED[name]
    with pytest.raises(MeshSimError, match=rf"^{tmp_path}/robot.xml: .*{message}"):
        read_text(tmp_path, text)


def test_what_stands_before_a_path(tmp_path):
    with pytest.raises(MeshSimError, match="floating: must stand before a URDF file, not MJCF, which has <freejoint/>"):
        read_text(tmp_path, mjcf(ARM), "floating:")
    (tmp_path / "a.urdf").write_text("<robot name='r'/>")
    with pytest.raises(MeshSimError, match="armature: must stand before an MJCF file"):
        load_robot(f"armature:{tmp_path / 'a.urdf'}")
    with pytest.raises(MeshSimError, match="armature: must stand before the path of an MJCF file that is there"):
        load_robot("armature:none.xml")


def test_without_mujoco_one_line_says_what_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    for name in [name for name in sys.modules if name.startswith("meshsim.algorithms.robots.mjcf")]:
        monkeypatch.delitem(sys.modules, name)
    path = tmp_path / "arm.xml"
    path.write_text(mjcf(ARM))
    status, out, err = call(capsys, "run", "one-wong", "--robot", path, "--machine", "t800")
    assert (status, out) == (2, "")
    assert err == f"meshsim: error: {path}: MJCF needs MuJoCo: pip install 'meshsim[mjcf]'\n"


# What is left out

LEFT_OUT = {
    "armature of joint 'yaw'": ("<joint name='yaw'", "<joint armature='1' name='yaw'"),
    "damping of joints 'yaw', 'pitch'": ("<joint ", "<joint damping='1' "),
    "stiffness of joint 'yaw'": ("<joint name='yaw'", "<joint stiffness='1' name='yaw'"),
    "friction loss of joint 'pitch'": ("<joint name='pitch'", "<joint frictionloss='1' name='pitch'"),
    "gravity compensation of body 'arm'": ("<body name='arm'", "<body gravcomp='1' name='arm'"),
    "drag of the medium": ("<mujoco>", "<mujoco><option density='1.2'/>"),
    "stiffness of tendon 'cable'": (
        "</mujoco>",
        "<tendon><fixed name='cable' stiffness='3'><joint joint='yaw' coef='1'/></fixed></tendon></mujoco>",
    ),
}


@pytest.mark.parametrize("what", LEFT_OUT)
def test_what_is_left_out_is_told(what, tmp_path):
    text = mjcf(ARM).replace(*LEFT_OUT[what])
    with pytest.warns(MeshSimWarning, match=f"robot.xml: left out, since a robot here has none: {what}$"):
        assert read_text(tmp_path, text).joints == ("yaw", "pitch")


def test_what_mujoco_warns_of_is_told_and_no_file_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = mjcf(ARM, "<statistic center='nan 0 0'/>")
    with pytest.warns(MeshSimWarning, match="robot.xml: MuJoCo warns: XML contains a 'NaN'"):
        read_text(tmp_path, text)
    assert [path.name for path in tmp_path.iterdir()] == ["robot.xml"]


def test_many_joints_are_told_by_their_number(tmp_path):
    text = mjcf("".join(body(f"b{i}", joint(f"j{i}", damping=1)) for i in range(9)))
    with pytest.warns(MeshSimWarning, match=r"damping of 9 joints \('j0', .*, 'j7' and others\)$"):
        read_text(tmp_path, text)


def test_the_command_line_tells_it_on_one_line_and_goes_on(tmp_path, capsys):
    path = tmp_path / "arm.xml"
    path.write_text(mjcf(ARM).replace("<joint name='yaw'", "<joint armature='1' name='yaw'"))
    for _ in range(2):  # each command tells it anew
        status, out, err = call(capsys, "run", "one-wong", "--robot", path, "--machine", "t800", "--json")
        assert status == 0
        assert out.startswith("{")
        assert err == f"meshsim: note: {path}: left out, since a robot here has none: armature of joint 'yaw'\n"
    assert call(capsys, "run", "one-wong", "--robot", f"armature:{path}", "--machine", "t800")[2] == ""
