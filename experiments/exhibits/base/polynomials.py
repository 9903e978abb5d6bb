"""The thesis's polynomials: operation counts of the one-processor algorithms, multiplies and adds."""

from collections.abc import Sequence
from fractions import Fraction

SIZES = tuple(range(2, 13))

Counts = tuple[Sequence[Fraction | int], Sequence[Fraction | int]]
"""Coefficients of the multiplies and of the adds, the highest power first."""

FORCE: dict[str, Counts] = {  # Wong Table 3.1
    "Angeles": ((105, -99), (90, -95)),
    "Proposed": ((3, 77, -44), (3, 62, -43)),
    "Walker": ((137, -22), (101, -11)),
    "He": ((91, -97), (86, -96)),
}
FORCE_LIST: Counts = (3, 77, -46), (3, 63, -44)
"""What the items of section 3.3.1 sum to."""

INERTIA: dict[str, Counts] = {
    "Angeles": ((1, Fraction(39, 2), Fraction(-33, 2), 8), (Fraction(5, 6), Fraction(29, 2), Fraction(-46, 3), 5)),
    "Proposed": ((1, Fraction(39, 2), Fraction(-49, 2), 8), (Fraction(5, 6), Fraction(29, 2), Fraction(-61, 3), 5)),
    "Walker": ((12, 56, -27), (7, 67, -53)),
    "Fijany": ((Fraction(9, 2), Fraction(231, 2), -181), (4, 88, -137)),
    "Lilly I": ((1, 22, -35, 12), (1, 15, -26, 10)),
    "Lilly III": ((Fraction(25, 2), Fraction(49, 2), -37), (8, 40, -48)),
}
SOLVER: dict[str, Counts] = {
    "Angeles": (
        (Fraction(1, 6), Fraction(3, 2), Fraction(4, 3), 0),
        (Fraction(1, 6), Fraction(3, 2), Fraction(1, 3), 0),
    ),
    "Proposed": ((Fraction(1, 6), Fraction(3, 2), Fraction(-2, 3), 0), (Fraction(1, 6), 1, Fraction(-7, 6), 0)),
    "Walker": ((Fraction(1, 6), Fraction(3, 2), Fraction(-2, 3), 0), (Fraction(1, 6), 1, Fraction(-7, 6), 0)),
}
TOTAL: dict[str, Counts] = {
    "Angeles": ((Fraction(7, 6), 21, Fraction(539, 6), -91), (1, 16, 75, -90)),
    "Proposed": ((Fraction(7, 6), 24, Fraction(311, 6), -36), (1, Fraction(37, 2), Fraction(81, 2), -38)),
    "Walker": ((Fraction(1, 6), Fraction(27, 2), Fraction(577, 3), -49), (Fraction(1, 6), 8, Fraction(1001, 6), -64)),
    "Brandl": ((250, -222), (220, -198)),
}
TOTAL_LIST: Counts = (Fraction(7, 6), 24, Fraction(311, 6), -38), (1, Fraction(37, 2), Fraction(83, 2), -39)
"""The proposed total with the force vector as its items sum."""
SUMS = (Fraction(1, 6), 0, Fraction(-1, 6), 0)
"""Additions that sum the terms of M over the bodies, n(n^2 - 1)/6, which the lists of the inertia matrix leave out."""
FEATHERSTONE: Counts = (199, -198), (174, -173)
"""Without the force vector."""  # Wong Table 2.1
BAE: Counts = (3, 186, -36), (Fraction(5, 2), Fraction(411, 2), -78)
"""Without the solver."""


def value(coefficients: Sequence[Fraction | int], n: int) -> float:
    """A polynomial at n."""
    total = Fraction(0)
    for coefficient in coefficients:
        total = total * n + coefficient
    return int(total) if total.denominator == 1 else float(total)


def values(coefficients: Sequence[Fraction | int], sizes: Sequence[int]) -> tuple[float, ...]:
    """A polynomial at every size."""
    return tuple(value(coefficients, n) for n in sizes)
