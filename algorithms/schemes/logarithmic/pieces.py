"""Pieces of a robot, held by handles; how two become one where they meet, and how that is undone.

Of a piece is known how each handle h accelerates with the wrenches f that act on its handles:

    a_h = sum over k of Phi_hk f_k + b_h                                            # Featherstone 1999, eqs 1 and 2

Where handle a of one piece and handle b of another meet at a joint, the wrench f on b, and -f on a, is such that the
handles differ by the joint's own motion alone. With N = Phi_aa + Phi_bb, G_h = Phi_ah - Phi_bh and g = b_a - b_b, and
in the axes in which some coordinates of f are free to hold and the others are given, that is K f = g + sum G_h f_h,
where K are the rows and columns of N that hold. K = L D L^T, Y_h = L^-1 G_h, and of the new piece

    Phi_hk - Y_h^T D^-1 Y_k,        b_h - Y_h^T D^-1 y - (what the joint's torque does).

A joint of one freedom gives one coordinate, its torque, and holds five (`form=five`). One of several freedoms holds
all six of a full N, and then gives way along each of its unit motions (`form=six`), which takes no axes: a rank-one
correction a freedom. A cut joint holds as many as it has constraints. The same closes a loop: then a and b are handles
of one piece, and N has two terms more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from meshsim.algorithms.kernels.core import add, multiply, ratio, subtract, subtract_product
from meshsim.algorithms.kernels.handles import (
    Factors,
    Rows,
    Six,
    Sized,
    add_lower,
    dot_six,
    sized,
    subtract_along,
    subtract_both,
    subtract_rows,
    subtract_six,
    without_freedom,
)
from meshsim.algorithms.schemes.logarithmic.robot_units import Outlet
from meshsim.errors import MeshSimError
from meshsim.program import Cpu

Handle = Outlet
"""A handle's name."""
ROOT: Handle = ("root", 0, 0)
"""Handle 0, at the joint that carries the piece."""
ALL = (0, 1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Effort:
    """What drives the joint that carries a piece: a torque a freedom, and the unit motions where they are not known."""

    torques: tuple[float, ...]
    motions: tuple[Six, ...] = ()


@dataclass(frozen=True)
class Piece:
    """A piece: its handles, Phi between them, and their biases.

    `own` are lower triangles; `between` has (h, k) where h stands before k in `handles`, and lacks those that do not
    feel one another.
    """

    handles: tuple[Handle, ...]
    own: Mapping[Handle, Rows]
    between: Mapping[tuple[Handle, Handle], Rows]
    bias: Mapping[Handle, Six]

    def seen(self, a: Handle, h: Handle) -> Rows | None:
        """How handle a accelerates with a wrench at another handle h."""
        if (a, h) in self.between:
            return self.between[a, h]
        return tuple(zip(*self.between[h, a], strict=True)) if (h, a) in self.between else None


def beside(inner: Piece, outer: Piece) -> Piece:
    """Two pieces as one, before they meet; the second's handle 0 is called by the joint that it is to meet."""
    return Piece(
        (*inner.handles, *outer.handles),
        {**inner.own, **outer.own},
        {**inner.between, **outer.between},
        {**inner.bias, **outer.bias},
    )


def renamed(piece: Piece, old: Handle, new: Handle) -> Piece:
    """The same piece with another name for one of its handles."""

    def name(h: Handle) -> Handle:
        return new if h == old else h

    return Piece(
        tuple(map(name, piece.handles)),
        {name(h): P for h, P in piece.own.items()},
        {(name(h), name(k)): B for (h, k), B in piece.between.items()},
        {name(h): b for h, b in piece.bias.items()},
    )


@dataclass(frozen=True)
class Hold:
    """How a joint holds two handles together.

    Parameters
    ----------
    rows : tuple of int
        The coordinates of the wrench that it holds by.
    torques : tuple of float
        Of each freedom that is driven; nothing for a cut joint.
    motions : tuple of Six
        The unit motions along which six held coordinates give way.
    """

    rows: tuple[int, ...]
    torques: tuple[float, ...] = ()
    motions: tuple[Six, ...] = ()


@dataclass(frozen=True)
class Seam:
    """What is kept of a meeting until the wrenches on its outer handles are known."""

    hold: Hold
    factors: Factors
    Y: Mapping[Handle, Rows]
    y: Six
    given: int | None = None  # the coordinate of the torque
    along: Six = ()  # row `given` of N
    start: float = 0.0  # g along it
    across: Mapping[Handle, Six] = field(default_factory=dict)  # row `given` of each G
    slopes: Sequence["Slope"] = ()


@dataclass(frozen=True)
class Slope:
    """A freedom along which a full hold gives way: sigma, D^-1 sigma / delta, t / delta, and parts of later ones."""

    sigma: Six
    tau: Six
    push: float
    parts: tuple[float, ...]


def join(cpu: Cpu, piece: Piece, a: Handle | None, b: Handle, hold: Hold, base: Six = ()) -> tuple[Piece, Seam]:
    """Handles a and b of a piece held together; without a, b is held by the ground, which accelerates by `base`."""
    N, g = piece.own[b], cpu.do(subtract_six, base if a is None else piece.bias[a], piece.bias[b])
    if a is not None:
        N = cpu.do(add_lower, piece.own[a], N)
        if (both := piece.seen(a, b)) is not None:
            N = cpu.do(subtract_both, N, both)
    G: dict[Handle, Rows] = {}
    for h in piece.handles:
        if h not in (a, b):
            here, there = None if a is None else piece.seen(a, h), piece.seen(b, h)
            if here is not None and there is not None:
                G[h] = cpu.do(subtract_rows, here, there)
            elif here is not None or there is not None:
                G[h] = here if here is not None else negative(there or ())
    seam, slid = (_full if hold.motions else _held)(cpu, N, G, g, hold)
    own, between, bias = _left(cpu, piece, G, seam, slid)
    keep = tuple(h for h in piece.handles if h not in (a, b))
    for pair, B in piece.between.items():
        if set(pair) <= set(keep) and not set(pair) <= set(G):
            between[pair] = B
    return Piece(
        keep, {h: own.get(h, piece.own[h]) for h in keep}, between, {h: bias.get(h, piece.bias[h]) for h in keep}
    ), seam


def negative(rows: Rows) -> Rows:
    """The opposite matrix: changing signs is free."""
    return tuple([tuple([-x for x in row]) for row in rows])


def factored(cpu: Cpu, kernels: Sized, K: Rows) -> Factors:
    """K = L D L^T; refused if K is not positive definite."""
    try:
        L, inverses = cpu.do(kernels.factor, K)
    except ZeroDivisionError:
        inverses = (0.0,)
    if any(inverse <= 0.0 for inverse in inverses):
        raise MeshSimError(
            "the inverse inertia at a joint must be positive definite, and rounding has left it not so; "
            "numbers of more bits, dca with form=mixed or hybrid may do"
        )
    return L, inverses


def _held(cpu: Cpu, N: Rows, G: Mapping[Handle, Rows], g: Six, hold: Hold) -> tuple[Seam, Mapping[Handle, Rows]]:
    """Some coordinates hold, and one may be given, the torque's."""
    rows, kernels = hold.rows, sized(len(hold.rows))
    L, inverses = factored(cpu, kernels, tuple(tuple(N[i][j] for j in rows if j <= i) for i in rows))
    Y = {h: cpu.do(kernels.forward, L, tuple(B[i] for i in rows)) for h, B in G.items()}
    start = tuple(g[i] for i in rows)
    if not hold.torques:
        return Seam(hold, (L, inverses), Y, cpu.do(kernels.forward_vector, L, start)), Y
    (given,) = (i for i in ALL if i not in rows)
    along = tuple(N[max(i, given)][min(i, given)] for i in ALL)
    start = cpu.do(kernels.less_column, start, hold.torques[0], tuple(along[i] for i in rows))
    y = cpu.do(kernels.forward_vector, L, start)
    return Seam(hold, (L, inverses), Y, y, given, along, g[given], {h: B[given] for h, B in G.items()}), Y


def _full(cpu: Cpu, N: Rows, G: Mapping[Handle, Rows], g: Six, hold: Hold) -> tuple[Seam, Mapping[Handle, Rows]]:
    """All coordinates hold, but give way along every freedom."""
    kernels = sized(6)
    L, inverses = factored(cpu, kernels, N)
    Y = {h: cpu.do(kernels.forward, L, B) for h, B in G.items()}
    slopes: list[Slope] = []
    pushes: list[float] = []
    for torque, motion in zip(hold.torques, hold.motions, strict=True):
        sigma = cpu.do(kernels.forward_vector, L, motion)
        parts = []
        for slope, push in zip(slopes, pushes, strict=True):
            parts.append(cpu.do(dot_six, slope.tau, sigma))
            sigma = cpu.do(subtract_along, sigma, parts[-1], slope.sigma)
            torque = cpu.do(subtract_product, torque, parts[-1], push)
        scaled = cpu.do(kernels.scale_vector, inverses, sigma)
        inverse = cpu.do(ratio, 1.0, cpu.do(dot_six, scaled, sigma))
        tau = tuple([cpu.do(multiply, inverse, each) for each in scaled])
        slopes.append(Slope(sigma, tau, cpu.do(multiply, torque, inverse), tuple(parts)))
        pushes.append(torque)
    slid = dict(Y)
    for slope in slopes:
        slid = {h: cpu.do(without_freedom, B, slope.sigma, slope.tau) for h, B in slid.items()}
    y = cpu.do(kernels.forward_vector, L, g)
    return Seam(hold, (L, inverses), Y, y, slopes=slopes), slid


def _left(
    cpu: Cpu, piece: Piece, G: Mapping[Handle, Rows], seam: Seam, slid: Mapping[Handle, Rows]
) -> tuple[dict[Handle, Rows], dict[tuple[Handle, Handle], Rows], dict[Handle, Six]]:
    """What becomes of Phi and the biases of handles that feel the two that met."""
    kernels, inverses = sized(len(seam.hold.rows)), seam.factors[1]
    Z = {h: cpu.do(kernels.scale_rows, inverses, slid[h]) for h in G}
    own = {h: cpu.do(kernels.reduce, piece.own[h], slid[h], Z[h]) for h in G}
    between: dict[tuple[Handle, Handle], Rows] = {}
    for i, h in enumerate(G):
        for k in list(G)[i + 1 :]:
            before = piece.seen(h, k)
            if before is None:
                between[h, k] = negative(cpu.do(kernels.couple, slid[h], Z[k]))
            else:
                between[h, k] = cpu.do(kernels.couple_onto, before, slid[h], Z[k])
    bias = {}
    if G:
        y, _ = _given_way(cpu, seam, seam.y)
        z = cpu.do(kernels.scale_vector, inverses, y)
    for h in G:
        b = cpu.do(kernels.drop, piece.bias[h], seam.Y[h], z)
        bias[h] = b if seam.given is None else cpu.do(subtract_along, b, seam.hold.torques[0], seam.across[h])
    return own, between, bias


def _given_way(cpu: Cpu, seam: Seam, y: Six) -> tuple[Six, list[float]]:
    """What holds once the joint has given way along its freedoms, and by how much along each."""
    extents = []
    for slope in seam.slopes:
        extents.append(cpu.do(subtract, slope.push, cpu.do(dot_six, slope.tau, y)))
        y = cpu.do(subtract_along, y, -extents[-1], slope.sigma)
    return y, extents


def part(cpu: Cpu, seam: Seam, wrenches: Mapping[Handle, Six]) -> tuple[Six, tuple[float, ...]]:
    """The wrench on handle b of a seam, and the joint's accelerations, given the wrenches on all other handles."""
    kernels, (L, inverses) = sized(len(seam.hold.rows)), seam.factors
    y = seam.y
    for h, Y in seam.Y.items():
        y = cpu.do(kernels.respond, y, Y, wrenches[h])
    y, extents = _given_way(cpu, seam, y)
    held = cpu.do(kernels.back, L, cpu.do(kernels.scale_vector, inverses, y))
    if seam.slopes:
        return held, _unfolded(cpu, seam.slopes, extents)
    f = [0.0] * 6
    for i, value in zip(seam.hold.rows, held, strict=True):
        f[i] = value
    if seam.given is None:
        return tuple(f), ()
    f[seam.given] = seam.hold.torques[0]
    gap = seam.start
    for h, row in seam.across.items():
        gap = cpu.do(add, gap, cpu.do(dot_six, row, wrenches[h]))
    return tuple(f), (cpu.do(subtract, cpu.do(dot_six, seam.along, tuple(f)), gap),)


def _unfolded(cpu: Cpu, slopes: Sequence[Slope], extents: Sequence[float]) -> tuple[float, ...]:
    """The accelerations of all freedoms, of which each extent has parts of the later ones."""
    found = list(extents)
    for j in reversed(range(len(slopes))):
        for i, share in enumerate(slopes[j].parts):
            found[i] = cpu.do(subtract_product, found[i], share, found[j])
    return tuple(found)


def opposite(f: Six) -> Six:
    """The wrench on the other side: changing signs is free."""
    return tuple([-x for x in f])
