"""The thesis's own formulation on one processor: H-bar and H, M = H-bar^T H, h = H-bar^T [L' m p''], then solve.

A function per item of the lists by which the thesis counts, each followed by its mark. What is constant is formed off
line: J z and m (k x z) of each body, and the sum of their products on the diagonal of M. # Wong secs. 3.2, 3.3.1, 3.4
"""

from collections.abc import Sequence

from algorithms.inertial_kernels import Spatial, spatial_dot, spatial_dot_flat
from algorithms.kernels import (
    Z_AXIS,
    ZERO,
    acceleration_matrix,
    acceleration_matrix_z,
    add,
    add_along_z,
    add_cross_z,
    add_vectors,
    cross,
    dot,
    matvec,
    scale,
    sine_cosine,
    subtract_vectors,
)
from algorithms.links import Link
from algorithms.matrices import third_column
from algorithms.mechanism import Matrix, Vector
from algorithms.one_processor import Formed, forming_scheme
from meshsim.processor import Processor

Rows = list[list[Vector]]
"""Vectors by body i and joint j <= i."""

INERTIA_ITEMS = ("rotations", "c", "rho", "J c", "m rho x c", "terms")
"""What section 3.2 lists. The sums of the terms over the bodies, marked "inertia", are not in its list."""

FORCE_ITEMS = ("w", "w'", "W", "p''", "m p''", "L'", "force")
"""What section 3.3.1 lists."""


# The inertia matrix


def rotations(cpu: Processor, links: Sequence[Link]) -> list[Matrix]:
    """A of every body, from its parent's frame to its own."""
    return [cpu.do(link.form, *cpu.do(sine_cosine, link.q), link.E) for link in links]  # Wong eq. 3.18


def axes(cpu: Processor, links: Sequence[Link], A: Sequence[Matrix]) -> Rows:
    """c_ij, the axis of joint j seen from body i. The first is constant, the second the last column of A."""
    c: Rows = []
    for i, link in enumerate(links):
        c.append([cpu.do(link.rotate, A[i], c[i - 1][j]) for j in range(i - 1)])  # Wong eq. 3.19
        if i > 0:
            c[i].append(third_column(A[i]))
        c[i].append(Z_AXIS)
    return c


def arms(cpu: Processor, links: Sequence[Link], A: Sequence[Matrix]) -> Rows:
    """rho_ij, from the centre of mass of body i to hinge j."""
    rho: Rows = []
    for i, link in enumerate(links):
        reach = [cpu.do(subtract_vectors, rho[i - 1][j], link.l_inboard) for j in range(i)]
        rho.append([cpu.do(add_vectors, cpu.do(link.rotate, A[i], arm), link.k) for arm in reach])  # Wong eq. 3.20
        rho[i].append(link.k)
    return rho


def velocities(cpu: Processor, links: Sequence[Link], c: Rows, rho: Rows) -> Rows:
    """rho_ij x c_ij, what the centre of mass of body i moves by when joint j turns."""
    moves: Rows = []
    for i, link in enumerate(links):
        moves.append([cpu.do(cross, rho[i][j], c[i][j]) for j in range(i)])
        moves[i].append(link.own_arm)
    return moves


def products(
    cpu: Processor, left: list[list[Spatial]], right: list[list[Spatial]], own: Sequence[float]
) -> list[list[list[float]]]:
    """Body by body, its terms of M_ik for i >= k: left_i . right_k, and what it has `own` for its own joint alone."""
    terms = []
    for body in range(len(own)):
        rows = [[cpu.do(spatial_dot, left[body][i], right[body][k]) for k in range(i + 1)] for i in range(body)]
        rows.append([cpu.do(spatial_dot_flat, left[body][body], right[body][k]) for k in range(body)])
        rows[body].append(own[body])
        terms.append(rows)  # Wong eq. 3.23
    return terms


def paired(angular: Rows, linear: Rows) -> list[list[Spatial]]:
    """Six-vectors from their halves."""
    return [list(zip(*halves, strict=True)) for halves in zip(angular, linear, strict=True)]


def sums(cpu: Processor, terms: list[list[list[float]]]) -> list[list[float]]:
    """M_ik, the sum of its terms over the bodies i..n."""
    M: list[list[float]] = []
    for body, rows in enumerate(terms):
        for i in range(body):
            M[i] = [cpu.do(add, total, term) for total, term in zip(M[i], rows[i], strict=True)]
        M.append(rows[body])
    return M


# The force vector


def rates(cpu: Processor, links: Sequence[Link], A: Sequence[Matrix]) -> tuple[list[Vector], list[Vector]]:
    """Angular velocity and, for joints that do not accelerate, angular acceleration of every body."""
    w: list[Vector] = [(0.0, 0.0, links[0].qd)]
    for i, link in enumerate(links[1:], start=1):
        w.append(cpu.do(add_along_z, cpu.do(link.rotate, A[i], w[i - 1]), link.qd))  # Wong eq. 3.27
    cpu.phase("w")
    wd = [ZERO]
    for i, link in enumerate(links[1:], start=1):
        wd.append(cpu.do(add_cross_z, cpu.do(link.rotate, A[i], wd[i - 1]), w[i], link.qd))  # Wong eq. 3.28
    cpu.phase("w'")
    return w, wd


def accelerations(
    cpu: Processor, links: Sequence[Link], A: Sequence[Matrix], W: Sequence[Matrix], lift: Vector
) -> list[Vector]:
    """p'' of every body: the acceleration of its centre of mass, less gravity."""
    pdd: list[Vector] = []
    for i, link in enumerate(links):
        if i == 0:
            x, y, z = lift  # Wong eq. 3.36
            at_hinge = cpu.do(link.rotate, A[0], lift) if x or y else cpu.do(scale, z, third_column(A[0]))
        else:
            outboard = cpu.do(add_vectors, pdd[i - 1], cpu.do(matvec, W[i - 1], link.l_inboard))
            at_hinge = cpu.do(link.rotate, A[i], outboard)
        pdd.append(cpu.do(subtract_vectors, at_hinge, cpu.do(matvec, W[i], link.k)))  # Wong eq. 3.30
    return pdd


def momentum_rate(cpu: Processor, link: Link, w: Vector, wd: Vector) -> Vector:
    """L' of a body."""
    gyroscopic = cpu.do(cross, w, cpu.do(matvec, link.J, w))
    return cpu.do(add_vectors, cpu.do(matvec, link.J, wd), gyroscopic)  # Wong eq. 3.31


def first_momentum_rate(cpu: Processor, link: Link, w: Vector) -> Vector:
    """L' of body 1.

    The list counts ten additions, though w' is zero: six for J w, three for w x J w, and one, it seems, for
    the only part of J w' that its joint would feel.
    """
    return cpu.do(add_along_z, cpu.do(cross, w, cpu.do(matvec, link.J, w)), 0.0)


def force_vector(cpu: Processor, c: Rows, moves: Rows, Ld: Sequence[Vector], mpdd: Sequence[Vector]) -> list[float]:
    """h, which is H-bar^T times the momentum derivatives."""
    h: list[float] = []
    for body, right in enumerate(zip(Ld, mpdd, strict=True)):
        for i in range(body):
            h[i] = cpu.do(add, h[i], cpu.do(spatial_dot, (c[body][i], moves[body][i]), right))  # Wong eq. 3.34
        h.append(cpu.do(add, Ld[body][2], cpu.do(dot, moves[body][body], mpdd[body])))
    return h


# The whole


def form(cpu: Processor, links: Sequence[Link], lift: Vector) -> Formed:
    """M and h, item by item."""
    A = rotations(cpu, links)
    cpu.phase("rotations")
    c = axes(cpu, links, A)
    cpu.phase("c")
    rho = arms(cpu, links, A)
    cpu.phase("rho")
    Jc = [[cpu.do(matvec, link.J, axis) for axis in c[i][:i]] for i, link in enumerate(links)]  # Wong eq. 3.21
    cpu.phase("J c")
    moves = velocities(cpu, links, c, rho)
    mass_moves = [[cpu.do(scale, link.m, move) for move in moves[i][:i]] for i, link in enumerate(links)]
    cpu.phase("m rho x c")  # Wong eq. 3.22
    terms = products(cpu, paired(c, moves), paired(Jc, mass_moves), [link.own_inertia for link in links])
    cpu.phase("terms")
    M = sums(cpu, terms)
    cpu.phase("inertia")
    w, wd = rates(cpu, links, A)
    W = [cpu.do(acceleration_matrix_z, links[0].qd)]
    W.extend(cpu.do(acceleration_matrix, w[i], wd[i]) for i in range(1, len(links)))  # Wong eq. 3.29
    cpu.phase("W")
    pdd = accelerations(cpu, links, A, W, lift)
    cpu.phase("p''")
    mpdd = [cpu.do(scale, link.m, each) for link, each in zip(links, pdd, strict=True)]
    cpu.phase("m p''")
    Ld = [first_momentum_rate(cpu, links[0], w[0])]
    Ld.extend(momentum_rate(cpu, link, w[i], wd[i]) for i, link in enumerate(links[1:], start=1))
    cpu.phase("L'")
    h = force_vector(cpu, c, moves, Ld, mpdd)
    cpu.phase("force")
    return M, h


ONE_WONG = forming_scheme(
    name="one-wong",
    summary="the thesis's formulation on one processor, LDL^T included; or with a solver's array beside it",
    form=form,
    solver="ldl",
)
