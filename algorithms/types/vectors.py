"""Three-vectors and three-by-three matrices of plain floats."""

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]
