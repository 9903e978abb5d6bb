"""Files that never end, or are too large, are refused in one line by whoever reads files."""

import os
import subprocess
import sys
import time

import pytest
from tools.paths import ROOT

from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.state import read_state
from meshsim.algorithms.solvers.catalogue import load_system
from meshsim.errors import MeshSimError
from meshsim.experiments.studies.sweep_spec import read_sweep
from meshsim.machine import read_machine
from meshsim.textfile import LONG_KEY, parse_toml, read_file

READERS = {  # the file's name, who reads it, how the error begins and how many bytes there may be
    "URDF": ("a.urdf", lambda path: load_robot(str(path)), "{path}: URDF", 20_000_000),
    "robot": ("a.toml", lambda path: load_robot(str(path)), "{path}: robot file", 2_000_000),
    "state": ("a.json", lambda path: read_state(path, chain(2, 1)), "{path}: state", 50_000_000),
    "system": ("a.json", lambda path: load_system(str(path)), "{path}: system", 50_000_000),
    "machine": ("a.toml", read_machine, "machine file '{path}'", 1_000_000),
    "sweep": ("a.toml", read_sweep, "sweep '{path}'", 10_000_000),
}


@pytest.mark.parametrize(("name", "read", "begin", "most"), READERS.values(), ids=READERS)
def test_devices_and_large_files_are_refused(tmp_path, name, read, begin, most):
    path = tmp_path / name
    path.symlink_to("/dev/null")
    with pytest.raises(MeshSimError) as error:
        read(path)
    assert str(error.value) == f"{begin.format(path=path)} must be a regular file, not a pipe or a device"
    path.unlink()
    with path.open("wb") as stream:
        stream.truncate(most + 1)
    with pytest.raises(MeshSimError) as error:
        read(path)
    assert str(error.value) == f"{begin.format(path=path)} must have at most {most} bytes, not more"


def test_a_pipe_is_not_waited_for(tmp_path):
    path = tmp_path / "pipe.urdf"
    os.mkfifo(path)
    code = f"from meshsim.algorithms.robots.urdf import read_urdf; read_urdf({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=20)
    assert done.stderr.endswith("pipe.urdf: URDF must be a regular file, not a pipe or a device\n")


def test_a_file_of_just_as_many_bytes_is_read(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"abc")
    assert read_file(path, "text", 3) == b"abc"
    link = tmp_path / "link"
    link.symlink_to(path)
    assert read_file(link, "text", 3) == b"abc"


@pytest.mark.parametrize(
    "key",
    [
        ".".join("a" * 100_000),
        '"=".' + ".".join("a" * 100_000),
        r"'=' . " + r' . "\"" ' * 100_000,
        "a = { " + ".".join("a" * 100_000),
    ],
)
def test_long_keys_are_refused_at_once(tmp_path, key):
    start = time.process_time()
    with pytest.raises(ValueError, match="a key with twenty dots or more"):
        parse_toml(f"{key} = 1")
    path = tmp_path / "machine.toml"
    path.write_text(f"{key} = 1")
    with pytest.raises(MeshSimError, match=r"machine file must be TOML, not '.*' \(a key with twenty dots or more\)"):
        read_machine(path)
    assert time.process_time() - start < 1.0


def test_other_dots_are_no_long_key():
    numbers = ", ".join(["0.5"] * 100)
    assert parse_toml(f"# {'.' * 100}\na.b.c = [{numbers}]") == {"a": {"b": {"c": [0.5] * 100}}}


@pytest.mark.parametrize("text", ["." * 1_000_000, ".a" * 19 + "," + " " * 1_000_000, ".'" * 500_000, '."a' * 300_000])
def test_looking_for_long_keys_is_quick(text):
    start = time.process_time()
    LONG_KEY.search(text)
    assert time.process_time() - start < 1.0
