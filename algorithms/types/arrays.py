"""The arrays that references and solvers work on, and what is asked of results."""

import numpy as np
import numpy.typing as npt

from meshsim.errors import MeshSimError

Array = npt.NDArray[np.float64]


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
    value, reference = np.asarray(value, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if value.shape != reference.shape:
        raise MeshSimError(f"value must have the reference's shape {reference.shape}, not {value.shape}")
    return float(np.abs(value - reference).max() / max(1.0, np.abs(reference).max()))
