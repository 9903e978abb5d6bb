"""One evaluation of the dynamics as a scheme lays it out, for any state; and of inverse dynamics, for any motion.

A scheme makes an `Evaluation`; with a state it becomes a plan, and repeated in time a motion. `CellEvaluation` is that
of trees: which cell needs which joints, where each joint's state lives, and who else must be told of it. An `Inversion`
gives torques; `CellInversion` is that of trees. Those of mechanisms with loops are in `schemes/loops`.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import networkx as nx
import numpy as np

from meshsim.algorithms.reference.dense import Dynamics, forward_dynamics
from meshsim.algorithms.reference.newton_euler import free_torques, geared, joint_wrenches
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.base.bodies import LocalBody, bodies_of
from meshsim.algorithms.types.arrays import Array
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps


class Evaluation(Protocol):
    """Forward dynamics of a mechanism on a network."""

    @property
    def mechanism(self) -> Mechanism:
        """The robot."""

    def plan(self, state: State) -> Plan[Dynamics]:
        """The plan of one evaluation in a state."""

    def reference(self, state: State) -> Dynamics:
        """What a dense solver makes of the same equations."""


class Inversion(Protocol):
    """Inverse dynamics of a mechanism on a network."""

    @property
    def mechanism(self) -> Mechanism:
        """The robot."""

    def plan(self, q: Array, qd: Array, qdd: Array) -> Plan[Array]:
        """The plan that finds the torques of the driven joints for a motion of all joints."""

    def reference(self, q: Array, qd: Array, qdd: Array) -> Array:
        """What a dense solver gives."""

    @property
    def exerted(self) -> tuple[str, ...]:
        """What follows the torques, of every joint and then of every cut joint; nothing unless asked for."""

    def with_reactions(self) -> "Inversion | None":
        """The same, with what joints exert after the torques; None if that is not known."""


@dataclass(frozen=True)
class Cell:
    """A program that is given the bodies of some joints (from 0): `program(cpu, *links)`."""

    program: Callable[..., Steps[Any]]
    joints: tuple[int, ...] = ()


@dataclass(frozen=True)
class Feed:
    """Which processors need the positions of a home's joints before each evaluation, and through which ports."""

    home: Hashable
    out: str
    target: Hashable
    into: str


@dataclass(frozen=True)
class Gathering:
    """How the homes exchange numbers with one processor, the host, which may be a home itself.

    `gather(cpu, node, values)` is run by every home with its joints' numbers, and by the host with none unless it is a
    home; to the host it returns those of all joints, in order. `scatter(cpu, node, values)` goes the other way: the
    host has all, and every home gets its own.
    """

    host: Hashable
    gather: Callable[[Cpu, Any, tuple[float, ...]], Steps[tuple[float, ...]]]
    scatter: Callable[[Cpu, Any, tuple[float, ...]], Steps[tuple[float, ...]]]


@dataclass(frozen=True)
class CellEvaluation:
    """Cells on a topology.

    Attributes
    ----------
    mechanism : Mechanism
        The robot: a tree.
    topology : networkx.MultiGraph
        The network.
    cells : mapping of node to Cell
        What runs where.
    read : callable
        Makes M, h and the accelerations from what the programs returned.
    homes : tuple of nodes
        Where the states of the joints live that their cells name; each joint has one home. The home of none only takes
        part in gathering.
    accelerations : callable
        The accelerations of a home's joints, from what its program returned.
    feeds : tuple of Feed
        Who else needs positions. A port that the topology lacks is a link that a motion adds.
    gathering : Gathering or None
        How all states come together, where the network has a way.
    """

    mechanism: Mechanism
    topology: nx.MultiGraph
    cells: Mapping[Any, Cell]
    read: Callable[[Mapping[Hashable, Any]], Dynamics]
    homes: tuple[Hashable, ...]
    accelerations: Callable[[Any], Sequence[float]]
    feeds: tuple[Feed, ...] = ()
    gathering: Gathering | None = None

    def plan(self, state: State) -> Plan[Dynamics]:
        """The plan of one evaluation in a state."""
        return Plan(self.topology, loaded(self.cells, bodies_of(self.mechanism, state)), self.read)

    def reference(self, state: State) -> Dynamics:
        """M, h and accelerations by a dense solver."""
        return forward_dynamics(self.mechanism, state)


@dataclass(frozen=True)
class CellInversion:
    """Inverse dynamics of a tree by cells on a topology; `read` makes the torques from what the programs returned."""

    mechanism: Mechanism
    topology: nx.MultiGraph
    cells: Mapping[Any, Cell]
    read: Callable[[Mapping[Hashable, Any]], Array]
    reacting: Mapping[Any, Cell] | None = None
    exerted: tuple[str, ...] = ()

    def with_reactions(self) -> "CellInversion | None":
        """The same by cells that find what joints exert besides, in the axes of the bodies that they carry."""
        if self.reacting is None:
            return None
        return replace(self, cells=self.reacting, exerted=("fx", "fy", "fz", "mx", "my", "mz"))

    def plan(self, q: Array, qd: Array, qdd: Array) -> Plan[Array]:
        """The plan that finds the torques of all joints that move by themselves."""
        state = State(tuple(q.tolist()), tuple(qd.tolist()), (0.0,) * len(q))
        return Plan(self.topology, loaded(self.cells, bodies_of(self.mechanism, state, qdd.tolist())), self.read)

    def reference(self, q: Array, qd: Array, qdd: Array) -> Array:
        """What the recursion in plain numpy gives."""
        tau = free_torques(self.mechanism, q, qd, qdd)
        if not self.exerted:
            return tau
        forces, moments = joint_wrenches(self.mechanism, *geared(self.mechanism, q, qd, qdd))
        return np.concatenate([tau, np.hstack([forces, moments]).ravel()])


def loaded(cells: Mapping[Any, Cell], local_bodies: Sequence[LocalBody]) -> dict[Any, Callable[[Cpu], Steps[Any]]]:
    """The programs of cells, each with its links."""
    return {
        node: partial(start, cell=cell, local_bodies=[local_bodies[joint] for joint in cell.joints])
        for node, cell in cells.items()
    }


def start(cpu: Cpu, cell: Cell, local_bodies: Sequence[LocalBody]) -> Steps[Any]:
    """A cell's program, begun with links."""
    return cell.program(cpu, *local_bodies)


def kept_by(node: Hashable) -> Gathering:
    """The gathering of a scheme on one processor: nothing is sent."""
    return Gathering(node, _stay, _stay)


def _stay(_cpu: Cpu, _node: Hashable, values: tuple[float, ...]) -> Steps[tuple[float, ...]]:
    return values
    yield
