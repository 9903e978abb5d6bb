"""The links and joints of a model that MuJoCo compiled from MJCF.

MuJoCo's joints belong to the body that they move, and may sit anywhere in it. A link here has the frame of the last of
its body's joints, moved; `Parts.frames` has the body's own frame in it.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from meshsim.algorithms.robots.compound import freedoms_of
from meshsim.algorithms.robots.tree import ORIGIN, Z_AXIS, Inertial, Joint, Pose, check_name, rotation_about
from meshsim.algorithms.types.arrays import Array

Model = Any
"""An `mujoco.MjModel`."""
KINDS = {  # what MuJoCo calls a joint, and what it is here
    int(mujoco.mjtJoint.mjJNT_HINGE): "revolute",
    int(mujoco.mjtJoint.mjJNT_SLIDE): "prismatic",
    int(mujoco.mjtJoint.mjJNT_BALL): "spherical",
    int(mujoco.mjtJoint.mjJNT_FREE): "floating",
}


@dataclass(frozen=True, eq=False)
class Parts:
    """A model taken apart.

    Attributes
    ----------
    model : Model
        What was compiled.
    bodies, joints : list of str
        Names by MuJoCo's numbers; body 0 is the world. A joint without a name has that of its body.
    links : dict of str to Inertial or None
        By the name of the body.
    tree : list of Joint
        In MuJoCo's order. What is welded has a fixed joint.
    frames : list of Pose
        The frame of each of MuJoCo's bodies in that of its link.
    start : dict of str to float
        The position of each coordinate in the model's initial state (`qpos0`).
    """

    model: Model
    bodies: list[str]
    joints: list[str]
    links: dict[str, Inertial | None]
    tree: list[Joint]
    frames: list[Pose]
    start: dict[str, float]


def parts_of(model: Model) -> Parts:
    """Take a model apart."""
    bodies = _names(model, mujoco.mjtObj.mjOBJ_BODY, "body", [f"body{i}" for i in range(model.nbody)])
    joints = _names(model, mujoco.mjtObj.mjOBJ_JOINT, "joint", [bodies[i] for i in model.jnt_bodyid])
    parts = Parts(model, bodies, joints, {bodies[0]: None}, [], [ORIGIN], {})
    for body in range(1, model.nbody):
        _add_body(parts, body)
    return parts


def name_of(model: Model, kind: Any, index: int) -> str:
    """The name that a thing has in the file, or none."""
    return mujoco.mj_id2name(model, kind, index) or ""


def pose_of(position: Sequence[float], quaternion: Sequence[float] = (1.0, 0.0, 0.0, 0.0)) -> Pose:
    """A frame from its origin and its unit quaternion, the scalar first."""
    w, x, y, z = map(float, quaternion)
    turn = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return Pose(np.array(turn), np.array(position, dtype=np.float64))


def distinct(name: str, taken: Iterable[str]) -> str:
    """The name, with a number after it if it is taken."""
    count, found = 1, name
    while found in taken:
        count += 1
        found = f"{name}-{count}"
    return found


def _names(model: Model, kind: Any, what: str, instead: Sequence[str]) -> list[str]:
    """Names of all bodies or joints, those that have none in the file named otherwise."""
    names = [name_of(model, kind, i) for i in range(len(instead))]
    taken = set(names)
    for i, name in enumerate(names):
        if name:
            check_name(f"a <{what}>", name)
        else:
            names[i] = distinct(instead[i], taken)
            taken.add(names[i])
    return names


def _add_body(parts: Parts, body: int) -> None:
    """Add a body's link, and the joints between it and its parent, with links without mass between them."""
    model, name = parts.model, parts.bodies[body]
    above = int(model.body_parentid[body])
    link = parts.bodies[above]
    frame = parts.frames[above] @ pose_of(model.body_pos[body], model.body_quat[body])
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    for joint in range(first, first + count):
        is_last = joint == first + count - 1
        child = name if is_last else distinct(f"{name} at {parts.joints[joint]}", {*parts.links, *parts.bodies})
        frame = _add_joint(parts, joint, link, child, frame)
        parts.links[child] = None
        link = child
    if count == 0:
        parts.tree.append(Joint(name, "fixed", link, name, frame))
        frame = ORIGIN
    at = frame @ pose_of(model.body_ipos[body], model.body_iquat[body])
    parts.links[name] = Inertial(float(model.body_mass[body]), at, np.diag(model.body_inertia[body]))
    parts.frames.append(frame)


def _add_joint(parts: Parts, joint: int, link: str, child: str, frame: Pose) -> Pose:
    """Add a joint, and return the body's frame, as far as its joints have moved it, in that of the joint's child.

    `frame` is the body's frame in that of `link`, this joint at its initial position (`ref`), which it has at q = ref.
    """
    model, name = parts.model, parts.joints[joint]
    kind = KINDS[int(model.jnt_type[joint])]
    at = int(model.jnt_qposadr[joint])
    axis = np.array(model.jnt_axis[joint]) if kind in ("revolute", "prismatic") else Z_AXIS
    hinge = pose_of(model.jnt_pos[joint])
    if kind == "floating":  # its position is that of the body in the world
        parts.tree.append(Joint(name, kind, link, child))
        start = [*map(float, model.qpos0[at : at + 3]), *_turns(pose_of((0, 0, 0), model.qpos0[at + 3 : at + 7]))]
        inner = ORIGIN
    elif kind == "spherical":
        parts.tree.append(Joint(name, kind, link, child, frame @ hinge))
        start, inner = [0.0] * 3, pose_of(-model.jnt_pos[joint])
    else:
        ref = float(model.qpos0[at])
        if kind == "revolute":
            before, inner = hinge @ Pose(rotation_about(axis, -ref), np.zeros(3)), pose_of(-model.jnt_pos[joint])
        else:
            before, inner = Pose(np.eye(3), -ref * axis), ORIGIN
        parts.tree.append(Joint(name, kind, link, child, frame @ before, axis))
        start = [ref]
    parts.start.update(zip((freedom.coordinate for freedom in freedoms_of(name, kind)), start, strict=True))
    return inner


def _turns(pose: Pose) -> list[float]:
    """The turns about z, the turned y and the twice turned x that make up a rotation."""
    R: Array = pose.rotation
    return [
        math.atan2(R[1, 0], R[0, 0]),
        math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0])),
        math.atan2(R[2, 1], R[2, 2]),
    ]
