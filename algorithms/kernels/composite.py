"""Counted arithmetic of composite bodies in body coordinates: rotations towards the base, inertias, wrenches.

A takes vectors of the parent's frame to the body's, so that its transpose takes them back. In twist form A is made of
two plane rotations, and its first column and last row say which.
"""

from meshsim.algorithms.kernels.inertial import Inertia, Spatial, Symmetric
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.counted import kernel
from meshsim.errors import MeshSimError

# Vectors


@kernel(mul=9, add=6)
def rotate_back(A: Matrix, v: Vector) -> Vector:
    """The transpose of a general rotation applied to a vector."""
    (a, b, c), (d, e, f), (g, h, i) = A
    x, y, z = v
    return a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z


@kernel(mul=8, add=4)
def rotate_back_twist(A: Matrix, v: Vector) -> Vector:
    """The transpose of a rotation in twist form, whose entry (3, 1) is zero, applied to a vector."""
    (a, _, _), (d, _, _), (g, h, i) = A
    if g:
        raise MeshSimError(f"rotate_back_twist needs a matrix whose entry (3, 1) is zero, not {g!r}")
    x, y, z = v
    turned = a * y - d * x
    return a * x + d * y, i * turned + h * z, i * z - h * turned


@kernel(mul=2)
def cross_z(w: Vector, s: float) -> Vector:
    """The cross product w x (z s), which has no third component."""
    return w[1] * s, -(w[0] * s), 0.0


@kernel(mul=3, add=2)
def add_centripetal_z(a: Vector, rate: float, r: Vector) -> Vector:
    """The sum a + w x (w x r) where w is z times a rate."""
    square = rate * rate
    return a[0] - square * r[0], a[1] - square * r[1], a[2]


@kernel(mul=2, add=1)
def dot_xy(a: Vector, b: Vector) -> float:
    """a . b without the third components."""
    return a[0] * b[0] + a[1] * b[1]


@kernel(mul=2, add=1)
def moment_z(r: Vector, f: Vector) -> float:
    """The third component of r x f."""
    return r[0] * f[1] - r[1] * f[0]


@kernel(mul=11, add=8)
def torque_inboard(A: Matrix, span: Vector, wrench: Spatial) -> float:
    """What a force and a moment at a hinge, in its body's axes, exert about the axis of the hinge before it."""
    (a, b, c), (d, e, f), (g, h, i) = A
    (fx, fy, fz), (nx, ny, nz) = wrench
    return (
        (c * nx + f * ny + i * nz)
        + span[0] * (b * fx + e * fy + h * fz)
        - span[1] * (a * fx + d * fy + g * fz)
    )  # fmt: skip


@kernel(mul=10, add=7)
def torque_inboard_twist(A: Matrix, span: Vector, wrench: Spatial) -> float:
    """The same for a rotation whose entry (3, 1) is zero."""
    (a, b, c), (d, e, f), (g, h, i) = A
    if g:
        raise MeshSimError(f"torque_inboard_twist needs a matrix whose entry (3, 1) is zero, not {g!r}")
    (fx, fy, fz), (nx, ny, nz) = wrench
    return c * nx + f * ny + i * nz + span[0] * (b * fx + e * fy + h * fz) - span[1] * (a * fx + d * fy)


# Inertias


@kernel(mul=2)
def angle_products(A: Matrix) -> tuple[float, float, float, float]:
    """Sine and cosine of the joint angle that A is made of, sine squared, and sine times cosine."""
    (cosine, _, _), (minus_sine, _, _), (g, _, _) = A
    if g:
        raise MeshSimError(f"angle_products needs a matrix whose entry (3, 1) is zero, not {g!r}")
    return -minus_sine, cosine, minus_sine * minus_sine, -(minus_sine * cosine)


@kernel(mul=8, add=9)
def turn_about_z(sine: float, cosine: float, square: float, product: float, S: Symmetric) -> Symmetric:
    """R S R^T where R turns vectors about z by an angle of which the `angle_products` are given."""
    xx, yy, zz, xy, xz, yz = S
    difference, twice = xx - yy, xy + xy
    change = square * difference + product * twice
    return (
        xx - change,
        yy + change,
        zz,
        xy + (product * difference - square * twice),
        cosine * xz - sine * yz,
        sine * xz + cosine * yz,
    )


@kernel(mul=8, add=9)
def turn_about_x(sine: float, cosine: float, square: float, product: float, S: Symmetric) -> Symmetric:
    """The same about x."""
    xx, yy, zz, xy, xz, yz = S
    difference, twice = yy - zz, yz + yz
    change = square * difference + product * twice
    return (
        xx,
        yy - change,
        zz + change,
        cosine * xy - sine * xz,
        sine * xy + cosine * xz,
        yz + (product * difference - square * twice),
    )


@kernel(mul=33, add=26)
def rotate_symmetric(R: Matrix, S: Symmetric) -> Symmetric:
    """R S R^T for any rotation R, of which the trace gives the last entry on the diagonal."""
    xx, yy, zz, xy, xz, yz = S
    (r0, r1, r2), (s0, s1, s2), (t0, t1, t2) = R
    a0, a1, a2 = r0 * xx + r1 * xy + r2 * xz, r0 * xy + r1 * yy + r2 * yz, r0 * xz + r1 * yz + r2 * zz
    b0, b1, b2 = s0 * xx + s1 * xy + s2 * xz, s0 * xy + s1 * yy + s2 * yz, s0 * xz + s1 * yz + s2 * zz
    first, second = a0 * r0 + a1 * r1 + a2 * r2, b0 * s0 + b1 * s1 + b2 * s2
    return (
        first,
        second,
        xx + yy + zz - first - second,
        a0 * s0 + a1 * s1 + a2 * s2,
        a0 * t0 + a1 * t1 + a2 * t2,
        b0 * t0 + b1 * t1 + b2 * t2,
    )


@kernel(mul=9, add=7)
def quadratic_form(S: Symmetric, v: Vector) -> float:
    """v . S v: for a unit vector and an inertia, the moment of inertia about it."""
    xx, yy, zz, xy, xz, yz = S
    x, y, z = v
    across = xy * y + xz * z
    last = yz * z
    return x * (xx * x + across + across) + y * (yy * y + last + last) + zz * z * z


@kernel(mul=9, add=6)
def transfer_terms(span: Vector, double: Vector, P: Vector) -> Symmetric:
    """2 (span . P) 1 - span P^T - P span^T, given also twice the span.

    A body of mass m and first moment P, moved by `span`, gains this and m times the span's own in second moment.
    """
    x, y, z = span
    px, py, pz = P
    xx, yy, zz = double[0] * px, double[1] * py, double[2] * pz
    return yy + zz, xx + zz, xx + yy, -(x * py + y * px), -(x * pz + z * px), -(y * pz + z * py)


@kernel(mul=4, add=6)
def slide_moments(K: Inertia, q: float) -> Inertia:
    """Mass, first and second moment about a point from which that of the given ones is q away along z."""
    m, (x, y, z), (xx, yy, zz, xy, xz, yz) = K
    moved = z + m * q
    more = q * (z + moved)
    return m, (x, y, moved), (xx + more, yy + more, zz, xy, xz - q * x, yz - q * y)


# Wrenches of a unit acceleration


@kernel(mul=6, add=4)
def composite_wrench(m: float, c: Vector, S: Symmetric) -> Spatial:
    """Force, and moment about the hinge, that give a body a unit acceleration about the hinge's z axis.

    Its mass is m, its centre of mass at c, its inertia about that S.
    """
    _, _, zz, _, xz, yz = S
    x, y, z = c
    fx, fy = -(m * y), m * x  # Wong eq. 2.10
    return (fx, fy, 0.0), (xz - z * fy, yz + z * fx, zz + (x * fy - y * fx))  # Wong eq. 2.11


@kernel(mul=2)
def composite_push(m: float, c: Vector) -> Spatial:
    """Force, and moment about the hinge, that give a body of mass m, its centre at c, a unit acceleration along z."""
    return (0.0, 0.0, m), (m * c[1], -(m * c[0]), 0.0)


@kernel()
def hinge_wrench(P: Vector, S: Symmetric) -> Spatial:
    """The same for a body whose first and second moments of mass about the hinge are P and S: a column of K."""
    return (-P[1], P[0], 0.0), (S[4], S[5], S[2])


@kernel()
def hinge_push(m: float, P: Vector) -> Spatial:
    """The same along z: another column of K."""
    return (0.0, 0.0, m), (P[1], -P[0], 0.0)


@kernel(mul=24, add=18)
def inertia_times(K: Inertia, B: Spatial) -> Spatial:
    """A spatial inertia times a motion (linear, angular): [m 1, -tilde(P); tilde(P), I] B."""  # Wong eq. 2.22
    m, (p, q, r), (xx, yy, zz, xy, xz, yz) = K
    (a, b, c), (d, e, f) = B
    return (
        (m * a + (r * e - q * f), m * b + (p * f - r * d), m * c + (q * d - p * e)),
        (
            (q * c - r * b) + (xx * d + xy * e + xz * f),
            (r * a - p * c) + (xy * d + yy * e + yz * f),
            (p * b - q * a) + (xz * d + yz * e + zz * f),
        ),
    )
