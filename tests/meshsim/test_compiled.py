"""The compiled engine does what the pure one does; it is used when it is of these sources, and only then."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import meshsim.channel
import meshsim.processor
import meshsim.recorder
from meshsim import compiled
from meshsim.errors import MeshSimError

HERE = Path(__file__).parent
ENGINE = (
    "bus", "columns", "dataflow", "engine", "engine_misuse", "engine_results", "links", "log", "offered",
    "placed_random", "timelines", "watching",
)  # fmt: skip
"""Tests of the engine, with references of their own, that are run on the compiled modules once more."""


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A package of the same sources elsewhere."""
    for name in (*compiled.MODULES, "compiled"):
        (tmp_path / f"{name}.py").write_bytes((compiled.HERE / f"{name}.py").read_bytes())
    monkeypatch.setattr(compiled, "HERE", tmp_path)
    monkeypatch.delenv("MESHSIM_PURE")
    compiled.folder.cache_clear()
    yield tmp_path
    compiled.folder.cache_clear()


def test_the_modules_in_use_are_those_asked_for():
    used = {Path(module.__file__).parent for module in (meshsim.channel, meshsim.processor, meshsim.recorder)}
    pure = bool(os.environ["MESHSIM_PURE"])
    assert used == {compiled.HERE if pure else compiled.folder()}
    assert compiled.in_use() != pure


def passed_on_compiled(*paths):
    """Run tests on the compiled modules; none may fail."""
    compiled.compile_modules()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *paths]
    command += [f"{__file__}::test_the_modules_in_use_are_those_asked_for"]
    done = subprocess.run(
        command, cwd=HERE.parents[1], env={**os.environ, "MESHSIM_PURE": ""}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_engines_tests_pass_on_compiled_modules():
    passed_on_compiled(*(HERE / f"test_{name}.py" for name in ENGINE))


@pytest.mark.slow
def test_all_tests_around_the_engine_pass_on_compiled_modules():
    passed_on_compiled(HERE, HERE.parent / "algorithms")


def test_what_was_compiled_of_other_sources_is_not_used(sources, monkeypatch):
    path = ["the package"]
    compiled.prefer(path)
    assert path == ["the package"]
    monkeypatch.setattr(compiled, "_loaded", lambda: compiled.folder().is_dir())
    compiled.folder().mkdir(parents=True)
    compiled.prefer(path)
    assert path == [str(compiled.folder()), "the package"]
    with (sources / "channel.py").open("a") as file:
        file.write("# changed\n")
    compiled.folder.cache_clear()
    path = ["the package"]
    compiled.prefer(path)
    assert path == ["the package"]


@pytest.mark.usefixtures("sources")
def test_they_are_not_used_where_that_is_asked(monkeypatch):
    monkeypatch.setattr(compiled, "_loaded", lambda: True)
    monkeypatch.setenv("MESHSIM_PURE", "1")
    path = []
    compiled.prefer(path)
    assert path == []


def test_a_failure_to_compile_is_told_and_leaves_nothing(sources, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(MeshSimError, match="mypyc must be able to compile the engine, with a C compiler"):
        compiled.compile_modules()
    assert list((sources / "__pycache__").iterdir()) == []


@pytest.mark.usefixtures("sources")
def test_what_is_damaged_is_not_used(monkeypatch):
    compiled.folder().mkdir(parents=True)
    for name in (*compiled.MODULES, "0123__mypyc"):
        (compiled.folder() / f"{name}{compiled.ENDING}").write_text("no library")
    path = []
    compiled.prefer(path)
    assert path == []
    monkeypatch.setattr(compiled, "find_spec", lambda _: None)
    with pytest.raises(MeshSimError, match="mypyc must be installed"):  # it is to be compiled again
        compiled.compile_modules()


@pytest.mark.usefixtures("sources")
def test_mypyc_must_be_there(monkeypatch):
    monkeypatch.setattr(compiled, "find_spec", lambda _: None)
    with pytest.raises(MeshSimError, match=r"pip install 'meshsim\[fast\]'"):
        compiled.compile_modules()


def test_the_folder_must_be_writable(sources):
    (sources / "__pycache__").touch()
    with pytest.raises(MeshSimError, match="must be a folder that can be written"):
        compiled.compile_modules()
