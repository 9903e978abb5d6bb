"""One file of HTML with all that it shows: data, style and scripts; it asks nothing of any network.

The scripts are modules in files of their own (`web/`). They are put one after the other here, without their imports and
exports, so that a name may stand in one of them only.
"""

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field, fields
from functools import lru_cache
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from meshsim.experiments.store.files import PAGES, check_ending, whole_file
from meshsim.version import __version__

SCRIPTS = (
    "unpack.js", "model.js", "dom.js", "canvas.js", "network.js", "gantt.js", "exports.js", "player.js", "chart.js",
    "skeleton.js", "main.js",
)  # fmt: skip
"""Each after those that it imports from."""


@dataclass
class Page:
    """What a page shows, from the top down.

    Attributes
    ----------
    title, verdict : str
        What it is about, and what came of it, in a sentence.
    about : list of str
        What somebody needs to know who has never seen such a thing.
    cards : list of (name, value, note)
        The numbers that matter most.
    charts : list of dict
        Curves, as `web/chart.js` takes them.
    remarks : str
        What else is to be said, in lines that stay as they are.
    motion : dict, optional
        A skeleton that moves, as `web/skeleton.js` takes it.
    stories : list of dict
        Runs (`story.py`).
    tables : list of dict
        Each with a title, heads and rows.
    footer : list of (name, value)
        Where it comes from.
    """

    title: str
    verdict: str = ""
    about: list[str] = field(default_factory=list)
    cards: list[tuple[str, str, str]] = field(default_factory=list)
    charts: list[dict[str, Any]] = field(default_factory=list)
    remarks: str = ""
    motion: dict[str, Any] | None = None
    stories: list[dict[str, Any]] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)
    footer: list[tuple[str, str]] = field(default_factory=list)


def as_html(page: Page) -> str:
    """The whole file."""
    data = {each.name: getattr(page, each.name) for each in fields(page)}
    script, style = _script(), _web("page.css")
    policy = (
        f"default-src 'none'; script-src 'sha256-{_hash(script)}'; style-src 'sha256-{_hash(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return Template(_web("page.html")).substitute(
        policy=policy,
        generator=escape(f"meshsim {__version__}"),
        title=escape(page.title),
        style=style,
        data=_harmless(json.dumps(data, allow_nan=False, separators=(",", ":"))),
        script=script,
    )


def save_page(page: Page, path: str | Path) -> None:
    """Write a page to a file."""
    check_ending("page", path, PAGES)
    with whole_file(path) as temporary:
        temporary.write_text(as_html(page), encoding="utf-8")


def _harmless(text: str) -> str:
    """JSON in which nothing can end the element that it stands in."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


@lru_cache
def _web(name: str) -> str:
    return files(__package__).joinpath("web", name).read_text(encoding="utf-8")


@lru_cache
def _script() -> str:
    """All scripts as one."""
    parts = []
    for name in SCRIPTS:
        text = re.sub(r"^import [^;]*;\n", "", _web(name), flags=re.MULTILINE)
        parts.append(re.sub(r"^export ", "", text, flags=re.MULTILINE))
    return "\n".join(parts)
