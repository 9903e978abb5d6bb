"""The decoupled natural orthogonal complement: legs on nodes, the platform's twist in the centre.  # Khan ch. 3

The platform is cut in as many parts as there are legs. With b_k, the platform's twist for a unit rate of joint k, a leg
says t_P = sum b_k theta'_k. Its passive joints are projected out, from the platform inward:

    p_k = Phi b_k,  delta_k = p_k . p_k,  Phi <- Phi - p_k p_k^T / delta_k                       # Khan eqs 3.4 to 3.8

which leaves Phi (t_P - sum over its actuated joints of b_a theta'_a) = 0. The centre sums over the legs, K = sum Phi,
and has t_P; from the ground outward each leg then has its passive rates, theta'_k = p_k . (t_P - what moves already) /
delta_k. Accelerations are found likewise. Where Khan differentiates Phi (eq. 3.22), the bias acceleration of the
platform, that with no joint accelerating, is carried along: the same numbers. And where he forms T^T I T before he
multiplies by B-bar (eq. 3.42), J = T B-bar is formed first, which takes less.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from meshsim.algorithms.kernels.core import ZERO, add_vectors, dot, multiply, ratio, scale, subtract, subtract_vectors
from meshsim.algorithms.kernels.dense import congruence, difference, full, inner, sum_of, times
from meshsim.algorithms.kernels.inertial import Symmetric, add_symmetric, symmetric_times
from meshsim.algorithms.kernels.loops import deflate
from meshsim.algorithms.kernels.space import axpy_vector
from meshsim.algorithms.robots.closure import consistent_rates, leading, loops
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.platform import Legs, legs_of
from meshsim.algorithms.schemes.base.effort import Effort, regulated
from meshsim.algorithms.schemes.loops.layout import Layout, layout_of
from meshsim.algorithms.schemes.loops.method import Method, Place, Settings, by_site, from_sites
from meshsim.algorithms.schemes.loops.plane_chain import Placed, PlaneEnd
from meshsim.algorithms.solvers.ldl import solve_ldl
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu, Steps

UNITY: Symmetric = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)


@dataclass
class Leg:
    """What a processor has computed of a leg so far."""

    at: Placed
    end: PlaneEnd
    arm: tuple[float, float]
    b: list[Vector]
    actuated: tuple[int, ...]
    Phi: Symmetric = UNITY
    p: dict[int, Vector] = field(default_factory=dict)
    inverse: dict[int, float] = field(default_factory=dict)
    seen: dict[int, Vector] = field(default_factory=dict)  # Phi b of actuated joints
    bias: Vector = (0.0, 0.0, 0.0)
    rates: list[float] = field(default_factory=list)

    @property
    def passive(self) -> list[int]:
        """Joints from the ground outward that nothing drives."""
        return [k for k in range(len(self.b)) if k not in self.actuated]


def actuated_of(layout: Layout, chain: int) -> tuple[int, ...]:
    """The actuated joints of a leg, from 0 within it."""
    return tuple(i for i, joint in enumerate(layout.mechanism.subsystems[chain]) if joint in layout.mechanism.actuated)


def project(cpu: Cpu, layout: Layout, k: int, q: Sequence[float]) -> Leg:
    """A leg's geometry, and its passive joints projected out."""
    chain = layout.chains[k]
    end = chain.ends[0]
    at = chain.place(cpu, q)
    arm, value = chain.reach(cpu, at, end)
    x, y, w = chain.jacobian(cpu, at, end, value)
    leg = Leg(at, end, arm, list(zip(x, y, w, strict=True)), actuated_of(layout, k))
    for j in reversed(leg.passive):
        p = leg.b[j] if leg.Phi is UNITY else cpu.do(symmetric_times, leg.Phi, leg.b[j])
        leg.p[j], leg.inverse[j] = p, cpu.do(ratio, 1.0, cpu.do(dot, p, p))
        leg.Phi = cpu.do(deflate, leg.Phi, p, leg.inverse[j])
    leg.seen = {j: cpu.do(symmetric_times, leg.Phi, leg.b[j]) for j in leg.actuated}
    return leg


def unfold(cpu: Cpu, leg: Leg, x: Vector, own: dict[int, float]) -> list[float]:
    """Rates of all joints of a leg that move the platform by x, beyond what its actuated joints do already."""
    found = dict(own)
    for j in leg.passive:
        found[j] = cpu.do(dot, leg.p[j], cpu.do(scale, leg.inverse[j], x))  # Khan eq. 3.7
        if j != leg.passive[-1]:
            x = cpu.do(subtract_vectors, x, cpu.do(scale, found[j], leg.b[j]))
    return [found[j] for j in range(len(leg.b))]


def beyond(cpu: Cpu, leg: Leg, twist: Vector, own: dict[int, float]) -> Vector:
    """A twist of the platform less what a leg's actuated joints make of it."""
    for j, rate in own.items():
        twist = cpu.do(subtract_vectors, twist, cpu.do(scale, rate, leg.b[j]))
    return twist


def bias_of(cpu: Cpu, layout: Layout, k: int, leg: Leg) -> Vector:
    """How the platform would accelerate if no joint of the leg did."""
    chain = layout.chains[k]
    chain.move(cpu, leg.at, leg.rates)
    chain.drift(cpu, leg.at, leg.rates)
    x, y, w = chain.bias(cpu, leg.at, leg.end, leg.arm)
    return x, y, w


# Exchanges: what the centre makes of what legs send


def platform_twist(
    cpu: Cpu, place: Place, legs: dict[int, Leg], own: dict[int, dict[int, float]]
) -> Steps[tuple[Any, Any]]:
    """K at the centre; the platform's twist, and what each actuated joint alone makes of it."""  # Khan eq. 3.10
    network = place.network
    mine = tuple((legs[k].Phi, tuple(legs[k].seen.values()), tuple(own[k].values())) for k in place.chains)
    gathered = yield from network.gather(cpu, place.site, mine)
    K: list[list[float]] = []
    parts: list[Any] = []
    if gathered:
        sent = by_leg(place, gathered)
        total = sent[0][0]
        for Phi, _, _ in sent[1:]:
            total = cpu.do(add_symmetric, total, Phi)
        xx, yy, zz, xy, xz, yz = total
        K = [[xx], [xy, yy], [xz, yz, zz]]
        moved: list[Vector] = [vector(solve_ldl(cpu, K, seen)) for _, all_seen, _ in sent for seen in all_seen]
        rates = [rate for _, _, some in sent for rate in some]
        twist = cpu.do(scale, rates[0], moved[0])
        for rate, each in zip(rates[1:], moved[1:], strict=True):
            twist = cpu.do(axpy_vector, rate, each, twist)
        parts = [(twist, tuple(moved))] * len(network.nodes)
    got = yield from network.scatter(cpu, place.site, parts)
    cpu.phase("exchange 1")
    return K, got


def platform_solution(cpu: Cpu, place: Place, K: Any, shares: Sequence[Vector], mark: str) -> Steps[Vector]:
    """K^-1 times the sum of what all legs send: to every leg."""
    network = place.network
    gathered = yield from network.gather(cpu, place.site, tuple(shares))
    parts: list[Any] = []
    if gathered:
        sent = by_leg(place, gathered)
        total = sent[0]
        for each in sent[1:]:
            total = cpu.do(add_vectors, total, each)
        parts = [vector(solve_ldl(cpu, K, total))] * len(network.nodes)
    got: Vector = yield from network.scatter(cpu, place.site, parts)
    cpu.phase(mark)
    return got


def vector(values: Sequence[float]) -> Vector:
    """Three numbers."""
    x, y, z = values
    return x, y, z


def by_leg(place: Place, gathered: Sequence[Sequence[Any]]) -> list[Any]:
    """What sites sent, one entry for each leg, in their order."""
    found: dict[int, Any] = {}
    for parties, sent in zip(place.network.parties, gathered, strict=True):
        found.update(zip(parties, sent, strict=True))
    return [found[k] for k in sorted(found)]


# Forward dynamics


def denoc_rates(cpu: Cpu, place: Place, y: Sequence[float], tau: Sequence[Effort]) -> Steps[list[float]]:
    """Rates of a leg's joints, and accelerations of those that are actuated; ports are the network's."""
    layout = place.layout
    q, efforts = place.by_chain(y), place.by_chain(tau)
    legs = {k: project(cpu, layout, k, q[k]) for k in place.chains}
    own = _actuated_rates(place, legs, y[place.joints :])
    K, (twist, moved) = yield from platform_twist(cpu, place, legs, own)
    shares = []
    for k, leg in legs.items():
        leg.rates = unfold(cpu, leg, beyond(cpu, leg, twist, own[k]), own[k])
        leg.bias = bias_of(cpu, layout, k, leg)
        shares.append(cpu.do(symmetric_times, leg.Phi, leg.bias))
    drift = yield from platform_solution(cpu, place, K, shares, "exchange 2")  # Khan eq. 3.28
    torques = {k: regulated(cpu, efforts[k], q[k], leg.rates) for k, leg in legs.items()}
    sent = [_reduced(cpu, place, k, leg, drift, moved, torques[k]) for k, leg in legs.items()]
    gathered = yield from place.network.gather(cpu, place.site, tuple(sent))
    parts: list[Any] = []
    if gathered:
        accelerations = iter(_solved(cpu, by_leg(place, gathered)))
        order = sorted(k for parties in place.network.parties for k in parties)
        found = {k: tuple(next(accelerations) for _ in actuated_of(layout, k)) for k in order}
        parts = [tuple(found[k] for k in parties) for parties in place.network.parties]
    got = yield from place.network.scatter(cpu, place.site, parts)
    cpu.phase("exchange 3")
    cpu.phase("solve")
    return [*(rate for leg in legs.values() for rate in leg.rates), *(each for part in got for each in part)]


def _actuated_rates(place: Place, legs: dict[int, Leg], rates: Sequence[float]) -> dict[int, dict[int, float]]:
    """Rates of the actuated joints by leg, as the state has them."""
    left = iter(rates)
    return {k: {j: next(left) for j in legs[k].actuated} for k in place.chains}


def _reduced(
    cpu: Cpu, place: Place, k: int, leg: Leg, drift: Vector, moved: Sequence[Vector], tau: Sequence[float]
) -> tuple[Any, Any]:
    """A leg's part of the inertia matrix of the actuated joints, and of what drives them."""  # Khan eqs 3.41, 3.42
    layout = place.layout
    still = dict.fromkeys(leg.actuated, 0.0)
    mine = _actuated_before(layout, k)
    lowest = unfold(cpu, leg, cpu.do(subtract_vectors, drift, leg.bias), still)
    J = []
    for column, twist in enumerate(moved):
        own = {j: float(column == number) for number, j in enumerate(leg.actuated, start=mine)}
        moving = {j: rate for j, rate in own.items() if rate}
        for j in moving:
            twist = cpu.do(subtract_vectors, twist, leg.b[j])
        J.append(unfold(cpu, leg, twist, own))
    M = layout.chains[k].inertia(cpu, leg.at)
    h = layout.chains[k].force(cpu, leg.at)
    taken = sum_of(cpu, times(cpu, full(M), lowest), h)
    driven = [cpu.do(subtract, a, b) for a, b in zip(tau, taken, strict=True)]
    part, _ = congruence(cpu, M, list(zip(*J, strict=True)))
    return tuple(map(tuple, part)), tuple(inner(cpu, column, driven) for column in J)


def _actuated_before(layout: Layout, k: int) -> int:
    """How many actuated joints the legs before this one have."""
    return sum(len(actuated_of(layout, other)) for other in range(k))


def _solved(cpu: Cpu, sent: Sequence[Any]) -> list[float]:
    """Accelerations of the actuated joints."""  # Khan eq. 3.45
    M, rhs = [list(row) for row in sent[0][0]], list(sent[0][1])
    for part, driven in sent[1:]:
        M = [sum_of(cpu, a, b) for a, b in zip(M, part, strict=True)]
        rhs = sum_of(cpu, rhs, driven)
    return solve_ldl(cpu, M, rhs)


# Inverse dynamics


def denoc_torques(
    cpu: Cpu, place: Place, q: Sequence[float], rates: Sequence[float], accelerations: Sequence[float]
) -> Steps[list[float]]:
    """Torques of a site's actuated joints, given how they move; positions are of all its joints."""  # Khan eq. 3.40
    layout = place.layout
    at = place.by_chain(q)
    legs = {k: project(cpu, layout, k, at[k]) for k in place.chains}
    own, wanted = _actuated_rates(place, legs, rates), _actuated_rates(place, legs, accelerations)
    K, (twist, _) = yield from platform_twist(cpu, place, legs, own)
    shares = []
    for k, leg in legs.items():
        leg.rates = unfold(cpu, leg, beyond(cpu, leg, twist, own[k]), own[k])
        leg.bias = bias_of(cpu, layout, k, leg)
        for j, acceleration in wanted[k].items():
            leg.bias = cpu.do(axpy_vector, acceleration, leg.b[j], leg.bias)
        shares.append(cpu.do(symmetric_times, leg.Phi, leg.bias))
    twist_rate = yield from platform_solution(cpu, place, K, shares, "exchange 2")
    felt = {}
    shares = []
    for k, leg in legs.items():
        accelerating = unfold(cpu, leg, cpu.do(subtract_vectors, twist_rate, leg.bias), wanted[k])
        M = layout.chains[k].inertia(cpu, leg.at)
        felt[k] = sum_of(cpu, times(cpu, full(M), accelerating), layout.chains[k].force(cpu, leg.at))
        shares.append(_handed_on(cpu, leg, felt[k]))
    z = yield from platform_solution(cpu, place, K, shares, "exchange 3")
    torques: list[float] = []
    for (k, leg), share in zip(legs.items(), shares, strict=True):
        for j in leg.actuated:
            back = difference(cpu, [cpu.do(dot, leg.seen[j], z)], [cpu.do(dot, leg.b[j], share)])
            torques.extend(sum_of(cpu, [felt[k][j]], back))
    return torques


def _handed_on(cpu: Cpu, leg: Leg, felt: Sequence[float]) -> Vector:
    """The wrench on the platform that stands for the torques of a leg's passive joints."""  # Khan sec. 3.2: p-bar
    total = ZERO
    for j in reversed(leg.passive):
        left = felt[j] if total is ZERO else cpu.do(subtract, felt[j], cpu.do(dot, leg.b[j], total))
        each = cpu.do(scale, cpu.do(multiply, left, leg.inverse[j]), leg.p[j])
        total = each if total is ZERO else cpu.do(add_vectors, total, each)
    return total


# States


@dataclass(frozen=True, eq=False)
class LegLayout(Layout):
    """The layout of legs, and the mechanism that they were."""

    legs: Legs

    @property
    def hub(self) -> int | None:
        """None: the centre has the platform's twist, and no leg."""
        return None

    def in_chains(self, values: Array) -> Array:
        """Numbers of the mechanism's joints as numbers of the legs'."""
        return self.legs.to_legs(values)


def leg_layout(mechanism: Mechanism) -> tuple[LegLayout, Settings]:
    """Cut the platform."""
    legs = legs_of(mechanism)
    layout = layout_of(legs.parts)
    return LegLayout(layout.mechanism, layout.chains, layout.cuts, legs), Settings(distribution="partly")


def prepare(mechanism: Mechanism, settings: Settings, _q: Array) -> tuple[LegLayout, Settings]:
    """Cut the platform; settings are as given."""
    return leg_layout(mechanism)[0], settings


def begin(places: Sequence[Place], q: Array, qd: Array) -> list[tuple[float, ...]]:
    """Positions of each leg's joints, rates of those that are actuated."""
    layout = places[0].layout
    assert isinstance(layout, LegLayout)
    positions = by_site(places, layout.legs.to_legs(q).tolist())
    rates = layout.legs.to_legs(qd)
    states = []
    for place, mine in zip(places, positions, strict=True):
        moving = [layout.mechanism.subsystems[k][j] for k in place.chains for j in actuated_of(layout, k)]
        states.append((*mine, *(float(rates[joint]) for joint in moving)))
    return states


def finish(places: Sequence[Place], states: Sequence[Sequence[float]]) -> tuple[Array, Array]:
    """Positions and rates of the whole mechanism's joints."""
    layout = places[0].layout
    assert isinstance(layout, LegLayout)
    legs, ns = layout.legs, [place.joints for place in places]
    q = np.array(from_sites(places, [state[:n] for state, n in zip(states, ns, strict=True)]))
    actuated = np.zeros(layout.n)
    for place, state in zip(places, states, strict=True):
        moving = [layout.mechanism.subsystems[k][j] for k in place.chains for j in actuated_of(layout, k)]
        actuated[moving] = state[place.joints :]
    qd = consistent_rates(layout.mechanism, q, actuated[list(layout.mechanism.actuated)])
    whole = legs.to_whole(q, np.array(legs.whole.guess))
    return whole, legs.rates_to_whole(whole, qd)


def leg_torques(places: Sequence[Place], tau: Sequence[Effort]) -> list[tuple[Effort, ...]]:
    """Torques of each leg's joints; the joints that were cut have none."""
    layout = places[0].layout
    assert isinstance(layout, LegLayout)
    return by_site(places, [tau[joint] if joint >= 0 else 0.0 for joint in layout.legs.source])


def accelerations(places: Sequence[Place], rates: Sequence[Sequence[float]], q: Array, qd: Array) -> Array:
    """q'' of all joints of the whole from those of its actuated joints, which the sites found."""
    layout = places[0].layout
    assert isinstance(layout, LegLayout)
    whole, source = layout.legs.whole, layout.legs.source
    now = loops(whole, q, qd)
    found = np.zeros(whole.n)
    for place, rate in zip(places, rates, strict=True):
        moving = [layout.mechanism.subsystems[k][j] for k in place.chains for j in actuated_of(layout, k)]
        found[[source[joint] for joint in moving]] = rate[place.joints :]
    driven = list(leading(whole))
    B = np.eye(whole.n)[driven]
    return np.array(np.linalg.solve(np.vstack([now.A, B]), np.concatenate([-now.bias, found[driven]])))


DENOC = Method(
    "denoc",
    "legs of a parallel mechanism by the decoupled natural orthogonal complement",
    ("one", "star", "complete"),
    ("partly",),
    denoc_rates,
    begin,
    finish,
    prepare,
    leg_torques,
    relies_on=leading,
    accelerations=accelerations,
)
