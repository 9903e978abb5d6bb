"""Tutorials, lessons, a guide: what they say that commands and programs print is what these print, in the page's order.

Commands and what they print stand in indented blocks; code in fenced ones, of which those with a title are files. A
line `...` stands for lines that are left out.
"""

import re
import shlex
from itertools import groupby, pairwise
from pathlib import Path
from textwrap import dedent

import pytest
from tools.command import call
from tools.paths import ROOT
from tools.told import numbers

PAGES = [page for folder in ("tutorials", "lessons") for page in sorted((ROOT / "docs" / folder).glob("*.md"))]
FENCED = r"^```(\w+)(?: title=\"(.+?)\")?\n(.*?)^```$"
INDENTED = r"^((?: {4}[^\n]*\n|\n(?= {4}))+)"
BLOCK = re.compile(f"{FENCED}|{INDENTED}", flags=re.MULTILINE | re.DOTALL)
LONG = ("best", "compare", "explain", "realtime")
"""Verbs that take seconds: run where slow tests are."""
SHOWN = ("watch",)
"""Verbs that wait for somebody at the keyboard, unless they are told to print."""
GUIDES = [ROOT / "docs" / "looking.md"]
"""Pages of which only those commands are run whose print stands behind them."""


def blocks(page):
    """The blocks of a page: the language of a fenced one, its title, and the text."""
    for language, title, code, indented in BLOCK.findall(page.read_text()):
        if indented:
            paragraphs = re.split(r"\n\n+", dedent(indented).strip("\n"))
            for commands, some in groupby(paragraphs, lambda text: text.startswith("meshsim ")):
                yield "commands" if commands else "printed", "", "\n\n".join(some) + "\n"
        else:
            yield language, title, code


def printed_by(commands, capsys, long):
    """What commands print; None if one of them is not run here."""
    out = []
    for line in commands.replace("\\\n", " ").splitlines():
        if not line:
            continue
        verb, *words = shlex.split(line, comments=True)[1:]
        if (verb in SHOWN and "--plain" not in words) or (verb in LONG and not long):
            return None
        status, text, err = call(capsys, verb, *words, "--quiet")
        assert status == 0, (line, err)
        out.append(text)
    return "".join(out)


def check(shown, out):
    """Every passage of a page is in what was printed, in this order, however the lines are broken."""
    rest = " ".join(out.split())
    for passage in re.split(r"^ *\.\.\.$", shown, flags=re.MULTILINE):
        wanted = " ".join(passage.split())
        assert wanted in rest, f"{wanted}\n\nis not in\n\n{rest}"
        rest = rest[rest.index(wanted) + len(wanted) :]


def follow(page, capsys, long):
    """Do what a page says; what each step printed (None where it was left out), and how many blocks were checked."""
    out, checked, names, printed = None, 0, {"__name__": "tutorial"}, []
    for kind, title, text in blocks(page):
        if kind == "commands":
            out = printed_by(text, capsys, long)
            printed.append(out)
        elif kind == "printed" and out is not None:
            check(text, out)
            checked += 1
        elif title:
            Path(title).write_text(text)
        elif kind == "python":
            exec(compile(text, page.name, "exec"), names)
            out = capsys.readouterr().out
            printed.append(out)
    return printed, checked


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["quick", "all"])
@pytest.mark.usefixtures("forgotten")
def test_what_a_tutorial_says_is_printed(page, long, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed, checked = follow(page, capsys, long)
    assert checked >= 3
    if page.parent.name == "lessons" and None not in printed:
        told = numbers(BLOCK.sub("", page.read_text()))
        assert len(told) >= 5
        assert told <= numbers("\n".join(printed)), "a lesson tells what nobody computed"


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_what_a_guide_shows_is_printed(page, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    steps = list(pairwise((kind, text) for kind, _, text in blocks(page)))
    shown = [(typed, out) for (kind, typed), (following, out) in steps if (kind, following) == ("commands", "printed")]
    assert shown
    for typed, out in shown:
        check(out, printed_by(typed, capsys, long=True))


def test_a_wrong_number_is_found():
    check("    a  1\n    ...\n    c 3", "a 1\nb 2\nc 3\n")
    for wrong in ("    a 2", "    c 3\n    ...\n    a 1"):
        with pytest.raises(AssertionError, match="is not in"):
            check(wrong, "a 1\nb 2\nc 3\n")
