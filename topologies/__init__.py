"""Networks of processors: functions that return networkx graphs with named ports (see `meshsim.topology`)."""

from collections.abc import Callable

import networkx as nx

from meshsim.catalogue import Catalogue, gives
from meshsim.topologies.bus import bus
from meshsim.topologies.complete import complete
from meshsim.topologies.crossbar import crossbar
from meshsim.topologies.faddeev import faddeev_array
from meshsim.topologies.generalised_cube import generalised_cube
from meshsim.topologies.hypercube import hypercube, incomplete_hypercube
from meshsim.topologies.mesh import square_mesh, torus
from meshsim.topologies.multistage_cube import multistage_cube
from meshsim.topologies.omega import omega
from meshsim.topologies.pipeline import pipeline
from meshsim.topologies.ring import ring
from meshsim.topologies.star import star
from meshsim.topologies.tree import binary_tree
from meshsim.topologies.triangle import cone, open_cone, solver_array, triangular_mesh

Family = tuple[Callable[..., nx.MultiGraph], str]
"""A function that makes networks, and what they are."""

BUILT_IN: dict[str, Family] = {
    "pipeline": (pipeline, "n processors in a row"),
    "ring": (ring, "n processors in a closed row"),
    "star": (star, "n processors around a centre"),
    "square-mesh": (square_mesh, "rows by columns, four neighbours each"),
    "torus": (torus, "a square mesh with every row and column closed"),
    "binary-tree": (binary_tree, "a complete binary tree of so many levels"),
    "hypercube": (hypercube, "2^d processors, neighbours differ in one bit"),
    "incomplete-hypercube": (incomplete_hypercube, "the first n processors of a hypercube"),
    "generalised-cube": (generalised_cube, "n processors around a switch that serves one shift a pass (Wong Fig. 4.6)"),
    "complete": (complete, "n processors, all joined to all"),
    "bus": (bus, "n processors on one wire, which carries one message at a time"),
    "crossbar": (crossbar, "n processors around a switch without conflicts"),
    "omega": (omega, "n processors joined by log2 n stages of switches, shuffled before each (Lawrie)"),
    "multistage-cube": (multistage_cube, "n processors joined by log2 n stages of switches, one for each bit (Siegel)"),
    "triangular-mesh": (triangular_mesh, "the upper triangle of a square mesh"),
    "solver-array": (solver_array, "the triangle of the feedforward solver (Wong Fig. 4.4)"),
    "faddeev-array": (faddeev_array, "the two triangles of Faddeev's augmented elimination (Wong sec. 4.5)"),
    "open-cone": (open_cone, "the triangular mesh with its force row and host processor, not wrapped (Wong Fig. 4.1)"),
    "cone": (cone, "the triangular mesh wrapped to a cone, with its host processor (Wong Fig. 4.5)"),
}


def _network(thing: object) -> Family | None:
    """A function that makes networks, with the first line of what it says of itself."""
    return (thing, (thing.__doc__ or "").strip().partition("\n")[0]) if callable(thing) else None


NETWORKS = Catalogue("network", BUILT_IN, _network, lambda thing: gives(thing, nx.Graph))
