"""Counted arithmetic in the inertial frame: composed rotations, inertias, moments of mass.

A symmetric matrix is six numbers: xx, yy, zz, xy, xz, yz.
"""

from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.counted import kernel
from meshsim.errors import MeshSimError

Symmetric = tuple[float, float, float, float, float, float]
Spatial = tuple[Vector, Vector]
"""A linear and an angular vector."""
Inertia = tuple[float, Vector, Symmetric]
"""Mass, first and second moment about the origin: the ten numbers of a spatial inertia."""


@kernel(mul=27, add=18)
def matmul(a: Matrix, b: Matrix) -> Matrix:
    """The product of two 3 by 3 matrices."""
    (b00, b01, b02), (b10, b11, b12), (b20, b21, b22) = b
    (r0, r1, r2), (s0, s1, s2), (t0, t1, t2) = a
    return (
        (r0 * b00 + r1 * b10 + r2 * b20, r0 * b01 + r1 * b11 + r2 * b21, r0 * b02 + r1 * b12 + r2 * b22),
        (s0 * b00 + s1 * b10 + s2 * b20, s0 * b01 + s1 * b11 + s2 * b21, s0 * b02 + s1 * b12 + s2 * b22),
        (t0 * b00 + t1 * b10 + t2 * b20, t0 * b01 + t1 * b11 + t2 * b21, t0 * b02 + t1 * b12 + t2 * b22),
    )


@kernel(mul=45, add=30)
def rotate_inertia(R: Matrix, J: Matrix) -> Symmetric:
    """R J R^T, of which six entries are enough."""
    (j00, j01, j02), (j10, j11, j12), (j20, j21, j22) = J
    (r0, r1, r2), (s0, s1, s2), (t0, t1, t2) = R
    a0, a1, a2 = r0 * j00 + r1 * j10 + r2 * j20, r0 * j01 + r1 * j11 + r2 * j21, r0 * j02 + r1 * j12 + r2 * j22
    b0, b1, b2 = s0 * j00 + s1 * j10 + s2 * j20, s0 * j01 + s1 * j11 + s2 * j21, s0 * j02 + s1 * j12 + s2 * j22
    c0, c1, c2 = t0 * j00 + t1 * j10 + t2 * j20, t0 * j01 + t1 * j11 + t2 * j21, t0 * j02 + t1 * j12 + t2 * j22
    return (
        a0 * r0 + a1 * r1 + a2 * r2,
        b0 * s0 + b1 * s1 + b2 * s2,
        c0 * t0 + c1 * t1 + c2 * t2,
        a0 * s0 + a1 * s1 + a2 * s2,
        a0 * t0 + a1 * t1 + a2 * t2,
        b0 * t0 + b1 * t1 + b2 * t2,
    )


@kernel(mul=9, add=6)
def symmetric_times(S: Symmetric, v: Vector) -> Vector:
    """A symmetric matrix times a vector."""
    xx, yy, zz, xy, xz, yz = S
    x, y, z = v
    return xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z


@kernel(add=6)
def add_symmetric(a: Symmetric, b: Symmetric) -> Symmetric:
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@kernel(mul=9, add=3)
def point_inertia(m: float, r: Vector) -> Symmetric:
    """m (r.r 1 - r r^T): the inertia of a point mass at r about the origin."""
    x, y, z = r
    mx, my, mz = m * x, m * y, m * z
    xx, yy, zz = mx * x, my * y, mz * z
    return yy + zz, xx + zz, xx + yy, -(mx * y), -(mx * z), -(my * z)


@kernel(mul=6, add=9)
def inertia_about_origin(J: Symmetric, x: Vector, mx: Vector) -> Symmetric:
    """J - tilde(m x) tilde(x): a body's second moment about the origin, from its first."""  # Wong Table 4.9, 7 and 8
    xx, yy, zz = mx[0] * x[0], mx[1] * x[1], mx[2] * x[2]
    return (
        J[0] + (yy + zz),
        J[1] + (xx + zz),
        J[2] + (xx + yy),
        J[3] - mx[0] * x[1],
        J[4] - mx[0] * x[2],
        J[5] - mx[1] * x[2],
    )


@kernel(add=10)
def add_inertias(a: Inertia, b: Inertia) -> Inertia:
    """Two bodies as one."""
    (m, (p, q, r), (u, v, w, x, y, z)), (M, (P, Q, R), (U, V, W, X, Y, Z)) = a, b
    return m + M, (p + P, q + Q, r + R), (u + U, v + V, w + W, x + X, y + Y, z + Z)


@kernel(mul=36, add=30)
def spatial_product(K: Inertia, B: Spatial) -> Spatial:
    """The 6 by 6 matrix [m 1, -tilde(P); tilde(P), I] times a 6-vector, every entry counted."""  # Wong eq. 2.22
    m, (p, q, r), (xx, yy, zz, xy, xz, yz) = K
    (a, b, c), (d, e, f) = B
    return (
        (
            m * a + 0.0 * b + 0.0 * c + 0.0 * d + r * e - q * f,
            0.0 * a + m * b + 0.0 * c - r * d + 0.0 * e + p * f,
            0.0 * a + 0.0 * b + m * c + q * d - p * e + 0.0 * f,
        ),
        (
            0.0 * a - r * b + q * c + xx * d + xy * e + xz * f,
            r * a + 0.0 * b - p * c + xy * d + yy * e + yz * f,
            -q * a + p * b + 0.0 * c + xz * d + yz * e + zz * f,
        ),
    )


@kernel(mul=6, add=5)
def spatial_dot(a: Spatial, b: Spatial) -> float:
    """The scalar product of two 6-vectors."""
    (u, v, w), (x, y, z) = a
    (p, q, r), (s, t, o) = b
    return u * p + v * q + w * r + x * s + y * t + z * o


@kernel(mul=5, add=4)
def spatial_dot_flat(a: Spatial, b: Spatial) -> float:
    """The same where the last component of a is zero."""
    (u, v, w), (x, y, z) = a
    (p, q, r), (s, t, _) = b
    if z:
        raise MeshSimError(f"spatial_dot_flat needs a vector whose last component is zero, not {z!r}")
    return u * p + v * q + w * r + x * s + y * t
