"""Counted arithmetic of branches: joints that slide, and articulated bodies that carry several others.

What a joint that slides does to an articulated body is what one that turns does, with moments and forces exchanged: J
with M, and H with its transpose. So the kernels of `articulated.py` serve both; here is only what is new.
"""

from meshsim.algorithms.kernels.articulated import Whole
from meshsim.algorithms.kernels.core import add_vectors
from meshsim.algorithms.kernels.inertial import Symmetric, add_symmetric
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.counted import kernel

# Vectors


@kernel(mul=4, add=2)
def twist_out(s: float, c: float, v: Vector) -> Vector:
    """Outwards by a constant twist about x, into a frame that does not turn about z."""
    x, y, z = v
    return x, c * y + s * z, c * z - s * y


@kernel(mul=4, add=2)
def twist_back(s: float, c: float, v: Vector) -> Vector:
    """The way back."""
    x, y, z = v
    return x, c * y - s * z, s * y + c * z


@kernel(mul=3, add=3)
def slide_along(position: Vector, q: float, axis: Vector) -> Vector:
    """The sum position + q axis: where a joint that slides has taken its body."""
    return position[0] + q * axis[0], position[1] + q * axis[1], position[2] + q * axis[2]


@kernel(mul=3)
def coriolis_z(w: Vector, s: float) -> Vector:
    """2 w x (z s), which has no third component."""
    twice = 2.0 * s
    return w[1] * twice, -(w[0] * twice), 0.0


# Inertias


@kernel(add=21)
def add_articulated(
    J: Symmetric, H: Matrix, M: Symmetric, other_J: Symmetric, other_H: Matrix, other_M: Symmetric
) -> Whole:
    """Two articulated bodies about the same point, as one."""
    rows = add_vectors(H[0], other_H[0]), add_vectors(H[1], other_H[1]), add_vectors(H[2], other_H[2])
    return add_symmetric(J, other_J), rows, add_symmetric(M, other_M)
