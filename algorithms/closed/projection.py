"""Projection onto the motions that loops allow: q' = S v + eta, with S in the null space of A.  # Khan sec. 2.3

The independent rates v are B q', where B is kept until it is chosen anew: rates of some joints (``gauss``: by
elimination with full pivoting, Serna) or an orthonormal basis of the null space as it was then (``qr``: Kim and
Vanderploeg). Constraints that are violated vanish as exp(-sigma t).  # KTK eq. 11

``full``: sites exchange their states; each finds S of all and its own share of v', of which v is the sum (Khan eq. 2.24).
``partly``: the master finds S from the Jacobians and v' from what chains send; all sites integrate the same v.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from algorithms.arrays import Array
from algorithms.closed.dense import (
    Factors,
    Row,
    Rows,
    columns,
    congruence,
    difference,
    factor,
    substitute,
    sum_of,
    times,
)
from algorithms.closed.layout import (
    Ended,
    Ends,
    Layout,
    add_biases,
    add_jacobians,
    gaps,
    grounded,
    jacobian_rows,
    layout_of,
    reach,
)
from algorithms.closed.loops import loops
from algorithms.closed.mechanism import ClosedMechanism
from algorithms.closed.method import Method, Place, Settings, collect, spread
from algorithms.closed.penalty import keys_of
from algorithms.closed.plane import Placed
from algorithms.kernels import multiply, subtract
from algorithms.ldl import solve_ldl
from meshsim.errors import MeshSimError
from meshsim.kernel import kernel
from meshsim.processor import Processor, Steps

TECHNIQUES = ("gauss", "qr")
ILL = 20.0
"""How much worse the condition of the chosen rates may be than that of the constraints before others are chosen."""


@kernel(mul=1, add=1)
def fading(sigma_squared: float, c: float, bias: float) -> float:
    """What A q'' must be for c' + sigma c to stay zero, c' being - sigma c."""  # KTK eq. 12, once more differentiated
    return sigma_squared * c - bias


@dataclass
class Known:
    """What a site knows of a chain so far."""

    at: Placed
    ends: Ends
    S: Rows = ()
    eta: Row = ()
    qd: Row = ()
    M: Rows = ()
    h: Row = ()


def projection_rates(cpu: Processor, place: Place, y: Sequence[float], tau: Sequence[float]) -> Steps[list[float]]:
    """Rates of this site's joints, and of the independent rates; ports are the network's."""
    if place.settings.distribution == "full":
        return (yield from _by_all(cpu, place, y, tau))
    return (yield from _by_master(cpu, place, y, tau))


# Where all is known


def _by_all(cpu: Processor, place: Place, y: Sequence[float], tau: Sequence[float]) -> Steps[list[float]]:
    states = yield from place.network.share(cpu, place.site, tuple(y))
    cpu.phase("exchange 1")
    layout = place.layout
    known: dict[int, Known] = {}
    v: list[float] = []
    for site, state in enumerate(states):
        if not place.network.parties[site]:
            continue
        for k, q in place.by_chain(state, site).items():
            known[k] = _located(cpu, layout, k, q)
        mine = list(state[place.joints_at(site) :])
        v = sum_of(cpu, v, mine) if v else mine
    order = sorted(known)
    A = [
        [each for row in rows for each in row]
        for rows in zip(*(jacobian_rows(cpu, layout, known[k].ends, layout.chains[k].n) for k in order), strict=True)
    ]
    ends: dict[tuple[int, int], Ended] = {**grounded(layout)}
    for k in order:
        ends.update(known[k].ends)
    c = [each for row in gaps(cpu, {key: ended.value for key, ended in ends.items()}, _all(layout)) for each in row]
    split = _Split(place, order)
    selected = _Selected.of(cpu, place.settings, A)
    S, eta = selected.complement(cpu), selected.particular(cpu, _scaled(cpu, place.settings.sigma, c))
    qd = sum_of(cpu, times(cpu, S, v), eta)
    for k in order:
        known[k].S, known[k].qd = split.rows(S, k), split.rows(qd, k)
        _moved(cpu, layout, k, known[k])
    bias = [each for row in gaps(cpu, {key: e.bias for key, e in ends.items()}, _all(layout)) for each in row]
    gamma = selected.particular(cpu, _faded(cpu, place.settings.sigma, c, bias))
    projected: list[list[float]] = []
    rhs = [0.0] * len(v)
    torques = place.by_chain(tau)
    for k in order:
        part, MS = congruence(cpu, layout.chains[k].inertia(cpu, known[k].at), known[k].S)
        projected = [sum_of(cpu, a, b) for a, b in zip(projected, part, strict=True)] if projected else part
        if k in torques:
            h = layout.chains[k].force(cpu, known[k].at)
            mine = _share(cpu, known[k].S, MS, split.rows(gamma, k), h, torques[k])
            rhs = sum_of(cpu, rhs, mine)
    vd = solve_ldl(cpu, projected, rhs)
    cpu.phase("solve")
    return [*(each for k in place.chains for each in known[k].qd), *vd] if place.chains else []


def _share(cpu: Processor, S: Rows, MS: Rows, gamma: Row, h: Row, tau: Row) -> list[float]:
    """S^T (tau - h - M gamma) of a chain."""  # KTK eq. 26
    driven = [cpu.do(subtract, a, b) for a, b in zip(tau, h, strict=True)]
    return difference(cpu, times(cpu, columns(S), driven), times(cpu, columns(MS), gamma))


def _located(cpu: Processor, layout: Layout, k: int, q: Row) -> Known:
    """A chain's ends and how they move with its joints."""
    at = layout.chains[k].place(cpu, q)
    ends = reach(cpu, layout, k, at)
    add_jacobians(cpu, layout, k, at, ends)
    return Known(at, ends)


def _moved(cpu: Processor, layout: Layout, k: int, known: Known) -> None:
    """Rates and biases of a chain, once its joints' rates are known."""
    chain = layout.chains[k]
    chain.move(cpu, known.at, known.qd)
    chain.drift(cpu, known.at, known.qd)
    add_biases(cpu, layout, k, known.at, known.ends)


def _all(layout: Layout) -> range:
    return range(len(layout.cuts))


def _scaled(cpu: Processor, sigma: float, c: Row) -> list[float]:
    """- sigma c."""
    return [-cpu.do(multiply, sigma, each) for each in c]


def _faded(cpu: Processor, sigma: float, c: Row, bias: Row) -> list[float]:
    return [cpu.do(fading, _squared(sigma), a, b) for a, b in zip(c, bias, strict=True)]


def _squared(sigma: float) -> float:
    """Formed off line."""
    return sigma * sigma


# The independent rates


@dataclass
class _Selected:
    """A with the rows that choose v, taken apart: [A; B] q' = [a; v]."""

    n: int
    factors: Factors
    dependent: tuple[int, ...]
    independent: tuple[int, ...]
    A: Rows

    @classmethod
    def of(cls, cpu: Processor, settings: Settings, A: Rows) -> "_Selected":
        n = len(A[0])
        if settings.independent:
            dependent = tuple(j for j in range(n) if j not in settings.independent)
            part = [[row[j] for j in dependent] for row in A]
            return cls(n, factor(cpu, part), dependent, settings.independent, A)
        return cls(n, factor(cpu, [*A, *settings.basis]), (), (), A)

    def complement(self, cpu: Processor) -> list[list[float]]:
        """S: the rates of all joints for each independent rate alone."""
        n, m = self.n, len(self.A)
        if not self.independent:
            units = [[float(i == j) for i in range(n)] for j in range(m, n)]
            return [list(row) for row in zip(*(substitute(cpu, self.factors, unit) for unit in units), strict=True)]
        S = [[0.0] * len(self.independent) for _ in range(n)]
        for column, j in enumerate(self.independent):
            S[j][column] = 1.0
            for i, each in zip(self.dependent, substitute(cpu, self.factors, [-row[j] for row in self.A]), strict=True):
                S[i][column] = each
        return S

    def particular(self, cpu: Processor, a: Row) -> list[float]:
        """The rates that make A q' = a with no independent rate."""
        n, m = self.n, len(self.A)
        if not self.independent:
            return substitute(cpu, self.factors, [*a, *([0.0] * (n - m))])
        found = [0.0] * n
        for i, each in zip(self.dependent, substitute(cpu, self.factors, a), strict=True):
            found[i] = each
        return found


@dataclass
class _Split:
    """Where each chain's joints stand among those of all."""

    place: Place
    order: Sequence[int]

    def rows(self, values: Sequence[Any], k: int) -> Sequence[Any]:
        """A chain's part of a list with an entry for every joint."""
        sizes = [self.place.layout.chains[each].n for each in self.order]
        at = sum(sizes[: list(self.order).index(k)])
        return values[at : at + self.place.layout.chains[k].n]


# Where the master alone knows all


def _by_master(cpu: Processor, place: Place, y: Sequence[float], tau: Sequence[float]) -> Steps[list[float]]:
    layout, network, settings = place.layout, place.network, place.settings
    v = y[place.joints :]
    q = place.by_chain(y)
    known = {k: _located(cpu, layout, k, q[k]) for k in place.chains}
    mine = tuple((e.value, tuple(map(tuple, e.rows))) for k in place.chains for e in known[k].ends.values())
    gathered = yield from network.gather(cpu, place.site, mine)
    parts: list[tuple[Any, ...]] = []
    selected, c = None, list[float]()
    order = sorted(k for parties in network.parties for k in parties)
    split = _Split(place, order)
    if gathered:
        selected, c = _selected_by_master(cpu, place, gathered, order)
        S, eta = selected.complement(cpu), selected.particular(cpu, _scaled(cpu, settings.sigma, c))
        parts = [
            tuple((tuple(map(tuple, split.rows(S, k))), tuple(split.rows(eta, k))) for k in parties)
            for parties in network.parties
        ]
    got = yield from network.spread(cpu, place.site, parts)
    cpu.phase("exchange 1")
    sent = []
    torques = place.by_chain(tau)
    for k, (S_k, eta_k) in zip(place.chains, got, strict=True):
        known[k].qd = sum_of(cpu, times(cpu, S_k, v), eta_k)
        _moved(cpu, layout, k, known[k])
        h = layout.chains[k].force(cpu, known[k].at)
        part, MS = congruence(cpu, layout.chains[k].inertia(cpu, known[k].at), S_k)
        driven = times(cpu, columns(S_k), [cpu.do(subtract, a, b) for a, b in zip(torques[k], h, strict=True)])
        biases = tuple(e.bias for e in known[k].ends.values())
        sent.append((biases, tuple(map(tuple, part)), tuple(driven), tuple(map(tuple, MS))))
    gathered = yield from network.gather(cpu, place.site, tuple(sent))
    answers: list[tuple[float, ...]] = []
    if gathered:
        assert selected is not None
        vd = _solved_by_master(cpu, place, gathered, selected, c, split)
        answers = [tuple(vd)] * len(network.nodes)
    vd = yield from network.spread(cpu, place.site, answers)
    cpu.phase("exchange 2")
    cpu.phase("solve")
    return [*(each for k in place.chains for each in known[k].qd), *vd]


def _selected_by_master(
    cpu: Processor, place: Place, gathered: Sequence[Any], order: Sequence[int]
) -> tuple[_Selected, list[float]]:
    """A and c of all chains, from what they sent; and A taken apart."""
    layout = place.layout
    ends: dict[tuple[int, int], Ended] = {**grounded(layout)}
    for site, sent in enumerate(gathered):
        for key, (value, rows) in zip(keys_of(place, site), sent, strict=True):
            ends[key] = Ended((0.0, 0.0), value, rows=rows)
    parts = []
    for k in order:
        own = {key: ended for key, ended in ends.items() if layout.cuts[key[0]][key[1]].chain == k}
        parts.append(jacobian_rows(cpu, layout, own, layout.chains[k].n))
    A = [[each for row in rows for each in row] for rows in zip(*parts, strict=True)]
    values = {key: ended.value for key, ended in ends.items()}
    c = [each for row in gaps(cpu, values, _all(layout)) for each in row]
    return _Selected.of(cpu, place.settings, A), c


def _solved_by_master(
    cpu: Processor, place: Place, gathered: Sequence[Any], selected: _Selected, c: Row, split: _Split
) -> list[float]:
    """v' from what the chains sent."""
    layout = place.layout
    biases = {key: ended.bias for key, ended in grounded(layout).items()}
    chains: dict[int, Any] = {}
    for site, sent in enumerate(gathered):
        keys = iter(keys_of(place, site))
        for k, chain in zip(place.network.parties[site], sent, strict=True):
            chains[k] = chain
            biases.update(zip(keys, chain[0], strict=False))
    bias = [each for row in gaps(cpu, biases, _all(layout)) for each in row]
    gamma = selected.particular(cpu, _faded(cpu, place.settings.sigma, c, bias))
    projected: list[list[float]] = []
    rhs: list[float] = []
    for k in split.order:
        _, part, driven, MS = chains[k]
        mine = difference(cpu, driven, times(cpu, columns(MS), split.rows(gamma, k)))
        projected = [sum_of(cpu, a, b) for a, b in zip(projected, part, strict=True)] if projected else list(part)
        rhs = sum_of(cpu, rhs, mine) if rhs else mine
    return solve_ldl(cpu, projected, rhs)


# States


def prepare(closed: ClosedMechanism, settings: Settings, q: Array) -> tuple[Layout, Settings]:
    """Choose the independent rates for a position."""
    layout = layout_of(closed)
    order = [joint for bodies in closed.subsystems for joint in bodies]  # as the chains have them
    A = loops(closed, q, np.zeros(closed.n)).A[:, order]
    if settings.technique == "gauss":
        return layout, replace(settings, independent=independent_joints(A), basis=())
    if settings.technique == "qr":
        return layout, replace(settings, basis=null_basis(A), independent=())
    raise MeshSimError(f"technique must be {' or '.join(TECHNIQUES)}, not {settings.technique!r}")


def independent_joints(A: Array) -> tuple[int, ...]:
    """The columns that elimination with full pivoting leaves for last."""  # Khan sec. A.3
    left = A.copy()
    m, n = A.shape
    rows, free = list(range(m)), list(range(n))
    for _ in range(m):
        part = np.abs(left[np.ix_(rows, free)])
        i, j = np.unravel_index(part.argmax(), part.shape)
        row, column = rows.pop(int(i)), free.pop(int(j))
        for other in rows:
            left[other] -= left[other, column] / left[row, column] * left[row]
    return tuple(free)


def null_basis(A: Array) -> tuple[tuple[float, ...], ...]:
    """Orthonormal rows that span the null space of A."""  # Khan sec. A.2
    m, n = A.shape
    Q, _ = np.linalg.qr(A.T, mode="complete")
    return tuple(map(tuple, Q[:, m:n].T.tolist()))


def selection(settings: Settings, n: int) -> Array:
    """B, the rows that make independent rates from all."""
    if settings.independent:
        return np.eye(n)[list(settings.independent)]
    return np.array(settings.basis)


def begin(places: Sequence[Place], q: Array, qd: Array) -> list[tuple[float, ...]]:
    """Positions of each site's joints, and the independent rates: the first site's alone, or everybody's."""
    layout, settings = places[0].layout, places[0].settings
    order = [joint for bodies in layout.closed.subsystems for joint in bodies]
    v = (selection(settings, layout.n) @ qd[order]).tolist()
    states, given = [], False
    for place, mine in zip(places, spread(places, q.tolist()), strict=True):
        if settings.distribution != "full":
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
    q = np.array(collect(places, [state[:n] for state, n in zip(states, ns, strict=True)]))
    shares = [np.array(state[n:]) for state, n in zip(states, ns, strict=True) if len(state) > n]
    v = np.sum(shares, axis=0) if settings.distribution == "full" else shares[0]
    return q, rates_of(layout.closed, settings, q, v)


def rates_of(closed: ClosedMechanism, settings: Settings, q: Array, v: Array) -> Array:
    """q' = S v + eta."""
    order = [joint for bodies in closed.subsystems for joint in bodies]
    now = loops(closed, q, np.zeros(closed.n))
    B = selection(settings, closed.n)
    ordered = np.linalg.solve(np.vstack([now.A[:, order], B]), np.concatenate([-settings.sigma * now.c, v]))
    qd = np.zeros(closed.n)
    qd[order] = ordered
    return qd


def is_ill(places: Sequence[Place], A: Array) -> bool:
    """Whether the chosen rates hardly determine the others any more, though another choice would."""
    layout, settings = places[0].layout, places[0].settings
    order = [joint for bodies in layout.closed.subsystems for joint in bodies]
    chosen = np.linalg.cond(np.vstack([A[:, order], selection(settings, layout.n)]))
    return bool(chosen > ILL * np.linalg.cond(A))


PROJECTION = Method(
    "projection",
    "onto the motions that loops allow, with first-order stabilisation",
    ("one", "star", "complete"),
    ("full", "partly"),
    projection_rates,
    begin,
    finish,
    prepare,
    wants_restart=is_ill,
)
