"""Writing results: whole, or not at all."""

import csv
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from meshsim.errors import MeshSimError


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it takes the name when the writing has succeeded."""
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem}-", suffix=target.suffix)
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


def write_csv(path: str | Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table."""
    with whole_file(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
