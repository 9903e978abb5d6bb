"""Reading what users wrote in JSON, with errors that say what would be right."""

import json
import math
from collections import Counter
from os import PathLike

from meshsim.errors import MeshSimError
from meshsim.textfile import read_file

MOST_BYTES = 50_000_000
"""A thousand equations with all their digits take half of it."""


def load_json(path: str | PathLike[str], what: str) -> object:
    """The value in a JSON file; `what` it should be is said in the error."""
    try:
        data = read_file(path, what, MOST_BYTES)
    except (OSError, ValueError) as error:  # ValueError: a path with a null byte
        reason = error.strerror if isinstance(error, OSError) else error
        raise MeshSimError(f"{what} must be a readable file, not one that fails with: {reason}") from None
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


def finite_number(what: str, value: object) -> float:
    """A number from JSON as a float; not a boolean, not NaN, not infinite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MeshSimError(f"{what} must be a finite number, not {describe(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise MeshSimError(f"{what} must be a finite number, not {number}")
    return number


def describe(value: object) -> str:
    """JSON's own word for a value, so that the message shows what the file holds."""
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return json.dumps(value, default=str)  # a TOML file may hold a date
