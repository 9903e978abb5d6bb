"""The methods of closed dynamics by name."""

from algorithms.closed.denoc import DENOC
from algorithms.closed.method import Method
from algorithms.closed.multipliers import MULTIPLIERS
from algorithms.closed.penalty import PENALTY
from algorithms.closed.projection import PROJECTION
from meshsim.errors import MeshSimError

METHODS: dict[str, Method] = {method.name: method for method in (PENALTY, PROJECTION, DENOC, MULTIPLIERS)}


def load_method(name: str) -> Method:
    """A method by its name."""
    if name not in METHODS:
        raise MeshSimError(f"unknown method {name!r} of closed dynamics; known: {', '.join(METHODS)}")
    return METHODS[name]
