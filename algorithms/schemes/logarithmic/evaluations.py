"""Where the programs of divide and conquer run, and what is made of what they find."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain, pairwise

import networkx as nx
import numpy as np

from meshsim.algorithms.collectives.far_neighbours import Row
from meshsim.algorithms.collectives.recursive_doubling import Doubling
from meshsim.algorithms.reference.dense import Dynamics, forward_dynamics
from meshsim.algorithms.robots.closure import check_rank
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.base.bodies import bodies_of, lift_of
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation, Gathering
from meshsim.algorithms.schemes.base.joints import lifted
from meshsim.algorithms.schemes.logarithmic.closing import closures_of, hold_loops
from meshsim.algorithms.schemes.logarithmic.dividing import PLAIN, Accelerations, Form, Seat, Source, Work, run, single
from meshsim.algorithms.schemes.logarithmic.robot_units import Unit
from meshsim.algorithms.schemes.logarithmic.trees import (
    Join,
    Leaf,
    Node,
    Seating,
    Values,
    downwards,
    everything,
    nodes_of,
    upwards,
)
from meshsim.algorithms.types.vectors import Vector
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps
from meshsim.topologies.ports import add_link


@dataclass(frozen=True, eq=False)
class LoopEvaluation:
    """One evaluation of a mechanism with loops; it has no states to integrate."""

    cells: CellEvaluation

    @property
    def mechanism(self) -> Mechanism:
        """The robot."""
        return self.cells.mechanism

    def plan(self, state: State) -> Plan[Dynamics]:
        """The plan of one evaluation in a state that the loops allow."""
        check_rank(self.mechanism, np.array(state.q))
        return self.cells.plan(state)

    def reference(self, state: State) -> Dynamics:
        """The accelerations by a dense solver."""
        return Dynamics(None, None, forward_dynamics(self.mechanism, state).qdd)


def laid_out(
    mechanism: Mechanism,
    units: Sequence[Unit],
    seats: Seating,
    form: str,
    source: Callable[..., Source] = single,
    pieces: Form = PLAIN,
) -> CellEvaluation | LoopEvaluation:
    """Programs on their processors; `source` makes the pieces of leaves, which `pieces` joins."""
    constants, lift = bodies_of(mechanism), lift_of(mechanism)
    work = Work(units, [constants[unit.joints[0]].slides for unit in units], form)
    topology, cells = seats.topology, dict[Hashable, Cell]()
    for node, script in seats.scripts.items():
        leaf, root = seats.leaves.get(node), seats.roots.get(node)
        seat = Seat(script, leaf, root, source=source)
        if root is not None:
            first = constants[units[root.units[0]].joints[0]]
            seat = replace(seat, base=(0.0, 0.0, 0.0, *lifted(first, lift)), axes=first.E)
        joints = () if leaf is None else tuple(joint for i in leaf.units for joint in units[i].joints)
        cells[node] = Cell(partial(run, seat=seat, work=work, form=pieces), joints)
    if mechanism.cuts:
        topology = topology.copy()
        cells["loops"] = Cell(_closing(mechanism, topology, seats.roots, lift))
    read = partial(read_homes, mechanism.n, {node: cells[node].joints for node in seats.leaves})
    gathering = gathering_of(mechanism.n, seats, {node: cells[node].joints for node in seats.leaves})
    evaluation = CellEvaluation(mechanism, topology, cells, read, tuple(seats.scripts), list, gathering=gathering)
    return LoopEvaluation(evaluation) if mechanism.cuts else evaluation


def gathering_of(n: int, seats: Seating, joints: Mapping[Hashable, tuple[int, ...]]) -> Gathering | None:
    """All states at the root, up and down as pieces and wrenches go; None where there are several roots.

    A processor that has no leaf is the home of no joint, and passes on what comes.
    """
    if len(seats.roots) > 1:
        return None
    ((host, root),) = seats.roots.items()
    place = {leaf: node for node, leaf in seats.leaves.items()}
    order = {
        node: [joint for leaf in nodes_of(node) if isinstance(leaf, Leaf) for joint in joints[place[leaf]]]
        for node in nodes_of(root)
    }

    def together(_cpu: Cpu, node: Join, values: Values) -> tuple[float, ...]:
        return *values[node.inner], *values[node.outer]

    def apart(_cpu: Cpu, node: Join, values: Values) -> None:
        cut = len(order[node.inner])
        values[node.inner], values[node.outer] = values[node][:cut], values[node][cut:]

    def gather(cpu: Cpu, node: Hashable, values: tuple[float, ...]) -> Steps[tuple[float, ...]]:
        held: Values = {seats.leaves[node]: values} if node in seats.leaves else {}
        yield from upwards(cpu, seats.scripts[node], held, everything, together)
        if node != host:
            return ()
        at = dict(zip(order[root], held[root], strict=True))
        return tuple(at[joint] for joint in range(n))

    def scatter(cpu: Cpu, node: Hashable, values: tuple[float, ...]) -> Steps[tuple[float, ...]]:
        held: Values = {root: tuple(values[joint] for joint in order[root])} if node == host else {}
        yield from downwards(cpu, seats.scripts[node], held, everything, apart)
        own: tuple[float, ...] = held[seats.leaves[node]] if node in seats.leaves else ()
        return own

    return Gathering(host, gather, scatter)


def at_first(way: Doubling | Row, sizes: Sequence[int]) -> Gathering:
    """All states at processor 1 of a network with collectives; so many of each place, in order."""
    n, ends = len(sizes), list(accumulate(sizes, initial=0))

    def gather(cpu: Cpu, node: int, values: tuple[float, ...]) -> Steps[tuple[float, ...]]:
        return tuple(chain.from_iterable((yield from way.gather(cpu, node, n, values))))

    def scatter(cpu: Cpu, node: int, values: tuple[float, ...]) -> Steps[tuple[float, ...]]:
        parts = tuple(values[first:last] for first, last in pairwise(ends))
        own: tuple[float, ...] = yield from way.scatter(cpu, node, n, parts)
        return own

    return Gathering(1, gather, scatter)


def _closing(
    mechanism: Mechanism, topology: nx.MultiGraph, roots: Mapping[Hashable, Node], lift: Vector
) -> Callable[..., Steps[None]]:
    """The program that closes loops, linked to the roots of all subsystems that loops hold."""
    closed = {node: root for node, root in roots.items() if root.outlets}
    for k, node in enumerate(closed, start=1):
        add_link(topology, "loops", str(k), node, "loops")
    subsystem_handles = [root.outlets for root in closed.values()]
    return partial(hold_loops, closures=closures_of(mechanism), subsystems=subsystem_handles, lift=lift)


def read_homes(
    n: int, homes: Mapping[Hashable, tuple[int, ...]], results: Mapping[Hashable, Accelerations]
) -> Dynamics:
    """The accelerations that the homes of all joints have found."""
    qdd = np.zeros(n)
    for node, joints in homes.items():
        qdd[list(joints)] = results[node]
    return Dynamics(None, None, qdd)
