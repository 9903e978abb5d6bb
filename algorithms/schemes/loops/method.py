"""Methods for mechanisms with loops: how states are laid out over processors, and how each finds its rates.

A method with its options is a scheme like any other (`loop_scheme`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from meshsim.algorithms.collectives.exchange import Network, lay_out
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.reference.loops import constrained_dynamics
from meshsim.algorithms.robots.closure import check_rank
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import CLOSED_LOOPS, Opening, State
from meshsim.algorithms.schemes.base.effort import Effort
from meshsim.algorithms.schemes.base.scheme import LOOPS, WRENCHES, Number, Option, Scheme
from meshsim.algorithms.schemes.loops.layout import Layout, layout_of
from meshsim.algorithms.types.arrays import Array, check_finite
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps

T = TypeVar("T")
DISTRIBUTIONS = ("full", "partly", "held")
"""``full``: states are exchanged in every evaluation, and what depends on all is computed by every processor.
``partly``: each computes its own part, and values are exchanged within an evaluation. ``held``: as ``full``, but states
are exchanged once a time step; through its stages others' are held as they were. One evaluation is that of ``full``."""


@dataclass(frozen=True)
class Settings:
    """The settings of a method.

    Attributes
    ----------
    k, d : float
        Stiffness and damping of the springs that stand for cut joints (N/m, N s/m).
    sigma : float
        Rate at which violated constraints decay, 1/s.
    technique : str
        How the independent rates of a projection are chosen.
    distribution : str
        One of `DISTRIBUTIONS`.
    recursion : str
        How the decoupled natural orthogonal complement is computed.
    basis : tuple of rows
        Filled in by the projection: the independent rates as combinations of all.
    independent : tuple of int
        Filled in by the projection, where they are rates of some joints themselves.
    """

    k: float = 1e5
    d: float = 0.0
    sigma: float = 10.0
    technique: str = "gauss"
    distribution: str = "full"
    recursion: str = "composite"
    basis: tuple[tuple[float, ...], ...] = ()
    independent: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Place:
    """What the processor of a site knows: everything but the states of others.

    `met` is what it found of others when states were last exchanged, while they are held; None where each evaluation
    exchanges.
    """

    layout: Layout
    network: Network
    site: int
    settings: Settings
    met: Any = None

    @property
    def chains(self) -> tuple[int, ...]:
        """The chains that live here."""
        return self.network.parties[self.site]

    @property
    def numbers(self) -> list[int]:
        """The joints that live here, as the layout's mechanism numbers them."""
        return [joint for k in self.chains for joint in self.layout.mechanism.subsystems[k]]

    @property
    def driven(self) -> list[int]:
        """Those of them that are actuated."""
        return [self.layout.mechanism.subsystems[k][j] for k in self.chains for j in self.layout.actuated(k)]

    @property
    def joints(self) -> int:
        """How many joints live here."""
        return self.joints_at(self.site)

    def joints_at(self, site: int) -> int:
        """How many joints live at a site."""
        return sum(self.layout.chains[k].n for k in self.network.parties[site])

    def by_chain(self, values: Sequence[Any], site: int | None = None) -> dict[int, Sequence[Any]]:
        """Numbers of a site's joints, split by chain; trailing entries are ignored."""
        parts, at = {}, 0
        for k in self.network.parties[self.site if site is None else site]:
            n = self.layout.chains[k].n
            parts[k] = values[at : at + n]
            at += n
        return parts


def kept_closed(mechanism: Mechanism, _settings: Settings, q: Array, qd: Array, tau: Array) -> Array:
    """Accelerations that keep the loops closed, by a dense solution."""
    return constrained_dynamics(mechanism, q, qd, tau)[0]


Rates = Callable[[Cpu, Place, Sequence[float], Sequence[Effort]], Steps[list[float]]]
"""Given a site's state and what drives its joints, how fast the state changes."""
Meeting = Callable[[Cpu, Place, Sequence[float]], Steps[Any]]
"""Given a site's state: exchange it for those of the others, and find what follows from theirs alone (`Place.met`)."""


@dataclass(frozen=True)
class Method:
    """A way to compute the motion of a closed mechanism.

    Attributes
    ----------
    name, summary : str
        What it is called, and what it is.
    layouts, distributions : tuple of str
        Where and how it runs, the default first.
    rates : Rates
        Its program.
    begin : callable
        The states of all sites, from positions and rates of all joints.
    finish : callable
        The positions and rates of all joints, from the states of all sites.
    prepare : callable
        The layout and the settings for a mechanism in a position.
    torques : callable
        The torques of each site's joints, from those of the mechanism's.
    meet : Meeting or None
        How sites exchange their states, where others' can be held.
    keeps_all_rates : bool
        Whether sites keep, besides their joints' positions, independent rates of the whole mechanism.
    winds : bool
        Whether it finds dependent joints from the independent ones: their angles but for full turns, and loops
        assembled as they were at first.
    wants_restart : callable or None
        Whether what is integrated should be chosen anew, given the constraints' Jacobian.
    relies_on : callable
        The joints that must determine all others, so that it fails where they do not; none for methods that choose.
    closes : bool
        Whether the forces of cut joints are solved for, so that loops must be regular; springs need not.
    reference : callable
        The accelerations by a dense solution of the equations that it solves.
    accelerations : callable or None
        Those of all joints, from the rates of all sites' states at a position and rates; None where they are part of
        the rates.
    opening : callable
        Whether loops may be open at the start, with these settings.
    options : mapping of str to Option
        What may be set besides layout and distribution.
    """

    name: str
    summary: str
    layouts: tuple[str, ...]
    distributions: tuple[str, ...]
    rates: Rates
    begin: Callable[[Sequence[Place], Array, Array], list[tuple[float, ...]]]
    finish: Callable[[Sequence[Place], Sequence[Sequence[float]]], tuple[Array, Array]]
    prepare: Callable[[Mechanism, Settings, Array], tuple[Layout, Settings]] = field(
        default=lambda mechanism, settings, _q: (layout_of(mechanism), settings)
    )
    torques: Callable[[Sequence[Place], Sequence[Effort]], list[tuple[Effort, ...]]] = field(
        default=lambda places, tau: by_site(places, tau)
    )
    meet: Meeting | None = None
    keeps_all_rates: bool = False
    winds: bool = False
    wants_restart: Callable[[Sequence[Place], Array], bool] | None = None
    relies_on: Callable[[Mechanism], tuple[int, ...]] = field(default=lambda _mechanism: ())
    closes: bool = True
    reference: Callable[[Mechanism, Settings, Array, Array, Array], Array] = kept_closed
    accelerations: Callable[[Sequence[Place], Sequence[Sequence[float]], Array, Array], Array] | None = None
    opening: Callable[[Settings], Opening] = field(default=lambda _settings: CLOSED_LOOPS)
    options: Mapping[str, Option] = field(default_factory=dict)

    def own_entries(self, place: Place, size: int) -> range:
        """The entries of a site's state of so many that are its own: rates that all sites keep are the master's."""
        copied = self.keeps_all_rates and place.settings.distribution == "partly"
        return range(place.joints if copied and place.site != place.network.master else size)

    def places(self, mechanism: Mechanism, network: str, settings: Settings, q: Array) -> list[Place]:
        """What each processor of a layout knows."""
        if network not in self.layouts:
            raise MeshSimError(f"{self.name} runs on {' or '.join(self.layouts)}, not on {network!r}")
        if network != "one" and settings.distribution not in self.distributions:
            raise MeshSimError(
                f"{self.name} is distributed {' or '.join(self.distributions)}, not {settings.distribution!r}"
            )
        layout, settings = self.prepare(mechanism, settings, q)
        net = lay_out(network, len(layout.chains), layout.hub)
        if network == "one":
            settings = replace(settings, distribution="full")
        return [Place(layout, net, site, settings) for site in range(len(net.nodes))]


def regular_layout(mechanism: Mechanism, settings: Settings, q: Array) -> tuple[Layout, Settings]:
    """The layout of a mechanism whose constraints are independent, as methods need that solve for their forces."""
    check_rank(mechanism, q)
    return layout_of(mechanism), settings


def by_site(places: Sequence[Place], values: Sequence[T]) -> list[tuple[T, ...]]:
    """Numbers of all joints of the layout, by site."""
    return [tuple(values[joint] for joint in place.numbers) for place in places]


def from_sites(places: Sequence[Place], parts: Sequence[Sequence[float]]) -> list[float]:
    """The other way: numbers of all joints of the layout, from those of each site's."""
    values = [0.0] * places[0].layout.n
    for place, part in zip(places, parts, strict=True):
        for joint, value in zip(place.numbers, part, strict=True):
            values[joint] = value
    return values


def evaluation(
    method: Method,
    places: Sequence[Place],
    states: Sequence[Sequence[float]],
    torques: Sequence[Sequence[Effort]],
    held: Sequence[Sequence[float]] | None = None,
) -> Plan[list[list[float]]]:
    """The plan of one evaluation: the rates of every site's state, others' being as in `held` if that is given."""
    network = places[0].network

    def program(cpu: Cpu, site: int) -> Steps[list[float]]:
        place = places[site]
        if held is not None:
            place = yield from meeting(cpu, method, place, held[site])
        return (yield from method.rates(cpu, place, states[site], torques[site]))

    programs = {node: partial(program, site=site) for site, node in enumerate(network.nodes)}
    return Plan(network.topology, programs, lambda results: [results[node] for node in network.nodes])


def meeting(cpu: Cpu, method: Method, place: Place, y: Sequence[float]) -> Steps[Place]:
    """Exchange states; the place, knowing of the others what it now holds."""
    assert method.meet is not None
    return replace(place, met=(yield from method.meet(cpu, place, y)))


# Schemes


@dataclass(frozen=True, eq=False)
class SiteEvaluation:
    """A method on a layout: each site finds how fast its own state changes."""

    mechanism: Mechanism
    method: Method
    settings: Settings
    layout: str

    def places(self, q: Array) -> list[Place]:
        """What each processor knows, for a position."""
        return self.method.places(self.mechanism, self.layout, self.settings, q)

    @property
    def opening(self) -> Opening:
        """Whether loops may be open at the start."""
        return self.method.opening(self.settings)

    @property
    def holds(self) -> bool:
        """Whether sites hold what they know of others through a time step; a chain alone knows of none."""
        apart = self.layout != "one" and len(self.mechanism.subsystems) > 1
        return apart and self.settings.distribution == "held"

    def alone(self) -> "SiteEvaluation":
        """The same on one processor."""
        return replace(self, layout="one")

    def plan(self, state: State, efforts: Sequence[Effort] | None = None) -> Plan[Dynamics]:
        """The plan of one evaluation in a state; the accelerations are read off the rates of all sites' states.

        `efforts` drive the joints in place of the state's torques.
        """
        q, qd = np.array(state.q), np.array(state.qd)
        places, method = self.places(q), self.method
        driven = state.tau if efforts is None else efforts
        made = evaluation(method, places, method.begin(places, q, qd), method.torques(places, driven))

        def read(results: Mapping[Any, Any]) -> Dynamics:
            rates = made.read(results)
            if method.accelerations is None:
                return Dynamics(None, None, method.finish(places, rates)[1])
            return Dynamics(None, None, method.accelerations(places, rates, q, qd))

        return Plan(made.topology, made.programs, read)

    def reference(self, state: State) -> Dynamics:
        """The accelerations by a dense solution of the same equations."""
        q, qd, tau = (np.array(values) for values in (state.q, state.qd, state.tau))
        with np.errstate(all="ignore"):
            qdd = self.method.reference(self.mechanism, self.settings, q, qd, tau)
        check_finite(f"of {self.mechanism.name!r} in this state", qdd=qdd)
        return Dynamics(None, None, qdd)


TREES = frozenset({"branching joints", "prismatic joints"})
"""What a spanning tree may have."""


def loop_scheme(method: Method, inverse: Any = None) -> Scheme:
    """The scheme of a method; `inverse` is how it computes inverse dynamics, if it does."""

    def make(mechanism: Mechanism, options: Mapping[str, str]) -> SiteEvaluation:
        found: dict[str, Any] = {
            name: float(options[name]) if isinstance(option, Number) else options[name]
            for name, option in method.options.items()
        }
        settings = Settings(**found, distribution=options.get("distribution", method.distributions[0]))
        return SiteEvaluation(mechanism, method, settings, options["layout"])

    spread_out = {"distribution": method.distributions} if len(method.distributions) > 1 else {}
    return Scheme(
        method.name,
        method.summary,
        make,
        {"layout": method.layouts, **spread_out, **method.options},
        takes=TREES | {LOOPS, WRENCHES},
        wants=frozenset({LOOPS}),
        inverse=inverse,
    )
