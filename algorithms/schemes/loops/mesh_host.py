"""The loops on the host's processor of the mesh, counted: G, the rates q'_r = G q', and G' q'.  # Wong sec. 6.4.3

The independent rates are those of the leading joints. Rows of G are in the order of the tree's joints.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from meshsim.algorithms.kernels.dense import Row, opposite, times
from meshsim.algorithms.robots.closure import leading
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.loops.independent import Selected
from meshsim.algorithms.schemes.loops.layout import (
    Across,
    Ended,
    Key,
    Layout,
    add_biases,
    add_jacobians,
    directions,
    gap_biases,
    grounded,
    jacobian_rows,
    layout_of,
    reach,
)
from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.program import Cpu


@dataclass
class Constrained:
    """What the host knows of the loops so far: chains, their ends, and the factors of A."""

    placed: dict[int, Any]
    ends: dict[Key, Ended]
    across: Across
    selected: Selected


@dataclass(frozen=True, eq=False)
class LoopHost:
    """What the host knows from the start: the mechanism, the state, and whether rates of all joints are part of it.

    Where they are not (`sent`), `qd` is read at the leading joints alone.
    """

    mechanism: Mechanism
    layout: Layout
    q: tuple[float, ...]
    qd: tuple[float, ...]
    sent: bool

    @classmethod
    def of(cls, mechanism: Mechanism, q: Sequence[float], qd: Sequence[float], sent: bool) -> "LoopHost":
        """The host of a mechanism in a state."""
        return cls(mechanism, layout_of(mechanism), tuple(q), tuple(qd), sent)

    def _of_chain(self, values: Sequence[float], k: int) -> list[float]:
        return [values[joint] for joint in self.mechanism.subsystems[k]]

    def _in_tree(self, values: Sequence[Any]) -> list[Any]:
        """Entries that follow the chains, in the order of the tree."""
        found: list[Any] = [None] * len(values)
        for joint, value in zip(self.mechanism.by_subsystem, values, strict=True):
            found[joint] = value
        return found

    def complement(self, cpu: Cpu) -> tuple[Constrained, list[Row]]:
        """G: the rates of all joints for each actuated one alone.  # Wong eq. 6.7"""
        layout, placed, ends = self.layout, {}, grounded(self.layout)
        for k, chain in enumerate(layout.chains):
            placed[k] = chain.place(cpu, self._of_chain(self.q, k))
            own = reach(cpu, layout, k, placed[k])
            add_jacobians(cpu, layout, k, placed[k], own)
            ends.update(own)
        across = directions(cpu, layout, ends, range(len(layout.cuts)))
        parts = [jacobian_rows(cpu, layout, ends, across, k) for k in range(len(layout.chains))]
        A = [[each for row in rows for each in row] for rows in zip(*parts, strict=True)]
        cpu.phase("constraints")
        independent = tuple(self.mechanism.by_subsystem.index(joint) for joint in leading(self.mechanism))
        selected = Selected.of(cpu, Settings(independent=independent), A)
        G = self._in_tree(selected.complement(cpu))
        cpu.phase("G")
        return Constrained(placed, ends, across, selected), G

    def rates(self, cpu: Cpu, G: Sequence[Row]) -> tuple[float, ...]:
        """q'_r: part of the state, or G q'."""
        if not self.sent:
            return self.qd
        return tuple(times(cpu, G, [self.qd[joint] for joint in leading(self.mechanism)]))  # Wong eq. 6.7

    def drift(self, cpu: Cpu, known: Constrained, qd: Sequence[float]) -> list[float]:
        """G' q': the accelerations of all joints, were no actuated one to accelerate.  # Wong eq. 6.10"""
        layout = self.layout
        for k, chain in enumerate(layout.chains):
            rates = self._of_chain(qd, k)
            chain.move(cpu, known.placed[k], rates)
            chain.drift(cpu, known.placed[k], rates)
            add_biases(cpu, layout, k, known.placed[k], {key: known.ends[key] for key in layout.ends_of(k)})
        bias = gap_biases(cpu, layout, known.ends, known.across)
        drifting = self._in_tree(known.selected.particular(cpu, [opposite(each) for each in bias]))
        cpu.phase("loops")
        return drifting
