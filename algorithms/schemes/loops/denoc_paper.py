"""The decoupled natural orthogonal complement as Khan writes it: his lists of what nodes and the centre do.

Forward kinematics (sec. 3.1), gamma up the legs and then the platform for inverse dynamics (sec. 3.2), and eqs 3.41 to
3.48 for forward dynamics. His legs have three joints that turn, the first of them driven; here they may have any
number, slide, and lack the driven one. Misprints are put right: p-tilde_2 has Phi_3 in his list as in eq. 3.7, gamma is
M t' - w, alpha_1 ends in L_21 b_1; and Phi' of eq. 3.22 is used only where it is right, on multiples of p-tilde.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from meshsim.algorithms.kernels.core import (
    add,
    add_vectors,
    axpy,
    dot,
    multiply,
    ratio,
    scale,
    subtract,
    subtract_product,
    subtract_vectors,
)
from meshsim.algorithms.kernels.dense import (
    Row,
    Rows,
    columns,
    difference,
    full,
    inner,
    opposite,
    product,
    sum_of,
    times,
)
from meshsim.algorithms.kernels.matrices import transposed
from meshsim.algorithms.kernels.space import axpy_vector
from meshsim.algorithms.kernels.three import (
    add_symmetric,
    apply,
    lower,
    multiplied,
    outer,
    symmetric,
    whole,
)
from meshsim.algorithms.schemes.base.effort import Effort, regulated
from meshsim.algorithms.schemes.loops.layout import Layout
from meshsim.algorithms.schemes.loops.legs import actuated_numbers, by_leg, exchange, for_legs
from meshsim.algorithms.schemes.loops.method import Place
from meshsim.algorithms.schemes.loops.plane_chain import PlaneChain
from meshsim.algorithms.schemes.loops.plane_leg import (
    PlaneLeg,
    Posture,
    accelerate,
    felt,
    inertia,
    lag,
    move,
    place,
    project,
    spread,
)
from meshsim.algorithms.solvers.ldl import Factors, factor_ldl, substitute_ldl
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.errors import MeshSimError
from meshsim.program import Cpu, Steps

Blocks = dict[tuple[int, int], Rows]
"""Of the symmetric T^T I T the blocks on and below the diagonal, by actuated joints; of those on it the lower half."""


def check_paper(layout: Layout) -> None:
    """Refuse legs that Khan's recursion is not for."""
    other = "recursion=composite could take it"
    if layout.mechanism.plane is None:
        raise MeshSimError(
            f"denoc with recursion=paper takes mechanisms in a plane, and {layout.mechanism.name} is in none; {other}"
        )
    for k, chain in enumerate(layout.chains):
        if layout.actuated(k) not in ((), (0,)) or len(layout.actuated(k)) == chain.n:
            joint = layout.mechanism.joints[layout.mechanism.subsystems[k][0]]
            raise MeshSimError(
                f"denoc with recursion=paper takes legs of which the first joint alone is actuated, or none, and the "
                f"leg of {joint!r} is not so; {other}"
            )


class Centre:
    """What the centre keeps between exchanges: K, and of each leg Phi and b."""

    K: Factors
    Phi: list[Matrix]
    b: list[Vector]

    def take(self, cpu: Cpu, sent: Sequence[Any]) -> Vector:
        """K, and the platform's twist."""  # Khan eq. 3.10
        self.Phi = [whole(half) for half, _, _ in sent]
        self.b = [b[0] for _, b, _ in sent if b]
        total = self.Phi[0]
        for Phi in self.Phi[1:]:
            total = add_symmetric(cpu, total, Phi)
        self.K = factor_ldl(cpu, total)
        moved = [
            apply(cpu, Phi, cpu.do(scale, rate[0], b[0])) for Phi, (_, b, rate) in zip(self.Phi, sent, strict=True) if b
        ]
        return self.solved(cpu, moved)

    def solved(self, cpu: Cpu, shares: Sequence[Vector]) -> Vector:
        """K^-1 times a sum."""
        return vector(substitute_ldl(cpu, self.K, added(cpu, shares)))

    def S(self, cpu: Cpu, leg: int) -> Matrix:
        """K^-1 Phi."""
        solved = [vector(substitute_ldl(cpu, self.K, column)) for column in self.Phi[leg]]  # Phi is symmetric
        return transposed((solved[0], solved[1], solved[2]))


def added(cpu: Cpu, vectors: Sequence[Vector]) -> Vector:
    """The sum."""
    total = vectors[0]
    for each in vectors[1:]:
        total = cpu.do(add_vectors, total, each)
    return total


def vector(values: Sequence[float]) -> Vector:
    """Three numbers."""
    x, y, z = values
    return x, y, z


# Kinematics: Khan sec. 3.1


def motion(
    cpu: Cpu,
    here: Place,
    q: Sequence[float],
    rates: Sequence[float],
    accelerations: Sequence[float] | None,
    centre: Centre,
) -> Steps[tuple[dict[int, tuple[PlaneLeg, Posture]], Any]]:
    """How all legs move, accelerations of the passive joints included; and S: of each site's legs, or of all.

    Without accelerations, as forward dynamics asks, the actuated joints do not accelerate, and all S are sent.
    """
    layout, at, legs = here.layout, here.by_chain(q), {}
    own, mine = actuated_numbers(here, rates), []
    forward = accelerations is None
    wanted = actuated_numbers(here, accelerations) if accelerations is not None else {k: {} for k in here.chains}
    for k in here.chains:
        chain = layout.chains[k]
        assert isinstance(chain, PlaneChain)
        leg = PlaneLeg.of(chain, bool(layout.actuated(k)))
        posture = place(cpu, leg, at[k])
        project(cpu, leg, posture)
        legs[k] = leg, posture
        half = lower(posture.Phi[leg.passive[0]])
        mine.append((half, (posture.b[0],) if leg.actuated else (), tuple(own[k].values())))

    def twist(sent: list[Any]) -> list[Any]:
        t_P = centre.take(cpu, sent)
        S = [(centre.S(cpu, k) if layout.actuated(k) else ()) for k in range(len(sent))]
        parts = [S] * len(here.network.nodes) if forward else for_legs(here, S)
        return [(t_P, tuple(part)) for part in parts]

    t_P, S = yield from exchange(cpu, here, mine, twist, "exchange 1")
    mine, firsts = [], {}
    for k, (leg, posture) in legs.items():
        move(cpu, leg, posture, t_P, own[k].get(0, 0.0))
        firsts[k] = lag(cpu, leg, posture, t_P, wanted[k].get(0))
        inside = leg.passive[0]
        late = (posture.late[inside], lower(posture.Phi_bar[inside])) if inside in posture.late else ()
        mine.append((firsts[k], *late))

    def twist_rate(sent: list[Any]) -> list[Any]:
        shares = []
        for Phi, (first, *late) in zip(centre.Phi, sent, strict=True):
            share = apply(cpu, Phi, first)
            shares.append(cpu.do(add_vectors, share, apply(cpu, whole(late[1]), late[0])) if late else share)
        return [centre.solved(cpu, shares)] * len(here.network.nodes)  # Khan eq. 3.28

    td_P = yield from exchange(cpu, here, mine, twist_rate, "exchange 2")
    for k, (leg, posture) in legs.items():
        accelerate(cpu, leg, posture, t_P, td_P, firsts[k])
    return legs, S


# Inverse dynamics: Khan sec. 3.2


def paper_torques(
    cpu: Cpu, here: Place, q: Sequence[float], rates: Sequence[float], accelerations: Sequence[float]
) -> Steps[list[float]]:
    """Torques of a site's actuated joints, given how they move; positions are of all its joints."""
    legs, S = yield from motion(cpu, here, q, rates, accelerations, Centre())
    taken = {k: felt(cpu, leg, posture) for k, (leg, posture) in legs.items()}
    spreads = {k: spread(cpu, leg, posture) for k, (leg, posture) in legs.items()}
    own = dict(zip(here.chains, S, strict=True))
    found: list[float] = yield from projected(cpu, here, legs, taken, spreads, own)
    return found


def projected(
    cpu: Cpu,
    here: Place,
    legs: Mapping[int, tuple[PlaneLeg, Posture]],
    taken: Mapping[int, Sequence[float]],
    spreads: Mapping[int, Mapping[int, Vector]],
    S: Mapping[int, Any],
) -> Steps[list[float]]:
    """What the actuated joints take, of what the joints of open legs take."""  # Khan eq. 3.40
    bars = {}
    for k, (leg, _) in legs.items():
        first, *others = leg.passive
        bars[k] = cpu.do(scale, taken[k][first], spreads[k][first])
        for j in others:
            bars[k] = cpu.do(axpy_vector, taken[k][j], spreads[k][j], bars[k])
    sites = len(here.network.nodes)
    total = yield from exchange(cpu, here, list(bars.values()), lambda sent: [added(cpu, sent)] * sites, "exchange 3")
    found = []
    for k, (leg, posture) in legs.items():
        if leg.actuated:
            back = cpu.do(subtract_vectors, apply(cpu, transposed(S[k]), total), bars[k])
            found.append(cpu.do(add, taken[k][0], cpu.do(dot, posture.b[0], back)))
    return found


# Forward dynamics: Khan sec. 3.3


def paper_rates(cpu: Cpu, here: Place, y: Sequence[float], tau: Sequence[Effort]) -> Steps[list[float]]:
    """Rates of a leg's joints, and accelerations of those that are actuated; ports are the network's."""
    centre, q, efforts = Centre(), here.by_chain(y), here.by_chain(tau)
    legs, S = yield from motion(cpu, here, y, y[here.joints :], None, centre)
    taken = {}
    for k, (leg, posture) in legs.items():
        torques = regulated(cpu, efforts[k], q[k], posture.rates)
        taken[k] = difference(cpu, felt(cpu, leg, posture), torques)
    spreads = {k: spread(cpu, leg, posture) for k, (leg, posture) in legs.items()}
    left = yield from projected(cpu, here, legs, taken, spreads, dict(enumerate(S)))
    driven = iter(left)
    every, mine = [side for side in S if side], []
    for k, (leg, posture) in legs.items():
        own = sum(map(bool, S[:k])) if leg.actuated else None
        part = blocks(cpu, leg, posture, spreads[k], own, every)
        sent_rows = tuple(tuple(map(tuple, rows)) for rows in part.values())
        mine.append((sent_rows, (opposite(next(driven)),) if leg.actuated else ()))

    def solve(sent: list[Any]) -> list[Any]:
        return for_legs(here, by_leg(here.layout, _solved(cpu, centre.b, sent)))

    got = yield from exchange(cpu, here, mine, solve, "exchange 4")
    cpu.phase("solve")
    return [*(rate for _, at in legs.values() for rate in at.rates), *(each for part in got for each in part)]


def blocks(
    cpu: Cpu, leg: PlaneLeg, at: Posture, a: Mapping[int, Vector], own: int | None, S: Sequence[Matrix]
) -> Blocks:
    """T^T I T of a leg; `own` is the place of its joint among the actuated ones, S are of all."""  # Khan eq. 3.43
    M = inertia(cpu, leg, at)
    outwards = [a[k] for k in leg.passive]
    hat = {k: _combined(cpu, [M[max(j, k)][min(j, k)] for j in leg.passive], outwards) for k in range(leg.n)}
    bar = symmetric(lambda i, j: inner(cpu, [each[i] for each in outwards], [hat[k][j] for k in leg.passive]))
    sides: dict[int, Matrix] = dict(enumerate(S))
    right: dict[int, Rows] = {}
    if own is not None:
        b = at.b[0]
        first = cpu.do(scale, cpu.do(ratio, 1.0, cpu.do(dot, b, b)), b)  # a_1
        sides[own] = _less_one(cpu, S[own])  # A
        bracket = multiplied(cpu, bar, sides[own])
        right[own] = [sum_of(cpu, *rows) for rows in zip(outer(cpu, hat[0], first), bracket, strict=True)]
    right.update({k: multiplied(cpu, bar, side) for k, side in sides.items() if k != own})
    found: Blocks = {}
    for k, j in below(len(S)):
        if k == j:
            found[k, j] = _lower(cpu, sides[k], right[k])
        elif k == own:
            found[k, j] = product(cpu, columns(right[k]), sides[j])
        else:
            found[k, j] = product(cpu, columns(sides[k]), right[j])
    if own is not None:
        total = cpu.do(add_vectors, cpu.do(scale, M[0][0], first), apply(cpu, transposed(sides[own]), hat[0]))
        found[own, own] = [
            [cpu.do(axpy, first[i], total[j], entry) for j, entry in enumerate(row)]
            for i, row in enumerate(found[own, own])
        ]
    return found


def below(n: int) -> list[tuple[int, int]]:
    """The places on and below the diagonal."""
    return [(k, j) for k in range(n) for j in range(k + 1)]


def _combined(cpu: Cpu, weights: Sequence[float], vectors: Sequence[Vector]) -> Vector:
    total = cpu.do(scale, weights[0], vectors[0])
    for weight, each in zip(weights[1:], vectors[1:], strict=True):
        total = cpu.do(axpy_vector, weight, each, total)
    return total


def _less_one(cpu: Cpu, A: Matrix) -> Matrix:
    rows = [[cpu.do(subtract, v, 1.0) if i == j else v for j, v in enumerate(row)] for i, row in enumerate(A)]
    return vector(rows[0]), vector(rows[1]), vector(rows[2])


def _lower(cpu: Cpu, left: Rows, right: Rows) -> list[list[float]]:
    """The lower triangle of left^T right."""
    across, down = columns(left), columns(right)
    return [[inner(cpu, across[i], down[j]) for j in range(i + 1)] for i in range(3)]


def _solved(cpu: Cpu, b: Sequence[Vector], sent: Sequence[Any]) -> list[float]:
    """Accelerations of the actuated joints, by elimination from the last."""  # Khan eqs 3.45 to 3.48
    n = len(b)
    L = dict(zip(below(n), sent[0][0], strict=True))
    for parts, _ in sent[1:]:
        for where, part in zip(below(n), parts, strict=True):
            L[where] = [sum_of(cpu, *rows) for rows in zip(L[where], part, strict=True)]
    tau = [each for _, some in sent for each in some]
    y: dict[tuple[int, int], list[float]] = {}
    alpha = [0.0] * n
    for m in reversed(range(n)):
        for j in range(m + 1):
            y[m, j] = times(cpu, columns(full(L[m, m]) if j == m else L[m, j]), b[m])
        alpha[m] = inner(cpu, b[m], y[m, m])
        inverse = cpu.do(ratio, 1.0, alpha[m]) if m else 0.0
        for k in range(m):
            over = [cpu.do(multiply, inverse, each) for each in y[m, k]]
            tau[k] = cpu.do(subtract_product, tau[k], inner(cpu, b[k], over), tau[m])
            for j in range(k + 1):
                L[k, j] = _less_product(cpu, L[k, j], over, y[m, j])
    found: list[float] = []
    for k in range(n):
        left = tau[k]
        for j in range(k):
            left = cpu.do(subtract_product, left, inner(cpu, y[k, j], b[j]), found[j])
        found.append(cpu.do(ratio, left, alpha[k]))
    return found


def _less_product(cpu: Cpu, A: Rows, x: Row, y: Row) -> list[list[float]]:
    """A - x y^T, as much as there is of A."""
    return [[cpu.do(subtract_product, v, x[i], y[j]) for j, v in enumerate(row)] for i, row in enumerate(A)]
