"""One processor per branch of a tree, each running the articulated-body recursion: all that such methods offer.

A recursion from body to body cannot be divided along a chain, but the branches of a tree do not meet until the body
that carries them. A branch is a run of bodies of which each is the only one on the one before; a body that carries
several ends a branch, and each of them begins one. A chain is one branch.                         # Wong sec. 2.2.2

Velocities go outwards, inertias and then bias wrenches inwards, accelerations outwards: four messages a link, of 3, 21,
6 and 6 words. Velocities and gravity are inside the recursion (see `articulated.py`): neither M nor h is formed.
A branch refers its inertia and wrench to the hinge and axes of the body that carries it: that work is shared out. It
hands the inertia over before it begins with the wrench, so that the next branch need not wait for both. One that
carries nothing forms its inertia before it asks how fast its carrier turns.
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial

import networkx as nx
import numpy as np

from meshsim.algorithms.kernels.articulated import Motion
from meshsim.algorithms.kernels.core import ZERO
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.bodies import LocalBody, lift_of, torque_of
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.branch.branch_recursion import (
    Articulated,
    Drift,
    Grounded,
    Joint,
    Member,
    accelerations,
    articulate,
    biases,
    drifts,
    settle,
    velocities,
)
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu, Steps
from meshsim.topologies.ports import add_link

# Branches


def branches_of(mechanism: Mechanism) -> list[list[int]]:
    """The bodies of each branch by index, from the carrier outwards; branches in the order of their first bodies."""
    below = _carried(mechanism)
    branches: list[list[int]] = []
    place: dict[int, list[int]] = {}  # the branch of each body
    for i, body in enumerate(mechanism.bodies):
        if body.parent >= 0 and len(below[body.parent]) == 1:
            place[i] = place[body.parent]
        else:
            place[i] = []
            branches.append(place[i])
        place[i].append(i)
    return branches


def _carried(mechanism: Mechanism) -> dict[int, list[int]]:
    """What each body carries, and the ground, which is -1."""
    below: dict[int, list[int]] = {i: [] for i in range(-1, mechanism.n)}
    for i, body in enumerate(mechanism.bodies):
        below[body.parent].append(i)
    return below


def branch_tree(mechanism: Mechanism) -> nx.MultiGraph:
    """The branches of a mechanism as a network.

    Parameters
    ----------
    mechanism : Mechanism
        Any tree.

    Returns
    -------
    networkx.MultiGraph
        Nodes 1, 2, ... in the order of `branches_of`; ports ``child 1``, ``child 2``, ... of a branch go to port
        ``parent`` of those that its last body carries. Branches on the ground have no link between them.
    """
    branches = branches_of(mechanism)
    graph = nx.MultiGraph(name=f"branches({mechanism.name})")
    graph.add_nodes_from(range(1, len(branches) + 1))
    number = {branch[0]: node for node, branch in enumerate(branches, start=1)}
    below = _carried(mechanism)
    for node, branch in enumerate(branches, start=1):
        for place, first in enumerate(below[branch[-1]], start=1):
            add_link(graph, node, f"child {place}", number[first], "parent")
    return graph


# Programs

Place = tuple[int, Vector]
"""A body's index, and where its hinge is in the body that carries it."""


def run_end(cpu: Cpu, *local_bodies: LocalBody, places: Sequence[Place], lift: Vector) -> Steps[list[float]]:
    """A branch that carries nothing. parent <- inertia, and meanwhile -> w;  then as `solve`."""
    joints = [
        settle(cpu, Member(i, local, hinge), lift) for (i, hinge), local in zip(places, local_bodies, strict=True)
    ]
    bodies, ground = articulate(cpu, joints, ())
    cpu.phase("inertia")
    carrier = ZERO
    if ground is None:
        _, carrier = yield cpu.par(cpu.send("parent", bodies[0].whole), cpu.recv("parent"))
    w = velocities(cpu, joints, carrier)
    cpu.phase("w")
    drifting = drifts(cpu, joints, carrier, w)
    cpu.phase("drift")
    return (yield from solve(cpu, joints, bodies, ground, drifting, ()))


def run_fork(
    cpu: Cpu, *local_bodies: LocalBody, places: Sequence[Place], lift: Vector, ports: Sequence[str]
) -> Steps[list[float]]:
    """One with others on it. parent -> w, children <- w;  children -> inertia, parent <- inertia;  then as `solve`."""
    joints = [
        settle(cpu, Member(i, local, hinge), lift) for (i, hinge), local in zip(places, local_bodies, strict=True)
    ]
    carrier = ZERO if joints[0].grounded else (yield cpu.recv("parent"))
    w = velocities(cpu, joints, carrier)
    yield cpu.par(*(cpu.send(port, w[-1]) for port in ports))
    cpu.phase("w")
    drifting = drifts(cpu, joints, carrier, w)
    cpu.phase("drift")
    carried = yield cpu.par(*(cpu.recv(port) for port in ports))
    bodies, ground = articulate(cpu, joints, carried)
    cpu.phase("inertia")
    if ground is None:
        yield cpu.send("parent", bodies[0].whole)
    return (yield from solve(cpu, joints, bodies, ground, drifting, ports))


def solve(
    cpu: Cpu,
    joints: Sequence[Joint],
    bodies: Mapping[int, Articulated],
    ground: Grounded | None,
    drifting: Mapping[int, Drift],
    ports: Sequence[str],
) -> Steps[list[float]]:
    """The rest of a branch. children -> wrench, parent <- wrench;  parent -> alpha and a, children <- alpha and a."""
    torques = [torque_of(cpu, joint.local) for joint in joints]
    cpu.phase("actuator")
    carried = yield cpu.par(*(cpu.recv(port) for port in ports))
    u, wrench = biases(cpu, joints, bodies, drifting, torques, carried)
    cpu.phase("force")
    motion: Motion = ZERO, ZERO
    if ground is None:
        yield cpu.send("parent", wrench)
        cpu.phase("shift")
        motion = yield cpu.recv("parent")
    else:
        cpu.phase("shift")
    qdd, motion = accelerations(cpu, joints, bodies, ground, drifting, u, motion)
    cpu.phase("solve")
    yield cpu.par(*(cpu.send(port, motion) for port in ports))
    cpu.phase("distribute")
    return qdd


# The scheme


def make(mechanism: Mechanism, _options: Mapping[str, str]) -> CellEvaluation:
    """One forward-dynamics step, a processor for each branch."""
    lift, topology = lift_of(mechanism), branch_tree(mechanism)
    branches = dict(enumerate(branches_of(mechanism), start=1))
    below = _carried(mechanism)
    cells: dict[int, Cell] = {}
    for node, branch in branches.items():
        places = [(i, mechanism.bodies[i].position) for i in branch]
        ports = [f"child {place}" for place in range(1, len(below[branch[-1]]) + 1)]
        program = partial(run_fork, ports=ports) if ports else run_end
        cells[node] = Cell(partial(program, places=places, lift=lift), tuple(branch))

    def read(results: Mapping[Hashable, Sequence[float]]) -> Dynamics:
        qdd = np.zeros(mechanism.n)
        for node, branch in branches.items():
            qdd[branch] = results[node]
        return Dynamics(None, None, qdd)

    return CellEvaluation(mechanism, topology, cells, read, tuple(branches), list)


BRANCH_PARALLEL = Scheme(
    name="branch-parallel",
    summary="articulated bodies, one processor per branch of a tree",
    make=make,
    options={"solver": ("articulated",)},
    takes=frozenset({"branching joints", "prismatic joints"}),
)
