"""The documents: prose is wrapped, and links, files, options, imports and names that they mention exist."""

import argparse
import ast
import importlib
import re
from collections import Counter
from pathlib import Path

import pytest

from meshsim.algorithms.robots.catalogue import ROBOTS
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.solvers.catalogue import SOLVERS
from meshsim.experiments.cli.main import build_parser
from meshsim.presets import PRESETS

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
FOLDERS = ("algorithms", "docs", "experiments", "meshsim", "tests", "topologies")
NAMES = Counter(path.name for path in (*PAGES, *(p for folder in FOLDERS for p in (ROOT / folder).glob("**/*.py"))))
"""How many files have a name; the links in `meshsim/` are not followed."""
WIDTH = 120
TERMS = """
    scheme, discipline, rendezvous, overlap, posted, receive, free, rho, carry, exhibit, tick, phase, mechanism,
    machine, topology, program, plan, run, recording, kernel, layout, distribution, cut joint, subsystem, spanning tree,
    host, home, scatter, gather, all-gather, start-up, latency, throughput, deadlock, stream, pace, tape,
    written-out arithmetic, critical path, sensitivity
"""

page = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)


def prose(text):
    """Lines that are neither code nor rows of tables, with their numbers."""
    code = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("```"):
            code = not code
        elif not code and not line.startswith(("|", "    ")):
            yield number, line


def terms():
    return re.findall(r"^\*\*(.+?)\*\*", (ROOT / "docs/glossary.md").read_text(), flags=re.MULTILINE)


def options(parser):
    """Every option of a command line, verbs included."""
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for verb in action.choices.values():
                yield from options(verb)


def test_there_are_pages():
    assert {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "glossary.md", "bibliography.md"} <= {p.name for p in PAGES}


@page
def test_prose_is_wrapped(page):
    long = [number for number, line in prose(page.read_text()) if len(line) > WIDTH]
    assert not long, f"lines of {page.name} over {WIDTH} characters: {long}"


@page
def test_links_lead_to_files(page):
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text())
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert not missing


@page
def test_files_that_are_named_exist(page):
    """A path is from the top; a name without a folder is that of one file only."""
    for name in re.findall(r"`([\w./-]+)`", page.read_text()):
        folder = name.split("/")[0]
        if "/" in name and folder in FOLDERS:
            assert (ROOT / name).exists(), f"{page.name} names {name}"
        elif name.endswith((".py", ".md")):
            assert NAMES[name] == 1, f"{page.name} names {name}, of which there are {NAMES[name]}"


@page
def test_options_that_are_named_exist(page):
    known = {*options(build_parser()), "--durations"}  # the last is pytest's
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", page.read_text())) <= known


@page
def test_python_on_pages_imports_what_exists(page):
    for code in re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom):
                module = importlib.import_module(node.module)
                assert all(hasattr(module, alias.name) for alias in node.names), ast.unparse(node)


def test_the_glossary_has_every_term_in_order():
    found = terms()
    wanted = {term.strip() for term in TERMS.split(",")}
    assert wanted <= set(found), sorted(wanted - set(found))
    letters = [re.sub("[^a-z]", "", term.lower()) for term in found]
    assert letters == sorted(set(letters))


def test_the_bibliography_has_every_name():
    text = (ROOT / "docs/bibliography.md").read_text()
    names = {
        name.split(":")[0]
        for name in (
            *SCHEMES,
            *SOLVERS,
            *PRESETS,
            *ROBOTS,
        )
    }
    missing = [name for name in sorted(names) if f"`{name}`" not in text]
    assert not missing
