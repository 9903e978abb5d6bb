"""What a model of MuJoCo has and a mechanism has not, in words, and the armature of joints as rotors."""

from collections.abc import Iterator, Sequence

import mujoco
import numpy as np

from meshsim.algorithms.robots.mjcf_parts import KINDS, Model, Parts, name_of
from meshsim.algorithms.robots.tree import ORIGIN, Inertial, Joint, Mimic
from meshsim.algorithms.types.arrays import Array

_ONE_FREEDOM = ("revolute", "prismatic")
_SHOWN = 8
"""So many names are shown; of more, the first and how many there are."""
_OF_JOINTS = {"damping": "dof_damping", "stiffness": "jnt_stiffness", "friction loss": "dof_frictionloss"}
_OF_TENDONS = {
    "armature": "tendon_armature",
    "damping": "tendon_damping",
    "stiffness": "tendon_stiffness",
    "friction loss": "tendon_frictionloss",
}


def add_rotors(parts: Parts) -> None:
    """Give every joint of one freedom its armature: a rotor on the ground that mimics it, and so adds to M alone.

    The rotor's axis does not move and goes through its centre of mass, so that its mass is of no account. The rotor of
    a joint that slides turns by one radian a metre.
    """
    world = parts.bodies[0]
    for joint, armature in enumerate(_armature(parts.model)):
        if armature and KINDS[int(parts.model.jnt_type[joint])] in _ONE_FREEDOM:
            name = f"{parts.joints[joint]}.rotor"
            parts.links[name] = Inertial(1.0, ORIGIN, armature * np.eye(3))
            parts.tree.append(Joint(name, "revolute", world, name, mimic=Mimic(parts.joints[joint])))


def left_out(parts: Parts, rotors: bool) -> list[str]:
    """All that changes M or the forces in a state, and that a mechanism has not, with whose it is."""
    return [*_of_joints(parts, rotors), *_of_others(parts)]


def _of_joints(parts: Parts, rotors: bool) -> Iterator[str]:
    model = parts.model
    kept = [rotors and KINDS[int(kind)] in _ONE_FREEDOM for kind in model.jnt_type]
    heavy = [parts.joints[i] for i, value in enumerate(_armature(model)) if value and not kept[i]]
    if heavy:
        yield f"armature of {_listed('joint', heavy)}"
    for what, field in _OF_JOINTS.items():
        having = _having(model, field)
        joints = having if field.startswith("jnt_") else dict.fromkeys(model.dof_jntid[i] for i in having)
        if joints:
            yield f"{what} of {_listed('joint', [parts.joints[i] for i in joints])}"


def _of_others(parts: Parts) -> Iterator[str]:
    model = parts.model
    for what, field in _OF_TENDONS.items():
        names = [name_of(model, mujoco.mjtObj.mjOBJ_TENDON, i) or f"tendon{i}" for i in _having(model, field)]
        if names:
            yield f"{what} of {_listed('tendon', names)}"
    for what in ("armature", "damping"):
        having = _having(model, f"actuator_{what}")
        others = [i for i in having if what == "damping" or _driven_joint(model, i) is None]
        names = [name_of(model, mujoco.mjtObj.mjOBJ_ACTUATOR, i) or f"actuator{i}" for i in others]
        if names:
            yield f"{what} of {_listed('actuator', names)}"
    light = [parts.bodies[i] for i in np.flatnonzero(model.body_gravcomp)]
    if light:
        yield f"gravity compensation of {_listed('body', light)}"
    if model.opt.density or model.opt.viscosity:
        yield "drag of the medium"
    if model.nflex:
        yield "elasticity of flexes"
    if model.nplugin:
        yield "plugins"


def driven_joints(model: Model) -> list[int]:
    """The joints that have actuators of their own, in the order of the actuators."""
    found = (_driven_joint(model, i) for i in range(len(model.actuator_trntype)))
    return list(dict.fromkeys(joint for joint in found if joint is not None))


def _driven_joint(model: Model, actuator: int) -> int | None:
    kinds = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    return int(model.actuator_trnid[actuator, 0]) if model.actuator_trntype[actuator] in kinds else None


def _armature(model: Model) -> Array:
    """What is added to M for each joint: its own armature, and that of its actuators behind their gears."""
    found = np.zeros(model.njnt)
    for dof, joint in enumerate(model.dof_jntid):
        found[joint] = max(found[joint], model.dof_armature[dof])
    for i in _having(model, "actuator_armature"):
        joint = _driven_joint(model, i)
        if joint is not None:
            found[joint] += model.actuator_armature[i] * model.actuator_gear[i, 0] ** 2
    return found


def _having(model: Model, field: str) -> list[int]:
    """Which have a number other than 0 in a field, or in the polynomial beside it; older versions lack some fields."""
    rows = (enumerate(getattr(model, name, ())) for name in (field, f"{field}poly"))
    return sorted({i for each in rows for i, values in each if np.any(values)})


def _listed(what: str, names: Sequence[str]) -> str:
    plural = {"body": "bodies"}.get(what, f"{what}s")
    if len(names) == 1:
        return f"{what} {names[0]!r}"
    if len(names) > _SHOWN:
        return f"{len(names)} {plural} ({', '.join(map(repr, names[:_SHOWN]))} and others)"
    return f"{plural} {', '.join(map(repr, names))}"
