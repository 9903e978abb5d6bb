"""Direct elimination of dependent coordinates: an equation of motion for the independent joints alone.

The constraints give the positions of all other joints in closed form (`dyads.py`), and so their rates and
accelerations, q' = S v and q'' = S v' + gamma. What is left are Lagrange's equations of the second kind,
S^T M S v' = S^T (tau - h - M gamma), whose loops cannot open.  # Khan sec. 1.1.1.1, KTK sec. 7.1

The actuated joints are the independent ones, as the four-bar's crank is, unless loops do not close by triangles from
them: then those of the platform are, or others. Rates follow in the same order, two of them at a time.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from meshsim.algorithms.kernels.core import ratio
from meshsim.algorithms.kernels.dense import Row, Rows, opposite, sum_of, times
from meshsim.algorithms.kernels.plane import Pair, cross_pairs, solve_pair
from meshsim.algorithms.robots.closure import check_rank, following, leading, loops, nearest
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.effort import Effort, Regulated, regulated
from meshsim.algorithms.schemes.loops.dyads import Dyad, Link, Positions, Recipe, assembled, recipe_of
from meshsim.algorithms.schemes.loops.layout import (
    Layout,
    add_jacobians,
    gap_biases,
    jacobian_rows,
    layout_of,
)
from meshsim.algorithms.schemes.loops.method import Method, Place, Settings
from meshsim.algorithms.schemes.loops.projection import Known, moved, rows_of, solved_by_all
from meshsim.algorithms.types.arrays import Array
from meshsim.counted import Uncounted
from meshsim.errors import MeshSimError
from meshsim.program import Cpu, Steps


@dataclass(frozen=True, eq=False)
class TriangleLayout(Layout):
    """A layout whose loops close by triangles: its independent joints, and how the others follow."""

    independent: tuple[Link, ...]
    recipe: Recipe

    def number(self, link: Link) -> int:
        """A joint's number among those of all chains."""
        return sum(chain.n for chain in self.chains[: link[0]]) + link[1]

    def joint(self, link: Link) -> int:
        """A joint's number in the mechanism."""
        return self.mechanism.subsystems[link[0]][link[1]]

    @property
    def dyads(self) -> list[Dyad]:
        """Those of its recipe, in order."""
        return [step for step in self.recipe if isinstance(step, Dyad)]

    def movers(self, dyad: Dyad) -> list[int]:
        """The joints, numbered as those of all chains are, that move a dyad's ends besides its own two."""
        found: set[int] = set()
        for place in self.cuts[dyad.cut]:
            body = place.end.body if place.chain >= 0 else -1  # type: ignore[attr-defined]
            while body >= 0:
                found ^= {self.number((place.chain, body))}  # what carries both ends moves neither against the other
                body = self.chains[place.chain].bodies[body].parent
        return sorted(found - {self.number(dyad.first), self.number(dyad.second)})


def elimination_rates(cpu: Cpu, place: Place, y: Sequence[float], tau: Sequence[Effort]) -> Steps[list[float]]:
    """Positions and rates of the independent joints; no ports."""
    layout = place.layout
    assert isinstance(layout, TriangleLayout)
    freedoms = len(layout.independent)
    v = y[freedoms:]
    given = dict(zip(layout.independent, y, strict=False))
    positions = Positions.of(cpu, layout, layout.recipe, given)
    known: dict[int, Known] = {}
    for k in range(len(layout.chains)):
        own = {key: positions.reach(cpu, key) for key in layout.ends_of(k)}
        add_jacobians(cpu, layout, k, positions.at[k], own)
        known[k] = Known(positions.at[k], own)
    cpu.phase("positions")
    dependence = Dependence.of(cpu, layout, positions)
    S = dependence.complement(cpu)
    qd = times(cpu, S, v)
    for k in sorted(known):
        known[k].S, known[k].qd = rows_of(layout, S, k), rows_of(layout, qd, k)
        known[k].M = layout.chains[k].inertia(cpu, known[k].at)
        moved(cpu, layout, k, known[k])
    ends = {key: positions.reach(cpu, key) for key in [*positions.ends, *layout.ends_of(-1)]}
    gamma = dependence.particular(cpu, gap_biases(cpu, layout, ends, dict.fromkeys(range(len(layout.cuts)), ())))
    torques = {k: _torques(cpu, layout, k, efforts, given, known[k].qd) for k, efforts in place.by_chain(tau).items()}
    vd = solved_by_all(cpu, place, known, gamma, torques)
    cpu.phase("solve")
    yield cpu.par()  # a program is a generator, even one that meets nobody
    return [*v, *vd]


def _torques(
    cpu: Cpu, layout: TriangleLayout, k: int, efforts: Sequence[Effort], given: Mapping[Link, float], qd: Row
) -> list[float]:
    """Torques of a chain's joints; of a dependent joint the sine and cosine are known, and no angle to feed back."""
    for i, effort in enumerate(efforts):
        if isinstance(effort, Regulated) and (k, i) not in given:
            names = ", ".join(repr(layout.mechanism.joints[layout.joint(link)]) for link in layout.independent)
            raise MeshSimError(
                f"elimination takes feedback of its independent joints ({names}), and "
                f"{layout.mechanism.joints[layout.joint((k, i))]!r} is none; projection could take it"
            )
    return regulated(cpu, efforts, [given.get((k, i), 0.0) for i in range(len(efforts))], qd)


@dataclass
class Dependence:
    """How dependent rates follow from independent ones: two equations for the two of each dyad, one after another."""

    layout: TriangleLayout
    A: Rows
    inverse: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, cpu: Cpu, layout: TriangleLayout, positions: Positions) -> "Dependence":
        """Find the determinant of each dyad's equations; the ends' Jacobians must be known."""
        across: dict[int, list[tuple[float, float, float]]] = {cut: [] for cut in range(len(layout.cuts))}
        parts = [jacobian_rows(cpu, layout, positions.ends, across, k) for k in range(len(layout.chains))]
        made = cls(layout, [[each for row in rows for each in row] for rows in zip(*parts, strict=True)])
        for dyad in layout.dyads:
            determinant = cpu.do(cross_pairs, *made._columns(dyad))
            if determinant == 0.0:
                raise MeshSimError(f"the loop through {layout.mechanism.cuts[dyad.cut].name!r} is stretched out")
            made.inverse.append(cpu.do(ratio, 1.0, determinant))
        return made

    def _own(self, dyad: Dyad) -> tuple[int, int]:
        return self.layout.number(dyad.first), self.layout.number(dyad.second)

    def _columns(self, dyad: Dyad) -> tuple[Pair, Pair]:
        """How each of its own two joints moves a dyad's ends apart."""
        (a, b), (c, d) = ([row[j] for j in self._own(dyad)] for row in self._rows(dyad))
        return (a, c), (b, d)

    def _rows(self, dyad: Dyad) -> Rows:
        first, last = self.layout.rows[dyad.cut]
        return self.A[first:last]

    def complement(self, cpu: Cpu) -> list[list[float]]:
        """S: the rates of all joints for each independent one alone."""
        S = [[0.0] * len(self.layout.independent) for _ in range(self.layout.n)]
        for column, link in enumerate(self.layout.independent):
            alone = self.layout.number(link)
            moving: dict[int, float] = {}
            for dyad, inverse in zip(self.layout.dyads, self.inverse, strict=True):
                direct = alone in self.layout.movers(dyad)
                pulled = self._pulled(cpu, dyad, moving, [row[alone] for row in self._rows(dyad)] if direct else [])
                if pulled:
                    moving.update(self._follow(cpu, dyad, inverse, pulled))
            S[alone][column] = 1.0
            for j, rate in moving.items():
                S[j][column] = rate
        return S

    def particular(self, cpu: Cpu, bias: Row) -> list[float]:
        """The accelerations of all joints if no independent one accelerates; `bias` is A' q'."""
        moving: dict[int, float] = {}
        for dyad, inverse in zip(self.layout.dyads, self.inverse, strict=True):
            pulled = self._pulled(cpu, dyad, moving, bias[slice(*self.layout.rows[dyad.cut])])
            moving.update(self._follow(cpu, dyad, inverse, pulled))
        return [moving.get(j, 0.0) for j in range(self.layout.n)]

    def _follow(self, cpu: Cpu, dyad: Dyad, inverse: float, pulled: Row) -> dict[int, float]:
        """How a dyad's two joints move to keep its ends together."""
        x, y = (opposite(each) for each in pulled)
        found = cpu.do(solve_pair, *self._columns(dyad), inverse, (x, y))
        return dict(zip(self._own(dyad), found, strict=True))

    def _pulled(self, cpu: Cpu, dyad: Dyad, moving: Mapping[int, float], direct: Row) -> list[float]:
        """How a dyad's ends move apart by dependent joints that move already, and by `direct`; empty if they do not."""
        by = [j for j in self.layout.movers(dyad) if j in moving]
        if not by:
            return list(direct)
        carried = times(cpu, [[row[j] for j in by] for row in self._rows(dyad)], [moving[j] for j in by])
        return sum_of(cpu, carried, direct) if direct else carried


# States


@lru_cache(maxsize=64)
def _choice(mechanism: Mechanism) -> TriangleLayout:
    """The independent joints of a mechanism, and how the others follow, whichever way it is assembled."""
    if mechanism.plane is None:
        raise MeshSimError(
            f"elimination takes mechanisms in a plane, and {mechanism.name} is not in one; projection could take it"
        )
    layout = layout_of(mechanism)
    places = {joint: (k, i) for k, joints in enumerate(mechanism.subsystems) for i, joint in enumerate(joints)}
    driven, hub = leading(mechanism), () if mechanism.hub is None else mechanism.subsystems[mechanism.hub]
    found = recipe_of(layout, [sorted(places[joint] for joint in joints) for joints in (driven, hub)])
    if found is None:
        raise MeshSimError(
            f"elimination takes loops that close by one triangle after another, and those of {mechanism.name} do not; "
            "projection could take it"
        )
    return TriangleLayout(mechanism, layout.chains, layout.cuts, *found)


def independent_of(mechanism: Mechanism) -> tuple[int, ...]:
    """The joints that are integrated."""
    layout = _choice(mechanism)
    return tuple(map(layout.joint, layout.independent))


def prepare(mechanism: Mechanism, settings: Settings, q: Array) -> tuple[TriangleLayout, Settings]:
    """How the loops close, near a position."""
    check_rank(mechanism, q)
    layout = _choice(mechanism)
    recipe = assembled(layout, layout.recipe, [q[list(joints)].tolist() for joints in mechanism.subsystems])
    return TriangleLayout(mechanism, layout.chains, layout.cuts, layout.independent, recipe), settings


def begin(places: Sequence[Place], q: Array, qd: Array) -> list[tuple[float, ...]]:
    """Positions and rates of the independent joints."""
    chosen = list(independent_of(places[0].layout.mechanism))
    return [(*q[chosen].tolist(), *qd[chosen].tolist())]


def finish(places: Sequence[Place], states: Sequence[Sequence[float]]) -> tuple[Array, Array]:
    """Positions and rates of all joints; angles are within half a turn of those of the mechanism's guess."""
    layout, state = places[0].layout, states[0]
    assert isinstance(layout, TriangleLayout)
    mechanism, freedoms = layout.mechanism, len(layout.independent)
    cpu: Cpu = Uncounted()  # type: ignore[assignment]
    positions = Positions.of(cpu, layout, layout.recipe, dict(zip(layout.independent, state, strict=False)))
    q = np.array(mechanism.guess)
    for k, chain in enumerate(layout.chains):
        turns = [math.atan2(*turn) for turn in positions.at[k].turn]
        for i, body in enumerate(chain.bodies):
            if body.slides:
                value = positions.slid.get((k, i), 0.0)
            else:
                turned = turns[i] - (turns[body.parent] if body.parent >= 0 else 0.0)
                value = float(nearest(-turned if body.backwards else turned, q[layout.joint((k, i))]))
            q[layout.joint((k, i))] = value
    chosen = list(map(layout.joint, layout.independent))
    q[chosen] = state[:freedoms]
    still = loops(mechanism, q, np.zeros(mechanism.n))
    return q, following(still.A, chosen, np.array(state[freedoms:]), still.bias)


def accelerations(places: Sequence[Place], rates: Sequence[Sequence[float]], q: Array, qd: Array) -> Array:
    """q'' of all joints from those of the independent ones."""
    mechanism = places[0].layout.mechanism
    chosen = list(independent_of(mechanism))
    now = loops(mechanism, q, qd)
    return following(now.A, chosen, np.array(rates[0][len(chosen) :]), now.bias)


ELIMINATION = Method(
    "elimination",
    "dependent coordinates by triangles, so that only independent ones are integrated: the documents' benchmark",
    ("one",),
    ("full",),
    elimination_rates,
    begin,
    finish,
    prepare,
    winds=True,
    relies_on=independent_of,
    accelerations=accelerations,
)
