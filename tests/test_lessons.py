"""Lessons: notebooks run as Jupyter runs them and compute what they tell; live pages; running sums."""

import importlib.util
import json
import re
import warnings

import numpy as np
import pytest
from tools.command import call
from tools.paths import EXAMPLES, ROOT
from tools.told import numbers

import meshsim as ms

LESSONS = ROOT / "docs" / "lessons"
PAGES = sorted(LESSONS.glob("*.md"))
NOTEBOOKS = sorted(LESSONS.glob("*.ipynb"))
page = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


# Notebooks


def cells(path, kind):
    """The texts of the cells of a kind."""
    told = json.loads(path.read_text())["cells"]
    return ["".join(cell["source"]) for cell in told if cell["cell_type"] == kind]


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """Notebooks run in a fresh kernel, which forgets what each has named; their cells, with what they show."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries that are not ours
        nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
        books = {path: nbformat.read(path, as_version=4).cells for path in NOTEBOOKS}
        new = nbformat.v4.new_code_cell
        whole = nbformat.v4.new_notebook(cells=[cell for book in books.values() for cell in (new("%reset -f"), *book)])
        folder = str(tmp_path_factory.mktemp("notebooks"))
        nbclient.NotebookClient(whole, timeout=120, resources={"metadata": {"path": folder}}).execute()
    return books


def outputs(cells):
    """All that cells show, as text, and how many pictures."""
    shown = [output for cell in cells for output in cell.get("outputs", ())]
    texts = [
        text for output in shown for text in (output.get("text"), output.get("data", {}).get("text/plain")) if text
    ]
    drawn = [str(output.get("data", {})) for output in shown]
    return "\n".join(texts), sum("image/png" in each or "<iframe srcdoc" in each for each in drawn)


def test_every_lesson_has_a_notebook():
    assert [path.stem for path in NOTEBOOKS] == [path.stem for path in PAGES]


@notebook
def test_a_notebook_is_stored_without_outputs_and_needs_one_import(path):
    told = json.loads(path.read_text())
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in told["cells"])
    code = "\n".join(cells(path, "code"))
    assert re.findall(r"^(?:import|from) .*", code, flags=re.MULTILINE) == ["import meshsim as ms"]


@notebook
def test_a_notebook_computes_what_it_tells(path, computed):
    text, pictures = outputs(computed[path])
    told = numbers("\n".join(cells(path, "markdown")))
    assert len(told) >= 4
    assert told <= numbers(text)
    assert pictures >= 2


# Live pages


def live():
    """The module that the site's hooks use: it stands beside the documents, not in the package."""
    spec = importlib.util.spec_from_file_location("live", ROOT / "docs" / "live.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@page
def test_a_lesson_has_a_live_page_and_shows_the_command_that_makes_it(page):
    text = page.read_text()
    ((name, words),) = live().commands_of(text)
    assert words[-2:] == ["--report", name]
    framed = live().framed(text)
    assert f'<iframe src="{name}"' in framed
    assert "<!-- live" not in framed


@pytest.mark.slow
@page
def test_live_pages_are_made(page):
    ((_, text),) = live().live_pages(page.read_text())
    assert text.startswith("<!DOCTYPE html>")
    assert len(text) < 400_000


# The example of the second lesson


@pytest.fixture
def sums(monkeypatch):
    monkeypatch.chdir(EXAMPLES)


@pytest.mark.usefixtures("forgotten", "sums")
@pytest.mark.parametrize("solver", ["DOUBLING", "HANDING_ON"])
@pytest.mark.parametrize("n", [1, 2, 8])
def test_running_sums(solver, n):
    b = np.arange(1.0, 2 * n, 2)
    found = ms.solve((np.eye(n) - np.eye(n, k=-1), b), f"doubling.py:{solver}", "t800").value
    assert found.tolist() == [(i + 1) ** 2 for i in range(n)]  # sums of odd numbers are squares


@pytest.mark.usefixtures("forgotten", "sums")
def test_running_sums_refuse_other_systems(capsys):
    for system in ("random:4:1", "random:3:1"):
        status, _, err = call(capsys, "solve", "doubling.py:DOUBLING", "--system", system, "--machine", "t800")
        assert status == 2
        assert "A must be that of running sums of 2^d numbers: 1 on the diagonal and -1 below it" in err
    with pytest.raises(ms.MeshSimError, match=r"^the solver of a scheme must take any matrix, not running sums alone$"):
        ms.run("chain:2:1", "wong-mesh", "t800", solver="doubling.py:DOUBLING")
