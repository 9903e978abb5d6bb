"""Mechanisms from MJCF files, as MuJoCo compiles them (docs/robots.md).

Defaults, includes, frames, units and the inertias of geoms are MuJoCo's to work out: what is read here is the compiled
model. Whatever changes M or the forces in a state and has no place in a mechanism is named by a `MeshSimWarning`.
"""

import warnings
from os import PathLike, fspath
from pathlib import Path

import mujoco

from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.mjcf_left_out import add_rotors, left_out
from meshsim.algorithms.robots.mjcf_loops import close_loops, is_closed, tie_joints
from meshsim.algorithms.robots.mjcf_parts import Model, parts_of
from meshsim.algorithms.robots.tree import build_with_mounts, check_name
from meshsim.algorithms.robots.urdf import MOST_LINKS
from meshsim.algorithms.types.vectors import to_vector
from meshsim.errors import MeshSimError, MeshSimWarning
from meshsim.reading import naming

_UNNAMED = "MuJoCo Model"
"""What MuJoCo calls a model that has no name."""


def read_mjcf(path: str | PathLike[str], armature: bool = False, kind: type[Mechanism] = Mechanism) -> Mechanism:
    """Read a robot from an MJCF file.

    Parameters
    ----------
    path : str or path-like
        The file.
    armature : bool
        Whether joints have their armature, by rotors that mimic them; else it is left out.

    kind : type
        Of mechanism.

    Returns
    -------
    Mechanism
        The robot, in general form; one with loops can be assembled, and its actuated joints determine its motion.
    """
    with naming(path):
        model, doubts = _compiled(path)
        parts = parts_of(model)
        has_loops = is_closed(parts)
        tie_joints(parts)
        if armature:
            if has_loops:
                raise MeshSimError(
                    "armature: must stand before the path of a robot without loops, not of one with loops"
                )
            add_rotors(parts)
        off = model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
        gravity = (0.0, 0.0, 0.0) if off else to_vector(model.opt.gravity)
        robot, mounts = build_with_mounts(_name(model, path), parts.links, parts.tree, gravity, kind)
        told: list[str] = []
        if has_loops:
            robot, told = close_loops(parts, robot, mounts)
    missing = left_out(parts, armature)
    if missing:
        told.insert(0, f"left out, since a robot here has none: {'; '.join(missing)}")
    for each in [*doubts, *told]:
        warnings.warn(f"{path}: {each}", MeshSimWarning, stacklevel=2)
    return robot


def _compiled(path: str | PathLike[str]) -> tuple[Model, list[str]]:
    """The model, and what MuJoCo warns of, which it would print and write into a file where the user is."""
    doubts: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: doubts.append(f"MuJoCo warns: {' '.join(text.split())}"))
    try:
        model = mujoco.MjModel.from_xml_path(fspath(path))
    except (ValueError, mujoco.FatalError) as error:
        reason = " ".join(str(error).split())
        raise MeshSimError(f"MJCF must be a model that MuJoCo compiles, not one that fails with: {reason}") from None
    finally:
        mujoco.set_mju_user_warning(before)
    if model.njnt == 0:
        raise MeshSimError("robot must have at least one moving joint, not 0")
    for what, count in (("bodies", model.nbody), ("joints", model.njnt)):
        if count > MOST_LINKS:
            raise MeshSimError(f"robot must have at most {MOST_LINKS} {what}, not {count}")
    return model, doubts


def _name(model: Model, path: str | PathLike[str]) -> str:
    name: str = bytes(model.names).split(b"\0", 1)[0].decode("utf-8", "replace")
    name = Path(path).stem if name in ("", _UNNAMED) else name
    check_name("the model", name)
    return name
