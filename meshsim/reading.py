"""Reading what users wrote: files, and the tables, lists, numbers and names in them. All refusals are worded here.

No file may block, fill the memory or take long to read. Values of the wrong kind are shown as the file has them.
"""

import json
import math
import os
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

from meshsim.errors import MeshSimError

LONG_KEY = re.compile(r"""(?:\.[ \t]*+(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+){20}""")
"""Twenty dots in a key of TOML: reading one takes time that grows with the square of its length."""
MOST_JSON = 50_000_000
"""Bytes: a thousand equations with all their digits take half of them."""
LONGEST = 80
"""Values that take fewer characters are shown in messages."""


# Files


@contextmanager
def naming(path: str | PathLike[str]) -> Iterator[None]:
    """Put the name of a file before whatever is refused in it."""
    try:
        yield
    except MeshSimError as error:
        raise MeshSimError(f"{path}: {error}") from None


def read_file(path: str | PathLike[str], what: str, most: int) -> bytes:
    """The bytes of a file, at most so many.

    Parameters
    ----------
    path : str or path-like
        The file.
    what : str
        What it should be, for the error.
    most : int
        How many bytes it may have.

    Raises
    ------
    MeshSimError
        If it cannot be opened, is a pipe or a device, which may never end, or has more bytes.
    """
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a folder fails by itself
            raise MeshSimError(f"{what} must be a regular file, not a pipe or a device")
        with Path(path).open("rb") as stream:
            data = stream.read(most + 1)  # some files tell no size
    except (OSError, ValueError) as error:  # ValueError: a path with a null byte
        reason = error.strerror if isinstance(error, OSError) else error
        raise MeshSimError(f"{what} must be a readable file, not one that fails with: {reason}") from None
    if len(data) > most:
        raise MeshSimError(f"{what} must have at most {most} bytes, not more")
    return data


def read_text(path: str | PathLike[str], what: str, most: int) -> str:
    """The text of a file of at most so many bytes."""
    try:
        return read_file(path, what, most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MeshSimError(f"{what} must be UTF-8 text, not other bytes") from None


def load_toml(path: str | PathLike[str], what: str, most: int) -> dict[str, Any]:
    """What a TOML file of at most so many bytes says."""
    return parse_toml(read_text(path, what, most), what)


def parse_toml(text: str, what: str) -> dict[str, Any]:
    """What TOML says."""
    if LONG_KEY.search(text):
        raise MeshSimError(f"{what} must be TOML, not text that has a key with twenty dots or more")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise MeshSimError(f"{what} must be TOML, not text that fails with: {error}") from None


def load_json(path: str | PathLike[str], what: str) -> object:
    """The value in a JSON file."""
    data = read_file(path, what, MOST_JSON)
    try:
        value: object = json.loads(data, object_pairs_hook=_object_without_repeats)
    except (ValueError, RecursionError) as error:
        raise MeshSimError(f"{what} must be JSON, not text that fails with: {error}") from None
    return value


def _object_without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated = next(key for key in counts if counts[key] > 1)
        raise MeshSimError(f'key "{repeated}" must appear once, not {counts[repeated]} times')
    return result


# Values


def table(
    what: str, value: object, known: Collection[str] = (), required: Collection[str] = (), kind: str = "a table"
) -> Mapping[str, Any]:
    """A table, or object of JSON, with the required keys and none but the known ones, if these are told."""
    if not isinstance(value, Mapping):
        raise MeshSimError(f"{what} must be {kind}, not {shown(value)}")
    for key in value:
        if known and key not in known:
            raise MeshSimError(f"key of {what} must be {', '.join(known)}, not {key!r}")
    for key in required:
        if key not in value:
            raise MeshSimError(f"{what} must have the keys {', '.join(required)}, not lack {key!r}")
    return value


def tables(what: str, key: str, value: object) -> list[dict[str, Any]]:
    """What a file of TOML has under a key as `[[key]]`, once at least."""
    if not isinstance(value, list) or not value or not all(isinstance(each, dict) for each in value):
        found = f"[{key}] or {key} = ..., which is another thing" if value else "none"
        raise MeshSimError(f"{what} must have at least one [[{key}]], not {found}")
    return value


def entries(what: str, value: object, of: str, count: int | None = None) -> list[Any]:
    """A list of so many, or of any number but 0."""
    if not isinstance(value, list) or (not value if count is None else len(value) != count):
        raise MeshSimError(f"{what} must be {'a list of' if count is None else count} {of}, not {shown(value)}")
    return value


def numbers(what: str, value: object, count: int) -> list[float]:
    """A list of so many finite numbers."""
    return [number(f"every entry of {what}", each) for each in entries(what, value, "finite numbers", count)]


def numbers_in(words: Iterable[str]) -> list[float]:
    """Finite numbers that words tell; nothing at all if one of them is none."""
    try:
        found = [float(word) for word in words]
    except ValueError:
        return []
    return found if all(map(math.isfinite, found)) else []


def number(what: str, value: object, least: float = -math.inf, wanted: str = "") -> float:
    """A finite number as a float; not a boolean."""
    wanted = wanted or ("a finite number" if least == -math.inf else f"a finite number, at least {least}")
    if isinstance(value, bool) or not isinstance(value, Real):
        raise MeshSimError(f"{what} must be {wanted}, not {shown(value)}")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result) or result < least:
        raise MeshSimError(f"{what} must be {wanted}, not {result}")
    return result


def positive(what: str, value: object, of: str = "") -> float:
    """A finite number that is more than 0."""
    return number(what, value, math.ulp(0.0), f"a positive number{of}")


def whole(what: str, value: object, least: int, most: int, of: str = "") -> int:
    """A whole number as an int; 10.0 is 10, 10.5 is refused: nothing is rounded silently."""
    result = least - 1
    if isinstance(value, Integral | float) and not isinstance(value, bool) and value % 1 == 0:
        result = int(value)
    if result < least:
        raise MeshSimError(f"{what} must be a whole number{of}, at least {least}, not {shown(value)}")
    if result > most:  # which may have too many digits to show
        raise MeshSimError(f"{what} must be at most {most}, not more")
    return result


def text(what: str, value: object, kind: str = "a text") -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise MeshSimError(f"{what} must be {kind}, not {shown(value)}")
    return value


def one_of(what: str, value: object, choices: Iterable[str]) -> str:
    """One of several names."""
    *others, last = choices
    if not isinstance(value, str) or value not in (*others, last):
        raise MeshSimError(f"{what} must be {', '.join(others)} or {last}, not {value!r}")
    return value


def shown(value: object) -> str:
    """A value as a file has it, or what it is if that is long."""
    try:
        if isinstance(value, list | dict) or (isinstance(value, Real) and not isinstance(value, bool)):
            written = str(value)
        else:
            written = json.dumps(value, default=str)  # a TOML file may hold a date
    except (ValueError, RecursionError):  # a number of thousands of digits, lists in lists in lists
        written = " " * LONGEST
    if len(written) < LONGEST:
        return written
    if isinstance(value, list | dict):
        return f"a {'list' if isinstance(value, list) else 'table'} of {len(value)}"
    return "a long text" if isinstance(value, str) else "a number of many digits"
