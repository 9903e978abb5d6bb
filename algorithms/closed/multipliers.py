"""The equations of all chains with the constraints' second derivatives: the reference, on one processor.  # KTK eq. 6

[M A^T; A 0] [q''; lambda] = [tau - h; -A' q'], by elimination of q'': A M^-1 A^T lambda = A M^-1 (tau - h) + A' q'.
Nothing draws a constraint back that is violated.
"""

from collections.abc import Sequence

from algorithms.closed.dense import columns, difference, inner, sum_of, times
from algorithms.closed.layout import Ended, add_biases, add_jacobians, gaps, grounded, jacobian_rows, reach
from algorithms.closed.method import Method, Place
from algorithms.closed.penalty import begin, finish
from algorithms.kernels import subtract
from algorithms.ldl import solve_ldl
from meshsim.processor import Processor, Steps


def multiplier_rates(cpu: Processor, place: Place, y: Sequence[float], tau: Sequence[float]) -> Steps[list[float]]:
    """Positions and rates of all joints; no ports."""
    layout, n = place.layout, place.joints
    q, qd, torques = place.by_chain(y), place.by_chain(y[n:]), place.by_chain(tau)
    ends: dict[tuple[int, int], Ended] = {**grounded(layout)}
    free: dict[int, list[float]] = {}  # accelerations without loops
    pushed: dict[int, list[list[float]]] = {}  # and those by each constraint's unit force
    A: dict[int, list[list[float]]] = {}
    for k in place.chains:
        chain = layout.chains[k]
        at = chain.place(cpu, q[k])
        chain.move(cpu, at, qd[k])
        chain.drift(cpu, at, qd[k])
        own = reach(cpu, layout, k, at)
        add_jacobians(cpu, layout, k, at, own)
        add_biases(cpu, layout, k, at, own)
        M = chain.inertia(cpu, at)
        b = [cpu.do(subtract, a, b) for a, b in zip(torques[k], chain.force(cpu, at), strict=True)]
        A[k] = jacobian_rows(cpu, layout, own, chain.n)
        free[k] = solve_ldl(cpu, M, b)
        pushed[k] = [solve_ldl(cpu, M, row) if any(row) else [0.0] * chain.n for row in A[k]]
        ends.update(own)
    m = layout.m
    S = [[0.0] * (i + 1) for i in range(m)]
    rhs = [
        each for row in gaps(cpu, {key: end.bias for key, end in ends.items()}, range(len(layout.cuts))) for each in row
    ]
    for k in place.chains:
        used = [i for i in range(m) if any(A[k][i])]
        for i in used:
            for j in (j for j in used if j <= i):
                S[i][j] = sum_of(cpu, [S[i][j]], [inner(cpu, A[k][i], pushed[k][j])])[0]
            rhs[i] = sum_of(cpu, [rhs[i]], [inner(cpu, A[k][i], free[k])])[0]
    forces = solve_ldl(cpu, S, rhs)
    qdd: list[float] = []
    for k in place.chains:
        qdd += difference(cpu, free[k], times(cpu, columns(pushed[k]), forces))
    cpu.phase("solve")
    yield cpu.par()  # a program is a generator, even one that meets nobody
    return [*y[n:], *qdd]


MULTIPLIERS = Method(
    "multipliers",
    "the constraints' accelerations as further equations, on one processor: the reference",
    ("one",),
    ("full",),
    multiplier_rates,
    begin,
    finish,
)
