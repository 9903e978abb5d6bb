"""Robots from TOML files, with loops or without (docs/robots.md)."""

from os import PathLike
from pathlib import Path

from meshsim.algorithms.robots.loop_file import LOOPS, robot_with_loops
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.robot_file import KEYS, load_robot_file, robot_with_mounts
from meshsim.reading import naming, table


def read_robot(path: str | PathLike[str], kind: type[Mechanism] = Mechanism) -> Mechanism:
    """Read a robot from a TOML file.

    Parameters
    ----------
    path : str or path-like
        A file as docs/robots.md describes it.
    kind : type of Mechanism
        `Unweighed` for one whose joints may move no mass; not with loops.

    Returns
    -------
    Mechanism
        Its bodies labelled depth first, in twist form if every rotation of the file is a twist.
    """
    with naming(path):
        data = load_robot_file(path)
        if not data.keys().isdisjoint(LOOPS):
            return robot_with_loops(data, Path(path))
        table("the robot", data, KEYS)
        return robot_with_mounts(data, Path(path).stem, kind)[0]
