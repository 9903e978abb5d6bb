"""The decoupled natural orthogonal complement: legs on nodes, the platform's twist in the centre.  # Khan ch. 3

The platform is cut in as many parts as there are legs. With b_k, the platform's twist for a unit rate of joint k (three
numbers in a plane, six in space), a leg says t_P = sum b_k theta'_k. Its passive joints are projected out, from the
platform inward:

    p_k = Phi b_k,  delta_k = p_k . p_k,  Phi <- Phi - p_k p_k^T / delta_k                       # Khan eqs 3.4 to 3.8

which leaves Phi (t_P - sum over its actuated joints of b_a theta'_a) = 0. The centre sums over the legs, K = sum Phi,
and has t_P; from the ground outward each leg then has its passive rates, theta'_k = p_k . (t_P - what moves already) /
delta_k. Accelerations are found likewise. Where Khan differentiates Phi (eq. 3.22), the bias acceleration of the
platform, that with no joint accelerating, is carried along: the same numbers. And where he forms T^T I T before he
multiplies by B-bar (eq. 3.42), J = T B-bar is formed first, which takes less. `denoc_paper.py` has it as he writes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from meshsim.algorithms.kernels.core import axpy, multiply, ratio, subtract, subtract_product
from meshsim.algorithms.kernels.dense import Row, columns, congruence, difference, full, inner, sum_of, times
from meshsim.algorithms.robots.closure import leading
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.effort import Effort, regulated
from meshsim.algorithms.schemes.loops.denoc_paper import check_paper, paper_rates, paper_torques
from meshsim.algorithms.schemes.loops.layout import Layout
from meshsim.algorithms.schemes.loops.legs import (
    LegLayout,
    accelerations,
    actuated_numbers,
    begin,
    by_leg,
    exchange,
    finish,
    for_legs,
    leg_layout,
    leg_torques,
)
from meshsim.algorithms.schemes.loops.method import Method, Place, Settings
from meshsim.algorithms.solvers.ldl import Factors, factor_ldl, solve_ldl, substitute_ldl
from meshsim.program import Cpu, Steps


@dataclass
class Leg:
    """What a processor has computed of a leg so far; of the symmetric Phi the lower triangle."""

    at: Any
    tip: Any
    arm: Any
    b: Sequence[Row]
    actuated: tuple[int, ...]
    Phi: list[list[float]]
    p: dict[int, Row] = field(default_factory=dict)
    inverse: dict[int, float] = field(default_factory=dict)
    seen: dict[int, Row] = field(default_factory=dict)  # Phi b of actuated joints
    bias: Row = ()
    rates: list[float] = field(default_factory=list)

    @property
    def passive(self) -> list[int]:
        """Joints from the ground outward that nothing drives."""
        return [k for k in range(len(self.b)) if k not in self.actuated]


def project(cpu: Cpu, layout: Layout, k: int, q: Sequence[float]) -> Leg:
    """A leg's geometry, and its passive joints projected out."""
    assert isinstance(layout, LegLayout)
    chain, tip = layout.chains[k], layout.tips[k]
    at = chain.place(cpu, q)
    arm, value = chain.reach(cpu, at, tip)
    b = columns(chain.jacobian(cpu, at, tip, value))
    unity = [[float(i == j) for j in range(i + 1)] for i in range(len(b[0]))]
    leg = Leg(at, tip, arm, b, layout.actuated(k), unity)
    for j in reversed(leg.passive):
        p = leg.p[j] = times(cpu, full(leg.Phi), b[j]) if leg.p else b[j]
        leg.inverse[j] = cpu.do(ratio, 1.0, inner(cpu, p, p))
        leg.Phi = deflated(cpu, leg.Phi, p, leg.inverse[j])
    leg.seen = {j: tuple(times(cpu, full(leg.Phi), b[j])) for j in leg.actuated}
    return leg


def deflated(cpu: Cpu, Phi: Sequence[Row], p: Row, inverse: float) -> list[list[float]]:
    """Phi - p p^T times a number."""  # Khan eq. 3.8
    scaled = [cpu.do(multiply, inverse, each) for each in p]
    return [[cpu.do(subtract_product, y, scaled[i], p[j]) for j, y in enumerate(row)] for i, row in enumerate(Phi)]


def less(cpu: Cpu, x: Row, rate: float, b: Row) -> list[float]:
    """X - rate b."""
    return [cpu.do(subtract_product, each, rate, along) for each, along in zip(x, b, strict=True)]


def more(cpu: Cpu, x: Row, rate: float, b: Row) -> list[float]:
    """X + rate b."""
    return [cpu.do(axpy, rate, along, each) for each, along in zip(x, b, strict=True)]


def unfold(cpu: Cpu, leg: Leg, x: Row, own: dict[int, float]) -> list[float]:
    """Rates of all joints of a leg that move the platform by x, beyond what its actuated joints do already."""
    found = dict(own)
    for j in leg.passive:
        found[j] = cpu.do(multiply, inner(cpu, leg.p[j], x), leg.inverse[j])  # Khan eq. 3.7
        if j != leg.passive[-1]:
            x = less(cpu, x, found[j], leg.b[j])
    return [found[j] for j in range(len(leg.b))]


def add_rates(cpu: Cpu, layout: Layout, k: int, leg: Leg, twist: Row, own: dict[int, float]) -> None:
    """How a leg moves, and how the platform would accelerate if no joint of the leg did."""
    for j, rate in own.items():
        twist = less(cpu, twist, rate, leg.b[j])
    leg.rates = unfold(cpu, leg, twist, own)
    chain = layout.chains[k]
    chain.move(cpu, leg.at, leg.rates)
    chain.drift(cpu, leg.at, leg.rates)
    leg.bias = chain.bias(cpu, leg.at, leg.tip, leg.arm)[: len(twist)]


# What the centre makes of what legs send


class Centre:
    """The platform: K, once the legs have sent their parts of it."""

    K: Factors

    def take(self, cpu: Cpu, parts: Sequence[Sequence[Row]]) -> None:
        """K is the sum of all Phi."""
        total = [list(row) for row in parts[0]]
        for Phi in parts[1:]:
            total = [sum_of(cpu, a, b) for a, b in zip(total, Phi, strict=True)]
        self.K = factor_ldl(cpu, total)

    def solved(self, cpu: Cpu, shares: Sequence[Row]) -> tuple[float, ...]:
        """K^-1 times the sum of what all legs send."""
        total = shares[0]
        for each in shares[1:]:
            total = sum_of(cpu, total, each)
        return tuple(substitute_ldl(cpu, self.K, total))

    def solution(self, cpu: Cpu, place: Place, shares: Sequence[Row], mark: str) -> Steps[Row]:
        """The same, sent to every leg."""
        sites = len(place.network.nodes)
        got: Row = yield from exchange(
            cpu, place, list(map(tuple, shares)), lambda sent: [self.solved(cpu, sent)] * sites, mark
        )
        return got


def frozen(lower: Sequence[Row]) -> tuple[Row, ...]:
    """Rows that can be sent."""
    return tuple(map(tuple, lower))


# Forward dynamics


def denoc_rates(cpu: Cpu, place: Place, y: Sequence[float], tau: Sequence[Effort]) -> Steps[list[float]]:
    """Rates of a leg's joints, and accelerations of those that are actuated; ports are the network's."""
    program = paper_rates if place.settings.recursion == "paper" else composite_rates
    found: list[float] = yield from program(cpu, place, y, tau)
    return found


def composite_rates(cpu: Cpu, place: Place, y: Sequence[float], tau: Sequence[Effort]) -> Steps[list[float]]:
    """The same, inertia matrices by composite bodies."""
    layout, centre = place.layout, Centre()
    q, efforts = place.by_chain(y), place.by_chain(tau)
    legs = {k: project(cpu, layout, k, q[k]) for k in place.chains}
    own = actuated_numbers(place, y[place.joints :])
    twist, moved = yield from platform_twist(cpu, place, centre, legs, own)
    for k, leg in legs.items():
        add_rates(cpu, layout, k, leg, twist, own[k])
    shares = [times(cpu, full(leg.Phi), leg.bias) for leg in legs.values()]
    drift = yield from centre.solution(cpu, place, shares, "exchange 2")  # Khan eq. 3.28
    torques = {k: regulated(cpu, efforts[k], q[k], leg.rates) for k, leg in legs.items()}
    sent = [_reduced(cpu, place, k, leg, drift, moved, torques[k]) for k, leg in legs.items()]

    def solve(parts: list[Any]) -> list[Any]:
        return for_legs(place, by_leg(layout, _solved(cpu, parts)))

    got = yield from exchange(cpu, place, sent, solve, "exchange 3")
    cpu.phase("solve")
    return [*(rate for leg in legs.values() for rate in leg.rates), *(each for part in got for each in part)]


def platform_twist(
    cpu: Cpu, place: Place, centre: Centre, legs: dict[int, Leg], own: dict[int, dict[int, float]]
) -> Steps[tuple[Row, Sequence[Row]]]:
    """The platform's twist, and what each actuated joint alone makes of it."""  # Khan eq. 3.10
    mine = [(frozen(leg.Phi), tuple(leg.seen.values()), tuple(own[k].values())) for k, leg in legs.items()]

    def make(sent: list[Any]) -> list[Any]:
        centre.take(cpu, [Phi for Phi, _, _ in sent])
        moved = [tuple(substitute_ldl(cpu, centre.K, seen)) for _, all_seen, _ in sent for seen in all_seen]
        rates = [rate for _, _, some in sent for rate in some]
        twist = [cpu.do(multiply, rates[0], each) for each in moved[0]]
        for rate, each in zip(rates[1:], moved[1:], strict=True):
            twist = more(cpu, twist, rate, each)
        return [(tuple(twist), tuple(moved))] * len(place.network.nodes)

    got: tuple[Row, Sequence[Row]] = yield from exchange(cpu, place, mine, make, "exchange 1")
    return got


def _reduced(
    cpu: Cpu, place: Place, k: int, leg: Leg, drift: Row, moved: Sequence[Row], tau: Sequence[float]
) -> tuple[Any, Any]:
    """A leg's part of the inertia matrix of the actuated joints, and of what drives them."""  # Khan eqs 3.41, 3.42
    layout = place.layout
    still = dict.fromkeys(leg.actuated, 0.0)
    mine = sum(len(layout.actuated(other)) for other in range(k))
    lowest = unfold(cpu, leg, difference(cpu, drift, leg.bias), still)
    J = []
    for column, twist in enumerate(moved):
        own = {j: float(column == number) for number, j in enumerate(leg.actuated, start=mine)}
        for j in (j for j, rate in own.items() if rate):
            twist = difference(cpu, twist, leg.b[j])
        J.append(unfold(cpu, leg, twist, own))
    M = layout.chains[k].inertia(cpu, leg.at)
    h = layout.chains[k].force(cpu, leg.at)
    taken = sum_of(cpu, times(cpu, full(M), lowest), h)
    driven = difference(cpu, tau, taken)
    part, _ = congruence(cpu, M, columns(J))
    return frozen(part), tuple(inner(cpu, column, driven) for column in J)


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
    """Torques of a site's actuated joints, given how they move; positions are of all its joints."""
    program = paper_torques if place.settings.recursion == "paper" else composite_torques
    found: list[float] = yield from program(cpu, place, q, rates, accelerations)
    return found


def composite_torques(
    cpu: Cpu, place: Place, q: Sequence[float], rates: Sequence[float], accelerations: Sequence[float]
) -> Steps[list[float]]:
    """The same, inertia matrices by composite bodies."""  # Khan eq. 3.40
    layout, centre = place.layout, Centre()
    at = place.by_chain(q)
    legs = {k: project(cpu, layout, k, at[k]) for k in place.chains}
    own, wanted = actuated_numbers(place, rates), actuated_numbers(place, accelerations)
    twist = yield from _first_twist(cpu, place, centre, legs, own)
    shares = []
    for k, leg in legs.items():
        add_rates(cpu, layout, k, leg, twist, own[k])
        for j, acceleration in wanted[k].items():
            leg.bias = more(cpu, leg.bias, acceleration, leg.b[j])
        shares.append(times(cpu, full(leg.Phi), leg.bias))
    twist_rate = yield from centre.solution(cpu, place, shares, "exchange 2")
    felt, handed = {}, []
    for k, leg in legs.items():
        accelerating = unfold(cpu, leg, difference(cpu, twist_rate, leg.bias), wanted[k])
        M = layout.chains[k].inertia(cpu, leg.at)
        felt[k] = sum_of(cpu, times(cpu, full(M), accelerating), layout.chains[k].force(cpu, leg.at))
        handed.append(_handed_on(cpu, leg, felt[k]))
    z = yield from centre.solution(cpu, place, handed, "exchange 3")
    torques: list[float] = []
    for (k, leg), share in zip(legs.items(), handed, strict=True):
        for j in leg.actuated:
            back = cpu.do(subtract, inner(cpu, leg.seen[j], z), inner(cpu, leg.b[j], share))
            torques.extend(sum_of(cpu, [felt[k][j]], [back]))
    return torques


def _first_twist(
    cpu: Cpu, place: Place, centre: Centre, legs: dict[int, Leg], own: dict[int, dict[int, float]]
) -> Steps[Row]:
    """The platform's twist."""  # Khan eq. 3.10
    mine = []
    for k, leg in legs.items():
        share: Row = [0.0] * len(leg.Phi)
        for number, (j, rate) in enumerate(own[k].items()):
            seen = leg.seen[j]
            share = more(cpu, share, rate, seen) if number else [cpu.do(multiply, rate, each) for each in seen]
        mine.append((frozen(leg.Phi), tuple(share)))

    def make(sent: list[Any]) -> list[Any]:
        centre.take(cpu, [Phi for Phi, _ in sent])
        return [centre.solved(cpu, [share for _, share in sent])] * len(place.network.nodes)

    twist: Row = yield from exchange(cpu, place, mine, make, "exchange 1")
    return twist


def _handed_on(cpu: Cpu, leg: Leg, felt: Sequence[float]) -> Row:
    """The wrench on the platform that stands for the torques of a leg's passive joints."""  # Khan sec. 3.2: p-bar
    total: Row = [0.0] * len(leg.Phi)
    for number, j in enumerate(reversed(leg.passive)):
        left = cpu.do(subtract, felt[j], inner(cpu, leg.b[j], total)) if number else felt[j]
        size = cpu.do(multiply, left, leg.inverse[j])
        total = more(cpu, total, size, leg.p[j]) if number else [cpu.do(multiply, size, each) for each in leg.p[j]]
    return total


def layout_for(mechanism: Mechanism, settings: Settings, others: str) -> tuple[LegLayout, Settings]:
    """Cut the platform; `others` are schemes that could take what this refuses. Settings are as given."""
    layout = leg_layout(mechanism, others)
    if settings.recursion == "paper":
        check_paper(layout)
    return layout, settings


RECURSIONS = ("composite", "paper")
"""Inertia matrices and forces by composite bodies, or all as Khan writes it."""
DENOC = Method(
    "denoc",
    "legs of a parallel mechanism by the decoupled natural orthogonal complement",
    ("one", "star", "complete"),
    ("partly",),
    denoc_rates,
    begin,
    finish,
    lambda mechanism, settings, _q: layout_for(mechanism, settings, "projection or multipliers"),
    leg_torques,
    relies_on=leading,
    accelerations=accelerations,
    options={"recursion": RECURSIONS},
)
