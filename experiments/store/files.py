"""Writing results: whole, or not at all."""

import csv
import io
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from meshsim.errors import MeshSimError

PICTURES = (".png", ".svg", ".pdf")
PAGES = (".html",)
"""Endings of files, by what they hold."""


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it takes the name when the writing has succeeded."""
    target = Path(os.path.realpath(path))
    check_writable(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=temporary_name(target), suffix=target.suffix)
        os.close(handle)
    except OSError as error:
        raise MeshSimError(f"cannot write {str(path)!r}: {error.strerror}") from None
    temporary = Path(name)
    try:
        yield temporary
        os.chmod(temporary, 0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        raise MeshSimError(f"cannot write {str(path)!r}: {error.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)


def temporary_name(path: Path) -> str:
    """How the name of what will be a file begins while it is written."""
    return f".{path.stem}-"


def check_writable(path: str | Path) -> None:
    """Refuse a path that cannot become a file: an empty one, a folder, a device."""
    if not str(path):
        raise MeshSimError("an output file must have a name, not an empty one")
    target = Path(os.path.realpath(path))
    if str(path).endswith(os.sep) or (target.exists() and not target.is_file()):
        raise MeshSimError(f"cannot write {str(path)!r}: it must be a regular file")


def check_ending(what: str, path: str | Path | None, endings: Sequence[str]) -> None:
    """Refuse a path whose ending does not name a format that is known."""
    if path is not None and not str(path).lower().endswith(tuple(endings)):
        article = "an" if what[0] in "aeiou" else "a"
        raise MeshSimError(f"{article} {what} must end with {', '.join(endings)}, not {str(path)!r}")


def check_outputs(
    outputs: Sequence[str | None], inputs: Sequence[str | None], results: Sequence[str | Path] = ()
) -> None:
    """Refuse outputs that cannot be written, or that would write over one another, an input, or a result."""
    taken = {os.path.realpath(path): "an input" for path in inputs if path}
    taken |= {os.path.realpath(path): "a result" for path in results}
    for path in outputs:
        if path is None:
            continue
        check_writable(path)
        name = os.path.realpath(path)
        if name in taken:
            raise MeshSimError(f"output {path!r} must be a file of its own, and is {taken[name]} as well")
        taken[name] = "another output"


def write_csv(path: str | Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table."""
    with whole_file(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


@contextmanager
def telling_what_is_kept(table: Path, last: Callable[[], float | None]) -> Iterator[None]:
    """Work that ends early says up to which time what it has is in a table, if it has anything."""
    try:
        yield
    except (KeyboardInterrupt, MeshSimError) as error:
        until = last()
        if until is None:
            raise
        kept = f"what was computed, up to t = {until:g} s, is in {table}"
        raise (KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else type(error))(
            f"{error}; {kept}" if str(error) else kept
        ) from None


class GrowingTable:
    """A table that is written as work goes on: whole groups of rows, that stay if work ends; none at all is no file."""

    def __init__(self, path: Path, header: Sequence[str]) -> None:
        self.path = path
        self.empty = True
        check_writable(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.stream = path.open("w", newline="", encoding="utf-8")
        except OSError as error:
            raise MeshSimError(f"cannot write {str(path)!r}: {error.strerror}") from None
        self.stream.write(_as_csv([header]))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()
        if self.empty:
            self.path.unlink()

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        """Write rows that belong together: an interrupt finds all of them in the file, or none."""
        text = _as_csv(rows)
        self.stream.write(text)
        self.stream.flush()
        self.empty = False


def _as_csv(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
