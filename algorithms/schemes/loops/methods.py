"""The methods of closed dynamics by name."""

import math
from collections.abc import Mapping
from typing import Any

from meshsim.algorithms.schemes.loops.denoc import DENOC
from meshsim.algorithms.schemes.loops.mesh_loops import NAME as MESH
from meshsim.algorithms.schemes.loops.method import DISTRIBUTIONS, Method, Settings
from meshsim.algorithms.schemes.loops.multipliers import MULTIPLIERS
from meshsim.algorithms.schemes.loops.penalty import PENALTY
from meshsim.algorithms.schemes.loops.projection import PROJECTION, TECHNIQUES
from meshsim.errors import MeshSimError

OPTIONS = {"penalty": ("k", "d"), "projection": ("sigma", "technique"), "denoc": (), "multipliers": ()}
"""What may be set of each method."""
METHODS: dict[str, Method] = {method.name: method for method in (PENALTY, PROJECTION, DENOC, MULTIPLIERS)}


def load_method(name: str) -> Method:
    """A method by its name."""
    if name not in METHODS:
        raise MeshSimError(f"unknown method {name!r} of closed dynamics; known: {', '.join((*METHODS, MESH))}")
    return METHODS[name]


def closed_settings(method: Method, options: Mapping[str, str], distribution: str | None) -> Settings:
    """Settings from what a user typed; the distribution is the method's own first unless given.

    Parameters
    ----------
    method : Method
        The method.
    options : mapping
        ``k``, ``d``, ``sigma`` (numbers, at least 0) and ``technique``, those of them that the method has.
    distribution : str or None
        One of `DISTRIBUTIONS`.
    """
    known = OPTIONS[method.name]
    found: dict[str, Any] = {}
    for key, value in options.items():
        if key not in known:
            raise MeshSimError(f"unknown option {key!r} of {method.name}; known: {', '.join(known) or 'none'}")
        found[key] = value if key == "technique" else _number(key, value)
    if found.get("technique", TECHNIQUES[0]) not in TECHNIQUES:
        why = (
            "; the recipe by singular values is shown in meshsim reproduce khan-fig-4.8"
            if found["technique"] == "svd"
            else ""
        )
        raise MeshSimError(f"technique must be {' or '.join(TECHNIQUES)}, not {found['technique']!r}{why}")
    if distribution is not None and distribution not in DISTRIBUTIONS:
        raise MeshSimError(f"distribution must be {' or '.join(DISTRIBUTIONS)}, not {distribution!r}")
    return Settings(**found, distribution=distribution or method.distributions[0])


def _number(key: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise MeshSimError(f"{key} must be a finite number, at least 0, not {text!r}")
    return value
