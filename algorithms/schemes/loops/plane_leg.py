"""A leg in a plane as Khan writes it, counted: twists of mass centres, (omega, velocity), and what projects them.

Of link k, d_k leads from its joint to its mass centre and a_k from the mass centre before to its own; P is the point of
the platform that all legs share, s_k leads to it from the mass centre of k. With E the quarter turn:

    t_k = B_k,k-1 t_k-1 + p_k theta'_k,  B_k,k-1 t = (omega, v + omega E a_k),  p_k = (1, E d_k)      # Khan eq. 3.2

or p_k = (0, e_k) for a joint that slides along e_k. What of a matrix is known to be 0 or 1 is not computed; matrices
that he names are formed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from meshsim.algorithms.kernels.core import (
    add,
    add_vectors,
    dot,
    multiply,
    ratio,
    scale,
    sine_cosine,
    subtract,
    subtract_vectors,
)
from meshsim.algorithms.kernels.dense import opposite, times
from meshsim.algorithms.kernels.plane import (
    Pair,
    add_pairs,
    axpy_pair,
    carry_inertia,
    carry_moment,
    carry_velocity,
    cross_pairs,
    dot_pairs,
    scale_pair,
    subtract_pairs,
    turn_pair,
)
from meshsim.algorithms.kernels.three import apply, from_one, negative, outer, squared, subtract_symmetric
from meshsim.algorithms.schemes.loops.plane_chain import STILL, UNTURNED, PlaneBody, PlaneChain
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu

_SMALL = 1e-12
"""Metres: points that are nearer are one."""


@dataclass(frozen=True)
class Link:
    """A body, and its mass centre from its joint, its joint from the mass centre before, and its own moment."""

    body: PlaneBody
    d: Pair
    r: Pair
    inertia: float


@dataclass(frozen=True)
class PlaneLeg:
    """Links from the ground to the platform's part, and P from the last mass centre."""

    links: tuple[Link, ...]
    to_platform: Pair
    actuated: bool  # the first joint; no other is

    @staticmethod
    def of(chain: PlaneChain, actuated: bool) -> "PlaneLeg":
        """From a chain whose first joint is actuated, or none."""
        links: list[Link] = []
        before = STILL
        for body in chain.bodies:
            d = _still(body.moment[0] / body.mass, body.moment[1] / body.mass) if body.mass else STILL
            r = _still(body.offset[0] - before[0], body.offset[1] - before[1])
            links.append(Link(body, d, r, body.inertia - body.mass * (d[0] * d[0] + d[1] * d[1])))
            before = d
        arm = chain.ends[0].arm
        return PlaneLeg(tuple(links), _still(arm[0] - before[0], arm[1] - before[1]), actuated)

    @property
    def n(self) -> int:
        """How many joints it has."""
        return len(self.links)

    @cached_property
    def passive(self) -> tuple[int, ...]:
        """Joints that nothing drives, from the ground outward."""
        return tuple(range(1 if self.actuated else 0, self.n))


def _still(x: float, y: float) -> Pair:
    """A constant vector, known to be zero if it is."""
    return STILL if max(abs(x), abs(y)) < _SMALL else (x, y)


@dataclass
class Posture:
    """What has been computed of a leg so far, by joint."""

    e: list[Pair] = field(default_factory=list)
    d: list[Pair] = field(default_factory=list)
    a: list[Pair] = field(default_factory=list)
    s: list[Pair] = field(default_factory=list)
    b: list[Vector] = field(default_factory=list)  # B_Pk p_k
    p: dict[int, Vector] = field(default_factory=dict)  # p-tilde
    over: dict[int, Vector] = field(default_factory=dict)  # p-tilde / delta
    Phi: dict[int, Matrix] = field(default_factory=dict)
    Phi_bar: dict[int, Matrix] = field(default_factory=dict)
    rates: list[float] = field(default_factory=list)
    pd: list[Pair] = field(default_factory=list)  # of p' what is not 0
    t: list[Vector] = field(default_factory=list)
    lag: dict[int, Vector] = field(default_factory=dict)  # t_P - B_P,k-1 t_k-1
    late: dict[int, Vector] = field(default_factory=dict)  # a_2 of eq. 3.26, by the joint that it is beyond
    slowed: list[Vector] = field(default_factory=list)  # t'_k without p_k theta''_k
    td: list[Vector] = field(default_factory=list)


# Positions, and what projects: Khan sec. 3.1, (i)


def place(cpu: Cpu, leg: PlaneLeg, q: Sequence[float]) -> Posture:
    """Vectors between joints and mass centres, and b."""
    at = Posture()
    phi, turn = 0.0, UNTURNED
    for i, link in enumerate(leg.links):
        body = link.body
        e = _turned(cpu, turn, body.axis) if body.slides else STILL
        r = _turned(cpu, turn, link.r) if i else STILL
        if body.slides and i:
            r = cpu.do(axpy_pair, q[i], e, r)
        elif not body.slides:
            signed = opposite(q[i]) if body.backwards else q[i]
            phi = signed if turn is UNTURNED else cpu.do(add, phi, signed)
            turn = cpu.do(sine_cosine, phi)
        d = _turned(cpu, turn, link.d)
        at.e.append(e)
        at.d.append(d)
        at.a.append(_sum(cpu, r, d) if i else STILL)
    s = _turned(cpu, turn, leg.to_platform)
    for i in reversed(range(leg.n)):
        at.s.insert(0, s)
        s = _sum(cpu, s, at.a[i])
    at.b = [_moved(cpu, leg, at, i) for i in range(leg.n)]
    return at


def _turned(cpu: Cpu, turn: Pair, v: Pair) -> Pair:
    return v if turn is UNTURNED or v is STILL else cpu.do(turn_pair, turn, v)


def _sum(cpu: Cpu, x: Pair, y: Pair) -> Pair:
    """X + y; nothing is done for what is known to be zero."""
    return y if x is STILL else x if y is STILL else cpu.do(add_pairs, x, y)


def _moved(cpu: Cpu, leg: PlaneLeg, at: Posture, i: int) -> Vector:
    """B_Pi p_i."""
    body = leg.links[i].body
    if body.slides:
        return 0.0, *at.e[i]
    x, y = _sum(cpu, at.d[i], at.s[i])
    return (-1.0, y, opposite(x)) if body.backwards else (1.0, opposite(y), x)


def project(cpu: Cpu, leg: PlaneLeg, at: Posture) -> None:
    """p-tilde, delta and Phi of the passive joints, from the platform inward."""  # Khan eqs 3.4 to 3.8
    outside: Matrix | None = None
    for k in reversed(leg.passive):
        p = at.p[k] = at.b[k] if outside is None else apply(cpu, outside, at.b[k])
        over = at.over[k] = cpu.do(scale, cpu.do(ratio, 1.0, cpu.do(dot, p, p)), p)
        W = squared(cpu, over, p)
        at.Phi_bar[k] = from_one(cpu, W)
        at.Phi[k] = at.Phi_bar[k] if outside is None else subtract_symmetric(cpu, outside, W)
        outside = at.Phi[k]


# Rates: (iii)


def move(cpu: Cpu, leg: PlaneLeg, at: Posture, t_P: Vector, own: float) -> None:
    """Twists and rates from the ground outward, given the platform's twist and the rate of the actuated joint."""
    for k in range(leg.n):
        rate = own
        if k in leg.passive:
            at.lag[k] = cpu.do(subtract_vectors, t_P, carry(cpu, at.t[k - 1], at.s[k - 1])) if k else t_P
            rate = cpu.do(dot, at.over[k], at.lag[k])  # Khan eqs 3.4, 3.7
        at.rates.append(rate)
        own_part = _generated(cpu, leg, at, k, rate)
        at.t.append(cpu.do(add_vectors, carry(cpu, at.t[k - 1], at.a[k]), own_part) if k else own_part)


def carry(cpu: Cpu, t: Vector, arm: Pair) -> Vector:
    """B t, for an arm from one point to the other."""
    w, x, y = t
    return t if arm is STILL else (w, *cpu.do(carry_velocity, (x, y), w, arm))


def _generated(cpu: Cpu, leg: PlaneLeg, at: Posture, k: int, rate: float) -> Vector:
    """p_k times a rate, or an acceleration."""
    body = leg.links[k].body
    if body.slides:
        return 0.0, *cpu.do(scale_pair, rate, at.e[k])
    w = opposite(rate) if body.backwards else rate
    x, y = STILL if at.d[k] is STILL else cpu.do(scale_pair, w, at.d[k])
    return w, opposite(y), x


def lag(cpu: Cpu, leg: PlaneLeg, at: Posture, t_P: Vector, acceleration: float | None) -> Vector:
    """a_1 of eq. 3.26 for the first passive joint; a_2 of all outer ones is kept. The actuated one may accelerate."""
    v_P = t_P[1:]
    at.pd = [_changed(cpu, leg, at, k) for k in range(leg.n)]
    if leg.actuated:
        _slow(cpu, at, 0)
        first = at.slowed[0]
        if acceleration is not None:
            first = cpu.do(add_vectors, first, _generated(cpu, leg, at, 0, acceleration))
        at.td.append(first)
    inside, *others = leg.passive
    _slow(cpu, at, inside)
    late: Vector | None = None
    for k in reversed(others):
        ahead = apply(cpu, _changing(cpu, leg, at, k, v_P), negative(at.lag[k]))
        late = ahead if late is None else cpu.do(add_vectors, ahead, apply(cpu, at.Phi_bar[k], late))
        at.late[k - 1] = late
    return _reached(cpu, at, inside, v_P)


def _slow(cpu: Cpu, at: Posture, k: int) -> None:
    """B'_k,k-1 t_k-1 + B_k,k-1 t'_k-1 + p'_k theta'_k: what mass centre k accelerates by with its own joint still."""
    own = at.pd[k] if at.pd[k] is STILL else cpu.do(scale_pair, at.rates[k], at.pd[k])
    if k == 0:
        at.slowed.append((0.0, *own))
        return
    x, y = cpu.do(scale_pair, at.t[k - 1][0], cpu.do(subtract_pairs, at.t[k][1:], at.t[k - 1][1:]))
    w, u, v = carry(cpu, at.td[k - 1], at.a[k])
    at.slowed.append((w, *cpu.do(add_pairs, (u, v), _sum(cpu, (opposite(y), x), own))))


def _changed(cpu: Cpu, leg: PlaneLeg, at: Posture, k: int) -> Pair:
    """The velocity part of p'_k; its other part is 0."""
    body = leg.links[k].body
    if body.slides:
        if k == 0:
            return STILL
        x, y = cpu.do(scale_pair, at.t[k - 1][0], at.e[k])
        return opposite(y), x
    if at.d[k] is STILL:
        return STILL
    x, y = cpu.do(scale_pair, at.t[k][0], at.d[k])
    return (x, y) if body.backwards else (opposite(x), opposite(y))


def _changing(cpu: Cpu, leg: PlaneLeg, at: Posture, k: int, v_P: Pair) -> Matrix:
    """Phi'_k, - Phi_k b'_k p-tilde_k^T / delta_k; b'_k = B'_Pk p_k + B_Pk p'_k."""  # Khan eq. 3.22
    changed, body = at.pd[k], leg.links[k].body
    if not body.slides:
        u, v = cpu.do(subtract_pairs, v_P, at.t[k][1:])
        changed = _sum(cpu, (v, opposite(u)) if body.backwards else (opposite(v), u), changed)
    left = times(cpu, [row[1:] for row in at.Phi[k]], changed)
    return outer(cpu, negative((left[0], left[1], left[2])), at.over[k])


def _reached(cpu: Cpu, at: Posture, k: int, v_P: Pair) -> Vector:
    """What P accelerates by with joint k and all outer ones still: B_Pk slowed_k + B'_Pk t_k."""
    w, x, y = carry(cpu, at.slowed[k], at.s[k])
    u, v = cpu.do(scale_pair, at.t[k][0], cpu.do(subtract_pairs, v_P, at.t[k][1:]))
    return w, *cpu.do(add_pairs, (x, y), (opposite(v), u))


# Accelerations: (v)


def accelerate(cpu: Cpu, leg: PlaneLeg, at: Posture, t_P: Vector, td_P: Vector, first: Vector) -> None:
    """Accelerations of the passive joints, and twist rates; `first` is what `lag` gave."""
    for k in leg.passive:
        if k != leg.passive[0]:
            _slow(cpu, at, k)
            first = _reached(cpu, at, k, t_P[1:])
        left = cpu.do(subtract_vectors, td_P, first)
        if k in at.late:
            left = cpu.do(subtract_vectors, apply(cpu, at.Phi[k + 1], left), at.late[k])
        acceleration = cpu.do(dot, at.over[k], left)  # Khan eqs 3.17, 3.26
        at.td.append(cpu.do(add_vectors, at.slowed[k], _generated(cpu, leg, at, k, acceleration)))


# Dynamics: Khan sec. 3.2, (i)


def felt(cpu: Cpu, leg: PlaneLeg, at: Posture) -> list[float]:
    """tau-tilde: what each joint of the open leg takes, by gamma from the platform inward."""
    torques = [0.0] * leg.n
    n, f = 0.0, STILL
    for k in reversed(range(leg.n)):
        body, link = leg.links[k].body, leg.links[k]
        if k + 1 < leg.n:
            n = cpu.do(carry_moment, n, at.a[k + 1], f)  # B^T gamma
        if body.mass:
            w, x, y = at.td[k]
            weight = cpu.do(scale_pair, body.mass, cpu.do(add_pairs, (x, y), body.lift))
            own = cpu.do(multiply, link.inertia, w)
            if body.load:
                own = cpu.do(subtract, own, body.load)
            n, f = (own, weight) if k + 1 == leg.n else (cpu.do(add, n, own), cpu.do(add_pairs, f, weight))
        torques[k] = _along(cpu, leg, at, k, n, f)
    return torques


def _along(cpu: Cpu, leg: PlaneLeg, at: Posture, k: int, n: float, f: Pair) -> float:
    """p_k . (n, f)."""
    body = leg.links[k].body
    if body.slides:
        return cpu.do(dot_pairs, at.e[k], f)
    moment = n if at.d[k] is STILL else cpu.do(carry_moment, n, at.d[k], f)
    return opposite(moment) if body.backwards else moment


def inertia(cpu: Cpu, leg: PlaneLeg, at: Posture) -> list[list[float]]:
    """The lower triangle of N_d^T N_l^T M N_l N_d, by the masses of each link and all beyond it."""  # Khan eq. 3.34
    found = [[0.0] * (i + 1) for i in range(leg.n)]
    J, h, m = 0.0, STILL, 0.0
    for i in reversed(range(leg.n)):
        body, link = leg.links[i].body, leg.links[i]
        if i + 1 < leg.n:
            J = cpu.do(carry_inertia, J, h, m, at.a[i + 1])
            h = cpu.do(axpy_pair, m, at.a[i + 1], h)
        J, m = (cpu.do(add, J, link.inertia) if i + 1 < leg.n else link.inertia), body.carried
        n, f = _momentum(cpu, leg, at, i, (J, h, m))
        for k in reversed(range(i + 1)):
            found[i][k] = _along(cpu, leg, at, k, n, f)
            if k:
                n = cpu.do(carry_moment, n, at.a[k], f)
    return found


def _momentum(cpu: Cpu, leg: PlaneLeg, at: Posture, i: int, mass: tuple[float, Pair, float]) -> tuple[float, Pair]:
    """M p_i, for the mass of link i and all beyond it: about its mass centre J, first moment h, and m."""
    (J, h, m), body = mass, leg.links[i].body
    if body.slides:
        return cpu.do(cross_pairs, h, at.e[i]), cpu.do(scale_pair, m, at.e[i])
    x, y = cpu.do(axpy_pair, m, at.d[i], h)
    n = cpu.do(add, J, cpu.do(dot_pairs, h, at.d[i]))
    return (opposite(n), (y, opposite(x))) if body.backwards else (n, (opposite(y), x))


def spread(cpu: Cpu, leg: PlaneLeg, at: Posture) -> dict[int, Vector]:
    """a_k = Psi p-tilde_k / delta_k of each passive joint, Psi of all passive ones inside it."""  # Khan eq. 3.13
    found: dict[int, Vector] = {}
    inside: list[Matrix] = []
    for k in leg.passive:
        x = at.over[k]
        for Psi in reversed(inside):
            x = apply(cpu, Psi, x)
        found[k] = x
        if k != leg.passive[-1]:
            inside.append(from_one(cpu, outer(cpu, at.over[k], at.b[k])))  # (1 - b p-tilde^T / delta)^T
    return found
