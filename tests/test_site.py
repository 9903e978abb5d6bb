"""The documentation site: every page is in its navigation, every public name in its reference, and it builds."""

import doctest
import inspect
import re
import subprocess
import sys

import pytest
from tools.paths import ROOT

import meshsim as ms

SITE = (ROOT / "mkdocs.yml").read_text()
DOCS = ROOT / "docs"
FROM_THE_TOP = {"index.md", "contributing.md", "changelog.md"}
"""Pages that `docs/hooks.py` makes."""
API = "\n".join(page.read_text() for page in sorted((DOCS / "api").glob("*.md")))
REFERENCE = re.findall(r"^::: (\S+)", API, flags=re.MULTILINE)


def navigation():
    """The pages in the order of the navigation."""
    return re.findall(r"^ +- (?:.+: )?(\S+\.md)$", SITE.partition("\nnav:\n")[2], flags=re.MULTILINE)


def test_every_page_is_in_the_navigation_once():
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.glob("**/*.md")}
    assert sorted(navigation()) == sorted(pages | FROM_THE_TOP)


def test_every_public_name_is_in_the_reference_once():
    public = [name.removeprefix("meshsim.") for name in REFERENCE if name.count(".") == 1]
    assert sorted(public) == sorted(ms._MODULES)
    assert len(set(REFERENCE)) == len(REFERENCE)


@pytest.mark.parametrize("name", REFERENCE)
def test_what_the_reference_names_is_there_and_explained(name):
    module, _, thing = name.rpartition(".")
    found = getattr(__import__(module, fromlist=[thing]), thing)
    if inspect.isclass(found) or inspect.isfunction(found):
        assert inspect.getdoc(found)


@pytest.mark.parametrize("name", sorted(ms._MODULES))
def test_examples_of_public_names_are_true(name):
    thing = getattr(ms, name)
    for test in doctest.DocTestFinder(recurse=False).find(thing, name, globs={}):
        assert doctest.DocTestRunner().run(test).failed == 0


def test_nothing_is_fetched_by_readers():
    """The plugin for use without a server adds a script from the network unless one of this name is there."""
    assert "  font: false" in SITE
    (script,) = re.findall(r"polyfills: \[(\S+)\]", SITE)
    assert "iframe-worker" in script
    assert (DOCS / script).exists()


@pytest.mark.slow
def test_it_builds_without_a_warning(tmp_path):
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: make docs installs it, or pip install -e '.[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = sorted((tmp_path / "site").glob("**/*.html"))
    assert len(pages) > len(navigation())  # and one for what is not found
    for page in pages:
        fetched = re.findall(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"(?:https?:)?//[^\"]+", page.read_text())
        assert not fetched, (page.name, fetched)
