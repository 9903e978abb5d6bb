"""Inverse dynamics by determinate subsystems: each is solved as soon as its unknowns are no more than its joints.

A subsystem with n joints has n equations, M q'' + h = tau - A^T lambda. Unknown are the torques of its actuated joints
and the forces lambda of its cut joints that no other subsystem has found for it. Where these are n, it is determinate
and is solved; what it finds makes others determinate.  # Saha sec. 4

Where none is, several that wait for one another are solved as one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import networkx as nx

from meshsim.algorithms.kernels.dense import Rows, columns, factor, full, opposite, substitute, sum_of, times
from meshsim.algorithms.robots.closure import assemble, check_actuation, redundancy
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.loops.layout import (
    Ended,
    Layout,
    add_jacobians,
    grounded,
    jacobian_rows,
    layout_of,
    reach,
)
from meshsim.algorithms.schemes.loops.method import Place, Settings
from meshsim.algorithms.schemes.loops.plane_chain import PlaneChain, Pull
from meshsim.algorithms.types.vectors import Vector
from meshsim.errors import MeshSimError
from meshsim.program import Cpu, Steps


@dataclass(frozen=True)
class Group:
    """Subsystems that are solved together, by the first of them.

    Attributes
    ----------
    chains : tuple of int
        Which.
    cuts : tuple of int
        The cut joints whose forces they find.
    told : tuple of int
        Those whose forces others have found before.
    level : int
        After how many others at least; groups of one level do not wait for one another.
    """

    chains: tuple[int, ...]
    cuts: tuple[int, ...]
    told: tuple[int, ...]
    level: int

    @property
    def leader(self) -> int:
        """The chain whose processor solves."""
        return self.chains[0]


def order_of(layout: Layout) -> tuple[Group, ...]:
    """Which subsystems are solved together, and in which order: the blocks of the equations' triangular form.

    Every unknown is matched to an equation that is to yield it. A subsystem waits for those whose equations yield its
    other unknowns; subsystems that wait for one another are a group.
    """
    names = range(len(layout.chains))
    waits = nx.DiGraph()
    waits.add_nodes_from(names)
    yields = _matched(layout)
    for (cut, _), chain in yields.items():
        for k in (k for k in names if cut in layout.touching(k) and k != chain):
            waits.add_edge(chain, k)
    blocks = nx.condensation(waits)
    groups: list[Group] = []
    for block in nx.lexicographical_topological_sort(blocks, key=lambda block: min(blocks.nodes[block]["members"])):
        chains = tuple(sorted(blocks.nodes[block]["members"]))
        cuts = sorted({cut for k in chains for cut in layout.touching(k)})
        told = tuple(cut for cut in cuts if any(cut in group.cuts for group in groups))
        level = max((group.level + 1 for group in groups if set(group.cuts) & set(told)), default=0)
        groups.append(Group(chains, tuple(cut for cut in cuts if cut not in told), told, level))
    return tuple(groups)


def _matched(layout: Layout) -> dict[tuple[int, int], int]:
    """By force of a cut joint (its number, and which of its rows), the chain one of whose equations is to yield it."""
    graph = nx.Graph()
    forces = [(cut, i) for cut, closure in enumerate(layout.closures) for i in range(closure.size)]
    for k, chain in enumerate(layout.chains):
        driven = layout.actuated(k)
        for j in range(chain.n):
            graph.add_edges_from(
                (("equation", k, j), ("force", *force)) for force in forces if force[0] in layout.touching(k)
            )
            if j in driven:
                graph.add_edge(("equation", k, j), ("torque", k, j))
    unknowns = [node for node in graph if node[0] != "equation"]
    matching = nx.bipartite.hopcroft_karp_matching(graph, unknowns)
    for unknown in unknowns:
        if unknown not in matching:
            what = layout.mechanism.cuts[unknown[1]].name if unknown[0] == "force" else "an actuated joint"
            raise MeshSimError(f"the subsystems of {layout.mechanism.name} leave the forces of {what!r} undetermined")
    return {(node[1], node[2]): matching[node][1] for node in unknowns if node[0] == "force"}


@dataclass(frozen=True, eq=False)
class OrderedLayout(Layout):
    """A layout, and the order in which its subsystems are solved."""

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The order."""
        return order_of(self)

    @property
    def hub(self) -> int | None:
        """None: every subsystem has a processor."""
        return None


def refuse_redundancy(name: str, mechanism: Mechanism) -> None:
    """Refuse more actuated joints than freedoms, for which torques are not determined by a motion alone."""
    more = redundancy(mechanism)
    if more:
        raise MeshSimError(
            f"{name} takes as many actuated joints as freedoms, and {mechanism.name} has {more} more; noc could take it"
        )


def subsystem_layout(mechanism: Mechanism) -> tuple[OrderedLayout, Settings]:
    """The chains, in a plane: there, forces of cut joints do not depend on the axes of both sides."""
    check_actuation(mechanism, assemble(mechanism))
    refuse_redundancy("subsystems", mechanism)
    layout = layout_of(mechanism)
    if any(closure.square for closure in layout.closures):
        axes = next(cut.name for cut, closure in zip(mechanism.cuts, layout.closures, strict=True) if closure.square)
        raise MeshSimError(
            f"subsystems takes cut joints that hold points, and {axes!r} holds axes in space; noc could take it"
        )
    ordered = OrderedLayout(layout.mechanism, layout.chains, layout.cuts)
    order_of(ordered)
    return ordered, Settings()


@dataclass(frozen=True)
class Equations:
    """A chain's own: its part of A^T, and M q'' + h; where its bodies are, and its ends.

    A^T has a row for each joint and a column for each row of the chain's cut joints in order.
    """

    A: Rows
    taken: list[float]
    at: Any
    ends: dict[tuple[int, int], Ended]

    @property
    def sent(self) -> tuple[Any, ...]:
        """What the leader of a group has to know."""
        return tuple(map(tuple, self.A)), tuple(self.taken)


def subsystem_torques(
    cpu: Cpu, place: Place, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float]
) -> Steps[list[float]]:
    """Torques of a site's actuated joints, given how all its joints move; ports are the network's."""
    _, torques, _ = yield from _solved(cpu, place, (q, qd, qdd), False)
    return [torque for k in place.chains for torque in torques[k]]


def subsystem_reactions(
    cpu: Cpu, place: Place, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float]
) -> Steps[list[float]]:
    """The same torques, and then what every joint of the site, and every cut joint that it tells of, exerts.

    Cut joints' forces are known; those of all others follow from them, body by body.
    """
    layout = place.layout
    equations, torques, forces = yield from _solved(cpu, place, (q, qd, qdd), True)
    accelerations = place.by_chain(qdd)
    found = [torque for k in place.chains for torque in torques[k]]
    for k in place.chains:
        chain = layout.chains[k]
        assert isinstance(chain, PlaneChain)
        known = equations[k]
        pulls = [_pull(layout, key, ended, forces[key[0]]) for key, ended in known.ends.items()]
        found += [each for wrench in chain.reactions(cpu, known.at, accelerations[k], pulls) for each in wrench]
    for cut in cuts_told_by(place):
        wrench = [opposite(each) for each in forces[cut]]
        found += [*wrench, *([0.0] if len(wrench) == 2 else [])]
    cpu.phase("reactions")
    return found


def cuts_told_by(place: Place) -> list[int]:
    """The cut joints of whose forces a site tells: whose second body lives there, or whose first if that is ground."""
    tellers = [second.chain if second.chain >= 0 else first.chain for first, second in place.layout.cuts]
    return [cut for cut, k in enumerate(tellers) if k in place.chains]


def _pull(layout: Layout, key: tuple[int, int], ended: Ended, forces: Sequence[float]) -> Pull:
    """What a cut joint exerts on one of its sides: minus lambda on the second, lambda on the first."""
    cut, side = key
    x, y, *moment = [opposite(each) for each in forces] if side else forces
    return Pull(layout.cuts[cut][side].end.body, ended.arm, (x, y), *moment)  # type: ignore[attr-defined]


Solved = tuple[dict[int, "Equations"], dict[int, list[float]], dict[int, list[float]]]
"""By chain of a site: its equations, and the torques of its actuated joints; by cut joint: forces that are known."""


def _solved(cpu: Cpu, place: Place, moving: Sequence[Sequence[float]], reacting: bool) -> Steps[Solved]:
    """Torques and forces; `reacting`, each site is told the forces of all cut joints at which its chains end."""
    layout = place.layout
    assert isinstance(layout, OrderedLayout)
    motion = [place.by_chain(values) for values in moving]
    equations = {k: _equations(cpu, layout, k, *(values[k] for values in motion)) for k in place.chains}
    cpu.phase("equations")
    forces: dict[int, list[float]] = {}
    torques: dict[int, list[float]] = {}
    for group in layout.groups:
        mine = [k for k in group.chains if k in place.chains]
        if not mine:
            continue
        yield from _hear(cpu, place, group, forces)
        if group.leader in mine:
            told = yield from _members(cpu, place, group, equations)
            found = _solve(cpu, layout, group, told, forces)
            forces.update(found[0])
            yield from _tell(cpu, place, group, found, forces if reacting else {})
            torques.update({k: found[1][k] for k in mine})
        else:
            for k in mine:
                yield cpu.send(_port(place, group.leader), equations[k].sent)
                got = yield cpu.recv(_port(place, group.leader))
                torques[k] = list(got[0] if reacting else got)
                forces.update(zip(layout.touching(k), map(list, got[1]), strict=True) if reacting else ())
    cpu.phase("solve")
    return equations, torques, forces


def _equations(
    cpu: Cpu, layout: Layout, k: int, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float]
) -> Equations:
    """A chain's own: its part of A^T, and what its motion takes."""
    chain = layout.chains[k]
    at = chain.place(cpu, q)
    chain.move(cpu, at, qd)
    chain.drift(cpu, at, qd)
    ends: dict[tuple[int, int], Ended] = {**grounded(layout), **reach(cpu, layout, k, at)}
    own = {key: ended for key, ended in ends.items() if key in layout.ends_of(k)}
    add_jacobians(cpu, layout, k, at, own)
    across: dict[int, list[Vector]] = {cut: [] for cut in range(len(layout.cuts))}  # no axes: subsystem_layout
    rows = jacobian_rows(cpu, layout, own, across, k)
    used = [i for cut in layout.touching(k) for i in range(*layout.rows[cut])]
    A = [list(column) for column in columns([rows[i] for i in used])]
    taken = sum_of(cpu, times(cpu, full(chain.inertia(cpu, at)), qdd), chain.force(cpu, at))
    return Equations(A, taken, at, own)


def _port(place: Place, chain: int) -> str:
    """The port to the processor of another chain."""
    site = next(site for site, parties in enumerate(place.network.parties) if chain in parties)
    return place.network.port(site)


def _hear(cpu: Cpu, place: Place, group: Group, forces: dict[int, list[float]]) -> Steps[None]:
    """What the leader's processor has to be told of forces that others found."""
    layout = place.layout
    assert isinstance(layout, OrderedLayout)
    if group.leader not in place.chains:
        return
    missing = [cut for cut in group.told if cut not in forces]
    sources = [next(other for other in layout.groups if cut in other.cuts) for cut in missing]
    leaders = list(dict.fromkeys(other.leader for other in sources))
    got = yield cpu.par(*(cpu.recv(_port(place, leader)) for leader in leaders))
    for leader, values in zip(leaders, got, strict=True):
        cuts = [cut for cut, other in zip(missing, sources, strict=True) if other.leader == leader]
        forces.update(zip(cuts, map(list, values), strict=True))


def _members(cpu: Cpu, place: Place, group: Group, equations: dict[int, Equations]) -> Steps[dict[int, Any]]:
    """The equations of all chains of a group, at its leader."""
    away = [k for k in group.chains if k not in place.chains]
    got = yield cpu.par(*(cpu.recv(_port(place, k)) for k in away))
    return {**{k: equations[k].sent for k in group.chains if k in place.chains}, **dict(zip(away, got, strict=True))}


def _solve(
    cpu: Cpu, layout: Layout, group: Group, equations: dict[int, Any], forces: dict[int, list[float]]
) -> tuple[dict[int, list[float]], dict[int, list[float]]]:
    """Forces of the group's cut joints, and torques of its chains' actuated ones."""
    unknown = [(cut, i) for cut in group.cuts for i in range(layout.closures[cut].size)]
    driven = [(k, j) for k in group.chains for j in layout.actuated(k)]
    rows: list[list[float]] = []
    rhs: list[float] = []
    for k in group.chains:
        A, taken = equations[k]
        names = [(cut, i) for cut in layout.touching(k) for i in range(layout.closures[cut].size)]
        place = {name: at for at, name in enumerate(names)}
        for j, row in enumerate(A):
            known = [(row[place[name]], forces[name[0]][name[1]]) for name in names if name[0] in forces]
            b = taken[j]
            if known:
                felt = times(cpu, [[a for a, _ in known]], [force for _, force in known])
                b = sum_of(cpu, [b], felt)[0]
            rows.append(
                [
                    *(opposite(row[place[name]]) if name in place else 0.0 for name in unknown),
                    *(float((k, j) == each) for each in driven),
                ]
            )
            rhs.append(b)
    x = substitute(cpu, factor(cpu, rows), rhs)
    wanted = [*(("force", *each) for each in unknown), *(("torque", *each) for each in driven)]
    solved = dict(zip(wanted, x, strict=True))
    cuts = {cut: [solved["force", cut, i] for i in range(layout.closures[cut].size)] for cut in group.cuts}
    return cuts, {k: [solved["torque", k, j] for j in layout.actuated(k)] for k in group.chains}


def _tell(
    cpu: Cpu, place: Place, group: Group, found: tuple[dict[int, Any], dict[int, Any]], forces: dict[int, list[float]]
) -> Steps[None]:
    """Send torques to the group's other chains, with forces of their cut joints if given, and to those that wait."""
    layout = place.layout
    assert isinstance(layout, OrderedLayout)
    away = [k for k in group.chains if k not in place.chains]
    sends = []
    for k in away:
        torques = tuple(found[1][k])
        told = tuple(tuple(forces[cut]) for cut in layout.touching(k)) if forces else None
        sends.append(cpu.send(_port(place, k), torques if told is None else (torques, told)))
    yield cpu.par(*sends)
    waiting = [other for other in layout.groups if any(cut in group.cuts for cut in other.told)]
    later = {}
    for other in (other for other in waiting if other.leader not in place.chains):
        later[other.leader] = tuple(tuple(found[0][cut]) for cut in other.told if cut in group.cuts)
    yield cpu.par(*(cpu.send(_port(place, leader), values) for leader, values in later.items()))
