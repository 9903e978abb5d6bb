"""Long work that can be interrupted and resumed: a folder, its settings, and a line for each finished part.

`settings.json` says what the work is; a folder that holds other work is refused. `rows.jsonl` gets a line `[key, row]`
for each part as it is finished. One process at a time may hold the folder.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import meshsim
from meshsim.catalogue import FILES
from meshsim.errors import MeshSimError
from meshsim.experiments.store.folders import JOURNAL, check_ours, holds_work, write_settings

Row = Mapping[str, Any]
PACKAGE = Path(meshsim.__file__).parent


Keep = Callable[[str, Row], Any]
"""What a journal keeps in memory of a row, given its key; LookupError, TypeError or ValueError say that it is none."""


def whole_row(_: str, row: Row) -> Any:
    """All of it."""
    return dict(row)


class Journal:
    """What is kept of the rows that are finished, by key, and the open file that takes new ones."""

    def __init__(self, stream: IO[str], keep: Keep) -> None:
        self.stream = stream
        self.keep = keep
        self.rows = _finished(stream, keep)

    def add(self, key: str, row: Row) -> None:
        """A part is finished."""
        self.stream.write(json.dumps([key, row]) + "\n")
        self.stream.flush()
        self.rows[key] = self.keep(key, row)  # last: an interrupt tells how many lines are written


@contextmanager
def open_journal(
    folder: Path, identity: Mapping[str, Any], what: str = "rows", keep: Keep = whole_row
) -> Iterator[Journal]:
    """Hold a folder for the work that `identity` describes, code included: results of other code are not mixed in.

    An interrupt says how to go on, and how much there is: `what` is what a row stands for.
    """
    with _held(folder, identity, False, keep) as journal:
        try:
            yield journal
        except KeyboardInterrupt:
            kept = f"{what} finished: {len(journal.rows)}, kept in {folder}; the same command goes on from there"
            raise KeyboardInterrupt(kept) from None


def take_over(folder: Path, identity: Mapping[str, Any], afresh: bool = False) -> None:
    """Make a folder one of this work; rows of other work in it are forgotten, and its own if it is to begin afresh."""
    with _held(folder, identity, True, lambda *_: None) as journal:
        if afresh:
            journal.stream.truncate(0)


@contextmanager
def _held(folder: Path, identity: Mapping[str, Any], force: bool, keep: Keep) -> Iterator[Journal]:
    identity = {**identity, "code": code_hash()}
    try:
        check_ours(folder, force)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / JOURNAL).open("a+", encoding="utf-8", errors="replace") as stream:
            _lock(stream, folder)
            if not holds_work(folder, identity, force):
                stream.truncate(0)
                write_settings(folder, identity)
            yield Journal(stream, keep)
    except OSError as error:
        raise MeshSimError(f"cannot use the folder {str(folder)!r}: {error.strerror or error}") from None


def code_hash() -> str:
    """A hash of the code and of the machines that are built in, which identifies its version."""
    digest = hashlib.sha256()
    for layer in ("*.py", "machines/*.toml", "topologies/**/*.py", "algorithms/**/*.py", "experiments/**/*.py"):
        for path in sorted(PACKAGE.glob(layer)):
            digest.update(path.read_bytes())
    for known in sorted(FILES.values()):  # of users
        digest.update(known.encode())
    return digest.hexdigest()[:16]


def _lock(stream: IO[str], folder: Path) -> None:
    """Hold the file until it is closed or this process ends; worker processes do not inherit the lock."""
    try:
        import fcntl
    except ImportError:  # not POSIX: the folder is not guarded there
        return
    try:
        fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        raise MeshSimError(f"{folder} is in use by another run; wait for it, or choose another folder") from None


def _finished(journal: IO[str], keep: Keep) -> dict[str, Any]:
    """The rows of earlier runs; the file is cut at the first line that is not a row, as a kill may leave one."""
    rows: dict[str, Any] = {}
    journal.seek(0)
    whole = 0
    for line in journal:
        if not line.endswith("\n"):
            break
        try:
            key, row = json.loads(line)
            rows[key] = keep(key, row)
        except (LookupError, TypeError, ValueError, OverflowError, RecursionError):
            break
        whole += len(line.encode())
    journal.truncate(whole)
    journal.seek(0, os.SEEK_END)
    return rows
