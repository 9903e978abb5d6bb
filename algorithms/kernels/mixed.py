"""Counted arithmetic of pieces that hold inertia at their inboard handle and inverse inertia at their outboard one.

Letters are those of `handles.py`, for the five coordinates that a joint of one freedom holds: K is symmetric, of five
rows, Y has five rows and six columns, and L is lower, with ones on a diagonal that is left out.
"""

from meshsim.algorithms.kernels.composite import turn_about_z
from meshsim.algorithms.kernels.handles import Rows, Six
from meshsim.algorithms.kernels.inertial import Inertia, Symmetric
from meshsim.algorithms.kernels.rows import inner
from meshsim.algorithms.kernels.shapes import SIX, lower, matrix, shaped, vector
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.counted import kernel

# One body, seen from the axes of its joint


@kernel(mul=14, add=11)
def turn_body(s: float, c: float, body: Inertia) -> Inertia:
    """The inertia of a body turned about z by an angle of which sine and cosine are given."""
    m, (x, y, z), J = body
    return m, (c * x - s * y, s * x + c * y, z), turn_about_z(s, c, s * s, s * c, J)


@kernel(mul=4, add=6)
def slide_body(q: float, body: Inertia) -> Inertia:
    """The inertia of a body about a point at -q along z."""
    m, (x, y, z), (xx, yy, zz, xy, xz, yz) = body
    far = z + m * q
    more = q * (z + far)
    J: Symmetric = (xx + more, yy + more, zz, xy, xz - q * x, yz - q * y)
    return m, (x, y, far), J


@kernel(mul=12, add=6)
def turn_matrix(s: float, c: float, A: Matrix) -> Matrix:
    """Three columns turned about z."""
    (a, b, d), (e, f, g), last = A
    return (c * a - s * e, c * b - s * f, c * d - s * g), (s * a + c * e, s * b + c * f, s * d + c * g), last


@kernel(mul=6, add=6)
def slide_matrix(q: float, A: Matrix, B: Matrix) -> Matrix:
    """The moments A of three forces B, about a point at -q along z."""
    x, y, z = A
    u, v, _ = B
    return (
        (x[0] - q * v[0], x[1] - q * v[1], x[2] - q * v[2]),
        (y[0] + q * u[0], y[1] + q * u[1], y[2] + q * u[2]),
        z,
    )


@kernel(add=1)
def slide_point(q: float, r: Vector) -> Vector:
    """A point as seen from one at -q along z."""
    return r[0], r[1], r[2] + q


# Where two pieces meet


@kernel(mul=5, div=1)
@shaped(h=vector(5))
def gain_of(d: float, h: Six) -> tuple[float, Six]:
    """1 / d, and h / d: how a joint gives way."""
    inverse = 1.0 / d
    return inverse, tuple([inverse * x for x in h])


@kernel(mul=15, add=15)
@shaped(K=lower(5), h=vector(5), u=vector(5))
def see_through(K: Rows, h: Six, u: Six) -> Rows:
    """K - u h^T, which is symmetric: what is left of an inertia behind a joint."""
    return tuple([tuple([k - u[i] * h[j] for j, k in enumerate(row)]) for i, row in enumerate(K)])


@kernel(mul=30, add=30)
@shaped(Y=matrix(5), u=vector(5), f=SIX)
def less_outer(Y: Rows, u: Six, f: Six) -> Rows:
    """Y - u f^T."""
    return tuple([tuple([y - a * b for y, b in zip(row, f, strict=True)]) for row, a in zip(Y, u, strict=True)])


@kernel(mul=27)
@shaped(f=SIX)
def square_of(factor: float, f: Six) -> Rows:
    """A multiple of f f^T: the lower triangle."""
    scaled = [factor * x for x in f]
    return tuple([tuple([a * b for b in f[: i + 1]]) for i, a in enumerate(scaled)])


@kernel(mul=60, add=60)
@shaped(L=lower(5, 0), K=lower(5))
def congruent(L: Rows, K: Rows) -> Rows:
    """L^T K L."""
    right = []  # the lower part of K L
    for i in range(5):
        row = []
        for j in range(i + 1):
            entry = K[i][j]
            for k in range(j + 1, 5):
                entry = entry + K[max(i, k)][min(i, k)] * L[k][j]
            row.append(entry)
        right.append(row)
    rows = []
    for i in range(5):
        row = []
        for j in range(i + 1):
            entry = right[i][j]
            for k in range(i + 1, 5):
                entry = entry + L[k][i] * right[k][j]
            row.append(entry)
        rows.append(tuple(row))
    return tuple(rows)


@kernel(add=5)
@shaped(K=lower(5), d=vector(5))
def add_diagonal(K: Rows, d: Six) -> Rows:
    """K and a diagonal matrix."""
    return tuple([(*row[:-1], row[-1] + a) for row, a in zip(K, d, strict=True)])


@kernel(mul=60, add=60)
@shaped(L=lower(5, 0), Y=matrix(5))
def raise_rows(L: Rows, Y: Rows) -> Rows:
    """L^T Y."""
    rows = []
    for i, row in enumerate(Y):
        for k in range(i + 1, 5):
            row = tuple([x + L[k][i] * y for x, y in zip(row, Y[k], strict=True)])
        rows.append(row)
    return tuple(rows)


@kernel(mul=10, add=10)
@shaped(L=lower(5, 0), x=vector(5))
def raise_vector(L: Rows, x: Six) -> Six:
    """L^T x."""
    found = []
    for i, entry in enumerate(x):
        for k in range(i + 1, 5):
            entry = entry + L[k][i] * x[k]
        found.append(entry)
    return tuple(found)


@kernel(mul=10, add=10)
@shaped(L=lower(5, 0), x=vector(5))
def lower_vector(L: Rows, x: Six) -> Six:
    """L x."""
    found = []
    for row, entry in zip(L, x, strict=True):
        for a, b in zip(row, x, strict=False):
            entry = entry + a * b
        found.append(entry)
    return tuple(found)


@kernel(mul=60, add=60)
@shaped(L=lower(5, 0), Y=matrix(5))
def back_rows(L: Rows, Y: Rows) -> Rows:
    """L^-T Y."""
    rows = list(Y)
    for i in reversed(range(5)):
        for j, a in enumerate(L[i]):
            rows[j] = tuple([x - a * y for x, y in zip(rows[j], rows[i], strict=True)])
    return tuple(rows)


@kernel(mul=150, add=120)
@shaped(K=lower(5), Y=matrix(5))
def five_times_rows(K: Rows, Y: Rows) -> Rows:
    """K Y."""
    columns = list(zip(*Y, strict=True))
    return tuple([tuple([inner(row, column) for column in columns]) for row in _full(K)])


@kernel(mul=25, add=25)
@shaped(x=vector(5), K=lower(5), y=vector(5))
def five_onto(x: Six, K: Rows, y: Six) -> Six:
    """X + K y."""
    return tuple([a + b for a, b in zip(x, [inner(row, y) for row in _full(K)], strict=True)])


@kernel(mul=30, add=25)
@shaped(Y=matrix(5), f=SIX)
def rows_times(Y: Rows, f: Six) -> Six:
    """Y f."""
    return tuple([inner(row, f) for row in Y])


@kernel(add=5)
@shaped(x=vector(5), y=vector(5))
def add_five(x: Six, y: Six) -> Six:
    """X + y."""
    return tuple([a + b for a, b in zip(x, y, strict=True)])


@kernel(mul=5, add=5)
@shaped(x=vector(5), y=vector(5))
def less_dot(a: float, x: Six, y: Six) -> float:
    """A - x . y."""
    for u, v in zip(x, y, strict=True):
        a = a - u * v
    return a


@kernel(mul=6, add=6)
@shaped(f=SIX, g=SIX)
def more_dot(a: float, f: Six, g: Six) -> float:
    """A + f . g, of six numbers each."""
    for u, v in zip(f, g, strict=True):
        a = a + u * v
    return a


def _full(K: Rows) -> Rows:
    return tuple([tuple([K[max(i, j)][min(i, j)] for j in range(5)]) for i in range(5)])
