"""Python's cyclic garbage collector rests while hundreds of thousands of objects are made that hold no cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Walking what a run keeps, again and again, would cost more than the run: not meanwhile."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
