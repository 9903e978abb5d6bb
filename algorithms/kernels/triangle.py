"""Counted arithmetic of the triangle: what is left of the mesh's where a vector or a matrix has known zeros."""

from meshsim.algorithms.kernels.inertial import Spatial
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.counted import kernel
from meshsim.errors import MeshSimError


@kernel(mul=3, add=1)
def rate_on_first(A: Matrix, inboard: float, own: float) -> Vector:
    """A (0, 0, inboard) + (0, 0, own): the angular velocity of a body on one that turns about its own z axis."""
    return A[0][2] * inboard, A[1][2] * inboard, A[2][2] * inboard + own


@kernel(mul=1)
def minus_square(rate: float) -> float:
    """Minus the square of a rate."""
    return -(rate * rate)


@kernel(mul=2, add=2)
def add_flat(v: Vector, s: float, r: Vector) -> Vector:
    """V + s times r without its third component."""
    return v[0] + s * r[0], v[1] + s * r[1], v[2]


@kernel(mul=2, add=2)
def spatial_dot_own(arm: Vector, b: Spatial) -> float:
    """The scalar product of (z, arm) with a 6-vector, where arm has no third component."""
    if arm[2]:
        raise MeshSimError(f"spatial_dot_own needs an arm whose last component is zero, not {arm[2]!r}")
    (_, _, z), (u, v, _) = b
    return z + arm[0] * u + arm[1] * v


@kernel(add=2)
def add_flat_vector(v: Vector, flat: Vector) -> Vector:
    """V + a vector without a third component."""
    if flat[2]:
        raise MeshSimError(f"add_flat_vector needs a vector whose last component is zero, not {flat[2]!r}")
    return v[0] + flat[0], v[1] + flat[1], v[2]
