"""Counted arithmetic of pieces that are held by handles (docs/notation.md).

Six numbers are an angular vector and a linear one: an acceleration, or a moment and a force. A symmetric 6 x 6 matrix
is the rows of its lower triangle. `sized(m)` has what works on m constraints: a matrix K of m x m that is factored, and
matrices of m rows and six columns.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from meshsim.algorithms.kernels.articulated import displace, shift_inertia
from meshsim.algorithms.kernels.composite import rotate_symmetric, turn_about_z
from meshsim.algorithms.kernels.core import rotate
from meshsim.algorithms.kernels.inertial import matmul
from meshsim.algorithms.kernels.rows import eliminated, inner
from meshsim.algorithms.kernels.shapes import BLOCK, LOWER, SIX, lower, matrix, shaped, vector
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.counted import Kernel, kernel

Six = tuple[float, ...]
"""An angular vector, then a linear one."""
Rows = tuple[Six, ...]
"""A matrix of six columns, row by row; or a lower triangle, whose rows grow."""
Factors = tuple[Rows, Six]
"""L without its diagonal of ones, and the inverse pivots."""

# A body's own inverse inertia, seen from the axes of its joint


def _blocks(P: Rows) -> tuple[Any, Any, Any]:
    """The angular block, the one below it, and the linear one of a symmetric 6 x 6 matrix."""
    (xx,), (xy, yy), (xz, yz, zz), (a, b, c, uu), (d, e, f, uv, vv), (g, h, i, uw, vw, ww) = P
    return (xx, yy, zz, xy, xz, yz), ((a, b, c), (d, e, f), (g, h, i)), (uu, vv, ww, uv, uw, vw)


def _rows(J: Any, H: Any, M: Any) -> Rows:
    """The lower triangle of the three blocks."""
    xx, yy, zz, xy, xz, yz = J
    uu, vv, ww, uv, uw, vw = M
    return (xx,), (xy, yy), (xz, yz, zz), (*H[0], uu), (*H[1], uv, vv), (*H[2], uw, vw, ww)


@kernel(mul=30, add=30)
@shaped(P=LOWER)
def turn_lower(s: float, c: float, P: Rows) -> Rows:
    """A symmetric 6 x 6 matrix turned about z by an angle of which sine and cosine are given."""
    J, ((hxx, hxy, hxz), (hyx, hyy, hyz), (hzx, hzy, hzz)), M = _blocks(P)
    ss, cs = s * s, s * c
    difference, twice = hxx - hyy, hxy + hyx
    g, k = ss * difference + cs * twice, cs * difference - ss * twice
    H = (
        (hxx - g, hxy + k, c * hxz - s * hyz),
        (hyx + k, hyy + g, s * hxz + c * hyz),
        (c * hzx - s * hzy, s * hzx + c * hzy, hzz),
    )
    return _rows(turn_about_z(s, c, ss, cs, J), H, turn_about_z(s, c, ss, cs, M))


@kernel(mul=48, add=24)
@shaped(B=BLOCK)
def turn_rows(s: float, c: float, B: Rows) -> Rows:
    """Six columns turned about z, each of which is an angular and a linear vector."""
    x, y, z, u, v, w = B
    return (
        tuple([c * a - s * b for a, b in zip(x, y, strict=True)]),
        tuple([s * a + c * b for a, b in zip(x, y, strict=True)]),
        z,
        tuple([c * a - s * b for a, b in zip(u, v, strict=True)]),
        tuple([s * a + c * b for a, b in zip(u, v, strict=True)]),
        w,
    )


@kernel(mul=8, add=4)
@shaped(b=SIX)
def turn_six(s: float, c: float, b: Six) -> Six:
    """An angular and a linear vector, turned about z."""
    x, y, z, u, v, w = b
    return c * x - s * y, s * x + c * y, z, c * u - s * v, s * u + c * v, w


@kernel(mul=14, add=14)
@shaped(P=LOWER)
def slide_lower(q: float, P: Rows) -> Rows:
    """The inverse inertia of a body as seen from a point of it at -q along z."""
    (xx,), (xy, yy), (xz, yz, zz), (a, b, c, uu), (d, e, f, uv, vv), (g, h, i, uw, vw, ww) = P
    first = a - q * xy, b - q * yy, c - q * yz, uu - q * b
    second = d + q * xx, e + q * xy, f + q * xz, uv + q * a, vv + q * d
    return (
        (xx,),
        (xy, yy),
        (xz, yz, zz),
        (*first[:3], first[3] - q * first[1]),
        (*second[:3], second[3] - q * second[1], second[4] + q * second[0]),
        (g, h, i, uw - q * h, vw + q * g, ww),
    )


@kernel(mul=12, add=12)
@shaped(B=BLOCK)
def slide_rows(q: float, B: Rows) -> Rows:
    """Six columns, each an acceleration of a body, at a point of it at -q along z."""
    x, y, z, u, v, w = B
    return (
        x,
        y,
        z,
        tuple([a - q * b for a, b in zip(u, y, strict=True)]),
        tuple([a + q * b for a, b in zip(v, x, strict=True)]),
        w,
    )


@kernel(mul=120, add=88)
@shaped(P=LOWER)
def rotate_lower(R: Matrix, P: Rows) -> Rows:
    """A symmetric 6 x 6 matrix in other axes."""
    J, H, M = _blocks(P)
    inwards = (R[0][0], R[1][0], R[2][0]), (R[0][1], R[1][1], R[2][1]), (R[0][2], R[1][2], R[2][2])
    return _rows(rotate_symmetric(R, J), matmul(matmul(R, H), inwards), rotate_symmetric(R, M))


@kernel(mul=108, add=72)
@shaped(B=BLOCK)
def rotate_rows(R: Matrix, B: Rows) -> Rows:
    """Six columns in other axes, each an angular and a linear vector."""
    columns = [(*rotate(R, (x, y, z)), *rotate(R, (u, v, w))) for x, y, z, u, v, w in zip(*B, strict=True)]
    return tuple(zip(*columns, strict=True))


@kernel(mul=30, add=42)
@shaped(P=LOWER)
def displace_lower(r: Vector, P: Rows) -> Rows:
    """The inverse inertia of a body as seen from a point of it at r."""
    J, H, M = _blocks(P)
    M, H, J = shift_inertia((-r[0], -r[1], -r[2]), M, H, J)
    return _rows(J, H, M)


@kernel(mul=36, add=36)
@shaped(B=BLOCK)
def displace_rows(r: Vector, B: Rows) -> Rows:
    """Six columns, each an acceleration of a body, at a point of it at r."""
    columns = [(x, y, z, *displace((u, v, w), (x, y, z), r)) for x, y, z, u, v, w in zip(*B, strict=True)]
    return tuple(zip(*columns, strict=True))


@kernel(mul=36, add=30)
@shaped(P=LOWER, v=SIX)
def lower_times(P: Rows, v: Six) -> Six:
    """A symmetric 6 x 6 matrix times six numbers."""
    full = [tuple([P[max(i, j)][min(i, j)] for j in range(6)]) for i in range(6)]
    return tuple([inner(row, v) for row in full])


@kernel(mul=70, add=55)
@shaped(L=lower(6, 0), inverses=SIX)
def inverse_of_factors(L: Rows, inverses: Six) -> Rows:
    """(L D L^T)^-1 of a 6 x 6 matrix: the lower triangle."""
    columns: list[list[float]] = []  # of L^-1 below its diagonal of ones
    for j in range(6):
        column: list[float] = []
        for i in range(j + 1, 6):
            entry = L[i][j]
            for k, above in enumerate(column, start=j + 1):
                entry = entry + L[i][k] * above
            column.append(-entry)
        columns.append(column)
    scaled = [[inverses[j + 1 + k] * x for k, x in enumerate(column)] for j, column in enumerate(columns)]
    rows = []
    for i in range(6):
        row = []
        for j in range(i + 1):
            entry = scaled[j][i - j - 1] if j < i else inverses[i]
            for k in range(i + 1, 6):
                entry = entry + columns[i][k - i - 1] * scaled[j][k - j - 1]
            row.append(entry)
        rows.append(tuple(row))
    return tuple(rows)


@kernel(mul=216, add=180)
@shaped(P=LOWER, B=BLOCK)
def lower_times_rows(P: Rows, B: Rows) -> Rows:
    """A symmetric 6 x 6 matrix times another."""
    full = [tuple([P[max(i, j)][min(i, j)] for j in range(6)]) for i in range(6)]
    columns = list(zip(*B, strict=True))
    return tuple([tuple([inner(row, column) for column in columns]) for row in full])


@kernel(mul=27, add=21)
@shaped(P=LOWER, k=SIX)
def add_square(P: Rows, factor: float, k: Six) -> Rows:
    """A symmetric matrix and a multiple of k k^T."""
    scaled = [factor * x for x in k]
    return tuple([tuple([p + scaled[i] * k[j] for j, p in enumerate(row)]) for i, row in enumerate(P)])


# Where two pieces meet


@kernel(add=21)
@shaped(P=LOWER, Q=LOWER)
def add_lower(P: Rows, Q: Rows) -> Rows:
    """The sum of two symmetric matrices."""
    return tuple([tuple([a + b for a, b in zip(x, y, strict=True)]) for x, y in zip(P, Q, strict=True)])


@kernel(add=42)
@shaped(P=LOWER, B=BLOCK)
def subtract_both(P: Rows, B: Rows) -> Rows:
    """A symmetric matrix less a matrix and its transpose."""
    return tuple([tuple([P[i][j] - (B[i][j] + B[j][i]) for j in range(i + 1)]) for i in range(6)])


@kernel(add=36)
@shaped(A=BLOCK, B=BLOCK)
def subtract_rows(A: Rows, B: Rows) -> Rows:
    """The difference of two 6 x 6 matrices."""
    return tuple([tuple([a - b for a, b in zip(x, y, strict=True)]) for x, y in zip(A, B, strict=True)])


@kernel(add=6)
@shaped(a=SIX, b=SIX)
def subtract_six(a: Six, b: Six) -> Six:
    """The difference of two accelerations."""
    return tuple([x - y for x, y in zip(a, b, strict=True)])


@kernel(mul=6, add=6)
@shaped(b=SIX, along=SIX)
def subtract_along(b: Six, factor: float, along: Six) -> Six:
    """Six numbers less a multiple of six others."""
    return tuple([x - factor * y for x, y in zip(b, along, strict=True)])


@kernel(mul=6)
@shaped(b=SIX)
def times_six(factor: float, b: Six) -> Six:
    """A multiple of six numbers."""
    return tuple([factor * x for x in b])


@kernel(mul=6, add=5)
@shaped(a=SIX, b=SIX)
def dot_six(a: Six, b: Six) -> float:
    """The product of six numbers and six others."""
    return inner(a, b)


@kernel(mul=72, add=66)
@shaped(Y=BLOCK, sigma=SIX, tau=SIX)
def without_freedom(Y: Rows, sigma: Six, tau: Six) -> Rows:
    """Six columns less what of them is along sigma; tau measures that."""
    along = [inner(tau, column) for column in zip(*Y, strict=True)]
    return tuple([tuple([y - s * a for y, a in zip(row, along, strict=True)]) for row, s in zip(Y, sigma, strict=True)])


@dataclass(frozen=True)
class Sized:
    """Kernels for m constraints: see the functions of `sized`."""

    factor: Kernel[Rows, Factors]
    forward: Kernel[Rows, Rows, Rows]
    forward_vector: Kernel[Rows, Six, Six]
    back: Kernel[Rows, Six, Six]
    scale_rows: Kernel[Six, Rows, Rows]
    scale_vector: Kernel[Six, Six, Six]
    reduce: Kernel[Rows, Rows, Rows, Rows]
    couple: Kernel[Rows, Rows, Rows]
    couple_onto: Kernel[Rows, Rows, Rows, Rows]
    drop: Kernel[Six, Rows, Six, Six]
    respond: Kernel[Six, Rows, Six, Six]
    less_column: Kernel[Six, float, Six, Six]


@cache
def sized(m: int) -> Sized:
    """The kernels for m constraints, 1 to 6."""
    pairs, triples = m * (m - 1) // 2, m * (m - 1) * (m - 2) // 6

    rows, column, triangle, unit = matrix(m), vector(m), lower(m), lower(m, 0)

    def named(function: Callable[..., Any], shapes: Mapping[str, Any], **cost: int) -> Kernel[*tuple[Any, ...], Any]:
        function.__name__ = f"{function.__name__}_{m}"
        return kernel(**cost)(shaped(**shapes)(function))

    def factor(K: Rows) -> Factors:
        """K = L D L^T of a symmetric positive definite matrix: L, and the inverse of D."""
        L: list[Six] = []
        inverses: list[float] = []
        for row in K:
            scaled: list[float] = []
            for j, entry in enumerate(row[:-1]):
                for a, b in zip(scaled, L[j], strict=False):
                    entry = entry - a * b
                scaled.append(entry)
            L.append(tuple([a * b for a, b in zip(scaled, inverses, strict=True)]))
            pivot = row[-1]
            for a, b in zip(scaled, L[-1], strict=True):
                pivot = pivot - a * b
            inverses.append(1.0 / pivot)
        return tuple(L), tuple(inverses)

    def forward(L: Rows, B: Rows) -> Rows:
        """L^-1 B."""
        return eliminated(L, B)

    def forward_vector(L: Rows, b: Six) -> Six:
        """L^-1 b."""
        y: list[float] = []
        for factors, x in zip(L, b, strict=True):
            for a, above in zip(factors, y, strict=True):
                x = x - a * above
            y.append(x)
        return tuple(y)

    def back(L: Rows, b: Six) -> Six:
        """L^-T b."""
        x = list(b)
        for i in reversed(range(m)):
            for j, a in enumerate(L[i]):
                x[j] = x[j] - a * x[i]
        return tuple(x)

    def scale_rows(inverses: Six, Y: Rows) -> Rows:
        """D^-1 Y."""
        return tuple([tuple([a * y for y in row]) for a, row in zip(inverses, Y, strict=True)])

    def scale_vector(inverses: Six, y: Six) -> Six:
        """D^-1 y."""
        return tuple([a * b for a, b in zip(inverses, y, strict=True)])

    def reduce(P: Rows, Y: Rows, Z: Rows) -> Rows:
        """P - Y^T Z, which is symmetric."""
        left, right = list(zip(*Y, strict=True)), list(zip(*Z, strict=True))
        return tuple([tuple([_less(p, left[i], right[j]) for j, p in enumerate(row)]) for i, row in enumerate(P)])

    def couple(Y: Rows, Z: Rows) -> Rows:
        """Y^T Z."""
        right = list(zip(*Z, strict=True))
        return tuple([tuple([inner(y, z) for z in right]) for y in zip(*Y, strict=True)])

    def couple_onto(B: Rows, Y: Rows, Z: Rows) -> Rows:
        """B - Y^T Z."""
        right = list(zip(*Z, strict=True))
        left = zip(B, zip(*Y, strict=True), strict=True)
        return tuple([tuple([_less(b, y, z) for b, z in zip(row, right, strict=True)]) for row, y in left])

    def drop(b: Six, Y: Rows, z: Six) -> Six:
        """B - Y^T z."""
        return tuple([_less(a, y, z) for a, y in zip(b, zip(*Y, strict=True), strict=True)])

    def respond(y: Six, Y: Rows, f: Six) -> Six:
        """Y + Y f."""
        return tuple([_more(a, row, f) for a, row in zip(y, Y, strict=True)])

    def less_column(b: Six, factor: float, column: Six) -> Six:
        """B less a multiple of a column."""
        return tuple([x - factor * y for x, y in zip(b, column, strict=True)])

    return Sized(
        factor=named(factor, {"K": triangle}, mul=triples + 2 * pairs, add=triples + pairs, div=m),
        forward=named(forward, {"L": unit, "B": rows}, mul=6 * pairs, add=6 * pairs),
        forward_vector=named(forward_vector, {"L": unit, "b": column}, mul=pairs, add=pairs),
        back=named(back, {"L": unit, "b": column}, mul=pairs, add=pairs),
        scale_rows=named(scale_rows, {"inverses": column, "Y": rows}, mul=6 * m),
        scale_vector=named(scale_vector, {"inverses": column, "y": column}, mul=m),
        reduce=named(reduce, {"P": LOWER, "Y": rows, "Z": rows}, mul=21 * m, add=21 * m),
        couple=named(couple, {"Y": rows, "Z": rows}, mul=36 * m, add=36 * (m - 1)),
        couple_onto=named(couple_onto, {"B": BLOCK, "Y": rows, "Z": rows}, mul=36 * m, add=36 * m),
        drop=named(drop, {"b": SIX, "Y": rows, "z": column}, mul=6 * m, add=6 * m),
        respond=named(respond, {"y": column, "Y": rows, "f": SIX}, mul=6 * m, add=6 * m),
        less_column=named(less_column, {"b": column, "column": column}, mul=m, add=m),
    )


def _less(a: float, x: Six, y: Six) -> float:
    for u, v in zip(x, y, strict=True):
        a = a - u * v
    return a


def _more(a: float, x: Six, y: Six) -> float:
    for u, v in zip(x, y, strict=True):
        a = a + u * v
    return a


MOST_CONSTRAINTS = 6
for _m in range(1, MOST_CONSTRAINTS + 1):
    sized(_m)
