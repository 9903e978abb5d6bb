"""Wong's forward dynamics on the triangular mesh, wrapped to a cone.

Rows 1..n form H and the inertia matrix, row 0 the momentum derivatives and the force vector; then both move to
the edge, the feedforward LU solver runs on the same processors, and the accelerations go back to row 0. Cell
(k, i) stands for joint k and body i: c_ik, rho_ik and, in the end, M_ik live there.        # Wong chapter 4

Two orders differ from the thesis's tables, which deadlock without buffers: row 1 hands c to row 0 in the product
phase, not while it forms c, and it receives both w and wd before it sends J w (docs/architecture.md).
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from algorithms.assembly import Assembly
from algorithms.feedforward_lu import eliminate, pivot
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
from algorithms.links import Link, lift_of, links_of, torque_of
from algorithms.mechanism import Mechanism, Vector
from algorithms.reference import Dynamics
from algorithms.scheme import Published, Scheme
from algorithms.solvers import SOLVERS, load_solver
from algorithms.state import State
from algorithms.triangle_shift import shift_matrix
from meshsim.plan import Plan, Program
from meshsim.processor import Processor, Steps
from topologies.triangle import cone

MESH_SOLVERS = tuple(SOLVERS)
"""feedforward-lu runs on the cone itself; any other is an array of its own, joined to row 1 by a fifth link."""

Vectors = dict[int, Vector]
"""Vectors of one body, by the joint they belong to."""


# Rows 1..n: H and the inertia matrix


def form(cpu: Processor, link: Link, i: int, n: int) -> Steps[tuple[Vectors, Vectors]]:
    """Row 1: c_ij and rho_ij for j = i..1, each from the one to the west.

    west -> c_(i-1)j, rho_(i-1)j in turn;  east, south <- c_ij, rho_ij.
    """
    A = cpu.do(link.form, *cpu.do(sine_cosine, link.q), link.E)  # Wong eq. 3.18
    c: Vectors = {}
    rho: Vectors = {}
    for j in range(i, 0, -1):
        onward = [port for port, wanted in (("east", i < n), ("south", j > 1)) if wanted]
        c[j] = Z_AXIS if j == i else cpu.do(link.rotate, A, (yield cpu.recv("west")))  # Wong eq. 3.19
        yield cpu.par(*(cpu.send(port, c[j]) for port in onward))
        if j == i:
            rho[j] = link.k
        else:
            arm = cpu.do(subtract_vectors, (yield cpu.recv("west")), link.l_inboard)
            rho[j] = cpu.do(add_vectors, cpu.do(link.rotate, A, arm), link.k)  # Wong eq. 3.20
        yield cpu.par(*(cpu.send(port, rho[j]) for port in onward))
    return c, rho


def relay(cpu: Processor, k: int, i: int) -> Steps[tuple[Vectors, Vectors]]:
    """Row k > 1: keeps c_ij and rho_ij for j = i..k as they pass; the last of them are its own.

    north -> c_ij, rho_ij in turn;  south <- all but the last pair.
    """
    c: Vectors = {}
    rho: Vectors = {}
    for j in range(i, k - 1, -1):
        for kept in (c, rho):
            kept[j] = yield cpu.recv("north")
            if j > k:
                yield cpu.send("south", kept[j])
    return c, rho


def inertia_times_rates(cpu: Processor, link: Link) -> Steps[None]:
    """Row 1 relieves row 0 of two products. north -> w, wd;  north <- J w, J wd.          # Wong Table 4.4"""
    Jw = cpu.do(matvec, link.J, (yield cpu.recv("north")))
    Jwd = cpu.do(matvec, link.J, (yield cpu.recv("north")))
    yield cpu.send("north", Jw)
    yield cpu.send("north", Jwd)


def inertia_sums(
    cpu: Processor, link: Link, k: int, i: int, n: int, c: Vectors, rho: Vectors, recompute: bool
) -> Steps[float]:
    """Form H_ik, then the moving sums of M_jk for j = k..i; the last one, M_ik, stays here.

    south -> rho x c of joint j > k, unless recomputed;  north <- rho x c, from row 1 to row 0 with c before it (or
    c and rho where row 0 recomputes);  east -> sums, west <- sums.
    """
    Jc = cpu.do(matvec, link.J, c[k])  # Wong eq. 3.21
    own = cpu.do(cross, rho[k], c[k])
    mass_arm = cpu.do(scale, link.m, own)  # Wong eq. 3.22
    if k == 1:
        yield from inertia_times_rates(cpu, link)
    total = 0.0
    for j in range(k, i + 1):
        if j == k:
            arm = own
        else:
            arm = cpu.do(cross, rho[j], c[j]) if recompute else (yield cpu.recv("south"))
        if k == 1:
            yield cpu.send("north", (c[j], rho[j] if recompute else arm))
        elif not recompute:
            yield cpu.send("north", arm)
        total = yield from moving_sum(cpu, i, j, n, (c[j], arm), (Jc, mass_arm))  # Wong eq. 3.23
    cpu.phase("inertia")
    return total


def moving_sum(
    cpu: Processor, i: int, j: int, n: int, left: tuple[Vector, Vector], right: tuple[Vector, Vector]
) -> Steps[float]:
    """Add body i's share to the sum for joint j and hand it on; in column n it starts from nothing.

    east -> sum over the bodies beyond i;  west <- sum, unless it ends here.               # Wong eq. 4.9
    """
    share = cpu.do(add, cpu.do(dot, left[0], right[0]), cpu.do(dot, left[1], right[1]))
    beyond = (yield cpu.recv("east")) if i < n else 0.0
    total = cpu.do(add, beyond, share)
    if j < i:
        yield cpu.send("west", total)
    return total


def inertia_cell(cpu: Processor, link: Link, k: int, i: int, n: int, recompute: bool, apart: bool) -> Steps[float]:
    """Everything that processor (k, i) of rows 1..n does in a step; returns M_ik.

    Where the solver stands apart, row 1 ends with its rows of M: feed <- row i.
    """
    c, rho = yield from (form(cpu, link, i, n) if k == 1 else relay(cpu, k, i))
    entry = yield from inertia_sums(cpu, link, k, i, n, c, rho, recompute)
    row = yield from shift_matrix(cpu, k, i, n, entry)
    feed = row if k == 1 else None
    if apart:
        if feed:
            yield cpu.send("feed", tuple(feed))
            cpu.phase("shift")
    elif k == i:
        yield from pivot(cpu, i, n, feed)
    else:
        yield from eliminate(cpu, k, i, n, ("north", "west", "south", "east"), feed)
    return entry


# Row 0: the force vector, the last column of the solver, and the accelerations


def rates(cpu: Processor, link: Link, A: Any, i: int, n: int) -> Steps[tuple[Vector, Vector]]:
    """Angular velocity and acceleration. west -> w, wd of body i-1;  south, east <- w, wd, as soon as they exist."""
    onward = ["south", "east"] if i < n else ["south"]
    if i == 1:
        w: Vector = (0.0, 0.0, link.qd)
    else:
        w = cpu.do(add_along_z, cpu.do(link.rotate, A, (yield cpu.recv("west"))), link.qd)  # Wong eq. 3.27
    yield cpu.par(*(cpu.send(port, w) for port in onward))
    if i == 1:
        wd = ZERO
    else:
        wd = cpu.do(add_cross_z, cpu.do(link.rotate, A, (yield cpu.recv("west"))), w, link.qd)  # Wong eq. 3.28
    yield cpu.par(*(cpu.send(port, wd) for port in onward))
    return w, wd


def momentum_derivatives(cpu: Processor, link: Link, i: int, n: int, lift: Vector) -> Steps[tuple[Vector, Vector]]:
    """L' and m p'' of body i; p'' starts from `lift`, which stands in for weight.

    west -> W l and p'' of body i-1;  east <- W l, p'';  south -> J w, J wd.               # Wong Table 4.6
    """
    A = cpu.do(link.form, *cpu.do(sine_cosine, link.q), link.E)
    w, wd = yield from rates(cpu, link, A, i, n)
    W = cpu.do(acceleration_matrix_z, link.qd) if i == 1 else cpu.do(acceleration_matrix, w, wd)  # Wong eq. 3.29
    Wk = cpu.do(matvec, W, link.k)
    Wl = cpu.do(matvec, W, link.l)
    sends = [cpu.send("east", Wl)] if i < n else []
    if i == 1:
        yield cpu.par(*sends)
        Wl_inboard, pdd_inboard = ZERO, lift
    else:
        Wl_inboard = (yield cpu.par(cpu.recv("west"), *sends))[0]
        pdd_inboard = yield cpu.recv("west")
    hinge = cpu.do(link.rotate, A, cpu.do(add_vectors, pdd_inboard, Wl_inboard))
    pdd = cpu.do(subtract_vectors, hinge, Wk)  # Wong eq. 3.30
    if i < n:
        yield cpu.send("east", pdd)
    gyroscopic = cpu.do(cross, w, (yield cpu.recv("south")))
    mpdd = cpu.do(scale, link.m, pdd)
    Ld = cpu.do(add_vectors, gyroscopic, (yield cpu.recv("south")))  # Wong eq. 3.31
    return Ld, mpdd


def force_sums(cpu: Processor, i: int, n: int, Ld: Vector, mpdd: Vector, recompute: bool) -> Steps[float]:
    """The moving sums of h_j for j = 1..i; the last one stays.

    south -> c and rho x c (or rho);  east -> sums, west <- sums.
    """
    total = 0.0
    for j in range(1, i + 1):
        c, arm = yield cpu.recv("south")
        if recompute:
            arm = cpu.do(cross, arm, c)
        total = yield from moving_sum(cpu, i, j, n, (c, arm), (Ld, mpdd))  # Wong eq. 3.34
    cpu.phase("force")
    return total


def shift_force(cpu: Processor, i: int, n: int, own: float) -> Steps[list[float]]:
    """Move b to (0, n), which ends with all of it in order.

    west -> b of joints j < i, the nearest first;  east <- its own, then those.
    """
    kept = [own]
    for step in range(i):
        sends = [cpu.send("east", kept[-1])] if i < n else []
        receives = [cpu.recv("west")] if step < i - 1 else []
        got = yield cpu.par(*sends, *receives)
        if receives:
            kept.append(got[-1])
    cpu.phase("shift")
    return kept[::-1]


def force_cell(
    cpu: Processor, link: Link, i: int, n: int, lift: Vector, recompute: bool, apart: bool
) -> Steps[tuple[float, float]]:
    """Everything that processor (0, i) does in a step; returns h_i and the acceleration of joint i.

    Where the solver stands apart, (0, n) ends with b: feed <- b. The unknowns come from (0, 0) either way.
    """
    torque = torque_of(cpu, link)  # Wong Table 5.1
    Ld, mpdd = yield from momentum_derivatives(cpu, link, i, n, lift)
    h = yield from force_sums(cpu, i, n, Ld, mpdd, recompute)
    b = yield from shift_force(cpu, i, n, cpu.do(subtract, torque, h))
    if not apart:
        yield from eliminate(cpu, n + 1 - i, n + 1, n, ("east", "north", "west", ""), b if i == n else None)
    elif i == n:
        yield cpu.send("feed", tuple(b))
        cpu.phase("shift")
    qdd = 0.0
    for j in range(1, i + 1):
        qdd = yield cpu.recv("east")
        if j < i:
            yield cpu.send("west", qdd)
    cpu.phase("distribute")
    return h, qdd


def host_cell(cpu: Processor, n: int) -> Steps[None]:
    """Processor (0, 0) turns the solution round. east -> n zeros, then x;  west <- x, each while the next comes."""
    for _ in range(n):
        yield cpu.recv("east")
    x = yield cpu.recv("east")
    for _ in range(n - 1):
        x, _ = yield cpu.par(cpu.recv("east"), cpu.send("west", x))
    cpu.phase("solve")
    yield cpu.send("west", x)


def host_cell_apart(cpu: Processor) -> Steps[None]:
    """Processor (0, 0) where the solver stands apart. out -> x;  west <- x, number by number."""
    for x in (yield cpu.recv("out")):
        yield cpu.send("west", x)


# The plan


def plan(mechanism: Mechanism, state: State, options: Mapping[str, str]) -> Plan[Dynamics]:
    """Load the mesh for one step of a serial chain."""
    n = mechanism.n
    apart = options["solver"] != "feedforward-lu"
    common: dict[str, Any] = {"n": n, "recompute": options["rho"] == "recompute", "apart": apart}
    programs: dict[Hashable, Program] = {(0, 0): host_cell_apart if apart else partial(host_cell, n=n)}
    for i, link in enumerate(links_of(mechanism, state), start=1):
        programs[0, i] = partial(force_cell, link=link, i=i, lift=lift_of(mechanism), **common)
        for k in range(1, i + 1):
            programs[k, i] = partial(inertia_cell, link=link, k=k, i=i, **common)
    if not apart:
        return Plan(cone(n), programs, partial(read, n))
    assembly = Assembly()
    assembly.add("cone", cone(n), programs)
    feeds = [(("cone", node), "feed") for node in (*((1, i) for i in range(1, n + 1)), (0, n))]
    assembly.add_solver(load_solver(options["solver"]), n, feeds, ("cone", (0, 0)))
    return Plan(assembly.topology, assembly.programs, lambda results: read(n, strip("cone", results)))


def strip(part: str, results: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The results of one part, under the names its nodes have alone."""
    return {node: result for (name, node), result in results.items() if name == part}


def read(n: int, results: Mapping[Any, Any]) -> Dynamics:
    """M from where its entries came to rest, h and the accelerations from row 0."""
    M = np.zeros((n, n))
    for i in range(1, n + 1):
        for k in range(1, i + 1):
            M[i - 1, k - 1] = M[k - 1, i - 1] = results[k, i]
    row_zero: Sequence[tuple[float, float]] = [results[0, i] for i in range(1, n + 1)]
    h, qdd = np.array(row_zero).T
    return Dynamics(M, h, qdd)


def published(n: int, options: Mapping[str, str]) -> Mapping[str, Published]:
    """The thesis's counts; those of the force vector are upper bounds."""
    if options["rho"] == "pass":
        return {
            "inertia": Published(22 * n + 24, 22 * n + 5, "Wong eq. 4.11"),
            "force": Published(24 * n + 27, 19 * n + 25, "Wong eq. 4.12, an upper bound"),
            "inertia+solver": Published(26 * n + 25, 26 * n + 5, "Wong Table 4.8, W"),
        }
    return {
        "inertia": Published(28 * n + 24, 25 * n + 5, "Wong eq. 4.13, own product counted twice"),
        "force": Published(30 * n + 27, 22 * n + 25, "Wong eq. 4.14, an upper bound"),
    }


WONG_MESH = Scheme(
    name="wong-mesh",
    summary="Wong's triangular mesh of n(n+1)/2 + n processors and the host's: M, h and the feedforward solver",
    options={"rho": ("pass", "recompute"), "solver": MESH_SOLVERS},
    make=plan,
    published=published,
)
