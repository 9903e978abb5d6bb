"""Number formats: what kernels compute in, and how many words numbers take in a message.

A plan in a format (`Plan.in_format`) runs its kernels on scalars whose every operation rounds as the format does. The
arguments of a kernel are rounded into the format first, so constants formed off line are rounded once; its results are
Python floats that the format represents exactly. So messages, comparisons and control need know of no format.

Floating formats round to nearest, ties to even, with gradual underflow, as IEEE 754 does. An operation is computed in
double and then rounded. Of a sum, product, quotient or square root of numbers with p bits that gives the correctly
rounded result, since double has at least 2 p + 2 bits (Figueroa, "When is double rounding innocuous?", 1995), and p is
24 at most. Among subnormal numbers too: there a sum and a product are exact in double, and a quotient that is no
midpoint is further from one than double rounds. Nothing is fused: a product is rounded before it is added. Sine and
cosine are double's, rounded.

A number of fixed point has I bits before the point, the sign among them, and F behind it. Sums are exact, products and
quotients are formed from integers and rounded to nearest, ties to even; square root, sine and cosine are double's,
rounded. It does not wrap and does not saturate.

In all formats but double, a result beyond the largest number is an error (`FormatError`) that names the kernel.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cache
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from meshsim.counted import Kernel
from meshsim.errors import MeshSimError
from meshsim.machine import Machine
from meshsim.payload import mapped

AnyKernel = Kernel[*tuple[Any, ...], Any]
LARGEST_WIDTH = 53
"""Bits of a fixed-point number: those that a double represents exactly."""


class FormatError(MeshSimError):
    """A kernel cannot be computed in a format: a number is too large, or a divisor has become zero."""


class _BeyondError(Exception):
    """What was computed, and its value, which the format does not have."""


class Width(NamedTuple):
    """Bits of a number, and of a word of the machine that sends it."""

    number: int
    word: int

    def words(self, numbers: Any) -> Any:
        """Words of a message of so many numbers, which are packed; an integer or an array of integers."""
        return -(-numbers * self.number // self.word)


class Format(ABC):
    """How numbers are represented: a name, and the bits that one takes."""

    name: str
    bits: int

    def __repr__(self) -> str:
        return f"<format {self.name}>"

    def width(self, machine: Machine) -> Width:
        """What a number takes on a machine."""
        return Width(self.bits, machine.word_bits)

    @abstractmethod
    def rounded(self, value: float, what: str = "an argument") -> float:
        """The number of the format that is nearest to a value; `what` it is, for the error."""

    def kernel(self, kernel: AnyKernel) -> AnyKernel:
        """The kernel computed in the format: of the same name and cost."""
        return _kernel_in(self, kernel, kernel.function)

    def product(self, a: float, b: float) -> float:
        """Of two numbers of the format."""
        return self.rounded(a * b, "a product")

    def quotient(self, a: float, b: float) -> float:
        """Of two numbers of the format."""
        return self.rounded(a / b, "a quotient")

    def result(self, value: Any) -> Any:
        """What a program returns, with numbers that no kernel has made rounded too."""
        try:
            return mapped(value, float, lambda number: self.rounded(number, "a result"))
        except _BeyondError as beyond:
            raise FormatError(self.overflow("of a program", *beyond.args)) from None

    def overflow(self, where: str, what: str, value: float) -> str:
        """What is wrong with a number."""
        return (
            f"{self.name} must be wide enough for every number, not overflow: {where} {what} is {value!r}, and the "
            f"largest number is {self.largest!r}"
        )

    @property
    @abstractmethod
    def largest(self) -> float:
        """The largest number."""


class Double(Format):
    """IEEE double: kernels are computed as they are."""

    name = "double"
    bits = 64
    largest = math.ldexp(2.0 - 2.0**-52, 1023)

    def rounded(self, value: float, what: str = "an argument") -> float:  # noqa: ARG002
        """The value itself."""
        return value

    def kernel(self, kernel: AnyKernel) -> AnyKernel:
        """The kernel itself."""
        return kernel

    def result(self, value: Any) -> Any:
        """What a program returns, as it is."""
        return value


class Floating(Format):
    """A binary floating format narrower than double: its significant bits, and its largest exponent."""

    largest = 0.0

    def __init__(self, name: str, bits: int, precision: int, exponent: int) -> None:
        self.name = name
        self.bits = bits
        self.largest = math.ldexp(2.0 - math.ldexp(1.0, 1 - precision), exponent)
        lowest = 2 - exponent  # of frexp, for the smallest normal number
        # To add 1.5 * 2**52 units and subtract them again rounds to a whole number of units, ties to even.
        self.shifts = tuple(
            math.ldexp(1.5, min(max(e, lowest) - precision + 52, 1022)) for e in range(-1074, 1025)
        )  # by the exponent of the value; beyond the largest number it does not matter

    def rounded(self, value: float, what: str = "an argument") -> float:
        """The nearest number, of two equally near the even one."""
        shift = self.shifts[math.frexp(value)[1] + 1074]
        near = (value + shift) - shift
        if -self.largest <= near <= self.largest:
            return near or math.copysign(0.0, value)
        raise _BeyondError(what, value)


class Fixed(Format):
    """Fixed point: a two's complement number with so many bits before the point, its sign among them, and behind it."""

    largest = 0.0

    def __init__(self, whole: int, fraction: int) -> None:
        self.name = f"fixed:{whole}.{fraction}"
        if whole < 1 or not 2 <= whole + fraction <= LARGEST_WIDTH:
            raise MeshSimError(
                f"format fixed:I.F must have I >= 1 bits before the point, the sign among them, and 2 to "
                f"{LARGEST_WIDTH} bits in all, as many as a double represents exactly, not {self.name!r}"
            )
        self.bits = whole + fraction
        self.fraction = fraction
        self.scale = 1 << fraction
        self.top = (1 << self.bits - 1) - 1
        self.largest = self.top / self.scale

    def rounded(self, value: float, what: str = "an argument") -> float:
        """The nearest number, of two equally near the even one."""
        if not math.isfinite(value):
            raise _BeyondError(what, value)
        return self._made(round(value * self.scale), what)  # scaling is exact, and round takes ties to even

    def product(self, a: float, b: float) -> float:
        """Of two numbers of the format, by integers."""
        return self._made(_divided(int(a * self.scale) * int(b * self.scale), self.scale), "a product")

    def quotient(self, a: float, b: float) -> float:
        """Of two numbers of the format, by integers."""
        return self._made(_divided(int(a * self.scale) * self.scale, int(b * self.scale)), "a quotient")

    def _made(self, units: int, what: str) -> float:
        if -self.top - 1 <= units <= self.top:
            return units / self.scale
        raise _BeyondError(what, units / self.scale)


def _divided(a: int, b: int) -> int:
    """The integer nearest to a over b, of two equally near the even one."""
    quotient, rest = divmod(a, b)  # 0 <= rest / b < 1
    twice = 2 * abs(rest) - abs(b)
    return quotient + (twice > 0 or (twice == 0 and quotient % 2 == 1))


DOUBLE = Double()
FORMATS: dict[str, Format] = {
    "double": DOUBLE,
    "single": Floating("single", 32, 24, 127),
    "half": Floating("half", 16, 11, 15),
    "bfloat16": Floating("bfloat16", 16, 8, 127),
}
"""By name, besides ``fixed:I.F``."""


@cache
def load_format(name: str) -> Format:
    """A format by name: one of `FORMATS`, or ``fixed:I.F``."""
    if name in FORMATS:
        return FORMATS[name]
    if found := re.fullmatch(r"fixed:(\d{1,4})\.(\d{1,4})", name):
        return Fixed(int(found[1]), int(found[2]))
    raise MeshSimError(
        f"number format must be {', '.join(FORMATS)} or fixed:I.F, with I bits before the point and F behind it, "
        f"not {name!r}"
    )


# Kernels in a format


@cache
def _kernel_in(form: Format, kernel: AnyKernel, function: Callable[..., Any]) -> AnyKernel:
    scalar = _scalar(form)
    inner = _rebuilt(function, form, {})
    name = kernel.name

    def taken(value: Any) -> Any:
        """An argument as scalars."""
        if isinstance(value, tuple | list):
            return type(value)(map(taken, value))
        return scalar(form.rounded(value)) if isinstance(value, float | int) else value

    def given(value: Any) -> Any:
        """A result as floats."""
        if value.__class__ is scalar:
            return value.value
        if isinstance(value, tuple | list):
            return type(value)(map(given, value))
        return form.rounded(value, "a result") if isinstance(value, float | int) else value

    def computed(*args: Any) -> Any:
        try:
            return given(inner(*map(taken, args)))
        except _BeyondError as beyond:
            raise FormatError(form.overflow(f"in kernel {name!r}", *beyond.args)) from None
        except ZeroDivisionError:
            raise FormatError(f"in {form.name}, kernel {name!r} must not divide by zero") from None
        except ValueError as error:
            raise FormatError(f"in {form.name}, kernel {name!r} cannot be computed: {error}") from None

    computed.__name__ = name
    return Kernel(computed, kernel.cost)


@cache
def _scalar(form: Format) -> Any:
    """The scalars of a format. They are no floats, so nothing computes with them that does not round."""
    rounded, product, quotient = form.rounded, form.product, form.quotient

    class Scalar:
        __slots__ = ("value",)

        def __init__(self, value: float) -> None:
            self.value = value  # which the format has

        def __add__(self, other: Any) -> "Scalar":
            return Scalar(rounded(self.value + of(other), "a sum"))

        def __sub__(self, other: Any) -> "Scalar":
            return Scalar(rounded(self.value - of(other), "a difference"))

        def __rsub__(self, other: Any) -> "Scalar":
            return Scalar(rounded(of(other) - self.value, "a difference"))

        def __mul__(self, other: Any) -> "Scalar":
            return Scalar(product(self.value, of(other)))

        def __truediv__(self, other: Any) -> "Scalar":
            return Scalar(quotient(self.value, of(other)))

        def __rtruediv__(self, other: Any) -> "Scalar":
            return Scalar(quotient(of(other), self.value))

        def __neg__(self) -> "Scalar":
            return Scalar(rounded(-self.value, "a negative"))

        def __abs__(self) -> "Scalar":
            return Scalar(rounded(abs(self.value), "an absolute value"))

        def __bool__(self) -> bool:
            return self.value != 0.0

        def __eq__(self, other: object) -> bool:
            return self.value == of(other)

        def __lt__(self, other: Any) -> bool:
            return self.value < of(other)

        def __le__(self, other: Any) -> bool:
            return self.value <= of(other)

        def __gt__(self, other: Any) -> bool:
            return self.value > of(other)

        def __ge__(self, other: Any) -> bool:
            return self.value >= of(other)

        def __float__(self) -> float:
            raise FormatError(
                f"kernels in {form.name} must round every operation, and float() leaves the format: they may call sqrt"
                ", sin and cos of math in their own module, and no other function of floats"
            )

        def __repr__(self) -> str:
            return repr(self.value)

        __radd__ = __add__
        __rmul__ = __mul__
        __hash__ = None  # type: ignore[assignment]

    def of(other: Any) -> float:
        """The value of an operand; a constant is rounded."""
        return other.value if other.__class__ is Scalar else rounded(other, "a constant")

    return Scalar


class _Math:
    """The module `math` as kernels see it in a format: its constants, and the functions that machines price."""

    def __init__(self, form: Format) -> None:
        self._form = form
        self.sqrt, self.sin, self.cos = (self._function(each) for each in (math.sqrt, math.sin, math.cos))

    def __getattr__(self, name: str) -> float:
        value = getattr(math, name)
        if isinstance(value, float):
            return value
        raise FormatError(f"kernels in {self._form.name} must call only sqrt, sin and cos of math, not {name}")

    def _function(self, function: Callable[[float], float]) -> Callable[[Any], Any]:
        scalar, rounded = _scalar(self._form), self._form.rounded

        def computed(x: Any) -> Any:
            value = x.value if x.__class__ is scalar else rounded(x, "a constant")
            return scalar(rounded(function(value), f"a {function.__name__}"))

        return computed


@cache
def _math(form: Format) -> _Math:
    return _Math(form)


def _rebuilt(function: Any, form: Format, built: dict[Any, Any]) -> Any:
    """The same function with the format's `math`, and so all kernels and functions of its module that it calls."""
    if function in built or not isinstance(function, FunctionType):
        return built.get(function, function)
    scope = dict(function.__globals__)
    copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)
    built[function] = copy
    for name in _names(function.__code__):
        value: Any = scope.get(name)
        if value is math:
            scope[name] = _math(form)
        elif any(value is each for each in (math.sqrt, math.sin, math.cos)):
            scope[name] = getattr(_math(form), value.__name__)
        elif isinstance(value, Kernel):
            scope[name] = Kernel(_rebuilt(value.function, form, built), value.cost)
        elif isinstance(value, FunctionType) and value.__globals__ is function.__globals__:
            scope[name] = _rebuilt(value, form, built)
    return copy


def _names(code: CodeType) -> Iterator[str]:
    """The globals that a function's code may name."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
