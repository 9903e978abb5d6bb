"""URDF files written by hand: links, joints and robots of one moving link."""

from meshsim.algorithms.robots.urdf import read_urdf

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


PAIR = (link("base", ""), link("arm"))
TURN = joint("turn", "base", "arm")
