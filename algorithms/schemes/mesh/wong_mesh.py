"""Wong's forward dynamics on the triangular mesh, wrapped to a cone.

Rows 1..n form H and the inertia matrix, row 0 the momentum derivatives and the force vector; then both move to
the edge, the feedforward LU solver runs on the same processors, and the accelerations go back to row 0. Cell
(k, i) belongs to joint k and body i: it holds c_ik, rho_ik and finally M_ik.        # Wong chapter 4

Until M and h exist, communications have one of three orders (`ORDERS`): that of the thesis's tables, or each number as
soon as it exists.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from meshsim.algorithms.collectives.row_zero import gather, scatter, scatter_east, take_first, take_own
from meshsim.algorithms.collectives.triangle_shift import COMPASS, MIRRORED, shift_matrix, turn_over
from meshsim.algorithms.kernels.core import subtract
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.assembly import Assembly
from meshsim.algorithms.schemes.base.bodies import LocalBody, bodies_of, lift_of, torque_of
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation, CellInversion, Feed, Gathering
from meshsim.algorithms.schemes.base.scheme import Published, Scheme
from meshsim.algorithms.schemes.mesh import early, published
from meshsim.algorithms.schemes.mesh.columns import CARRIERS, WRAPS, Column, check_order, columns_of, tree_cone
from meshsim.algorithms.solvers.catalogue import SOLVERS, SolverChoice, load_solver
from meshsim.algorithms.solvers.feedforward_lu import NAME, eliminate, pivot
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Vector
from meshsim.errors import MeshSimError
from meshsim.program import Cpu, Steps

MESH_SOLVERS = SolverChoice(SOLVERS)
"""feedforward-lu runs on the cone itself; any other is an array of its own, joined to row 1 by a fifth link."""

ORDERS: Mapping[str, ModuleType] = {"early": early, "published": published, "published-in-turn": published}
"""In which order numbers are handed over until M and h exist: a module each, with the same four functions.

`early`: each number leaves as soon as it exists. `published`: in the cycles of Tables 4.4 to 4.7, each its
communications at once, then its computation. `published-in-turn`: the same, one communication after the other. The
default is `early`, which is the quickest where links work beside the processor; `published` is where they do not
(`rendezvous`). A plan is made before its machine is known.

`redistribute=no` leaves J w and J w' in row 0 (Tables 4.2 and 4.3). `exchange=in-turn` has the solver's cells receive,
compute and send in turn (eq. 4.30); `together`, a step's numbers leave while the next come in. `wrap=no` and
`wrap=reversed` do without the links that wrap the mesh to a cone (`WRAPS`).
"""

TRIED = {"order": ("early", "published"), "redistribute": ("yes", "no"), "rho": ("pass", "recompute")}
"""Options on which it depends what is the quickest."""
SLOWER = {"order": ("published-in-turn",), "exchange": ("in-turn",)}
"""In turn is never quicker than at once."""
MEANT = {"carry": "branching joints", "zeros": "branching joints"}
"""On a chain every child is the next column, and no entry of M is zero."""


# Rows 1..n: the inertia matrix


def inertia_cell(cpu: Cpu, local: LocalBody, k: int, column: Column) -> Steps[float]:
    """Everything that processor (k, i) of rows 1..n does in a step; returns M_ik.

    Where the solver stands apart, row 1 ends with its rows of M: feed <- row i.
    """
    i, n = column.i, column.n
    order = ORDERS[column.order]
    formed = yield from order.form(cpu, local, k, column)
    entry: float = yield from order.inertia_sums(cpu, k, column, formed)
    cpu.phase("inertia")
    at, ports = ((k, i), COMPASS) if column.wrap == "yes" else ((n + 1 - i, n + 1 - k), MIRRORED)
    row = yield from shift_matrix(cpu, *at, n, entry, ports)
    if column.wrap == "no" and i == n:
        row = yield from turn_over(cpu, k, n, row[::-1])
    feed = row if at[0] == 1 else None
    if column.apart:
        if feed:
            yield cpu.send("feed", tuple(feed))
            cpu.phase("shift")
    elif k == i:
        yield from pivot(cpu, at[1], n, feed, in_turn=column.in_turn, ports=(ports[0], ports[-1]))
    else:
        yield from eliminate(cpu, *at, n, ports, feed, column.in_turn)
    return entry


# Row 0: the force vector, the last column of the solver, and the accelerations


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


def joint_force(cpu: Cpu, local: LocalBody, column: Column, lift: Vector) -> Steps[float]:
    """Processor (0, i), until it has what the bodies take of joint i: h_i, or tau_i where accelerations are given."""
    order = ORDERS[column.order]
    momentum = yield from order.momentum(cpu, local, column, lift)
    cpu.phase("momentum")
    force: float = yield from order.force_sums(cpu, column, momentum)
    return force


def force_cell(cpu: Cpu, local: LocalBody, column: Column, lift: Vector) -> Steps[tuple[float, float]]:
    """Everything that processor (0, i) does in a step; returns h_i and the acceleration of joint i.

    Where the solver stands apart, (0, n) ends with b: feed <- b. The unknowns come from (0, 0) either way.
    """
    i, n = column.i, column.n
    torque = torque_of(cpu, local)  # Wong Table 5.1
    h = yield from joint_force(cpu, local, column, lift)
    cpu.phase("force")
    b = yield from shift_force(cpu, i, n, cpu.do(subtract, torque, h))
    wrapped = column.wrap == "yes"
    if not column.apart:
        ports = ("east", "north" if wrapped else "south", "west", "")
        feed = (b[::-1] if column.wrap == "reversed" else b) if i == n else None
        yield from eliminate(cpu, n + 1 - i, n + 1, n, ports, feed, column.in_turn)
    elif i == n:
        yield cpu.send("feed", tuple(b))
        cpu.phase("shift")
    qdd = yield from (take_own(cpu, i) if wrapped else take_first(cpu, i, n))
    cpu.phase("distribute")
    return h, qdd


def host_cell(cpu: Cpu, n: int, in_turn: bool) -> Steps[None]:
    """Processor (0, 0) turns the solution round. east -> n zeros, then x;  west <- x, each while the next comes."""
    for _ in range(n):
        yield cpu.recv("east")
    x = yield cpu.recv("east")
    for _ in range(n - 1):
        if in_turn:
            yield cpu.send("west", x)
            x = yield cpu.recv("east")
        else:
            x, _ = yield cpu.par(cpu.recv("east"), cpu.send("west", x))
    cpu.phase("solve")
    yield cpu.send("west", x)


def host_cell_open(cpu: Cpu, n: int, in_reverse: bool) -> Steps[None]:
    """Processor (0, 0) where the mesh is not wrapped. east -> n zeros, then x;  east <- x, when all of it has come."""
    came = []
    for _ in range(2 * n):
        came.append((yield cpu.recv("east")))
    cpu.phase("solve")
    for x in came[: n - 1 : -1] if in_reverse else came[n:]:
        yield cpu.send("east", x)


def host_cell_apart(cpu: Cpu) -> Steps[None]:
    """Processor (0, 0) where the solver is a separate array. out -> x;  west <- x, number by number."""
    for x in (yield cpu.recv("out")):
        yield cpu.send("west", x)


# The plan


def check_options(options: Mapping[str, str]) -> None:
    """Refuse choices that do not go together."""
    check_order(options)
    if options["exchange"] == "in-turn" and options["solver"] != NAME:
        raise MeshSimError(f"exchange=in-turn must have solver={NAME}, not {options['solver']}")
    if options["wrap"] != "yes" and options["solver"] != NAME:
        raise MeshSimError(f"wrap={options['wrap']} must have solver={NAME}, not {options['solver']}")


def _host(n: int, options: Mapping[str, str]) -> Cell:
    """What processor (0, 0) does."""
    if options["solver"] != NAME:
        return Cell(host_cell_apart)
    if options["wrap"] != "yes":
        return Cell(partial(host_cell_open, n=n, in_reverse=options["wrap"] == "reversed"))
    return Cell(partial(host_cell, n=n, in_turn=options["exchange"] == "in-turn"))


def make(mechanism: Mechanism, options: Mapping[str, str]) -> CellEvaluation:
    """Lay the mesh out for a robot."""
    n = mechanism.n
    local_bodies = bodies_of(mechanism)
    apart, wrapped = options["solver"] != NAME, options["wrap"] == "yes"
    cells: dict[Hashable, Cell] = {(0, 0): _host(n, options)}
    for i, column in enumerate(columns_of(local_bodies, options), start=1):
        cells[0, i] = Cell(partial(force_cell, column=column, lift=lift_of(mechanism)), (i - 1,))
        for k in range(1, i + 1):
            cells[k, i] = Cell(partial(inertia_cell, k=k, column=column), (i - 1,))
    network = tree_cone(local_bodies, options["carry"], wrapped)
    homes = tuple((0, i) for i in range(1, n + 1))
    feeds = tuple(Feed((0, i), "south", (1, i), "north") for i in range(1, n + 1))  # Wong Table 5.1, task 7
    if not apart:
        gathering = Gathering((0, 0), partial(gather, n=n), scatter if wrapped else partial(scatter_east, n=n))
        return CellEvaluation(mechanism, network, cells, partial(read, n), homes, _acceleration, feeds, gathering)
    assembly = Assembly()
    assembly.add("cone", network, cells)
    sources = [(("cone", node), "feed") for node in (*((1, i) for i in range(1, n + 1)), (0, n))]
    assembly.add_solver(load_solver(options["solver"]), n, sources, ("cone", (0, 0)))
    gathering = Gathering(("cone", (0, 0)), inside("cone", partial(gather, n=n)), inside("cone", scatter))
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


# Torques for given accelerations: the force vector with them in w' and p'', which needs no M and no solver


def arm_cell(cpu: Cpu, local: LocalBody, k: int, column: Column) -> Steps[None]:
    """What processor (k, i) of rows 1..n does for row 0: c, rho and rho x c."""
    order = ORDERS[column.order]
    formed = yield from order.form(cpu, local, k, column)
    yield from order.inertia_sums(cpu, k, column, formed)


def torque_cell(cpu: Cpu, local: LocalBody, column: Column, lift: Vector) -> Steps[float]:
    """What processor (0, i) does: tau_i."""
    tau = yield from joint_force(cpu, local, column, lift)
    cpu.phase("torques")
    return tau


def invert(mechanism: Mechanism, options: Mapping[str, str]) -> CellInversion:
    """Lay the mesh out for inverse dynamics, without the host's processor."""
    local_bodies = bodies_of(mechanism)
    cells: dict[Hashable, Cell] = {}
    for i, column in enumerate(columns_of(local_bodies, options, torques=True), start=1):
        cells[0, i] = Cell(partial(torque_cell, column=column, lift=lift_of(mechanism)), (i - 1,))
        for k in range(1, i + 1):
            cells[k, i] = Cell(partial(arm_cell, k=k, column=column), (i - 1,))

    def read_torques(results: Mapping[Hashable, Any]) -> Array:
        return np.array([results[0, i] for i in range(1, mechanism.n + 1)])

    network = tree_cone(local_bodies, options["carry"])
    network.remove_node((0, 0))
    return CellInversion(mechanism, network, cells, read_torques)


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
    """M from the cells that hold its entries, h and the accelerations from row 0."""
    M = np.zeros((n, n))
    for i in range(1, n + 1):
        for k in range(1, i + 1):
            M[i - 1, k - 1] = M[k - 1, i - 1] = results[k, i]
    row_zero: Sequence[tuple[float, float]] = [results[0, i] for i in range(1, n + 1)]
    h, qdd = np.array(row_zero).T
    return Dynamics(M, h, qdd)


def published_counts(n: int, options: Mapping[str, str]) -> Mapping[str, Published]:
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
        "order": tuple(ORDERS),
        "redistribute": ("yes", "no"),
        "exchange": ("together", "in-turn"),
        "rho": ("pass", "recompute"),
        "carry": CARRIERS,
        "zeros": ("kept", "skipped"),
        "wrap": WRAPS,
        "solver": MESH_SOLVERS,
    },
    make=make,
    published=published_counts,
    takes=frozenset({"branching joints", "prismatic joints"}),
    inverse=invert,
    solving=frozenset({"exchange", "wrap", "solver"}),
    tried=TRIED,
    slower=SLOWER,
    meant=MEANT,
    together=check_options,
)
