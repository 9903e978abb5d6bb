"""Things of users' own, by name, for all functions and commands."""

import sys
from typing import Any, TypeVar

from meshsim.algorithms.robots.catalogue import ROBOTS
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.solvers.catalogue import SOLVERS
from meshsim.catalogue import Catalogue, remember_file
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS
from meshsim.topologies import NETWORKS

T = TypeVar("T")

CATALOGUES: dict[str, Catalogue[Any]] = {
    catalogue.kind: catalogue for catalogue in (SCHEMES, SOLVERS, ROBOTS, PRESETS, NETWORKS)
}


def register(thing: T, name: str | None = None, kind: str | None = None) -> T:
    """Make a thing of your own known by its name; returns it, so that it may stand before a function as a decorator.

    Parameters
    ----------
    thing : Scheme or Solver or Machine or Mechanism or function
        A function makes a robot or a network: its annotation, or `kind`, says which.
    name : str, optional
        By default its own; of a function, as it is written, with hyphens.
    kind : str, optional
        ``scheme``, ``solver``, ``machine``, ``robot`` or ``network``.

    Raises
    ------
    MeshSimError
        If it is none of these, or the name is built in. What was registered by the name before is replaced.
    """
    if kind is not None and kind not in CATALOGUES:
        raise MeshSimError(f"kind must be {', '.join(CATALOGUES)}, not {kind!r}")
    claiming = [each for each in CATALOGUES.values() if (each.claims(thing) if kind is None else each.kind == kind)]
    if not claiming:
        raise MeshSimError(
            f"what is registered must be a Scheme, Solver, Machine or Mechanism, or a function with kind='robot' or "
            f"kind='network', not {thing!r}"
        )
    claiming[0].add(thing, name)
    remember_file(sys._getframe(1).f_code.co_filename)
    return thing
