"""Springs and dampers in place of cut joints: each chain is free, but for their forces.  # Khan sec. 2.2, KTK sec. 5.2

``full``: sites exchange their states, and each finds where the ends of the chains it is joined to are; ``held``: so
they do once a time step, and the ends of others stay where they were until the next. ``partly``: sites send where their
own ends are; the master finds the forces and sends them back.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from meshsim.algorithms.kernels.core import subtract
from meshsim.algorithms.kernels.dense import Row, difference
from meshsim.algorithms.kernels.loops import spring_force
from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.newton_euler import bias_force
from meshsim.algorithms.robots.closure import loops
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.scheme import Number
from meshsim.algorithms.schemes.loops.layout import (
    Ended,
    Ends,
    Key,
    add_jacobians,
    add_rates,
    directions,
    gap_rates,
    gaps,
    grounded,
    pull,
    reach,
)
from meshsim.algorithms.schemes.loops.method import DISTRIBUTIONS, Method, Place, Settings, by_site, from_sites
from meshsim.algorithms.solvers.ldl import solve_ldl
from meshsim.algorithms.types.arrays import Array
from meshsim.program import Cpu, Steps


def penalty_rates(cpu: Cpu, place: Place, y: Sequence[float], tau: Sequence[float]) -> Steps[list[float]]:
    """Exchange, then accelerate; ports are the network's."""
    n = place.joints
    q, qd = place.by_chain(y), place.by_chain(y[n:])
    placed, ends = {}, {}
    for k in place.chains:
        placed[k], ends[k] = _ends(cpu, place, k, q[k], qd[k])
    if place.settings.distribution == "partly":
        forces = yield from _forces_by_master(cpu, place, ends)
    else:
        met = place.met if place.met is not None else (yield from meet(cpu, place, y))
        forces = _forces_of_own(cpu, place, ends, met)
    qdd: list[float] = []
    torques = place.by_chain(tau)
    for k in place.chains:
        qdd.extend(_accelerate(cpu, place, k, placed[k], qd[k], torques[k], ends[k], forces))
    cpu.phase("solve")
    return [*y[n:], *qdd]


def _ends(cpu: Cpu, place: Place, k: int, q: Row, qd: Row) -> tuple[Any, Ends]:
    """Where the ends of a chain are and how they move."""
    chain = place.layout.chains[k]
    at = chain.place(cpu, q)
    chain.move(cpu, at, qd)
    ends = reach(cpu, place.layout, k, at)
    add_rates(cpu, place.layout, k, at, ends)
    return at, ends


def meet(cpu: Cpu, place: Place, y: Sequence[float]) -> Steps[dict[Key, Ended]]:
    """Exchange states, and find the ends of the chains that this site's are joined to."""
    states = yield from place.network.all_gather(cpu, place.site, tuple(y))
    cpu.phase("exchange 1")
    layout = place.layout
    joined = {other for k in place.chains for other in layout.joined(k) if other not in place.chains}
    ends: dict[Key, Ended] = {}
    for site, state in enumerate(states):
        n = place.joints_at(site)
        q, qd = place.by_chain(state, site), place.by_chain(state[n:], site)
        for k in sorted(joined.intersection(q)):
            ends.update(_ends(cpu, place, k, q[k], qd[k])[1])
    return ends


def _forces_of_own(cpu: Cpu, place: Place, own: Mapping[int, Ends], met: Ends) -> dict[int, list[float]]:
    """The forces of this site's cut joints, given its own ends and those that they meet."""
    layout = place.layout
    ends = {**grounded(layout), **met, **{key: ended for some in own.values() for key, ended in some.items()}}
    cuts = sorted({cut for k in place.chains for cut in layout.touching(k)})
    return _forces(cpu, place, ends, cuts)


def _forces_by_master(cpu: Cpu, place: Place, own: Mapping[int, Ends]) -> Steps[dict[int, list[float]]]:
    """Send ends, get forces."""
    layout, network = place.layout, place.network
    mine = tuple((ended.value, ended.rate) for k in place.chains for ended in own[k].values())
    gathered = yield from network.gather(cpu, place.site, mine)
    parts: list[tuple[tuple[float, ...], ...]] = []
    if gathered:
        ends = grounded(layout)
        for site, sent in enumerate(gathered):
            for key, (value, rate) in zip(keys_of(place, site), sent, strict=True):
                ends[key] = Ended(value, rate=rate)
        every = _forces(cpu, place, ends, range(len(layout.cuts)))
        parts = [tuple(tuple(every[cut]) for cut, _ in keys_of(place, site)) for site in range(len(network.nodes))]
    got = yield from network.scatter(cpu, place.site, parts)
    cpu.phase("exchange 1")
    return {cut: list(force) for (cut, _), force in zip(keys_of(place, place.site), got, strict=True)}


def keys_of(place: Place, site: int) -> list[Key]:
    """The ends of a site's chains, by cut joint and side, in the order in which they are sent."""
    return [key for k in place.network.parties[site] for key in place.layout.ends_of(k)]


def _forces(cpu: Cpu, place: Place, ends: Ends, cuts: Sequence[int]) -> dict[int, list[float]]:
    """What the second sides of some cut joints feel: lambda, and in space the moment of its rows of axes."""
    layout, settings = place.layout, place.settings
    across = directions(cpu, layout, ends, cuts)
    found = {}
    for cut, c, rate in zip(
        cuts, gaps(cpu, layout, ends, cuts), gap_rates(cpu, layout, ends, across, cuts), strict=True
    ):
        forces = [cpu.do(spring_force, settings.k, a, settings.d, b) for a, b in zip(c, rate, strict=True)]
        found[cut] = layout.closures[cut].wrench(cpu, across[cut], forces)
    return found


def _accelerate(
    cpu: Cpu,
    place: Place,
    k: int,
    at: Any,
    qd: Row,
    tau: Row,
    ends: Ends,
    forces: Mapping[int, Row],
) -> list[float]:
    """M qdd = tau - h - A^T lambda of one chain."""  # Khan eq. 2.9
    chain = place.layout.chains[k]
    chain.drift(cpu, at, qd)
    M = chain.inertia(cpu, at)
    b = [cpu.do(subtract, torque, bias) for torque, bias in zip(tau, chain.force(cpu, at), strict=True)]
    add_jacobians(cpu, place.layout, k, at, ends)
    for felt in pull(cpu, ends, forces, chain.n):
        b = difference(cpu, b, felt)
    return solve_ldl(cpu, M, b)


def begin(places: Sequence[Place], q: Array, qd: Array) -> list[tuple[float, ...]]:
    """Positions and rates of each site's joints."""
    return [(*a, *b) for a, b in zip(by_site(places, q.tolist()), by_site(places, qd.tolist()), strict=True)]


def finish(places: Sequence[Place], states: Sequence[Sequence[float]]) -> tuple[Array, Array]:
    """Positions and rates of all joints, joined from those of each site."""
    ns = [place.joints for place in places]
    q = from_sites(places, [state[:n] for state, n in zip(states, ns, strict=True)])
    qd = from_sites(places, [state[n:] for state, n in zip(states, ns, strict=True)])
    return np.array(q), np.array(qd)


def sprung(mechanism: Mechanism, settings: Settings, q: Array, qd: Array, tau: Array) -> Array:
    """The accelerations of free chains and their springs, by a dense solution."""
    now = loops(mechanism, q, qd)
    forces = settings.k * now.c + settings.d * (now.A @ qd)
    M, h = inertia_matrix(mechanism, q), bias_force(mechanism, q, qd)
    return np.array(np.linalg.solve(M, tau - h - now.A.T @ forces))


PENALTY = Method(
    "penalty",
    "springs and dampers in place of the joints that were cut",
    ("one", "star", "complete"),
    DISTRIBUTIONS,
    penalty_rates,
    begin,
    finish,
    meet=meet,
    closes=False,
    reference=sprung,
    options={"k": Number("1e5", "N/m"), "d": Number("0", "N s/m")},
)
