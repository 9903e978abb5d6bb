"""The counted arithmetic of single lines in the methods for loops."""

from meshsim.counted import kernel


@kernel(mul=2, add=1)
def spring_force(k: float, c: float, d: float, rate: float) -> float:
    """K c + d c'."""  # Khan eq. 4.1
    return k * c + d * rate


@kernel(mul=1, add=1)
def fading(sigma_squared: float, c: float, bias: float) -> float:
    """What A q'' must be for c' + sigma c to stay zero, c' being - sigma c."""  # KTK eq. 12, differentiated once more
    return sigma_squared * c - bias
