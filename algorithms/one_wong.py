"""The thesis's own formulation on one processor: H-bar and H, M = H-bar^T H, h = H-bar^T [L' m p''], then solve.

What is constant is formed off line and costs nothing: J z and m (k x z) of each body, and the sum of their products
on the diagonal of M. Multiplying by z is taking a component.                              # Wong secs. 3.2 to 3.4
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from algorithms.arrays import Array
from algorithms.assembly import Assembly
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
    subtract,
    subtract_vectors,
)
from algorithms.ldl import solve_ldl
from algorithms.links import Link, lift_of, links_of
from algorithms.mechanism import Matrix, Mechanism, Vector
from algorithms.reference import Dynamics
from algorithms.scheme import Scheme
from algorithms.solvers import SOLVERS, load_solver
from algorithms.state import State
from meshsim.plan import Plan
from meshsim.processor import Processor, Steps
from topologies.pipeline import pipeline

Rows = list[list[Vector]]
"""Vectors by body i and joint j <= i."""


def transformation(cpu: Processor, links: Sequence[Link], A: Sequence[Matrix]) -> tuple[Rows, Rows]:
    """H-bar: c_ij and rho_ij x c_ij."""
    c: Rows = []
    rho: Rows = []
    arms: Rows = []
    for i, link in enumerate(links):
        c.append([cpu.do(link.rotate, A[i], c[i - 1][j]) for j in range(i - 1)])  # Wong eq. 3.19
        if i > 0:
            c[i].append((A[i][0][2], A[i][1][2], A[i][2][2]))  # A z is the last column of A
        c[i].append(Z_AXIS)
        rho.append([_arm(cpu, link, A[i], rho[i - 1][j]) for j in range(i)])
        rho[i].append(link.k)
        arms.append([cpu.do(cross, rho[i][j], c[i][j]) for j in range(i)])
        arms[i].append(link.own_arm)
    return c, arms


def _arm(cpu: Processor, link: Link, A: Matrix, rho_inboard: Vector) -> Vector:
    outboard = cpu.do(subtract_vectors, rho_inboard, link.l_inboard)
    return cpu.do(add_vectors, cpu.do(link.rotate, A, outboard), link.k)  # Wong eq. 3.20


def inertia_matrix(cpu: Processor, links: Sequence[Link], c: Rows, arms: Rows) -> list[list[float]]:
    """The lower triangle of M."""
    M = [[0.0] * (i + 1) for i in range(len(links))]
    for body, link in enumerate(links):
        Jc = [cpu.do(matvec, link.J, c[body][k]) for k in range(body)]  # Wong eq. 3.21
        mass_arm = [cpu.do(scale, link.m, arms[body][k]) for k in range(body)]  # Wong eq. 3.22
        for i in range(body + 1):
            for k in range(i + 1):
                if k == body:
                    share = link.own_inertia
                else:
                    turn = Jc[k][2] if i == body else cpu.do(dot, c[body][i], Jc[k])
                    share = cpu.do(add, turn, cpu.do(dot, arms[body][i], mass_arm[k]))  # Wong eq. 3.23
                M[i][k] = share if i == body else cpu.do(add, M[i][k], share)
    return M


def momentum_derivatives(
    cpu: Processor, links: Sequence[Link], A: Sequence[Matrix], lift: Vector
) -> tuple[list[Vector], list[Vector]]:
    """L' and m p'' of every body, from the base outwards; p'' starts from `lift`, which stands in for weight."""
    Ld: list[Vector] = []
    mpdd: list[Vector] = []
    w, wd, Wl = ZERO, ZERO, ZERO
    pdd: Vector = lift
    for i, link in enumerate(links):
        if i == 0:
            w = (0.0, 0.0, link.qd)
            W = cpu.do(acceleration_matrix_z, link.qd)
        else:
            w = cpu.do(add_along_z, cpu.do(link.rotate, A[i], w), link.qd)  # Wong eq. 3.27
            wd = cpu.do(add_cross_z, cpu.do(link.rotate, A[i], wd), w, link.qd)  # Wong eq. 3.28
            W = cpu.do(acceleration_matrix, w, wd)  # Wong eq. 3.29
            pdd = cpu.do(add_vectors, pdd, Wl)
        pdd = cpu.do(subtract_vectors, cpu.do(link.rotate, A[i], pdd), cpu.do(matvec, W, link.k))  # Wong eq. 3.30
        if i + 1 < len(links):
            Wl = cpu.do(matvec, W, link.l)
        gyroscopic = cpu.do(cross, w, cpu.do(matvec, link.J, w))
        Ld.append(cpu.do(add_vectors, cpu.do(matvec, link.J, wd), gyroscopic) if i else gyroscopic)  # Wong eq. 3.31
        mpdd.append(cpu.do(scale, link.m, pdd))
    return Ld, mpdd


def force_vector(cpu: Processor, c: Rows, arms: Rows, Ld: Sequence[Vector], mpdd: Sequence[Vector]) -> list[float]:
    """h, which is H-bar^T times the momentum derivatives."""
    h = [0.0] * len(Ld)
    for body in range(len(Ld)):
        for i in range(body + 1):
            turn = Ld[body][2] if i == body else cpu.do(dot, c[body][i], Ld[body])
            share = cpu.do(add, turn, cpu.do(dot, arms[body][i], mpdd[body]))
            h[i] = share if i == body else cpu.do(add, h[i], share)  # Wong eq. 3.34
    return h


def form(cpu: Processor, links: Sequence[Link], lift: Vector) -> tuple[Array, list[float], list[float]]:
    """M, h and b = tau - h."""
    A = [cpu.do(link.form, *cpu.do(sine_cosine, link.q), link.E) for link in links]  # Wong eq. 3.18
    c, arms = transformation(cpu, links, A)
    M = inertia_matrix(cpu, links, c, arms)
    cpu.phase("inertia")
    h = force_vector(cpu, c, arms, *momentum_derivatives(cpu, links, A, lift))
    cpu.phase("force")
    b = [cpu.do(subtract, link.tau, hi) for link, hi in zip(links, h, strict=True)]
    full = np.array([[M[max(i, j)][min(i, j)] for j in range(len(h))] for i in range(len(h))])
    return full, h, b


def step(cpu: Processor, links: Sequence[Link], lift: Vector) -> Steps[Dynamics]:
    """One forward-dynamics step; no ports."""
    M, h, b = form(cpu, links, lift)
    cpu.phase("shift")  # where all is in one place, nothing has to be shifted or distributed
    qdd = solve_ldl(cpu, M.tolist(), b)
    cpu.phase("solve")
    cpu.phase("distribute")
    yield cpu.par()  # a program is a generator, even one that meets nobody
    return Dynamics(M, np.array(h), np.array(qdd))


def step_with_array(cpu: Processor, links: Sequence[Link], lift: Vector) -> Steps[Dynamics]:
    """The same with a solver beside the processor. feed 1 .. feed n+1 <- columns of M, then b;  out -> x."""
    M, h, b = form(cpu, links, lift)
    columns = [tuple(column) for column in (*M.tolist(), b)]
    yield cpu.par(*(cpu.send(f"feed {i}", column) for i, column in enumerate(columns, start=1)))
    cpu.phase("shift")
    qdd = yield cpu.recv("out")
    cpu.phase("distribute")
    return Dynamics(M, np.array(h), np.array(qdd))


def plan(mechanism: Mechanism, state: State, options: Mapping[str, str]) -> Plan[Dynamics]:
    """Load the one processor, and the solver's array if one is asked for."""
    data: dict[str, Any] = {"links": links_of(mechanism, state), "lift": lift_of(mechanism)}
    if options["solver"] == "ldl":
        return Plan(pipeline(1), {1: partial(step, **data)}, lambda results: results[1])
    n = mechanism.n
    assembly = Assembly()
    assembly.add("one", pipeline(1), {1: partial(step_with_array, **data)})
    assembly.add_solver(
        load_solver(options["solver"]), n, [(("one", 1), f"feed {i}") for i in range(1, n + 2)], ("one", 1)
    )
    return Plan(assembly.topology, assembly.programs, lambda results: results["one", 1])


ONE_WONG = Scheme(
    name="one-wong",
    summary="the thesis's formulation on one processor, LDL^T included; or with a solver's array beside it",
    make=plan,
    options={"solver": ("ldl", *SOLVERS)},
)
