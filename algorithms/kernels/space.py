"""The counted arithmetic of chains in space that other schemes lack; vectors are in the ground's axes."""

from meshsim.algorithms.kernels.inertial import Symmetric
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.counted import kernel


@kernel(mul=3, add=3)
def axpy_vector(s: float, x: Vector, y: Vector) -> Vector:
    """Y + s x."""
    return y[0] + s * x[0], y[1] + s * x[1], y[2] + s * x[2]


@kernel(mul=12, add=6)
def turn_frame_x(sine: float, cosine: float, R: Matrix) -> Matrix:
    """A frame, its axes the columns of R, turned about its own x axis."""
    (a, b, c), (d, e, f), (g, h, i) = R
    return (
        (a, cosine * b + sine * c, cosine * c - sine * b),
        (d, cosine * e + sine * f, cosine * f - sine * e),
        (g, cosine * h + sine * i, cosine * i - sine * h),
    )


@kernel(mul=12, add=6)
def turn_frame_z(sine: float, cosine: float, R: Matrix) -> Matrix:
    """The same about its own z axis."""
    (a, b, c), (d, e, f), (g, h, i) = R
    return (
        (cosine * a + sine * b, cosine * b - sine * a, c),
        (cosine * d + sine * e, cosine * e - sine * d, f),
        (cosine * g + sine * h, cosine * h - sine * g, i),
    )


@kernel(mul=9, add=9)
def accelerated(a: Vector, W: Matrix, r: Vector) -> Vector:
    """A + W r: the acceleration of a point at r, of a body whose hinge accelerates by a."""  # W of Wong eq. 3.29
    (p, q, s), (d, e, f), (g, h, i) = W
    x, y, z = r
    return a[0] + (p * x + q * y + s * z), a[1] + (d * x + e * y + f * z), a[2] + (g * x + h * y + i * z)


@kernel(mul=12, add=18)
def shift_second_moment(S: Symmetric, P: Vector, half: float, arm: Vector) -> Symmetric:
    """A second moment of mass about a point, from that about another at `arm` and the first moment there.

    `half` is half the mass: with H = P + half arm, 2 (arm . H) 1 - arm H^T - H arm^T is gained.
    """
    x, y, z = arm
    u, v, w = P[0] + half * x, P[1] + half * y, P[2] + half * z
    xx, yy, zz = x * u, y * v, z * w
    a, b, c = yy + zz, xx + zz, xx + yy
    return (
        S[0] + (a + a),
        S[1] + (b + b),
        S[2] + (c + c),
        S[3] - (x * v + y * u),
        S[4] - (x * w + z * u),
        S[5] - (y * w + z * v),
    )
