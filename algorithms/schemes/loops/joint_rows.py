"""The rows of one cut joint, counted, from what its two ends have.

An end has a value: numbers of which the other end must have the same (its point; in a plane its angle, if the joint is
fixed), and in space the axes that the joint holds, three numbers each. Its rate is that of the same numbers, then its
angular velocity if it has axes; its bias the accelerations, then angular acceleration and velocity; its Jacobian has
rows for the same numbers, then three for turning.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from meshsim.algorithms.kernels.articulated import displace
from meshsim.algorithms.kernels.core import cross, dot, scale, subtract, subtract_vectors
from meshsim.algorithms.kernels.dense import Row, Rows, columns, difference
from meshsim.algorithms.kernels.space import axpy_vector
from meshsim.algorithms.robots.closure import SQUARE
from meshsim.algorithms.robots.cuts import Cut
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu


@dataclass(frozen=True)
class Closure:
    """How a cut joint holds its ends together.

    Attributes
    ----------
    same : int
        How many numbers both ends have in common.
    square : tuple of pairs
        Which of the axes of the first end stays square to which of the second's.
    grounded : bool
        Whether one of the ends does not move.
    """

    same: int
    square: tuple[tuple[int, int], ...] = ()
    grounded: bool = False

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.same + len(self.square)

    def _axes(self, first: Row, second: Row) -> list[tuple[Vector, Vector]]:
        """The pairs of axes that stay perpendicular, row by row."""
        one = _vectors(first[self.same :]), _vectors(second[self.same :])
        return [(one[0][i], one[1][j]) for i, j in self.square]

    def gap(self, cpu: Cpu, first: Row, second: Row) -> list[float]:
        """c, from the values of both ends."""
        apart = difference(cpu, second[: self.same], first[: self.same])
        return [*apart, *(cpu.do(dot, other, one) for one, other in self._axes(first, second))]

    def across(self, cpu: Cpu, first: Row, second: Row) -> list[Vector]:
        """For each pair of axes the direction about which turning of the second end against the first changes c."""
        return [cpu.do(cross, other, one) for one, other in self._axes(first, second)]

    def rate(self, cpu: Cpu, across: Sequence[Vector], first: Row, second: Row) -> list[float]:
        """c', from the rates of both ends."""
        apart = difference(cpu, second[: self.same], first[: self.same])
        if not self.square:
            return apart
        turning = cpu.do(subtract_vectors, _vector(second[self.same :]), _vector(first[self.same :]))
        return [*apart, *(cpu.do(dot, u, turning) for u in across)]

    def bias(self, cpu: Cpu, across: Sequence[Vector], values: Rows, biases: Rows) -> list[float]:
        """A' q', from values and biases of the first and the second end.

        Of axes one and other, that turn at w1 and w2, c = other . one, and u = other x one:
        c'' = u . (w2' - w1' + w2 x w1) - (r x one) . (r x other), where r = w2 - w1.
        """
        first, second = biases
        bias = difference(cpu, second[: self.same], first[: self.same])
        if not self.square:
            return bias
        (wd1, w1), (wd2, w2) = _vectors(first[self.same :]), _vectors(second[self.same :])
        turning, gaining = cpu.do(subtract_vectors, w2, w1), cpu.do(subtract_vectors, wd2, wd1)
        if not self.grounded:
            gaining = cpu.do(displace, gaining, w2, w1)
        for u, (one, other) in zip(across, self._axes(*values), strict=True):
            swept = cpu.do(dot, cpu.do(cross, turning, one), cpu.do(cross, turning, other))
            bias.append(cpu.do(subtract, cpu.do(dot, u, gaining), swept))
        return bias

    def wrench(self, cpu: Cpu, across: Sequence[Vector], forces: Row) -> list[float]:
        """What the second end feels of a force in each row: one for each common number, and a moment if it has axes.

        The first end feels the opposite.
        """
        if not self.square:
            return list(forces)
        about = forces[self.same :]
        moment = cpu.do(scale, about[0], across[0])
        for force, u in zip(about[1:], across[1:], strict=True):
            moment = cpu.do(axpy_vector, force, u, moment)
        return [*forces[: self.same], *moment]

    def rows(self, cpu: Cpu, across: Sequence[Vector], jacobian: Rows) -> list[Row]:
        """How c changes with the joints that carry the second end, from its Jacobian; minus that for the first."""
        turns = [_vector(column) for column in columns(jacobian[self.same :])] if self.square else []
        still = [not any(turn) for turn in turns]  # joints that slide, or that do not carry the end
        return [
            *jacobian[: self.same],
            *([0.0 if off else cpu.do(dot, u, turn) for turn, off in zip(turns, still, strict=True)] for u in across),
        ]


def closure_in_plane(cut: Cut) -> Closure:
    """Points meet, and angles agree if the joint is fixed."""
    return Closure(3 if cut.kind == "fixed" else 2)


def closure_in_space(cut: Cut) -> Closure:
    """Points meet, and axes are perpendicular."""
    first, second = axes_of(cut)
    square = tuple((first.index(i), second.index(j)) for i, j in SQUARE[cut.kind])
    return Closure(3, square, min(cut.first.body, cut.second.body) < 0)


def axes_of(cut: Cut) -> tuple[list[int], list[int]]:
    """Which axes of its anchors a joint in space holds."""
    return sorted({i for i, _ in SQUARE[cut.kind]}), sorted({j for _, j in SQUARE[cut.kind]})


def _vectors(numbers: Row) -> list[Vector]:
    return [_vector(numbers[at : at + 3]) for at in range(0, len(numbers), 3)]


def _vector(numbers: Row) -> Vector:
    x, y, z = numbers
    return x, y, z
