"""Mechanisms with loops in files, as tests write them."""

import pytest
from tools.paths import EXAMPLES

from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.errors import MeshSimError

FOUR_BAR = (EXAMPLES / "fourbar.toml").read_text()
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
