"""Machines by name: the files of the folder `machines`, where every number has its source beside it.

What has none is called an assumption there. A new machine is a copy of one of the files with other numbers.
"""

from functools import partial
from os.path import isfile
from pathlib import Path

from meshsim.catalogue import Catalogue, Lazily, instances
from meshsim.errors import MeshSimError
from meshsim.machine import Machine, read_machine

FOLDER = Path(__file__).parent / "machines"
THESIS = ("ideal", "t800", "t800-overlap", "t800-posted", "t800-measured")
"""Those by which Wong's thesis counts and measures; they come first."""


def _files() -> Lazily[Machine]:
    """Each file is read when its machine is first asked for."""
    others = sorted({path.stem for path in FOLDER.glob("*.toml")} - {*THESIS})
    return Lazily({name: partial(read_machine, FOLDER / f"{name}.toml") for name in (*THESIS, *others)})


PRESETS = Catalogue("machine", _files(), instances(Machine))


def load_machine(text: str) -> Machine:
    """Find a machine by what a user typed.

    Parameters
    ----------
    text : str
        The name of a machine that is built in, registered or installed, a path to a TOML file (it ends with
        ``.toml``, or the file exists), or ``file.py:NAME``.

    Returns
    -------
    Machine
        The machine.

    Raises
    ------
    MeshSimError
        If it is none of these; the message lists the names.
    """
    if text not in PRESETS and (text.endswith(".toml") or isfile(text)):
        return read_machine(text)
    machine = PRESETS.find(text)
    if machine is None:
        raise MeshSimError(f"machine must be a .toml file or one of {PRESETS.names}, not {text!r}")
    return machine
