"""What kernels of rows and columns have in common; the kernels that call it count it."""


def inner(x: tuple[float, ...], y: tuple[float, ...]) -> float:
    """The sum of products, without a sum that starts from 0."""
    total = x[0] * y[0]
    for a, b in zip(x[1:], y[1:], strict=True):
        total = total + a * b
    return total


def eliminated(L: tuple[tuple[float, ...], ...], B: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    """L^-1 B, where L has ones on a diagonal that is left out."""
    Y: list[tuple[float, ...]] = []
    for factors, row in zip(L, B, strict=True):
        for a, above in zip(factors, Y, strict=True):
            row = tuple([x - a * y for x, y in zip(row, above, strict=True)])
        Y.append(row)
    return tuple(Y)
