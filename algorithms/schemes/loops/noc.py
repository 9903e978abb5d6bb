"""Inverse dynamics by the natural orthogonal complement: legs on nodes, constraints in the master.  # Kordjazi sec. 4

q' = L q'_a with L = [1; -Phi_u^-1 Phi_a] (eqs 8, 9). With q'' found likewise, each chain has the torques that its own
bodies would take, M q'' + h, and the actuated joints' are L^T times these (eqs 12 to 15, T^T = L^T K^T).

Where more joints are actuated than there are freedoms, L_a = [1; R] are the rows of L that they have. All torques with
L_a^T tau = b, which L^T times the others gives, move the mechanism alike; those of the least squares are L_a x with
(1 + R^T R) x = b.
"""

from collections.abc import Sequence
from typing import Any

from meshsim.algorithms.kernels.core import add
from meshsim.algorithms.kernels.dense import Row, columns, full, inner, opposite, sum_of, times
from meshsim.algorithms.robots.closure import assemble, check_actuation, leading
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.loops.independent import Selected
from meshsim.algorithms.schemes.loops.layout import Layout, gap_biases, layout_of
from meshsim.algorithms.schemes.loops.method import Place, Settings
from meshsim.algorithms.schemes.loops.projection import Constraints, constraints_of_master, located, moved, rows_of
from meshsim.algorithms.solvers.ldl import solve_ldl
from meshsim.program import Cpu, Steps


def noc_layout(mechanism: Mechanism) -> tuple[Layout, Settings]:
    """The chains, and the leading joints as independent ones, numbered as the chains have them."""
    check_actuation(mechanism, assemble(mechanism))
    order = mechanism.by_subsystem
    return layout_of(mechanism), Settings(independent=tuple(sorted(order.index(joint) for joint in leading(mechanism))))


def noc_torques(
    cpu: Cpu, place: Place, q: Sequence[float], rates: Sequence[float], accelerations: Sequence[float]
) -> Steps[list[float]]:
    """Torques of a site's actuated joints, given how they move; positions are of all its joints."""
    layout, network = place.layout, place.network
    driven = [joint for k in place.chains for joint in _actuated(place, k)]
    rates, accelerations = (
        [value for joint, value in zip(driven, values, strict=True) if joint in place.settings.independent]
        for values in (rates, accelerations)
    )
    at = place.by_chain(q)
    known = {k: located(cpu, layout, k, at[k]) for k in place.chains}
    ends = tuple((end.value, tuple(map(tuple, end.rows))) for k in place.chains for end in known[k].ends.values())
    gathered = yield from network.gather(cpu, place.site, (ends, tuple(rates), tuple(accelerations)))
    master = _Master.of(cpu, place, gathered) if gathered else None
    got = yield from network.scatter(cpu, place.site, master.rates(cpu) if master else ())
    cpu.phase("exchange 1")
    biases = []
    for k, qd in zip(place.chains, got, strict=True):
        known[k].qd = qd
        moved(cpu, layout, k, known[k])
        biases.append(tuple(end.bias for end in known[k].ends.values()))
    gathered = yield from network.gather(cpu, place.site, tuple(biases))
    got = yield from network.scatter(cpu, place.site, master.accelerations(cpu, gathered) if master else ())
    cpu.phase("exchange 2")
    taken = []
    for k, qdd in zip(place.chains, got, strict=True):
        M = full(layout.chains[k].inertia(cpu, known[k].at))
        taken.append(tuple(sum_of(cpu, times(cpu, M, qdd), layout.chains[k].force(cpu, known[k].at))))
    gathered = yield from network.gather(cpu, place.site, tuple(taken))
    torques = yield from network.scatter(cpu, place.site, master.torques(cpu, gathered) if master else ())
    cpu.phase("exchange 3")
    return list(torques)


class _Master:
    """The master's computation for all chains."""

    def __init__(self, place: Place, constraints: Constraints, L: Any, moving: tuple[list[float], list[float]]) -> None:
        self.place, self.constraints, self.L = place, constraints, L
        self.driven = moving  # rates and accelerations of the independent joints

    @classmethod
    def of(cls, cpu: Cpu, place: Place, gathered: Sequence[Any]) -> "_Master":
        """From what the sites sent."""
        constraints = constraints_of_master(cpu, place, [sent[0] for sent in gathered])
        found: tuple[dict[int, float], dict[int, float]] = ({}, {})
        for parties, sent in zip(place.network.parties, gathered, strict=True):
            joints = [joint for k in parties for joint in _independent(place, k)]
            for values, numbers in zip(found, sent[1:], strict=True):
                values.update(zip(joints, numbers, strict=True))
        order = place.settings.independent
        moving = [found[0][joint] for joint in order], [found[1][joint] for joint in order]
        return cls(place, constraints, constraints.selected.complement(cpu), moving)

    @property
    def selected(self) -> Selected:
        """The factored constraints."""
        return self.constraints.selected

    def by_site(self, values: Sequence[float]) -> list[tuple[Any, ...]]:
        """Numbers of all joints, by site and chain."""
        layout = self.place.layout
        return [tuple(tuple(rows_of(layout, values, k)) for k in parties) for parties in self.place.network.parties]

    def rates(self, cpu: Cpu) -> list[tuple[Any, ...]]:
        """Those of all joints."""  # Kordjazi eq. 8
        return self.by_site(times(cpu, self.L, self.driven[0]))

    def accelerations(self, cpu: Cpu, gathered: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Those of all joints; the sites sent their ends' biases."""
        place, ends = self.place, self.constraints.ends
        for parties, sent in zip(place.network.parties, gathered, strict=True):
            for k, biases in zip(parties, sent, strict=True):
                for key, bias in zip(place.layout.ends_of(k), biases, strict=True):
                    ends[key].bias = bias
        bias = gap_biases(cpu, place.layout, ends, self.constraints.across)
        lowest = self.selected.particular(cpu, [opposite(each) for each in bias])
        return self.by_site(sum_of(cpu, times(cpu, self.L, self.driven[1]), lowest))

    def torques(self, cpu: Cpu, gathered: Sequence[Any]) -> list[tuple[float, ...]]:
        """Those of the actuated joints, by site; the sites sent what their joints would take."""
        place = self.place
        felt: dict[int, Sequence[float]] = {}
        for parties, sent in zip(place.network.parties, gathered, strict=True):
            felt.update(zip(parties, sent, strict=True))
        every = [each for k in sorted(felt) for each in felt[k]]
        found = self._shared(cpu, times(cpu, columns(self.L), every))
        return [
            tuple(found[joint] for k in parties for joint in _actuated(place, k)) for parties in place.network.parties
        ]

    def _shared(self, cpu: Cpu, b: Row) -> dict[int, float]:
        """The torques of all actuated joints, from those that the independent ones would need alone."""
        place = self.place
        independent = place.settings.independent
        every = [joint for k in range(len(place.layout.chains)) for joint in _actuated(place, k)]
        others = [joint for joint in every if joint not in independent]
        if not others:
            return dict(zip(independent, b, strict=True))
        R = [self.L[joint] for joint in others]
        across = columns(R)
        squares = [[inner(cpu, across[i], across[j]) for j in range(i + 1)] for i in range(len(b))]
        for i, row in enumerate(squares):
            row[i] = cpu.do(add, 1.0, row[i])
        x = solve_ldl(cpu, squares, b)
        return dict(zip([*independent, *others], [*x, *times(cpu, R, x)], strict=True))


def _independent(place: Place, k: int) -> list[int]:
    """The independent joints of a chain, numbered as those of all chains are."""
    return [joint for joint in _numbers(place, k) if joint in place.settings.independent]


def _actuated(place: Place, k: int) -> list[int]:
    """Likewise, its actuated ones."""
    numbers = _numbers(place, k)
    return [numbers[i] for i in place.layout.actuated(k)]


def _numbers(place: Place, k: int) -> range:
    layout = place.layout
    first = sum(chain.n for chain in layout.chains[:k])
    return range(first, first + layout.chains[k].n)
