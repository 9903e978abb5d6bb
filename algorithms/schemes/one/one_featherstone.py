"""Articulated bodies on one processor: Featherstone's algorithm, and Brandl, Johanni and Otter's.

Both are `articulated.py`. With the bias "inside" (Brandl) velocities and gravity go through the recursion, and h is
never formed. With the bias from an "inverse" dynamics (Featherstone) Luh, Walker and Paul's gives h, and the recursion
solves M qdd = tau - h alone.                                                                  # Wong sec. 2.2.2
"""

from collections.abc import Sequence

from meshsim.algorithms.schemes.base.bodies import LocalBody, torque_of
from meshsim.algorithms.schemes.base.joints import Turn
from meshsim.algorithms.schemes.one.articulated import accelerations, articulate, biases, drift, place, unit_motions
from meshsim.algorithms.schemes.one.luh_walker_paul import inverse_dynamics_force
from meshsim.algorithms.schemes.one.one_processor import recursive_scheme, right_hand_side
from meshsim.algorithms.schemes.one.ties import fold, spread, tie
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu


def solve_inside(cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector) -> list[float]:
    """The accelerations; velocities and gravity inside the recursion."""
    tree = place(cpu, local_bodies)
    axis = unit_motions(cpu, tree)
    bodies = articulate(cpu, tree, axis)
    cpu.phase("inertia")
    drifting = drift(cpu, tree, axis, lift)
    cpu.phase("drift")
    torques = [torque_of(cpu, local) for local in local_bodies if local.tie is None]
    cpu.phase("actuator")
    u = biases(cpu, tree, bodies, spread(local_bodies, torques), drifting)
    cpu.phase("force")
    cpu.phase("shift")
    return tie(cpu, tree, bodies, accelerations(cpu, tree, bodies, u, drifting))


def solve_inverse(cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector) -> tuple[list[float], list[float]]:
    """h and the accelerations; h first."""
    tree = place(cpu, local_bodies)
    A = [
        cpu.do(local.form, turn.sine, turn.cosine, local.E) if isinstance(turn, Turn) else local.E
        for local, turn in zip(local_bodies, tree.turns, strict=True)
    ]
    h = fold(cpu, local_bodies, inverse_dynamics_force(cpu, local_bodies, A, lift, tree.reach))
    cpu.phase("force")
    bodies = articulate(cpu, tree, unit_motions(cpu, tree))
    cpu.phase("inertia")
    phi = right_hand_side(cpu, local_bodies, h)
    cpu.phase("shift")
    u = biases(cpu, tree, bodies, spread(local_bodies, phi))
    return h, tie(cpu, tree, bodies, accelerations(cpu, tree, bodies, u))


def solve(
    cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector, bias: str
) -> tuple[list[float] | None, list[float]]:
    """The accelerations, and h if it was formed."""
    return (None, solve_inside(cpu, local_bodies, lift)) if bias == "inside" else solve_inverse(cpu, local_bodies, lift)


ONE_FEATHERSTONE = recursive_scheme(
    name="one-featherstone",
    summary="articulated bodies on one processor: with the force vector inside, or from an inverse dynamics",
    solve=solve,
    solver="articulated",
    options={"bias": ("inside", "inverse")},
)
