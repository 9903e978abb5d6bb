"""Inverse dynamics of mechanisms with loops: torques of the actuated joints for a motion.

A way to compute them, with its layout, is the `inverse` of a scheme (`SiteInversion`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from meshsim.algorithms.collectives.exchange import lay_out
from meshsim.algorithms.reference.loops import actuated_torques, reactions
from meshsim.algorithms.robots.closure import assemble, check_actuation
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.scheme import LOOPS, WRENCHES, Scheme
from meshsim.algorithms.schemes.loops.denoc import RECURSIONS, denoc_torques, layout_for
from meshsim.algorithms.schemes.loops.layout import Layout
from meshsim.algorithms.schemes.loops.method import TREES, Place, Settings, by_site
from meshsim.algorithms.schemes.loops.noc import noc_layout, noc_torques
from meshsim.algorithms.schemes.loops.subsystems import (
    cuts_told_by,
    refuse_redundancy,
    subsystem_layout,
    subsystem_reactions,
    subsystem_torques,
)
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps

Torques = Callable[[Cpu, Place, Sequence[float], Sequence[float], Sequence[float]], Steps[list[float]]]
"""Given positions, rates and accelerations of a site's joints, the torques of those that are actuated."""


@dataclass(frozen=True)
class Inverse:
    """A way to compute torques.

    Attributes
    ----------
    name, summary : str
        What it is called, and what it is.
    layouts : tuple of str
        Where it runs, the default first.
    prepare : callable
        The layout of a mechanism, and settings, given the chosen options.
    torques : Torques
        Its program.
    knows : str
        ``all`` if the motion of all joints is given, ``actuated`` if rates and accelerations of passive ones are found.
    reactions : Torques or None
        Its program that finds what joints exert besides, three numbers for each in a plane, where it knows them.
    """

    name: str
    summary: str
    layouts: tuple[str, ...]
    prepare: Callable[[Mechanism, Mapping[str, str]], tuple[Layout, Settings]]
    torques: Torques
    knows: str
    reactions: Torques | None = None

    def places(self, mechanism: Mechanism, network: str, **options: str) -> list[Place]:
        """What each processor of a layout knows; `options` are those beside the layout."""
        if network not in self.layouts:
            raise MeshSimError(f"{self.name} runs on {' or '.join(self.layouts)}, not on {network!r}")
        layout, settings = self.prepare(mechanism, options)
        net = lay_out(network, len(layout.chains), layout.hub)
        return [Place(layout, net, site, settings) for site in range(len(net.nodes))]

    def plan(
        self,
        mechanism: Mechanism,
        network: str,
        motion: tuple[Array, Array, Array],
        reacting: bool = False,
        **options: str,
    ) -> Plan[Array]:
        """The plan that finds the torques of the actuated joints, in their order, for a motion of all joints.

        `reacting`, three numbers follow for every joint, and for every cut joint.
        """
        places = self.places(mechanism, network, **options)
        layout, nodes = places[0].layout, places[0].network.nodes
        moving = layout.in_chains(motion[0]), *map(layout.rates_in_chains, motion[1:])
        given = [by_site(places, values.tolist()) for values in moving]
        if self.knows == "actuated":
            given[1:] = [[tuple(values[place.driven].tolist()) for place in places] for values in moving[1:]]
        compute = self.reactions if reacting else self.torques
        assert compute is not None

        def program(site: int) -> Callable[[Cpu], Steps[list[float]]]:
            return lambda cpu: compute(cpu, places[site], *(values[site] for values in given))

        def read(results: dict[object, Sequence[float]]) -> Array:
            found: dict[int, float] = {}
            exerted: dict[int, list[float]] = {}
            for place in places:
                numbers = iter(results[nodes[place.site]])
                found.update((joint, next(numbers)) for joint in place.driven)
                if reacting:
                    told = [*place.numbers, *(layout.n + cut for cut in cuts_told_by(place))]
                    exerted.update((each, list(islice(numbers, 3))) for each in told)
            wrenches = [number for _, wrench in sorted(exerted.items()) for number in wrench]
            return np.array([*(found[joint] for joint in layout.mechanism.actuated), *wrenches])

        programs = {node: program(site) for site, node in enumerate(nodes)}
        return Plan(places[0].network.topology, programs, read)  # type: ignore[arg-type]


def _checked_legs(mechanism: Mechanism, options: Mapping[str, str]) -> tuple[Layout, Settings]:
    """Legs whose actuated joints determine the others."""
    check_actuation(mechanism, assemble(mechanism))
    refuse_redundancy("denoc", mechanism)
    settings = Settings(distribution="partly", recursion=options.get("recursion", RECURSIONS[0]))
    return layout_for(mechanism, settings, "noc")


@dataclass(frozen=True, eq=False)
class SiteInversion:
    """Inverse dynamics of a mechanism on a layout; `reacting`, with what joints exert after the torques."""

    mechanism: Mechanism
    inverse: Inverse
    layout: str
    options: Mapping[str, str]
    reacting: bool = False

    def places(self) -> list[Place]:
        """What each processor knows."""
        return self.inverse.places(self.mechanism, self.layout, **self.options)

    def alone(self) -> "SiteInversion":
        """The same on one processor."""
        return replace(self, layout="one")

    @property
    def exerted(self) -> tuple[str, ...]:
        """Forces in the axes of the plane and the moment about its normal."""
        return ("fx", "fy", "m") if self.reacting else ()

    def with_reactions(self) -> "SiteInversion | None":
        """The same with what joints exert; in a plane, and if the way knows."""
        if self.inverse.reactions is None or self.mechanism.plane is None:
            return None
        return replace(self, reacting=True)

    def plan(self, q: Array, qd: Array, qdd: Array) -> Plan[Array]:
        """The plan that finds the torques of the actuated joints, in their order, for a motion of all joints."""
        return self.inverse.plan(self.mechanism, self.layout, (q, qd, qdd), self.reacting, **self.options)

    def reference(self, q: Array, qd: Array, qdd: Array) -> Array:
        """What a dense solver gives."""
        torques = actuated_torques(self.mechanism, q, qd, qdd)
        return np.concatenate([torques, reactions(self.mechanism, q, qd, qdd).ravel()]) if self.reacting else torques


def inversion(inverse: Inverse) -> Callable[[Mechanism, Mapping[str, str]], SiteInversion]:
    """How a scheme lays a way out, which refuses a mechanism that is not for it."""

    def lay(mechanism: Mechanism, options: Mapping[str, str]) -> SiteInversion:
        others = {name: value for name, value in options.items() if name != "layout"}
        found = SiteInversion(mechanism, inverse, options["layout"], others)
        found.places()
        return found

    return lay


def inverse_scheme(inverse: Inverse) -> Scheme:
    """The scheme of a way that has no forward dynamics beside it."""
    return Scheme(
        inverse.name,
        inverse.summary,
        None,
        {"layout": inverse.layouts},
        takes=TREES | {LOOPS, WRENCHES},
        wants=frozenset({LOOPS}),
        inverse=inversion(inverse),
    )


NOC = Inverse(
    "noc",
    "the natural orthogonal complement: dependent rates from the constraints' Jacobian",
    ("one", "star", "complete"),
    lambda mechanism, _options: noc_layout(mechanism),
    noc_torques,
    "actuated",
)
DENOC_INVERSE = Inverse(
    "denoc",
    "the decoupled natural orthogonal complement: legs, and the platform's twist in the centre",
    ("one", "star", "complete"),
    _checked_legs,
    denoc_torques,
    "actuated",
)
SUBSYSTEMS = Inverse(
    "subsystems",
    "determinate subsystems, one after another as the forces of cut joints become known",
    ("one", "complete"),
    lambda mechanism, _options: subsystem_layout(mechanism),
    subsystem_torques,
    "all",
    subsystem_reactions,
)
INVERSES: dict[str, Inverse] = {inverse.name: inverse for inverse in (NOC, DENOC_INVERSE, SUBSYSTEMS)}
