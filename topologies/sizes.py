"""How many processors the members of the built-in families have, and which member has a given number."""

from collections.abc import Callable, Iterable
from math import isqrt
from typing import NamedTuple

from meshsim.errors import MeshSimError
from meshsim.topologies.graph_file import MOST_NODES

MOST_JOINED = 500
"""Processors of a network that joins all to all: more would have too many links."""
ALL_TO_ALL = ("complete", "bus", "generalised-cube")


class Members(NamedTuple):
    """The members of a family with one argument.

    Attributes
    ----------
    sizes : iterable of int
        What the argument may be, smallest first.
    processors : callable
        How many processors a member has.
    """

    sizes: Iterable[int]
    processors: Callable[[int], int] = int


COUNTS = range(1, MOST_NODES + 1)
POWERS = [2**bits for bits in range(1, 12)]  # with their switch elements, more would have too many nodes
MEMBERS = {
    "pipeline": Members(COUNTS),
    "ring": Members(COUNTS[1:]),
    "star": Members(COUNTS, lambda n: n + 1),
    "binary-tree": Members(range(1, 15), lambda levels: 2**levels - 1),
    "hypercube": Members(range(15), lambda dimension: 2**dimension),
    "incomplete-hypercube": Members(COUNTS),
    "generalised-cube": Members(COUNTS),
    "complete": Members(COUNTS),
    "bus": Members(COUNTS),
    "crossbar": Members(COUNTS),
    "omega": Members(POWERS),
    "multistage-cube": Members(POWERS),
    "triangular-mesh": Members(COUNTS, lambda n: n * (n + 1) // 2),
    "solver-array": Members(COUNTS, lambda n: n * (n + 1) // 2 + n),
    "faddeev-array": Members(COUNTS, lambda n: n * (n + 2)),
    "open-cone": Members(COUNTS, lambda n: n * (n + 1) // 2 + n + 1),
    "cone": Members(COUNTS, lambda n: n * (n + 1) // 2 + n + 1),
}


def check_count(name: str, arguments: tuple[int, ...]) -> None:
    """Refuse a member of a family that would take too much memory, before it is made."""
    if max(arguments, default=0) > MOST_NODES:
        raise MeshSimError(f"a size of {name} must be at most {MOST_NODES}, not {max(arguments)}")
    if name in ("square-mesh", "torus") and len(arguments) == 2:
        count = arguments[0] * arguments[1]
    elif name in MEMBERS and len(arguments) == 1:
        count = MEMBERS[name].processors(*arguments)
    else:
        return
    most = MOST_JOINED if name in ALL_TO_ALL else MOST_NODES
    if count > most:
        found = count if count < 10**9 else "more"
        raise MeshSimError(f"{name} must have at most {most} processors, not {found}")


def member(name: str, processors: int) -> tuple[str, tuple[int, ...]]:
    """The member of a built-in family that has so many processors: its family and its arguments.

    A mesh or torus is as square as can be, with at least as many columns as rows. A hypercube is incomplete if it must.

    Raises
    ------
    MeshSimError
        If the family has none; the message names the nearest that it has.
    """
    if name in ("square-mesh", "torus"):
        rows = _rows(processors)
        if name == "torus" and rows == 1:
            raise MeshSimError(
                f"torus must have at least 2 rows and 2 columns, and {processors} processors fill one row only: use "
                f"{f'ring:{processors}' if processors > 1 else 'pipeline:1'}, or {_nearest_tori(processors)}"
            )
        return name, (rows, processors // rows)
    family = MEMBERS[name]
    below, above = None, None
    for size in family.sizes:
        count = family.processors(size)
        if count == processors:
            return name, (size,)
        if count > processors:
            above = (count, size)
            break
        below = (count, size)
    if name == "hypercube":
        return "incomplete-hypercube", (processors,)
    near = " or ".join(f"{count} ({name}:{size})" for count, size in filter(None, (below, above)))
    raise MeshSimError(f"processors of {name} must be {near}, not {processors}")


def _rows(processors: int) -> int:
    """The largest divisor that is not larger than what is left."""
    return next(rows for rows in range(isqrt(processors), 0, -1) if processors % rows == 0)


def _nearest_tori(processors: int) -> str:
    below = next((count for count in range(processors - 1, 3, -1) if _rows(count) > 1), None)
    above = next(count for count in range(max(processors, 3) + 1, processors + 6) if _rows(count) > 1)
    near = [f"torus:{_rows(count)}x{count // _rows(count)}" for count in (below, above) if count is not None]
    return " or ".join(near)
