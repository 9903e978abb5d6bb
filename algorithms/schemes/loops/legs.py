"""Legs of a parallel mechanism on sites: their layout, their states, and how they meet at the centre."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from meshsim.algorithms.robots.closure import consistent_rates, following, leading, loops
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.platform import Legs, legs_of
from meshsim.algorithms.schemes.base.effort import Effort
from meshsim.algorithms.schemes.loops.layout import Layout, layout_of
from meshsim.algorithms.schemes.loops.method import Place, by_site, from_sites
from meshsim.algorithms.schemes.loops.space_chain import SpaceEnd
from meshsim.algorithms.types.arrays import Array
from meshsim.program import Cpu, Steps


@dataclass(frozen=True, eq=False)
class LegLayout(Layout):
    """The layout of legs, and the mechanism that they were."""

    legs: Legs

    @property
    def hub(self) -> int | None:
        """None: the centre has the platform's twist, and no leg."""
        return None

    @cached_property
    def tips(self) -> tuple[Any, ...]:
        """The end of each leg, a point of the platform that is the same for all; of axes only their turning matters."""
        ends = [chain.ends[0] for chain in self.chains]
        return tuple(replace(end, axes=(), turns=True) if isinstance(end, SpaceEnd) else end for end in ends)

    def in_chains(self, values: Array) -> Array:
        """Positions of the mechanism's joints as those of the legs'."""
        return self.legs.to_legs(values)

    def rates_in_chains(self, values: Array) -> Array:
        """Rates or accelerations of the joints that the legs still have."""
        return self.legs.kept_in_legs(values)


def leg_layout(mechanism: Mechanism, others: str) -> LegLayout:
    """Cut the platform; `others` are the schemes that could take what is refused."""
    legs = legs_of(mechanism, others)
    layout = layout_of(legs.parts)
    return LegLayout(layout.mechanism, layout.chains, layout.cuts, legs)


# States


def begin(places: Sequence[Place], q: Array, qd: Array) -> list[tuple[float, ...]]:
    """Positions of each leg's joints, rates of those that are actuated."""
    layout = places[0].layout
    positions = by_site(places, layout.in_chains(q).tolist())
    rates = layout.rates_in_chains(qd)
    return [
        (*mine, *(float(rates[joint]) for joint in place.driven)) for place, mine in zip(places, positions, strict=True)
    ]


def finish(places: Sequence[Place], states: Sequence[Sequence[float]]) -> tuple[Array, Array]:
    """Positions and rates of the whole mechanism's joints."""
    layout = places[0].layout
    assert isinstance(layout, LegLayout)
    legs, ns = layout.legs, [place.joints for place in places]
    q = np.array(from_sites(places, [state[:n] for state, n in zip(states, ns, strict=True)]))
    actuated = np.zeros(layout.n)
    for place, state in zip(places, states, strict=True):
        actuated[place.driven] = state[place.joints :]
    qd = consistent_rates(layout.mechanism, q, actuated[list(layout.mechanism.actuated)])
    whole = legs.to_whole(q, np.array(legs.whole.guess))
    return whole, legs.rates_to_whole(whole, qd)


def leg_torques(places: Sequence[Place], tau: Sequence[Effort]) -> list[tuple[Effort, ...]]:
    """Torques of each leg's joints; the joints that were cut have none."""
    layout = places[0].layout
    assert isinstance(layout, LegLayout)
    return by_site(places, [tau[joint] if joint >= 0 else 0.0 for joint in layout.legs.source])


def accelerations(places: Sequence[Place], rates: Sequence[Sequence[float]], q: Array, qd: Array) -> Array:
    """q'' of all joints of the whole from those of its actuated joints, which the sites found."""
    layout = places[0].layout
    assert isinstance(layout, LegLayout)
    whole, source = layout.legs.whole, layout.legs.source
    now = loops(whole, q, qd)
    found = np.zeros(whole.n)
    for place, rate in zip(places, rates, strict=True):
        found[[source[joint] for joint in place.driven]] = rate[place.joints :]
    driven = list(leading(whole))
    return following(now.A, driven, found[driven], now.bias)


def actuated_numbers(place: Place, values: Sequence[float]) -> dict[int, dict[int, float]]:
    """Numbers of a site's actuated joints, in their order, by leg and by joint within it."""
    left = iter(values)
    return {k: {j: next(left) for j in place.layout.actuated(k)} for k in place.chains}


# Exchanges


def exchange(
    cpu: Cpu, place: Place, mine: Sequence[Any], make: Callable[[list[Any]], list[Any]], mark: str
) -> Steps[Any]:
    """The centre gets what each leg sends, in the order of the legs, and makes of it what each site gets.

    `mine` has an entry for each leg of the site; `make` gives one for each site.
    """
    network = place.network
    gathered = yield from network.gather(cpu, place.site, tuple(mine))
    parts: list[Any] = []
    if gathered:
        found = {
            k: sent
            for parties, some in zip(network.parties, gathered, strict=True)
            for k, sent in zip(parties, some, strict=True)
        }
        parts = make([found[k] for k in sorted(found)])
    got = yield from network.scatter(cpu, place.site, parts)
    cpu.phase(mark)
    return got


def by_leg(layout: Layout, values: Sequence[float]) -> list[tuple[float, ...]]:
    """Numbers of all actuated joints, by leg."""
    left = iter(values)
    return [tuple(next(left) for _ in layout.actuated(k)) for k in range(len(layout.chains))]


def for_legs(place: Place, values: Sequence[Any]) -> list[Any]:
    """Of what the centre has for each leg, what each site gets."""
    return [tuple(values[k] for k in parties) for parties in place.network.parties]
