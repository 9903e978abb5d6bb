"""Schemes on one simulated processor: those that form M and h and then solve, and those that never form M.

All five phases are marked, so that reports and comparisons read alike; where all is in one place, nothing is shifted or
distributed. A method marks steps of its own besides, and `Run.operations_by_phase` gives the operations of each.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from meshsim.algorithms.kernels.articulated import Wrench
from meshsim.algorithms.kernels.core import axpy, subtract
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.body import Tie
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.assembly import Assembly
from meshsim.algorithms.schemes.base.bodies import LocalBody, follow, lift_of, torque_of
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation, CellInversion, kept_by
from meshsim.algorithms.schemes.base.joints import facing
from meshsim.algorithms.schemes.base.scheme import LINEAR, Scheme
from meshsim.algorithms.schemes.one.ties import fold
from meshsim.algorithms.solvers.catalogue import SOLVERS, SolverChoice, load_solver
from meshsim.algorithms.solvers.cholesky import solve_cholesky
from meshsim.algorithms.solvers.ldl import solve_ldl
from meshsim.algorithms.solvers.lu import solve_lu, solve_lu_scaled
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu, Steps
from meshsim.topologies.pipeline import pipeline

TREES = frozenset({"branching joints", "prismatic joints", "mimic joints"})
"""What recursions take: any robot without loops whose joints all carry mass."""
LIBRARY = {"lu": solve_lu, "lu-scaled": solve_lu_scaled}
"""Solvers that any scheme may use on its one processor."""
OWN_SOLVERS = {"ldl": solve_ldl, "cholesky": solve_cholesky, **LIBRARY}

Formed = tuple[list[list[float]], list[float]]
"""The lower triangle of M, row by row, and h."""
Found = tuple[list[list[float]] | None, list[float] | None, list[float]]
"""M, h and the accelerations; None for what was not formed."""


def form_free(cpu: Cpu, form: Callable[..., Formed], local_bodies: Sequence[LocalBody], lift: Vector) -> Formed:
    """M and h of the joints that move by themselves, which carry the others: G^T M G and G^T h (docs/notation.md)."""
    if all(local.tie is None for local in local_bodies):
        return form(cpu, local_bodies, lift)
    local_bodies = follow(cpu, local_bodies)
    cpu.phase("followers")
    M, h = form(cpu, local_bodies, lift)
    left = list(range(len(local_bodies)))
    for i, local in enumerate(local_bodies):
        if local.tie is not None:
            left.remove(i)
            _add_row(cpu, M, h, i, local.tie, left)
    cpu.phase("ties")
    return [[M[i][j] for j in left if j <= i] for i in left], [h[i] for i in left]


def _add_row(cpu: Cpu, M: list[list[float]], h: list[float], i: int, tie: Tie, others: Sequence[int]) -> None:
    """Add row and column i of a symmetric M, known by its lower triangle, to those of its master, and h likewise."""

    def add_to(a: int, b: int, c: int, d: int) -> None:
        source = M[max(a, b)][min(a, b)]
        row, column = max(c, d), min(c, d)
        M[row][column] = cpu.do(axpy, tie.multiplier, source, M[row][column])

    m = tie.master
    for j in others:
        add_to(i, j, m, j)  # the master's own entry gets its share of row i,
    add_to(i, i, i, m)
    add_to(i, m, m, m)  # and of column i, in which that of M_ii is now
    h[m] = cpu.do(axpy, tie.multiplier, h[i], h[m])


def right_hand_side(cpu: Cpu, local_bodies: Sequence[LocalBody], h: Sequence[float]) -> list[float]:
    """b = tau - h."""
    torques = [torque_of(cpu, local) for local in local_bodies if local.tie is None]
    cpu.phase("actuator")
    return [cpu.do(subtract, torque, bias) for torque, bias in zip(torques, h, strict=True)]


def whole(lower: Sequence[Sequence[float]]) -> list[tuple[float, ...]]:
    """The rows of a symmetric matrix from its lower triangle."""
    n = len(lower)
    return [tuple(lower[max(i, j)][min(i, j)] for j in range(n)) for i in range(n)]


def step(cpu: Cpu, *local_bodies: LocalBody, form: Callable[..., Formed], solver: str, lift: Vector) -> Steps[Found]:
    """Form M and h, solve; no ports."""
    M, h = form_free(cpu, form, local_bodies, lift)
    b = right_hand_side(cpu, local_bodies, h)
    cpu.phase("shift")
    qdd = OWN_SOLVERS[solver](cpu, M, b)
    cpu.phase("solve")
    cpu.phase("distribute")
    yield cpu.par()  # a program is a generator, even one that never communicates
    return M, h, qdd


def step_with_array(cpu: Cpu, *local_bodies: LocalBody, form: Callable[..., Formed], lift: Vector) -> Steps[Found]:
    """The same with a solver's array beside it. feed 1 .. feed n+1 <- columns of M, then b;  out -> x."""
    M, h = form_free(cpu, form, local_bodies, lift)
    columns = [*whole(M), tuple(right_hand_side(cpu, local_bodies, h))]
    yield cpu.par(*(cpu.send(f"feed {i}", column) for i, column in enumerate(columns, start=1)))
    cpu.phase("shift")
    qdd = yield cpu.recv("out")
    cpu.phase("distribute")
    return M, h, list(qdd)


def recursion_step(
    cpu: Cpu, *local_bodies: LocalBody, solve: Callable[..., tuple[list[float] | None, list[float]]], lift: Vector
) -> Steps[Found]:
    """Accelerations, and h if it was formed, without M; no ports."""
    if any(local.tie is not None for local in local_bodies):
        local_bodies = tuple(follow(cpu, local_bodies))
        cpu.phase("followers")
    h, qdd = solve(cpu, local_bodies, lift)
    cpu.phase("solve")
    cpu.phase("distribute")
    yield cpu.par()
    return None, h, qdd


# Torques for given accelerations

Torques = Callable[..., list[float]]
"""Given a processor, the links and the lift, the torques of all joints."""
Reactions = Callable[..., list[Wrench]]
"""Given the same, what each joint exerts on the body that it carries."""


def torque_step(cpu: Cpu, *local_bodies: LocalBody, torques: Torques, lift: Vector) -> Steps[list[float]]:
    """Torques of the joints that move by themselves, which carry the others: G^T tau; no ports."""
    tied = any(local.tie is not None for local in local_bodies)
    tau = torques(cpu, follow(cpu, local_bodies) if tied else local_bodies, lift)
    tau = fold(cpu, local_bodies, tau)
    cpu.phase("torques")
    yield cpu.par()
    return tau


def composite(
    cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector, form: Callable[..., Formed], **options: str
) -> list[float]:
    """M qdd + h."""
    M, tau = form(cpu, local_bodies, lift, **options)
    for i, row in enumerate(whole(M)):
        for entry, local in zip(row, local_bodies, strict=True):
            assert local.qdd is not None
            tau[i] = cpu.do(axpy, entry, local.qdd, tau[i])
    return tau


def reaction_step(cpu: Cpu, *local_bodies: LocalBody, reactions: Reactions, lift: Vector) -> Steps[list[float]]:
    """The same torques, each a part of what its joint exerts; then, joint by joint, forces and moments; no ports."""
    tied = any(local.tie is not None for local in local_bodies)
    wrenches = reactions(cpu, follow(cpu, local_bodies) if tied else local_bodies, lift)
    tau = [facing(local, wrench)[0][2] for local, wrench in zip(local_bodies, wrenches, strict=True)]
    tau = fold(cpu, local_bodies, tau)
    cpu.phase("torques")
    yield cpu.par()
    return [*tau, *(number for moment, force in wrenches for number in (*force, *moment))]


def inverse_of(
    torques: Torques, reactions: Reactions | None = None
) -> Callable[[Mechanism, Mapping[str, str]], CellInversion]:
    """How inverse dynamics are laid out on one processor; the scheme's options but `solver` reach it as keywords.

    `reactions` finds what joints exert, where the scheme knows it.
    """

    def invert(mechanism: Mechanism, chosen: Mapping[str, str]) -> CellInversion:
        joints, lift = tuple(range(mechanism.n)), lift_of(mechanism)
        program = partial(torque_step, torques=partial(torques, **_others(chosen)), lift=lift)
        more = None if reactions is None else {1: Cell(partial(reaction_step, reactions=reactions, lift=lift), joints)}
        return CellInversion(mechanism, pipeline(1), {1: Cell(program, joints)}, _only, more)

    return invert


def _only(results: Mapping[Hashable, list[float]]) -> Array:
    return np.array(results[1])


# The schemes


def _alone(mechanism: Mechanism, program: Callable[..., Steps[Found]]) -> CellEvaluation:
    """One processor with all joints."""
    cell = Cell(partial(program, lift=lift_of(mechanism)), tuple(range(mechanism.n)))
    return CellEvaluation(mechanism, pipeline(1), {1: cell}, partial(_read, 1), (1,), _accelerations, (), kept_by(1))


def _read(home: Hashable, results: Mapping[Hashable, Found]) -> Dynamics:
    M, h, qdd = results[home]
    return Dynamics(None if M is None else np.array(whole(M)), None if h is None else np.array(h), np.array(qdd))


def _accelerations(result: Found) -> Sequence[float]:
    return result[2]


def _others(options: Mapping[str, str]) -> dict[str, str]:
    return {option: value for option, value in options.items() if option != "solver"}


def forming_scheme(
    name: str,
    summary: str,
    form: Callable[..., Formed],
    solver: str,
    options: Mapping[str, tuple[str, ...]] | None = None,
    takes: Iterable[str] = (),
) -> Scheme:
    """A scheme whose one processor forms M and h and solves, or hands both to a solver's array.

    Parameters
    ----------
    name, summary : str
        What it is called, and what it is.
    form : callable
        Given a processor, the links and the lift, forms the lower triangle of M and h, and marks "inertia" and "force".
        Options other than `solver` reach it as keywords.
    solver : str
        Its own solver, "ldl" or "cholesky".
    options : mapping, optional
        Further options, as of `Scheme`.
    takes : iterable of str
        What it takes beyond trees: `form` must take any, and so joints that slide, and those without a load.
    """

    def make(mechanism: Mechanism, chosen: Mapping[str, str]) -> CellEvaluation:
        formed = partial(form, **_others(chosen))
        if chosen["solver"] in OWN_SOLVERS:
            return _alone(mechanism, partial(step, form=formed, solver=chosen["solver"]))
        n = len(mechanism.freedoms)
        assembly = Assembly()
        program = partial(step_with_array, form=formed, lift=lift_of(mechanism))
        assembly.add("one", pipeline(1), {1: Cell(program, tuple(range(mechanism.n)))})
        home = "one", 1
        feeds = [(home, f"feed {i}") for i in range(1, n + 2)]
        assembly.add_solver(load_solver(chosen["solver"]), n, feeds, home)
        read = partial(_read, home)
        return CellEvaluation(
            mechanism, assembly.topology, assembly.cells, read, (home,), _accelerations, (), kept_by(home)
        )

    return Scheme(
        name,
        summary,
        make,
        {**(options or {}), "solver": SolverChoice((solver, *LIBRARY, *SOLVERS))},
        takes=TREES | {"joints without a load", *takes},
        inverse=inverse_of(partial(composite, form=form)),
        solving=frozenset({"solver"}),
        largest=LINEAR,
    )


def recursive_scheme(
    name: str,
    summary: str,
    solve: Callable[..., tuple[list[float] | None, list[float]]],
    solver: str,
    options: Mapping[str, tuple[str, ...]] | None = None,
    inverse: Torques | None = None,
    reactions: Reactions | None = None,
) -> Scheme:
    """A scheme whose one processor solves by a recursion of its own, called `solver`, that never forms M.

    `solve`, given a processor, the links and the lift, returns h (or None) and the accelerations, and marks "inertia",
    "force" and "shift"; the joints of both are those that move by themselves. `inverse` is its inverse dynamics, if it
    has any, and `reactions` finds what joints exert. The rest is as for `forming_scheme`.
    """

    def make(mechanism: Mechanism, chosen: Mapping[str, str]) -> CellEvaluation:
        return _alone(mechanism, partial(recursion_step, solve=partial(solve, **_others(chosen))))

    inverted = None if inverse is None else inverse_of(inverse, reactions)
    chosen = {**(options or {}), "solver": (solver,)}
    solving = frozenset({"solver"})
    return Scheme(name, summary, make, chosen, takes=TREES, inverse=inverted, solving=solving, largest=LINEAR)
