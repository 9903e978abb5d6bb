"""A symmetric block-tridiagonal system with a row a processor, solved by odd-even elimination.

Row i is C_b^T x_{i-d} + D x_i + C x_{i+d} = r, first with d = 1. In every stage each row is eliminated from both its
neighbours, which then know one another: d doubles, all rows stay in work, and after ceil(log2 n) stages every row
stands alone. So there is no way back.

Eliminating row j, D = L P L^T, takes Y_b = L^-1 C_b, Y = L^-1 C and y = L^-1 r, and from each neighbour

    Y^T P^-1 Y (15 numbers),   Y^T P^-1 y (5),   and gives it Y^T P^-1 Y_b (25) towards the other.

The owner of row j forms all of these, and sends 45 words each way. The factors are found once, the last product serves
both neighbours, and these only subtract: 520 multiplies, 430 adds and 5 divisions a stage. If rows were exchanged as
they are, also in 45 words, both neighbours of a row would factor it, and form the last product each. If factors were
sent, that product would be formed twice, from 60 words.
"""

from dataclasses import dataclass
from typing import Any

from meshsim.algorithms.collectives.far_neighbours import Row
from meshsim.algorithms.kernels.constraint import (
    couple_block,
    forward_block,
    gram_block,
    project_block,
    scale_block,
    subtract_five,
    subtract_lower_block,
)
from meshsim.algorithms.kernels.handles import Rows, Six, sized
from meshsim.algorithms.schemes.logarithmic.pieces import factored, negative
from meshsim.program import Cpu, Steps

FIVE = sized(5)

Share = tuple[Any, ...]
"""What a row takes off a neighbour: off its diagonal, its right-hand side, and minus its new coupling; or nothing."""


@dataclass(frozen=True)
class Equation:
    """A row: its diagonal block as a lower triangle, its couplings to rows before and after, its right-hand side."""

    D: Rows
    before: Rows | None
    after: Rows | None
    r: Six


def solve_row(cpu: Cpu, row: Row, p: int, n: int, equation: Equation) -> Steps[Six]:
    """The unknowns of row p of n. Ports are the network's: shares of this row <-> those of rows 2^s places away."""
    distance = 1
    while distance < n:
        ahead, behind = shares(cpu, equation)
        before, after = yield from row.shift(cpu, p, n, distance, ahead, behind)
        equation = reduced(cpu, equation, before, after)
        distance *= 2
    L, inverses = factored(cpu, FIVE, equation.D)
    y = cpu.do(FIVE.forward_vector, L, equation.r)
    return cpu.do(FIVE.back, L, cpu.do(FIVE.scale_vector, inverses, y))


def shares(cpu: Cpu, equation: Equation) -> tuple[Share, Share]:
    """What eliminating this row does to the row after it, and to the row before it."""
    before, after = equation.before, equation.after
    if before is None and after is None:
        return (), ()
    L, inverses = factored(cpu, FIVE, equation.D)
    z = cpu.do(FIVE.scale_vector, inverses, cpu.do(FIVE.forward_vector, L, equation.r))
    sides = []
    for coupling in (after, before):
        if coupling is not None:
            Y = cpu.do(forward_block, L, coupling)
            Z = cpu.do(scale_block, inverses, Y)
            sides.append((Y, Z, cpu.do(gram_block, Y, Z), cpu.do(project_block, Y, z)))
    if before is None or after is None:
        share = *sides[0][2:], ()
        return ((), share) if after is None else (share, ())
    (Y, _, gram, column), (_, Z, gram_before, column_before) = sides
    across = cpu.do(couple_block, Y, Z)
    return (gram, column, across), (gram_before, column_before, transposed_block(across))


def reduced(cpu: Cpu, equation: Equation, before: Share | None, after: Share | None) -> Equation:
    """A row without its two neighbours: couplings go on to theirs."""
    D, r = equation.D, equation.r
    for share in (before, after):
        if share is not None:
            D, r = cpu.do(subtract_lower_block, D, share[0]), cpu.do(subtract_five, r, share[1])
    return Equation(D, _onward(before), _onward(after), r)


def _onward(share: Share | None) -> Rows | None:
    """The coupling beyond a neighbour, if there is a row."""
    return negative(share[2]) if share is not None and share[2] else None


def transposed_block(B: Rows) -> Rows:
    """The transpose: moving numbers is free."""
    return tuple(zip(*B, strict=True))
