"""Angeles and Ma's natural orthogonal complement on one processor: M = P^T P, h by a recursion, then Cholesky.

P has the blocks [N c_ij, sqrt(m) rho_ij x c_ij], where N^T N = J. Formed off line: N (the symmetric root of J), N z and
sqrt(m). Not off line, as the count that Wong corrected seems to have it: sqrt(m) k x z, and the products of these two
on the diagonal of M.                                                                   # Wong secs 3.1.1, 3.2, 3.3
"""

from collections.abc import Sequence

import numpy as np

from meshsim.algorithms.kernels.composite import moment_z
from meshsim.algorithms.kernels.core import add, add_vectors, cross, matvec, scale, scale_cross_z
from meshsim.algorithms.kernels.inertial import spatial_dot
from meshsim.algorithms.kernels.matrices import third_column
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.one.luh_walker_paul import carry_inward, torque_kernel
from meshsim.algorithms.schemes.one.one_processor import Formed, forming_scheme
from meshsim.algorithms.schemes.one.one_wong import (
    accelerations,
    arms,
    axes,
    momentum_rate,
    paired,
    products,
    rates,
    rotations,
    sums,
    turnings,
)
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu


def root(J: Matrix) -> Matrix:
    """The symmetric root of an inertia: formed off line."""
    values, vectors = np.linalg.eigh(np.array(J))
    (a, b, c), (d, e, f), (g, h, i) = ((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T).tolist()
    return (a, b, c), (d, e, f), (g, h, i)


def inertia_matrix(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix]) -> list[list[float]]:
    """The lower triangle of M."""
    N = [root(local.J) for local in local_bodies]
    root_mass = [float(np.sqrt(local.m)) for local in local_bodies]
    c, rho = axes(cpu, local_bodies, A), arms(cpu, local_bodies, A, [local.k for local in local_bodies])
    angular = [{j: cpu.do(matvec, N[i], c[i][j]) for j in local.ancestors} for i, local in enumerate(local_bodies)]
    linear = [
        {j: cpu.do(scale, root_mass[i], cpu.do(cross, rho[i][j], c[i][j])) for j in local.ancestors}
        for i, local in enumerate(local_bodies)
    ]
    for i, local in enumerate(local_bodies):
        angular[i][i] = third_column(N[i])
        linear[i][i] = cpu.do(scale_cross_z, root_mass[i], local.k)
    P = paired(angular, linear)
    own = [cpu.do(spatial_dot, row[i], row[i]) for i, row in enumerate(P)]
    terms = products(cpu, local_bodies, P, P, own)
    cpu.phase("terms")
    return sums(cpu, len(local_bodies), terms)


def force_vector(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], lift: Vector) -> list[float]:
    """h: momentum derivatives outwards, as in the thesis, and wrenches inwards; of body 1 only what its joint feels."""
    n = len(local_bodies)
    w, wd = rates(cpu, local_bodies, A)
    W = turnings(cpu, local_bodies, w, wd)
    pdd = accelerations(cpu, local_bodies, A, [local.k for local in local_bodies], w, W, lift)
    mpdd = [cpu.do(scale, local.m, each) for local, each in zip(local_bodies, pdd, strict=True)]
    h: list[float] = []
    force = moment = None
    for i in reversed(range(1, n)):
        own = cpu.do(
            add_vectors, momentum_rate(cpu, local_bodies[i], w[i], wd[i]), cpu.do(cross, local_bodies[i].com, mpdd[i])
        )
        if force is None or moment is None:
            force, moment = mpdd[i], own
        else:
            beyond = carry_inward(cpu, local_bodies[i + 1], A[i + 1], local_bodies[i].span, (force, moment))
            force, moment = cpu.do(add_vectors, mpdd[i], beyond[0]), cpu.do(add_vectors, own, beyond[1])
        h.append(moment[2])  # Wong eq. 3.33
    at_base = cpu.do(moment_z, local_bodies[0].com, mpdd[0])
    if force is None or moment is None:
        return [at_base]
    beyond_base = cpu.do(torque_kernel(local_bodies[1]), A[1], local_bodies[0].span, (force, moment))
    return [cpu.do(add, at_base, beyond_base), *reversed(h)]


def form(cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector) -> Formed:
    """M and h."""
    A = rotations(cpu, local_bodies)
    M = inertia_matrix(cpu, local_bodies, A)
    cpu.phase("inertia")
    h = force_vector(cpu, local_bodies, A, lift)
    cpu.phase("force")
    return M, h


ONE_ANGELES = forming_scheme(
    name="one-angeles",
    summary="Angeles and Ma's natural orthogonal complement on one processor, with Cholesky's factorisation",
    form=form,
    solver="cholesky",
)
