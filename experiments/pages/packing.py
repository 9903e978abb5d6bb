"""Columns of numbers in few bytes, as a page carries them: small integers, deflated, in base64.

`web/unpack.js` reads them back.
"""

import base64
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, Any]

SIZES = (np.int8, np.int16, np.int32)
"""The smallest that holds a column is taken; else double."""
LEVEL = 6
"""Of deflate: a higher one takes twice as long for two per cent."""


class Packer:
    """Columns by name, one after the other."""

    def __init__(self) -> None:
        self.columns: list[tuple[str, str, int, int]] = []  # name, type, length, whether differences are kept
        self.bytes: list[bytes] = []

    def add(self, name: str, values: Numbers | Sequence[int], steps: bool = False) -> None:
        """Keep whole numbers; with `steps` their differences, which are small where numbers grow."""
        numbers = np.asarray(values, dtype=np.int64)
        if steps:
            numbers = np.diff(numbers, prepend=0)
        low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
        fitting = [size for size in SIZES if np.iinfo(size).min <= low and high <= np.iinfo(size).max]
        self._add(name, numbers.astype(fitting[0] if fitting else np.float64), int(steps))

    def add_floats(self, name: str, values: Numbers, single: bool) -> None:
        """Keep numbers as they are, or in single precision."""
        self._add(name, values.astype(np.float32 if single else np.float64), 0)

    def _add(self, name: str, numbers: Numbers, steps: int) -> None:
        self.columns.append((name, numbers.dtype.str[1:], len(numbers), steps))
        planes = numbers.astype(numbers.dtype.newbyteorder("<")).view(np.uint8).reshape(len(numbers), numbers.itemsize)
        self.bytes.append(planes.T.tobytes())  # all first bytes, then all second ones: alike beside alike

    def packed(self) -> str:
        """All of it as text."""
        return base64.b64encode(zlib.compress(b"".join(self.bytes), LEVEL)).decode("ascii")


class Values:
    """Different values, each kept once: numbers, and nested tuples and arrays of them."""

    def __init__(self) -> None:
        self.numbers: list[float] = []
        self.shapes: dict[str, int] = {}
        self.shape_of: list[int] = []
        self._known: dict[int, int] = {}

    def places(self, values: Sequence[Any]) -> list[int]:
        """The place of each value; who keeps the values keeps them alive meanwhile, since one is known by its id."""
        known, shape_of, numbers, shapes = self._known, self.shape_of, self.numbers, self.shapes
        found = []
        for value in values:
            key = id(value)
            place = known.get(key)
            if place is None:
                place = known[key] = len(shape_of)
                if value.__class__ is float:
                    numbers.append(value)
                    shape = ""
                else:
                    shape = _flatten(value, numbers)
                shape_of.append(shapes.setdefault(shape, len(shapes)))
            found.append(place)
        return found


def _flatten(value: Any, numbers: list[float]) -> str:
    """Put a value's numbers behind others; its shape is "" for a number, "3" for a vector, "2x3", "(3,2x3)"."""
    if isinstance(value, np.ndarray):
        numbers.extend(value.ravel().tolist())
        return "x".join(map(str, value.shape))
    if isinstance(value, tuple | list):
        inner = [_flatten(item, numbers) for item in value]
        if len(set(inner)) == 1 and not inner[0].startswith("("):
            return f"{len(inner)}x{inner[0]}" if inner[0] else str(len(inner))
        return f"({','.join(inner)})"
    try:
        numbers.append(float(value))
    except (TypeError, ValueError):  # a kernel may give what is no number
        numbers.append(float("nan"))
    return ""
