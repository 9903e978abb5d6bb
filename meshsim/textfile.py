"""Reading files that users name: none may block, fill the memory or take long to read."""

import os
import re
import stat
import tomllib
from os import PathLike
from pathlib import Path
from typing import Any

from meshsim.errors import MeshSimError

LONG_KEY = re.compile(r"""(?:\.[ \t]*+(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+){20}""")
"""Twenty dots in a key of TOML: reading one takes time that grows with the square of its length."""


def read_file(path: str | PathLike[str], what: str, most: int) -> bytes:
    """The bytes of a file, at most so many.

    Parameters
    ----------
    path : str or path-like
        The file.
    what : str
        What it should be, for the error.
    most : int
        How many bytes it may have.

    Raises
    ------
    MeshSimError
        If it is a pipe or a device, which may never end, or has more bytes.
    OSError, ValueError
        If it cannot be opened; callers know the words for that.
    """
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a folder fails by itself
        raise MeshSimError(f"{what} must be a regular file, not a pipe or a device")
    with Path(path).open("rb") as stream:
        data = stream.read(most + 1)  # some files tell no size
    if len(data) > most:
        raise MeshSimError(f"{what} must have at most {most} bytes, not more")
    return data


def parse_toml(text: str) -> dict[str, Any]:
    """What TOML says; a ValueError if it is none, or has a key of many parts."""
    if LONG_KEY.search(text):
        raise ValueError("a key with twenty dots or more")
    return tomllib.loads(text)
