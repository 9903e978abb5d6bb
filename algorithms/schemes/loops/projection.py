"""Projection onto the motions that loops allow: q' = S v + eta, with S in the null space of A.  # Khan sec. 2.3

The independent rates v are B q', where B is kept until it is chosen again: rates of some joints (``gauss``: by
elimination with full pivoting, Serna) or an orthonormal basis of the null space as it was then (``qr``: Kim and
Vanderploeg). Violated constraints decay as exp(-sigma t).  # KTK eq. 11

``full``: sites exchange their states; each finds S of all and its own share of v', of which v is the sum (Khan eq.
2.24). ``held``: so they do once a time step; a site's own joints and share of v move on through its stages, where
positions and shares of others are as they were told. ``partly``: the master finds S from the Jacobians and v' from what
chains send; all sites integrate the same v.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from meshsim.algorithms.kernels.core import multiply
from meshsim.algorithms.kernels.dense import Row, Rows, columns, congruence, difference, opposite, sum_of, times
from meshsim.algorithms.kernels.loops import fading
from meshsim.algorithms.reference.loops import constrained_dynamics
from meshsim.algorithms.robots.closure import check_rank, loops
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import Opening
from meshsim.algorithms.schemes.base.effort import Effort, regulated
from meshsim.algorithms.schemes.base.scheme import Number
from meshsim.algorithms.schemes.loops.independent import Selected, independent_joints, null_basis, selection
from meshsim.algorithms.schemes.loops.layout import (
    Across,
    Ended,
    Ends,
    Layout,
    add_biases,
    add_jacobians,
    apart,
    directions,
    gap_biases,
    gaps,
    grounded,
    jacobian_rows,
    layout_of,
    reach,
)
from meshsim.algorithms.schemes.loops.method import DISTRIBUTIONS, Method, Place, Settings, by_site, from_sites
from meshsim.algorithms.schemes.loops.penalty import keys_of
from meshsim.algorithms.solvers.ldl import solve_ldl
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.program import Cpu, Steps

TECHNIQUES = ("gauss", "qr")
ILL = 20.0
"""How much worse the condition of the chosen rates may be than that of the constraints before others are chosen."""


@dataclass
class Known:
    """What a site knows of a chain so far."""

    at: Any
    ends: Ends
    S: Rows = ()
    qd: Row = ()
    M: Rows = ()

    def unmoved(self) -> "Known":
        """A copy to be moved, so that this one can be again."""
        return Known(apart(self.at), {key: replace(ended) for key, ended in self.ends.items()}, M=self.M)


@dataclass(frozen=True)
class Met:
    """What a site finds of others when states are exchanged: their chains, and the sum of their shares of v."""

    known: Mapping[int, Known]
    v: Row


def projection_rates(cpu: Cpu, place: Place, y: Sequence[float], tau: Sequence[Effort]) -> Steps[list[float]]:
    """Rates of this site's joints, and of the independent rates; ports are the network's."""
    if place.settings.distribution == "partly":
        return (yield from _by_master(cpu, place, y, tau))
    return (yield from _by_all(cpu, place, y, tau))


def located(cpu: Cpu, layout: Layout, k: int, q: Row) -> Known:
    """A chain's ends and how they move with its joints."""
    at = layout.chains[k].place(cpu, q)
    ends = reach(cpu, layout, k, at)
    add_jacobians(cpu, layout, k, at, ends)
    return Known(at, ends)


def moved(cpu: Cpu, layout: Layout, k: int, known: Known) -> None:
    """Rates and biases of a chain, once its joints' rates are known."""
    chain = layout.chains[k]
    chain.move(cpu, known.at, known.qd)
    chain.drift(cpu, known.at, known.qd)
    add_biases(cpu, layout, k, known.at, known.ends)


def rows_of(layout: Layout, values: Sequence[Any], k: int) -> Sequence[Any]:
    """A chain's part of a list with an entry for every joint, chain by chain."""
    at = sum(chain.n for chain in layout.chains[:k])
    return values[at : at + layout.chains[k].n]


@dataclass
class Constraints:
    """The constraints of all cut joints, given all ends: c, and the factors of A with the rows that choose v."""

    place: Place
    ends: Ends
    across: Across
    c: list[float]
    selected: Selected

    @classmethod
    def of(cls, cpu: Cpu, place: Place, ends: Ends) -> "Constraints":
        """Those that some ends make."""
        layout = place.layout
        cuts = range(len(layout.cuts))
        across = directions(cpu, layout, ends, cuts)
        parts = [jacobian_rows(cpu, layout, ends, across, k) for k in range(len(layout.chains))]
        A = [[each for row in rows for each in row] for rows in zip(*parts, strict=True)]
        c = [each for gap in gaps(cpu, layout, ends, cuts) for each in gap]
        return cls(place, ends, across, c, Selected.of(cpu, place.settings, A))

    def eta(self, cpu: Cpu) -> list[float]:
        """Rates that make c vanish."""
        sigma = self.place.settings.sigma
        return self.selected.particular(cpu, [opposite(cpu.do(multiply, sigma, each)) for each in self.c])

    def gamma(self, cpu: Cpu) -> list[float]:
        """Accelerations with v' = 0; the ends' biases must be known."""
        bias = gap_biases(cpu, self.place.layout, self.ends, self.across)
        squared = _squared(self.place.settings.sigma)
        return self.selected.particular(cpu, [cpu.do(fading, squared, a, b) for a, b in zip(self.c, bias, strict=True)])


def _squared(sigma: float) -> float:
    """Formed off line."""
    return sigma * sigma


# Where all is known


def weighed(cpu: Cpu, layout: Layout, k: int, q: Row) -> Known:
    """A chain's ends, how they move with its joints, and its inertia."""
    known = located(cpu, layout, k, q)
    known.M = layout.chains[k].inertia(cpu, known.at)
    return known


def meet(cpu: Cpu, place: Place, y: Sequence[float]) -> Steps[Met]:
    """Exchange states, and find where the chains of others are and how heavy."""
    states = yield from place.network.all_gather(cpu, place.site, tuple(y))
    cpu.phase("exchange 1")
    known: dict[int, Known] = {}
    v: list[float] = []
    for site, state in enumerate(states):
        if site == place.site or not place.network.parties[site]:
            continue
        for k, q in place.by_chain(state, site).items():
            known[k] = weighed(cpu, place.layout, k, q)
        v = _added(cpu, v, state[place.joints_at(site) :])
    return Met(known, v)


def _added(cpu: Cpu, v: Row, share: Row) -> list[float]:
    """The sum of shares of v, of which one may be nobody's."""
    return sum_of(cpu, v, share) if v and share else list(v or share)


def _by_all(cpu: Cpu, place: Place, y: Sequence[float], tau: Sequence[Effort]) -> Steps[list[float]]:
    layout = place.layout
    met = place.met if place.met is not None else (yield from meet(cpu, place, y))
    known = {k: each.unmoved() for k, each in met.known.items()}
    for k, q in place.by_chain(y).items():
        known[k] = weighed(cpu, layout, k, q)
    v = _added(cpu, met.v, y[place.joints :])
    ends = grounded(layout)
    for k in sorted(known):
        ends.update(known[k].ends)
    constraints = Constraints.of(cpu, place, ends)
    S = constraints.selected.complement(cpu)
    qd = sum_of(cpu, times(cpu, S, v), constraints.eta(cpu))
    for k in sorted(known):
        known[k].S, known[k].qd = rows_of(layout, S, k), rows_of(layout, qd, k)
        moved(cpu, layout, k, known[k])
    own, efforts = place.by_chain(y), place.by_chain(tau)
    torques = {k: regulated(cpu, efforts[k], own[k], known[k].qd) for k in place.chains}
    vd = solved_by_all(cpu, place, known, constraints.gamma(cpu), torques)
    cpu.phase("solve")
    return [*(each for k in place.chains for each in known[k].qd), *vd] if place.chains else []


def solved_by_all(
    cpu: Cpu, place: Place, known: Mapping[int, Known], gamma: Row, torques: Mapping[int, Row]
) -> list[float]:
    """This site's share of v': the inertia of all chains, the forces of its own."""
    projected: list[list[float]] = []
    rhs = [0.0] * len(known[0].S[0])
    for k in sorted(known):
        chain, S = place.layout.chains[k], known[k].S
        part, MS = congruence(cpu, known[k].M, S)
        projected = [sum_of(cpu, a, b) for a, b in zip(projected, part, strict=True)] if projected else part
        if k in torques:
            driven = times(cpu, columns(S), difference(cpu, torques[k], chain.force(cpu, known[k].at)))
            resisted = times(cpu, columns(MS), rows_of(place.layout, gamma, k))
            rhs = sum_of(cpu, rhs, difference(cpu, driven, resisted))  # KTK eq. 26
    return solve_ldl(cpu, projected, rhs)


# Where the master alone knows all


def _by_master(cpu: Cpu, place: Place, y: Sequence[float], tau: Sequence[Effort]) -> Steps[list[float]]:
    layout, network = place.layout, place.network
    v, q, efforts = y[place.joints :], place.by_chain(y), place.by_chain(tau)
    known = {k: located(cpu, layout, k, q[k]) for k in place.chains}
    mine = tuple((end.value, tuple(map(tuple, end.rows))) for k in place.chains for end in known[k].ends.values())
    gathered = yield from network.gather(cpu, place.site, mine)
    constraints = constraints_of_master(cpu, place, gathered) if gathered else None
    got = yield from network.scatter(cpu, place.site, _allowed(cpu, place, constraints) if constraints else ())
    cpu.phase("exchange 1")
    sent = []
    for k, (S, eta) in zip(place.chains, got, strict=True):
        known[k].S, known[k].qd = S, sum_of(cpu, times(cpu, S, v), eta)
        moved(cpu, layout, k, known[k])
        sent.append(_projected(cpu, layout, k, known[k], regulated(cpu, efforts[k], q[k], known[k].qd)))
    gathered = yield from network.gather(cpu, place.site, tuple(sent))
    answers: list[tuple[float, ...]] = []
    if constraints:
        answers = [tuple(_solved_by_master(cpu, place, gathered, constraints))] * len(network.nodes)
    vd = yield from network.scatter(cpu, place.site, answers)
    cpu.phase("exchange 2")
    cpu.phase("solve")
    return [*(each for k in place.chains for each in known[k].qd), *vd]


def constraints_of_master(cpu: Cpu, place: Place, gathered: Sequence[Any]) -> Constraints:
    """Those of all chains, from what they sent."""
    ends = grounded(place.layout)
    for site, sent in enumerate(gathered):
        for key, (value, rows) in zip(keys_of(place, site), sent, strict=True):
            ends[key] = Ended(value, rows=rows)
    return Constraints.of(cpu, place, ends)


def _allowed(cpu: Cpu, place: Place, constraints: Constraints) -> list[tuple[Any, ...]]:
    """For every site, S and eta of its chains."""
    layout, S, eta = place.layout, constraints.selected.complement(cpu), constraints.eta(cpu)
    return [
        tuple((tuple(map(tuple, rows_of(layout, S, k))), tuple(rows_of(layout, eta, k))) for k in parties)
        for parties in place.network.parties
    ]


def _projected(cpu: Cpu, layout: Layout, k: int, known: Known, tau: Row) -> tuple[Any, ...]:
    """What a moving chain sends to the master: its ends' biases, S^T M S, S^T (tau - h), and M S."""
    chain = layout.chains[k]
    driven = times(cpu, columns(known.S), difference(cpu, tau, chain.force(cpu, known.at)))
    part, MS = congruence(cpu, chain.inertia(cpu, known.at), known.S)
    biases = tuple(end.bias for end in known.ends.values())
    return biases, tuple(map(tuple, part)), tuple(driven), tuple(map(tuple, MS))


def _solved_by_master(cpu: Cpu, place: Place, gathered: Sequence[Any], constraints: Constraints) -> Sequence[float]:
    """v' from what the chains sent."""
    layout = place.layout
    chains: dict[int, Any] = {}
    for parties, sent in zip(place.network.parties, gathered, strict=True):
        for k, chain in zip(parties, sent, strict=True):
            chains[k] = chain
            for key, bias in zip(layout.ends_of(k), chain[0], strict=True):
                constraints.ends[key].bias = bias
    gamma = constraints.gamma(cpu)
    projected: list[list[float]] = []
    rhs: list[float] = []
    for k in sorted(chains):
        _, part, driven, MS = chains[k]
        mine = difference(cpu, driven, times(cpu, columns(MS), rows_of(layout, gamma, k)))
        projected = [sum_of(cpu, a, b) for a, b in zip(projected, part, strict=True)] if projected else list(part)
        rhs = sum_of(cpu, rhs, mine) if rhs else mine
    return solve_ldl(cpu, projected, rhs)


# States


def prepare(mechanism: Mechanism, settings: Settings, q: Array) -> tuple[Layout, Settings]:
    """Choose the independent rates for a position."""
    layout = layout_of(mechanism)
    order = mechanism.by_subsystem  # as the chains have them
    A = loops(mechanism, q, np.zeros(mechanism.n)).A[:, order]
    m, n = A.shape
    check_rank(mechanism, q)  # first: as many constraints as joints leave motions if some follow from others
    if m == n:
        raise MeshSimError(
            f"projection takes mechanisms that can move, and {mechanism.name} has {n} joints and {m} constraints"
        )
    if settings.technique == "gauss":
        return layout, replace(settings, independent=independent_joints(A), basis=())
    if settings.technique == "qr":
        return layout, replace(settings, basis=null_basis(A), independent=())
    raise MeshSimError(f"technique must be {' or '.join(TECHNIQUES)}, not {settings.technique!r}")


def begin(places: Sequence[Place], q: Array, qd: Array) -> list[tuple[float, ...]]:
    """Positions of each site's joints, and the independent rates: kept by the first site alone, or by every site."""
    layout, settings = places[0].layout, places[0].settings
    order = layout.mechanism.by_subsystem
    v = (selection(settings, layout.n) @ qd[order]).tolist()
    states, given = [], False
    for place, mine in zip(places, by_site(places, q.tolist()), strict=True):
        if settings.distribution == "partly":
            states.append((*mine, *v))
        elif not place.chains:
            states.append(())
        else:
            states.append((*mine, *([0.0] * len(v) if given else v)))
            given = True
    return states


def finish(places: Sequence[Place], states: Sequence[Sequence[float]]) -> tuple[Array, Array]:
    """Positions, and the rates that the independent ones stand for."""
    layout, settings = places[0].layout, places[0].settings
    ns = [place.joints for place in places]
    q = np.array(from_sites(places, [state[:n] for state, n in zip(states, ns, strict=True)]))
    return q, rates_of(layout.mechanism, settings, q, _independent(places, states))


def rates_of(mechanism: Mechanism, settings: Settings, q: Array, v: Array) -> Array:
    """q' = S v + eta."""
    order = mechanism.by_subsystem
    now = loops(mechanism, q, np.zeros(mechanism.n))
    B = selection(settings, mechanism.n)
    ordered = np.linalg.solve(np.vstack([now.A[:, order], B]), np.concatenate([-settings.sigma * now.c, v]))
    qd = np.zeros(mechanism.n)
    qd[order] = ordered
    return qd


def is_ill_conditioned(places: Sequence[Place], A: Array) -> bool:
    """Whether the chosen rates hardly determine the others any more, though another choice would."""
    layout, settings = places[0].layout, places[0].settings
    order = layout.mechanism.by_subsystem
    chosen = np.linalg.cond(np.vstack([A[:, order], selection(settings, layout.n)]))
    return bool(chosen > ILL * np.linalg.cond(A))


def stabilised(mechanism: Mechanism, settings: Settings, q: Array, qd: Array, tau: Array) -> Array:
    """Accelerations under which what is left of the constraints vanishes, by a dense solution."""
    return constrained_dynamics(mechanism, q, qd, tau, settings.sigma)[0]


def accelerations(places: Sequence[Place], rates: Sequence[Sequence[float]], q: Array, qd: Array) -> Array:
    """q'' of all joints from v': A q'' = sigma^2 c - A' q', and those of the independent rates."""
    layout, settings = places[0].layout, places[0].settings
    mechanism = layout.mechanism
    order = mechanism.by_subsystem
    now = loops(mechanism, q, qd)
    B = selection(settings, mechanism.n)
    known = np.concatenate([settings.sigma * settings.sigma * now.c - now.bias, _independent(places, rates)])
    qdd = np.zeros(mechanism.n)
    qdd[order] = np.linalg.solve(np.vstack([now.A[:, order], B]), known)
    return qdd


def _independent(places: Sequence[Place], states: Sequence[Sequence[float]]) -> Array:
    """The independent rates of states, or v' of their rates: shares of all sites, or what each has."""
    shares = [np.array(state[place.joints :]) for place, state in zip(places, states, strict=True)]
    shares = [share for share in shares if len(share)]
    alike = places[0].settings.distribution == "partly"
    return np.array(shares[0] if alike else np.sum(shares, axis=0))


PROJECTION = Method(
    "projection",
    "onto the motions that loops allow, with first-order stabilisation",
    ("one", "star", "complete"),
    DISTRIBUTIONS,
    projection_rates,
    begin,
    finish,
    prepare,
    meet=meet,
    keeps_all_rates=True,
    wants_restart=is_ill_conditioned,
    reference=stabilised,
    accelerations=accelerations,
    opening=lambda settings: Opening(settings.sigma > 0.0, settings.sigma),
    options={"sigma": Number("10", "1/s"), "technique": TECHNIQUES},
)
