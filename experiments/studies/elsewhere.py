"""Networks of a comparison that are not the schemes' own: which they are, and what is told of a run there."""

from collections.abc import Sequence
from itertools import product
from typing import Any

from meshsim.errors import MeshSimError
from meshsim.experiments.store.journal import Row
from meshsim.experiments.studies.crossover import ranges
from meshsim.experiments.studies.where import FAMILY, OWN_NETWORK, Dead, NetworkLike, PlacementLike, Where, where_of
from meshsim.network import Network
from meshsim.outcome import Run
from meshsim.plan import Plan

PLACED = (
    "network", "asked", "shape", "placement", "used", "switches", "copies", "copying_us", "conflicts", "waited_us",
    "word_hops", "mean_distance", "own_us", "factor",
)  # fmt: skip
"""Further columns where networks are named."""


def wheres_of(
    networks: Sequence[NetworkLike],
    processors: Sequence[int],
    placement: PlacementLike | None,
    dead: Dead,
) -> tuple[tuple[Where, ...], list[str]]:
    """Every network with every number of processors, and a sentence for each number that a network cannot have.

    If none is left, what is wrong with the first is an error.
    """
    if not networks and not processors:
        where_of(None, None, placement, dead)  # which refuses a placement of nothing
        return (), []
    of: Sequence[NetworkLike | None] = networks or [None]
    counts: Sequence[int | None] = processors or [None]
    found: dict[str, Where] = {}
    lacking: dict[str, list[int]] = {}
    failures: dict[str, MeshSimError] = {}
    for network, count in product(of, counts):
        try:
            where = where_of(network, count, placement, dead)
        except MeshSimError as error:
            if count is None or len(counts) == 1:
                raise
            name = network.name if isinstance(network, Network) else str(network or FAMILY)
            failures.setdefault(name, error)
            lacking.setdefault(name, []).append(count)
            continue
        if name_of(where) in found:
            raise MeshSimError(f"networks of a comparison must be different, not {name_of(where)} twice")
        found[name_of(where)] = where
    if not found:
        raise next(iter(failures.values()))
    left_out = [f"{name} of {ranges(lacking[name])} left out: {failure}" for name, failure in failures.items()]
    return tuple(found.values()), left_out


def network_of(where: Where) -> str:
    """What a network is called in a table: as it was named."""
    if isinstance(where.network, Network):
        return where.network.name
    return where.network or (FAMILY if where else OWN_NETWORK)


def name_of(where: Where) -> str:
    """A network with how many of its processors are used, if that was told."""
    count = where.processors
    return network_of(where) + ("" if count is None else f" of {count} processor{'s' if count > 1 else ''}")


def told_of(where: Where, plan: Plan[Any], run: Run[Any]) -> Row:
    """What sharing processors and links did to a run: the columns of `PLACED` but those that other runs decide."""
    us, placed = run.machine.microseconds, plan.placement
    if placed is None:
        crossed, copies, used = run.words, 0, len(plan.programs)
        shape, placement = plan.topology.graph.get("name"), None
    else:
        crossed = sum(channel.words * len(channel.path) for channel in run.channels)
        copies = sum(channel.messages for channel in run.channels if not channel.path)
        used = len({placed.places[node] for node in plan.programs})
        shape, placement = placed.network.name, where.placement if isinstance(where.placement, str) else "told"
    return {
        "network": network_of(where),
        "asked": where.processors,
        "shape": shape,
        "placement": placement,
        "used": used,
        "switches": run.switches,
        "copies": copies,
        "copying_us": us(run.copying),
        "conflicts": run.conflicts,
        "waited_us": us(sum(load.waited for load in run.loads)),
        "word_hops": crossed,
        "mean_distance": crossed / run.words if run.words else 0.0,
    }


def streamed(rows: Sequence[Row]) -> list[Row]:
    """The rows with the interval of a stream in place of the time of one evaluation, where there is a stream."""
    some = [row for row in rows if "interval_us" in row]
    own = {
        (row["robot"], row["label"], row["machine"]): row["interval_us"]
        for row in some
        if row["network"] == OWN_NETWORK
    }
    found: list[Row] = []
    for row in some:
        interval, before = row["interval_us"], own.get((row["robot"], row["label"], row["machine"]))
        speedup = row["baseline_us"] / interval if interval else 1.0
        changed = {"time_us": interval, "ticks": interval, "factor": interval / before if before else None}
        found.append({**row, **changed, "speedup": speedup, "efficiency": speedup / row["processors"]})
    return found
