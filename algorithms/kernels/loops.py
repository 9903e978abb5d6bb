"""The counted arithmetic of single lines in the methods for loops."""

from meshsim.algorithms.kernels.inertial import Symmetric
from meshsim.algorithms.types.vectors import Vector
from meshsim.counted import kernel


@kernel(mul=2, add=1)
def spring_force(k: float, c: float, d: float, rate: float) -> float:
    """K c + d c'."""  # Khan eq. 4.1
    return k * c + d * rate


@kernel(mul=1, add=1)
def fading(sigma_squared: float, c: float, bias: float) -> float:
    """What A q'' must be for c' + sigma c to stay zero, c' being - sigma c."""  # KTK eq. 12, differentiated once more
    return sigma_squared * c - bias


@kernel(mul=9, add=6)
def deflate(Phi: Symmetric, p: Vector, inverse: float) -> Symmetric:
    """Phi - p p^T times a number, of which six entries are enough."""  # Khan eq. 3.8
    x, y, z = inverse * p[0], inverse * p[1], inverse * p[2]
    return (
        Phi[0] - x * p[0],
        Phi[1] - y * p[1],
        Phi[2] - z * p[2],
        Phi[3] - x * p[1],
        Phi[4] - x * p[2],
        Phi[5] - y * p[2],
    )
