"""SplitMix64, a small random generator that gives the same numbers in every language and version."""

import re

import numpy as np
import numpy.typing as npt

from meshsim.errors import MeshSimError

_MASK = 2**64 - 1
LONGEST = 512
"""The longest chain or system: a mesh for it has 131,841 processors."""


class SplitMix64:
    """The generator of Steele, Lea and Flood (2014), with a 64-bit state.

    Parameters
    ----------
    seed : int
        Start of the sequence, taken modulo 2**64.
    """

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next(self) -> int:
        """Return the next integer from 0 to 2**64 - 1."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def some(self, count: int) -> npt.NDArray[np.uint64]:
        """Return so many integers at once, those that `next` would."""
        gamma = np.uint64(0x9E3779B97F4A7C15)
        z = np.uint64(self._state) + gamma * np.arange(1, count + 1, dtype=np.uint64)
        self._state = (self._state + count * int(gamma)) & _MASK
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

    def uniform(self, lo: float, hi: float) -> float:
        """Return the next number from `lo` up to `hi`, made from the upper 53 bits of `next`."""
        return lo + (hi - lo) * ((self.next() >> 11) * 2.0**-53)


def parse_spec(kind: str, noun: str, text: str) -> tuple[int, int]:
    """Length and seed from ``kind:N:SEED``, the text by which users name a random chain or system."""
    parts = text.split(":")
    if len(parts) != 3:
        raise MeshSimError(f"random {noun} must be {kind}:N:SEED, not {text!r}")
    n, seed = (int(part) if re.fullmatch("-?[0-9]{1,20}", part) else part for part in parts[1:])  # 2**64 has 20 digits
    return check_spec(noun, n, seed)


def check_spec(noun: str, n: object, seed: object) -> tuple[int, int]:
    """Refuse an invalid length or seed."""
    if not isinstance(n, int) or n < 1:
        raise MeshSimError(f"{noun} length must be a positive integer, not {n!r}")
    if n > LONGEST:
        raise MeshSimError(f"{noun} length must be at most {LONGEST}, not {n}")
    if not isinstance(seed, int) or not 0 <= seed <= _MASK:
        raise MeshSimError(f"{noun} seed must be an integer from 0 to 2**64 - 1, not {seed!r}")
    return n, seed
