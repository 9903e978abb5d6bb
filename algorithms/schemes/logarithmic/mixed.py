"""Pieces of a chain with mixed handles: inertia at the inboard one, inverse inertia at the outboard one.

A piece takes the acceleration a of its inboard handle, and f, the wrench that it exerts on what follows:

    (wrench on it) = I a + T f + p,        (its outlet's acceleration) = T^T a - L f + b

A body has L = 0, and all that is added up is positive semidefinite: far fewer digits are lost than with inverse
inertias of free pieces, which are large where a link is thin. Inner piece A and outer piece B meet at a joint whose
coordinate s is free; 5 are the others. With d = I_B,ss, u = I_B,5s / d, J = I_B,55 - u I_B,s5, t = T_B,s and
V = T_B,5 - u t; J = M D M^T, G = L_A,55 seen through M, that is M^T L_A,55 M, and S = D^-1 + G = N Delta N^T:

    I = I_A + T_A,5 M S^-1 M^T T_A,5^T,        T = T_A,5 M S^-1 D^-1 M^-1 V,
    L = L_B + V^T M^-T G S^-1 D^-1 M^-1 V + t^T t / d.

Where A is a body, G = 0 and S^-1 = D, so that nothing is factored.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from meshsim.algorithms.kernels.core import multiply, subtract
from meshsim.algorithms.kernels.handles import Factors, Rows, Six, add_square, sized, subtract_along
from meshsim.algorithms.kernels.mixed import (
    add_diagonal,
    add_five,
    back_rows,
    congruent,
    five_onto,
    five_times_rows,
    gain_of,
    less_dot,
    less_outer,
    lower_vector,
    more_dot,
    raise_rows,
    raise_vector,
    rows_times,
    see_through,
    square_of,
)
from meshsim.algorithms.schemes.logarithmic.dividing import Packed, Seat, Work
from meshsim.algorithms.schemes.logarithmic.pieces import ALL, factored, negative, opposite
from meshsim.algorithms.schemes.logarithmic.trees import Join, Leaf, Node, Values
from meshsim.program import Cpu, Steps

FIVE = sized(5)


@dataclass(frozen=True)
class Mixed:
    """A piece, and the torque of the joint that carries it; () is a zero matrix, or what a free end has not."""

    I: Rows  # noqa: E741 - the letter of an inertia
    p: Six
    torque: float
    T: Rows = ()
    L: Rows = ()
    b: Six = ()

    def sent(self) -> Packed:
        """As a message."""
        return self.I, self.p, self.torque, self.T, self.L, self.b


@dataclass(frozen=True)
class Beyond:
    """A piece as its joint shows it: 1 / d, u, J, z = p_5 + u (torque - p_s), torque - p_s; of an outlet t and V."""

    s: int
    inverse: float
    u: Six
    J: Rows
    z: Six
    push: float
    t: Six
    V: Rows


@dataclass(frozen=True)
class Held:
    """What is kept of the joint until accelerations are known: row s of T_A^T, b_A,s, row s of L_A, and the torque."""

    beyond: Beyond
    along: Six
    start: float
    slack: Six
    torque: float


@dataclass(frozen=True)
class BodySeam:
    """What is kept where a body carries a piece: T_A,5^T and b_A,5."""

    held: Held
    Y: Rows
    x: Six


@dataclass(frozen=True)
class PieceSeam:
    """What is kept where a piece carries another: factors of J and S, what a, f and neither do to the joint.

    The wrench is M N^-T Delta^-1 (e + G a + K f); the acceleration M^-T (h + D^-1 N^-T Delta^-1 G a - R f).
    """

    held: Held
    J: Factors
    S: Factors
    e: Six
    h: Six
    G: Rows
    K: Rows = ()
    R: Rows = ()


Seam = BodySeam | PieceSeam


def entry(P: Rows, i: int, j: int) -> float:
    """An entry of a symmetric matrix."""
    return P[max(i, j)][min(i, j)]


def others(s: int) -> tuple[int, ...]:
    """The coordinates that a joint holds."""
    return tuple(i for i in ALL if i != s)


def filled(s: int, five: Six, along: float) -> Six:
    """Six numbers of five and the one of the joint."""
    return *five[:s], along, *five[s:]


def freedom(work: Work, node: Node) -> int:
    """The coordinate of the joint that carries a piece."""
    return 5 if work.slides[node.units[0]] else 2


def see(cpu: Cpu, piece: Mixed, s: int) -> Beyond:
    """A piece seen through the joint that carries it."""
    rows = others(s)
    h = tuple(entry(piece.I, i, s) for i in rows)
    inverse, u = cpu.do(gain_of, piece.I[s][s], h)
    J = cpu.do(see_through, tuple(tuple(piece.I[i][j] for j in rows if j <= i) for i in rows), h, u)
    push = cpu.do(subtract, piece.torque, piece.p[s])
    z = cpu.do(FIVE.less_column, tuple(piece.p[i] for i in rows), -push, u)
    if not piece.T:
        return Beyond(s, inverse, u, J, z, push, (), ())
    t = piece.T[s]
    return Beyond(s, inverse, u, J, z, push, t, cpu.do(less_outer, tuple(piece.T[i] for i in rows), u, t))


def plus(cpu: Cpu, b: Six, Y: Rows, z: Six, factor: float, along: Six) -> Six:
    """B + Y^T z + factor along."""
    return cpu.do(subtract_along, cpu.do(FIVE.drop, b, Y, opposite(z)), -factor, along)


def meet(cpu: Cpu, node: Join, pieces: Values, work: Work, seams: dict[Node, Seam]) -> Packed:
    """Two pieces joined."""
    inner, outer = Mixed(*pieces[node.inner]), Mixed(*pieces[node.outer])
    beyond = see(cpu, outer, freedom(work, node.outer))
    s, rows = beyond.s, others(beyond.s)
    columns = tuple(zip(*inner.T, strict=True))
    slack = tuple(entry(inner.L, i, s) for i in ALL) if inner.L else ()
    held = Held(beyond, columns[s], inner.b[s], slack, outer.torque)
    Y, x = tuple(columns[i] for i in rows), tuple(inner.b[i] for i in rows)
    if not inner.L:
        seams[node] = BodySeam(held, Y, x)
        return _on_body(cpu, inner, outer, held, Y, x).sent()
    return _on_piece(cpu, node, (inner, outer), held, (Y, x), seams).sent()


def _on_body(cpu: Cpu, inner: Mixed, outer: Mixed, held: Held, Y: Rows, x: Six) -> Mixed:
    """A body with what it carries: the joint takes J x + z."""
    beyond = held.beyond
    inertia = cpu.do(FIVE.reduce, inner.I, negative(Y), cpu.do(five_times_rows, beyond.J, Y))
    f = cpu.do(five_onto, beyond.z, beyond.J, x)
    p = plus(cpu, inner.p, Y, f, held.torque, held.along)
    if not outer.T:
        return Mixed(inertia, p, inner.torque)
    T = cpu.do(FIVE.couple, Y, beyond.V)
    drive = cpu.do(multiply, beyond.push, beyond.inverse)
    b = plus(cpu, outer.b, beyond.V, x, drive, beyond.t)
    return Mixed(inertia, p, inner.torque, T, _with_square(cpu, outer.L, beyond), b)


def _with_square(cpu: Cpu, L: Rows, beyond: Beyond) -> Rows:
    """L + t^T t / d."""
    return cpu.do(add_square, L, beyond.inverse, beyond.t) if L else cpu.do(square_of, beyond.inverse, beyond.t)


def _on_piece(
    cpu: Cpu, node: Node, both: tuple[Mixed, Mixed], held: Held, at: tuple[Rows, Six], seams: dict[Node, Seam]
) -> Mixed:
    """Two pieces, of which the inner gives way at its outlet."""
    (inner, outer), beyond, rows = both, held.beyond, others(held.beyond.s)
    M, D = factored(cpu, FIVE, beyond.J)
    slack = cpu.do(congruent, M, tuple(tuple(inner.L[i][j] for j in rows if j <= i) for i in rows))
    N, Delta = factored(cpu, FIVE, cpu.do(add_diagonal, slack, D))
    x = cpu.do(FIVE.less_column, at[1], held.torque, tuple(held.slack[i] for i in rows))
    x, z = cpu.do(raise_vector, M, x), cpu.do(FIVE.forward_vector, M, beyond.z)
    e = cpu.do(FIVE.forward_vector, N, cpu.do(add_five, x, cpu.do(FIVE.scale_vector, D, z)))
    G = cpu.do(FIVE.forward, N, cpu.do(raise_rows, M, at[0]))
    Z = cpu.do(FIVE.scale_rows, Delta, G)
    inertia = cpu.do(FIVE.reduce, inner.I, negative(G), Z)
    p = plus(cpu, inner.p, Z, e, held.torque, held.along)
    pull = cpu.do(FIVE.forward_vector, N, cpu.do(five_onto, x, slack, opposite(z)))
    h = cpu.do(FIVE.scale_vector, D, cpu.do(FIVE.back, N, cpu.do(FIVE.scale_vector, Delta, pull)))
    if not outer.T:
        seams[node] = PieceSeam(held, (M, D), (N, Delta), e, h, G)
        return Mixed(inertia, p, inner.torque)
    V = cpu.do(FIVE.forward, M, beyond.V)
    K = cpu.do(FIVE.forward, N, cpu.do(FIVE.scale_rows, D, V))
    R = cpu.do(five_times_rows, slack, cpu.do(back_rows, N, cpu.do(FIVE.scale_rows, Delta, K)))
    seams[node] = PieceSeam(held, (M, D), (N, Delta), e, h, G, K, R)
    T = cpu.do(FIVE.couple, Z, K)
    L = cpu.do(FIVE.reduce, _with_square(cpu, outer.L, beyond), negative(V), R)
    drive = cpu.do(multiply, beyond.push, beyond.inverse)
    return Mixed(inertia, p, inner.torque, T, L, plus(cpu, outer.b, V, h, drive, beyond.t))


# The way back


def divide(cpu: Cpu, node: Join, found: Values, seams: Mapping[Node, Seam]) -> None:
    """The acceleration of the inboard handles of two pieces, what they exert at their outlets, and their joints'."""
    (a, f), first = found[node]
    seam = seams[node]
    held = seam.held
    force: Six = ()
    if isinstance(seam, BodySeam):
        five = cpu.do(FIVE.respond, seam.x, seam.Y, a)
    else:
        five, force = _between(cpu, seam, a, f)
    along = _along(cpu, held.beyond, five, f)
    carrier = cpu.do(more_dot, held.start, held.along, a)
    if force:
        force = filled(held.beyond.s, force, held.torque)
        carrier = cpu.do(more_dot, carrier, held.slack, opposite(force))
    second = (cpu.do(subtract, along, carrier),)
    found[node.inner] = _told(node.inner, a, force), first
    found[node.outer] = _told(node.outer, filled(held.beyond.s, five, along), f), second


def _between(cpu: Cpu, seam: PieceSeam, a: Six, f: Six) -> tuple[Six, Six]:
    """Of the five coordinates that a joint holds, the acceleration and the wrench."""
    (M, D), (N, Delta) = seam.J, seam.S
    moved = cpu.do(rows_times, seam.G, a)
    e = cpu.do(add_five, seam.e, moved)
    swayed = cpu.do(FIVE.back, N, cpu.do(FIVE.scale_vector, Delta, moved))
    h = cpu.do(add_five, seam.h, cpu.do(FIVE.scale_vector, D, swayed))
    if f:
        e = cpu.do(FIVE.respond, e, seam.K, f)
        h = cpu.do(FIVE.respond, h, seam.R, opposite(f))
    force = cpu.do(lower_vector, M, cpu.do(FIVE.back, N, cpu.do(FIVE.scale_vector, Delta, e)))
    return cpu.do(FIVE.back, M, h), force


def _along(cpu: Cpu, beyond: Beyond, five: Six, f: Six) -> float:
    """The acceleration of the outer piece along its joint."""
    push = cpu.do(more_dot, beyond.push, beyond.t, opposite(f)) if f else beyond.push
    return cpu.do(less_dot, cpu.do(multiply, push, beyond.inverse), beyond.u, five)


def _told(node: Node, a: Six, f: Six) -> tuple[Six, ...]:
    """What a piece is told; nobody asks for that of one unit."""
    return () if isinstance(node, Leaf) else (a, f)


def settle(cpu: Cpu, seat: Seat, work: Work, packed: Packed, _turnings: Values) -> Steps[Any]:
    """The piece on the ground, which accelerates by `base`: all that is asked is how its joint gives way."""
    assert seat.root is not None
    piece, s = Mixed(*packed), freedom(work, seat.root)
    inverse, u = cpu.do(gain_of, piece.I[s][s], tuple(entry(piece.I, i, s) for i in others(s)))
    push = cpu.do(subtract, piece.torque, piece.p[s])
    five = tuple(seat.base[i] for i in others(s))
    along = cpu.do(less_dot, cpu.do(multiply, push, inverse), u, five)
    yield from ()
    return _told(seat.root, filled(s, five, along), ()), (cpu.do(subtract, along, seat.base[s]),)


class MixedHandles:
    """Pieces with mixed handles."""

    meet = staticmethod(meet)
    divide = staticmethod(divide)
    settle = staticmethod(settle)


MIXED = MixedHandles()
