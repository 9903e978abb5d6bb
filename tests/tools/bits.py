"""Values as texts, for tests that compare every bit."""

from dataclasses import fields, is_dataclass

import numpy as np


def bits(value):
    """A value as texts that differ where any bit does."""
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: bits(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [bits(item) for item in value]
    if is_dataclass(value):
        return [bits(getattr(value, field.name)) for field in fields(value)]
    assert value is None or isinstance(value, int)
    return value
