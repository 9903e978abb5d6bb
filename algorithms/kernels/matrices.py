"""Rearranging small matrices: nothing is computed except constants formed off line."""

from meshsim.algorithms.kernels.inertial import Symmetric
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.errors import MeshSimError


def symmetric_of(J: Matrix) -> Symmetric:
    """The six numbers of a symmetric matrix."""
    return J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]


def transposed(A: Matrix) -> Matrix:
    """A^T."""
    (a, b, c), (d, e, f), (g, h, i) = A
    return (a, d, g), (b, e, h), (c, f, i)


def third_column(A: Matrix) -> Vector:
    """The parent's z axis, seen from the body."""
    return A[0][2], A[1][2], A[2][2]


def twist_products(E: Matrix) -> tuple[float, float, float, float]:
    """Sine and cosine of a twist, sine squared, and sine times cosine: formed off line."""
    (a, b, c), (d, _, sine), (g, _, cosine) = E
    if not (a == 1.0 and b == c == d == g == 0.0):
        raise MeshSimError(f"twist_products needs a rotation about x, not {E!r}")
    return sine, cosine, sine * sine, sine * cosine
