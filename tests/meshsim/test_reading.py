"""Files that never end, or are too large, are refused in one line by whoever reads files; so is what they hold."""

import math
import os
import re
import subprocess
import sys
import time
from datetime import date
from functools import partial

import numpy as np
import pytest
from tools.paths import ROOT

from meshsim.algorithms.motion.profiles import read_torques
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.state import read_state
from meshsim.algorithms.solvers.catalogue import load_system
from meshsim.errors import MeshSimError
from meshsim.experiments.studies.sweep_spec import read_sweep
from meshsim.machine import read_machine
from meshsim.reading import LONG_KEY, number, numbers_in, parse_toml, positive, read_file, shown, whole

READERS = {  # the file's name, who reads it, how the error begins and how many bytes there may be
    "URDF": ("a.urdf", lambda path: load_robot(str(path)), "{path}: URDF", 20_000_000),
    "robot": ("a.toml", lambda path: load_robot(str(path)), "{path}: robot file", 2_000_000),
    "state": ("a.json", lambda path: read_state(path, chain(2, 1)), "{path}: state", 50_000_000),
    "system": ("a.json", lambda path: load_system(str(path)), "{path}: system", 50_000_000),
    "machine": ("a.toml", read_machine, "{path}: machine file", 1_000_000),
    "torques": ("a.csv", lambda path: read_torques(str(path), chain(2, 1)), "{path}: profile", 100_000_000),
    "sweep": ("a.toml", read_sweep, "{path}: sweep", 10_000_000),
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
    path = tmp_path / "machine.toml"
    path.write_text(f"{key} = 1")
    with pytest.raises(MeshSimError, match="machine file must be TOML, not text that has a key with twenty dots or"):
        read_machine(path)
    assert time.process_time() - start < 1.0


def test_other_dots_are_no_long_key():
    numbers = ", ".join(["0.5"] * 100)
    assert parse_toml(f"# {'.' * 100}\na.b.c = [{numbers}]", "text") == {"a": {"b": {"c": [0.5] * 100}}}


@pytest.mark.parametrize("text", ["." * 1_000_000, ".a" * 19 + "," + " " * 1_000_000, ".'" * 500_000, '."a' * 300_000])
def test_looking_for_long_keys_is_quick(text):
    start = time.process_time()
    LONG_KEY.search(text)
    assert time.process_time() - start < 1.0


# Values, shown as files have them


VALUES = {  # what is shown of a value, and the value
    "null": None,
    "true": True,
    '"two"': "two",
    '"2024-01-01"': date(2024, 1, 1),
    "[1, 'two']": [1, "two"],
    "{'a': 1}": {"a": 1},
    "a list of 100": [1] * 100,
    "a table of 30": {f"key {i}": 1 for i in range(30)},
    "a list of 1": [10**5000],
    "a long text": "two" * 100,
}


@pytest.mark.parametrize(("written", "value"), VALUES.items(), ids=VALUES)
def test_what_is_no_number(written, value):
    assert shown(value) == written
    for read in (number, positive, partial(whole, least=0, most=1)):
        with pytest.raises(MeshSimError, match=rf"^x must be .* number.*, not {re.escape(written)}$"):
            read("x", value)


def test_numbers_out_of_bounds():
    for value, written in ((math.nan, "nan"), (-math.inf, "-inf"), (10**400, "inf")):
        with pytest.raises(MeshSimError, match=f"^x must be a finite number, not {written}$"):
            number("x", value)
    with pytest.raises(MeshSimError, match=r"^x must be a positive number of seconds, not 0\.0$"):
        positive("x", 0, " of seconds")
    assert positive("x", 5e-324) == 5e-324
    with pytest.raises(MeshSimError, match=r"^x must be a whole number, at least 0, not a number of many digits$"):
        whole("x", -(10**5000), 0, 9)
    with pytest.raises(MeshSimError, match=r"^x must be at most 9, not more$"):
        whole("x", 10**5000, 0, 9)
    assert [whole("x", value, 0, 9) for value in (0, 9.0, np.int64(3))] == [0, 9, 3]


def test_numbers_in_words():
    assert numbers_in(["1", "-2.5", "1e3"]) == [1.0, -2.5, 1000.0]
    assert numbers_in(["1", "x"]) == numbers_in(["1", "nan"]) == numbers_in(["inf"]) == []
