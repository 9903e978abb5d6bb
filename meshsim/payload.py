"""What travels over a channel: a value. The receiver never sees the sender change it afterwards."""

from numbers import Real
from typing import Any

import numpy

from meshsim.errors import MeshSimError


def freeze(value: Any) -> tuple[Any, int]:
    """Return a value that nobody can change, and its length in words; a word is one number.

    Numbers and tuples of numbers are values already. An array is copied, and the copy made read-only.
    """
    kind = type(value)
    if kind is float or kind is int:
        return value, 1
    if kind is tuple:
        words = 0
        changed = False
        items = []
        for item in value:
            if type(item) is float:
                items.append(item)
                words += 1
            else:
                frozen, size = freeze(item)
                changed = changed or frozen is not item
                items.append(frozen)
                words += size
        return (tuple(items) if changed else value), words
    if isinstance(value, Real):
        return value, 1
    if isinstance(value, numpy.ndarray) and value.dtype.kind in "iuf":
        copy = value.copy()
        copy.setflags(write=False)
        return copy, int(copy.size)
    raise MeshSimError(f"a message must be a number, a tuple or an array of numbers, not {kind.__name__}")
