"""Counted kernels: small functions that compute, and declare what they cost.

All arithmetic of a program goes through kernels. A test runs every kernel on counting scalars and demands
the declared cost exactly. Changing a sign is free, as is moving a number.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Generic, TypeVar, TypeVarTuple

from meshsim.errors import MeshSimError

Ts = TypeVarTuple("Ts")
R = TypeVar("R")

OPERATIONS = ("mul", "add", "div", "sqrt", "sincos")
"""What kernels count."""


class Kernel(Generic[*Ts, R]):
    """A function with its name and its cost. Calling it computes; a processor's `do` computes and charges.

    Attributes
    ----------
    name : str
        That of the function; a machine may price it by this.
    function : callable
        What computes.
    cost : mapping of str to int
        How many of each operation a call does; those of which it does none are left out.
    """

    def __init__(self, function: Callable[[*Ts], R], cost: Mapping[str, int]) -> None:
        self.name = function.__name__
        self.function = function
        self.cost = MappingProxyType({operation: count for operation, count in cost.items() if count})
        self.__doc__ = function.__doc__

    def __call__(self, *args: *Ts) -> R:
        return self.function(*args)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


class Uncounted:
    """Stands in for a processor where kernels are computed without a machine."""

    def do(self, kernel: Kernel[*Ts, R], *args: *Ts) -> R:
        """Compute."""
        return kernel.function(*args)


KERNELS: dict[str, Kernel[*tuple[object, ...], object]] = {}
"""Every kernel that has been declared, by name: a machine may price any of them."""


def kernel(
    *, mul: int = 0, add: int = 0, div: int = 0, sqrt: int = 0, sincos: int = 0
) -> Callable[[Callable[[*Ts], R]], Kernel[*Ts, R]]:
    """Declare a function to be a kernel that costs so many operations at each call.

    Declared again where it was declared, as when a notebook's cell is run again, a kernel replaces the one before.

    Parameters
    ----------
    mul, add, div, sqrt : int
        How many of each: multiplications, additions and subtractions, divisions, square roots.
    sincos : int
        Pairs of a sine and a cosine of the same angle.

    Returns
    -------
    callable
        What makes a `Kernel` of a function; it stands before the function as a decorator.

    Raises
    ------
    MeshSimError
        If a kernel that was declared elsewhere has the function's name.

    Examples
    --------
    >>> import meshsim as ms
    >>> @ms.kernel(mul=1, add=1)
    ... def grown(x: float) -> float:
    ...     return 1.0 + 2.0 * x
    >>> grown(3.0), dict(grown.cost)
    (7.0, {'mul': 1, 'add': 1})
    """

    def declare(function: Callable[[*Ts], R]) -> Kernel[*Ts, R]:
        declared = Kernel(function, {"mul": mul, "add": add, "div": div, "sqrt": sqrt, "sincos": sincos})
        known = KERNELS.get(declared.name)
        if known is not None and _origin(known.function) != _origin(function):
            module, _ = _origin(known.function)
            raise MeshSimError(f"kernel name must be new, not {declared.name!r}, which {module} has declared already")
        KERNELS[declared.name] = declared  # type: ignore[assignment]
        return declared

    return declare


def _origin(function: Callable[..., object]) -> tuple[str, str]:
    """Where a function was defined: its module, and its name there."""
    return function.__module__, function.__qualname__
