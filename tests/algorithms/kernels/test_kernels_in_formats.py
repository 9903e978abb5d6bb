"""Every kernel in every format, bit for bit: floating formats against numpy's, fixed point against fractions."""

import math
import random
import struct
import sys
from fractions import Fraction

import numpy as np
import pytest
from tools.bits import bits
from tools.kernel_arguments import arguments, own_kernels

from meshsim.algorithms.kernels.catalogue import KERNELS
from meshsim.formats import load_format


def to_bfloat16(x):
    """By the bits of a single: the upper half, rounded to nearest, ties to even.

    A double is rounded to single first; none of those here becomes a tie by that.
    """
    (word,) = struct.unpack("<I", struct.pack("<f", x))
    upper = (word + 0x7FFF + (word >> 16 & 1)) >> 16 << 16
    return struct.unpack("<f", struct.pack("<I", upper))[0]


class Narrow:
    """A number that numpy computes with, in a type of its own; `round` takes a float into the format."""

    kind: type
    round: staticmethod

    def __init__(self, value):
        self.value = self.kind(type(self).round(float(value)))

    def of(self, other):
        return other.value if isinstance(other, Narrow) else type(self)(other).value

    def __add__(self, other):
        return type(self)(self.value + self.of(other))

    def __sub__(self, other):
        return type(self)(self.value - self.of(other))

    def __rsub__(self, other):
        return type(self)(self.of(other) - self.value)

    def __mul__(self, other):
        return type(self)(self.value * self.of(other))

    def __truediv__(self, other):
        return type(self)(self.value / self.of(other))

    def __rtruediv__(self, other):
        return type(self)(self.of(other) / self.value)

    def __neg__(self):
        return type(self)(-self.value)

    def __abs__(self):
        return type(self)(abs(self.value))

    def __bool__(self):
        return bool(self.value)

    def __eq__(self, other):
        return self.value == self.of(other)

    def __lt__(self, other):
        return self.value < self.of(other)

    def __le__(self, other):
        return self.value <= self.of(other)

    def __gt__(self, other):
        return self.value > self.of(other)

    def __ge__(self, other):
        return self.value >= self.of(other)

    __radd__, __rmul__, __hash__ = __add__, __mul__, None


class Single(Narrow):
    kind, round = np.float32, staticmethod(float)


class Half(Narrow):
    kind, round = np.float16, staticmethod(float)


class Bfloat16(Narrow):
    """Computed by numpy in single, which has 2 * 8 + 2 bits and more, and rounded."""

    kind, round = np.float32, staticmethod(to_bfloat16)


class Units(Narrow):
    """Fixed point with 20 bits before the point and 16 behind it, by fractions: a value is a fraction."""

    def __init__(self, value):
        scaled = Fraction(value) * 2**16
        low = math.floor(scaled)
        rest = scaled - low
        up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1)
        self.value = Fraction(low + up, 2**16)


class MathOf:
    """The functions of `math` that kernels use."""

    def __init__(self, kind):
        self.sqrt, self.sin, self.cos = (self.made(kind, each) for each in (math.sqrt, math.sin, math.cos))

    @staticmethod
    def made(kind, function):
        return lambda x: kind(function(float(kind(x).value if not isinstance(x, Narrow) else x.value)))


def floats(kind, value):
    """A result as floats; a constant of the kernel is taken into the format."""
    if isinstance(value, tuple):
        return tuple(floats(kind, item) for item in value)
    return float((value if isinstance(value, Narrow) else kind(value)).value)


FORMATS = {"single": Single, "half": Half, "bfloat16": Bfloat16, "fixed:20.16": Units}


def times(draw):
    """What arguments are multiplied by, the first time by nothing; seldom a negative number, since roots are taken."""
    return draw.choice((1.0, 0.3, -0.7, 2.9, 17.0)) if draw else 1.0


@pytest.mark.sampled(3)  # each format with every third kernel, each kernel with a format or two
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("called", own_kernels())
def test_a_kernel_rounds_every_operation(called, name, monkeypatch):
    kernel, kind, form = KERNELS[called], FORMATS[name], load_format(name)
    inside = form.kernel(kernel)
    assert (inside.name, inside.cost) == (kernel.name, kernel.cost)
    for seed in range(4):
        as_given = {"sqrt"} & set(kernel.cost) or called == "inverse_of_factors"  # whose long products would overflow
        draw = random.Random(f"{called} {seed}") if seed and not as_given else None
        # Rotations keep their zeros and ones: only other arguments are scaled.
        factor = (lambda x, draw=draw: x if x in (0.0, 1.0) else x * times(draw)) if draw else float
        given = arguments(called, kernel.function, factor)
        with monkeypatch.context() as patched:
            patched.setattr(sys.modules[kernel.function.__module__], "math", MathOf(kind), raising=False)
            wanted = floats(kind, kernel.function(*(narrowed(kind, each) for each in given)))
        assert bits(inside.function(*given)) == bits(wanted)


def narrowed(kind, value):
    return tuple(narrowed(kind, item) for item in value) if isinstance(value, tuple) else kind(value)


def test_sines_are_those_of_double_rounded():
    """numpy's own sine of a single may differ in the last bit; ours is the nearest to double's."""
    kernel, form = KERNELS["sine_cosine"], load_format("single")
    for angle in np.linspace(-4.0, 4.0, 101):
        taken = float(np.float32(angle))
        sine, cosine = form.kernel(kernel)(angle)
        assert (sine, cosine) == (float(np.float32(math.sin(taken))), float(np.float32(math.cos(taken))))
