"""Articulated bodies on one processor: Featherstone's algorithm, and Brandl, Johanni and Otter's.

Both are `articulated.py`. With the bias "inside" (Brandl) velocities and gravity go through the recursion, and h is
never formed. With the bias from an "inverse" dynamics (Featherstone) Luh, Walker and Paul's gives h, and the recursion
solves M qdd = tau - h alone.                                                                  # Wong sec. 2.2.2
"""

from collections.abc import Sequence

from meshsim.algorithms.schemes.base.links import Link, torque_of
from meshsim.algorithms.schemes.one.articulated import accelerations, articulate, biases, drift, first_axis, turns
from meshsim.algorithms.schemes.one.luh_walker_paul import inverse_dynamics_force
from meshsim.algorithms.schemes.one.one_processor import recursive_scheme, right_hand_side
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu


def solve_inside(cpu: Cpu, links: Sequence[Link], lift: Vector) -> list[float]:
    """The accelerations; velocities and gravity inside the recursion."""
    turned = turns(cpu, links)
    axis = first_axis(cpu, links, turned)
    bodies = articulate(cpu, links, turned, axis)
    cpu.phase("inertia")
    drifting = drift(cpu, links, turned, axis, lift)
    cpu.phase("drift")
    torques = [torque_of(cpu, link) for link in links]
    cpu.phase("actuator")
    u = biases(cpu, links, turned, bodies, torques, drifting)
    cpu.phase("force")
    cpu.phase("shift")
    return accelerations(cpu, links, turned, bodies, u, drifting)


def solve_inverse(cpu: Cpu, links: Sequence[Link], lift: Vector) -> tuple[list[float], list[float]]:
    """h and the accelerations; h first."""
    turned = turns(cpu, links)
    A = [cpu.do(link.form, turn.sine, turn.cosine, link.E) for link, turn in zip(links, turned, strict=True)]
    h = inverse_dynamics_force(cpu, links, A, lift)
    cpu.phase("force")
    bodies = articulate(cpu, links, turned, first_axis(cpu, links, turned))
    cpu.phase("inertia")
    phi = right_hand_side(cpu, links, h)
    cpu.phase("shift")
    u = biases(cpu, links, turned, bodies, phi)
    return h, accelerations(cpu, links, turned, bodies, u)


def solve(cpu: Cpu, links: Sequence[Link], lift: Vector, bias: str) -> tuple[list[float] | None, list[float]]:
    """The accelerations, and h if it was formed."""
    return (None, solve_inside(cpu, links, lift)) if bias == "inside" else solve_inverse(cpu, links, lift)


ONE_FEATHERSTONE = recursive_scheme(
    name="one-featherstone",
    summary="articulated bodies on one processor: with the force vector inside, or from an inverse dynamics",
    solve=solve,
    solver="articulated",
    options={"bias": ("inside", "inverse")},
)
