"""The counted arithmetic of steps in time: what a step of order 4 adds, and how large an error is."""

from meshsim.counted import kernel


@kernel(mul=2, add=3)
def weigh(sixth: float, first: float, last: float, middle: float, y: float) -> float:
    """y one step later: the rates at both ends have weight 1, those between (already summed) weight 2."""
    return y + sixth * (first + last + 2.0 * middle)


@kernel(mul=2, add=1, div=1)
def error_square(error: float, size: float, rtol: float, atol: float) -> float:
    """How large an error is for a number of such a size, squared."""
    share = error / (atol + rtol * size)
    return share * share
