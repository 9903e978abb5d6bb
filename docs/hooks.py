"""What the site takes from outside `docs/`: the README is its home page, and two more pages come from the top."""

import re
from pathlib import Path
from typing import Any

from live import framed, live_pages
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

TOP = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "LICENSE.txt",
}
"""Files at the top of the repository, and what they are called in the site."""
LINK = re.compile(r"\]\(([^)#\s]+)")
CODE = re.compile(r"<code>([^<]*)</code>")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
LONG_CELL = re.compile(r"<td>(?=[^<]{60})")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add what comes from the top, and the live pages of lessons."""
    for name, page in TOP.items():
        text = (Path(config.config_file_path).parent / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=from_the_top(text)))
    for lesson in sorted(Path(config.docs_dir, "lessons").glob("*.md")):
        for name, text in live_pages(lesson.read_text(encoding="utf-8")):
            files.append(File.generated(config, f"lessons/{name}", content=text))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Have links out of `docs/` lead to the pages that files at the top have become; show the live pages of lessons."""
    return framed(LINK.sub(lambda found: f"]({_within(found[1])}", markdown))


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Mark what the style sheet looks after (`assets/site.css`): options of commands, and long cells of tables."""
    marked = r'<span class="option">\g<0></span>'
    html = CODE.sub(lambda found: f"<code>{OPTION.sub(marked, found[1])}</code>", html)
    return LONG_CELL.sub('<td class="long">', html)


def on_page_context(context: dict[str, Any], *, page: Page, config: MkDocsConfig, nav: Any) -> dict[str, Any]:  # noqa: ARG001
    """Leave the home page the width of the navigation, which has nothing to show there."""
    if page.is_homepage:
        page.meta.setdefault("hide", ["navigation"])
    return context


def from_the_top(text: str) -> str:
    """A file of the top with its links as they are from within `docs/`."""
    return LINK.sub(lambda found: f"]({TOP.get(found[1], found[1].removeprefix('docs/'))}", text)


def _within(target: str) -> str:
    """A link of a page in `docs/`; one that leaves it has one level too many, and another name."""
    name = target.rpartition("/")[2]
    return target.removeprefix("../").replace(name, TOP[name]) if target.startswith("../") and name in TOP else target
