"""The arrays that references and solvers work on, and what is asked of results."""

import math

import numpy as np
import numpy.typing as npt

from meshsim.errors import MeshSimError

Array = npt.NDArray[np.float64]

MOST_DIGITS = 53 * math.log10(2.0)
"""Decimal digits of a double, which is what references are computed in."""


def check_finite(what: str, **values: npt.ArrayLike) -> None:
    """Refuse results that overflowed."""
    for name, value in values.items():
        if not np.isfinite(value).all():
            raise MeshSimError(f"{name} {what} must be finite; the inputs are too large or too small to compute with")


def relative_error(value: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """Largest difference between two arrays, relative to the largest entry of `reference` if that exceeds 1.

    Parameters
    ----------
    value, reference : array_like
        Arrays of one shape.

    Returns
    -------
    float
        max|value - reference| / max(1, max|reference|).
    """
    difference, size = _largest(value, reference)
    return difference / max(1.0, size)


def digits(value: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """How many decimal digits of the largest entry are right: -log10(max|value - reference| / max|reference|).

    Parameters
    ----------
    value, reference : array_like
        Arrays of one shape.

    Returns
    -------
    float
        At most `MOST_DIGITS`; less than 0 where the difference is larger than the reference. Of a reference that is
        zero everywhere, `MOST_DIGITS` if the value is the same, else minus infinity.
    """
    difference, size = _largest(value, reference)
    if not difference:
        return MOST_DIGITS
    return min(MOST_DIGITS, -math.log10(difference / size)) if size else -math.inf


def _largest(value: npt.ArrayLike, reference: npt.ArrayLike) -> tuple[float, float]:
    """The largest difference from a reference of the same shape, and its largest entry."""
    value, reference = np.asarray(value, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if value.shape != reference.shape:
        raise MeshSimError(f"value must have the reference's shape {reference.shape}, not {value.shape}")
    return float(np.abs(value - reference).max()), float(np.abs(reference).max())
