"""Robots from TOML files, with loops or without (docs/robots.md)."""

from os import PathLike
from pathlib import Path

from meshsim.algorithms.robots.loop_file import LOOPS, robot_with_loops
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.robot_file import KEYS, check_keys, load_toml, robot_with_mounts
from meshsim.errors import MeshSimError


def read_robot(path: str | PathLike[str]) -> Mechanism:
    """Read a robot from a TOML file.

    Parameters
    ----------
    path : str or path-like
        A file as docs/robots.md describes it.

    Returns
    -------
    Mechanism
        Its bodies labelled depth first, in twist form if every rotation of the file is a twist.
    """
    try:
        data = load_toml(path)
        if not data.keys().isdisjoint(LOOPS):
            return robot_with_loops(data, Path(path))
        check_keys("the robot", data, KEYS)
        return robot_with_mounts(data, Path(path).stem)[0]
    except MeshSimError as error:
        raise MeshSimError(f"{path}: {error}") from None
