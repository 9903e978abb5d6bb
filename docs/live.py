"""Live pages of lessons: a mark in a lesson, the command that makes the page, and the frame that shows it in the site.

A mark is a comment, `<!-- live: NAME.html -->`, that readers elsewhere do not see. The page is made when the site is
built, by the command that the lesson shows with `--report NAME.html`.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

MARK = re.compile(r"^<!-- live: ([\w-]+\.html) -->$", flags=re.MULTILINE)
COMMAND = re.compile(r"^ {4}meshsim ((?:[^\\\n]|\\\n)+)$", flags=re.MULTILINE)
FRAME = (
    '<iframe src="{name}" title="The run, to play and step through" loading="lazy" '
    'style="width: 100%; height: 46rem; border: 1px solid #8888"></iframe>\n\n'
    "[On a page of its own]({name})\n"
)


def live_pages(text: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each live page of a lesson; examples that it copies are there when a page is made."""
    marked, commands = list(commands_of(text)), _shown(text)
    with tempfile.TemporaryDirectory() as folder:
        for words in [words for words in commands if marked and words[0] == "example"]:
            _run(words, folder)
        for name, words in marked:
            _run(words, folder)
            yield name, Path(folder, name).read_text(encoding="utf-8")


def commands_of(text: str) -> Iterator[tuple[str, list[str]]]:
    """The name of each live page, and the words of the one command that makes it."""
    for name in MARK.findall(text):
        (words,) = (words for words in _shown(text) if words[-2:] == ["--report", name])
        yield name, words


def framed(text: str) -> str:
    """A lesson with a frame in place of each mark."""
    return MARK.sub(lambda found: FRAME.format(name=found[1]), text)


def _shown(text: str) -> list[list[str]]:
    return [shlex.split(each.replace("\\\n", " ")) for each in COMMAND.findall(text)]


def _run(words: list[str], folder: str) -> None:
    """Run a command of the meshsim that this file belongs to."""
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    command = [sys.executable, "-m", "meshsim", *words, *(["--quiet"] if words[0] != "example" else [])]
    subprocess.run(command, cwd=folder, env=here, check=True, stdout=subprocess.DEVNULL)
