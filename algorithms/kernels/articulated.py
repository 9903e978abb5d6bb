"""Counted arithmetic of articulated bodies, in body coordinates: about the body's hinge, joint axis along z.

An articulated body resists by J, H and M: moment = J alpha + H a, force = H^T alpha + M a. With its joint free it takes
no moment about z, so that nothing is left of the last row of J and H: a `Free` body has the xx, yy and xy of J, and two
rows of H. s and c are the sine and cosine of an angle; a vector turns outwards into the body's frame, inwards back.
"""

from meshsim.algorithms.kernels.composite import (
    quadratic_form,
    rotate_back,
    rotate_symmetric,
    turn_about_x,
    turn_about_z,
)
from meshsim.algorithms.kernels.core import dot, rotate
from meshsim.algorithms.kernels.inertial import Inertia, Symmetric, matmul
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.counted import kernel

Wrench = tuple[Vector, Vector]
"""A moment and a force."""
Motion = tuple[Vector, Vector]
"""An angular and a linear acceleration, or those of a unit rate."""
Gain = tuple[Vector, Vector]
"""U / D, where U is what a body takes for a unit acceleration of its joint, D its z part; 1 / D stands for that 1."""
Plane = tuple[float, float, float]
"""Entries xx, yy, xy of a symmetric matrix whose others are zero."""
Rows = tuple[Vector, Vector]
"""The rows of a matrix whose third is zero."""
Whole = tuple[Symmetric, Matrix, Symmetric]
Free = tuple[Plane, Rows, Symmetric]

# Vectors


@kernel(mul=4, add=2)
def turn_out(s: float, c: float, v: Vector) -> Vector:
    """Outwards about z."""
    x, y, z = v
    return c * x + s * y, c * y - s * x, z


@kernel(mul=8, add=4)
def outwards_twist(s: float, c: float, twist_s: float, twist_c: float, v: Vector) -> Vector:
    """Outwards by a constant twist about x, then by the joint's angle."""
    x, y, z = v
    return turn_out(s, c, (x, twist_c * y + twist_s * z, twist_c * z - twist_s * y))


@kernel(mul=8, add=4)
def inwards_twist(s: float, c: float, twist_s: float, twist_c: float, v: Vector) -> Vector:
    """The way back."""
    x, y, z = v
    turned = s * x + c * y
    return c * x - s * y, twist_c * turned - twist_s * z, twist_s * turned + twist_c * z


@kernel(mul=13, add=8)
def outwards_general(s: float, c: float, E: Matrix, v: Vector) -> Vector:
    """Outwards by any constant rotation, then by the joint's angle."""
    return turn_out(s, c, rotate(E, v))


@kernel(mul=13, add=8)
def inwards_general(s: float, c: float, E: Matrix, v: Vector) -> Vector:
    """The way back."""
    x, y, z = v
    return rotate_back(E, (c * x - s * y, s * x + c * y, z))


@kernel(mul=6, add=6)
def displace(v: Vector, a: Vector, b: Vector) -> Vector:
    """V + a x b: a moment, or an acceleration, at another point."""
    return v[0] + (a[1] * b[2] - a[2] * b[1]), v[1] + (a[2] * b[0] - a[0] * b[2]), v[2] + (a[0] * b[1] - a[1] * b[0])


@kernel(mul=9, add=5)
def centripetal(square: float, w: Vector, r: Vector) -> Vector:
    """W x (w x r), given the square of w."""
    along = w[0] * r[0] + w[1] * r[1] + w[2] * r[2]
    return along * w[0] - square * r[0], along * w[1] - square * r[1], along * w[2] - square * r[2]


@kernel(add=2)
def add_in_plane(v: Vector, x: float, y: float) -> Vector:
    """V + (x, y, 0)."""
    return v[0] + x, v[1] + y, v[2]


# Inertias


@kernel(mul=20, add=15, div=1)
def project(J: Symmetric, H: Matrix, M: Symmetric) -> tuple[Free, Gain]:
    """I - U U^T / D: what an articulated body resists with its joint free, and U / D."""  # Wong eq. 2.14
    jxx, jyy, D, jxy, ux, uy = J
    (hxx, hxy, hxz), (hyx, hyy, hyz), (fx, fy, fz) = H
    mxx, myy, mzz, mxy, mxz, myz = M
    inverse = 1.0 / D
    gx, gy, ex, ey, ez = ux * inverse, uy * inverse, fx * inverse, fy * inverse, fz * inverse
    plane = jxx - ux * gx, jyy - uy * gy, jxy - ux * gy
    rows = (hxx - gx * fx, hxy - gx * fy, hxz - gx * fz), (hyx - gy * fx, hyy - gy * fy, hyz - gy * fz)
    mass = mxx - fx * ex, myy - fy * ey, mzz - fz * ez, mxy - fx * ey, mxz - fx * ez, myz - fy * ez
    return (plane, rows, mass), ((gx, gy, inverse), (ex, ey, ez))


@kernel(mul=22, add=26)
def turn_inertia(s: float, c: float, J: Plane, H: Rows, M: Symmetric) -> Free:
    """A free body's inertia turned inwards by the joint's angle, about z."""
    ss, cs = s * s, s * c
    xx, yy, xy = J
    difference, total = xx - yy, xy + xy
    g, k = ss * difference + cs * total, cs * difference - ss * total
    plane = xx - g, yy + g, xy + k
    (hxx, hxy, hxz), (hyx, hyy, hyz) = H
    difference, total = hxx - hyy, hxy + hyx
    g, k = ss * difference + cs * total, cs * difference - ss * total
    rows = (hxx - g, hxy + k, c * hxz - s * hyz), (hyx + k, hyy + g, s * hxz + c * hyz)
    return plane, rows, turn_about_z(s, c, ss, cs, M)


@kernel(mul=22, add=16)
def twist_inertia(s: float, c: float, ss: float, cs: float, J: Plane, H: Rows, M: Symmetric) -> Whole:
    """A free body's inertia turned inwards by a constant twist about x, whose squares are known."""
    jxx, jyy, jxy = J
    jzz = ss * jyy
    (hxx, hxy, hxz), (hyx, hyy, hyz) = H
    g, k = ss * hyy + cs * hyz, cs * hyy - ss * hyz
    return (
        (jxx, jyy - jzz, jzz, c * jxy, s * jxy, cs * jyy),
        ((hxx, c * hxy - s * hxz, s * hxy + c * hxz), (c * hyx, hyy - g, hyz + k), (s * hyx, k, g)),
        turn_about_x(s, c, ss, cs, M),
    )


@kernel(mul=96, add=65)
def tilt_inertia(E: Matrix, J: Plane, H: Rows, M: Symmetric) -> Whole:
    """A free body's inertia turned inwards by any constant rotation."""
    x, y, z = E
    xx, yy, xy = J
    p, q = x[0] * xx + y[0] * xy, x[0] * xy + y[0] * yy
    u, v = x[1] * xx + y[1] * xy, x[1] * xy + y[1] * yy
    first, second = p * x[0] + q * y[0], u * x[1] + v * y[1]
    moments = (
        first,
        second,
        xx + yy - first - second,
        p * x[1] + q * y[1],
        p * x[2] + q * y[2],
        u * x[2] + v * y[2],
    )
    a, b = H
    half = (
        (x[0] * a[0] + y[0] * b[0], x[0] * a[1] + y[0] * b[1], x[0] * a[2] + y[0] * b[2]),
        (x[1] * a[0] + y[1] * b[0], x[1] * a[1] + y[1] * b[1], x[1] * a[2] + y[1] * b[2]),
        (x[2] * a[0] + y[2] * b[0], x[2] * a[1] + y[2] * b[1], x[2] * a[2] + y[2] * b[2]),
    )
    inwards = (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])
    return moments, matmul(half, E), rotate_symmetric(inwards, M)


@kernel(mul=30, add=42)
def shift_inertia(r: Vector, J: Symmetric, H: Matrix, M: Symmetric) -> Whole:
    """An inertia about a point at -r: H' = H + r~ M, J' = J + r~ H'^T - H r~."""
    x, y, z = r
    jxx, jyy, jzz, jxy, jxz, jyz = J
    (hxx, hxy, hxz), (hyx, hyy, hyz), (hzx, hzy, hzz) = H
    mxx, myy, mzz, mxy, mxz, myz = M
    p, q, t = x * myz, y * mxz, z * mxy
    gxx, gxy, gxz = hxx + (q - t), hxy + (y * myz - z * myy), hxz + (y * mzz - z * myz)
    gyx, gyy, gyz = hyx + (z * mxx - x * mxz), hyy + (t - p), hyz + (z * mxz - x * mzz)
    gzx, gzy, gzz = hzx + (x * mxy - y * mxx), hzy + (x * myy - y * mxy), hzz + (p - q)
    moments = (
        jxx + (y * (hxz + gxz) - z * (hxy + gxy)),
        jyy + (z * (hyx + gyx) - x * (hyz + gyz)),
        jzz + (x * (hzy + gzy) - y * (hzx + gzx)),
        jxy + (z * (hxx - gyy) + y * gyz - x * hxz),
        jxz + (y * (gzz - hxx) + x * hxy - z * gzy),
        jyz + (x * (hyy - gzz) + z * gzx - y * hyx),
    )
    return moments, ((gxx, gxy, gxz), (gyx, gyy, gyz), (gzx, gzy, gzz)), M


@kernel(add=15)
def add_body(J: Symmetric, H: Matrix, M: Symmetric, body: Inertia) -> Whole:
    """An inertia and that of a rigid body, about the same point."""
    m, (x, y, z), own = body
    (hxx, hxy, hxz), (hyx, hyy, hyz), (hzx, hzy, hzz) = H
    return (
        (J[0] + own[0], J[1] + own[1], J[2] + own[2], J[3] + own[3], J[4] + own[4], J[5] + own[5]),
        ((hxx, hxy - z, hxz + y), (hyx + z, hyy, hyz - x), (hzx - y, hzy + x, hzz)),
        (M[0] + m, M[1] + m, M[2] + m, M[3], M[4], M[5]),
    )


@kernel(mul=24, add=21)
def resistance(J: Plane, H: Rows, M: Symmetric, unit: Motion) -> tuple[float, Vector]:
    """What a free body adds to the inertia about an axis whose unit motion it sees, and the force it takes then."""
    (ax, ay, _), (x, y, z) = unit
    a, b = H
    sway = ax * a[0] + ay * b[0], ax * a[1] + ay * b[1], ax * a[2] + ay * b[2]
    xx, yy, zz, xy, xz, yz = M
    force = (
        sway[0] + (xx * x + xy * y + xz * z),
        sway[1] + (xy * x + yy * y + yz * z),
        sway[2] + (xz * x + yz * y + zz * z),
    )
    turning = ax * (J[0] * ax + J[2] * ay) + ay * (J[2] * ax + J[1] * ay)
    moving = (force[0] + sway[0]) * x + (force[1] + sway[1]) * y + (force[2] + sway[2]) * z
    return turning + moving, force


@kernel(mul=21, add=19)
def resistance_sliding(M: Plane, H: Rows, J: Symmetric, unit: Motion) -> tuple[float, Vector]:
    """The same of a body whose joint slides, and whose inertia faces its joint: M, two rows of H^T, J."""
    angular, (x, y, _) = unit
    a, b = H
    sway = dot(a, angular), dot(b, angular)
    force = sway[0] + (M[0] * x + M[2] * y), sway[1] + (M[2] * x + M[1] * y)
    moving = (force[0] + sway[0]) * x + (force[1] + sway[1]) * y
    return quadratic_form(J, angular) + moving, (force[0], force[1], 0.0)


# The joint


@kernel(mul=5)
def gain_times(gain: Gain, u: float) -> Wrench:
    """U u / D."""
    (gx, gy, _), (ex, ey, ez) = gain
    return (gx * u, gy * u, u), (ex * u, ey * u, ez * u)


@kernel(mul=5, add=5)
def pass_joint(gain: Gain, u: float, torque: float, wrench: Wrench) -> Wrench:
    """The wrench inside a joint of which u = torque - moment about z: that outside it, and U u / D."""  # Wong eq. 2.16
    (gx, gy, _), (ex, ey, ez) = gain
    (mx, my, _), (fx, fy, fz) = wrench
    return (mx + gx * u, my + gy * u, torque), (fx + ex * u, fy + ey * u, fz + ez * u)


@kernel(mul=10, add=10)
def add_turning(J: Plane, H: Rows, x: float, y: float, wrench: Wrench) -> Wrench:
    """A wrench, and what a free body takes to accelerate by (x, y, 0) about its hinge."""
    a, b = H
    (mx, my, mz), (fx, fy, fz) = wrench
    return (
        (mx + (J[0] * x + J[2] * y), my + (J[2] * x + J[1] * y), mz),
        (fx + (a[0] * x + b[0] * y), fy + (a[1] * x + b[1] * y), fz + (a[2] * x + b[2] * y)),
    )


@kernel(mul=6, add=6)
def accelerate(gain: Gain, u: float, given: Motion) -> tuple[float, Motion]:
    """The joint's acceleration u / D - (U / D) a, and the body's with it."""  # Wong eqs 2.17, 2.18
    (gx, gy, inverse), (ex, ey, ez) = gain
    (ax, ay, az), (x, y, z) = given
    about_z = inverse * u - (gx * ax + gy * ay + ex * x + ey * y + ez * z)
    return about_z - az, ((ax, ay, about_z), given[1])
