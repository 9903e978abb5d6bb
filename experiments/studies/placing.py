"""A placement looked at: what each processor has to do, what each wire carries, and how long it takes."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.where import AUTO, OWN_NETWORK, Where
from meshsim.machine import Machine
from meshsim.network import Link, Network
from meshsim.outcome import Run
from meshsim.placement import Placement
from meshsim.placement_report import PlacementReport, placement_report
from meshsim.plan import Plan
from meshsim.trace import label

if TYPE_CHECKING:
    from meshsim.auto_placement import Candidate


@dataclass(frozen=True)
class Carried:
    """What a wire carries.

    Attributes
    ----------
    name : str
        A link's two ends, or the name of a bus.
    links : tuple of Link
        The directed links that it is.
    messages, words : int
        What crosses it.
    ticks : int or None
        How long it is busy; None if nothing was run, or where words cost nothing.
    conflicts, waited : int or None
        Messages that found it busy, and how many ticks they waited in all; likewise.
    """

    name: str
    links: tuple[Link, ...]
    messages: int
    words: int
    ticks: int | None = None
    conflicts: int | None = None
    waited: int | None = None


@dataclass(frozen=True, eq=False)
class Look:
    """What there is to see of a placement.

    Attributes
    ----------
    plan : Plan
        The placed plan.
    machine : Machine
        What kernels and words cost.
    how : str
        What the placement is called: a name, a file, `OWN_NETWORK`, or nothing if it was told program by program.
    report : PlacementReport
        Work, words and distances, by routes.
    candidates : tuple of Candidate
        Where it was found by `auto`: the placements that were simulated.
    run : Run or None
        The placed plan's run; None if it was not asked for.
    alone : int or None
        The ticks of the plan on its own network, if it was run.
    """

    plan: Plan[Any]
    machine: Machine
    how: str
    report: PlacementReport
    candidates: "tuple[Candidate, ...]"
    run: Run[Any] | None
    alone: int | None

    @property
    def network(self) -> Network:
        """Where the programs are."""
        assert self.plan.placement is not None
        return self.plan.placement.network

    @property
    def places(self) -> Placement:
        """The processor of each node of the plan's topology."""
        assert self.plan.placement is not None
        return self.plan.placement.places

    @property
    def winner(self) -> "Candidate | None":
        """The candidate that was kept."""
        from meshsim.auto_placement import quickest

        return quickest(self.candidates) if self.candidates else None

    @property
    def distances(self) -> Mapping[int, int]:
        """How many channels cross how many links, of those that carry anything."""
        return dict(sorted(Counter(distance for _, distance in self.report.distances).items()))

    @property
    def copies(self) -> int:
        """Messages that stay within a processor."""
        return sum(channel.messages for channel, distance in self.report.distances if not distance)

    def wires(self) -> list[Carried]:
        """What each wire carries that carries anything, most words first."""
        network, costs = self.network, self.machine.links
        loads = {network.wire(load.link, costs.duplex): load for load in self.run.loads} if self.run else {}
        timed = self.run is not None and "wire" in costs.life.costs
        links: dict[Hashable, list[Link]] = {}
        for link in self.report.words:
            links.setdefault(network.wire(link, costs.duplex), []).append(link)
        found = []
        for key, both in links.items():
            load = loads.get(key) if timed else None
            found.append(
                Carried(
                    wire_name(network, both),
                    tuple(both),
                    sum(self.report.messages[link] for link in both),
                    sum(self.report.words[link] for link in both),
                    load.ticks if load else None,
                    load.conflicts if load else None,
                    load.waited if load else None,
                )
            )
        return sorted(found, key=lambda wire: -wire.words)  # stable: else in order of the channels


def wire_name(network: Network, links: list[Link]) -> str:
    """What a wire is called: its bus, its link, or both directions of it."""
    bus = network.bus(links[0])
    if bus is not None:
        return bus if bus.startswith("bus") else f"bus {bus}"
    source, target, key = links[0]
    several = f" [{key}]" if key and len(network.parallel(source, target)) > 1 else ""
    return f"{label(source)} {'->' if len(links) == 1 else '<->'} {label(target)}{several}"


def look_at(plan: Plan[Any], where: Where, machine: Machine, simulate: bool = True) -> Look:
    """Place a plan, run it if asked for, and tell what there is to see.

    Parameters
    ----------
    plan : Plan
        Programs on their own topology.
    where : Where
        The network and the placement; nothing: each program on a processor of its own network.
    machine : Machine
        What kernels and words cost.
    simulate : bool
        Run the plan, placed and on its own network. (`auto` simulates its candidates either way.)
    """
    candidates: tuple[Candidate, ...] = ()
    how = where.placement if isinstance(where.placement, str) else ""
    if not where:
        placed, how = plan.placed(Network(plan.topology), {node: node for node in plan.topology}), OWN_NETWORK
    elif where.placement == AUTO:
        from meshsim.auto_placement import auto_candidates, quickest  # here: it needs scipy, which is slow to import

        network, count = where.usable()
        candidates = auto_candidates(plan, network, machine, count, tell=tell)
        placed = plan.placed(network, quickest(candidates).placement)
    else:
        placed = where.placed(plan, machine)
    assert placed.placement is not None
    network, places = placed.placement.network, placed.placement.places
    report = placement_report(plan, network, places, machine)
    run = alone = None
    if simulate:
        tell("simulating the placement")
        run = placed.run(machine, trace=False)
        alone = plan.run(machine, trace=False).ticks
    tell("")
    return Look(placed, machine, how, report, candidates, run, alone)
