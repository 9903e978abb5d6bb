"""Loops on the mesh of the whole tree: M_r and h_r from its cells, folded to M_c and H_c by a row of processors.

The cone has a column for each joint of the tree. Row 1 hands the columns of M_r, as to a solver that stands apart, to a
row of folding processors; all that passes there goes west. What is left, n by n, a feedforward array of its own solves.
The host's processor (0, 0) finds the loops meanwhile.  # Wong sec. 6.4.3
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from meshsim.algorithms.collectives.row_zero import scatter, take_own
from meshsim.algorithms.kernels.core import add, axpy, multiply
from meshsim.algorithms.kernels.dense import Row, columns, inner, opposite, sum_of, times
from meshsim.algorithms.robots.closure import leading
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.base.assembly import Assembly
from meshsim.algorithms.schemes.base.bodies import LocalBody, bodies_of, lift_of
from meshsim.algorithms.schemes.base.evaluation import Cell, start
from meshsim.algorithms.schemes.loops.mesh_host import LoopHost
from meshsim.algorithms.schemes.mesh.columns import Column, columns_of, tree_cone
from meshsim.algorithms.schemes.mesh.wong_mesh import force_cell, inertia_cell
from meshsim.algorithms.schemes.one.one_processor import whole
from meshsim.algorithms.solvers.base import hand_on
from meshsim.algorithms.solvers.feedforward_lu import FEEDFORWARD_LU
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Vector
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps
from meshsim.topologies.pipeline import pipeline
from meshsim.topologies.ports import add_link


def host_cell(cpu: Cpu, host: LoopHost) -> Steps[None]:
    """Processor (0, 0): the loops, then it hands accelerations to row 0.

    west <- q'_r, if that is sent;  fold <- rows of G, each with its entry of G' q';  back -> q''_r;  west <- q''_r.
    """
    known, G = host.complement(cpu)
    qd = host.rates(cpu, G)
    if host.sent:
        yield from scatter(cpu, (0, 0), qd)
    drift = host.drift(cpu, known, qd)
    for row, each in zip(G, drift, strict=True):
        yield cpu.send("fold", (*row, each))
    for _ in G:
        yield cpu.send("west", (yield cpu.recv("back")))


def told_force_cell(cpu: Cpu, local: LocalBody, column: Column, lift: Vector) -> Steps[tuple[float, float]]:
    """Processor (0, i) that is told the rate of its joint before it begins. east -> rates;  west <- those of others."""
    qd = yield from take_own(cpu, column.i)
    return (yield from force_cell(cpu, replace(local, qd=qd), column, lift))


def fold_cell(cpu: Cpu, j: int, size: int) -> Steps[None]:
    """Folding processor j of as many as the tree has joints: adds what joint j has to M_c and to the right-hand side.

    east -> rows of G with G' q', then b, sums, q'', and q''_r of joints beyond j (the last one: from fold, force and
    out);  feed -> column j of M_r;  west <- the same. The first one: feed 1 .. feed n+1 <- M_c and the right-hand side,
    back <- q''_r.
    """
    first, last = j == 1, j == size
    rows = yield from pass_rows(cpu, "fold" if last else "east", "" if first else "west", size)
    G, own, drift = [row[:-1] for row in rows], rows[j - 1][:-1], rows[j - 1][-1]
    felt = times(cpu, columns(G), (yield cpu.recv("feed")))  # G^T times column j of M_r
    if last:
        *others, b = yield cpu.recv("force")
        for each in others:
            yield cpu.send("west", each)
    else:
        b = yield from take_own(cpu, j)
    sums = yield from add_share(cpu, shares(cpu, felt, own, b, drift), first, last)
    if first:
        lower, rhs = [row[:-1] for row in sums], tuple(row[-1] for row in sums)
        fed = enumerate((*whole(lower), rhs), start=1)
        yield cpu.par(*(cpu.send(f"feed {i}", column) for i, column in fed))
    qdd = yield cpu.recv("out" if last else "east")
    if not first:
        yield cpu.send("west", qdd)
    mine = cpu.do(add, inner(cpu, own, qdd), drift)  # Wong eq. 6.10
    cpu.phase("accelerations")
    yield from hand_on(cpu, "east", "back" if first else "west", mine, size - j)


def pass_rows(cpu: Cpu, source: str, target: str, size: int) -> Steps[list[Row]]:
    """Keep as many rows as come, and send each on while the next comes in."""
    rows: list[Row] = []
    for _ in range(size):
        sends = [cpu.send(target, rows[-1])] if rows and target else []
        rows.append((yield cpu.par(cpu.recv(source), *sends))[0])
    if target:
        yield cpu.send(target, rows[-1])
    return rows


def shares(cpu: Cpu, felt: Row, own: Row, b: float, drift: float) -> list[list[float]]:
    """What a joint adds to the rows of M_c up to the diagonal, each with its entry of tau - H_c.  # Wong eq. 6.13"""
    found = []
    for k, each in enumerate(felt):
        driven = cpu.do(axpy, opposite(each), drift, cpu.do(multiply, own[k], b))  # Wong eq. 6.14
        found.append([*(cpu.do(multiply, each, own[i]) for i in range(k + 1)), driven])
    return found


def add_share(cpu: Cpu, own: Sequence[Row], first: bool, last: bool) -> Steps[list[Row]]:
    """The sums over joints, row by row. east -> those beyond;  west <- with one's own, unless they end here."""
    sums: list[Row] = []
    for share in own:
        sums.append(tuple(share) if last else tuple(sum_of(cpu, (yield cpu.recv("east")), share)))
        if not first:
            yield cpu.send("west", sums[-1])
    cpu.phase("fold")
    return sums


def tree_plan(host: LoopHost, tau: Sequence[float], options: Mapping[str, str]) -> Plan[Array]:
    """Lay it out for a state."""
    tree, n = host.mechanism, len(leading(host.mechanism))
    size, lift = tree.n, lift_of(tree)
    local_bodies = bodies_of(tree, State(host.q, host.qd, tuple(tau)))
    cells: dict[Hashable, Cell] = {(0, 0): Cell(partial(host_cell, host=host))}
    row_zero = told_force_cell if host.sent else force_cell
    for i, column in enumerate(
        columns_of(local_bodies, {**options, "solver": "beside", "exchange": "together"}), start=1
    ):
        cells[0, i] = Cell(partial(row_zero, column=column, lift=lift), (i - 1,))
        for k in range(1, i + 1):
            cells[k, i] = Cell(partial(inertia_cell, k=k, column=column), (i - 1,))
    assembly = Assembly()
    assembly.add("cone", tree_cone(local_bodies, options["carry"]), cells)
    folds = {j: Cell(partial(fold_cell, j=j, size=size)) for j in range(1, size + 1)}
    assembly.add("fold", pipeline(size), folds)
    for j in folds:
        add_link(assembly.topology, ("cone", (1, j)), "feed", ("fold", j), "feed")
    add_link(assembly.topology, ("cone", (0, size)), "feed", ("fold", size), "force")
    add_link(assembly.topology, ("cone", (0, 0)), "fold", ("fold", size), "fold")
    add_link(assembly.topology, ("fold", 1), "back", ("cone", (0, 0)), "back")
    feeds = [(("fold", 1), f"feed {i}") for i in range(1, n + 2)]
    assembly.add_solver(FEEDFORWARD_LU, n, feeds, ("fold", size))
    programs = {
        node: partial(start, cell=cell, local_bodies=[local_bodies[joint] for joint in cell.joints])
        for node, cell in assembly.cells.items()
    }

    def read(results: Mapping[Any, Any]) -> Array:
        return np.array([results["cone", (0, i)][1] for i in range(1, size + 1)])

    return Plan(assembly.topology, programs, read)
