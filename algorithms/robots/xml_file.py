"""Robots from XML files: URDF or MJCF, by their root elements."""

import re

from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.urdf import FLOATING, MOST_BYTES, read_urdf
from meshsim.errors import MeshSimError
from meshsim.reading import naming, read_text

ARMATURE = "armature:"
"""Before the path of an MJCF file: its joints have their armature, by rotors that mimic them."""
BEFORE = {FLOATING: "a URDF", ARMATURE: "an MJCF"}
"""What may stand before the path of a robot's file, and before which kind."""
_MJCF = re.compile(r"(?>\s+|<\?.*?\?>|<!--.*?-->)*+<mujoco[\s/>]", re.DOTALL)


def split(text: str) -> tuple[str, str]:
    """What stands before the path of a robot's file, or nothing, and the path."""
    before = next((each for each in BEFORE if text.startswith(each)), "")
    return before, text.removeprefix(before)


def read_xml(path: str, before: str = "", kind: type[Mechanism] = Mechanism) -> Mechanism:
    """Read a robot from an XML file, with one of `BEFORE` or nothing before its path."""
    with naming(path):
        what = "URDF" if path.endswith(".urdf") else "URDF or MJCF"
        is_mjcf = _MJCF.match(read_text(path, what, MOST_BYTES)) is not None
        if is_mjcf and before == FLOATING:
            raise MeshSimError(f"{FLOATING} must stand before a URDF file, not MJCF, which has <freejoint/> for that")
        if not is_mjcf and before == ARMATURE:
            raise MeshSimError(f"{ARMATURE} must stand before an MJCF file (root element <mujoco>), not another")
    if not is_mjcf:
        return read_urdf(path, before == FLOATING, kind)
    try:
        from meshsim.algorithms.robots.mjcf import read_mjcf
    except ImportError:
        raise MeshSimError(f"{path}: MJCF needs MuJoCo: pip install 'meshsim[mjcf]'") from None
    return read_mjcf(path, before == ARMATURE, kind)
