"""Angeles and Ma's natural orthogonal complement on one processor: M = P^T P, h by a recursion, then Cholesky.

P has the blocks [N c_ij, sqrt(m) rho_ij x c_ij], where N^T N = J; they are [0, sqrt(m) c_ij] where joint j slides,
and zero where it does not carry body i. Formed off line: N (the symmetric root of J), N z and sqrt(m). Not off line, as
the count that Wong corrected seems to have it: sqrt(m) k x z, and the products of these two on the diagonal of M.
                                                                                        # Wong secs 3.1.1, 3.2, 3.3
"""

from collections.abc import Sequence

import numpy as np

from meshsim.algorithms.kernels.composite import moment_z
from meshsim.algorithms.kernels.core import add, add_along_z, add_vectors, cross, matvec, scale, scale_cross_z
from meshsim.algorithms.kernels.inertial import Spatial, spatial_dot
from meshsim.algorithms.kernels.matrices import third_column
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.base.joints import hinge_on
from meshsim.algorithms.schemes.one.luh_walker_paul import base_share, carry_inward, sum_of
from meshsim.algorithms.schemes.one.one_processor import Formed, forming_scheme
from meshsim.algorithms.schemes.one.one_wong import (
    accelerations,
    arms,
    axes,
    hinges,
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


def inertia_matrix(
    cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], k: Sequence[Vector]
) -> list[list[float]]:
    """The lower triangle of M."""
    N = [root(local.J) for local in local_bodies]
    root_mass = [float(np.sqrt(local.m)) for local in local_bodies]
    c, rho = axes(cpu, local_bodies, A), arms(cpu, local_bodies, A, k)
    angular = [
        {j: cpu.do(matvec, N[i], c[i][j]) for j in local.ancestors if not local_bodies[j].slides}
        for i, local in enumerate(local_bodies)
    ]
    linear = [
        {
            j: cpu.do(scale, root_mass[i], c[i][j] if local_bodies[j].slides else cpu.do(cross, rho[i][j], c[i][j]))
            for j in local.ancestors
        }
        for i, local in enumerate(local_bodies)
    ]
    for i, local in enumerate(local_bodies):
        if local.slides:
            linear[i][i] = 0.0, 0.0, root_mass[i]
        else:
            angular[i][i] = third_column(N[i])
            linear[i][i] = cpu.do(scale_cross_z, root_mass[i], local.k)
    P = paired(angular, linear)
    own = [
        local.m if local.slides else cpu.do(spatial_dot, row[i], row[i])
        for i, (local, row) in enumerate(zip(local_bodies, P, strict=True))
    ]
    terms = products(cpu, local_bodies, P, P, own)
    cpu.phase("terms")
    return sums(cpu, len(local_bodies), terms)


def span_between(cpu: Cpu, local: LocalBody, carrier: LocalBody) -> Vector:
    """From the hinge of a body's carrier to its own; that of a joint that slides is where it stands at 0."""
    span = hinge_on(local, carrier)
    return cpu.do(add_along_z, span, carrier.q) if carrier.slides else span


def force_vector(
    cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], k: Sequence[Vector], lift: Vector
) -> list[float]:
    """h: momentum derivatives outwards, as in the thesis, and wrenches inwards; on the ground only what joints feel."""
    w, wd = rates(cpu, local_bodies, A)
    W = turnings(cpu, local_bodies, w, wd)
    pdd = accelerations(cpu, local_bodies, A, k, w, W, lift)
    mpdd = [cpu.do(scale, local.m, each) for local, each in zip(local_bodies, pdd, strict=True)]
    h = [0.0] * len(local_bodies)
    total: dict[int, Spatial] = {}  # on each body, from all that it carries as well
    for i in reversed(range(len(local_bodies))):
        local = local_bodies[i]
        carried = [j for j in total if local_bodies[j].parent == i]
        spans = {j: span_between(cpu, local_bodies[j], local) for j in carried if local.ancestors or not local.slides}
        if not local.ancestors:
            shares = [mpdd[i][2] if local.slides else cpu.do(moment_z, local.com, mpdd[i])]
            shares += [base_share(cpu, local, local_bodies[j], A[j], spans.get(j), total[j]) for j in carried]
            h[i] = sum_of(cpu, add, shares)
            continue
        swing = cpu.do(cross, mpdd[i], k[i]) if local.slides else cpu.do(cross, local.com, mpdd[i])
        own = cpu.do(add_vectors, momentum_rate(cpu, local, w[i], wd[i]), swing)
        beyond = [carry_inward(cpu, local_bodies[j], A[j], spans[j], total[j]) for j in carried]
        forces, moments = zip((mpdd[i], own), *beyond, strict=True)
        total[i] = sum_of(cpu, add_vectors, forces), sum_of(cpu, add_vectors, moments)
        h[i] = total[i][0][2] if local.slides else total[i][1][2]  # Wong eq. 3.33
    return h


def form(cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector) -> Formed:
    """M and h."""
    A, k = rotations(cpu, local_bodies), hinges(cpu, local_bodies)
    M = inertia_matrix(cpu, local_bodies, A, k)
    cpu.phase("inertia")
    h = force_vector(cpu, local_bodies, A, k, lift)
    cpu.phase("force")
    return M, h


ONE_ANGELES = forming_scheme(
    name="one-angeles",
    summary="Angeles and Ma's natural orthogonal complement on one processor, with Cholesky's factorisation",
    form=form,
    solver="cholesky",
)
