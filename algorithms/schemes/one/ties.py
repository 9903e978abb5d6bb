"""Joints that mimic others, in recursions that never form M.

The recursion is that of the tree in which all joints move by themselves. What a tie does is a torque on the joint that
follows, and the opposite, times the multiplier, on its master: one unknown for each tie, such that both accelerate as
the tie has it. A solution for the torques given, and one for a unit of each unknown, give the equations for them.
Every joint must then resist by itself: one that carries no mass is refused.                    # docs/notation.md
"""

from collections.abc import Mapping, Sequence

from meshsim.algorithms.kernels.core import axpy, subtract_product
from meshsim.algorithms.robots.body import Tie
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.one.articulated import Articulated, Tree, accelerations, biases
from meshsim.algorithms.solvers.ldl import solve_ldl
from meshsim.program import Cpu


def fold(cpu: Cpu, local_bodies: Sequence[LocalBody], h: Sequence[float]) -> list[float]:
    """G^T h: what joints that follow take is added to their masters'."""
    folded = list(h)
    for i, local in enumerate(local_bodies):
        if local.tie is not None:
            folded[local.tie.master] = cpu.do(axpy, local.tie.multiplier, h[i], folded[local.tie.master])
    return [each for each, local in zip(folded, local_bodies, strict=True) if local.tie is None]


def spread(local_bodies: Sequence[LocalBody], torques: Sequence[float]) -> list[float]:
    """What acts on every joint, given what acts on those that move by themselves."""
    acting = iter(torques)
    return [next(acting) if local.tie is None else 0.0 for local in local_bodies]


def tie(cpu: Cpu, tree: Tree, bodies: Articulated, qdd: Sequence[float]) -> list[float]:
    """The accelerations of the joints that move by themselves, given those of all joints were none tied."""
    ties = {i: local.tie for i, local in enumerate(tree.bodies) if local.tie is not None}
    found = list(qdd)
    if ties:
        columns = []
        for i, each in ties.items():
            unit = [0.0] * len(qdd)
            unit[i], unit[each.master] = 1.0, -each.multiplier
            columns.append(accelerations(cpu, tree, bodies, biases(cpu, tree, bodies, unit)))
        rows = [gaps(cpu, ties, column) for column in columns]
        excess = solve_ldl(cpu, [row[: k + 1] for k, row in enumerate(rows)], gaps(cpu, ties, qdd))
        for amount, column in zip(excess, columns, strict=True):
            found = [cpu.do(subtract_product, known, amount, each) for known, each in zip(found, column, strict=True)]
    return [each for each, local in zip(found, tree.bodies, strict=True) if local.tie is None]


def gaps(cpu: Cpu, ties: Mapping[int, Tie], qdd: Sequence[float]) -> list[float]:
    """By how much each joint that follows accelerates more than its tie has it."""
    return [cpu.do(subtract_product, qdd[i], each.multiplier, qdd[each.master]) for i, each in ties.items()]
