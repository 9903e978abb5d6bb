"""What travels over a channel: a value. The receiver never sees the sender change it afterwards."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from numbers import Real
from typing import Any

import numpy

from meshsim.errors import MeshSimError


def freeze(value: Any) -> tuple[Any, int]:
    """Return an immutable value, and its length in words; a word is one number.

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


def mapped(value: Any, kind: type, how: Callable[[Any], Any]) -> Any:
    """The same tuples, lists, dicts and data classes with every thing of a kind replaced."""
    if isinstance(value, kind):
        return how(value)
    if isinstance(value, tuple):
        items = [mapped(item, kind, how) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list):
        return [mapped(item, kind, how) for item in value]
    if isinstance(value, dict):
        return {key: mapped(item, kind, how) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        changed = {name: mapped(part, kind, how) for name, part in parts.items()}
        return replace(value, **changed) if any(changed[name] is not parts[name] for name in parts) else value
    return value
