"""What the columns of the mesh know of the tree, and the network between columns that are not neighbours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.solvers.feedforward_lu import NAME
from meshsim.algorithms.types.vectors import Vector
from meshsim.errors import MeshSimError
from meshsim.topologies.triangle import cone, open_cone

CARRIERS = ("links", "bus", "forward")
"""How data reach a child that is not the next column: links of their own, one bus, or through the neighbours."""
WRAPS = ("yes", "no", "reversed")
"""Whether links wrap the mesh to a cone. If not, the solver runs on the mesh mirrored, fed from its last column: with
the rows of M moved to where it wants them (`no`, as Wong sec. 4.5.1 has it), or with the joints in reverse order."""


@dataclass(frozen=True)
class Column:
    """What the processors of column i know of the tree; bodies and joints are numbered from 1, the ground is 0.

    Attributes
    ----------
    i, n : int
        The body, and how many there are.
    lineage : tuple of int
        The bodies on the way from the ground to body i, itself the last.
    children : tuple of (int, Vector)
        The bodies that it carries, and from its centre of mass to their hinges.
    passing : tuple of (int, int)
        With `forward`, what goes east besides the first child's own: the parent that it comes from, and how many
        vectors of row 1 it is. In the order of the bodies that it is for.
    slides : tuple of bool
        Of every joint, the ground first, whether it slides.
    order, redistribute, carry, recompute, skip, apart, in_turn, wrap
        The options.
    torques : bool
        Whether torques are sought, for given accelerations: M is not formed then.
    """

    i: int
    n: int
    lineage: tuple[int, ...]
    children: tuple[tuple[int, Vector], ...]
    passing: tuple[tuple[int, int], ...]
    slides: tuple[bool, ...]
    order: str
    redistribute: bool
    carry: str
    recompute: bool
    skip: bool
    apart: bool
    in_turn: bool
    wrap: str = WRAPS[0]
    torques: bool = False

    @property
    def parent(self) -> int:
        """The body that carries body i; 0 is the ground."""
        return self.lineage[-2] if len(self.lineage) > 1 else 0

    @property
    def upward(self) -> tuple[str, ...]:
        """What row 1 hands to row 0 while it forms it, unless the order is `early`."""
        return ("c", "rho") if self.recompute else ("c",)

    @property
    def source(self) -> str:
        """The port through which its parent's data come."""
        return "west" if self.parent == self.i - 1 or self.carry == "forward" else "parent"

    @property
    def heirs(self) -> list[str]:
        """The ports of the children that are served as soon as there is something for them."""
        if self.carry == "forward":
            return ["east"] if any(child == self.i + 1 for child, _ in self.children) else []
        return ["east" if child == self.i + 1 else f"child {child}" for child, _ in self.children]

    def held(self, k: int) -> list[int]:
        """The joints j from i down to k whose vectors row k keeps: all, or without the zeros."""
        return [j for j in range(self.i, k - 1, -1) if not self.skip or j in self.lineage]


def check_order(options: Mapping[str, str]) -> None:
    """Refuse an order that does not go with how data are carried."""
    order = options["order"]
    if order != "early" and options["carry"] == "forward":
        raise MeshSimError(f"order={order} must have carry=links or carry=bus: its cycles have no time to pass data on")


def columns_of(local_bodies: Sequence[LocalBody], options: Mapping[str, str], torques: bool = False) -> list[Column]:
    """What every column knows of the tree."""
    n = len(local_bodies)
    lineages = [tuple(j + 1 for j in (*local.ancestors, i)) for i, local in enumerate(local_bodies)]
    slides = False, *(local.slides for local in local_bodies)
    edges = [(local.parent + 1, i) for i, local in enumerate(local_bodies, start=1) if local.parent >= 0]
    vectors = [sum(1 if slides[j] else 2 for j in lineage) for lineage in lineages]
    apart = options["solver"] != NAME
    choices = (
        options["order"],
        options["redistribute"] == "yes",
        options["carry"],
        options["rho"] == "recompute",
        options["zeros"] == "skipped",
        apart,
        options["exchange"] == "in-turn",
        options.get("wrap", WRAPS[0]),
    )
    columns = []
    for i in range(1, n + 1):
        children = tuple((child, local_bodies[child - 1].l_inboard) for parent, child in edges if parent == i)
        crossing = [(p, child) for p, child in edges if p <= i < child and (p, child) != (i, i + 1)]
        passing = tuple((p, vectors[p - 1]) for p, _ in crossing) if options["carry"] == "forward" else ()
        columns.append(Column(i, n, lineages[i - 1], children, passing, slides, *choices, torques))
    return columns


def tree_cone(local_bodies: Sequence[LocalBody], carry: str, wrapped: bool = True) -> nx.MultiGraph:
    """The cone, and links or a bus from every body to those that it carries and that are not the next."""
    network = (cone if wrapped else open_cone)(len(local_bodies))
    for i, local in enumerate(local_bodies, start=1):
        parent = local.parent + 1
        if carry != "forward" and 0 < parent < i - 1:
            for row in (0, 1):
                ends = {(row, parent): f"child {i}", (row, i): "parent"}
                network.add_edge(*ends, ports=ends, **({"bus": "bus"} if carry == "bus" else {}))
    return network
