"""The counted arithmetic of the schemes, on plain floats: three-vectors are tuples, matrices tuples of rows.

Unrolled, because that is an order of magnitude quicker than numpy on vectors this small.
"""

import math

from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.counted import kernel
from meshsim.errors import MeshSimError

ZERO: Vector = (0.0, 0.0, 0.0)
Z_AXIS: Vector = (0.0, 0.0, 1.0)

# Scalars


@kernel()
def pass_on(x: float) -> float:
    """A cell's step that moves a number and computes nothing; a machine may still price it."""
    return x


@kernel(add=1)
def add(a: float, b: float) -> float:
    """a + b."""
    return a + b


@kernel(add=1)
def subtract(a: float, b: float) -> float:
    """a - b."""
    return a - b


@kernel(mul=1)
def multiply(a: float, b: float) -> float:
    """a b."""
    return a * b


@kernel(mul=1, add=1)
def axpy(alpha: float, x: float, y: float) -> float:
    """Y + alpha x."""
    return y + alpha * x


@kernel(mul=1, add=1)
def subtract_product(y: float, a: float, b: float) -> float:
    """Y - a b."""
    return y - a * b


@kernel(add=1)
def excess(a: float, b: float) -> float:
    """By how much a is larger than b, signs apart: a comparison that a program pays for."""
    return abs(a) - abs(b)


@kernel(div=1)
def ratio(y: float, x: float) -> float:
    """Y over x."""
    return y / x


@kernel(div=1)
def negative_ratio(y: float, x: float) -> float:
    """Minus y over x."""
    return -y / x


@kernel(sqrt=1)
def square_root(x: float) -> float:
    """The square root of x."""
    return math.sqrt(x)


@kernel(sincos=1)
def sine_cosine(angle: float) -> tuple[float, float]:
    """The sine and the cosine of one angle."""
    return math.sin(angle), math.cos(angle)


@kernel(mul=2, add=1, div=2, sqrt=1)
def rotation_of(x: float, y: float) -> tuple[float, float]:
    """The cosine and sine of the plane rotation that turns (x, y) to (r, 0), without overflow; none for (0, 0)."""
    if abs(x) >= abs(y):
        if x == 0.0:
            return 1.0, 0.0
        tangent = y / x
        c = 1.0 / math.sqrt(1.0 + tangent * tangent)
        return c, c * tangent
    cotangent = x / y
    s = 1.0 / math.sqrt(1.0 + cotangent * cotangent)
    return s * cotangent, s


@kernel(mul=4, add=2)
def rotate_pair(c: float, s: float, x: float, y: float) -> tuple[float, float]:
    """c x + s y and c y - s x."""
    return c * x + s * y, c * y - s * x


# Vectors


@kernel(add=3)
def add_vectors(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel(add=3)
def subtract_vectors(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel(mul=3)
def scale(s: float, v: Vector) -> Vector:
    """S times v."""
    return s * v[0], s * v[1], s * v[2]


@kernel(mul=3, add=2)
def dot(a: Vector, b: Vector) -> float:
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(mul=6, add=3)
def cross(a: Vector, b: Vector) -> Vector:
    """a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel(add=1)
def add_along_z(v: Vector, s: float) -> Vector:
    """V + z s."""
    return v[0], v[1], v[2] + s


@kernel(mul=2, add=2)
def add_cross_z(v: Vector, w: Vector, s: float) -> Vector:
    """V + w x (z s); the product has no third component."""
    return v[0] + w[1] * s, v[1] - w[0] * s, v[2]


@kernel(mul=3, add=2)
def add_coriolis_z(v: Vector, w: Vector, s: float) -> Vector:
    """V + 2 w x (z s), of a body that slides along its z axis at a rate s."""
    twice = 2.0 * s
    return v[0] + w[1] * twice, v[1] - w[0] * twice, v[2]


@kernel(mul=2)
def scale_cross_z(s: float, v: Vector) -> Vector:
    """S times v x z; it has no third component."""
    return s * v[1], -(s * v[0]), 0.0


# Matrices


@kernel(mul=9, add=6)
def matvec(m: Matrix, v: Vector) -> Vector:
    """A 3 by 3 matrix times a vector."""
    (a, b, c), (d, e, f), (g, h, i) = m
    x, y, z = v
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


@kernel(mul=9, add=6)
def rotate(A: Matrix, v: Vector) -> Vector:
    """A general rotation applied to a vector."""
    (a, b, c), (d, e, f), (g, h, i) = A
    x, y, z = v
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


@kernel(mul=8, add=5)
def rotate_twist(A: Matrix, v: Vector) -> Vector:
    """A rotation built from one angle and a twist, applied to a vector: entry (3, 1) is zero."""
    (a, b, c), (d, e, f), (g, h, i) = A
    if g:
        raise MeshSimError(f"rotate_twist needs a matrix whose entry (3, 1) is zero, not {g!r}")
    x, y, z = v
    return a * x + b * y + c * z, d * x + e * y + f * z, h * y + i * z


@kernel(mul=12, add=6)
def form_rotation(sine: float, cosine: float, E: Matrix) -> Matrix:
    """The rotation from the parent's frame: about z by the joint angle, after the fixed rotation E."""
    (a, b, c), (d, e, f), last = E
    return (
        (cosine * a + sine * d, cosine * b + sine * e, cosine * c + sine * f),
        (cosine * d - sine * a, cosine * e - sine * b, cosine * f - sine * c),
        last,
    )


@kernel(mul=4)
def form_rotation_twist(sine: float, cosine: float, E: Matrix) -> Matrix:
    """The same where E is a twist about x, so that five of its entries are known."""  # Wong eq. 3.18
    (a, b, c), (d, e, f), (g, h, i) = E
    if not (a == 1.0 and b == c == d == g == 0.0):
        raise MeshSimError(f"form_rotation_twist needs a rotation about x, not {E!r}")
    return (cosine, sine * e, sine * f), (-sine, cosine * e, cosine * f), (0.0, h, i)


@kernel(mul=6, add=9)
def acceleration_matrix(w: Vector, wd: Vector) -> Matrix:
    """W = tilde(wd) + tilde(w)^2: W r is the acceleration of a point at r, fixed in the body."""  # Wong eq. 3.29
    x, y, z = w
    dx, dy, dz = wd
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return (-(yy + zz), xy - dz, xz + dy), (xy + dz, -(xx + zz), yz - dx), (xz - dy, yz + dx, -(xx + yy))


@kernel(mul=1)
def acceleration_matrix_z(rate: float) -> Matrix:
    """The same for a body that turns about its own z axis at a constant rate."""
    centripetal = -(rate * rate)
    return (centripetal, 0.0, 0.0), (0.0, centripetal, 0.0), ZERO


@kernel(mul=1)
def acceleration_matrix_about_z(rate: float, acceleration: float) -> Matrix:
    """The same for one whose rate changes."""
    centripetal = -(rate * rate)
    return (centripetal, -acceleration, 0.0), (acceleration, centripetal, 0.0), ZERO
