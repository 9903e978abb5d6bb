"""What the site takes from outside `docs/`: the README is its home page, and two more pages come from the top."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

TOP = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files at the top of the repository, and the pages that they are."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages, and the licence that one of them links to."""
    top = Path(config.config_file_path).parent
    for name, page in TOP.items():
        files.append(File.generated(config, page, content=mended((top / name).read_text(encoding="utf-8"))))
    files.append(File.generated(config, "LICENSE.txt", content=(top / "LICENSE").read_text(encoding="utf-8")))
    return files


def mended(text: str) -> str:
    """The text of a file at the top with its links as they are from within `docs/`."""
    moved = {**TOP, "LICENSE": "LICENSE.txt"}
    return re.sub(r"\]\(([^)#\s]+)", lambda found: "](" + moved.get(found[1], found[1].removeprefix("docs/")), text)
