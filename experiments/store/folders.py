"""Folders of results: each says in `settings.json` whose it is, and other work does not go into it unless forced."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import whole_file

SETTINGS = "settings.json"
JOURNAL = "rows.jsonl"
ADVICE = "choose another folder with --out, or write over it with --force"


def out_folder(out: str | PathLike[str]) -> Path:
    """A folder as a user names it."""
    if not str(out):
        raise MeshSimError("--out must name a folder, not nothing")
    return Path(out)


@contextmanager
def claimed(folder: Path, identity: Mapping[str, Any], force: bool = False) -> Iterator[None]:
    """Keep a folder for the work that `identity` describes, which may write anything there, or nothing."""
    try:
        held = holds_work(folder, identity, force)
    except OSError as error:
        raise MeshSimError(f"cannot write to the folder {str(folder)!r}: {error.strerror or error}") from None
    try:
        yield
    finally:
        if not held and _names(folder):
            write_settings(folder, identity)


def holds_work(folder: Path, identity: Mapping[str, Any], force: bool) -> bool:
    """Whether a folder holds some of this work already; one that holds other work is refused, unless forced."""
    names = _names(folder)
    if not names:
        return False
    try:
        known = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        known = None
    if known == _plain(identity):
        return True
    if force or names == [JOURNAL]:  # as a kill may leave it
        return False
    check_ours(folder, force)
    raise MeshSimError(f"{folder} holds other work, or results of another version; {ADVICE}")


def check_ours(folder: Path, force: bool) -> None:
    """Refuse a folder that holds what is none of ours."""
    names = _names(folder)
    if names and names != [JOURNAL] and SETTINGS not in names and not force:
        raise MeshSimError(f"{folder} must be empty or hold this work; {ADVICE}")


def write_settings(folder: Path, identity: Mapping[str, Any]) -> None:
    """Say whose folder it is."""
    with whole_file(folder / SETTINGS) as temporary:
        temporary.write_text(json.dumps(_plain(identity), indent=2) + "\n", encoding="utf-8")


def _names(folder: Path) -> list[str]:
    """What a folder holds, but for hidden files: a kill may leave some half written."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith(".")) if folder.exists() else []


def _plain(identity: Mapping[str, Any]) -> Any:
    return json.loads(json.dumps(identity))
