"""The equations of all chains with the constraints' second derivatives: the reference, on one processor.  # KTK eq. 6

[M A^T; A 0] [q''; lambda] = [tau - h; -A' q'], by elimination of q'': A M^-1 A^T lambda = A M^-1 (tau - h) + A' q'.
A violated constraint is not corrected.
"""

from collections.abc import Mapping, Sequence

from meshsim.algorithms.kernels.dense import Row, Rows, columns, difference, inner, sum_of, times
from meshsim.algorithms.schemes.base.effort import Effort, regulated
from meshsim.algorithms.schemes.loops.layout import (
    add_biases,
    add_jacobians,
    directions,
    gap_biases,
    grounded,
    jacobian_rows,
    reach,
)
from meshsim.algorithms.schemes.loops.method import Method, Place, regular_layout
from meshsim.algorithms.schemes.loops.penalty import begin, finish
from meshsim.algorithms.solvers.ldl import solve_ldl
from meshsim.program import Cpu, Steps


def multiplier_rates(cpu: Cpu, place: Place, y: Sequence[float], tau: Sequence[Effort]) -> Steps[list[float]]:
    """Positions and rates of all joints; no ports."""
    layout, n = place.layout, place.joints
    q, qd, efforts = place.by_chain(y), place.by_chain(y[n:]), place.by_chain(tau)
    ends, placed = grounded(layout), {}
    for k, chain in enumerate(layout.chains):
        at = placed[k] = chain.place(cpu, q[k])
        chain.move(cpu, at, qd[k])
        chain.drift(cpu, at, qd[k])
        own = reach(cpu, layout, k, at)
        add_jacobians(cpu, layout, k, at, own)
        add_biases(cpu, layout, k, at, own)
        ends.update(own)
    across = directions(cpu, layout, ends, range(len(layout.cuts)))
    free: dict[int, Row] = {}  # accelerations without loops
    pushed: dict[int, Rows] = {}  # and those by each constraint's unit force
    A: dict[int, Rows] = {}
    for k, chain in enumerate(layout.chains):
        M = chain.inertia(cpu, placed[k])
        A[k] = jacobian_rows(cpu, layout, ends, across, k)
        torques = regulated(cpu, efforts[k], q[k], qd[k])
        free[k] = solve_ldl(cpu, M, difference(cpu, torques, chain.force(cpu, placed[k])))
        pushed[k] = [solve_ldl(cpu, M, row) if any(row) else [0.0] * chain.n for row in A[k]]
    forces = _forces(cpu, gap_biases(cpu, layout, ends, across), A, pushed, free)
    qdd: list[float] = []
    for k in free:
        qdd.extend(difference(cpu, free[k], times(cpu, columns(pushed[k]), forces)))
    cpu.phase("solve")
    yield cpu.par()  # a program is a generator, even one that meets nobody
    return [*y[n:], *qdd]


def _forces(
    cpu: Cpu, bias: Row, A: Mapping[int, Rows], pushed: Mapping[int, Rows], free: Mapping[int, Row]
) -> list[float]:
    """Lambda, with a part of the matrix from each chain."""
    rhs = list(bias)
    S = [[0.0] * (i + 1) for i in range(len(rhs))]
    for k, rows in A.items():
        used = [i for i, row in enumerate(rows) if any(row)]
        for i in used:
            for j in (j for j in used if j <= i):
                S[i][j] = sum_of(cpu, [S[i][j]], [inner(cpu, rows[i], pushed[k][j])])[0]
            rhs[i] = sum_of(cpu, [rhs[i]], [inner(cpu, rows[i], free[k])])[0]
    return solve_ldl(cpu, S, rhs)


MULTIPLIERS = Method(
    "multipliers",
    "the constraints' accelerations as further equations, on one processor: the reference",
    ("one",),
    ("full",),
    multiplier_rates,
    begin,
    finish,
    regular_layout,
)
