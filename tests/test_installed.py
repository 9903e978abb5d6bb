"""A wheel, installed away from the checkout, beside folders of the user's that are named like ours."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from meshsim.version import __version__

ROOT = Path(__file__).parents[1]
BUILD = "import setuptools.build_meta as back; back.build_sdist('dist'); back.build_wheel('dist')"
FOLDERS = ("algorithms", "experiments", "topologies")
MINE = """
import importlib.metadata
import algorithms, experiments, topologies
import meshsim.algorithms.schemes.catalogue, meshsim.version

assert algorithms.MINE and experiments.MINE and topologies.MINE
assert importlib.metadata.version("meshsim") == meshsim.version.__version__
print(meshsim.__file__)
"""
TYPED = """
import networkx as nx  # type: ignore[import-untyped]

import meshsim as ms


@ms.kernel(mul=1)
def twice(x: float) -> float:
    return 2.0 * x


def left(cpu: ms.Cpu) -> ms.Steps[None]:
    yield cpu.send("east", cpu.do(twice, 3.0))


def right(cpu: ms.Cpu) -> ms.Steps[float]:
    x: float = yield cpu.recv("west")
    return x


pair = nx.MultiGraph()
pair.add_edge("a", "b", ports={"a": "east", "b": "west"})
machine: ms.Machine = ms.load_machine("t800")
plan: ms.Plan[float] = ms.Plan(pair, {"a": left, "b": right}, lambda results: float(results["b"]))
recording, value = ms.record(plan)
six: float = value
ticks: int = ms.run("puma600", ms.load_scheme("one-wong"), machine, trace=False, solver="ldl").ticks
rows: list[dict[str, object]] = [dict(row) for row in ms.solve("random:3:1", "feedforward-lu", machine).rows()]
scheme: ms.Scheme = ms.register(ms.load_scheme("one-wong"), "mine")
print(six, ticks, len(rows), ms.retime(recording, [machine]).ticks[0], ms.__version__)
try:
    ms.load_robot("nobody")
except ms.MeshSimError as error:
    print(error)
text: str = ticks  # type: ignore[assignment]  # strict: an ignore that is not needed is an error
ms.nothing  # type: ignore[attr-defined]
"""


def run(*command, cwd):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with a wheel and an sdist of a clean copy of the checkout, links and all."""
    copy = tmp_path_factory.mktemp("build") / "checkout"
    shutil.copytree(
        ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "out")
    )
    run(sys.executable, "-c", BUILD, cwd=copy)
    return copy / "dist"


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """The programs of a fresh environment with the wheel in it; what it depends on comes from this one."""
    folder = tmp_path_factory.mktemp("fresh") / "venv"
    venv.create(folder)
    (wheel,) = built.glob("*.whl")
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=folder)
    (packages,) = folder.glob("lib/*/site-packages")
    others = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (packages / "others.pth").write_text("\n".join(others))
    return folder / "bin"


@pytest.fixture
def user(tmp_path):
    """A folder of a user who has our names already."""
    for name in FOLDERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("MINE = True\n")
    return tmp_path


def test_a_wheel_has_one_name_and_all_that_is_needed(built):
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"meshsim", f"meshsim-{__version__}.dist-info"}
    inside = {name.removeprefix("meshsim/") for name in names if name.startswith("meshsim/")}
    modules = {path.relative_to(ROOT).as_posix() for each in FOLDERS for path in (ROOT / each).glob("**/*.py")}
    modules |= {path.name for path in (ROOT / "meshsim").glob("*.py")}
    data = {f"examples/{path.name}" for path in (ROOT / "docs" / "examples").iterdir()}
    data |= {f"machines/{path.name}" for path in (ROOT / "meshsim" / "machines").iterdir()}
    data |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "experiments" / "pages" / "web").iterdir()}
    data |= {"experiments/reports/scorecard.html", "experiments/studies/bench/peers/array.cpp"}
    assert inside == modules | data | {"py.typed"}


def test_an_sdist_has_what_a_wheel_has(built):
    (wheel,) = built.glob("*.whl")
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as sdist:
        members = sdist.getmembers()
    assert all(member.isfile() or member.isdir() for member in members)  # no links
    inside = {member.name.split("/", 1)[1] for member in members if member.isfile()}
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("meshsim/")}
    assert {name for name in inside if name.startswith("meshsim/")} == packed
    assert not any(name.startswith("tests/") for name in inside)


def test_pytest_is_not_needed_to_run(built):
    (wheel,) = built.glob("*.whl")
    metadata = zipfile.ZipFile(wheel).read(f"meshsim-{__version__}.dist-info/METADATA").decode()
    needed = re.findall(r"^Requires-Dist: ([\w-]+)(?!.*extra ==)", metadata, flags=re.MULTILINE)
    assert sorted(needed) == ["matplotlib", "networkx", "numpy", "scipy", "simpy"]


def test_commands_run_beside_folders_with_our_names(installed, user):
    (user / "mine.py").write_text(MINE)
    assert str(installed.parent) in run(installed / "python", "mine.py", cwd=user)
    assert "wong-mesh" in run(installed / "python", "-m", "meshsim", "list", cwd=user)
    assert run(installed / "meshsim", "--version", cwd=user) == f"meshsim {__version__}\n"
    words = ("run", "one-wong", "--robot", "puma600", "--machine", "t800", "--report", "page.html")
    assert "on one t800 processor" in run(installed / "meshsim", *words, cwd=user)
    assert "class GanttView" in (user / "page.html").read_text()
    run(installed / "meshsim", "example", "arm", cwd=user)
    words = ("run", "wong-mesh", "--robot", "arm.urdf", "--state", "state.json", "--machine", "t800")
    assert "wong-mesh computes arm in" in run(installed / "meshsim", *words, cwd=user)


def test_workers_run_beside_folders_with_our_names(installed, user):
    words = ("compare", "--n", "2", "--machines", "ideal", "--schemes", "hwang,one-wong", "--jobs", "2", "--out", "new")
    run(installed / "python", "-m", "meshsim", *words, cwd=user)
    assert (user / "new" / "compare.csv").read_text().count("\n") == 3


@pytest.mark.slow  # the gate's own run of mypy reads the same sources
def test_a_typed_script_is_checked_strictly(installed, user):
    (user / "typed.py").write_text(TYPED)
    known = user / ".mypy_cache"  # with what the gate found of numpy
    if (ROOT / ".mypy_cache").exists():
        shutil.copytree(ROOT / ".mypy_cache", known)
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", installed / "python", "typed.py"]
    assert run(*command, cwd=user).startswith("Success")
    script = (user / "typed.py").read_text().replace("ms.nothing", "")
    (user / "typed.py").write_text(script)
    assert run(installed / "python", "typed.py", cwd=user).startswith("6.0 ")
