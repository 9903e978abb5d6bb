"""Counted arithmetic of a block-tridiagonal system of 5 x 5 blocks (docs/notation.md).

A block is five rows of five numbers; a symmetric one the rows of its lower triangle. L, inverse pivots and what works
on one column are those of `handles.sized(5)`.
"""

from meshsim.algorithms.kernels.handles import Rows, Six
from meshsim.algorithms.kernels.rows import eliminated, inner
from meshsim.algorithms.kernels.shapes import lower, matrix, shaped, vector
from meshsim.counted import kernel

FIVE, FIVES, LOWER_FIVE = vector(5), matrix(5, 5), lower(5)


@kernel(mul=50, add=50)
@shaped(L=lower(5, 0), B=FIVES)
def forward_block(L: Rows, B: Rows) -> Rows:
    """L^-1 B, where L has ones on a diagonal that is left out."""
    return eliminated(L, B)


@kernel(mul=25)
@shaped(inverses=FIVE, Y=FIVES)
def scale_block(inverses: Six, Y: Rows) -> Rows:
    """D^-1 Y."""
    return tuple([tuple([a * y for y in row]) for a, row in zip(inverses, Y, strict=True)])


@kernel(mul=75, add=60)
@shaped(Y=FIVES, Z=FIVES)
def gram_block(Y: Rows, Z: Rows) -> Rows:
    """Y^T Z where that is symmetric: the lower triangle."""
    left, right = list(zip(*Y, strict=True)), list(zip(*Z, strict=True))
    return tuple([tuple([inner(y, z) for z in right[: i + 1]]) for i, y in enumerate(left)])


@kernel(mul=125, add=100)
@shaped(Y=FIVES, Z=FIVES)
def couple_block(Y: Rows, Z: Rows) -> Rows:
    """Y^T Z."""
    right = list(zip(*Z, strict=True))
    return tuple([tuple([inner(y, z) for z in right]) for y in zip(*Y, strict=True)])


@kernel(mul=25, add=20)
@shaped(Y=FIVES, z=FIVE)
def project_block(Y: Rows, z: Six) -> Six:
    """Y^T z."""
    return tuple([inner(y, z) for y in zip(*Y, strict=True)])


@kernel(add=15)
@shaped(K=LOWER_FIVE, Q=LOWER_FIVE)
def subtract_lower_block(K: Rows, Q: Rows) -> Rows:
    """The difference of two symmetric blocks."""
    return tuple([tuple([a - b for a, b in zip(x, y, strict=True)]) for x, y in zip(K, Q, strict=True)])


@kernel(add=5)
@shaped(a=FIVE, b=FIVE)
def subtract_five(a: Six, b: Six) -> Six:
    """The difference of two columns."""
    return tuple([x - y for x, y in zip(a, b, strict=True)])


@kernel(mul=5, add=4)
@shaped(a=FIVE, b=FIVE)
def dot_five(a: Six, b: Six) -> float:
    """The product of five numbers and five others."""
    return inner(a, b)
