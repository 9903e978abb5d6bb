"""Wong's forward dynamics on the triangular mesh, wrapped to a cone.

Rows 1..n form H and the inertia matrix, row 0 the momentum derivatives and the force vector; then both move to
the edge, the feedforward LU solver runs on the same processors, and the accelerations go back to row 0. Cell
(k, i) stands for joint k and body i: c_ik, rho_ik and, in the end, M_ik live there.        # Wong chapter 4

Two orders differ from the thesis's tables, which deadlock without buffers: row 1 hands c to row 0 in the product
phase, not while it forms c, and it receives both w and wd before it sends J w (docs/architecture.md).
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from meshsim.algorithms.collectives.row_zero import gather, spread, take_own
from meshsim.algorithms.collectives.triangle_shift import shift_matrix
from meshsim.algorithms.kernels.core import (
    Z_AXIS,
    ZERO,
    acceleration_matrix,
    acceleration_matrix_z,
    add,
    add_along_z,
    add_coriolis_z,
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
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.assembly import Assembly
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation, Feed, Gathering
from meshsim.algorithms.schemes.base.links import Link, lift_of, links_of, torque_of
from meshsim.algorithms.schemes.base.scheme import Published, Scheme
from meshsim.algorithms.schemes.mesh.columns import CARRIERS, Column, columns_of, tree_cone
from meshsim.algorithms.solvers.catalogue import SOLVERS, SolverChoice, load_solver
from meshsim.algorithms.solvers.feedforward_lu import eliminate, pivot
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu, Steps

MESH_SOLVERS = SolverChoice(SOLVERS)
"""feedforward-lu runs on the cone itself; any other is an array of its own, joined to row 1 by a fifth link."""

Vectors = dict[int, Vector]
"""Vectors of one body, by the joint they belong to."""


# Rows 1..n: H and the inertia matrix


def form(cpu: Cpu, link: Link, column: Column) -> Steps[tuple[Vectors, Vectors]]:
    """Row 1: c_ij and rho_ij for j = i..1, each from the parent's; zero for joints that do not carry body i.

    parent -> c_pj, rho_pj in turn;  children, south <- c_ij, rho_ij. A joint that slides has no rho.
    """
    i = column.i
    A = link.E if link.slides else cpu.do(link.form, *cpu.do(sine_cosine, link.q), link.E)  # Wong eq. 3.18
    k = cpu.do(add_along_z, link.k, link.withdrawn) if link.slides else link.k
    c: Vectors = {}
    rho: Vectors = {}
    for j in column.held(1):
        carries = j in column.lineage
        onward = [*(column.heirs if carries else ()), *(["south"] if j > 1 else ())]
        if j == i:
            c[j] = Z_AXIS
        else:
            c[j] = cpu.do(link.rotate, A, (yield cpu.recv(column.source))) if carries else ZERO  # Wong eq. 3.15
        yield cpu.par(*(cpu.send(port, c[j]) for port in onward))
        if column.slides[j]:
            continue
        if j == i:
            rho[j] = link.k
        elif carries:
            arm = cpu.do(subtract_vectors, (yield cpu.recv(column.source)), link.l_inboard)
            rho[j] = cpu.do(add_vectors, cpu.do(link.rotate, A, arm), k)  # Wong eq. 3.15
        else:
            rho[j] = ZERO
        yield cpu.par(*(cpu.send(port, rho[j]) for port in onward))
    own = [kept[j] for j in reversed(column.lineage) for kept in (c, rho) if j in kept]
    for parent, vectors in column.passing:
        yield from pass_east(cpu, own if parent == i else None, vectors)
    return c, rho


def pass_east(cpu: Cpu, own: Sequence[Vector] | None, vectors: int) -> Steps[None]:
    """Send vectors of one's own, or hand on as many from the west. west -> vectors;  east <- vectors."""
    for number in range(vectors):
        yield cpu.send("east", (yield cpu.recv("west")) if own is None else own[number])


def relay(cpu: Cpu, k: int, column: Column) -> Steps[tuple[Vectors, Vectors]]:
    """Row k > 1: keeps c_ij and rho_ij for j = i..k as they pass; the last of them are its own.

    north -> c_ij, rho_ij in turn;  south <- all but the last pair.
    """
    c: Vectors = {}
    rho: Vectors = {}
    for j in column.held(k):
        for kept in (c,) if column.slides[j] else (c, rho):
            kept[j] = yield cpu.recv("north")
            if j > k:
                yield cpu.send("south", kept[j])
    return c, rho


def inertia_times_rates(cpu: Cpu, link: Link) -> Steps[None]:
    """Row 1 relieves row 0 of two products. north -> w, wd;  north <- J w, J wd.          # Wong Table 4.4"""
    Jw = cpu.do(matvec, link.J, (yield cpu.recv("north")))
    Jwd = cpu.do(matvec, link.J, (yield cpu.recv("north")))
    yield cpu.send("north", Jw)
    yield cpu.send("north", Jwd)


def inertia_sums(cpu: Cpu, link: Link, k: int, column: Column, c: Vectors, rho: Vectors) -> Steps[float]:
    """Form H_ik, then the moving sums of M_jk for j = k..i; the last one, M_ik, stays here.

    south -> rho x c of joint j > k, unless recomputed;  north <- rho x c, from row 1 to row 0 with c before it (or
    c and rho where row 0 recomputes);  east -> sums, west <- sums. For a joint that slides, c stands for rho x c.
    """
    slides, idle = column.slides, k not in c  # where joint k does not carry body i, and zeros are skipped
    Jc = own = mass_arm = ZERO
    if not idle:
        Jc = ZERO if slides[k] else cpu.do(matvec, link.J, c[k])  # Wong eq. 3.21
        own = c[k] if slides[k] else cpu.do(cross, rho[k], c[k])
        mass_arm = cpu.do(scale, link.m, own)  # Wong eq. 3.22
    if k == 1:
        yield from inertia_times_rates(cpu, link)
    total = 0.0
    i = column.i
    for j in range(k, i + 1):
        share = None
        if j in c:
            arm = own
            if j > k and column.recompute:
                arm = c[j] if slides[j] else cpu.do(cross, rho[j], c[j])
            elif j > k:
                arm = yield cpu.recv("south")
            if k == 1:
                yield cpu.send("north", (c[j], rho.get(j, arm) if column.recompute else arm))
            elif not column.recompute:
                yield cpu.send("north", arm)
            if not idle:
                share = product(cpu, slides[j] or slides[k], (c[j], arm), (Jc, mass_arm))  # Wong eq. 3.23
        total = yield from moving_sum(cpu, column, j, share)
    cpu.phase("inertia")
    return total


def product(cpu: Cpu, slides: bool, left: tuple[Vector, Vector], right: tuple[Vector, Vector]) -> float:
    """Angular and linear halves, multiplied and added; of joints that slide the linear ones alone."""
    if slides:
        return cpu.do(dot, left[1], right[1])
    return cpu.do(add, cpu.do(dot, left[0], right[0]), cpu.do(dot, left[1], right[1]))


def moving_sum(cpu: Cpu, column: Column, j: int, share: float | None) -> Steps[float]:
    """Add body i's share, if it has one, to the sum for joint j and hand it on; in column n it starts from nothing.

    east -> sum over the bodies beyond i;  west <- sum, unless it ends here.               # Wong eq. 4.9
    """
    beyond: float = (yield cpu.recv("east")) if column.i < column.n else 0.0
    total = beyond if share is None else cpu.do(add, beyond, share)
    if j < column.i:
        yield cpu.send("west", total)
    return total


def inertia_cell(cpu: Cpu, link: Link, k: int, column: Column) -> Steps[float]:
    """Everything that processor (k, i) of rows 1..n does in a step; returns M_ik.

    Where the solver stands apart, row 1 ends with its rows of M: feed <- row i.
    """
    i, n = column.i, column.n
    c, rho = yield from (form(cpu, link, column) if k == 1 else relay(cpu, k, column))
    entry = yield from inertia_sums(cpu, link, k, column, c, rho)
    row = yield from shift_matrix(cpu, k, i, n, entry)
    feed = row if k == 1 else None
    if column.apart:
        if feed:
            yield cpu.send("feed", tuple(feed))
            cpu.phase("shift")
    elif k == i:
        yield from pivot(cpu, i, n, feed)
    else:
        yield from eliminate(cpu, k, i, n, ("north", "west", "south", "east"), feed)
    return entry


# Row 0: the force vector, the last column of the solver, and the accelerations


def rates(cpu: Cpu, link: Link, A: Matrix, column: Column) -> Steps[tuple[Vector, Vector]]:
    """Angular velocity and acceleration. parent -> w, wd;  south, children <- w, wd, as soon as they exist."""
    onward = ["south", *column.heirs]
    if column.parent:
        w = cpu.do(link.rotate, A, (yield cpu.recv(column.source)))
        if not link.slides:
            w = cpu.do(add_along_z, w, link.qd)  # Wong eq. 3.27
    else:
        w = (0.0, 0.0, 0.0 if link.slides else link.qd)
    yield cpu.par(*(cpu.send(port, w) for port in onward))
    wd = ZERO
    if column.parent:
        wd = cpu.do(link.rotate, A, (yield cpu.recv(column.source)))
        if not link.slides:
            wd = cpu.do(add_cross_z, wd, w, link.qd)  # Wong eq. 3.28
    yield cpu.par(*(cpu.send(port, wd) for port in onward))
    for parent, _ in column.passing:
        yield from pass_east(cpu, (w, wd) if parent == column.i else None, 2)
    return w, wd


def turning(cpu: Cpu, link: Link, column: Column, w: Vector, wd: Vector) -> Matrix:
    """W of body i; one on the ground turns about its own axis, if it turns at all."""
    if column.parent:
        return cpu.do(acceleration_matrix, w, wd)  # Wong eq. 3.29
    return (ZERO, ZERO, ZERO) if link.slides else cpu.do(acceleration_matrix_z, link.qd)


def momentum_derivatives(cpu: Cpu, link: Link, column: Column, lift: Vector) -> Steps[tuple[Vector, Vector]]:
    """L' and m p'' of body i; p'' starts from `lift`, which stands in for weight.

    parent -> W l and p'';  children <- W l, p'';  south -> J w, J wd.                     # Wong Table 4.6
    """
    i = column.i
    A = link.E if link.slides else cpu.do(link.form, *cpu.do(sine_cosine, link.q), link.E)
    k = cpu.do(add_along_z, link.k, link.withdrawn) if link.slides else link.k
    w, wd = yield from rates(cpu, link, A, column)
    W = turning(cpu, link, column, w, wd)
    Wk = cpu.do(matvec, W, k)
    Wl = {child: cpu.do(matvec, W, hinge) for child, hinge in column.children or ((0, link.l),)}  # cells are alike
    near = {child: Wl[child] for child, _ in column.children if column.carry != "forward" or child == i + 1}
    sends = [cpu.send(port, each) for port, each in zip(column.heirs, near.values(), strict=True)]
    Wl_inboard, pdd_inboard = ZERO, lift
    if column.parent:
        Wl_inboard = (yield cpu.par(cpu.recv(column.source), *sends))[0]
        pdd_inboard = yield cpu.recv(column.source)
    else:
        yield cpu.par(*sends)
    hinge = cpu.do(link.rotate, A, cpu.do(add_vectors, pdd_inboard, Wl_inboard))
    pdd = cpu.do(subtract_vectors, hinge, Wk)  # Wong eq. 3.30
    if link.slides:
        pdd = cpu.do(add_coriolis_z, pdd, w, link.qd)
    if column.heirs:
        yield cpu.par(*(cpu.send(port, pdd) for port in column.heirs))
    far = [child for child, _ in column.children if child not in near]
    for parent, _ in column.passing:
        own = (Wl[far.pop(0)], pdd) if parent == i else None
        yield from pass_east(cpu, own, 2)
    gyroscopic = cpu.do(cross, w, (yield cpu.recv("south")))
    mpdd = cpu.do(scale, link.m, pdd)
    Ld = cpu.do(add_vectors, gyroscopic, (yield cpu.recv("south")))  # Wong eq. 3.31
    return Ld, mpdd


def force_sums(cpu: Cpu, column: Column, Ld: Vector, mpdd: Vector) -> Steps[float]:
    """The moving sums of h_j for j = 1..i; the last one stays.

    south -> c and rho x c (or rho);  east -> sums, west <- sums.
    """
    total = 0.0
    i = column.i
    for j in range(1, i + 1):
        share = None
        if not column.skip or j in column.lineage:
            c, arm = yield cpu.recv("south")
            if column.recompute and not column.slides[j]:
                arm = cpu.do(cross, arm, c)
            share = product(cpu, column.slides[j], (c, arm), (Ld, mpdd))  # Wong eq. 3.34
        total = yield from moving_sum(cpu, column, j, share)
    cpu.phase("force")
    return total


def shift_force(cpu: Cpu, i: int, n: int, own: float) -> Steps[list[float]]:
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


def force_cell(cpu: Cpu, link: Link, column: Column, lift: Vector) -> Steps[tuple[float, float]]:
    """Everything that processor (0, i) does in a step; returns h_i and the acceleration of joint i.

    Where the solver stands apart, (0, n) ends with b: feed <- b. The unknowns come from (0, 0) either way.
    """
    i, n = column.i, column.n
    torque = torque_of(cpu, link)  # Wong Table 5.1
    Ld, mpdd = yield from momentum_derivatives(cpu, link, column, lift)
    h = yield from force_sums(cpu, column, Ld, mpdd)
    b = yield from shift_force(cpu, i, n, cpu.do(subtract, torque, h))
    if not column.apart:
        yield from eliminate(cpu, n + 1 - i, n + 1, n, ("east", "north", "west", ""), b if i == n else None)
    elif i == n:
        yield cpu.send("feed", tuple(b))
        cpu.phase("shift")
    qdd = yield from take_own(cpu, i)
    cpu.phase("distribute")
    return h, qdd


def host_cell(cpu: Cpu, n: int) -> Steps[None]:
    """Processor (0, 0) turns the solution round. east -> n zeros, then x;  west <- x, each while the next comes."""
    for _ in range(n):
        yield cpu.recv("east")
    x = yield cpu.recv("east")
    for _ in range(n - 1):
        x, _ = yield cpu.par(cpu.recv("east"), cpu.send("west", x))
    cpu.phase("solve")
    yield cpu.send("west", x)


def host_cell_apart(cpu: Cpu) -> Steps[None]:
    """Processor (0, 0) where the solver stands apart. out -> x;  west <- x, number by number."""
    for x in (yield cpu.recv("out")):
        yield cpu.send("west", x)


# The plan


def make(mechanism: Mechanism, options: Mapping[str, str]) -> CellEvaluation:
    """Lay the mesh out for a robot."""
    n = mechanism.n
    links = links_of(mechanism)
    apart = options["solver"] != "feedforward-lu"
    cells: dict[Hashable, Cell] = {(0, 0): Cell(host_cell_apart if apart else partial(host_cell, n=n))}
    for i, column in enumerate(columns_of(links, options), start=1):
        cells[0, i] = Cell(partial(force_cell, column=column, lift=lift_of(mechanism)), (i - 1,))
        for k in range(1, i + 1):
            cells[k, i] = Cell(partial(inertia_cell, k=k, column=column), (i - 1,))
    network = tree_cone(links, options["carry"])
    homes = tuple((0, i) for i in range(1, n + 1))
    feeds = tuple(Feed((0, i), "south", (1, i), "north") for i in range(1, n + 1))  # Wong Table 5.1, task 7
    if not apart:
        gathering = Gathering((0, 0), partial(gather, n=n), spread)
        return CellEvaluation(mechanism, network, cells, partial(read, n), homes, _acceleration, feeds, gathering)
    assembly = Assembly()
    assembly.add("cone", network, cells)
    sources = [(("cone", node), "feed") for node in (*((1, i) for i in range(1, n + 1)), (0, n))]
    assembly.add_solver(load_solver(options["solver"]), n, sources, ("cone", (0, 0)))
    gathering = Gathering(("cone", (0, 0)), inside("cone", partial(gather, n=n)), inside("cone", spread))
    return CellEvaluation(
        mechanism,
        assembly.topology,
        assembly.cells,
        lambda results: read(n, strip("cone", results)),
        tuple(("cone", node) for node in homes),
        _acceleration,
        tuple(replace(feed, home=("cone", feed.home), target=("cone", feed.target)) for feed in feeds),
        gathering,
    )


def inside(part: str, exchange: Callable[..., Steps[Any]]) -> Callable[..., Steps[Any]]:
    """An exchange of one part, for nodes that are named with their part."""

    def exchanged(cpu: Cpu, node: tuple[str, Any], values: tuple[float, ...]) -> Steps[Any]:
        assert node[0] == part
        return exchange(cpu, node[1], values)

    return exchanged


def _acceleration(result: tuple[float, float]) -> Sequence[float]:
    return result[1:]


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
    options={
        "rho": ("pass", "recompute"),
        "carry": CARRIERS,
        "zeros": ("kept", "skipped"),
        "solver": MESH_SOLVERS,
    },
    make=make,
    published=published,
    takes=frozenset({"branching joints", "prismatic joints"}),
)
